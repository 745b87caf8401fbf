"""Groups of runs that differ in their seeds: intervals cover, equal ways are rarely told apart."""

import numpy as np
import pytest
from scipy import stats

from ambos.evaluate.classification import Confusion
from ambos.evaluate.comparison import holm
from ambos.evaluate.groups import compare_groups, group_mean
from ambos.evaluate.regression import Regression
from ambos.evaluate.spread import Spread

GOLD = np.arange(400) % 2


def runs(rng: np.random.Generator, hard: np.ndarray, count: int, better: float) -> list[np.ndarray]:
    """Runs on the same examples, some of which are harder than others; a run has its own luck."""
    confusion, found = Confusion(["no", "yes"]), []
    for _ in range(count):
        right = rng.random(len(GOLD)) < np.clip(0.75 - hard + better + rng.normal(0, 0.02), 0, 1)
        found.append(confusion.rows(GOLD, np.where(right, GOLD, 1 - GOLD)))
    return found


def test_equal_groups_are_rarely_told_apart() -> None:
    """With five seeds each, over 300 pairs of groups; and the interval covers 0 as often as it says."""
    confusion, wrong, covered = Confusion(["no", "yes"]), 0, 0
    for trial in range(300):
        rng = np.random.default_rng(trial)
        hard = rng.normal(0, 0.1, len(GOLD))
        groups = {name: runs(rng, hard, 5, 0.0) for name in "ab"}
        (found,) = compare_groups(confusion, groups, "accuracy", draws=200)
        wrong += found.better is not None
        covered += found.difference.low <= 0 <= found.difference.high
    assert wrong <= 300 * 0.05 + 3 * (300 * 0.05 * 0.95) ** 0.5
    assert covered >= 300 * 0.95 - 3 * (300 * 0.05 * 0.95) ** 0.5


def test_a_difference_that_is_there_is_found() -> None:
    """Six points, of which a run's own luck may take two away."""
    rng = np.random.default_rng(7)
    hard = rng.normal(0, 0.1, len(GOLD))
    groups = {"a": runs(rng, hard, 8, 0.06), "b": runs(rng, hard, 8, 0.0)}
    (found,) = compare_groups(Confusion(["no", "yes"]), groups, "accuracy")
    assert found.better == "a"
    assert found.difference.value == pytest.approx(0.06, abs=0.03)


def test_without_doubt_about_examples_it_is_welch() -> None:
    """Errors that are the same on every example: seeds alone differ."""
    gold = np.zeros(50)
    errors = {"a": (1.0, 1.2, 1.1), "b": (1.5, 1.4, 1.9, 1.6)}
    regression = Regression()
    groups = {
        name: [regression.rows(gold, gold + error) for error in found] for name, found in errors.items()
    }
    (found,) = compare_groups(regression, groups, "mae")
    expected = stats.ttest_ind(errors["a"], errors["b"], equal_var=False)
    assert found.difference.p == pytest.approx(expected.pvalue)
    assert (found.difference.low, found.difference.high) == pytest.approx(
        tuple(expected.confidence_interval())
    )
    assert found.better == "a"  # less is better


def test_three_groups_are_corrected_for_each_other() -> None:
    rng = np.random.default_rng(3)
    hard = rng.normal(0, 0.1, len(GOLD))
    groups = {name: runs(rng, hard, 3, 0.0) for name in "abc"}
    found = compare_groups(Confusion(["no", "yes"]), groups, "accuracy")
    assert [(one.first, one.second) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert all(one.p >= one.difference.p for one in found)


def test_a_system_without_seeds_beside_one_with() -> None:
    """One-sample test of Student, where examples leave no doubt."""
    gold, errors = np.zeros(50), (1.0, 1.2, 1.1)
    regression = Regression()
    groups = {"a": [regression.rows(gold, gold + error) for error in errors]}
    groups |= {name: [regression.rows(gold, gold + error)] for name, error in {"b": 1.5, "c": 1.4}.items()}
    found = compare_groups(regression, groups, "mae", against="a")
    assert [(one.first, one.second) for one in found] == [("b", "a"), ("c", "a")]
    expected = [stats.ttest_1samp(errors, value).pvalue for value in (1.5, 1.4)]
    assert [one.difference.p for one in found] == pytest.approx(expected)
    assert [one.p for one in found] == pytest.approx(holm(expected, of=3))


@pytest.mark.parametrize("deviation", [0.0, 0.02, 0.08])
def test_the_interval_of_a_mean_holds_what_other_seeds_and_examples_would_give(deviation: float) -> None:
    """Three seeds, 300 times: whether examples or seeds are what is doubtful."""
    confusion, covered, trials = Confusion(["no", "yes"]), 0, 300
    for trial in range(trials):
        rng = np.random.default_rng(trial)
        chance = np.clip(rng.normal(0.7, 0.1, len(GOLD)), 0, 1)
        found = []
        for luck in rng.normal(0, deviation, 3):
            right = rng.random(len(GOLD)) < np.clip(chance + luck, 0, 1)
            found.append(confusion.rows(GOLD, np.where(right, GOLD, 1 - GOLD)))
        mean = group_mean(confusion, found, "accuracy", draws=200)
        covered += mean.low <= 0.7 <= mean.high
    assert covered >= trials * 0.95 - 3 * (trials * 0.05 * 0.95) ** 0.5


def test_the_interval_of_a_mean_is_students_where_examples_leave_no_doubt() -> None:
    gold, errors = np.zeros(50), (1.0, 1.2, 1.1)
    regression = Regression()
    found = group_mean(regression, [regression.rows(gold, gold + error) for error in errors], "mae")
    expected = Spread.of(errors)
    assert (found.value, found.low, found.high) == pytest.approx((expected.mean, expected.low, expected.high))


@pytest.mark.slow
def test_a_lab_of_equal_systems_rarely_sees_a_difference() -> None:
    """Six ways with three seeds that differ twice as much as the examples tell, and five without luck."""
    confusion, trials, wrong = Confusion(["no", "yes"]), 200, 0
    for trial in range(trials):
        rng = np.random.default_rng(trial)
        groups: dict[str, list[np.ndarray]] = {}
        for number in range(11):
            several = []
            for luck in rng.normal(0, 0.05, 3) if number < 6 else (0.0,):
                right = rng.random(len(GOLD)) < np.clip(0.7 + luck, 0, 1)
                several.append(confusion.rows(GOLD, np.where(right, GOLD, 1 - GOLD)))
            groups[str(number)] = several
        means = {
            name: group_mean(confusion, groups[name], "accuracy", draws=2).value for name in list(groups)[:6]
        }
        found = compare_groups(
            confusion, groups, "accuracy", against=max(means, key=means.__getitem__), draws=100
        )
        wrong += any(one.better for one in found)
    assert wrong <= trials * 0.05 + 3 * (trials * 0.05 * 0.95) ** 0.5
