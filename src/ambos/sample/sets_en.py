# ruff: noqa: E501 - word lists and templates read best as running text
"""What the English labelled sets are made of: their word classes and templates."""

# domain | aspect | praise | blame; the same adjective may praise one thing and blame another
ASPECTS = """
restaurant | food | tasty, fresh, hot, delicate | cold, salty, bland, greasy
restaurant | beer | cold, cheap, rich | warm, expensive, watery
restaurant | portion | large, generous, ample | small, mean, ridiculous
restaurant | service | fast, kind, attentive | slow, rude, chaotic
restaurant | wait | short, brief, pleasant | long, endless, annoying
restaurant | bill | fair, low, honest | high, wrong, absurd
hotel | room | quiet, spacious, clean, bright | noisy, cramped, dirty, dark
hotel | bed | soft, wide, comfortable | hard, narrow, broken
hotel | shower | hot, strong, relaxing | cold, weak, slow
hotel | rate | cheap, fair, low | expensive, abusive, high
hotel | reception | friendly, efficient, kind | unfriendly, disorganised, slow
film | plot | surprising, original, gripping | predictable, confusing, tedious
film | cast | talented, convincing, well chosen | weak, artificial, lost
film | ending | unpredictable, moving, perfect | obvious, hurried, ridiculous
film | soundtrack | beautiful, discreet, memorable | irritating, noisy, repetitive
film | photography | bright, lovely, careful | dark, ugly, careless
book | story | thrilling, light, deep | boring, heavy, shallow
book | language | clear, elegant, lively | confusing, poor, tiring
book | hero | complex, human, unforgettable | shallow, false, forgettable
book | chapter | short, intense, funny | long, repetitive, dull
book | translation | faithful, careful, fluent | wrong, careless, clumsy
phone | battery | durable, reliable, powerful | short-lived, weak, faulty
phone | screen | sharp, large, bright | dark, small, scratched
phone | camera | sharp, fast, excellent | bad, slow, blurred
phone | sound | loud, clean, crystalline | low, muffled, harsh
phone | system | fast, stable, simple | slow, unstable, complicated
bus | journey | short, calm, agreeable | long, uncomfortable, tiring
bus | seat | soft, wide, adjustable | hard, narrow, broken
bus | driver | prudent, polite, punctual | reckless, rude, late
bus | ticket | cheap, flexible, fair | expensive, confusing, abusive
shop | assistant | attentive, honest, patient | pushy, rude, careless
shop | delivery | fast, punctual, careful | late, slow, careless
shop | packaging | sturdy, pretty, practical | fragile, ugly, torn
shop | exchange | easy, fast, free | difficult, lengthy, bureaucratic
"""

SENTIMENT = """
affirm:
{the A} [A be past] (very|truly|really|quite|) {B @A}
{the A} [A seem past] (very|so|incredibly|) {B @A}
{the A} [A strike past] me as (rather|very|) {B @A}
{the A} [A turn past] out to be {B @A}
deny:
{the A} [A be neg.past] (at all|in the least|) {B @A}
{the A} [A be past] far from {B @A}
{the A} [A be past] anything but {B @A}
{the A} [A seem neg.past] {B @A}
{the A} [A be past] never {B @A}
one:
{m}.
{m}, and {n}.
{m} and, besides, {n}.
as I had imagined, {m}.
I can assure you that {m}.
both:
{o}, but {m}.
it is true that {o}, but {m}.
they told me that {o}, only {m}.
at first it seemed that {o}; in the end, {m}.
whoever said that {o} was mistaken: {m}.
although {o}, {m}, and that is what counts.
{m}, and nobody can say that {o}.
despite what I had read, namely that {o}, {m}.
lead:
I went with {X=first} to {T=city} in {M=month}:
{W=weekday}, {M=month} {N=int:2-28}:
opinion of {X=first}, from {T=city}:
after {N=word:2-12} weeks:
second time in {T=city}:
{N=int:2-9} points, so to speak:
"""

