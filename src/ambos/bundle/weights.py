"""The weights of a model folder: found, checked before anything is opened, read tensor by tensor, written."""

import itertools
import math
import os
import re
from collections.abc import Iterator
from pathlib import Path

import torch
from safetensors.torch import save_file

from ambos.bundle.safe_files import (
    CONVERT,
    is_plain_name,
    parse_object,
    read_exactly,
    read_whole,
    refusal,
    refuse_foreign,
    short,
)
from ambos.bundle.weights_check import MAX_TENSORS, METADATA, CheckedFile, check_file
from ambos.errors import InputError
from ambos.files import sync
from ambos.write_errors import output_errors

SINGLE = "model.safetensors"
INDEX = "model.safetensors.index.json"
_SUFFIX = ".safetensors"
_MAX_INDEX = 50_000_000
_ALL_AGAIN = "fetch all files of the model again, from one revision"
_PICKLED = re.compile(r"\.(bin|pt|pth|ckpt|pkl|pickle)$|\.bin\.index\.json$", re.IGNORECASE)
_FOREIGN = re.compile(r"\.(h5|msgpack|ot|onnx|gguf|npz)$|\.ckpt[.-]", re.IGNORECASE)
_DTYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U64": torch.uint64,
    "U32": torch.uint32,
    "U16": torch.uint16,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}


