"""Ctrl-C and SIGTERM: saved, said how to go on, ended within seconds; resumed, the result is the same."""

import json
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from ambos.train.checkpoint import Checkpoints
from tests.runs.conftest import Ended, Forge, same_result, settings

NUMBERS = [signal.SIGTERM, signal.SIGINT]
IDS = ["SIGTERM", "SIGINT"]
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
    assert ended.seconds < 10  # preparation included
    step = assert_stopped(ended, run)
    assert 8 <= step < 24
    ended = forge("resume", run)
    assert ended.code == 0, ended.err
    assert same_result(run, whole)


def test_stopped_in_an_evaluation(
    forge: Forge, arguments: list[object], texts: list[str], tmp_path: Path
) -> None:
    """An evaluation is given up, and made when the run goes on; also the first, before anything is saved."""
    held = [part for text in texts for part in ("--heldout", text)]
    options = [*held, *settings(sequences=2, evaluation__sequences=250, evaluation__times=2)]
    whole, run = tmp_path / "whole", tmp_path / "run"
    ended = forge(*arguments, *options, "--out", whole)
    assert ended.code == 0, ended.err

    def is_begun(_: str) -> bool:
        return (run / "events.out.tfevents.0.ambos").exists()

    ended = forge(*arguments, *options, "--out", run, when=is_begun, after=0.2, send=signal.SIGTERM)
    assert assert_stopped(ended, run) == 0
    assert (run / "metrics.jsonl").read_text() == ""
    for step, number in ((12, signal.SIGINT), (24, signal.SIGTERM)):
        line = f'{{"kind": "train", "step": {step}, '  # what is written just before the evaluation
        ended = forge(
            "resume", run, when=lambda _, line=line: line in (run / "metrics.jsonl").read_text(), send=number
        )
        assert assert_stopped(ended, run) == step
        assert ended.seconds < 10
        found = Checkpoints(run / "checkpoints").load()
        assert found is not None
        assert found.state["due"]
    ended = forge("resume", run)
    assert ended.code == 0, ended.err
    assert same_result(run, whole)


@pytest.mark.parametrize("number", NUMBERS, ids=IDS)
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


def test_a_stop_after_the_end_is_none(forge: Forge, whole: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(whole, run)
    before = (run / "metrics.jsonl").read_bytes()
    ended = forge("resume", run)
    assert ended.code == 0
    assert "is finished already" in ended.err
    assert same_result(run, whole)
    assert (run / "metrics.jsonl").read_bytes() == before
