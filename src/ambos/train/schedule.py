"""How far a run is, and what follows from it: the learning rate, or any setting that changes on the way."""

from dataclasses import dataclass
from math import cos, pi
from typing import Literal

from ambos.errors import UsageError

Shape = Literal["linear", "cosine", "constant", "trapezoid"]


@dataclass(frozen=True)
class Budget:
    """How long to train: steps, or tokens, or seconds; exactly one of them.

    Examples
    --------
    >>> Budget(steps=200).share(step=50, tokens=0, seconds=0.0)
    0.25
    """

    steps: int | None = None
    tokens: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        given = {name: value for name, value in vars(self).items() if value is not None}
        if len(given) != 1 or next(iter(given.values())) <= 0:
            raise UsageError(
                "how long to train is not clear",
                expected="one of --minutes, --steps, --tokens, above 0",
                found=", ".join(f"{name} {value}" for name, value in given.items()) or "none of them",
                fix="for example --minutes 10",
            )

    def share(self, *, step: int, tokens: int, seconds: float) -> float:
        """Return which share of the budget is spent; 1 or more when it is all."""
        if self.steps is not None:
            return step / self.steps
        if self.tokens is not None:
            return tokens / self.tokens
        return seconds / (self.seconds or 1.0)


@dataclass(frozen=True)
class Schedule:
    """The learning rate as a factor of its peak: up from 0, then down.

    Parameters
    ----------
    shape
        After the warm-up: `linear` or `cosine` down to `end`, `constant`, or `trapezoid`: constant, then
        linear.
    warmup
        Share of the run in which it rises.
    decay
        Share of the run, at its end, in which a `trapezoid` falls.
    end
        Factor at the end.

    Examples
    --------
    >>> schedule = Schedule("linear", warmup=0.1)
    >>> [round(schedule.factor(share), 2) for share in (0.05, 0.1, 0.55, 1.0)]
    [0.5, 1.0, 0.5, 0.0]
    """

    shape: Shape = "linear"
    warmup: float = 0.1
    decay: float = 0.2
    end: float = 0.0

    def factor(self, share: float) -> float:
        """Return the factor when `share` of the run is over."""
        share = min(max(share, 0.0), 1.0)
        if share < self.warmup:
            return share / self.warmup
        if self.shape == "constant":
            return 1.0
        if self.shape == "trapezoid":
            left = min(1.0, (1.0 - share) / self.decay) if self.decay else 1.0
        else:
            left = (1.0 - share) / (1.0 - self.warmup) if self.warmup < 1 else 0.0
        if self.shape == "cosine":
            left = (1.0 - cos(pi * left)) / 2
        return self.end + (1.0 - self.end) * left


def between(start: float, end: float, share: float) -> float:
    """Return the value that goes in a straight line from `start` to `end` over the run."""
    return start + (end - start) * min(max(share, 0.0), 1.0)
