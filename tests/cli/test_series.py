"""`ambos finetune --seeds|--folds|--search`: what they say, and what they refuse."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ran
from tests.runs.small import write_small

USAGE, INPUT, OUTPUT = 2, 3, 4


@pytest.fixture
def command(
    sample: Path,
    model_folder: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> list[str]:
    monkeypatch.chdir(tmp_path)
    files = write_small(sample, tmp_path)["classify"]
    rows = [part for split, file in files.items() for part in (f"--{split}", Path(file).name)]
    base = str(model_folder("wordpiece"))
    return ["finetune", "classify", *rows, "--base", base, "--batch", "16", "--epochs", "0.5", "--lr", "1e-3"]


def test_seeds(ambos: Callable[..., Ran], command: list[str]) -> None:
    ran = ambos(*command, "--seeds", "2", "--out", "run")
    assert ran.code == 0, ran.err
    said = " ".join(ran.out.split())
    assert said.startswith("classify: 2 runs, 48 rows, in ")
    assert "seed-0 " in said
    assert "On the test rows the mean accuracy is" in said
    assert "flatters, since it was chosen by it" in said
    assert "model run/bundle, report run/report.html" in said
    assert [line for line in ran.err.splitlines() if " of 2)" in line] == [
        "seed-0 (1 of 2)",
        "seed-1 (2 of 2)",
    ]
    again = ambos("resume", "run", "--json")
    assert again.code == 0, again.err
    found = json.loads(again.out)
    assert (found["done"], found["method"], len(found["members"])) == (True, "seeds", 2)
    assert {"mean", "low", "high", "sd", "least", "most"} == set(found["spread"]["dev"]["accuracy"])
    compared = ambos("compare", "run", "--json")
    assert compared.code == 0, compared.err
    assert json.loads(compared.out)["groups"][0]["runs"] == ["run/seed-0", "run/seed-1"]


def test_folds(ambos: Callable[..., Ran], command: list[str]) -> None:
    ran = ambos(*command, "--folds", "2", "--out", "run")
    assert ran.code == 0, ran.err
    said = " ".join(ran.out.split())
    assert "held out accuracy [95 %]" in said
    assert "Every training row was predicted by a run that had not seen it: accuracy" in said
    assert "On the test rows it has" in said
    assert ambos("info", "run").code == 0
    assert ambos("evaluate", "run", "classify-dev.jsonl", "--save").code == 0
    assert Path("run/evaluation/classify-dev.json").is_file()


def test_search(ambos: Callable[..., Ran], command: list[str]) -> None:
    ran = ambos(
        *command, "--search", "2", "--set", "search.space.learning.dropout=[0.0, 0.1]", "--out", "run"
    )
    assert ran.code == 0, ran.err
    said = " ".join(ran.out.split())
    assert "run learning.dropout dev accuracy [95 %]" in said
    assert "The best of the trials on the dev rows is trial-000" in said
    assert "That flatters, since it is the best of many on the same rows. On the test rows it has" in said
    assert any(": learning.dropout 0" in line for line in ran.err.splitlines())


def test_one_at_a_time(ambos: Callable[..., Ran], command: list[str]) -> None:
    found = ambos(*command, "--seeds", "2", "--folds", "3", "--out", "run").refused(
        USAGE, "a setting is wrong"
    )
    assert found["found"] == "one of seeds, folds and search at a time, not seeds and folds"
    ambos(*command, "--seeds", "1", "--out", "run").refused(USAGE, "Invalid value for '--seeds'")
    assert not Path("run").exists()


def test_a_member_is_resumed_with_all(
    ambos: Callable[..., Ran], command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ambos(*command, "--seeds", "2", "--out", "run").code == 0
    ran = ambos("resume", "run/seed-0")
    found = ran.refused(USAGE, "one of several that belong together")
    assert "done again" not in ran.err  # nothing is
    assert found["fix"] == "ambos resume run"
    monkeypatch.chdir("run/seed-0")
    assert ambos("resume", ".").refused(USAGE, "one of several")["fix"] == "ambos resume .."


def test_resumed_elsewhere_it_says_where_the_files_are(
    ambos: Callable[..., Ran], command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ambos(*command, "--seeds", "2", "--out", "run").code == 0
    (tmp_path / "other").mkdir()
    monkeypatch.chdir("other")
    run = tmp_path / "run"
    found = ambos("resume", run).refused(INPUT, "classify-train.jsonl: no such file or folder")
    assert found["fix"] == f"cd {tmp_path} && ambos resume {run}"


@pytest.mark.parametrize("several", [[], ["--seeds", "2"]])
def test_resumed_from_inside(
    ambos: Callable[..., Ran],
    command: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    several: list[str],
) -> None:
    rows = [str(tmp_path / word) if word.endswith(".jsonl") else word for word in command]
    assert ambos(*rows, *several, "--out", "run").code == 0
    monkeypatch.chdir("run")
    before = {path.name for path in Path().iterdir()}
    ran = ambos("resume", ".")
    assert ran.code == 0, ran.err
    assert {path.name for path in Path().iterdir()} == before
    ambos(*rows, *several, "--out", ".", "--force").refused(OUTPUT, "the folder you are in")
