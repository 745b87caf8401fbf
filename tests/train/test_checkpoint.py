"""Checkpoints come back as they were saved, or not at all; pruning leaves what can be gone on from."""

import errno
import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import safetensors.torch
import torch

from ambos.errors import InputError, OutputError
from ambos.train import checkpoint as module
from ambos.train.checkpoint import Checkpoint, Checkpoints


def made(step: int) -> Checkpoint:
    generator = torch.Generator().manual_seed(step)
    weights = {
        "table": torch.randn(7, 3, generator=generator),
        "turned": torch.randn(4, 5, generator=generator).T,  # not contiguous
        "none": torch.zeros(0, 3),
        "scalar": torch.tensor(2.5, dtype=torch.float64),
        "half": torch.randn(3, generator=generator).to(torch.bfloat16),
        "other half": torch.randn(3, generator=generator).to(torch.float16),
    }
    counts = {"steps": torch.tensor(step), "bytes": torch.arange(5, dtype=torch.uint8)}
    return Checkpoint({"step": step, "place": {"epoch": 1}}, {"model": weights, "optimiser": counts})


def same(one: Checkpoint | None, two: Checkpoint) -> bool:
    return (
        one is not None
        and one.state == two.state
        and one.tensors.keys() == two.tensors.keys()
        and all(
            one.tensors[file].keys() == tensors.keys()
            and all(
                torch.equal(one.tensors[file][name], tensor) and one.tensors[file][name].dtype == tensor.dtype
                for name, tensor in tensors.items()
            )
            for file, tensors in two.tensors.items()
        )
    )


@pytest.fixture
def kept(tmp_path: Path) -> Checkpoints:
    """Three checkpoints."""
    found = Checkpoints(tmp_path / "checkpoints", keep=3)
    for step in (10, 20, 30):
        found.save(step, made(step))
    return found


def load(checkpoints: Checkpoints) -> tuple[int | None, list[str]]:
    """The step of what is loaded, after checking that it is whole, and what was told."""
    told: list[str] = []
    found = checkpoints.load(told.append)
    if found is None:
        return None, told
    assert same(found, made(found.state["step"]))
    return found.state["step"], told


def test_round_trip(kept: Checkpoints) -> None:
    assert load(kept) == (30, [])
    assert [path.name for path in kept.list()] == ["step-00000010", "step-00000020", "step-00000030"]


def test_other_tools_read_the_tensors(kept: Checkpoints) -> None:
    tensors = safetensors.torch.load_file(kept.list()[-1] / "model.safetensors")
    assert torch.equal(tensors["turned"], made(30).tensors["model"]["turned"])


def test_the_same_bytes_for_the_same_state(kept: Checkpoints, tmp_path: Path) -> None:
    other = Checkpoints(tmp_path / "other")
    other.save(30, made(30))
    for file in other.list()[0].iterdir():
        assert file.read_bytes() == (kept.list()[-1] / file.name).read_bytes()


def test_nothing_there(tmp_path: Path) -> None:
    assert Checkpoints(tmp_path / "none").load() is None
    assert Checkpoints(tmp_path / "none").list() == []


@pytest.mark.parametrize(
    ("keep", "left"), [(1, [40, 50]), (2, [40, 50]), (3, [30, 40, 50]), (9, [10, 20, 30, 40, 50])]
)
def test_the_oldest_are_pruned(tmp_path: Path, keep: int, left: list[int]) -> None:
    """At least two stay: one that is damaged later has another before it."""
    found = Checkpoints(tmp_path, keep=keep)
    for step in (10, 20, 30, 40, 50):
        found.save(step, made(step))
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"step-{step:08}" for step in left]


def damage_bit(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 4
    file.write_bytes(data)


def damage_end(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-3])  # more than a line's end


DAMAGES: dict[str, Callable[[Path], None]] = {
    "a bit": damage_bit,
    "truncated": damage_end,
    "empty": lambda file: file.write_bytes(b""),
    "missing": Path.unlink,
    "longer": lambda file: file.write_bytes(file.read_bytes() + b" \n"),
    "a folder": lambda file: (file.unlink(), file.mkdir()),
}
FILES = ["model.safetensors", "optimiser.safetensors", "state.json", "manifest.json"]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", FILES)
def test_damage_is_found_and_the_one_before_is_taken(kept: Checkpoints, name: str, damage: str) -> None:
    DAMAGES[damage](kept.list()[-1] / name)
    if (name, damage) == ("manifest.json", "longer"):
        assert load(kept) == (30, [])  # blanks at the end of JSON change nothing
        return
    step, told = load(kept)
    assert step == 20
    assert len(told) == 1
    assert "step-00000030" in told[0]
    assert name in told[0] or "what its name says" in told[0]


def test_every_bit_of_the_manifest_counts(kept: Checkpoints) -> None:
    """Whatever bit turns: it is either found, or what is loaded is what was saved."""
    file = kept.list()[-1] / "manifest.json"
    data = file.read_bytes()
    found = []
    for place in range(0, len(data), 3):
        for bit in (1, 64):
            turned = bytearray(data)
            turned[place] ^= bit
            file.write_bytes(turned)
            found.append(load(kept)[0])
    assert set(found) <= {20, 30}
    assert found.count(20) > 0.8 * len(found)


