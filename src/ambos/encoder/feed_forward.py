"""The feed-forward half of a layer: every token by itself."""

from torch import Tensor, nn

from ambos.encoder.dropout import dropout
from ambos.encoder.linear import ACTIVATIONS, Linear


class FeedForward(nn.Module):
    """x + W_2 f(W_1 x + b_1) + b_2."""

    def __init__(
        self,
        width: int,
        inner_width: int,
        *,
        activation: str,
        bias: bool,
        dropout: float,
        inner_dropout: float,
    ) -> None:
        super().__init__()
        self.inner = Linear(width, inner_width, bias=bias, activation=activation, dropout=inner_dropout)
        self.outer = Linear(inner_width, width, bias=bias, dropout=dropout)

    def forward(self, x: Tensor, residual: Tensor) -> Tensor:
        """Map (T, width) to (T, width)."""
        return self.outer(self.inner(x), residual)


class GatedFeedForward(nn.Module):
    """x + W_2 (f(W_1 x) * W_g x): GeGLU where f is GELU (Shazeer 2020). W_1 and W_g are one matrix."""

    def __init__(
        self,
        width: int,
        inner_width: int,
        *,
        activation: str,
        bias: bool,
        dropout: float,
        inner_dropout: float,
    ) -> None:
        super().__init__()
        self.activation = ACTIVATIONS[activation]
        self.inner_dropout = inner_dropout
        self.inner = Linear(width, 2 * inner_width, bias=bias)
        self.outer = Linear(inner_width, width, bias=bias, dropout=dropout)

    def forward(self, x: Tensor, residual: Tensor) -> Tensor:
        """Map (T, width) to (T, width)."""
        left, gate = self.inner(x).chunk(2, dim=-1)
        inner = dropout(self.activation(left) * gate, self.inner_dropout, self.training)
        return self.outer(inner, residual)
