"""One layer: attention and feed-forward, each with a residual and a LayerNorm, after (BERT) or before."""

from torch import Tensor, nn

from ambos.data.batch import Batch, Reading


class PostNormLayer(nn.Module):
    """x <- norm(x + attention(x)); x <- norm(x + feed_forward(x))."""

    def __init__(
        self,
        attention: nn.Module,
        feed_forward: nn.Module,
        *,
        attention_norm: nn.Module,
        feed_forward_norm: nn.Module,
    ) -> None:
        super().__init__()
        self.attention = attention
        self.attention_norm = attention_norm
        self.feed_forward = feed_forward
        self.feed_forward_norm = feed_forward_norm

    def forward(
        self,
        x: Tensor,
        batch: Batch,
        reading: Reading | None = None,
        probabilities: list[Tensor] | None = None,
    ) -> Tensor:
        """Map (T, width) to (T, width), or to (R, width) where only some tokens are read."""
        kept = x if reading is None else x[reading.read]
        x = self.attention_norm(self.attention(x, kept, batch, reading, probabilities))
        return self.feed_forward_norm(self.feed_forward(x, x))


class PreNormLayer(PostNormLayer):
    """x <- x + attention(norm(x)); x <- x + feed_forward(norm(x))."""

    def forward(
        self,
        x: Tensor,
        batch: Batch,
        reading: Reading | None = None,
        probabilities: list[Tensor] | None = None,
    ) -> Tensor:
        """Map (T, width) to (T, width), or to (R, width) where only some tokens are read."""
        kept = x if reading is None else x[reading.read]
        x = self.attention(self.attention_norm(x), kept, batch, reading, probabilities)
        return self.feed_forward(self.feed_forward_norm(x), x)
