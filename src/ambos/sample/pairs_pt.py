# ruff: noqa: E501 - word lists and templates read best as running text
"""Portuguese pairs: ways of saying the same thing, and premises with what follows from them."""

WORDS = """
goods: livro, cavalo, quadro, relógio, tapete:m, vaso, carro, terreno, disco, computador
role: médico|médica, professor|professora, juiz:m:juízes|juíza, pintor|pintora, vendedor|vendedora, ministro|ministra, cantor|cantora, pescador|pescadora, ator:m:atores|atriz:f:atrizes, gerente|gerente:f
thing: mesa, estátua, cadeira, lâmpada, caixa, porta, planta, geladeira, estante:f, cama
subject: matemática, história, piano, natação, culinária, xadrez:m, inglês:m, desenho, violão, fotografia
event: concerto, congresso, baile:m, debate:m, leilão, casamento, torneio, desfile:m
place: escola, fábrica, biblioteca, padaria, farmácia, oficina, livraria, piscina
hyp: manga~frutas, laranja~frutas, pera~frutas, cenoura~legumes, abóbora~legumes, sardinha~peixes, truta~peixes, rosa~flores, margarida~flores, martelo~ferramentas, serrote:m~ferramentas, violino~instrumentos, flauta~instrumentos, mesa~móveis, cadeira~móveis
animal: vaca, cavalo, gato, ovelha, galinha, cachorro, coelho, pato
chore: fechar a janela, pagar a conta, regar as plantas, trancar a porta, apagar a luz, entregar o relatório, devolver o livro, assinar a carta, lavar o carro, comprar o bilhete
exam: prova, exame:m, concurso, teste:m
%do: elogiar, convidar, ajudar, visitar, seguir, criticar, acusar, chamar, contratar, abraçar
%make: consertar, vender, pintar, comprar, lavar, trocar, alugar, limpar
%go: chegar, falar, sair, jantar, acordar, voltar
#kind: jovem, alto, famoso, cansado, simpático, velho
#look: novo, antigo, bonito, pequeno, caro
"""
COMPARATIVES = "mais velho/mais novo, mais alto/mais baixo, mais rico/mais pobre, mais rápido/mais lento, mais calmo/mais nervoso, mais forte/mais fraco"

