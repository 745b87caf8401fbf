"""The pair lab: every scheme on the same rows, baselines beside them, a report, and going on after a stop."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ambos.analysis.pairs_advice import recommend, warned
from ambos.analysis.pairs_table import table_of
from ambos.errors import InputError, OutputError, UsageError
from ambos.evaluate.comparison import holm
from ambos.evaluate.groups import group_mean
from ambos.evaluate.pair_baselines import hold_out_baselines, overlap, predict_baselines
from ambos.predict.model import load
from ambos.recipe import load_recipe
from ambos.runs.finetune_folder import recipe_of
from ambos.runs.finetune_settings import FinetuneRecipe
from ambos.runs.folder import begin_folder, read_run
from ambos.runs.folds import Folds
from ambos.runs.log import Quiet
from ambos.runs.pair_costs import joint_tokens
from ambos.runs.pairs import PairLab
from ambos.runs.saved_evaluations import find_evaluation

WORDS = ("que", "com", "uma", "por", "gato", "casa")


def write_pairs(folder: Path, split: str, count: int, seed: int) -> str:
    chance = np.random.default_rng(seed)
    lines = []
    for _ in range(count):
        first = [str(word) for word in chance.choice(WORDS, chance.integers(2, 6))]
        same = bool(chance.integers(2))
        second = list(chance.permutation(first)) if same else [str(word) for word in chance.choice(WORDS, 3)]
        row = {"text_a": " ".join(first), "text_b": " ".join(second), "label": "same" if same else "other"}
        lines.append(json.dumps({**row, "score": float(same) + 0.1 * float(chance.random())}))
    file = folder / f"{split}.jsonl"
    file.write_text("\n".join(lines) + "\n")
    return str(file)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    folder = tmp_path_factory.mktemp("pairs")
    sizes = {"train": 96, "dev": 32, "test": 64}
    return {split: [write_pairs(folder, split, count, count)] for split, count in sizes.items()}


def recipe(base: Path, files: dict[str, list[str]], task: str = "classify", **more: object) -> FinetuneRecipe:
    target = {"classify": "label", "score": "score"}[task]
    given = {
        "task": task,
        "base": str(base),
        "epochs": 1.0,
        "batch": 16,
        "precision": "fp32",
        "learning": {"lr": 1e-3},
        "checks": {"rows": 0, "sequences": 0},
        "data": {**files, "columns": {target: target}, "pairs": True},
    }
    return load_recipe(FinetuneRecipe, [given, more])


@pytest.fixture(scope="module")
def lab(
    model_folder: Callable[[str], Path], files: dict[str, list[str]], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict]:
    out = tmp_path_factory.mktemp("lab") / "lab"
    schemes = ["joint", "combined", "attention"]
    result = PairLab(out, recipe(model_folder("wordpiece"), files), schemes).run()
    return out, result


def test_all_are_measured_with_the_same_rows(lab: tuple[Path, dict]) -> None:
    out, result = lab
    assert [one["name"] for one in result["candidates"]] == ["joint", "combined", "attention"]
    assert (result["split"], result["rows"]["test"]) == ("test", 64)
    assert json.loads((out / "pairs.json").read_text())["recommendation"] == result["recommendation"]
    for one in result["candidates"]:
        saved = json.loads((out / one["name"] / "evaluation" / "test.json").read_text())
        assert saved["metrics"] == one["metrics"]
        assert one["costs"]["pairs_per_second"] > 0
        assert 0 <= one["swapped"]["low"] <= one["swapped"]["changed"] <= one["swapped"]["high"] <= 1
    systems = [*result["candidates"], *result["baselines"]]
    assert sum(one["against_best"] is None for one in systems) == 1
    assert {one["name"] for one in result["baselines"]} == {
        *("commonest answer", "second text alone", "shared words", "TF-IDF", "shared words, TF-IDF"),
    }


def test_twins_read_each_text_once(lab: tuple[Path, dict], files: dict[str, list[str]]) -> None:
    out, result = lab
    costs = {one["name"]: one["costs"] for one in result["candidates"]}
    grid = costs["joint"]["grid"]
    model = load(out / "joint", "cpu")
    rows = [json.loads(line) for line in Path(files["test"][0]).read_text().splitlines()]
    first = list(dict.fromkeys(row["text_a"] for row in rows))
    second = list(dict.fromkeys(row["text_b"] for row in rows))[: len(first)]
    first = first[: len(second)]
    assert grid == len(first)
    sizes = {text: len(model.tokenizer.encode(text)) for text in (*first, *second)}
    assert costs["combined"]["grid_tokens"] == sum(sizes[text] for text in (*first, *second))
    together = sum(len(model.tokenizer.encode(a, b)) for a in first for b in second)
    assert costs["joint"]["grid_tokens"] == together == joint_tokens(model, first, second)
    assert together > 0.8 * grid * costs["combined"]["grid_tokens"] / 2


def test_the_report_has_it_all(lab: tuple[Path, dict]) -> None:
    out, result = lab
    page = (out / "report.html").read_text()
    for name in ("joint", "combined", "attention", "second text alone", "TF-IDF"):
        assert name in page
    assert page.count("data:image/svg+xml") == 2
    assert "http" not in page.replace("http-equiv", "")
    assert result["recommendation"].split(":")[0] in page
    assert "The best scheme was chosen by these pairs" in page
    systems = [*result["candidates"], *result["baselines"]]
    beside = [one["against_best"] for one in systems if one["against_best"]]
    pairs = len(systems) * (len(systems) - 1) // 2  # any of them could have been the one with the best
    assert [one["p"] for one in beside] == holm([one["difference"]["p"] for one in beside], of=pairs)


def test_again_goes_on(lab: tuple[Path, dict], model_folder: Callable[[str], Path], files: dict) -> None:
    out, _ = lab
    before = (out / "combined" / "run.json").read_bytes()
    result = PairLab(out, recipe(model_folder("wordpiece"), files), ["combined", "product"]).run()
    assert (out / "combined" / "run.json").read_bytes() == before
    assert [one["name"] for one in result["candidates"]] == ["combined", "product"]


class TestRunsThatAreThere:
    """A finished run stands in the table only if it is what would be trained now."""

    def test_other_settings_are_refused(
        self, lab: tuple[Path, dict], model_folder: Callable[[str], Path], files: dict
    ) -> None:
        out, _ = lab
        how = recipe(model_folder("wordpiece"), files, epochs=2.0, learning={"lr": 1e-4})
        with pytest.raises(OutputError, match="the run of joint was made otherwise") as refused:
            PairLab(out, how, ["joint", "product"])
        assert refused.value.expected == "epochs 2.0; learning.lr 0.0001"
        assert refused.value.found == "epochs 1.0; learning.lr 0.001"
        assert "--force" in str(refused.value.fix)

    def test_other_rows_in_a_file_of_the_same_name_and_length(
        self, lab: tuple[Path, dict], model_folder: Callable[[str], Path], files: dict
    ) -> None:
        out, _ = lab
        file = Path(files["test"][0])
        before = file.read_text()
        file.write_text("\n".join(before.splitlines()[::-1]) + "\n")
        try:
            with pytest.raises(OutputError, match="made otherwise: the --train, --dev and --test files"):
                PairLab(out, recipe(model_folder("wordpiece"), files), ["joint"])
        finally:
            file.write_text(before)

    def test_a_run_that_was_stopped_does_not_go_on_with_its_old_settings(
        self, model_folder: Callable[[str], Path], files: dict, tmp_path: Path
    ) -> None:
        out, base = tmp_path / "lab", model_folder("wordpiece")
        (out / "joint").mkdir(parents=True)
        begin_folder(out / "joint", recipe(base, files, epochs=3.0), str(base), [], kind="finetune")
        with pytest.raises(OutputError, match="made otherwise: epochs"):
            PairLab(out, recipe(base, files), ["joint"])
        PairLab(out, recipe(base, files, epochs=3.0), ["joint"])

    def test_force_trains_anew(
        self, model_folder: Callable[[str], Path], files: dict, tmp_path: Path
    ) -> None:
        out, base = tmp_path / "lab", model_folder("wordpiece")
        stale = recipe(base, files, epochs=3.0, pair={"scheme": "product"})
        for scheme in ("joint", "product"):
            (out / scheme).mkdir(parents=True)
            begin_folder(out / scheme, stale, str(base), [], kind="finetune")
        again = PairLab(out, recipe(base, files), ["product"], force=True)
        again.run()
        assert recipe_of(out / "product").epochs == 1.0
        assert recipe_of(out / "joint").epochs == 3.0  # was not asked for
        (out / "product" / "notes.txt").write_text("mine")
        with pytest.raises(OutputError, match="only what such a command wrote"):
            PairLab(out, recipe(base, files), ["product"], force=True)

    def test_force_spares_what_it_cannot_make_anew(
        self, lab: tuple[Path, dict], files: dict, tmp_path: Path
    ) -> None:
        out = tmp_path / "lab"
        shutil.copytree(lab[0], out)
        with pytest.raises(OutputError, match="replace what it is made from"):
            PairLab(out, recipe(out / "joint", files), ["joint"], force=True)
        with pytest.raises(InputError, match="no model"):
            PairLab(out, recipe(tmp_path / "none", files), ["joint"], force=True)
        assert (out / "joint" / "bundle" / "model.safetensors").is_file()

    def test_precision_is_settled_once_for_all(
        self, model_folder: Callable[[str], Path], files: dict, tmp_path: Path
    ) -> None:
        out, base = tmp_path / "lab", model_folder("wordpiece")
        for precision in ("bf16", "fp32"):
            how = recipe(base, files, precision=precision)
            shutil.rmtree(out, ignore_errors=True)
            (out / "joint").mkdir(parents=True)
            begin_folder(out / "joint", how, str(base), [], kind="finetune")
            found = PairLab(out, recipe(base, files, precision="auto"), ["joint", "product"])
            assert {one.precision for one in found.recipes.values()} == {precision}

    def test_no_folder_for_a_lab(
        self, model_folder: Callable[[str], Path], files: dict, tmp_path: Path, lab: tuple[Path, dict]
    ) -> None:
        how, file = recipe(model_folder("wordpiece"), files), tmp_path / "file"
        file.write_text("mine")
        for out, found in ((file, "a file"), (lab[0] / "joint", "a run")):
            with pytest.raises(OutputError, match="cannot be written here") as refused:
                PairLab(out, how, ["joint"])
            assert refused.value.found == found


class TestSchemes:
    class Listener(Quiet):
        def __init__(self) -> None:
            self.notes: list[str] = []

        def note(self, text: str) -> None:
            self.notes.append(text)

    def test_labels_have_no_cosine(
        self, model_folder: Callable[[str], Path], files: dict, tmp_path: Path
    ) -> None:
        how, listener = recipe(model_folder("wordpiece"), files), self.Listener()
        with pytest.raises(UsageError, match="these pairs have labels") as refused:
            PairLab(tmp_path / "lab", how, ["joint", "embed"])
        assert "--positive LABEL" in str(refused.value.fix)
        lab = PairLab(tmp_path / "lab", how, None, listener)
        assert lab.schemes == ["joint", "concat", "difference", "product", "combined", "attention"]
        assert listener.notes == ["embed is left out: it learns a cosine, and these pairs have labels"]

    def test_an_error_of_cosines_is_in_no_unit(
        self, model_folder: Callable[[str], Path], files: dict, tmp_path: Path
    ) -> None:
        listener = self.Listener()
        how = recipe(model_folder("wordpiece"), files, "score", selection={"metric": "mae"})
        with pytest.raises(UsageError, match="its mae is not in the unit of the scores"):
            PairLab(tmp_path / "lab", how, ["embed"])
        assert "embed" not in PairLab(tmp_path / "lab", how, None, listener).schemes
        assert len(listener.notes) == 1
        how = recipe(model_folder("wordpiece"), files, "score")
        assert PairLab(tmp_path / "lab", how).schemes[-1] == "embed"

    def test_none(self, model_folder: Callable[[str], Path], files: dict, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="no scheme is named"):
            PairLab(tmp_path / "lab", recipe(model_folder("wordpiece"), files), [])


def test_scores_and_cosines(model_folder: Callable[[str], Path], files: dict, tmp_path: Path) -> None:
    result = PairLab(
        tmp_path / "lab", recipe(model_folder("wordpiece"), files, "score"), ["joint", "embed"]
    ).run()
    assert [one["name"] for one in result["candidates"]] == ["joint", "embed"]
    assert result["metric"] == "spearman"
    assert {"mean_difference", "correlation"} == set(result["candidates"][0]["swapped"])
    assert result["candidates"][1]["swapped"]["mean_difference"] == pytest.approx(0, abs=1e-5)  # a cosine


def test_seeds(model_folder: Callable[[str], Path], files: dict, tmp_path: Path) -> None:
    how = recipe(model_folder("wordpiece"), files, seeds=2)
    lab = PairLab(tmp_path / "lab", how, ["joint", "product"])
    result = lab.run()
    assert result["method"] == "seeds"
    spread = result["candidates"][0]["spread"]["accuracy"]
    runs = [read_run(tmp_path / "lab" / "joint" / f"seed-{seed}")["evaluation"]["test"] for seed in (0, 1)]
    values = [run["accuracy"]["value"] for run in runs]
    assert spread["mean"] == pytest.approx(np.mean(values))
    assert spread["sd"] == pytest.approx(np.std(values, ddof=1))
    systems = {one["name"]: one for one in [*result["candidates"], *result["baselines"]]}
    best = systems[result["best"]]["figure"]["value"]
    for one in systems.values():  # means over seeds are compared, not the runs that were best on dev
        beside = one["against_best"]
        assert beside is None or beside["difference"]["value"] == pytest.approx(one["figure"]["value"] - best)
    columns, rows = table_of(result)
    shown = dict(zip(columns, next(row for row in rows if row[0] == "joint"), strict=True))
    figure = systems["joint"]["figure"]
    half = (figure["high"] - figure["low"]) / 2
    assert shown["mean of\n2 seeds"] == f"{spread['mean']:.3f} \u00b1{half:.3f}"
    examples = [
        find_evaluation(tmp_path / "lab" / "joint" / f"seed-{seed}", "test").examples for seed in (0, 1)
    ]
    assert "Two seeds know little" in (tmp_path / "lab" / "report.html").read_text()
    assert figure == group_mean(lab.task.evaluation(), examples, "accuracy").as_dict()  # of pairs and seeds


def test_folds_are_the_same_for_all(
    model_folder: Callable[[str], Path], files: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folds = []

    def spy(pairs: object, targets: object, fold_of: np.ndarray, *, scores: bool) -> object:
        folds.append(fold_of)
        return hold_out_baselines(pairs, targets, fold_of, scores=scores)

    monkeypatch.setattr("ambos.runs.pairs.hold_out_baselines", spy)
    out = tmp_path / "lab"
    how = recipe(model_folder("wordpiece"), {"train": files["train"]}, folds=2)
    lab = PairLab(out, how, ["joint"])
    result = lab.run()
    assert (result["method"], result["split"], result["rows"]["train"]) == ("folds", "folds", 96)
    (fold_of,) = folds
    rows, changed = lab.splits.train.rows, 0
    for number in (0, 1):
        saved = json.loads((out / "joint" / f"fold-{number + 1}" / "evaluation" / "test.json").read_text())
        assert saved["rows"] == (fold_of == number).sum()
        model = load(out / "joint" / f"fold-{number + 1}", "cpu")
        some = [row for row, fold in zip(rows, fold_of, strict=True) if fold == number]
        said = model.predict([(row.text_a, row.text_b) for row in some])
        other = model.predict([(row.text_b, row.text_a) for row in some])
        changed += sum(one.labels != two.labels for one, two in zip(said, other, strict=True))
    assert result["candidates"][0]["swapped"]["changed"] == changed / 96
    series = Folds(out / "joint", recipe_of(out / "joint"), lab.splits)
    assert fold_of.tolist() == series.fold_of.tolist()


class TestRowsThatCannotBeUsed:
    """Known before anything is trained."""

    def test_labels_that_are_not_learnt(
        self, model_folder: Callable[[str], Path], files: dict, tmp_path: Path
    ) -> None:
        file = tmp_path / "test.jsonl"
        unknown = json.dumps({"text_a": "uma casa", "text_b": "gato", "label": "new"})
        file.write_text(Path(files["test"][0]).read_text() + unknown + "\n")
        data = {**files, "test": [str(file)]}
        with pytest.raises(InputError, match="new"):
            PairLab(tmp_path / "lab", recipe(model_folder("wordpiece"), data), ["joint"])
        how = recipe(model_folder("wordpiece"), data, data={"skip_bad": True})
        lab = PairLab(tmp_path / "lab", how, ["joint"])
        assert len(lab.rows) == 64
        assert lab.splits.test.left_out == {"unknown label": 1}

    def test_several_labels(self, model_folder: Callable[[str], Path], files: dict, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="one label each"):
            PairLab(tmp_path / "lab", recipe(model_folder("wordpiece"), files, several=True))

    def test_a_third_text(self, model_folder: Callable[[str], Path], files: dict, tmp_path: Path) -> None:
        how = recipe(model_folder("wordpiece"), files, data={"columns": {"text_c": "more"}})
        with pytest.raises(UsageError, match="more than two are read jointly alone"):
            PairLab(tmp_path / "lab", how)


def test_single_texts_are_refused(model_folder: Callable[[str], Path], tmp_path: Path) -> None:
    file = tmp_path / "texts.jsonl"
    file.write_text('{"text": "a", "label": "x"}\n{"text": "b", "label": "y"}\n')
    how = recipe(model_folder("wordpiece"), {"train": [str(file)]}, data={"pairs": None})
    with pytest.raises(UsageError, match="no pairs of texts"):
        PairLab(tmp_path / "lab", how, ["joint"])


class TestBaselines:
    def test_the_second_text_gives_it_away(self) -> None:
        train = [("x", "sim claro"), ("y", "não nunca")] * 20
        found = predict_baselines(
            train, np.array([1, 0] * 20), [("z", "claro"), ("z", "nunca")], scores=False
        )
        assert found["second text alone"].tolist() == [1, 0]
        assert found["commonest answer"].tolist() == [0, 0]

    def test_scores(self) -> None:
        train = [("a b c", "a b c"), ("a b c", "d e f"), ("a b c", "a b f")] * 10
        found = predict_baselines(
            train, np.array([3.0, 0.0, 2.0] * 10), [("g h", "g h"), ("g h", "i j")], scores=True
        )
        assert found["shared words"][0] > 2 > 1 > found["shared words"][1]
        assert found["commonest answer"] == pytest.approx(5 / 3)

    def test_shared_words_and_tfidf_together_know_more_than_either(self) -> None:
        """Same words, unless the second text says no: neither the words alone nor their number tell it."""
        draw = np.random.default_rng(0)
        names = [f"n{number}" for number in range(400)]
        pairs, targets = [], []
        for _ in range(800):
            a, b, c, d = draw.choice(names, 4, replace=False)
            same, denied = draw.random(2) < (0.5, 0.25)
            second = f"{a} {b}" if same else f"{c} {d}"
            pairs.append((f"{a} {b}", f"{second} {'no' if denied else 'yes'}"))
            targets.append(int(same and not denied))
        gold = np.array(targets)
        found = predict_baselines(pairs[:600], gold[:600], pairs[600:], scores=False)
        right = {name: float((said == gold[600:]).mean()) for name, said in found.items()}
        assert right.pop("shared words, TF-IDF") > max(right.values()) + 0.02

    def test_held_out(self) -> None:
        """Whoever had seen the pair would know its label; who has not cannot."""
        pairs = [(f"w{number}", f"v{number}") for number in range(40)]
        targets = np.array([0, 1] * 20)
        found = hold_out_baselines(pairs, targets, np.arange(40) % 4, scores=False)["TF-IDF"]
        assert (found == targets).mean() < 0.8
        twice, same = pairs * 2, np.tile(targets, 2)
        apart = hold_out_baselines(twice, same, np.repeat([0, 1], 40), scores=False)["TF-IDF"]
        assert (apart == same).mean() > 0.9  # which equal texts are in the folds does count
        together = hold_out_baselines(twice, same, np.tile(np.arange(40) % 4, 2), scores=False)["TF-IDF"]
        assert (together == same).mean() < 0.8
        seen = predict_baselines(pairs, targets, pairs, scores=False)["TF-IDF"]
        assert (seen == targets).mean() > 0.9

    @pytest.mark.parametrize("scores", [False, True])
    def test_texts_without_words_tell_nothing(self, scores: bool) -> None:
        targets = np.array([1, 0, 1] * 4) + (0.5 if scores else 0)
        one = predict_baselines([("a b", "?!")] * 12, targets, [("a", "b"), ("c", "...")], scores=scores)
        assert one["second text alone"].tolist() == one["commonest answer"].tolist()
        none = predict_baselines([("!", "?!")] * 12, targets, [("a", "b")], scores=scores)
        assert none["TF-IDF"].tolist() == none["commonest answer"].tolist()
        assert len(none["shared words, TF-IDF"]) == 1

    def test_overlap_is_none_for_empty_words(self) -> None:
        assert overlap("...", "!!!")[:3] == [0.0, 0.0, 0.0]


class TestRecommendation:
    def candidate(self, name: str, value: float, rate: float, real: str | None, low: float = -0.05) -> dict:
        beside = {"better": real, "difference": {"value": value - 0.9, "low": low, "high": 0.01}, "p": 0.5}
        return {
            "name": name,
            "figure": {"value": value},
            "costs": {"grid_per_second": rate},
            "against_best": beside,
        }

    def result(self, twin_is_worse: bool, baseline: bool = False, low: float = -0.05) -> dict:
        best = self.candidate("joint", 0.9, 100.0, None)
        best["against_best"] = None
        twin = self.candidate("combined", 0.88, 9000.0, "joint" if twin_is_worse else None, low)
        poor = self.candidate("product", 0.3, 90_000.0, "joint" if twin_is_worse else None, -0.7)
        other = self.candidate("TF-IDF", 0.89 if baseline else 0.5, 1.0, None if baseline else "joint")
        return {
            "metric": "accuracy",
            "less_is_better": False,
            "best": "joint",
            "candidates": [best, poor, twin],
            "baselines": [other],
        }

    def test_the_fast_one_if_it_is_as_good(self) -> None:
        said = recommend(self.result(False, low=-0.019))
        assert said.startswith(
            "Take combined: its accuracy of 0.880 is at most 0.019 worse than that of joint"
        )
        assert "90 times as fast" in said

    def test_the_fast_one_that_answers_the_same_is_not_worse_by_less_than_nothing(self) -> None:
        assert "is at most 0.000 worse than that of joint" in recommend(self.result(False, low=0.0))

    def test_too_few_pairs_make_nothing_equal(self) -> None:
        """No difference can be seen, but a large one could be there: the best figure is taken."""
        said = recommend(self.result(False))
        assert said.startswith("Take joint: it has the best accuracy 0.900")
        assert "combined is 90 times as fast, and loses 0.020 here, though so few pairs" in said
        assert "at most 0.050" in said

    def test_the_best_one_if_not(self) -> None:
        said = recommend(self.result(True))
        assert said.startswith("Take joint: it has the best accuracy 0.900")
        assert "combined is 90 times as fast, and loses 0.020." in said

    def test_a_slow_one_is_not_taken_for_its_speed(self) -> None:
        result = self.result(False, low=-0.019)
        for one in result["candidates"][1:]:
            one["costs"]["grid_per_second"] = 40.0
        assert recommend(result) == "Take joint: it has the best accuracy 0.900."

    def test_errors_are_less_where_they_are_better(self) -> None:
        result = self.result(False) | {"less_is_better": True, "metric": "mae"}
        result["candidates"].pop(1)
        near = result["candidates"][1]
        near["figure"]["value"] = 0.91
        for high, name in ((0.017, "combined"), (0.019, "joint")):  # 2 % of 0.9 are 0.018
            near["against_best"]["difference"] = {"low": -0.01, "high": high}
            assert recommend(result).startswith(f"Take {name}")

    def test_a_baseline_that_is_as_good_is_said(self) -> None:
        said = recommend(self.result(True, baseline=True))
        assert "but joint is not clearly better than TF-IDF (0.890), which needs no encoder" in said

    def test_a_baseline_that_has_more_is_not_said_to_have_less(self) -> None:
        """Where few pairs tell nothing, and where another scheme than the best one is taken."""
        result = self.result(True)
        result["baselines"] = [self.candidate("TF-IDF", 0.95, 1.0, None)]
        assert "; but TF-IDF, which needs no encoder, is no worse than joint (0.950)." in recommend(result)
        result = self.result(False, low=-0.019)
        result["baselines"] = [self.candidate("TF-IDF", 0.885, 1.0, "joint")]
        said = recommend(result)
        assert said.startswith("Take combined")
        assert said.endswith("; but TF-IDF, which needs no encoder, is no worse than combined (0.885).")

    @pytest.mark.parametrize("twin_is_worse", [False, True])
    def test_a_baseline_that_is_better_is_said_to_be(self, twin_is_worse: bool) -> None:
        result = self.result(twin_is_worse, baseline=True)
        result["baselines"] += [self.candidate("shared words", 0.95, 1.0, "shared words")]
        said = recommend(result)
        assert "shared words, which needs no encoder, is better than joint (0.950)" in said
        assert "not clearly better" not in said


def test_what_runs_warn_of_is_said_by_the_lab(
    model_folder: Callable[[str], Path], files: dict, tmp_path: Path
) -> None:
    """The test rows are the training rows, and long ones are cut: once for both schemes."""
    given = {**files, "test": files["train"]}
    how = recipe(model_folder("wordpiece"), given, epochs=0.3, max_length=8, long="cut")
    result = PairLab(tmp_path / "lab", how, ["joint", "product"]).run()
    notes = warned(result)
    assert any("test rows have a text that is among the training rows" in note for note in notes)
    assert any(note.startswith("joint: training rows: ") and "longer than 8 tokens" in note for note in notes)
    page = (tmp_path / "lab" / "report.html").read_text()
    assert "among the training rows" in page
    tokens = {one["name"]: one["costs"]["grid_tokens"] for one in result["candidates"]}
    grid = result["candidates"][0]["costs"]["grid"]
    assert tokens["joint"] <= grid**2 * 8  # pairs are as long as they are read
