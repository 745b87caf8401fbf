"""Rows of a table, with a gradient that is added to the table's own in place where that is allowed.

Torch makes a gradient of the size of the whole table at every look-up, fills it with zeros, adds some rows,
and then adds it to the one that is there: for small models most of what the look-up costs. The memory of the
gradient is kept from step to step: new pages cost more than zeros (8 % of a step of a model of 23 M weights).
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

_MARK, _SPARE, _ROWS = "adds_in_place", "spare", "row_gradients"


def allow_in_place(module: nn.Module) -> None:
    """Let gradients of tables be added in place; not where hooks wait for every gradient, as DDP's do."""
    for part in module.modules():
        if isinstance(part, nn.Embedding):
            setattr(part.weight, _MARK, True)


class _LookUp(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, table_VW: Tensor, ids_T: Tensor) -> Tensor:  # noqa: ANN401 (torch's own)
        ctx.save_for_backward(ids_T)
        ctx.table = table_VW
        return table_VW.index_select(0, ids_T)

    @staticmethod
    def backward(ctx: Any, gradient_TW: Tensor) -> Any:  # noqa: ANN401
        (ids_T,) = ctx.saved_tensors
        kept = getattr(ctx.table, _ROWS, None)
        if kept is None:
            add_rows(ctx.table, ids_T, gradient_TW)
        else:
            kept.append((ids_T, gradient_TW))
        return None, None


class RowGradients:
    """Gradients of a table as they come, (ids, rows): to be added to another table's later, in order."""

    @staticmethod
    def keep(table_VW: Tensor) -> None:
        """Keep what look-ups give from now on, instead of adding it to the table's own gradient."""
        setattr(table_VW, _MARK, True)
        setattr(table_VW, _ROWS, [])

    @staticmethod
    def take(table_VW: Tensor) -> list[tuple[Tensor, Tensor]]:
        """Return what was kept, and forget it."""
        kept: list[tuple[Tensor, Tensor]] = getattr(table_VW, _ROWS, [])
        found = list(kept)
        kept.clear()
        return found


def add_rows(table_VW: Tensor, ids_T: Tensor, gradient_TW: Tensor) -> None:
    """Add rows to the gradient of a table."""
    if table_VW.grad is None:
        table_VW.grad = _zeros(table_VW)
    table_VW.grad.index_add_(0, ids_T, gradient_TW)


def _zeros(table_VW: Tensor) -> Tensor:
    """Return zeros like a table, in the memory of the ones before."""
    spare: Tensor | None = getattr(table_VW, _SPARE, None)
    if spare is None:
        spare = torch.zeros_like(table_VW)
        setattr(table_VW, _SPARE, spare)
        return spare
    return spare.zero_()


def look_up(table_VW: Tensor, ids_T: Tensor) -> Tensor:
    """Return rows of a table by their numbers, (T, width).

    Examples
    --------
    >>> look_up(torch.eye(3), torch.tensor([2, 0])).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    if getattr(table_VW, _MARK, False) and table_VW.requires_grad and torch.is_grad_enabled():
        return _LookUp.apply(table_VW, ids_T)
    return F.embedding(ids_T, table_VW)
