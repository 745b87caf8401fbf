# ruff: noqa: E501 - word lists and templates read best as running text
"""What English documents are about: word classes, verb phrases, remarks and quotations of each topic."""

TOPICS = {
    "cooking": """
role: cook, baker, waiter, chef, apprentice, pastry cook, dishwasher, caterer
food: soup, stew, lasagne, pie, cake, pudding, omelette, roll, casserole, curry, dumpling, pancake, tart, salad, sandwich, biscuit, risotto, broth
spice: pepper, garlic, oregano, basil, ginger, cinnamon, parsley, thyme, paprika, cumin, nutmeg, saffron, salt, mint, rosemary, mustard
tool: pan, spoon, knife::knives, bowl, ladle, sieve, tray, grater, whisk, kettle, board, apron, pot, jug, oven glove
place: kitchen, restaurant, bakery, canteen, diner, tavern, cafeteria, tea room
#adj: tasty, crisp, creamy, spicy, golden, salty, tender, homemade, fragrant, light, rich, juicy
vp:
prepare|make|serve {a #adj Y=food.n} with {Z=spice}
season {the Y=food.n} with {Z=spice} and {W=spice}
taste {the Y=food.n} with {a small Z=tool}
wash {the Y=tool.n} in {the Z=place}
bake {the Y=food.n} for {N=int:15-90} minutes
chop {the Y=spice} on {a Z=tool}
burn {the Y=food.n} by mistake
stir {the Y=food} with {a new Z=tool}
copy the recipe for {the Y=food} into a notebook
buy {a Y=tool.n} and {a Z=tool.n} for {the W=place}
light the stove before grinding {the Y=spice}
keep {the Y=food.n} in {a #size Z=tool.n}
divide {the Y=food} into {N=word:3-12} portions
cover {the Y=food.n} with {Z=spice} and butter
sell {N=int:12-140} {Y=food.p} at the door of {the Z=place}
teach {the Z=role.n} of {the W=place} the recipe for {the Y=food}
remark:
{the Y=food.n} of {the Z=place} [Y be past] {#adj @Y}, with (a hint|a touch|plenty) of {W=spice}.
the secret of {the Y=food} was {the Z=spice}, which nobody added at the right moment.
on the wall of {the Y=place} there were {N=word:2-9 Z=tool.p} and {a #size W=tool}.
a portion of {Y=food} cost ${N=price:6-58}, and still {the Z=place} was always full.
the smell of {Y=spice} spread through {the Z=place} and reached the street.
without {Y=spice}, {the Z=food.n} [Z lose past] all charm.
the oven, bought in {N=year:1975-2019}, warmed up slowly, but it baked {the Y=food.n} like no other.
the recipe called for {N=int:2-9} cups of flour, {M=int:2-6} eggs and a pinch of {Y=spice}.
quote:
{this Y=food.n} [Y need pres] more {Z=spice}
nobody makes {a Y=food} like {the Z=role} of {the W=place}
{the Y=food.n} [Y need pres] another {N=int:5-30} minutes in the oven
{this Y=food.n} [Y be pres] {#adj @Y}, try some
ask:
where is {the Y=tool} I left in {the Z=place}
""",
    "football": """
role: player, goalkeeper, defender, striker, coach, referee, winger, supporter, captain, midfielder
thing: ball, boot, whistle, flag, shirt, net, glove, armband, clipboard, stopwatch, scarf::scarves
move: pass, shot, dribble, cross, header, corner, penalty, goal, tackle, counter-attack, volley, save
place: stadium, pitch, dressing room, training ground, stand, tunnel, field, clubhouse
match: match, final, derby, semi-final, friendly, play-off, championship, tournament, cup tie
#adj: fast, difficult, beautiful, decisive, violent, perfect, unexpected, precise, weak, clever
vp:
score {a #adj Y=move_} in {the Z=match}
practise {Y=move.p} and {Z=move.p} at {the W=place}
stop {a #adj Y=kick} in {the Z=match}
miss {a #adj Y=move} in minute {N=int:2-89}
kick {the #size Y=ball} out of {the Z=place}
discuss {the Y=move.n} of {the Z=match} with {the W=role.n}
win {the Y=match.n} by {N=int:2-6} goals to {M=int:0-1}
lose {the Y=match} in the last {N=int:2-9} minutes
change {the Y=thing.n} in {the Z=place} before the game
praise {the #rolea Y=role.n} after {the Z=match}
run {N=int:3-12} kilometres around {the Y=place}
celebrate {the Y=move.n} with {the Z=role.p}
lift {the Y=cup} in front of {N=int:3-78} thousand people
study {the Y=move.p} of the other team at {the Z=place}
leave {the Y=place} with {a #size Z=thing.n} in one hand
remark:
{the Y=match.n} [Y end past] {N=int:0-5} to {M=int:0-5}, with {a #adj Z=move} in the last minute.
{the Y=place.n} [Y welcome past] {N=int:12-79} thousand supporters that afternoon.
a ticket for {the Y=match} cost ${N=price:20-190}, and none was left.
the team took {N=int:31-88} points from {M=int:18-38} games and finished in place {K=int:2-15}.
with {a #adj Y=move}, {the Z=role} opened the scoring in minute {N=int:2-89}.
{the Y=role.n} who [Y miss past] {the Z=move} [Y apologise past] to the crowd.
the crowd sang from the beginning of {the Y=match} until {the Z=role} left {the W=place}.
without the usual {Y=role}, the attack created little and {the Z=match} was dull.
quote:
{the Y=match} is over when {the Z=role} blows the whistle
we deserved {the Y=cup}, but we had no luck in {the Z=match}
{the Y=role} must practise more {Z=move.p}
that was the most {#adj @Y} {Y=move} I have ever seen
tomorrow we go back to {the Y=place} early
move_: goal, penalty, header
kick: penalty, shot, header
ball: ball
cup: cup, trophy
""",
    "finance": """
role: manager, cashier, economist, investor, accountant, customer, analyst, banker, director, broker
thing: account, loan, cheque, card, bill, contract, deposit, receipt, statement, debt, share, fund, policy, invoice, bond
sum: interest rate, fee, profit, loss, tax, salary, budget, dividend, balance, rent
place: bank, branch, office, credit union, insurance company, brokerage
#adj: high, low, safe, risky, overdue, profitable, modest, old, expensive, stable
vp:
open {a Y=account} at {the Z=place_}
ask {the Z=place_} for {a #adj Y=loan}
pay {the Y=thing.n} with ${N=int:200-9800} in cash
sign {the Y=paper.n} in {the Z=place} in front of {the W=role.n}
work out {the Y=sum.n} of {the Z=thing} with care
invest ${N=int:300-9900} in {a #adj Z=fund}
cancel {the Y=thing.n} because of {the Z=sum.p}
review {the Y=sum.n} and {the Z=thing.n} of {the W=role.n}
deposit ${N=price:40-980} in {the Z=place_}
check {the Y=paper.n} at {the Z=place}
renegotiate {a #adj Y=debt} with {the Z=role.n} of {the W=place_}
lose part of {the Y=sum} on {the Z=exchange}
lock {the #adj Y=paper.n} in {a Z=safe.n}
compare {the Y=sum.p} of {N=word:2-9} banks
explain {the Y=sum.n} to {the Z=role.n}
withdraw ${N=int:50-3000} from {a Z=agency}
remark:
{the Y=sum.n} at {the Z=place} [Y rise past] by {N=price:0-9}% in (January|March|May|July|October|December).
the bank charged interest of {N=price:1-14}% a month on {a Y=loan}.
{the Y=agency.n} of {the Z=place_} [Y open pres] at {N=int:8-11} a.m. and [Y close pres] at {M=int:3-6} p.m.
anyone who owes {a Y=place_} ${N=int:1000-9900} sleeps badly, {the Z=role} used to say.
{the Y=place_} lent money to {N=int:12-900} families in {M=year:1990-2023}.
{the Y=paper.n} [Y show past] {a Z=sum} of ${N=price:12-990}, and {the W=role} grew suspicious.
with {a #adj Y=sum}, {the Z=role.n} [Z prefer past] to leave the money in the bank.
the dollar closed at {N=price:3-6}, which changed {the Y=sum} of many people.
quote:
{the Y=sum} for this month does not add up
it is better to read {the Y=paper.n} before signing
{the Y=place_} lends nothing to people without {a Z=sum}
the money is already in the account
with {this Y=sum}, {the Z=thing.n} [Z be pres] too {#adj @Z}
account: account, savings account, deposit
exchange: stock exchange, market
loan: loan, mortgage, advance
place_: bank, credit union, savings bank
paper: contract, cheque, receipt, statement, bill, invoice
fund: fund, bond, company, share
debt: debt, loan, bill, mortgage
safe: safe, drawer, box
agency: branch, cash machine
""",
    "garden": """
role: gardener, neighbour, visitor, florist, keeper, resident, landscape architect
plant: rose, orchid, fern, sunflower, lily, cactus, daisy, violet, tulip, lavender, ivy, hedge, bluebell, oak
animal: bird, butterfly, bee, squirrel, robin, cat, pigeon, ladybird, frog, ant, hedgehog
thing: bench, fountain, bandstand, flower bed, fence, statue, pond, gate, lawn, arbour, lamp post, watering can, vase
place: square, park, garden, grove, avenue, nursery, backyard, orchard
#adj: green, flowery, silent, old, little, shady, colourful, delicate, dry, damp
vp:
plant {a Y=plant.n} in {the Z=place}
water {the #adj Y=plant.n} early in the morning
sit on {a Y=bench} in {the Z=place} to read
prune {the Y=plant.n} beside {the Z=thing}
paint {the Y=thing.n} of {the Z=place} {K=colour}
photograph {a Y=animal.n} near {the Z=thing}
clean {the #adj Y=thing.n} of {the Z=place}
watch {the Y=animal.n} among {the Z=plant.p}
pick {N=word:3-15 Y=plant.p} in {the Z=place}
repair {the Y=thing.n} after the rain
stroll through {the Y=place} with {a Z=pet} and {a W=pet}
doze on {a Y=bench} in the shade
sweep the leaves around {the Y=thing}
bring {a Y=plant.n} from {a Z=place.n} to {the W=place}
dig {a Y=hole} at the foot of {the Z=thing}
remark:
in {the Y=place} there was a wooden {Z=bench} opposite {the W=thing}.
{the Y=plant.n} of {the Z=place} [Y bloom pres] in (March|April|May|June).
{N=word:2-9 Y=animal.p} lived near {the #adj Z=thing}.
{the Y=bench} painted {K=colour} was the favourite of {the Z=role.p}.
the council planted {N=int:20-900} {Y=plant.p} in {the Z=place} in {M=year:1970-2022}.
{the Y=place.n} [Y open pres] at {N=int:6-9} a.m., and {the Z=role.p} [Z arrive pres] early.
without water, {the Y=plant.n} [Y wither past] in {N=int:3-9} days.
in spring, {the Y=plant.n} [Y wake pres] up and {the Z=animal.p} [Z return pres] to {the W=place}.
quote:
do not step on {the Y=lawn}
{the Y=plant.n} [Y need pres] sun
there is {a Y=animal} in {the Z=thing}
let us sit on {that Y=bench}
ask:
who broke {the Y=thing} in {the Z=place}
bench: bench
pet: dog, cat, puppy
hole: hole, well, ditch
lawn: flower bed, lawn
""",
    "school": """
role: pupil, teacher, headmaster, student, librarian, tutor, inspector, classmate, caretaker
thing: book, notebook, pencil, pen, satchel, dictionary, map, ruler, globe, desk, rubber, atlas
work: test, lesson, essay, exercise, project, summary, task, experiment, report, presentation, quiz::quizzes, dictation
subject: mathematics, history, geography, chemistry, physics, biology, English, philosophy, literature, art
place: classroom, library, playground, laboratory, school, hall, office, gym, corridor
#adj: difficult, easy, long, short, clear, confusing, interesting, late, neat, new
vp:
mark {the Y=work.n} in {Z=subject}
study {Y=subject} and {Z=subject} in {the W=place}
forget {the Y=thing.n} in {the Z=place}
write {a #adj Y=work.n} about {Z=subject}
lend {a Y=thing.n} to {a Z=role.n}
explain {a #adj Y=work} to {the Z=role.p}
read {N=word:2-15} pages of {a #adj Y=book}
hand in {the Y=work.n} {N=word:2-9} days late
present {a Y=work} in {the Z=place}
answer {N=int:5-30} questions about {Y=subject}
repeat {the Y=work.n} in {Z=subject} because of the mark
look for {a Y=thing.n} in {the Z=place}
copy {the Y=work.n} from {the Z=blackboard}
get {N=int:40-99} marks in {the Y=work_} on {Z=subject}
tidy {the Y=thing.p} of {the Z=place}
remark:
{the Y=work.n} in {Z=subject} [Y be past] {#adj @Y}, but almost the whole class passed.
the school had {N=int:120-980} pupils and {M=int:8-60} teachers.
{the Y=place.n} [Y be past] {#place_state @Y} from early on, and {the Z=role.p} [Z speak past] softly.
the highest mark was {N=int:60-99}, in {Y=subject}.
{the Y=role} who [Y forget past] {the Z=thing.n} [Y share past] a desk with {a W=role}.
in {N=year:1960-2015}, the school was given {a Y=room} and {M=int:200-4000} books.
at {N=int:7-11} a.m. the bell rang and {the Y=role.p} ran to {the Z=place}.
nobody understood {Y=subject}, until {the Z=role} brought {a W=thing.n} to the lesson.
quote:
{the Y=work} is for Friday
{Y=subject} is easy when you practise
read chapter {N=int:2-20} by tomorrow
I did not understand {this Y=work.n} on {Z=subject}
ask:
who left {the Y=thing} in {the Z=place}
room: library, laboratory, auditorium, gym, canteen
book: book, novel, dictionary
work_: test, essay, quiz::quizzes
blackboard: board, book
#place_state: crowded, silent, open, bright
""",
    "hospital": """
role: doctor, nurse, patient, surgeon, paediatrician, pharmacist, receptionist, physiotherapist, midwife::midwives
illness: cold, fever, fracture, allergy, infection, cough, burn, headache, rash, sprain, wound
remedy: tablet, syrup, vaccine, ointment, antibiotic, drip, injection, bandage, plaster, painkiller
exam: examination, X-ray, check-up, operation, blood test, scan, assessment
place: hospital, ward, emergency room, clinic, pharmacy, surgery, waiting room, corridor, maternity unit
#adj: serious, mild, severe, lengthy, urgent, simple, painful, chronic, sudden, rare
vp:
treat {a #adj Y=illness} with {Z=remedy.p}
prescribe {a Y=remedy.n} for {the Z=illness}
wait {N=word:2-9} hours in {the Y=place}
have {a #adj Y=exam} in {the Z=place}
examine {a Y=role.n} with {a Z=illness}
take {N=int:2-6} {Y=pill.p} a day
book {a Y=exam.n} for the following week
visit {the Y=role.n} of {the Z=place}
discover {a #adj Y=illness} during {a Z=exam}
measure the temperature of {a Y=role.n}
call {the Y=role.n} of {the Z=place}
return to {the Y=place} with {a Z=illness}
explain {the Y=exam.n} to {a Z=role.n}
carry {a Y=remedy.n} to {the Z=role.n} of {the W=place}
accompany {a Y=role} to {the Z=place}
remark:
{the Y=illness} [Y improve past] after {N=word:2-12} days of {Z=remedy.p}.
{the Y=place.n} [Y treat past] {N=int:40-700} patients in (January|April|June|August).
the fever reached {N=int:38-40} degrees, and {the Y=role} asked for {a Z=exam}.
{the Y=exam.n} at {the Z=place} [Y show neg.past] anything {#adj}.
{the Y=remedy} cost ${N=price:9-160}, but {the Z=place} gave it away.
there were {N=word:2-15} people with {a Y=illness} in {the Z=place}.
{the Y=role.n} who [Y look imp] after {the Z=role.p} [Y sleep neg.past] that night.
without {a Y=remedy}, {the Z=illness} would get more {#adj}.
quote:
take a deep breath, it is only {a Y=exam}
{the Y=illness} is not {#adj @Y}
take {the Y=pill} after lunch
{the Y=role} is back at {N=int:7-11} a.m.
ask:
when will we know the result of {the Y=exam}
pill: tablet, painkiller, antibiotic
""",
    "travel": """
role: traveller, tourist, driver, pilot, guide, passenger, flight attendant, receptionist
vehicle: train, bus, plane, boat, car, bicycle, taxi, tram, ferry
thing: suitcase, passport, map, ticket, booking, souvenir, umbrella, camera, itinerary, postcard
sight: museum, castle, beach, cathedral, viewpoint, market, bridge, waterfall, ruin, tower, palace, island
place: hotel, inn, station, airport, hostel, quay, platform, harbour
#adj: crowded, punctual, distant, famous, quiet, late, comfortable, cheap, narrow, huge
vp:
visit {the Y=sight.n} of {T=city}
miss {the Y=vehicle} to {T=city}
book {N=word:2-9} nights at {a Y=place_} in {T=city}
forget {the Y=thing.n} at {the Z=place}
travel by {Y=vehicle} to {T=city}
buy {a Y=thing.n} at {the Z=place}
photograph {a #adj Y=sight} in {T=city}
wait for {the Y=vehicle} at {the Z=place} for {N=int:10-90} minutes
cross {the Y=bridge} by {Z=vehicle}
look for {a #adj Y=place_} near {the Z=sight}
arrive in {T=city} with {a #size Z=thing}
meet {a Y=role.n} at {the Z=place}
show {the Y=thing.n} to {the Z=role.n}
leave {T=city} at {N=int:5-11} a.m.
rest at {a Y=place_} between {the Z=sight} and {the W=sight}
remark:
{the Y=vehicle} to {T=city} left {N=int:10-55} minutes late.
a night at {the Y=place_} cost ${N=price:80-480}, breakfast included.
from {T=city} to {U=city} it is {N=int:40-900} kilometres by road.
{the Y=sight.n} of {T=city} [Y receive pres] {N=int:2-90} thousand visitors a year.
{the Y=place} stood at No. {N=int:10-990}, {P=surname} St., beside {a Z=sight}.
it was raining in {T=city}, and {the Y=role.p} sheltered in {a Z=place}.
{the #adj Y=vehicle} stopped on {a Z=stop} and nobody explained why…
through the window of {the Y=vehicle} one could see {a #adj Z=sight}.
quote:
{the Y=vehicle} leaves in {N=int:5-30} minutes
I lost {the Y=thing} at {the Z=place}
from {T=city} it took {N=word:2-12} hours
{the Y=place_} is not {#adj @Y}, but it has a good view
ask:
have you seen {the Y=sight} of {T=city}
place_: hotel, inn, hostel
bridge: bridge, river, border
stop: bridge, road, hill, bend
""",
    "weather": """
role: forecaster, firefighter, resident, farmer, fisherman::fishermen, announcer, volunteer
event: storm, shower, frost, fog, gale, drought, flood, hailstorm, thunderstorm, drizzle, blizzard, heatwave
thing: roof, window, thermometer, radar, bridge, dam, tree, lamp post, umbrella, coat, shelter, pump
place: valley, district, region, village, suburb, county, province, town
site: weather station, observatory, fire station, radio station, shelter, airport
#adj: severe, sudden, prolonged, intense, rare, dangerous, unexpected, brief, violent, terrible
vp:
predict {a #adj Y=event} in {the Z=place}
measure {the Y=event} at {N=int:5-30} points of {the Z=place}
repair {the Y=thing.n} after {the Z=event}
close {the Y=shut.n} before {the Z=event}
warn {the Y=role.p} of {the Z=place}
abandon {the Y=place} because of {the Z=event}
record {N=int:12-140} millimetres in {the Y=place}
photograph {the Y=event} over {the Z=place}
take {a Y=carry.n} to {the Z=place}
watch {the Y=event} from behind {the Z=thing}
await the end of {the Y=event} in {a Z=refuge}
clear {the Y=place} after {the #adj Z=event}
compare {the Y=event} with the one of {N=year:1950-2015}
strengthen {the Y=build.n} of {the Z=place}
remark:
{a #adj Y=event} hit {the Z=place} during the night.
the temperature fell from {N=int:22-35} to {M=int:4-15} degrees in {the Y=place}.
the wind reached {N=int:40-130} kilometres an hour and knocked down {M=int:2-40} {Y=fall.p}.
it had not rained in {the Y=place} for {N=int:20-120} days.
{the Y=event} covered {the Z=place}, and {the W=role.p} [W stay past] at home.
the forecast mentions {a Y=event} and {a Z=event} before (Sunday|Tuesday|Thursday).
{the Y=build.n} of {the Z=place} [Y resist neg.past] {the W=event}.
in the (spring|winter|autumn) of {N=year:1955-2022}, {a #adj Y=event} paralysed {the Z=place}.
quote:
there is {a Y=event} on the way
close {the Y=shut} before {the Z=event} comes
I have never seen such {a #adj Y=event} in {the Z=place}
tomorrow the sun comes back
{the Y=place} has no light
shut: window, road, bridge, shelter
refuge: shelter, barn, gym
carry: umbrella, coat, pump, thermometer, blanket, generator
build: roof, bridge, dam, shelter, wall, dyke
fall: tree, lamp post, chimney, wall, aerial
""",
    "music": """
role: musician, singer, pianist, conductor, violinist, drummer, composer, flautist, accordionist, cellist
instrument: piano, guitar, flute, drum, violin, accordion, trumpet, clarinet, harp, cello, banjo, viola, saxophone, tambourine
piece: song, waltz, symphony, melody, concerto, serenade, anthem, lullaby, ballad, opera, sonata, march
thing: score, microphone, stage, record, lyric, arrangement, string, tuner, music stand
place: theatre, conservatory, studio, ballroom, auditorium, bar, festival, bandstand
#adj: sad, cheerful, slow, simple, soft, lively, unpublished, long, famous, delicate
vp:
play {a #adj Y=piece.n} in {the Z=place}
compose {a #adj Y=piece} for {Z=instrument} and {W=instrument}
tune {the Y=instrument.n} before {the Z=piece}
rehearse {the Y=piece.n} with {the Z=role.n}
record {a Y=piece.n} in {a Z=place}
sing {a #adj Y=piece} without {a Z=mic}
applaud {the #rolea Y=role.n} of {the Z=place}
buy {a #adj_i Y=instrument.n} for ${N=int:200-9000}
learn the {Y=instrument} with {a Z=role}
lose {the Y=sheet.n} of {the Z=piece}
conduct {N=int:8-90} musicians in {the Y=place}
hear {a #adj Y=piece} on {a #adj_i Z=disc}
repair {a #adj_i Y=instrument} in {the Z=place}
perform {a #adj Y=piece} in front of {N=int:40-900} people
write the words of {a #adj Y=piece}
remark:
{the Y=piece.n} [Y begin past] with a single {Z=instrument} and [Y end past] with {N=int:8-60} voices.
{the Y=place} held {N=int:80-900} people, and all of them asked for more.
the {Y=instrument} of {the Z=role} had been made in {N=year:1890-1995}.
the record sold {N=int:2-90} thousand copies in {M=word:2-11} months.
{the Y=role.n} who [Y play imp] the {Z=instrument} [Y miss past] the first note, but nobody noticed.
{the Y=piece} lasts {N=int:3-45} minutes and calls for {Z=instrument}, {W=instrument} and patience.
without {a Y=instrument}, {the Z=piece} sounded {#adj @Z}.
a ticket for {the Y=place} cost ${N=price:15-150}.
quote:
{this Y=piece} must go more slowly
{the Y=instrument} is out of tune
play {the Y=piece} once more
the whole {Y=place} sang with us
ask:
who wrote such {a #adj Y=piece}
mic: microphone, stage
sheet: score, page
disc: record, radio
#adj_i: old, new, rare, used, expensive
""",
    "farm": """
role: farmer, stallholder, picker, shepherd, vet, market gardener, tractor driver, seller
fruit: mango, orange, banana, apple, grape, pineapple, melon, papaya, strawberry, pear, lemon, fig, plum, cherry, peach, apricot
crop: maize, wheat, barley, coffee, rice, cotton, lettuce, spinach, hay, rye
animal: cow, goat, hen, pig, horse, sheep::sheep, calf::calves, duck, ox::oxen, rabbit
thing: tractor, hoe, basket, crate, cart, fence, barn, bucket, plough, silo
place: farm, smallholding, orchard, market, vegetable garden, stable, field, meadow
#adj: ripe, green, sweet, sour, fresh, big, rotten, juicy, cheap, fragrant
vp:
pick {N=int:20-900} {Y=fruit.p} in {the Z=place}
sell {#adj Y=fruit.p} and {Z=fruit.p} at {the W=market}
plant {Y=crop} between {the Z=place} and {the W=place}
feed {the Y=animal.n} with {Z=feed}
load {the Y=load.n} with {Z=fruit.p}
peel {a #adj Y=fruit.n} with a knife
buy {N=int:2-40} kilos of {Y=crop} at {the Z=market}
mend {the Y=thing.n} of {the Z=place}
water {the Y=land} from {the Z=water}
vaccinate {N=int:12-300} {Y=animal.p} on {the Z=farm}
choose the {Y=fruit.p} of {a #size Z=tree}
lose the crop of {Y=crop} to the frost
milk {the Y=cow.p} before sunrise
eat {a #adj Y=fruit} in the shade of {a Z=tree}
exchange {a Y=animal.n} for {a Z=thing.n}
remark:
{the Y=fruit.p} [Y be past] {#adj @Y}, and {the Z=place} smelt of {W=crop}.
a kilo of {Y=fruit.p} cost ${N=price:2-19} at {the Z=market}.
{the Y=farm.n} [Y produce past] {N=int:3-90} tonnes of {Z=crop} in {M=year:1985-2023}.
under {the Y=tree} there were {N=int:5-90} {Z=fruit.p} on the ground.
{the Y=animal.n} [Y knock past] down {the Z=fence} and [Y eat past] {the W=crop}.
{the Y=role.n} who [Y look imp] after {the Z=animal.p} [Y get past] up at {N=int:4-6} a.m.
with the drought, {the Y=fruit.p} were smaller and {the Z=crop} dried up.
{a #adj Y=fruit} is worth more than {N=word:2-9} {#bad} ones, {the Z=role} used to say.
quote:
{the Y=fruit.p} are {#adj @Y} today
take {N=word:2-12 Y=fruit.p} for ${M=price:3-15}
{the Y=animal} has run away from {the Z=place}
this year {the Y=crop} failed
try {this Y=fruit}, it is {#adj @Y}
market: market, fair
feed: maize, barley, hay, wheat, clover, bran
load: basket, crate, cart
land: field, orchard, vegetable garden
water: river, pond, well, spring
farm: farm, smallholding, estate
cow: cow, goat
tree: mango tree, apple tree, tree, orange tree
fence: fence, gate
#bad: green, rotten, sour
""",
    "technology": """
role: programmer, engineer, technician, scientist, user, inventor, trainee, electrician, developer
device: computer, phone, robot, printer, camera, router, keyboard, sensor, screen, satellite, server, watch, drone
part: battery, cable, chip, spring, screw, motor, board, antenna, gear, circuit, button, switch
software: program, app, system, file, password, website, script, model, message, page
place: laboratory, workshop, factory, company, garage, office, warehouse, start-up
#adj: fast, slow, modern, faulty, powerful, obsolete, light, secure, complicated, automatic
vp:
test {a #adj Y=device.n} in {the Z=place}
replace {the Y=part.n} of {a Z=device}
write {a #adj Y=code} in {N=word:2-12} days
assemble {a Y=device} from {Z=part.p} and {W=part.p}
delete {the Y=software.n} by mistake
repair {the Y=device.n} of {the Z=role.n}
install {a #adj Y=code} on {N=int:3-60} {Z=device.p}
switch off {the Y=device.n} of {the Z=place}
tighten {a #small Y=part.n} of {the Z=device}
measure the consumption of {the Y=device}
design {a #adj Y=device} for {the Z=place}
update {the Y=software.n} of {the Z=device.n}
sell {N=int:20-900} {Y=device.p} to {a Z=company}
copy {the Y=software.n} to {a #adj Z=device}
explain {the Y=software} to {a Z=role.n}
remark:
{the Y=device} cost ${N=price:90-990} and came with {a #adj Z=part}.
{the Y=part.n} of {the Z=device} [Y break past] after {N=int:3-40} months of use.
{the Y=code} answered in {N=price:0-5} seconds, which seemed little.
{the Y=place} had {N=int:3-60} {Z=device.p} and not one {W=technician}.
in {N=year:1985-2022}, {a Y=device} like that one filled a whole room.
{the Y=device.n} [Y stop past] when {the Z=part} [Z overheat past].
{the Y=role.n} who [Y test imp] {the Z=device.p} [Y find past] {N=int:2-50} errors.
a spring of {N=int:2-30} millimetres held {the Y=part} of {the Z=device}.
quote:
{the Y=part} is loose
{the Y=code} does not open on {this Z=device}
I need {N=word:2-9 Y=part.p}
{the Y=device} became {#adj @Y}
ask:
have you tried turning {the Y=device} off and on
code: program, app, system, script
company: company, factory, school
technician: technician, engineer
#small: small, loose, new
""",
    "law": """
role: judge, lawyer, defendant, prosecutor, witness, expert, clerk, juror, detective, victim
case: lawsuit, trial, hearing, appeal, settlement, complaint, investigation, inquiry, ruling, testimony
paper: document, exhibit, report, petition, warrant, contract, will, signature, letter, certificate
crime: robbery, fraud, theft, blackmail, slander, smuggling, kidnapping, arson
place: courtroom, court, registry, police station, office, prison, chamber, archive
#adj: long, unfair, confusing, public, secret, quick, serious, contradictory, final, complex
vp:
read {the Y=ruling.n} in {the Z=place}
postpone {the Y=case} for {N=int:5-90} days
deny {the Y=crime} in front of {the Z=role.n}
show {a Y=paper.n} to {the Z=role.n}
question {the Y=role.n} in {the Z=place}
sign {the Y=paper.n} at {the Z=place}
accuse {a Y=role.n} of {Z=crime}
defend {a #rolea Y=role} in {a #adj Z=case}
contest {the Y=case.n} with {a #adj Z=paper.n}
close {the Y=case.n} for lack of {Z=paper.p}
investigate {a #adj Y=scandal} of {Z=crime}
hear {N=word:2-12} witnesses in {a #adj Y=hearing}
acquit {the Y=defendant.n} of {Z=crime}
pay a fine of ${N=int:500-9800} for {Y=crime}
analyse {the Y=paper.n} of {the Z=case}
remark:
{the Y=case.n} [Y last past] {N=int:3-90} days and [Y fill past] {M=int:100-900} pages.
{the Y=paper} proved that {the Z=role.n} [Z be neg.past] in {the W=place}.
{the Y=ruling} sentenced {the Z=defendant} to {N=word:2-15} years for {W=crime}.
without {a Y=paper}, {the Z=case} would be worth nothing.
{the Y=role.n} who [Y keep past] {the Z=paper.p} [Y change past] the story {N=word:3-5} times.
the law of {N=year:1940-2018} forbids {Y=crime}, but {the Z=role.p} disagreed about the penalty.
{the Y=place.n} [Y close past] at {N=int:5-8} p.m., with {a #adj Z=case} half done.
Mr. {P=surname} asked for {N=int:5-60} days to study {the Y=case}.
quote:
{the Y=role} has the floor
{the Y=paper} is a forgery, and I can prove it
I request the postponement of {the Y=case}
{this Y=case} cannot be {#adj @Y}
ask:
what did {the Y=role} see in {the Z=place}
ruling: ruling, settlement, appeal
hearing: hearing, session
scandal: case, scandal
defendant: defendant, accused man::accused men, accused woman::accused women
""",
    "sea": """
role: fisherman::fishermen, sailor, diver, captain, boatman::boatmen, biologist, surfer, lighthouse keeper
fish: sardine, mullet, tuna, octopus, shrimp, lobster, herring, crab, squid, mackerel, oyster, eel
boat: boat, raft, canoe, ship, sailing boat, launch, schooner, trawler
thing: net, hook, anchor, oar, sail, rope, buoy, compass, lamp, lantern, bait box
place: harbour, beach, quay, reef, bay, island, cove, estuary, coast
site: harbour, shipyard, lighthouse, fish market, marina, port
#adj: deep, calm, rough, salty, rapid, fragile, heavy, old, rare, valuable
vp:
catch {N=int:5-300} {Y=fish.p} near {the Z=place}
mend {the Y=net.n} on {the Z=shore}
row {N=word:2-12} hours to {the Y=place}
throw {the Y=thing.n} near {the Z=place}
paint {the Y=boat.n} {K=colour}
save {a Y=role.n} from {a #adj_b Z=boat}
lose {a Y=thing.n} near {the Z=place}
sell {Y=fish.p} and {Z=fish.p} on {the W=shore}
study {the Y=fish.p} of {the Z=place}
command {a #adj_b Y=boat} with {N=word:3-15} sailors
pull {the Y=boat.n} to {the Z=shore}
spot {a #adj_b Y=boat} between {the Z=place} and {the W=place}
hoist {the Y=sail.n} before the storm
clean {the Y=fish.p} on board {the Z=boat}
return to {the Y=port} with {the #full Z=net.n}
remark:
{the Y=boat.n} [Y leave past] at {N=int:3-6} a.m. and [Y return past] with {Z=fish.p}.
the wave was {N=int:2-7} metres high and almost overturned {the Y=boat}.
a kilo of {Y=fish} cost ${N=price:12-95} in {the Z=port}.
{the Y=thing.n} of {the Z=boat} [Y vanish past] near {the W=place}.
{the Y=role.n} who [Y know past] {the Z=place} [Y avoid past] the rocks.
the lighthouse, built in {N=year:1850-1970}, lights {the Y=place} for {M=int:10-40} miles.
near {the Y=place} lived {Z=fish.p}, {W=fish.p} and a few people.
without wind, {the Y=boat.n} [Y stay past] {N=word:2-9} hours near {the Z=place}.
quote:
the sea is rough today
pull {the Y=net} now
I saw {a Y=boat} near {the Z=place}
{the Y=fish.p} have vanished from {this Z=place}
without {a Y=thing} nobody leaves {the Z=port}
net: net, rope
sail: sail, anchor
shore: beach, quay, river bank, shore
port: harbour, port, quay
#adj_b: fast, fragile, heavy, old, small
#full: full, empty
""",
    "clothes": """
role: tailor, dressmaker, designer, customer, model, shop assistant, embroiderer, shopkeeper
garment: shirt, dress, coat, blouse, jacket, skirt, waistcoat, uniform, jumper, cloak, tie, raincoat, gown
part: sleeve, collar, pocket, button, cuff, hem, zip, lining, seam, lapel
cloth: cotton, silk, linen, wool, velvet, lace, leather, denim, flannel
thing: needle, pair of scissors::pairs of scissors, thread, tape measure, thimble, pin, pattern, mirror, hanger
place: workshop, shop, boutique, shop window, laundry, fitting room, studio, fair
#adj: elegant, loose, tight, short, long, striped, embroidered, creased, expensive, soft
vp:
sew {a Y=garment.n} of {Z=cloth}
shorten {the Y=part.n} of {a Z=garment}
roll up {the Y=sleeve.p} of {the #adj Z=garment}
embroider {a Y=part.n} of {Z=cloth}
try on {a #adj Y=garment.n} in {the Z=place}
buy {N=int:2-30} metres of {Y=cloth} at {the Z=place}
iron {the Y=garment.n} of {Z=cloth} with care
tear {the Y=part.n} of {the Z=garment} on a nail
draw {a #adj Y=garment} for {a Z=role}
return {the #adj Y=garment.n} to {the Z=place}
look for {a Y=thing.n} in {the Z=place}
replace {the Y=part.n} of {a #adj Z=garment}
sell {N=int:3-60} {Y=garment.p} at {the Z=place}
measure {the Y=part.n} with {a Z=tape}
hang {the Y=garment.n} in front of {the Z=mirror}
remark:
{the Y=garment} of {Z=cloth} cost ${N=price:40-490} at {the W=place}.
the sleeves of {the Y=garment} were {N=int:2-9} centimetres too {#sl}.
{the Y=part.n} of {the Z=garment} [Y be past] {#adj @Y}, and {the W=role} noticed.
{the Y=place.n} [Y sell past] {N=int:20-600} {Z=garment.p} in (May|June|December).
{a #adj Y=garment} calls for good {Z=cloth} and {a #good W=thing}.
{the Y=role.n} who [Y wear past] {Z=cloth} [Y stop past] in front of {the W=mirror}.
in {N=year:1920-1990}, {the Y=garment} of {Z=cloth} was in fashion.
{a Y=part} was missing from {the Z=garment}, and {the W=role} laughed…
quote:
{this Y=part.n} [Y be pres] too {#adj @Y}
{the Y=garment} will be ready on (Monday|Wednesday|Friday)
with {this Y=cloth}, {the Z=garment} does not crease
ask:
have you got {a Y=garment} of {Z=cloth}
where did I put {the Y=thing}
sleeve: sleeve, cuff
mirror: mirror, hanger
tape: tape measure
#sl: short, long, wide
#good: fine, new, sharp
""",
}
