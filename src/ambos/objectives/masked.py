"""Masked language modelling: find the tokens that corruption hid."""

import torch.nn.functional as F
from torch import Tensor

from ambos.data.feed import MaskedBatch
from ambos.encoder.heads import Head
from ambos.objectives.cross_entropy import vocabulary_loss
from ambos.objectives.objective import Objective


class MaskedLanguageModel(Objective):
    """L = mean over the chosen tokens M of -log P(x_i | z_i) (Devlin et al. 2019); others do not count.

    Parameters
    ----------
    head
        From hidden vectors to the vocabulary.
    """

    name, unit = "mlm", "chosen"

    def __init__(self, head: Head) -> None:
        super().__init__()
        self.head = head

    def reads(self, masked: MaskedBatch) -> Tensor:
        """Return the places of the chosen tokens."""
        return masked.places

    def loss(self, x_RW: Tensor, masked: MaskedBatch, scale: float) -> Tensor:
        """Return `scale` times the summed loss."""
        out = self.head.out
        return vocabulary_loss(self.head.features(x_RW), out.weight, out.bias, masked.labels, scale)

    def measure(self, x_RW: Tensor, masked: MaskedBatch) -> tuple[Tensor, Tensor]:
        """Return the summed loss, and how many tokens are the likeliest ones."""
        return measure_logits(self.head(x_RW), masked.labels)


def measure_logits(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Return the summed cross-entropy, and how often the largest logit is the label's."""
    return F.cross_entropy(logits, labels, reduction="sum"), (logits.argmax(-1) == labels).sum()
