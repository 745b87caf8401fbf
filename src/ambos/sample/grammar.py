"""Writes templates in one language: binds variables, makes words agree, returns tagged tokens."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple, TypeVar

from ambos.sample.language import Language, Lexicon, Noun
from ambos.sample.template import Choice, Head, Item, Macro, Modifier, Phrase, Verb, parse
from ambos.sample.tokens import Token, capitalise, join

OUTER = frozenset({"C", "D", "S", "T", "O"})  # a document's characters, subject mention, town and institution

T = TypeVar("T")


class Bound(NamedTuple):
    """What a variable stands for: a noun in a number, a lemma (adjective or verb), or a polarity."""

    noun: Noun | None = None
    number: str = "s"
    lemma: str = ""
    positive: bool = True


_NEUTER = Noun("", "")  # what an adjective without a noun agrees with
Values = dict[str, Bound]


class Grammar:
    """Realises templates in one language.

    Parameters
    ----------
    language
        The rules: inflection, contraction, closed classes.
    lexicon
        The word and template lists that slots draw from.
    """

    def __init__(self, language: Language, lexicon: Lexicon) -> None:
        self.language = language
        self.lexicon = lexicon
        self._parse = lru_cache(maxsize=None)(lambda template: parse(template, language))

    def pick(self, name: str, rng: Random, topic: str = "") -> str:
        """Return a random template of a named list, the topic's own list first."""
        return rng.choice(self._find(self.lexicon.templates, name, topic))

    def noun(self, name: str, rng: Random, topic: str = "") -> Noun:
        """Return a random noun of a class, the topic's own class first."""
        return rng.choice(self._find(self.lexicon.nouns, name, topic))

    def realise(
        self,
        template: str,
        rng: Random,
        *,
        values: Values | None = None,
        topic: str = "",
    ) -> list[Token]:
        """Turn a template into tokens.

        Parameters
        ----------
        template
            The text with marks that `template` describes.
        rng
            Source of every choice.
        values
            Variables already bound; those bound here are added, so that a second template can speak of the
            same things.
        topic
            Whose word lists come first.

        Returns
        -------
        list of Token
            Contracted, with the first word of each sentence capitalised.
        """
        return capitalise(self.fragment(template, rng, values=values, topic=topic))

    def fragment(
        self, template: str, rng: Random, *, values: Values | None = None, topic: str = ""
    ) -> list[Token]:
        """Realise a part of a sentence: as `realise`, without the capital letter."""
        values = {} if values is None else values
        tokens = self.language.contract(self._realise(self._parse(template), rng, values, topic))
        # The point of an abbreviation also ends the sentence: "at 7 a.m."
        if len(tokens) > 1 and tokens[-1].text == "." and tokens[-2].text.endswith("."):
            tokens.pop()
        return tokens

    def text(self, template: str, rng: Random, *, values: Values | None = None, topic: str = "") -> str:
        """Realise a template and join its tokens."""
        return join(self.realise(template, rng, values=values, topic=topic))[0]

    def _realise(self, parsed: tuple[Item, ...], rng: Random, values: Values, topic: str) -> list[Token]:
        items = self._choose(parsed, rng)
        self._bind(items, rng, values, topic)
        tokens: list[Token] = []
        for item in items:
            if isinstance(item, Token):
                tokens.append(item)
            elif isinstance(item, Phrase):
                tokens.extend(self._write_phrase(item, rng, values, topic))
            elif isinstance(item, Verb):
                tokens.extend(self._write_verb(item, values))
            elif isinstance(item, Macro):
                tokens.extend(self._write_macro(item, rng, values, topic))
        return tokens

    def bind(self, template: str, rng: Random, values: Values, topic: str = "") -> None:
        """Bind the variables of a template without writing it."""
        self._bind(self._choose(self._parse(template), rng), rng, values, topic)

    def _bind(self, items: Sequence[Item], rng: Random, values: Values, topic: str) -> None:
        # All variables are bound before any word is written: a determiner stands before its noun.
        for item in items:
            if isinstance(item, Phrase):
                if item.binds:
                    self._bind_phrase(item, rng, values, topic)
            elif isinstance(item, Verb) and (item.verb_class or item.polarity):
                self._bind_verb(item, rng, values, topic)

    def _choose(self, items: Sequence[Item], rng: Random) -> Sequence[Item]:
        if Choice not in map(type, items):
            return items
        chosen: list[Item] = []
        for item in items:
            if isinstance(item, Choice):
                chosen.extend(self._choose(rng.choice(item.options), rng))
            else:
                chosen.append(item)
        return chosen

    def _bind_phrase(self, phrase: Phrase, rng: Random, values: Values, topic: str) -> None:
        for part in phrase.parts:
            if (
                isinstance(part, Head)
                and part.noun_class
                and part.number in ("s", "p")
                and part.var in values
            ):
                # The same thing in another number: "apples" after "an apple".
                values[part.var] = values[part.var]._replace(number=part.number)
            is_reference = isinstance(part, Head) and not part.noun_class  # its binding may stand later
            if not part.var or part.var in values or is_reference:
                continue
            if isinstance(part, Modifier):
                values[part.var] = Bound(
                    lemma=rng.choice(self._find(self.lexicon.adjectives, part.adjective_class, topic))
                )
            else:
                values[part.var] = self._bind_head(part, rng, values, topic)

    def _bind_head(self, head: Head, rng: Random, values: Values, topic: str) -> Bound:
        kind, _, limits = head.noun_class.partition(":")
        if kind in ("less", "more"):  # relative to a number bound before
            base = int((values[limits].noun or _NEUTER).sg)
            limits = f"{base // 2}-{base - 1}" if kind == "less" else f"{base + 1}-{base * 2}"
        if limits:
            return Bound(self.number(kind, limits, rng), "p")
        number = rng.choice("sp") if head.number == "n" else head.number
        options = self._find(self.lexicon.nouns, head.noun_class, topic)
        taken = [bound.noun.sg for bound in values.values() if bound.noun is not None]
        noun = rng.choice(options)
        # Two variables of one template are two things; a small class may run out, so the tries are few.
        for _ in range(8):
            if noun.sg not in taken:
                break
            noun = rng.choice(options)
        return Bound(noun, number)

    def _bind_verb(self, verb: Verb, rng: Random, values: Values, topic: str) -> None:
        if verb.verb_class and verb.var not in values:
            values[verb.var] = Bound(lemma=rng.choice(self._find(self.lexicon.verbs, verb.verb_class, topic)))
        if verb.polarity and verb.polarity not in values:
            values[verb.polarity] = Bound(positive=rng.random() < 0.5)

    def _write_phrase(self, phrase: Phrase, rng: Random, values: Values, topic: str) -> list[Token]:
        heads = [values[part.var] for part in phrase.parts if isinstance(part, Head)]
        lead = next((head for head in heads if head.noun and head.noun.tag != "NUM"), Bound(_NEUTER))
        noun = lead.noun or _NEUTER
        tokens: list[Token] = []
        for part in phrase.parts:
            lemma = values[part.var].lemma if part.var else part.lemma if isinstance(part, Modifier) else ""
            if isinstance(part, Head) and not lemma:
                tokens.extend(self._write_head(part, values[part.var], noun.gender))
                continue
            if isinstance(part, Modifier) and not lemma:
                lemma = rng.choice(self._find(self.lexicon.adjectives, part.adjective_class, topic))
            # A pair of opposites is written "older/younger"; the form `inv` asks for the second.
            plain, _, opposite = lemma.partition("/")
            for piece in (opposite if part.form == "inv" else plain).split():
                word, tag = self.language.agree(piece, noun.gender, lead.number)
                if word:
                    tokens.append(Token(word, tag, var=part.var))
        return tokens

    def _write_head(self, head: Head, bound: Bound, gender: str) -> list[Token]:
        noun = bound.noun or _NEUTER
        if head.form == "@":
            return []
        if noun.tag == "NUM":
            return [Token(noun.form("f") if gender == "f" else noun.sg, "NUM", var=head.var)]
        plural = head.form == "pl" or (not head.form and bound.number == "p")
        surface = noun.pl if plural else noun.form(head.form)
        tokens = [Token(noun.article, "DET")] if noun.article and not head.form else []
        plain = "" if head.form in ("pron", "obj", "poss") else noun.entity
        for piece in surface.split():
            closed = self.language.closed.get(piece, "")
            tag = closed if piece[0].islower() and closed else noun.tag
            if head.form == "poss":
                tag = "DET"
            tokens.append(Token(piece, tag, plain, head.var, bound.number))
        return tokens

    def _write_verb(self, verb: Verb, values: Values) -> list[Token]:
        number, gender = self._features(verb.subject, values)
        lemma = values[verb.var].lemma if verb.var else verb.lemma
        tense = verb.tense
        if verb.polarity and not values[verb.polarity].positive:
            tense = f"neg.{tense}"
        words = self.language.conjugate(lemma, tense, number, gender)
        return [Token(word, tag, var=f"{verb.subject}:verb") for word, tag in words]

    def _write_macro(self, macro: Macro, rng: Random, values: Values, topic: str) -> list[Token]:
        template = self.pick(macro.name, rng, topic)
        # The inner template sees the characters (C, D, S, T...) but its own variables stay its own.
        inner = {name: bound for name, bound in values.items() if name in OUTER}
        if not macro.subject:
            return self._realise(self._parse(template), rng, inner, topic)
        lemma, _, rest = template.partition(" ")
        number, gender = self._features(macro.subject, values)
        words = self.language.conjugate(rng.choice(lemma.split("|")), macro.tense, number, gender)
        verb = [Token(word, tag, var=f"{macro.subject}:verb") for word, tag in words]
        return verb + self._realise(self._parse(rest), rng, inner, topic)

    def _features(self, subject: str, values: Values) -> tuple[str, str]:
        if subject in ("1s", "3s", "3p"):
            return subject[1] if subject != "1s" else "1", "m"
        bound = values[subject]
        return bound.number, bound.noun.gender if bound.noun else "m"

    def number(self, kind: str, limits: str, rng: Random) -> Noun:
        """Return a numeral of a kind (`int`, `year`, `word`, `price`) within `low-high`."""
        low, high = (int(limit) for limit in limits.split("-"))
        value = rng.randint(low, high)
        if kind == "word":
            return self.numeral(value)
        if kind == "wordf":
            feminine = self.language.numerals[value][1]
            return Noun(feminine, feminine, tag="NUM")
        if kind == "price":
            digits = f"{value}{self.language.decimal}{rng.choice(('00', '25', '50', '75', '90', '99'))}"
            return Noun(digits, digits, tag="NUM")
        return Noun(str(value), str(value), tag="NUM")

    def numeral(self, value: int) -> Noun:
        """Return a number in words, with its feminine where the language has one."""
        masculine, feminine = self.language.numerals[value]
        return Noun(masculine, masculine, tag="NUM", forms=(("f", feminine),))

    @staticmethod
    def _find(lists: Mapping[str, Sequence[T]], name: str, topic: str) -> Sequence[T]:
        return lists.get(f"{topic}.{name}") or lists[name]
