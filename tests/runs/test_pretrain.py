"""A whole run: the records, the files for people, and a preparation that is killed and gone on with."""

import json
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from ambos.recipe import load_recipe
from ambos.runs.named import recipe_values
from ambos.runs.settings import PretrainRecipe
from ambos.runs.start import Texts, pretrain, resume
from ambos.text.sources import find_sources
from ambos.text.tokenizer import Tokenizer
from tests.runs.conftest import Forge, same_result, settings
from tests.train.test_events import read as read_events

STEPS = 9


@pytest.fixture(scope="module")
def arguments(texts: list[str], tokenizer_folder: Callable[[str], Path]) -> list[object]:
    common = ["--tokenizer", tokenizer_folder("wordpiece"), "--recipe", "bert", "--preset", "bert-tiny"]
    return ["pretrain", *texts, *common, "--steps", STEPS, *settings()]


@pytest.fixture(scope="module")
def run(forge: Forge, arguments: list[object], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("pretrain") / "run"
    ended = forge(*arguments, "--out", out)
    assert ended.code == 0, ended.err
    return out


@pytest.fixture(scope="module")
def records(run: Path) -> list[dict]:
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]


def test_training_records(records: list[dict]) -> None:
    train = [record for record in records if record["kind"] == "train"]
    assert [record["step"] for record in train] == list(range(1, STEPS + 1))
    for before, record in zip([{"tokens": 0}, *train], train, strict=False):
        assert 6 * 8 <= record["tokens"] - before["tokens"] <= 6 * 32
        assert record["loss"] == pytest.approx(record["mlm_loss"] + record["next_loss"])
        assert record["grad_norm"] > 0
        assert record["epoch"] == 0
    assert max(record["lr"] for record in train) <= 5e-4


def test_heldout_records(records: list[dict]) -> None:
    heldout = [record for record in records if record["kind"] == "heldout"]
    assert [record["step"] for record in heldout] == [0, 3, 6, 9]
    for record in heldout:
        assert set(record) == {
            *("kind", "step", "epoch", "tokens", "mlm_loss", "mlm_accuracy", "mlm_tokens"),
            *("next_loss", "next_accuracy", "next_pairs"),
        }
        assert 0 <= record["mlm_accuracy"] <= 1
        assert record["mlm_tokens"] == heldout[0]["mlm_tokens"] > 50
        assert record["next_pairs"] == heldout[0]["next_pairs"] > 5
    assert heldout[-1]["mlm_loss"] < heldout[0]["mlm_loss"]


def test_sample_sentences(records: list[dict]) -> None:
    fills = [record for record in records if record["kind"] == "fill"]
    assert [record["step"] for record in fills] == [0, 3, 6, 9]
    for record in fills:
        assert [sample["text"] for sample in record["samples"]] == [
            sample["text"] for sample in fills[0]["samples"]
        ]
        for sample in record["samples"]:
            assert sample["text"].count("[MASK]") == 1
            assert sample["truth"].isalpha()
            chances = [chance for _, chance in sample["candidates"]]
            assert len(chances) == 3
            assert chances == sorted(chances, reverse=True)
    assert 1 <= len(fills[0]["samples"]) <= 6


def test_nothing_of_the_clock_is_among_the_metrics(run: Path) -> None:
    text = (run / "metrics.jsonl").read_text()
    assert not re.search(r'"[^"]*(second|time|wall)[^"]*":', text)
    speeds = [json.loads(line) for line in (run / "speed.jsonl").read_text().splitlines()]
    assert [speed["step"] for speed in speeds] == list(range(1, STEPS + 1))
    assert all(speed["tokens_per_second"] > 0 and 0 < speed["limit_share"] < 1.5 for speed in speeds)
    seconds = [speed["seconds"] for speed in speeds]
    assert seconds == sorted(seconds)


def test_tensorboard_reads_the_events(run: Path, records: list[dict]) -> None:
    found = read_events(run / "events.out.tfevents.0.ambos")
    assert {"train/loss", "train/mlm_loss", "train/next_loss", "train/lr", "train/grad_norm"} <= set(found)
    assert {"heldout/mlm_loss", "heldout/mlm_accuracy", "heldout/next_accuracy"} <= set(found)
    losses = {record["step"]: record["loss"] for record in records if record["kind"] == "train"}
    assert {step: value for _, step, value in found["train/loss"]} == pytest.approx(losses)


