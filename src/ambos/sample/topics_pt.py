# ruff: noqa: E501 - word lists and templates read best as running text
"""What Portuguese documents are about: word classes, verb phrases, remarks and quotations of each topic."""

TOPICS = {
    "cooking": """
role: cozinheiro|cozinheira, confeiteiro|confeiteira, padeiro|padeira, garçom|garçonete, ajudante|ajudante:f, aprendiz|aprendiz:f, churrasqueiro|churrasqueira
food: sopa, feijoada, lasanha, moqueca, bolo, pudim, torta, risoto, empada, pão:m:pães, biscoito, polenta, ensopado, farofa, peixe:m, frango, omelete:f, pastel:m, bolinho
spice: pimenta, orégano, alho, cebola, coentro, salsa, canela, gengibre:m, manjericão, páprica, cominho, louro, sal:m, açafrão, noz-moscada, cravo
tool: panela, frigideira, colher:f, faca, forma, tigela, concha, peneira, tábua, ralador, batedeira, espátula, caldeirão, avental, fôrma
place: cozinha, restaurante, padaria, cantina, confeitaria, refeitório, churrascaria, lanchonete:f
#adj: saboroso, quente, dourado, picante, caseiro, crocante, macio, salgado, leve, cremoso, apimentado, perfumado
vp:
preparar|fazer|servir {um Y=food.n #adj} com {Z=spice}
temperar {o Y=food.n} com {Z=spice} e {W=spice}
provar {o Y=food.n} com {um Z=tool pequeno}
lavar {o Y=tool.n} em+ {o Z=place}
assar {o Y=food.n} por {N=int:15-90} minutos
picar {o Y=spice} em+ {um Z=tool}
queimar {o Y=food.n} por distração
mexer {o Y=food} com {um Z=tool novo}
anotar a receita de+ {o Y=food} num caderno
comprar {um Y=tool.n} e {um Z=tool.n} para {o W=place}
acender o fogo antes de cortar {o Y=spice}
guardar {o Y=food.n} em+ {um Z=tool.n #size}
dividir {o Y=food.n} em {N=wordf:3-12} porções
cobrir {o Y=food.n} com {Z=spice} e manteiga
vender {N=int:12-140} {Y=food.p} em+ a porta de+ {o Z=place}
ensinar a receita de+ {o Y=food} a+ {o Z=role.n} de+ {o W=place}
remark:
{o Y=food.n} de+ {o Z=place} [Y ficar past] {#adj @Y}, com (um leve gosto|um toque|bastante perfume) de {W=spice}.
o segredo de+ {o Y=food} estava em+ {o Z=spice}, que ninguém colocava na hora certa.
em+ a parede de+ {o Y=place} havia {N=word:2-9 Z=tool.p} e {um W=tool #size}.
cada porção de {Y=food} custava R$ {N=price:6-58}, e mesmo assim {o Z=place} vivia {cheio @Z}.
o cheiro de {Y=spice} se espalhou por+ {o Z=place} e chegou à rua.
sem {Y=spice}, {o Z=food.n} [Z perder imp] a graça.
o forno, comprado em {N=year:1975-2019}, esquentava devagar, mas assava {o Y=food.n} como nenhum outro.
a receita pedia {N=int:2-9} xícaras de farinha, {M=int:2-6} ovos e uma pitada de {Y=spice}.
quote:
falta {Y=spice} em+ {este Z=food.n}
ninguém faz {um Y=food} como {o Z=role} de+ {o W=place}
{o Y=food.n} [Y precisar pres] de mais {N=int:5-30} minutos de forno
{este Y=food.n} [Y ficar past] {#adj @Y}, experimente
ask:
onde está {o Y=tool} que eu deixei em+ {o Z=place}
""",
    "football": """
role: jogador|jogadora, goleiro|goleira, zagueiro|zagueira, atacante|atacante:f, treinador|treinadora, árbitro|árbitra, lateral|lateral:f, torcedor|torcedora, capitão:m:capitães|capitã, volante|volante:f
thing: bola, chuteira, apito, bandeira, camisa, trave:f, rede:f, luva, faixa, prancheta, cronômetro, caneleira
move: passe:m, chute:m, drible:m, cruzamento, lançamento, escanteio, pênalti:m, gol:m:gols, cabeceio, contra-ataque:m, arremate:m, desarme:m
place: estádio, gramado, vestiário, campo, centro de treinamento, arquibancada, quadra, túnel
match: partida, final:f, clássico, semifinal:f, amistoso, decisão, campeonato, torneio, copa
#adj: rápido, difícil, bonito, decisivo, violento, perfeito, inesperado, preciso, fraco, ensaiado
vp:
marcar {um Y=move_ #adj} em+ {o Z=match}
treinar {Y=move.p} e {Z=move.p} em+ {o W=place}
defender {um Y=kick #adj} em+ {o Z=match}
errar {um Y=move #adj} aos {N=int:2-89} minutos
chutar {o Y=ball #size} para fora de+ {o Z=place}
discutir {o Y=move.n} de+ {o Z=match} com {o W=role.n}
ganhar {o Y=match.n} por {N=int:2-6} a {M=int:0-1}
perder {o Y=match} nos últimos {N=int:2-9} minutos
trocar {o Y=thing.n} em+ {o Z=place} antes do jogo
elogiar {o Y=role.n #rolea} depois de+ {o Z=match}
correr {N=int:3-12} quilômetros em+ {o Y=place}
celebrar {o Y=move.n} com {o Z=role.p}
levantar {o Y=cup} diante de {N=int:3-78} mil pessoas
estudar {o Y=move.p} do adversário em+ {o Z=place}
sair de+ {o Y=place} com {um Z=thing.n #size} na mão
remark:
{o Y=match.n} [Y terminar past] em {N=int:0-5} a {M=int:0-5}, com {um Z=move #adj} no último minuto.
{o Y=place.n} [Y receber past] {N=int:12-79} mil torcedores naquela tarde.
o ingresso de+ {o Y=match} custava R$ {N=price:20-190}, e não sobrou nenhum.
o time somou {N=int:31-88} pontos em {M=int:18-38} rodadas e ficou em {K=int:2-15}º lugar.
com {um Y=move #adj}, {o Z=role} abriu o placar aos {N=int:2-89} minutos.
{o Y=role.n} que [Y errar past] {o Z=move} [Y pedir past] desculpas à torcida.
a torcida cantou desde o começo de+ {o Y=match} até {o Z=role} deixar {o W=place}.
sem {o Y=role} titular, o ataque criou pouco e {o Z=match} ficou sem graça.
quote:
{o Y=match} só acaba quando {o Z=role} apita
nós merecíamos {o Y=cup}, mas faltou sorte em+ {o Z=match}
{o Y=role} precisa treinar mais {Z=move.p}
foi {o Y=move} mais {#adj @Y} que eu já vi
amanhã voltamos a+ {o Y=place} cedo
move_: gol:m:gols
kick: pênalti:m, chute:m, cabeceio
ball: bola
cup: taça, troféu
""",
    "finance": """
role: gerente|gerente:f, caixa|caixa:f, economista|economista:f, investidor|investidora, contador|contadora, cliente|cliente:f, analista|analista:f, banqueiro|banqueira, diretor|diretora
thing: conta, empréstimo, cheque:m, cartão, boleto, contrato, depósito, recibo, extrato, dívida, ação, fundo, poupança, seguro, fatura, título
sum: juro, taxa, lucro, prejuízo, imposto, salário, orçamento, dividendo, saldo, câmbio, aluguel
place: banco, agência, escritório, financeira, cooperativa, corretora, seguradora
#adj: alto, baixo, seguro, arriscado, vencido, rentável, modesto, antigo, caro, estável
vp:
abrir {um Y=account} em+ {o Z=place_}
pedir {um Y=loan #adj} a+ {o Z=place_}
pagar {o Y=thing.n} com R$ {N=int:200-9800} em dinheiro
assinar {o Y=paper.n} em+ {o Z=place} diante de+ {o W=role.n}
calcular {o Y=sum.n} de+ {o Z=thing} com cuidado
investir R$ {N=int:300-9900} em+ {um Z=fund #adj}
cancelar {o Y=thing.n} por causa de+ {o Z=sum.p}
revisar {o Y=sum.n} e {o Z=thing.n} de+ {o W=role.n}
depositar R$ {N=price:40-980} em+ {o Z=place_}
conferir {o Y=paper.n} em+ {o Z=place}
renegociar {um Y=debt #adj} com {o Z=role.n} de+ {o W=place_}
perder parte de+ {o Y=sum} em+ {o Z=place}
guardar {o Y=paper.n #adj} em+ {um Z=safe.n}
comparar {o Y=sum.p} de {N=word:2-9} bancos
explicar {o Y=sum.n} a+ {o Z=role.n}
sacar R$ {N=int:50-3000} em+ {um Z=agency}
remark:
{o Y=sum.n} de+ {o Z=place} [Y subir past] {N=price:0-9}% em (janeiro|março|maio|julho|outubro|dezembro).
o banco cobrava juros de {N=price:1-14}% ao mês por {um Y=loan}.
{o Y=agency.n} de+ {o Z=place_} [Y abrir pres] às {N=int:9-11} horas e [Y fechar pres] às {M=int:15-18}.
quem deve R$ {N=int:1000-9900} a+ {um Y=place_} não dorme bem, dizia {o Z=role}.
{o Y=place_} emprestou dinheiro a {N=int:12-900} famílias em {M=year:1990-2023}.
{o Y=paper.n} [Y trazer imp] {um Z=sum} de R$ {N=price:12-990}, e {o W=role} desconfiou.
com {um Y=sum #adj}, {o Z=role.n} [Z preferir past] deixar o dinheiro no banco.
o dólar fechou a R$ {N=price:3-6}, o que mudou {o Y=sum} de muita gente.
quote:
{o Y=sum} deste mês não fecha
é melhor ler {o Y=paper.n} antes de assinar
{o Y=place_} não empresta a quem não tem {Z=sum}
o dinheiro já está na conta
com {este Y=sum}, {o Z=thing.n} [Z ficar pres] {#adj @Z} demais
account: conta, poupança
loan: empréstimo, financiamento, crédito
place_: banco, cooperativa, financeira
paper: contrato, cheque:m, recibo, extrato, boleto, fatura
fund: fundo, título, negócio, ação
debt: dívida, empréstimo, conta, fatura
safe: cofre:m, gaveta, caixa
agency: agência, filial:f
""",
    "garden": """
role: jardineiro|jardineira, vizinho|vizinha, visitante|visitante:f, florista|florista:f, guarda|guarda:f, morador|moradora, paisagista|paisagista:f
plant: rosa, orquídea, samambaia, girassol:m, jasmim, hortênsia, lírio, cacto, bromélia, azaleia, margarida, violeta, begônia, trepadeira
animal: pássaro, borboleta, abelha, esquilo, beija-flor:m, gato, pombo, joaninha, sapo, formiga
thing: banco, fonte:f, chafariz, coreto, canteiro, cerca, estátua, lago, portão, gramado, caramanchão, poste:m, regador, vaso
place: praça, parque:m, jardim, bosque:m, alameda, horto, quintal, viveiro
#adj: verde, florido, silencioso, antigo, pequeno, sombreado, colorido, delicado, seco, úmido
vp:
plantar {um Y=plant.n} em+ {o Z=place}
regar {o Y=plant.n #adj} de manhã cedo
se_sentar em+ {um Y=bench} de+ {o Z=place} para ler
podar {o Y=plant.n} ao lado de+ {o Z=thing}
pintar {o Y=thing.n} de+ {o Z=place} de {K=colour}
fotografar {um Y=animal.n} perto de+ {o Z=thing}
limpar {o Y=thing.n #adj} de+ {o Z=place}
observar {o Y=animal.n} entre {o Z=plant.p}
colher {N=word:3-15 Y=plant.p} em+ {o Z=place}
consertar {o Y=thing.n} depois da chuva
passear por+ {o Y=place} com {um Z=animal_} e {um W=animal_}
cochilar em+ {um Y=bench} à sombra
varrer as folhas em volta de+ {o Y=thing}
trazer {um Y=plant.n} de+ {um Z=place.n} para {o W=place}
cavar {um Y=hole} ao pé de+ {o Z=thing}
remark:
em+ {o Y=place} havia {um Z=bench} de madeira em frente a+ {o W=thing}.
{o Y=plant.n} de+ {o Z=place} [Y florescer pres] em (agosto|setembro|outubro|novembro).
{N=word:2-9 Y=animal.p} viviam perto de+ {o Z=thing #adj}.
{o Y=bench} pintado de {K=colour} era o preferido de+ {o Z=role.p}.
a prefeitura plantou {N=int:20-900} {Y=plant.p} em+ {o Z=place} em {M=year:1970-2022}.
{o Y=place.n} [Y abrir pres] às {N=int:6-9} horas, e {o Z=role.p} [Z chegar pres] cedo.
sem água, {o Y=plant.n} [Y murchar past] em {N=int:3-9} dias.
{um Y=animal.n} [Y dormir imp] em cima de+ {o Z=thing}.
quote:
não pise em+ {o Y=flowerbed.n}
{o Y=plant.n} [Y precisar pres] de sol
há {um Y=animal} em+ {o Z=thing}
vamos nos sentar em+ {aquele Y=bench}
ask:
quem quebrou {o Y=thing} de+ {o Z=place}
bench: banco
animal_: cachorro, gato, cão:m:cães
hole: buraco, poço, canteiro
flowerbed: canteiro, gramado
""",
    "school": """
role: aluno|aluna, professor|professora, diretor|diretora, estudante|estudante:f, bibliotecário|bibliotecária, monitor|monitora, inspetor|inspetora, colega|colega:f
thing: livro, caderno, lápis:m:lápis, caneta, mochila, quadro, dicionário, mapa:m, régua, apostila, carteira, borracha, estojo, globo
work: prova, lição, redação, exercício, trabalho, leitura, tarefa, experiência, pesquisa, apresentação, resumo, ditado
subject: matemática, história, geografia, química, física, biologia, português:m, filosofia, música, literatura
place: sala, biblioteca, pátio, laboratório, escola, auditório, secretaria, ginásio, colégio
#adj: difícil, fácil, longo, curto, claro, confuso, interessante, atrasado, caprichado, novo
vp:
corrigir {o Y=work.n} de {Z=subject}
estudar {Y=subject} e {Z=subject} em+ {o W=place}
esquecer {o Y=thing.n} em+ {o Z=place}
escrever {um Y=work.n #adj} sobre {Z=subject}
emprestar {um Y=thing.n} a+ {um Z=role.n}
explicar {um Y=work #adj} a+ {o Z=role.p}
ler {N=wordf:2-15} páginas de+ {um Y=book #adj}
entregar {o Y=work.n} com {N=word:2-9} dias de atraso
apresentar {um Y=work} em+ {o Z=place}
responder {N=int:5-30} perguntas de {Y=subject}
repetir {o Y=work.n} de {Z=subject} por causa da nota
procurar {um Y=thing.n} em+ {o Z=place}
copiar {o Y=work.n} de+ {o Z=blackboard}
tirar nota {N=int:4-10} em+ {o Y=work_} de {Z=subject}
organizar {o Y=thing.p} de+ {o Z=place}
remark:
{o Y=work.n} de {Z=subject} [Y estar imp] {#adj @Y}, mas quase toda a turma passou.
a escola tinha {N=int:120-980} alunos e {M=int:8-60} professores.
{o Y=place.n} [Y ficar imp] {#place_state @Y} desde cedo, e {o Z=role.p} [Z falar imp] baixo.
a nota mais alta foi {N=price:6-9}, em {Y=subject}.
{o Y=role} que [Y esquecer past] {o Z=thing.n} [Y dividir past] a carteira com {um W=role}.
em {N=year:1960-2015}, a escola ganhou {um Y=room} e {M=int:200-4000} livros.
às {N=int:7-11} horas o sinal tocou e {o Y=role.p} correram para {o Z=place}.
ninguém entendia {Y=subject}, até que {o Z=role} levou {um W=thing.n} para a aula.
quote:
{o Y=work} é para sexta-feira
{Y=subject} fica fácil quando a gente pratica
leiam o capítulo {N=int:2-20} até amanhã
não entendi {este Y=work.n} de {Z=subject}
ask:
quem esqueceu {o Y=thing} em+ {o Z=place}
room: biblioteca, laboratório, auditório, ginásio, refeitório
book: livro, romance:m, dicionário
work_: prova, redação, lição
blackboard: quadro, livro
#place_state: cheio, silencioso, aberto, iluminado
""",
    "hospital": """
role: médico|médica, enfermeiro|enfermeira, paciente|paciente:f, cirurgião:m:cirurgiões|cirurgiã, pediatra|pediatra:f, farmacêutico|farmacêutica, recepcionista|recepcionista:f, fisioterapeuta|fisioterapeuta:f, acompanhante|acompanhante:f
illness: gripe:f, febre:f, fratura, alergia, pneumonia, dor:f, infecção, asma, anemia, tosse:f, queimadura, bronquite:f
remedy: comprimido, xarope:m, vacina, pomada, antibiótico, soro, injeção, curativo, gesso, analgésico
exam: exame:m, raio-x:m, consulta, cirurgia, radiografia, ultrassom, triagem, avaliação
place: hospital:m, enfermaria, pronto-socorro, clínica, farmácia, ambulatório, quarto, corredor, maternidade
#adj: grave, leve, forte, demorado, urgente, simples, doloroso, crônico, súbito, raro
vp:
tratar {um Y=illness #adj} com {Z=remedy.p}
receitar {um Y=remedy.n} para {o Z=illness}
esperar {N=wordf:2-9} horas em+ {o Y=place}
fazer {um Y=exam #adj} em+ {o Z=place}
examinar {um Y=role.n} com {Z=illness}
tomar {N=int:2-6} {Y=remedy.p} por dia
marcar {um Y=exam.n} para a semana seguinte
visitar {o Y=role.n} de+ {o Z=place}
descobrir {um Y=illness #adj} em+ {um Z=exam}
medir a temperatura de+ {um Y=role.n}
chamar {o Y=role.n} de+ {o Z=place}
voltar a+ {o Y=place} com {Z=illness}
explicar {o Y=exam.n} a+ {um Z=role.n}
levar {um Y=remedy.n} a+ {o Z=role.n} de+ {o W=place}
acompanhar {um Y=role} até {o Z=place}
remark:
{o Y=illness} [Y melhorar past] depois de {N=word:2-12} dias de {Z=remedy}.
{o Y=place.n} [Y atender past] {N=int:40-700} pacientes em (janeiro|abril|junho|agosto).
a febre chegou a {N=int:38-40} graus, e {o Y=role} pediu {um Z=exam}.
{o Y=exam.n} de+ {o Z=place} não [Y mostrar past] nada {#adj}.
{o Y=remedy} custava R$ {N=price:9-160}, mas {o Z=place} distribuía de graça.
havia {N=wordf:2-15} pessoas com {Y=illness} em+ {o Z=place}.
{o Y=role.n} que [Y cuidar imp] de+ {o Z=role.p} não [Y dormir past] naquela noite.
sem {Y=remedy}, {o Z=illness} ficaria mais {#adj @Z}.
quote:
respire fundo, é só {um Y=exam}
{o Y=illness} não é {#adj @Y}
tome {o Y=remedy} depois do almoço
{o Y=role} volta às {N=int:7-11} horas
ask:
quando sai o resultado de+ {o Y=exam}
""",
    "travel": """
role: viajante|viajante:f, turista|turista:f, motorista|motorista:f, piloto|piloto:f, guia|guia:f, passageiro|passageira, comissário|comissária, recepcionista|recepcionista:f
vehicle: trem:m, ônibus:m:ônibus, avião, barco, carro, bicicleta, táxi:m, bonde:m, balsa, metrô
thing: mala, passaporte:m, mapa:m, bilhete:m, reserva, lembrança, guarda-chuva:m, câmera, roteiro, cartão-postal:m:cartões-postais
sight: museu, castelo, praia, catedral:f, mirante:m, mercado, ponte:f, cachoeira, ruína, torre:f, palácio, ilha
place: hotel:m, pousada, estação, aeroporto, rodoviária, albergue:m, cais:m:cais, plataforma
#adj: lotado, pontual, distante, famoso, tranquilo, atrasado, confortável, barato, estreito, imenso
vp:
visitar {o Y=sight.n} de+ {T=city}
perder {o Y=vehicle} para {T=city}
reservar {N=wordf:2-9} noites em+ {um Y=place_} em+ {T=city}
esquecer {o Y=thing.n} em+ {o Z=place}
viajar de {Y=vehicle} até {T=city}
comprar {um Y=thing.n} em+ {o Z=place}
fotografar {um Y=sight #adj} em+ {T=city}
esperar {o Y=vehicle} em+ {o Z=place} por {N=int:10-90} minutos
atravessar {o Y=bridge} de {Z=vehicle}
procurar {um Y=place_ #adj} perto de+ {o Z=sight}
chegar a+ {T=city} com {um Z=thing #size}
conhecer {um Y=role.n} em+ {o Z=place}
mostrar {o Y=thing.n} a+ {o Z=role.n}
partir de+ {T=city} às {N=int:5-11} horas
descansar em+ {um Y=place_} entre {o Z=sight} e {o W=sight}
remark:
{o Y=vehicle} para {T=city} saiu com {N=int:10-55} minutos de atraso.
a diária de+ {o Y=place_} custava R$ {N=price:80-480}, com café da manhã.
de+ {T=city} a+ {U=city} são {N=int:40-900} quilômetros de estrada.
{o Y=sight.n} de+ {T=city} [Y receber pres] {N=int:2-90} mil visitantes por ano.
{o Y=place} ficava na Av. {P=surname}, nº {N=int:10-990}, ao lado de+ {um Z=sight}.
chovia em+ {T=city}, e {o Y=role.p} se abrigaram em+ {um Z=place}.
{o Y=vehicle #adj} parou em+ {um Z=stop} e ninguém explicou por quê…
pela janela de+ {o Y=vehicle} se via {um Z=sight #adj}.
quote:
{o Y=vehicle} parte em {N=int:5-30} minutos
perdi {o Y=thing} em+ {o Z=place}
de+ {T=city} até aqui foram {N=wordf:2-12} horas
{o Y=place_} não é {#adj @Y}, mas tem boa vista
ask:
já viu {o Y=sight} de+ {T=city}
place_: hotel:m, pousada, albergue:m
bridge: ponte:f, rio, serra
stop: ponte:f, estrada, ladeira, curva
""",
    "weather": """
role: meteorologista|meteorologista:f, bombeiro|bombeira, morador|moradora, agricultor|agricultora, pescador|pescadora, locutor|locutora, voluntário|voluntária
event: chuva, tempestade:f, geada, neblina, ventania, seca, enchente:f, granizo, trovoada, garoa, nevasca, onda de calor
thing: telhado, janela, termômetro, radar, ponte:f, barragem:f, árvore:f, poste:m, guarda-chuva:m, casaco, abrigo, bomba
place: serra, vale:m, litoral:m, bairro, estrada, planalto, margem:f, encosta, várzea
site: estação meteorológica, observatório, quartel:m, rádio, abrigo, aeroporto
#adj: forte, repentino, prolongado, intenso, raro, perigoso, inesperado, breve, violento, terrível
vp:
prever {um Y=event #adj} em+ {o Z=place}
medir {o Y=event} em {N=int:5-30} pontos de+ {o Z=place}
consertar {o Y=thing.n} depois de+ {o Z=event}
fechar {o Y=shut.n} antes de+ {o Z=event}
avisar {o Y=role.p} de+ {o Z=place}
abandonar {o Y=place} por causa de+ {o Z=event}
registrar {N=int:12-140} milímetros em+ {o Y=place}
fotografar {o Y=event} em+ {o Z=place}
levar {um Y=carry.n} para {o Z=place}
observar {o Y=event} por trás de+ {o Z=thing}
esperar o fim de+ {o Y=event} em+ {um Z=thing_}
limpar {o Y=place} depois de+ {o Z=event #adj}
comparar {o Y=event} com os registros de {N=year:1950-2015}
reforçar {o Y=build.n} de+ {o Z=place}
remark:
{um Y=event #adj} atingiu {o Z=place} durante a madrugada.
a temperatura caiu de {N=int:22-35} para {M=int:4-15} graus em+ {o Y=place}.
o vento chegou a {N=int:40-130} quilômetros por hora e derrubou {M=int:2-40} {Y=fall.p}.
não chovia em+ {o Y=place} havia {N=int:20-120} dias.
{o Y=event} cobriu {o Z=place}, e {o W=role.p} [W ficar past] em casa.
a previsão fala em {Y=event} e {Z=event} até (domingo|terça-feira|quinta-feira).
{o Y=build.n} de+ {o Z=place} não [Y resistir past] a+ {o W=event}.
em (junho|julho|agosto) de {N=year:1955-2022}, {um Y=event #adj} parou {o Z=place}.
quote:
vem {Y=event} por aí
feche {o Y=shut} antes que chegue {o Z=event}
nunca vi {um Y=event} tão {#adj @Y} em+ {o Z=place}
amanhã o sol volta
{o Y=place} já está sem luz
thing_: abrigo, galpão, ginásio
carry: guarda-chuva:m, casaco, bomba, termômetro, cobertor, gerador
build: telhado, ponte:f, barragem:f, abrigo, muro, dique:m
shut: janela, ponte:f, abrigo, porta, comporta
fall: árvore:f, poste:m, telhado, muro, antena
""",
    "music": """
role: músico|musicista:f, cantor|cantora, pianista|pianista:f, maestro|maestrina, violinista|violinista:f, baterista|baterista:f, compositor|compositora, flautista|flautista:f, sanfoneiro|sanfoneira
instrument: piano, violão, flauta, tambor, violino, sanfona, trompete:m, clarinete:m, harpa, guitarra, cavaquinho, viola, saxofone:m, pandeiro
piece: canção, samba:m, valsa, sinfonia, melodia, concerto, serenata, hino, choro, balada, ópera, sonata
thing: partitura, microfone:m, palco, disco, letra, arranjo, corda, afinador, estante:f
place: teatro, conservatório, estúdio, salão, auditório, bar:m, festival:m, coreto
#adj: triste, alegre, lento, desafinado, suave, animado, inédito, longo, conhecido, delicado
vp:
tocar {um Y=piece.n #adj} em+ {o Z=place}
compor {um Y=piece #adj} para {Z=instrument} e {W=instrument}
afinar {o Y=instrument.n} antes de+ {o Z=piece}
ensaiar {o Y=piece.n} com {o Z=role.n}
gravar {um Y=piece.n} em+ {um Z=place}
cantar {um Y=piece #adj} sem {Z=mic}
aplaudir {o Y=role.n #rolea} de+ {o Z=place}
comprar {um Y=instrument.n #adj_i} por R$ {N=int:200-9000}
aprender {Y=instrument} com {um Z=role}
perder {o Y=sheet.n} de+ {o Z=piece}
dirigir {N=int:8-90} músicos em+ {o Y=place}
ouvir {um Y=piece #adj} em+ {um Z=disc #adj_i}
consertar {um Y=instrument #adj_i} em+ {o Z=place}
estrear {um Y=piece #adj} diante de {N=int:40-900} pessoas
escrever a letra de+ {um Y=piece #adj}
remark:
{o Y=piece.n} [Y começar past] com {um Z=instrument sozinho} e [Y terminar past] com {N=int:8-60} vozes.
em+ {o Y=place} cabiam {N=int:80-900} pessoas, e todas pediram bis.
{o Y=instrument} de+ {o Z=role} tinha sido {feito @Y} em {N=year:1890-1995}.
o disco vendeu {N=int:2-90} mil cópias em {M=word:2-11} meses.
{o Y=role.n} que [Y tocar imp] {Z=instrument} [Y errar past] a entrada, mas ninguém percebeu.
{o Y=piece} dura {N=int:3-45} minutos e exige {Z=instrument}, {W=instrument} e paciência.
sem {Y=instrument}, {o Z=piece} soava {#adj @Z}.
o ingresso de+ {o Y=place} custava R$ {N=price:15-150}.
quote:
mais devagar em+ {este Y=piece}
{o Y=instrument} está {desafinado @Y}
toque outra vez {o Y=piece}
{o Y=place inteiro} cantou conosco
ask:
quem escreveu {este Y=piece} tão {#adj @Y}
mic: microfone:m, palco
sheet: partitura, letra
disc: disco, rádio
#adj_i: velho, novo, raro, usado, caro
""",
    "farm": """
role: agricultor|agricultora, feirante|feirante:f, fazendeiro|fazendeira, tratorista|tratorista:f, colhedor|colhedora, vaqueiro|vaqueira, veterinário|veterinária, vendedor|vendedora
fruit: manga, laranja, banana, goiaba, maçã:f, uva, abacaxi:m, melancia, mamão, caju, morango, pera, limão, figo, ameixa, maracujá
crop: milho, feijão, café:m, trigo, mandioca, soja, arroz:m, batata, alface:f, tomate:m
animal: vaca, cabra, galinha, porco, cavalo, ovelha, bezerro, pato, boi, coelho
thing: trator, enxada, cesto, caixote:m, carroça, cerca, celeiro, balde:m, arado, silo
place: fazenda, sítio, pomar, feira, horta, curral:m, mercado, lavoura, pasto
#adj: maduro, verde, doce, azedo, fresco, grande, podre, suculento, barato, perfumado
vp:
colher {N=int:20-900} {Y=fruit.p} em+ {o Z=place}
vender {Y=fruit.p #adj} e {Z=fruit.p} em+ {o W=market}
plantar {Y=crop} entre {o Z=place} e {o W=place}
alimentar {o Y=animal.n} com {Z=feed}
carregar {o Y=thing_.n} de {Z=fruit.p}
descascar {um Y=fruit.n #adj} com uma faca
comprar {N=int:2-40} quilos de {Y=crop} em+ {o Z=market}
consertar {o Y=thing.n} de+ {o Z=place}
irrigar {o Y=field} com a água de+ {o Z=water}
vacinar {N=int:12-300} {Y=animal.p} em+ {o Z=place}
escolher {o Y=fruit.p} mais {#adj @Y}
perder a colheita de {Y=crop} com a geada
ordenhar {o Y=cow.p} antes do nascer do sol
chupar {um Y=fruit} à sombra de+ {um Z=tree}
trocar {um Y=animal.n} por {um Z=thing.n}
remark:
{o Y=fruit.p} [Y estar imp] {#adj @Y}, e {o Z=place} cheirava a {W=crop}.
o quilo de {Y=fruit} custava R$ {N=price:2-19} em+ {o Z=market}.
{o Y=place.n} [Y produzir past] {N=int:3-90} toneladas de {Z=crop} em {M=year:1985-2023}.
debaixo de+ {o Y=tree} havia {N=int:5-90} {Z=fruit.p} no chão.
{o Y=animal.n} [Y derrubar past] {o Z=fence} e [Y comer past] {o W=crop}.
{o Y=role.n} que [Y cuidar imp] de+ {o Z=animal.p} [Y acordar imp] às {N=int:4-6} horas.
com a seca, {o Y=fruit.p} [Y ficar past] menores e {o Z=crop} secou.
{um Y=fruit #adj} vale mais do que muita fruta {#bad}, ensinava {o Z=role}.
quote:
{o Y=fruit.p} de hoje estão {#adj @Y}
leve {N=word:2-12 Y=fruit.p} por R$ {M=price:3-15}
{o Y=animal} fugiu de+ {o Z=place}
este ano {o Y=crop} não deu
experimente {este Y=fruit}, é {#adj @Y}
market: feira, mercado
feed: milho, trigo, soja, mandioca, capim, farelo
thing_: cesto, caixote:m, carroça
field: lavoura, pomar, horta
water: rio, açude:m, poço
cow: vaca, cabra
tree: mangueira, goiabeira, árvore:f, laranjeira
fence: cerca, portão
#bad: verde, podre, azeda, machucada, murcha
""",
    "technology": """
role: programador|programadora, engenheiro|engenheira, técnico|técnica, cientista|cientista:f, usuário|usuária, inventor|inventora, estagiário|estagiária, eletricista|eletricista:f
device: computador, celular:m, robô, impressora, câmera, roteador, teclado, sensor, tela, satélite:m, servidor, relógio, drone:m
part: bateria, cabo, chip:m, mola, parafuso, motor, placa, antena, engrenagem:f, circuito, botão, interruptor
software: programa:m, aplicativo, sistema:m, arquivo, senha, site:m, código, modelo, mensagem:f, página
place: laboratório, oficina, fábrica, empresa, garagem:f, escritório, galpão, incubadora
#adj: rápido, lento, moderno, defeituoso, potente, obsoleto, leve, seguro, complicado, automático
vp:
testar {um Y=device.n #adj} em+ {o Z=place}
trocar {o Y=part.n} de+ {um Z=device}
escrever {um Y=software_ #adj} em {N=word:2-12} dias
montar {um Y=device} com {Z=part.p} e {W=part.p}
apagar {o Y=software.n} por engano
consertar {o Y=device.n} de+ {o Z=role.n}
instalar {um Y=software_ #adj} em {N=int:3-60} {Z=device.p}
desligar {o Y=device.n} de+ {o Z=place}
apertar {um Y=part.n #small} de+ {o Z=device}
medir o consumo de+ {o Y=device}
projetar {um Y=device #adj} para {o Z=place}
atualizar {o Y=software.n} de+ {o Z=device.n}
vender {N=int:20-900} {Y=device.p} a+ {um Z=company}
copiar {o Y=software.n} para {um Z=device #adj}
explicar {o Y=software} a+ {um Z=role.n}
remark:
{o Y=device} custava R$ {N=price:90-990} e vinha com {um Z=part #adj}.
{o Y=part.n} de+ {o Z=device} [Y quebrar past] depois de {N=int:3-40} meses de uso.
{o Y=software_} respondia em {N=price:0-5} segundos, o que parecia pouco.
{o Y=place} tinha {N=int:3-60} {Z=device.p} e nenhum {W=technician}.
em {N=year:1985-2022}, {um Y=device} como {aquele @Y} ocupava uma sala inteira.
{o Y=device.n} [Y parar past] quando {o Z=part} [Z esquentar past].
{o Y=role.n} que [Y testar imp] {o Z=device.p} [Y achar past] {N=int:2-50} erros.
uma mola de {N=int:2-30} milímetros segurava {o Y=part} de+ {o Z=device}.
quote:
{o Y=part.n} [Y queimar past] outra vez
{o Y=software_} não abre em+ {este Z=device}
preciso de {N=word:2-9 Y=part.p}
{o Y=device} ficou {#adj @Y}
ask:
já tentou desligar e ligar {o Y=device}
software_: programa:m, aplicativo, sistema:m, código
company: empresa, fábrica, escola
technician: técnico
#small: pequeno, frouxo, novo
""",
    "law": """
role: juiz:m:juízes|juíza, advogado|advogada, réu:m:réus|ré:f:rés, promotor|promotora, testemunha, perito|perita, escrivão:m:escrivães|escrivã, jurado|jurada, delegado|delegada, vítima
case: processo, julgamento, audiência, recurso, acordo, denúncia, investigação, inquérito, sentença, depoimento
paper: documento, prova, laudo, petição, mandado, contrato, testamento, assinatura, carta, certidão:f:certidões
crime: roubo, fraude:f, furto, ameaça, calúnia, contrabando, sequestro, incêndio
place: tribunal:m, fórum, cartório, delegacia, sala, gabinete:m, prisão, plenário
#adj: longo, injusto, confuso, público, sigiloso, rápido, grave, contraditório, definitivo, complexo
vp:
ler {o Y=case_.n} em+ {o Z=place}
adiar {o Y=case} por {N=int:5-90} dias
negar {o Y=crime} diante de+ {o Z=role.n}
apresentar {um Y=paper.n} a+ {o Z=role.n}
interrogar {o Y=role.n} em+ {o Z=place}
assinar {o Y=paper.n} em+ {o Z=place}
acusar {um Y=role.n} de {Z=crime}
defender {um Y=role #rolea} em+ {um Z=case #adj}
contestar {o Y=case.n} com {um Z=paper.n #adj}
arquivar {o Y=case.n} por falta de {Z=paper.p}
investigar {um Y=crime} em+ {o Z=place}
ouvir {N=wordf:2-12} testemunhas em+ {um Y=hearing #adj}
absolver {o Y=defendant.n} de+ {o Z=crime}
pagar R$ {N=int:500-9800} de multa por {Y=crime}
analisar {o Y=paper.n} de+ {o Z=case}
remark:
{o Y=case.n} [Y durar past] {N=int:3-90} dias e [Y ocupar past] {M=int:100-900} páginas.
{o Y=paper} provava que {o Z=role.n} não [Z estar imp] em+ {o W=place}.
{o Y=case_} condenou {o Z=defendant} a {N=word:2-15} anos por {W=crime}.
sem {Y=paper}, {o Z=case} não teria valor.
{o Y=role.n} que [Y guardar imp] {o Z=paper.p} [Y mudar past] de versão {N=wordf:2-5} vezes.
a lei de {N=year:1940-2018} proíbe {o Y=crime}, mas {o Z=role.p} discordavam da pena.
{o Y=place.n} [Y fechar past] às {N=int:17-20} horas, com {um Z=case #adj} pela metade.
o Dr. {P=surname} pediu {N=int:5-60} dias para estudar {o Y=case}.
quote:
{o Y=role} tem a palavra
{o Y=paper} é {falso @Y}, e eu posso provar
peço o adiamento de+ {o Y=case}
{este Y=case} não pode ser {#adj @Y}
ask:
o que {o Y=role} viu em+ {o Z=place}
case_: sentença, acordo, recurso
hearing: audiência, sessão
defendant: réu:m:réus|ré:f:rés, acusado|acusada
""",
    "sea": """
role: pescador|pescadora, marinheiro|marinheira, mergulhador|mergulhadora, capitão:m:capitães|capitã, barqueiro|barqueira, biólogo|bióloga, surfista|surfista:f, faroleiro|faroleira
fish: sardinha, tainha, atum:m, polvo, camarão, lagosta, robalo, bacalhau, caranguejo, lula, siri:m, pescada
boat: barco, jangada, canoa, navio, veleiro, lancha, saveiro, traineira
thing: rede:f, anzol:m, âncora, remo, vela, corda, boia, bússola, farol:m, lanterna, isca
place: porto, praia, cais:m:cais, recife:m, baía, ilha, enseada, mangue:m, costa
site: porto, cais:m:cais, estaleiro, farol:m, mercado de peixe:m, marina
#adj: fundo, calmo, bravo, salgado, veloz, frágil, pesado, velho, raro, valioso
vp:
pescar {N=int:5-300} {Y=fish.p} em+ {o Z=place}
remendar {o Y=net.n} em+ {o Z=place}
remar {N=wordf:2-12} horas até {o Y=place}
lançar {o Y=thing.n} perto de+ {o Z=place}
pintar {o Y=boat.n} de {K=colour}
salvar {um Y=role.n} de+ {um Z=boat #adj_b}
perder {um Y=thing.n} em+ {o Z=place}
vender {Y=fish.p} e {Z=fish.p} em+ {o W=place}
estudar {o Y=fish.p} de+ {o Z=place}
comandar {um Y=boat #adj_b} com {N=word:3-15} tripulantes
puxar {o Y=boat.n} até {o Z=place}
avistar {um Y=boat #adj_b} entre {o Z=place} e {o W=place}
içar {o Y=sail.n} antes da tempestade
limpar {o Y=fish.p} a bordo de+ {o Z=boat}
voltar a+ {o Y=port} com {o Z=net.n #full}
remark:
{o Y=boat.n} [Y sair past] às {N=int:3-6} horas e [Y voltar past] com {Z=fish.p}.
a onda tinha {N=int:2-7} metros e quase virou {o Y=boat}.
o quilo de {Y=fish} custava R$ {N=price:12-95} em+ {o Z=port}.
{o Y=thing.n} de+ {o Z=boat} [Y sumir past] em+ {o W=place}.
{o Y=role.n} que [Y conhecer imp] {o Z=place} [Y evitar imp] as pedras.
o farol, de {N=year:1850-1970}, ilumina {o Y=place} até {M=int:10-40} milhas.
em+ {o Y=place} viviam {Z=fish.p}, {W=fish.p} e alguma gente.
sem vento, {o Y=boat.n} [Y ficar past] {N=wordf:2-9} horas em+ {o Z=place}.
quote:
o mar está bravo hoje
puxem {o Y=net} agora
vi {um Y=boat} perto de+ {o Z=place}
{o Y=fish.p} sumiram de+ {este Z=place}
sem {Y=thing} ninguém sai de+ {o Z=port}
net: rede:f, corda
sail: vela, âncora
port: porto, cais:m:cais, praia
#adj_b: veloz, frágil, pesado, velho, pequeno
#full: cheio, vazio
""",
    "clothes": """
role: costureiro|costureira, alfaiate:m, estilista|estilista:f, freguês:m:fregueses|freguesa, modelo|modelo:f, vendedor|vendedora, bordadeira, lojista|lojista:f
garment: camisa, vestido, casaco, blusa, paletó, saia, calça, jaqueta, uniforme:m, suéter:m, colete:m, gravata, pijama:m
part: manga, gola, bolso, botão, punho, barra, zíper:m, bainha, forro, costura
cloth: algodão, seda, linho, lã:f, veludo, renda, couro, jeans:m:jeans, flanela
thing: agulha, tesoura, linha, fita métrica, dedal:m, alfinete:m, molde:m, espelho, cabide:m
place: ateliê:m, loja, alfaiataria, vitrine:f, lavanderia, provador, oficina, feira
#adj: elegante, largo, apertado, curto, comprido, listrado, bordado, amassado, caro, macio
vp:
costurar {um Y=garment.n} de {Z=cloth}
encurtar {o Y=part.n} de+ {um Z=garment}
dobrar {o Y=sleeve.n} de+ {o Z=garment #adj}
bordar {um Y=part.n} de {Z=cloth}
experimentar {um Y=garment.n #adj} em+ {o Z=place}
comprar {N=int:2-30} metros de {Y=cloth} em+ {o Z=place}
passar {o Y=garment.n} de {Z=cloth} com cuidado
rasgar {o Y=part.n} de+ {o Z=garment} num prego
desenhar {um Y=garment #adj} para {um Z=role}
devolver {o Y=garment.n #adj} a+ {o Z=place}
procurar {um Y=thing.n} em+ {o Z=place}
trocar {o Y=part.n} de+ {um Z=garment #adj}
vender {N=int:3-60} {Y=garment.p} em+ {o Z=place}
medir {o Y=part.n} com {um Z=tape}
pendurar {o Y=garment.n} diante de+ {o Z=mirror}
remark:
{o Y=garment} de {Z=cloth} custava R$ {N=price:40-490} em+ {o W=place}.
as mangas de+ {o Y=garment} ficaram {N=int:2-9} centímetros mais {#sl} do que o molde.
{o Y=part.n} de+ {o Z=garment} [Y estar imp] {#adj @Y}, e {o W=role} percebeu.
{o Y=place.n} [Y vender past] {N=int:20-600} {Z=garment.p} em (maio|junho|dezembro).
{um Y=garment #adj} pede {Z=cloth} bom e {um W=thing.n #good}.
{o Y=role.n} que [Y vestir imp] {Z=cloth} [Y parar past] diante de+ {o W=mirror}.
em {N=year:1920-1990}, {o Y=garment} de {Z=cloth} estava na moda.
faltava {um Y=part} em+ {o Z=garment}, e {o W=role} riu…
quote:
{este Y=part.n} [Y estar pres] {#adj @Y} demais
{o Y=garment} fica {pronto @Y} na (segunda-feira|quarta-feira|sexta-feira)
com {esse Y=cloth}, {o Z=garment} não amassa
ask:
tem {um Y=garment} de {Z=cloth}
onde pus {o Y=thing}
sleeve: manga, punho
mirror: espelho, cabide:m
tape: fita métrica
#sl: curtas, compridas, largas
#good: fino, novo, afiado
""",
}