SENSES = {
    "bank.money": (
        """{the W=self.n} [W charge past] {the X=client.n} interest of {N=price:1-14}%.
{X=first} opened an account at {a W=self} in {T=city}.
{the W=self.n} [W lend past] ${N=int:900-9900} to {the X=client.n}.
{the X=client.n} [X pay past] the debt to {the W=self} in {M=month}.
the manager of {the W=self} telephoned {X=first} in {M=month}.
{X=first} withdrew ${N=int:50-900} at {the W=self} in {T=city}.
{the W=self.p} [W close pres] at {N=int:3-5} p.m. in {T=city}.
{X=first} lost the card of {the W=self} in {T=city}.
the profits of {the W=self.n} grew by {N=int:2-40}% in {M=month}.""",
        """{the W=self} refused the loan that {X=first} asked for in {M=month}.
the shares of {the W=self.n} fell on the stock exchange in {M=month}.
{X=first} deposits the salary in {a W=self} near {T=city}.
{the X=client.n} [X distrust pres] {the W=self.p} since the crisis of {N=year:1980-2015}.""",
    ),
    "bank.river": (
        """{X=first} sat on {the W=self} of {the R=river} to fish.
the flood covered {the W=self.p} of {the R=river} near {T=city}.
{the Y=tree.p} grow on {the muddy W=self.p} of {the R=river}.
{a Y=animal.n} [Y rest past] on {the W=self} of {the R=river} near {T=city}.
{X=first} tied the boat to a tree on {the #side W=self}.
{X=first} and {Z=first} walked along {the #side W=self} of {the R=river}.
{the W=self.n} of {the R=river} [W be past] steep and covered with grass.
{X=first} swam to {the opposite W=self} in {N=int:3-20} minutes.
the children built a hut on {the W=self} of {the R=river}, said {X=first}.""",
        """the water rose over {the W=self.p} and reached {T=city}.
{X=first} threw a stone from {the #side W=self} into the current.
{a Y=animal.n} [Y drink past] from {the R=river} and climbed {the W=self}.
reeds hide {the #side W=self} where {X=first} fishes.""",
    ),
    "spring.season": (
        """the gardens of {T=city} bloom in {W=self}, said {X=first}.
{X=first} planted {the Y=flower.p} in {the W=self} of {N=year:1960-2022}.
after a long winter, {W=self} came to {T=city} in {M=month}.
{X=first} spent {N=word:2-9} {W=self.p} in {T=city}.
every {W=self}, {the Y=bird.p} return to {T=city}.
the school holidays in {W=self} last {N=word:2-5} weeks.
{X=first} loves the mild weather of {W=self} in {T=city}.
this {W=self} was wetter than the autumn, wrote {X=first} in {M=month}.
{the Y=flower.p} open early in {the warm W=self.p} of {T=city}.""",
        """{X=first} and {Z=first} married in {the W=self} of {N=year:1960-2022}.
last {W=self} the {Y=flower.p} were late in {T=city}.
when {W=self} ends, {X=first} leaves {T=city} for the summer.
the snow melted, and {W=self} brought {the Y=bird.p} back.""",
    ),
    "spring.coil": (
        """{the W=self.n} of {the Y=device} [W break past] after {N=int:3-40} months.
{X=first} replaced {a #rusty W=self.n} in {the Y=device}.
the technician stretched {the W=self} with a pair of pliers.
{a W=self} of {N=int:2-30} millimetres holds the lid of {the Y=device}.
{the W=self.p} of {the Y=sofa} creaked when {X=first} sat down.
{X=first} pressed the button and {the W=self} jumped out of {the Y=device}.
{the W=self.n} of steel [W cost past] ${N=price:2-30} at the workshop.
the engineer {Z=first} measured the force of {the W=self} in {the Y=device}.
without {a W=self}, {the Y=device} does not close, explained {X=first}.""",
        """{X=first} oiled {the W=self.p} of {the Y=device} in the workshop.
{a #rusty W=self} fell out of {the Y=sofa} and {X=first} laughed.
the tension of {the W=self} keeps the door of {the Y=device} shut.
{X=first} wound {the W=self} of the old clock in {T=city}.""",
    ),
    "spring.water": (
        """{X=first} drank the cold water of {the W=self} near {T=city}.
{the W=self.n} [W feed pres] the stream that crosses {T=city}.
the village filled its jugs at {the W=self} on {the Y=hill}.
{the hot W=self.p} of {T=city} attract {N=int:2-90} thousand bathers.
a {W=self} bubbled between the rocks of {the Y=hill}.
{the W=self.n} [W dry past] up in {M=month}, said {X=first}.
{X=first} found {a hidden W=self} in {the Y=hill} near {T=city}.
the hermit washed at {the W=self} below {the Y=hill}.
{Y=animal.p} come to drink at {the W=self} near {T=city}.""",
        """clear water flows from {a W=self} at the foot of {the Y=hill}.
{X=first} filled a bottle at {the W=self} and climbed {the Y=hill}.
the river begins in {a W=self} above {T=city}.
bathers sat in {the hot W=self.p} under {the Y=hill}, wrote {X=first}.""",
    ),
}
SENSE_WORDS = """
client: customer, shopkeeper, trader, farmer, pensioner, family, investor
river: river, stream, canal, creek
tree: willow, poplar, alder, reed, birch
animal: deer::deer, cow, duck, horse, otter, heron
#side: left, right, far, opposite, grassy
flower: tulip, rose, daffodil, lily, bluebell, daisy
bird: swallow, stork, cuckoo, goose::geese, warbler
device: clock, lamp, toaster, printer, lock, trap, watch, pen
sofa: sofa, mattress, bed, armchair
#rusty: rusty, small, loose, new, bent
hill: hill, cliff, mountain, valley, slope
"""

