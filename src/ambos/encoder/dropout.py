"""Dropout, several times faster than torch's on a CPU, whose generator there draws one number at a time."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

_STEPS = 1 << 16  # the probability is met to 1 / 65,536


def dropout(x: Tensor, probability: float, training: bool = True) -> Tensor:
    """Set numbers to 0 with a probability while training, and scale the others by 1 / (1 - probability).

    The mask follows from torch's generator: `torch.manual_seed` decides it.

    Examples
    --------
    >>> _ = torch.manual_seed(0)
    >>> sorted(set(dropout(torch.ones(1000), 0.5).tolist()))
    [0.0, 2.0]
    """
    if not training or not probability:
        return x
    if x.device.type != "cpu":
        return F.dropout(x, probability)
    below = round(probability * _STEPS)
    count = x.numel()
    words = np.random.SFC64(int(torch.randint(1 << 62, ()))).random_raw(math.ceil(count / 4))
    kept = words.view(np.uint16)[:count] >= below
    mask = torch.from_numpy(kept).view(x.shape).to(x.dtype).mul_(1 / (1 - probability))
    return x * mask
