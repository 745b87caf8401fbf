"""What a command shows: results on stdout (tables, or one JSON object), everything else on stderr."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from ambos.errors import AmbosError

if TYPE_CHECKING:
    from rich.progress import Progress

_NARROW = 100  # columns assumed when the output is not a terminal


def _console(*, stderr: bool) -> Console:
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
        No progress and no notes; results and errors only.
    """

    json: bool = False
    quiet: bool = False
    out: Console = field(default_factory=lambda: _console(stderr=False))
    err: Console = field(default_factory=lambda: _console(stderr=True))

    def note(self, text: str) -> None:
        """Say something in passing."""
        if not self.quiet:
            self.err.print(text, style="dim", markup=False)

    def result(self, value: dict[str, Any], show: Callable[[Console], None]) -> None:
        """Give the command's result: `value` with `--json`, else whatever `show` prints."""
        if self.json:
            self.out.file.write(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=True) + "\n")
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
            self.err.file.write(json.dumps({"error": error.as_dict()}, ensure_ascii=False) + "\n")
            return
        head = error.what if error.where is None else f"{error.where}: {error.what}"
        self.err.print("[bold red]error[/] ", end="")
        self.err.print(head, markup=False, soft_wrap=True)
        for label, text in error.details():
            self.err.print(f"  [cyan]{label:<9}[/]", end="")
            self.err.print(text, markup=False, soft_wrap=True)


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
