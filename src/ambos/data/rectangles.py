"""Sequences of similar length side by side, padded to one length: fewer, larger products of matrices.

Letters: T tokens of the batch, P places of all rectangles, n sequences of a rectangle, l its length.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

_LEAST = 0.75  # of the longest one of a rectangle: sequences shorter than that begin another


@dataclass(frozen=True)
class Rectangles:
    """How the tokens of a packed batch lie in rectangles.

    Parameters
    ----------
    shapes
        (n, l) of each.
    tokens
        (P,) the token at each place, rectangle by rectangle; at padding, the first one of its sequence.
    places
        (T,) where each token is.
    padding
        (P,) True where there is nothing.

    Examples
    --------
    >>> found = Rectangles.of([4, 3, 1])
    >>> found.shapes, found.padding.tolist()
    (((2, 4), (1, 1)), [False, False, False, False, False, False, False, True, False])
    """

    shapes: tuple[tuple[int, int], ...]
    tokens: Tensor
    places: Tensor
    padding: Tensor

    @classmethod
    def of(cls, lengths: Sequence[int], device: torch.device | str = "cpu") -> "Rectangles":
        """Lay out sequences of the given lengths, which lie end to end."""
        shapes: list[tuple[int, int]] = []
        first = 0
        while first < len(lengths):
            longest, stop = lengths[first], first
            while stop < len(lengths) and _LEAST * longest <= lengths[stop] <= longest:
                stop += 1
            shapes.append((stop - first, longest))
            first = stop
        rows = np.repeat([length for _, length in shapes], [count for count, _ in shapes])  # (sequences,)
        sizes = np.asarray(lengths)
        starts, begins = np.cumsum(sizes) - sizes, np.cumsum(rows) - rows
        column = np.arange(int(rows.sum())) - np.repeat(begins, rows)
        padding = column >= np.repeat(sizes, rows)
        tokens = np.repeat(starts, rows) + np.where(padding, 0, column)
        arrays = (tokens, np.flatnonzero(~padding), padding)
        return cls(tuple(shapes), *(torch.from_numpy(one).to(device) for one in arrays))

    def cut(self, rows: Tensor) -> list[Tensor]:
        """Return (P, ...) as one (n, l, ...) tensor for each rectangle."""
        parts = rows.split([count * length for count, length in self.shapes])
        return [part.unflatten(0, shape) for part, shape in zip(parts, self.shapes, strict=True)]

    def places_of(self, rows: int) -> Tensor:
        """Return (rows,) where each token is; of rows of nothing after the T tokens, somewhere."""
        return F.pad(self.places, (0, rows - len(self.places)))

    def masks(self) -> list[Tensor]:
        """Return, for each rectangle, which of its places are seen, (n, 1, 1, l)."""
        return [part[:, None, None] for part in self.cut(~self.padding)]
