"""Classification: worked numbers, weights, windows, several labels, and what comes out."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from ambos.data.examples import Examples
from ambos.data.label_set import LabelSet
from ambos.data.windows import Ledger
from ambos.errors import InputError
from ambos.tasks.classify import Classify
from ambos.tasks.score import Score
from ambos.tasks.task import Reading
from tests.tasks.conftest import text_row

LABELS = LabelSet(("no", "yes"))


def part_of(targets: list[int], shares: list[float] | None = None):
    given = np.array(shares or [1.0] * len(targets), np.float32)
    examples = Examples.of([[1, 2]] * len(targets), targets={"target": np.array(targets), "share": given})
    return examples.part(np.arange(len(targets)))


@pytest.mark.parametrize(
    ("logits", "label", "loss"),
    [([0.1, 0.9], 1, 0.3711), ([0.8, 0.2], 0, 0.4375), ([float(np.log(0.3)), float(np.log(0.7))], 1, 0.3567)],
)
def test_worked_losses(logits: list[float], label: int, loss: float) -> None:
    found = Classify(LABELS).losses(torch.tensor([logits]), part_of([label]))
    assert found.tolist() == pytest.approx([loss], abs=5e-5)


def test_worked_probabilities() -> None:
    """The hidden head's ReLU is before the last layer: logits below 0 are not thrown away."""
    examples = Examples.of([[1], [2]])
    logits = np.array([[-0.15, 0.25], [0.1, 0.9]], np.float32)
    rectified = np.maximum(logits[:1], 0)
    found = Classify(LABELS).decode(np.concatenate([rectified, logits]), Examples.of([[1]] * 3), [None] * 3)
    assert found[0].probabilities.tolist() == pytest.approx([0.4378, 0.5622], abs=5e-5)
    assert found[1].probabilities.tolist() == pytest.approx([0.4013, 0.5987], abs=5e-5)
    assert found[2].probabilities.tolist() == pytest.approx([0.310, 0.690], abs=5e-4)
    assert [one.labels for one in found] == [("yes",)] * 3
    assert len(examples) == 2


def test_the_loss_is_torchs_with_weights_and_smoothing() -> None:
    weights = [0.5, 2.0]
    task = Classify(LABELS, class_weights=weights, smoothing=0.1)
    logits, part = torch.randn(4, 2, generator=torch.Generator().manual_seed(0)), part_of([0, 1, 1, 0])
    plain = Classify(LABELS, class_weights=weights)
    expected = F.cross_entropy(logits, part.targets["target"], weight=torch.tensor(weights))
    losses, weight = plain.losses(logits, part), plain.weights(part)
    assert torch.allclose((losses * weight).sum() / weight.sum(), expected)
    smooth = F.cross_entropy(logits, part.targets["target"], label_smoothing=0.1, reduction="none")
    assert torch.allclose(task.losses(logits, part), smooth)


def test_windows_of_a_text_share_its_weight_and_are_joined(reading: Reading) -> None:
    long = Reading(reading.tokenizer, 12, "windows")
    ledger = Ledger()
    rows = [text_row("Sim.", "no"), text_row("O gato dorme no sofá da sala. " * 5, "yes")]
    task = Classify(LABELS)
    examples = task.encode(rows, long, ledger, labelled=True)
    windows = len(examples) - 1
    assert windows == ledger.windows > 2
    assert ledger.named == [1]
    assert max(examples.lengths) <= 12
    share, target = examples.targets["share"], examples.targets["target"]
    assert share.tolist() == pytest.approx([1.0] + [1 / windows] * windows)
    assert target.tolist() == [0] + [1] * windows
    logits = np.zeros((len(examples), 2), np.float32)
    logits[1:, 1] = np.arange(windows)
    found = task.decode(logits, examples, rows)
    assert found[1].logits.tolist() == pytest.approx([0.0, (windows - 1) / 2])
    assert [one.labels for one in found] == [("no",), ("yes",)]


def test_temperature_changes_probabilities_and_not_labels() -> None:
    logits = np.array([[0.0, 2.0]], np.float32)
    hot = Classify(LABELS, temperature=2.0).decode(logits, Examples.of([[1]]), [None])[0]
    assert hot.probabilities.tolist() == pytest.approx(torch.tensor([0.0, 1.0]).softmax(0).tolist())
    assert hot.labels == ("yes",)
    assert Classify(LABELS, temperature=2.0).settings == {"several": False, "temperature": 2.0}


def test_several_labels() -> None:
    names = LabelSet(("a", "b", "c"))
    task = Classify(names, several=True)
    rows = [text_row("x", "a", "c"), text_row("y")]
    assert task.target(rows).tolist() == [[1, 0, 1], [0, 0, 0]]
    logits = np.array([[1.0, -1.0, 0.2], [-1.0, -2.0, -3.0]], np.float32)
    examples = Examples.of([[1], [1]], targets={"target": task.target(rows), "share": np.ones(2, np.float32)})
    part = examples.part(np.arange(2))
    expected = F.binary_cross_entropy_with_logits(
        torch.from_numpy(logits), torch.from_numpy(task.target(rows)), reduction="none"
    ).mean(-1)
    assert torch.allclose(task.losses(torch.from_numpy(logits), part), expected)
    found = task.decode(logits, examples, rows)
    assert [one.labels for one in found] == [("a", "c"), ()]
    evaluation = task.evaluation()
    evaluation.add(*task.compare(rows, found))
    assert evaluation.metrics(draws=10)["exact_match"].value == 1.0


def test_an_unseen_label_is_named_with_its_line() -> None:
    with pytest.raises(InputError, match="maybe") as caught:
        Classify(LABELS).target([text_row("x", "maybe")])
    assert caught.value.line == 1


def test_score_is_scale_free_and_begins_at_the_mean(reading: Reading) -> None:
    rows = [text_row("a", score=score) for score in (1.0, 3.0, 5.0)]
    task = Score.of(rows)
    assert (task.mean, task.variance) == (3.0, pytest.approx(8 / 3))
    examples = task.encode(rows, reading, Ledger(), labelled=True)
    losses = task.losses(torch.full((3, 1), 3.0), examples.part(np.arange(3)))
    assert float(losses.mean()) == pytest.approx(1.0)  # whatever the scale, the mean explains nothing
    assert task.decode(np.array([[1.5], [2.0], [0.0]], np.float32), examples, rows) == [1.5, 2.0, 0.0]
