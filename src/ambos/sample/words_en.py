# ruff: noqa: E501, ISC004, SIM905 - word lists and templates read best as running text
"""English names and the phrases that documents of every topic share."""

GIVEN = {
    "f": (
        "Alice Barbara Clara Diana Emma Florence Grace Hannah Irene Julia Kate Laura Mary Nora Olive Pauline Rachel Sarah Tessa "
        "Violet Wendy Agnes Bridget Charlotte Dorothy Edith Fiona Gemma Harriet Isabel Joan Karen Lucy Margaret Nancy Ophelia Penny "
        "Rose Susan Thelma Ursula Victoria Amelia Beryl Cynthia Daphne Eleanor Flora Gloria Helen Ivy"
    ).split(),
    "m": (
        "Adam Benjamin Charles Daniel Edward Frank George Henry Isaac Jack Kevin Leonard Martin Nathan Oliver Peter Quentin Robert "
        "Simon Thomas Victor Walter Albert Bernard Colin Dennis Ernest Fred Gordon Harold Ian James Keith Lewis Matthew Neil Oscar "
        "Patrick Ralph Stephen Timothy Vincent William Arthur Brian Clive Douglas Eric Graham Hugh"
    ).split(),
}
SURNAMES = (
    "Abbott Baker Carter Dalton Ellis Fletcher Gibson Harper Ingram Jarvis Kendall Lawson Mercer Newton Osborne Parker Quincy "
    "Reynolds Sawyer Thornton Underwood Vaughan Walker York Ashford Barlow Crawford Drake Emerson Farrell Goodwin Hartley Irving "
    "Jennings Kingsley Langley Mitchell Norwood Oakley Preston Ramsey Stafford Turner Upton Vance Washington Wells Atkins Bolton "
    "Chandler Denton Everett Foster Graves Hudson Lincoln Marsh Nolan Palmer Radley Sutton Tucker Weaver Wilkins Archer Bishop "
    "Cole Draper Fisher Gardner Holland Jordan Kirby Lowell Madison Porter Rhodes Spencer Travis Webster Winslow Brooks Hayes"
).split()
TITLES = {"f": ("Dr.", "Mrs.", "Ms.", "Prof."), "m": ("Dr.", "Mr.", "Mr.", "Prof.")}
PRONOUNS = {
    "f": (("pron", "she"), ("obj", "her"), ("poss", "her")),
    "m": (("pron", "he"), ("obj", "him"), ("poss", "his")),
}
PROPER = {
    "city": (
        "LOC",
        "Washington~the United States,Boston~the United States,Denver~the United States,Lincoln~the United States,Austin~the United States,"
        "Madison~the United States,London~England,Bristol~England,York~England,Leeds~England,Preston~England,Dublin~Ireland,Cork~Ireland,"
        "Galway~Ireland,Sydney~Australia,Perth~Australia,Melbourne~Australia,Toronto~Canada,Halifax~Canada,Ottawa~Canada,Florence~Italy,"
        "Rome~Italy,Venice~Italy,Paris~France,Lyon~France,Berlin~Germany,Hamburg~Germany,Madrid~Spain,Seville~Spain,Lisbon~Portugal,"
        "Millbrook~England,Ashby Hill~England,Port Marlow~England,Stone Harbour~Canada,Green Hollow~Ireland,Silver Creek~Canada,"
        "New Denby~Australia,Saltmarsh~England,Elm Falls~the United States,Northgate~England,Clearwater~Canada,Long Meadow~the United States",
    ),
    "org": (
        "ORG",
        "the Northern Bank,Aurora Press,St Anne Hospital,Highland Athletic Club,Valley University,the Star Bakery,the Blue Sea Institute,"
        "the Southern Railway Company,the Carter Foundation,Horizon College,Plateau Radio,the Hill Gazette,the Good Harvest Cooperative,"
        "the Museum of Fishing,the Swallow Factory,the City Theatre,Shoal Books,Washington Rovers,the Coast Orchestra,the Mercer Group,"
        "Heron Coaches,Quartz Laboratories,the Sunflower Workshop",
    ),
    "country": ("LOC", "Brazil,Portugal,Peru,Italy,Spain,France,Germany,Angola,Chile,Japan,Mexico,India"),
}

