"""What Python code hands over to a model, as the rows of its task."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ambos.data.rows import PairRow, QuestionRow, Row, TextRow, WordsRow
from ambos.errors import UsageError
from ambos.tasks.task import Task

_NOWHERE = Path("input")


def rows_of(task: Task[Any, Any], inputs: Iterable[Any]) -> Iterator[Row]:
    """Yield a row for each input; its line is the number of the input, from 1.

    Texts for `classify` and `score`, or pairs of them if that was learnt; for `tag` lists of words, or texts
    that are split at white space; for `answer` a question and a passage each.

    Examples
    --------
    >>> next(rows_of(tagger, ["Ana ri"])).words  # doctest: +SKIP
    ('Ana', 'ri')
    """
    if isinstance(inputs, str):
        raise UsageError("one text instead of a list", expected=_expected(task), fix="predict([text])")
    for line, one in enumerate(inputs, 1):
        try:
            yield _row(task, one, line)
        except TypeError as error:
            raise UsageError(
                f"input {line} cannot be read",
                expected=_expected(task),
                found=f"{type(one).__name__}: {str(one)[:60]}",
            ) from error


_EXPECTED = {
    "tag": "a list, for every sentence a list of its words, or a text that is split at white space",
    "answer": "a list of (question, passage), both texts",
}
_TEXTS = {True: "a list of pairs (text, text)", False: "a list of texts", None: "a list of texts or of pairs"}


def _expected(task: Task[Any, Any]) -> str:
    return _EXPECTED.get(task.name) or _TEXTS[task.pairs]


def _row(task: Task[Any, Any], one: Any, line: int) -> Row:  # noqa: ANN401 (whatever was handed over)
    """Return an input as a row, or raise `TypeError`."""
    if task.name == "tag":
        return WordsRow(_texts(one.split() if isinstance(one, str) else one), (), _NOWHERE, line)
    if task.name == "answer":
        question, passage = _two_texts(one)
        return QuestionRow(str(line), question, passage, (), _NOWHERE, line)
    if task.pairs or (task.pairs is None and not isinstance(one, str)):
        return PairRow(*_two_texts(one), (), None, _NOWHERE, line)
    return TextRow(_texts([one])[0], (), None, _NOWHERE, line)


def _two_texts(one: Any) -> tuple[str, str]:  # noqa: ANN401
    texts = _texts(() if isinstance(one, str) else one)
    if len(texts) != 2:
        raise TypeError("not two texts")
    return texts[0], texts[1]


def _texts(values: Iterable[Any]) -> tuple[str, ...]:
    found = tuple(values)
    if not all(isinstance(value, str) for value in found):
        raise TypeError("not a text")
    return found
