"""Killed at any moment and resumed, a run ends as if nothing had been; there is always a checkpoint."""

import random
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ambos.train.checkpoint import Checkpoints
from tests.runs.conftest import AMBOS, ONE_THREAD, Forge, same_result, settings

STEPS = 36
POINTS = ("before data", "mid-file", "before fsync", "before rename", "after rename", "during pruning")
BERT = [
    "--recipe",
    "bert",
    *settings(phases="[{share=0.5,length=24,sequences=6},{share=0.5,length=40,sequences=4}]"),
]
AVERAGED = [
    "--recipe",
    "fast",
    *settings(
        model__dropout=0.1,
        optim__name="muon",
        optim__average=0.9,
        schedule__shape="trapezoid",
        precision="bf16",
    ),
]
SPANS = ["--recipe", "spanbert", *settings(corruption__rate_end=0.3, data__alpha=0.5, data__variants=2)]


@pytest.fixture(scope="module")
def begin(
    forge: Forge,
    texts: list[str],
    tokenizer_folder: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[list[str]], tuple[Path, Path]]:
    """Run a recipe to its end, and kill it in its very first save: the two folders. Once for every recipe."""
    made: dict[str, tuple[Path, Path]] = {}

    def run(options: list[str]) -> tuple[Path, Path]:
        key = " ".join(options)
        if key not in made:
            folder = tmp_path_factory.mktemp("runs")
            common = ["--tokenizer", tokenizer_folder("wordpiece"), "--preset", "bert-tiny", "--steps", STEPS]
            whole, begun = folder / "whole", folder / "begun"
            ended = forge("pretrain", *texts, *common, *options, "--out", whole)
            assert ended.code == 0, ended.err
            killed = forge("pretrain", *texts, *common, *options, "--out", begun, fault=("before data", 1))
            assert killed.code == -signal.SIGKILL
            assert Checkpoints(begun / "checkpoints").load() is None
            made[key] = whole, begun
        return made[key]

    return run


def assert_loadable(run: Path) -> None:
    """At least one checkpoint, and none of them damaged."""
    damaged: list[str] = []
    assert Checkpoints(run / "checkpoints").load(damaged.append) is not None
    assert not damaged


def disturb(forge: Forge, begun: Path, whole: Path, run: Path, plan: list[tuple[str, int] | float]) -> None:
    """Resume a run again and again, killed as planned: in a save, or after some seconds. Then let it end."""
    shutil.copytree(begun, run)
    planned = list(plan)
    while planned:
        kill = planned[-1]
        inside = isinstance(kill, tuple)
        ended = forge("resume", run, fault=kill if inside else None, after=None if inside else kill)
        assert ended.code in (0, -signal.SIGKILL), ended.err
        if list((run / "checkpoints").glob("step-*")):
            assert_loadable(run)
        if ended.code == 0:  # it came to its end before the kill: begin again
            assert same_result(run, whole)
            shutil.rmtree(run)
            shutil.copytree(begun, run)
        else:
            planned.pop()
    ended = forge("resume", run)
    assert ended.code == 0, ended.err
    assert same_result(run, whole)
    left = sorted(entry.name for entry in (run / "checkpoints").iterdir())
    assert left == [f"step-{STEPS - 3:08}", f"step-{STEPS:08}"]


def test_three_kills(forge: Forge, begin: Callable, tmp_path: Path) -> None:
    whole, begun = begin(BERT)
    disturb(forge, begun, whole, tmp_path / "run", [("during pruning", 2), 0.9, ("mid-file", 4)])


@pytest.mark.slow
@pytest.mark.parametrize("options", [BERT, AVERAGED, SPANS], ids=["bert", "averaged", "spans"])
def test_ten_kills(forge: Forge, begin: Callable, tmp_path: Path, options: list[str]) -> None:
    """Over the three recipes: 30 kills, 15 of them inside a save, at every point of it."""
    whole, begun = begin(options)
    moments = random.Random(str(options))
    points = [*POINTS, *POINTS, *POINTS][5 * [BERT, AVERAGED, SPANS].index(options) :][:5]
    plan = [(point, moments.randint(1, 3)) for point in points]
    plan += [moments.uniform(0.1, 1.6) for _ in range(5)]
    moments.shuffle(plan)
    disturb(forge, begun, whole, tmp_path / "run", plan)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lamb", "stable_adamw"])
def test_other_optimisers(forge: Forge, begin: Callable, tmp_path: Path, name: str) -> None:
    whole, begun = begin([*BERT, *settings(optim__name=name)])
    disturb(forge, begun, whole, tmp_path / "run", [("before fsync", 3), 0.7, ("before rename", 2)])


@pytest.mark.slow
def test_a_process_of_its_own_gives_the_same(begin: Callable, tmp_path: Path) -> None:
    """What forks of one process show holds for commands as a shell starts them."""
    whole, begun = begin(BERT)
    shutil.copytree(begun, tmp_path / "run")
    done = subprocess.run(
        [AMBOS, "resume", tmp_path / "run"], env=ONE_THREAD, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert same_result(tmp_path / "run", whole)
