"""Texts longer than a model reads: cut, kept at both ends, cut into windows, or refused; and what was cut."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from ambos.errors import InputError, UsageError

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
        How many were longer than the limit, or had a question that left too little room for its passage.
    cut_tokens
        How many tokens were left out.
    windows
        How many windows long texts became, where nothing is left out.
    named
        The numbers of the first texts that were too long, counted from 0 in the order they came.
    cut_questions
        How many questions were cut; a question and its passage are one text.
    """

    texts: int = 0
    tokens: int = 0
    long_texts: int = 0
    cut_tokens: int = 0
    windows: int = 0
    named: list[int] = field(default_factory=list)
    cut_questions: int = 0

    def count_pair(self, first: "Ledger", second: "Ledger") -> None:
        """Take in a pair whose texts were each counted in a ledger of its own: it counts as a text."""
        both = (first, second)
        self.tokens += sum(one.tokens for one in both)
        self.cut_tokens += sum(one.cut_tokens for one in both)
        if any(one.long_texts for one in both):
            self.long_texts += 1
            self.name(self.texts)
        self.texts += 1

    def name(self, number: int) -> None:
        """Remember the number of a text that was too long, if there is room."""
        if len(self.named) < _NAMED:
            self.named.append(number)

    def summary(self, limit: int) -> str | None:
        """Return one line to show, or None if nothing was too long."""
        if not self.long_texts:
            return None
        share = f"{self.long_texts:,} of {self.texts:,} texts were longer than {limit:,} tokens"
        if self.cut_questions:
            share += f", or their questions than {limit // 2:,}"
        windows = f" and were read in {self.windows:,} windows" if self.windows else ""
        cut = f": {self.cut_tokens:,} of {self.tokens:,} tokens were left out" if self.cut_tokens else ""
        return f"{share}{windows}{cut}"


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
    count: int,
    room: int,
    how: Long,
    ledger: Ledger,
    *,
    special: int = 0,
    overlap: int | None = None,
    cut: int = 0,
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
    cut
        Tokens that the question about the text lost, as `fit_question` said, which the ledger counts too.

    Examples
    --------
    >>> [span.ranges for span in spans_of(10, 4, "windows", Ledger())]
    [((0, 4),), ((3, 7),), ((6, 10),)]
    """
    number = ledger.texts
    ledger.texts += 1
    ledger.tokens += count + special + cut
    ledger.cut_tokens += cut
    ledger.cut_questions += cut > 0
    if count <= room and not cut:
        return [Span(((0, count),))]
    ledger.long_texts += 1
    if count <= room:
        ledger.name(number)
        return [Span(((0, count),))]
    if how == "error" or room < 1:
        fix = (
            "read more tokens at a time: a larger --max-length"
            if room < 1
            else "shorten it, or let it be read in windows with --long windows"
        )
        raise _too_long("a text", room + special, count + special, fix)
    ledger.name(number)
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


def fit_together(
    counts: Sequence[int], room: int, how: Long, ledger: Ledger, *, special: int = 0
) -> tuple[int, ...]:
    """Return how many tokens of the beginning of each text go into one sequence with room for `room`.

    The longest one is cut first, then all that are as long as it alike: a short text is whole as long as its
    equal part of the room holds it.

    Parameters
    ----------
    counts
        Tokens of the texts of a pair, or of one of them that is read apart.
    how
        cut, or error: `InputError`. Windows and ends are for texts that are no pairs: `UsageError`.
    ledger, special
        See `spans_of`; a pair counts as a text.

    Examples
    --------
    >>> fit_together((3, 20), 10, "cut", Ledger()), fit_together((30, 20), 11, "cut", Ledger())
    ((3, 7), (6, 5))
    """
    refuse_ends(how)
    total = sum(counts)
    ledger.tokens += total + special
    ledger.texts += 1
    if total <= room:
        return tuple(counts)
    ledger.long_texts += 1
    if how == "error" or room < len(counts):
        what = "a pair of texts" if len(counts) > 1 else "a text of a pair"
        raise _too_long(what, room + special, total + special, "shorten it, or --long cut")
    ledger.name(ledger.texts - 1)
    ledger.cut_tokens += total - room
    kept = list(counts)
    by_size = sorted(range(len(counts)), key=counts.__getitem__)
    for place, text in enumerate(by_size):
        kept[text] = min(counts[text], room // (len(counts) - place))
        room -= kept[text]
    return tuple(kept)


def fit_apart(
    ids: Sequence[int], limit: int, around: tuple[int, int], how: Long, ledger: Ledger
) -> list[int]:
    """Return the one sequence of a text whose pair is read apart; the parameters are those of `fit`.

    Examples
    --------
    >>> fit_apart([1, 5, 6, 7, 8, 2], 4, (1, 1), "cut", Ledger())
    [1, 5, 6, 2]
    """
    first, last = around[0], len(ids) - around[1]
    (count,) = fit_together([last - first], limit - sum(around), how, ledger, special=sum(around))
    return [*ids[: first + count], *ids[last:]]


def fit_question(count: int, limit: int, how: Long, ledger: Ledger) -> int:
    """Return how many tokens of the beginning of a question are read: half of a sequence is for its passage.

    Parameters
    ----------
    count
        Tokens of the question.
    how
        error: `InputError`; else the end is cut, since a question is not read in windows.
    ledger
        It counts question and passage together, when `spans_of` tells it; here, only a text that is refused.

    Examples
    --------
    >>> fit_question(40, 64, "windows", Ledger()), fit_question(9, 64, "windows", Ledger())
    (32, 9)
    """
    room = limit // 2
    if how == "error" and count > room:
        ledger.texts += 1
        ledger.long_texts += 1
        raise _too_long("a question", room, count, "shorten it, or --long cut")
    return min(count, room)


def refuse_ends(how: Long) -> None:
    """Raise `UsageError` for ways of reading long texts that pairs do not have."""
    if how in ("head-tail", "windows"):
        raise UsageError(
            f"pairs of texts cannot be read with --long {how}",
            expected="cut (the longer text first), or error",
            fix="--long cut",
        )


@contextmanager
def named_in_errors(rows: Sequence[Any], ledger: Ledger) -> Iterator[None]:
    """Give an error about a text the file and line of its row: the last one that the ledger has seen.

    Parameters
    ----------
    rows
        Those that the ledger will be told of in the block, in their order, each as one text.

    Examples
    --------
    >>> with named_in_errors(rows, ledger):  # doctest: +SKIP
    ...     examples = task.encode(rows, reading, ledger, labelled=True)
    """
    before = ledger.texts
    try:
        yield
    except InputError as error:
        if error.file is None and ledger.texts > before:
            row = rows[ledger.texts - before - 1]
            error.file, error.line = str(row.file), row.line
        raise


def _too_long(what: str, expected: int, found: int, fix: str) -> InputError:
    return InputError(
        f"{what} is longer than the model can read",
        expected=f"at most {expected:,} tokens",
        found=f"{found:,} tokens",
        fix=fix,
    )
