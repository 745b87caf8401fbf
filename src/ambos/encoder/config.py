"""What an encoder is made of, in the house's words; every family of models is one set of these values."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Literal

from ambos.errors import InputError

Positions = Literal["learned", "sinusoidal", "rotary"]
Activation = Literal["gelu", "gelu_tanh", "relu", "silu", "tanh"]

# Far above any encoder ever published; what lies beyond is a damaged or hostile file.
_LIMITS = {
    "vocab_size": 10_000_000,
    "width": 65_536,
    "depth": 1_000,
    "heads": 4_096,
    "inner_width": 1_048_576,
    "context": 16_777_216,
    "segments": 65_536,
}


@dataclass(frozen=True)
class EncoderConfig:
    """The shape of an encoder.

    Parameters
    ----------
    family
        Whose names and conventions the weights follow when saved: bert, roberta, modernbert, ...
    vocab_size, width, depth, heads, inner_width, context
        Ids; hidden size; layers applied; attention heads; feed-forward size; longest sequence in tokens.
    segments
        Number of segment embeddings; 0 if the family has none.
    token_width
        Size of the token vectors where it differs from `width` (ALBERT, small ELECTRA): they are projected.
    positions, position_offset
        Kind of positions; the first row used of a learned table (RoBERTa leaves rows 0 and 1 out).
    layers
        For each layer applied, the number of the stored layer it takes its weights from; None for its own.
    layers_per_group
        How many stored layers ALBERT calls one group.
    norm_first, norm_eps, norm_bias, embedding_norm
        Pre-norm instead of post-norm; LayerNorm's epsilon and bias; LayerNorm after the embeddings.
    activation, gated
        Of the feed-forward; gated multiplies it by a second projection (GeGLU).
    attention_bias, feed_forward_bias
        Whether the linear layers have a bias.
    local_layers, window
        Layers in which a token sees only tokens at a distance of at most `window`.
    rotary_base, rotary_base_local
        Base of the rotary frequencies in global and local layers.
    causal
        A token sees only itself and what comes before: the GPT-style contrast.
    dropout, attention_dropout, embedding_dropout, inner_dropout
        Of layer outputs, attention probabilities, embeddings, and inside the feed-forward.
    initial_std
        Standard deviation of new weights.
    """

    family: str
    vocab_size: int
    width: int
    depth: int
    heads: int
    inner_width: int
    context: int
    segments: int = 0
    token_width: int | None = None
    positions: Positions = "learned"
    position_offset: int = 0
    layers: tuple[int, ...] | None = None
    layers_per_group: int = 1
    norm_first: bool = False
    norm_eps: float = 1e-12
    norm_bias: bool = True
    embedding_norm: bool = True
    activation: Activation = "gelu"
    gated: bool = False
    attention_bias: bool = True
    feed_forward_bias: bool = True
    local_layers: tuple[int, ...] = ()
    window: int | None = None
    rotary_base: float = 10_000.0
    rotary_base_local: float = 10_000.0
    causal: bool = False
    dropout: float = 0.1
    attention_dropout: float = 0.1
    embedding_dropout: float = 0.1
    inner_dropout: float = 0.0
    initial_std: float = 0.02

    def __post_init__(self) -> None:
        problems = list(self._problems())
        if problems:
            raise InputError(
                f"this {self.family} configuration cannot be built",
                expected="sizes of an encoder",
                found="; ".join(problems),
                fix="compare the config.json with the published one",
            )

    def _problems(self) -> Iterator[str]:
        """Say everything that is wrong, so that it can be put right at once."""
        whole = True
        for name, limit in _LIMITS.items():
            value = getattr(self, name)
            least = 0 if name == "segments" else 1
            if not isinstance(value, int) or isinstance(value, bool):
                whole = False
                yield f"{name} is {value!r}, not a whole number"
            elif not least <= value <= limit:
                whole = False
                yield f"{name} is {value:,}, not {least} to {limit:,}"
        if whole:
            yield from self._misfits()
        for field in fields(self):
            if field.name.endswith("dropout") and not 0 <= getattr(self, field.name) < 1:
                yield f"{field.name} is {getattr(self, field.name)}, not 0 to 1"
        if not 0 <= self.norm_eps < 1:
            yield f"norm_eps is {self.norm_eps}, not 0 to 1"

    def _misfits(self) -> Iterator[str]:
        """Say which sizes do not go together."""
        if self.token_width is not None and not 1 <= self.token_width <= _LIMITS["width"]:
            yield f"token_width is {self.token_width:,}"
        if self.width % self.heads:
            yield f"width {self.width} is not a multiple of {self.heads} heads"
        elif self.positions == "rotary" and self.head_width % 2:
            yield f"rotary positions need an even head width, not {self.head_width}"
        if self.layers is not None and (len(self.layers) != self.depth or min(self.layers) < 0):
            yield f"{len(self.layers)} layer numbers for a depth of {self.depth}"
        if self.local_layers and (self.window is None or self.window < 0):
            yield f"local layers with a window of {self.window}"

    @property
    def head_width(self) -> int:
        """Size of one head's queries, keys and values."""
        return self.width // self.heads

    @property
    def stored_layers(self) -> int:
        """How many layers have weights of their own: fewer than `depth` where layers share them."""
        return self.depth if self.layers is None else max(self.layers) + 1
