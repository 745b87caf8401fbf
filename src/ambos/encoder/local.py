"""Attention within a window, in time and memory that grow with the length, not with its square."""

import torch
import torch.nn.functional as F
from torch import Tensor

from ambos.encoder.attend import attend


def local_attention(q: Tensor, k: Tensor, v: Tensor, window: int, dropout: float = 0.0) -> Tensor:
    """Return softmax(Q K^T / sqrt(D)) V over keys at a distance of at most `window`, (n, H, l, D).

    Queries are cut into blocks; a block looks at itself and at `window` keys on either side.

    Examples
    --------
    With a window of 0 a token sees only itself:

    >>> x = torch.randn(1, 1, 300, 4)
    >>> bool(torch.allclose(local_attention(x, x, x, window=0), x))
    True
    """
    count, _, length, _ = q.shape
    block = max(64, window)
    if length <= block + window:  # one or two blocks: a mask costs less than cutting
        places = torch.arange(length, device=q.device)
        mask = (places[:, None] - places).abs() <= window
        return attend(q, k, v, mask, dropout)
    blocks = -(-length // block)
    spare = blocks * block - length
    seen = block + 2 * window
    q_blocks = F.pad(q, (0, 0, 0, spare)).unflatten(2, (blocks, block))
    k_blocks, v_blocks = (
        F.pad(x, (0, 0, window, window + spare)).unfold(2, seen, block).transpose(-1, -2) for x in (k, v)
    )
    place = torch.arange(blocks * block, device=q.device).view(blocks, block, 1)
    other = (
        torch.arange(blocks, device=q.device)[:, None, None] * block
        - window
        + torch.arange(seen, device=q.device)
    )
    # Queries that only fill the last block would see nothing, and softmax of nothing is not a number:
    # they are let see themselves and are cut off below.
    mask = ((place - other).abs() <= window) & (other >= 0) & ((other < length) | (other == place))
    context = attend(
        q_blocks.transpose(1, 2).flatten(0, 1),
        k_blocks.transpose(1, 2).flatten(0, 1),
        v_blocks.transpose(1, 2).flatten(0, 1),
        mask.repeat(count, 1, 1)[:, None],
        dropout,
    )
    context = context.unflatten(0, (count, blocks)).transpose(1, 2).flatten(2, 3)
    return context[:, :, :length]
