"""What was damaged, changed or in the way is noticed, named, and got around without harm to the result."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from ambos.text.readers import read_documents
from ambos.text.sources import find_sources
from ambos.text.store_build import build_store
from ambos.text.tokenizer import Tokenizer
from ambos.text.tokenizer_train import TrainOptions, train_tokenizer
from ambos.train.checkpoint import Checkpoints
from tests.runs.conftest import AMBOS, ONE_THREAD, Ended, Forge, same_result, settings

STEPS = 15
OPTIONS = [
    "--recipe",
    "bert",
    "--preset",
    "bert-tiny",
    "--steps",
    STEPS,
    *settings(sequences=4, saving__keep=4),
]


@pytest.fixture(scope="module")
def own_texts(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Texts that tests may change."""
    folder = tmp_path_factory.mktemp("own")
    return [Path(shutil.copy(text.partition("=")[2], folder)) for text in texts]


@pytest.fixture(scope="module")
def runs(
    forge: Forge,
    own_texts: list[Path],
    tokenizer_folder: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, Path]:
    """A run that nothing disturbed, and one killed in the save of step 15: it has those of 3, 6, 9 and 12."""
    folder = tmp_path_factory.mktemp("runs")
    arguments = ["pretrain", *own_texts, "--tokenizer", tokenizer_folder("wordpiece"), *OPTIONS, "--out"]
    whole, killed = folder / "whole", folder / "killed"
    ended = forge(*arguments, whole)
    assert ended.code == 0, ended.err
    assert forge(*arguments, killed, fault=("before rename", 6)).code == -signal.SIGKILL
    assert names(killed) == ["step-00000003", "step-00000006", "step-00000009", "step-00000012"]
    return whole, killed


@pytest.fixture
def run(runs: tuple[Path, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(runs[1], tmp_path / "run"))


@pytest.fixture
def whole(runs: tuple[Path, Path]) -> Path:
    return runs[0]


def names(run: Path) -> list[str]:
    return [path.name for path in Checkpoints(run / "checkpoints").list()]


def refused(ended: Ended, code: int, what: str) -> str:
    """It ended with one message of the agreed form; return its fix."""
    assert ended.code == code, ended.err
    assert "Traceback" not in ended.err
    assert ended.out == ""
    lines = ended.err.splitlines()
    (number,) = (number for number, line in enumerate(lines) if line.startswith("error "))
    assert what in lines[number], ended.err
    return next((line[10:].strip() for line in lines[number:] if line.strip().startswith("fix")), "")


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 16
    file.write_bytes(data)


def swap(one: Path, two: Path) -> None:
    aside = one.with_name("aside")
    one.rename(aside)
    two.rename(one)
    aside.rename(two)


FILES = ["model.safetensors", "optimiser.safetensors", "state.json", "manifest.json"]
LAST, BEFORE, THIRD = "step-00000012", "step-00000009", "step-00000006"
DAMAGES: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    **{f"bit of {name}": (lambda at, name=name: flip(at / LAST / name), [LAST]) for name in FILES},
    "truncated": (lambda at: os.truncate(at / LAST / "optimiser.safetensors", 1000), [LAST]),
    "missing file": (lambda at: (at / LAST / "state.json").unlink(), [LAST]),
    "two": (
        lambda at: (flip(at / LAST / "model.safetensors"), flip(at / BEFORE / "state.json")),
        [LAST, BEFORE],
    ),
    "swapped files": (
        lambda at: swap(at / LAST / "model.safetensors", at / BEFORE / "model.safetensors"),
        [LAST, BEFORE],
    ),
    "swapped folders": (lambda at: swap(at / LAST, at / THIRD), [LAST, THIRD]),
    "renamed": (lambda at: (at / LAST).rename(at / "step-00000077"), ["step-00000077"]),
    "gone": (lambda at: shutil.rmtree(at / LAST), []),
}


QUICK = ("bit of model.safetensors", "truncated", "swapped folders", "renamed")


