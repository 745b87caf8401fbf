"""Subject and verb with growing distance between them: phrases, relative clauses, both nested."""

import re
from collections.abc import Callable, Sequence
from random import Random

from ambos.sample.grammar import Bound, Values
from ambos.sample.lexicon import Tongue
from ambos.sample.split import Item, LabelledSet, Part
from ambos.sample.tokens import PUNCTUATION, Token, capitalise, join, span_of

BINS = ((0, 0), (1, 3), (4, 6), (7, 10), (11, 15), (16, 30))
_MODIFIERS = ((0, 0), (1, 1), (1, 2), (1, 2), (2, 3), (2, 4))  # how many to try for each bin
_LABELS = tuple(f"{index}{number}" for index in range(len(BINS)) for number in "sp")
_DETERMINERS = {"pt": ("o", "aquele", "este", "esse"), "en": ("the", "that", "this")}
_TENSES = {"pt": ("pres", "past", "imp"), "en": ("pres",)}  # the tenses that mark number
_AND = {"pt": "e", "en": "and"}
_ENDS_IN_PERSON = re.compile(r"\{[^{}]*A=other[^{}]*\}$")


def _modifiers(tongue: Tongue, subject: Bound, count: int, rng: Random) -> list[Token]:
    grammar = tongue.grammar
    tokens: list[Token] = []
    clauses = 0
    # A phrase comes before the clauses, or it would seem to belong to them.
    kinds = ["rel"] * count
    if count and rng.random() < 0.5:
        kinds[0] = "pp"
    for kind in kinds:
        template = grammar.pick(kind, rng, "agreement")
        if kind == "rel":
            if _ENDS_IN_PERSON.search(template) and rng.random() < 0.6:
                template = f"{template} {grammar.pick('inner', rng, 'agreement')}"
            template = f"{_AND[tongue.code]} {template}" if clauses else template
            clauses += 1
        tokens += grammar.fragment(template, rng, values={"X": subject}, topic="agreement")
    return tokens


def distance(tokens: Sequence[Token], head: int, verb: int) -> int:
    """Return the number of words strictly between two tokens."""
    return sum(token.text not in PUNCTUATION for token in tokens[head + 1 : verb])


def attractors(tokens: Sequence[Token], number: str) -> int:
    """Return how many nouns among tokens have the other number; a name of several words is one."""
    count = 0
    before = ""
    for token in tokens:
        is_noun = token.tag in ("NOUN", "PROPN") and token.number not in ("", number)
        count += is_noun and token.var != before
        before = token.var
    return count


def agreement_sentence(
    tongue: Tongue, label: str, rng: Random, keeps: Callable[[str], bool] = lambda _: True
) -> tuple[list[Token], int, int, str] | None:
    """Return tokens, the places of subject and verb, and the verb in the wrong number.

    None when the distance missed its bin, or when `keeps` refuses the pair of subject and verb.
    """
    low, high = BINS[int(label[0])]
    grammar = tongue.grammar
    subject = Bound(grammar.noun("human", rng, "agreement"), label[1])
    lemma = rng.choice(grammar.lexicon.verbs["agreement.verb"])
    tense = rng.choice(_TENSES[tongue.code])
    if not keeps(f"{tongue.code}/{subject.noun.sg if subject.noun else ''}/{lemma}"):
        return None
    values: Values = {"X": subject, "V": Bound(lemma=lemma)}
    lead = grammar.fragment(f"{{{rng.choice(_DETERMINERS[tongue.code])} X}}", rng, values=values)
    head = len(lead) - 1
    between = _modifiers(tongue, subject, rng.randint(*_MODIFIERS[int(label[0])]), rng)
    tail = grammar.fragment(f"[X V {tense}] <tail>.", rng, values=values, topic="agreement")
    tokens = capitalise([*lead, *between, *tail])
    verb = len(lead) + len(between)
    if not low <= distance(tokens, head, verb) <= high:
        return None
    gender = subject.noun.gender if subject.noun else "m"
    wrong = grammar.language.conjugate(lemma, tense, "s" if label[1] == "p" else "p", gender)[0][0]
    return tokens, head, verb, wrong


def _agreement(tongue: Tongue, part: Part, label: str, rng: Random) -> Item | None:
    made = agreement_sentence(tongue, label, rng, part.keeps)
    if made is None:
        return None
    tokens, head, verb, wrong = made
    text, spans = join(tokens)
    subject_start, subject_end = span_of("X", tokens, spans)
    row = {
        "text": text,
        "subject_start": subject_start,
        "subject_end": subject_end,
        "verb_start": spans[verb][0],
        "verb_end": spans[verb][1],
        "right": tokens[verb].text,
        "wrong": wrong,
        "number": "singular" if label[1] == "s" else "plural",
        "distance": distance(tokens, head, verb),
        "attractors": attractors(tokens[head + 1 : verb], label[1]),
        "language": tongue.code,
    }
    return Item(row, text)


AGREEMENT = LabelledSet("agreement", (4000, 600, 1200), lambda _: _LABELS, _agreement)
