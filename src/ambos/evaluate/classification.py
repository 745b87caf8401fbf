"""One label or several per example: accuracy, F1, Matthews correlation, the confusion matrix."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from ambos.evaluate.bootstrap import Floats, Tally
from ambos.evaluate.evaluation import ClassEvaluation, Counts, macro_of_seen
from ambos.evaluate.ratios import divide, f1, sums_by_group
from ambos.evaluate.sparse_rows import Rows, sparse


class Confusion(ClassEvaluation):
    """One label per example. A row is the pair of ids, so memory grows with the cells in use only.

    `macro_f1` is over the labels that occur, as scikit-learn has it; `micro_f1` is the accuracy.

    Examples
    --------
    >>> confusion = Confusion(["no", "yes"])
    >>> confusion.add([0, 0, 1, 1], [0, 1, 1, 1])  # gold, predicted
    >>> confusion.matrix.tolist(), confusion.metrics()["accuracy"].value
    ([[1, 1], [0, 2]], 0.75)
    """

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__(labels, Tally(2, np.int64))

    def rows(self, gold: ArrayLike, predicted: ArrayLike) -> NDArray[np.int64]:
        """Return n examples as rows (n, 2), from two rows of n ids."""
        pairs = np.stack([np.asarray(gold), np.asarray(predicted)], axis=1)
        if pairs.ndim != 2 or (len(pairs) and pairs.dtype.kind not in "iu"):
            raise ValueError(f"expected two rows of ids, found {pairs.dtype} of shape {pairs.shape}")
        if len(pairs) and not 0 <= pairs.min() <= pairs.max() < len(self.labels):
            last = len(self.labels) - 1
            raise ValueError(f"ids go from 0 to {last}, found {pairs.min()} to {pairs.max()}")
        return pairs.astype(np.int64)

    def add(self, gold: ArrayLike, predicted: ArrayLike) -> None:
        """Take in n examples."""
        self.take(gold, predicted)

    def reordered(self, rows: Rows, labels: Sequence[str]) -> Rows:
        """Return rows of ids, (n, 2), that were made with the same labels in another order."""
        ids = np.array([self.labels.index(name) for name in labels], np.int64)
        return ids[rows.astype(np.intp)]

    @property
    def matrix(self) -> NDArray[np.int64]:
        """Examples by gold (rows) and predicted (columns) label, (L, L)."""
        found = np.zeros((len(self.labels), len(self.labels)), np.int64)
        found[tuple(self.tally.rows.T)] = self.tally.counts
        return found

    def count(self, rows: Rows, times: Floats) -> Counts:
        """Return hits, predicted and gold, (b, L) each."""
        gold, predicted = rows.astype(np.intp).T
        hit = gold == predicted
        groups = ((times[:, hit], gold[hit]), (times, predicted), (times, gold))
        hits, found, there = (sums_by_group(part, ids, len(self.labels)) for part, ids in groups)
        return hits, found, there

    def summary(self, counts: Counts, rows: Rows, times: Floats) -> dict[str, Floats]:  # noqa: ARG002
        """Return accuracy, macro and micro F1, and the Matthews correlation."""
        return metrics_of(*counts)


class MultiLabel(ClassEvaluation):
    """Any number of labels per example. A row has one small number per label: 1 gold + 2 predicted, else 0.

    `macro_f1` is over all labels, `exact_match` is the share of examples with all labels right, as
    scikit-learn has them for tables of labels.

    Examples
    --------
    >>> several = MultiLabel(["joy", "anger", "fear"])
    >>> several.add([[1, 0, 1], [0, 1, 0]], [[1, 0, 0], [0, 1, 0]])  # gold, predicted
    >>> {name: round(value, 3) for name, value in several.values().items()}
    {'micro_f1': 0.8, 'macro_f1': 0.667, 'exact_match': 0.5}
    """

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__(labels, Tally(len(labels), np.uint8, sparse=True))

    def rows(self, gold: ArrayLike, predicted: ArrayLike) -> csr_array:
        """Return n examples as sparse rows (n, L), from two (n, L) tables of 0 and 1."""
        there, found = np.asarray(gold), np.asarray(predicted)
        for table in (there, found):
            if table.shape != (len(there), len(self.labels)) or not np.isin(table, (0, 1)).all():
                raise ValueError(
                    f"expected two tables of 0 and 1 with {len(self.labels)} columns and as many rows, "
                    f"found {there.dtype} of shape {there.shape} and {found.dtype} of shape {found.shape}"
                )
        return sparse(there.astype(np.uint8) + 2 * found.astype(np.uint8))

    def add(self, gold: ArrayLike, predicted: ArrayLike) -> None:
        """Take in n examples."""
        self.take(gold, predicted)

    def count(self, rows: Rows, times: Floats) -> Counts:
        """Return hits, predicted and gold, (b, L) each."""
        codes = sparse(rows)
        code = codes.data.astype(np.uint8)
        hits, predicted, gold = (
            times @ csr_array((part.astype(np.float64), codes.indices, codes.indptr), shape=codes.shape)
            for part in (code == 3, code >> 1, code & 1)
        )
        return hits, predicted, gold

    def summary(self, counts: Counts, rows: Rows, times: Floats) -> dict[str, Floats]:
        """Return micro and macro F1, and exact match."""
        hits, predicted, gold = counts
        codes = sparse(rows)
        owner = np.repeat(np.arange(codes.shape[0]), np.diff(codes.indptr))
        exact = np.bincount(owner[codes.data != 3], minlength=codes.shape[0]) == 0
        return {
            "micro_f1": f1(hits.sum(1), predicted.sum(1), gold.sum(1)),
            "macro_f1": f1(*counts).mean(1),
            "exact_match": divide(times @ exact, times.sum(1)),
        }


def metrics_of(hits: Floats, predicted: Floats, gold: Floats) -> dict[str, Floats]:
    """Return the metrics (b,) of one label per example, from counts (b, L) of each label."""
    accuracy = divide(hits.sum(1), gold.sum(1))
    return {
        "accuracy": accuracy,
        "macro_f1": macro_of_seen(hits, predicted, gold),
        "micro_f1": accuracy,
        "mcc": _matthews(hits, predicted, gold),
    }


def _matthews(hits: Floats, predicted: Floats, gold: Floats) -> Floats:
    """Return the correlation of gold and predicted labels as indicators (Gorodkin 2004), (b,)."""
    total, right = gold.sum(1), hits.sum(1)
    shared = right * total - (predicted * gold).sum(1)
    spread = (total**2 - (predicted**2).sum(1)) * (total**2 - (gold**2).sum(1))
    return divide(shared, np.sqrt(spread))
