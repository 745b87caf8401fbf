"""How two segments belong together: softmax over two classes of the pooled first token of each pair."""

import pytest
import torch

from ambos.objectives.relation import SegmentRelation
from tests.objectives.models import hidden, masked_batch, model, relation_logits, surprise

torch.set_num_threads(1)
LENGTHS = [16, 16, 11, 7, 7, 3, 3, 2]


def test_the_loss_is_the_mean_over_the_pairs() -> None:
    masked, pretraining = masked_batch(LENGTHS), model("next")
    first = hidden(pretraining.encoder, masked.batch)[list(masked.batch.starts)[::2]]
    logits = relation_logits(pretraining.objectives[0], first)
    assert len(logits) == len(masked.relation) == 4
    surprises = [surprise(row, label) for row, label in zip(logits, masked.relation.tolist(), strict=True)]
    loss, parts = pretraining(masked, masked.counts)
    assert torch.allclose(loss, sum(surprises) / 4, rtol=1e-9)
    assert torch.equal(parts, loss.detach()[None])
    found = torch.autograd.grad(loss, list(pretraining.parameters()), allow_unused=True)
    expected = torch.autograd.grad(sum(surprises) / 4, list(pretraining.parameters()), allow_unused=True)
    for one, two in zip(found, expected, strict=True):
        assert (one is None) == (two is None)
        assert one is None or torch.allclose(one, two, rtol=1e-7, atol=1e-10)


def test_measuring_counts_the_pairs_told_right() -> None:
    masked, pretraining = masked_batch(LENGTHS), model("next")
    logits = relation_logits(
        pretraining.objectives[0], hidden(pretraining.encoder, masked.batch)[masked.pairs]
    )
    right = (logits[:, 1] > logits[:, 0]).long()
    for flipped in range(5):
        told = torch.where(torch.arange(4) < flipped, 1 - right, right)
        found = pretraining.measure(type(masked)(**(vars(masked) | {"relation": told})), ["next"])["next"]
        assert (found.right, found.count) == (4 - flipped, 4)
        expected = sum(surprise(row, label) for row, label in zip(logits, told.tolist(), strict=True))
        assert abs(found.loss - expected.item()) < 1e-9


@pytest.mark.parametrize("name", ["next", "order"])
def test_the_name_says_what_the_data_asks(name: str) -> None:
    objective = model("next").objectives[0]
    assert SegmentRelation(name, objective.pooler, objective.head).name == name
    assert objective.unit == "pairs"
