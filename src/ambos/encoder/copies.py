"""Copies of a network that share its weights and have gradients of their own, for parts computed at once."""

import copy
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from ambos.encoder.table import RowGradients, add_rows

Module = TypeVar("Module", bound=nn.Module)


def sharing_copy(module: Module) -> Module:
    """Return a copy that reads the same weights; gradients of its tables are kept as rows.

    Examples
    --------
    >>> layer = nn.Linear(2, 1)
    >>> other = sharing_copy(layer)
    >>> other.weight.data_ptr() == layer.weight.data_ptr(), other.weight is layer.weight
    (True, False)
    """
    tables = {id(part.weight) for part in module.modules() if isinstance(part, nn.Embedding)}
    shared: dict[int, Any] = {}  # by id: what stands for it in the copy
    for weight in module.parameters():
        shared[id(weight)] = nn.Parameter(weight.detach(), requires_grad=weight.requires_grad)
        if id(weight) in tables:
            RowGradients.keep(shared[id(weight)])
    return copy.deepcopy(module, shared)


def share_again(module: nn.Module, other: nn.Module) -> None:
    """Let a copy read the weights of a module, wherever these lie by now."""
    for weight, shared in zip(module.parameters(), other.parameters(), strict=True):
        shared.data = weight.data


def add_gradients(module: nn.Module, other: nn.Module) -> None:
    """Add the gradients of a copy to those of the module, and drop them."""
    mine: list[Tensor] = []
    theirs: list[Tensor] = []
    for weight, shared in zip(module.parameters(), other.parameters(), strict=True):
        for ids, rows in RowGradients.take(shared):
            add_rows(weight, ids, rows)
        if shared.grad is None:
            continue
        if weight.grad is None:
            weight.grad = shared.grad
        else:
            mine.append(weight.grad)
            theirs.append(shared.grad)
        shared.grad = None
    if mine:
        torch._foreach_add_(mine, theirs)
