"""Several runs in one folder: figures are those of the runs, kills do no harm; refusals."""

import json
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from scipy import stats

import ambos
from ambos.analysis.series_report import warned
from ambos.errors import InputError, OutputError, UsageError
from ambos.runs import finetune_run, series
from ambos.runs.finetune_run import finetune, resume_finetuning
from ambos.runs.folder import read_run, write_run
from ambos.runs.series import finetune_series, resume_series
from tests.runs.conftest import Forge
from tests.runs.small import small_recipe, write_small

LASTING = {"recipe.toml", "run.json", "metrics.jsonl", "speed.jsonl", "bundle", "evaluation", "report.html"}


@pytest.fixture(scope="module")
def files(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    return write_small(sample, tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def base(model_folder: Callable[[str], Path]) -> Path:
    return model_folder("wordpiece")


@pytest.fixture(scope="module")
def seeds(base: Path, files: dict[str, dict[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs that classify, with seeds 5, 6 and 7."""
    out = tmp_path_factory.mktemp("series") / "seeds"
    assert finetune_series(out, small_recipe("classify", base, files["classify"], seeds=3, seed=5))
    return out


def without_times(about: dict) -> dict:
    members = [{key: value for key, value in one.items() if key != "seconds"} for one in about["members"]]
    timed = {"seconds", "started", "finished", "members"}
    return {key: value for key, value in about.items() if key not in timed} | {"members": members}


def test_figures_over_seeds_are_those_of_the_runs(seeds: Path) -> None:
    about = read_run(seeds)
    runs = [read_run(seeds / f"seed-{seed}") for seed in (5, 6, 7)]
    assert (about["kind"], about["method"], about["status"]) == ("finetune-series", "seeds", "finished")
    assert [one["name"] for one in about["members"]] == ["seed-5", "seed-6", "seed-7"]
    assert [one["figures"] for one in about["members"]] == [run["evaluation"] for run in runs]
    for split in ("dev", "test"):
        for metric in ("accuracy", "macro_f1", "micro_f1", "mcc"):
            values = [run["evaluation"][split][metric]["value"] for run in runs]
            found = about["spread"][split][metric]
            assert found["mean"] == pytest.approx(sum(values) / 3)
            assert (found["least"], found["most"]) == (min(values), max(values))
            if found["sd"]:
                low, high = stats.t.interval(0.95, 2, sum(values) / 3, stats.sem(values))
                assert (found["low"], found["high"]) == (pytest.approx(low), pytest.approx(high))
    best = max(runs, key=lambda run: run["evaluation"]["dev"]["accuracy"]["value"])
    assert about["chosen"] == best["member"]["name"]
    assert about["evaluation"] == best["evaluation"]
    chosen = seeds / about["chosen"]
    for file in (
        "bundle/model.safetensors",
        "bundle/config.json",
        "evaluation/dev.json",
        "evaluation/test.npy",
    ):
        assert (seeds / file).read_bytes() == (chosen / file).read_bytes()
    weights = {(seeds / f"seed-{seed}" / "bundle" / "model.safetensors").read_bytes() for seed in (5, 6, 7)}
    assert len(weights) == 3


def test_a_run_of_a_series_is_the_run_alone(
    seeds: Path, base: Path, files: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    assert finetune(tmp_path / "alone", small_recipe("classify", base, files["classify"], seed=6))
    for file in ("metrics.jsonl", "recipe.toml", "bundle/model.safetensors"):
        assert (tmp_path / "alone" / file).read_bytes() == (seeds / "seed-6" / file).read_bytes()


def test_what_is_left_of_a_run_is_whole_and_not_more(seeds: Path) -> None:
    for seed in (5, 6, 7):
        names = {path.name for path in (seeds / f"seed-{seed}").iterdir()}
        assert names >= LASTING
        assert not any(name.startswith(("best-", "checkpoints")) for name in names)
    assert "seed-6" in (seeds / "report.html").read_text()
    assert len(ambos.load(seeds).predict(["muito bom"])) == 1  # a series is a model


def test_a_run_of_a_series_is_not_resumed_alone(seeds: Path) -> None:
    with pytest.raises(UsageError, match="one of several") as caught:
        resume_finetuning(seeds / "seed-5")
    assert caught.value.fix == f"ambos resume {seeds}"


def test_more_seeds_are_added(seeds: Path, tmp_path: Path) -> None:
    out = tmp_path / "more"
    shutil.copytree(seeds, out)
    before = {seed: (out / f"seed-{seed}" / "run.json").stat().st_mtime_ns for seed in (5, 6, 7)}
    assert resume_series(out, overrides=["seeds=4"])
    about = read_run(out)
    assert [one["name"] for one in about["members"]] == ["seed-5", "seed-6", "seed-7", "seed-8"]
    assert before == {seed: (out / f"seed-{seed}" / "run.json").stat().st_mtime_ns for seed in (5, 6, 7)}
    with pytest.raises(InputError, match="the recipe changed"):
        resume_series(out, overrides=["epochs=2"])


def test_data_that_changed_is_refused(base: Path, files: dict[str, dict[str, str]], tmp_path: Path) -> None:
    mine = {split: shutil.copy(file, tmp_path) for split, file in files["classify"].items()}
    assert finetune_series(tmp_path / "run", small_recipe("classify", base, mine, seeds=2, epochs=0.3))
    lines = Path(mine["train"]).read_text().splitlines()
    Path(mine["train"]).write_text("\n".join(lines[:-1]) + "\n")
    with pytest.raises(InputError, match="the data changed"):
        resume_series(tmp_path / "run", overrides=["seeds=3"])
    assert resume_series(tmp_path / "run", overrides=["seeds=3"], anyway=True)


@pytest.mark.parametrize("send", [signal.SIGINT, signal.SIGTERM])
def test_a_wish_to_stop_between_two_runs(base: Path, files: dict, tmp_path: Path, send: int) -> None:
    def stage(name: str) -> None:
        if name == "seed-1 (2 of 2)":
            os.kill(os.getpid(), send)

    before = signal.getsignal(signal.SIGTERM)
    recipe = small_recipe("classify", base, files["classify"], seeds=2, epochs=0.3)
    assert not finetune_series(tmp_path / "run", recipe, stage=stage)
    about = read_run(tmp_path / "run")
    assert (about["status"], [one["name"] for one in about["members"]]) == ("stopped", ["seed-0"])
    assert signal.getsignal(signal.SIGTERM) == before
    assert resume_series(tmp_path / "run")
    assert read_run(tmp_path / "run")["status"] == "finished"


def test_long_texts_are_in_the_report(base: Path, files: dict[str, dict[str, str]], tmp_path: Path) -> None:
    recipe = small_recipe("classify", base, files["classify"], seeds=2, epochs=0.3, max_length=12)
    assert finetune_series(tmp_path / "run", recipe)
    cut = read_run(tmp_path / "run" / "seed-0")["truncation"]["long_texts"]
    assert cut > 0
    page = (tmp_path / "run" / "report.html").read_text()
    assert "Long texts" in page
    assert "Too long in train" in page


def test_what_runs_warn_of_is_said(seeds: Path) -> None:
    members = [
        {"name": name, "warnings": kinds} for name, kinds in (("a", ["gap"]), ("b", ["gap", "collapse"]))
    ]
    assert warned({"members": members}) == "The reports of single runs warn of gap (a, b) and collapse (b)."
    assert warned({"members": [{"name": "a", "warnings": []}]}) == ""
    about = read_run(seeds)
    for one in about["members"]:
        assert one["warnings"] == [found["kind"] for found in read_run(seeds / one["name"])["warnings"]]


@pytest.mark.parametrize("task", ["score", "tag", "answer"])
def test_other_tasks(task: str, base: Path, files: dict[str, dict[str, str]], tmp_path: Path) -> None:
    recipe = small_recipe(task, base, files[task], seeds=2)
    assert finetune_series(tmp_path / "run", recipe)
    about = read_run(tmp_path / "run")
    metric = {"score": "spearman", "tag": "micro_f1", "answer": "f1"}[task]
    assert about["metric"] == metric
    assert set(about["spread"]) == {"dev", "test"}


def test_rows_kept_back_by_another_rule_are_not_those_of_the_run(
    base: Path, files: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    """An earlier release kept other rows back, and did not write down which."""
    run, train = tmp_path / "run", {"train": files["classify"]["train"]}
    assert finetune_series(run, small_recipe("classify", base, train, seeds=2, epochs=0.3))
    assert resume_series(run)
    about = read_run(run)
    del about["fingerprints"]["rows kept back"]
    write_run(run, about)
    with pytest.raises(InputError, match="the rows kept back changed since the run was interrupted"):
        resume_series(run)
    assert resume_series(run, anyway=True)


def test_where_less_is_better_the_least_is_chosen(
    base: Path, files: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    recipe = small_recipe("score", base, files["score"], seeds=3, selection={"metric": "mae"})
    assert finetune_series(tmp_path / "run", recipe)
    about = read_run(tmp_path / "run")
    errors = {one["name"]: one["figures"]["dev"]["mae"]["value"] for one in about["members"]}
    assert about["less_is_better"]
    assert about["chosen"] == min(errors, key=errors.__getitem__)


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"seeds": 3, "folds": 3}, "one of seeds, folds and search at a time, not seeds and folds"),
        (
            {"folds": 3, "search": {"trials": 3}},
            "one of seeds, folds and search at a time, not folds and search",
        ),
        ({"seeds": 1}, "seeds must be 2 or more"),
        ({"folds": -1}, "folds: Input should be greater than or equal to 0"),
    ],
)
def test_what_does_not_go_together(values: dict, what: str, base: Path, files: dict) -> None:
    with pytest.raises(UsageError) as caught:
        small_recipe("classify", base, files["classify"], **values)
    assert str(caught.value.found).startswith(what)


def test_a_single_run_does_not_make_a_series_in_silence(base: Path, files: dict, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="asks for several runs"):
        finetune(tmp_path / "run", small_recipe("classify", base, files["classify"], seeds=2))
    with pytest.raises(UsageError, match="asks for one run"):
        finetune_series(tmp_path / "run", small_recipe("classify", base, files["classify"]))
    assert not (tmp_path / "run").exists()


def test_a_label_that_is_unknown_is_refused_before_anything_is_trained(
    base: Path, files: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    test = tmp_path / "test.jsonl"
    test.write_text(json.dumps({"text": "bom", "label": "splendid"}) + "\n")
    for how in ({"folds": 2}, {"search": {"trials": 2}}):
        recipe = small_recipe("classify", base, {**files["classify"], "test": str(test)}, **how)
        with pytest.raises(InputError, match="'splendid' is not one of the training rows"):
            finetune_series(tmp_path / "run", recipe)
        assert not (tmp_path / "run").exists()


def test_a_folder_that_is_there(seeds: Path, base: Path, files: dict, tmp_path: Path) -> None:
    """`--force` replaces what such commands write, one run by several or several by one, and no more."""
    out = tmp_path / "run"
    shutil.copytree(seeds, out)
    with pytest.raises(OutputError, match="already there"):
        finetune_series(out, small_recipe("classify", base, files["classify"], seeds=2))
    recipe = small_recipe("classify", base, files["classify"], epochs=0.3)
    assert finetune(out, recipe, force=True)
    assert not (out / "seed-5").exists()
    (out / "mine.txt").touch()
    with pytest.raises(OutputError, match="--force replaces only"):
        finetune_series(out, small_recipe("classify", base, files["classify"], seeds=2), force=True)


@pytest.mark.parametrize("many", [{}, {"seeds": 2}])
def test_the_folder_and_the_base_are_looked_at_before_rows(
    base: Path, files: dict, tmp_path: Path, many: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of a million rows takes a while to read."""
    for module in (finetune_run, series):
        monkeypatch.setattr(module, "read_splits", lambda *_, **__: pytest.fail("rows were read"))
    run = finetune_series if many else finetune
    out = tmp_path / "there"
    (out / "mine").mkdir(parents=True)
    with pytest.raises(OutputError, match="already there"):
        run(out, small_recipe("classify", base, files["classify"], **many))
    (tmp_path / "empty").mkdir()
    for name, what in (("minlm", "there is no model 'minlm'"), (str(tmp_path / "empty"), "no model in this")):
        with pytest.raises(InputError, match=what):
            run(tmp_path / "new", small_recipe("classify", Path(name), files["classify"], **many))
    assert {path.name for path in tmp_path.iterdir()} == {"there", "empty"}


class TestWhatForceSpares:
    """A run that was asked for again with --force is there until the new one has something to show."""

    def refused_and_kept(self, run: Path, error: type[Exception], match: str, **recipe: object) -> None:
        before = {file: file.read_bytes() for file in run.rglob("*") if file.is_file()}
        with pytest.raises(error, match=match):
            finetune(run, small_recipe("classify", **recipe), force=True)
        assert {file: file.read_bytes() for file in run.rglob("*") if file.is_file()} == before

    def test_a_base_that_is_not_there(self, seeds: Path, files: dict, tmp_path: Path) -> None:
        run = tmp_path / "run"
        shutil.copytree(seeds / "seed-5", run)
        self.refused_and_kept(run, InputError, "no model", base=tmp_path / "no", files=files["classify"])

    def test_its_own_base(self, seeds: Path, files: dict, tmp_path: Path) -> None:
        run = tmp_path / "run"
        shutil.copytree(seeds / "seed-5", run)
        for base in (run, run / "bundle"):
            self.refused_and_kept(run, OutputError, "made from", base=base, files=files["classify"])

    def test_its_own_rows(self, seeds: Path, base: Path, files: dict, tmp_path: Path) -> None:
        run = tmp_path / "run"
        shutil.copytree(seeds / "seed-5", run)
        rows = Path(shutil.copy(files["classify"]["train"], run / "bundle"))
        given = {"train": str(rows)}
        self.refused_and_kept(run, OutputError, "made from", base=base, files=given)

    def test_rows_that_are_refused_late(self, seeds: Path, base: Path, files: dict, tmp_path: Path) -> None:
        run, bad = tmp_path / "run", tmp_path / "bad.jsonl"
        shutil.copytree(seeds / "seed-5", run)
        bad.write_text('{"text": "bom", "label": "splendid"}\n')
        given = {**files["classify"], "test": str(bad)}
        self.refused_and_kept(run, InputError, "splendid", base=base, files=given)


def options(task: str, base: Path, files: dict[str, str]) -> list[object]:
    rows = [part for split, file in files.items() for part in (f"--{split}", file)]
    settings = ["--set", "saving.steps=2", "--set", "precision=fp32"]
    return ["finetune", task, *rows, "--base", base, "--batch", "8", "--lr", "1e-3", *settings]


@pytest.mark.slow
@pytest.mark.parametrize("how", [["--seeds", "3"], ["--folds", "3"]], ids=["seeds", "folds"])
def test_killed_and_resumed_it_is_the_same(
    forge: Forge, base: Path, files: dict[str, dict[str, str]], tmp_path: Path, how: list[str]
) -> None:
    command = [*options("classify", base, files["classify"]), "--epochs", "1", *how]
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    ended = forge(*command, "--out", whole)
    assert ended.code == 0, ended.err
    killed = forge(*command, "--out", torn, fault=("before rename", 2))
    assert killed.code == -signal.SIGKILL, killed.err
    for fault in (("after rename", 3), ("mid-file", 2), ("before data", 6)):
        assert forge("resume", torn, fault=fault).code == -signal.SIGKILL
    ended = forge("resume", torn)
    assert ended.code == 0, ended.err
    assert without_times(read_run(torn)) == without_times(read_run(whole))
    for file in ("bundle/model.safetensors", "evaluation/test.npy"):
        assert (torn / file).read_bytes() == (whole / file).read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("send", [signal.SIGINT, signal.SIGTERM])
def test_a_wish_to_stop_is_heard(
    forge: Forge, base: Path, files: dict[str, dict[str, str]], tmp_path: Path, send: int
) -> None:
    command = [*options("classify", base, files["classify"]), "--epochs", "30", "--seeds", "2"]
    out = tmp_path / "run"
    stopped = forge(*command, "--out", out, when=lambda err: "step" in err, send=send)
    assert stopped.code == 130, stopped.err
    assert "Stopped after 0 of 2 runs, and saved. Go on with: ambos resume" in stopped.out
    assert read_run(out)["status"] == "stopped"
    assert list((out / "seed-0" / "checkpoints").iterdir())
