"""Words with several senses, marked in sentences that tell which one is meant."""

from random import Random

from ambos.sample.grammar import Bound, Values
from ambos.sample.language import Noun
from ambos.sample.lexicon import Tongue
from ambos.sample.split import Item, LabelledSet, Part
from ambos.sample.tokens import Token, join, span_of


def sense_sentence(
    tongue: Tongue, sense: str, split: str, rng: Random, known: Values | None = None
) -> list[Token]:
    """Return a sentence where the variable `W` is the word of a sense.

    Held-out templates serve dev and test. `known` people and towns are used where a template asks for some.
    """
    template = rng.choice(tongue.senses[sense][split != "train"])
    word = sense.partition(".")[0]
    gender = "n" if tongue.code == "en" else "f" if word.endswith("a") else "m"
    values: Values = {"W": Bound(Noun(word, f"{word}s", gender), rng.choice("sp"))}
    for name, bound in (known or {}).items():
        if f"{name}=first" in template or f"{name}=city" in template:
            values[name] = bound
    return tongue.grammar.realise(template, rng, values=values, topic="senses")


def _senses(tongue: Tongue, part: Part, label: str, rng: Random) -> Item:
    tokens = sense_sentence(tongue, label, part.name, rng)
    text, spans = join(tokens)
    start, end = span_of("W", tokens, spans)
    row = {
        "text": text,
        "word": label.partition(".")[0],
        "start": start,
        "end": end,
        "sense": label,
        "language": tongue.code,
    }
    return Item(row, text)


SENSES = LabelledSet("senses", (2000, 300, 300), lambda tongue: tuple(tongue.senses), _senses)
