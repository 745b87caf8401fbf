"""Texts longer than a model reads: cut, kept at both ends, cut into windows, or refused; and what was cut."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from ambos.errors import InputError

Long = Literal["cut", "head-tail", "windows", "error"]
LONG: tuple[str, ...] = get_args(Long)
_NAMED = 20  # texts that a ledger names


@dataclass
class Ledger:
    """What became of texts that were too long; every command that cuts shows it.

    Parameters
    ----------
    texts, tokens
        Seen so far.
    long_texts
        How many were longer than the limit.
    cut_tokens
        How many tokens were left out.
    windows
        How many windows long texts became, where nothing is left out.
    named
        The numbers of the first texts that were too long, counted from 0 in the order they came.
    """

    texts: int = 0
    tokens: int = 0
    long_texts: int = 0
    cut_tokens: int = 0
    windows: int = 0
    named: list[int] = field(default_factory=list)

    def summary(self, limit: int) -> str | None:
        """Return one line to show, or None if nothing was too long."""
        if not self.long_texts:
            return None
        share = f"{self.long_texts:,} of {self.texts:,} texts were longer than {limit:,} tokens"
        if self.windows:
            return f"{share} and were read in {self.windows:,} windows"
        return f"{share}: {self.cut_tokens:,} of {self.tokens:,} tokens were left out"


@dataclass(frozen=True)
class Span:
    """What one sequence holds of a text: ranges of its tokens, in order."""

    ranges: tuple[tuple[int, int], ...]

    def place(self, token: int) -> int | None:
        """Return where a token stands in the sequence, None if it is not there.

        Examples
        --------
        >>> Span(((0, 2), (7, 9))).place(8), Span(((0, 2), (7, 9))).place(3)
        (3, None)
        """
        before = 0
        for first, stop in self.ranges:
            if first <= token < stop:
                return before + token - first
            before += stop - first
        return None

    def of(self, tokens: Sequence[int]) -> list[int]:
        """Return the tokens of the text that the sequence holds."""
        return [token for first, stop in self.ranges for token in tokens[first:stop]]


def spans_of(
    count: int, room: int, how: Long, ledger: Ledger, *, special: int = 0, overlap: int | None = None
) -> list[Span]:
    """Return what of a text of `count` tokens goes into sequences with room for `room` of them.

    Parameters
    ----------
    how
        cut: the beginning; head-tail: beginning and end; windows: all of it, in windows that overlap; error:
        `InputError`.
    ledger
        Told what happened.
    special
        Special tokens around every sequence, which the ledger counts too.
    overlap
        Tokens that neighbouring windows share; by default a quarter of the room.

    Examples
    --------
    >>> [span.ranges for span in spans_of(10, 4, "windows", Ledger())]
    [((0, 4),), ((3, 7),), ((6, 10),)]
    """
    number = ledger.texts
    ledger.texts += 1
    ledger.tokens += count + special
    if count <= room:
        return [Span(((0, count),))]
    ledger.long_texts += 1
    if how == "error" or room < 1:
        raise InputError(
            "a text is longer than the model can read",
            expected=f"at most {room + special:,} tokens",
            found=f"{count + special:,} tokens",
            fix="shorten it, or let it be read in windows with --long windows",
        )
    if len(ledger.named) < _NAMED:
        ledger.named.append(number)
    if how == "windows":
        shared = room // 4 if overlap is None else min(overlap, room - 1)
        starts = range(0, max(1, count - shared), room - shared)
        ledger.windows += len(starts)
        return [Span(((start, min(start + room, count)),)) for start in starts]
    ledger.cut_tokens += count - room
    tail = room // 2 if how == "head-tail" else 0
    return [Span(((0, room - tail), (count - tail, count)) if tail else ((0, room),))]


def fit(
    ids: Sequence[int], limit: int, around: tuple[int, int], how: Long, ledger: Ledger
) -> list[list[int]]:
    """Return one sequence of at most `limit` ids, or several if `how` is windows.

    Parameters
    ----------
    ids
        A whole text with its special tokens.
    around
        How many special tokens stand before and after the text; they are kept in every window.
    how, ledger
        See `spans_of`.

    Examples
    --------
    >>> fit([1, 5, 6, 7, 8, 2], 4, (1, 1), "head-tail", Ledger())
    [[1, 5, 8, 2]]
    """
    before, after = list(ids[: around[0]]), list(ids[len(ids) - around[1] :])
    body = ids[around[0] : len(ids) - around[1]]
    special = sum(around)
    spans = spans_of(len(body), limit - special, how, ledger, special=special)
    return [before + span.of(body) + after for span in spans]
