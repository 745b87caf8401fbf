"""Optimisers as the loop sees them: groups with and without decay, one learning rate, state by name."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from ambos.train.muon import Muon
from ambos.train.scaled_adam import ScaledAdam
from ambos.train.weights import shared_like


@dataclass(frozen=True)
class OptimSettings:
    """Which optimiser, and its settings.

    Parameters
    ----------
    name
        `adamw`; `lamb`, `stable_adamw`: see `ambos.train.scaled_adam`; or `muon`: the matrices inside the
        layers by Muon, everything else by AdamW.
    lr
        Peak learning rate.
    matrix_lr
        Peak learning rate of Muon's matrices; None for `lr`.
    betas, eps
        Of AdamW.
    weight_decay
        Decoupled, on matrices and tables; never on biases and LayerNorms.
    clip
        Largest norm of the gradient of a step; 0 for none.
    """

    name: Literal["adamw", "muon", "lamb", "stable_adamw"] = "adamw"
    lr: float = 1e-3
    matrix_lr: float | None = None
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-6
    weight_decay: float = 0.01
    clip: float = 1.0


class Optimiser:
    """One or two torch optimisers over the parameters of a module.

    Parameters
    ----------
    module
        What is trained; parameters without gradients are left out.
    settings
        Which optimiser.
    layers
        Beginning of the names of parameters that lie inside layers, such as `encoder.layers.`: Muon takes
        their matrices.
    scale
        From the name of a parameter to the factor of its learning rate: layers may learn at rates of their
        own.
    """

    def __init__(
        self,
        module: nn.Module,
        settings: OptimSettings,
        *,
        layers: str = "encoder.layers.",
        scale: Callable[[str], float] = lambda _: 1.0,
    ) -> None:
        self.settings = settings
        self.named = {name: weight for name, weight in module.named_parameters() if weight.requires_grad}
        matrices = {
            name: weight
            for name, weight in self.named.items()
            if settings.name == "muon" and weight.ndim == 2 and name.startswith(layers)
        }
        groups: dict[tuple[bool, float], list[Tensor]] = defaultdict(list)
        for name, weight in self.named.items():
            if name not in matrices:
                groups[weight.ndim < 2, scale(name)].append(weight)
        params = [
            {
                "params": weights,
                "lr": settings.lr * factor,
                "weight_decay": 0.0 if plain else settings.weight_decay,
            }
            for (plain, factor), weights in sorted(groups.items(), key=lambda item: item[0])
        ]
        how = {"lr": settings.lr, "betas": settings.betas, "eps": settings.eps}
        self.parts: list[torch.optim.Optimizer] = [
            ScaledAdam(params, settings.name, **how)  # type: ignore[arg-type]
            if settings.name in ("lamb", "stable_adamw")
            else torch.optim.AdamW(params, **how, fused=True)  # type: ignore[arg-type]
        ]
        if matrices:
            rate = settings.lr if settings.matrix_lr is None else settings.matrix_lr
            self.parts.append(Muon(matrices.values(), rate, weight_decay=settings.weight_decay))
        self._peaks = [[float(group["lr"]) for group in part.param_groups] for part in self.parts]

    def step(self, factor: float) -> None:
        """Update the parameters, learning rates at `factor` of their peaks, and forget the gradients."""
        for part, peaks in zip(self.parts, self._peaks, strict=True):
            for group, peak in zip(part.param_groups, peaks, strict=True):
                group["lr"] = peak * factor
            part.step()
            part.zero_grad(set_to_none=True)

    def forget(self) -> None:
        """Drop the gradients without using them."""
        for part in self.parts:
            part.zero_grad(set_to_none=True)

    def tensors(self) -> dict[str, Tensor]:
        """Return the state by name: `exp_avg.encoder.layers.0...`."""
        names: dict[Tensor, str] = {weight: name for name, weight in self.named.items()}
        return {
            f"{key}.{names[weight]}": value
            for part in self.parts
            for weight, state in part.state.items()
            for key, value in _entries(state)
        }

    def load(self, tensors: dict[str, Tensor]) -> None:
        """Take up a state that `tensors` gave; what another optimiser kept is left out."""
        owners = {
            weight: part for part in self.parts for group in part.param_groups for weight in group["params"]
        }
        for full, value in tensors.items():
            key, name = full.split(".", 1)
            weight = self.named[name]
            if (key == "momentum") != isinstance(owners[weight], Muon):
                continue
            owners[weight].state[weight][key] = (
                shared_like(weight, value.clone()) if value.ndim else value.clone()
            )


def _entries(state: dict[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    for key in sorted(state):
        yield key, state[key]
