# ruff: noqa: E501, SIM905 - word lists read best as running text
"""English morphology: plurals, agreement of determiners, conjugation, a and an."""

from collections.abc import Sequence
from functools import cache

from ambos.sample.language import Language, Noun, Word
from ambos.sample.tokens import Token

# past and participle; one form serves both when only one is given
_IRREGULAR = {
    lemma: (forms.split()[0], forms.split()[-1])
    for lemma, forms in {
        "become": "became become", "begin": "began begun", "bring": "brought", "build": "built", "burn": "burned",
        "buy": "bought", "catch": "caught", "choose": "chose chosen", "come": "came come", "cost": "cost", "cut": "cut",
        "do": "did done", "draw": "drew drawn", "drink": "drank drunk", "drive": "drove driven", "eat": "ate eaten",
        "fall": "fell fallen", "feed": "fed", "feel": "felt", "fight": "fought", "find": "found", "fly": "flew flown",
        "forget": "forgot forgotten", "get": "got", "give": "gave given", "go": "went gone", "grow": "grew grown",
        "hang": "hung", "have": "had", "hear": "heard", "hide": "hid hidden", "hit": "hit", "hold": "held",
        "keep": "kept", "know": "knew known", "lay": "laid", "lead": "led", "learn": "learned", "leave": "left",
        "lend": "lent", "let": "let", "lose": "lost", "make": "made", "mean": "meant", "meet": "met", "pay": "paid",
        "put": "put", "read": "read", "ride": "rode ridden", "ring": "rang rung", "rise": "rose risen", "run": "ran run",
        "say": "said", "show": "showed shown", "see": "saw seen", "sell": "sold", "send": "sent", "set": "set", "sew": "sewed sewn",
        "shoot": "shot", "shut": "shut", "sing": "sang sung", "sit": "sat", "sleep": "slept", "speak": "spoke spoken",
        "spend": "spent", "spread": "spread", "stand": "stood", "steal": "stole stolen", "swim": "swam swum",
        "take": "took taken", "teach": "taught", "tell": "told", "think": "thought", "throw": "threw thrown",
        "understand": "understood", "wear": "wore worn", "win": "won", "write": "wrote written", "blow": "blew blown",
        "sink": "sank sunk", "rebuild": "rebuilt", "withdraw": "withdrew withdrawn", "tear": "tore torn", "sweep": "swept",
        "light": "lit", "dig": "dug", "grind": "ground", "shine": "shone", "weep": "wept", "strike": "struck", "dream": "dreamed", "bite": "bit bitten", "wake": "woke woken", "break": "broke broken",
    }.items()
}  # fmt: skip
_DOUBLING = frozenset(
    "stop plan rob grab trim knit chop stir drop wrap pat plug scan prefer admit refer dip mop ship slip trap tap "
    "unplug log fit swap hug travel cancel quarrel chat tip transfer occur dim skip drag peg pin rub submit bat hum strum spot dig acquit step".split()
)
_AUX = frozenset({"be", "have", "do"})
_DETERMINERS = {
    "a": ("a", "some"),
    "this": ("this", "these"),
    "that": ("that", "those"),
    "the": ("the", "the"),
    "every": ("every", "all"),
    "no": ("no", "no"),
    "much": ("much", "many"),
    "one": ("one", "several"),
    "another": ("another", "other"),
}
_BE = {"pres.s": "is", "pres.p": "are", "past.s": "was", "past.p": "were", "pres.1": "am", "past.1": "was"}
_AN_ANYWAY = ("hour", "honest", "heir", "honour", "8", "11", "18")
_A_ANYWAY = ("uni", "use", "usu", "europ", "one", "once", "ukulele", "ewe")
_UNSTRESSED = ("unin", "unim", "unus")  # "uninvited", "unimpressive": not the sound of "university"


def _s(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh")) or word in (
        "go",
        "do",
        "potato",
        "tomato",
        "hero",
        "echo",
        "mango",
    ):
        return word + "es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def nouns(spec: str) -> list[Noun]:
    """Read `word` or `word::plural`; a phrase inflects its last word unless it holds `of`."""
    word, _, many = (*spec.split(":"), "", "")[:3]
    if not many:
        head, of, rest = word.partition(" of ")
        first, _, last = head.rpartition(" ")
        many = f"{first} {_s(last)}".strip() + of + rest
    return [Noun(word, many, "n")]


@cache
def agree(lemma: str, gender: str, number: str) -> Word:  # noqa: ARG001 - the signature every language shares
    """Inflect a determiner for number; adjectives do not change."""
    if lemma in _DETERMINERS:
        return _DETERMINERS[lemma][number == "p"], "DET"
    return lemma, _CLOSED.get(lemma, "ADJ")


