"""Rows of a plan to sequences of ids, special tokens and segments included; all of a batch at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ambos.data.parts import Int
from ambos.data.plan import Rows
from ambos.text.store import TokenStore
from ambos.text.tokenizer import Tokenizer

Bool = NDArray[np.bool_]


@dataclass(frozen=True)
class Layout:
    """Where a family puts special tokens, and which segment numbers it gives.

    Parameters
    ----------
    before, between, after
        Ids before the first text, between two, and after the last.
    segments
        Segment numbers of the parts: before, first text, between, second text, after.
    single_after, single_segments
        What follows a text that is alone, and segment numbers of before, text, after.
    separator
        What stands between documents within one sequence.

    Examples
    --------
    >>> layout = Layout.of(Tokenizer.load("bert"))  # doctest: +SKIP
    >>> layout.before, layout.between, layout.after  # doctest: +SKIP
    ((2,), (3,), (3,))
    """

    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]
    segments: tuple[int, int, int, int, int]
    single_after: tuple[int, ...]
    single_segments: tuple[int, int, int]
    separator: int

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> "Layout":
        """Read the layout off what the tokenizer does with a text and with a pair."""
        single, pair = tokenizer.encode("a"), tokenizer.encode("a", "b")
        first = [place for place, side in enumerate(pair.sides) if side == 0]
        second = [place for place, side in enumerate(pair.sides) if side == 1]
        start, end = first[0], first[-1] + 1
        between, after = pair.ids[end : second[0]], pair.ids[second[-1] + 1 :]
        alone = [place for place, side in enumerate(single.sides) if side == 0]
        places = (0, start, end, second[0], len(pair) - 1)
        return cls(
            before=tuple(pair.ids[:start]),
            between=tuple(between),
            after=tuple(after),
            segments=tuple(pair.segments[place] for place in places),  # type: ignore[arg-type]
            single_after=tuple(single.ids[alone[-1] + 1 :]),
            single_segments=(single.segments[0], single.segments[alone[0]], single.segments[-1]),
            separator=between[0],
        )

    def together(self, *texts: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return two or more texts as one sequence with special tokens around them, and its segment numbers.

        From the third on, texts take the next segment numbers, where the family tells segments apart.
        """
        later = range(2, len(texts)) if self.segments[3] else [self.segments[3]] * (len(texts) - 2)
        numbers = [self.segments[1], self.segments[3], *later]
        ids, segments = list(self.before), [self.segments[0]] * len(self.before)
        for place, (text, number) in enumerate(zip(texts, numbers, strict=True)):
            last = place == len(texts) - 1
            end = self.after if last else self.between
            after = {0: self.segments[2], 1: self.segments[4] if last else number}.get(place, number)
            ids += [*text, *end]
            segments += [number] * len(text) + [after] * len(end)
        return ids, segments

    def room(self, length: int, *, texts: int = 1) -> int:
        """Return how many tokens of so many texts fit into a sequence."""
        if texts > 1:
            return length - len(self.before) - (texts - 1) * len(self.between) - len(self.after)
        return length - len(self.before) - len(self.single_after)


