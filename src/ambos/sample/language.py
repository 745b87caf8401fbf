"""What a language brings to the grammar: nouns, rules of inflection, word lists."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ambos.sample.tokens import Token

Word = tuple[str, str]  # the text and its tag


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun or name: its two numbers, its gender, and further forms (`full`, `pron`...) of a character."""

    sg: str
    pl: str
    gender: str = "m"
    tag: str = "NOUN"
    entity: str = ""
    article: str = ""
    forms: tuple[tuple[str, str], ...] = ()

    def form(self, name: str) -> str:
        """Return a named form, or the singular when the noun has no such form."""
        return next((form for kind, form in self.forms if kind == name), self.sg)


@dataclass(frozen=True)
class Language:
    """All that differs between languages besides the word lists."""

    code: str
    conjugate: Callable[[str, str, str, str], list[Word]]  # lemma, tense, number, gender
    agree: Callable[[str, str, str], Word]  # lemma, gender, number
    contract: Callable[[Sequence[Token]], list[Token]]
    closed: Mapping[str, str]  # tags of the words that belong to one closed class
    abbreviations: frozenset[str]
    numerals: tuple[tuple[str, str], ...]  # masculine and feminine, from zero
    decimal: str


@dataclass(frozen=True)
class Lexicon:
    """Named lists of nouns, adjectives, verbs and templates; `topic.name` hides a plain `name`."""

    nouns: Mapping[str, Sequence[Noun]]
    adjectives: Mapping[str, Sequence[str]]
    verbs: Mapping[str, Sequence[str]]
    templates: Mapping[str, Sequence[str]]
