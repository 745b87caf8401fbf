"""What is wrong with a description of an encoder: everything at once, before anything is built."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ambos.encoder.linear import ACTIVATIONS

if TYPE_CHECKING:
    from ambos.encoder.config import EncoderConfig

# Limits far above any encoder ever published; what lies beyond is a damaged or hostile file.
_WHOLE = {
    "vocab_size": (1, 10_000_000),
    "width": (1, 65_536),
    "depth": (1, 1_000),
    "heads": (1, 4_096),
    "inner_width": (1, 1_048_576),
    "context": (1, 16_777_216),
    "segments": (0, 65_536),
    "position_offset": (0, 16_777_216),
    "layers_per_group": (1, 1_000),
}
_WHOLE_OR_NONE = {"token_width": (1, 65_536), "window": (0, 16_777_216)}
# At least, less than.
_REAL = {
    "dropout": (0, 1),
    "attention_dropout": (0, 1),
    "embedding_dropout": (0, 1),
    "inner_dropout": (0, 1),
    "norm_eps": (0, 1),
    "initial_std": (0, 1_000),
    "rotary_base": (1e-9, 1e12),
    "rotary_base_local": (1e-9, 1e12),
}
_NAMES = {"positions": ("learned", "sinusoidal", "rotary"), "activation": tuple(ACTIVATIONS)}


def find_problems(config: "EncoderConfig") -> Iterator[str]:
    """Yield one phrase for each thing that is wrong."""
    whole = set()
    for name, (least, most) in {**_WHOLE, **_WHOLE_OR_NONE}.items():
        value = getattr(config, name)
        if value is None and name in _WHOLE_OR_NONE:
            continue
        if type(value) is not int:
            yield f"{name} is {value!r}, not a whole number"
        elif least <= value <= most:
            whole.add(name)
        else:
            yield f"{name} is {value:,}, not {least} to {most:,}"
    for name, (low, high) in _REAL.items():
        value = getattr(config, name)
        if type(value) not in {int, float}:
            yield f"{name} is {value!r}, not a number"
        elif not low <= value < high:
            yield f"{name} is {value}, not {low} to {high}"
    for name, known in _NAMES.items():
        if getattr(config, name) not in known:
            yield f"{name} is {getattr(config, name)!r}, not one of {', '.join(known)}"
    yield from _misfits(config, whole)


def _misfits(config: "EncoderConfig", whole: set[str]) -> Iterator[str]:
    """Say which sizes do not go together, among those that are sizes at all."""
    if {"width", "heads"} <= whole:
        if config.width % config.heads:
            yield f"width {config.width} is not a multiple of {config.heads} heads"
        elif config.positions == "rotary" and config.head_width % 2:
            yield f"rotary positions need an even head width, not {config.head_width}"
    if "depth" in whole:
        if config.layers is not None and len(config.layers) != config.depth:
            yield f"{len(config.layers)} layer numbers for a depth of {config.depth}"
        elif config.layers is not None and not _numbers_all(config.layers):
            yield "layers do not use stored layers 0, 1, ... with none left out"
        if any(layer not in range(config.depth) for layer in config.local_layers):
            yield f"local layers {config.local_layers} of a depth of {config.depth}"
    if config.local_layers and config.window is None:
        yield "local layers without a window"


def _numbers_all(layers: tuple[int, ...]) -> bool:
    """Tell whether the numbers of stored layers are whole and leave none out."""
    whole = all(type(layer) is int and 0 <= layer < len(layers) for layer in layers)
    return whole and len(set(layers)) == max(layers) + 1
