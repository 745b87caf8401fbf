"""What a command shows: results on stdout (tables, or one JSON object), everything else on stderr."""

import io
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ambos.errors import AmbosError

if TYPE_CHECKING:
    from rich.progress import Progress

_NARROW = 100  # columns assumed when the output is not a terminal


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")  # text may hold what the terminal's encoding has not
    console = Console(stderr=stderr, highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = _NARROW
    return console


@dataclass
class Screen:
    """Where one command writes.

    Parameters
    ----------
    json
        Print the result as one JSON object instead of tables.
    quiet
        No progress, no notes, no tables; with `json`, the JSON object still comes.
    """

    json: bool = False
    quiet: bool = False
    out: Console = field(default_factory=lambda: _console(stderr=False))
    err: Console = field(default_factory=lambda: _console(stderr=True))

    def note(self, text: str) -> None:
        """Say something in passing."""
        if not self.quiet and not self.json:  # with --json, stderr holds one JSON object or nothing
            self.err.print(_one_line(text), style="dim", markup=False)

    def result(self, value: dict[str, Any], show: Callable[[Console], None]) -> None:
        """Give the command's result: `value` with `--json`, else whatever `show` prints."""
        if self.json:
            self.out.file.write(_json(value, self.out, indent=2))
        elif not self.quiet:
            show(self.out)

    @contextmanager
    def progress(self, *columns: Any) -> Iterator["Progress"]:  # noqa: ANN401 (rich takes strings and columns)
        """Show progress bars on stderr while the block runs."""
        from rich.progress import Progress  # noqa: PLC0415 (slow to import)

        hidden = self.quiet or not self.err.is_terminal
        with Progress(*columns, console=self.err, transient=True, disable=hidden) as progress:
            yield progress

    def error(self, error: AmbosError) -> None:
        """Print an error with its details."""
        if self.json:
            self.err.file.write(_json({"error": error.as_dict()}, self.err))
            return
        head = error.what if error.where is None else f"{error.where}: {error.what}"
        self.err.print("[bold red]error[/] ", end="")
        self.err.print(_one_line(head), markup=False, soft_wrap=True)
        for label, text in error.details():
            self.err.print(f"  [cyan]{label:<9}[/]", end="")
            self.err.print(_one_line(text), markup=False, soft_wrap=True)


def _one_line(text: str) -> str:
    """Return text without what would move a terminal's cursor: it may come out of a damaged file."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def printable(text: str) -> str:
    """Return text that a rich table or line shows as it is: no markup, no control characters."""
    return escape(_one_line(text))


def _json(value: Any, console: Console, indent: int | None = None) -> str:  # noqa: ANN401 (any plain value)
    """Return strict JSON: no NaN, and escapes for what the stream's encoding cannot carry."""
    escape = console.encoding != "utf-8"
    return json.dumps(_finite(value), ensure_ascii=escape, indent=indent, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:  # noqa: ANN401 (any plain value)
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def table(*columns: str, right: Sequence[str] = (), title: str | None = None) -> Table:
    """Return a plain table; columns named in `right` are aligned to the right, for numbers."""
    result = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for column in columns:
        result.add_column(
            column,
            justify="right" if column in right else "left",
            header_style="cyan",
            overflow="fold",
        )
    return result


def size(count: float) -> str:
    """Return a number of bytes for people.

    Examples
    --------
    >>> size(2_500_000)
    '2.5 MB'
    """
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
