"""What is to be read, checked: texts, lists of words, questions with their passages."""

# ruff: noqa: N803 (X is scikit-learn's name)

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ambos.advice import advice_in_python
from ambos.data.rows import PairRow, TextRow, is_blank
from ambos.errors import InputError, UsageError

PLACE = Path("X")  # where rows come from
SHOWN = 60  # characters of a value in an error


class BadValueError(InputError, ValueError):
    """Something handed in cannot be used; scikit-learn expects a ValueError."""


class BadTypeError(InputError, TypeError):
    """Something handed in is of the wrong kind; scikit-learn expects a TypeError."""


@contextmanager
def as_value_errors(parameters: Collection[str]) -> Iterator[None]:
    """Raise what ambos finds wrong as the ValueError that users of scikit-learn expect.

    Its advice, and that of other errors, speaks of these parameters, not of options of the command line; rows
    of X are counted from 0, as everywhere in Python.
    """
    try:
        with advice_in_python(parameters):
            yield
    except (UsageError, InputError) as error:
        if error.file == str(PLACE) and error.line is not None:
            error.what = f"row {error.line - 1} of X: {error.what}"
            error.file = error.line = None
        if isinstance(error, ValueError | TypeError):
            raise
        raise BadValueError(**error.as_dict()) from error  # type: ignore[arg-type]


def texts_of(X: ArrayLike) -> list[str]:
    """Return texts as a list.

    Takes a list, an array, or what becomes one (a Series of pandas); also one of a single column.

    Examples
    --------
    >>> texts_of(np.array([["Bom dia."], ["Olá."]]))
    ['Bom dia.', 'Olá.']
    """
    return [text_of(_only(row, number), f"row {number} of X") for number, row in enumerate(items_of(X, "X"))]


def text_rows(texts: Sequence[str], scores: NDArray[np.float64] | None = None) -> list[TextRow]:
    """Return texts as rows, with scores if there are any."""
    return [
        TextRow(text, (), None if scores is None else float(scores[number]), PLACE, number + 1)
        for number, text in enumerate(texts)
    ]


def pairs_of(X: ArrayLike) -> list[tuple[str, str]]:
    """Return pairs of texts: of a list of pairs, or an array of two columns.

    Examples
    --------
    >>> pairs_of(np.array([["Ana came.", "Somebody came."]]))
    [('Ana came.', 'Somebody came.')]
    """
    names = ("first text", "second text")
    found = _pairs(X, names, '("Ana came.", "Somebody came.")')
    for number, pair in enumerate(found):
        for name, text in zip(names, pair, strict=True):
            if is_blank(text):
                raise BadValueError(
                    f"the {name} in row {number} of X is empty",
                    expected="something to read",
                    found=repr(text),
                    fix="leave such rows out of X and y",
                )
    return found


def pair_rows(pairs: Sequence[tuple[str, str]]) -> list[PairRow]:
    """Return pairs as rows, without labels."""
    return [PairRow(*pair, (), None, PLACE, number + 1) for number, pair in enumerate(pairs)]


def words_of(X: ArrayLike) -> list[tuple[str, ...]]:
    """Return sentences as tuples of words.

    Examples
    --------
    >>> words_of([["O", "gato"], ["Sim"]])
    [('O', 'gato'), ('Sim',)]
    """
    found = []
    for number, row in enumerate(items_of(X, "X")):
        where = f"row {number} of X"
        words = list_of(row, where, "a list of words", "split texts into words, at spaces: text.split()")
        found.append(tuple(text_of(word, f"word {place} of {where}") for place, word in enumerate(words)))
    return found


def questions_of(X: ArrayLike) -> list[tuple[str, str]]:
    """Return pairs of question and passage.

    Examples
    --------
    >>> questions_of([("Who?", "Ana came.")])
    [('Who?', 'Ana came.')]
    """
    return _pairs(X, ("question", "passage"), '("Who came?", "Ana came.")')


def _pairs(X: ArrayLike, names: tuple[str, str], such_as: str) -> list[tuple[str, str]]:
    found = []
    for number, row in enumerate(items_of(X, "X")):
        where = f"row {number} of X"
        pair = list_of(row, where, f"a pair: {names[0]}, {names[1]}", f"such as {such_as}")
        if len(pair) != 2:
            raise BadValueError(
                f"{where} is no pair", expected=f"({names[0]}, {names[1]})", found=f"{len(pair)} items"
            )
        first, second = (
            text_of(one, f"the {name} in {where}") for one, name in zip(pair, names, strict=True)
        )
        found.append((first, second))
    return found


def items_of(values: object, name: str) -> list[Any]:
    """Return the items of a list, an array or what becomes one; there must be some."""
    if hasattr(values, "toarray"):
        raise BadTypeError(f"{name} is a sparse matrix", expected="a list", found="sparse data")
    if isinstance(values, list | tuple):
        items = list(values)
    elif hasattr(values, "__array__"):
        array = np.asarray(values)
        items = list(array) if array.ndim else [array]
    else:
        raise BadValueError(
            f"{name} is no list",
            expected="a list, an array, or a Series, with one item for each example",
            found=repr(values)[:SHOWN],
            fix=f"put it into a list: [{name}]" if isinstance(values, str | bytes) else None,
        )
    if not items:
        raise BadValueError(
            f"{name} is empty", expected="at least one example", found=f"0 samples (shape={np.shape(items)})"
        )
    return items


def _only(row: object, number: int) -> object:
    """Return the one item of a row, where X has columns."""
    if not isinstance(row, list | tuple | np.ndarray) or np.ndim(row) == 0:
        return row
    if len(row) != 1:
        raise BadValueError(
            f"row {number} of X has {len(row)} columns",
            expected="one text in a row",
            fix="choose the column that holds the text",
        )
    return row[0]


def list_of(row: object, where: str, expected: str, fix: str | None = None) -> list[Any]:
    """Return one item as a list, or raise an error that says where it is."""
    if isinstance(row, list | tuple):
        return list(row)
    if isinstance(row, np.ndarray) and row.ndim == 1:
        return list(row)
    if is_missing(row):
        raise missing(where, expected)
    raise BadTypeError(f"{where} is no list", expected=expected, found=repr(row)[:SHOWN], fix=fix)


def text_of(value: object, where: str) -> str:
    """Return a text, or raise an error that says where it is."""
    if isinstance(value, str):
        return str(value)  # not a string of numpy's
    if is_missing(value):
        raise missing(where, "a text")
    raise BadTypeError(f"{where} is no text", expected="a str", found=f"{type(value).__name__}")


def missing(where: str, expected: str) -> BadValueError:
    """Return the error that says that a value is missing."""
    return BadValueError(
        f"{where} is missing", expected=expected, found="None or NaN", fix="leave such rows out of X and y"
    )


def is_missing(value: object) -> bool:
    """Tell whether a value is None, NaN, or the missing value of pandas."""
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    return value is None or type(value).__name__ in {"NAType", "NaTType"}
