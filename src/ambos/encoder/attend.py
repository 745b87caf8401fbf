"""The attention of one rectangle of sequences: torch's fused kernel, or by the definition with dropout."""

import torch
import torch.nn.functional as F
from torch import Tensor

from ambos.encoder.dropout import dropout as drop


def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, dropout: float = 0.0) -> Tensor:
    """Return softmax(q k^T / sqrt(D)) v, (..., queries, D); `mask` is True where a query sees a key.

    The fused kernel for CPUs has no dropout, and torch's way around it takes longer than the definition; in
    bfloat16 it is several times slower than the definition, above all its gradient.
    """
    if not dropout and not (q.dtype == torch.bfloat16 and q.device.type == "cpu"):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    scores = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2)
    if mask is not None:
        scores = scores + torch.zeros_like(mask, dtype=scores.dtype).masked_fill_(~mask, float("-inf"))
    return drop(scores.softmax(-1), dropout) @ v
