"""The little language of templates, and its reader.

A template is text with five marks; variables are upper case and shared by the whole template:

- ``{o X=fruit.p maduro}`` a noun phrase: binds `X` to a noun of class `fruit` (`.p` plural, `.n` either),
  and everything else between the braces agrees with it; ``{X}`` names it again, ``{X.full}`` in another form;
  ``{#taste @X}`` only agrees with it; ``#taste`` is a random adjective of a class, ``A=#taste`` binds it;
  ``N=int:2-9`` is a number.
- ``[X comer past]`` a verb that agrees with `X`; ``V=%eating`` binds a random verb of a class; the tense
  may be prefixed by ``neg.`` or by a polarity variable, ``P?past``.
- ``<when>`` a random template of the list `when`; ``<vp X past>`` one whose first word is a
  verb agreeing with `X`.
- ``(a|b|)`` a free choice, made anew at each use.
- ``de+`` a word that contracts with what follows; ``word/TAG`` a literal with its part of speech.
"""

import re
from dataclasses import dataclass

from ambos.sample.language import Language
from ambos.sample.tokens import CLOSING, OPENING, PUNCTUATION, Token


@dataclass(frozen=True, slots=True)
class Head:
    """A place for a noun, new (`noun_class`) or known, in a number or a form."""

    var: str
    noun_class: str
    number: str
    form: str


@dataclass(frozen=True, slots=True)
class Modifier:
    """A place for a determiner or adjective, given or drawn from a class."""

    var: str
    adjective_class: str
    lemma: str
    form: str = ""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Parts that agree with one another."""

    parts: tuple[Head | Modifier, ...]
    binds: bool


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb that agrees with its subject."""

    subject: str
    var: str
    verb_class: str
    lemma: str
    polarity: str
    tense: str


@dataclass(frozen=True, slots=True)
class Macro:
    """A place for another template."""

    name: str
    subject: str
    tense: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Templates of which one is taken."""

    options: tuple[tuple["Item", ...], ...]


Item = Token | Phrase | Verb | Macro | Choice

_MARK = re.compile(r"\(([^()]*)\)|\{([^}]*)\}|\[([^\]]*)\]|<([^>]*)>|([^\s{}\[\]<>()]+)")
_VARIABLE = re.compile(r"[A-Z]\d?")


def _parse_phrase(body: str) -> Phrase:
    parts: list[Head | Modifier] = []
    for part in body.split():
        name, _, kind = part.partition("=")
        if _VARIABLE.fullmatch(name) and kind.startswith("#"):
            adjective_class, _, form = kind[1:].partition(".")
            parts.append(Modifier(name, adjective_class, "", form))
        elif _VARIABLE.fullmatch(name) and kind:
            noun_class, _, flag = kind.partition(".")
            is_number = flag in ("s", "p", "n")
            parts.append(Head(name, noun_class, flag if is_number else "s", "" if is_number else flag))
        elif part.startswith("@"):
            parts.append(Head(part[1:], "", "", "@"))
        elif _VARIABLE.fullmatch(part.partition(".")[0]):
            name, _, form = part.partition(".")
            parts.append(Head(name, "", "", form))
        elif part.startswith("#"):
            parts.append(Modifier("", part[1:], ""))
        else:
            parts.append(Modifier("", "", part))
    return Phrase(tuple(parts), "=" in body)


def _parse_verb(body: str) -> Verb:
    subject, lemma, tense = body.split()
    polarity, _, bare = tense.rpartition("?")
    name, _, verb_class = lemma.partition("=%")
    if verb_class:
        return Verb(subject, name, verb_class, "", polarity, bare)
    if _VARIABLE.fullmatch(lemma):
        return Verb(subject, lemma, "", "", polarity, bare)
    return Verb(subject, "", "", lemma, polarity, bare)


def _parse_literal(text: str, language: Language) -> list[Token]:
    before: list[str] = []
    after: list[str] = []
    while len(text) > 1 and text[0] in OPENING:
        before.append(text[0])
        text = text[1:]
    while len(text) > 1 and text[-1] in CLOSING and text not in language.abbreviations:
        after.insert(0, text[-1])
        text = text[:-1]
    contracts = text.endswith("+")
    word, _, tag = text.removesuffix("+").partition("/")
    if not tag:
        tag = "PUNCT" if word in PUNCTUATION else language.closed.get(word.lower(), "")
    middle = Token(word, tag, contracts=contracts)
    return [
        *(Token(mark, "PUNCT") for mark in before),
        middle,
        *(Token(mark, "PUNCT") for mark in after),
    ]


def parse(template: str, language: Language) -> tuple[Item, ...]:
    """Read a template; `language` knows the tags of common words and the abbreviations."""
    items: list[Item] = []
    for choice, phrase, verb, macro, literal in _MARK.findall(template):
        if literal:
            items.extend(_parse_literal(literal, language))
        elif phrase:
            items.append(_parse_phrase(phrase))
        elif verb:
            items.append(_parse_verb(verb))
        elif macro:
            name, subject, tense = (*macro.split(), "", "")[:3]
            items.append(Macro(name, subject, tense))
        elif choice:
            items.append(Choice(tuple(parse(option, language) for option in choice.split("|"))))
    return tuple(items)
