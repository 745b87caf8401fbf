"""Pairs of texts: the same said twice or not, and a premise with what follows from it or not."""

from random import Random

from ambos.sample.grammar import Values
from ambos.sample.lexicon import Tongue
from ambos.sample.split import Item, LabelledSet, Part

PARAPHRASE_LABELS = ("paraphrase", "different")
ENTAILMENT_LABELS = ("entailment", "neutral", "contradiction")
_LETTER = {"entailment": "E", "neutral": "N", "contradiction": "C"}


def _change(values: Values, change: str, family: list[str], tongue: Tongue, rng: Random) -> Values:
    """Return the same facts with one of them altered: two swapped, one replaced, or the polarity turned."""
    kind, *names = change.split()
    altered = dict(values)
    if kind == "swap":
        first, second = names
        altered[first], altered[second] = values[second], values[first]
    elif kind == "flip":
        altered[names[0]] = values[names[0]]._replace(positive=not values[names[0]].positive)
    else:
        while altered.get(names[0]) in (None, values[names[0]]):
            altered.pop(names[0], None)
            tongue.grammar.bind(family[0], rng, altered, "pair")
    return altered


def _subject(values: Values) -> str:
    """Return whom or what a pair is about: each family keeps some of these for dev and for test."""
    noun = next((values[name].noun for name in ("X", "P", "Y") if name in values), None)
    return noun.sg if noun else ""


def _paraphrase(tongue: Tongue, part: Part, label: str, rng: Random) -> Item | None:
    index = rng.randrange(len(tongue.paraphrases))
    lines = tongue.paraphrases[index]
    variants = [line[2:] for line in lines if line.startswith("=")]
    values: Values = {}
    tongue.grammar.bind(variants[0], rng, values, "pair")
    if not part.keeps(f"{tongue.code}/{index}/{_subject(values)}"):
        return None
    facts = dict(values)
    if label == "different":
        change = rng.choice([line[2:] for line in lines if line.startswith("~")])
        facts = _change(values, change, variants, tongue, rng)
    # Both labels draw the two wordings alike: neither text nor their overlap tells the label.
    text_a = tongue.grammar.text(rng.choice(variants), rng, values=facts, topic="pair")
    text_b = tongue.grammar.text(rng.choice(variants), rng, values=values, topic="pair")
    if text_a == text_b:
        return None
    row = {"text_a": text_a, "text_b": text_b, "label": label, "language": tongue.code}
    return Item(row, f"{text_a}\t{text_b}")


def _entailment(tongue: Tongue, part: Part, label: str, rng: Random) -> Item | None:
    index = rng.randrange(len(tongue.entailments))
    lines = tongue.entailments[index]
    premises = [line[3:] for line in lines if line.startswith("P:")]
    hypothesis, _, marks = rng.choice([line[3:] for line in lines if line.startswith("H:")]).partition(" | ")
    fitting = [
        premise for premise, mark in zip(premises, marks.split(), strict=True) if mark == _LETTER[label]
    ]
    # The hypothesis is drawn before the premise: alone it says nothing of the label.
    values: Values = {}
    text_b = tongue.grammar.text(hypothesis, rng, values=values, topic="pair")
    if not part.keeps(f"{tongue.code}/{index}/{_subject(values)}"):
        return None
    text_a = tongue.grammar.text(rng.choice(fitting), rng, values=values, topic="pair")
    row = {"text_a": text_a, "text_b": text_b, "label": label, "language": tongue.code}
    return Item(row, f"{text_a}\t{text_b}")


PARAPHRASE = LabelledSet("paraphrase", (4000, 500, 500), lambda _: PARAPHRASE_LABELS, _paraphrase)
ENTAILMENT = LabelledSet("entailment", (4500, 600, 600), lambda _: ENTAILMENT_LABELS, _entailment)
