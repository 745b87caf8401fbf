"""The encoder: embeddings and a stack of layers, from a packed batch to one hidden vector per token."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import torch.nn.functional as F
from torch import Tensor, nn

from ambos.data.batch import Batch
from ambos.encoder.config import EncoderConfig
from ambos.encoder.embeddings import Embeddings
from ambos.errors import InputError

_ROWS = 32  # batches are filled up to a multiple of so many,
_READ = 8  # and what is read of them to one of so many, while a model predicts


@dataclass
class Hidden:
    """What an encoder gives.

    Parameters
    ----------
    last
        (T, width), or (R, width) in the order of `read`: the output.
    layers
        For each layer asked for, its output for all tokens, (T, width); 0 is the embeddings. Of the last
        layer it is what `last` is, read or not.
    attention
        For each layer, one (heads, length, length) tensor per sequence: row i says where token i looks.
    """

    last: Tensor
    layers: dict[int, Tensor] = field(default_factory=dict)
    attention: list[list[Tensor]] = field(default_factory=list)


class Encoder(nn.Module):
    """A stack of layers over embeddings; build one with `build_encoder`.

    Parameters
    ----------
    config
        The shape; also the limits that inputs are held to.
    embeddings
        From a batch to (T, width).
    layers
        The layers with weights of their own.
    order
        Which of them is applied at each step; layers that share weights occur more than once.
    norm
        LayerNorm of the output, in pre-norm encoders.
    """

    def __init__(
        self,
        config: EncoderConfig,
        *,
        embeddings: Embeddings,
        layers: Collection[nn.Module],
        order: tuple[int, ...],
        norm: nn.Module | None,
    ) -> None:
        super().__init__()
        self.config = config
        self.embeddings = embeddings
        self.layers = nn.ModuleList(layers)
        self.order = order
        self.norm = norm

    def forward(
        self,
        batch: Batch,
        *,
        read: Tensor | None = None,
        depth: int | None = None,
        layers: Collection[int] = (),
        attention: bool = False,
    ) -> Hidden:
        """Encode a batch.

        Parameters
        ----------
        batch
            Packed sequences.
        read
            (R,) places in the packed row: the last layer computes only these tokens. Exact, not an
            approximation; with `[CLS]` alone it saves nearly the whole last layer.
        depth
            Stop after this many layers (then without the final LayerNorm of pre-norm encoders).
        layers
            Numbers of layers whose outputs are kept too; 0 is the embeddings, -1 the last.
        attention
            Keep the attention probabilities of every layer (all tokens must be read).
        """
        self.check(batch)
        last = len(self.order) if depth is None else depth
        if not 0 <= last <= len(self.order):
            raise ValueError(f"there is no depth {depth}; the encoder has {len(self.order)} layers")
        if any(not -last - 1 <= layer <= last for layer in layers):
            raise ValueError(f"there are layers 0 (the embeddings) to {last}, found {sorted(layers)}")
        steps = self.order[:last]
        kept = {layer % (last + 1) for layer in layers}
        if attention and read is not None:
            raise ValueError("attention probabilities are given for all tokens; leave `read` out")
        x = self._rounded(self.embeddings(batch), batch, steps[: last - (read is not None)], attention)
        reading = None if read is None else batch.reading(read, 1 if self.training else _READ)
        found = Hidden(x)
        for step, number in enumerate(steps, start=1):
            if step - 1 in kept:
                found.layers[step - 1] = x[: batch.tokens]
            probabilities: list[Tensor] | None = [] if attention else None
            x = self.layers[number](x, batch, reading if step == len(steps) else None, probabilities)
            if probabilities is not None:
                found.attention.append(probabilities)
        if not steps and read is not None:
            x = x[read]
        if self.norm is not None and len(steps) == len(self.order):
            x = self.norm(x)
        found.last = x = x[: batch.tokens if read is None else len(read)]
        if len(steps) in kept:
            found.layers[len(steps)] = x
        return found

    def _rounded(self, x_TW: Tensor, batch: Batch, steps: tuple[int, ...], attention: bool) -> Tensor:
        """Return the rows with a few rows of nothing after them, where these layers can make nothing of them.

        Batches then have few different sizes, and what was prepared for one (memory, kernels of matrix
        products) serves the next: 10 % of a training step of MiniLM in bfloat16, and memory that does not
        grow with every new size while a model predicts.
        """
        layers: list[Any] = [self.layers[number] for number in set(steps)]
        needless = attention or (self.training and not layers)
        if needless or not all(layer.attention.takes_more(batch) for layer in layers):
            return x_TW
        return F.pad(x_TW, (0, 0, 0, -batch.tokens % _ROWS))

    def check(self, batch: Batch) -> None:
        """Refuse a batch that the encoder's tables cannot answer for."""
        config = self.config
        longest = max(batch.lengths)
        if longest > config.context:
            raise InputError(
                "a text is longer than the model can read",
                expected=f"at most {config.context:,} tokens",
                found=f"{longest:,} tokens",
                fix="shorten it, or cut it into windows",
            )
        if batch.largest_id >= config.vocab_size:
            raise InputError(
                "an id is not in the model's vocabulary",
                expected=f"ids from 0 to {config.vocab_size - 1:,}",
                found=f"{batch.largest_id:,}",
                fix="use the tokenizer that the model was trained with",
            )
        if config.segments and batch.largest_segment >= config.segments:
            raise InputError(
                "a segment number is not in the model's table",
                expected=f"segments from 0 to {config.segments - 1}",
                found=str(batch.largest_segment),
                fix="use the tokenizer that the model was trained with",
            )
