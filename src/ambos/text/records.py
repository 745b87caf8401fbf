"""Records from JSON lines, CSV, TSV and Parquet: (line, fields by name), streamed."""

import csv
import io
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any

from ambos.errors import InputError
from ambos.suggest import did_you_mean
from ambos.text.delimiters import has_quotes, separator
from ambos.text.sources import Source
from ambos.text.stream import ReadOptions, read_lines
from ambos.text.unpack import MEBIBYTE, Advance, open_bytes, open_raw
from ambos.write_errors import output_errors

_COLUMNS_SHOWN = 12
_LINES_ASKED = 100  # JSON lines whose keys are taken for the columns of the file

Record = tuple[int, dict[str, Any]]
TellBad = Callable[[int, InputError], None]  # line, and what is wrong with it


def read_records(
    source: Source,
    options: ReadOptions,
    advance: Advance | None,
    wanted: Mapping[str, str],
    also: Collection[str] = (),
    bad: TellBad | None = None,
) -> Iterator[Record]:
    """Yield (line or row from 1, fields) of a table.

    Parameters
    ----------
    wanted
        The columns that must be there, each with the option that names it. Tables with a header are checked;
        JSON lines, each of which has keys of its own, are left to the caller (`check_columns`).
    also
        Columns to read where they are there: of Parquet, no others than these and the wanted are read.
    bad
        Told line and error of rows of CSV and TSV with too few or too many fields, and of JSON lines that are
        no object, which are passed over then; without it the first error is raised.
    """
    if source.format == "jsonl":
        return _read_jsonl(source, options, advance, bad)
    if source.format == "parquet":
        return _read_parquet(source, advance, wanted, also)
    return _read_csv(source, options, advance, wanted, bad)


def column_names(
    source: Source, options: ReadOptions, *, skip_bad: bool = False, bad: TellBad | None = None
) -> list[str]:
    """Return the names of a table's columns in their order; of JSON lines, the keys of the first hundred.

    With `skip_bad`, lines that are no JSON object are passed over; without it `bad` is told of them, or the
    first is raised.
    """
    if source.format == "parquet":
        with _open_parquet(source, None) as table:
            return list(table.schema_arrow.names)
    if source.format == "jsonl":
        tell: TellBad | None = (lambda _, __: None) if skip_bad else bad
        with closing(_read_jsonl(source, options, None, tell)) as records:
            return list(dict.fromkeys(key for _, record in islice(records, _LINES_ASKED) for key in record))
    with closing(_csv_rows(source, options, None)) as rows:
        _, header = next(rows, (1, []))
    return header


def check_columns(
    names: Sequence[str], wanted: Mapping[str, str], file: Path | None, line: int | None = None
) -> None:
    """Raise `InputError` unless the columns that the user wants are there, once each."""
    for name, option in wanted.items():
        if names.count(name) == 1:
            continue
        what, fix = f"there are {names.count(name)} columns {name!r}", "rename all but one of them"
        if name not in names:
            what = f"there is no column {name!r}"
            fix = did_you_mean(name, names) or f"name the right one with {option} COLUMN"
        found, expected = list_columns(names), f"a column {name!r}"
        raise InputError(what, expected=expected, found=found, fix=fix, file=file, line=line)


def list_columns(names: Sequence[str]) -> str:
    """Return the names for an error to show, not more than a line of them."""
    more = len(names) - _COLUMNS_SHOWN
    shown = [*names[:_COLUMNS_SHOWN], *([f"and {more:,} more"] if more > 0 else [])]
    return ", ".join(shown) or "no columns"


# Python refuses whole numbers of thousands of digits.
_DECODE_JSON = json.JSONDecoder(parse_int=lambda text: int(text) if len(text) < 1000 else float(text)).decode


def _read_jsonl(
    source: Source, options: ReadOptions, advance: Advance | None, bad: TellBad | None
) -> Generator[Record, None, None]:
    for number, line in read_lines(source, options, advance):
        if not line or line.isspace():
            continue
        try:
            record = _object(line, source, number)
        except InputError as error:
            if bad is None:
                raise
            bad(number, error)
        else:
            yield number, record


