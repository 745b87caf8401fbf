"""Labelled sequences, end to end in memory, and the packed batches that steps and evaluations read of them.

Letters: n sequences, T tokens of all of them, P places that a head reads where it reads single tokens.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ambos.data.batch import Batch
from ambos.data.order import by_length

Int = NDArray[np.int64]


class Runs:
    """Runs of whole numbers, laid end to end as they come: lists of all of them would take ten times as much.

    Parameters
    ----------
    kind
        Of the numbers, as `array` has it: "i" for int32, "B" for uint8, "q" for int64.
    runs
        The first of them.

    Examples
    --------
    >>> runs = Runs("i", [[1, 7, 2]])
    >>> runs.add([5])
    >>> runs.flat.tolist(), runs.counts.tolist()
    ([1, 7, 2, 5], [3, 1])
    """

    def __init__(self, kind: Literal["i", "B", "q"], runs: Iterable[Iterable[int]] = ()) -> None:
        self._flat: array[int] = array(kind)
        self._counts: array[int] = array("q")
        for run in runs:
            self.add(run)

    def add(self, run: Iterable[int]) -> None:
        """Lay a run behind the others."""
        before = len(self._flat)
        self._flat.extend(run)
        self._counts.append(len(self._flat) - before)

    @property
    def flat(self) -> NDArray[Any]:
        """All numbers."""
        return np.asarray(self._flat)

    @property
    def counts(self) -> Int:
        """How many numbers each run has."""
        return np.asarray(self._counts, np.int64)


@dataclass(frozen=True)
class Labelled:
    """A packed batch with what is to be learnt of it.

    Parameters
    ----------
    batch
        The sequences, the longest first.
    numbers
        (n,) which examples they are.
    places
        (R,) places in the packed row that the head reads, sequence by sequence; None if it reads sequences.
        Of pairs whose texts are read apart, (n, 2): the sequences of the batch that each pair is of.
    targets
        By name: (n, ...) of sequences or pairs, or (R, ...) of places.
    """

    batch: Batch
    numbers: Int
    places: Tensor | None
    targets: Mapping[str, Tensor]


@dataclass(frozen=True)
class Examples:
    """Sequences with their targets.

    A row whose text is longer than the model reads may be several sequences, its windows.

    Parameters
    ----------
    ids, segments
        (T,) int32 and uint8, end to end.
    lengths
        (n,) tokens of each sequence.
    owners
        (n,) the row that each sequence belongs to, ascending.
    rows
        How many rows there are.
    targets
        By name, an array whose first side is n, or P where places are read.
    places, place_counts
        (P,) places within their own sequence that a head reads, and (n,) how many of each; None if it
        reads whole sequences.
    extra
        Of each row, what only its task knows how to read; nothing where it is not needed.
    sides
        (m, 2) where an example is a pair of sequences that are read apart: which two. A sequence may be in
        several of them, and is then read once in a batch. Targets are of examples, and every row is one.

    Examples
    --------
    >>> examples = Examples.of([[1, 7, 2], [1, 8, 9, 2]], targets={"label": np.array([0, 1])})
    >>> part = examples.part(np.array([0, 1]))
    >>> part.batch.ids.tolist(), part.targets["label"].tolist()
    ([1, 8, 9, 2, 1, 7, 2], [1, 0])
    """

    ids: NDArray[np.int32]
    segments: NDArray[np.uint8]
    lengths: Int
    owners: Int
    rows: int
    targets: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    places: Int | None = None
    place_counts: Int | None = None
    extra: Sequence[Any] = ()
    sides: Int | None = None

    @classmethod
    def of(
        cls,
        sequences: Runs | Iterable[Iterable[int]],
        segments: Runs | None = None,
        *,
        owners: Sequence[int] | None = None,
        rows: int | None = None,
        targets: Mapping[str, NDArray[Any]] | None = None,
        places: Runs | None = None,
        extra: Sequence[Any] = (),
        sides: Int | None = None,
    ) -> "Examples":
        """Return sequences with what belongs to them; without `owners`, each is a row of its own."""
        runs = sequences if isinstance(sequences, Runs) else Runs("i", sequences)
        flat, lengths = runs.flat, runs.counts
        return cls(
            ids=flat,
            segments=np.zeros(len(flat), np.uint8) if segments is None else segments.flat,
            lengths=lengths,
            owners=np.arange(len(lengths)) if owners is None else np.asarray(owners, np.int64),
            rows=len(lengths) if rows is None else rows,
            targets=targets or {},
            places=None if places is None else places.flat,
            place_counts=None if places is None else places.counts,
            extra=extra,
            sides=sides,
        )

    def __len__(self) -> int:
        """Return how many examples there are: sequences, or pairs of them."""
        return len(self.sizes)

    @cached_property
    def sizes(self) -> Int:
        """(n,) tokens of each example: of its sequence, or of both."""
        return self.lengths if self.sides is None else self.lengths[self.sides].sum(1)

    @cached_property
    def starts(self) -> Int:
        """(n,) where each sequence begins."""
        return np.cumsum(self.lengths) - self.lengths

    @cached_property
    def place_starts(self) -> Int:
        """(n,) where the places of each sequence begin."""
        counts = self.place_counts if self.place_counts is not None else np.zeros(len(self), np.int64)
        return np.cumsum(counts) - counts

    def part(self, numbers: Int, device: torch.device | str = "cpu") -> Labelled:
        """Return some examples as one packed batch, sequences of equal length beside each other."""
        if self.sides is not None:
            return self._pairs(numbers, self.sides[numbers], device)
        numbers = numbers[np.argsort(-self.lengths[numbers], kind="stable")]
        batch = self._packed(numbers, device)
        which, places, lengths = numbers, None, self.lengths[numbers]
        if self.places is not None and self.place_counts is not None:
            counts = self.place_counts[numbers]
            which = within(self.place_starts[numbers], counts)
            first = np.repeat(np.cumsum(lengths) - lengths, counts)
            places = torch.from_numpy(self.places[which] + first).to(device)
        targets = {name: torch.from_numpy(all_of[which]).to(device) for name, all_of in self.targets.items()}
        return Labelled(batch, numbers, places, targets)

    def _pairs(self, numbers: Int, sides: Int, device: torch.device | str) -> Labelled:
        """Return pairs of sequences as one batch, in which a sequence of several pairs is once."""
        sequences, which = np.unique(sides, return_inverse=True)
        order = np.argsort(-self.lengths[sequences], kind="stable")
        places = np.argsort(order)[which].reshape(sides.shape)
        targets = {
            name: torch.from_numpy(all_of[numbers]).to(device) for name, all_of in self.targets.items()
        }
        batch = self._packed(sequences[order], device)
        return Labelled(batch, numbers, torch.from_numpy(places).to(device), targets)

    def _packed(self, numbers: Int, device: torch.device | str) -> Batch:
        """Return some sequences end to end."""
        lengths = self.lengths[numbers]
        tokens = within(self.starts[numbers], lengths)
        return Batch.of(
            self.ids[tokens].astype(np.int64),
            self.segments[tokens].astype(np.int64),
            tuple(lengths.tolist()),
            device=device,
        )

    def parts(
        self, numbers: Int, budget: int, device: torch.device | str = "cpu", *, workers: int = 1
    ) -> Iterable[Labelled]:
        """Yield some examples as packed batches of at most `budget` tokens."""
        for chosen in by_length(self.sizes[numbers], budget, workers=workers):
            yield self.part(numbers[chosen], device)


def within(begins: Int, sizes: Int) -> Int:
    """Return begin, begin + 1, ... of every run of the given sizes, end to end.

    Examples
    --------
    >>> within(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    return np.repeat(begins - (np.cumsum(sizes) - sizes), sizes) + np.arange(int(sizes.sum()))
