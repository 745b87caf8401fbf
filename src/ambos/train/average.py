"""A running average of the weights, which often measures better than the last ones."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class Average:
    """a <- decay a + (1 - decay) w after every step, for every weight.

    Parameters
    ----------
    module
        Whose weights.
    decay
        How much of the average stays; early in a run less, so that the start is forgotten:
        (1 + n) / (10 + n) after n steps.
    """

    def __init__(self, module: nn.Module, decay: float) -> None:
        self.decay = decay
        self._weights = dict(module.named_parameters())
        self._averages = {name: weight.detach().clone() for name, weight in self._weights.items()}
        self._steps = torch.zeros((), dtype=torch.int64)

    @torch.no_grad()
    def update(self) -> None:
        """Take in the weights as they are."""
        self._steps += 1
        steps = int(self._steps)
        share = 1 - min(self.decay, (1 + steps) / (10 + steps))
        torch._foreach_lerp_(list(self._averages.values()), list(self._weights.values()), share)

    @contextmanager
    def swapped(self) -> Iterator[None]:
        """Put the averages in the place of the weights for the time of the block."""
        self._swap()
        try:
            yield
        finally:
            self._swap()

    @torch.no_grad()
    def _swap(self) -> None:
        for name, weight in self._weights.items():
            kept = weight.detach().clone()
            weight.copy_(self._averages[name])
            self._averages[name].copy_(kept)

    def tensors(self) -> dict[str, Tensor]:
        """Return the averages, and how many steps they are of."""
        return {**self._averages, "steps": self._steps}
