"""Documents from files: plain text, JSON lines, CSV, TSV and Parquet, streamed one at a time."""

import csv
import io
import json
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

from ambos.errors import InputError
from ambos.files import output_errors
from ambos.suggest import did_you_mean
from ambos.text.sources import Source
from ambos.text.stream import MEBIBYTE, Advance, Limits, open_bytes, open_raw, read_lines

_LANGUAGE_COLUMNS = ("language", "lang")
_COLUMNS_SHOWN = 12
_TOGETHER = 4096
_MAX_LANGUAGES = 1000


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
    blank lines in plain text are separators, not documents. Raises `InputError` at the end if no document
    had any text.

    Examples
    --------
    >>> from ambos.text.sources import find_sources
    >>> [d.text for d in read_documents(find_sources(["notes.txt"]))]  # doctest: +SKIP
    ['First paragraph.\nSecond paragraph.', 'Another document.']
    """
    options = options or ReadOptions()
    sources = list(sources)
    any_text = False
    languages: set[str] = set()
    for source in sources:
        for document in _read(source, options, advance):
            any_text = any_text or bool(document.text and not document.text.isspace())
            languages.add(document.language)
            if len(languages) > _MAX_LANGUAGES:
                raise InputError(
                    f"more than {_MAX_LANGUAGES:,} different languages",
                    expected="language codes, such as pt or en",
                    found=document.language[:40],
                    fix="name the column that holds the language with --language-column COLUMN",
                    file=document.file,
                    line=document.line,
                )
            yield document
    if sources and not any_text:
        raise InputError(
            "there is no text in these files" if len(sources) > 1 else "there is no text in this file",
            expected="at least one document with words in it",
            found=f"files: {len(sources):,}, bytes: {sum(source.bytes for source in sources):,}, words: none",
            fix="check that these are the right files, and whole",
            file=sources[0].path,
        )


def _read(source: Source, options: ReadOptions, advance: Advance | None) -> Iterator[Document]:
    if source.format == "txt":
        return _read_txt(source, options, advance)
    read = {"jsonl": _read_jsonl, "parquet": _read_parquet}.get(source.format, _read_csv)
    return _rows(read(source, options, advance), source, options)


def _read_txt(source: Source, options: ReadOptions, advance: Advance | None) -> Iterator[Document]:
    limit = options.limits.document_mb * MEBIBYTE
    paragraphs: list[str] = []
    start, size, loose = 1, 0, 0
    for number, line in _lines(source, options, advance):
        blank = not line or line.isspace()
        if not blank:
            if not paragraphs:
                start = number
            size += len(line) + bool(paragraphs)
            if size > limit:
                raise _long_document(source, start, options, "no blank line in all that text")
            paragraphs.append(line)
            loose += 1
            if loose == _TOGETHER:  # many short strings would take several times the memory of one long one
                paragraphs[-loose:] = ["\n".join(paragraphs[-loose:])]
                loose = 0
        if paragraphs and (blank or options.document == "line"):
            yield Document("\n".join(paragraphs), source.language, source.path, start)
            paragraphs, size, loose = [], 0, 0
    if paragraphs:
        yield Document("\n".join(paragraphs), source.language, source.path, start)


def _long_document(source: Source, line: int, options: ReadOptions, found: str) -> InputError:
    expected, fix = (
        "one document in each record",
        "split it, or raise --max-document-mb if you have the memory",
    )
    if source.format == "txt":
        expected = "a blank line between documents"
        fix = "if every line is a document pass --document line; else put blank lines between documents"
    what = f"a document of more than {options.limits.document_mb} MiB"
    return InputError(what, expected=expected, found=found, fix=fix, file=source.path, line=line)


def _lines(source: Source, options: ReadOptions, advance: Advance | None) -> Iterator[tuple[int, str]]:
    return read_lines(source, encoding=options.encoding, limits=options.limits, advance=advance)


# Record formats: each yields (line, record), and `_rows` takes the text out of the records.

_Record = tuple[int, dict[str, Any]]


def _rows(records: Iterator[_Record], source: Source, options: ReadOptions) -> Iterator[Document]:
    text_column = options.text_column
    needed = {name for name in (text_column, options.language_column) if name is not None}
    limit = options.limits.document_mb * MEBIBYTE
    language_columns = (options.language_column,) if options.language_column else _LANGUAGE_COLUMNS
    for line, record in records:
        if not needed <= record.keys():
            _check_columns(list(record), source, line, options)
        text = "" if record[text_column] is None else record[text_column]
        if not isinstance(text, str):
            raise InputError(
                f"the value of {text_column!r} is not text",
                expected="a string",
                found=f"{type(text).__name__}: {str(text)[:40]}",
                fix="name the column that holds the text with --text COLUMN",
                file=source.path,
                line=line,
            )
        if len(text) > limit:
            raise _long_document(source, line, options, f"{len(text):,} characters")
        language = next((record[name] for name in language_columns if record.get(name)), source.language)
        language = str(language).lower().encode("utf-8", "replace").decode()  # a name that any file can hold
        yield Document(text.replace("\r\n", "\n"), language, source.path, line)


def _check_columns(names: list[str], source: Source, line: int, options: ReadOptions) -> None:
    """Raise `InputError` unless the columns that the user wants are there, once each."""
    for name, option in ((options.text_column, "--text"), (options.language_column, "--language-column")):
        if name is None or names.count(name) == 1:
            continue
        what, fix = f"there are {names.count(name)} columns {name!r}", "rename all but one of them"
        if name not in names:
            what = f"there is no column {name!r}"
            fix = did_you_mean(name, names) or f"name the right one with {option} COLUMN"
        more = len(names) - _COLUMNS_SHOWN
        shown = [*names[:_COLUMNS_SHOWN], *([f"and {more:,} more"] if more > 0 else [])]
        found, expected = ", ".join(shown) or "no columns", f"a column {name!r}"
        raise InputError(what, expected=expected, found=found, fix=fix, file=source.path, line=line)


# Python refuses whole numbers of thousands of digits.
_DECODE_JSON = json.JSONDecoder(parse_int=lambda text: int(text) if len(text) < 1000 else float(text)).decode


def _read_jsonl(source: Source, options: ReadOptions, advance: Advance | None) -> Iterator[_Record]:
    for number, line in _lines(source, options, advance):
        if not line or line.isspace():
            continue
        try:
            record = _DECODE_JSON(line)
        except json.JSONDecodeError as error:
            around = line[max(0, error.pos - 30) : error.pos + 30]
            raise _not_an_object(
                source, number, f"{error.msg} (character {error.pos + 1}), around: {around}"
            ) from error
        except RecursionError as error:
            raise _not_an_object(source, number, "too deep nesting") from error
        if not isinstance(record, dict):
            raise _not_an_object(source, number, f"{type(record).__name__}: {line[:60]}")
        yield number, record


def _not_an_object(source: Source, line: int, found: str) -> InputError:
    return InputError(
        "not a JSON object",
        expected='one JSON object a line, such as {"text": "..."}',
        found=found,
        fix="write one object a line (of a file that is one JSON array: jq -c '.[]' FILE > NEW.jsonl)",
        file=source.path,
        line=line,
    )


def _read_csv(source: Source, options: ReadOptions, advance: Advance | None) -> Iterator[_Record]:
    separator = "," if source.format == "csv" else "\t"
    csv.field_size_limit(min(options.limits.document_mb * MEBIBYTE, sys.maxsize))
    lines = (line + "\n" for _, line in _lines(source, options, advance))
    reader = csv.reader(lines, delimiter=separator, strict=True)
    header: list[str] | None = None
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise _malformed(source, line, str(error), options) from error
        if row is None:
            return
        if header is None:
            header = row
            _check_columns(header, source, line, options)
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


def _malformed(source: Source, line: int, problem: str, options: ReadOptions) -> InputError:
    expected = "fields with quotes in pairs"
    fix = "write quotes inside a field twice, and close every quoted field"
    if "field limit" in problem:
        problem = f"a field of more than {options.limits.document_mb} MiB; was a quote never closed?"
        fix = "close the quote that opens in this row, or raise --max-document-mb"
    elif "new-line" in problem:
        expected = "lines that end in LF or CR LF"
        problem = "a carriage return inside a line (line ends of an old Mac?)"
        fix = "change the line ends: tr '\\r' '\\n' < FILE > NEW"
    elif "unexpected end" in problem:
        problem = "the file ends inside a quoted field that begins in this row"
    what = f"malformed {source.format.upper()}"
    return InputError(what, expected=expected, found=problem, fix=fix, file=source.path, line=line)


def _read_parquet(source: Source, options: ReadOptions, advance: Advance | None) -> Iterator[_Record]:
    import pyarrow as pa  # noqa: PLC0415 (slow to import; other formats do without it)
    from pyarrow import parquet  # noqa: PLC0415

    with _seekable(source, advance) as file:
        try:
            table = parquet.ParquetFile(file)
            names = table.schema_arrow.names
            _check_columns(names, source, 1, options)
            wanted = {options.text_column, options.language_column, *_LANGUAGE_COLUMNS}
            line = 1
            for batch in table.iter_batches(batch_size=1024, columns=[n for n in names if n in wanted]):
                for record in _records(batch, source, line):
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


def _records(batch: Any, source: Source, first: int) -> list[dict[str, Any]]:  # noqa: ANN401 (pyarrow has no types)
    try:
        return list(batch.to_pylist())
    except UnicodeDecodeError as error:
        row = max(column.cast("binary").index(error.object).as_py() for column in batch.columns)
        raise InputError(
            "not valid UTF-8",
            expected="UTF-8 text in every row",
            found=f"byte 0x{error.object[error.start]:02X}",
            fix="write the file again from text that is UTF-8",
            file=source.path,
            line=first + row,
        ) from error


@contextmanager
def _seekable(source: Source, advance: Advance | None) -> Iterator[IO[bytes] | io.FileIO]:
    """Parquet is read from its end: a compressed one is unpacked to a temporary file first."""
    if source.compression is None:
        with open_raw(source.path) as file:
            yield file
        return
    instead = "set TMPDIR to a folder with more room"
    with output_errors(Path(tempfile.gettempdir()), instead=instead), tempfile.TemporaryFile() as spool:
        with open_bytes(source, advance) as stream:
            shutil.copyfileobj(stream, spool, MEBIBYTE)
        spool.seek(0)
        yield spool
