"""Counts of parameters are those of `transformers`, to the last one, and parts add up."""

from dataclasses import replace

import pytest
import torch
import transformers
from torch import nn

from ambos.bundle.bundle import Bundle
from ambos.bundle.configs import write_config
from ambos.bundle.counting import count_parameters, count_parts
from ambos.bundle.families import FAMILIES
from ambos.encoder.config import EncoderConfig
from ambos.encoder.presets import PRESETS

SUFFIXES = {"mlm": "ForMaskedLM", "mlm+next": "ForPreTraining", "replaced": "ForPreTraining"}
TINY = EncoderConfig(
    family="bert", vocab_size=50, width=12, depth=2, heads=2, inner_width=20, context=16, segments=2
)


def unique(module: nn.Module) -> int:
    assert all(weight.is_meta for weight in module.parameters())
    return sum(weight.numel() for weight in module.parameters())  # tied ones are one parameter


@pytest.mark.parametrize("name", PRESETS)
def test_presets_count_as_in_transformers(name: str) -> None:
    preset = PRESETS[name]
    family = FAMILIES[preset.encoder.family]
    raw = write_config(preset.encoder)
    config = getattr(transformers, f"{family.class_prefix}Config")(**raw)
    with torch.device("meta"):
        bare = getattr(transformers, f"{family.class_prefix}Model")(config)
        whole = getattr(transformers, family.class_prefix + SUFFIXES[preset.objective])(config)
    assert count_parameters(preset) == (unique(bare), unique(whole))


def test_numbers_known_by_heart() -> None:
    """BERT base as published, with the pooler; BERTimbau and XLM-R by their vocabularies."""
    assert count_parameters(PRESETS["bert-base"])[0] == 109_482_240
    assert count_parameters(PRESETS["bert-large"])[0] == 335_141_888
    assert count_parameters(PRESETS["distilbert-base"])[0] == 66_362_880
    assert count_parameters(PRESETS["bertimbau-base"])[0] == 109_482_240 - (30_522 - 29_794) * 768


@pytest.mark.parametrize("tie", [True, False])
def test_parts_add_up_and_shared_weights_count_once(tie: bool) -> None:
    bundle = Bundle.new(TINY, pooler=True)
    bundle.add_head("mlm")
    head = bundle.network.heads["mlm"]
    if not tie:
        head.out.weight = nn.Parameter(head.out.weight.detach().clone())
    parts = count_parts(bundle.network)
    assert parts == {
        "token embeddings": 50 * 12,
        "other embeddings": 16 * 12 + 2 * 12 + 2 * 12,
        "layers": 2 * (4 * (12 * 12 + 12) + 12 * 20 + 20 + 20 * 12 + 12 + 4 * 12),
        "pooler": 12 * 12 + 12,
        "mlm head": 12 * 12 + 12 + 2 * 12 + 50 + (0 if tie else 50 * 12),
    }
    assert sum(parts.values()) == sum(weight.numel() for weight in bundle.network.parameters())


def test_shared_layers_and_projections_are_counted_where_they_lie() -> None:
    """ALBERT stores one layer and applies it many times; its token vectors are narrow and projected."""
    config = replace(TINY, family="albert", depth=6, layers=(0,) * 6, token_width=5)
    parts = count_parts(Bundle.new(config).network)
    assert parts["layers"] == 4 * (12 * 12 + 12) + 12 * 20 + 20 + 20 * 12 + 12 + 4 * 12
    assert parts["token embeddings"] == 50 * 5
    assert parts["other embeddings"] == (16 + 2 + 2) * 5 + 5 * 12 + 12


def test_a_last_norm_is_a_part_of_its_own() -> None:
    modern = replace(
        TINY,
        family="modernbert",
        segments=0,
        positions="rotary",
        norm_first=True,
        norm_bias=False,
        gated=True,
        dropout=0.0,
        window=4,
    )
    parts = count_parts(Bundle.new(modern).network)
    assert parts["last norm"] == 12
    assert list(parts) == ["token embeddings", "other embeddings", "layers", "last norm"]
