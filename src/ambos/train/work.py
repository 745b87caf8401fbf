"""What one step is made of, and how its parts are computed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from ambos.data.draws import Draws
from ambos.train.machine import TYPES, Precision
from ambos.train.signals import Stop


@dataclass(frozen=True)
class Work:
    """What one step is made of.

    Parameters
    ----------
    parts
        Batches whose gradients are added up.
    totals
        What all parts together hold: losses are divided by it, so that parts do not matter.
    tokens, operations
        Tokens of the step; floating point operations that its matrix products take.
    place
        How far the data has been read after it.
    """

    parts: Sequence[Any]
    totals: Mapping[str, float]
    tokens: int
    operations: float
    place: dict[str, Any]


class Together(Protocol):
    """Who computes the parts of a step, several at once."""

    def gradients(self, work: Work, draws: Draws, precision: Precision, stop: Stop) -> Tensor | None:
        """Add up the gradients of the parts; return the mean losses, None if a stop was asked for."""


def dropout_seed(draws: Draws, number: int) -> int:
    """Return the seed of dropout of a part; `draws` are those of the step."""
    return int(draws.bits(number)[0] >> 1)


def autocast(precision: Precision, *, alone: bool = True) -> torch.autocast:
    """Return a context in which matrix products have a precision.

    Not `alone`: others are in such a context at the same time. Torch keeps one cache of cast weights for all
    threads, and whoever leaves first empties it; without it, a shared layer's gradients are summed as always.
    """
    return torch.autocast("cpu", TYPES[precision], enabled=precision != "fp32", cache_enabled=alone)
