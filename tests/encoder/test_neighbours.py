"""Heads that begin by looking at neighbours: where they look, and that the rest is as ever."""

from dataclasses import replace

import pytest
import torch

from ambos.data.batch import Batch
from ambos.encoder.build import build_encoder, initialise
from ambos.encoder.neighbours import look_at_neighbours
from ambos.encoder.presets import PRESETS

SHAPE = replace(
    PRESETS["modernbert-base"].encoder,
    vocab_size=500,
    width=128,
    depth=2,
    heads=4,
    inner_width=192,
    local_layers=(1,),
    context=64,
)


def made(*, looking: bool):
    encoder = build_encoder(SHAPE)
    initialise(encoder, SHAPE.initial_std, torch.Generator().manual_seed(0))
    if looking:
        look_at_neighbours(encoder)
    return encoder.eval()


@torch.no_grad()
def test_each_head_looks_at_its_neighbour() -> None:
    ids = torch.randint(500, (40,), generator=torch.Generator().manual_seed(1)).tolist()
    batch = Batch.pack([ids])
    plain = made(looking=False)(batch, attention=True).attention
    found = made(looking=True)(batch, attention=True).attention
    inside = torch.arange(2, 38)
    for layer in range(2):
        weights_HLL = found[layer][0]
        for head, offset in enumerate((-1, 1, -2, 2)):
            at_neighbour = weights_HLL[head, inside, inside + offset]
            assert (weights_HLL[head].argmax(-1)[inside] == inside + offset).float().mean() > 0.9
            assert at_neighbour.mean() > 0.25
            assert plain[layer][0][head, inside, inside + offset].mean() < 0.05
        assert torch.allclose(weights_HLL.sum(-1), torch.ones(4, 40), atol=1e-5)


def test_the_same_seed_gives_the_same_weights() -> None:
    one, two = made(looking=True).state_dict(), made(looking=True).state_dict()
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_only_rotary_positions_can() -> None:
    shape = replace(PRESETS["bert-tiny"].encoder, vocab_size=50)
    encoder = build_encoder(shape)
    initialise(encoder, 0.02)
    with pytest.raises(ValueError, match="rotary"):
        look_at_neighbours(encoder)