def _object(line: str, source: Source, number: int) -> dict[str, Any]:
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
    return record


def _not_an_object(source: Source, line: int, found: str) -> InputError:
    return InputError(
        "not a JSON object",
        expected='one JSON object a line, such as {"text": "..."}',
        found=found,
        fix="write one object a line (of a file that is one JSON array: jq -c '.[]' FILE > NEW.jsonl)",
        file=source.path,
        line=line,
    )


def _read_csv(
    source: Source,
    options: ReadOptions,
    advance: Advance | None,
    wanted: Mapping[str, str],
    bad: TellBad | None,
) -> Iterator[Record]:
    rows = _csv_rows(source, options, advance)
    first = next(rows, None)
    if first is None:
        return
    line, header = first
    check_columns(header, wanted, source.path, line)
    for line, row in rows:
        if len(row) == len(header):
            yield line, dict(zip(header, row, strict=True))
            continue
        mark = separator(source, options)
        error = InputError(
            f"a ragged {source.format.upper()} row",
            expected=f"{len(header)} fields, as in the header",
            found=f"{len(row)} fields",
            fix=f"quote fields that contain the separator {mark!r} or a line end",
            file=source.path,
            line=line,
        )
        if bad is None:
            raise error
        bad(line, error)


def _csv_rows(
    source: Source, options: ReadOptions, advance: Advance | None
) -> Generator[tuple[int, list[str]], None, None]:
    """Yield (line, fields), the header first; empty lines after it are passed over."""
    csv.field_size_limit(min(options.limits.document_mb * MEBIBYTE, sys.maxsize))
    lines = (line + "\n" for _, line in read_lines(source, options, advance))
    quoting: Any = csv.QUOTE_MINIMAL if has_quotes(source, options) else csv.QUOTE_NONE
    reader = csv.reader(lines, delimiter=separator(source, options), quoting=quoting, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise _malformed(source, line, str(error), options) from error
        if row is None:
            return
        if row or line == 1:
            yield line, row


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


def _read_parquet(
    source: Source, advance: Advance | None, wanted: Mapping[str, str], also: Collection[str]
) -> Iterator[Record]:
    with _open_parquet(source, advance) as table:
        names = table.schema_arrow.names
        check_columns(names, wanted, source.path, 1)
        chosen = [name for name in names if name in wanted or name in also]
        line = 1
        for batch in table.iter_batches(batch_size=64, columns=chosen):
            for record in _records(batch, source, line):
                yield line, record
                line += 1
    if advance and source.compression is None:
        advance(source.bytes)


@contextmanager
def _open_parquet(source: Source, advance: Advance | None) -> Iterator[Any]:
    """Give the file as pyarrow reads it; what pyarrow finds wrong with it becomes `InputError`."""
    import pyarrow as pa  # noqa: PLC0415 (slow to import; other formats do without it)
    from pyarrow import parquet  # noqa: PLC0415

    with _seekable(source, advance) as file:
        try:
            yield parquet.ParquetFile(file, buffer_size=MEBIBYTE, pre_buffer=False)
        except (pa.ArrowException, OSError) as error:
            raise InputError(
                "not a readable Parquet file",
                expected="a whole Parquet file",
                found=str(error).splitlines()[0][:120],
                fix="write it again; a download may have been cut short",
                file=source.path,
            ) from error


def _records(batch: Any, source: Source, first: int) -> list[dict[str, Any]]:  # noqa: ANN401 (pyarrow has no types)
    try:
        return list(batch.to_pylist())
    except UnicodeDecodeError as error:
        if batch.num_rows > 1:  # one at a time, to know which
            return [_records(batch.slice(row, 1), source, first + row)[0] for row in range(batch.num_rows)]
        raise InputError(
            "not valid UTF-8",
            expected="UTF-8 text in every row",
            found=f"byte 0x{error.object[error.start]:02X}",
            fix="write the file again from text that is UTF-8",
            file=source.path,
            line=first,
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
