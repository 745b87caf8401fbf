"""Tokens of a packed batch into padded rectangles and back; gradients are gathered, not scattered."""

from typing import Any

import torch
from torch import Tensor

from ambos.data.rectangles import Rectangles


def padded(rows: Tensor, rectangles: Rectangles) -> list[Tensor]:
    """Return the T first of some rows as one (n, l, ...) tensor for each rectangle.

    Padding holds other tokens, so nothing may depend on it: its gradient is taken for 0.
    """
    return rectangles.cut(_Pad.apply(rows, rectangles))


def unpadded(parts: list[Tensor], rectangles: Rectangles, rows: int) -> Tensor:
    """Return what `padded` took apart, (rows, ...), from (n * l, ...) of each rectangle.

    Rows after the T tokens hold another token, so nothing may depend on them, either.
    """
    return _Unpad.apply(torch.cat(parts), rectangles, rows)


class _Pad(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, rectangles: Rectangles) -> Tensor:  # noqa: ANN401 (torch's)
        ctx.rectangles, ctx.rows = rectangles, len(rows)
        return rows.index_select(0, rectangles.tokens)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:  # noqa: ANN401
        found = gradient.index_select(0, ctx.rectangles.places_of(ctx.rows))
        found[len(ctx.rectangles.places) :] = 0
        return found, None


class _Unpad(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows_P: Tensor, rectangles: Rectangles, rows: int) -> Tensor:  # noqa: ANN401
        ctx.rectangles = rectangles
        return rows_P.index_select(0, rectangles.places_of(rows))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:  # noqa: ANN401
        rectangles: Rectangles = ctx.rectangles
        found = gradient.index_select(0, rectangles.tokens)
        found[rectangles.padding] = 0
        return found, None, None
