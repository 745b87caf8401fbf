"""The nearest vectors by a graph of neighbours, in which vectors that are the same stand once."""

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ambos.errors import UsageError
from ambos.files import new_file

Vectors = NDArray[np.float32]
Numbers = NDArray[np.int64]

_ROWS = 65_536  # vectors that are looked at, or added, at a time
_EDGES, _EFFORT = 16, 128  # of the graph: edges of a vector, and how far a search looks around
_CELLS = 1000.0  # numbers that are the same times this, rounded, are the same


class Neighbours:
    """A graph of neighbours (Malkov and Yashunin 2018) of vectors of length 1.

    More equal vectors than one has edges would see one another alone: no way would lead out of them, or in.

    Parameters
    ----------
    vectors
        (n, width) float32.
    file
        Where the graph is kept, if it is; one that is damaged, or of other vectors, is built anew.

    Examples
    --------
    >>> graph = Neighbours(np.eye(2, dtype=np.float32)[[0, 1, 1]], None)  # doctest: +SKIP
    >>> graph.nearest(np.array([[0.6, 0.8]], np.float32), 2)  # doctest: +SKIP
    [(array([1, 2]), array([0.8, 0.8], dtype=float32))]
    """

    def __init__(self, vectors: Vectors, file: Path | None) -> None:
        self._vectors = vectors
        first = first_same(vectors)
        self._order = np.argsort(first, kind="stable")  # those that are the same lie side by side
        self._sorted = first[self._order]
        self._graph = self._opened(np.unique(first), file)

    def nearest(self, queries: Vectors, top: int) -> list[tuple[Numbers, Vectors] | None]:
        """Return the `top` vectors nearest to each query, and their cosines; None where fewer were found."""
        wanted = min(top, len(self._graph))
        found = self._graph.search(queries, wanted)
        counts = np.broadcast_to(getattr(found, "counts", len(found)), len(queries)).tolist()
        keys = np.asarray(found.keys, np.int64).reshape(len(queries), -1)
        return [
            self._all_same(row, query, top) if count == wanted else None
            for row, query, count in zip(keys, queries, counts, strict=True)
        ]

    def _all_same(self, keys: Numbers, query: Vectors, top: int) -> tuple[Numbers, Vectors]:
        """Return the vectors that are the same as those found, the nearest first."""
        low, high = (np.searchsorted(self._sorted, keys, side) for side in ("left", "right"))
        high = np.minimum(high, low + top)
        last = int(np.searchsorted(np.cumsum(high - low), top)) + 1
        numbers = np.concatenate(
            [self._order[slice(*ends)] for ends in zip(low[:last], high[:last], strict=True)]
        )
        cosines = self._vectors[numbers] @ query
        nearest = np.argsort(-cosines, kind="stable")[:top]
        return numbers[nearest], cosines[nearest]

    def _opened(self, distinct: Numbers, file: Path | None) -> Any:  # noqa: ANN401 (usearch's)
        try:
            from usearch.index import Index  # noqa: PLC0415 (optional)
        except ImportError as error:
            raise UsageError(
                "an approximate index needs the library usearch, which is not installed",
                fix='pip install "ambos[index]", or search exactly with --exact',
            ) from error
        empty = partial(
            Index,
            ndim=self._vectors.shape[1],
            metric="ip",
            dtype="f32",
            connectivity=_EDGES,
            expansion_add=_EFFORT,
            expansion_search=_EFFORT,
        )
        graph = empty()
        if file is not None and file.is_file():
            with suppress(RuntimeError):  # it is damaged: the vectors tell all that was in it
                graph.load(str(file))
                if (len(graph), graph.ndim) == (len(distinct), self._vectors.shape[1]):
                    return graph
            graph = empty()
        for begin in range(0, len(distinct), _ROWS):
            some = distinct[begin : begin + _ROWS]
            graph.add(some, np.ascontiguousarray(self._vectors[some]))
        if file is not None:
            with new_file(file, force=True) as work:
                graph.save(str(work))
        return graph


def first_same(vectors: Vectors) -> Numbers:
    """Return for each vector the number of the first one that is the same but for rounding, (n,).

    Examples
    --------
    >>> first_same(np.array([[0.6, 0.8], [0.8, 0.6], [0.6000001, 0.8]], np.float32)).tolist()
    [0, 1, 0]
    """
    factors = np.random.default_rng(0).integers(-(2**62), 2**62, vectors.shape[1])
    marks = np.empty(len(vectors), np.int64)
    for begin in range(0, len(vectors), _ROWS):
        cells = np.rint(np.asarray(vectors[begin : begin + _ROWS]) * _CELLS).astype(np.int64)
        marks[begin : begin + _ROWS] = cells @ factors  # of 64 bits, whatever is beyond
    _, first, which = np.unique(marks, return_index=True, return_inverse=True)
    return np.asarray(first[which], np.int64)
