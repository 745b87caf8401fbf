"""Rows of many numbers that are nearly all 0: only the others are kept and computed with.

Of 300 tags a sentence has a few, of 300 labels an example has one or two. What is kept of it grows with these
few, never with the labels that there are.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, hstack, issparse, vstack

Rows: TypeAlias = NDArray[np.generic] | csr_array
"""(n, d): an array, or a sparse one if it is nearly all 0."""

_CELLS = 2**20  # numbers of dense rows at a time: bounds memory
_LAST = 2**32 - 1


def sparse(rows: Rows | ArrayLike) -> csr_array:
    """Return rows (n, d) without their zeros, what is left of each in the order of its places.

    >>> sparse([[0, 3], [0, 0]]).indices.tolist()
    [1]
    """
    if not issparse(rows):
        given = np.asarray(rows)
        if given.ndim != 2:
            raise ValueError(f"expected rows of numbers, found shape {given.shape}")
        parts = [csr_array(part) for part in dense_parts(given)]
        return vstack(parts, format="csr") if len(parts) > 1 else parts[0]
    found = csr_array(rows)
    if not found.has_canonical_format or not found.data.all():
        found = found.copy()  # what is given stays as it is
        found.sum_duplicates()
        found.eliminate_zeros()
    return found


def sparse_counts(owners: NDArray[np.intp], places: NDArray[np.intp], shape: tuple[int, int]) -> csr_array:
    """Return how often each place (m,) of each row (m,) is named, (n, d).

    >>> sparse_counts(np.array([0, 0, 1]), np.array([2, 2, 0]), (2, 3)).toarray().tolist()
    [[0, 0, 2], [1, 0, 0]]
    """
    cells, counts = np.unique(owners.astype(np.int64) * shape[1] + places, return_counts=True)
    rows, columns = np.divmod(cells, max(1, shape[1]))
    ends = np.searchsorted(rows, np.arange(shape[0] + 1))
    return csr_array((counts, columns, ends), shape=shape)


def dense_parts(rows: Rows) -> Iterator[NDArray[Any]]:
    """Yield rows as arrays, so many at a time that memory is bounded; one without rows if there are none."""
    size = max(1, _CELLS // max(1, rows.shape[1]))
    for begin in range(0, max(1, rows.shape[0]), size):
        part = rows[begin : begin + size]
        yield part.toarray() if isinstance(part, csr_array) else np.asarray(part)


def beside(parts: Sequence[Rows]) -> Rows:
    """Return rows (n, d) of several kinds beside one another, (n, sum of d)."""
    return hstack(parts, format="csr") if issparse(parts[0]) else np.hstack(parts)


def below(parts: Sequence[Rows]) -> Rows:
    """Return rows (n, d) of several sets below one another, (sum of n, d)."""
    return vstack(parts, format="csr") if issparse(parts[0]) else np.concatenate(parts)


def parted(rows: Rows, count: int) -> list[Rows]:
    """Undo `beside`: return `count` parts of equal width."""
    width = rows.shape[1] // count
    return [rows[:, width * part : width * (part + 1)] for part in range(count)]


def keys_of(rows: csr_array, kind: np.dtype[Any]) -> list[bytes]:
    """Return each row as bytes: equal rows give equal ones, and they sort as the bytes of dense rows do.

    A number that is not 0 makes its row the larger the earlier it comes: places are counted backwards.
    """
    entries = np.empty(len(rows.data), _entry(kind))
    entries["place"] = _LAST - rows.indices.astype(np.int64)
    entries["value"] = rows.data
    whole = entries.tobytes()
    ends = (rows.indptr.astype(np.int64) * entries.itemsize).tolist()
    return [whole[begin:end] for begin, end in pairwise(ends)]


def rows_of(keys: Sequence[bytes], width: int, kind: np.dtype[Any]) -> csr_array:
    """Undo `keys_of`.

    >>> rows_of(keys_of(sparse([[0, 3], [0, 0]]), np.dtype(int)), 2, np.dtype(int)).toarray().tolist()
    [[0, 3], [0, 0]]
    """
    entries = np.frombuffer(b"".join(keys), _entry(kind))
    ends = np.cumsum([0, *(len(key) // entries.itemsize for key in keys)])
    places = _LAST - entries["place"].astype(np.int64)
    return csr_array((np.ascontiguousarray(entries["value"]), places, ends), shape=(len(keys), width))


def _entry(kind: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype([("place", ">u4"), ("value", kind)])
