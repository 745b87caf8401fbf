# ruff: noqa: E501 - word lists and templates read best as running text
"""English pairs: ways of saying the same thing, and premises with what follows from them."""

WORDS = """
goods: book, horse, picture, watch, carpet, vase, car, field, record, computer
role: doctor, teacher, judge, painter, seller, minister, singer, fisherman::fishermen, actor, manager
thing: table, statue, chair, lamp, box, door, plant, fridge, bookcase, bed
subject: mathematics, history, swimming, cooking, chess, English, drawing, photography, dancing, Latin
event: concert, congress, ball, debate, auction, wedding, tournament, parade
place: school, factory, library, bakery, pharmacy, workshop, bookshop, swimming pool
hyp: mango~fruit, orange~fruit, pear~fruit, carrot~vegetables, pumpkin~vegetables, sardine~fish, trout::trout~fish, rose~flowers, daisy~flowers, hammer~tools, saw~tools, violin~instruments, flute~instruments, table~furniture, chair~furniture
animal: cow, horse, cat, hen, dog, rabbit, duck, goat
chore: close the window, pay the bill, water the plants, lock the door, turn off the light, hand in the report, return the book, sign the letter, wash the car, buy the ticket
exam: test, exam, entrance exam, contest
%do: praise, invite, help, visit, follow, criticise, accuse, call, hire, hug
%make: repair, sell, paint, buy, wash, replace, rent, clean
%go: arrive, speak, leave, dine, wake, return
#kind: young, tall, famous, tired, friendly, old
#look: new, antique, pretty, small, expensive
"""
COMPARATIVES = (
    "older/younger, taller/shorter, richer/poorer, faster/slower, calmer/more nervous, stronger/weaker"
)

PARAPHRASE = """
= {X=first} sold {N=word:3-12 Y=goods.p} to {Z=first} in {T=city}.
= {Z} bought {N=word:3-12 Y=goods.p} from {X} in {T}.
= in {T}, {N=word:3-12 Y=goods.p} were sold by {X} to {Z}.
= {Z} purchased from {X}, in {T}, {N=word:3-12 Y=goods.p}.
~ swap X Z
~ new N
~ new T
~ new Y

= {the X=role.n} [X V=%do P?past] {the Y=role.n} in {T=city}.
= {the Y=role.n} [Y V=%do P?pass.past] by {the X=role.n} in {T}.
= in {T}, {the X=role.n} [X V=%do P?past] {the Y=role.n}.
~ swap X Y
~ flip P
~ new V

= {X=first} stayed at home because {Z=first} was ill in {M=month}.
= {Z} was ill in {M}, (so|and so|and therefore) {X} stayed at home.
= since {Z} was ill in {M}, {X} stayed at home.
= the illness of {Z} made {X} stay at home in {M}.
~ swap X Z
~ new M

= {X=first} reached {T=city} before {Z=first} left, in {N=year:1950-2020}.
= {Z} left after {X} had reached {T}, in {N=year:1950-2020}.
= in {N=year:1950-2020}, {X} reached {T}, and only then did {Z} leave.
= when {Z} left, in {N}, {X} had already reached {T}.
~ swap X Z
~ new N

= {X=first} is {A=#comp @X} than {Z=first}, says {D=first}.
= {D}: {Z} is {A.inv @Z} than {X}.
= for {D}, {Z} is {A.inv @Z} than {X}.
= in the opinion of {D}, {X} is {A @X} than {Z}.
~ swap X Z

= the arrival of {X=first} in {T=city} surprised {Z=first} in {M=month}.
= {Z} was (surprised|astonished) in {M}, when {X} arrived in {T}.
= when {X} arrived in {T}, in {M}, {Z} got a surprise.
= in {M}, {Z} was taken by surprise by the arrival of {X} in {T}.
~ swap X Z
~ new T

= the price of {the Y=goods} rose from {N=int:20-90} to {M=int:100-190} dollars in {T=city}.
= in {T}, {the Y}, which used to cost {N} dollars, came to cost {M} dollars.
= {the Y} of {T} used to cost {N} dollars; now it costs {M}.
= it used to cost {N} dollars, but today {the Y} costs {M} in {T}.
~ swap N M
~ new N
~ new Y

= {X=first} taught {Z=first} {S2=subject} in {T=city}.
= {Z} learned {S2} from {X} in {T}.
= it was from {X} that {Z} learned {S2} in {T}.
= in {T}, {Z} took lessons in {S2} from {X}.
~ swap X Z
~ new S2

= {X=first} lent {N=int:20-900} dollars to {Z=first} in {M=month}.
= {Z} borrowed {N} dollars from {X} in {M}.
= in {M}, {Z} came to owe {X} {N} dollars.
= {X} made {Z} a loan of {N} dollars in {M}.
~ swap X Z
~ new N

= {the Y=thing} is to the left of {the Z=thing} in the room of {X=first}.
= in the room of {X}, {the Z} is to the right of {the Y}.
= {X} keeps {the Y} to the left of {the Z} in the room.
= to the right of {the Y} is {the Z}, in the room of {X}.
~ swap Y Z
~ new Y

= {X=first} lives in {T=city}, but works in {U=city}.
= the home of {X} is in {T}; the job, in {U}.
= {X} works in {U} and lives in {T}.
= the job of {X} is in {U}, far from home, which is in {T}.
~ swap T U
~ new X

= {the E=event} of {X=first} began at {N=int:7-11} and lasted {M=word:2-6} hours.
= at {N} began {the E} of {X}, which took {M} hours.
= {the E} of {X} lasted {M} hours and started at {N}.
= starting at {N}, {the E} of {X} went on for {M} hours.
~ new N
~ new M
~ new E
"""

