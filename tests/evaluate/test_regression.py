"""Numbers per example: what scipy and scikit-learn say, for all examples and for any drawn set."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as reference

from ambos.errors import InputError
from ambos.evaluate.regression import Regression

NUMBERS = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e3, 1e3).map(lambda x: round(x, 3)))
PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=25)
TIMES = st.lists(st.integers(0, 4), min_size=25, max_size=25)


def expected(gold, predicted):
    varied = min(np.ptp(gold), np.ptp(predicted)) > 0
    return {
        "pearson": stats.pearsonr(gold, predicted).statistic if varied else 0.0,
        "spearman": stats.spearmanr(gold, predicted).statistic if varied else 0.0,
        "mse": reference.mean_squared_error(gold, predicted),
        "rmse": reference.root_mean_squared_error(gold, predicted),
        "mae": reference.mean_absolute_error(gold, predicted),
    }


def measured(gold, predicted):
    regression = Regression()
    regression.add(gold, predicted)
    return regression.values()


@settings(max_examples=100)
@given(pairs=PAIRS)
def test_numbers_are_measured_as_the_references_do(pairs):
    gold, predicted = np.array(pairs).T
    assert measured(gold, predicted) == pytest.approx(expected(gold, predicted), abs=1e-9)


@settings(max_examples=100)
@given(pairs=PAIRS, times=TIMES)
def test_a_drawn_set_is_measured_like_its_examples_written_out(pairs, times):
    counts = np.array(times[: len(pairs)])
    found = Regression().measure(np.array(pairs), np.stack([counts, counts * 0]).astype(float))
    assert all(value[1] == 0 for value in found.values())
    if counts.any():
        written = expected(*np.repeat(pairs, counts, axis=0).T)
        assert {name: value[0] for name, value in found.items()} == pytest.approx(written, abs=1e-9)


@pytest.mark.parametrize("constant", [0.0, 0.1, 1e9 + 0.1, -3.3e-7])
def test_a_model_that_always_says_the_same_correlates_with_nothing(constant):
    regression = Regression()
    regression.add(np.random.default_rng(0).normal(size=301), np.full(301, constant))
    found = regression.metrics(draws=100)
    for name in ("pearson", "spearman"):
        assert found[name].as_dict() == {"value": 0, "low": 0, "high": 0}


def test_a_drawn_set_of_equal_numbers_correlates_with_nothing():
    """The mean of 0.1, 0.1 and 0.1 is not 0.1 in floats; examples that were not drawn do not count."""
    rows = np.array([[0.1, 1.0], [0.1, 2.0], [5.0, 3.0]])
    found = Regression().measure(rows, np.array([[2.0, 1.0, 0.0]]))
    assert found["pearson"] == found["spearman"] == 0.0


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e7])
def test_a_large_offset_does_not_spoil_the_correlation(offset):
    gold = np.random.default_rng(0).normal(size=100)
    predicted = gold + np.random.default_rng(1).normal(size=100)
    found = measured(gold + offset, predicted - offset)
    assert found["pearson"] == pytest.approx(stats.pearsonr(gold, predicted).statistic, abs=1e-7)
    assert found["spearman"] == pytest.approx(stats.spearmanr(gold, predicted).statistic, abs=1e-7)


def test_intervals_are_those_of_drawing_examples():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=150).round(1)
    predicted = gold + rng.normal(size=150).round(1)
    regression = Regression()
    regression.add(gold, predicted)
    found = regression.metrics(draws=4000)
    for name, statistic in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
        ends = stats.bootstrap(
            (gold, predicted), lambda x, y, statistic=statistic: statistic(x, y).statistic, paired=True,
            vectorized=False, n_resamples=1500, method="percentile", rng=np.random.default_rng(1),
        ).confidence_interval  # fmt: skip
        assert (found[name].low, found[name].high) == pytest.approx(tuple(ends), abs=0.015), name


def test_few_examples_do_not_warn():
    for count in (0, 1, 2):
        regression = Regression()
        regression.add([1.0, 2.0][:count], [5.0, 3.0][:count])
        found = regression.metrics(draws=50)
        assert found["pearson"].value == pytest.approx(-1.0 if count == 2 else 0.0)
        assert found["mae"].value == pytest.approx([0.0, 4.0, 2.5][count])


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_what_is_not_finite_is_refused_with_its_place(wrong):
    with pytest.raises(InputError) as caught:
        Regression().add([1.0, 2.0, 3.0], [1.0, wrong, 3.0])
    assert "example 1" in str(caught.value)
    with pytest.raises(ValueError, match="two rows"):
        Regression().add([[1.0]], [[1.0]])
