"""Objectives together: one loss, the same however a step is cut into parts."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from ambos.data.corruption import CorruptionSettings
from ambos.data.feed import Feed, FeedSettings, MaskedBatch, Place, total_counts
from ambos.data.parts import whole
from ambos.objectives.objective import Measured, Pretraining
from ambos.text.tokenizer import Tokenizer
from ambos.train.optim import Optimiser, OptimSettings
from tests.data.stores import random_documents, temporary_store
from tests.encoder import reference
from tests.objectives import models
from tests.objectives.models import masked_batch, model, one_by_one, row

torch.set_num_threads(1)
ANY_TIME = settings(deadline=None)
ALL = ("mlm", "next", "span_boundary")
LENGTHS = [16, 16, 11, 7, 7, 3]


def gradients(pretraining: Pretraining, parts: Sequence[MaskedBatch]) -> tuple[Tensor, dict[str, Tensor]]:
    """Loss and gradients of a step, added up over its parts."""
    totals = total_counts(parts)
    pretraining.zero_grad()
    sums = torch.zeros(len(pretraining.objectives), dtype=torch.float64)
    for masked in parts:
        loss, losses = pretraining(masked, totals)
        loss.backward()
        sums += losses
    return sums, {
        name: weight.grad.clone()
        for name, weight in pretraining.named_parameters()
        if weight.grad is not None
    }


def test_the_loss_is_the_weighted_sum_of_the_means() -> None:
    weights = (1.0, 0.5, 2.0)
    masked = masked_batch(LENGTHS, spans=True)
    pretraining = model(*ALL, weights=weights)
    loss, losses = pretraining(masked, masked.counts)
    alone = []
    for objective in pretraining.objectives:
        one = Pretraining(pretraining.encoder, {objective: 1.0})
        alone.append(one(masked, masked.counts)[0])
    assert torch.allclose(losses, torch.stack(alone), rtol=1e-12)
    assert torch.allclose(
        loss, sum(weight * part for weight, part in zip(weights, alone, strict=True)), rtol=1e-12
    )
    assert not losses.requires_grad
    found = torch.autograd.grad(loss, list(pretraining.encoder.parameters()))
    for number, weight in enumerate(pretraining.encoder.parameters()):
        parts = [torch.autograd.grad(part, weight, retain_graph=True)[0] for part in alone]
        expected = sum(share * part for share, part in zip(weights, parts, strict=True))
        assert torch.allclose(found[number], expected, rtol=1e-8, atol=1e-11)


def test_means_are_over_what_each_objective_counts() -> None:
    masked = masked_batch(LENGTHS, spans=True)
    pretraining = model(*ALL)
    _, losses = pretraining(masked, masked.counts)
    _, more = pretraining(
        masked, {"tokens": 1, "chosen": 10 * len(masked.places), "pairs": len(masked.pairs)}
    )
    assert torch.allclose(more, losses * torch.tensor([0.1, 1.0, 0.1], dtype=torch.float64), rtol=1e-12)


@given(lengths=st.lists(st.integers(1, 16), min_size=1, max_size=9), seed=st.integers(0, 50))
@ANY_TIME
def test_a_batch_and_its_sequences_one_by_one_give_the_same(lengths: list[int], seed: int) -> None:
    """Also where some of them have nothing to find."""
    masked = masked_batch(lengths, seed=seed, spans=True)
    pretraining = model(*ALL, seed=seed % 3)
    together, wanted = gradients(pretraining, [masked])
    apart, found = gradients(pretraining, one_by_one(masked))
    assert torch.allclose(together, apart, rtol=1e-9, atol=1e-12)
    assert found.keys() == wanted.keys()
    for name, one in wanted.items():
        assert torch.allclose(one, found[name], rtol=1e-7, atol=1e-10), name


@pytest.fixture(scope="module")
def tokenizer(tokenizer_folder: Callable[[str], Path]) -> Tokenizer:
    return Tokenizer.load(tokenizer_folder("wordpiece"))


@pytest.fixture(scope="module")
def feed(tokenizer: Tokenizer) -> Feed:
    """Pairs of sentences of all lengths, spans hidden in them."""
    documents = random_documents(0, 80, 12, 20)
    total = sum(sum(sizes) for _, sizes in documents)
    chance = np.random.default_rng(0)
    store = temporary_store(
        documents, tokens=chance.integers(5, 2000, total), words=chance.random(total) < 0.6
    )
    how = FeedSettings("pairs", "next", short=0.5, corruption=CorruptionSettings("span", rate=0.2))
    return Feed(whole(store, measuring=False), tokenizer, how)


def trained(feed: Feed, parts: int, dtype: torch.dtype, steps: int, vocab: int) -> dict[str, Tensor]:
    """The weights after some steps of AdamW, each cut into so many parts."""
    changed = {
        "vocab_size": vocab,
        "context": 64,
        "dropout": 0.0,
        "attention_dropout": 0.0,
        "embedding_dropout": 0.0,
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "CONFIG", reference.base(segments=2, **changed))
        pretraining = model(*ALL, weights=(1.0, 0.7, 0.3)).to(dtype)
    optimiser = Optimiser(pretraining, OptimSettings(lr=1e-3))
    place = Place()
    for _ in range(steps):
        batches, place = feed.step(place, sequences=24, length=64, budget=10**6, parts=parts)
        assert len(batches) >= parts
        assert parts > 1 or len(batches) == 1
        assert len({length for masked in batches for length in masked.batch.lengths}) > 8
        gradients(pretraining, batches)
        optimiser.step(1.0)
    return {name: weight.detach() for name, weight in pretraining.named_parameters()}


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["double", "single"])
def test_the_weights_do_not_depend_on_the_parts_of_a_step(
    dtype: torch.dtype, feed: Feed, tokenizer: Tokenizer
) -> None:
    steps = 3 if dtype == torch.float64 else 1
    once = trained(feed, 1, dtype, steps, tokenizer.vocab_size)
    start = trained(feed, 1, dtype, 0, tokenizer.vocab_size)
    moved = [float((once[name] - start[name]).abs().max()) for name in once]
    assert min(moved) > 5e-4
    for parts in (2, 4, 8):
        for name, weight in trained(feed, parts, dtype, steps, tokenizer.vocab_size).items():
            assert float((weight - once[name]).abs().max()) < 1e-6, (parts, name)


def test_a_batch_without_anything_to_find_costs_nothing_and_does_no_harm() -> None:
    """A short sequence may have no chosen token; every weight still gets a gradient, of 0."""
    masked = masked_batch([5, 3], rate=0.0, pairs=False, spans=True)
    masked = replace(masked, left=row([]), right=row([]), offsets=row([]))
    assert masked.counts == {"tokens": 8, "chosen": 0, "pairs": 0}
    pretraining = model(*ALL)
    loss, losses = pretraining(masked, {"tokens": 99, "chosen": 7, "pairs": 3})
    loss.backward()
    assert losses.tolist() == [0, 0, 0]
    for name, weight in pretraining.named_parameters():
        assert weight.grad is not None, name
        assert not weight.grad.any(), name
    found = pretraining.measure(masked, ALL)
    assert found == dict.fromkeys(ALL, Measured(0.0, 0, 0))


def test_a_step_without_pairs_has_no_loss_of_pairs() -> None:
    masked = masked_batch(LENGTHS, pairs=False)
    pretraining = model("mlm", "next")
    loss, losses = pretraining(masked, masked.counts)
    assert losses[1] == 0
    assert torch.equal(loss.detach(), losses[0])


def test_measuring_gives_what_is_asked() -> None:
    masked = masked_batch(LENGTHS, spans=True)
    pretraining = model(*ALL)
    both = pretraining.measure(masked, ["span_boundary", "next"])
    assert set(both) == {"next", "span_boundary"}
    assert both["next"].count == 3
    assert both["span_boundary"].count == len(masked.places)
    assert pretraining.measure(masked, ALL)["next"] == both["next"]
    summed: dict[str, Measured] = {}
    for one in one_by_one(masked):
        for name, found in pretraining.measure(one, ALL).items():
            summed[name] = summed[name] + found if name in summed else found
    for name, found in pretraining.measure(masked, ALL).items():
        assert (summed[name].right, summed[name].count) == (found.right, found.count)
        assert abs(summed[name].loss - found.loss) < 1e-9
