"""Predictions for the rows of files, into a file; whatever stops it, the same call goes on from there."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

from ambos import __version__
from ambos.data.read_files import RowFiles
from ambos.data.rows import PairRow, Problems, QuestionRow, Row, TextRow
from ambos.data.windows import Ledger
from ambos.files import new_file, refuse_inside
from ambos.predict.growing import Growing
from ambos.predict.model import Model
from ambos.predict.record_files import convert
from ambos.predict.records import Details, Records
from ambos.tasks.task import Reading
from ambos.tasks.texts import texts_of
from ambos.text.tokenizer import replace_surrogates

# Rows that are read, predicted and written together; what a kill can cost. Fewer if they are long.
_CHUNK_ROWS = 1024
_CHUNK_CHARACTERS = 250_000


class Watcher(Protocol):
    """Who follows a job."""

    def advance(self, count: int) -> None:
        """See that so many bytes were read."""

    def came(self, characters: int) -> None:
        """See a row that was read."""

    def tell(self, share: float) -> None:
        """Hear which share of the rows at hand is done."""

    def took(self, count: int) -> None:
        """See that so many rows are written."""

    def passed(self, count: int) -> None:
        """See that so many rows had been written by an earlier process."""


@dataclass(frozen=True)
class Predicted:
    """What became of the rows.

    Parameters
    ----------
    rows
        In the output.
    earlier
        How many of them an interrupted call had predicted.
    ledger
        What was cut, of all of them.
    skipped
        Rows left out, by kind of problem.
    changed
        What had changed since an interrupted call, so that nothing of it could be used.
    """

    rows: int
    earlier: int
    ledger: Ledger
    skipped: dict[str, int]
    changed: tuple[str, ...]


def predict_files(
    model: Model,
    files: RowFiles,
    out: Path,
    details: Details,
    reading: Reading,
    watcher: Watcher,
    *,
    skip_bad: bool = False,
    force: bool = False,
    note: Callable[[str], None] = lambda _: None,
) -> Predicted:
    """Write a record for every row, in their order; the output appears when it is whole.

    Rows are taken in chunks that depend on nothing but the rows before. So a call that goes on after an
    interruption computes the very batches that the interrupted one would have computed, and the output is
    the same, byte for byte.

    Parameters
    ----------
    files
        Of the model's task, without labels.
    out
        Its ending decides: .jsonl, .csv, .tsv or .parquet.
    details, reading
        What records hold beside predictions; how rows become sequences.
    skip_bad
        Leave out rows that cannot be used. Without it the first chunk that has any stops the call, and it can
        go on with `skip_bad`.
    """
    refuse_inside(out, [source.path for source in files.sources])
    records = Records(model.learnt, details)
    problems = Problems(skip_bad=skip_bad)
    with new_file(out, force=force) as work:
        growing = Growing(out, _prints(model, files, details, reading))
        if growing.changed:
            note(f"beginning anew: {' and '.join(growing.changed)} changed since the last time")
        earlier = int(growing.state.get("rows", 0))
        ledger = Ledger(**growing.state.get("ledger", {}))
        rows = _counted(files.rows(problems, watcher.advance), watcher)
        if earlier:
            note(f"going on after {earlier:,} rows that are done")
            watcher.passed(sum(1 for _ in islice(rows, earlier)))
        done = earlier
        for chunk in _chunks(rows):
            problems.check()
            predicted = list(model.predict_rows(chunk, reading, ledger, watcher.tell, task=records.task))
            lines = [
                json.dumps(records.of(row, said), ensure_ascii=False) + "\n"
                for some, predictions in predicted
                for row, said in zip(some, predictions, strict=True)
            ]
            done += len(chunk)
            piece = replace_surrogates("".join(lines)).encode()
            growing.add(piece, {"rows": done, "ledger": asdict(ledger)})
            watcher.took(len(chunk))
        convert(growing.path, work, out.suffix.lower(), records.fields)
    growing.remove()
    skipped = {str(kind): count for kind, count in problems.counts.items()}
    return Predicted(done, earlier, ledger, skipped, tuple(growing.changed))


def _counted(rows: Iterable[Row], watcher: Watcher) -> Iterator[Row]:
    for row in rows:
        watcher.came(_characters(row))
        yield row


def _chunks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    chunk: list[Row] = []
    characters = 0
    for row in rows:
        chunk.append(row)
        characters += _characters(row)
        if len(chunk) == _CHUNK_ROWS or characters >= _CHUNK_CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk


def _characters(row: Row) -> int:
    if isinstance(row, TextRow):
        return len(row.text)
    if isinstance(row, QuestionRow):
        return len(row.question) + len(row.passage)
    if isinstance(row, PairRow):
        return sum(map(len, texts_of(row)))
    return sum(map(len, row.words)) + len(row.words)


def _prints(model: Model, files: RowFiles, details: Details, reading: Reading) -> dict[str, str]:
    """Return what tells whether an interrupted call was this one, by what a user could have changed."""
    folder = model.source
    parts = sorted(path for path in folder.rglob("*") if path.is_file()) if folder else []
    options: dict[str, Any] = {
        "columns": files.shown.chosen,
        "reading": [files.options.encoding, reading.limit, reading.long],
        "details": asdict(details),
        "device": model.device.type,
    }
    return {
        "ambos": __version__,
        "the model": _stamp(parts) if parts else uuid4().hex,  # of no folder, it is like no other
        "the input": _stamp([source.path for source in files.sources]),
        "the options": hashlib.sha256(json.dumps(options).encode()).hexdigest(),
    }


def _stamp(paths: Iterable[Path]) -> str:
    """Return what changes when one of some files does: their names, sizes and times."""
    about = [(str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in paths]
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()