class Weights:
    """The tensors of a model folder by name. Only headers are read until a tensor is asked for.

    Examples
    --------
    >>> weights = Weights.open(folder)  # doctest: +SKIP
    >>> weights.shape("embeddings.word_embeddings.weight")  # doctest: +SKIP
    (29794, 768)
    """

    def __init__(self, files: list[CheckedFile]) -> None:
        self.files = tuple(file.path for file in files)
        self._places = {name: (file, entry) for file in files for name, entry in file.entries.items()}
        self.names = tuple(sorted(self._places))

    @classmethod
    def open(cls, folder: Path) -> "Weights":
        """Find and check the weights of a folder.

        `model.safetensors` is taken if it is there, else the files that `model.safetensors.index.json` names,
        else the only file that ends in `.safetensors`.

        Raises
        ------
        InputError
            For a folder without such weights, and for files that are not what they have to be.
        """
        names = _list(folder)
        if SINGLE in names:
            return cls([check_file(folder / SINGLE)])
        if INDEX in names:
            return cls(_shards(folder / INDEX, names))
        found = sorted(name for name in names if name.endswith(_SUFFIX) and not name.startswith("."))
        if len(found) == 1:
            return cls([check_file(folder / found[0])])
        if found:
            raise refusal(
                "several files of weights, and no index",
                folder,
                expected=f"{SINGLE}, or {INDEX} beside its parts",
                found=", ".join(map(short, found[:8])),
                fix=f"fetch {INDEX} too, or rename the one to use to {SINGLE}",
            )
        raise _no_weights(names, folder)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Weights({len(self)} tensors in {', '.join(file.name for file in self.files)})"

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor."""
        return self._places[name][1].shape

    def dtype(self, name: str) -> str:
        """Return the kind of numbers of a tensor as its file calls it, as "F32" or "I64"."""
        return self._places[name][1].dtype

    def read(self, name: str) -> torch.Tensor:
        """Return a tensor that owns its memory: floats of any size as float32, the rest as it is.

        Raises
        ------
        InputError
            If the file changed since it was checked, or the tensor does not fit the memory.
        """
        checked, entry = self._places[name]
        # Not bool: its bytes in the file may be other than 0 and 1, which torch takes for granted.
        dtype = torch.uint8 if entry.dtype == "BOOL" else _DTYPES[entry.dtype]
        # Plain reads, not a memory map: a map of a file that shrinks ends the process.
        with checked.reopen() as file:
            flat = _allocate(math.prod(entry.shape), dtype, checked.path)
            file.seek(entry.begin)
            read_exactly(file, flat.view(torch.uint8).numpy().data, checked.path)
        tensor = flat.reshape(entry.shape)
        if entry.dtype == "BOOL":
            return tensor.bool()
        return tensor.float() if dtype.is_floating_point else tensor


def _allocate(count: int, dtype: torch.dtype, path: Path) -> torch.Tensor:
    try:
        return torch.empty(count, dtype=dtype)
    except RuntimeError as error:
        raise refusal(
            "a tensor does not fit the memory",
            path,
            expected=f"room for {count * dtype.itemsize:,} bytes",
            found="less",
            fix="use a machine with more memory, or a smaller model",
        ) from error


def _list(folder: Path) -> set[str]:
    try:
        return set(os.listdir(folder))  # noqa: PTH208 (names, links that lead nowhere included)
    except (OSError, ValueError) as error:
        raise refusal(
            "cannot be read as a folder",
            folder,
            expected="the folder of a model",
            found=getattr(error, "strerror", None) or str(error),
            fix="pass the folder that the model's files are in",
        ) from error


def _no_weights(names: set[str], folder: Path) -> InputError:
    pickled = sorted(name for name in names if _PICKLED.search(name))
    foreign = sorted(name for name in names if _FOREIGN.search(name))
    what, fix = "no weights", f"fetch {SINGLE} of the model"
    if pickled:
        what = "only pickled weights, which are never opened: opening a pickle can run code"
        fix = CONVERT
    elif foreign:
        what, fix = "only weights of another framework, which are not read here", CONVERT
    found = ", ".join(map(short, (pickled or foreign or sorted(names))[:8])) or "an empty folder"
    return refusal(what, folder, expected=f"{SINGLE} or {INDEX}", found=found, fix=fix)


def _shards(index: Path, names: set[str]) -> list[CheckedFile]:
    """Check the files that an index names, and that they hold what it promises."""
    promised = _read_index(index)
    shards = sorted(set(promised.values()))
    missing = [shard for shard in shards if shard not in names]
    if missing:
        raise refusal(
            "a file of the index is missing",
            index,
            expected="every file that it names, beside it",
            found=f"no {', '.join(missing[:8])}",
            fix="fetch the missing files of the model too",
        )
    files, owner = [], dict[str, str]()
    for shard in shards:
        file = check_file(index.parent / shard)
        for name in file.entries:
            if owner.setdefault(name, shard) != shard:
                raise refusal(
                    f"tensor {short(name)} is in two files",
                    file.path,
                    expected="each tensor once",
                    found=f"it is in {owner[name]} too",
                    fix=_ALL_AGAIN,
                )
        if len(owner) > MAX_TENSORS:
            raise refusal("too many tensors", index, expected=f"at most {MAX_TENSORS:,}", found="more")
        files.append(file)
    for name, shard in promised.items():
        if owner.get(name) != shard:
            raise refusal(
                f"tensor {short(name)} is missing",
                index.parent / shard,
                expected=f"what {index.name} promises",
                found=f"it is in {owner[name]}" if name in owner else "no such tensor",
                fix=_ALL_AGAIN,
            )
    return files


def _read_index(index: Path) -> dict[str, str]:
    """Return which file holds which tensor, with names that cannot lead out of the folder."""
    data = read_whole(index, _MAX_INDEX)
    if not data.lstrip().startswith(b"{"):
        refuse_foreign(bytes(data[:512]), index, expected="a JSON object")
    if sum(map(data.count, b",{[")) > 2 * MAX_TENSORS:
        raise refusal(
            "the index is too large", index, expected=f"at most {MAX_TENSORS:,} names", found="more"
        )
    promised = parse_object(data, index, part="the index").get("weight_map")
    if not isinstance(promised, dict) or not promised:
        raise refusal("no weight_map", index, expected="a file name for each tensor", found=short(promised))
    for name, shard in promised.items():
        plain = isinstance(shard, str) and is_plain_name(shard)
        if not plain or not shard.endswith(_SUFFIX):
            raise refusal(
                f"the file of tensor {short(name)} {'is not safetensors' if plain else 'leaves the folder'}",
                index,
                expected=f"a plain file name that ends in {_SUFFIX}",
                found=short(shard),
                fix=CONVERT if plain else "use another copy of the model: no honest index says so",
            )
    return promised


def write_weights(folder: Path, tensors: dict[str, torch.Tensor]) -> None:
    """Write tensors as `model.safetensors` into a folder; such a file is replaced once the new one is whole.

    Raises
    ------
    ValueError
        For tensors that share memory (tied weights are written once) or are of a kind that is not read here.
    """
    for name, tensor in tensors.items():
        if name == METADATA or tensor.dtype not in _DTYPES.values():
            raise ValueError(f"cannot be written: {name!r}, {tensor.dtype}")
    _refuse_shared(tensors)
    packed = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    target = folder / SINGLE
    temporary = folder / f".{SINGLE}.partial"
    with output_errors(target):
        try:
            temporary.touch()
            mode = temporary.stat().st_mode & 0o777  # the library gives its file to the owner alone
            save_file(packed, temporary, metadata={"format": "pt"})
            temporary.chmod(mode)
            sync(temporary)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)


def _refuse_shared(tensors: dict[str, torch.Tensor]) -> None:
    """Raise `ValueError` if the stretches of memory that two tensors lie in overlap."""
    stretches = []
    for name, tensor in tensors.items():
        if tensor.numel():
            reach = sum((side - 1) * step for side, step in zip(tensor.shape, tensor.stride(), strict=True))
            begin = tensor.data_ptr()
            stretches.append((str(tensor.device), begin, begin + (reach + 1) * tensor.itemsize, name))
    stretches.sort()
    for before, after in itertools.pairwise(stretches):
        if before[0] == after[0] and after[1] < before[2]:
            raise ValueError(f"{before[3]!r} and {after[3]!r} share memory")
