"""What a terminal shows of a training run: the loss as a curve, speed, and the time that is left."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.live import Live
from rich.text import Text

from ambos.analysis.numbers import clock
from ambos.cli.chart import line_chart
from ambos.cli.screen import Screen

if TYPE_CHECKING:
    from ambos.text.store_build import BuildProgress

_POINTS = 400  # of the curve; more would be dots on dots


class Display:
    """A watcher that draws on stderr, or writes a line per evaluation where that is no terminal.

    Parameters
    ----------
    screen
        Of the command.
    """

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.last: dict[str, Any] = {}
        self.speed: dict[str, Any] = {}
        self.measured: dict[str, Any] = {}
        self._losses: list[tuple[float, float]] = []
        self._marks: list[tuple[float, float]] = []
        self._live: Live | None = None
        self._drawn = 0.0

    @contextmanager
    def shown(self) -> Iterator["Display"]:
        """Draw for the time of the block."""
        if self.screen.quiet or self.screen.json or not self.screen.err.is_terminal:
            yield self
            return
        with Live(console=self.screen.err, auto_refresh=False, transient=True) as live:
            self._live = live
            try:
                yield self
            finally:
                self._live = None

    def note(self, text: str) -> None:
        """Say something in passing."""
        self.screen.note(text)

    def stage(self, name: str) -> None:
        """Say what begins; nothing for an empty name."""
        if name:
            self.screen.note(name)

    def tokenised(self, state: "BuildProgress") -> None:
        """Show how far the text is tokenised."""
        if self._live is not None:
            share = state.bytes_read / max(state.bytes_total, 1)
            self._live.update(Text(f"{share:.0%} · {state.tokens:,} tokens"), refresh=True)

    def step(self, record: dict[str, Any], speed: dict[str, Any]) -> None:
        """See a step."""
        if self.last and record["step"] <= self.last["step"]:  # another run has begun
            self._losses, self._marks, self.measured = [], [], {}
        self.last, self.speed = record, speed
        # Smoothed over about ten steps: single batches differ more than what is learnt between them.
        loss = record.get("mlm_loss", record["loss"])
        before = self._losses[-1][1] if self._losses else loss
        self._losses.append((record["step"], before + 0.1 * (loss - before)))
        if len(self._losses) > 2 * _POINTS:
            self._losses = self._losses[::2]
        self._draw()

    def heldout(self, record: dict[str, Any]) -> None:
        """See an evaluation."""
        self.measured = record
        if "mlm_loss" in record:
            self._marks.append((record["step"], record["mlm_loss"]))
        if self._live is None:
            self.screen.note(self._line())
        self._draw(now=True)

    def _line(self) -> str:
        parts = [f"step {self.measured['step']:>6,}", *_figures(self.measured)]
        if self.speed:
            parts += [
                f"{self.speed['tokens_per_second']:,.0f} tokens/s",
                f"{self.speed['limit_share']:.0%} of limit",
            ]
            parts.append(f"{clock(self.speed['left'])} left")
        return " · ".join(parts)

    def _draw(self, *, now: bool = False) -> None:
        if self._live is None or (not now and time.monotonic() - self._drawn < 0.25):
            return
        self._drawn = time.monotonic()
        width = min(self.screen.err.width, 100)
        lines: list[Text] = []
        if len(self._losses) > 1 and self.screen.err.encoding == "utf-8":
            chart = line_chart(self._losses, width=width, height=12, marks=self._marks)
            lines.append(Text(chart, style="cyan"))
        if self.last:
            lines.append(
                Text(f"step {self.last['step']:,} · loss {self.last['loss']:.3f} · lr {self.last['lr']:.2e}")
            )
        if self.measured:
            lines.append(Text(self._line(), style="bold"))
        self._live.update(Group(*lines), refresh=True)


def _figures(record: dict[str, Any]) -> list[str]:
    """Return what was measured, in words: of a task, or of pretraining."""
    if record["kind"] == "dev":
        best = ["the best so far"] if record["best"] else []
        return [f"dev {record['metric']} {record[record['metric']]['value']:.4f}", *best]
    shares = {"accuracy": "mlm_accuracy", "next": "next_accuracy", "order": "order_accuracy"}
    found = [f"{name} {record[key]:.1%}" for name, key in shares.items() if key in record]
    return [f"held-out loss {record['mlm_loss']:.3f}", *found]
