"""A batch without padding: the tokens of all sequences in one row, and where each sequence lies.

Shapes are named by letters: T tokens of the whole batch, R tokens that are read, n sequences of one group,
l the length they share.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, groupby

import numpy as np
import torch
from torch import Tensor

from ambos.data.rectangles import Rectangles
from ambos.errors import InputError


@dataclass(frozen=True)
class Group:
    """Neighbouring sequences of equal length: tokens `start` to `start + count * length`."""

    start: int
    count: int
    length: int

    @property
    def tokens(self) -> slice:
        """Where the group's tokens lie in the packed row."""
        return slice(self.start, self.start + self.count * self.length)


@dataclass(frozen=True)
class Batch:
    """Sequences laid end to end.

    Parameters
    ----------
    ids, segments, positions
        (T,) int64: vocabulary ids, segment numbers, and place of each token in its own sequence, from 0.
    lengths
        Tokens of each sequence, in order; none is 0.
    largest_id, largest_segment
        Known here so that an encoder can refuse what its tables lack without reading the tensors again.

    Examples
    --------
    >>> batch = Batch.pack([[5, 6, 7], [8, 9]])
    >>> batch.ids.tolist(), batch.positions.tolist(), batch.lengths
    ([5, 6, 7, 8, 9], [0, 1, 2, 0, 1], (3, 2))
    """

    ids: Tensor
    segments: Tensor
    positions: Tensor
    lengths: tuple[int, ...]
    largest_id: int
    largest_segment: int

    @classmethod
    def pack(
        cls,
        sequences: Sequence[Sequence[int] | np.ndarray],
        segments: Sequence[Sequence[int] | np.ndarray] | None = None,
        *,
        device: torch.device | str = "cpu",
    ) -> "Batch":
        """Lay sequences of ids (and, if the family has them, segment numbers) end to end."""
        lengths = tuple(len(sequence) for sequence in sequences)
        if not lengths or min(lengths) == 0:
            raise InputError(
                "an input has no tokens",
                expected="at least one token in every sequence",
                found="no sequence" if not lengths else f"sequence {lengths.index(0)} is empty",
                fix="leave empty inputs out",
            )
        flat = np.concatenate([_row(sequence) for sequence in sequences])
        parts = np.zeros_like(flat)
        if segments is not None:
            if tuple(len(segment) for segment in segments) != lengths:
                raise ValueError("segment numbers and ids differ in length")
            parts = np.concatenate([_row(segment) for segment in segments])
        if min(int(flat.min()), int(parts.min())) < 0:
            raise InputError("an id or segment number is negative", expected="0 or more")
        return cls.of(flat, parts, lengths, device=device)

    @classmethod
    def of(
        cls,
        ids: np.ndarray,
        segments: np.ndarray,
        lengths: tuple[int, ...],
        *,
        device: torch.device | str = "cpu",
    ) -> "Batch":
        """Take sequences that lie end to end already: (T,) int64 ids and segment numbers."""
        starts = np.repeat(np.cumsum((0, *lengths[:-1])), lengths)
        return cls(
            ids=torch.from_numpy(ids).to(device),
            segments=torch.from_numpy(segments).to(device),
            positions=torch.from_numpy(np.arange(len(ids)) - starts).to(device),
            lengths=lengths,
            largest_id=int(ids.max()),
            largest_segment=int(segments.max()),
        )

    @property
    def tokens(self) -> int:
        """How many tokens there are, T."""
        return len(self.ids)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where each sequence begins: the place of its first token, such as `[CLS]`."""
        return tuple(accumulate(self.lengths[:-1], initial=0))

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Runs of neighbours of equal length; batches sorted by length have few."""
        found, start = [], 0
        for length, run in groupby(self.lengths):
            count = sum(1 for _ in run)
            found.append(Group(start, count, length))
            start += count * length
        return tuple(found)

    @cached_property
    def rectangles(self) -> Rectangles:
        """The sequences as few padded rectangles."""
        return Rectangles.of(self.lengths, self.ids.device)

    def first_tokens(self) -> Tensor:
        """Return the places of the first token of each sequence, (n,): what a classifier reads."""
        return torch.tensor(self.starts, device=self.ids.device)

    def split(self, rows: Tensor) -> tuple[Tensor, ...]:
        """Cut a (T, ...) tensor into one (length, ...) tensor per sequence."""
        return rows.split(self.lengths)

    def by_group(self, rows: Tensor) -> tuple[Tensor, ...]:
        """Cut a (T, ...) tensor into one (n, l, ...) tensor per group, without a copy.

        All at once: the gradient is then one concatenation, where that of a slice is a copy into zeros. And a
        batch of one group is taken whole, which costs nothing.
        """
        sizes = [group.count * group.length for group in self.groups]
        parts = rows.split(sizes) if len(sizes) > 1 else (rows,)
        return tuple(
            part.unflatten(0, (group.count, group.length))
            for part, group in zip(parts, self.groups, strict=True)
        )

    def halves(self) -> tuple["Batch", ...]:
        """Return the sequences as two batches of about equal size, in order; one sequence stays alone."""
        if len(self.lengths) == 1:
            return (self,)
        ends = np.cumsum(self.lengths)
        first = int(np.abs(ends[:-1] - self.tokens / 2).argmin()) + 1  # sequences of the first half
        cut = int(ends[first - 1])
        return tuple(
            replace(
                self,
                ids=self.ids[tokens],
                segments=self.segments[tokens],
                positions=self.positions[tokens],
                lengths=lengths,
            )
            for tokens, lengths in (
                (slice(cut), self.lengths[:first]),
                (slice(cut, None), self.lengths[first:]),
            )
        )

    def reading(self, read: Tensor, multiple: int = 1) -> "Reading":
        """Prepare the computation of only the tokens at `read`, (R,) places in the packed row.

        Their number is filled up to a multiple, with the first of them: what is computed of these comes last.
        """
        return Reading.of(self, read, multiple)

    def to(self, device: torch.device | str) -> "Batch":
        """Return the batch on another device."""
        return replace(
            self,
            ids=self.ids.to(device),
            segments=self.segments.to(device),
            positions=self.positions.to(device),
        )


