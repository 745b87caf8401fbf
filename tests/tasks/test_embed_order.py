"""Vectors whose cosines have the order of the scores: the loss, and what is refused."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from ambos.bundle.bundle import Bundle
from ambos.errors import InputError, UsageError
from ambos.predict.model import load
from ambos.runs.finetune import Finetuning
from ambos.runs.log import Silent
from ambos.tasks.embed import Embed
from ambos.train.loop import State
from ambos.train.signals import Stop
from tests.tasks.test_pair_schemes import recipe, same_or_not, train


class Part:
    """Pairs with what their cosines should be."""

    places = None

    def __init__(self, *targets: float) -> None:
        self.targets = {"target": torch.tensor(targets)}


@pytest.fixture(scope="module")
def base(model_folder: Callable[[str], Path]) -> Path:
    return model_folder("wordpiece")


def angled(*degrees: float) -> torch.Tensor:
    """Return pairs of vectors, (n, 4), with the given angles between them."""
    angles = torch.deg2rad(torch.tensor(degrees))
    ones = torch.ones_like(angles)
    return torch.stack([ones, 0 * ones, 3 * torch.cos(angles), 3 * torch.sin(angles)], 1)


def test_by_hand() -> None:
    """Cosines 1, 0 and 1/2; the second shall be above the first, and the third above the first."""
    found = Embed("order", scale=2.0).losses(angled(0, 90, 60), Part(0.1, 0.9, 0.9))
    assert found.tolist() == pytest.approx([np.log(1 + np.exp(2) + np.exp(1))] * 3)


def test_equal_scores_have_no_order() -> None:
    assert Embed("order").losses(angled(0, 90), Part(0.5, 0.5)).tolist() == [0.0, 0.0]


def test_the_loss_is_that_of_sentence_transformers() -> None:
    losses = pytest.importorskip("sentence_transformers.sentence_transformer.losses")
    generator = torch.Generator().manual_seed(0)
    vectors = torch.randn(12, 16, generator=generator)
    scores = torch.randint(0, 5, (12,), generator=generator) / 4
    peer = losses.CoSENTLoss(torch.nn.Identity())
    expected = float(peer.compute_loss_from_embeddings(list(vectors.chunk(2, -1)), scores))
    found = Embed("order").losses(vectors, Part(*scores.tolist()))
    assert float(found.mean()) == pytest.approx(expected, abs=1e-5)


def test_a_step_is_whole(base: Path) -> None:
    """In parts, each would have other pairs to be put in order with."""
    found = []
    for tokens in (4096, 12):
        how = recipe("embed", "embed", epochs=1.0, part_tokens=tokens, pair={"contrast": "order"})
        work = Finetuning(Bundle.load(base), same_or_not(32), [], how)
        work.loop(Silent()).run(State(due=False), Stop())
        found.append(torch.cat([one.detach().ravel() for one in work.bundle.network.parameters()]))
    assert torch.equal(*found)


def test_it_learns_and_is_opened_again(base: Path, tmp_path: Path) -> None:
    rows = same_or_not(400)
    work = train(base, rows, recipe("embed", "embed", pair={"contrast": "order"}))
    assert work.metric(work.measure(work.dev)) == "spearman"
    work.bundle.save(tmp_path / "bundle")
    model = load(tmp_path / "bundle", "cpu")
    assert model.learnt.contrast == "order"
    cosines = np.array(model.predict([(row.text_a, row.text_b) for row in rows[-80:]]))
    same = np.array([row.score for row in rows[-80:]]) == 1.0
    assert cosines[same].min() > cosines[~same].max()


def test_what_it_cannot_learn_from(base: Path) -> None:
    with pytest.raises(UsageError, match="put in order with the others of its step") as lone:
        Finetuning(
            Bundle.load(base),
            same_or_not(8),
            [],
            recipe("embed", "embed", batch=1, pair={"contrast": "order"}),
        )
    assert "--batch" in str(lone.value.fix)
    rows = [replace(row, labels=(), score=None) for row in same_or_not(8)]
    with pytest.raises(InputError, match="neither scores nor labels"):
        Finetuning(Bundle.load(base), rows, [], recipe("embed", "embed", pair={"contrast": "order"}))
