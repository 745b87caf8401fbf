"""The textbook computation, on padded matrices and by the formulas, and odd encoders to hold against it.

Nothing here runs the encoder's own forward code: only its configuration and its weights are read.
Letters: B sequences, L the longest, W width, H heads, D head width.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from hypothesis import strategies as st
from torch import Tensor, nn

from ambos.data.batch import Batch
from ambos.encoder.build import build_encoder
from ambos.encoder.config import EncoderConfig
from ambos.encoder.encoder import Encoder

Weights = dict[str, Tensor]


@dataclass
class Padded:
    """Hidden states (B, L, W) of every layer, 0 the embeddings; attention (B, H, L, L) of every layer."""

    layers: list[Tensor]
    attention: list[Tensor]


def encode(encoder: Encoder, ids_BL: Tensor, mask_BL: Tensor, segments_BL: Tensor) -> Padded:
    """Encode padded sequences; `mask_BL` is True where there is a token. Ignore what comes out at padding."""
    config, weights = encoder.config, dict(encoder.named_parameters())
    order = config.layers or tuple(range(config.depth))
    x = embed(config, weights, ids_BL, segments_BL)
    found = Padded([x], [])
    for number in order:
        # Shared layers are local or global, and with or without a first norm, as their first use is.
        first = order.index(number)
        part = under(weights, f"layers.{number}.")
        local = first in config.local_layers
        bare = config.norm_first and config.embedding_norm and first == 0 and order.count(number) == 1
        visible = visible_pairs(mask_BL, config.window if local else None, causal=config.causal)
        if config.norm_first:
            y, p = attend(
                config, part, x if bare else norm(config, part, "attention_norm.", x), visible, local
            )
            x = x + y
            x = x + feed_forward(config, part, norm(config, part, "feed_forward_norm.", x))
        else:
            y, p = attend(config, part, x, visible, local)
            x = norm(config, part, "attention_norm.", x + y)
            x = norm(config, part, "feed_forward_norm.", x + feed_forward(config, part, x))
        found.layers.append(x)
        found.attention.append(p)
    if config.norm_first:
        found.layers[-1] = norm(config, weights, "norm.", x)
    return found


def embed(config: EncoderConfig, weights: Weights, ids_BL: Tensor, segments_BL: Tensor) -> Tensor:
    table = weights["embeddings.token.weight"]
    x = table[ids_BL]
    length, width = ids_BL.shape[1], table.shape[1]
    if config.positions == "learned":
        x = x + weights["embeddings.position.weight"][config.position_offset :][:length]
    elif config.positions == "sinusoidal":
        x = x + sinusoids(length, width).to(x.dtype)
    if config.segments:
        x = x + weights["embeddings.segment.weight"][segments_BL]
    if config.embedding_norm:
        x = norm(config, weights, "embeddings.norm.", x)
    return linear(weights, "embeddings.project.", x) if config.token_width else x


def attend(
    config: EncoderConfig, weights: Weights, x_BLW: Tensor, visible_BLL: Tensor, local: bool
) -> tuple[Tensor, Tensor]:
    count, length, width = x_BLW.shape
    heads, head_width = config.heads, width // config.heads
    fused = under(weights, "attention.key_value.")
    key, value = ({name: rows[part] for name, rows in fused.items()} for part in halves(width))

    def by_head(y_BLW: Tensor) -> Tensor:
        return y_BLW.reshape(count, length, heads, head_width).permute(0, 2, 1, 3)

    q = by_head(linear(weights, "attention.query.", x_BLW))
    k, v = by_head(linear(key, "", x_BLW)), by_head(linear(value, "", x_BLW))
    if config.positions == "rotary":
        base = config.rotary_base_local if local else config.rotary_base
        q, k = rotate(q, base), rotate(k, base)
    scores = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(head_width)
    scores = scores.masked_fill(~visible_BLL[:, None], -math.inf)
    powers = (scores - scores.max(-1, keepdim=True).values.detach()).exp()
    probabilities = powers / powers.sum(-1, keepdim=True)
    context = (
        torch.einsum("bhij,bhjd->bhid", probabilities, v).permute(0, 2, 1, 3).reshape(count, length, width)
    )
    return linear(weights, "attention.out.", context), probabilities


def visible_pairs(mask_BL: Tensor, window: int | None, *, causal: bool) -> Tensor:
    """(B, L, L), True where the token of the row sees that of the column."""
    place = torch.arange(mask_BL.shape[1])
    row, column = place[:, None], place[None, :]
    visible = mask_BL[:, None, :] & torch.ones_like(row == column)
    if window is not None:
        visible = visible & (row - column <= window) & (column - row <= window)
    if causal:
        visible = visible & (column <= row)
    # Padding sees itself, so that its softmax is a number; no token sees it.
    return visible | ((row == column) & ~mask_BL[:, :, None])


def feed_forward(config: EncoderConfig, weights: Weights, x: Tensor) -> Tensor:
    inner = linear(weights, "feed_forward.inner.", x)
    if config.gated:
        size = config.inner_width
        inner = activation(config.activation, inner[..., :size]) * inner[..., size:]
    else:
        inner = activation(config.activation, inner)
    return linear(weights, "feed_forward.outer.", inner)


def activation(name: str, x: Tensor) -> Tensor:
    if name == "gelu":
        return x * (1 + torch.erf(x / math.sqrt(2))) / 2
    if name == "gelu_tanh":
        return x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))) / 2
    if name == "relu":
        return torch.where(x > 0, x, torch.zeros_like(x))
    if name == "silu":
        return x / (1 + torch.exp(-x))
    return (torch.exp(2 * x) - 1) / (torch.exp(2 * x) + 1)


def norm(config: EncoderConfig, weights: Weights, name: str, x: Tensor) -> Tensor:
    centred = x - x.mean(-1, keepdim=True)
    y = (
        centred
        / (centred.square().mean(-1, keepdim=True) + config.norm_eps).sqrt()
        * weights[f"{name}weight"]
    )
    return y + weights[f"{name}bias"] if config.norm_bias else y


def linear(weights: Weights, name: str, x: Tensor) -> Tensor:
    y = torch.einsum("...i,oi->...o", x, weights[f"{name}weight"])
    return y + weights[f"{name}bias"] if f"{name}bias" in weights else y


def angle(position: Tensor, pair: int, width: int, base: float) -> Tensor:
    """position / base^(2 pair / width), in single precision, as every implementation has it."""
    exponent = torch.tensor(2 * pair, dtype=torch.float32) / width
    return position.to(torch.float32) / base**exponent


def sinusoids(length: int, width: int) -> Tensor:
    place = torch.arange(length)
    columns = [
        (torch.cos if column % 2 else torch.sin)(angle(place, column // 2, width, 10_000.0))
        for column in range(width)
    ]
    return torch.stack(columns, dim=-1)


def rotate(x_BHLD: Tensor, base: float) -> Tensor:
    """Turn the plane of coordinates k and k + D/2 by the angle of k."""
    place, width = torch.arange(x_BHLD.shape[2]), x_BHLD.shape[3]
    columns: list[Tensor] = [torch.empty(0)] * width
    for pair in range(width // 2):
        turn = angle(place, pair, width, base)
        cos, sin = turn.cos().to(x_BHLD.dtype), turn.sin().to(x_BHLD.dtype)
        a, b = x_BHLD[..., pair], x_BHLD[..., pair + width // 2]
        columns[pair], columns[pair + width // 2] = a * cos - b * sin, a * sin + b * cos
    return torch.stack(columns, dim=-1)


def under(weights: Weights, prefix: str) -> Weights:
    return {name.removeprefix(prefix): value for name, value in weights.items() if name.startswith(prefix)}


def halves(width: int) -> tuple[slice, slice]:
    return slice(width), slice(width, None)


def pad(batch: Batch, filler: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Ids, mask and segments of a batch as (B, L) matrices; `filler` is the id of the padding."""
    count, longest = len(batch.lengths), max(batch.lengths)
    ids, segments = torch.full((count, longest), filler), torch.zeros(count, longest, dtype=torch.int64)
    mask = torch.zeros(count, longest, dtype=torch.bool)
    begin = 0
    for row, length in enumerate(batch.lengths):
        ids[row, :length] = batch.ids[begin : begin + length]
        segments[row, :length] = batch.segments[begin : begin + length]
        mask[row, :length] = True
        begin += length
    return ids, mask, segments


