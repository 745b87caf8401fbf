"""One vector per sequence from the vectors of its tokens."""

from typing import Literal, get_args

import torch
from torch import Tensor

from ambos.data.batch import Batch

Pooling = Literal["cls", "mean", "max"]
POOLINGS: tuple[str, ...] = get_args(Pooling)


def pool(rows_TW: Tensor, batch: Batch, how: Pooling) -> Tensor:
    """Return (n, width): the first token's vector, or the mean or maximum over all tokens of each sequence.

    Examples
    --------
    >>> batch = Batch.pack([[1, 2], [3]])
    >>> pool(torch.tensor([[1.0], [2.0], [5.0]]), batch, "mean").tolist()
    [[1.5], [5.0]]
    """
    if how == "cls":
        return rows_TW[batch.first_tokens()]
    parts = batch.by_group(rows_TW)
    return torch.cat([rows_nlW.mean(1) if how == "mean" else rows_nlW.amax(1) for rows_nlW in parts])
