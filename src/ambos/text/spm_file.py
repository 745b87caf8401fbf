"""Read SentencePiece `.model` files without protobuf: pieces, settings and the normalisation map, checked."""

import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ambos.errors import InputError
from ambos.text.small_files import MAX_BYTES

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
_MAX_PIECES = 2_000_000
_MAX_SPLITS = 1_000_000_000  # characters copied while looking for merges: seconds, not hours
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class Piece(NamedTuple):
    """One entry of the vocabulary; its id is its place in the list."""

    text: str
    score: float
    kind: int


@dataclass(frozen=True)
class SpmModel:
    """What a SentencePiece model file says that matters for encoding."""

    pieces: list[Piece] = field(repr=False)
    unk_id: int
    algorithm: str  # "unigram" or "bpe"
    charsmap: bytes = field(default=b"", repr=False)
    rule: str = ""  # the charsmap's name, as "nmt_nfkc"
    byte_fallback: bool = False
    space_as_suffix: bool = False
    add_dummy_prefix: bool = True
    remove_extra_spaces: bool = True
    escape_spaces: bool = True

    def texts(self, *kinds: int) -> list[str]:
        """Return the pieces of these kinds, in id order."""
        return [piece.text for piece in self.pieces if piece.kind in kinds]


def read_spm(path: Path) -> SpmModel:
    """Read a SentencePiece model file."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise _bad(f"{path.stat().st_size:,} bytes", path, expected=f"at most {MAX_BYTES:,} bytes")
        data = path.read_bytes()
    except OSError as error:
        raise _bad(error.strerror or str(error), path, expected="a readable file") from error
    return parse_spm(data, path)


def parse_spm(data: bytes, file: Path | str | None = None) -> SpmModel:
    """Read the bytes of a SentencePiece `ModelProto`.

    Raises
    ------
    InputError
        For whatever is not a usable Unigram or BPE model; no other exception leaves this function.
    """
    try:
        pieces, trainer, normalizer = _model_proto(data)
        algorithm = {1: "unigram", 2: "bpe"}.get(int(trainer.get(3, 1)))
        if algorithm is None:
            raise _MalformedError(f"model type {trainer[3]!r}, where 1 (unigram) and 2 (bpe) are known")
        unknown = [index for index, piece in enumerate(pieces) if piece.kind == UNKNOWN]
        if len(unknown) != 1:
            raise _MalformedError(f"{len(unknown)} unknown pieces among {len(pieces)}, where one is needed")
        charsmap = bytes(normalizer.get(2, b""))
        check_charsmap(charsmap)
        rule = bytes(normalizer.get(1, b"")).decode()
    except ValueError as error:
        raise _bad(str(error), file) from error
    byte_pieces = sum(piece.kind == BYTE for piece in pieces)
    return SpmModel(
        pieces,
        unknown[0],
        algorithm,
        charsmap,
        rule,
        byte_fallback=bool(trainer.get(35, 0)) and byte_pieces == 256,
        space_as_suffix=bool(trainer.get(24, 0)),
        add_dummy_prefix=bool(normalizer.get(3, 1)),
        remove_extra_spaces=bool(normalizer.get(4, 1)),
        escape_spaces=bool(normalizer.get(5, 1)),
    )


# The wire format: (field number, wire type) tags, then varints, fixed words or length-delimited bytes.


class _MalformedError(ValueError):
    """Turned into an InputError, with the file's name, where the file is known."""


def _bad(found: str, file: Path | str | None, expected: str = "a Unigram or BPE model") -> InputError:
    return InputError(
        "not a usable SentencePiece model",
        expected=expected,
        found=found,
        fix="fetch the file again, or train a new one with sentencepiece",
        file=file,
    )


_TRAINER = {3: _VARINT, 24: _VARINT, 35: _VARINT}
_NORMALIZER = {1: _BYTES, 2: _BYTES, 3: _VARINT, 4: _VARINT, 5: _VARINT}


