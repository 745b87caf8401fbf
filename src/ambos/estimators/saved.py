"""Fitted estimators in a folder: a bundle, and a small JSON file with parameters and classes beside it."""

import json
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ambos.advice import advice_in_python
from ambos.bundle.bundle import Bundle
from ambos.bundle.manifest import ENTRIES
from ambos.bundle.safe_files import parse_object, read_whole
from ambos.bundle.writing import write_files
from ambos.errors import InputError
from ambos.files import new_folder

FILE = "estimator.json"
_FORMAT = 1
_MAX_BYTES = 10_000_000


def plain(value: Any) -> Any:  # noqa: ANN401 (a parameter may be anything)
    """Return a parameter as a value of Python's own, where it is one of numpy's or a path."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return str(value) if isinstance(value, Path) else value


def write_estimator(out: str | Path, estimator: Any, bundle: Bundle, *, force: bool) -> Path:  # noqa: ANN401
    """Write a bundle with what makes it a fitted estimator again, whole or not at all.

    A generator as `random_state` is written as None.
    """
    parameters = {name: plain(value) for name, value in estimator.get_params(deep=False).items()}
    if isinstance(parameters.get("random_state"), np.random.RandomState):
        parameters["random_state"] = None
    classes, columns = (getattr(estimator, name, None) for name in ("classes_", "feature_names_in_"))
    about = {
        "format": _FORMAT,
        "estimator": type(estimator).__name__,
        "parameters": parameters,
        "classes": None if classes is None else {"dtype": classes.dtype.str, "values": classes.tolist()},
        "columns": None if columns is None else columns.tolist(),
    }
    text = json.dumps(about, ensure_ascii=False, indent=2) + "\n"
    out = Path(out)
    with (
        advice_in_python({"folder", "force"}),
        new_folder(out, entries=ENTRIES | {FILE}, force=force) as work,
    ):
        write_files(bundle, work)
        (work / FILE).write_text(text, encoding="utf-8")
    return out


def read_estimator(folder: Path, kind: type) -> dict[str, Any]:
    """Return what was written of an estimator of a class: `parameters`, and `classes`, `columns` or None."""
    file = folder / FILE
    if not file.is_file():
        raise InputError(
            "there is no saved estimator in this folder",
            expected=f"what {kind.__name__}.save wrote, with {FILE} in it",
            found="no such file" if folder.is_dir() else "no such folder",
            fix="check the path; models that were not saved by an estimator are opened by ambos.load",
            file=folder,
        )
    about = parse_object(read_whole(file, _MAX_BYTES), file, part="the estimator")
    if about.get("format") != _FORMAT or about.get("estimator") != kind.__name__:
        raise InputError(
            "there is another estimator in the folder",
            expected=f"{kind.__name__}, format {_FORMAT}",
            found=f"{str(about.get('estimator'))[:60]}, format {str(about.get('format'))[:20]}",
            fix="load it with the class that saved it",
            file=file,
        )
    parameters, known = about.get("parameters"), signature(kind).parameters.keys()
    if not isinstance(parameters, dict) or parameters.keys() != known or "classes" not in about:
        raise InputError(
            "the parameters are not those of the estimator",
            expected=", ".join(known),
            found=", ".join(parameters)[:200] if isinstance(parameters, dict) else str(parameters)[:60],
            fix="use the version of ambos that wrote it",
            file=file,
        )
    columns = about.setdefault("columns", None)
    if columns is not None and not (
        isinstance(columns, list) and all(isinstance(one, str) for one in columns)
    ):
        raise InputError("the columns cannot be read", found=str(columns)[:60], file=file)
    return about


def read_classes(saved: Any, labels: tuple[str, ...], file: Path) -> NDArray[Any]:  # noqa: ANN401 (from JSON)
    """Return classes as they were, if they are the labels of the bundle."""
    try:
        classes = np.array(saved["values"], np.dtype(saved["dtype"]))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InputError("the classes cannot be read", found=str(saved)[:60], file=file) from error
    if classes.ndim != 1 or names_of(classes) != labels:
        raise InputError(
            "the classes are not the labels of the bundle",
            expected=", ".join(labels[:8]),
            found=str(classes)[:200],
            fix="copy the folder again",
            file=file,
        )
    return classes


def names_of(classes: NDArray[Any]) -> tuple[str, ...]:
    """Return what classes are called inside a bundle.

    Examples
    --------
    >>> names_of(np.array([False, True]))
    ('False', 'True')
    """
    return tuple(str(label) for label in classes.tolist())
