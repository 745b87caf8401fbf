"""One label or several: what scikit-learn says, for all examples and for any drawn set of them."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

from ambos.evaluate.classification import Confusion, MultiLabel

LABELS = ["neutral", "entailment", "contradiction", "other"]
IDS = st.integers(0, len(LABELS) - 1)
PAIRS = st.lists(st.tuples(IDS, IDS), min_size=1, max_size=25)
TIMES = st.lists(st.integers(0, 4), min_size=25, max_size=25)
FLAGS = st.tuples(*[st.booleans()] * 6)  # three labels, gold and predicted


def single(gold, predicted):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "accuracy": reference.accuracy_score(gold, predicted),
            "macro_f1": reference.f1_score(gold, predicted, average="macro", zero_division=0),
            "micro_f1": reference.f1_score(gold, predicted, average="micro", zero_division=0),
            "mcc": reference.matthews_corrcoef(gold, predicted),
        }


def several(gold, predicted):
    return {
        "micro_f1": reference.f1_score(gold, predicted, average="micro", zero_division=0),
        "macro_f1": reference.f1_score(gold, predicted, average="macro", zero_division=0),
        "exact_match": reference.accuracy_score(gold, predicted),
    }


def assert_table(table, gold, predicted, labels):
    expected = reference.precision_recall_fscore_support(
        gold, predicted, labels=range(len(labels)), zero_division=0
    )
    assert [score.label for score in table] == labels
    found = [[score.precision, score.recall, score.f1, score.support] for score in table]
    assert np.array(found) == pytest.approx(np.array(expected).T)


def test_values_by_hand():
    confusion = Confusion(["no", "yes"])
    confusion.add([1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 1, 0])
    assert confusion.matrix.tolist() == [[1, 1], [1, 3]]
    found = confusion.values()
    assert found["accuracy"] == found["micro_f1"] == pytest.approx(4 / 6)
    assert found["macro_f1"] == pytest.approx((0.5 + 0.75) / 2)
    assert found["mcc"] == pytest.approx((3 * 1 - 1 * 1) / np.sqrt(4 * 4 * 2 * 2))
    assert confusion.table()[1].as_dict() == {
        "label": "yes", "precision": 0.75, "recall": 0.75, "f1": 0.75, "support": 4,
    }  # fmt: skip


@settings(max_examples=60)
@given(pairs=PAIRS, cut=st.integers(0, 25))
def test_single_labels_are_measured_as_scikit_learn_does(pairs, cut):
    gold, predicted = np.array(pairs).T
    confusion = Confusion(LABELS)
    confusion.add(gold[:cut], predicted[:cut])
    confusion.add(gold[cut:], predicted[cut:])
    assert confusion.values() == pytest.approx(single(gold, predicted))
    assert np.array_equal(confusion.matrix, reference.confusion_matrix(gold, predicted, labels=range(4)))
    assert_table(confusion.table(), gold, predicted, LABELS)


@settings(max_examples=60)
@given(pairs=PAIRS, times=TIMES, more=TIMES)
def test_a_drawn_set_is_measured_like_its_examples_written_out(pairs, times, more):
    rows = np.array(pairs)
    both = np.array([times[: len(rows)], more[: len(rows)]])
    found = Confusion(LABELS).measure(rows, both.astype(float))
    for number, counts in enumerate(both):
        if counts.any():
            expected = single(*np.repeat(rows, counts, axis=0).T)
            assert {name: value[number] for name, value in found.items()} == pytest.approx(expected)
        else:
            assert all(value[number] == 0 for value in found.values())


@settings(max_examples=60)
@given(examples=st.lists(FLAGS, min_size=1, max_size=20), times=TIMES)
def test_several_labels_are_measured_as_scikit_learn_does(examples, times):
    gold, predicted = np.hsplit(np.array(examples), 2)
    names = ["a", "b", "c"]
    evaluation = MultiLabel(names)
    evaluation.add(gold, predicted)
    assert evaluation.values() == pytest.approx(several(gold, predicted))
    assert_table(evaluation.table(), gold, predicted, names)
    counts = np.array(times[: len(gold)])
    if counts.any():
        drawn = evaluation.measure(evaluation.rows(gold, predicted), counts[None].astype(float))
        expected = several(np.repeat(gold, counts, axis=0), np.repeat(predicted, counts, axis=0))
        assert {name: value[0] for name, value in drawn.items()} == pytest.approx(expected)


def test_intervals_are_those_of_drawing_examples():
    rng = np.random.default_rng(0)
    gold = rng.choice(3, 300, p=[0.6, 0.3, 0.1])
    predicted = np.where(rng.random(300) < 0.7, gold, rng.integers(0, 3, 300))
    confusion = Confusion(LABELS[:3])
    confusion.add(gold, predicted)
    found = confusion.metrics(draws=4000)
    drawn = [single(gold[chosen], predicted[chosen]) for chosen in rng.integers(0, 300, (400, 300))]
    for name, estimate in found.items():
        expected = np.quantile([one[name] for one in drawn], [0.025, 0.975])
        assert (estimate.low, estimate.high) == pytest.approx(tuple(expected), abs=0.025), name
        assert estimate.low < estimate.value < estimate.high


def test_memory_grows_with_cells_not_with_examples():
    confusion = Confusion(LABELS)
    rng = np.random.default_rng(0)
    for _ in range(20):
        confusion.add(*rng.integers(0, 4, (2, 1000)))
    assert len(confusion.tally) == confusion.matrix.sum() == 20_000
    assert len(confusion.tally.rows) == 16


@pytest.mark.parametrize("evaluation", [Confusion(LABELS), MultiLabel(LABELS)])
def test_without_examples_all_is_zero(evaluation):
    assert all(
        found.as_dict() == {"value": 0, "low": 0, "high": 0} for found in evaluation.metrics().values()
    )
    assert [(score.f1, score.support) for score in evaluation.table()] == [(0, 0)] * 4


@pytest.mark.parametrize(
    ("evaluation", "gold", "predicted", "match"),
    [
        (Confusion(LABELS), [0, 4], [0, 0], "from 0 to 3, found 0 to 4"),
        (Confusion(LABELS), [0, -1], [0, 0], "found -1 to 0"),
        (Confusion(LABELS), [0.5], [0], "two rows of ids"),
        (Confusion(LABELS), [0, 1], [0], "same shape"),
        (MultiLabel(["a", "b"]), [[0, 1]], [[0, 2]], "tables of 0 and 1 with 2 columns"),
        (MultiLabel(["a", "b"]), [[0, 1]], [[0, 1, 1]], "tables of 0 and 1 with 2 columns"),
        (MultiLabel(["a", "b"]), [[0, 1]], [[0, 1], [0, 1]], "as many rows"),
    ],
)
def test_what_is_not_labels_is_refused(evaluation, gold, predicted, match):
    with pytest.raises(ValueError, match=match):
        evaluation.add(gold, predicted)
    assert len(evaluation.tally) == 0
