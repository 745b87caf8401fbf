"""The two texts of a row in a DataFrame: which columns hold them, by their names."""

# ruff: noqa: N803 (X is scikit-learn's name)

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ambos.data.detect_columns import known_pairs
from ambos.estimators.finetuned import FineTuned
from ambos.estimators.inputs import BadValueError

_SUCH_AS = {("text_a", "text_b"): "premise and hypothesis", ("question", "passage"): "question and context"}


class OfTwoColumns(FineTuned):
    """An estimator of rows with two texts, which are found in a DataFrame by the names of its columns."""

    _roles: ClassVar[tuple[str, str]]

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fine-tune the base on pairs and what is to be said of each; return self."""
        names = text_columns(X, self._roles)
        super().fit(X if names is None else _chosen(X, names), y)
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = np.array(names, object)
        return self

    def _by_name(self, X: ArrayLike) -> ArrayLike:
        """Return pairs, (n, 2), of a DataFrame, by the names that were learnt from; else X itself."""
        names, fitted = _names(X), getattr(self, "feature_names_in_", None)
        if fitted is None:
            chosen = text_columns(X, self._roles)
            return X if chosen is None else _chosen(X, chosen)
        if names is None:
            warnings.warn(
                "X has no names of columns, but was fitted with "
                f"{' and '.join(fitted)}: its columns are taken for these, in this order",
                UserWarning,
                stacklevel=2,
            )
            return X
        if any(names.count(name) != 1 for name in fitted):
            raise BadValueError(
                "the columns of X are not those of fit",
                expected=" and ".join(fitted),
                found=", ".join(names),
                fix="rename them, or fit again",
            )
        return _chosen(X, fitted)


def text_columns(X: object, roles: tuple[str, str]) -> tuple[str, str] | None:
    """Return the columns of a DataFrame that hold first and second text; None where columns have no names.

    By names that are known for these roles (`premise` and `hypothesis`, `question` and `context`, ...),
    whatever the order; two columns of other names are taken in their order.

    Examples
    --------
    >>> text_columns([("Ana came.", "Somebody came.")], ("text_a", "text_b")) is None
    True
    """
    names = _names(X)
    if names is None:
        return None
    known = known_pairs(names, roles)
    if len(known) == 1:
        return known[0]
    if known or len(names) != 2 or names[0] == names[1]:
        either = " or ".join(" and ".join(pair) for pair in known)
        raise BadValueError(
            f"it is not clear which columns of X hold the two texts{': ' if known else ''}{either}",
            expected=f"two columns, or two whose names are known, such as {_SUCH_AS[roles]}",
            found=", ".join(names),
            fix='choose them: X[["first", "second"]]',
        )
    return names[0], names[1]


def _chosen(X: Any, names: Sequence[str]) -> ArrayLike:  # noqa: ANN401 (a table of whatever library)
    return np.stack([np.asarray(X[name], object) for name in names], axis=1)


def _names(X: object) -> list[str] | None:
    """Return the names of columns, if they have any: a DataFrame without has numbers.

    Tables of Arrow have their names in `column_names`, and arrays in `columns`.
    """
    columns = getattr(X, "column_names", getattr(X, "columns", None))
    names = [] if columns is None else list(columns)
    return names if names and all(isinstance(name, str) for name in names) else None
