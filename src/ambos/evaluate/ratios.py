"""From counts to shares: division that bears zeros, F1, sums by group."""

import numpy as np
from numpy.typing import NDArray

from ambos.evaluate.bootstrap import Floats


def divide(above: Floats, below: Floats) -> Floats:
    """Return above / below, and 0 where nothing was counted (scikit-learn's `zero_division=0`).

    >>> divide(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    return np.divide(
        above, below, out=np.zeros(np.broadcast_shapes(above.shape, below.shape)), where=below != 0
    )


def f1(hits: Floats, predicted: Floats, gold: Floats) -> Floats:
    """Return 2 hits / (predicted + gold), the harmonic mean of precision and recall."""
    return divide(2 * hits, predicted + gold)


def sums_by_group(times: Floats, groups: NDArray[np.intp], count: int) -> Floats:
    """Add up the columns of each group: (b, k) and a group below `count` for each of k to (b, count).

    >>> sums_by_group(np.array([[1.0, 2.0, 4.0]]), np.array([1, 0, 1]), 3).tolist()
    [[2.0, 5.0, 0.0]]
    """
    cells = np.arange(len(times))[:, None] * count + groups
    flat = np.bincount(cells.ravel(), times.ravel(), len(times) * count)
    return flat.reshape(len(times), count).astype(np.float64, copy=False)