def _row(numbers: Sequence[int] | np.ndarray) -> np.ndarray:
    """Return a row of int64, or raise ValueError for what is none."""
    row = np.asarray(numbers)
    if row.ndim != 1 or row.dtype.kind not in "iu":
        raise ValueError(f"expected a row of whole numbers, found {row.dtype} of shape {row.shape}")
    return row.astype(np.int64, copy=False)


@dataclass(frozen=True)
class GroupReading:
    """What is read of one group, as a rectangle: s sequences, q queries of each.

    Parameters
    ----------
    group
        The group.
    sequences
        (s,) those of its sequences of which something is read; None if that is all of them.
    queries
        (s, q): numbers of rows among the R read ones. A sequence with fewer than q repeats its first.
    places
        (s, q): the places of these tokens in their sequence.
    keep
        (r,) flat places in the rectangle, the repeated ones left out.
    """

    group: Group
    sequences: Tensor | None
    queries: Tensor
    places: Tensor
    keep: Tensor


@dataclass(frozen=True)
class Reading:
    """The places of a batch that will be read, and how attention gathers them group by group.

    Parameters
    ----------
    read
        (R,) places in the packed row, in the caller's order; what fills them up comes after them.
    groups
        One entry for every group of which something is read.
    inverse
        (R,) where each row stands when those of all groups are laid end to end.
    """

    read: Tensor
    groups: tuple[GroupReading, ...]
    inverse: Tensor

    @classmethod
    def of(cls, batch: Batch, read: Tensor, multiple: int = 1) -> "Reading":
        """Arrange the places `read` by group and sequence; their number is filled up to a multiple."""
        places = read.detach().cpu().numpy()
        if places.ndim != 1 or len(places) == 0:
            raise ValueError(f"expected a row of places to read, found shape {places.shape}")
        if places.min() < 0 or places.max() >= batch.tokens:
            raise ValueError(
                f"places to read go from 0 to {batch.tokens - 1}, found {places.min()} to {places.max()}"
            )
        order = np.argsort(places, kind="stable")
        ordered = places[order]
        device = batch.ids.device
        found = []
        for group in batch.groups:
            first, last = np.searchsorted(ordered, (group.tokens.start, group.tokens.stop))
            if first == last:
                continue
            sequence, counts = np.unique(
                (ordered[first:last] - group.start) // group.length, return_counts=True
            )
            width = int(counts.max())
            begins = first + np.cumsum(counts) - counts
            # Row k of a sequence, or its first one again where it has fewer than the others.
            column = np.arange(width)
            inside = column < counts[:, None]
            rectangle = order[begins[:, None] + np.where(inside, column, 0)]
            whole = len(sequence) == group.count
            found.append(
                GroupReading(
                    group=group,
                    sequences=None if whole else torch.from_numpy(sequence).to(device),
                    queries=torch.from_numpy(rectangle).to(device),
                    places=torch.from_numpy((places[rectangle] - group.start) % group.length).to(device),
                    keep=torch.from_numpy(np.flatnonzero(inside)).to(device),
                )
            )
        inverse = np.argsort(order)
        more = -len(places) % multiple
        filled = (torch.from_numpy(np.concatenate([one, one[:1].repeat(more)])) for one in (places, inverse))
        places_R, inverse_R = (one.to(device) for one in filled)
        return cls(read=places_R, groups=tuple(found), inverse=inverse_R)
