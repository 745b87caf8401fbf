"""What an objective is, and how several make one loss of one pass through the encoder."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from ambos.data.feed import MaskedBatch
from ambos.encoder.encoder import Encoder


class Objective(nn.Module, ABC):
    """One part of a pretraining loss.

    `unit` says what its mean is taken over: the chosen tokens, or the pairs.
    """

    name: str
    unit: str

    @abstractmethod
    def reads(self, masked: MaskedBatch) -> Tensor:
        """Return the places whose hidden vectors it needs, (R,)."""

    @abstractmethod
    def loss(self, x_RW: Tensor, masked: MaskedBatch, scale: float) -> Tensor:
        """Return `scale` times the summed loss; `x_RW` are the hidden vectors at the places of `reads`."""

    @abstractmethod
    def measure(self, x_RW: Tensor, masked: MaskedBatch) -> tuple[Tensor, Tensor]:
        """Return the summed loss, and how many answers were right."""


@dataclass(frozen=True)
class Measured:
    """Sums over what was measured: loss, right answers, and how many there were."""

    loss: float
    right: int
    count: int

    def __add__(self, other: "Measured") -> "Measured":
        return Measured(self.loss + other.loss, self.right + other.right, self.count + other.count)


class Pretraining(nn.Module):
    """An encoder and objectives with weights: loss = sum of weight times mean loss.

    Parameters
    ----------
    encoder
        The stack; it runs once, and its last layer computes only what some objective reads.
    objectives
        Each with its weight.
    """

    def __init__(self, encoder: Encoder, objectives: Mapping[Objective, float]) -> None:
        super().__init__()
        self.encoder = encoder
        self.objectives = nn.ModuleList(objectives)
        self.weights = tuple(objectives.values())

    def forward(self, masked: MaskedBatch, totals: Mapping[str, int]) -> tuple[Tensor, Tensor]:
        """Return this batch's share in a step's loss, and in each objective's mean loss, (objectives,).

        `totals` counts what the whole step holds, of which the batch may be a part: the shares of all parts
        add up to the same whatever the parts are.
        """
        losses = []
        for objective, x_RW in self._read(masked):
            losses.append(objective.loss(x_RW, masked, 1 / max(totals[objective.unit], 1)))
        loss = torch.stack([weight * part for weight, part in zip(self.weights, losses, strict=True)]).sum()
        return loss, torch.stack([part.detach() for part in losses])

    @torch.no_grad()
    def measure(self, masked: MaskedBatch, names: Collection[str]) -> dict[str, Measured]:
        """Return what the named objectives find of a batch."""
        found = {}
        for objective, x_RW in self._read(masked, names):
            loss, right = objective.measure(x_RW, masked)
            found[objective.name] = Measured(float(loss), int(right), masked.counts[objective.unit])
        return found

    def _read(
        self, masked: MaskedBatch, names: Collection[str] | None = None
    ) -> list[tuple[Objective, Tensor]]:
        objectives = cast("Iterable[Objective]", self.objectives)
        asked = [one for one in objectives if names is None or one.name in names]
        places = [objective.reads(masked) for objective in asked]
        read = torch.cat(places)
        # By chance a small batch has nothing to find: one token is read for nothing, so that the loss of 0
        # has gradients of 0, which processes that train together wait for.
        hidden = self.encoder(masked.batch, read=read if len(read) else read.new_zeros(1)).last
        rows = hidden[: len(read)].split([len(part) for part in places])
        return list(zip(asked, rows, strict=True))
