"""Heads: from hidden vectors to logits. One class serves every task and family."""

from torch import Tensor, nn

from ambos.encoder.combine import Twin, combine
from ambos.encoder.dropout import dropout
from ambos.encoder.linear import Linear
from ambos.encoder.pair_attention import PairAttention


class Head(nn.Module):
    """logits = out(norm(activation(dense(x)))); dense and norm are there only where the family has them.

    Parameters
    ----------
    out
        The last linear layer; a masked-LM head's shares its weight with the token table.
    dense
        A hidden layer with its activation, or None.
    norm
        LayerNorm after the hidden layer, or None.
    dropout, input_dropout
        Before the last linear layer; before the hidden one.
    """

    def __init__(
        self,
        out: Linear,
        *,
        dense: Linear | None = None,
        norm: nn.Module | None = None,
        dropout: float = 0.0,
        input_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.dense = dense
        self.norm = norm
        self.out = out
        self.dropout = dropout
        self.input_dropout = input_dropout

    def forward(self, x: Tensor) -> Tensor:
        """Map (R, width) to (R, labels)."""
        return self.out(self.features(x))

    def features(self, x: Tensor) -> Tensor:
        """Return what the last linear layer reads, (R, width of that layer)."""
        if self.dense is not None:
            x = self.dense(dropout(x, self.input_dropout, self.training))
        if self.norm is not None:
            x = self.norm(x)
        return dropout(x, self.dropout, self.training)


class TwinHead(Head):
    """A head of pairs whose texts were read apart: of two vectors, or of what attention makes of both.

    Parameters
    ----------
    twin
        How the two meet.
    attention
        Of the scheme `attention`, the layers in which they do.
    """

    def __init__(
        self,
        out: Linear,
        *,
        twin: Twin,
        attention: PairAttention | None = None,
        dense: Linear | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__(out, dense=dense, dropout=dropout)
        self.twin = twin
        self.attention = attention

    def combine(self, a_nW: Tensor, b_nW: Tensor) -> Tensor:
        """Return what `forward` reads of the vectors of both sides."""
        if self.twin.scheme == "attention":
            raise ValueError("attention needs the tokens of both texts, not a vector of each")
        return combine(a_nW, b_nW, self.twin.scheme, absolute=self.twin.absolute)
