"""The span boundary objective: every token of a span from the two beside it and its number in the span."""

from dataclasses import replace

import pytest
import torch

from tests.objectives.models import boundary_logits, hidden, masked_batch, model, row, surprise

torch.set_num_threads(1)
LENGTHS = [16, 16, 16, 11, 11, 7, 3]


def direct(pretraining, masked) -> list[torch.Tensor]:
    """-log P of every chosen token; its span is found by walking over the chosen ones."""
    h = hidden(pretraining.encoder, masked.batch)
    objective = pretraining.objectives[0]
    chosen = set(masked.places.tolist())
    found = []
    for place, label in zip(masked.places.tolist(), masked.labels.tolist(), strict=True):
        left, right = place, place
        while left in chosen:
            left -= 1
        while right in chosen:
            right += 1
        logits = boundary_logits(objective, h[left], h[right], place - left - 1)
        found.append(surprise(logits, label))
    return found


def test_the_loss_is_the_mean_over_the_chosen_tokens() -> None:
    masked, pretraining = masked_batch(LENGTHS, spans=True), model("span_boundary")
    surprises = direct(pretraining, masked)
    assert int(masked.offsets.max()) >= 3
    loss, _ = pretraining(masked, masked.counts)
    assert torch.allclose(loss, sum(surprises) / len(surprises), rtol=1e-9)
    expected = torch.autograd.grad(sum(surprises) / len(surprises), list(pretraining.parameters()))
    found = torch.autograd.grad(loss, list(pretraining.parameters()))
    for one, two in zip(found, expected, strict=True):
        assert torch.allclose(one, two, rtol=1e-7, atol=1e-10)


def test_measuring_adds_up() -> None:
    masked, pretraining = masked_batch(LENGTHS, spans=True, seed=3), model("span_boundary")
    found = pretraining.measure(masked, ["span_boundary"])["span_boundary"]
    assert found.count == len(masked.places)
    assert abs(found.loss - sum(direct(pretraining, masked)).item()) < 1e-9 * found.loss
    h = hidden(pretraining.encoder, masked.batch)
    logits = boundary_logits(pretraining.objectives[0], h[masked.left], h[masked.right], masked.offsets)
    assert pretraining.measure(replace(masked, labels=logits.argmax(-1)), ["span_boundary"])[
        "span_boundary"
    ].right == len(masked.places)
    assert found.right == int((logits.argmax(-1) == masked.labels).sum())


def test_tokens_far_into_a_span_share_the_last_position() -> None:
    masked, pretraining = masked_batch(LENGTHS, spans=True), model("span_boundary")
    last = len(pretraining.objectives[0].position.weight) - 1
    assert last >= 10 * 5  # ten words of many tokens
    far = [
        replace(masked, offsets=row([offset] * len(masked.places))) for offset in (last - 1, last, last + 99)
    ]
    before, at, beyond = (pretraining(one, one.counts)[0] for one in far)
    assert torch.equal(at, beyond)
    assert not torch.allclose(before, at)


def test_it_needs_spans() -> None:
    masked, pretraining = masked_batch(LENGTHS), model("span_boundary")
    with pytest.raises(ValueError, match="span corruption"):
        pretraining(masked, masked.counts)


def test_the_output_layer_is_that_of_the_masked_language_model() -> None:
    pretraining = model("mlm", "span_boundary")
    mlm, boundary = pretraining.objectives
    assert boundary.out is mlm.head.out
    masked = masked_batch(LENGTHS, spans=True)
    pretraining(masked, masked.counts)[0].backward()
    assert mlm.head.out.weight is pretraining.encoder.embeddings.token.weight
    assert pretraining.encoder.embeddings.token.weight.grad.abs().sum() > 0
