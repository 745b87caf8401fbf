"""A search: proposals are functions of what was tried, the space is checked, kills do no harm."""

import builtins
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ambos.errors import AmbosError, UsageError
from ambos.recipe import build, load_recipe, parse_override, read_toml, write_toml
from ambos.runs.finetune_settings import FinetuneRecipe, Learning, learning_rate
from ambos.runs.folder import read_run
from ambos.runs.search import default_space, own_point, propose, settled, with_settings
from ambos.runs.search_settings import Range, SearchSettings
from ambos.runs.series import finetune_series, resume_series
from tests.runs.conftest import Forge
from tests.runs.small import small_recipe, write_small
from tests.runs.test_series import options, without_times

SPACE = {
    "learning.lr": Range(low=1e-5, high=1e-2, log=True),
    "batch": [8, 16],
    "learning.dropout": Range(low=0.0, high=0.5),
    "learning.freeze": Range(low=0, high=3),
}


def recipe(**values: object) -> FinetuneRecipe:
    asked = {"search": {"trials": 9}} if "search" in values else {}
    return load_recipe(FinetuneRecipe, [{"task": "classify"}, asked, values])


def tried(count: int, seed: int = 0) -> list[tuple[dict[str, Any], float | None]]:
    """Trials whose figure is best at a rate of 1e-3; one in seven gave none."""
    found: list[tuple[dict[str, Any], float | None]] = []
    for number in range(count):
        point = propose(SPACE, found, seed=seed)
        figure = -abs(np.log10(point["learning.lr"]) + 3) - point["learning.dropout"]
        found.append((point, None if number % 7 == 6 else float(figure)))
    return found


def test_a_proposal_depends_on_the_seed_and_the_trials_before_alone() -> None:
    first = tried(16)
    for number in (0, 3, 11, 15):  # before and after the first ten, which are drawn at random
        assert propose(SPACE, first[:number], seed=0) == first[number][0]
    assert tried(3, seed=1) != first[:3]
    other = [(point, None if figure is None else -figure) for point, figure in first[:14]]
    assert propose(SPACE, other, seed=0, less_is_better=True) == first[14][0]


def test_proposals_lie_in_the_space_and_get_better() -> None:
    found = tried(40)
    for point, _ in found:
        assert point.keys() == SPACE.keys()
        assert 1e-5 <= point["learning.lr"] <= 1e-2
        assert point["batch"] in (8, 16)
        assert isinstance(point["learning.freeze"], int)
    figures = [figure for _, figure in found if figure is not None]
    assert np.mean(figures[-10:]) > np.mean(figures[:10])


def test_trials_of_another_space_are_passed_over() -> None:
    before = [({"batch": 64}, 0.5), *tried(2)]
    assert propose(SPACE, before, seed=0).keys() == SPACE.keys()


def test_a_space_is_written_in_either_way_and_read_again() -> None:
    dotted = '{"learning.lr"={low=1e-5,high=1e-3,log=true}, epochs=[1,2.5]}'
    given = [
        parse_override(f"search.space={dotted}"),
        parse_override("search.space={learning={lr={low=1e-5,high=1e-3,log=true}}, epochs=[1,2.5]}"),
    ]
    found = [recipe(**one).search.space for one in given]
    assert found[0] == found[1] == {"learning.lr": Range(low=1e-5, high=1e-3, log=True), "epochs": [1, 2.5]}
    import tomllib  # noqa: PLC0415

    again = build(FinetuneRecipe, tomllib.loads(write_toml(recipe(**given[0]))))
    assert again == recipe(**given[0])
    assert isinstance(again.search.space["epochs"][0], int)


def test_the_default_space_leaves_alone_what_was_stated() -> None:
    space = default_space(recipe(), 768)
    assert set(space) == {"learning.lr", "epochs", "batch", "learning.layer_decay"}
    rate = learning_rate(Learning(), 768)
    assert space["learning.lr"] == Range(low=rate / 4, high=rate * 4, log=True)
    assert default_space(recipe(), 384)["learning.lr"].low == learning_rate(Learning(), 384) / 4 > rate / 4
    assert set(default_space(recipe(epochs=1, learning={"lr": 1e-4}), 768)) == {
        "batch",
        "learning.layer_decay",
    }
    assert "epochs" not in default_space(recipe(minutes=1), 768)
    with pytest.raises(UsageError, match="nothing to search for"):
        settled(recipe(epochs=1, batch=8, learning={"lr": 1e-4, "layer_decay": 1.0}), 768)
    done = settled(recipe(search={"trials": 3}), 768)
    assert done.search.trials == 3
    assert own_point(done, 768) == {
        "learning.lr": rate,
        "epochs": 4,
        "batch": 32,
        "learning.layer_decay": 1.0,
    }


