# ruff: noqa: E501, ISC004, SIM905 - word lists and templates read best as running text
"""Portuguese names and the phrases that documents of every topic share."""

GIVEN = {
    "f": (
        "Ana Beatriz Camila Daniela Elisa Fernanda Gabriela Helena Inês Joana Larissa Marta Natália Olívia Patrícia Raquel "
        "Sofia Teresa Vanessa Yara Alice Bruna Cecília Débora Eduarda Flávia Glória Iara Júlia Lívia Mariana Noemi Paula "
        "Rita Sandra Tânia Vera Aurora Clarice Dalva Estela Graça Ivone Jussara Lúcia Madalena Nair Odete Regina Simone"
    ).split(),
    "m": (
        "André Bruno Caio Diego Eduardo Fábio Gustavo Heitor Ivan João Leonardo Marcelo Nelson Otávio Paulo Rafael Sérgio "
        "Tiago Vítor Wagner Antônio Bernardo César Davi Elias Felipe Gilberto Hugo Igor Joaquim Luís Mateus Nícolas Orlando "
        "Pedro Ricardo Samuel Tomás Vicente Xavier Alberto Benedito Cláudio Danilo Ernesto Francisco Geraldo Henrique Jorge Mauro"
    ).split(),
}
SURNAMES = (
    "Almeida Barros Cardoso Duarte Esteves Figueira Guimarães Leal Macedo Nogueira Oliveira Pacheco Queirós Ramos Sampaio "
    "Tavares Vasconcelos Xavier Abreu Bastos Correia Dantas Fontes Garcia Lacerda Moura Neves Peixoto Rocha Siqueira Teles "
    "Viana Andrade Borges Carvalho Diniz Farias Gomes Lima Martins Nunes Pires Rezende Salgado Torres Valente Aguiar Braga "
    "Campos Drummond Freitas Godoy Machado Prado Ribeiro Santos Toledo Varela Azevedo Brandão Caldas Falcão Galvão Medeiros "
    "Paiva Rangel Seixas Távora Veloso Arruda Bueno Cordeiro Franco Holanda Marinho Pimentel Quintela Sarmento Vidal Amaral"
).split()
TITLES = {"f": ("a Dra.", "a Sra.", "a Profa."), "m": ("o Dr.", "o Sr.", "o Prof.")}
PRONOUNS = {
    "f": (("pron", "ela"), ("obj", "ela"), ("poss", "dela")),
    "m": (("pron", "ele"), ("obj", "ele"), ("poss", "dele")),
}
PROPER = {
    "city": (
        "LOC",
        "Santos~o Brasil,Curitiba:f~o Brasil,Fortaleza:f~o Brasil,o Recife~o Brasil,Belém:f~o Brasil,Manaus:f~o Brasil,Natal~o Brasil,Olinda:f~o Brasil,"
        "Salvador~o Brasil,Campinas:f~o Brasil,Lisboa:f~Portugal,o Porto~Portugal,Coimbra:f~Portugal,Évora:f~Portugal,Braga:f~Portugal,"
        "Lima:f~o Peru,Cusco~o Peru,Roma:f~a Itália,Veneza:f~a Itália,Milão:f~a Itália,Madri:f~a Espanha,Toledo:f~a Espanha,Sevilha:f~a Espanha,"
        "Paris:f~a França,Lyon:f~a França,Berlim:f~a Alemanha,Hamburgo~a Alemanha,Luanda:f~Angola,Maputo~Moçambique,Florianópolis:f~o Brasil,"
        "Vila Serena:f~o Brasil,Porto Velho~o Brasil,Ouro Preto~o Brasil,Santa Clara:f~o Brasil,Monte Alegre~o Brasil,Campo Belo~o Brasil,"
        "Rio Manso~o Brasil,Pedra Branca:f~o Brasil,Lagoa Nova:f~o Brasil,São Bento~o Brasil,Bom Retiro~o Brasil,Águas Claras:f~o Brasil",
    ),
    "org": (
        "ORG",
        "o Banco do Norte,a Editora Aurora:f,o Hospital Santa Rita,o Clube Atlético Serrano,a Universidade do Vale:f,a Padaria Estrela:f,"
        "o Instituto Mar Azul,a Companhia Ferroviária do Sul:f,a Fundação Carvalho:f,o Colégio Horizonte,a Rádio Planalto:f,"
        "o Jornal da Serra,a Cooperativa Boa Safra:f,o Museu da Pesca,a Fábrica Andorinha:f,o Teatro Municipal,a Livraria Cardume:f,"
        "o Esporte Clube Santos,a Orquestra do Litoral:f,o Grupo Nogueira,a Viação Garça:f,o Laboratório Quartzo,a Oficina Girassol:f",
    ),
    "country": (
        "LOC",
        "o Brasil,Portugal,o Peru,a Itália:f,a Espanha:f,a França:f,a Alemanha:f,Angola:f,o Chile,o Japão,o México,a Índia:f",
    ),
}

