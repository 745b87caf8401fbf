"""Weights laid out for inference give what plain ones give."""

from dataclasses import replace

import pytest
import torch

from ambos.data.batch import Batch
from ambos.encoder.build import build_encoder, initialise
from ambos.encoder.config import EncoderConfig
from ambos.encoder.linear import ACTIVATIONS, Linear
from ambos.encoder.packed import PackedLinear, can_pack, pack

pytestmark = pytest.mark.skipif(not can_pack(torch.device("cpu")), reason="this build of torch has no oneDNN")

BASE = EncoderConfig("bert", 50, 24, 2, 4, 40, 64, segments=2)


@pytest.mark.parametrize("activation", [None, *ACTIVATIONS])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("rows", [1, 7, 300])
def test_a_packed_layer_is_the_plain_one(activation: str | None, bias: bool, rows: int) -> None:
    torch.manual_seed(0)
    linear = Linear(33, 17, bias=bias, activation=activation).eval()
    packed = PackedLinear(linear)
    x, residual = torch.randn(rows, 33), torch.randn(rows, 17)
    with torch.inference_mode():
        kept = residual.clone()
        assert torch.allclose(packed(x), linear(x), atol=1e-6)
        assert torch.allclose(packed(x, residual), linear(x, residual), atol=1e-6)
        assert torch.equal(residual, kept)


@pytest.mark.parametrize(
    "config",
    [
        BASE,
        replace(BASE, family="albert", token_width=10, layers=(0, 0), activation="gelu_tanh"),
        replace(
            BASE, family="modernbert", segments=0, positions="rotary", norm_first=True, norm_bias=False,
            gated=True, attention_bias=False, feed_forward_bias=False, local_layers=(1,), window=3,
        ),
    ],
    ids=lambda config: config.family,
)  # fmt: skip
def test_a_packed_encoder_is_the_plain_one(config: EncoderConfig) -> None:
    torch.manual_seed(0)
    encoder = build_encoder(config).eval()
    initialise(encoder, 0.2)
    batch = Batch.pack([[5, 6, 7], [8], [9] * 40, [10] * 40])
    with torch.inference_mode():
        plain, read = encoder(batch).last, encoder(batch, read=batch.first_tokens()).last
        pack(encoder)
        assert not any(type(part) is Linear for part in encoder.modules())
        assert torch.allclose(encoder(batch).last, plain, atol=1e-5)
        assert torch.allclose(encoder(batch, read=batch.first_tokens()).last, read, atol=1e-5)


def test_a_shared_token_table_is_left_alone() -> None:
    network = torch.nn.ModuleDict({"table": torch.nn.Embedding(9, 4), "out": Linear(4, 9)})
    network["out"].weight = network["table"].weight
    pack(network)
    assert type(network["out"]) is Linear
