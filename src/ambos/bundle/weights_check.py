"""Check a safetensors file by its header alone, before anything is allocated or any library sees the file."""

import io
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, NoReturn, TypeGuard

from ambos.bundle.safe_files import (
    Stamp,
    changed,
    open_regular,
    parse_object,
    read_exactly,
    refusal,
    refuse_foreign,
    short,
    stamp,
)

ITEM_BYTES = {
    "F64": 8,
    "F32": 4,
    "F16": 2,
    "BF16": 2,
    "I64": 8,
    "I32": 4,
    "I16": 2,
    "I8": 1,
    "U64": 8,
    "U32": 4,
    "U16": 2,
    "U8": 1,
    "BOOL": 1,
}
MAX_TENSORS = 200_000
METADATA = "__metadata__"
_MAX_HEADER = 100_000_000  # the limit of the safetensors library
# What parsing costs is known before it begins: a tensor of four dimensions takes 10 commas and brackets, and
# 10 quotes.
_MAX_SIGNS = {b",{[": 11 * MAX_TENSORS, b'"': 11 * MAX_TENSORS}
_MAX_DIMENSIONS = 8
_MAX_SIDE = 2**48
_MAX_BYTES = 2**63


class Entry(NamedTuple):
    """What the header says of a tensor; `begin` and `end` count from the first byte of the file."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


@dataclass(frozen=True)
class CheckedFile:
    """A safetensors file whose header holds together."""

    path: Path
    entries: dict[str, Entry] = field(repr=False)
    stamp: Stamp = field(repr=False)

    @contextmanager
    def reopen(self) -> Iterator[io.FileIO]:
        """Open the file for reading; it has to be the one that was checked, before and after."""
        with open_regular(self.path) as file:
            self._refuse_change(file)
            yield file
            self._refuse_change(file)

    def _refuse_change(self, file: io.FileIO) -> None:
        if stamp(file) != self.stamp:
            raise changed(self.path)


def check_file(path: Path) -> CheckedFile:
    """Read the header of a safetensors file and check all that the format demands.

    Raises
    ------
    InputError
        For whatever is not a whole safetensors file; no other exception leaves this function.
    """
    with open_regular(path) as file:
        identity = stamp(file)
        start = file.read(512)
        length = int.from_bytes(start[:8], "little")
        # Only the rest is asked for its kind: a file with a header of 640 bytes begins as a pickle does.
        if start[8:9] != b"{" or not 2 <= length <= min(_MAX_HEADER, identity.size - 8):
            _refuse_start(start, length, identity.size, path)
        header = bytearray(length)
        file.seek(8)
        read_exactly(file, memoryview(header), path)
    fields = _fields(header, path)
    entries = {name: _entry(name, value, 8 + length, path) for name, value in fields.items()}
    _check_tiling(entries, 8 + length, identity.size, path)
    return CheckedFile(path, entries, identity)


def _refuse_start(start: bytes, length: int, size: int, path: Path) -> NoReturn:
    """Say what a file is that does not begin as safetensors files do."""
    refuse_foreign(start, path, expected="a safetensors file")
    if not size:
        raise refusal("is empty", path, expected="a safetensors file", found="0 bytes")
    if size < 10 or (start[8:9] == b"{" and size - 8 < length <= _MAX_HEADER):
        raise refusal(
            "is cut short, as when a download stops",
            path,
            expected="a safetensors file" if size < 10 else f"{8 + length:,} bytes and more",
            found=f"{size:,} bytes",
        )
    raise refusal(
        "is not a safetensors file",
        path,
        expected=f"a header length of 2 to {_MAX_HEADER:,} in 8 bytes, then that many, {{...}}",
        found=f"a length of {length:,}, then {start[8:9]!r}, in {size:,} bytes",
    )


def _fields(header: bytearray, path: Path) -> dict[str, object]:
    """Return what the header says of each tensor, unchecked as yet."""
    limit = f"at most {MAX_TENSORS:,} tensors"
    for signs, most in _MAX_SIGNS.items():
        count = sum(map(header.count, signs))
        if count > most:
            found = f"{count:,} times one of {signs.decode()}"
            raise refusal("the header is too large", path, expected=limit, found=found)
    fields = parse_object(header, path, part="the header")
    metadata = fields.pop(METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise refusal(f"{METADATA} is malformed", path, expected="texts by name", found=short(metadata))
    if len(fields) > MAX_TENSORS:
        raise refusal("too many tensors", path, expected=limit, found=f"{len(fields):,}")
    return fields


def _entry(name: str, value: object, data: int, path: Path) -> Entry:
    """Check what the header says of one tensor; `data` is where the bytes of the tensors begin."""
    if not isinstance(value, dict):
        raise refusal(f"tensor {short(name)} is malformed", path, expected="{...}", found=short(value))
    dtype, shape, span = value.get("dtype"), value.get("shape"), value.get("data_offsets")
    if not isinstance(dtype, str) or dtype not in ITEM_BYTES:
        raise refusal(
            f"tensor {short(name)} is of a kind that is not read here",
            path,
            expected=f"one of {', '.join(ITEM_BYTES)}",
            found=short(dtype),
            fix="save the model with weights of 32 or 16 bits",
        )
    if not _are_counts(shape) or len(shape) > _MAX_DIMENSIONS or any(side >= _MAX_SIDE for side in shape):
        raise refusal(
            f"tensor {short(name)} has a malformed shape",
            path,
            expected=f"at most {_MAX_DIMENSIONS} whole numbers below 2**48",
            found=short(shape),
        )
    if not _are_counts(span) or len(span) != 2:
        raise refusal(
            f"tensor {short(name)} has malformed data_offsets",
            path,
            expected="two whole numbers",
            found=short(span),
        )
    count = math.prod(shape) * ITEM_BYTES[dtype]
    # Sides that a zero among them hides from the count still have to fit the strides of a tensor.
    if span[1] - span[0] != count or math.prod(max(side, 1) for side in shape) * 8 >= _MAX_BYTES:
        raise refusal(
            f"tensor {short(name)} does not fit its bytes",
            path,
            expected=f"{short(count)} bytes for {dtype} {short(shape)}",
            found=f"{short(span[1] - span[0])} bytes, data_offsets {short(span)}",
        )
    return Entry(dtype, tuple(shape), data + span[0], data + span[1])


def _are_counts(value: object) -> TypeGuard[list[int]]:
    # In Python True is an int; in JSON it is not.
    return isinstance(value, list) and all(type(item) is int and item >= 0 for item in value)


def _check_tiling(entries: dict[str, Entry], data: int, size: int, path: Path) -> None:
    """Check that the tensors follow one another without gap or overlap, up to the end of the file."""
    place = data
    for name, entry in sorted(entries.items(), key=lambda item: item[1][2:]):
        if entry.begin != place:
            raise refusal(
                f"tensor {short(name)} {'overlaps another' if entry.begin < place else 'follows a gap'}",
                path,
                expected=f"data_offsets that begin at {place - data:,}",
                found=short(entry.begin - data),
            )
        place = entry.end
    if place != size:
        raise refusal(
            "is cut short, as when a download stops" if size < place else "goes on after the last tensor",
            path,
            expected=f"{short(place)} bytes",
            found=f"{size:,} bytes",
        )
