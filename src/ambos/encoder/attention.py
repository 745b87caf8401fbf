"""Self-attention over packed sequences: group by group of equal length, so that no token is padding.

Letters: T tokens of the batch, R tokens read, H heads, D head width, n sequences of a group, l their length.
"""

from functools import partial

import torch
from torch import Tensor, nn

from ambos.data.batch import Batch, GroupReading, Reading
from ambos.data.rectangles import Rectangles
from ambos.encoder.attend import attend
from ambos.encoder.dropout import dropout
from ambos.encoder.linear import Linear
from ambos.encoder.local import local_attention
from ambos.encoder.padding import padded, unpadded
from ambos.encoder.positions import Rotary

_GROUPS = 4  # of equal length: more are padded into rectangles while training


class Attention(nn.Module):
    """softmax(Q K^T / sqrt(D)) V in several heads, concatenated and projected.

    Parameters
    ----------
    width, heads
        Hidden size and number of heads; the head width D is their quotient.
    bias
        Whether the projections have a bias.
    rotary
        Turns queries and keys by their positions, or None.
    window
        A token sees only tokens at most this far away, or None to see all.
    causal
        A token sees only itself and earlier ones.
    dropout, probability_dropout
        Of the output and of the attention probabilities.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        bias: bool = True,
        rotary: Rotary | None = None,
        window: int | None = None,
        causal: bool = False,
        dropout: float = 0.0,
        probability_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.heads = heads
        self.window = window
        self.causal = causal
        self.probability_dropout = probability_dropout
        self.rotary = rotary
        self.query = Linear(width, width, bias=bias)
        self.key_value = Linear(width, 2 * width, bias=bias)
        self.out = Linear(width, width, bias=bias, dropout=dropout)

    def forward(
        self,
        x_TW: Tensor,
        residual: Tensor,
        batch: Batch,
        reading: Reading | None = None,
        probabilities: list[Tensor] | None = None,
    ) -> Tensor:
        """Return residual + attention(x): (T, width), or (R, width) for the tokens of `reading`.

        `residual` has the shape of the result. If `probabilities` is a list, one (H, queries, length) tensor
        per sequence is appended to it (all tokens must be read then). Else `x` may have rows after its T
        tokens, which nothing depends on, and has as many in the result.
        """
        q_RHD, k_THD, v_THD = self._project(x_TW, batch, reading)
        if reading is None and probabilities is None and self._in_rectangles(batch):
            return self.out(self._padded(q_RHD, k_THD, v_THD, batch.rectangles), residual)
        keys, values = (by_head(x_THD, batch) for x_THD in (k_THD, v_THD))
        if reading is not None:
            known = dict(zip(batch.groups, zip(keys, values, strict=True), strict=True))
            read = torch.cat([self._read(q_RHD, *known[part.group], part) for part in reading.groups])
            return self.out(read[reading.inverse], residual)
        attended = self._attend if probabilities is None else partial(self._explain, probabilities)
        parts = zip(by_head(q_RHD, batch), keys, values, strict=True)
        context = [attended(q, k, v).transpose(1, 2).flatten(2).flatten(0, 1) for q, k, v in parts]
        if len(x_TW) > batch.tokens:
            context.append(x_TW.new_zeros(len(x_TW) - batch.tokens, x_TW.shape[1]))
        context_TW = context[0] if len(context) == 1 else torch.cat(context)
        return self.out(context_TW, residual)

    def _in_rectangles(self, batch: Batch) -> bool:
        """Tell whether padding pays: while training, many lengths are many small products and gradients."""
        in_sight = self.window is None or max(batch.lengths) <= self.window + 1
        return self.training and len(batch.groups) > _GROUPS and in_sight and not self.causal

    def takes_more(self, batch: Batch) -> bool:
        """Tell whether rows should follow the tokens of a batch: always, or, in training, where it pays."""
        return not self.training or (self._in_rectangles(batch) and self.rotary is None)

    def _padded(self, q_THD: Tensor, k_THD: Tensor, v_THD: Tensor, rectangles: Rectangles) -> Tensor:
        """Return the contexts of all tokens, (rows, width), computed rectangle by rectangle."""
        parts = zip(*(padded(x, rectangles) for x in (q_THD, k_THD, v_THD)), strict=True)
        context = []
        for (q, k, v), mask in zip(parts, rectangles.masks(), strict=True):
            q_nHlD, k_nHlD, v_nHlD = (x_nlHD.transpose(1, 2) for x_nlHD in (q, k, v))
            found_nHlD = attend(q_nHlD, k_nHlD, v_nHlD, mask, self.probability_dropout)
            context.append(found_nHlD.transpose(1, 2).flatten(2).flatten(0, 1))
        return unpadded(context, rectangles, len(q_THD))

    def _project(self, x_TW: Tensor, batch: Batch, reading: Reading | None) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries of the tokens read, keys and values of all; rotated if positions are rotary."""
        x_RW = x_TW if reading is None else x_TW[reading.read]
        q_RHD = self.query(x_RW).unflatten(-1, (self.heads, -1))
        k_THD, v_THD = self.key_value(x_TW).unflatten(-1, (2, self.heads, -1)).unbind(-3)
        if self.rotary is not None:
            turns = self.rotary.turns(batch.positions)
            k_THD = self.rotary(k_THD[: batch.tokens], turns)
            if reading is not None:
                turns = turns[0][reading.read], turns[1][reading.read]
            q_RHD = self.rotary(q_RHD[: len(turns[0])], turns)
        return q_RHD, k_THD, v_THD

    def _attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Return the contexts of all tokens of a group, (n, H, l, D)."""
        length = q.shape[2]
        dropped = self.probability_dropout if self.training else 0.0
        if self.window is not None and length > self.window + 1 and not self.causal:
            return local_attention(q, k, v, self.window, dropped)
        return attend(q, k, v, self._mask(length, q.device), dropped)

    def _read(self, q_RHD: Tensor, k: Tensor, v: Tensor, part: GroupReading) -> Tensor:
        """Return the contexts of the tokens read of a group, (r, width), in the order of their places."""
        if part.sequences is not None:
            k, v = k[part.sequences], v[part.sequences]
        q_nHqD = q_RHD[part.queries].transpose(1, 2)
        mask = None
        if self.causal or self.window is not None:
            keys = torch.arange(part.group.length, device=q_RHD.device)
            mask = self._visible(part.places[:, None, :, None], keys)
        dropped = self.probability_dropout if self.training else 0.0
        context_nHqD = attend(q_nHqD, k, v, mask, dropped)
        return context_nHqD.transpose(1, 2).flatten(2).flatten(0, 1)[part.keep]

    def _explain(self, probabilities: list[Tensor], q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Do as `_attend`, by the definition, and keep the probabilities."""
        scores_nHll = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
        mask = self._mask(q.shape[2], q.device)
        if mask is not None:
            scores_nHll = scores_nHll.masked_fill(~mask, float("-inf"))
        weights_nHll = scores_nHll.softmax(-1)
        probabilities.extend(weights_nHll.unbind(0))
        return dropout(weights_nHll, self.probability_dropout, self.training) @ v

    def _mask(self, length: int, device: torch.device) -> Tensor | None:
        """Return (l, l), True where the token of the row sees that of the column; None if all see all."""
        if not self.causal and self.window is None:
            return None
        places = torch.arange(length, device=device)
        return self._visible(places[:, None], places)

    def _visible(self, seeing: Tensor, seen: Tensor) -> Tensor:
        distance = seeing - seen
        visible = torch.ones_like(distance, dtype=torch.bool)
        if self.causal:
            visible &= distance >= 0
        if self.window is not None:
            visible &= distance.abs() <= self.window
        return visible


def by_head(x_THD: Tensor, batch: Batch) -> list[Tensor]:
    """View the tokens of each group as (n, H, l, D), without a copy; rows after the T tokens are left out."""
    return [rows.transpose(1, 2) for rows in batch.by_group(x_THD[: batch.tokens])]
