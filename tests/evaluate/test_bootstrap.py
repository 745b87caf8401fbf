"""The tally loses nothing but order; intervals cover, tests reject as often as they say."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ambos.evaluate import bootstrap as module
from ambos.evaluate.bootstrap import Tally, bootstrap, paired
from ambos.evaluate.ratios import divide

NUMBERS = st.sampled_from([0.0, -0.0, 1.0, -1.5, 1e-300, 3.25])
ROWS = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=30)


def mean(rows, times):
    return {"mean": divide(times @ rows[:, 0], times.sum(1))}


def tally_of(values):
    rows = np.asarray(values, np.float64)
    rows = rows[:, None] if rows.ndim == 1 else rows
    found = Tally(rows.shape[1])
    found.add(rows)
    return found


@given(rows=ROWS, data=st.data())
def test_a_tally_is_the_same_whatever_the_order_and_the_batches(rows, data):
    cut = data.draw(st.integers(0, len(rows)))
    shuffled = data.draw(st.permutations(rows))
    whole, parts = Tally(2), Tally(2)
    whole.add(np.reshape(rows, (-1, 2)))
    for part in (shuffled[:cut], shuffled[cut:]):
        parts.add(np.reshape(part, (-1, 2)))
    for tally in (whole, parts):
        assert len(tally) == len(rows)
        assert dict(zip(map(tuple, tally.rows.tolist()), tally.counts.tolist(), strict=True)) == Counter(rows)
        assert tally.sums == pytest.approx(np.sum(np.reshape(rows, (-1, 2)), axis=0))
    assert whole.rows.tobytes() == parts.rows.tobytes()
    assert whole.counts.tobytes() == parts.counts.tobytes()


def test_a_tally_keeps_distinct_rows_only_and_their_type():
    tally = Tally(2, np.uint8)
    for _ in range(50):
        tally.add(np.random.default_rng(0).integers(0, 3, (1000, 2)))
    assert len(tally) == 50_000
    assert tally.rows.shape == (9, 2)
    assert tally.rows.dtype == np.uint8
    with pytest.raises(ValueError, match=r"rows of 2 numbers, found shape \(3, 1\)"):
        tally.add([[1], [2], [3]])


@pytest.mark.parametrize(
    ("values", "expected"),
    [([], (0, 0, 0)), ([0.3], (0.3, 0.3, 0.3)), ([1] * 7, (1, 1, 1)), ([0] * 7, (0, 0, 0))],
)
def test_without_differences_the_interval_has_no_width(values, expected):
    found = bootstrap(tally_of(values), mean, draws=50)["mean"]
    assert (found.value, found.low, found.high) == expected


def test_a_seed_gives_one_interval_whatever_the_size_of_blocks(monkeypatch):
    tally = tally_of(np.random.default_rng(1).normal(size=80))
    one = bootstrap(tally, mean, seed=3)
    assert bootstrap(tally, mean, seed=4) != one
    monkeypatch.setattr(module, "_CELLS", 700)
    again = bootstrap(tally, mean, seed=3)["mean"]
    assert tuple(again.as_dict().values()) == pytest.approx(tuple(one["mean"].as_dict().values()), rel=1e-12)


def test_the_interval_is_that_of_drawing_examples_one_by_one():
    values = np.random.default_rng(2).gamma(1.0, size=60).round(1)
    found = bootstrap(tally_of(values), mean, draws=20_000)["mean"]
    reference = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(0)
    ).confidence_interval
    assert found.value == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx(tuple(reference), abs=0.02)


def f1_of_sums(rows, times):
    hits, errors = (times @ rows).T
    return {"f1": divide(2 * hits, 2 * hits + errors)}


def test_intervals_cover_the_truth_in_about_95_of_100_cases():
    rng = np.random.default_rng(0)
    outcomes, chances = np.array([[1, 0], [0, 1], [0, 0]]), [0.5, 0.3, 0.2]  # hit, error, neither
    truth = 2 * 0.5 / (2 * 0.5 + 0.3)
    held = 0
    for number in range(400):
        tally = tally_of(outcomes[rng.choice(3, 200, p=chances)])
        found = bootstrap(tally, f1_of_sums, draws=400, seed=number)["f1"]
        held += found.low <= truth <= found.high
    assert 0.92 <= held / 400 <= 0.97


@pytest.mark.parametrize(("for_one", "for_other"), [(0, 0), (1, 0), (3, 0), (5, 1), (8, 2), (9, 9), (12, 2)])
def test_the_test_of_shares_is_the_sign_test(for_one, for_other):
    """Exchanged, the differing examples are coins: the exact p is binomial."""
    rows = [[1, 0]] * for_one + [[0, 1]] * for_other + [[1, 1]] * 30
    found = paired(tally_of(rows), mean, draws=20_000)["mean"]
    exact = stats.binomtest(for_one, max(1, for_one + for_other)).pvalue if for_one else 1.0
    assert found.value == pytest.approx((for_one - for_other) / len(rows))
    assert found.low <= found.value <= found.high
    assert found.p == pytest.approx(exact, abs=0.012)


@pytest.mark.parametrize("seed", range(5))
def test_rounding_does_not_make_equal_differences_unlike(seed):
    """If one system is better on each of three examples, 2 of the 8 exchanges are as extreme."""
    other = np.random.default_rng(seed).random(3)
    found = paired(tally_of(np.stack([other + 0.1, other], axis=1)), mean, draws=4000)["mean"]
    assert found.p == pytest.approx(2 / 8, abs=0.03)


def test_equal_systems_are_told_apart_as_seldom_as_promised():
    rng = np.random.default_rng(0)
    p = []
    for number in range(400):
        skill = rng.normal(size=40)
        systems = skill[:, None] + rng.normal(size=(40, 2))
        p.append(paired(tally_of(systems), mean, draws=200, seed=number)["mean"].p)
    assert 0.02 <= np.mean(np.array(p) <= 0.05) <= 0.08
    assert stats.kstest(p, "uniform").pvalue > 0.001


def test_pairing_sees_what_two_intervals_do_not():
    """Examples differ far more than systems do: what they share must cancel."""
    rng = np.random.default_rng(0)
    hard = rng.normal(scale=10, size=200)
    systems = np.stack([hard + 0.5 + rng.normal(size=200), hard], axis=1)
    found = paired(tally_of(systems), mean)["mean"]
    assert 0.2 < found.low < 0.5 < found.high < 0.8
    assert found.p == 1 / 1001  # the least that 1,000 draws can give
    alone = bootstrap(tally_of(systems[:, 0]), mean)["mean"]
    assert alone.high - alone.low > 5 * (found.high - found.low)


@given(rows=ROWS.filter(bool))
def test_exchanging_the_systems_turns_the_sign(rows):
    one = paired(tally_of(rows), mean, draws=200)["mean"]
    other = paired(tally_of(np.array(rows)[:, ::-1]), mean, draws=200)["mean"]
    assert one.value == pytest.approx(-other.value)
    assert one.p == pytest.approx(other.p, abs=0.2)  # other draws
    assert one.low <= one.high


def test_nothing_to_compare_is_no_difference():
    found = paired(Tally(2), mean, draws=20)["mean"]
    assert (found.value, found.low, found.high, found.p) == (0, 0, 0, 1)
