"""Fine-tuning that was killed, stopped or damaged and then resumed ends as if nothing had been."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ambos.train.checkpoint import Checkpoints
from tests.runs.conftest import AMBOS, ONE_THREAD, Forge
from tests.runs.test_damage import fill_a_small_disk, flip, names, refused
from tests.runs.test_resume import POINTS

EVERY = 4  # steps from one checkpoint to the next
SETTINGS = {
    "classify": ["--epochs", 12, "--batch", 16, "--dropout", 0.1, "--patience", 3, "--lr", 2e-3],
    "tag": ["--epochs", 4, "--batch", 16, "--dropout", 0.1, "--lr", 2e-3],
    "score": ["--epochs", 4, "--batch", 16, "--dropout", 0.1, "--lr", 2e-3],
    "answer": ["--epochs", 2, "--batch", 16, "--dropout", 0.1, "--lr", 2e-3],
    "twins": ["--epochs", 4, "--batch", 16, "--dropout", 0.1, "--lr", 2e-3, "--scheme", "attention"],
    "order": ["--epochs", 4, "--batch", 16, "--dropout", 0.1, "--lr", 2e-3, "--scheme", "embed"],
}
SETTINGS["order"] += ["--set", "pair.contrast=order"]


@dataclass(frozen=True)
class Case:
    """A command, the run that nothing disturbed, and one that was killed in its very first save."""

    command: list[object]
    whole: Path
    begun: Path


@pytest.fixture(scope="module")
def files(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """Few rows to learn from, to select by and to measure with."""
    folder = tmp_path_factory.mktemp("rows")
    found: dict[str, list[Path]] = {"classify": [], "tag": [], "score": [], "answer": [], "twins": []}
    for name, rows in (("train", 96), ("dev", 48), ("test", 24)):
        lines = (sample / "topic" / f"{name}.jsonl").read_text().splitlines(keepends=True)
        found["classify"].append(folder / f"{name}.jsonl")
        found["classify"][-1].write_text("".join(lines[:rows]))
        sentences = (sample / "ner" / f"{name}.conll").read_text().strip().split("\n\n")
        found["tag"].append(folder / f"{name}.conll")
        found["tag"][-1].write_text("\n\n".join(sentences[:rows]) + "\n")
        pairs = [
            json.loads(line)
            for line in (sample / "paraphrase" / f"{name}.jsonl").read_text().splitlines()[:rows]
        ]
        found["twins"].append(folder / f"labels-{name}.jsonl")
        found["score"].append(folder / f"scores-{name}.jsonl")
        found["twins"][-1].write_text("".join(json.dumps(row) + "\n" for row in pairs))
        scored = [{"score": 3.0 * (row.pop("label") == "paraphrase"), **row} for row in pairs]
        found["score"][-1].write_text("".join(json.dumps(row) + "\n" for row in scored))
        squad = json.loads((sample / "questions" / f"{name}.json").read_text())
        squad["data"] = squad["data"][: rows // 4]
        found["answer"].append(folder / f"{name}.json")
        found["answer"][-1].write_text(json.dumps(squad))
    return found | {"order": found["score"]}


def command_of(task: str, files: list[Path], base: Path) -> list[object]:
    named = [
        part
        for name, file in zip(("train", "dev", "test"), files, strict=True)
        for part in (f"--{name}", file)
    ]
    often = ["--set", f"saving.steps={EVERY}", "--set", "saving.keep=3"]
    command = "pair" if task in {"twins", "order"} else task
    return ["finetune", command, *named, "--base", base, *SETTINGS[task], *often]


@pytest.fixture(scope="module")
def begin(
    forge: Forge,
    files: dict[str, list[Path]],
    model_folder: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str], Case]:
    """Make the two runs of a task, once."""
    made: dict[str, Case] = {}

    def case(task: str) -> Case:
        if task not in made:
            folder = tmp_path_factory.mktemp(task)
            command = command_of(task, files[task], model_folder("wordpiece"))
            whole, begun = folder / "whole" / "run", folder / "begun" / "run"
            ended = forge(*command, "--out", whole)
            assert ended.code == 0, ended.err
            killed = forge(*command, "--out", begun, fault=("before data", 1))
            assert killed.code == -signal.SIGKILL
            assert names(begun) == []
            made[task] = Case(command, whole, begun)
        return made[task]

    return case


def result(run: Path) -> dict[str, object]:
    """All that must not depend on what happened on the way."""
    about = json.loads((run / "run.json").read_text())
    byte_for_byte = [
        "metrics.jsonl",
        *("bundle/model.safetensors", "bundle/config.json"),
        *(f"evaluation/{split}.{ending}" for split in ("dev", "test") for ending in ("json", "npy")),
    ]
    told = ("status", "steps", "best", "ended_early", "calibration", "evaluation", "warnings", "forgetting")
    return {name: (run / name).read_bytes() for name in byte_for_byte} | {key: about[key] for key in told}


def assert_same(run: Path, whole: Path) -> None:
    found, expected = result(run), result(whole)
    assert [name for name in expected if found[name] != expected[name]] == []


Kill = tuple[str, int] | tuple[str, float] | float


def disturb(forge: Forge, case: Case, run: Path, plan: list[Kill]) -> None:
    """Resume again and again, killed as planned, the last first; then let it end.

    A plan has points of a save with the time that it is come to; seconds; or something that is said, with
    seconds after it.
    """
    shutil.copytree(case.begun, run)
    planned = list(plan)
    while planned:
        kill = planned[-1]
        how: dict[str, object] = {}
        if isinstance(kill, tuple) and kill[0] in POINTS:
            how["fault"] = kill
        elif isinstance(kill, tuple):
            how |= {"when": lambda err, said=kill[0]: said in err, "after": kill[1]}
        else:
            how["after"] = kill
        ended = forge("resume", run, **how)
        assert ended.code in (0, -signal.SIGKILL), ended.err
        damaged: list[str] = []
        Checkpoints(run / "checkpoints").load(damaged.append)
        assert damaged == []
        if ended.code == 0:  # it came to its end before the kill: begin again
            assert_same(run, case.whole)
            shutil.rmtree(run)
            shutil.copytree(case.begun, run)
        else:
            planned.pop()
    ended = forge("resume", run)
    assert ended.code == 0, ended.err
    assert_same(run, case.whole)
    assert not list((run / "checkpoints").glob(".*"))


@pytest.mark.slow
@pytest.mark.parametrize("task", ["classify", "tag"])
def test_ten_kills(forge: Forge, begin: Callable, tmp_path: Path, task: str) -> None:
    """At every point of a save, the best weights' file among them, at random, and while the end is made."""
    case = begin(task)
    assert json.loads((case.whole / "run.json").read_text())["ended_early"] == (task == "classify")
    moments = random.Random(task)
    plan: list[Kill] = [(point, moments.randint(1, 3)) for point in POINTS]
    plan += [moments.uniform(0.1, 1.5) for _ in range(2)]
    plan += [("measuring the best weights", moments.uniform(0, 0.3)), ("looking back", 0.0)]
    moments.shuffle(plan)
    disturb(forge, case, tmp_path / "run", plan)


