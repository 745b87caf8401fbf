"""A file that grows piece by piece and is still good after whatever stopped the process."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ambos.files import working_folder, write_file


class Growing:
    r"""Lines on their way to an output, in a hidden file beside it, and a journal of how far they are good.

    A piece counts when the journal says so, and the journal is replaced in one step after the piece is on the
    disk: of whatever is killed in between, a part of one piece is lost, and cut off by the next process.

    Parameters
    ----------
    out
        The output. The files beside it are `.NAME.rows` and `.NAME.journal`; they come with the first piece.
    prints
        What must be the same for another process to go on, by name.

    Attributes
    ----------
    state
        What was kept with the last piece; empty at the beginning.
    changed
        The names of what is not the same as when the file began: then it begins anew.

    Examples
    --------
    >>> growing = Growing(Path("new.jsonl"), {"model": "1f3a"})  # doctest: +SKIP
    >>> growing.add(b'{"label": "pos"}\n', {"rows": 1})  # doctest: +SKIP
    """

    def __init__(self, out: Path, prints: Mapping[str, str]) -> None:
        self.path = working_folder(out).with_suffix(".rows")
        self.state: dict[str, Any] = {}
        self.changed: list[str] = []
        self._journal = self.path.with_suffix(".journal")
        self._prints = dict(prints)
        self._bytes = 0
        self._recall()

    def _recall(self) -> None:
        """Take up what an earlier process left, if it can be gone on with."""
        try:
            left = json.loads(self._journal.read_bytes())
            prints, size, state = dict(left["prints"]), int(left["bytes"]), dict(left["state"])
            is_whole = self.path.stat().st_size >= size
        except (OSError, ValueError, TypeError, KeyError):
            return  # nothing, or nothing that can be read
        names = {*prints, *self._prints}
        self.changed = sorted(name for name in names if prints.get(name) != self._prints.get(name))
        if is_whole and not self.changed:
            os.truncate(self.path, size)
            self._bytes, self.state = size, state

    def add(self, piece: bytes, state: Mapping[str, Any]) -> None:
        """Append a piece, durably, and keep a state with it."""
        with self.path.open("ab" if self._bytes else "wb") as file:
            file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        self._bytes += len(piece)
        self.state = dict(state)
        about = {"prints": self._prints, "bytes": self._bytes, "state": self.state}
        write_file(self._journal, json.dumps(about).encode())

    def remove(self) -> None:
        """Remove the files: the output is whole."""
        self._journal.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)
