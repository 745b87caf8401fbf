"""What a run writes down as it goes: metrics, speed, TensorBoard events; and who else is told."""

import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from ambos.runs.folder import EVENTS, METRICS, NOTHING, SPEED, Log
from ambos.train.events import EventWriter
from ambos.train.loop import State
from ambos.train.schedule import Budget

_WINDOW = 20  # steps that a speed is the mean of


class Watcher(Protocol):
    """Who looks on: the terminal, or a notebook."""

    def step(self, record: dict[str, Any], speed: dict[str, Any]) -> None:
        """See a step."""

    def heldout(self, record: dict[str, Any]) -> None:
        """See an evaluation."""

    def note(self, text: str) -> None:
        """Hear something in passing."""


class Quiet:
    """A watcher that looks away."""

    def step(self, record: dict[str, Any], speed: dict[str, Any]) -> None:
        """See a step."""

    def heldout(self, record: dict[str, Any]) -> None:
        """See an evaluation."""

    def note(self, text: str) -> None:
        """Hear something in passing."""


class RunLog:
    """The listener of a training loop that writes the files of a run folder.

    What depends on the clock goes into files of its own, so that metrics.jsonl is the same, byte for byte,
    for a run that was interrupted and one that was not.

    Parameters
    ----------
    folder
        The run.
    watcher
        Is told what is written.
    limit
        Floating point operations a second that matrix products alone reach.
    budget
        How long the run will be.
    """

    def __init__(self, folder: Path, watcher: Watcher, limit: float, budget: Budget) -> None:
        self.metrics, self.speed = Log(folder / METRICS), Log(folder / SPEED)
        self.watcher = watcher
        self.limit = limit
        self.budget = budget
        self._began = time.perf_counter()
        self.seconds = 0.0
        self._events_path = folder / EVENTS
        self._events: EventWriter | None = None
        self._recent: list[tuple[float, int, float]] = []
        self._tokens = 0

    def begin(self, mark: dict[str, Any] | None, state: State) -> None:
        """Begin, or go on from a mark: what was written after it is cut off, and events are written anew."""
        self.metrics.cut(mark or NOTHING)
        speeds = [record for record in self.speed.records(torn=True) if record["step"] <= state.step]
        self.speed.cut(NOTHING)
        for record in speeds:
            self.speed.add(record)
        self.seconds, self._tokens = state.seconds, state.tokens
        self._began = time.perf_counter() - state.seconds
        self._events = EventWriter(self._events_path)
        now = time.time()
        for record in self.metrics.records():
            self._event(record, now)

    def mark(self) -> dict[str, Any]:
        """Return what a checkpoint must remember."""
        return {"metrics": self.metrics.mark()}

    def trained(self, record: dict[str, Any], seconds: float, operations: float) -> None:
        """Write a step down; of many steps, only some."""
        step = record["step"]
        self.seconds += seconds
        self._recent = [*self._recent[1 - _WINDOW :], (seconds, record["tokens"] - self._tokens, operations)]
        self._tokens = record["tokens"]
        spent, tokens, done = (sum(column) for column in zip(*self._recent, strict=True))
        speed = {
            "step": step,
            "seconds": round(self.seconds, 3),
            "tokens_per_second": round(tokens / spent, 1),
            "limit_share": round(done / spent / self.limit, 4),
        }
        if _is_kept(step):
            self.metrics.add(record)
            self._event(record, time.time())
        if _is_kept(step) and (step <= 10 or step % 10 == 0):
            self.speed.add(speed)
        self.watcher.step(record, {**speed, "left": self._left(record)})

    def _left(self, record: dict[str, Any]) -> float:
        """Return how many seconds the run will still take."""
        elapsed = time.perf_counter() - self._began
        share = self.budget.share(step=record["step"], tokens=record["tokens"], seconds=elapsed)
        return elapsed * max(0.0, 1 / share - 1)

    def evaluated(self, records: list[dict[str, Any]]) -> None:
        """Write an evaluation down."""
        for record in records:
            self.metrics.add(record)
            self._event(record, time.time())
            if record["kind"] in {"heldout", "dev"}:
                self.watcher.heldout(record)

    def saved(self, step: int) -> None:
        """Nothing to write: the checkpoint is there."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the files; what could not be written has been complained of already."""
        for file in (self.metrics, self.speed, self._events):
            if file is not None:
                with suppress(OSError):
                    file.close()

    def _event(self, record: dict[str, Any], now: float) -> None:
        if self._events is None or record["kind"] == "fill":
            return
        # A figure with its interval is shown by its value.
        plain = {key: value["value"] if isinstance(value, dict) else value for key, value in record.items()}
        values = {
            f"{record['kind']}/{key}": value for key, value in plain.items() if isinstance(value, float)
        }
        self._events.scalars(record["step"], values, wall_time=now)


class Silent:
    """The listener of the processes that do not lead."""

    def trained(self, record: dict[str, Any], seconds: float, operations: float) -> None:
        """Do nothing."""

    def evaluated(self, records: list[dict[str, Any]]) -> None:
        """Do nothing."""

    def saved(self, step: int) -> None:
        """Do nothing."""


def _is_kept(step: int) -> bool:
    """Tell whether a step is written down: the first thousand, then every tenth, then every hundredth."""
    every = 1 if step <= 1_000 else 10 if step <= 10_000 else 100
    return step % every == 0
