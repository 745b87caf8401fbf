"""Tokens of a packed batch into padded rectangles and back; gradients are gathered, not scattered."""

from typing import Any

import torch
from torch import Tensor

from ambos.data.rectangles import Rectangles


def padded(rows_T: Tensor, rectangles: Rectangles) -> list[Tensor]:
    """Return (T, ...) as one (n, l, ...) tensor for each rectangle.

    Padding holds other tokens, so nothing may depend on it: its gradient is taken for 0.
    """
    return rectangles.cut(_Pad.apply(rows_T, rectangles))


def unpadded(parts: list[Tensor], rectangles: Rectangles) -> Tensor:
    """Return what `padded` took apart, (T, ...), from (n * l, ...) of each rectangle."""
    return _Unpad.apply(torch.cat(parts), rectangles)


class _Pad(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows_T: Tensor, rectangles: Rectangles) -> Tensor:  # noqa: ANN401 (torch's)
        ctx.places = rectangles.places
        return rows_T.index_select(0, rectangles.tokens)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:  # noqa: ANN401
        return gradient.index_select(0, ctx.places), None


class _Unpad(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows_P: Tensor, rectangles: Rectangles) -> Tensor:  # noqa: ANN401
        ctx.rectangles = rectangles
        return rows_P.index_select(0, rectangles.places)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:  # noqa: ANN401
        rectangles: Rectangles = ctx.rectangles
        found = gradient.index_select(0, rectangles.tokens)
        found[rectangles.padding] = 0
        return found, None
