"""Muon: momentum whose matrix is made orthogonal before it is applied (Jordan et al. 2024)."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

# Coefficients of the quintic iteration: they bring singular values from (0, 1] to about 0.7 to 1.2 in five
# steps.
_A, _B, _C = 3.4445, -4.7750, 2.0315
_STEPS = 5


def orthogonalise(matrices: Tensor, steps: int = _STEPS) -> Tensor:
    """Return about U V^T of each matrix U S V^T, (count, rows, columns), by Newton-Schulz in float32.

    Examples
    --------
    >>> x = orthogonalise(torch.randn(1, 8, 32, generator=torch.Generator().manual_seed(0)))
    >>> bool((torch.linalg.svdvals(x) - 1).abs().max() < 0.4)
    True
    """
    tall = matrices.shape[-2] > matrices.shape[-1]
    x = matrices.mT if tall else matrices
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(steps):
        a = x @ x.mT
        b = torch.baddbmm(a, a, a, beta=_B, alpha=_C)
        x = torch.baddbmm(x, b, x, beta=_A)
    return x.mT if tall else x


class Muon(torch.optim.Optimizer):
    """Momentum with Nesterov's look ahead, made orthogonal; for matrices only.

    Updates are scaled by 0.2 sqrt(max(rows, columns)), which gives them the size of AdamW's (Liu et al.
    2025), so that learning rates and weight decay carry over.

    Parameters
    ----------
    params
        Matrices.
    lr, momentum, weight_decay
        As usual; decay is decoupled.
    """

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float = 1e-3,
        *,
        momentum: float = 0.95,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]  # noqa: ANN401, ARG002
        """Update the matrices; those of one shape together."""
        for group in self.param_groups:
            shapes: dict[torch.Size, list[Tensor]] = defaultdict(list)
            for weight in group["params"]:
                if weight.grad is not None:
                    shapes[weight.shape].append(weight)
            for shape, weights in shapes.items():
                updates = orthogonalise(
                    torch.stack([self._direction(weight, group["momentum"]) for weight in weights])
                )
                size = 0.2 * max(shape) ** 0.5 * group["lr"]
                for weight, update in zip(weights, updates, strict=True):
                    weight.mul_(1 - group["lr"] * group["weight_decay"]).sub_(update, alpha=size)

    def _direction(self, weight: Tensor, momentum: float) -> Tensor:
        assert weight.grad is not None  # noqa: S101 (for the type checker)
        state = self.state[weight]
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(weight)
        state["momentum"].lerp_(weight.grad, 1 - momentum)
        return torch.lerp(weight.grad, state["momentum"], momentum)
