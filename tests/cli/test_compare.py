"""`ambos compare`: which runs are better on the same examples, and what cannot be compared."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import pytest

from ambos.data.label_set import LabelSet
from ambos.evaluate.classification import Confusion
from ambos.evaluate.regression import Regression
from ambos.evaluate.retrieval import Retrieval
from ambos.runs.evaluation import Evaluated
from ambos.runs.saved_evaluations import ALONE, FOLDER, save_evaluation
from ambos.tasks.classify import Classify
from ambos.tasks.tag import Tag
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
        rows=examples.shape[0],
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
        for seed, count in enumerate(counts, -1):  # a seed may be below 0
            save(tmp_path / name / f"seed-{seed}", with_errors(count, count))
    (tmp_path / "large" / "seed-notes").mkdir()
    found = json.loads(ambos("compare", tmp_path / "large", tmp_path / "small", "--json").out)
    assert [Path(one["run"]).name for one in found["runs"]] == [
        "seed--1",
        "seed-0",
        "seed-1",
        "seed--1",
        "seed-0",
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


def drawn(task: Classify | Tag, names: tuple[str, ...], errors: float) -> Evaluated:
    """What a task's evaluation keeps of 300 examples, the same gold labels whatever the order of its own."""
    chance = np.random.default_rng(0)
    evaluation = task.evaluation()
    if isinstance(task, Tag):
        gold, other = (chance.choice(names, (300, 6)) for _ in range(2))
        said = np.where(chance.random(gold.shape) < errors, other, gold)
        examples = evaluation.rows(gold, said)
    elif task.several:
        flags = chance.random((300, len(names))) < 0.5
        said = flags ^ (chance.random(flags.shape) < errors)
        places = [names.index(name) for name in task.labels.names]
        examples = evaluation.rows(flags[:, places].astype(int), said[:, places].astype(int))
    else:
        gold = chance.integers(0, len(names), 300)
        said = np.where(chance.random(300) < errors, chance.integers(0, len(names), 300), gold)
        ids = np.array([task.labels.id_of(name) for name in names])
        examples = evaluation.rows(ids[gold], ids[said])
    found = evaluated(examples, evaluation, task.name)
    several = isinstance(task, Classify) and task.several
    return replace(found, main=task.main, labels=task.labels.names, several=several)


POS, TAGS = ("ADJ", "NOUN", "VERB"), ("O", "B-LOC", "I-LOC", "B-PER", "I-PER")


class TestTheOrderOfLabels:
    @pytest.mark.parametrize(
        ("task", "names"),
        [
            (Classify, POS),
            (lambda labels: Classify(labels, several=True), POS),
            (Tag, POS),
            (Tag, TAGS),
        ],
        ids=["one", "several", "tags", "entities"],
    )
    def test_it_does_not_matter(
        self, ambos: Run, tmp_path: Path, task: Callable[..., Classify | Tag], names: tuple[str, ...]
    ) -> None:
        found = []
        other = (*names[1:], names[0])  # a turn, which is not its own opposite
        for order in (names, other):
            one = save(tmp_path / "one", drawn(task(LabelSet(names)), names, 0.2))
            two = save(tmp_path / "two", drawn(task(LabelSet(order)), names, 0.4))
            ran = ambos("compare", one, two, "--metric", "macro_f1", "--json")
            assert ran.code == 0, ran.err
            found.append(json.loads(ran.out))
        same, turned = (one["runs"][1] for one in found)
        assert (turned["difference"], turned["p"]) == (same["difference"], same["p"])
        difference = same["difference"]
        figures = [one["metrics"]["macro_f1"]["value"] for one in found[0]["runs"]]
        assert difference["value"] == pytest.approx(figures[1] - figures[0])
        assert difference["value"] < -0.05

    def test_seeds_may_have_it_too(self, ambos: Run, tmp_path: Path) -> None:
        for group, errors in (("a", 0.2), ("b", 0.5)):
            for seed, order in enumerate((POS, POS[::-1])):
                found = drawn(Classify(LabelSet(order)), POS, errors + seed / 50)
                save(tmp_path / group / f"seed-{seed}", found)
        ran = ambos("compare", tmp_path / "a", tmp_path / "b", "--metric", "macro_f1", "--json")
        one, two = json.loads(ran.out)["groups"]
        assert two["difference"]["value"] == pytest.approx(two["mean"] - one["mean"])

    def test_entities_need_their_types_alone(self, ambos: Run, tmp_path: Path) -> None:
        never = TAGS[:-1]  # has not seen an I-PER
        one = save(tmp_path / "one", drawn(Tag(LabelSet(TAGS)), never, 0.2))
        two = save(tmp_path / "two", drawn(Tag(LabelSet(never)), never, 0.4))
        assert ambos("compare", one, two).code == 0
        save(two, drawn(Tag(LabelSet(TAGS[:3])), TAGS[:3], 0.4))
        labelled = ambos("compare", one, two).refused(3, "the runs do not do the same")
        assert labelled["expected"] == f"tag with the entities LOC, PER, as {one} does"
        assert labelled["found"] == f"tag with the entities LOC, as {two} does"


