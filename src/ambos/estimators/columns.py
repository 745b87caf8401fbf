"""The two texts of a pair in a DataFrame: which columns hold them, by their names."""

# ruff: noqa: N803 (X is scikit-learn's name)

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ambos.data.detect_columns import known_pairs
from ambos.estimators.inputs import BadValueError


def text_columns(X: object) -> tuple[str, str] | None:
    """Return the columns of a DataFrame that hold first and second text; None where columns have no names.

    By names that are known (`premise` and `hypothesis`, `query` and `passage`, ...), whatever the order; two
    columns of other names are taken in their order.

    Examples
    --------
    >>> text_columns([("Ana came.", "Somebody came.")]) is None
    True
    """
    names = _names(X)
    if names is None:
        return None
    known = known_pairs(names)
    if len(known) == 1:
        return known[0]
    if known or len(names) != 2 or names[0] == names[1]:
        either = " or ".join(" and ".join(pair) for pair in known)
        raise BadValueError(
            f"it is not clear which columns of X hold the two texts{': ' if known else ''}{either}",
            expected="two columns, or two whose names are known, such as premise and hypothesis",
            found=", ".join(names),
            fix='choose them: X[["first", "second"]]',
        )
    return names[0], names[1]


def pairs_by_name(X: ArrayLike, fitted: Sequence[str] | None) -> ArrayLike:
    """Return pairs, (n, 2), of a DataFrame with the columns that were learnt from; X itself if it is none.

    Parameters
    ----------
    fitted
        The columns of first and second text in `fit`; None if it had no names.
    """
    names = _names(X)
    if names is None:
        if fitted is not None:
            warnings.warn(
                "X has no names of columns, but was fitted with "
                f"{' and '.join(fitted)}: its columns are taken for these, in this order",
                UserWarning,
                stacklevel=2,
            )
        return X
    if fitted is not None and any(names.count(name) != 1 for name in fitted):
        raise BadValueError(
            "the columns of X are not those of fit",
            expected=" and ".join(fitted),
            found=", ".join(names),
            fix="rename them, or fit again",
        )
    table: Any = X
    chosen = (text_columns(X) or ()) if fitted is None else fitted
    return np.stack([np.asarray(table[name], object) for name in chosen], axis=1)


def _names(X: object) -> list[str] | None:
    """Return the names of columns, if they have any: a DataFrame without has numbers.

    Tables of Arrow have their names in `column_names`, and arrays in `columns`.
    """
    columns = getattr(X, "column_names", getattr(X, "columns", None))
    names = [] if columns is None else list(columns)
    return names if names and all(isinstance(name, str) for name in names) else None
