"""Records from JSON lines to the layout that a file's ending asks for."""

import csv
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ambos.data.read_rows import SEPARATOR
from ambos.predict.records import Fields, Shape

_MOST_ROWS = 10_000  # of a row group
_MOST_BYTES = 16 << 20


def convert(rows: Path, out: Path, ending: str, fields: Fields) -> None:
    """Write the records of a file of JSON lines to another file.

    Parameters
    ----------
    ending
        .jsonl, .parquet: as the records are. .csv, .tsv: labels are parted by `|`, probabilities by label
        have a column each, and all else that is not plain is JSON.
    fields
        What the records hold.
    """
    _CONVERT[ending](rows, out, fields)


def _jsonl(rows: Path, out: Path, fields: Fields) -> None:  # noqa: ARG001 (as others need it)
    shutil.copyfile(rows, out)


def _csv(rows: Path, out: Path, fields: Fields) -> None:
    _separated(rows, out, fields, ",")


def _tsv(rows: Path, out: Path, fields: Fields) -> None:
    _separated(rows, out, fields, "\t")


def _separated(rows: Path, out: Path, fields: Fields, separator: str) -> None:
    header = []
    for name, shape in fields.items():
        header += [f"probability_{label}" for label in shape] if isinstance(shape, dict) else [name]
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=separator, lineterminator="\n")
        writer.writerow(header)
        for group in _groups(rows):
            for record in group:
                cells = (_cells(name, shape, record.get(name)) for name, shape in fields.items())
                writer.writerow([cell for some in cells for cell in some])


def _cells(name: str, shape: Shape, value: Any) -> list[Any]:  # noqa: ANN401 (any plain value)
    if isinstance(shape, dict):
        return [(value or {}).get(label) for label in shape]
    if name == "labels" and value is not None:
        return [SEPARATOR.join(value)]
    return [json.dumps(value, ensure_ascii=False) if isinstance(shape, list) else value]


def _parquet(rows: Path, out: Path, fields: Fields) -> None:
    import pyarrow as pa  # noqa: PLC0415 (slow to import; other layouts do without it)
    from pyarrow import parquet  # noqa: PLC0415

    plain = {str: pa.string(), int: pa.int64(), float: pa.float64()}

    def kind(shape: Shape) -> Any:  # noqa: ANN401 (pyarrow has no types)
        if isinstance(shape, list):
            return pa.list_(kind(shape[0]))
        if isinstance(shape, dict):
            return pa.struct([(name, kind(inner)) for name, inner in shape.items()])
        return plain[shape]

    schema = pa.schema([(name, kind(shape)) for name, shape in fields.items()])
    with (
        out.open("wb") as file,
        parquet.ParquetWriter(file, schema, compression="zstd", use_dictionary=["file"]) as writer,
    ):
        for group in _groups(rows):
            writer.write_table(pa.Table.from_pylist(group, schema))


def _groups(rows: Path) -> Iterator[list[dict[str, Any]]]:
    """Yield records for a row group at a time: fewer of them where they are large."""
    group: list[dict[str, Any]] = []
    size = 0
    with rows.open("rb") as file:
        for line in file:
            group.append(json.loads(line))
            size += len(line)
            if len(group) == _MOST_ROWS or size > _MOST_BYTES:
                yield group
                group, size = [], 0
    if group:
        yield group


_CONVERT: dict[str, Callable[[Path, Path, Fields], None]] = {
    ".jsonl": _jsonl,
    ".csv": _csv,
    ".tsv": _tsv,
    ".parquet": _parquet,
}
