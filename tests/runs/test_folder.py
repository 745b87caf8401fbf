"""The folder of a run: logs that are cut back to a mark, and that the folder is taken wherever a model is."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import ambos
from ambos.bundle.resolve import resolve
from ambos.errors import InputError, OutputError
from ambos.runs.finetune_settings import FinetuneRecipe
from ambos.runs.folder import ENTRIES, NOTHING, Log, begin_folder, read_run, refuse_other_run, write_run
from ambos.runs.log import Quiet, RunLog, _is_kept
from ambos.train.loop import State
from ambos.train.schedule import Budget
from tests.runs.conftest import Forge, settings
from tests.train.test_events import read as read_events

RECORDS = [{"kind": "train", "step": step, "text": "ção" * step} for step in range(6)]


def lines(records: list[dict]) -> bytes:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


@pytest.fixture
def log(tmp_path: Path):
    log = Log(tmp_path / "log.jsonl")
    yield log
    log.close()


def test_a_line_a_record(log: Log) -> None:
    for record in RECORDS:
        log.add(record)
        assert log.records()[-1] == record  # at once in the file
    assert log.path.read_bytes() == lines(RECORDS)


@pytest.mark.parametrize("at", [0, 1, 3, 6])
def test_cut_back_to_a_mark(log: Log, at: int) -> None:
    marks = [log.mark()]
    for record in RECORDS:
        log.add(record)
        marks.append(log.mark())
    assert marks[0] == NOTHING
    assert marks[at]["bytes"] == len(lines(RECORDS[:at]))
    log.cut(marks[at])
    assert log.path.read_bytes() == lines(RECORDS[:at])
    assert log.mark() == marks[at]  # also when nothing is written in between
    for number, record in enumerate(RECORDS[at:], at):
        log.add(record)
        assert log.mark() == marks[number + 1]
    assert log.path.read_bytes() == lines(RECORDS)


def test_marks_outlast_the_process(log: Log, tmp_path: Path) -> None:
    log.add(RECORDS[0])
    mark = log.mark()
    log.add(RECORDS[1])
    log.close()
    again = Log(tmp_path / "log.jsonl")
    assert again.mark()["bytes"] == len(lines(RECORDS[:2]))
    again.cut(mark)
    again.add(RECORDS[2])
    again.close()
    assert again.path.read_bytes() == lines([RECORDS[0], RECORDS[2]])


def test_a_torn_line_is_cut_off(log: Log) -> None:
    log.add(RECORDS[0])
    mark = log.mark()
    with log.path.open("ab") as file:
        file.write(b'{"kind": "tr')
    log.cut(mark)
    assert log.records() == RECORDS[:1]


@pytest.mark.parametrize(
    "change", [lambda data: data[:-3], lambda data: data.replace(b"step", b"stop"), lambda _: b""]
)
def test_another_log(log: Log, change: Callable[[bytes], bytes]) -> None:
    log.add(RECORDS[0])
    log.add(RECORDS[1])
    mark = log.mark()
    changed = change(log.path.read_bytes())
    log.path.write_bytes(changed)
    with pytest.raises(InputError, match="the log of the run is not the one"):
        log.cut(mark)
    assert log.path.read_bytes() == changed  # nothing is thrown away


def test_which_steps_are_kept() -> None:
    kept = [step for step in range(1, 20_001) if _is_kept(step)]
    assert kept[:1000] == list(range(1, 1001))
    assert kept[1000:1900] == list(range(1010, 10_001, 10))
    assert kept[1900:] == list(range(10_100, 20_001, 100))


def test_speed_is_of_the_last_steps(tmp_path: Path) -> None:
    with RunLog(tmp_path, Quiet(), limit=1000.0, budget=Budget(steps=80)) as log:
        log.begin(None, State())
        for step in range(1, 41):
            record = {"kind": "train", "step": step, "tokens": 100 * step, "loss": 1.0}
            log.trained(record, 1.0 if step <= 20 else 0.5, 100.0)
        speeds = log.speed.records()
    assert [speed["step"] for speed in speeds] == [*range(1, 11), 20, 30, 40]
    assert speeds[0] == {"step": 1, "seconds": 1.0, "tokens_per_second": 100.0, "limit_share": 0.1}
    assert speeds[-1] == {"step": 40, "seconds": 30.0, "tokens_per_second": 200.0, "limit_share": 0.2}


def test_events_are_written_anew(tmp_path: Path) -> None:
    """After going on from a mark, TensorBoard shows each step once."""
    with RunLog(tmp_path, Quiet(), limit=1.0, budget=Budget(steps=80)) as log:
        log.begin(None, State())
        for step in (1, 2):
            log.trained({"kind": "train", "step": step, "tokens": step, "loss": float(step)}, 1.0, 1.0)
        mark = log.mark()["metrics"]
        log.trained({"kind": "train", "step": 3, "tokens": 3, "loss": 99.0}, 1.0, 1.0)
    with RunLog(tmp_path, Quiet(), limit=1.0, budget=Budget(steps=80)) as log:
        log.begin(mark, State(2, 2, 2.0))
        log.trained({"kind": "train", "step": 3, "tokens": 3, "loss": 3.0}, 1.0, 1.0)
        log.evaluated(
            [{"kind": "heldout", "step": 3, "mlm_loss": 0.5}, {"kind": "fill", "step": 3, "samples": []}]
        )
        assert [speed["step"] for speed in log.speed.records()] == [1, 2, 3]  # each step once here, too
    (file,) = tmp_path.glob("*tfevents*")
    found = {tag: [(step, value) for _, step, value in values] for tag, values in read_events(file).items()}
    assert found == {"train/loss": [(1, 1.0), (2, 2.0), (3, 3.0)], "heldout/mlm_loss": [(3, 0.5)]}


@pytest.mark.parametrize("content", [None, "", "[1, 2", "7"])
def test_what_is_no_run(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "run.json").write_text(content)
    with pytest.raises(InputError, match="not a run folder"):
        read_run(tmp_path)
    with pytest.raises(InputError, match="not a run folder") as caught:
        read_run(tmp_path / "none")
    assert caught.value.found == "no such folder"
    (tmp_path / "file").touch()
    (tmp_path / "empty").mkdir()
    for name, found in (("file", "a file"), ("empty", "a folder without run.json")):
        with pytest.raises(InputError, match="ambos finetune") as caught:
            read_run(tmp_path / name)
        assert caught.value.found == found


@pytest.mark.parametrize(("status", "resumed"), [("running", True), ("stopped", True), ("finished", False)])
def test_a_run_without_an_end_is_not_to_be_replaced_but_resumed(
    tmp_path: Path, status: str, resumed: bool
) -> None:
    write_run(tmp_path, {"status": status})
    with pytest.raises(OutputError, match="already there") as caught:
        refuse_other_run(tmp_path, entries=ENTRIES, force=False)
    assert (f"ambos resume {tmp_path}" in str(caught.value.fix)) == resumed
    assert "--force" in str(caught.value.fix)
    refuse_other_run(tmp_path, entries=ENTRIES, force=True)


def test_run_files_are_replaced_as_a_whole(tmp_path: Path) -> None:
    write_run(tmp_path, {"status": "running", "name": "ção"})
    write_run(tmp_path, {"status": "finished"})
    assert read_run(tmp_path) == {"status": "finished"}
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]


@pytest.fixture(scope="module")
def run(
    forge: Forge,
    texts: list[str],
    tokenizer_folder: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    out = tmp_path_factory.mktemp("folder") / "run"
    common = ["--tokenizer", tokenizer_folder("wordpiece"), "--recipe", "bert", "--preset", "bert-tiny"]
    ended = forge("pretrain", *texts, *common, "--steps", 4, *settings(), "--heldout", texts[0], "--out", out)
    assert ended.code == 0, ended.err
    return out


def test_nothing_else_is_in_it(run: Path) -> None:
    assert {entry.name for entry in run.iterdir()} == ENTRIES
    assert [entry.name for entry in run.parent.iterdir()] == ["run"]  # no lock, nothing half-made


def test_taken_wherever_a_model_is(run: Path, forge: Forge, tmp_path: Path) -> None:
    assert resolve(run) == run / "bundle"
    assert resolve(run / "bundle") == run / "bundle"
    said = json.loads(forge("info", run, "--json").out)
    assert said["family"] == "bert"
    filled = json.loads(forge("fill", run, "O gato [MASK] no tapete.", "--json").out)
    assert len(filled["masks"]) == 1
    assert len(ambos.load(run).fill("[MASK]", top=3).masks[0]) == 3
    (tmp_path / "a.txt").write_text("Um.\nDois.\n")
    ended = forge("embed", run, tmp_path / "a.txt", "--out", tmp_path / "a.npy")
    assert ended.code == 0, ended.err
    ended = forge("info", run, "--verify")
    assert ended.code == 0, ended.err


def test_what_a_run_must_know_is_on_the_disk_when_it_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: forced.append(os.fstat(descriptor).st_ino))
    begin_folder(tmp_path, FinetuneRecipe(task="classify"), "minilm", [])
    recipe, run = (forced.index((tmp_path / name).stat().st_ino) for name in ("recipe.toml", "run.json"))
    assert recipe < run  # where run.json is, there is a run that can be resumed


def test_a_run_that_has_no_model_yet(run: Path, forge: Forge, tmp_path: Path) -> None:
    (tmp_path / "begun").mkdir()
    (tmp_path / "begun" / "run.json").write_text("{}")
    ended = forge("info", tmp_path / "begun")
    assert ended.code == 3
    assert "Traceback" not in ended.err


def test_a_run_can_be_gone_on_with(run: Path, forge: Forge, texts: list[str], tmp_path: Path) -> None:
    """As the base of another run."""
    ended = forge("pretrain", *texts, "--base", run, "--steps", 1, *settings(), "--out", tmp_path / "more")
    assert ended.code == 0, ended.err
    assert json.loads((tmp_path / "more" / "run.json").read_text())["base"] == str(run)
