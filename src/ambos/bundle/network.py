"""An encoder with its heads: what a folder of weights holds."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from ambos.bundle.configs import activation_of
from ambos.bundle.family import Family, HeadInput, HeadShape
from ambos.data.batch import Batch
from ambos.encoder.build import build_encoder, initialise
from ambos.encoder.combine import Twin
from ambos.encoder.config import EncoderConfig
from ambos.encoder.encoder import Encoder
from ambos.encoder.heads import Head, TwinHead
from ambos.encoder.linear import Linear
from ambos.encoder.pair_attention import PairAttention
from ambos.encoder.pooling import Pooling, pool
from ambos.errors import InputError


class Network(nn.Module):
    """An encoder, the pooler of its family if there is one, and any number of heads.

    Parameters
    ----------
    encoder
        The stack.
    pooler
        From the first token's hidden vector to the pooled one, or None.
    """

    def __init__(self, encoder: Encoder, pooler: Linear | None = None) -> None:
        super().__init__()
        self.encoder = encoder
        self.pooler = pooler
        self.heads = nn.ModuleDict()
        self.reads: dict[str, str] = {}

    def add_head(self, kind: str, head: Head, reads: str) -> None:
        """Attach a head; `reads` is what it looks at (see `family.HeadInput`)."""
        self.heads[kind] = head
        self.reads[kind] = reads

    def drop_head(self, kind: str) -> None:
        """Take a head away."""
        del self.heads[kind], self.reads[kind]

    def forward(self, batch: Batch, kind: str, read: Tensor | None = None) -> Tensor:
        """Return the logits of one head: a row per sequence, or per token (per token of `read`).

        Only what the head looks at is computed in the last layer. Of pairs whose texts are read apart, a row
        per pair: `read` are then the numbers of their two sequences, (n, 2). The kind `embed` has no head:
        its rows are the vectors of both texts, end to end, (n, 2 width).
        """
        reads = self.reads[kind]
        if kind == "embed":
            return self.pooled(batch, reads)[read].flatten(1)
        head: Any = self.heads[kind]
        if isinstance(head, TwinHead):
            if head.attention is not None:
                return head(head.attention(self.encoder(batch).last, batch, read))
            return head(head.combine(*self.pooled(batch, reads)[read].unbind(1)))
        if reads == "token":
            return head(self.encoder(batch, read=read).last)
        return head(self.pooled(batch, reads))

    def pooled(self, batch: Batch, how: str) -> Tensor:
        """Return one vector per sequence, (n, width): its first token's, that pooled, the mean or maximum."""
        if how in {"mean", "max"}:
            return pool(self.encoder(batch).last, batch, how)  # type: ignore[arg-type]
        first = self.encoder(batch, read=batch.first_tokens()).last
        if how == "first":
            return first
        if self.pooler is None:
            raise ValueError("this model has no pooler")
        return self.pooler(first)


def build_network(config: EncoderConfig, *, pooler: bool) -> Network:
    """Build an encoder, with a pooler or without; build under the meta device, then fill."""
    return Network(build_encoder(config), build_pooler(config) if pooler else None)


def build_pooler(config: EncoderConfig) -> Linear:
    """Build what BERT pools the first token with: a linear layer and tanh."""
    return Linear(config.width, config.width, activation="tanh")


def build_head(shape: HeadShape, config: EncoderConfig, *, outputs: int, settings: Mapping[str, Any]) -> Head:
    """Build a head of a family's shape.

    Parameters
    ----------
    outputs
        Labels; the vocabulary in a masked-LM head.
    settings
        config.json over the family's defaults, for what only heads care about.
    """
    vocabulary = shape.suffix == "ForMaskedLM"
    modern = shape.activation == "classifier"
    activation = config.activation if shape.activation == "config" else shape.activation
    if modern:
        activation = activation_of(settings.get("classifier_activation", "gelu"))
    inside = (config.token_width or config.width) if vocabulary else config.width
    bias = bool(settings.get("classifier_bias", False)) if modern else True
    dropout = _dropout(shape, settings)
    if shape.twin is not None:
        return _twin_head(shape.twin, shape.pooling, config, outputs, hidden=activation, dropout=dropout)
    return Head(
        Linear(inside, outputs, bias=bool(settings.get("decoder_bias", True)) if vocabulary else True),
        dense=None if activation is None else Linear(config.width, inside, bias=bias, activation=activation),
        norm=nn.LayerNorm(inside, eps=config.norm_eps, bias=config.norm_bias) if shape.norm else None,
        dropout=dropout,
        input_dropout=dropout if shape.input_dropout else 0.0,
    )


def _twin_head(
    twin: Twin, pooling: Pooling, config: EncoderConfig, outputs: int, *, hidden: str | None, dropout: float
) -> TwinHead:
    width, inputs = config.width, twin.width(config.width)
    attention = None
    if twin.scheme == "attention":
        attention = PairAttention(
            width,
            heads=twin.heads,
            layers=twin.layers,
            across=twin.across,
            pooling=pooling,
            dropout=config.dropout,
        )
    return TwinHead(
        Linear(width if hidden else inputs, outputs),
        twin=twin,
        attention=attention,
        dense=Linear(inputs, width, activation=hidden) if hidden else None,
        dropout=dropout,
    )


def _dropout(shape: HeadShape, settings: Mapping[str, Any]) -> float:
    found = [settings[key] for key in shape.dropout if settings.get(key) is not None]
    dropout = found[0] if found else 0.0
    if not isinstance(dropout, int | float) or not 0 <= dropout < 1:
        raise InputError(
            f"the dropout of the head is {dropout!r}",
            expected="a number from 0 to 1",
            fix="compare the config.json with the published one",
        )
    return dropout


def head_input(family: Family, kind: str, settings: Mapping[str, Any]) -> HeadInput:
    """Return what a head reads; of ModernBERT's classifiers config.json says it."""
    if kind != "classify" or "classifier_pooling" not in family.defaults:
        return family.heads[kind].reads
    how = settings.get("classifier_pooling")
    if how not in {"cls", "mean"}:
        raise InputError(f"classifier_pooling is {how!r}", expected="cls or mean", fix="correct config.json")
    return "mean" if how == "mean" else "first"


def tie(network: Network) -> None:
    """Make the masked-LM head's last weight the token table."""
    network.heads["mlm"].out.weight = network.encoder.embeddings.token.weight  # type: ignore[union-attr]


def fill_new(module: nn.Module, config: EncoderConfig, seed: int) -> None:
    """Give a module built on the meta device new random weights; the same seed gives the same ones."""
    module.to_empty(device="cpu")
    initialise(module, config.initial_std, torch.Generator().manual_seed(seed))