AGREEMENT = """
human: boy, girl, teacher, neighbour, engineer, nurse, singer, sailor, lawyer, journalist, student, seller, doctor, baker, tourist, artist, soldier, customer, mayor, dentist, gardener, driver, dancer
other: friend, cousin, colleague, brother, partner, guest, child::children, minister, poet, photographer, judge, sister
thing: book, letter, suitcase, bicycle, box, key, guitar, watch, picture, machine, chair, document, bag, car
place: city, street, school, farm, square, hospital, village, market, station, museum, island, church, district
#any: new, old, tall, famous, tired, cheerful, sad, young, kind, serious
%verb: telephone, sing, arrive, return, smile, sleep, work, resign, leave, run, cry, travel, speak, fall, wait, rest, answer, agree, complain, disappear, dance, shout, win, swim, laugh
tail:
every day
late
every summer
again
without warning
in silence
very early
calmly
once more
on time
pp:
from {the A=place.n}
of {the A=other.n}
with {a A=thing.n}
without {A=thing.p}
from {T=city}
near {the #any A=place.n}
with {the A=thing.n} of {the B=other.n}
beside {the #any A=other.n}
rel:
who [X know pres] {the A=other.n}
who came here yesterday with {a A=other.n}
who bought {the A=thing.n} of {the B=other.n}
that {the A=other.n} saw in {the B=place.n}
that {the #any A=other.n} praised yesterday
who [X live pres] near {the A=place.n} of {the B=other.n}
who lost {the A=thing.n} in {a B=place} of {T=city}
who taught {the A=other.n} to repair {the #any B=thing.n}
whom {the A=other.n} [A like pres] a lot
with whom {the A=other.n} of {the B=place.n} worked
who arrived from {the A=place.n} with {N=int:2-9} {B=thing.p}
who said that {the A=other.n} lost {the B=thing.n}
inner:
who sold {the D=thing.n}
who [A live pres] in {the D=place.n}
of {the #any D=place.n}
that {the D=other.n} met
who [A like neg.pres] {D=thing.p}
"""

NER = """
train:
{X} was born in {L} and worked at {O} until {N=year:1950-2020}.
{O} hired {X} to run the branch in {L}.
in {M=month}, {X} travelled from {L} to {K} with a group of friends.
according to {X}, {O} will open {N=int:3-90} shops in {L}.
{O} and {P} signed an agreement in {L}.
the mayor of {L}, {X}, visited {O} on {W=weekday}.
{X} beat {Y} in the final played in {L}.
the main street of {L} was named after {X}.
the north of the city was left without light, {O} reported.
the bank of the river was cleaned by {X}, a resident of {L}.
{X}, aged {N=int:18-80}, teaches music at {O}.
the rose in the garden of {X} bloomed in {M=month}.
the saints of the church in {L} were restored by {O}.
{Y} told {X} that {L} is far from {K}.
the harbour was empty when {X} reached {L}.
between {L} and {K}, {X} read an article about {O}.
on Sunday, {O} lost to {P} by {N=int:2-5} to 1.
the person who runs {O} now is {X}.
the money of {O} vanished, but {X} knew nothing.
{X} lives in {L}; {Y}, in {K}.
test:
it was in {L} that {X} founded {O}, with the help of {Y}.
{X} left {O} and went back to {L}.
the book by {X} about {L} was published by {O}.
neither {X} nor {Y} had seen {L} or {K}.
the fair of {L} welcomed {O} and {P} in {M=month}.
{O} dismissed {X} on {W=weekday}, in {L}.
a letter from {Y} to {X} was found at {O}.
the baker paid the bill, and {X} may march through {L}.
"""
NER_ONLY = {
    "train": {
        "given": "Alice Brian Clara Daniel Emma Frank Grace Henry Irene Jack Laura Martin Nora Oliver Rachel Simon Washington",
        "surnames": "Abbott Baker Washington Lincoln Dalton York Preston Mercer Madison Fields Austin Wells Rivers Bishop",
        "LOC": "Washington,Lincoln,York,Austin,Madison,Boston,Preston,Dublin,Rome,Silver Creek,Port Marlow,New Denby,Ashby Hill,the Rocky Hills,Wells",
        "ORG": "the Northern Bank,Aurora Press,Washington,St Anne Hospital,Valley University,the Lincoln Foundation,Horizon College,the York Bakery,Highland Athletic Club,the Water Company",
    },
    "dev": {
        "given": "Wendy Colin Edith Oscar Fiona Hugh Daphne Neil",
        "surnames": "Parker Turner Vance Jordan Washington Denver Marsh Cole",
        "LOC": "Denver,Jordan,Leeds,Elm Falls,Long Meadow,the Highlands,Washington",
        "ORG": "the Museum of Fishing,Plateau Radio,Denver,the Blue Sea Institute,Heron Coaches,the Vance Group",
    },
    "test": {
        "given": "Thelma Gordon Ursula Timothy Ophelia Quentin Sydney Florence Albert Chelsea",
        "surnames": "Halifax Everett Sydney London Holland Bristol Thornton Wilkins Lancaster Radley",
        "LOC": "Sydney,Florence,Halifax,Lancaster,London,Bristol,Holland,Saltmarsh,Stone Harbour,Upper Green Hollow",
        "ORG": "the Hill Gazette,the Good Harvest Cooperative,Bristol,the Coast Orchestra,the Holland Bank,Quartz Laboratories,the Swallow Factory,Lancaster United",
    },
}

