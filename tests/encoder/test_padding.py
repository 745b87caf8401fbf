"""Attention in padded rectangles, as training computes it: what the packed groups give, gradients too."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from ambos.data.batch import Batch
from ambos.data.rectangles import Rectangles
from ambos.encoder import attention, encoder
from ambos.encoder.attention import Attention
from ambos.encoder.build import build_encoder, initialise
from ambos.encoder.padding import padded, unpadded
from ambos.encoder.positions import Rotary
from ambos.encoder.presets import preset

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


@given(lengths=LENGTHS, more=st.integers(0, 5))
def test_there_and_back_with_gradients(lengths: list[int], more: int) -> None:
    """Rows that follow the tokens take no part: whatever they hold, and whatever is made of them."""
    tokens = sum(lengths)
    rectangles, rows = Rectangles.of(lengths), torch.randn(tokens + more, 3, requires_grad=True)
    parts = [part.flatten(0, 1) for part in padded(rows, rectangles)]
    back = unpadded(parts, rectangles, len(rows))
    assert back.shape == rows.shape
    assert torch.equal(back[:tokens], rows[:tokens])
    weights = torch.randn_like(rows)
    (back * weights).sum().backward()
    assert rows.grad is not None
    assert torch.equal(rows.grad[:tokens], weights[:tokens])
    assert not rows.grad[tokens:].any()


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


@pytest.mark.parametrize("read", [False, True])
def test_rounding_the_rows_changes_nothing(monkeypatch: pytest.MonkeyPatch, read: bool) -> None:
    """An encoder in training has a multiple of 32 rows; what it gives, and all gradients, are the same."""
    lengths = [31, 30, 30, 24, 20, 19, 18, 11, 7, 5, 2, 1]  # 198 tokens
    batch = Batch.pack([list(range(1, length + 1)) for length in lengths])
    shape = replace(
        preset("bert-tiny").encoder, vocab_size=50, dropout=0.0, attention_dropout=0.0, embedding_dropout=0.0
    )
    built = build_encoder(shape)
    initialise(built, 0.02, torch.Generator().manual_seed(0))
    places = batch.first_tokens() if read else None
    seen: list[int] = []
    built.layers[0].register_forward_hook(lambda _, given, __: seen.append(len(given[0])))

    def run() -> tuple[Tensor, list[Tensor]]:
        out = built.train()(batch, read=places, layers=[0, 1])
        assert [len(out.layers[layer]) for layer in (0, 1)] == [198, 198]
        return out.last.detach(), list(torch.autograd.grad((out.last**2).sum(), list(built.parameters())))

    out, gradients = run()
    monkeypatch.setattr(encoder, "_ROWS", 1)
    plain, expected = run()
    assert seen == [224, 198]
    assert len(out) == (len(lengths) if read else 198)
    torch.testing.assert_close(out, plain, atol=2e-6, rtol=1e-5)
    for ours, theirs in zip(gradients, expected, strict=True):
        torch.testing.assert_close(ours, theirs, atol=2e-5, rtol=1e-4)


def test_only_while_training() -> None:
    """What a model says does not depend on padding: evaluation stays packed."""
    batch = Batch.pack([list(range(1, length + 1)) for length in (9, 8, 7, 6, 5, 4, 3)])
    module = Attention(16, 4)
    assert module.train()._in_rectangles(batch)
    assert not module.eval()._in_rectangles(batch)
    assert not Attention(16, 4, causal=True).train()._in_rectangles(batch)
    assert not Attention(16, 4, window=4).train()._in_rectangles(batch)
