"""Search: where the text that belongs to another stands among all that could be found."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ambos.evaluate.bootstrap import Floats, Tally
from ambos.evaluate.evaluation import Evaluation
from ambos.evaluate.ratios import divide
from ambos.evaluate.regression import Regression
from ambos.evaluate.sparse_rows import Rows

_CELLS = 2**22  # cosines that are held at a time: bounds memory
_SAME = 1e-6  # cosines that differ by no more are equal but for rounding


class Retrieval(Evaluation):
    """Ranks of the texts that belong together. A row is what a cosine should be, the cosine, and the rank.

    The rank is that of the second text of a pair for its first one (see `ranks`), 0 of pairs that do not
    belong together: they are only there to be found. What a cosine should be is NaN where nothing says how
    alike the texts are, only that they belong together: correlations and errors are of the other rows, and
    are left out if there are none. Of the pairs that belong together

        mrr = mean of 1 / rank,  recall@k = share with rank <= k.

    Parameters
    ----------
    graded
        Whether rows say how alike texts are, and not only that they belong together: then correlations and
        errors of cosines are measured, too.

    Examples
    --------
    >>> retrieval = Retrieval(graded=False)
    >>> retrieval.add([1.0, 1.0], [[0.9, 1], [0.2, 4]])  # should be; cosine and rank
    >>> retrieval.values()
    {'mrr': 0.625, 'recall@1': 0.5, 'recall@10': 1.0}
    """

    less_is_better: ClassVar[frozenset[str]] = Regression.less_is_better

    def __init__(self, *, graded: bool) -> None:
        super().__init__(Tally(3))
        self.graded = graded

    def rows(self, gold: ArrayLike, predicted: ArrayLike) -> Floats:
        """Return n examples as rows (n, 3), from n numbers, and n cosines with their ranks, (n, 2)."""
        cosines, rank = np.asarray(predicted, np.float64).reshape(-1, 2).T
        wanted = np.asarray(gold, np.float64)
        unsaid = np.isnan(wanted)
        found = np.column_stack([Regression().rows(np.where(unsaid, 1.0, wanted), cosines), rank])
        found[unsaid, 0] = np.nan
        return found

    def measure(self, rows: Rows, times: Floats) -> dict[str, Floats]:
        """Return the mean reciprocal rank, and the shares of texts that are first, and among the first 10."""
        rank = rows[:, 2].astype(np.float64)
        asked = (rank > 0).astype(np.float64)
        total = times @ asked
        found = {"mrr": divide(times @ (asked / np.maximum(rank, 1)), total)}
        found |= {f"recall@{most}": divide(times @ (asked * (rank <= most)), total) for most in (1, 10)}
        said = ~np.isnan(rows[:, 0].astype(np.float64))
        if not self.graded or (len(said) and not said.any()):
            return found
        return {**found, **Regression().measure(rows[said, :2], times[:, said])}

    def unitless(self, rows: Rows) -> dict[str, Floats]:
        """Return rows for the correlations, as those of `Regression`; what is not said stays so."""
        given = rows.astype(np.float64)
        said = ~np.isnan(given[:, 0])
        if not self.graded or not said.any():
            return {}
        found = {}
        for name, pairs in Regression().unitless(given[said, :2]).items():
            found[name] = given.copy()
            found[name][said, :2] = pairs
        return found


def ranks(
    first: NDArray[np.float32],
    second: NDArray[np.float32],
    texts: NDArray[np.int64],
    together: NDArray[np.bool_],
) -> Floats:
    """Return where the second text of each pair stands by its cosine with the first, (n,); 1 is the nearest.

    It stands among the second texts of all pairs, each once. Other texts that belong to the first one, and
    the first one itself, are not counted. Of equally near ones half are before it, so that a model for which
    all texts are alike has no luck. Cosines are computed for some first texts at a time.

    Parameters
    ----------
    first, second
        (n, width) vectors.
    texts
        (n, 2) numbers of the texts, the same for the same text.
    together
        (n,) which pairs belong together; the rank of others is 0.

    Examples
    --------
    >>> side = np.eye(3, dtype=np.float32)
    >>> texts = np.array([[0, 3], [1, 4], [2, 5]])
    >>> ranks(side, side[[1, 0, 2]], texts, np.array([True, False, True])).tolist()
    [2.5, 0.0, 1.0]
    """
    found = np.zeros(len(texts), np.float64)
    candidates, at = np.unique(texts[:, 1], return_index=True)
    there = scaled(second[at]).T
    mine = np.flatnonzero(together)
    askers, at, which = np.unique(texts[mine, 0], return_index=True, return_inverse=True)
    pairs = np.split(mine[np.argsort(which, kind="stable")], np.cumsum(np.bincount(which))[:-1])
    size = max(1, _CELLS // max(1, len(candidates)))
    for begin in range(0, len(askers), size):
        cosines = scaled(first[mine[at[begin : begin + size]]]) @ there
        for row, asker, belong in zip(
            cosines, askers[begin : begin + size], pairs[begin : begin + size], strict=True
        ):
            places = np.searchsorted(candidates, texts[belong, 1])
            right = row[places]
            row[places] = -np.inf
            row[candidates == asker] = -np.inf
            for pair, cosine in zip(belong, right, strict=True):
                before = np.count_nonzero(row > cosine + _SAME)
                beside = np.count_nonzero(row >= cosine - _SAME) - before
                found[pair] = 1 + before + beside / 2
    return found


def scaled(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return vectors (n, d) of length 1; one that has none stays as it is.

    >>> scaled(np.array([[3.0, 4.0], [0.0, 0.0]], np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)