COMMON = """
colour: blue, red, green, yellow, white, grey, orange, brown, purple, black
month: January, February, March, April, May, June, July, August, September, October, November, December
weekday: Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday
#size: large, small, enormous, tiny, heavy, light, round
#rolea: experienced, young, famous, tired, patient, attentive, nervous, kind, absent-minded, stubborn, shy, curious, prudent
feeling: joy, fear, pride, shame, anger, relief, longing, surprise, gratitude, doubt, haste, calm, hope, sadness, tenderness, envy
family: brother, sister, cousin, uncle, aunt, grandmother, grandfather, nephew, niece, godmother, brother-in-law::brothers-in-law
when:
the next morning
that (afternoon|evening|week)
on {M=month} {N=int:2-28}
in {N=year:1955-2023}
at {N=int:6-11} (in the morning|at night)
a few days later
before (lunch|dinner|nightfall)
{N=word:2-12} weeks later
on a {W=weekday} in {M=month}
at the end of {M=month}
during the (summer|winter|autumn|spring)
early in the day
months later
conn:
after that
for this reason
even so
besides
however
in time
little by little
suddenly
at last
meanwhile
in spite of everything
to everyone’s surprise
luckily
unfortunately
as always
this time
manner:
with (great|little|some) {Y=feeling}
with {Y=feeling} and {Z=feeling}
without (haste|enthusiasm|delay|help|explanation)
(slowly|quickly|calmly|carefully|discreetly|cheerfully|silently|patiently)
(shyly|bravely|absently|gently|secretly|sincerely|sadly|coldly|solemnly|anxiously|kindly|wearily|eagerly)
(abruptly|delicately|politely|easily|firmly|generously|humbly|uselessly|nervously|stubbornly|proudly|prudently|clumsily|gladly|hastily|quietly|warmly|awkwardly|boldly|gracefully)
as if for the (first|last) time
in front of everybody
beside {a Y=family.n}
without a word to {the Y=family.n}
reason:
because {the Y=family.n} [Y ask plu]
because there was no other way
since {D} could not
to help {D}
because it was {M=month} and money was short
because {the Y=role.n} of {the Z=place} [Y insist past]
to please {the Y=role.n} of {T}
opening:
in {N=year:1955-2021}, {C.full} came to {T} to work in {a P=site}.
everybody in {T} knew {C.full}, who spent the days in {a P=site}.
{C.full} was born in {T} on {M=month} {N=int:2-28}, {Y=year:1930-2001}, and grew up near {a P=site}.
{C.full} and {D.full} met in {a P=site} in {T} one {M=month}.
in {T} there is {a P=site} that {C.full} never forgot.
<when>, {C.full} <vp C past> and decided to stay in {T}.
for {N=int:3-40} years {C.full} has gone to {a P=site} in {T} every day.
this is the story of {C.full}, {a R=friend} of {D.full}, and of {a P=site} in {T}.
nobody expected {C.full} to come back to {T} in {M=month}.
{O} hired {C.full} in {N=year:1970-2022} to look after {a P=site} in {T}.
life:
lose {the #mood Y=object.n} near {the P=site}
write {a #tone Y=letter} to {a Z=family.n}
dream of {a #mood Y=object}
find {a Y=object.n} under {the Z=furniture}
hide {the Y=object.n} in {a Z=furniture}
quarrel with {the Y=family.n} over {a Z=object}
wrap {a #mood Y=object} for {a Z=family.n}
lend {a Y=object.n} to {a Z=family.n}
break {a #mood Y=object} by accident
telephone {a Y=family.n} to ask for {a Z=object}
dine with {a Y=family.n} near {the P=site}
remember {a #mood Y=object} from childhood
search {the Z=furniture} and {the W=furniture} for {a Y=object.n}
receive {a #tone Y=letter} from {a Z=family}
sleep beside {a #mood Y=furniture}
choose {a #mood Y=wear.n} for the evening
wash {a Y=wear.n} and {a Z=object}
drag {a #mood Y=object.n} up the stairs
embrace {a Y=family.n} in front of {the P=site}
crave {a #mood Y=object}
build {a #mood Y=furniture} from old timber
win {a Y=object.n} in a raffle
refuse {a #mood Y=object} as a present
imagine {a Y=furniture} full of {Z=object.p}
weep over {a Y=letter}
laugh at {a #mood Y=wear} of {a Z=family}
polish {the Y=furniture.n} and {the Z=furniture.n}
lock {the Y=object.n} in {a #mood Z=furniture}
admire {a #mood Y=object} for {N=int:5-50} minutes
leave {a Y=object} with {the Z=family.n}
swap {a Y=object} for {a #mood Z=wear}
steal {a Y=object} from {a Z=furniture}
mention {a #tone Y=letter} to {the Z=family.n}
fetch {the Y=wear.n} from {the Z=furniture}
frame:
<conn>, {S} <vp S past>.
<when>, {S} <vp S past> <manner>.
{S} <vp S past> and <vp S past>.
{S} <life S past>.
<when>, {S} <life S past> <manner>.
<conn>, {D} <life D past>, and {S} <vp S past>.
{the X=role.n} who <vp X past> <life X past>.
before {S} could <life S inf>, {D} <vp D past>.
{S} was {#state}, but <vp S past>.
{#state} and {#state}, {S} <life S past>.
<when>, {S} <vp S past>, but <vp S neg.past>.
while {D} <vp D imp>, {S} <vp S past>.
{S} wanted to <vp S inf>, <reason>.
{the X=role.n} who <vp X past> <when> also <vp X past>.
{the #rolea X=role.n} of {the P=site} <vp X past> <manner>.
when {S} arrived, {the X=role.n} had already left {the P=site}.
{S} knew that {the X=role.n} who <vp X past> <vp X neg.past>.
<conn>, {S} <vp S past> <reason>.
{the X=role.n} and {the Y=role.n} who <vp 3p past> did not please {D}.
according to {D}, {S} <vp S past> <when>.
{D} <vp D past>; {S}, however, <vp S past>.
{S} spent {N=word:2-9} hours trying not to <vp S inf>.
before starting to <vp S inf>, {S} spoke to {the #rolea X=role.n} of {T}.
{the X=role.n} that {D} had met in {T} <vp X past>.
it was not easy: {S} <vp S past>, and {the X=role.n} <vp X past>.
{the X=family.n} of {D} <vp X past> <when>.
instead of offering to <vp S inf>, {S} decided to <vp S inf>.
{S} felt {Y=feeling} when {D} <vp D past>.
every year, in {M=month}, {S} <vp S pres> and {D} <vp D pres>.
<conn>, {the X=role.n} of {T} <vp X past>.
<when>, {D} and {C} left {the P=site} to <vp 3p inf>.
it was {M=month}, and {S} used to <vp S inf> almost every day.
{S} had never managed to <vp S inf>, but <when> {S} <vp S past>.
if {D} <vp D neg.past>, it was out of {Y=feeling}, {S} thought.
of the {N=int:10-40} guests of {D}, only {N2=word:3-9} saw {the X=role} of {O}.
{the #rolea X=role.n}, who almost never [X speak past], <vp X past> <manner>.
{S} promised {D} to <vp S inf> <when>.
dialogue:
“<quote>,” {S} said.
“<quote>!” shouted {D}, <manner>.
“<quote>…” {S} murmured.
“<quote>,” answered {the X=role} of {the P=site}, and {D} agreed.
“<quote>,” explained {D}. {S} did not answer.
“<quote>,” {S} wrote to {D} <when>.
“{D}, <ask>?” {S} asked.
“<ask>?” asked {D}, <manner>.
ask:
what happened in {the P=site}
who called {the #rolea X=role.n}
has {the X=role} arrived in {T}
where [X be pres] {the X=role.n} of {the P=site}
closing:
to this day, {S} <vp S pres>, and so does {D}.
that is how {C} and {D} stayed in {T}.
<when>, {S} left {T}, but {D} still <vp D pres>.
whoever passes through {T} can still find {the P=site} where {S} <vp S past>.
{S} kept a picture of {D} in {the P=site}, and nothing more was said about {Y=month}.
in the end, {D} <vp D past>, {S} <vp S past>, and {T} was calm again in {M=month}.
"""
COMMON += """
object: ring, mirror, portrait, hat, toy, drum, lantern, fan, deck of cards::decks of cards, penknife::penknives, bell, doll, walking stick, key ring, stamp, envelope, coin, medal, bracelet, necklace, earring, comb, bar of soap::bars of soap, towel, pillow, blanket, sheet, hammer, nail, ladder, bucket, broom, bottle, glass, cup, plate, fork, basket, ball of wool::balls of wool, almanac, album, diary, inkwell, paintbrush, easel, telescope, compass, magnifying glass, hourglass, cage, fishing rod, kite, spinning top, marble, seal, globe, whistle, casket, torch, match, candle, candlestick, locket, funnel, jar, teapot, napkin, rope, thimble, umbrella, violin case, wallet, purse, brooch, button, feather, shell, pebble, harmonica, rattle, stool, wheel, chessboard, typewriter, saucer, pitcher, tray, quilt, cushion, lampshade, notebook, calendar, razor, sponge, wreath
furniture: wardrobe, drawer, shelf::shelves, chest, bed, sofa, armchair, writing desk, dresser, cradle, cupboard, table, cabinet, sideboard, trunk, bookcase
letter: letter, note, telegram, message, postcard, invitation, notice, poem, confession
wear: coat, cap, scarf::scarves, dress, suit, sandal, boot, sock, glove, nightgown, cape, belt, apron, shawl, bonnet, slipper, cardigan, vest
#mood: golden, broken, forgotten, rusty, valuable, strange, common, perfumed, faded, tiny, gigantic, inherited, borrowed, cheap, luxurious, mysterious, torn, shiny, dusty, precious, crooked, round, square, fragile, useless, funny, dirty, clean, enormous, ancient, modern, foreign, wooden, silver, velvety, hollow, smooth, sticky, pale, dull
#tone: sad, long, short, unexpected, anonymous, secret, affectionate, urgent, confusing, belated
#state: tired, happy, worried, confident, ill, late, alone, busy, discouraged, excited, satisfied, frightened, impatient, sleepy, hungry, moved, confused, determined, sorry, relieved, furious, ashamed, lonely, grateful, jealous, thoughtful, breathless, restless, homesick, speechless
friend: friend, cousin, neighbour, colleague, former pupil, rival
"""
