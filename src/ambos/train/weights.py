"""Weights as whole tensors, also where every process holds only a share of them."""

from collections.abc import Mapping

import torch
from torch import Tensor

from ambos.errors import InputError


def full_tensors(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors whole; all processes of a team must ask."""
    return {name: _whole(tensor.detach()) for name, tensor in tensors.items()}


def _whole(tensor: Tensor) -> Tensor:
    return tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor


@torch.no_grad()
def load_full(targets: Mapping[str, Tensor], tensors: Mapping[str, Tensor]) -> None:
    """Copy whole tensors into their places by name."""
    odd = sorted(set(targets) ^ set(tensors))
    odd = odd or [name for name, target in targets.items() if target.shape != tensors[name].shape]
    if odd:
        raise InputError(
            "the checkpoint does not fit the model",
            expected="the same weights, of the same sizes, in both",
            found=f"they differ in {', '.join(odd[:5])}",
            fix="put the recipe and the tokenizer back as they were, or start again with another --out",
        )
    for name, target in targets.items():
        target.copy_(shared_like(target, tensors[name]))


def shared_like(target: Tensor, tensor: Tensor) -> Tensor:
    """Return a whole tensor divided among the processes as `target` is."""
    if not hasattr(target, "device_mesh"):
        return tensor
    from torch.distributed.tensor import distribute_tensor  # noqa: PLC0415 (slow to import)

    return distribute_tensor(tensor, target.device_mesh, target.placements)  # type: ignore[attr-defined]
