"""Cross-validation: every row is held out once, nothing leaks, and the figures are those of scikit-learn."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn import metrics as sk

import ambos
from ambos.errors import UsageError
from ambos.runs.comparing import compare_runs
from ambos.runs.folder import read_run
from ambos.runs.folds import Folds
from ambos.runs.saved_evaluations import find_evaluation
from ambos.runs.series import finetune_series
from ambos.runs.splits import read_splits
from tests.runs.small import small_recipe, write_small

HERE = Path("rows")


@pytest.fixture(scope="module")
def files(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    return write_small(sample, tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def runs(
    model_folder: Callable[[str], Path],
    files: dict[str, dict[str, str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str], tuple[Path, Folds]]:
    """A cross-validation with three folds of a task, made once; without dev rows for `score`."""
    root = tmp_path_factory.mktemp("folds")

    def make(task: str) -> tuple[Path, Folds]:
        out = root / task
        given = {split: file for split, file in files[task].items() if task != "score" or split == "train"}
        recipe = small_recipe(task, model_folder("wordpiece"), given, folds=3)
        if not out.exists():
            assert finetune_series(out, recipe)
        return out, Folds(out, recipe, read_splits(recipe.data, recipe.task))

    return make


@pytest.mark.parametrize("task", ["classify", "score", "tag"])
def test_every_row_is_held_out_once_and_seen_by_the_others(
    runs: Callable[[str], tuple[Path, Folds]], task: str
) -> None:
    _, folds = runs(task)
    rows = folds.splits.train.rows
    held = []
    for number in range(3):
        splits = folds.member(number, []).splits
        seen = [*splits.train.rows, *splits.dev.rows]
        assert 0.05 * len(seen) < len(splits.dev.rows) < 0.2 * len(seen)
        assert Counter(map(repr, (*seen, *splits.test.rows))) == Counter(map(repr, rows))
        same = (lambda row: row.words) if task == "tag" else (lambda row: row.text)
        assert not {same(row) for row in seen} & {same(row) for row in splits.test.rows}
        held += splits.test.rows
    assert Counter(map(repr, held)) == Counter(map(repr, rows))
    final = folds.member(3, []).splits
    if task == "score":  # no dev file: a tenth of all rows selects
        assert final.kept_back
        assert len(final.dev.rows) + len(final.train.rows) == len(rows)
    else:
        assert list(final.train.rows) == list(rows)


def test_the_figure_of_all_held_out_rows_is_that_of_scikit_learn(
    runs: Callable[[str], tuple[Path, Folds]],
) -> None:
    out, folds = runs("classify")
    about, gold, said = read_run(out), [], []
    for number in range(3):
        held = folds.member(number, []).splits.test.rows
        found = ambos.load(out / f"fold-{number + 1}").predict([row.text for row in held])
        gold += [row.labels[0] for row in held]
        said += [one.labels[0] for one in found]
        own = about["members"][number]["figures"]["test"]["accuracy"]["value"]
        assert own == pytest.approx(
            np.mean([a == b for a, b in zip(gold[-len(held) :], said[-len(held) :], strict=True)])
        )
    pooled = {name: one["value"] for name, one in about["folds"].items()}
    assert pooled == pytest.approx(
        {
            "accuracy": sk.accuracy_score(gold, said),
            "macro_f1": sk.f1_score(gold, said, average="macro"),
            "micro_f1": sk.f1_score(gold, said, average="micro"),
            "mcc": sk.matthews_corrcoef(gold, said),
        }
    )
    saved = find_evaluation(out, "folds").values
    labels = saved["labels"]
    assert saved["confusion"]["counts"] == sk.confusion_matrix(gold, said, labels=labels).tolist()
    interval = about["folds"]["accuracy"]
    assert interval["low"] <= interval["value"] <= interval["high"]


def test_scores_and_tags_are_pooled_in_the_order_of_the_rows(
    runs: Callable[[str], tuple[Path, Folds]],
) -> None:
    out, folds = runs("score")
    examples = find_evaluation(out, "folds").examples
    assert examples[:, 0].tolist() == [row.score for row in folds.rows]
    assert read_run(out)["folds"]["spearman"]["value"] == pytest.approx(spearmanr(*examples.T)[0])
    out, folds = runs("tag")
    saved = find_evaluation(out, "folds")
    assert saved.examples.toarray()[:, 0].tolist() == [len(row.words) for row in folds.rows]
    parts = [find_evaluation(out / f"fold-{number}", "test") for number in (1, 2, 3)]
    assert sum(part.examples.astype(int).sum(0) for part in parts).tolist() == saved.examples.sum(0).tolist()


def test_confusions_of_tags_are_those_of_all_folds(
    model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    file = tmp_path / "train.conll"
    words = [("o\tDET", "gato\tNOUN", "dorme\tVERB"), ("casa\tNOUN", "canta\tVERB")]
    sentences = [f"{number}\tNUM\n" + "\n".join(words[number % 2]) for number in range(12)]
    file.write_text("\n\n".join(sentences) + "\n")
    recipe = small_recipe("tag", model_folder("wordpiece"), {"train": str(file)}, folds=2, epochs=0.3)
    assert finetune_series(tmp_path / "run", recipe)
    saved = find_evaluation(tmp_path / "run", "folds").values
    counts = np.array(saved["confusion"]["counts"])
    there = {"NUM": 12, "NOUN": 12, "VERB": 12, "DET": 6}
    assert dict(zip(saved["labels"], counts.sum(1).tolist(), strict=True)) == there
    assert np.trace(counts) / counts.sum() == pytest.approx(saved["metrics"]["accuracy"]["value"])


def test_the_model_is_that_of_all_rows(runs: Callable[[str], tuple[Path, Folds]]) -> None:
    out, _ = runs("classify")
    about = read_run(out)
    assert about["chosen"] == "final"
    assert (out / "bundle" / "model.safetensors").read_bytes() == (
        out / "final" / "bundle" / "model.safetensors"
    ).read_bytes()
    assert set(about["evaluation"]) == {"dev", "test"}
    assert read_run(out / "final")["rows"] == {"train": 48, "dev": 24, "test": 24}
    assert "held out" in (out / "report.html").read_text()


def test_what_was_left_out_is_counted_once(
    model_folder: Callable[[str], Path], files: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    train = tmp_path / "train.jsonl"
    bad = '{"text": "", "label": "positive"}\n' * 3
    train.write_text(Path(files["classify"]["train"]).read_text() + bad)
    data = {"data": {"train": [str(train)], "skip_bad": True}}
    recipe = small_recipe("classify", model_folder("wordpiece"), {}, folds=2, epochs=0.3, **data)
    run = tmp_path / "run"
    assert finetune_series(run, recipe)
    assert read_run(run)["left_out"]["train"] == {"empty text": 3}
    assert find_evaluation(run, "folds").values["left_out"] == {"empty text": 3}
    for fold in ("fold-1", "fold-2"):
        assert read_run(run / fold)["left_out"] == {"train": {}, "dev": {}, "test": {}}
        assert find_evaluation(run / fold, "test").values["left_out"] == {}
        assert "Rows were left out" not in (run / fold / "report.html").read_text()
    assert read_run(run / "final")["left_out"]["train"] == {"empty text": 3}  # it read the whole file


def test_a_metric_that_a_fold_does_not_give_is_refused_at_once(
    model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """One passage of a few has questions without answers."""
    paragraphs = [
        {
            "context": f"O gato {number} dorme.",
            "qas": [
                {
                    "id": f"{number}-{kind}",
                    "question": f"Quem {kind}?",
                    "answers": [] if number == kind == 0 else [{"text": "gato", "answer_start": 2}],
                }
                for kind in range(4)
            ],
        }
        for number in range(12)
    ]
    train = tmp_path / "train.json"
    train.write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}))
    metric = {"selection": {"metric": "answerable_f1"}}
    recipe = small_recipe("answer", model_folder("wordpiece"), {"train": str(train)}, folds=2, **metric)
    with pytest.raises(UsageError, match="there is no metric 'answerable_f1' for answer"):
        finetune_series(tmp_path / "run", recipe)
    assert not (tmp_path / "run").exists()


def test_a_label_of_one_row_alone_is_held_out_too(
    model_folder: Callable[[str], Path], files: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    train = tmp_path / "train.jsonl"
    train.write_text(Path(files["classify"]["train"]).read_text() + '{"text": "raro", "label": "rare"}\n')
    recipe = small_recipe("classify", model_folder("wordpiece"), {"train": str(train)}, folds=2, epochs=0.3)
    assert finetune_series(tmp_path / "run", recipe)
    found = find_evaluation(tmp_path / "run", "folds").values
    assert (found["rows"], found["labels"]) == (49, ["negative", "positive", "rare"])


def test_cross_validations_are_compared_by_the_same_rows(
    runs: Callable[[str], tuple[Path, Folds]],
    model_folder: Callable[[str], Path],
    files: dict[str, dict[str, str]],
    tmp_path: Path,
) -> None:
    """Whatever the folds were: rows stand in the order of the files."""
    recipe = small_recipe("classify", model_folder("bpe"), files["classify"], folds=2, seed=9, epochs=0.3)
    assert finetune_series(tmp_path / "run", recipe)
    first, _ = runs("classify")
    found = compare_runs([first, tmp_path / "run"], split="folds")
    assert {one.values["rows"] for one in found.runs.values()} == {48}
    assert len(compare_runs([first, tmp_path / "run"]).runs) == 2  # by the models on the test rows


def test_rows_of_which_none_can_be_kept_back(model_folder: Callable[[str], Path], tmp_path: Path) -> None:
    """The last run then has nothing to be measured with, and the series ends all the same."""
    file = tmp_path / "train.csv"
    file.write_text("text,label\num,a\ndois,b\ntrês,c\n")
    recipe = small_recipe("classify", model_folder("wordpiece"), {"train": str(file)}, folds=3)
    assert finetune_series(tmp_path / "run", recipe)
    about = read_run(tmp_path / "run")
    assert (about["status"], about["evaluation"], about["members"][-1]["figures"]) == ("finished", {}, {})
    assert find_evaluation(tmp_path / "run", "folds").values["rows"] == 3
    page = (tmp_path / "run" / "report.html").read_text()
    assert "a last run, on the rows of all folds." in page
