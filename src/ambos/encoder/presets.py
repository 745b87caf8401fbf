"""Published encoders by name, with the sizes they were published with."""

from dataclasses import dataclass, replace
from typing import Any

from ambos.encoder.config import EncoderConfig
from ambos.errors import UsageError
from ambos.suggest import did_you_mean


@dataclass(frozen=True)
class Preset:
    """A published shape.

    Parameters
    ----------
    encoder
        The shape of the stack.
    tokenizer
        What its vocabulary was learnt with: wordpiece, bpe or unigram.
    objective
        What it was pretrained on: the head it carries besides the encoder.
    about
        One phrase for the list.
    """

    encoder: EncoderConfig
    tokenizer: str
    objective: str
    about: str


_BERT = EncoderConfig(
    family="bert",
    vocab_size=30_522,
    width=768,
    depth=12,
    heads=12,
    inner_width=3072,
    context=512,
    segments=2,
)
_LARGE: dict[str, Any] = {"width": 1024, "depth": 24, "heads": 16, "inner_width": 4096}
_ROBERTA = replace(_BERT, family="roberta", vocab_size=50_265, segments=1, position_offset=2, norm_eps=1e-5)
_XLM_ROBERTA = replace(_ROBERTA, family="xlm-roberta", vocab_size=250_002)
_ALBERT = replace(
    _BERT,
    family="albert",
    vocab_size=30_000,
    token_width=128,
    layers=(0,) * 12,
    activation="gelu_tanh",
    dropout=0.0,
    attention_dropout=0.0,
    embedding_dropout=0.0,
)
_ELECTRA = replace(_BERT, family="electra")
_MODERNBERT = EncoderConfig(
    family="modernbert",
    vocab_size=50_368,
    width=768,
    depth=22,
    heads=12,
    inner_width=1152,
    context=8192,
    positions="rotary",
    norm_first=True,
    norm_eps=1e-5,
    norm_bias=False,
    gated=True,
    attention_bias=False,
    feed_forward_bias=False,
    local_layers=tuple(layer for layer in range(22) if layer % 3),
    window=64,
    rotary_base=160_000.0,
    dropout=0.0,
    attention_dropout=0.0,
    embedding_dropout=0.0,
)


def _small(width: int, depth: int) -> EncoderConfig:
    """Return one of the compact BERTs (Turc et al. 2019): heads of 64, inner width four times the width."""
    return replace(_BERT, width=width, depth=depth, heads=width // 64, inner_width=4 * width)


PRESETS: dict[str, Preset] = {
    "bert-tiny": Preset(_small(128, 2), "wordpiece", "mlm+next", "Turc et al. 2019, uncased"),
    "bert-mini": Preset(_small(256, 4), "wordpiece", "mlm+next", "Turc et al. 2019, uncased"),
    "bert-small": Preset(_small(512, 4), "wordpiece", "mlm+next", "Turc et al. 2019, uncased"),
    "bert-medium": Preset(_small(512, 8), "wordpiece", "mlm+next", "Turc et al. 2019, uncased"),
    "bert-base": Preset(_BERT, "wordpiece", "mlm+next", "Devlin et al. 2019, uncased"),
    "bert-large": Preset(replace(_BERT, **_LARGE), "wordpiece", "mlm+next", "Devlin et al. 2019, uncased"),
    "bertimbau-base": Preset(
        replace(_BERT, vocab_size=29_794), "wordpiece", "mlm+next", "Souza et al. 2020, Portuguese, cased"
    ),
    "bertimbau-large": Preset(
        replace(_BERT, vocab_size=29_794, **_LARGE),
        "wordpiece",
        "mlm+next",
        "Souza et al. 2020, Portuguese, cased",
    ),
    "spanbert-base": Preset(
        replace(_BERT, vocab_size=28_996), "wordpiece", "mlm", "Joshi et al. 2020, cased, span masking"
    ),
    "spanbert-large": Preset(
        replace(_BERT, vocab_size=28_996, **_LARGE),
        "wordpiece",
        "mlm",
        "Joshi et al. 2020, cased, span masking",
    ),
    "distilbert-base": Preset(
        replace(_BERT, family="distilbert", depth=6, segments=0),
        "wordpiece",
        "mlm",
        "Sanh et al. 2019, uncased",
    ),
    "roberta-base": Preset(_ROBERTA, "bpe", "mlm", "Liu et al. 2019"),
    "roberta-large": Preset(replace(_ROBERTA, **_LARGE), "bpe", "mlm", "Liu et al. 2019"),
    "xlm-roberta-base": Preset(_XLM_ROBERTA, "unigram", "mlm", "Conneau et al. 2020, 100 languages"),
    "xlm-roberta-large": Preset(
        replace(_XLM_ROBERTA, **_LARGE), "unigram", "mlm", "Conneau et al. 2020, 100 languages"
    ),
    "albert-base": Preset(_ALBERT, "unigram", "mlm+next", "Lan et al. 2020, version 2, one shared layer"),
    "electra-small": Preset(
        replace(_ELECTRA, width=256, token_width=128, heads=4, inner_width=1024),
        "wordpiece",
        "replaced",
        "Clark et al. 2020, discriminator",
    ),
    "electra-base": Preset(_ELECTRA, "wordpiece", "replaced", "Clark et al. 2020, discriminator"),
    "electra-large": Preset(
        replace(_ELECTRA, **_LARGE), "wordpiece", "replaced", "Clark et al. 2020, discriminator"
    ),
    "modernbert-base": Preset(_MODERNBERT, "bpe", "mlm", "Warner et al. 2024, rotary, local and global"),
    "modernbert-large": Preset(
        replace(
            _MODERNBERT,
            width=1024,
            depth=28,
            heads=16,
            inner_width=2624,
            local_layers=tuple(layer for layer in range(28) if layer % 3),
        ),
        "bpe",
        "mlm",
        "Warner et al. 2024, rotary, local and global",
    ),
}


def preset(name: str) -> Preset:
    """Return a preset by name.

    Examples
    --------
    >>> preset("bert-tiny").encoder.width
    128
    """
    if name not in PRESETS:
        raise UsageError(
            f"there is no preset {name!r}",
            expected=f"one of {', '.join(PRESETS)}",
            fix=did_you_mean(name, PRESETS) or "ambos presets",
        )
    return PRESETS[name]
