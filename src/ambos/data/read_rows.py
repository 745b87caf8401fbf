"""Labelled texts and pairs of texts from tables, their values checked."""

import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from ambos.data.detect_columns import FURTHER
from ambos.data.rows import (
    BadRow,
    Columns,
    PairRow,
    Problem,
    Problems,
    TextRow,
    is_blank,
    read_each,
    refuse_line,
)
from ambos.errors import InputError
from ambos.text.delimiters import separator as separator_of
from ambos.text.records import Record, check_columns, column_names, read_records
from ambos.text.sources import Format, Source
from ambos.text.stream import ReadOptions, read_lines
from ambos.text.unpack import Advance

TABLES: tuple[Format, ...] = ("jsonl", "csv", "tsv", "parquet")
TEXTS: tuple[Format, ...] = (*TABLES, "txt")  # of a .txt, which has no labels, every line is a text
SEPARATOR = "|"

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SHOWN = 40  # characters of a value in an error


def read_text_rows(
    sources: Sequence[Source],
    columns: Columns,
    problems: Problems | None = None,
    *,
    several: bool = False,
    separator: str = SEPARATOR,
    options: ReadOptions | None = None,
    advance: Advance | None = None,
) -> Iterator[TextRow]:
    """Yield labelled texts from CSV, TSV, JSON lines and Parquet, one at a time.

    Of plain text, every line that is not blank is a text.

    Parameters
    ----------
    columns
        As `detect_columns` gives them; without a column for label, score or ids, rows have none.
    problems
        Told of rows that cannot be used; by default they are refused.
    several
        A row may have any number of labels: a list, or a text with `separator` between them.

    Examples
    --------
    >>> sources = find_sources(["reviews.csv"], formats=TABLES)  # doctest: +SKIP
    >>> next(read_text_rows(sources, Columns(text="text", label="label")))  # doctest: +SKIP
    TextRow(text='Gostei muito.', labels=('positive',), score=None, file=PosixPath('reviews.csv'), line=2)
    """
    text = columns.of("text")

    def make(record: dict[str, Any], file: Path, line: int) -> TextRow:
        labels = _labels_of(record, columns.label, separator if several else None)
        score = _score_of(record, columns.score)
        return TextRow(text_of(record, text), labels, score, file, line, id_of(record, columns))

    problems = problems or Problems()
    return read_each(sources, table(columns, options, advance, problems), make, problems)


def read_pair_rows(
    sources: Sequence[Source],
    columns: Columns,
    problems: Problems | None = None,
    *,
    several: bool = False,
    separator: str = SEPARATOR,
    options: ReadOptions | None = None,
    advance: Advance | None = None,
) -> Iterator[PairRow]:
    """Yield labelled pairs of texts; everything is as in `read_text_rows`."""
    text_a, text_b = columns.of("text_a"), columns.of("text_b")
    more = [columns.of(role) for role in FURTHER if role in columns.chosen]

    def make(record: dict[str, Any], file: Path, line: int) -> PairRow:
        labels = _labels_of(record, columns.label, separator if several else None)
        score = _score_of(record, columns.score)
        texts = text_of(record, text_a), text_of(record, text_b)
        further = tuple(text_of(record, column) for column in more)
        return PairRow(*texts, labels, score, file, line, id_of(record, columns), further)

    problems = problems or Problems()
    return read_each(sources, table(columns, options, advance, problems), make, problems)


def table(
    columns: Columns,
    options: ReadOptions | None,
    advance: Advance | None,
    problems: Problems,
    also: Collection[str] = (),
) -> Callable[[Source], Iterator[Record]]:
    """Return what reads the records of a table in which these columns must be; a line of a .txt is a text.

    Of Parquet no other columns are read, but those that are named `also`, where they are there.

    `problems` is told of rows with too few or too many fields and, where bad rows are left out, of lines that
    are no JSON object; otherwise the first of these is raised at once: the file may be something else.
    """
    options = options or ReadOptions()

    def records(source: Source) -> Iterator[Record]:
        if source.format == "txt":
            lines = read_lines(source, options, advance)
            yield from ((number, {columns.of("text"): line}) for number, line in lines if line.strip())
            return
        if source.format == "jsonl":
            names = column_names(source, options, skip_bad=problems.skip_bad, bad=refuse_line)
            check_columns(names, columns.wanted if names else {}, source.path)
        # Where semicolons part fields, the comma is for decimals.
        semicolons = source.format == "csv" and separator_of(source, options) == ";"
        commas = columns.score if semicolons else None

        def bad(line: int, error: InputError) -> None:
            if source.format != "jsonl":
                found = f"{error.found}, not {error.expected}: {error.fix}"
                problems.add(Problem("ragged row", found, source.path, line))
            elif problems.skip_bad:
                problems.add(Problem("not a JSON object", str(error.found), source.path, line))
            else:
                refuse_line(line, error)

        for line, record in read_records(source, options, advance, columns.wanted, also, bad):
            if commas is not None:
                record[commas] = record[commas].replace(",", ".")
            yield line, record

    return records


def text_of(record: dict[str, Any], column: str) -> str:
    """Return a text that has something in it, or raise `BadRow`."""
    value = record.get(column)
    if value is None:
        raise BadRow("empty text", f"no {column}")
    if not isinstance(value, str):
        raise wrong_type(column, value, "a text")
    if is_blank(value):
        raise BadRow("empty text", f"nothing in {column}")
    return value


def id_of(record: dict[str, Any], columns: Columns) -> str | None:
    """Return the id of a row; None if it has none."""
    value = None if columns.id is None else record.get(columns.id)
    return None if value is None else str(value)


def _labels_of(record: dict[str, Any], column: str | None, separator: str | None) -> tuple[str, ...]:
    """Return the label of a row, or where there is a separator any number of them; none without a column."""
    if column is None:
        return ()
    value = record.get(column)
    if separator is None:
        return (_label(value, column),)
    if isinstance(value, str):
        value = value.split(separator) if value.strip() else []
    labels = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(_label(label, column) for label in labels))


def named(value: object) -> object:
    """Return a whole number or a truth value, which may stand for a label or a tag, as text.

    Examples
    --------
    >>> named(3), named(2.0), named(True), named("x"), named(0.5)
    ('3', '2', 'true', 'x', 0.5)
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return str(int(value))
    return value


def _label(value: object, column: str) -> str:
    value = named(value)
    label = value.strip() if isinstance(value, str) else value
    if label is None or label == "" or label != label:  # noqa: PLR0124 (NaN, as tables write what is missing)
        raise BadRow("no label", f"nothing in {column}")
    if isinstance(label, list):
        raise wrong_type(
            column, value, "one label: any number of them is for a model that learns with --several"
        )
    if not isinstance(label, str):
        raise wrong_type(column, value, "one label")
    return label


def _score_of(record: dict[str, Any], column: str | None) -> float | None:
    if column is None:
        return None
    value = record.get(column)
    if isinstance(value, Decimal) or (isinstance(value, str) and _NUMBER.fullmatch(value.strip())):
        value = float(value)  # decimals are of Parquet
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
        point = isinstance(value, str) and _NUMBER.fullmatch(value.strip().replace(",", "."))
        raise BadRow(
            "no finite score",
            f"{column} is {_shown(value)}{': decimals are written with a point' if point else ''}",
        )
    return float(value)


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # a whole number of hundreds of digits
        return False


def wrong_type(column: str, value: object, expected: str) -> BadRow:
    """Return the problem of a value that is not what its column should hold."""
    return BadRow("wrong type", f"{column} is {_shown(value)}, not {expected}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
