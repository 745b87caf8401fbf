"""Sentences with a tag on every word: named entities and parts of speech."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from ambos.sample.grammar import Bound, Values
from ambos.sample.language import Noun
from ambos.sample.lexicon import Tongue
from ambos.sample.split import Item, LabelledSet, Part
from ambos.sample.tokens import Token, join

UPOS = ("NOUN", "VERB", "AUX", "ADJ", "ADV", "DET", "ADP", "PRON", "PROPN", "NUM", "PUNCT", "CCONJ", "SCONJ")


def bio(tokens: Sequence[Token]) -> list[str]:
    """Return the BIO tags of tokens: a mention is a run of one variable."""
    tags = []
    before = ""
    for token in tokens:
        inside = token.entity and token.var == before
        tags.append(f"{'I' if inside else 'B'}-{token.entity}" if token.entity else "O")
        before = token.var if token.entity else ""
    return tags


def _templates(tongue: Tongue, name: str, split: str) -> Sequence[str]:
    templates = tongue.grammar.lexicon.templates
    return (
        templates[f"{name}.train"]
        if split == "train"
        else [*templates[f"{name}.train"], *templates[f"{name}.test"]]
    )


def _mention(noun: Noun, rng: Random) -> Noun:
    if noun.entity != "PER" or rng.random() < 0.6:
        return noun
    short = noun.form(rng.choice(("first", "last")))
    return replace(noun, sg=short, pl=short)


def _ner(tongue: Tongue, part: Part, label: str, rng: Random) -> Item:  # noqa: ARG001 - one signature for all sets
    kinds = tongue.entities[part.name]
    values: Values = {}
    for names, kind in (("XY", "PER"), ("LK", "LOC"), ("OP", "ORG")):
        for name, noun in zip(names, rng.sample(list(kinds[kind]), 2), strict=True):
            values[name] = Bound(_mention(noun, rng))
    tokens = tongue.grammar.realise(
        rng.choice(_templates(tongue, "ner", part.name)), rng, values=values, topic="ner"
    )
    return _item(tokens, bio(tokens), tongue)


def _pos(tongue: Tongue, part: Part, label: str, rng: Random) -> Item:  # noqa: ARG001 - one signature for all sets
    tokens = tongue.grammar.realise(rng.choice(_templates(tongue, "pos", part.name)), rng, topic="pos")
    tags = [token.tag for token in tokens]
    if not set(tags) <= set(UPOS):
        raise ValueError(
            f"a template leaves a word without its part of speech: {[(t.text, t.tag) for t in tokens]}"
        )
    return _item(tokens, tags, tongue)


def _item(tokens: Sequence[Token], tags: Sequence[str], tongue: Tongue) -> Item:
    words = [token.text for token in tokens]
    return Item({"words": words, "tags": list(tags), "language": tongue.code}, join(tokens)[0])


NER = LabelledSet("ner", (3000, 400, 400), lambda _: ("",), _ner)
POS = LabelledSet("pos", (3000, 400, 400), lambda _: ("",), _pos)
