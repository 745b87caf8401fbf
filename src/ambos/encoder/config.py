"""What an encoder is made of, in the house's words; every family of models is one set of these values."""

from dataclasses import dataclass
from typing import Literal

from ambos.encoder.config_check import find_problems
from ambos.errors import InputError

Positions = Literal["learned", "sinusoidal", "rotary"]
Activation = Literal["gelu", "gelu_tanh", "relu", "silu", "tanh"]


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
        problems = list(find_problems(self))
        if problems:
            raise InputError(
                f"this {self.family} configuration cannot be built",
                expected="sizes of an encoder",
                found="; ".join(problems),
                fix="compare the config.json with the published one",
            )

    @property
    def head_width(self) -> int:
        """Size of one head's queries, keys and values."""
        return self.width // self.heads

    @property
    def stored_layers(self) -> int:
        """How many layers have weights of their own: fewer than `depth` where layers share them."""
        return self.depth if self.layers is None else max(self.layers) + 1
