"""Checkpoints: everything a run needs to go on, whole or not at all, checked by SHA-256 when read.

A checkpoint is a folder `step-00000400` of safetensors files, `state.json`, and `manifest.json` with the
hashes of the others. It is put together in a hidden folder beside, forced onto the disk, and renamed; older
ones are pruned after that. So at every instant there is a whole one to go on from.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from torch import Tensor

from ambos.errors import InputError, OutputError
from ambos.files import sha256, sync
from ambos.write_errors import output_errors

_MANIFEST, _STATE = "manifest.json", "state.json"
_PIECE = 16 << 20  # bytes written at a time
_TYPES = {
    "float32": "F32",
    "float64": "F64",
    "bfloat16": "BF16",
    "float16": "F16",
    "int64": "I64",
    "uint8": "U8",
}

fault: Callable[[str], None] = lambda point: None  # noqa: ARG005, E731 (tests put a kill here)


@dataclass(frozen=True)
class Checkpoint:
    """What is in a checkpoint.

    Parameters
    ----------
    state
        Plain values: step, place in the data, and so on.
    tensors
        Name of a file, such as `model` -> its tensors by name.
    """

    state: dict[str, Any]
    tensors: dict[str, dict[str, Tensor]]


class Checkpoints:
    """The checkpoints of one run.

    Parameters
    ----------
    folder
        Where they are.
    keep
        How many to keep; at least 2, so that one that was damaged later has another before it.
    """

    def __init__(self, folder: Path, *, keep: int = 2) -> None:
        self.folder = folder
        self.keep = max(2, keep)

    def list(self) -> list[Path]:
        """Return the checkpoints, oldest first."""
        return sorted(path for path in self.folder.glob("step-*") if path.is_dir())

    def save(self, step: int, checkpoint: Checkpoint) -> Path:
        """Write a checkpoint, then prune the oldest ones."""
        out = self.folder / f"step-{step:08}"
        work = self.folder / f".{out.name}.partial"
        earlier = [path.name for path in self.list() if path != out]
        instead = (
            f"`ambos resume` goes on from {earlier[-1]}" if earlier else "choose another place with --out"
        )
        try:
            with output_errors(out, instead=instead):
                self.folder.mkdir(parents=True, exist_ok=True)
                self._clear()
                work.mkdir()
                self._write(work, step, checkpoint)
                fault("before rename")
                _remove(out)  # the same step again, after it was found damaged
                work.rename(out)
                sync(self.folder)
        except OutputError:
            shutil.rmtree(work, ignore_errors=True)
            raise
        fault("after rename")
        self._prune(out)
        return out

    def _prune(self, newest: Path) -> None:
        """Remove the oldest, and those of later steps: the run went back behind them as they are damaged."""
        found = self.list()
        stop = found.index(newest) + 1
        for path in (*found[stop:], *found[: max(0, stop - self.keep)]):
            _remove(path)

    def _write(self, work: Path, step: int, checkpoint: Checkpoint) -> None:
        fault("before data")
        hashes = {
            f"{name}.safetensors": _write_tensors(work / f"{name}.safetensors", tensors)
            for name, tensors in checkpoint.tensors.items()
        }
        hashes[_STATE] = _write_bytes(work / _STATE, _json(checkpoint.state))
        _write_bytes(work / _MANIFEST, _json({"format": 1, "step": step, "sha256": hashes}))
        fault("before fsync")
        for file in work.iterdir():
            sync(file)
        sync(work)

    def _clear(self) -> None:
        """Remove what a killed run left behind."""
        for left in self.folder.glob(".*"):
            shutil.rmtree(left, ignore_errors=True)

    def load(self, tell: Callable[[str], None] = lambda _: None) -> Checkpoint | None:
        """Return the newest whole checkpoint, None if there never was one; `tell` hears of damaged ones."""
        found = self.list()
        for path in reversed(found):
            try:
                return _read(path)
            except InputError as error:
                tell(f"{error.where}: {error.what}; {error.found or ''}".rstrip("; "))
        if found:
            raise InputError(
                "no checkpoint of this run is whole",
                found=", ".join(path.name for path in found),
                fix="start again with another --out",
                file=self.folder,
            )
        return None


def _remove(path: Path) -> None:
    """Remove a checkpoint: first its name, so that half of one is never taken for a whole."""
    if not path.exists():
        return
    doomed = path.with_name(f".{path.name}.old")
    shutil.rmtree(doomed, ignore_errors=True)
    path.rename(doomed)
    fault("during pruning")
    shutil.rmtree(doomed, ignore_errors=True)


def _json(value: Any) -> bytes:  # noqa: ANN401 (any plain value)
    return (json.dumps(value, indent=1) + "\n").encode()


def _write_bytes(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def _write_tensors(path: Path, tensors: Mapping[str, Tensor]) -> str:
    """Write a safetensors file piece by piece, without a second copy in memory; return its SHA-256."""
    header: dict[str, Any] = {}
    place = 0
    for name, tensor in tensors.items():
        end = place + tensor.numel() * tensor.element_size()
        kind = _TYPES[str(tensor.dtype).removeprefix("torch.")]
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [place, end]}
        place = end
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    digest = hashlib.sha256()
    with path.open("wb") as file:

        def put(data: bytes | memoryview) -> None:
            file.write(data)
            digest.update(data)

        put(len(head).to_bytes(8, "little") + head)
        for number, tensor in enumerate(tensors.values()):
            if number == len(tensors) // 2:
                file.flush()
                fault("mid-file")
            plain = tensor.detach().cpu().contiguous()
            view = plain.flatten().view(torch.uint8).numpy().data if plain.numel() else memoryview(b"")
            for first in range(0, len(view), _PIECE):
                put(view[first : first + _PIECE])
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()


def _read(path: Path) -> Checkpoint:
    """Read one checkpoint, or raise `InputError` that says what is wrong with it."""
    try:
        manifest = json.loads((path / _MANIFEST).read_bytes())
        hashes = {str(name): str(digest) for name, digest in manifest["sha256"].items()}
        step = int(manifest["step"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError("a checkpoint is damaged", found=f"{_MANIFEST} cannot be read", file=path) from error
    if path.name != f"step-{step:08}" or _STATE not in hashes:
        raise InputError("a checkpoint is not what its name says", found=f"step {step}", file=path)
    for name, digest in hashes.items():
        file = path / name
        if Path(name).name != name or not file.is_file():
            raise InputError("a checkpoint is damaged", found=f"{name} is missing", file=path)
        try:
            found = sha256(file)
        except OSError as error:
            raise InputError(
                "a checkpoint is damaged", found=f"{name}: {error.strerror}", file=path
            ) from error
        if found != digest:
            raise InputError(
                "a checkpoint is damaged", found=f"{name} is not what was written (SHA-256)", file=path
            )
    return Checkpoint(
        state=json.loads((path / _STATE).read_bytes()),
        tensors={
            name.removesuffix(".safetensors"): safetensors.torch.load_file(path / name)
            for name in hashes
            if name.endswith(".safetensors")
        },
    )
