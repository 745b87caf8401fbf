"""Which rows are kept back from training, to choose the best weights by."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ambos.data.draws import Draws
from ambos.estimators.inputs import BadValueError


def hold_out(strata: ArrayLike, share: float, seed: int) -> NDArray[np.bool_]:
    """Tell which of n rows are kept back, (n,): a share of all, and of each stratum as nearly as can be.

    Examples
    --------
    >>> hold_out([0, 0, 1, 1], 0.5, seed=0).tolist()
    [False, True, False, True]
    """
    groups = np.asarray(strata)
    count = len(groups)
    found = np.zeros(count, np.bool_)
    if share == 0:
        return found
    if not 0 < share < 1 or not 0 < round(share * count) < count:
        raise BadValueError(
            "the rows cannot be divided like this",
            expected="a validation share between 0 and 1 that leaves rows on both sides",
            found=f"validation={share} of {count} rows",
            fix="validation=0.1, or 0 to learn from all rows",
        )
    chance = Draws.of(seed, "validation").uniform(np.arange(count))
    order = np.lexsort((chance, groups))  # one stratum after the other, each shuffled
    found[order] = np.diff(np.floor(share * np.arange(count + 1) + 0.5)) > 0
    return found