ENTAILMENT = """
P: {X=first} brought {N=word:3-12 Y=hyp.p} from the market in {T=city}.
P: {X} went to the market in {T=city}, but came back without {Y.hyper}.
P: {X} went to the market in {T=city} to see {the Y=hyp.p}.
H: {X=first} brought {Y=hyp.hyper} from the market. | E C N
H: {X=first} did not bring {Y=hyp.hyper} from the market. | C E N

P: all {the Y=role.p} of {the Z=place} in {T=city} arrived late.
P: not one {Y=role} of {the Z=place} in {T=city} arrived late.
P: all {the Y=role.p} of the next town arrived late.
P: many {Y=role.p} of {the Z=place} in {T=city} arrived late, but not all.
H: some delay happened among {the Y=role.p} of {the Z=place}. | E C N E
H: among {the Y=role.p} of {the Z=place}, there was no delay. | C E N C
H: among {the Y=role.p} of {the Z=place}, everyone was late. | E C N C

P: {N=more:M} people went to {the E} of {X}.
P: only {N=less:M} people went to {the E} of {X}.
P: {X} expected {N=more:M} people at {the E}.
H: more than {M=int:30-120} people went to {the E=event} of {X=first}. | E C N
H: {the E=event} of {X=first} did not reach {M=int:30-120} people. | C E N

P: {X} works in {a P=place} in {T}.
P: {X} has never worked in {T.country}, only visited {T}.
P: {X} has a friend who works in {T}.
H: {X=first} works in {T=city.country}. | E C N
H: {X=first} does not work in {T=city.country}. | C E N

P: {the #kind Y} [Y V past] {the #look Z=goods} in {T=city}.
P: {the Y} refused to [Y V inf] {the Z=goods} in {T=city}.
P: {the #kind Y} wanted to [Y V inf] {the Z=goods} in {T=city}.
H: {the Y=role} [Y V=%make past] {the Z=goods}. | E C N
H: {the Y=role} [Y V=%make neg.past] {the Z=goods}. | C E N

P: {X} reached {T=city} before {Z}.
P: {X} only reached {T=city} after {Z}.
P: {X} and {Z} reached {T=city} in {M=month}.
H: {X=first} arrived first, and {Z=first} later. | E C N
H: {Z=first} arrived first, and {X=first} later. | C E N

P: {X} is {A @X} than {Z}.
P: {Z} is {A @Z} than {X}.
P: {X} and {Z} work together in {T=city}.
H: {Z=first} is {A=#comp.inv @Z} than {X=first}. | E C N
H: {X=first} is {A=#comp.inv @X} than {Z=first}. | C E N

P: {X} and {Z} passed {the E} in {M=month}.
P: only {X} passed {the E} in {M=month}; {Z} did not.
P: {X} passed {the E} in {M=month}; about {Z} nothing is known yet.
H: {Z=first} and {X=first} passed {the E=exam}. | E C N
H: {Z=first} did not pass {the E=exam}, but {X=first} did. | C E N

P: {the P} of {T} opens every day, except at Christmas.
P: {the P} of {T} closes on {W.pl}.
P: {the P} of {T} changed hands in {M=month}.
H: {the P=place} of {T=city} opens on {W=weekday}. | E C N
H: {the P=place} of {T=city} does not open on {W=weekday}. | C E N

P: {X} remembered to {Y} in {T=city}.
P: {X} forgot to {Y} in {T=city}.
P: {X} promised to {Y} in {T=city}.
H: {X=first} did not fail to {Y=chore}. | E C N
H: {X=first} failed to {Y=chore}. | C E N

P: {X} keeps {N=word:3-12 Y=animal.p} in {T=city}.
P: {X} lives in {T=city} and has no pets, not even {Y=animal.p}.
P: {X} likes {Y=animal.p} and lives in {T=city}.
H: {X=first} has animals. | E C N
H: {X=first} has no animals. | C E N

P: {X} has been married to {Z=first} for {N=int:2-40} years.
P: {X} is single and lives with {Z=first}.
P: {X} and {Z=first} live in the same street of {T=city}.
H: {X=first} has a husband or a wife. | E C N
H: {X=first} has no husband or wife. | C E N
"""
FACTS = """
# {B}
s {the B=structure} of {L=city}, which links both sides of the city, was designed by {X=full}.
s the work began in {N=year:1880-1940} and ended in {M=year:1941-1999}.
s it cost {K=int:12-98} million and employed {J=int:200-900} workers.
s today {the B} receives visitors from {E=country}.
d before that, in {Q=year:1800-1879}, {Z=full} had drawn another {B} in {U=city}.
q who designed {the B} of {L}? | X
q in which year did the work begin? | N
q in which year did the work end? | M
q how many workers were employed? | J
q which country do the visitors come from? | E

# {X}
s {X=full} was born in {L=city} in {N=year:1900-1940}.
s at the age of {A=int:16-25} the writer moved to {U=city} to study {S=field}.
s in {M=year:1945-1990} came {T=title}, the book that brought fame.
s death came in {V=city}, in {K=year:1991-2020}.
d a cousin, {Z=full}, was born in {Q=year:1880-1899} and never left {W=city}.
q where was {X} born? | L
q in which year was {X} born? | N
q what did {X} study in {U}? | S
q which book did {X} publish in {M}? | T
q in which city did {X} die? | V

# {O}
s {O=org} was founded by {X=full} in {N=year:1890-1960}, in the city of {L=city}.
s at first it sold {P=goods_p} and had {J=int:3-30} employees.
s in {M=year:1965-2015} the head office moved to {U=city}.
s today the business is run by {Z=full}, who earns {K=int:12-90} thousand dollars a month.
d a competitor, {W=full}, had opened another business in {Q=year:1870-1889}.
q who founded {O}? | X
q in which year was {O} founded? | N
q what did {O} sell at first? | P
q where did the head office move in {M}? | U
q who runs {O} today? | Z

# {E}
s {the E=party} of {L=city} takes place in {M=month} and lasts {N=word:3-12} weeks.
s it was {X=full} who created it, in {Y=year:1920-1990}.
s the favourite dish is {D=dish}, served with {A=drink}.
s at the last edition, {K=int:12-95} thousand people came.
d the one of {U=city}, created by {Z=full} in {Q=year:1880-1919}, no longer exists.
q in which month does {the E} of {L} take place? | M
q who created {the E} of {L}? | X
q what is the favourite dish in {L}? | D
q which drink goes with the dish? | A
q how many weeks does {the E} last? | N

# {T}
s the final of {Y=year:1950-2022} was played in {L=city}, before {N=int:12-90} thousand people.
s {X=full} scored the first goal in minute {M=int:2-44}.
s the referee, {Z=full}, sent off {W=full} for {R=offence}.
s {T=club} kept the cup and travelled to {U=city}.
d the final before that, in {Q=year:1920-1949}, had been decided by {V=full}.
q where was the final of {Y} played? | L
q who scored the first goal? | X
q who was the referee? | Z
q why was {W} sent off? | R
q which team kept the cup? | T

# {X}
s in {N=year:1830-1930}, {X=full} left {L=city} with {J=int:12-80} sailors.
s the ship was called {S=ship} and carried {C=cargo}.
s after {M=word:3-12} months, the expedition reached {U=city}.
s the map of the journey is kept by {O=org}.
d another ship, {V=ship}, commanded by {Z=full}, sank near {W=city}.
q where did {X} leave from? | L
q what was the ship of {X} called? | S
q what did the ship of {X} carry? | C
q which place did the expedition of {X} reach? | U
q who keeps the map? | O
"""
FACT_WORDS = """
structure: bridge, viaduct, tower, tunnel, footbridge
field: medicine, law, botany, philosophy, music, astronomy, architecture
goods_p: hats, shoes, watches, furniture, cloth, books, bicycles, seeds, medicines
party: festival, fair, carnival, pilgrimage
dish: maize cake, fish soup, lentil stew, cheese bread, banana tart, dried beef, pumpkin jam
drink: apple juice, iced tea, white wine, black coffee, ginger beer, dark ale
offence: dissent, assault, violent play, diving, insults
club: Highland Rovers, Southern Star, Railway United, Blue Union, Hill Athletic, Royal Point
ship: Good Hope, Seagull, Saint Lucy, Star of the Sea, East Wind, Albatross
cargo: sugar and tobacco, coffee beans, timber and leather, medicines and books, cotton cloth, salt and flour
title: The House of Wind, Nights of Salt, The Stopped Clock, Land without Maps, The Three Bridges, Letters to the Sea
"""
