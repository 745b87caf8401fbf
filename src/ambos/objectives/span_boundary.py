"""The span boundary objective: find each token of a hidden span from what stands beside the span."""

import torch
from torch import Tensor, nn

from ambos.data.corruption import LONGEST
from ambos.data.feed import MaskedBatch
from ambos.encoder.linear import Linear
from ambos.objectives.cross_entropy import vocabulary_loss
from ambos.objectives.masked import measure_logits
from ambos.objectives.objective import Objective

_PLACES = 16 * LONGEST  # tokens of a span that have a position of their own; later ones share the last


class SpanBoundary(Objective):
    """P(x_i) from f(h_left, h_right, p_(i - s)), f two layers of GELU and LayerNorm (Joshi et al. 2020).

    Parameters
    ----------
    width, position_width
        Of hidden vectors and of the position vectors.
    out
        The last layer of the masked-LM head: both objectives share it.
    """

    name, unit = "span_boundary", "chosen"

    def __init__(self, width: int, out: Linear, position_width: int = 200) -> None:
        super().__init__()
        self.position = nn.Embedding(_PLACES, position_width)
        inside = out.in_features
        self.layers = nn.Sequential(
            Linear(2 * width + position_width, inside, activation="gelu"),
            nn.LayerNorm(inside),
            Linear(inside, inside, activation="gelu"),
            nn.LayerNorm(inside),
        )
        self.out = out

    def reads(self, masked: MaskedBatch) -> Tensor:
        """Return the places beside the spans: (2 M,), left ones first."""
        if len(masked.left) != len(masked.places):
            raise ValueError("the span boundary objective needs spans; choose span corruption")
        return torch.cat([masked.left, masked.right])

    def loss(self, x_RW: Tensor, masked: MaskedBatch, scale: float) -> Tensor:
        """Return `scale` times the summed loss."""
        return vocabulary_loss(
            self._features(x_RW, masked), self.out.weight, self.out.bias, masked.labels, scale
        )

    def measure(self, x_RW: Tensor, masked: MaskedBatch) -> tuple[Tensor, Tensor]:
        """Return the summed loss, and how many tokens are the likeliest ones."""
        return measure_logits(self.out(self._features(x_RW, masked)), masked.labels)

    def _features(self, x_RW: Tensor, masked: MaskedBatch) -> Tensor:
        left, right = x_RW.chunk(2)
        position = self.position(masked.offsets.clamp(max=_PLACES - 1))
        return self.layers(torch.cat([left, right, position], dim=-1))