@pytest.mark.slow
@pytest.mark.parametrize("task", ["score", "answer", "twins", "order"])
def test_kills_of_every_head(forge: Forge, begin: Callable, tmp_path: Path, task: str) -> None:
    """Each has its own memory: the scale of scores, thresholds, two sequences of a pair, whole steps."""
    plan: list[Kill] = [("before rename", 2), ("measuring the best weights", 0.05), ("after rename", 1)]
    disturb(forge, begin(task), tmp_path / "run", plan)


@pytest.mark.slow
def test_the_same_command_gives_the_same_weights(forge: Forge, begin: Callable, tmp_path: Path) -> None:
    case = begin("tag")
    ended = forge(*case.command, "--out", tmp_path / "run")
    assert ended.code == 0, ended.err
    assert_same(tmp_path / "run", case.whole)


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)], ids=["SIGTERM", "SIGINT"]
)
def test_a_signal_saves_and_ends(forge: Forge, begin: Callable, tmp_path: Path, number: int) -> None:
    case, run = begin("classify"), tmp_path / "run"
    ended = forge(*case.command, "--out", run, when=lambda err: "step      6" in err, send=number)
    assert ended.code == 130, ended.err
    assert ended.stopping < 10
    about = json.loads((run / "run.json").read_text())
    assert about["status"] == "stopped"
    assert f"Stopped at step {about['steps']} and saved." in " ".join(ended.out.split())
    found = Checkpoints(run / "checkpoints").load()
    assert found is not None
    assert found.state["step"] == about["steps"]
    assert forge("resume", run).code == 0
    assert_same(run, case.whole)