PARAPHRASE = """
= {X=first} vendeu {N=word:3-12 Y=goods.p} a {Z=first} em+ {T=city}.
= {Z} comprou {N=word:3-12 Y=goods.p} de {X} em+ {T}.
= em+ {T}, {N=word:3-12 Y=goods.p} [Y ser past] [Y vender part] por {X} a {Z}.
= {Z} adquiriu de {X}, em+ {T}, {N=word:3-12 Y=goods.p}.
~ swap X Z
~ new N
~ new T
~ new Y

= {o X=role.n} [X V=%do P?past] {o Y=role.n} em+ {T=city}.
= {o Y=role.n} [Y V=%do P?pass.past] por+ {o X=role.n} em+ {T}.
= em+ {T}, {o X=role.n} [X V=%do P?past] {o Y=role.n}.
~ swap X Y
~ flip P
~ new V

= {X=first} ficou em casa porque {Z=first} estava doente em {M=month}.
= {Z} estava doente em {M}, (por isso|e por isso|e assim) {X} ficou em casa.
= como {Z} estava doente em {M}, {X} ficou em casa.
= a doença de {Z} fez {X} ficar em casa em {M}.
~ swap X Z
~ new M

= {X=first} chegou a+ {T=city} antes de {Z=first} sair, em {N=year:1950-2020}.
= {Z} saiu depois que {X} chegou a+ {T}, em {N=year:1950-2020}.
= em {N=year:1950-2020}, {X} chegou a+ {T}, e só depois {Z} saiu.
= quando {Z} saiu, em {N}, {X} já tinha chegado a+ {T}.
~ swap X Z
~ new N

= {X=first} é {A=#comp @X} do que {Z=first}, diz {D=first}.
= {D}: {Z} é {A.inv @Z} do que {X}.
= para {D}, {Z} é {A.inv @Z} do que {X}.
= na opinião de {D}, {X} é {A @X} do que {Z}.
~ swap X Z

= a chegada de {X=first} a+ {T=city} surpreendeu {Z=first} em {M=month}.
= {Z} ficou ({surpreso @Z}|{espantado @Z}) em {M}, quando {X} chegou a+ {T}.
= quando {X} chegou a+ {T}, em {M}, {Z} teve uma surpresa.
= em {M}, {Z} se surpreendeu com a chegada de {X} a+ {T}.
~ swap X Z
~ new T

= o preço de+ {o Y=goods} subiu de {N=int:20-90} para {M=int:100-190} reais em+ {T=city}.
= em+ {T}, {o Y}, que custava {N} reais, passou a custar {M} reais.
= {o Y} de+ {T} custava {N} reais; agora custa {M}.
= antes custava {N} reais, mas hoje {o Y} custa {M} em+ {T}.
~ swap N M
~ new N
~ new Y

= {X=first} ensinou {S2=subject} a {Z=first} em+ {T=city}.
= {Z} aprendeu {S2} com {X} em+ {T}.
= foi com {X} que {Z} aprendeu {S2} em+ {T}.
= em+ {T}, {Z} teve aulas de {S2} com {X}.
~ swap X Z
~ new S2

= {X=first} emprestou {N=int:20-900} reais a {Z=first} em {M=month}.
= {Z} pegou {N} reais emprestados de {X} em {M}.
= em {M}, {Z} ficou devendo {N} reais a {X}.
= {X} fez a {Z}, em {M}, um empréstimo de {N} reais.
~ swap X Z
~ new N

= {o Y=thing} fica à esquerda de+ {o Z=thing} em+ a sala de {X=first}.
= em+ a sala de {X}, {o Z} fica à direita de+ {o Y}.
= {X} tem {o Y} à esquerda de+ {o Z} em+ a sala.
= à direita de+ {o Y} fica {o Z}, em+ a sala de {X}.
~ swap Y Z
~ new Y

= {X=first} mora em+ {T=city}, mas trabalha em+ {U=city}.
= a casa de {X} fica em+ {T}; o emprego, em+ {U}.
= {X} trabalha em+ {U} e mora em+ {T}.
= o emprego de {X} fica em+ {U}, longe de casa, que é em+ {T}.
~ swap T U
~ new X

= {o E=event} de {X=first} começou às {N=int:7-11} horas e durou {M=wordf:2-9} horas.
= às {N} horas começou {o E} de {X}, que levou {M} horas.
= {o E} de {X} durou {M} horas e teve início às {N}.
= com início às {N} horas, {o E} de {X} se estendeu por {M} horas.
~ new N
~ new M
~ new E
"""

