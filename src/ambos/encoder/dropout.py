"""Dropout, several times faster than torch's on a CPU, whose generator there draws one number at a time."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
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
    return x * _mask(kept, 1 / (1 - probability), x.dtype).view(x.shape)


def _mask(kept: NDArray[np.bool_], scale: float, kind: torch.dtype) -> Tensor:
    """Return `scale` where something is kept, else 0, (n,); NumPy turns truth values into numbers faster."""
    if kind == torch.bfloat16:  # which NumPy does not have: its bits, or none
        bits = torch.tensor(scale, dtype=kind).view(torch.int16).numpy()
        return torch.from_numpy(np.multiply(kept, bits, dtype=np.int16)).view(kind)
    return torch.from_numpy(np.multiply(kept, np.float32(scale), dtype=np.float32)).to(kind)
