"""What Python code hands over to a model, as the rows of its task."""

from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path
from typing import Any

from ambos.data.rows import PairRow, QuestionRow, Row, TextRow, WordsRow, is_blank
from ambos.errors import UsageError
from ambos.tasks.task import Task

_NOWHERE = Path("input")


def rows_of(task: Task[Any, Any], inputs: Iterable[Any]) -> Iterator[Row]:
    """Yield a row for each input; its line is the number of the input, from 1.

    Texts for `classify` and `score`, or pairs of them (or three, or four) if that was learnt; for `tag` lists
    of words, or texts that are split at white space; for `answer` a question and a passage each.

    Examples
    --------
    >>> next(rows_of(tagger, ["Ana ri"])).words  # doctest: +SKIP
    ('Ana', 'ri')
    """
    if isinstance(inputs, str):
        raise UsageError("one text instead of a list", expected=_expected(task), fix="predict([text])")
    refuse_names(inputs, _expected(task))
    for line, one in enumerate(inputs, 1):
        try:
            yield _row(task, one, line)
        except TypeError as error:
            raise UsageError(
                f"input {line} cannot be read",
                expected=_expected(task),
                found=_found(task, one),
            ) from error


def list_of_texts(texts: Iterable[str], where: str) -> list[str]:
    """Return texts as a list, or raise `UsageError` if one of them, or `where`, the list, is none.

    Examples
    --------
    >>> list_of_texts(("Ana ri.", "Ana vem."), "the first list")
    ['Ana ri.', 'Ana vem.']
    """
    if isinstance(texts, str):
        raise UsageError(f"{where} is one text", expected=_TEXTS[False], fix="put it into a list: [text]")
    if not isinstance(texts, Iterable):
        raise UsageError(f"{where} is no list", expected=_TEXTS[False], found=_kind(texts))
    refuse_names(texts, _TEXTS[False])
    found = list(texts)
    for number, text in enumerate(found, 1):
        refuse_other(text, f"text {number} of {where}")
        refuse_empty(text, f"text {number} of {where}")
    return found


def refuse_names(inputs: Iterable[Any], expected: str) -> None:
    """Raise `UsageError` for a dictionary or a table: gone through, it gives the names of its columns."""
    if isinstance(inputs, Mapping) or hasattr(inputs, "columns"):
        raise UsageError(
            "columns by name instead of a list",
            expected=expected,
            found=type(inputs).__name__,
            fix="give the values: list(zip(data['text_a'], data['text_b'])), or data['text'], say",
        )


def refuse_other(value: object, what: str) -> None:
    """Raise `UsageError` if something is no text; `what` names it.

    A tokenizer would take a list of two texts for a pair.
    """
    if not isinstance(value, str):
        raise UsageError(f"{what} is no text", expected="a str", found=_kind(value))


def refuse_empty(text: str, what: str) -> None:
    """Raise `UsageError` if there is nothing in a text; `what` names it: the second text of pair 3, say."""
    if is_blank(text):
        raise UsageError(
            f"{what} is empty", expected="something to read", found=repr(text), fix="leave it out"
        )


def pair_rows(pairs: Iterable[Any]) -> list[PairRow]:
    """Return pairs of texts as rows; a text that has two letters is no pair.

    Examples
    --------
    >>> [row.text_b for row in pair_rows([("Ana ri.", "Ana vem.")])]
    ['Ana vem.']
    """
    if isinstance(pairs, str):
        raise UsageError("one text instead of a list", expected=_TEXTS[True], fix="[(first, second)]")
    refuse_names(pairs, _TEXTS[True])
    rows = []
    for number, one in enumerate(pairs, 1):
        try:
            rows.append(_pair_row(_some_texts(one, 2), number))
        except TypeError as error:
            raise UsageError(
                f"pair {number} cannot be read", expected=_TEXTS[True], found=_kind(one)
            ) from error
    return rows


def _pair_row(texts: Iterable[str], number: int) -> PairRow:
    """Return the texts of a pair, of which none may be empty, as the row of this number."""
    first, second, *more = texts
    for name, text in zip(_NAMES, (first, second, *more), strict=False):
        refuse_empty(text, f"the {name} text of pair {number}")
    return PairRow(first, second, (), None, _NOWHERE, number, more=tuple(more))


_NAMES = ("first", "second", "third", "fourth")
_EXPECTED = {
    "tag": "a list, for every sentence a list of its words, or a text that is split at white space",
    "answer": "a list of (question, passage), both texts",
}
_TEXTS = {True: "a list of pairs (text, text)", False: "a list of texts", None: "a list of texts or of pairs"}


def _expected(task: Task[Any, Any]) -> str:
    if task.pairs and task.texts > 2:
        return (
            f"a list of ({', '.join(['text'] * task.texts)}), since the model learnt from {task.texts} texts"
        )
    return _EXPECTED.get(task.name) or _TEXTS[task.pairs]


def _found(task: Task[Any, Any], one: Any) -> str:  # noqa: ANN401
    texts = one if isinstance(one, list | tuple) and all(isinstance(part, str) for part in one) else ()
    if task.pairs is not False and task.name != "tag" and texts:
        return "1 text" if len(texts) == 1 else f"{len(texts)} texts"
    return _kind(one)


def _kind(one: object) -> str:
    return f"{type(one).__name__}: {str(one)[:60]}"


def _row(task: Task[Any, Any], one: Any, line: int) -> Row:  # noqa: ANN401 (whatever was handed over)
    """Return an input as a row, or raise `TypeError`."""
    if task.name == "tag":
        return WordsRow(_texts(one.split() if isinstance(one, str) else one), (), _NOWHERE, line)
    if task.name == "answer":
        question, passage = _some_texts(one, 2)
        return QuestionRow(str(line), question, passage, (), _NOWHERE, line)
    if task.pairs or (task.pairs is None and not isinstance(one, str)):
        return _pair_row(_some_texts(one, task.texts), line)
    return TextRow(_texts([one])[0], (), None, _NOWHERE, line)


def _some_texts(one: Any, count: int) -> tuple[str, ...]:  # noqa: ANN401
    texts = _texts(() if isinstance(one, str) else one)
    if len(texts) != count:
        raise TypeError(f"not {count} texts")
    return texts


def _texts(values: Iterable[Any]) -> tuple[str, ...]:
    found = tuple(values)
    unordered = isinstance(values, Mapping | Set)  # gone through, a dictionary gives its keys
    if unordered or not all(isinstance(value, str) for value in found):
        raise TypeError("not a text")
    return found