def _model_proto(data: bytes) -> tuple[list[Piece], dict[int, int | bytes], dict[int, int | bytes]]:
    pieces: list[Piece] = []
    trainer: dict[int, int | bytes] = {}
    normalizer: dict[int, int | bytes] = {}
    for number, value in _fields(data, {1: _BYTES, 2: _BYTES, 3: _BYTES}):
        assert isinstance(value, bytes)  # noqa: S101 - for the type checker; `_fields` has checked the wire type
        if number == 1:
            if len(pieces) == _MAX_PIECES:
                raise _MalformedError(f"more than {_MAX_PIECES:,} pieces")
            pieces.append(_piece(value, len(pieces)))
        else:
            into, wanted = (trainer, _TRAINER) if number == 2 else (normalizer, _NORMALIZER)
            into.update(_fields(value, wanted))
    if len({piece.text for piece in pieces}) != len(pieces):
        raise _MalformedError("the same piece twice")
    if sum(len(piece.text) ** 2 for piece in pieces) > _MAX_SPLITS:
        raise _MalformedError("pieces of absurd length")
    return pieces, trainer, normalizer


def _piece(data: bytes, index: int) -> Piece:
    text, score, kind = b"", 0.0, NORMAL
    for number, value in _fields(data, {1: _BYTES, 2: _FIXED32, 3: _VARINT}):
        if number == 1:
            text = value  # type: ignore[assignment]
        elif number == 2:
            score = struct.unpack("<f", value)[0]  # type: ignore[arg-type]
        else:
            kind = value  # type: ignore[assignment]
    if not text or not NORMAL <= kind <= BYTE or not math.isfinite(score):
        raise _MalformedError(f"piece {index} with text {text[:40]!r}, score {score} and type {kind}")
    return Piece(text.decode(), score, kind)


def _fields(data: bytes, wanted: Mapping[int, int]) -> Iterator[tuple[int, int | bytes]]:
    """Yield the wanted fields of a message; the others are stepped over."""
    at, end = 0, len(data)
    while at < end:
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        value: int | bytes
        if wire == _VARINT:
            value, at = _varint(data, at)
        else:
            if wire == _BYTES:
                size, at = _varint(data, at)
            elif wire in (_FIXED32, _FIXED64):
                size = 4 if wire == _FIXED32 else 8
            else:
                raise _MalformedError(f"wire type {wire}")
            if size > end - at:
                raise _MalformedError(f"a field of {size:,} bytes with {end - at:,} left")
            value = data[at : at + size] if number in wanted else b""
            at += size
        if number in wanted:
            if wire != wanted[number]:
                raise _MalformedError(f"wire type {wire} in field {number}")
            yield number, value


def _varint(data: bytes, at: int) -> tuple[int, int]:
    if at < len(data) and data[at] < 0x80:  # nearly always
        return data[at], at + 1
    value = 0
    for place in range(10):
        if at + place >= len(data):
            raise _MalformedError("the end of the file inside a number")
        byte = data[at + place]
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value, at + place + 1
    raise _MalformedError("a number of more than ten bytes")


def check_charsmap(charsmap: bytes) -> None:
    """Walk every path of a normalisation map, because `tokenizers` follows them without looking.

    The map is a little-endian size, a Darts double array of that many bytes, and replacements that end in a
    zero. A node's children lie in the block of 256 units that its offset points to.

    Raises
    ------
    ValueError
        If a path leaves the array or names a replacement that is not there.
    """
    if not charsmap:
        return
    size = int.from_bytes(charsmap[:4], "little")
    if len(charsmap) < 4 or size % 4 or not 0 < size <= len(charsmap) - 4:
        raise _MalformedError("a normalisation map of impossible size")
    text = charsmap[4 + size :]
    text.decode()
    starts = np.append((np.frombuffer(text, np.uint8) & 0xC0) != 0x80, True)
    units = np.frombuffer(charsmap, "<u4", size // 4, 4).astype(np.int64)
    offsets = (units >> 10) << ((units & 512) >> 6)
    labels = units & 0x800000FF
    seen = np.zeros(len(units), bool)
    todo = offsets[:1]
    while len(todo):
        if ((todo | 255) >= len(units)).any():
            raise _MalformedError("a normalisation map that points outside itself")
        todo = np.unique(todo[~seen[todo]])
        seen[todo] = True
        found = [np.empty(0, np.int64)]
        for letter in range(1, 256):
            child = todo ^ letter
            child = child[labels[child] == letter]
            target = child ^ offsets[child]
            leaf = target[(units[child] >> 8 & 1).astype(bool)]
            if (leaf >= len(units)).any() or (units[leaf] & 0x7FFFFFFF > len(text)).any():
                raise _MalformedError("a normalisation map that points outside itself")
            if not starts[units[leaf] & 0x7FFFFFFF].all():
                raise _MalformedError("a normalisation map that cuts characters")
            found.append(target)
        todo = np.concatenate(found)
