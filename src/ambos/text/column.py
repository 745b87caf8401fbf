"""Numbers of a file that are fetched when they are asked for, so that memory does not grow with the file."""

import os
import weakref
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

_NEAR = 64  # numbers between two that are asked for, at most, if they are read together


class Column:
    """Numbers in a file, fetched when they are asked for.

    A mapped array is handier, but looking at one number of it counts as up to 2 MB of memory: the system maps
    what it holds around it. What is fetched takes the memory of the numbers alone, however large the file.
    """

    def __init__(self, descriptor: int, dtype: np.dtype[Any], offset: int, length: int) -> None:
        self._descriptor, self.dtype, self._offset, self._length = descriptor, dtype, offset, length
        weakref.finalize(self, os.close, descriptor)

    @classmethod
    def open(cls, path: Path) -> "Column":
        """Open a `.npy` file of one dimension."""
        mapped: Any = np.load(path, mmap_mode="r", allow_pickle=False)
        return cls(os.open(path, os.O_RDONLY), mapped.dtype, mapped.offset, len(mapped))

    def __len__(self) -> int:
        """Return how many there are."""
        return self._length

    def read(self, first: int, stop: int) -> NDArray[Any]:
        """Return numbers `first` to `stop`."""
        size = self.dtype.itemsize
        data = os.pread(self._descriptor, (stop - first) * size, self._offset + first * size)
        return np.frombuffer(data, self.dtype)

    def take(self, places: NDArray[np.int64]) -> NDArray[Any]:
        """Return the numbers at some places; those that lie near each other are read together."""
        found = np.empty(len(places), self.dtype)
        order = np.argsort(places, kind="stable")
        ordered = places[order]
        borders = np.flatnonzero(np.diff(ordered) > _NEAR) + 1
        for first, last in pairwise([0, *borders.tolist(), len(places)]):
            if last > first:
                begin = int(ordered[first])
                piece = self.read(begin, int(ordered[last - 1]) + 1)
                found[order[first:last]] = piece[ordered[first:last] - begin]
        return found

    def place(self, value: int, side: Literal["left", "right"]) -> int:
        """Return where a value belongs among the ascending numbers, as `numpy.searchsorted` does."""
        low, high = 0, self._length
        while high - low > _NEAR:
            middle = (low + high) // 2
            there = int(self.read(middle, middle + 1)[0])
            if there < value or (there == value and side == "right"):
                low = middle + 1
            else:
                high = middle
        wanted = self.dtype.type(value)  # of another type, it would have all numbers converted
        return low + int(np.searchsorted(self.read(low, high), wanted, side=side))
