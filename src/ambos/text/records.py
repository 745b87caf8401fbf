"""Records from JSON lines, CSV, TSV and Parquet: (line, fields by name), streamed."""

import csv
import io
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any

from ambos.errors import InputError
from ambos.files import output_errors
from ambos.suggest import did_you_mean
from ambos.text.sources import Source
from ambos.text.stream import ReadOptions, read_lines
from ambos.text.unpack import MEBIBYTE, Advance, open_bytes, open_raw

LANGUAGE_COLUMNS = ("language", "lang")
_COLUMNS_SHOWN = 12

Record = tuple[int, dict[str, Any]]


def read_records(source: Source, options: ReadOptions, advance: Advance | None) -> Iterator[Record]:
    """Yield (line or row from 1, fields); Parquet gives only the text and language columns."""
    read = {"jsonl": _read_jsonl, "parquet": _read_parquet}.get(source.format, _read_csv)
    return read(source, options, advance)


def check_columns(names: list[str], source: Source, line: int, options: ReadOptions) -> None:
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


def _read_jsonl(source: Source, options: ReadOptions, advance: Advance | None) -> Iterator[Record]:
    for number, line in read_lines(source, options, advance):
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


def _read_csv(source: Source, options: ReadOptions, advance: Advance | None) -> Iterator[Record]:
    separator = _separator(source, options)
    csv.field_size_limit(min(options.limits.document_mb * MEBIBYTE, sys.maxsize))
    lines = (line + "\n" for _, line in read_lines(source, options, advance))
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
            check_columns(header, source, line, options)
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


def _separator(source: Source, options: ReadOptions) -> str:
    """Return a tab, a comma, or the semicolon that spreadsheets write where the comma is for decimals."""
    if source.format == "tsv":
        return "\t"
    with closing(read_lines(source, options)) as lines:
        _, header = next(lines, (0, ""))
    return ";" if header.count(";") > header.count(",") else ","


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


def _read_parquet(source: Source, options: ReadOptions, advance: Advance | None) -> Iterator[Record]:
    import pyarrow as pa  # noqa: PLC0415 (slow to import; other formats do without it)
    from pyarrow import parquet  # noqa: PLC0415

    with _seekable(source, advance) as file:
        try:
            table = parquet.ParquetFile(file, buffer_size=MEBIBYTE, pre_buffer=False)
            names = table.schema_arrow.names
            check_columns(names, source, 1, options)
            wanted = {options.text_column, options.language_column, *LANGUAGE_COLUMNS}
            line = 1
            for batch in table.iter_batches(batch_size=64, columns=[n for n in names if n in wanted]):
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
