"""Small models with weights that leave no part idle, batches to hold them against, and the plain formulas."""

import math

import numpy as np
import torch
from torch import Tensor, nn

from ambos.data.batch import Batch
from ambos.data.feed import MaskedBatch
from ambos.encoder.encoder import Encoder
from ambos.encoder.heads import Head
from ambos.encoder.linear import Linear
from ambos.objectives.masked import MaskedLanguageModel
from ambos.objectives.objective import Objective, Pretraining
from ambos.objectives.relation import SegmentRelation
from ambos.objectives.span_boundary import SpanBoundary
from tests.encoder import reference

CONFIG = reference.base(segments=2)


def odd(module: nn.Module, seed: int) -> None:
    """Draw every weight at random."""
    chance = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in module.parameters():
            weight.copy_(0.4 * torch.randn(weight.shape, generator=chance, dtype=torch.float64))


def model(*names: str, seed: int = 0, weights: tuple[float, ...] = (1.0, 1.0, 1.0)) -> Pretraining:
    """An encoder in double precision with the named objectives; the output layer is the token table."""
    encoder = reference.odd_encoder(CONFIG, seed)
    width = CONFIG.width
    out = Linear(width, CONFIG.vocab_size)
    head = Head(
        out, dense=Linear(width, width, activation="gelu"), norm=nn.LayerNorm(width, eps=CONFIG.norm_eps)
    )
    made: dict[str, Objective] = {"mlm": MaskedLanguageModel(head)}
    if "next" in names:
        made["next"] = SegmentRelation(
            "next", Linear(width, width, activation="tanh"), Head(Linear(width, 2))
        )
    if "span_boundary" in names:
        made["span_boundary"] = SpanBoundary(width, out, position_width=5)
    found = Pretraining(encoder, {made[name]: weight for name, weight in zip(names, weights, strict=False)})
    odd(found, seed)
    out.weight = encoder.embeddings.token.weight
    return found.double().eval()


def masked_batch(
    lengths: list[int], *, seed: int = 0, rate: float = 0.3, pairs: bool = True, spans: bool = False
) -> MaskedBatch:
    """Sequences of these lengths with some inner tokens to find; every other sequence is a pair."""
    chance = np.random.default_rng(seed)
    batch = reference.odd_batch(CONFIG, lengths, seed)
    places, left, right, offsets = [], [], [], []
    for start, length in zip(batch.starts, lengths, strict=True):
        at = start + 1
        while at < start + length - 1:
            size = min(int(chance.integers(1, 5)) if spans else 1, start + length - 1 - at)
            if chance.random() < rate:
                places += range(at, at + size)
                left += [at - 1] * size
                right += [at + size] * size
                offsets += range(size)
                at += 1 if spans else 0
            at += size
    is_pair = [pairs and number % 2 == 0 for number in range(len(lengths))]
    starts = [start for start, one in zip(batch.starts, is_pair, strict=True) if one]
    return MaskedBatch(
        batch=batch,
        places=row(places),
        labels=row(chance.integers(0, CONFIG.vocab_size, len(places)).tolist()),
        relation=row(chance.integers(0, 2, len(starts)).tolist()),
        pairs=row(starts),
        left=row(left if spans else []),
        right=row(right if spans else []),
        offsets=row(offsets if spans else []),
    )


def row(numbers: list[int]) -> Tensor:
    return torch.tensor(numbers, dtype=torch.int64)


def one_by_one(masked: MaskedBatch) -> list[MaskedBatch]:
    """Each sequence as a batch of its own."""
    found = []
    for start, length in zip(masked.batch.starts, masked.batch.lengths, strict=True):
        inside = slice(start, start + length)
        mine = (masked.places >= start) & (masked.places < start + length)
        pair = (masked.pairs >= start) & (masked.pairs < start + length)
        spans = len(masked.left) > 0
        found.append(
            MaskedBatch(
                Batch.pack([masked.batch.ids[inside].numpy()], [masked.batch.segments[inside].numpy()]),
                masked.places[mine] - start,
                masked.labels[mine],
                masked.relation[pair],
                masked.pairs[pair] - start,
                masked.left[mine] - start if spans else masked.left,
                masked.right[mine] - start if spans else masked.right,
                masked.offsets[mine] if spans else masked.offsets,
            )
        )
    return found


# The formulas, on padded matrices.


def hidden(encoder: Encoder, batch: Batch) -> Tensor:
    """(T, width) of all tokens, from the padded reference."""
    ids, mask, segments = reference.pad(batch)
    return reference.encode(encoder, ids, mask, segments).layers[-1][mask]


def masked_logits(objective: MaskedLanguageModel, h: Tensor) -> Tensor:
    head = objective.head
    x = gelu(h @ head.dense.weight.T + head.dense.bias)
    return norm(head.norm, x) @ head.out.weight.T + head.out.bias


def relation_logits(objective: SegmentRelation, h: Tensor) -> Tensor:
    pooled = torch.tanh(h @ objective.pooler.weight.T + objective.pooler.bias)
    return pooled @ objective.head.out.weight.T + objective.head.out.bias


def boundary_logits(objective: SpanBoundary, left: Tensor, right: Tensor, offset: Tensor) -> Tensor:
    """h0 = [left; right; position], h1 = norm(gelu(W1 h0)), h2 = norm(gelu(W2 h1)), logits of h2."""
    first, first_norm, second, second_norm = objective.layers
    x = torch.cat([left, right, objective.position.weight[offset]], -1)
    x = norm(first_norm, gelu(x @ first.weight.T + first.bias))
    x = norm(second_norm, gelu(x @ second.weight.T + second.bias))
    return x @ objective.out.weight.T + objective.out.bias


def surprise(logits: Tensor, label: int) -> Tensor:
    """-log softmax(logits)[label]."""
    return -torch.log(torch.exp(logits[label]) / torch.exp(logits).sum())


def gelu(x: Tensor) -> Tensor:
    return x * (1 + torch.erf(x / math.sqrt(2))) / 2


def norm(layer: nn.LayerNorm, x: Tensor) -> Tensor:
    centred = x - x.mean(-1, keepdim=True)
    return centred / (centred.square().mean(-1, keepdim=True) + layer.eps).sqrt() * layer.weight + layer.bias