@pytest.mark.slow
def test_a_long_measurement_is_given_up(
    forge: Forge, files: dict[str, list[Path]], model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """A signal while dev rows are measured: the measurement is made when the run goes on."""
    train, dev, test = files["classify"]
    many = tmp_path / "dev.jsonl"
    many.write_text(dev.read_text() * 100)
    command = command_of("classify", [train, many, test], model_folder("wordpiece"))
    command += ["--epochs", 2, "--patience", 0]
    whole, run = tmp_path / "whole" / "run", tmp_path / "stopped" / "run"
    assert forge(*command, "--out", whole).code == 0

    def measures(_: str) -> bool:
        log = run / "metrics.jsonl"
        return log.exists() and '"step": 6, ' in log.read_text()

    ended = forge(*command, "--out", run, when=measures, send=signal.SIGTERM)
    assert ended.code == 130, ended.err
    assert ended.stopping < 10
    found = Checkpoints(run / "checkpoints").load()
    assert found is not None
    assert (found.state["step"], found.state["due"]) == (6, True)
    assert forge("resume", run).code == 0
    assert_same(run, whole)


@pytest.fixture
def killed(forge: Forge, begin: Callable, tmp_path: Path) -> tuple[Path, Path]:
    """A run killed in the save of step 24, with those of 12, 16 and 20; and one that was not disturbed."""
    case, run = begin("classify"), tmp_path / "run"
    shutil.copytree(case.begun, run)
    assert forge("resume", run, fault=("before rename", 7)).code == -signal.SIGKILL
    assert names(run) == ["step-00000012", "step-00000016", "step-00000020"]
    assert (run / "checkpoints" / "step-00000020" / "best.safetensors").exists()
    return run, case.whole


@pytest.mark.parametrize(
    "damage", ["flipped", *(pytest.param(name, marks=pytest.mark.slow) for name in ("truncated", "missing"))]
)
def test_damaged_best_weights(forge: Forge, killed: tuple[Path, Path], damage: str) -> None:
    """They are a part of the checkpoint: it is named, and the one before is gone on from."""
    run, whole = killed
    file = run / "checkpoints" / "step-00000020" / "best.safetensors"
    if damage == "flipped":
        flip(file)
    elif damage == "truncated":
        os.truncate(file, 1000)
    else:
        file.unlink()
    ended = forge("resume", run)
    assert ended.code == 0, ended.err
    notes = "".join(ended.err.splitlines())  # long lines are folded
    assert "step-00000020: a checkpoint is damaged" in notes
    assert "best.safetensors" in notes
    assert_same(run, whole)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["model.safetensors", "optimiser.safetensors", "state.json"])
def test_damaged_checkpoints(forge: Forge, killed: tuple[Path, Path], name: str) -> None:
    run, whole = killed
    for step in ("step-00000020", "step-00000016"):
        flip(run / "checkpoints" / step / name)
    ended = forge("resume", run)
    assert ended.code == 0, ended.err
    notes = "".join(ended.err.splitlines())
    for step in ("step-00000020", "step-00000016"):
        assert f"{step}: a checkpoint is damaged" in notes
    assert_same(run, whole)


