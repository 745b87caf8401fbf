"""Words of the output and how they become text: capitals, spacing, character spans."""

from collections.abc import Sequence
from typing import NamedTuple

PUNCTUATION = ".,;:!?…“”—()"
CLOSING = ".,;:!?…”)"
OPENING = "“("
_TIGHT_BEFORE = frozenset(CLOSING + "-’%º")  # no space before a word that begins so
_TIGHT_AFTER = frozenset({*OPENING, "$"})  # no space after these words
_SENTENCE_END = (".", "!", "?")


class Token(NamedTuple):
    """A word of the output with what is known of it: part of speech, entity, variable, number."""

    text: str
    tag: str = ""
    entity: str = ""
    var: str = ""
    number: str = ""
    contracts: bool = False


def capitalise(tokens: Sequence[Token]) -> list[Token]:
    """Raise the first letter of every sentence; quotes and dashes before it are skipped."""
    result: list[Token] = []
    at_start = True
    for token in tokens:
        if at_start and token.text[0].isalnum():
            if token.text[0].islower():
                token = token._replace(text=token.text[0].upper() + token.text[1:])  # noqa: PLW2901
            at_start = False
        elif token.text in ("—", "”") and result:
            at_start = False  # "— Who? — she asked": the sentence goes on after the quotation
        if token.text in _SENTENCE_END:
            at_start = True
        result.append(token)
    return result


def join(tokens: Sequence[Token]) -> tuple[str, list[tuple[int, int]]]:
    """Write tokens as text.

    Returns
    -------
    text : str
        With the spacing of ordinary prose.
    spans : list of (int, int)
        Start and end character of every token in `text`.
    """
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    place = 0
    before = "("  # nothing to keep a space from
    for token in tokens:
        word = token.text
        if word[0] not in _TIGHT_BEFORE and before not in _TIGHT_AFTER:
            pieces.append(" ")
            place += 1
        pieces.append(word)
        spans.append((place, place + len(word)))
        place += len(word)
        before = word
    return "".join(pieces), spans


def span_of(var: str, tokens: Sequence[Token], spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the characters that a variable's first mention covers."""
    first = next(index for index, token in enumerate(tokens) if token.var == var)
    last = first
    while last + 1 < len(tokens) and tokens[last + 1].var == var:
        last += 1
    return spans[first][0], spans[last][1]