COMMON = """
colour: azul, vermelho, verde, amarelo, branco, cinza, laranja, marrom, roxo, preto
month: janeiro, fevereiro, março, abril, maio, junho, julho, agosto, setembro, outubro, novembro, dezembro
weekday: segunda-feira, terça-feira, quarta-feira, quinta-feira, sexta-feira, sábado, domingo
#size: grande, pequeno, enorme, minúsculo, pesado, leve, redondo
#rolea: experiente, jovem, famoso, cansado, paciente, atento, nervoso, gentil, distraído, teimoso, tímido, curioso, prudente
feeling: alegria, medo, orgulho, vergonha, raiva, alívio, saudade:f, surpresa, gratidão:f:gratidões, dúvida, pressa, calma, esperança, tristeza, ternura, inveja
family: irmão:m:irmãos|irmã, primo|prima, tio|tia, avô:m:avôs|avó:f:avós, filho|filha, sobrinho|sobrinha, padrinho|madrinha, cunhado|cunhada
when:
na manhã seguinte
naquela (tarde|noite|semana)
no dia {N=int:2-28} de {M=month}
em {N=year:1955-2023}
às {N=int:7-11} horas da (manhã|noite)
poucos dias depois
antes do (almoço|jantar|anoitecer)
{N=wordf:2-12} semanas mais tarde
numa {W=weekday_f} de {M=month}
no fim de {M=month}
durante o (verão|inverno|outono)
logo cedo
meses depois
conn:
depois disso
por isso
mesmo assim
além disso
no entanto
com o tempo
aos poucos
de repente
por fim
enquanto isso
apesar de tudo
para surpresa de todos
felizmente
infelizmente
como sempre
dessa vez
manner:
com (muita|pouca|alguma) {Y=feeling_f}
com {Y=feeling} e {Z=feeling}
sem (pressa|vontade|demora|ajuda|explicação)
(devagar|depressa|calmamente|cuidadosamente|discretamente|alegremente|silenciosamente|pacientemente)
(lentamente|rapidamente|timidamente|corajosamente|distraidamente|gentilmente|secretamente|sinceramente|tristemente|friamente|solenemente|ansiosamente)
(bruscamente|delicadamente|distintamente|educadamente|facilmente|firmemente|generosamente|humildemente|inutilmente|nervosamente|obstinadamente|orgulhosamente|prudentemente|vagarosamente)
como se fosse a (primeira|última) vez
na frente de todos
ao lado de+ {um Y=family.n}
sem dizer nada a+ {o Y=family.n}
reason:
porque {o Y=family.n} [Y pedir plu]
porque não havia outra saída
já que {D} não podia
para ajudar {D}
porque [3s ser imp] {M=month} e o dinheiro estava curto
porque {o Y=role.n} de+ {o Z=place} [Y insistir past]
para agradar a+ {o Y=role.n} de+ {T}
opening:
em {N=year:1955-2021}, {C.full} chegou a+ {T} para trabalhar em+ {um P=site}.
todos em+ {T} conheciam {C.full}, que passava os dias em+ {um P=site}.
{C.full} nasceu em+ {T}, no dia {N=int:2-28} de {M=month} de {Y=year:1930-2001}, e cresceu perto de+ {um P=site}.
{C.full} e {D.full} se conheceram em+ {um P=site} de+ {T}, em {M=month}.
em+ {T} existe {um P=site} de que {C.full} nunca se esqueceu.
<when>, {C.full} <vp C past> e decidiu ficar em+ {T}.
há {N=int:3-40} anos {C.full} vai todos os dias a+ {um P=site} de+ {T}.
esta é a história de {C.full}, ({um amigo @C}|{um primo @C}|{um vizinho @C}|{um conhecido @C}) de {D.full}, e de+ {um P=site} em+ {T}.
ninguém esperava que {C.full} voltasse a+ {T} em {M=month}.
{O} contratou {C.full} em {N=year:1970-2022} para cuidar de+ {um P=site} em+ {T}.
life:
perder {o Y=object.n #mood} em+ {o P=site}
escrever {um Y=letter #tone} a+ {um Z=family.n}
sonhar com {um Y=object #mood}
encontrar {um Y=object.n} debaixo de+ {o Z=furniture}
esconder {o Y=object.n} em+ {um Z=furniture}
discutir com {o Y=family.n} por causa de+ {um Z=object}
embrulhar {um Y=object #mood} para {um Z=family.n}
emprestar {um Y=object.n} a+ {um Z=family.n}
quebrar {um Y=object #mood} sem querer
telefonar a+ {um Y=family.n} para pedir {um Z=object}
jantar com {um Y=family.n} perto de+ {o P=site}
recordar {um Y=object #mood} da infância
procurar {um Y=object.n} em+ {o Z=furniture} e em+ {o W=furniture}
receber {um Y=letter #tone} de+ {um Z=family}
dormir em+ {um Y=furniture #mood}
vestir {um Y=wear.n #mood} para sair
lavar {um Y=wear.n} e {um Z=object}
carregar {um Y=object.n #mood} nas costas
abraçar {um Y=family.n} diante de+ {o P=site}
desejar {um Y=object #mood}
construir {um Y=furniture #mood} com madeira velha
ganhar {um Y=object.n} em+ uma rifa
recusar {um Y=object #mood} de presente
imaginar {um Y=furniture cheio} de {Z=object.p}
chorar por causa de+ {um Y=letter}
rir de+ {um Y=wear #mood} de+ {um Z=family}
arrumar {o Y=furniture.n} e {o Z=furniture.n}
trancar {o Y=object.n} em+ {um Z=furniture #mood}
admirar {um Y=object #mood} por {N=int:5-50} minutos
deixar {um Y=object} com {o Z=family.n}
frame:
<conn>, {S} <vp S past>.
<when>, {S} <vp S past> <manner>.
{S} <vp S past> e <vp S past>.
{S} <life S past>.
<when>, {S} <life S past> <manner>.
<conn>, {D} <life D past>, e {S} <vp S past>.
{o X=role.n} que <vp X past> <life X past>.
antes de <life S inf>, {S} <vp S past>.
{S} estava {#state @S}, mas <vp S past>.
{#state @S} e {#state @S}, {S} <life S past>.
<when>, {S} <vp S past>, mas não <vp S past>.
enquanto {D} <vp D imp>, {S} <vp S past>.
{S} queria <vp S inf>, <reason>.
{o X=role.n} que <vp X past> <when> também <vp X past>.
{o X=role.n #rolea} de+ {o P=site} <vp X past> <manner>.
quando {S} chegou, {o X=role.n} já [X ter imp] saído de+ {o P=site}.
{S} sabia que {o X=role.n} que <vp X past> não <vp X plu>.
<conn>, {S} <vp S past> <reason>.
{o X=role.n} e {o Y=role.n} que <vp 3p past> não [3p agradar past] a {D}.
segundo {D}, {S} <vp S past> <when>.
{D} <vp D past>; {S}, porém, <vp S past>.
{S} passou {N=wordf:2-9} horas sem <vp S inf>.
antes de <vp S inf>, {S} falou com {o X=role.n #rolea} de+ {T}.
{o X=role.n} que {D} [D conhecer plu] em+ {T} <vp X past>.
não foi fácil: {S} <vp S past>, e {o X=role.n} <vp X past>.
{o X=family.n} de {D} <vp X past> <when>.
em vez de <vp S inf>, {S} resolveu <vp S inf>.
{S} sentiu {Y=feeling} quando {D} <vp D past>.
todos os anos, em {M=month}, {S} <vp S pres> e {D} <vp D pres>.
<conn>, {o X=role.n} de+ {T} <vp X past>.
<when>, {D} e {C} saíram de+ {o P=site} para <vp 3p inf>.
era {M=month}, e {S} <vp S imp> quase todos os dias.
{S} nunca <vp S plu>, mas <when> <vp S past>.
se {D} não <vp D past>, foi por {Y=feeling}, pensou {S}.
dos {N=int:3-40} convidados de {D}, só {N2=word:3-9} viram {o X=role} de+ {O}.
{o X=role.n #rolea}, que quase nunca [X falar imp], <vp X past> <manner>.
{S} prometeu a {D} que iria <vp S inf> <when>.
dialogue:
— <quote> — disse {S}.
— <quote>! — gritou {D}, <manner>.
— <quote>… — murmurou {S}.
— <quote> — respondeu {o X=role} de+ {o P=site} —, e {D} concordou.
— <quote> — explicou {D}. {S} não respondeu.
“<quote>”, escreveu {S} a {D} <when>.
— {D}, <ask>? — perguntou {S}.
— <ask>? — quis saber {D}, <manner>.
ask:
o que aconteceu em+ {o P=site}
quem chamou {o X=role.n #rolea}
{o X=role} já chegou a+ {T}
onde [X estar pres] {o X=role.n} de+ {o P=site}
closing:
até hoje, {S} <vp S pres>, e {D} também.
foi assim que {C} e {D} ficaram em+ {T}.
<when>, {S} deixou {T}, mas {D} ainda <vp D pres>.
quem passa por+ {T} ainda encontra {o P=site} onde {S} <vp S past>.
{S} guardou uma foto de {D} em+ {o P=site}, e nada mais foi dito sobre {Y=month}.
no fim, {D} <vp D past>, {S} <vp S past>, e {T} voltou à calma de {M=month}.
"""
COMMON += """
object: anel:m, espelho, retrato, chapéu, brinquedo, tambor, lampião, leque:m, baralho, canivete:m, sino, boneca, bengala, chaveiro, selo, envelope:m, moeda, medalha, pulseira, colar, brinco, monóculo, pente:m, sabonete:m, toalha, travesseiro, cobertor, lençol:m, tesoura, martelo, prego, escada, balde:m, vassoura, garrafa, copo, xícara, prato, garfo, jarra, cesta, novelo, almanaque:m, álbum, diário, tinteiro, pincel:m, cavalete:m, binóculo, bússola, lupa, ampulheta, gaiola, vara de pescar, pipa, pião, bola de gude, estojo, carimbo, globo, telescópio, termômetro, violão, apito, caixinha, lanterna, fósforo, vela, castiçal:m, relicário, peneira, funil:m, moringa, chaleira, bule:m, guardanapo, barbante:m
furniture: armário, gaveta, estante:f, baú, cama, sofá, poltrona, escrivaninha, cômoda, berço, banqueta, prateleira, mesa, guarda-roupa:m, cristaleira, penteadeira
letter: carta, bilhete:m, telegrama, mensagem:f, recado, cartão, convite:m, notícia
wear: casaco, gorro, cachecol:m, vestido, terno, sandália, bota, meia, luva, camisola, capa, boné:m, cinto, avental:m, xale:m, suspensório
#mood: dourado, quebrado, esquecido, enferrujado, valioso, estranho, comum, perfumado, desbotado, minúsculo, gigantesco, herdado, emprestado, barato, luxuoso, misterioso, rasgado, brilhante, empoeirado, precioso, torto, redondo, quadrado, frágil, inútil, engraçado, sujo, limpo, enorme, antigo, moderno, estrangeiro
#tone: triste, longo, curto, inesperado, anônimo, secreto, carinhoso, urgente, confuso, atrasado
#state: cansado, contente, preocupado, confiante, doente, atrasado, sozinho, ocupado, desanimado, animado, satisfeito, assustado, impaciente, sonolento, faminto, emocionado, confuso, decidido, arrependido, aliviado, furioso, envergonhado
weekday_f: segunda-feira:f:segundas-feiras, terça-feira:f:terças-feiras, quarta-feira:f:quartas-feiras, quinta-feira:f:quintas-feiras, sexta-feira:f:sextas-feiras
feeling_f: alegria, vergonha, raiva, saudade:f, calma, esperança, ternura, paciência
"""
