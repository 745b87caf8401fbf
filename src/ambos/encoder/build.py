"""The one place that reads an `EncoderConfig` and puts the parts together."""

import torch
from torch import nn

from ambos.encoder.attention import Attention
from ambos.encoder.config import EncoderConfig
from ambos.encoder.embeddings import Embeddings
from ambos.encoder.encoder import Encoder
from ambos.encoder.feed_forward import FeedForward, GatedFeedForward
from ambos.encoder.layer import PostNormLayer, PreNormLayer
from ambos.encoder.linear import Linear
from ambos.encoder.pair_attention import Alike
from ambos.encoder.positions import LearnedPositions, Rotary, SinusoidalPositions


def build_encoder(config: EncoderConfig) -> Encoder:
    """Build an encoder, to be filled by `initialise` or from a checkpoint.

    Under `torch.device("meta")` nothing is allocated or drawn: so sizes are listed, and weights loaded.

    Examples
    --------
    >>> from ambos.encoder.presets import PRESETS
    >>> with torch.device("meta"):
    ...     sum(weight.numel() for weight in build_encoder(PRESETS["bert-base"].encoder).parameters())
    108891648
    """
    order = config.layers or tuple(range(config.depth))
    # A stored layer that several steps share is local or global as the first of them is.
    steps = [order.index(number) for number in range(config.stored_layers)]
    return Encoder(
        config,
        embeddings=_embeddings(config),
        layers=[_layer(config, step, shared=order.count(order[step]) > 1) for step in steps],
        order=order,
        norm=_norm(config) if config.norm_first else None,
    )


def initialise(module: nn.Module, std: float, generator: torch.Generator | None = None) -> None:
    """Draw new weights as BERT does: normal with deviation `std`, biases 0, LayerNorms 1; like finds like."""
    for part in module.modules():
        if isinstance(part, nn.LayerNorm):
            part.reset_parameters()
        elif isinstance(part, Alike):
            part.begin()
        elif isinstance(part, nn.Linear | nn.Embedding | LearnedPositions):
            nn.init.normal_(part.weight, std=std, generator=generator)
            bias = getattr(part, "bias", None)
            if bias is not None:
                nn.init.zeros_(bias)


def _norm(config: EncoderConfig, width: int | None = None) -> nn.LayerNorm:
    return nn.LayerNorm(width or config.width, eps=config.norm_eps, bias=config.norm_bias)


def _embeddings(config: EncoderConfig) -> Embeddings:
    width = config.token_width or config.width
    position: nn.Module | None = None
    if config.positions == "learned":
        position = LearnedPositions(config.context, width, offset=config.position_offset)
    elif config.positions == "sinusoidal":
        position = SinusoidalPositions(width)
    return Embeddings(
        _table(config.vocab_size, width),
        position=position,
        segment=_table(config.segments, width) if config.segments else None,
        norm=_norm(config, width) if config.embedding_norm else None,
        project=Linear(width, config.width) if config.token_width else None,
        dropout=config.embedding_dropout,
    )


def _table(rows: int, width: int) -> nn.Embedding:
    return nn.Embedding(rows, width, _weight=torch.empty(rows, width))


def _layer(config: EncoderConfig, step: int, *, shared: bool) -> nn.Module:
    local = step in config.local_layers
    rotary = None
    if config.positions == "rotary":
        base = config.rotary_base_local if local else config.rotary_base
        rotary = Rotary(config.head_width, base=base)
    attention = Attention(
        config.width,
        config.heads,
        bias=config.attention_bias,
        rotary=rotary,
        window=config.window if local else None,
        causal=config.causal,
        dropout=config.dropout,
        probability_dropout=config.attention_dropout,
    )
    feed_forward = (GatedFeedForward if config.gated else FeedForward)(
        config.width,
        config.inner_width,
        activation=config.activation,
        bias=config.feed_forward_bias,
        dropout=config.dropout,
        inner_dropout=config.inner_dropout,
    )
    # The embeddings of pre-norm encoders are normalised already: their first layer does not do it again,
    # unless its weights serve other layers too.
    normalised = config.norm_first and config.embedding_norm and step == 0 and not shared
    return (PreNormLayer if config.norm_first else PostNormLayer)(
        attention,
        feed_forward,
        attention_norm=nn.Identity() if normalised else _norm(config),
        feed_forward_norm=_norm(config),
    )
