"""Published shapes have the published number of parameters; shapes that cannot be built are refused."""

import math
from collections.abc import Callable
from functools import partial

import pytest
import torch
import transformers
from torch import nn

from ambos.encoder.build import build_encoder
from ambos.encoder.config import EncoderConfig
from ambos.encoder.presets import PRESETS, preset
from ambos.errors import InputError, UsageError
from tests.encoder.reference import base

LARGE = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}


def bert(vocab_size: int = 30_522, **values: int) -> nn.Module:
    config = transformers.BertConfig(vocab_size=vocab_size, **values)
    return transformers.BertModel(config, add_pooling_layer=False)


def small_bert(width: int, depth: int) -> nn.Module:
    return bert(
        hidden_size=width,
        num_hidden_layers=depth,
        num_attention_heads=width // 64,
        intermediate_size=4 * width,
    )


def roberta(**values: int) -> nn.Module:
    config = transformers.RobertaConfig(
        vocab_size=50_265, max_position_embeddings=514, type_vocab_size=1, **values
    )
    return transformers.RobertaModel(config, add_pooling_layer=False)


def xlm_roberta(**values: int) -> nn.Module:
    config = transformers.XLMRobertaConfig(
        vocab_size=250_002, max_position_embeddings=514, type_vocab_size=1, **values
    )
    return transformers.XLMRobertaModel(config, add_pooling_layer=False)


def albert() -> nn.Module:
    config = transformers.AlbertConfig(
        vocab_size=30_000,
        embedding_size=128,
        hidden_size=768,
        num_hidden_layers=12,
        num_hidden_groups=1,
        num_attention_heads=12,
        intermediate_size=3072,
        inner_group_num=1,
    )
    return transformers.AlbertModel(config, add_pooling_layer=False)


def electra(**values: int) -> nn.Module:
    return transformers.ElectraModel(transformers.ElectraConfig(vocab_size=30_522, **values))


def modernbert(**values: int) -> nn.Module:
    return transformers.ModernBertModel(transformers.ModernBertConfig(vocab_size=50_368, **values))


PUBLISHED: dict[str, Callable[[], nn.Module]] = {
    "bert-tiny": partial(small_bert, 128, 2),
    "bert-mini": partial(small_bert, 256, 4),
    "bert-small": partial(small_bert, 512, 4),
    "bert-medium": partial(small_bert, 512, 8),
    "bert-base": bert,
    "bert-large": partial(bert, **LARGE),
    "bertimbau-base": partial(bert, 29_794),
    "bertimbau-large": partial(bert, 29_794, **LARGE),
    "spanbert-base": partial(bert, 28_996),
    "spanbert-large": partial(bert, 28_996, **LARGE),
    "distilbert-base": lambda: transformers.DistilBertModel(
        transformers.DistilBertConfig(vocab_size=30_522, dim=768, n_layers=6, n_heads=12, hidden_dim=3072)
    ),
    "roberta-base": roberta,
    "roberta-large": partial(roberta, **LARGE),
    "xlm-roberta-base": xlm_roberta,
    "xlm-roberta-large": partial(xlm_roberta, **LARGE),
    "albert-base": albert,
    "electra-small": partial(
        electra,
        embedding_size=128,
        hidden_size=256,
        num_hidden_layers=12,
        num_attention_heads=4,
        intermediate_size=1024,
    ),
    "electra-base": partial(
        electra,
        embedding_size=768,
        hidden_size=768,
        num_hidden_layers=12,
        num_attention_heads=12,
        intermediate_size=3072,
    ),
    "electra-large": partial(electra, embedding_size=1024, **LARGE),
    "modernbert-base": partial(
        modernbert,
        hidden_size=768,
        num_hidden_layers=22,
        num_attention_heads=12,
        intermediate_size=1152,
    ),
    "modernbert-large": partial(
        modernbert,
        hidden_size=1024,
        num_hidden_layers=28,
        num_attention_heads=16,
        intermediate_size=2624,
    ),
}


def parameters(module: nn.Module) -> int:
    assert all(weight.is_meta for weight in module.parameters())
    return sum(weight.numel() for weight in module.parameters())


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_the_published_number_of_parameters(name: str) -> None:
    """To the last one, without the pooler, which is a head; and nothing is allocated to count them."""
    with torch.device("meta"):
        ours, theirs = build_encoder(preset(name).encoder), PUBLISHED[name]()
        assert parameters(ours) == parameters(theirs)


def test_a_number_known_by_heart() -> None:
    """BERT base: 109,482,240 with the pooler of 768 * 768 + 768."""
    with torch.device("meta"):
        assert parameters(build_encoder(preset("bert-base").encoder)) == 109_482_240 - 590_592


def test_presets_say_what_they_carry() -> None:
    assert PRESETS.keys() == PUBLISHED.keys()
    for shape in PRESETS.values():
        assert shape.tokenizer in {"wordpiece", "bpe", "unigram"}
        assert shape.objective
        assert shape.about


def test_every_third_layer_of_modernbert_is_global() -> None:
    for name in ("modernbert-base", "modernbert-large"):
        config = preset(name).encoder
        layers = set(range(config.depth)) - set(config.local_layers)
        assert layers == set(range(0, config.depth, 3))
        assert config.window == 64


@pytest.mark.parametrize(
    ("typed", "meant"), [("brt-base", "bert-base"), ("modernbert-larg", "modernbert-large")]
)
def test_a_misspelt_preset_is_recognised(typed: str, meant: str) -> None:
    with pytest.raises(UsageError) as caught:
        preset(typed)
    assert f"there is no preset '{typed}'" in str(caught.value)
    assert f"did you mean {meant}" in str(caught.value)


