# ruff: noqa: E501 - word lists and templates read best as running text
"""What the Portuguese labelled sets are made of: their word classes and templates."""

# domain | aspect | praise | blame; the same adjective may praise one thing and blame another
ASPECTS = """
restaurante | comida | saboroso, fresco, quente, caprichado | frio, salgado, insosso, gorduroso
restaurante | cerveja | gelado, barato, encorpado | quente, caro, aguado
restaurante | porção | grande, generoso, farto | pequeno, mesquinho, ridículo
restaurante | atendimento | rápido, gentil, atencioso | lento, grosseiro, confuso
restaurante | espera | curto, breve, tranquilo | longo, interminável, irritante
restaurante | conta | justo, baixo, honesto | alto, errado, absurdo
hotel | quarto | silencioso, amplo, limpo, claro | barulhento, apertado, sujo, escuro
hotel | cama | macio, largo, confortável | duro, estreito, quebrado
hotel | banho | quente, forte, relaxante | frio, fraco, demorado
hotel | diária | barato, justo, baixo | caro, abusivo, alto
hotel | recepção | simpático, eficiente, gentil | antipático, desorganizado, lento
filme | enredo | surpreendente, original, envolvente | previsível, confuso, arrastado
filme | elenco | talentoso, convincente, afinado | fraco, artificial, perdido
filme | final:m | imprevisível, comovente, perfeito | óbvio, apressado, ridículo
filme | trilha | bonito, discreto, marcante | irritante, barulhento, repetitivo
filme | fotografia | luminoso, belo, cuidadoso | escuro, feio, descuidado
livro | história | emocionante, leve, profundo | chato, pesado, raso
livro | linguagem:f | claro, elegante, vivo | confuso, pobre, cansativo
livro | personagem:m | complexo, humano, inesquecível | raso, falso, esquecível
livro | capítulo | curto, intenso, engraçado | longo, repetitivo, sem graça
livro | tradução | fiel, cuidadoso, fluente | errado, descuidado, truncado
celular | bateria | duradouro, confiável, potente | curto, fraco, defeituoso
celular | tela | nítido, grande, brilhante | escuro, pequeno, riscado
celular | câmera | nítido, rápido, excelente | ruim, lento, borrado
celular | som:m | alto, limpo, cristalino | baixo, abafado, chiado
celular | sistema | rápido, estável, simples | lento, instável, complicado
ônibus | viagem:f | curto, tranquilo, agradável | longo, desconfortável, cansativo
ônibus | poltrona | macio, largo, reclinável | duro, estreito, quebrado
ônibus | motorista:m | prudente, educado, pontual | imprudente, grosseiro, atrasado
ônibus | passagem:f | barato, flexível, justo | caro, confuso, abusivo
loja | vendedor:m | atencioso, honesto, paciente | insistente, grosseiro, desatento
loja | entrega | rápido, pontual, cuidadoso | atrasado, lento, descuidado
loja | embalagem:f | resistente, bonito, prático | frágil, feio, rasgado
loja | troca | fácil, rápido, gratuito | difícil, demorado, burocrático
"""

SENTIMENT = """
affirm:
{o A} [A ser past] (muito|bem|realmente|bastante|) {B @A}
{o A} se [A mostrar past] (muito|bem|) {B @A}
{o A} me [A parecer past] (bem|muito|) {B @A}
{o A} [A revelar past] -se {B @A}
deny:
{o A} não [A ser past] (nada|nem um pouco|) {B @A}
{o A} [A estar imp] longe de ser {B @A}
{o A} nunca [A ser past] {B @A}
{o A} não me [A parecer past] {B @A}
{o A} não [A ter past] nada de {B @A}
one:
{m}.
{m}, e {n}.
{m} e, além disso, {n}.
como eu imaginava, {m}.
posso garantir que {m}.
both:
{o}, mas {m}.
é verdade que {o}, mas {m}.
me disseram que {o}, só que {m}.
a princípio pareceu que {o}; no fim, {m}.
quem disse que {o} se enganou: {m}.
{o}, porém {m}, e é isso que importa.
{m}, e ninguém pode dizer que {o}.
apesar do que li, ou seja, que {o}, {m}.
lead:
fui com {X=first} a+ {T=city} em {M=month}:
{W=weekday}, {N=int:2-28} de {M=month}:
opinião de {X=first}, de+ {T=city}:
depois de {N=wordf:2-12} semanas:
segunda vez em+ {T=city}:
nota {N=int:2-9}, por assim dizer:
"""

