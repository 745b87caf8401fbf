"""The input vectors: e_i = token_i + position_i + segment_i, then LayerNorm, dropout, projection."""

from torch import Tensor, nn

from ambos.data.batch import Batch
from ambos.encoder.dropout import dropout
from ambos.encoder.table import look_up


class Embeddings(nn.Module):
    """Sum of what is known about a token before it sees its context.

    Parameters
    ----------
    token
        Table of token vectors.
    position
        A module from positions (T,) to vectors, or None where attention rotates instead.
    segment
        Table of segment vectors, or None.
    norm
        LayerNorm, or None.
    project
        From the width of token vectors to that of the encoder, where they differ (ALBERT, small ELECTRA).
    """

    def __init__(
        self,
        token: nn.Embedding,
        *,
        position: nn.Module | None,
        segment: nn.Embedding | None,
        norm: nn.Module | None,
        project: nn.Module | None,
        dropout: float,
    ) -> None:
        super().__init__()
        self.token = token
        self.position = position
        self.segment = segment
        self.norm = norm
        self.project = project
        self.dropout = dropout

    def forward(self, batch: Batch) -> Tensor:
        """Return the input vectors of all tokens, (T, width)."""
        x = look_up(self.token.weight, batch.ids)
        if self.position is not None:
            x = x + self.position(batch.positions).to(x.dtype)
        if self.segment is not None:
            x = x + look_up(self.segment.weight, batch.segments)
        if self.norm is not None:
            x = self.norm(x)
        x = dropout(x, self.dropout, self.training)
        return x if self.project is None else self.project(x)
