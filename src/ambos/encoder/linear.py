"""The linear layer with what follows it: activation, dropout, residual. One call, so that it can be fused."""

from collections.abc import Callable
from functools import partial

import torch.nn.functional as F
from torch import Tensor, nn

from ambos.encoder.dropout import dropout
from ambos.products import linear

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,
    "gelu_tanh": partial(F.gelu, approximate="tanh"),
    "relu": F.relu,
    "silu": F.silu,
    "tanh": F.tanh,
}


class Linear(nn.Linear):
    """y = dropout(activation(x W^T + b)) + residual.

    Parameters
    ----------
    activation
        A name of `ACTIVATIONS`, or None.
    dropout
        Probability with which an output is set to 0 while training.

    Examples
    --------
    >>> Linear(4, 2, activation="relu")(torch.ones(3, 4)).shape  # doctest: +SKIP
    torch.Size([3, 2])
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        bias: bool = True,
        activation: str | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__(inputs, outputs, bias)
        self.activation = activation
        self.dropout = dropout

    def forward(self, x: Tensor, residual: Tensor | None = None) -> Tensor:
        """Map (..., inputs) to (..., outputs); `residual` has the shape of the output."""
        y = linear(x, self.weight, self.bias)
        if self.activation is not None:
            y = ACTIVATIONS[self.activation](y)
        y = dropout(y, self.dropout, self.training)
        return y if residual is None else residual + y
