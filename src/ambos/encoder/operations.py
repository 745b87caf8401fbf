"""Floating point operations of a pass's matrix products; what a machine's limit is compared with."""

from collections.abc import Sequence

from ambos.encoder.config import EncoderConfig


def encoder_operations(config: EncoderConfig, lengths: Sequence[int], read: int) -> float:
    """Count multiplications and additions of a forward pass; a step of training takes three times as many.

    Parameters
    ----------
    lengths
        Tokens of each sequence.
    read
        How many tokens the last layer computes.

    Examples
    --------
    >>> from ambos.encoder.presets import PRESETS
    >>> round(encoder_operations(PRESETS["bert-mini"].encoder, [128] * 32, read=4096) / 1e9, 1)
    27.9
    """
    tokens, width, depth = sum(lengths), config.width, config.depth
    feed_forward = (3 if config.gated else 2) * width * config.inner_width
    project = 2 * tokens * config.token_width * width if config.token_width else 0
    total = float(project)
    for layer in range(depth):
        rows = tokens if layer < depth - 1 else read
        seen = sum(length * _seen(config, layer, length) for length in lengths) * rows / tokens
        total += 2 * (rows * (2 * width**2 + feed_forward) + tokens * 2 * width**2) + 4 * seen * width
    return total


def _seen(config: EncoderConfig, layer: int, length: int) -> int:
    """Return how many keys a query meets at most."""
    if layer in config.local_layers and config.window is not None:
        return min(length, 2 * config.window + 1)
    return length


def vocabulary_operations(config: EncoderConfig, chosen: int) -> float:
    """Count those of a masked-LM head for so many tokens."""
    inside = config.token_width or config.width
    return 2.0 * chosen * (config.width * inside + inside * config.vocab_size)
