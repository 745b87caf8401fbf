"""Several processes give what one gives, up to rounding; a run goes on with another number of them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ambos.errors import UsageError
from ambos.recipe import load_recipe
from ambos.runs.assemble import Reader
from ambos.runs.settings import PretrainRecipe
from ambos.train.checkpoint import Checkpoints
from ambos.train.loop import State
from ambos.train.team import Team
from tests.runs.conftest import AMBOS, ONE_THREAD, Forge, settings

STEPS = 50
SIZES = settings(sequences=8, evaluation__sequences=64, evaluation__times=2, saving__steps=20)
BERT = ["--recipe", "bert", "--preset", "bert-tiny", "--steps", STEPS, *SIZES]
FAST = ["--recipe", "fast", "--steps", STEPS, *SIZES]
HALF = ["--recipe", "fast", "--set", "precision=bf16", "--steps", STEPS, *SIZES]


def start(processes: int, *arguments: object, **options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc-per-node", str(processes), "--no-python", str(AMBOS), *map(str, arguments)]
    return subprocess.Popen(
        command,
        env=ONE_THREAD,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )


def together(processes: int, *arguments: object) -> tuple[int, str, str]:
    """Run a command in several processes, as torchrun does; return exit code, stdout, stderr."""
    process = start(processes, *arguments)
    try:
        out, err = process.communicate(timeout=180)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # a session of its own: the processes of this run alone
        out, err = process.communicate()
        pytest.fail(f"it hangs:\n{err[-2000:]}")
    return process.returncode, out, err


def heldout(run: Path) -> list[float]:
    records = map(json.loads, (run / "metrics.jsonl").read_text().splitlines())
    return [
        record[key]
        for record in records
        if record["kind"] == "heldout"
        for key in ("mlm_loss", "next_loss", "order_loss")
        if key in record
    ]


@pytest.fixture(scope="module")
def common(texts: list[str], tokenizer_folder: Callable[[str], Path]) -> list[object]:
    return ["pretrain", *texts, "--tokenizer", tokenizer_folder("wordpiece")]


@pytest.fixture(scope="module")
def alone(
    forge: Forge, common: list[object], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[list[object]], Path]:
    """The run of one process. Once for every recipe."""
    made: dict[str, Path] = {}

    def run(options: list[object]) -> Path:
        key = str(options)
        if key not in made:
            made[key] = tmp_path_factory.mktemp("alone") / "run"
            ended = forge(*common, *options, "--out", made[key])
            assert ended.code == 0, ended.err
        return made[key]

    return run


@pytest.mark.slow
@pytest.mark.parametrize("processes", [2, 4])
@pytest.mark.parametrize("options", [BERT, FAST], ids=["bert", "fast"])
def test_the_same_loss(
    alone: Callable, common: list[object], tmp_path: Path, options: list[object], processes: int
) -> None:
    """`bert` has dropout, and so the same parts of a step; `fast` has none."""
    run = tmp_path / "run"
    code, out, err = together(processes, *common, *options, "--out", run)
    assert code == 0, err
    assert out.count("held-out loss") == 1  # one speaks for all
    assert err.count("tokenising") == 1
    found, wanted = heldout(run), heldout(alone(options))
    print("largest difference", max(abs(a - b) for a, b in zip(found, wanted, strict=True)))
    assert found == pytest.approx(wanted, abs=1e-4)
    assert abs(wanted[0] - wanted[-1]) > 0.01  # it did not stand still meanwhile
    assert json.loads((run / "run.json").read_text())["processes"] == processes


@pytest.mark.slow
def test_as_many_threads_as_there_are(alone: Callable, common: list[object], tmp_path: Path) -> None:
    """The recipe as shipped, by steps: a process with two threads gives what one with one gives."""
    command = [AMBOS, *map(str, common), *map(str, FAST), "--out", tmp_path / "run"]
    threads = {**ONE_THREAD, "OMP_NUM_THREADS": "2"}
    ended = subprocess.run(command, env=threads, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert heldout(tmp_path / "run") == pytest.approx(heldout(alone(FAST)), abs=1e-4)


@pytest.mark.slow
def test_in_bfloat16_the_loss_is_nearly_the_same(
    alone: Callable, common: list[object], tmp_path: Path
) -> None:
    """Gradients of parts are rounded before they are added: how a step is divided shows a little."""
    run = tmp_path / "run"
    code, _, err = together(2, *common, *HALF, "--out", run)
    assert code == 0, err
    found, wanted = heldout(run), heldout(alone(HALF))
    print("largest difference", max(abs(a - b) for a, b in zip(found, wanted, strict=True)))
    assert found == pytest.approx(wanted, abs=2e-3)


@pytest.mark.slow
def test_one_process_of_torchrun(alone: Callable, common: list[object], tmp_path: Path) -> None:
    code, _, err = together(1, *common, *BERT, "--out", tmp_path / "run")
    assert code == 0, err
    assert (tmp_path / "run" / "metrics.jsonl").read_bytes() == (alone(BERT) / "metrics.jsonl").read_bytes()


AVERAGED = [*BERT, "--set", "optim.average=0.9"]
LAMB, STABLE = ([*BERT, "--set", f"optim.name={name}"] for name in ("lamb", "stable_adamw"))


@pytest.mark.slow
@pytest.mark.parametrize("options", [AVERAGED, FAST, LAMB, STABLE], ids=["bert", "fast", "lamb", "stable"])
def test_shared_weights(
    alone: Callable, common: list[object], tmp_path: Path, forge: Forge, options: list[object]
) -> None:
    """FSDP: every process holds half of the weights; measured, saved and shipped whole."""
    run = tmp_path / "run"
    code, _, err = together(2, *common, *options, "--set", "parallel=fsdp", "--out", run)
    assert code == 0, err
    found, wanted = heldout(run), heldout(alone(options))
    print("largest difference", max(abs(a - b) for a, b in zip(found, wanted, strict=True)))
    assert found == pytest.approx(wanted, abs=1e-4)
    one, two = (Checkpoints(at / "checkpoints").load() for at in (run, alone(options)))
    assert one is not None
    assert two is not None
    for file, tensors in two.tensors.items():
        assert {name: tensor.shape for name, tensor in one.tensors[file].items()} == {
            name: tensor.shape for name, tensor in tensors.items()
        }
    ended = forge("fill", run, "O gato [MASK].", "--json")
    assert ended.code == 0, ended.err


@pytest.mark.slow
def test_more_parts_than_fit_evenly(common: list[object], forge: Forge, tmp_path: Path) -> None:
    """Five parts for two processes, with weights shared: the one without work keeps the other company."""
    options = ["--recipe", "fast", "--preset", "bert-tiny", "--steps", 5, *settings(sequences=9)]
    options += ["--set", "part_tokens=64"]
    ended = forge(*common, *options, "--out", tmp_path / "one")
    assert ended.code == 0, ended.err
    run = tmp_path / "two"
    code, _, err = together(2, *common, *options, "--set", "parallel=fsdp", "--out", run)
    assert code == 0, err
    assert heldout(run) == pytest.approx(heldout(tmp_path / "one"), abs=1e-4)


@pytest.mark.slow
def test_going_on_with_another_number(
    alone: Callable, common: list[object], forge: Forge, tmp_path: Path
) -> None:
    """Stopped by SIGTERM with two processes, resumed by one; and the other way round, with weights shared."""
    run = tmp_path / "run"
    process = start(2, *common, *AVERAGED, "--out", run)
    until = time.monotonic() + 60
    while not (run / "checkpoints" / "step-00000020").exists() and time.monotonic() < until:
        time.sleep(0.01)
    process.terminate()
    _, err = process.communicate(timeout=60)
    assert "Traceback" not in err.partition("torch/distributed/elastic")[0], err
    about = json.loads((run / "run.json").read_text())
    assert about["status"] == "stopped", err
    assert 20 <= about["steps"] < STEPS
    ended = forge("resume", run)
    assert ended.code == 0, ended.err
    wanted = heldout(alone(AVERAGED))
    assert heldout(run) == pytest.approx(wanted, abs=1e-4)

    run = tmp_path / "other"
    ended = forge(*common, *AVERAGED, "--out", run, fault=("after rename", 2))
    assert ended.code == -signal.SIGKILL
    code, _, err = together(2, "resume", run, "--set", "parallel=fsdp", "--anyway")
    assert code == 0, err
    assert heldout(run) == pytest.approx(wanted, abs=1e-4)


@pytest.mark.slow
def test_what_cannot_be_shared(common: list[object], tmp_path: Path) -> None:
    run = tmp_path / "run"
    options = ["--set", "optim.name=muon", "--set", "parallel=fsdp"]
    code, _, err = together(2, *common, *BERT, *options, "--out", run)
    assert code != 0
    assert "Muon needs whole matrices" in err
    assert not run.exists()


def test_more_processes_than_sequences() -> None:
    recipe = load_recipe(PretrainRecipe, [{"phases": [{"sequences": 3}]}])
    with pytest.raises(UsageError, match="fewer sequences than there are processes") as caught:
        Reader(None, recipe, None, Team(0, 4))(State(), 0.0)  # type: ignore[arg-type]
    assert caught.value.expected == "at least 4 sequences"