SENSES = {
    "banco.financeiro": (
        """{o W=self.n} [W cobrar past] juros de {N=price:1-14}% de+ {o X=client.n}.
{X=first} abriu uma conta em+ {um W=self} de+ {T=city}.
{o W=self.n} [W emprestar past] R$ {N=int:900-9900} a+ {o X=client.n}.
{o X=client.n} [X pagar past] a dívida a+ {o W=self} em {M=month}.
o gerente de+ {o W=self} ligou para {X=first} em {M=month}.
{X=first} sacou R$ {N=int:50-900} em+ {o W=self} de+ {T=city}.
{o W=self.p} [W fechar pres] às {N=int:15-17} horas em+ {T=city}.
{X=first} perdeu o cartão de+ {o W=self} em+ {T=city}.
os lucros de+ {o W=self.n} cresceram {N=int:2-40}% em {M=month}.""",
        """{o W=self} recusou o crédito que {X=first} pediu em {M=month}.
as ações de+ {o W=self.n} caíram na bolsa em {M=month}.
{X=first} depositou o salário em+ {um W=self} perto de+ {T=city}.
{o X=client.n} [X desconfiar pres] de+ {o W=self.p} desde a crise de {N=year:1980-2015}.""",
    ),
    "banco.assento": (
        """{X=first} se sentou em+ {um W=self} de+ {o P=park} e abriu o jornal.
{o W=self.n} de madeira [W ficar imp] à sombra em+ {o P=park}.
pintaram {o W=self.n} de+ {o P=park} de {K=colour}.
{um X=pet} dormia embaixo de+ {o W=self} de+ {o P=park} de+ {T=city}.
{X=first} e {Z=first} conversaram em+ {um W=self} de pedra em+ {T=city}.
{o W=self} de trás de+ {o P=vehicle} estava molhado, disse {X=first}.
os velhos jogavam dominó em+ {um W=self} de+ {o P=park} de+ {T=city}.
faltava uma tábua em+ {o W=self} onde {X=first} descansava.
{N=word:2-9} {W=self.p} de ferro cercavam {o P=park} de+ {T=city}.""",
        """cansado, {X=man} deitou em+ {um W=self} e olhou as nuvens sobre {o P=park}.
o encosto de+ {o W=self} quebrou quando {X=first} se apoiou.
{X=first} deixou o guarda-chuva em+ {o W=self} de+ {o P=park}.
{o W=self.p} de+ {o P=vehicle} [W ser imp] duros, reclamou {X=first}.""",
    ),
    "manga.fruta": (
        """{X=first} descascou {um W=self.n} com uma faca em+ {o P=kitchen}.
{o W=self.n} [W estar imp] {#taste @W} e [W cheirar imp] de longe.
o suco de {W=self} custava R$ {N=price:3-19} em+ {T=city}.
{X=first} comprou {N=wordf:2-12} {W=self.p} {#taste @W} na feira de+ {T=city}.
{o X=animal.n} [X comer past] {um W=self.n} no pomar.
a safra de {W=self} foi boa em+ {T=city}, contou {X=first}.
{um W=self #taste} caiu da árvore no quintal de {X=first}.
{X=first} fez geleia de {W=self} com {Y=other}.
{X=first} chupou {um W=self #taste} à sombra, em+ {T=city}.""",
        """{o W=self.n} [W amadurecer past] cedo no sítio de {X=first}.
o caroço de+ {o W=self} era enorme, disse {X=first}.
{X=first} prefere {W=self} a {Y=other} na sobremesa.
um caixote de {W=self.p} {#taste @W} chegou de+ {T=city}.""",
    ),
    "manga.roupa": (
        """{X=first} arregaçou {o W=self.p} de+ {o G=garment} para lavar a louça.
{o W=self.n} de+ {o G=garment} [W ficar past] {#length @W} demais.
a costureira encurtou {o W=self.n} de+ {o G=garment} de {X=first}.
{X=first} rasgou {o W=self} de+ {o G=garment} num prego em+ {T=city}.
{um G=garment} de {W=self} {#length @W} custava R$ {N=price:40-290}.
havia uma mancha de tinta em+ {o W=self} de+ {o G=garment} de {X=first}.
faltava um botão em+ {o W=self #length} de+ {o G=garment}, notou {X=first}.
{X=first} limpou o suor com {o W=self} de+ {o G=garment}.
{o W=self.p} [W ser imp] de {Y=cloth}, e {o G=garment} de {Z=cloth}.""",
        """{o G=garment} sem {W=self.p} não servia para o frio de+ {T=city}.
{X=first} puxou {Z=first} por+ {o W=self} de+ {o G=garment}.
o alfaiate mediu {o W=self.n} com a fita e anotou {N=int:40-70} centímetros.
{X=first} dobrou {o W=self.p} até o cotovelo e começou a trabalhar em+ {T=city}.""",
    ),
}
SENSE_WORDS = """
man: Mauro, Jorge, Caio, Diego, Tiago, Hugo, Igor, Davi, Elias, Samuel
client: cliente|cliente:f, empresário|empresária, comerciante|comerciante:f, agricultor|agricultora, aposentado|aposentada, família, investidor|investidora
park: praça, parque:m, jardim, alameda, pátio, bosque:m, largo, estação
vehicle: ônibus:m:ônibus, carro, trem, táxi:m, barco, bonde:m
pet: gato, cachorro, pombo, menino, cão:m:cães
kitchen: cozinha, varanda, pomar, quintal, mesa
#taste: maduro, doce, verde, suculento, azedo, amarelo
animal: macaco, menino|menina, pássaro, cabra, morcego, criança
other: banana, abacaxi:m, maracujá, laranja, gengibre:m, limão, coco
garment: camisa, vestido, casaco, blusa, paletó, jaqueta, uniforme:m, suéter:m
#length: comprido, curto, largo, apertado, bordado, amassado
cloth: algodão, seda, linho, lã:f, veludo, renda, flanela
"""

