"""An encoder with its heads: what a folder of weights holds."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from ambos.bundle.configs import activation_of
from ambos.bundle.family import HeadShape
from ambos.data.batch import Batch
from ambos.encoder.build import build_encoder, initialise
from ambos.encoder.config import EncoderConfig
from ambos.encoder.encoder import Encoder
from ambos.encoder.heads import Head
from ambos.encoder.linear import Linear
from ambos.encoder.pooling import pool
from ambos.errors import InputError

_DROPOUTS = ("classifier_dropout", "classifier_dropout_prob", "seq_classif_dropout")


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

    def forward(self, batch: Batch, kind: str, read: Tensor | None = None) -> Tensor:
        """Return the logits of one head: a row per sequence, or per token (per token of `read`).

        Only what the head looks at is computed in the last layer.
        """
        reads = self.reads[kind]
        if reads == "token":
            return self.heads[kind](self.encoder(batch, read=read).last)
        return self.heads[kind](self.pooled(batch, reads))

    def pooled(self, batch: Batch, how: str) -> Tensor:
        """Return one vector per sequence, (n, width): its first token's, that pooled, or the mean."""
        if how == "mean":
            return pool(self.encoder(batch).last, batch, "mean")
        first = self.encoder(batch, read=batch.first_tokens()).last
        if how == "first":
            return first
        if self.pooler is None:
            raise ValueError("this model has no pooler")
        return self.pooler(first)


def build_network(config: EncoderConfig, *, pooler: bool) -> Network:
    """Build an encoder, with a pooler (dense, tanh) or without; weights uninitialised."""
    pooled = Linear(config.width, config.width, activation="tanh") if pooler else None
    return Network(build_encoder(config), pooled)


def build_head(
    shape: HeadShape,
    config: EncoderConfig,
    *,
    outputs: int,
    settings: Mapping[str, Any],
    tied: Encoder | None = None,
) -> Head:
    """Build a head of a family's shape.

    Parameters
    ----------
    outputs
        Labels; the vocabulary in a masked-LM head.
    settings
        config.json, for what only heads care about.
    tied
        The encoder whose token table is the weight of the last layer, in masked-LM heads.
    """
    vocabulary = shape.suffix == "ForMaskedLM"
    modern = shape.activation == "classifier"
    activation = config.activation if shape.activation == "config" else shape.activation
    if modern:
        activation = activation_of(settings.get("classifier_activation", "gelu"))
    inside = (config.token_width or config.width) if vocabulary else config.width
    bias = bool(settings.get("classifier_bias", False)) if modern else True
    norm_bias = config.norm_bias if modern else True
    dropouts = (settings.get(key) for key in _DROPOUTS)
    dropout = next((value for value in dropouts if value is not None), config.dropout)
    if not isinstance(dropout, int | float) or not 0 <= dropout < 1:
        raise InputError(
            f"the dropout of the head is {dropout!r}",
            expected="a number from 0 to 1",
            fix="compare the config.json with the published one",
        )
    head = Head(
        Linear(inside, outputs, bias=bool(settings.get("decoder_bias", True)) if vocabulary else True),
        dense=None if activation is None else Linear(config.width, inside, bias=bias, activation=activation),
        norm=nn.LayerNorm(inside, eps=config.norm_eps, bias=norm_bias) if shape.norm else None,
        dropout=0.0 if vocabulary else dropout,
    )
    if tied is not None:
        head.out.weight = tied.embeddings.token.weight
    return head


def new_weights(module: nn.Module, config: EncoderConfig, seed: int) -> None:
    """Fill a module with new random weights; the same seed gives the same ones."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        initialise(module, config.initial_std)
