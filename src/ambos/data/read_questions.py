"""Questions on passages, with the places of their answers, from SQuAD files and from tables."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ambos.data.read_rows import table, text_of, wrong_type
from ambos.data.rows import BadRow, Columns, Problems, QuestionRow, read_each
from ambos.errors import InputError
from ambos.text.sources import Format, Source
from ambos.text.stream import ReadOptions, read_lines
from ambos.text.unpack import MEBIBYTE, Advance

QUESTIONS: tuple[Format, ...] = ("json", "jsonl", "parquet")
SQUAD = Columns(question="question", passage="context", answers="answers", id="id", title="title")

_IMPOSSIBLE = "is_impossible"  # of SQuAD 2.0: there is no answer, whatever is named as one
_MAX_MB = 256  # of a SQuAD file, which is read whole
_ID = re.compile(r'"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)')


def read_question_rows(
    sources: Sequence[Source],
    columns: Columns | None = None,
    problems: Problems | None = None,
    *,
    labelled: bool = True,
    options: ReadOptions | None = None,
    advance: Advance | None = None,
) -> Iterator[QuestionRow]:
    """Yield questions from SQuAD 1.1 and 2.0 (`.json`), JSON lines and Parquet.

    Every answer must stand in the passage where it says. With `is_impossible`, or an empty list of answers,
    there is none. Where no column holds an id, a question is called after its file and line.

    Parameters
    ----------
    columns
        For JSON lines and Parquet, as `detect_columns` gives them. Answers are a list of
        `{"text": ..., "answer_start": ...}`, or one object with a list under each key.
    problems
        Told of questions that cannot be used; by default they are refused.
    labelled
        Without labels no answers are read, and ids may come again.

    Examples
    --------
    >>> next(read_question_rows(find_sources(["squad.json"], formats=QUESTIONS))).answers  # doctest: +SKIP
    (('1977', 43),)
    """
    options, problems, columns = options or ReadOptions(), problems or Problems(), columns or Columns()
    records = table(columns, options, advance, problems, also=(_IMPOSSIBLE,))
    seen = set[str]()

    def items(source: Source) -> Iterator[tuple[int, tuple[dict[str, Any], Columns]]]:
        if source.format == "json":
            return ((line, (record, SQUAD)) for line, record in _read_squad(source, options, advance))
        return ((line, (record, columns)) for line, record in records(source))

    def make(item: tuple[dict[str, Any], Columns], file: Path, line: int) -> QuestionRow:
        row = _question(*item, file, line, labelled=labelled)
        if not labelled:
            return row
        if row.id in seen:
            raise BadRow("id used twice", f"question {row.id}")
        seen.add(row.id)
        return row

    return read_each(sources, items, make, problems)


def _question(
    record: dict[str, Any], columns: Columns, file: Path, line: int, *, labelled: bool
) -> QuestionRow:
    name = None if columns.id is None else record.get(columns.id)
    if columns.id is None or (name is None and not labelled):
        name = f"{file}:{line}"
    if not isinstance(name, str | int):
        raise wrong_type("the id", name, "a text")
    question, passage = text_of(record, columns.of("question")), text_of(record, columns.of("passage"))
    none = not labelled or record.get(_IMPOSSIBLE) is True
    answers = [] if none else record.get(columns.of("answers"))
    title = None if columns.title is None else record.get(columns.title)
    spans = tuple(_span(answer, passage, str(name)) for answer in _one_by_one(answers, str(name)))
    return QuestionRow(
        str(name), question, passage, spans, file, line, title if isinstance(title, str) else ""
    )


def _one_by_one(answers: object, name: str) -> list[Any]:
    """Return answers as a list; of an object with lists in it, made as an object for each answer."""
    if answers is None:
        raise BadRow("no label", f"question {name} has no answers, not even an empty list")
    if isinstance(answers, dict):
        texts, starts = answers.get("text"), answers.get("answer_start")
        if isinstance(texts, list) and isinstance(starts, list) and len(texts) == len(starts):
            return [{"text": text, "answer_start": start} for text, start in zip(texts, starts, strict=True)]
    if not isinstance(answers, list):
        raise wrong_type(f"answers of question {name}", answers, "a list")
    return answers


def _span(answer: object, passage: str, name: str) -> tuple[str, int]:
    text, start = (
        (answer.get("text"), answer.get("answer_start")) if isinstance(answer, dict) else (None, None)
    )
    if not isinstance(text, str) or not isinstance(start, int) or isinstance(start, bool):
        raise wrong_type(f"an answer of question {name}", answer, "a text and its answer_start")
    if not text or start < 0 or not passage.startswith(text, start):
        place = passage.find(text) if text else -1
        elsewhere = f", but at {place}" if place >= 0 else ""
        raise BadRow(
            "answer not in the passage", f"question {name}: {text[:40]!r} is not at {start}{elsewhere}"
        )
    return text, start


def _read_squad(
    source: Source, options: ReadOptions, advance: Advance | None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line, question with its passage and title) of a SQuAD file, which is read whole."""
    text = _read_whole(source, options, advance)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise _not_squad(source, f"not JSON: {error}", line) from error
    places = _Places(text)
    for article in _parts(value, "data", source):
        for paragraph in _parts(article, "paragraphs", source):
            for question in _parts(paragraph, "qas", source):
                shared = {"context": paragraph.get("context"), "title": article.get("title")}
                yield places.line_of(question.get("id")), {**question, **shared}


def _read_whole(source: Source, options: ReadOptions, advance: Advance | None) -> str:
    limit = max(options.limits.line_mb, _MAX_MB)
    lines, size = [], 0
    one_line = replace(options, limits=replace(options.limits, line_mb=limit))
    for number, line in read_lines(source, one_line, advance):
        lines.append(line)
        size += len(line)
        if size > limit * MEBIBYTE:
            raise InputError(
                f"more than {limit} MiB of JSON in one file",
                expected="a SQuAD file that can be read whole",
                fix="write one question a line, as JSON lines: they are read one at a time",
                file=source.path,
                line=number,
            )
    return "\n".join(lines)


def _parts(value: dict[str, Any], key: str, source: Source) -> list[dict[str, Any]]:
    """Return the list of objects under a key."""
    parts = value.get(key) if isinstance(value, dict) else None
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise _not_squad(source, f"no list of objects under {key!r}")
    return parts


def _not_squad(source: Source, found: str, line: int | None = None) -> InputError:
    return InputError(
        "not a SQuAD file",
        expected='{"data": [{"paragraphs": [{"context": "...", "qas": [{"id": ..., "question": ...}]}]}]}',
        found=found,
        fix="write it so, or one question a line in a .jsonl file",
        file=source.path,
        line=line,
    )


class _Places:
    """On which line of a JSON text the questions stand, asked for in their order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ids = _ID.finditer(text)
        self._place = 0
        self._line = 1

    def line_of(self, name: object) -> int:
        """Return the line of the next id of this name; without one, that of the last."""
        for found in self._ids if isinstance(name, str | int) else ():
            if json.loads(found[1]) == name:
                self._line += self._text.count("\n", self._place, found.start())
                self._place = found.start()
                break
        return self._line
