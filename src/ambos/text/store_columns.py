"""Columns that grow and can be wound back: the files of a token store while it is being built."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_HEADER = 128  # fixed, so that data can be appended before the final length is known


def holds(path: Path, dtype: Any, length: int) -> bool:  # noqa: ANN401 (as numpy types it)
    """Tell whether a column's file has at least so many entries."""
    return path.is_file() and path.stat().st_size >= _HEADER + length * np.dtype(dtype).itemsize


class Column:
    """A one-dimensional `.npy` file that is appended to; its header is written when it is done.

    Parameters
    ----------
    path
        The file; made if it is not there.
    dtype
        Little-endian on disk, whatever the machine.
    length
        Entries to keep of what the file holds; whatever comes after is cut off.
    """

    def __init__(self, path: Path, dtype: Any, length: int = 0) -> None:  # noqa: ANN401 (as numpy types it)
        self.path = path
        self.dtype = np.dtype(dtype).newbyteorder("<")
        self.length = length
        self._file = path.open("r+b" if path.exists() else "w+b")
        self._file.truncate(_HEADER + length * self.dtype.itemsize)
        self._file.seek(0, os.SEEK_END)

    def append(self, values: NDArray[Any]) -> None:
        """Add entries at the end."""
        self._file.write(np.ascontiguousarray(values, self.dtype).data)
        self.length += len(values)

    def read(self) -> NDArray[Any]:
        """Return all entries so far."""
        self._file.flush()
        return np.fromfile(self.path, self.dtype, self.length, offset=_HEADER)

    def sync(self) -> None:
        """Force what was appended onto the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def finish(self) -> None:
        """Write the header and close the file."""
        shape = f"{{'descr': {self.dtype.str!r}, 'fortran_order': False, 'shape': ({self.length},), }}"
        magic = b"\x93NUMPY\x01\x00" + (_HEADER - 10).to_bytes(2, "little")
        self._file.seek(0)
        self._file.write(magic + shape.ljust(_HEADER - 11).encode() + b"\n")
        self.close()

    def close(self) -> None:
        """Close the file as it is."""
        self._file.close()


class BitColumn:
    """A `Column` of packed bits, highest first; those of the last, unfinished byte wait in `tail`."""

    def __init__(self, column: Column, tail: list[int]) -> None:
        self.column = column
        self.tail = tail

    def append(self, bits: NDArray[np.bool_]) -> None:
        """Add bits at the end."""
        waiting = np.concatenate([np.array(self.tail, np.bool_), bits])
        whole = len(waiting) // 8 * 8
        self.column.append(np.packbits(waiting[:whole]))
        self.tail = [int(bit) for bit in waiting[whole:]]

    def finish(self) -> None:
        """Write the last byte, filled up with zeros, and the header."""
        self.column.append(np.packbits(np.array(self.tail, np.bool_)))
        self.column.finish()


class Seen:
    """A growing set of digests, 16 bytes of memory each: sorted runs, merged as they come to equal sizes."""

    def __init__(self, digests: NDArray[np.bytes_]) -> None:
        self._runs = [np.sort(digests)] if len(digests) else []

    def add(self, digests: NDArray[np.bytes_]) -> NDArray[np.bool_]:
        """Add a batch; return for each digest whether this is its first occurrence: (digests,)."""
        unique, first = np.unique(digests, return_index=True)
        new = np.ones(len(unique), np.bool_)
        for run in self._runs:
            at = np.minimum(np.searchsorted(run, unique), len(run) - 1)
            new &= run[at] != unique
        if new.any():
            self._runs.append(unique[new])
        while len(self._runs) > 1 and 2 * len(self._runs[-1]) > len(self._runs[-2]):
            last = self._runs.pop()
            merged = np.concatenate([self._runs.pop(), last])
            merged.sort()
            self._runs.append(merged)
        result = np.zeros(len(digests), np.bool_)
        result[first[new]] = True
        return result
