"""A number per example: Pearson and Spearman correlation, and errors."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ambos.errors import InputError
from ambos.evaluate.bootstrap import Floats, Tally
from ambos.evaluate.evaluation import Evaluation
from ambos.evaluate.ratios import divide, sums_by_group
from ambos.evaluate.sparse_rows import Rows

_ROUNDING = 1e-13  # numbers that differ from their mean by less than this share of it are all the same


class Regression(Evaluation):
    """Gold and predicted numbers. A row is the pair.

    A correlation with numbers that are all the same is not defined; it is given as 0, since a model that says
    the same of every example knows nothing of what tells them apart.

    Examples
    --------
    >>> regression = Regression()
    >>> regression.add([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 4.0, 3.0])  # gold, predicted
    >>> {name: round(value, 3) for name, value in regression.values().items()}
    {'pearson': 0.8, 'spearman': 0.8, 'mse': 0.5, 'rmse': 0.707, 'mae': 0.5}
    """

    less_is_better: ClassVar[frozenset[str]] = frozenset({"mse", "rmse", "mae"})

    def __init__(self) -> None:
        super().__init__(Tally(2))

    def rows(self, gold: ArrayLike, predicted: ArrayLike) -> Floats:
        """Return n examples as rows (n, 2), from two rows of n numbers."""
        pairs = np.stack([np.asarray(gold, np.float64), np.asarray(predicted, np.float64)], axis=1)
        if pairs.ndim != 2:
            raise ValueError(f"expected two rows of numbers, found shape {pairs.shape}")
        finite = np.isfinite(pairs).all(1)
        if not finite.all():
            example = int(finite.argmin())
            raise InputError(
                "a gold or predicted number is not finite",
                expected="finite numbers",
                found=f"{pairs[example, 0]} and {pairs[example, 1]} for example {example}",
                fix="look for empty cells in the gold numbers, and for a run that diverged",
            )
        return pairs

    def add(self, gold: ArrayLike, predicted: ArrayLike) -> None:
        """Take in n examples."""
        self.take(gold, predicted)

    def measure(self, rows: Rows, times: Floats) -> dict[str, Floats]:
        """Return both correlations, mean squared error and its root, mean absolute error."""
        gold, predicted = rows.astype(np.float64).T
        error = predicted - gold
        mse = divide(times @ error**2, times.sum(1))
        return {
            "pearson": _correlation(gold, predicted, times),
            "spearman": _correlation(_ranks(gold, times), _ranks(predicted, times), times),
            "mse": mse,
            "rmse": np.sqrt(mse),
            "mae": divide(times @ np.abs(error), times.sum(1)),
        }

    def unitless(self, rows: Rows) -> dict[str, Floats]:
        """Return rows with mean 0 and length 1 for Pearson's correlation, and with ranks for Spearman's.

        Examples
        --------
        >>> regression = Regression()
        >>> regression.unitless(regression.rows([0.0, 5.0, 10.0], [0.1, 0.9, 0.2]))["spearman"].tolist()
        [[1.0, 1.0], [2.0, 3.0], [3.0, 2.0]]
        """
        columns, once = rows.astype(np.float64).T, np.ones((1, rows.shape[0]))
        apart = np.stack([_deviations(column, once)[0] for column in columns], 1)
        return {
            "pearson": apart / np.maximum(np.linalg.norm(apart, axis=0), np.finfo(np.float64).tiny),
            "spearman": np.stack([_ranks(column, once)[0] for column in columns], 1),
        }


def _correlation(x: Floats, y: Floats, times: Floats) -> Floats:
    """Return Pearson's correlation, (b,), of x and y, (k,) or (b, k), that occur `times` (b, k)."""
    x, y = _deviations(x, times), _deviations(y, times)
    spread = np.sqrt((times * x**2).sum(1)) * np.sqrt((times * y**2).sum(1))
    return np.clip(divide((times * x * y).sum(1), spread), -1, 1)


def _deviations(x: Floats, times: Floats) -> Floats:
    """Return x less its mean, (b, k); exactly 0 where all x that occur are the same."""
    mean = divide((times * x).sum(1), times.sum(1))[:, None]
    found = x - mean
    largest = np.max(np.abs(found) * (times > 0), axis=1, keepdims=True, initial=0)
    return np.where(largest <= _ROUNDING * np.abs(mean), 0.0, found)


def _ranks(values: Floats, times: Floats) -> Floats:
    """Return the ranks of values (k,) in b sets where they occur `times` (b, k); equal ones share the mean.

    >>> _ranks(np.array([5.0, 3.0, 5.0]), np.ones((1, 3))).tolist()
    [[2.5, 1.0, 2.5]]
    """
    distinct, place = np.unique(values, return_inverse=True)
    held = sums_by_group(times, place, len(distinct))
    return (held.cumsum(1) - (held - 1) / 2)[:, place]
