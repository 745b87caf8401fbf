"""How two segments belong together: whether the second is next (NSP), or they are in order (SOP)."""

from typing import Literal

import torch.nn.functional as F
from torch import Tensor, nn

from ambos.data.feed import MaskedBatch
from ambos.encoder.heads import Head
from ambos.objectives.masked import measure_logits
from ambos.objectives.objective import Objective


class SegmentRelation(Objective):
    """softmax over two classes of the pooled first token: 0 as in the text, 1 not.

    The data makes the difference: segments of other documents for `next` (Devlin et al. 2019), swapped ones
    for `order` (Lan et al. 2020).

    Parameters
    ----------
    name
        `next` or `order`.
    pooler, head
        From the first token's hidden vector to the pooled one, and from that to two logits.
    """

    unit = "pairs"

    def __init__(self, name: Literal["next", "order"], pooler: nn.Module, head: Head) -> None:
        super().__init__()
        self.name = name
        self.pooler = pooler
        self.head = head

    def reads(self, masked: MaskedBatch) -> Tensor:
        """Return the places of the first tokens of pairs."""
        return masked.pairs

    def loss(self, x_RW: Tensor, masked: MaskedBatch, scale: float) -> Tensor:
        """Return `scale` times the summed loss."""
        return F.cross_entropy(self.head(self.pooler(x_RW)), masked.relation, reduction="sum") * scale

    def measure(self, x_RW: Tensor, masked: MaskedBatch) -> tuple[Tensor, Tensor]:
        """Return the summed loss, and how many pairs were told right."""
        return measure_logits(self.head(self.pooler(x_RW)), masked.relation)