AGREEMENT = """
human: menino|menina, professor|professora, vizinho|vizinha, engenheiro|engenheira, enfermeiro|enfermeira, cantor|cantora, pescador|pescadora, advogado|advogada, jornalista|jornalista:f, estudante|estudante:f, vendedor|vendedora, médico|médica, padeiro|padeira, turista|turista:f, artista|artista:f, soldado, cliente|cliente:f, prefeito|prefeita, dentista|dentista:f, jardineiro|jardineira, motorista|motorista:f, bailarino|bailarina
other: amigo|amiga, primo|prima, colega|colega:f, irmão:m:irmãos|irmã, sócio|sócia, hóspede|hóspede:f, criança, ministro|ministra, poeta|poeta:f, fotógrafo|fotógrafa, juiz:m:juízes|juíza
thing: livro, carta, mala, bicicleta, caixa, chave:f, guitarra, relógio, quadro, máquina, cadeira, documento, bolsa, carro
place: cidade:f, rua, escola, fazenda, praça, hospital:m, aldeia, mercado, estação, museu, ilha, igreja, bairro
#any: novo, velho, alto, famoso, cansado, alegre, triste, jovem, gentil, sério
%verb: telefonar, cantar, chegar, voltar, sorrir, dormir, trabalhar, desistir, sair, correr, chorar, viajar, falar, cair, esperar, descansar, responder, concordar, reclamar, desaparecer, almoçar, dançar, gritar, fugir, partir
tail:
ontem
tarde
muito
de novo
sem avisar
em silêncio
bem cedo
com calma
outra vez
na hora
pp:
de+ {o A=place.n}
de+ {o A=other.n}
com {um A=thing.n}
sem {A=thing.p}
de+ {T=city}
perto de+ {o A=place.n #any}
com {o A=thing.n} de+ {o B=other.n}
ao lado de+ {o A=other.n #any}
rel:
que [X conhecer pres] {o A=other.n}
que [X vir past] aqui ontem com {um A=other.n}
que [X comprar past] {o A=thing.n} de+ {o B=other.n}
que {o A=other.n} [A ver past] em+ {o B=place.n}
que {o A=other.n #any} [A elogiar past] ontem
que [X morar pres] perto de+ {o A=place.n} de+ {o B=other.n}
que [X perder past] {o A=thing.n} em+ {um B=place} de+ {T=city}
que [X ensinar past] {o A=other.n} a consertar {o B=thing.n #any}
de quem {o A=other.n} [A gostar pres] muito
com quem {o A=other.n} de+ {o B=place.n} [A trabalhar past]
que [X chegar past] de+ {o A=place.n} com {N=int:2-9} {B=thing.p}
que [X dizer past] que {o A=other.n} [A perder past] {o B=thing.n}
inner:
que [A vender past] {o D=thing.n}
que [A morar pres] em+ {o D=place.n}
de+ {o D=place.n #any}
que {o D=other.n} [D conhecer past]
que não [A gostar pres] de {D=thing.p}
"""