def test_the_recipes_own_settings_come_first_only_if_the_space_has_them() -> None:
    inside = recipe(
        batch=8, search={"space": {"batch": {"low": 4, "high": 8}, "epochs": {"low": 1, "high": 4}}}
    )
    found = own_point(inside, 768)
    assert found == {"batch": 8, "epochs": 4}
    assert isinstance(found["epochs"], int)
    assert own_point(recipe(search={"space": {"batch": [8, 16]}}), 768) is None
    assert own_point(recipe(search={"space": {"learning.dropout": {"low": 0.0, "high": 0.5}}}), 768) is None
    assert own_point(recipe(search={"space": {"learning.freeze": ["all", 0]}}), 768) == {"learning.freeze": 0}


@pytest.mark.parametrize(
    ("space", "what"),
    [
        ({"learning.lrr": [1e-4]}, "there is no setting learning.lrr, did you mean learning.lr"),
        ({"learning.lr": [1e-4, -1.0]}, "learning.lr: Input should be greater than 0 (found -1.0)"),
        ({"batch": {"low": 0, "high": 4}}, "batch: Input should be greater than or equal to 1 (found 0)"),
        (
            {"epochs": {"low": 3, "high": 2}},
            "search.space.epochs.range: low must be below high, found 3 and 2",
        ),
        ({"epochs": {"low": 3}}, "search.space.epochs.range.high: Field required"),
        ({"learning.lr": {"low": 0.0, "high": 1.0, "log": True}}, "with log, low must be above 0, found 0.0"),
        ({"epochs": []}, "search.space.epochs.list: List should have at least 1 item"),
        ({"epochs": 3}, "search.space.epochs.list: Input should be a valid list (found 3)"),
        ({"learning.class_weights": ["balanced", "heavy"]}, "learning.class_weights"),
    ],
)
def test_a_bad_space_is_refused(space: dict[str, Any], what: str) -> None:
    with pytest.raises(UsageError) as caught:
        settled(recipe(search={"trials": 2, "space": space}), 768)
    assert what in str(caught.value.found)


@pytest.mark.parametrize(
    "name", ["task", "seed", "data.train", "precision", "selection.metric", "saving.steps", "search.trials"]
)
def test_what_cannot_be_searched_for(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} cannot be searched for"):
        settled(recipe(search={"trials": 2, "space": {name: ["a", "b"]}}), 768)


def test_with_settings_leaves_the_others_alone() -> None:
    before = recipe(epochs=2, learning={"lr": 1e-4})
    after = with_settings(before, {"learning.dropout": 0.2, "batch": 8})
    assert (after.batch, after.learning.dropout, after.learning.lr, after.epochs) == (8, 0.2, 1e-4, 2)
    assert before.batch == 32


