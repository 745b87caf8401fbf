"""What is to be learnt, checked: labels, scores, tags, answers."""

# ruff: noqa: N803 (X is scikit-learn's name)

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, column_or_1d  # type: ignore[import-untyped]
from sklearn.utils.multiclass import type_of_target  # type: ignore[import-untyped]

from ambos.estimators.inputs import (
    SHOWN,
    BadTypeError,
    BadValueError,
    is_missing,
    items_of,
    list_of,
    missing,
    text_of,
)

_KINDS = (
    "biufUO"  # of numpy: truth values, numbers, strings; objects are strings, or scikit-learn refuses them
)


def refuse_missing(y: object, name: str) -> None:
    """Raise `BadValueError` if there is no y."""
    if y is None:
        raise BadValueError(f"{name} requires y to be passed, but the target y is None", fix="fit(X, y)")


def same_length(X: Sequence[object], y: Sequence[object] | NDArray[Any]) -> None:
    """Raise `BadValueError` unless there is one item of y for each of X."""
    if len(X) != len(y):
        raise BadValueError(
            "X and y have inconsistent numbers of samples",
            expected=f"{len(X)} items in y, as in X",
            found=f"{len(y)} items",
        )


def labels_of(y: ArrayLike, of_numbers: str | None = None) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the classes in the order of `np.unique`, and the number of the class of each example, (n,).

    Of a table of zeros and ones, where examples may have several labels, return the numbers of its columns,
    and the table, (n, labels). If y has numbers on a scale, `of_numbers` is the advice.

    Examples
    --------
    >>> labels_of(["b", "a", "b"])
    (array(['a', 'b'], dtype='<U1'), array([1, 0, 1]))
    >>> labels_of([[1, 0, 1], [0, 1, 0]])[0]
    array([0, 1, 2])
    """
    if hasattr(y, "__array__") and np.asarray(y).ndim == 1:
        y = np.asarray(y)  # whole numbers and truth values of pandas, which scikit-learn turns into floats
    for number, label in enumerate(items_of(y, "y")):
        if is_missing(label):
            raise missing(f"row {number} of y", "a label")
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    if kind == "multilabel-indicator":
        table = np.asarray(y, np.int64)
        return np.arange(table.shape[1]), table
    if kind not in {"binary", "multiclass"}:
        raise BadValueError(
            f"Unknown label type: {kind}",
            expected="one label for each text, or a table of zeros and ones",
            fix=of_numbers if kind.startswith("continuous") else None,
        )
    classes, ids = np.unique(column_or_1d(y, warn=True), return_inverse=True)
    _refuse_other_kinds(classes)
    if len(classes) < 2:
        raise BadValueError(
            "there is only one class in y: there is nothing to learn",
            expected="at least two classes",
            found=", ".join(str(label)[:SHOWN] for label in classes),
            fix="add examples of other classes",
        )
    return classes, ids


def _refuse_other_kinds(classes: NDArray[Any]) -> None:
    """Raise `BadTypeError` if labels are of a kind that a saved estimator could not give back."""
    if classes.dtype.kind not in _KINDS:
        raise BadTypeError(
            f"y has labels of a kind that cannot be saved, {classes.dtype}",
            expected="strings, whole numbers or truth values",
            found=f"{classes[0]!r}"[:SHOWN],
            fix="give them as text, [str(label) for label in y]",
        )


def scores_of(y: ArrayLike) -> NDArray[np.float64]:
    """Return finite numbers, (n,), that are not all the same.

    Examples
    --------
    >>> scores_of([1, 2.5])
    array([1. , 2.5])
    """
    numbers = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
    scores = np.asarray(column_or_1d(numbers, warn=True))
    if len(scores) > 1 and (scores == scores[0]).all():
        raise BadValueError(
            "all scores in y are the same: there is nothing to learn",
            expected="at least two different scores",
            found=f"{scores[0]:g} in each of {len(scores):,} rows",
            fix="add examples with other scores",
        )
    return scores


def tags_of(y: ArrayLike, words: Sequence[Sequence[str]]) -> list[list[Any]]:
    """Return the tags of each row of words, one for each word.

    Examples
    --------
    >>> tags_of([["N", "V"], ("V",)], [("Ana", "vem"), ("Vai",)])
    [['N', 'V'], ['V']]
    """
    rows = items_of(y, "y")
    same_length(words, rows)
    found = []
    for number, (row, its_words) in enumerate(zip(rows, words, strict=True)):
        where = f"row {number} of y"
        tags = list_of(row, where, "a list of tags, one for each word")
        if len(tags) != len(its_words):
            raise BadValueError(
                f"{where} does not fit its words",
                expected=f"{len(its_words)} tags, one for each word",
                found=f"{len(tags)} tags",
            )
        if any(map(is_missing, tags)):
            raise missing(f"a tag in {where}", "a tag for each word")
        found.append(tags)
    return found


def answers_of(y: ArrayLike, questions: Sequence[tuple[str, str]]) -> list[tuple[tuple[str, int], ...]]:
    """Return of each question its answers, (text, start) each: one, or none where y says None.

    Examples
    --------
    >>> answers_of([("Ana", 0), None], [("Who?", "Ana came."), ("When?", "Ana came.")])
    [(('Ana', 0),), ()]
    """
    rows = items_of(y, "y")
    same_length(questions, rows)
    found: list[tuple[tuple[str, int], ...]] = []
    for number, (row, (_, passage)) in enumerate(zip(rows, questions, strict=True)):
        if row is None:
            found.append(())
            continue
        where = f"row {number} of y"
        answer = list_of(row, where, "(answer, start), or None where the passage has none")
        if len(answer) != 2:
            raise BadValueError(
                f"{where} is no answer", expected="(answer, start), or None", found=f"{len(answer)} items"
            )
        text, start = text_of(answer[0], f"the answer in {where}"), _place(answer[1], where)
        if not text or start < 0 or passage[start : start + len(text)] != text:
            raise BadValueError(
                f"the answer in {where} is not where it is said to be",
                expected=f"passage[start : start + {len(text)}] == {text[:SHOWN]!r}",
                found=repr(passage[max(0, start) : max(0, start) + len(text)][:SHOWN]),
                fix="start counts characters of the passage from 0; for no answer give None",
            )
        found.append(((text, start),))
    return found


def _place(value: object, where: str) -> int:
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise BadTypeError(
            f"the start in {where} is no whole number", expected="an int", found=repr(value)[:SHOWN]
        ) from None
