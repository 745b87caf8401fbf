"""Attention over the tokens of two texts that were read apart: each looks at the other, or both at both.

Letters: T tokens of the batch, n pairs, S tokens of all pairs (a text may be in several), W width, H heads,
D head width, l the length of a padded pair.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ambos.data.batch import Batch
from ambos.data.rectangles import Rectangles
from ambos.encoder.attend import attend
from ambos.encoder.combine import Across, combine
from ambos.encoder.linear import Linear
from ambos.encoder.padding import padded, unpadded
from ambos.encoder.pooling import Pooling

_SHARPNESS = 8.0  # of the score of two tokens that are the same, before softmax


@dataclass(frozen=True)
class PairTokens:
    """The tokens of both texts of each pair, end to end, the longest pair first.

    Parameters
    ----------
    tokens
        (S,) places in the packed batch.
    second
        (S,) True for tokens of the second text.
    owners
        (S,) which of 2n texts each belongs to: pair i has the texts 2i and 2i + 1, in the caller's order.
    firsts
        (2n,) the first token of each text, among the S.
    rectangles
        How pairs of similar length lie side by side.
    """

    tokens: Tensor
    second: Tensor
    owners: Tensor
    firsts: Tensor
    rectangles: Rectangles

    @classmethod
    def of(cls, batch: Batch, sides_n2: Tensor) -> "PairTokens":
        """Gather the tokens of pairs; `sides` are numbers of sequences of the batch."""
        sides = sides_n2.cpu().numpy()
        lengths, starts = np.asarray(batch.lengths)[sides], np.asarray(batch.starts)[sides]  # (n, 2)
        order = np.argsort(-lengths.sum(1), kind="stable")
        sizes, begins = lengths[order].ravel(), starts[order].ravel()  # (2n,) in the order of the tokens
        places = np.cumsum(sizes) - sizes
        owner = np.repeat(np.arange(len(sizes)), sizes)
        tokens = np.arange(int(sizes.sum())) + np.repeat(begins - places, sizes)
        texts = (2 * order[:, None] + np.arange(2)).ravel()  # (2n,) their numbers as the caller has them
        firsts = np.empty_like(places)
        firsts[texts] = places
        device = batch.ids.device
        return cls(
            tokens=torch.from_numpy(tokens).to(device),
            second=torch.from_numpy(owner % 2 == 1).to(device),
            owners=torch.from_numpy(texts[owner]).to(device),
            firsts=torch.from_numpy(firsts).to(device),
            rectangles=Rectangles.of(lengths[order].sum(1).tolist(), device),
        )

    def masks(self, across: Across) -> list[Tensor]:
        """Return, for each rectangle, which keys a query sees, (n, 1, l or 1, l)."""
        if across == "self":
            return self.rectangles.masks()
        second = self.rectangles.cut(self.second[self.rectangles.tokens])
        seen = self.rectangles.masks()
        return [
            keys & (sides[:, None, :, None] != sides[:, None, None, :])
            for keys, sides in zip(seen, second, strict=True)
        ]


class Alike(Linear):
    """Queries and keys by one matrix, which begins at a multiple of the identity: like finds like.

    For vectors of W numbers with mean 0 and deviation 1, the D of a head give q . k / sqrt(D) = `_SHARPNESS`
    if the two are the same, and about 0 if they have nothing in common.

    Examples
    --------
    >>> look = Alike(8, heads=2)
    >>> look.begin()
    >>> x = torch.tensor([1.0, -1.0] * 4)
    >>> round((look(x)[:4] @ look(x)[:4]).item() / 2, 3)  # one of two heads, D = 4
    8.0
    """

    def __init__(self, width: int, *, heads: int) -> None:
        super().__init__(width, width)
        self.heads = heads

    @torch.no_grad()
    def begin(self) -> None:
        """Set the weights with which training begins."""
        nn.init.eye_(self.weight)
        self.weight *= math.sqrt(_SHARPNESS / math.sqrt(self.in_features / self.heads))
        nn.init.zeros_(self.bias)


class CrossLayer(nn.Module):
    """Every token beside what is most like it in the other text: norm(W2 gelu(W1 [x; c; x - c; x * c])).

    c is the mean of the other text's tokens, weighted by softmax(q . k / sqrt(D)), head by head. So a word
    that the other text lacks is seen from the first step on; a layer that begins at random needs many pairs
    to find out that equal words are to be compared.
    """

    def __init__(self, width: int, heads: int, *, dropout: float) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.query = Alike(width, heads=heads)
        self.inner = Linear(4 * width, 2 * width, activation="gelu")
        self.outer = Linear(2 * width, width, dropout=dropout)
        self.feed_forward_norm = nn.LayerNorm(width)

    def forward(self, x_SW: Tensor, pairs: PairTokens, masks: list[Tensor]) -> Tensor:
        """Map (S, W) to (S, W)."""
        x_SW = self.attention_norm(x_SW)
        look_SW = self.query(x_SW)
        found_SW = _look(look_SW, look_SW, x_SW, self.query.heads, pairs, masks)
        return self.feed_forward_norm(self.outer(self.inner(combine(x_SW, found_SW, "combined"))))


class SelfLayer(nn.Module):
    """x <- norm(x + attention(x)); x <- norm(x + feed_forward(x)), over the tokens of pairs."""

    def __init__(self, width: int, heads: int, *, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.query = Linear(width, width)
        self.key_value = Linear(width, 2 * width)
        self.out = Linear(width, width, dropout=dropout)
        self.attention_norm = nn.LayerNorm(width)
        self.inner = Linear(width, 4 * width, activation="gelu")
        self.outer = Linear(4 * width, width, dropout=dropout)
        self.feed_forward_norm = nn.LayerNorm(width)

    def forward(self, x_SW: Tensor, pairs: PairTokens, masks: list[Tensor]) -> Tensor:
        """Map (S, W) to (S, W)."""
        key_SW, value_SW = self.key_value(x_SW).chunk(2, -1)
        found_SW = _look(self.query(x_SW), key_SW, value_SW, self.heads, pairs, masks)
        x_SW = self.attention_norm(self.out(found_SW, x_SW))
        return self.feed_forward_norm(self.outer(self.inner(x_SW), x_SW))


def _look(
    q_SW: Tensor, k_SW: Tensor, v_SW: Tensor, heads: int, pairs: PairTokens, masks: list[Tensor]
) -> Tensor:
    """Return what each token of the pairs sees, (S, W)."""
    split = (padded(x_SW.unflatten(-1, (heads, -1)), pairs.rectangles) for x_SW in (q_SW, k_SW, v_SW))
    context = []
    for q, k, v, mask in zip(*split, masks, strict=True):
        q_nHlD, k_nHlD, v_nHlD = (x_nlHD.transpose(1, 2) for x_nlHD in (q, k, v))
        found_nHlD = attend(q_nHlD, k_nHlD, v_nHlD, mask)
        context.append(found_nHlD.transpose(1, 2).flatten(2).flatten(0, 1))
    return unpadded(context, pairs.rectangles, len(q_SW))


class PairAttention(nn.Module):
    """Layers of attention over two texts, then one vector: of the pair (`self`), or one for each (`cross`).

    Parameters
    ----------
    width, heads, layers
        Of the layers.
    across
        `cross`: a token is compared with those of the other text. `self`: it sees those of both.
    pooling
        How the tokens of a text, or of both, become a vector.

    Examples
    --------
    >>> attention = PairAttention(8, heads=2, layers=1, across="cross", pooling="mean")
    >>> batch = Batch.pack([[1, 2, 3], [4, 5]])
    >>> attention(torch.ones(5, 8), batch, torch.tensor([[0, 1], [1, 0]])).shape
    torch.Size([2, 16])
    """

    def __init__(
        self, width: int, *, heads: int, layers: int, across: Across, pooling: Pooling, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.across: Across = across
        self.pooling: Pooling = pooling
        kind = CrossLayer if across == "cross" else SelfLayer
        self.layers = nn.ModuleList(kind(width, heads, dropout=dropout) for _ in range(layers))

    def forward(self, hidden_TW: Tensor, batch: Batch, sides_n2: Tensor) -> Tensor:
        """Return (n, 2W), the two texts after they looked at each other; of `self`, (n, W)."""
        pairs = PairTokens.of(batch, sides_n2)
        x_SW, masks = hidden_TW[pairs.tokens], pairs.masks(self.across)
        for layer in self.layers:
            x_SW = layer(x_SW, pairs, masks)
        if self.across == "cross":
            return _pooled(x_SW, pairs.owners, pairs.firsts, self.pooling).unflatten(0, (-1, 2)).flatten(1)
        return _pooled(x_SW, pairs.owners // 2, pairs.firsts[::2], self.pooling)


def _pooled(x_SW: Tensor, owners: Tensor, firsts: Tensor, pooling: Pooling) -> Tensor:
    """Return one vector for each owner."""
    if pooling == "cls":
        return x_SW[firsts]
    new = x_SW.new_zeros(len(firsts), x_SW.shape[1])
    where = owners[:, None].expand_as(x_SW)
    return new.scatter_reduce(0, where, x_SW, "mean" if pooling == "mean" else "amax", include_self=False)
