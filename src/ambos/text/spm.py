"""Read SentencePiece `.model` files, without protobuf, into `tokenizers` pipelines."""

import math
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

from ambos.errors import InputError

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
SPACE = "▁"
MAX_BYTES = 200_000_000
_MAX_PIECES = 2_000_000
_MAX_SPLITS = 1_000_000_000  # characters copied while looking for merges: seconds, not hours
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_Vocab = list[tuple[str, float]]


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


# Families: how each published model rearranges the pieces of its file.


def xlm_roberta_vocab(model: SpmModel, names: Mapping[str, str]) -> tuple[_Vocab, int]:
    """Put fairseq's four specials where the file has `<unk> <s> </s>`, and the mask last."""
    head = [names["bos_token"], names["pad_token"], names["eos_token"], names["unk_token"]]
    return [*_zero(head), *_scored(model.pieces[3:]), (names["mask_token"], 0.0)], 3


def camembert_vocab(model: SpmModel, names: Mapping[str, str]) -> tuple[_Vocab, int]:
    """Put the five entries of CamemBERT's fairseq dictionary before the pieces, and the mask last."""
    head = ["<s>NOTUSED", names["pad_token"], "</s>NOTUSED", names["unk_token"]]
    # The second unknown only keeps its place in the numbering, so nothing may ever choose it.
    return [
        *_zero(head),
        ("<unk>NOTUSED", -100.0),
        *_scored(model.pieces[1:]),
        (names["mask_token"], 0.0),
    ], 3


def albert_vocab(model: SpmModel, _names: Mapping[str, str]) -> tuple[_Vocab, int]:
    """Keep the ids, but never join a digit with a comma ("2010," is "2010" and ",")."""
    return [
        (text, score - 100 if len(text) > 1 and text[-1] == "," and text[-2].isdigit() else score)
        for text, score in _scored(model.pieces)
    ], model.unk_id


def family_tokenizer(
    model: SpmModel, vocab: _Vocab, unk_id: int, before: Sequence[normalizers.Normalizer] = ()
) -> Tokenizer:
    """Build the pipeline that XLM-R, CamemBERT and ALBERT share: whitespace split, then `▁` words."""
    tokenizer = Tokenizer(_model(model, vocab, unk_id))
    steps = [*before, *_precompiled(model)]
    if steps:
        tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(SPACE, prepend_scheme="always")]
    )
    tokenizer.decoder = _decoder(model, dummy=True)
    tokenizer.add_tokens([AddedToken(t, normalized=False) for t in model.texts(USER_DEFINED)])
    tokenizer.add_special_tokens([AddedToken(t, normalized=False) for t in model.texts(CONTROL)])
    return tokenizer


def bare_tokenizer(model: SpmModel) -> Tokenizer:
    """Follow the model file alone: its ids and its own white-space rules, as `sentencepiece` does."""
    tokenizer = Tokenizer(_model(model, _scored(model.pieces), model.unk_id))
    space = SPACE if model.escape_spaces else " "
    # Where a letter has an entry of its own (A -> a), `tokenizers` loses a separate accent after it.
    steps = [*([normalizers.NFC()] if model.rule.endswith("_cf") else []), *_precompiled(model)]
    if model.remove_extra_spaces:
        steps += [normalizers.Replace(Regex(r"\A +"), ""), normalizers.Replace(Regex(" {2,}"), " ")]
    if model.escape_spaces:
        steps.append(normalizers.Replace(" ", SPACE))
    if model.remove_extra_spaces:
        steps.append(normalizers.Replace(Regex(rf"{space}+\z"), ""))
    symbols = model.texts(USER_DEFINED)
    if model.add_dummy_prefix and model.space_as_suffix:
        steps.append(normalizers.Replace(Regex(r"(?<=[\s\S])\z"), space))
    elif model.add_dummy_prefix and symbols:
        # `tokenizers` normalises the user's symbols before it looks for them: they must come out unchanged.
        spared = "|".join(map(re.escape, symbols))
        steps.append(normalizers.Replace(Regex(rf"\A(?=[\s\S])(?!(?:{spared})\z)"), space))
    elif model.add_dummy_prefix:
        steps.append(normalizers.Prepend(space))
    if steps:
        tokenizer.normalizer = normalizers.Sequence(steps)
    # Words can be cut apart before the model sees them only if no piece reaches over a space.
    inner = slice(None, -1) if model.space_as_suffix else slice(1, None)
    if not any(space in piece.text[inner] for piece in model.pieces if piece.kind in (NORMAL, UNUSED)):
        behavior = "merged_with_previous" if model.space_as_suffix else "merged_with_next"
        tokenizer.pre_tokenizer = pre_tokenizers.Split(space, behavior)
    tokenizer.decoder = _decoder(model, dummy=model.add_dummy_prefix and not model.space_as_suffix)
    # Looked for after normalisation, so that spaces around a user's symbol stay as sentencepiece has them.
    tokenizer.add_tokens([AddedToken(text, normalized=not model.space_as_suffix) for text in symbols])
    tokenizer.add_special_tokens([AddedToken(t, normalized=False) for t in model.texts(CONTROL)])
    return tokenizer


def _zero(texts: Sequence[str]) -> _Vocab:
    return [(text, 0.0) for text in texts]


def _scored(pieces: Sequence[Piece]) -> _Vocab:
    return [(text, score - 100 if kind == UNUSED else score) for text, score, kind in pieces]


def _model(model: SpmModel, vocab: _Vocab, unk_id: int) -> models.Model:
    if model.algorithm == "unigram":
        return models.Unigram(vocab, unk_id, model.byte_fallback)
    return models.BPE(
        {text: index for index, (text, _) in enumerate(vocab)},
        _merges(model),
        unk_token=vocab[unk_id][0],
        fuse_unk=True,
        byte_fallback=model.byte_fallback,
    )


def _merges(model: SpmModel) -> list[tuple[str, str]]:
    """List every way to join two pieces into a third, best score first.

    SentencePiece joins any neighbours whose concatenation is a piece, so each split of a piece is a rule.
    """
    ids = {piece.text: index for index, piece in enumerate(model.pieces) if piece.kind in (NORMAL, UNUSED)}
    rules = []
    for text, index in ids.items():
        if model.pieces[index].kind == NORMAL:
            for cut in range(1, len(text)):
                left, right = text[:cut], text[cut:]
                if left in ids and right in ids:
                    rules.append((-model.pieces[index].score, -len(left), -len(right), left, right))
    return [(left, right) for *_, left, right in sorted(rules)]


def _precompiled(model: SpmModel) -> list[normalizers.Normalizer]:
    return [normalizers.Precompiled(model.charsmap)] if model.charsmap else []


def _decoder(model: SpmModel, *, dummy: bool) -> decoders.Decoder:
    if not model.byte_fallback:
        return decoders.Metaspace(SPACE, prepend_scheme="always" if dummy else "never")
    steps = [decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
    return decoders.Sequence([*steps, decoders.Strip(" ", 1, 0)] if dummy else steps)


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