@pytest.mark.parametrize(
    "manifest",
    [
        {},
        [],
        None,
        {"format": 1, "step": 30, "sha256": {}},
        {"format": 1, "step": 30, "sha256": {"../step-00000010/state.json": "0", "state.json": "0"}},
        {"format": 1, "step": 30, "sha256": None},
        {"format": 1, "step": [], "sha256": {}},
    ],
)
def test_odd_manifests(kept: Checkpoints, manifest: object) -> None:
    (kept.list()[-1] / "manifest.json").write_text(json.dumps(manifest))
    step, told = load(kept)
    assert step == 20
    assert len(told) == 1


def test_a_renamed_folder(kept: Checkpoints) -> None:
    kept.list()[-1].rename(kept.folder / "step-00000099")
    step, told = load(kept)
    assert step == 20
    assert "not what its name says" in told[0]
    assert "step 30" in told[0]


def test_swapped_files_and_swapped_folders(kept: Checkpoints) -> None:
    one, two, three = kept.list()
    for name in ("model.safetensors", "state.json"):
        shutil.copy(two / name, kept.folder / "aside")
        shutil.copy(three / name, two / name)
        shutil.move(kept.folder / "aside", three / name)
    step, told = load(kept)
    assert step == 10
    assert len(told) == 2
    assert one.name not in " ".join(told)


def test_all_damaged(kept: Checkpoints) -> None:
    for path in kept.list():
        damage_bit(path / "state.json")
    told: list[str] = []
    with pytest.raises(InputError, match="no checkpoint of this run is whole") as caught:
        kept.load(told.append)
    assert len(told) == 3
    assert "step-00000010, step-00000020, step-00000030" in (caught.value.found or "")


def test_saving_a_damaged_step_again(kept: Checkpoints) -> None:
    damage_bit(kept.list()[-1] / "state.json")
    kept.save(30, made(30))
    assert load(kept) == (30, [])
    assert len(kept.list()) == 3


def test_what_was_saved_last_stays(tmp_path: Path) -> None:
    """A run that went back behind damaged checkpoints keeps what it saves from then on."""
    found = Checkpoints(tmp_path, keep=3)
    for step in (10, 20, 30):
        found.save(step, made(step))
    for path in found.list()[1:]:
        damage_bit(path / "state.json")
    found = Checkpoints(tmp_path, keep=2)
    assert load(found)[0] == 10
    found.save(15, made(15))
    assert load(found)[0] == 15
    assert [path.name for path in found.list()] == ["step-00000010", "step-00000015"]


def test_a_foreign_name_does_not_take_the_place_of_a_checkpoint(kept: Checkpoints) -> None:
    kept.list()[-1].rename(kept.folder / "step-00000099")
    for step in (40, 50, 60, 70):
        kept.save(step, made(step))
    assert [path.name for path in kept.list()] == [f"step-{step:08}" for step in (50, 60, 70)]


def test_leftovers_are_cleared(kept: Checkpoints) -> None:
    for name in (".step-00000040.partial", ".step-00000010.old"):
        (kept.folder / name).mkdir()
        (kept.folder / name / "state.json").write_text("{")
    assert load(kept) == (30, [])
    kept.save(40, made(40))
    assert not list(kept.folder.glob(".*"))


class Stopped(BaseException):
    """As a kill: nothing catches it."""


POINTS = ["before data", "mid-file", "before fsync", "before rename", "after rename", "during pruning"]


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("time", [1, 2])
def test_stopped_in_a_save(kept: Checkpoints, monkeypatch: pytest.MonkeyPatch, point: str, time: int) -> None:
    left = [time]

    def stop(here: str) -> None:
        left[0] -= here == point
        if left[0] == 0:
            raise Stopped

    monkeypatch.setattr(module, "fault", stop)
    kept.keep = 2
    with suppress(Stopped):
        for step in (40, 50):
            kept.save(step, made(step))
    assert left[0] == 0
    if point == "during pruning":
        steps = {1: 40, 2: 40}
    elif point == "mid-file":  # twice a save: two files
        steps = {1: 30, 2: 30}
    else:
        steps = {1: 40, 2: 50} if point == "after rename" else {1: 30, 2: 40}
    assert load(kept) == (steps[time], [])
    monkeypatch.undo()
    for step in (40, 50, 60):
        kept.save(step, made(step))
    assert load(kept) == (60, [])
    assert sorted(path.name for path in kept.folder.iterdir()) == ["step-00000050", "step-00000060"]


@pytest.mark.parametrize("point", POINTS[:4])
def test_a_full_disk(kept: Checkpoints, monkeypatch: pytest.MonkeyPatch, point: str) -> None:
    def fail(here: str) -> None:
        if here == point:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module, "fault", fail)
    with pytest.raises(OutputError, match="the disk is full; nothing was left half-written") as caught:
        kept.save(40, made(40))
    assert "`ambos resume` goes on from step-00000030" in (caught.value.fix or "")
    assert load(kept) == (30, [])
    assert len(list(kept.folder.iterdir())) == 3
    first = Checkpoints(kept.folder.parent / "first")
    with pytest.raises(OutputError) as caught:
        first.save(0, made(0))
    assert "--out" in (caught.value.fix or "")
    assert first.load() is None


def test_large_tensors_are_written_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PIECE", 24)
    found = Checkpoints(tmp_path)
    found.save(1, made(1))
    assert load(found) == (1, [])
