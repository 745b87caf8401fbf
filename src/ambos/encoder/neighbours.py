"""New weights with which heads begin by looking at neighbours, so that a short run need not find out to.

A head that knows nothing looks everywhere alike, and a masked-LM spends its first million tokens on finding
that words nearby tell most. Rotary positions let that be written down beforehand. Let every token vector have
one direction s in common, and let a head's query and key have a part that comes from s alone,

    q = R(o) c,  k = c,  c = (1, 0) in the m fastest pairs of the head,

where R(o) turns pair p by o times its frequency f_p. After the rotation by positions i and j,

    q_i . k_j = sum_p cos(f_p (i + o - j)),

which is largest at j = i + o: the head looks at the neighbour at the distance o. Everything else is drawn as
ever, and all of it is trained.
"""

import math

import torch

from ambos.encoder.attention import Attention
from ambos.encoder.encoder import Encoder

_OFFSETS = (-1, 1, -2, 2)  # where the heads of a layer look, one after the other
_PAIRS = 4  # fast pairs that place a head's look
_SHARPNESS = 4.0  # of the scores, before softmax
_VALUES = 0.7  # size of what heads bring, beside what is there already


@torch.no_grad()
def look_at_neighbours(encoder: Encoder, seed: int = 0) -> None:
    """Change new weights of an encoder with rotary positions such that its heads look at neighbours.

    Examples
    --------
    >>> from ambos.encoder.build import build_encoder, initialise
    >>> encoder = build_encoder(config)  # doctest: +SKIP
    >>> initialise(encoder, 0.02)  # doctest: +SKIP
    >>> look_at_neighbours(encoder)  # doctest: +SKIP
    """
    config = encoder.config
    if config.positions != "rotary":
        raise ValueError(f"heads look at neighbours by rotary positions, found {config.positions} ones")
    generator = torch.Generator().manual_seed(seed)
    width = config.width
    shared = torch.ones(width)
    shared[torch.randperm(width, generator=generator)[: width // 2]] = -1.0
    encoder.embeddings.token.weight += shared * config.initial_std  # as large as what tells tokens apart
    for layer in encoder.layers:
        attention: Attention = layer.attention  # type: ignore[assignment]
        if attention.rotary is None:
            continue
        _point(attention, shared, attention.rotary.base)
        std = _VALUES / math.sqrt(width)
        attention.key_value.weight[width:].normal_(std=std, generator=generator)
        attention.out.weight.normal_(std=std, generator=generator)


def _point(attention: Attention, shared: torch.Tensor, base: float) -> None:
    """Add to queries and keys of each head the part that looks at its neighbour."""
    width = len(shared)
    inside = width // attention.heads
    pairs = min(_PAIRS, inside // 2)
    frequencies = base ** (-torch.arange(0, inside, 2) / inside)[:pairs]
    # Half of a normalised token vector's square is the shared direction's: its part along it is sqrt(1/2).
    size = math.sqrt(_SHARPNESS * math.sqrt(inside)) / (math.sqrt(0.5) * width)
    for head in range(attention.heads):
        offset = _OFFSETS[head % len(_OFFSETS)]
        query, key = torch.zeros(inside), torch.zeros(inside)
        key[:pairs] = 1.0
        query[:pairs] = torch.cos(offset * frequencies)
        query[inside // 2 : inside // 2 + pairs] = torch.sin(offset * frequencies)
        rows = slice(head * inside, (head + 1) * inside)
        attention.query.weight[rows] += size * torch.outer(query, shared)
        attention.key_value.weight[rows] += size * torch.outer(key, shared)