@pytest.mark.parametrize(
    "damage",
    [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in DAMAGES],
)
def test_a_damaged_checkpoint(forge: Forge, run: Path, whole: Path, damage: str) -> None:
    act, damaged = DAMAGES[damage]
    act(run / "checkpoints")
    ended = forge("resume", run)
    assert ended.code == 0, ended.err
    notes = "".join(ended.err.splitlines())  # long lines are folded
    for name in damaged:
        if (damage, name) != ("swapped folders", THIRD):  # a better one was found before
            assert re.search(rf"{name}: a checkpoint is (damaged|not what its name says)", notes), ended.err
    assert notes.count("a checkpoint is") == len(damaged) - (damage == "swapped folders")
    assert same_result(run, whole)
    assert "step-00000077" not in names(run)


def test_all_damaged(forge: Forge, run: Path) -> None:
    before = names(run)
    for name in before:
        flip(run / "checkpoints" / name / "model.safetensors")
    fix = refused(forge("resume", run), 3, "no checkpoint of this run is whole")
    assert "--out" in fix
    assert names(run) == before


def test_a_changed_log(forge: Forge, run: Path) -> None:
    """The log belongs to the checkpoint: what is not its beginning is not gone on with."""
    file = run / "metrics.jsonl"
    data = file.read_text()
    file.write_text(data.replace('"step": 3', '"step": 4', 1))
    refused(forge("resume", run), 3, "the log of the run is not the one")
    file.write_text(data[:500])
    refused(forge("resume", run), 3, "the log of the run is not the one")


def test_a_damaged_store(forge: Forge, run: Path) -> None:
    flip(run / "store" / "tokens.npy")
    refused(forge("resume", run), 3, "a file of the store is damaged")


@pytest.mark.parametrize("how", [pytest.param("recipe.toml", marks=pytest.mark.slow), "--set"])
def test_a_changed_recipe(forge: Forge, run: Path, whole: Path, how: str) -> None:
    change: list[str] = []
    if how == "--set":
        change = ["--set", "optim.lr=4e-4"]
    else:
        recipe = (run / "recipe.toml").read_text()
        assert "lr = 0.0005" in recipe
        (run / "recipe.toml").write_text(recipe.replace("lr = 0.0005", "lr = 0.0004"))
    before = (run / "metrics.jsonl").read_bytes()
    assert "--anyway" in refused(forge("resume", run, *change), 3, "the recipe changed")
    assert (run / "metrics.jsonl").read_bytes() == before
    ended = forge("resume", run, *change, "--anyway", fault=("after rename", 1))
    assert ended.code == -signal.SIGKILL
    assert "going on although the recipe changed" in ended.err
    assert "lr = 0.0004" in (run / "recipe.toml").read_text()  # what is written is what is run
    ended = forge("resume", run)  # the change has become the run's own
    assert ended.code == 0, ended.err
    rates = {
        record["step"]: record["lr"]
        for record in map(json.loads, (run / "metrics.jsonl").read_text().splitlines())
        if record["kind"] == "train"
    }
    wanted = {
        record["step"]: record["lr"] * (0.8 if record["step"] > 12 else 1)
        for record in map(json.loads, (whole / "metrics.jsonl").read_text().splitlines())
        if record["kind"] == "train"
    }
    assert rates == pytest.approx(wanted)


