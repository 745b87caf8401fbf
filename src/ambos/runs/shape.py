"""From a recipe to the shape of an encoder: the parts of one family in the size of a preset."""

from dataclasses import replace
from typing import Any

from ambos.bundle.families import FAMILIES
from ambos.encoder.config import EncoderConfig
from ambos.encoder.presets import preset
from ambos.errors import UsageError
from ambos.runs.settings import ModelSettings


def encoder_shape(model: ModelSettings, vocab_size: int) -> EncoderConfig:
    """Return the shape of a new encoder.

    Examples
    --------
    >>> shape = encoder_shape(ModelSettings(preset="bert-mini", family="roberta-base"), 8000)
    >>> shape.family, shape.width, shape.depth, shape.vocab_size
    ('roberta', 256, 4, 8000)
    """
    size = _resized(preset(model.preset).encoder, model)
    family = preset(model.family).encoder if model.family else size
    config = replace(family, **_sizes(family, size), vocab_size=vocab_size)
    if model.context is not None:
        config = replace(config, context=model.context)
    if model.dropout is not None:
        known = FAMILIES[config.family].settings  # what its config.json has a word for
        names = [name for name in ("dropout", "attention_dropout", "inner_dropout") if name in known]
        rates: dict[str, Any] = dict.fromkeys([*names, "embedding_dropout"], model.dropout)
        config = replace(config, **rates)
    if model.initial_std is not None:
        config = replace(config, initial_std=model.initial_std)
    return config


def _resized(size: EncoderConfig, model: ModelSettings) -> EncoderConfig:
    """Return the shape with another width, depth or width of heads, where they are given."""
    width, head_width = model.width or size.width, model.head_width or size.head_width
    if width % head_width:
        raise UsageError(
            "the heads do not fill the hidden size",
            expected=f"a multiple of the head width {head_width}",
            found=f"width {width}",
            fix="set model.width or model.head_width",
        )
    inner = round(width * size.inner_width / size.width)
    size = replace(size, width=width, heads=width // head_width, inner_width=inner)
    if model.depth is not None:
        local = tuple(layer for layer in size.local_layers if layer < model.depth)
        shared = (0,) * model.depth if size.layers else None
        size = replace(size, depth=model.depth, local_layers=local, layers=shared)
    return size


def _sizes(family: EncoderConfig, size: EncoderConfig) -> dict[str, Any]:
    """Return what makes `family` as large as `size`; its own proportions and patterns stay."""
    if family is size:
        return {}
    inner = round(size.width * family.inner_width / family.width)
    narrow = min(family.token_width or size.width, size.width)
    whole = family.token_width is None or (family.family == "electra" and narrow == size.width)
    period = 3 if family.local_layers else 0
    return {
        "width": size.width,
        "depth": size.depth,
        "heads": size.heads,
        "inner_width": inner,
        "token_width": None if whole else narrow,
        "layers": (0,) * size.depth if family.layers else None,
        "local_layers": tuple(layer for layer in range(size.depth) if period and layer % period),
    }
