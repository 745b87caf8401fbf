"""Heads: from hidden vectors to logits. One class serves every task and family."""

from torch import Tensor, nn

from ambos.encoder.dropout import dropout
from ambos.encoder.linear import Linear


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