def test_a_finished_run_can_be_made_longer(forge: Forge, whole: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    change = ["--set", f"budget.steps={STEPS + 5}"]
    refused(forge("resume", run, *change), 3, "the recipe changed")
    ended = forge("resume", run, *change, "--anyway")
    assert ended.code == 0, ended.err
    assert json.loads((run / "run.json").read_text())["steps"] == STEPS + 5


@pytest.mark.slow
@pytest.mark.parametrize("change", ["model.preset=bert-mini", "optim.name=muon", "optim.average=0.5"])
def test_changes_that_go_deep(forge: Forge, run: Path, change: str) -> None:
    ended = forge("resume", run, "--set", change, "--anyway")
    if change.startswith("model"):
        assert "another --out" in refused(ended, 3, "the checkpoint does not fit the model")
    else:
        assert ended.code == 0, ended.err
        back = change.replace("muon", "adamw").replace("0.5", "0.0")
        ended = forge("resume", run, "--set", back, "--set", f"budget.steps={STEPS + 3}", "--anyway")
        assert ended.code == 0, ended.err


def test_a_changed_text(forge: Forge, run: Path, whole: Path, own_texts: list[Path]) -> None:
    before = own_texts[0].read_bytes()
    stamp = own_texts[0].stat().st_mtime_ns
    own_texts[0].write_bytes(before + b"\n\nMais um documento. Com duas frases.\n")
    try:
        fix = refused(forge("resume", run), 3, f"{own_texts[0]}: the data changed since the run began")
        assert f"ambos resume {run} --anyway" in fix
        ended = forge("resume", run, "--anyway")
        assert ended.code == 0, ended.err
        assert same_result(run, whole)  # the tokens are as they were
    finally:
        own_texts[0].write_bytes(before)
        os.utime(own_texts[0], ns=(stamp, stamp))


@pytest.mark.slow
def test_texts_that_are_gone_are_not_missed(forge: Forge, run: Path, whole: Path) -> None:
    about = json.loads((run / "run.json").read_text())
    for text in about["texts"]:
        text["file"] += ".moved"
    (run / "run.json").write_text(json.dumps(about))
    assert forge("resume", run).code == 0
    assert same_result(run, whole)


def test_another_store(forge: Forge, run: Path, own_texts: list[Path]) -> None:
    tokenizer = Tokenizer.load(run / "store" / "tokenizer")
    build_store(find_sources([str(own_texts[1])]), tokenizer, run / "store", force=True)
    assert "--anyway" in refused(forge("resume", run), 3, "the data changed since the run was interrupted")
    ended = forge("resume", run, "--anyway")
    assert ended.code == 0, ended.err
    assert "going on although the data changed" in ended.err


@pytest.mark.parametrize("size", [1000, pytest.param(2000, marks=pytest.mark.slow)])
def test_another_tokenizer(forge: Forge, run: Path, sample: Path, own_texts: list[Path], size: int) -> None:
    documents = read_documents(find_sources([str(sample / "corpus")]))
    tokenizer = train_tokenizer(documents, TrainOptions("wordpiece", vocab_size=size, uncased=True))
    build_store(find_sources([str(text) for text in own_texts]), tokenizer, run / "store", force=True)
    ended = forge("resume", run)
    assert "--anyway" in refused(ended, 3, "the data and the tokenizer changed since the run was interrupted")
    ended = forge("resume", run, "--anyway")
    if size == 2000:
        assert ended.code == 0, ended.err
        assert "going on although the tokenizer changed" in ended.err
    else:
        refused(ended, 3, "the checkpoint does not fit the model")


@pytest.mark.slow
def test_other_heldout_text(
    forge: Forge, own_texts: list[Path], tokenizer_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    tokenizer = tokenizer_folder("wordpiece")
    arguments = ["pretrain", own_texts[0], "--heldout", own_texts[1], "--tokenizer", tokenizer, *OPTIONS]
    run = tmp_path / "run"
    assert forge(*arguments, "--out", run, fault=("after rename", 2)).code == -signal.SIGKILL
    build_store(find_sources([str(own_texts[0])]), Tokenizer.load(tokenizer), run / "heldout", force=True)
    refused(forge("resume", run), 3, "the data changed since the run was interrupted")
    flip(run / "heldout" / "tokens.npy")
    refused(forge("resume", run, "--anyway"), 3, "a file of the store is damaged")
    ended = forge(*arguments, "--out", run, "--force")  # a run with held-out text can be replaced, too
    assert ended.code == 0, ended.err
    assert json.loads((run / "run.json").read_text())["heldout"]["how"] == "other text, given by the user"


def test_no_room_for_the_log(forge: Forge, run: Path, whole: Path) -> None:
    """What fails here is a line of the log, not a checkpoint."""
    room = (run / "metrics.jsonl").stat().st_size + 100
    before = names(run)
    fix = refused(forge("resume", run, limit=room), 4, "larger than is allowed")
    assert "`ambos resume` goes on from" in fix
    assert names(run) == before
    assert forge("resume", run).code == 0
    assert same_result(run, whole)


def test_no_room_for_a_checkpoint(forge: Forge, run: Path, whole: Path) -> None:
    before = names(run)
    fix = refused(forge("resume", run, limit=2_000_000), 4, "larger than is allowed")
    assert f"`ambos resume` goes on from {LAST}" in fix
    assert names(run) == before
    assert not list((run / "checkpoints").glob(".*"))
    assert forge("resume", run).code == 0
    assert same_result(run, whole)


ON_A_SMALL_DISK = """
mount -t tmpfs -o size=17m none "$1" || exit 77
disk=$1; shift
"$@" > full.out 2> full.err; echo $? > code
ls "$disk/run/checkpoints" > left
mount -o remount,size=100m "$disk"
"$AMBOS" resume "$disk/run" > again.out 2> again.err; echo $? > again
cp -r "$disk/run" result
"""


def fill_a_small_disk(folder: Path, command: list[object], size: str = "17m") -> None:
    """Run a command, with `--out disk/run`, until the disk is full, and on when it is larger: `result`."""
    (folder / "disk").mkdir()
    script = ON_A_SMALL_DISK.replace("size=17m", f"size={size}")
    words = [str(part) for part in (*command, "--out", "disk/run")]
    for apart in (["unshare", "-rm"], ["unshare", "-m"]):
        subprocess.run(
            [*apart, "sh", "-c", script, "sh", "disk", *words],
            cwd=folder,
            env={**ONE_THREAD, "AMBOS": str(AMBOS)},
            capture_output=True,
            check=False,
        )
        if (folder / "result").exists():
            break
    else:
        pytest.skip("may not mount a file system here")
    err = (folder / "full.err").read_text()
    assert (folder / "code").read_text() == "4\n", err
    assert "Traceback" not in err
    assert "the disk is full; nothing was left half-written" in err
    last = (folder / "left").read_text().split()[-1]
    assert f"`ambos resume` goes on from {last}" in err
    assert (folder / "again").read_text() == "0\n", (folder / "again.err").read_text()


@pytest.mark.slow
def test_a_full_disk(
    runs: tuple[Path, Path],
    own_texts: list[Path],
    tokenizer_folder: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    """A file system with room for one checkpoint and a bit; made larger, the run goes on."""
    command = [AMBOS, "pretrain", *own_texts, "--tokenizer", tokenizer_folder("wordpiece"), *OPTIONS]
    fill_a_small_disk(tmp_path, command)
    assert same_result(tmp_path / "result", runs[0])


def test_two_runs_on_one_folder(forge: Forge, run: Path, own_texts: list[Path]) -> None:
    process = subprocess.Popen(
        [AMBOS, "resume", run, "--set", "budget.steps=100000", "--anyway"],
        env=ONE_THREAD,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 60
        while "budget]\nsteps = 100000" not in (run / "recipe.toml").read_text():
            assert time.monotonic() < until
            time.sleep(0.05)
        refused(forge("resume", run), 4, "another ambos process is writing this output")
        ended = forge("pretrain", *own_texts, *OPTIONS, "--out", run, "--force")
        refused(ended, 4, "another ambos process is writing this output")
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()
    ended = forge("resume", run, "--set", "budget.steps=18", "--anyway")  # the lock went with its holder
    assert ended.code == 0, ended.err


def test_a_loss_that_is_no_number(forge: Forge, run: Path) -> None:
    absurd = [part for name in ("optim.lr=1e6", "optim.clip=0") for part in ("--set", name)]
    fix = refused(forge("resume", run, *absurd, "--anyway"), 1, "the loss became nan at step")
    assert "lower learning rate" in fix
    assert "the checkpoint of step 12 is whole" in fix
    found = Checkpoints(run / "checkpoints").load()
    assert found is not None
    assert found.state["step"] == 12
    assert all(torch.isfinite(tensor).all() for tensor in found.tensors["model"].values())
    ended = forge("resume", run, "--set", "optim.lr=1e-4", "--set", "optim.clip=1", "--anyway")
    assert ended.code == 0, ended.err
