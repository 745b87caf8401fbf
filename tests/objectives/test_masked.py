"""Masked language modelling: the mean of -log P(x_i) over the chosen tokens, and over no others."""

import torch

from ambos.objectives.objective import Measured
from tests.objectives.models import hidden, masked_batch, masked_logits, model, surprise

torch.set_num_threads(1)
LENGTHS = [16, 16, 11, 7, 7, 3]


def test_the_loss_is_the_mean_over_the_chosen_tokens_only() -> None:
    masked, pretraining = masked_batch(LENGTHS), model("mlm")
    mlm = pretraining.objectives[0]
    logits = masked_logits(mlm, hidden(pretraining.encoder, masked.batch))
    chosen = dict(zip(masked.places.tolist(), masked.labels.tolist(), strict=True))
    assert 5 < len(chosen) < masked.batch.tokens / 2
    surprises = [surprise(logits[place], label) for place, label in chosen.items()]
    loss, parts = pretraining(masked, masked.counts)
    assert torch.allclose(loss, sum(surprises) / len(surprises), rtol=1e-9)
    assert torch.equal(parts, loss.detach()[None])


def test_the_gradient_is_that_of_the_direct_computation() -> None:
    masked, pretraining = masked_batch(LENGTHS, seed=1), model("mlm", seed=1)
    named = dict(pretraining.named_parameters())
    loss, _ = pretraining(masked, masked.counts)
    found = torch.autograd.grad(loss, list(named.values()))
    logits = masked_logits(pretraining.objectives[0], hidden(pretraining.encoder, masked.batch))
    direct = sum(
        surprise(logits[place], label)
        for place, label in zip(masked.places.tolist(), masked.labels.tolist(), strict=True)
    ) / len(masked.places)
    expected = torch.autograd.grad(direct, list(named.values()))
    assert "encoder.embeddings.token.weight" in named  # also the weight of the output layer: counted once
    assert "objectives.0.head.out.weight" not in named
    for name, one, two in zip(named, found, expected, strict=True):
        assert torch.allclose(one, two, rtol=1e-7, atol=1e-10), name


def test_a_loss_is_a_share_of_its_step() -> None:
    masked, pretraining = masked_batch(LENGTHS), model("mlm")
    whole, _ = pretraining(masked, masked.counts)
    half, _ = pretraining(masked, masked.counts | {"chosen": 2 * masked.counts["chosen"]})
    assert torch.allclose(half, whole / 2, rtol=1e-12)


def test_measuring_counts_and_adds_up() -> None:
    masked, pretraining = masked_batch(LENGTHS), model("mlm")
    logits = masked_logits(pretraining.objectives[0], hidden(pretraining.encoder, masked.batch))[
        masked.places
    ]
    likeliest = logits.argmax(-1)
    labels = torch.where(torch.arange(len(likeliest)) % 3 == 0, likeliest, (likeliest + 1) % 50)
    masked = type(masked)(**(vars(masked) | {"labels": labels}))
    found = pretraining.measure(masked, ["mlm"])["mlm"]
    surprises = [surprise(row, label) for row, label in zip(logits, labels.tolist(), strict=True)]
    assert found.count == len(masked.places)
    assert found.right == -(-len(masked.places) // 3)
    assert abs(found.loss - sum(surprises).item()) < 1e-9 * found.loss
    twice = found + found
    assert twice == Measured(2 * found.loss, 2 * found.right, 2 * found.count)


def test_measuring_leaves_no_gradients() -> None:
    masked, pretraining = masked_batch(LENGTHS), model("mlm")
    pretraining.measure(masked, ["mlm"])
    assert all(weight.grad is None for weight in pretraining.parameters())
