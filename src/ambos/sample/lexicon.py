"""Reads the word-list modules of a language into the lexicon that its grammar draws from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from types import ModuleType

from ambos.sample import (
    english,
    pairs_en,
    pairs_pt,
    portuguese,
    sets_en,
    sets_pt,
    topics_en,
    topics_pt,
    words_en,
    words_pt,
)
from ambos.sample.grammar import Bound, Grammar, Values
from ambos.sample.language import Language, Lexicon, Noun


@dataclass(frozen=True)
class Names:
    """Given names by gender, surnames and the words that stand for a person."""

    given: Mapping[str, Sequence[str]]
    surnames: Sequence[str]
    titles: Mapping[str, Sequence[str]]
    pronouns: Mapping[str, tuple[tuple[str, str], ...]]


class Lists:
    """Collects the classes written in the block format.

    `name: a, b` is a class of nouns, `#name: a, b` of adjectives, `%name: a, b` of verbs, and `name:` alone
    is followed by templates, one a line. A noun may carry a broader word: `mango~fruit` gives it the form
    `hyper`.
    """

    def __init__(self, read_noun: Callable[[str], list[Noun]]) -> None:
        self._read_noun = read_noun
        self.nouns: dict[str, list[Noun]] = {}
        self.adjectives: dict[str, list[str]] = {}
        self.verbs: dict[str, list[str]] = {}
        self.templates: dict[str, list[str]] = {}

    def read(self, block: str, prefix: str = "") -> None:
        """Add a block of classes, their names prefixed by a topic."""
        current: list[str] = []
        for line in block.strip().splitlines():
            name, colon, rest = line.partition(":")
            if not (colon and name.lstrip("#%").isidentifier()):
                current.append(line)
            elif not rest.strip():
                current = self.templates.setdefault(prefix + name, [])
            else:
                words = [word.strip() for word in rest.split(", ")]
                if name.startswith("#"):
                    self.adjectives[prefix + name[1:]] = words
                elif name.startswith("%"):
                    self.verbs[prefix + name[1:]] = words
                else:
                    self.nouns[prefix + name] = [noun for word in words for noun in self._noun(word)]

    def _noun(self, spec: str) -> list[Noun]:
        word, _, broader = spec.partition("~")
        nouns = self._read_noun(word)
        if not broader:
            return nouns
        return [Noun(n.sg, n.pl, n.gender, forms=(("hyper", broader),)) for n in nouns]


def person(names: Names, gender: str, first: str, last: str, rng: Random) -> Noun:
    """Return a character: first name, full name, title, pronouns."""
    title = rng.choice(names.titles[gender])
    forms = (("full", f"{first} {last}"), ("title", f"{title} {last}"), *names.pronouns[gender])
    return Noun(first, first, gender, "PROPN", "PER", forms=forms)


def random_person(names: Names, rng: Random) -> Noun:
    """Return a character with random names."""
    gender = rng.choice("mf")
    return person(names, gender, rng.choice(names.given[gender]), rng.choice(names.surnames), rng)


def proper(spec: str, entity: str) -> Noun:
    """Read `Name`, `Name:f`, `o Name:m` (with article) or `Name~Country`."""
    spec, _, country = spec.strip().partition("~")
    name, _, gender = spec.partition(":")
    first, _, rest = name.partition(" ")
    has_article = first in ("o", "a", "os", "as", "the")
    surface = rest if has_article else name
    number = surface  # a name has one number
    forms = (("country", country),) if country else ()
    return Noun(surface, number, gender or "m", "PROPN", entity, first if has_article else "", forms)


@dataclass(frozen=True, slots=True)
class Aspect:
    """Something that reviews judge, with the adjectives that praise and blame it."""

    domain: str
    thing: Noun
    praise: tuple[str, ...]
    blame: tuple[str, ...]


@dataclass(frozen=True)
class Tongue:
    """A language ready to write: its grammar, names, topics, and the data of the labelled sets."""

    grammar: Grammar
    names: Names
    topics: tuple[str, ...]
    aspects: tuple[Aspect, ...]
    senses: Mapping[
        str, tuple[tuple[str, ...], tuple[str, ...]]
    ]  # templates to train with, templates held out
    entities: Mapping[str, Mapping[str, Sequence[Noun]]]  # by split and kind
    paraphrases: tuple[tuple[str, ...], ...]  # families, one line a variant or a change
    entailments: tuple[tuple[str, ...], ...]  # families, one line a premise or a hypothesis
    facts: tuple[tuple[str, ...], ...]  # families, one line a title, sentence, distractor or question

    @property
    def code(self) -> str:
        """`pt` or `en`."""
        return self.grammar.language.code

    def cast(self, rng: Random) -> Values:
        """Return two characters, a town and an institution for one document."""
        first, second = random_person(self.names, rng), random_person(self.names, rng)
        while second.sg == first.sg:
            second = random_person(self.names, rng)
        nouns = {
            "C": first,
            "D": second,
            "T": self.grammar.noun("city", rng),
            "O": self.grammar.noun("org", rng),
        }
        return {name: Bound(noun) for name, noun in nouns.items()}


def _blocks(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(block.splitlines()) for block in text.strip().split("\n\n"))


def _aspect(line: str, read_noun: Callable[[str], list[Noun]]) -> Aspect:
    domain, thing, praise, blame = (part.strip() for part in line.split("|"))
    return Aspect(domain, read_noun(thing)[0], tuple(praise.split(", ")), tuple(blame.split(", ")))


def _entities(only: Mapping[str, Mapping[str, str]], names: Names) -> dict[str, dict[str, list[Noun]]]:
    result: dict[str, dict[str, list[Noun]]] = {}
    for split, kinds in only.items():
        people = []
        for first in kinds["given"].split():
            gender = "f" if first in names.given["f"] else "m"
            people += [
                Noun(
                    f"{first} {last}", first, gender, "PROPN", "PER", forms=(("last", last), ("first", first))
                )
                for last in kinds["surnames"].split()
            ]
        places = [proper(spec, "LOC") for spec in kinds["LOC"].split(",")]
        result[split] = {
            "PER": people,
            "LOC": places,
            "ORG": [proper(spec, "ORG") for spec in kinds["ORG"].split(",")],
        }
    return result


def _tongue(
    language: Language,
    read_noun: Callable[[str], list[Noun]],
    words: ModuleType,
    topics: ModuleType,
    sets: ModuleType,
    pairs: ModuleType,
) -> Tongue:
    names = Names(words.GIVEN, words.SURNAMES, words.TITLES, words.PRONOUNS)
    lists = Lists(read_noun)
    lists.read(words.COMMON)
    for topic, block in topics.TOPICS.items():
        lists.read(block, f"{topic}.")
        # Where people of the topic work: its places, unless some of them are no place to work at.
        lists.nouns.setdefault(f"{topic}.site", lists.nouns[f"{topic}.place"])
    for prefix, block in (
        ("sentiment", sets.SENTIMENT),
        ("senses", sets.SENSE_WORDS),
        ("agreement", sets.AGREEMENT),
        ("ner", sets.NER),
        ("pos", sets.POS),
        ("pair", pairs.WORDS),
        ("fact", pairs.FACT_WORDS),
    ):
        lists.read(block, f"{prefix}.")
    lists.adjectives["pair.comp"] = pairs.COMPARATIVES.split(", ")
    for name, (entity, spec) in words.PROPER.items():
        lists.nouns[name] = [proper(word, entity) for word in spec.split(",")]
    rng = Random("names")  # noqa: S311 - the same pairs of names whatever the seed
    people = [
        person(names, gender, first, rng.choice(names.surnames), rng)
        for gender in "mf"
        for first in names.given[gender]
    ]
    lists.nouns["first"] = people
    lists.nouns["surname"] = [Noun(last, last, "m", "PROPN", "PER") for last in names.surnames]
    lists.nouns["full"] = [
        Noun(f"{first} {last}", first, gender, "PROPN", "PER")
        for gender in "mf"
        for first in names.given[gender]
        for last in rng.sample(names.surnames, 6)
    ]
    return Tongue(
        grammar=Grammar(language, Lexicon(lists.nouns, lists.adjectives, lists.verbs, lists.templates)),
        names=names,
        topics=tuple(topics.TOPICS),
        aspects=tuple(_aspect(line, read_noun) for line in sets.ASPECTS.strip().splitlines()),
        senses={
            sense: (tuple(a.splitlines()), tuple(b.splitlines())) for sense, (a, b) in sets.SENSES.items()
        },
        entities=_entities(sets.NER_ONLY, names),
        paraphrases=_blocks(pairs.PARAPHRASE),
        entailments=_blocks(pairs.ENTAILMENT),
        facts=_blocks(pairs.FACTS),
    )


@cache
def tongues() -> tuple[Tongue, Tongue]:
    """Return Portuguese and English, read once."""
    return (
        _tongue(portuguese.PORTUGUESE, portuguese.nouns, words_pt, topics_pt, sets_pt, pairs_pt),
        _tongue(english.ENGLISH, english.nouns, words_en, topics_en, sets_en, pairs_en),
    )