@pytest.fixture(scope="module")
def files(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    return write_small(sample, tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def base(model_folder: Callable[[str], Path]) -> Path:
    return model_folder("wordpiece")


SMALL = {"learning.lr": {"low": 1e-4, "high": 1e-2, "log": True}, "batch": [8, 16]}


@pytest.fixture(scope="module")
def searched(base: Path, files: dict[str, dict[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("search") / "run"
    search = {"trials": 3, "space": SMALL}
    assert finetune_series(out, small_recipe("classify", base, files["classify"], search=search))
    return out


def test_the_best_trial_on_dev_wins_and_is_the_only_one_measured_with_test(searched: Path) -> None:
    about = read_run(searched)
    figures = {one["name"]: one["figures"]["dev"]["accuracy"]["value"] for one in about["members"]}
    assert about["chosen"] == max(figures, key=figures.__getitem__)
    assert list(figures) == ["trial-0001", "trial-0002", "trial-0003"]
    assert about["members"][0]["changed"] == {"batch": 16, "learning.lr": 1e-3}
    for one in about["members"]:
        run = searched / one["name"]
        best = one["name"] == about["chosen"]
        assert (run / "evaluation" / "test.json").is_file() == best == (run / "bundle").is_dir()
        assert ("test" in read_run(run)["evaluation"]) == best
        values = read_toml(run / "recipe.toml")
        assert (values["batch"], values["learning"]["lr"]) == (
            one["changed"]["batch"],
            one["changed"]["learning.lr"],
        )
        assert (run / "report.html").is_file()
        assert not (run / "checkpoints").exists()
    assert about["best"] == {one["name"]: one["changed"] for one in about["members"]}[about["chosen"]]
    assert set(about["evaluation"]) == {"dev", "test"}
    assert (searched / "bundle" / "model.safetensors").is_file()
    assert "flatters" in (searched / "report.html").read_text()
    assert read_toml(searched / "recipe.toml")["search"]["space"]["batch"] == [8, 16]


@pytest.mark.slow
def test_a_longer_search_begins_as_the_shorter_one(
    searched: Path, base: Path, files: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    shutil.copytree(searched, tmp_path / "longer")
    assert resume_series(tmp_path / "longer", overrides=["search.trials=5"])
    search = {"trials": 5, "space": SMALL}
    assert finetune_series(
        tmp_path / "whole", small_recipe("classify", base, files["classify"], search=search)
    )
    found, whole = read_run(tmp_path / "longer"), read_run(tmp_path / "whole")
    assert [one["changed"] for one in found["members"]] == [one["changed"] for one in whole["members"]]
    assert found["chosen"] == whole["chosen"]
    weights = "bundle/model.safetensors"
    assert (tmp_path / "longer" / weights).read_bytes() == (tmp_path / "whole" / weights).read_bytes()


def test_a_trial_that_diverges_does_not_end_the_search(
    base: Path, files: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    space = {"learning.lr": [1e-3, 1e30]}
    how = {"search": {"trials": 4, "space": space}, "seed": 3, "schedule": {"warmup": 0.0}}
    assert finetune_series(tmp_path / "run", small_recipe("classify", base, files["classify"], **how))
    about = read_run(tmp_path / "run")
    diverged = [one for one in about["members"] if not one["figures"]]
    assert diverged
    assert all(one["changed"]["learning.lr"] == 1e30 for one in diverged)
    assert about["best"]["learning.lr"] == 1e-3
    assert "the loss became no number" in (tmp_path / "run" / "report.html").read_text()
    space = {"learning.lr": [1e30, 2e30]}
    recipe = small_recipe(
        "classify", base, files["classify"], **{**how, "search": {"trials": 2, "space": space}}
    )
    with pytest.raises(AmbosError, match="no trial came to its end"):
        finetune_series(tmp_path / "none", recipe)


@pytest.mark.parametrize("task", ["tag", "score"])
def test_other_tasks(task: str, base: Path, files: dict[str, dict[str, str]], tmp_path: Path) -> None:
    search = {"trials": 2, "space": SMALL}
    selection = {"metric": "rmse"} if task == "score" else {}
    recipe = small_recipe(task, base, files[task], search=search, selection=selection)
    assert finetune_series(tmp_path / "run", recipe)
    about = read_run(tmp_path / "run")
    figures = [one["figures"]["dev"][about["metric"]]["value"] for one in about["members"]]
    best = min(figures) if task == "score" else max(figures)
    assert about["evaluation"]["dev"][about["metric"]]["value"] == best


def test_without_optuna(monkeypatch: pytest.MonkeyPatch, base: Path, files: dict, tmp_path: Path) -> None:
    real = builtins.__import__

    def missing(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] == "optuna":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(UsageError, match="needs Optuna") as caught:
        finetune_series(
            tmp_path / "run", small_recipe("classify", base, files["classify"], search={"trials": 2})
        )
    assert caught.value.fix == "pip install 'ambos[search]'"
    assert not (tmp_path / "run").exists()


def test_trials_are_counted() -> None:
    assert recipe(search={"trials": 2}).method == "search"
    assert SearchSettings().trials == 0


@pytest.mark.slow
def test_killed_and_resumed_it_is_the_same(
    forge: Forge, base: Path, files: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    space = "search.space={learning={lr={low=1e-4,high=1e-2,log=true}}, batch=[8,16]}"
    command = [
        *options("classify", base, files["classify"]),
        "--epochs",
        "1",
        "--search",
        "12",
        "--set",
        space,
    ]
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    ended = forge(*command, "--out", whole)
    assert ended.code == 0, ended.err
    assert forge(*command, "--out", torn, fault=("before rename", 4)).code == -signal.SIGKILL
    for fault in (("after rename", 9), ("mid-file", 3), ("before data", 12), ("during pruning", 2)):
        assert forge("resume", torn, fault=fault).code == -signal.SIGKILL
    ended = forge("resume", torn)
    assert ended.code == 0, ended.err
    assert without_times(read_run(torn)) == without_times(read_run(whole))
    assert len(read_run(torn)["members"]) == 12
    for file in ("bundle/model.safetensors", "evaluation/test.npy", "recipe.toml"):
        assert (torn / file).read_bytes() == (whole / file).read_bytes()