def test_a_preset_unlike_any_other_is_answered_with_the_list() -> None:
    with pytest.raises(UsageError) as caught:
        preset("zzz")
    assert all(name in str(caught.value) for name in PRESETS)


# What cannot be built.

ABSURD = [
    ({"width": 10, "heads": 3}, "width 10 is not a multiple of 3 heads"),
    ({"depth": 10**9}, "depth is 1,000,000,000"),
    ({"vocab_size": 10**12}, "vocab_size is 1,000,000,000,000"),
    ({"depth": 0}, "depth is 0"),
    ({"heads": 0}, "heads is 0"),
    ({"width": -8}, "width is -8"),
    ({"heads": -2}, "heads is -2"),
    ({"inner_width": -1}, "inner_width is -1"),
    ({"context": -1}, "context is -1"),
    ({"segments": -1}, "segments is -1"),
    ({"token_width": 0}, "token_width is 0"),
    ({"token_width": 10**9}, "token_width is 1,000,000,000"),
    ({"width": 15, "heads": 3, "positions": "rotary"}, "even head width, not 5"),
    ({"dropout": 1.5}, "dropout is 1.5"),
    ({"dropout": 1.0}, "dropout is 1.0"),
    ({"attention_dropout": -0.1}, "attention_dropout is -0.1"),
    ({"embedding_dropout": math.nan}, "embedding_dropout is nan"),
    ({"inner_dropout": math.inf}, "inner_dropout is inf"),
    ({"norm_eps": -1.0}, "norm_eps is -1.0"),
    ({"norm_eps": math.nan}, "norm_eps is nan"),
    ({"local_layers": (0,)}, "window"),
    ({"local_layers": (0,), "window": -1}, "window"),
    ({"layers": (0,)}, "1 layer numbers for a depth of 2"),
    ({"layers": ()}, "0 layer numbers for a depth of 2"),
    ({"layers": (0, -1)}, "layer"),
    ({"width": True}, "width is True"),
    ({"width": 12.0}, "width is 12.0"),
    ({"width": "12"}, "width is '12'"),
    ({"vocab_size": None}, "vocab_size is None"),
    # Numbers that no layer has, names that no part has.
    ({"layers": (0, 2)}, "layer"),
    ({"layers": (0, 10**9)}, "layer"),
    ({"local_layers": (2,), "window": 1}, "local"),
    ({"local_layers": (-1,), "window": 1}, "local"),
    ({"positions": "absolute"}, "positions"),
    ({"activation": "swish"}, "activation"),
    ({"position_offset": -1}, "position_offset"),
    ({"position_offset": 10**12}, "position_offset"),
    ({"rotary_base": 0.0, "positions": "rotary"}, "rotary_base"),
    ({"rotary_base_local": -1.0, "positions": "rotary"}, "rotary_base_local"),
    ({"initial_std": -0.02}, "initial_std"),
    # Values of a wrong kind besides the sizes.
    ({"token_width": "128"}, "token_width"),
    ({"token_width": 12.0}, "token_width"),
    ({"token_width": True}, "token_width"),
    ({"position_offset": 1.5}, "position_offset"),
    ({"window": 1.5, "local_layers": (0,)}, "window"),
    ({"window": "64", "local_layers": (0,)}, "window"),
    ({"layers": (0, 1.0)}, "layer"),
    ({"dropout": "0.1"}, "dropout"),
    ({"dropout": None}, "dropout"),
    ({"norm_eps": "1e-12"}, "norm_eps"),
]


@pytest.mark.parametrize(("changes", "problem"), ABSURD, ids=[str(changes) for changes, _ in ABSURD])
def test_absurd_shapes_are_refused(changes: dict[str, object], problem: str) -> None:
    with pytest.raises(InputError) as caught:
        base(**changes)
    assert problem in caught.value.found


@pytest.mark.parametrize(
    "changes",
    [
        {"segments": 0},
        {"token_width": 1},
        {"width": 15, "heads": 3},
        {"dropout": 0.0},
        {"norm_eps": 0.0},
        {"layers": (1, 0)},
        {"local_layers": (0, 1), "window": 0},
        {"depth": 1, "heads": 1, "width": 1, "inner_width": 1, "context": 1, "vocab_size": 1},
    ],
    ids=str,
)
def test_odd_but_possible_shapes_are_built(changes: dict[str, object]) -> None:
    with torch.device("meta"):
        build_encoder(base(**changes))


def problems(**changes: object) -> str:
    with pytest.raises(InputError) as caught:
        base(**changes)
    return str(caught.value.found)


def test_all_problems_are_named_at_once() -> None:
    found = problems(
        vocab_size=10**12, width=10, heads=3, depth=-1, dropout=1.5, inner_dropout=-1.0, norm_eps=2.0
    )
    for name in ("vocab_size", "width 10", "depth", "; dropout is 1.5", "inner_dropout", "norm_eps"):
        assert name in found


def test_a_value_of_a_wrong_kind_does_not_hide_the_other_problems() -> None:
    found = problems(vocab_size="many", depth=2.0, heads=True, context=-1, dropout=1.5)
    for name in ("vocab_size is 'many'", "depth is 2.0", "heads is True", "context is -1", "dropout is 1.5"):
        assert name in found


def test_the_refusal_names_the_family() -> None:
    with pytest.raises(InputError, match="modernbert"):
        EncoderConfig("modernbert", vocab_size=0, width=8, depth=1, heads=1, inner_width=8, context=8)
