"""Which rows are kept back from training, to choose the best weights by."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ambos.data.divide_rows import draw_share
from ambos.data.draws import Draws
from ambos.estimators.inputs import BadValueError


def hold_out(strata: ArrayLike, share: float, seed: int, texts: ArrayLike | None = None) -> NDArray[np.bool_]:
    """Tell which of n rows are kept back, (n,): a share of all, and of each stratum as nearly as can be.

    Rows with the same number in `texts` have the same text, and are on one side; `draw_share` says which.

    Examples
    --------
    >>> hold_out([0, 0, 1, 1], 0.5, seed=0).tolist()
    [False, True, False, True]
    >>> hold_out([0, 0, 0, 0], 0.5, seed=0, texts=[7, 8, 7, 8]).tolist()
    [False, True, False, True]
    """
    count = len(np.asarray(strata))
    if share == 0:
        return np.zeros(count, np.bool_)
    _, firsts, group, sizes = np.unique(
        np.arange(count) if texts is None else np.asarray(texts),
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    if not 0 < share < 1 or not 0 < round(share * count) < count or len(sizes) < 2:
        raise _impossible(share, count, len(sizes))
    chance = Draws.of(seed, "validation").uniform(firsts)
    found = draw_share(sizes, np.asarray(strata)[firsts], share, chance)
    if not found.any():
        raise _impossible(share, count, len(sizes))
    held: NDArray[np.bool_] = found[group]
    return held


def _impossible(share: float, rows: int, texts: int) -> BadValueError:
    return BadValueError(
        "the rows cannot be divided like this",
        expected="a validation share between 0 and 1 that leaves rows on both sides, equal texts on one",
        found=f"validation={share} of {rows} rows with {texts} different texts",
        fix="validation=0.1, or 0 to learn from all rows",
    )
