"""Ctrl-C and SIGTERM: saved, said how to go on, ended within seconds; resumed, the result is the same."""

import json
import os
import pty
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from ambos.train.checkpoint import Checkpoints
from tests.runs.conftest import AMBOS, ONE_THREAD, Ended, Forge, same_result, settings

NUMBERS = [signal.SIGTERM, signal.SIGINT]
IDS = ["SIGTERM", "SIGINT"]
TERMINAL = {**ONE_THREAD, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"}
OPTIONS = ["--recipe", "bert", "--preset", "bert-tiny", "--steps", "24"]


@pytest.fixture(scope="module")
def arguments(texts: list[str], tokenizer_folder: Callable[[str], Path]) -> list[object]:
    return ["pretrain", *texts, "--tokenizer", tokenizer_folder("wordpiece"), *OPTIONS]


@pytest.fixture(scope="module")
def whole(forge: Forge, arguments: list[object], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing disturbed."""
    out = tmp_path_factory.mktemp("whole") / "run"
    ended = forge(*arguments, *settings(), "--out", out)
    assert ended.code == 0, ended.err
    return out


def assert_stopped(ended: Ended, run: Path) -> int:
    """It ended as it should; return the step at which it did."""
    assert ended.code == 130, ended.err
    assert ended.stopping < 10
    print(f"ended {ended.stopping:.2f} s after the signal")
    assert "Traceback" not in ended.err
    about = json.loads((run / "run.json").read_text())
    assert about["status"] == "stopped"
    assert (
        ended.out.split()
        == f"Stopped at step {about['steps']} and saved. Go on with: ambos resume {run}".split()
    )
    found = Checkpoints(run / "checkpoints").load()
    assert found is not None
    assert found.state["step"] == about["steps"]
    assert (run / "bundle" / "model.safetensors").exists()
    assert (run / "report.html").exists()
    return about["steps"]


@pytest.mark.parametrize("number", NUMBERS, ids=IDS)
def test_stopped_between_checkpoints(
    forge: Forge, arguments: list[object], whole: Path, tmp_path: Path, number: int
) -> None:
    run = tmp_path / "run"
    ended = forge(
        *arguments, *settings(), "--out", run, when=lambda err: "step      8" in err, after=0.02, send=number
    )
    step = assert_stopped(ended, run)
    assert 8 <= step < 24
    ended = forge("resume", run)
    assert ended.code == 0, ended.err
    assert same_result(run, whole)


@pytest.mark.slow
def test_a_large_model_stops_in_time(
    texts: list[str], tokenizer_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """BERT-base: a part of its step, a checkpoint of 1.3 GB and the bundle within ten seconds."""
    run = tmp_path / "run"
    options = ["--tokenizer", tokenizer_folder("wordpiece"), "--recipe", "bert", "--preset", "bert-base"]
    small = ["--set", "evaluation.sequences=2", "--set", "phases=[{length=128,sequences=32}]"]
    process = subprocess.Popen(
        [AMBOS, "pretrain", *texts, *options, *small, "--steps", "50", "--out", run],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    lines = iter(process.stderr.readline, "")
    assert any("step      0" in line for line in lines)  # measured once: the first step is under way
    time.sleep(3)
    process.send_signal(signal.SIGTERM)
    begin = time.monotonic()
    out, err = process.communicate(timeout=60)
    seconds = time.monotonic() - begin
    print(f"ended {seconds:.1f} s after the signal")
    assert process.returncode == 130, err
    assert "Stopped at step" in out
    assert seconds < 10
    assert Checkpoints(run / "checkpoints").load() is not None


def test_stopped_in_an_evaluation(
    forge: Forge, arguments: list[object], texts: list[str], tmp_path: Path
) -> None:
    """An evaluation is given up, and made when the run goes on; also the first, before anything is saved."""
    held = [part for text in texts for part in ("--heldout", text)]
    options = [*held, *settings(sequences=2, evaluation__sequences=140, evaluation__times=2)]
    whole, run = tmp_path / "whole", tmp_path / "run"
    ended = forge(*arguments, *options, "--out", whole)
    assert ended.code == 0, ended.err

    def is_begun(_: str) -> bool:
        return (run / "events.out.tfevents.0.ambos").exists()

    ended = forge(*arguments, *options, "--out", run, when=is_begun, after=0.02, send=signal.SIGTERM)
    assert assert_stopped(ended, run) == 0
    assert (run / "metrics.jsonl").read_text() == ""
    for step, number in ((12, signal.SIGINT), (24, signal.SIGTERM)):
        line = f'{{"kind": "train", "step": {step}, '  # what is written just before the evaluation
        ended = forge(
            "resume", run, when=lambda _, line=line: line in (run / "metrics.jsonl").read_text(), send=number
        )
        assert assert_stopped(ended, run) == step
        found = Checkpoints(run / "checkpoints").load()
        assert found is not None
        assert found.state["due"]
    ended = forge("resume", run)
    assert ended.code == 0, ended.err
    assert same_result(run, whole)


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)], ids=IDS[::-1]
)
def test_stopped_before_training_begins(
    forge: Forge, arguments: list[object], whole: Path, tmp_path: Path, number: int
) -> None:
    """Nothing is lost then: the same command, or `ambos resume` if there is a run already, goes on."""
    run = tmp_path / "run"
    ended = forge(*arguments, *settings(), "--out", run, when=lambda err: "tokenising" in err, send=number)
    assert ended.code == (130 if number == signal.SIGINT else -number), ended.err
    assert "Traceback" not in ended.err
    assert not (run / "checkpoints").exists()
    if (run / "run.json").exists():
        ended = forge("resume", run)
    else:
        ended = forge(*arguments, *settings(), "--out", run)
    assert ended.code == 0, ended.err
    assert same_result(run, whole)


@pytest.mark.slow
def test_ctrl_c_at_a_terminal(arguments: list[object], whole: Path, forge: Forge, tmp_path: Path) -> None:
    """With the curve on the screen; the keys reach the process as they would from a keyboard."""
    run = tmp_path / "run"
    terminal, inside = pty.openpty()
    ends = dict.fromkeys(("stdin", "stdout", "stderr"), inside)
    command = ["setsid", "--ctty", "--wait", AMBOS, *map(str, arguments), *settings(), "--out", run]
    process = subprocess.Popen(command, env=TERMINAL, **ends)
    os.close(inside)
    shown, asked = "", False
    with suppress(OSError):  # how a terminal says that the other side is closed
        while data := os.read(terminal, 65536):
            shown += data.decode(errors="replace")
            if not asked and "held-out loss" in shown:
                os.write(terminal, b"\x03")
                asked = True
    os.close(terminal)
    assert process.wait() == 130, shown
    assert "saved. Go on with:" in shown
    assert "Traceback" not in shown
    assert forge("resume", run).code == 0
    assert same_result(run, whole)


def test_a_stop_after_the_end_is_none(forge: Forge, whole: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(whole, run)
    before = (run / "metrics.jsonl").read_bytes()
    ended = forge("resume", run)
    assert ended.code == 0
    assert "is finished already" in ended.err
    assert same_result(run, whole)
    assert (run / "metrics.jsonl").read_bytes() == before
