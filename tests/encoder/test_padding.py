"""Attention in padded rectangles, as training computes it: what the packed groups give, gradients too."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from ambos.data.batch import Batch
from ambos.data.rectangles import Rectangles
from ambos.encoder import attention
from ambos.encoder.attention import Attention
from ambos.encoder.padding import padded, unpadded
from ambos.encoder.positions import Rotary

LENGTHS = st.lists(st.integers(1, 40), min_size=1, max_size=20)


@given(lengths=LENGTHS)
def test_every_token_has_its_place_and_padding_is_marked(lengths: list[int]) -> None:
    found = Rectangles.of(lengths)
    assert sum(count for count, _ in found.shapes) == len(lengths)
    assert found.tokens[found.places].tolist() == list(range(sum(lengths)))
    assert int((~found.padding).sum()) == sum(lengths)
    seen = [int(row.sum()) for part in found.masks() for row in part]
    assert seen == lengths
    for (_, length), part in zip(found.shapes, found.masks(), strict=True):
        assert part.flatten(1).sum(1).min() >= 0.75 * length  # little is wasted


@given(lengths=LENGTHS)
def test_there_and_back_with_gradients(lengths: list[int]) -> None:
    rectangles, rows = Rectangles.of(lengths), torch.randn(sum(lengths), 3, requires_grad=True)
    back = unpadded([part.flatten(0, 1) for part in padded(rows, rectangles)], rectangles)
    assert torch.equal(back, rows)
    weights = torch.randn_like(rows)
    (back * weights).sum().backward()
    assert rows.grad is not None
    assert torch.equal(rows.grad, weights)


@pytest.mark.parametrize("rotary", [False, True])
def test_training_gives_what_the_groups_give(monkeypatch: pytest.MonkeyPatch, rotary: bool) -> None:
    torch.manual_seed(0)
    lengths = [31, 30, 30, 24, 20, 19, 18, 11, 7, 5, 2, 1]
    batch = Batch.pack([list(range(1, length + 1)) for length in lengths])
    module = Attention(16, 4, rotary=Rotary(4, base=10_000.0) if rotary else None).train()
    x = torch.randn(batch.tokens, 16)
    weights = torch.randn(batch.tokens, 16)

    def run() -> tuple[Tensor, list[Tensor]]:
        given = x.clone().requires_grad_()
        out = module(given, given, batch)
        gradients = torch.autograd.grad((out * weights).sum(), [given, *module.parameters()])
        return out.detach(), list(gradients)

    assert module._in_rectangles(batch)
    padded_out, padded_gradients = run()
    monkeypatch.setattr(attention, "_GROUPS", 1000)
    assert not module._in_rectangles(batch)
    out, gradients = run()
    torch.testing.assert_close(padded_out, out, atol=2e-6, rtol=1e-5)
    for ours, theirs in zip(padded_gradients, gradients, strict=True):
        torch.testing.assert_close(ours, theirs, atol=2e-5, rtol=1e-4)


def test_only_while_training() -> None:
    """What a model says does not depend on padding: evaluation stays packed."""
    batch = Batch.pack([list(range(1, length + 1)) for length in (9, 8, 7, 6, 5, 4, 3)])
    module = Attention(16, 4)
    assert module.train()._in_rectangles(batch)
    assert not module.eval()._in_rectangles(batch)
    assert not Attention(16, 4, causal=True).train()._in_rectangles(batch)
    assert not Attention(16, 4, window=4).train()._in_rectangles(batch)