NER = """
train:
{X} nasceu em+ {L} e trabalhou em+ {O} até {N=year:1950-2020}.
{O} contratou {X} para dirigir a filial de+ {L}.
em {M=month}, {X} viajou de+ {L} a+ {K} com um grupo de amigos.
segundo {X}, {O} vai abrir {N=int:3-90} lojas em+ {L}.
{O} e {P} assinaram um acordo em+ {L}.
o prefeito de+ {L}, {X}, visitou {O} na {W=weekday_f}.
{X} venceu {Y} na final disputada em+ {L}.
a rua principal de+ {L} ganhou o nome de {X}.
o norte da cidade ficou sem luz, informou {O}.
o banco do parque foi pintado por {X}, morador de+ {L}.
{X}, {N=int:18-80} anos, ensina música em+ {O}.
a rosa do jardim de {X} floresceu em {M=month}.
os santos da igreja de+ {L} foram restaurados por+ {O}.
{Y} disse a {X} que {L} fica longe de+ {K}.
o porto estava vazio quando {X} chegou a+ {L}.
entre {L} e {K}, {X} leu uma reportagem sobre {O}.
no domingo, {O} perdeu para {P} por {N=int:2-5} a 1.
quem dirige {O} agora é {X}.
o dinheiro de+ {O} sumiu, mas {X} não sabia de nada.
{X} mora em+ {L}; {Y}, em+ {K}.
test:
foi em+ {L} que {X} fundou {O}, com ajuda de {Y}.
{X} deixou {O} e voltou a viver em+ {L}.
o livro de {X} sobre {L} foi publicado por+ {O}.
nem {X} nem {Y} conheciam {L} ou {K}.
a feira de+ {L} recebeu {O} e {P} em {M=month}.
{O} demitiu {X} na {W=weekday_f}, em+ {L}.
uma carta de {Y} para {X} foi achada em+ {O}.
a lima que sobrou no cesto era de {X}, de+ {L}.
"""
NER_ONLY = {
    "train": {
        "given": "Ana Bruno Camila Diego Elisa Fábio Helena Ivan Joana Marcelo Natália Otávio Raquel Sérgio Teresa Vítor Washington",
        "surnames": "Almeida Barros Santos Lima Duarte Braga Toledo Nogueira Porto Campos Ramos Rocha Silva Salvador",
        "LOC": "Santos,Lima:f,Braga:f,o Recife,Belém:f,Salvador,Washington:f,o Porto,Campinas:f,Roma:f,Ouro Preto,Águas Claras:f,Vila Serena:f,o Rio de Janeiro,Nova Esperança:f",
        "ORG": "o Banco do Norte,a Editora Aurora:f,o Santos,o Hospital Santa Rita,a Universidade do Vale:f,a Fundação Lima:f,o Colégio Horizonte,a Padaria Braga:f,o Clube Atlético Serrano,a Companhia das Águas:f",
    },
    "dev": {
        "given": "Iara Caio Lívia Orlando Simone Hugo Clarice Davi",
        "surnames": "Pacheco Teles Viana Bastos Santos Natal Franco Moura",
        "LOC": "Natal,Olinda:f,Madri:f,Monte Alegre,Lagoa Nova:f,a Bahia:f,Santos",
        "ORG": "o Museu da Pesca,a Rádio Planalto:f,o Natal,o Instituto Mar Azul,a Viação Garça:f,o Grupo Viana",
    },
    "test": {
        "given": "Yara Gustavo Jussara Tomás Odete Xavier Valentina Joaquim Dalva Lourenço",
        "surnames": "Queirós Esteves Valença Lisboa Coimbra Toledo Lacerda Holanda Sampaio Galvão",
        "LOC": "Toledo:f,Lisboa:f,Coimbra:f,Valença:f,Manaus:f,o Cairo,Pedra Branca:f,São Bento do Sul,a Holanda:f,Campo Belo",
        "ORG": "o Jornal da Serra,a Cooperativa Boa Safra:f,o Coimbra,a Orquestra do Litoral:f,o Banco Holanda,o Laboratório Quartzo,a Fábrica Andorinha:f,o Esporte Clube Toledo",
    },
}

