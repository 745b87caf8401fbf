"""Cross-entropy over a vocabulary, of a linear layer's logits, without keeping the logits."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from ambos.products import ROWS, linear, write_product

_BUFFER = 30_000_000  # bytes of logits at a time


class _Fused(torch.autograd.Function):
    """scale * sum_i -log softmax(x_i W^T + b)[y_i]; the gradients are computed on the way.

    With logits L and probabilities P = softmax(L), the gradient of the sum with respect to L is P -
    onehot(y). It is written over the logits, some rows at a time, so that M x V numbers are never held.
    """

    @staticmethod
    def forward(
        ctx: Any,  # noqa: ANN401 (what torch passes has no type of its own)
        x_MW: Tensor,
        weight_VW: Tensor,
        bias_V: Tensor | None,
        labels_M: Tensor,
        scale: float,
        kind: torch.dtype,
    ) -> Tensor:
        rows = max(1, _BUFFER // (4 * len(weight_VW)))
        rows -= rows % ROWS if rows > ROWS else 0
        read_MW, read_VW = x_MW.to(kind), weight_VW.to(kind)  # what matrix products see
        buffer = x_MW.new_empty(min(rows, len(x_MW)), len(weight_VW))
        gradient_x, gradient_weight = torch.empty_like(x_MW), torch.empty_like(weight_VW)
        if len(x_MW) == 0:
            gradient_weight.zero_()  # otherwise the first rows write over what was there
        gradient_bias = None if bias_V is None else torch.zeros_like(bias_V)
        scaled_MW = (x_MW * scale).to(kind)
        loss = x_MW.new_zeros(())
        for first in range(0, len(x_MW), rows):
            part = slice(first, first + rows)
            labels = labels_M[part, None]
            logits_mV = write_product(read_MW[part], read_VW.T, buffer[: len(labels)])
            if bias_V is not None:
                logits_mV += bias_V
            right, largest = logits_mV.gather(1, labels), logits_mV.amax(-1, keepdim=True)
            # In place: softmax reads a row before it writes it.
            gradient_mV = torch.ops.aten._softmax.out(logits_mV, -1, False, out=logits_mV)
            # The largest probability is at least 1 / V: its logarithm is safe. log sum exp = largest - log P.
            likeliest = gradient_mV.amax(-1, keepdim=True)
            loss += (largest - likeliest.log_() - right).sum()
            gradient_mV.scatter_add_(1, labels, torch.full_like(right, -1.0))
            read_mV = gradient_mV.to(kind)
            write_product(read_mV, read_VW, gradient_x[part])
            write_product(read_mV.T, scaled_MW[part], gradient_weight, add=first > 0)
            if gradient_bias is not None:
                gradient_bias += gradient_mV.sum(0)
        ctx.save_for_backward(
            gradient_x.mul_(scale),
            gradient_weight,
            None if gradient_bias is None else gradient_bias.mul_(scale),
        )
        return loss * scale

    @staticmethod
    def backward(ctx: Any, outer: Tensor) -> Any:  # noqa: ANN401
        found = ctx.saved_tensors
        if float(outer) != 1.0:
            found = [None if part is None else part * outer for part in found]
        return *found, None, None, None


def vocabulary_loss(
    x_MW: Tensor, weight_VW: Tensor, bias_V: Tensor | None, labels_M: Tensor, scale: float = 1.0
) -> Tensor:
    """Return `scale` times the sum over M of -log softmax(x W^T + b)[label].

    Under `torch.autocast` only the matrix products are in its type: softmax, sums and what comes out are
    float32.

    Parameters
    ----------
    x_MW
        (M, width) what the last linear layer of the head reads.
    weight_VW, bias_V
        That layer's weight, often the token table, and its bias.
    labels_M
        (M,) true ids.

    Examples
    --------
    >>> x, table = torch.zeros(2, 4), torch.ones(8, 4)
    >>> loss = vocabulary_loss(x, table, None, torch.tensor([3, 5]), scale=1 / 2)
    >>> round(float(loss), 4)  # uniform: ln 8
    2.0794
    """
    if torch.is_grad_enabled():
        device = x_MW.device.type
        kind = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else weight_VW.dtype
        with torch.autocast(device, enabled=False):
            return _Fused.apply(x_MW.to(weight_VW.dtype), weight_VW, bias_V, labels_M, scale, kind)
    return F.cross_entropy(linear(x_MW, weight_VW, bias_V), labels_M, reduction="sum") * scale