@cache
def _forms(lemma: str) -> dict[str, str]:
    stem = (
        lemma + lemma[-1]
        if lemma in _DOUBLING
        or lemma
        in ("sit", "run", "win", "cut", "put", "get", "hit", "set", "swim", "shut", "begin", "let", "forget")
        else lemma
    )
    if lemma.endswith("e"):
        past = lemma + "d"
    elif lemma.endswith("y") and lemma[-2] not in "aeiou":
        past = lemma[:-1] + "ied"
    else:
        past = stem + "ed"
    simple, participle = _IRREGULAR.get(lemma, (past, past))
    mute_e = lemma.endswith("e") and not lemma.endswith(("ee", "oe", "ye")) and lemma != "be"
    return {
        "pres.s": "has" if lemma == "have" else _s(lemma),
        "pres.p": lemma,
        "past": simple,
        "part": participle,
        "ger": (lemma[:-1] if mute_e else stem) + "ing",
        "inf": lemma,
    }


@cache
def conjugate(lemma: str, tense: str, number: str, gender: str) -> list[Word]:
    """Conjugate in the third person (or the first, number `1`), with auxiliaries and do-support."""
    if tense.startswith("neg."):
        plain = tense[4:]
        if lemma != "be" and plain in ("past", "pres"):
            return [*conjugate("do", plain, number, gender), ("not", "ADV"), (lemma, "VERB")]
        first, *rest = conjugate(lemma, plain, number, gender)
        return [("not", "ADV"), first, *rest] if plain in ("inf", "ger") else [first, ("not", "ADV"), *rest]
    if tense.startswith("pass."):
        return [*conjugate("be", tense[5:], number, gender), (_forms(lemma)["part"], "VERB")]
    if tense in ("fut", "plu"):
        helper, form = ("will", "inf") if tense == "fut" else ("had", "part")
        return [(helper, "AUX"), (_simple(lemma, form, number), "AUX" if lemma == "be" else "VERB")]
    if tense in ("prog", "imp") and lemma != "be":
        return [*conjugate("be", "past", number, gender), (_forms(lemma)["ger"], "VERB")]
    return [(_simple(lemma, tense, number), "AUX" if lemma in _AUX else "VERB")]


def _simple(lemma: str, tense: str, number: str) -> str:
    tense = "past" if tense == "imp" else tense
    if lemma == "be" and tense in ("pres", "past"):
        return _BE[f"{tense}.{number}"]
    if lemma == "be":
        return {"inf": "be", "ger": "being", "part": "been"}[tense]
    forms = _forms(lemma)
    if tense == "pres":
        return forms["pres.s" if number == "s" else "pres.p"]
    return forms[tense]


def article(following: str) -> str:
    """Return `a` or `an` by the sound that follows."""
    word = following.lower()
    if word.startswith(_AN_ANYWAY):
        return "an"
    if word.startswith(_A_ANYWAY) and not word.startswith(_UNSTRESSED):
        return "a"
    return "an" if word[0] in "aeiou" else "a"


def contract(tokens: Sequence[Token]) -> list[Token]:
    """Choose between a and an; join a possessive to its owner."""
    result = list(tokens)
    for index, token in enumerate(result[:-1]):
        if token.text in ("a", "an", "A", "An"):
            right = article(result[index + 1].text)
            result[index] = token._replace(text=right.capitalize() if token.text[0] == "A" else right)
    return result


_CLOSED = {
    word: tag
    for tag, words in {
        "ADP": "of in with for by about under between until from without against after on at into near across behind over",
        "DET": "the a an this these those his her their its",
        "PRON": "he she they it him them who nobody somebody everybody everything nothing we i you which what",
        "CCONJ": "and but or nor",
        "SCONJ": "because while when although if whether",
        "ADV": "not very always never yesterday today tomorrow here there already still also soon often again quite too "
        "almost only just rather really then now everywhere",
        "NUM": "two three four five six seven eight nine ten eleven twelve",
        "PART": "to",
    }.items()
    for word in words.split()
}
_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"

ENGLISH = Language(
    code="en",
    conjugate=conjugate,
    agree=agree,
    contract=contract,
    closed=_CLOSED,
    abbreviations=frozenset("Mr. Mrs. Ms. Dr. St. Prof. No. etc. a.m. p.m.".split()),
    numerals=tuple((word, word) for word in _UNITS.split()),
    decimal=".",
)