@dataclass(frozen=True)
class Sequences:
    """Sequences end to end: T tokens, n sequences.

    Parameters
    ----------
    ids, segments
        (T,) int64.
    lengths
        (n,) tokens of each.
    special, word_starts
        (T,) which tokens are special, and which begin a word.
    relation
        (n,) how the two segments of each belong together; -1 where there is no pair.
    keys
        (n,) what tells each sequence from all others of its epoch.
    """

    ids: Int
    segments: Int
    lengths: Int
    special: Bool
    word_starts: Bool
    relation: Int
    keys: Int

    @property
    def owner(self) -> Int:
        """(T,) the sequence of each token."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @property
    def starts(self) -> Int:
        """(n,) where each sequence begins."""
        return np.cumsum(self.lengths) - self.lengths

    @property
    def positions(self) -> Int:
        """(T,) the place of each token in its sequence."""
        return np.arange(len(self.ids)) - np.repeat(self.starts, self.lengths)


def sequence_lengths(store: TokenStore, rows: Rows, layout: Layout) -> Int:
    """Return how many tokens the sequence of each row will have, special ones included."""
    owner, _ = _document_borders(store, rows)
    return _lengths(rows, np.bincount(owner, minlength=len(rows)), layout)


def _lengths(rows: Rows, separators: Int, layout: Layout) -> Int:
    pair = rows["second_stop"] > rows["second"]
    text = rows["stop"] - rows["begin"] + rows["second_stop"] - rows["second"]
    after = np.where(pair, len(layout.between) + len(layout.after), len(layout.single_after))
    return len(layout.before) + text + separators + after


def assemble(store: TokenStore, rows: Rows, keys: Int, layout: Layout) -> Sequences:
    """Fetch the tokens of rows and put special tokens around them; `keys` tell the rows apart."""
    pair = rows["second_stop"] > rows["second"]
    a, b = rows["stop"] - rows["begin"], rows["second_stop"] - rows["second"]
    owner, borders = _document_borders(store, rows)
    separators = np.bincount(owner, minlength=len(rows))
    before, between, after = len(layout.before), len(layout.between), len(layout.after)
    lengths = _lengths(rows, separators, layout)
    starts = np.cumsum(lengths) - lengths
    total = int(lengths.sum())
    middle = starts + before + a + separators  # where the first text ends

    source, place = _runs(rows["begin"], a, starts + before)
    place += _borders_passed(borders, owner, rows["begin"], a)
    source_b, place_b = _runs(rows["second"], b, middle + between)
    where, what = np.concatenate([place, place_b]), np.concatenate([source, source_b])

    ids = np.full(total, layout.separator, np.int64)
    special = np.ones(total, np.bool_)
    ids[where], special[where] = store.columns["tokens"].take(what), False
    word_starts = special.copy()
    word_starts[where] = _word_starts(store, what)
    word_starts[starts + before] = True  # a sequence may begin inside a word: what is left of it is one
    word_starts[(middle + between)[pair]] = True
    end = starts + lengths
    for number, one in enumerate(layout.before):
        ids[starts + number] = one
    for number, one in enumerate(layout.single_after):
        ids[(end - len(layout.single_after) + number)[~pair]] = one
    for number, one in enumerate(layout.between):
        ids[(middle + number)[pair]] = one
    for number, one in enumerate(layout.after):
        ids[(end - after + number)[pair]] = one
    return Sequences(
        ids=ids,
        segments=_segments(layout, pair, lengths, starts, middle),
        lengths=lengths,
        special=special,
        word_starts=word_starts,
        relation=rows["relation"].copy(),
        keys=keys,
    )


def _runs(begin: Int, sizes: Int, target: Int) -> tuple[Int, Int]:
    """Return sources begin, begin + 1, ... of every run and their targets, runs end to end."""
    inside = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(begin, sizes) + inside, np.repeat(target, sizes) + inside


def _document_borders(store: TokenStore, rows: Rows) -> tuple[Int, Int]:
    """Return the borders of documents inside the first texts: which row, and before which token."""
    owners, borders = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    row = np.flatnonzero(rows["document"] >= 0)
    document = rows["document"][row]
    while len(row):
        document = document + 1
        sentence = store.columns["documents"].take(document).astype(np.int64)
        border = store.columns["sentences"].take(sentence).astype(np.int64)
        inside = border < rows["stop"][row]
        row, document = row[inside], document[inside]
        owners.append(row)
        borders.append(border[inside])
    return np.concatenate(owners), np.concatenate(borders)


def _borders_passed(borders: Int, owner: Int, begin: Int, sizes: Int) -> Int:
    """Return for every token of the first texts how many borders of documents come before it in its text."""
    first = np.cumsum(sizes) - sizes
    steps = np.zeros(int(sizes.sum()), np.int64)
    np.add.at(steps, first[owner] + borders - begin[owner], 1)
    passed = np.cumsum(steps)
    earlier = np.concatenate([[0], passed])[first]
    return passed - np.repeat(earlier, sizes)


def _word_starts(store: TokenStore, tokens: Int) -> Bool:
    bits = store.columns["word_starts"].take(tokens >> 3)
    return (bits >> (7 - (tokens & 7)).astype(np.uint8) & 1).astype(np.bool_)


def _segments(layout: Layout, pair: Bool, lengths: Int, starts: Int, middle: Int) -> Int:
    found = np.repeat(np.where(pair, layout.segments[1], layout.single_segments[1]), lengths)
    if {*layout.segments, *layout.single_segments} == {0}:
        return found
    position = np.arange(len(found))
    owner = np.repeat(np.arange(len(lengths)), lengths)
    is_pair = pair[owner]
    second = is_pair & (position >= (middle + len(layout.between))[owner])
    found[second] = layout.segments[3]
    found[starts] = np.where(pair, layout.segments[0], layout.single_segments[0])
    found[middle[pair]] = layout.segments[2]
    found[starts + lengths - 1] = np.where(pair, layout.segments[4], layout.single_segments[2])
    return found