# What to compare: small encoders of every kind, with weights that leave no part idle, and any batches.

SHARED = {1: [(0,)], 2: [(0, 0), (1, 0)], 3: [(0, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1)]}
# Heads and their width; the width of the encoder is at least 9, below which LayerNorm magnifies rounding.
HEADS = [(1, 9), (2, 5), (2, 6), (3, 7), (4, 3), (12, 1)]
EVEN_HEADS = [(1, 10), (2, 6), (3, 4), (6, 2)]
VOCAB = 50
CONTEXT = 16


def base(**changes: object) -> EncoderConfig:
    """A plain little BERT, changed here and there."""
    values = {
        "family": "bert",
        "vocab_size": VOCAB,
        "width": 12,
        "depth": 2,
        "heads": 2,
        "inner_width": 16,
        "context": CONTEXT,
    }
    return EncoderConfig(**(values | changes))  # type: ignore[arg-type]


@st.composite
def configs(draw: st.DrawFn, **fixed: object) -> EncoderConfig:
    """Encoders as odd as a configuration can say; `fixed` holds some values still."""
    positions = draw(st.sampled_from(["learned", "sinusoidal", "rotary"]))
    depth = fixed.get("depth") or draw(st.integers(1, 3))
    heads, head_width = draw(st.sampled_from(EVEN_HEADS if positions == "rotary" else HEADS))
    local = draw(st.sets(st.integers(0, depth - 1)))
    values = {
        "positions": positions,
        "depth": depth,
        "heads": heads,
        "width": heads * head_width,
        "inner_width": draw(st.sampled_from([1, 9, 32])),
        "segments": draw(st.sampled_from([0, 1, 2, 5])),
        "token_width": draw(st.sampled_from([None, None, 7, 10])),
        "position_offset": draw(st.integers(0, 3)),
        "layers": draw(st.sampled_from([None, None, *SHARED[depth]])),
        "norm_first": draw(st.booleans()),
        "norm_eps": draw(st.sampled_from([1e-12, 1e-5, 1e-2])),
        "norm_bias": draw(st.booleans()),
        "embedding_norm": draw(st.booleans()),
        "activation": draw(st.sampled_from(["gelu", "gelu_tanh", "relu", "silu", "tanh"])),
        "gated": draw(st.booleans()),
        "attention_bias": draw(st.booleans()),
        "feed_forward_bias": draw(st.booleans()),
        "local_layers": tuple(sorted(local)),
        "window": draw(st.integers(0, 7)) if local or fixed.get("local_layers") else None,
        "rotary_base": draw(st.sampled_from([100.0, 10_000.0])),
        "rotary_base_local": draw(st.sampled_from([10.0, 10_000.0])),
        "causal": draw(st.booleans()),
    }
    return base(**(values | fixed))


# Few distinct values, so that neighbours are often equal and make a group; the ends are frequent.
LENGTHS = st.lists(
    st.sampled_from([1, 1, 2, 3, 3, 8, CONTEXT]) | st.integers(1, CONTEXT), min_size=1, max_size=7
)
SEEDS = st.integers(0, 10_000)


def odd_encoder(config: EncoderConfig, seed: int) -> Encoder:
    """Draw every weight at random: biases and norms too, which a new encoder has at 0 and 1."""
    encoder = build_encoder(config).eval()
    chance = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for part in encoder.modules():
            for name, weight in part.named_parameters(recurse=False):
                middle = 1.0 if isinstance(part, nn.LayerNorm) and name == "weight" else 0.0
                weight.copy_(middle + 0.2 * torch.randn(weight.shape, generator=chance))
    return encoder


def odd_batch(config: EncoderConfig, lengths: list[int], seed: int) -> Batch:
    """Sequences of these lengths, of any ids and segments that the tables hold."""
    chance = np.random.default_rng(seed)
    ids = [chance.integers(0, config.vocab_size, length) for length in lengths]
    segments = [chance.integers(0, config.segments or 3, length) for length in lengths]
    return Batch.pack(ids, segments)
