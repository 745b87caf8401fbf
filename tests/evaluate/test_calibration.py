"""Confidence: bins like scikit-learn's, temperatures that are known, found and never harmful."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import log_expit, log_softmax, softmax
from sklearn.calibration import calibration_curve

from ambos.evaluate.calibration import COLDEST, HOTTEST, Calibration, fit_temperature, negative_log_likelihood

SIZES = st.tuples(st.integers(1, 30), st.integers(2, 4), st.integers(0, 10_000), st.floats(0.01, 30))


def drawn(logits, rng):
    """Labels as likely as the logits say."""
    return (softmax(logits, axis=1).cumsum(1) < rng.random((len(logits), 1))).sum(1)


def problem(size):
    count, classes, seed, scale = size
    rng = np.random.default_rng(seed)
    return rng.normal(scale=scale, size=(count, classes)), rng


@settings(max_examples=60)
@given(
    pairs=st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60),
    bins=st.integers(1, 20),
    cut=st.integers(0, 60),
)
def test_bins_are_those_of_scikit_learn(pairs, bins, cut):
    confidence, correct = np.array(pairs).T
    calibration = Calibration(bins)
    calibration.add(confidence[:cut], correct[:cut])
    calibration.add(confidence[cut:], correct[cut:])
    true, sure = calibration_curve(correct, confidence, n_bins=bins) if len({*correct}) > 1 else (None, None)
    found = calibration.bins()
    assert sum(one.count for one in found) == len(pairs)
    assert all(one.low - 1e-12 <= one.confidence <= one.high + 1e-12 for one in found)
    if true is not None:  # it refuses labels of one kind
        assert [one.accuracy for one in found] == pytest.approx(true)
        assert [one.confidence for one in found] == pytest.approx(sure)
    gaps = sum(one.count * abs(one.accuracy - one.confidence) for one in found)
    assert calibration.error == pytest.approx(gaps / len(pairs))


def test_error_by_hand_and_of_nothing():
    calibration = Calibration()
    assert (calibration.error, calibration.bins()) == (0.0, [])
    calibration.add([1.0, 1.0, 0.5, 0.5], [1, 0, 1, 0])
    assert calibration.error == pytest.approx(0.25)
    assert [one.as_dict()["count"] for one in calibration.bins()] == [2, 2]
    border = Calibration(bins=2)
    border.add([0.5, 0.0], [1, 0])  # a border belongs to the bin below, 0 to the first
    assert [(one.high, one.count) for one in border.bins()] == [(0.5, 2)]


def test_a_model_that_is_right_as_often_as_it_says_has_a_small_error():
    rng = np.random.default_rng(0)
    honest, boastful = Calibration(), Calibration()
    for _ in range(20):
        confidence = rng.uniform(0.3, 0.9, 1000)
        correct = rng.random(1000) < confidence
        honest.add(confidence, correct)
        boastful.add(confidence + 0.1, correct)
    assert honest.error < 0.02
    assert boastful.error == pytest.approx(0.1, abs=0.01)


def confidences(rng, count, off):
    """How sure a model is, and whether it is right, as often less as it says."""
    sure = rng.uniform(0.3, 1.0, count)
    return sure, rng.random(count) < np.clip(sure - off, 0, 1)


@pytest.mark.parametrize("off", [0.0, 0.05, 0.15])
@pytest.mark.parametrize("count", [100, 1000])
def test_the_interval_of_the_error_holds(off, count):
    """Of 95 % intervals nine of ten or more hold the error of all examples that there could be."""
    rng = np.random.default_rng(0)
    held = 0
    for seed in range(200):
        calibration = Calibration()
        calibration.add(*confidences(rng, count, off))
        found = calibration.estimate(draws=300, seed=seed)
        assert 0 <= found.low <= found.value <= found.high
        held += found.low - 1e-9 <= off <= found.high
    assert held >= 180


def test_the_interval_holds_for_predictions_that_go_right_together():
    """Five words of a sentence of one confidence, all right or all wrong: one piece of evidence, not five."""
    rng = np.random.default_rng(0)
    held = {"sentences": 0, "words": 0}
    for seed in range(200):
        sure, right = (np.repeat(side, 5) for side in confidences(rng, 300, 0.05))
        for name, sizes in {"sentences": [5] * 300, "words": None}.items():
            calibration = Calibration()
            calibration.add(sure[:500], right[:500], sizes and sizes[:100])
            calibration.add(sure[500:], right[500:], sizes and sizes[100:])
            found = calibration.estimate(draws=300, seed=seed)
            held[name] += found.low - 1e-9 <= 0.05 <= found.high
    assert held["sentences"] >= 180
    assert held["words"] < 150


def test_the_interval_of_nothing_and_of_one_example():
    calibration = Calibration()
    assert calibration.estimate().as_dict() == {"value": 0.0, "low": 0.0, "high": 0.0}
    calibration.add([0.9], [1])
    assert calibration.estimate().as_dict() == pytest.approx({"value": 0.1, "low": 0.1, "high": 0.1})


def test_sizes_must_be_those_of_all_predictions():
    with pytest.raises(ValueError, match="3 predictions in all examples"):
        Calibration().add([0.5], [1], [2, 1])


@pytest.mark.parametrize(
    ("confidence", "correct", "match"),
    [([1.2], [1], "between 0 and 1"), ([np.nan], [1], "between 0 and 1"), ([0.5, 0.5], [1], "one length")],
)
def test_what_is_no_confidence_is_refused(confidence, correct, match):
    with pytest.raises(ValueError, match=match):
        Calibration().add(confidence, correct)


@settings(max_examples=60)
@given(size=SIZES, temperature=st.floats(0.2, 5))
def test_the_loss_is_that_of_scipy(size, temperature):
    logits, rng = problem(size)
    gold = rng.integers(0, logits.shape[1], len(logits))
    expected = -log_softmax(logits / temperature, axis=1)[np.arange(len(gold)), gold].mean()
    assert negative_log_likelihood(logits, gold, temperature) == pytest.approx(expected)
    labels = rng.integers(0, 2, logits.shape)
    expected = -log_expit(np.where(labels, logits, -logits) / temperature).mean()
    assert negative_log_likelihood(logits, labels, temperature) == pytest.approx(expected)


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.5])
def test_a_known_temperature_is_found(temperature):
    rng = np.random.default_rng(0)
    logits = rng.normal(scale=2, size=(20_000, 4))
    assert fit_temperature(logits * temperature, drawn(logits, rng)) == pytest.approx(temperature, rel=0.03)
    labels = rng.random(logits.shape) < 1 / (1 + np.exp(-logits))
    assert fit_temperature(logits * temperature, labels) == pytest.approx(temperature, rel=0.03)


@settings(max_examples=100)
@given(size=SIZES, several=st.booleans())
def test_the_temperature_is_the_best_and_never_does_harm(size, several):
    logits, rng = problem(size)
    gold = rng.integers(0, 2, logits.shape) if several else rng.integers(0, logits.shape[1], len(logits))
    found = fit_temperature(logits, gold)
    loss = negative_log_likelihood(logits, gold, found)
    assert loss <= negative_log_likelihood(logits, gold)
    assert COLDEST * 0.999 <= found <= HOTTEST * 1.001
    other = minimize_scalar(
        lambda log: negative_log_likelihood(logits, gold, np.exp(log)),
        bounds=(np.log(COLDEST), np.log(HOTTEST)),
        method="bounded",
    )
    assert loss <= other.fun + 1e-9


def test_few_examples_move_it_little_and_many_as_far_as_they_say():
    """Seven of ten right, by logits that hardly tell: as ten, hundred, or ten thousand examples say so."""
    found = []
    for count in (10, 100, 10_000):
        logits, gold = [[0.1, 0.0]] * count, [0] * (7 * count // 10) + [1] * (3 * count // 10)
        free, held = (fit_temperature(logits, gold, spread=spread) for spread in (None, 0.5))
        assert free == pytest.approx(0.1 / np.log(7 / 3), rel=1e-6)
        logs = np.linspace(np.log(COLDEST), np.log(HOTTEST), 2000)
        losses = [count * negative_log_likelihood(logits, gold, np.exp(log)) for log in logs]
        assert held == pytest.approx(np.exp(logs[np.argmin(losses + logs**2 / (2 * 0.5**2))]), rel=0.01)
        found.append(held)
    assert found[0] > 0.9 > found[1] > 0.12 > found[2] > free


def penalised(logits, gold, temperature, spread):
    return len(gold) * negative_log_likelihood(logits, gold, temperature) + np.log(temperature) ** 2 / (
        2 * spread**2
    )


def test_of_two_valleys_the_deeper_one_is_taken():
    """Right in 99 of 100, of which it is 50.5 % sure: 0.71 makes it 50.7 %, and is the valley near 1."""
    logits, gold = [[0.02, 0.0]] * 100, [0] * 99 + [1]
    found = fit_temperature(logits, gold, spread=0.5)
    logs = np.linspace(np.log(COLDEST), np.log(HOTTEST), 4000)
    losses = [penalised(logits, gold, np.exp(log), 0.5) for log in logs]
    assert min(losses) < penalised(logits, gold, 0.71, 0.5) - 10
    assert found == pytest.approx(np.exp(logs[np.argmin(losses)]), rel=0.01)


@settings(max_examples=60, deadline=None)
@given(size=SIZES, right=st.floats(0, 1), spread=st.floats(0.2, 2))
def test_with_a_prior_it_is_the_likeliest_of_all(size, right, spread):
    logits, rng = problem(size)
    logits = logits / 10  # hardly any: temperatures far from 1 are wanted
    gold = np.where(rng.random(len(logits)) < right, logits.argmax(1), logits.argmin(1))
    found = fit_temperature(logits, gold, spread=spread)
    if found == 1.0:  # no temperature has a smaller loss than 1, whatever the prior
        return
    grid = np.geomspace(COLDEST, HOTTEST, 500)
    best = min(penalised(logits, gold, one, spread) for one in grid)
    assert penalised(logits, gold, found, spread) <= best + 1e-6


def test_the_temperature_takes_a_constant_added_to_a_row_for_nothing():
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(200, 3))
    gold = drawn(logits / 2, rng)
    moved = logits + rng.normal(scale=1e3, size=(200, 1))
    assert fit_temperature(moved, gold) == pytest.approx(fit_temperature(logits, gold), rel=1e-6)


@pytest.mark.parametrize(
    ("logits", "gold", "expected"),
    [
        ([[3.0, 0.0], [0.0, 3.0]], [0, 1], COLDEST),  # all right: ever surer
        ([[3.0, 0.0], [0.0, 3.0]], [1, 0], HOTTEST),  # all wrong: ever less sure
        ([[1.0, 1.0], [2.0, 2.0]], [1, 0], 1.0),  # says nothing: as good as any
        (np.zeros((0, 3)), [], 1.0),
        ([[400.0, -400.0]] * 3 + [[-400.0, 400.0]], [0, 0, 0, 0], HOTTEST),  # wants 800 / log 3
    ],
)
def test_temperatures_at_the_ends(logits, gold, expected):
    assert fit_temperature(logits, gold) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("logits", "gold", "match"),
    [
        ([[1.0, 2.0]], [0, 1], "do not go together"),
        ([[1.0, 2.0]], [[0, 1, 1]], "do not go together"),
        ([1.0, 2.0], [0, 1], "do not go together"),
        ([[1.0, np.nan]], [0], "not finite"),
        ([[1.0, 2.0]], [2], "a gold label has none"),
        ([[1.0, 2.0]], [-1], "a gold label has none"),
    ],
)
def test_what_does_not_fit_is_refused(logits, gold, match):
    with pytest.raises(ValueError, match=match):
        fit_temperature(logits, gold)
