"""What sets a family of published models apart: names of tensors, classes and settings, and its heads."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ambos.encoder.combine import Twin
from ambos.encoder.pooling import Pooling

# What a head reads: every token, the first token, the pooled first token, or the mean or maximum of all.
HeadInput = Literal["token", "first", "pooled", "mean", "max"]

Names = tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
"""Pairs of (our names, their names): tensors joined by rows on one side equal those joined on the other."""


@dataclass(frozen=True)
class HeadShape:
    """One kind of head in one family.

    Parameters
    ----------
    suffix
        What follows the family's name in the class name of `transformers`: ForMaskedLM, ...
    names
        Names of modules, ours and theirs.
    reads
        What the head reads.
    activation
        Of its hidden layer; None if there is none; "config" if it is the encoder's.
    norm
        Whether a LayerNorm follows the hidden layer.
    outputs
        Fixed number of outputs, or None where the labels (or, in a masked-LM head, the vocabulary) decide.
    bias
        Where the bias of the last layer is kept, if not beside its weight.
    dropout
        Keys of config.json that say the dropout before the last layer; the first one there counts.
    input_dropout
        Whether the same dropout comes before the hidden layer too.
    twin, pooling
        Of pairs whose texts are read apart: how they meet, and how tokens become vectors there.
    """

    suffix: str
    names: Names
    reads: HeadInput
    activation: str | None = None
    norm: bool = False
    outputs: int | None = None
    bias: str | None = None
    dropout: tuple[str, ...] = ()
    input_dropout: bool = False
    twin: Twin | None = None
    pooling: Pooling = "cls"


@dataclass(frozen=True)
class Family:
    """One family of models.

    Parameters
    ----------
    model_type
        Its name in config.json.
    class_prefix, base
        How its classes and the encoder inside them are called: Bert, bert.
    stem, layer, layer_names
        Names outside the layers; the name of layer {layer}; names inside.
    pooler
        Name of the module that pools the first token, or None.
    heads
        Kind of head -> its shape here: mlm, next, classify, tag, answer, replaced.
    settings
        Our name of a setting -> its key in config.json.
    defaults
        What `transformers` takes for keys that a config.json leaves out.
    """

    model_type: str
    class_prefix: str
    base: str
    stem: Names
    layer: str
    layer_names: Names
    pooler: str | None
    heads: Mapping[str, HeadShape]
    settings: Mapping[str, str]
    defaults: Mapping[str, Any] = field(default_factory=dict)
