"""Adam with a step size for every tensor: LAMB (You et al. 2020), StableAdamW (Wortsman et al. 2023)."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import torch
from torch import Tensor

Kind = Literal["lamb", "stable_adamw"]


class ScaledAdam(torch.optim.Optimizer):
    """Adam whose step on each tensor is scaled by what the tensor, or its gradient, is like.

    With u = m / (sqrt(v) + eps), m and v corrected for their beginning at 0:

    `lamb` takes d = u + decay w, and steps lr |w| / |d| d: as large as the tensor itself. Tensors without
    decay (biases, LayerNorms), and those that are 0, step lr d.
    `stable_adamw` steps lr / max(1, rms) (u + decay w), where rms is the root mean square of g / sqrt(v):
    steps are short where a gradient is larger than those before it let expect.

    Parameters
    ----------
    params
        Tensors, or groups of them with `lr` and `weight_decay`.
    kind
        Which of the two.
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[Mapping[str, Any]],
        kind: Kind,
        *,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})  # type: ignore[arg-type]
        self.kind = kind

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]  # noqa: ANN401, ARG002
        """Update the tensors that have gradients."""
        for group in self.param_groups:
            for weight in group["params"]:
                if weight.grad is not None:
                    self._update(weight, weight.grad, group)

    def _update(self, weight: Tensor, gradient: Tensor, group: Mapping[str, Any]) -> None:
        first, second = group["betas"]
        state = self.state[weight]
        if not state:
            state["step"] = torch.zeros(())
            state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(weight), torch.zeros_like(weight)
        state["step"] += 1
        count = float(state["step"])
        state["exp_avg"].lerp_(gradient, 1 - first)
        state["exp_avg_sq"].mul_(second).addcmul_(gradient, gradient, value=1 - second)
        mean = state["exp_avg"] / (1 - first**count)
        square = state["exp_avg_sq"] / (1 - second**count)
        direction = mean / (square.sqrt() + group["eps"])
        if group["weight_decay"]:
            direction += group["weight_decay"] * weight
        if self.kind == "stable_adamw":
            expected = square.clamp(min=group["eps"] ** 2)
            scale = 1 / (gradient.square() / expected).mean().sqrt().clamp(min=1.0)
        else:
            scale = _trust(weight, direction) if group["weight_decay"] else torch.ones(())
        weight -= group["lr"] * scale * direction


def _trust(weight: Tensor, direction: Tensor) -> Tensor:
    """Return |w| / |d|, or 1 where one of them is 0."""
    size, step = weight.norm(), direction.norm()
    return torch.where((size > 0) & (step > 0), size / step, torch.ones_like(size))