def test_another_file_with_the_same_labels_is_told(ambos: Run, tmp_path: Path) -> None:
    runs = [
        save(tmp_path / name, replace(with_errors(count), files={f"[{name}].csv": sha}))
        for name, count, sha in (("en", 40, "1"), ("pt", 44, "2"), ("en-2", 50, "1"))
    ]
    note = (
        f"[pt].csv, for {runs[1]}, has other bytes than [en].csv, for {runs[0]}: what is right agrees line "
        "by line, but whether the texts are the same was not looked at"
    )
    assert json.loads(ambos("compare", *runs, "--json").out)["notes"] == [note]
    assert "".join(note.split()) in "".join(ambos("compare", *runs).out.split())
    assert json.loads(ambos("compare", runs[0], runs[2], "--json").out)["notes"] == []


class TestBadInput:
    def test_other_examples(self, ambos: Run, tmp_path: Path) -> None:
        one = save(tmp_path / "one", replace(with_errors(3), files={"a.csv": "1"}))
        two = save(tmp_path / "two", replace(with_errors(3), digest="other", files={"b.csv": "2"}))
        labelled = ambos("compare", one, two).refused(3, "not measured with the same examples")
        assert labelled["expected"] == f"400 rows of a.csv, as for {one}"
        assert labelled["found"] == "400 rows of b.csv, other bytes"
        # Never the file of the first run: it may be the one that it learnt from, whose rows it kept back.
        assert "a.csv" not in labelled["fix"]
        assert "--split FILE" in labelled["fix"]
        save(two, replace(with_errors(3), digest="other", files={"a.csv": "1"}))
        labelled = ambos("compare", one, two).refused(3, "not measured with the same examples")
        assert labelled["found"] == "400 other rows of the same file"

    def test_other_labels_or_another_task(self, ambos: Run, tmp_path: Path) -> None:
        one = save(tmp_path / "one", with_errors(3))
        two = save(tmp_path / "two", replace(with_errors(3), labels=("no", "maybe")))
        labelled = ambos("compare", one, two).refused(3, "the runs do not do the same")
        assert labelled["found"] == f"classify with the labels no, maybe, as {two} does"

    def test_cosines_and_ranks(self, ambos: Run, tmp_path: Path) -> None:
        runs = []
        for evaluation, said, main in (
            (Regression(), np.arange(9.0), "spearman"),
            (Retrieval(graded=True), np.stack([np.arange(9.0), np.ones(9)], axis=1), "mrr"),
        ):
            examples = evaluation.rows(np.arange(9) / 9, said)
            runs.append(save(tmp_path / main, replace(evaluated(examples, evaluation, "embed"), main=main)))
        labelled = ambos("compare", *runs).refused(3, "the runs do not do the same")
        assert labelled["expected"] == f"embed, measured by spearman, as {runs[0]} does"
        assert labelled["found"] == f"embed, measured by mrr, as {runs[1]} does"

    def test_no_evaluation(self, ambos: Run, tmp_path: Path) -> None:
        one = save(tmp_path / "one", with_errors(3))
        (tmp_path / "two").mkdir()
        labelled = ambos("compare", one, tmp_path / "two").refused(3, "this run has no evaluation")
        assert labelled["fix"] == f"ambos evaluate {tmp_path / 'two'} FILE --save"
        labelled = ambos("compare", one, tmp_path / "no").refused(3, "this run has no evaluation")
        assert labelled["found"] == "no such folder"
        assert labelled["fix"] == "check the path"

    def test_one_run(self, ambos: Run, tmp_path: Path) -> None:
        one = save(tmp_path / "one", with_errors(3))
        ambos("compare", one).refused(2, "two runs or more")
        ambos("compare", one, one).refused(2, "two runs or more")

    def test_no_such_metric(self, ambos: Run, tmp_path: Path) -> None:
        runs = [save(tmp_path / name, with_errors(3)) for name in "ab"]
        labelled = ambos("compare", *runs, "--metric", "acuracy").refused(2, "there is no metric 'acuracy'")
        assert labelled["fix"] == "did you mean accuracy?"
