"""Verdicts: found where there is a difference, not where there is none, whatever the metric and the order."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ambos.errors import InputError, UsageError
from ambos.evaluate.answers import Answers
from ambos.evaluate.classification import Confusion, MultiLabel
from ambos.evaluate.comparison import Comparison, compare, holm
from ambos.evaluate.entities import Entities
from ambos.evaluate.estimate import Difference
from ambos.evaluate.regression import Regression
from ambos.evaluate.retrieval import Retrieval


def by(metric, comparisons):
    return [one for one in comparisons if one.metric == metric]


def labels(rng, accuracy, gold):
    return np.where(rng.random(len(gold)) < accuracy, gold, rng.integers(0, 3, len(gold)))


def test_three_systems_are_told_apart_where_they_differ():
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 3, 400)
    confusion = Confusion(["a", "b", "c"])
    first = labels(rng, 0.9, gold)
    runs = {"good": first, "twin": first.copy(), "bad": labels(rng, 0.5, gold)}
    runs["twin"][:2] = (gold[:2] + 1) % 3
    found = by(
        "macro_f1", compare(confusion, {name: confusion.rows(gold, run) for name, run in runs.items()})
    )
    assert [(one.first, one.second) for one in found] == [("good", "twin"), ("good", "bad"), ("twin", "bad")]
    assert [one.better for one in found] == [None, "good", "twin"]
    assert found[0].words.startswith("no difference to be seen: +0.")
    assert found[1].words.startswith("good is better: +")
    assert found[1].p == pytest.approx(3 / 1001)  # the least that 1,000 draws can give, of three pairs
    assert json.loads(json.dumps([one.as_dict() for one in found]))[1]["better"] == "good"


def test_against_one_it_is_corrected_for_all_pairs():
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 3, 200)
    confusion = Confusion(["a", "b", "c"])
    best = labels(rng, 0.8, gold)
    runs = {"best": best} | {f"other {number}": labels(rng, 0.7, gold) for number in range(4)}
    rows = {name: confusion.rows(gold, run) for name, run in runs.items()}
    found = compare(confusion, rows, against="best", metric="accuracy")
    assert [(one.first, one.second) for one in found] == [(f"other {n}", "best") for n in range(4)]
    assert {one.metric for one in found} == {"accuracy"}
    assert [one.p for one in found] == holm([one.difference.p for one in found], of=10)
    every = by("accuracy", compare(confusion, {name: rows[name] for name in (*list(rows)[1:], "best")}))
    by_all = [one.p for one in every if one.second == "best"]
    assert all(one.p >= 0.85 * other for one, other in zip(found, by_all, strict=True))  # never bolder


@pytest.mark.slow
def test_the_best_of_equal_systems_is_rarely_called_better():
    """Seven equal systems: the best by these examples beats one of the others in at most 5 % of trials."""
    trials, wrong, size = 200, 0, 4000
    for trial in range(trials):
        rng = np.random.default_rng(trial)
        right = {str(number): rng.random(size) < 0.8 for number in range(7)}
        confusion, gold = Confusion(["no", "yes"]), np.ones(size, int)
        rows = {name: confusion.rows(gold, said.astype(int)) for name, said in right.items()}
        best = max(right, key=lambda name: right[name].sum())
        found = compare(confusion, rows, against=best, metric="accuracy", draws=200)
        wrong += any(one.better for one in found)
    assert wrong <= trials * 0.05 + 3 * (trials * 0.05 * 0.95) ** 0.5


def test_the_difference_is_that_of_the_metrics():
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 3, 100)
    confusion, alone = Confusion(["a", "b", "c"]), []
    rows = {str(accuracy): confusion.rows(gold, labels(rng, accuracy, gold)) for accuracy in (0.8, 0.6)}
    for given_rows in rows.values():
        one = Confusion(["a", "b", "c"])
        one.tally.add(given_rows)
        alone.append(one.values())
    for comparison in compare(confusion, rows, draws=50):
        metric = comparison.metric
        expected = alone[0][metric] - alone[1][metric]
        assert comparison.difference.value == pytest.approx(expected)


def test_of_errors_less_is_better():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=200)
    regression = Regression()
    runs = {
        "far": regression.rows(gold, gold + rng.normal(size=200)),
        "near": regression.rows(gold, gold + 0.1 * rng.normal(size=200)),
    }
    found = {one.metric: one for one in compare(regression, runs, draws=400)}
    assert {one.better for one in found.values()} == {"near"}
    assert found["mse"].words.startswith("near is better: -")
    assert found["pearson"].words.startswith("near is better: +")


@pytest.mark.parametrize(
    ("evaluation", "rows"),
    [
        (Regression(), lambda gold, said: Regression().rows(gold, said)),
        (
            Retrieval(graded=True),
            lambda gold, said: Retrieval(graded=True).rows(gold, np.stack([said, np.ones(len(said))], 1)),
        ),
    ],
)
@pytest.mark.parametrize("metric", ["pearson", "spearman"])
def test_correlations_ask_for_no_unit(evaluation, rows, metric):
    """Cosines from 0 to 1 beside scores from 0 to 5, or beside answers that are nearly the same."""
    rng = np.random.default_rng(0)
    gold = rng.uniform(0, 5, 600)
    good, poor = gold + rng.normal(0, 1.2, 600), gold + rng.normal(0, 1.7, 600)
    (same,) = compare(evaluation, {"A": rows(gold, good), "B": rows(gold, poor)}, metric=metric)
    assert same.better == "A"
    for other in (rows(gold / 5, good / 5), rows(gold, good / 5), rows(gold, 2 + good / 50)):
        (found,) = compare(evaluation, {"A": other, "B": rows(gold, poor)}, metric=metric)
        assert (found.p, found.better) == (pytest.approx(same.p), "A")
        assert found.difference.value == pytest.approx(same.difference.value)


@pytest.mark.parametrize("size", [0, 1, 30])
def test_correlations_of_few_or_equal_numbers(size):
    rng = np.random.default_rng(0)
    gold = rng.normal(size=size)
    rows = {"constant": Regression().rows(gold, np.full(size, 2.5)), "right": Regression().rows(gold, gold)}
    found = {one.metric: one for one in compare(Regression(), rows, draws=200)}
    assert list(found) == ["pearson", "spearman", "mse", "rmse", "mae"]
    assert {found[name].better for name in ("pearson", "spearman")} == {"right" if size == 30 else None}


@pytest.mark.parametrize(
    ("evaluation", "gold", "good", "bad", "metric"),
    [
        (MultiLabel(["a", "b"]), [[1, 0]] * 30, [[1, 0]] * 30, [[1, 1]] * 30, "exact_match"),
        (Entities(["PER"]), [["B-PER"]] * 30, [["B-PER"]] * 30, [["O"]] * 30, "micro_f1"),
    ],
)
def test_every_evaluation_can_be_compared(evaluation, gold, good, bad, metric):
    runs = {"good": evaluation.rows(gold, good), "bad": evaluation.rows(gold, bad)}
    (found,) = by(metric, compare(evaluation, runs, draws=100))
    assert found.words == "good is better: +100.0 [100.0, 100.0]"


def test_answers_are_compared_by_kind():
    answers, gold = Answers(), [["rio"], []] * 20
    runs = {"one": answers.rows(gold, ["rio", "rio"] * 20), "other": answers.rows(gold, ["", ""] * 20)}
    found = {one.metric: one.better for one in compare(answers, runs, draws=100)}
    assert found["f1"] is None
    assert found["answerable_f1"] == "one"
    assert found["unanswerable_f1"] == "other"


@pytest.mark.parametrize(
    ("difference", "p", "less", "words"),
    [
        (Difference(0.018, 0.004, 0.031, 0.01), 0.01, False, "A is better: +1.8 [0.4, 3.1]"),
        (Difference(-0.018, -0.031, -0.004, 0.01), 0.01, False, "B is better: +1.8 [0.4, 3.1]"),
        (Difference(0.018, 0.004, 0.031, 0.02), 0.06, False, "no difference to be seen: +1.8 [0.4, 3.1]"),
        (Difference(0.018, -0.001, 0.031, 0.04), 0.04, False, "no difference to be seen: +1.8 [-0.1, 3.1]"),
        (Difference(-0.0001, -0.0002, 0.0, 1), 1, False, "no difference to be seen: +0.0 [0.0, 0.0]"),
        (Difference(-0.25, -0.5, -0.125, 0.01), 0.01, True, "A is better: -0.25 [-0.5, -0.125]"),
        (Difference(0.25, 0.125, 0.5, 0.01), 0.01, True, "B is better: -0.25 [-0.5, -0.125]"),
    ],
)
def test_words(difference, p, less, words):
    assert Comparison("metric", "A", "B", difference, p, less).words == words


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_by_its_definition(p):
    found = holm(p)
    assert len(found) == len(p)
    order = sorted(range(len(p)), key=p.__getitem__)
    for rank, place in enumerate(order):
        expected = max(min(1, (len(p) - at) * p[order[at]]) for at in range(rank + 1))
        assert found[place] == pytest.approx(expected)


def test_holm_keeps_equal_systems_together():
    """Of families of ten comparisons of equals, about one in twenty may hold a mistake; alone it is eight."""
    p = stats.norm.sf(np.abs(np.random.default_rng(0).normal(size=(2000, 10)))) * 2
    assert np.mean([min(holm(family)) < 0.05 for family in p]) == pytest.approx(0.05, abs=0.015)
    assert np.mean(p.min(1) < 0.05) == pytest.approx(0.40, abs=0.03)


def test_what_cannot_be_compared_is_refused():
    confusion = Confusion(["a", "b"])
    with pytest.raises(UsageError, match="two systems or more"):
        compare(confusion, {"alone": confusion.rows([0], [0])})
    with pytest.raises(InputError, match="same examples") as caught:
        compare(confusion, {"x": confusion.rows([0], [0]), "y": confusion.rows([0, 1], [0, 1])})
    assert "1 for x, 2 for y" in str(caught.value)