POS = """
person: menino|menina, professora, vizinho|vizinha, cantora, médico|médica, padeiro, pintor|pintora, avó:f:avós, aluno|aluna
thing: livro, janela, carta, casa, música, bolo, flor:f, cadeira, mesa, piano, planta, sopa, porta, vela
place: rua, praça, escola, cidade:f, cozinha, praia, igreja, jardim, sala
#any: novo, velho, bonito, grande, pequeno, caro, azul, antigo, estranho, comum
#hum: alegre, triste, jovem, velho, cansado, gentil, famoso
#inv: grande, alegre, triste, simples, difícil
%tv: comprar, vender, pintar, ver, trazer, perder, lavar, guardar, procurar, limpar
%iv: cantar, chegar, dormir, sorrir, trabalhar, viajar, cair, voltar
train:
{o X=person.n} [X V=%tv past] {um Y=thing.n #any} em+ {o P=place}.
{o X=person.n #hum} não [X V=%iv pres] em+ {o P=place}.
{X=first} e {Y=first} [3p V=%iv past] ontem.
quando {o X=person.n} [X V=%iv past], {Y=first} já [Y estar imp] aqui.
o canto/NOUN de+ {o X=person} [3s encher past] {o P=place}.
eu canto/VERB com {X=first} em+ {o P=place} todos/DET os dias/NOUN.
{X=first} casa/VERB com {Y=first} em/ADP {M=month}.
a/DET casa/NOUN de {X=first} [3s ser pres] {#inv}.
{o X=person.n} que/PRON [X V=%tv past] {o Y=thing.n} [X ser pres] de+ {T=city}.
{X=first} [X comprar past] {N=word:2-12 Y=thing.p} e {M=word:2-9 Z=thing.p #any}.
ele/PRON joga/VERB bola/NOUN, mas o jogo/NOUN [3s ser past] {#inv}.
eu jogo/VERB aqui e {X=first} joga/VERB ali.
[X ser pres] {#any @X} {o X=thing.n} de {Y=first}?
{X=first} gosta/VERB de [X V=%tv inf] {Y=thing.p} porque/SCONJ [X ser pres] muito {#hum @X}.
se/SCONJ {X=first} [X V=%iv pres], {o Y=person.n} também [Y V2=%iv pres].
eu como/VERB {um Y=thing} como/SCONJ {X=first} come/VERB.
{o X=person.n} [X ter imp] {N=int:20-90} anos/NOUN em/ADP {M=int:1950-2020}.
{o X=person.n} se/PRON [X sentar past] em+ {o P=place} sem/ADP {Y=first}.
a/DET conta/NOUN de {X=first} [3s ser past] {#inv}.
{X=first} conta/VERB tudo a/ADP+ {o Y=person}.
{este X=thing.n} [X ser pres] mais {#any @X} do que/SCONJ {aquele Y=thing.n}.
test:
{o X=thing.n} de+ {o P=place #any} [X V=%tv pass.past] por/ADP {Y=first}.
o jogo/NOUN de {X=first} [3s ser pres] {#inv}, mas eu jogo/VERB bem.
{X=first} casa/VERB amanhã em+ {um P=place} de+ {T=city}.
eu canto/VERB o canto/NOUN de {X=first} em+ {T=city}.
nem/CCONJ {X=first} nem/CCONJ {Y=first} [3p V=%tv past] {o Z=thing.n}.
{X=first} conta/VERB a/DET conta/NOUN antes de [X V=%iv inf].
{o X=person.n}, que/PRON [X V=%iv past] ontem, [X V2=%tv past] {um Y=thing.n}.
"""
