"""Documents from files: plain text, JSON lines, CSV, TSV and Parquet, streamed one at a time."""

import csv
import json
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

from ambos.errors import InputError
from ambos.suggest import did_you_mean
from ambos.text.sources import Source
from ambos.text.stream import MEBIBYTE, Advance, Limits, open_bytes, read_lines

_LANGUAGE_COLUMNS = ("language", "lang")


class Document(NamedTuple):
    r"""One document. Its paragraphs are the lines of `text` (`\n` between them)."""

    text: str
    language: str
    file: Path
    line: int


@dataclass(frozen=True)
class ReadOptions:
    """How files are turned into documents.

    Parameters
    ----------
    text_column
        The column (CSV, TSV, Parquet) or key (JSON lines) that holds the text.
    language_column
        The column that holds the language; `language` or `lang` are used when they are there.
    document
        In plain text, what a document is: paragraphs up to a blank line, or every line by itself.
    encoding, limits
        See `ambos.text.stream`.
    """

    text_column: str = "text"
    language_column: str | None = None
    document: Literal["blank", "line"] = "blank"
    encoding: str = "utf-8"
    limits: Limits = field(default_factory=Limits)


def read_documents(
    sources: Iterable[Source], options: ReadOptions | None = None, *, advance: Advance | None = None
) -> Iterator[Document]:
    r"""Yield the documents of all sources in order, never holding more than one file's current block.

    Documents that are empty or only white space are yielded too, so that callers can count them;
    blank lines in plain text are separators, not documents.

    Examples
    --------
    >>> from ambos.text.sources import find_sources
    >>> [d.text for d in read_documents(find_sources(["notes.txt"]))]  # doctest: +SKIP
    ['First paragraph.\nSecond paragraph.', 'Another document.']
    """
    options = options or ReadOptions()
    for source in sources:
        if source.format == "txt":
            yield from _read_txt(source, options, advance)
        elif source.format == "jsonl":
            yield from _rows(_read_jsonl(source, options, advance), source, options)
        elif source.format == "parquet":
            yield from _rows(_read_parquet(source, options, advance), source, options)
        else:
            yield from _rows(_read_csv(source, options, advance), source, options)


def _read_txt(source: Source, options: ReadOptions, advance: Advance | None) -> Iterator[Document]:
    limit = options.limits.document_mb * MEBIBYTE
    paragraphs: list[str] = []
    start, size = 1, 0
    for number, line in _lines(source, options, advance):
        blank = not line or line.isspace()
        if not blank:
            if not paragraphs:
                start = number
            paragraphs.append(line)
            size += len(line)
            if size > limit:
                raise _long_document(source, start, options)
        if paragraphs and (blank or options.document == "line"):
            yield Document("\n".join(paragraphs), source.language, source.path, start)
            paragraphs, size = [], 0
    if paragraphs:
        yield Document("\n".join(paragraphs), source.language, source.path, start)


def _long_document(source: Source, line: int, options: ReadOptions) -> InputError:
    return InputError(
        f"a document of more than {options.limits.document_mb} MiB",
        expected="a blank line between documents",
        found="no blank line in all that text",
        fix="if every line is a document pass --document line; else put blank lines between documents",
        file=source.path,
        line=line,
    )


def _lines(source: Source, options: ReadOptions, advance: Advance | None) -> Iterator[tuple[int, str]]:
    return read_lines(source, encoding=options.encoding, limits=options.limits, advance=advance)


# Record formats: each yields (line, record), and `_rows` takes the text out of the records.

_Record = tuple[int, dict[str, Any]]


def _rows(records: Iterator[_Record], source: Source, options: ReadOptions) -> Iterator[Document]:
    text_column = options.text_column
    language_columns = (options.language_column,) if options.language_column else _LANGUAGE_COLUMNS
    for line, record in records:
        try:
            text = record[text_column]
        except KeyError:
            raise _missing_column(text_column, record, source, line, "--text") from None
        if text is None:
            text = ""
        if not isinstance(text, str):
            raise InputError(
                f"the value of {text_column!r} is not text",
                expected="a string",
                found=f"{type(text).__name__}: {str(text)[:40]}",
                fix="name the column that holds the text with --text COLUMN",
                file=source.path,
                line=line,
            )
        if options.language_column and options.language_column not in record:
            raise _missing_column(options.language_column, record, source, line, "--language-column")
        language = next((record[name] for name in language_columns if record.get(name)), source.language)
        yield Document(text.replace("\r\n", "\n"), str(language).lower(), source.path, line)