ENTAILMENT = """
P: {X=first} trouxe {N=word:3-12 Y=hyp.p} da feira de+ {T=city}.
P: {X} foi à feira de+ {T=city}, mas voltou sem {Y.hyper}.
P: {X} foi à feira de+ {T=city} para ver {o Y=hyp.p}.
H: {X=first} trouxe {Y=hyp.hyper} da feira. | E C N
H: {X=first} não trouxe {Y=hyp.hyper} da feira. | C E N

P: {todo o Y=role.p} de+ {o Z=place} de+ {T=city} chegaram com atraso.
P: {nenhum Y=role} de+ {o Z=place} de+ {T=city} chegou com atraso.
P: {todo o Y=role.p} da cidade vizinha chegaram com atraso.
P: {muito Y=role.p} de+ {o Z=place} de+ {T=city} chegaram com atraso, mas não todos.
H: algum atraso aconteceu entre {o Y=role.p} de+ {o Z=place}. | E C N E
H: entre {o Y=role.p} de+ {o Z=place}, não houve nenhum atraso. | C E N C
H: entre {o Y=role.p} de+ {o Z=place}, {todo @Y} se atrasaram. | E C N C

P: {N=more:M} pessoas foram a+ {o E} de {X}.
P: só {N=less:M} pessoas foram a+ {o E} de {X}.
P: {X} esperava {N=more:M} pessoas para {o E}.
H: mais de {M=int:30-120} pessoas foram a+ {o E=event} de {X=first}. | E C N
H: {o E=event} de {X=first} não chegou a ter {M=int:30-120} pessoas. | C E N

P: {X} trabalha em+ {um P=place} de+ {T}.
P: {X} nunca trabalhou em+ {T.country}; só fez turismo em+ {T}.
P: {X} tem um amigo que trabalha em+ {T}.
H: {X=first} trabalha em+ {T=city.country}. | E C N
H: {X=first} não trabalha em+ {T=city.country}. | C E N

P: {o Y #kind} [Y V past] {o Z=goods #look} em+ {T=city}.
P: {o Y} se recusou a [Y V inf] {o Z=goods} em+ {T=city}.
P: {o Y #kind} queria [Y V inf] {o Z=goods} em+ {T=city}.
H: {o Y=role} [Y V=%make past] {o Z=goods}. | E C N
H: {o Y=role} [Y V=%make neg.past] {o Z=goods}. | C E N

P: {X} chegou a+ {T=city} antes de {Z}.
P: {X} só chegou a+ {T=city} depois de {Z}.
P: {X} e {Z} chegaram a+ {T=city} em {M=month}.
H: {X=first} chegou primeiro, e {Z=first} depois. | E C N
H: {Z=first} chegou primeiro, e {X=first} depois. | C E N

P: {X} é {A @X} do que {Z}.
P: {Z} é {A @Z} do que {X}.
P: {X} e {Z} trabalham juntos em+ {T=city}.
H: {Z=first} é {A=#comp.inv @Z} do que {X=first}. | E C N
H: {X=first} é {A=#comp.inv @X} do que {Z=first}. | C E N

P: {X} e {Z} passaram em+ {o E} em {M=month}.
P: só {X} passou em+ {o E} em {M=month}; {Z} não passou.
P: {X} passou em+ {o E} em {M=month}; de {Z} ainda não se sabe.
H: {Z=first} e {X=first} passaram em+ {o E=exam}. | E C N
H: {Z=first} não passou em+ {o E=exam}, mas {X=first} sim. | C E N

P: {o P} de+ {T} abre todos os dias, menos no Natal.
P: {o P} de+ {T} fecha às {W.pl}.
P: {o P} de+ {T} mudou de dono em {M=month}.
H: {o P=place} de+ {T=city} abre na {W=weekday_f}. | E C N
H: {o P=place} de+ {T=city} não abre na {W=weekday_f}. | C E N

P: {X} se lembrou de {Y} em+ {T=city}.
P: {X} se esqueceu de {Y} em+ {T=city}.
P: {X} prometeu {Y} em+ {T=city}.
H: {X=first} não deixou de {Y=chore}. | E C N
H: {X=first} deixou de {Y=chore}. | C E N

P: {X} cria {N=word:3-12 Y=animal.p} em+ {T=city}.
P: {X} mora em+ {T=city} e não tem nenhum bicho, nem {Y=animal.p}.
P: {X} gosta de {Y=animal.p} e mora em+ {T=city}.
H: {X=first} tem animais. | E C N
H: {X=first} não tem animais. | C E N

P: {X} é {casado @X} com {Z=first} há {N=int:2-40} anos.
P: {X} é {solteiro @X} e mora com {Z=first}.
P: {X} e {Z=first} moram na mesma rua de+ {T=city}.
H: {X=first} tem marido ou mulher. | E C N
H: {X=first} não tem marido nem mulher. | C E N
"""
FACTS = """
# {B}
s {o B=structure} de+ {L=city}, que liga os dois lados da cidade, foi {projetado @B} por {X=full}.
s a obra começou em {N=year:1880-1940} e terminou em {M=year:1941-1999}.
s custou {K=int:12-98} milhões e ocupou {J=int:200-900} operários.
s hoje {o B} recebe visitantes de+ {E=country}.
d antes disso, em {Q=year:1800-1879}, {Z=full} tinha desenhado {outro B} em+ {U=city}.
q quem projetou {o B} de+ {L}? | X
q em que ano a obra começou? | N
q em que ano a obra terminou? | M
q quantos operários trabalharam na obra? | J
q de que país vêm os visitantes? | E

# {X}
s {X=full} nasceu em+ {L=city}, em {N=year:1900-1940}.
s aos {A=int:16-25} anos mudou-se para {U=city}, onde estudou {S=field}.
s em {M=year:1945-1990} publicou {T=title}, o livro que lhe deu fama.
s morreu em+ {V=city}, em {K=year:1991-2020}.
d {o primo @Z}, {Z=full}, nasceu em {Q=year:1880-1899} e nunca saiu de+ {W=city}.
q onde nasceu {X}? | L
q em que ano nasceu {X}? | N
q o que {X} estudou em+ {U}? | S
q que livro {X} publicou em+ {M}? | T
q em que cidade morreu {X}? | V

# {O}
s {O=org} foi {fundado @O} por {X=full} em {N=year:1890-1960}, na cidade de+ {L=city}.
s no começo vendia {P=goods_p} e tinha {J=int:3-30} empregados.
s em {M=year:1965-2015} a sede passou para {U=city}.
s hoje quem dirige o negócio é {Z=full}, que ganha {K=int:12-90} mil reais por mês.
d {um concorrente @W}, {W=full}, abriu outro negócio em {Q=year:1870-1889}.
q quem fundou {O}? | X
q em que ano foi {fundado @O} {O}? | N
q o que {O} vendia no começo? | P
q para onde passou a sede em+ {M}? | U
q quem dirige {O} hoje? | Z

# {E}
s {o E=party} de+ {L=city} acontece em {M=month} e dura {N=wordf:3-12} semanas.
s foi {X=full} quem criou a festa, em {Y=year:1920-1990}.
s o prato mais pedido é {D=dish}, que se serve com {A=drink}.
s na última edição, {K=int:12-95} mil pessoas compareceram.
d já a festa de+ {U=city}, criada por {Z=full} em {Q=year:1880-1919}, acabou.
q em que mês acontece {o E} de+ {L}? | M
q quem criou {o E} de+ {L}? | X
q qual é o prato mais pedido em+ {L}? | D
q que bebida acompanha o prato? | A
q quantas semanas dura {o E}? | N

# {T}
s a final de {Y=year:1950-2022} foi disputada em+ {L=city}, diante de {N=int:12-90} mil pessoas.
s {X=full} marcou o primeiro gol aos {M=int:2-44} minutos.
s {o árbitro @Z}, {Z=full}, expulsou {W=full} por {R=offence}.
s o time {T=club} ficou com a taça e viajou para {U=city}.
d a final anterior, em {Q=year:1920-1949}, tinha sido decidida por {V=full}.
q onde foi disputada a final de+ {Y}? | L
q quem marcou o primeiro gol? | X
q quem apitou o jogo? | Z
q por que {W} foi {expulso @W}? | R
q que time ficou com a taça? | T

# {X}
s em {N=year:1830-1930}, {X=full} partiu de+ {L=city} com {J=int:12-80} marinheiros.
s o navio se chamava {S=ship} e levava {C=cargo}.
s depois de {M=word:3-12} meses, a expedição chegou a+ {U=city}.
s o mapa da viagem está guardado com {O=org}.
d outro navio, {V=ship}, comandado por {Z=full}, afundou perto de+ {W=city}.
q de onde partiu {X}? | L
q como se chamava o navio de+ {X}? | S
q o que o navio de+ {X} levava? | C
q aonde chegou a expedição de+ {X}? | U
q com quem está guardado o mapa? | O
"""
FACT_WORDS = """
structure: ponte:f, viaduto, torre:f, túnel, passarela
field: medicina, direito, botânica, filosofia, música, astronomia, arquitetura
goods_p: chapéus, sapatos, relógios, móveis, tecidos, livros, bicicletas, sementes, remédios
party: festival:m, feira, carnaval:m, romaria
dish: bolo de milho, caldo de peixe, arroz com pequi, pão de queijo, torta de banana, carne de sol, doce de abóbora
drink: suco de caju, chá gelado, vinho branco, café preto, água de coco, cerveja escura
offence: reclamação, agressão, jogo violento, simulação, insultos
club: Serrano, Estrela do Sul, Ferroviário, União Azul, Atlético da Serra, Real Pontal
ship: Boa Esperança, Gaivota, Santa Luzia, Estrela do Mar, Vento Leste, Albatroz
cargo: açúcar e tabaco, café em grão, madeira e couro, remédios e livros, tecidos de algodão, sal e farinha
title: A Casa do Vento, Noites de Sal, O Relógio Parado, Terra sem Mapa, As Três Pontes, Cartas ao Mar
"""
