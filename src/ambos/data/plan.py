"""The plan of an epoch: which stretches of the corpus become its sequences.

Three schemes: `blocks` cuts the text every so many tokens; `sentences` (RoBERTa) fills each sequence with
whole sentences, across documents with a separator between; `pairs` (BERT, ALBERT) makes two segments, in
`plan_pairs.py`.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO

import numpy as np
from numpy.typing import NDArray

from ambos.data.draws import Draws
from ambos.data.parts import Chunk, Int, Part
from ambos.text.column import Column

# One sequence: tokens `begin` to `stop` of the store, the document it begins in (-1: borders of documents
# get no separator), and in pairs the second segment and how the two belong together (0 as in the text, 1
# not, -1 no pair).
ROW = np.dtype(
    [
        ("begin", "<i8"),
        ("stop", "<i8"),
        ("document", "<i8"),
        ("second", "<i8"),
        ("second_stop", "<i8"),
        ("relation", "<i8"),
    ]
)
Rows = NDArray[np.void]


@dataclass(frozen=True)
class Plan:
    """The sequences of an epoch by language; rows lie in a file without a name, which goes with the plan.

    Parameters
    ----------
    rows
        For every language of the store, its sequences, (count,) of `ROW`: in a file, or in memory.
    """

    rows: tuple[Column | Rows, ...]

    @property
    def count(self) -> int:
        """How many sequences there are."""
        return sum(len(rows) for rows in self.rows)

    def take(self, numbers: Int) -> Rows:
        """Return sequences by their number, languages one after the other."""
        found = np.empty(len(numbers), ROW)
        first = 0
        for rows in self.rows:
            mine = (numbers >= first) & (numbers < first + len(rows))
            found[mine] = rows.take(numbers[mine] - first)
            first += len(rows)
        return found


def make_plan(part: Part, plan_chunk: Callable[[Chunk], tuple[Rows, Int]]) -> Plan:
    """Plan an epoch chunk by chunk; `plan_chunk` gives rows and the language of each."""
    with ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in part.store.languages]
        counts = [0] * len(files)
        for chunk in part.chunks():
            rows, languages = plan_chunk(chunk)
            for language, file in enumerate(files):
                mine = rows[languages == language]
                file.write(mine.tobytes())
                counts[language] += len(mine)
        return Plan(tuple(_column(file, count) for file, count in zip(files, counts, strict=True)))


def _column(file: IO[bytes], count: int) -> Column:
    """Return the rows of a file, which may then be closed: they can still be fetched."""
    file.flush()
    return Column(os.dup(file.fileno()), ROW, 0, count)


def plan_blocks(chunk: Chunk, room: int, draws: Draws) -> tuple[Rows, Int]:
    """Cut stretches every `room` tokens, beginning at a place that differs from epoch to epoch."""
    firsts = np.flatnonzero(np.diff(chunk.stretch_stops, prepend=-1))
    firsts = firsts[chunk.used[firsts]]
    begins, stops = chunk.starts[firsts], chunk.starts[chunk.stretch_stops[firsts]]
    # A stretch with less than a sequence is one; a longer one loses less than two, others in every epoch.
    spare = np.maximum(stops - begins - room, 0)
    begins = begins + draws.below(np.minimum(spare + 1, room), begins)
    counts = np.maximum((stops - begins) // room, 1)
    found = np.zeros(counts.sum(), ROW)
    which = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    found["begin"] = begins[which] + number * room
    found["stop"] = np.minimum(found["begin"] + room, stops[which])
    sentence = np.searchsorted(chunk.starts, found["begin"], side="right") - 1
    found["document"] = found["relation"] = -1
    return found, chunk.languages[sentence]


def plan_sentences(chunk: Chunk, room: int) -> tuple[Rows, Int]:
    """Fill sequences with whole sentences, as many as fit with a separator between documents (RoBERTa).

    A sentence that is longer than `room` is cut into pieces that fit.
    """
    sizes = np.diff(chunk.starts)
    parts = np.maximum(-(-sizes // room), 1)
    sentence = np.repeat(np.arange(len(sizes)), parts)
    number = np.arange(len(sentence)) - np.repeat(np.cumsum(parts) - parts, parts)
    begins = chunk.starts[sentence] + number * room
    stops = np.minimum(begins + room, chunk.starts[sentence + 1])
    separators = (
        chunk.documents[sentence] - chunk.documents[0]
    )  # counts every border, and empty documents: none
    following = np.searchsorted(stops + separators, begins + separators + room, side="right")
    stretch_stop = (np.cumsum(parts) - parts)[np.minimum(chunk.stretch_stops[sentence], len(parts) - 1)]
    stretch_stop = np.where(chunk.stretch_stops[sentence] == len(parts), len(sentence), stretch_stop)
    following = np.minimum(following, stretch_stop)
    first = np.array(follow(following, chunk.used[sentence], stretch_stop), np.int64)
    found = np.zeros(len(first), ROW)
    found["begin"], found["stop"] = begins[first], stops[following[first] - 1]
    found["document"], found["relation"] = chunk.documents[sentence[first]], -1
    filled = found["stop"] > found["begin"]
    return found[filled], chunk.languages[sentence[first]][filled]


def follow(following: Int, used: NDArray[np.bool_], otherwise: Int) -> list[int]:
    """Return the places met when going from 0 to `following[place]`, or `otherwise[place]` where not used."""
    return list(_steps(np.where(used, following, otherwise).tolist(), used.tolist()))


def _steps(following: list[int], used: list[bool]) -> Iterator[int]:
    place = 0
    while place < len(following):
        if used[place]:
            yield place
        place = following[place]
