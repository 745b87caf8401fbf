"""Pairs of segments for next-sentence and order prediction, planned for a whole chunk at once.

As in BERT's own data: from a sentence on, sentences of its document are gathered up to a target length, the
room of a sequence or, for a tenth of the sequences, a random shorter one. A random number of them is
segment A. Segment B is the rest; or, for half of the pairs when the next sentence is to be predicted, a
stretch of another document, and then the rest is used by the next pair. What is too long is shortened token
by token, the longer segment first, at a random end. Two things differ, so that the halves are exact: a
segment B of another document is never of the same one, and a chunk has at least two sentences.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from ambos.data.draws import Draws
from ambos.data.parts import Chunk, Int, Part
from ambos.data.plan import ROW, Rows, follow

Relation = Literal["next", "order", "none"]
_AT_ONCE = 1_000  # segments of other documents looked for together, with so many sentences between two
SAME, OTHER = (
    0,
    1,
)  # as transformers' heads: 0 "B follows A" or "in order", 1 "B is from elsewhere" or "swapped"


@dataclass(frozen=True)
class PairSettings:
    """How pairs are made.

    Parameters
    ----------
    room
        Tokens of A and B together.
    relation
        What is predicted: whether B is next (half are not), whether the order is right (half are swapped),
        or none.
    short
        Share of the sequences that aim at a random shorter length.
    """

    room: int
    relation: Relation = "next"
    short: float = 0.1


def plan_pairs(chunk: Chunk, part: Part, settings: PairSettings, draws: Draws) -> tuple[Rows, Int]:
    """Return the pairs of a chunk, and their languages."""
    room = settings.room
    place = np.arange(len(chunk.documents))
    begin = chunk.starts[:-1]
    is_short = draws.uniform(0, begin) < settings.short
    target = np.where(is_short, 2 + draws.below(room - 1, 1, begin), room)
    # Sentences of the chunk up to the first that reaches the target; two at least, and none left alone
    # behind.
    stop = np.searchsorted(chunk.starts[1:], begin + target, side="left") + 1
    stop = np.minimum(np.maximum(stop, place + 2), chunk.document_stops)
    stop = np.where(chunk.document_stops - stop == 1, chunk.document_stops, stop)
    usable = chunk.used & (stop - place >= 2)
    middle = place + 1 + draws.below(np.maximum(stop - place - 1, 1), 2, begin)
    elsewhere = (draws.uniform(3, begin) < 0.5) & (settings.relation == "next")
    following = np.where(elsewhere, middle, stop)
    first = np.array(follow(following, usable, place + 1), np.int64)

    found = np.zeros(len(first), ROW)
    found["document"] = chunk.documents[first]
    found["begin"], found["stop"] = begin[first], chunk.starts[middle[first]]
    found["second"], found["second_stop"] = found["stop"], chunk.starts[stop[first]]
    found["relation"] = -1 if settings.relation == "none" else SAME
    other = elsewhere[first]
    found["relation"][other] = OTHER
    found["second"][other], found["second_stop"][other] = _elsewhere(
        part,
        found[other],
        np.maximum(target[first][other] - (found["stop"] - found["begin"])[other], 1),
        draws,
    )
    _shorten(found, room, draws)
    if settings.relation == "order":
        swapped = draws.uniform(4, found["begin"]) < 0.5
        for one, two in (("begin", "second"), ("stop", "second_stop")):
            found[one][swapped], found[two][swapped] = found[two][swapped], found[one][swapped]
        found["relation"][swapped] = OTHER
    return found, chunk.languages[first]


def _elsewhere(part: Part, rows: Rows, lengths: Int, draws: Draws) -> tuple[Int, Int]:
    """Return a stretch of another document for each row: from a random sentence on, to `lengths` tokens."""
    count = part.count
    others = 1 + draws.below(count - 1, 5, rows["begin"])
    document = part.document((part.rank(rows["document"]) + others) % count)
    first, stop = part.sentences(document)
    sentence = first + draws.below(stop - first, 6, rows["begin"])
    begin, end = np.zeros_like(first), np.zeros_like(first)
    order = np.argsort(document, kind="stable")
    far = np.flatnonzero(first[order][1:] - stop[order][:-1] > _AT_ONCE) + 1
    borders = np.union1d(far, np.arange(0, len(order) + _AT_ONCE, _AT_ONCE)).clip(max=len(order))
    for low, high in pairwise(np.unique(borders).tolist()):  # through the store, a stretch at a time
        some = order[low:high]
        here = int(first[some[0]])
        starts = part.store.columns["sentences"].read(here, int(stop[some[-1]]) + 1).astype(np.int64)
        begin[some] = starts[sentence[some] - here]
        reached = here + np.searchsorted(starts, begin[some] + lengths[some], side="left")
        end[some] = starts[np.minimum(np.maximum(reached, sentence[some] + 1), stop[some]) - here]
    return begin, end


def _shorten(rows: Rows, room: int, draws: Draws) -> None:
    """Take tokens away from the longer segment, at its front or back by chance, until both fit."""
    a, b = rows["stop"] - rows["begin"], rows["second_stop"] - rows["second"]
    half = -(-room // 2)
    keep_a = np.where(a + b <= room, a, np.where(a <= half, a, np.maximum(half, room - b)))
    keep_b = np.minimum(b, room - keep_a)
    for number, (one, stop, cut) in enumerate(
        (("begin", "stop", a - keep_a), ("second", "second_stop", b - keep_b))
    ):
        front = _heads(cut, draws, number, rows["begin"].copy())
        rows[one] += front
        rows[stop] -= cut - front


def _heads(tosses: Int, draws: Draws, number: int, keys: Int) -> Int:
    """Return how many of so many tosses of a coin come up heads."""
    found = np.zeros_like(tosses)
    for word in range(-(-int(tosses.max(initial=0)) // 64)):
        left = np.clip(tosses - 64 * word, 0, 64)
        kept = np.where(
            left == 64, ~np.uint64(0), (np.uint64(1) << (left % 64).astype(np.uint64)) - np.uint64(1)
        )
        found += np.bitwise_count(draws.bits(7 + number, word, keys) & kept)
    return found