def test_what_the_run_says_of_itself(run: Path, texts: list[str]) -> None:
    about = json.loads((run / "run.json").read_text())
    assert about["status"] == "finished"
    assert about["steps"] == STEPS
    assert about["recipe"] == "bert"
    assert about["model"]["vocab_size"] == 2000
    assert about["corpus"]["languages"] == ["pt", "en"]
    assert about["corpus"]["documents"] == 120
    assert 0 < about["heldout"]["tokens"] < 0.1 * about["corpus"]["tokens"]
    assert [text["file"] for text in about["texts"]] == [text.partition("=")[2] for text in texts]
    assert about["started"] <= about["finished"]
    recipe = load_recipe(PretrainRecipe, [recipe_values(str(run / "recipe.toml"))])
    assert recipe.budget.steps == STEPS
    card = (run / "bundle" / "README.md").read_text()
    assert card.startswith("---\n")
    assert "- pt\n- en\n" in card
    assert "9 steps" in card
    assert "Recipe `bert`" in card
    assert "<img" in (run / "report.html").read_text()
    assert (run / "curves.svg").read_text().rstrip().endswith("</svg>")
    manifest = json.loads((run / "bundle" / "ambos.json").read_text())
    wanted = {"pretrained_by": f"ambos {about['ambos']}", "recipe": "bert", "base": None, "finished": True}
    assert manifest["provenance"].items() >= wanted.items()


def test_the_same_again(run: Path, forge: Forge, arguments: list[object], tmp_path: Path) -> None:
    ended = forge(*arguments, "--out", tmp_path / "again")
    assert ended.code == 0
    assert same_result(run, tmp_path / "again")


def test_from_python(
    run: Path, texts: list[str], tokenizer_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """As a library: the same run, told to a watcher."""
    seen: list[str] = []

    class Watcher:
        def step(self, record: dict, speed: dict) -> None:
            seen.append(f"step {record['step']}")

        def heldout(self, record: dict) -> None:
            seen.append(f"heldout {record['step']}")

        def note(self, text: str) -> None:
            seen.append(text)

    recipe = load_recipe(PretrainRecipe, [recipe_values(str(run / "recipe.toml")), {"budget": {"steps": 2}}])
    tokenizer = Tokenizer.load(tokenizer_folder("wordpiece"))
    out = tmp_path / "run"
    assert pretrain(Texts(find_sources(texts)), out, recipe, tokenizer=tokenizer, watcher=Watcher())
    assert seen == ["heldout 0", "step 1", "heldout 1", "step 2", "heldout 2"]
    assert resume(out)


@pytest.mark.parametrize(
    "after", [0.1, *(pytest.param(after, marks=pytest.mark.slow) for after in (0.0, 0.05, 0.2, 0.3))]
)
def test_killed_while_preparing(
    run: Path, forge: Forge, arguments: list[object], tmp_path: Path, after: float
) -> None:
    """The same command goes on; if there is a run already, it says so and `ambos resume` does."""
    out = tmp_path / "run"
    ended = forge(*arguments, "--out", out, when=lambda _: out.exists(), after=after)
    assert ended.code == -signal.SIGKILL
    ended = forge("resume", out) if (out / "run.json").exists() else forge(*arguments, "--out", out)
    assert ended.code == 0, ended.err
    assert same_result(run, out)


def test_killed_between_the_files_of_a_new_run(
    run: Path, forge: Forge, arguments: list[object], tmp_path: Path
) -> None:
    out = tmp_path / "run"
    forge(*arguments, "--out", out, fault=("before data", 1))
    for name in ("run.json", "metrics.jsonl", "speed.jsonl", "events.out.tfevents.0.ambos"):
        (out / name).unlink()
    for left in (out / "checkpoints").iterdir():
        for file in left.iterdir():
            file.unlink()
        left.rmdir()
    (out / "checkpoints").rmdir()
    for name in ("recipe.toml.tmp", "run.json.tmp"):
        (out / name).write_text("{")
    ended = forge(*arguments, "--out", out)
    assert ended.code == 0, ended.err
    assert same_result(run, out)


@pytest.mark.slow
def test_minutes_are_of_the_clock(forge: Forge, arguments: list[object], tmp_path: Path) -> None:
    at = arguments.index("--steps")
    timed = [*arguments[:at], *arguments[at + 2 :], "--minutes", "0.1"]
    out = tmp_path / "run"
    ended = forge(*timed, "--out", out)
    assert ended.code == 0, ended.err
    assert 3 < ended.seconds < 12  # 6, of which the end takes some
    about = json.loads((out / "run.json").read_text())
    records = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    rates = [record["lr"] for record in records if record["kind"] == "train"]
    assert rates[-1] < 0.2 * max(rates)  # the learning rate was planned to end with them
    assert about["prepared"] > 0
    assert records[-2]["step"] == about["steps"]
