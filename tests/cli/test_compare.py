"""`ambos compare`: which runs are better on the same examples, and what cannot be compared."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import pytest

from ambos.evaluate.classification import Confusion
from ambos.evaluate.regression import Regression
from ambos.runs.evaluation import Evaluated
from ambos.runs.saved_evaluations import ALONE, FOLDER, save_evaluation
from tests.cli.conftest import Ran

Run = Callable[..., Ran]
LABELS = ("no", "yes")
GOLD = np.arange(400) % 2


def evaluated(examples: np.ndarray, evaluation: object, task: str, digest: str = "d") -> Evaluated:
    evaluation.tally.add(examples)
    return Evaluated(
        task=task,
        main="accuracy" if task == "classify" else "mae",
        labels=LABELS if task == "classify" else (),
        several=False,
        model="m",
        metrics=evaluation.metrics(draws=100),
        classes=[],
        confusion=None,
        calibration=None,
        truncation={},
        worst=[],
        rows=len(examples),
        left_out={},
        files={},
        digest=digest,
        examples=examples,
    )


def with_errors(count: int, seed: int = 0) -> Evaluated:
    """A classifier that errs so often."""
    said = GOLD.copy()
    wrong = np.random.default_rng(seed).choice(len(GOLD), count, replace=False)
    said[wrong] = 1 - said[wrong]
    confusion = Confusion(LABELS)
    return evaluated(confusion.rows(GOLD, said), confusion, "classify")


def save(run: Path, found: Evaluated, split: str = "test") -> Path:
    run.mkdir(parents=True, exist_ok=True)
    save_evaluation(run / FOLDER, split, found)
    return run


def test_three_runs(ambos: Run, tmp_path: Path) -> None:
    good, fair, poor = (
        save(tmp_path / name, with_errors(n, n)) for name, n in (("good", 40), ("fair", 44), ("poor", 120))
    )
    ran = ambos("compare", poor, good, fair, "--json")
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert (found["metric"], found["best"], found["rows"], found["groups"]) == (
        "accuracy",
        str(good),
        400,
        [],
    )
    rows = {one["run"]: one for one in found["runs"]}
    assert list(rows) == [str(poor), str(good), str(fair)]
    assert rows[str(good)]["verdict"] == "best"
    assert rows[str(good)]["difference"] is None
    assert rows[str(fair)]["verdict"] == "no clear difference"
    assert rows[str(fair)]["difference"]["value"] == pytest.approx(-0.01)
    assert rows[str(fair)]["p"] > 0.3
    assert rows[str(poor)]["verdict"] == "worse"
    assert rows[str(poor)]["difference"]["value"] == pytest.approx(-0.2)
    assert rows[str(poor)]["difference"]["high"] < 0
    assert rows[str(poor)]["p"] < 0.01
    assert rows[str(poor)]["metrics"]["accuracy"]["value"] == pytest.approx(0.7)


def test_for_people(ambos: Run, tmp_path: Path) -> None:
    runs = [save(tmp_path / name, with_errors(n, n)) for name, n in (("[b]good[/b]", 40), ("poor", 120))]
    ran = ambos("compare", *runs)
    out = " ".join(ran.out.split())
    for part in ("400 rows", "[b]good[/b] 0.9000 [0.8", "poor 0.7000", "-0.2000 [-0.2", "worse"):
        assert part in out
    assert "Holm" in out


def test_less_error_is_better(ambos: Run, tmp_path: Path) -> None:
    chance = np.random.default_rng(0)
    gold = chance.normal(size=200)
    runs = []
    for name, noise in (("near", 0.1), ("far", 0.5)):
        regression = Regression()
        examples = regression.rows(gold, gold + noise * chance.normal(size=200))
        runs.append(save(tmp_path / name, evaluated(examples, regression, "score")))
    found = json.loads(ambos("compare", *runs, "--json").out)
    assert (found["metric"], found["best"]) == ("mae", str(runs[0]))
    assert found["runs"][1]["verdict"] == "worse"
    assert found["runs"][1]["difference"]["value"] > 0
    by_order = json.loads(ambos("compare", *runs, "--metric", "spearman", "--json").out)
    assert by_order["best"] == str(runs[0])


def test_seeds_are_runs_of_a_group(ambos: Run, tmp_path: Path) -> None:
    errors = {"large": (40, 44, 48), "small": (100, 110)}
    for name, counts in errors.items():
        for seed, count in enumerate(counts):
            save(tmp_path / name / f"seed-{seed}", with_errors(count, count))
    (tmp_path / "large" / "seed-notes").mkdir()
    found = json.loads(ambos("compare", tmp_path / "large", tmp_path / "small", "--json").out)
    assert [Path(one["run"]).name for one in found["runs"]] == [
        "seed-0",
        "seed-1",
        "seed-2",
        "seed-0",
        "seed-1",
    ]
    for one in found["groups"]:
        values = [1 - count / 400 for count in errors[Path(one["group"]).name]]
        assert (one["mean"], one["sd"]) == pytest.approx((fmean(values), stdev(values)))
    assert [one["verdict"] for one in found["runs"][3:]] == ["worse"] * 2
    large, small = found["groups"]
    assert (large["verdict"], large["difference"], small["verdict"]) == ("best", None, "worse")
    assert small["difference"]["value"] == pytest.approx(small["mean"] - large["mean"])
    assert small["difference"]["high"] < 0
    assert small["p"] < 0.05
    shown = ambos("compare", tmp_path / "large", tmp_path / "small").out
    assert "seeds of" in shown
    assert "Means over seeds" in shown
    assert "0.8900" in shown


def test_test_rows_come_before_dev_rows(ambos: Run, tmp_path: Path) -> None:
    runs = [save(tmp_path / name, with_errors(n), "dev") for name, n in (("a", 10), ("b", 20))]
    assert (
        json.loads(ambos("compare", *runs, "--json").out)["runs"][0]["metrics"]["accuracy"]["value"] == 0.975
    )
    for run, count in zip(runs, (50, 60), strict=True):
        save(run, with_errors(count), "test")
    values = [
        json.loads(ambos("compare", *runs, *more, "--json").out)["runs"][0]["metrics"]["accuracy"]["value"]
        for more in ([], ["--split", "dev"])
    ]
    assert values == [0.875, 0.975]
    labelled = ambos("compare", *runs, "--split", "other").refused(3, "not evaluated on other")
    assert labelled["found"] == "evaluations of dev, test"


def test_folders_of_evaluate_can_be_compared(ambos: Run, tmp_path: Path) -> None:
    folder = tmp_path / "measured"
    folder.mkdir()
    save_evaluation(folder, ALONE, with_errors(30))
    ran = ambos("compare", folder, save(tmp_path / "run", with_errors(31)), "--json")
    assert json.loads(ran.out)["best"] == str(folder)


class TestBadInput:
    def test_other_examples(self, ambos: Run, tmp_path: Path) -> None:
        one = save(tmp_path / "one", replace(with_errors(3), files={"a.csv": "1"}))
        two = save(tmp_path / "two", replace(with_errors(3), digest="other", files={"b.csv": "2"}))
        labelled = ambos("compare", one, two).refused(3, "not measured with the same examples")
        assert labelled["expected"] == f"400 rows of a.csv, as for {one}"
        assert labelled["found"] == "400 rows of b.csv, other bytes"
        assert labelled["fix"] == f"ambos evaluate {two} a.csv --save"
        save(two, replace(with_errors(3), digest="other", files={"a.csv": "1"}))
        labelled = ambos("compare", one, two).refused(3, "not measured with the same examples")
        assert labelled["found"] == "400 other rows of the same file"

    def test_other_labels_or_another_task(self, ambos: Run, tmp_path: Path) -> None:
        one = save(tmp_path / "one", with_errors(3))
        two = save(tmp_path / "two", replace(with_errors(3), labels=("yes", "no")))
        labelled = ambos("compare", one, two).refused(3, "the runs do not do the same")
        assert labelled["found"] == f"classify with the labels yes, no, as {two} does"

    def test_no_evaluation(self, ambos: Run, tmp_path: Path) -> None:
        one = save(tmp_path / "one", with_errors(3))
        (tmp_path / "two").mkdir()
        labelled = ambos("compare", one, tmp_path / "two").refused(3, "this run has no evaluation")
        assert labelled["fix"] == f"ambos evaluate {tmp_path / 'two'} FILE --save"
        labelled = ambos("compare", one, tmp_path / "no").refused(3, "this run has no evaluation")
        assert labelled["found"] == "no such folder"

    def test_one_run(self, ambos: Run, tmp_path: Path) -> None:
        one = save(tmp_path / "one", with_errors(3))
        ambos("compare", one).refused(2, "two runs or more")
        ambos("compare", one, one).refused(2, "two runs or more")

    def test_no_such_metric(self, ambos: Run, tmp_path: Path) -> None:
        runs = [save(tmp_path / name, with_errors(3)) for name in "ab"]
        labelled = ambos("compare", *runs, "--metric", "acuracy").refused(2, "there is no metric 'acuracy'")
        assert labelled["fix"] == "did you mean accuracy?"
