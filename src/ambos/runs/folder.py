"""The folder of a run: what lies where, and the logs that grow in it."""

import hashlib
import json
import os
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ambos import __version__
from ambos.errors import InputError
from ambos.files import refuse_existing, write_file
from ambos.recipe import Settings, write_toml

METRICS, SPEED, RUN, RECIPE = "metrics.jsonl", "speed.jsonl", "run.json", "recipe.toml"
EVENTS = "events.out.tfevents.0.ambos"
ENTRIES = frozenset(
    {
        *(METRICS, SPEED, RUN, RECIPE, EVENTS),
        *("store", "heldout", "checkpoints", "bundle", "curves.svg", "report.html"),
    }
)
FINETUNED = frozenset(
    {
        *(METRICS, SPEED, RUN, RECIPE, EVENTS),
        *("checkpoints", "bundle", "evaluation", "curves.svg", "report.html"),
    }
)
SERIES = "finetune-series"  # the kind of a folder with several runs in it
MEMBER = re.compile(r"(seed--?|fold-|trial-)[0-9]+|final")  # the runs of a series
LEFT = re.compile(r".+\.tmp|\.bundle\.(partial|old|lock)")  # by a kill in the midst of writing
_UNENDED = {"running", "stopped"}
NOTHING = {"bytes": 0, "sha256": hashlib.sha256().hexdigest()}  # the mark of an empty log


class Log:
    """A file of JSON objects, one a line, that can be cut back to where a checkpoint was written.

    Parameters
    ----------
    path
        The file; made if it is not there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("ab")
        self._digest = hashlib.sha256(path.read_bytes())

    def add(self, record: dict[str, Any]) -> None:
        """Append a record."""
        line = (json.dumps(record, ensure_ascii=False) + "\n").encode()
        self._file.write(line)
        self._file.flush()
        self._digest.update(line)

    def mark(self) -> dict[str, Any]:
        """Force the file onto the disk; return what tells its bytes so far from any others."""
        os.fsync(self._file.fileno())
        return {"bytes": self._file.tell(), "sha256": self._digest.hexdigest()}

    def cut(self, mark: dict[str, Any]) -> None:
        """Cut the file back to a mark, or say that it is not the file that was marked."""
        with self.path.open("rb") as file:
            data = file.read(mark["bytes"])
        if len(data) < mark["bytes"] or hashlib.sha256(data).hexdigest() != mark["sha256"]:
            raise InputError(
                "the log of the run is not the one that the checkpoint belongs to",
                expected=f"{mark['bytes']:,} bytes as they were written",
                found=f"{len(data):,} bytes" if len(data) < mark["bytes"] else "other bytes",
                fix="put the file back, or start again with another --out",
                file=self.path,
            )
        self._file.truncate(mark["bytes"])
        self._file.seek(0, os.SEEK_END)  # cutting leaves the place where it was, beyond the end
        self._digest = hashlib.sha256(data)

    def records(self, *, torn: bool = False) -> list[dict[str, Any]]:
        """Read all records; if the file may be `torn`, lines that are no records are passed over."""
        found = []
        for line in self.path.read_bytes().splitlines():
            try:
                found.append(dict(json.loads(line)))
            except ValueError:
                if not torn:
                    raise
        return found

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_run(folder: Path) -> dict[str, Any]:
    """Read run.json."""
    try:
        return dict(json.loads((folder / RUN).read_bytes()))
    except (OSError, ValueError, TypeError) as error:
        raise InputError(
            "not a run folder",
            expected=f"a folder with {RUN} in it, as `ambos pretrain` and `ambos finetune` make it",
            found=_instead_of_run(folder, error),
            fix="pass what was the --out of that command",
            file=folder,
        ) from error


def _instead_of_run(folder: Path, error: Exception) -> str:
    if not folder.exists():
        return "no such folder"
    if not folder.is_dir():
        return "a file"
    return f"a folder without {RUN}" if isinstance(error, FileNotFoundError) else str(error)


def refuse_other_run(out: Path, *, entries: Collection[str], force: bool) -> None:
    """Raise `OutputError` if a new run may not replace what is there; one without an end can go on."""
    instead = ""
    with suppress(InputError):
        if read_run(out).get("status") in _UNENDED:
            instead = f"go on with the run that is there, `ambos resume {out}`, or "
    refuse_existing(out, entries=entries, force=force, instead=instead)


def write_run(folder: Path, about: dict[str, Any]) -> None:
    """Replace run.json as a whole."""
    write_file(folder / RUN, (json.dumps(about, ensure_ascii=False, indent=2) + "\n").encode())


def begin_folder(
    folder: Path,
    recipe: Settings,
    base: str | None,
    texts: Sequence[Path],
    kind: str = "pretrain",
    **more: Any,  # noqa: ANN401 (any plain value)
) -> None:
    """Write what a run must know to be resumed: its recipe, what it begins with, the files it reads."""
    write_file(folder / RECIPE, write_toml(recipe).encode())
    started = datetime.now(UTC).isoformat(timespec="seconds")
    files = [
        {"file": str(path.absolute()), "bytes": path.stat().st_size, "modified": path.stat().st_mtime_ns}
        for path in texts
    ]
    about = {
        "ambos": __version__,
        "kind": kind,
        "started": started,
        "status": "running",
        "base": base,
        "directory": str(Path.cwd()),  # from where the recipe names its files
        "texts": files,
        **more,
    }
    write_run(folder, about)
