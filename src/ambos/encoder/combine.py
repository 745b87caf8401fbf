"""Two vectors into one: how a pair whose texts were read apart is put before a head.

Letters: n pairs, W the width of a vector.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor

from ambos.encoder.pooling import Pooling

Combination = Literal["concat", "difference", "product", "combined"]
TwinScheme = Literal["concat", "difference", "product", "combined", "attention"]
Across = Literal["cross", "self"]
TWIN_SCHEMES: tuple[str, ...] = get_args(TwinScheme)


@dataclass(frozen=True)
class Twin:
    """How two texts that were read apart meet.

    Parameters
    ----------
    scheme
        One of the combinations of two pooled vectors, or `attention` over the tokens of both.
    absolute
        Take |a - b| for a - b, so that the order of the two does not count there.
    across
        Of `attention`: each text looks at the other (`cross`), or both at both (`self`).
    layers, heads
        Of `attention`.

    Examples
    --------
    >>> Twin("combined").width(768), Twin("attention", across="cross").width(768)
    (3072, 1536)
    """

    scheme: TwinScheme
    absolute: bool = False
    across: Across = "cross"
    layers: int = 1
    heads: int = 4

    @property
    def pooling(self) -> Pooling:
        """How tokens become a vector by default: by max where one word without a like can decide."""
        return "max" if self.scheme == "attention" and self.across == "cross" else "mean"

    def width(self, width: int) -> int:
        """Return the size of what a head reads, for vectors of the given width."""
        if self.scheme == "attention":
            return width * (2 if self.across == "cross" else 1)
        return width * {"concat": 2, "difference": 1, "product": 1, "combined": 4}[self.scheme]


def combine(a_nW: Tensor, b_nW: Tensor, how: Combination, *, absolute: bool = False) -> Tensor:
    """Return [a; b] (n, 2W), a - b (n, W), a * b (n, W), or combined, [a; b; a - b; a * b] (n, 4W).

    Examples
    --------
    >>> a, b = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, -1.0]])
    >>> combine(a, b, "combined").tolist()
    [[1.0, 2.0, 3.0, -1.0, -2.0, 3.0, 3.0, -2.0]]
    >>> combine(b, a, "difference", absolute=True).tolist()
    [[2.0, 3.0]]
    """
    if how == "concat":
        return torch.cat([a_nW, b_nW], -1)
    if how == "product":
        return a_nW * b_nW
    difference = (a_nW - b_nW).abs() if absolute else a_nW - b_nW
    return difference if how == "difference" else torch.cat([a_nW, b_nW, difference, a_nW * b_nW], -1)