def _missing_column(name: str, record: dict[str, Any], source: Source, line: int, option: str) -> InputError:
    return InputError(
        f"there is no column {name!r}",
        expected=f"a column {name!r}",
        found=", ".join(map(str, record)) or "no columns",
        fix=did_you_mean(name, map(str, record)) or f"name the right one with {option} COLUMN",
        file=source.path,
        line=line,
    )


def _read_jsonl(source: Source, options: ReadOptions, advance: Advance | None) -> Iterator[_Record]:
    for number, line in _lines(source, options, advance):
        if not line or line.isspace():
            continue
        try:
            record = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise InputError(
                "not a JSON object",
                expected='one JSON object a line, such as {"text": "..."}',
                found=f"{error}: {line[:60]}"
                if isinstance(error, json.JSONDecodeError)
                else "too deep nesting",
                fix="write one object a line (a JSON array is not JSON lines: jq -c '.[]' FILE)",
                file=source.path,
                line=number,
            ) from error
        if not isinstance(record, dict):
            raise InputError(
                "not a JSON object",
                expected='one JSON object a line, such as {"text": "..."}',
                found=f"{type(record).__name__}: {line[:60]}",
                file=source.path,
                line=number,
            )
        yield number, record


def _read_csv(source: Source, options: ReadOptions, advance: Advance | None) -> Iterator[_Record]:
    separator = "," if source.format == "csv" else "\t"
    csv.field_size_limit(options.limits.document_mb * MEBIBYTE)
    lines = (line + "\n" for _, line in _lines(source, options, advance))
    reader = csv.reader(lines, delimiter=separator, strict=True)
    header: list[str] | None = None
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise InputError(
                f"malformed {source.format.upper()}",
                expected="fields with quotes in pairs",
                found=str(error),
                fix="write quotes inside a field twice, and close every quoted field",
                file=source.path,
                line=line,
            ) from error
        if row is None:
            return
        if header is None:
            header = row
            if options.text_column not in header:
                raise _missing_column(options.text_column, dict.fromkeys(header), source, line, "--text")
        elif row:
            if len(row) != len(header):
                raise InputError(
                    f"a ragged {source.format.upper()} row",
                    expected=f"{len(header)} fields, as in the header",
                    found=f"{len(row)} fields",
                    fix=f"quote fields that contain the separator {separator!r} or a line end",
                    file=source.path,
                    line=line,
                )
            yield line, dict(zip(header, row, strict=True))


def _read_parquet(source: Source, options: ReadOptions, advance: Advance | None) -> Iterator[_Record]:
    import pyarrow as pa  # noqa: PLC0415 (slow to import; other formats do without it)
    from pyarrow import parquet  # noqa: PLC0415

    with _seekable(source, advance) as file:
        try:
            table = parquet.ParquetFile(file)
            names = table.schema_arrow.names
            if options.text_column not in names:
                raise _missing_column(options.text_column, dict.fromkeys(names), source, 1, "--text")
            wanted = [
                name
                for name in names
                if name in (options.text_column, options.language_column, *_LANGUAGE_COLUMNS)
            ]
            line = 1
            for batch in table.iter_batches(batch_size=1024, columns=wanted):
                for record in batch.to_pylist():
                    yield line, record
                    line += 1
        except (pa.ArrowException, OSError) as error:
            raise InputError(
                "not a readable Parquet file",
                expected="a whole Parquet file",
                found=str(error).splitlines()[0][:120],
                fix="write it again; a download may have been cut short",
                file=source.path,
            ) from error
    if advance and source.compression is None:
        advance(source.bytes)


def _seekable(source: Source, advance: Advance | None) -> IO[bytes]:
    """Parquet is read from its end: a compressed one is unpacked to a temporary file first."""
    if source.compression is None:
        return open_bytes(source)
    spool = tempfile.TemporaryFile()  # noqa: SIM115 (the caller closes it)
    with open_bytes(source, advance) as stream:
        while chunk := stream.read(MEBIBYTE):
            spool.write(chunk)
    spool.seek(0)
    return spool