def test_no_whole_checkpoint(forge: Forge, killed: tuple[Path, Path]) -> None:
    run, _ = killed
    before = names(run)
    for name in before:
        flip(run / "checkpoints" / name / "best.safetensors")
    assert "--out" in refused(forge("resume", run), 3, "no checkpoint of this run is whole")
    assert names(run) == before


@pytest.mark.slow
def test_changed_data_base_and_recipe(
    forge: Forge, killed: tuple[Path, Path], files: dict[str, list[Path]], model_folder: Callable[[str], Path]
) -> None:
    run, whole = killed
    for file, what in (
        (files["classify"][1], "data"),
        (model_folder("wordpiece") / "tokenizer_config.json", "base"),
    ):
        before = file.read_bytes()
        try:
            file.write_bytes(before + b"\n")
            assert "--anyway" in refused(forge("resume", run), 3, f"the {what} changed")
        finally:
            file.write_bytes(before)
    change = ["--set", "learning.lr=1e-3"]
    assert "--anyway" in refused(forge("resume", run, *change), 3, "the recipe changed")
    log = (run / "metrics.jsonl").read_bytes()
    ended = forge("resume", run, *change, "--anyway", fault=("after rename", 1))
    assert ended.code == -signal.SIGKILL
    assert "going on although the recipe changed" in ended.err
    assert "lr = 0.001" in (run / "recipe.toml").read_text()  # what is written is what is run
    assert forge("resume", run).code == 0
    assert (run / "metrics.jsonl").read_bytes() != (whole / "metrics.jsonl").read_bytes()
    assert log[:2000] == (run / "metrics.jsonl").read_bytes()[:2000]


@pytest.mark.parametrize(
    "size", [pytest.param(20_000, marks=pytest.mark.slow), 300_000], ids=["log", "checkpoint"]
)
def test_no_room(forge: Forge, killed: tuple[Path, Path], size: int) -> None:
    run, whole = killed
    before = names(run)
    room = (run / "metrics.jsonl").stat().st_size + 100 if size == 20_000 else size
    fix = refused(forge("resume", run, limit=room), 4, "larger than is allowed")
    assert "`ambos resume` goes on from" in fix
    assert names(run) == before
    assert forge("resume", run).code == 0
    assert_same(run, whole)


@pytest.mark.slow
def test_a_full_disk(begin: Callable, tmp_path: Path) -> None:
    """A file system with room for two checkpoints and a bit; made larger, the run goes on."""
    case = begin("classify")
    fill_a_small_disk(tmp_path, [AMBOS, *case.command], "3m")
    assert_same(tmp_path / "result", case.whole)


@pytest.mark.slow
def test_a_second_run_on_the_same_folder(forge: Forge, killed: tuple[Path, Path], begin: Callable) -> None:
    run, whole = killed
    process = subprocess.Popen(
        [AMBOS, "resume", run, "--set", "epochs=100000", "--set", "selection.patience=0", "--anyway"],
        env=ONE_THREAD,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 60
        while "epochs = 100000" not in (run / "recipe.toml").read_text():
            assert time.monotonic() < until
            time.sleep(0.05)
        refused(forge("resume", run), 4, "another ambos process is writing this output")
        ended = forge(*begin("classify").command, "--out", run, "--force")
        refused(ended, 4, "another ambos process is writing this output")
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()
    ended = forge(*begin("classify").command, "--out", run, "--force")  # the lock went with its holder
    assert ended.code == 0, ended.err
    assert_same(run, whole)


def test_what_a_kill_left_can_be_replaced(forge: Forge, begin: Callable, tmp_path: Path) -> None:
    """Half-written files are a command's own: --force takes them for what they are."""
    case, run = begin("tag"), tmp_path / "run"
    shutil.copytree(case.begun, run)
    (run / "run.json.tmp").write_text("{")
    (run / ".bundle.partial").mkdir()
    fix = refused(forge(*case.command, "--out", run), 4, "the output is already there")
    assert f"ambos resume {run}" in fix  # not --force alone: there is work in it
    ended = forge(*case.command, "--out", run, "--force")
    assert ended.code == 0, ended.err
    assert_same(run, case.whole)
    assert not (run / "run.json.tmp").exists()