POS = """
person: boy, teacher, neighbour, singer, doctor, baker, painter, grandmother, pupil
lamp: candle, lamp, lantern, fire, torch
thing: book, window, letter, house, song, cake, flower, chair, table, piano, plant, soup, door, candle
place: street, square, school, city, kitchen, library, church, garden, room
#any: new, old, pretty, large, small, expensive, blue, antique, strange, common
#hum: cheerful, sad, young, old, tired, kind, famous
#inv: new, short, pretty, long, strange, cheerful, sad
%tv: buy, sell, paint, see, bring, lose, wash, keep, find, clean
%iv: sing, arrive, sleep, smile, work, travel, fall, return
train:
{the X=person.n} [X V=%tv past] {a #any Y=thing.n} in {the P=place}.
{the #hum X=person.n} [X V=%iv neg.pres] in {the P=place}.
{X=first} and {Y=first} [3p V=%iv past] yesterday.
when {the X=person.n} [X V=%iv past], {Y=first} [Y be past] already here.
the light/NOUN of {the X=lamp} [3s fill past] {the P=place}.
{the X=person.p} light/VERB {the Y=lamp.n} in {the P=place}.
{X=first} carries/VERB a light/ADJ {Y=thing} across {the P=place}.
the run/NOUN of {X=first} [3s be past] {#inv}.
{the X=person.p} run/VERB across {the P=place} with {Y=first}.
{the X=person.n} who/PRON [X V=%tv past] {the Y=thing.n} [X be pres] from {T=city}.
{X=first} [X buy past] {N=word:2-12 Y=thing.p} and {M=word:2-9 #any Z=thing.p}.
they/PRON play/VERB well/ADV, but the play/NOUN [3s be past] {#inv}.
{the X=person.p} watch/VERB {the Y=thing} while the watch/NOUN stops/VERB.
[X be pres] {the X=thing.n} of {Y=first} {#any @X}?
{X=first} likes/VERB {Y=thing.p} because they/PRON [3p be pres] very {#inv}.
if {X=first} [X V=%iv pres], {the Y=person.n} also [Y V2=%iv pres].
{X=first} has/VERB a plan/NOUN, and we/PRON plan/VERB with {Y=first}.
{the X=person.n} [X be past] {N=int:20-90} in/ADP {M=int:1950-2020}.
{the X=person.p} can/AUX open/VERB the can/NOUN without {Y=first}.
the answer/NOUN of {X=first} [3s be past] {#inv}.
{the X=person.p} answer/VERB {Y=first} in {the P=place}.
{this X=thing.n} [X be pres] more/ADV {#any @X} than/SCONJ {that Y=thing.n}.
test:
{the X=thing.n} of {the #any P=place} [X V=%tv pass.past] by {Y=first}.
the play/NOUN of {X=first} [3s be pres] {#inv}, but they/PRON play/VERB here.
{the X=person.p} plan/VERB a run/NOUN across {the P=place}.
{the X=person.p} run/VERB when the light/NOUN of {the Y=lamp} is/AUX {#inv}.
neither/CCONJ {X=first} nor {Y=first} [3s V=%tv past] {the Z=thing.n}.
{X=first} [X see past] the light/ADJ {Y=thing} before/SCONJ {the Z=person.p} answer/VERB.
{the X=person.n}, who/PRON [X V=%iv past] yesterday, [X V2=%tv past] {a Y=thing.n}.
"""
