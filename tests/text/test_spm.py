"""The wire reader against protobuf's, the pipeline against `sentencepiece`, and both against broken files."""

import functools
import io
import struct
import unicodedata

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from ambos.errors import InputError
from ambos.text import spm_file
from ambos.text.spm import bare_tokenizer
from ambos.text.spm_file import SpmModel, check_charsmap, parse_spm, read_spm

CORPUS = [
    "O gato dorme no telhado da casa amarela, e a avó ri.",
    "A menina comeu pão com açúcar e tomou café à tarde.",
    "Não há coração que aguente tanta emoção.",
    "Em 2010, 2011 e 2012, a inflação subiu 3,5% ao ano.",
    "The quick brown fox jumps over the lazy dog again and again.",
    "Running, jumping and swimming are popular sports.",
    "She didn't know that the bank of the river was muddy.",
    "Às vezes a gente aprende mais errando do que acertando.",
] * 30
TEXTS = [
    *CORPUS[:8],
    *(text.upper() for text in CORPUS[:8]),
    *(text.replace(" ", "   ") for text in CORPUS[:8]),
    *(text[::-1] for text in CORPUS[:8]),
    "",
    " ",
    "     ",
    " a  b   c ",
    "sem<sep>espaço e <sep> com <sep>  mais  ",
    "<sep>começo, fim<sep>",
    "naïve 😀👍🏽 שלום مرحبا 漢字",
    "ＡＢＣ ﬁm ½ …",
    "\tgato\n no \n telhado ",
    "emoji 👨‍👩‍👧 zero\u200bwidth \u00adsoft \x07 ﷺ",
    *(unicodedata.normalize("NFD", text) for text in CORPUS[:8]),
    "a\u3000b\u00a0c",
    "▁gato ▁ dorme▁",
]
KINDS = {
    "unigram": {},
    "byte fallback": {"byte_fallback": True, "vocab_size": 450},
    "identity": {"normalization_rule_name": "identity"},
    "nfkc, folded": {"normalization_rule_name": "nmt_nfkc_cf"},
    "symbols": {"user_defined_symbols": ["<sep>", "ã.*"], "control_symbols": ["[CLS]"], "pad_id": 3},
    "suffix": {"treat_whitespace_as_suffix": True},
    "all spaces": {"remove_extra_whitespaces": False},
    "no prefix": {"remove_extra_whitespaces": False, "add_dummy_prefix": False},
    "over spaces": {"split_by_whitespace": False},
    "bpe": {"model_type": "bpe"},
    "bpe, byte fallback": {"model_type": "bpe", "byte_fallback": True, "vocab_size": 400},
    "bpe, symbols": {"model_type": "bpe", "user_defined_symbols": ["<sep>"]},
    "bpe, identity": {"model_type": "bpe", "normalization_rule_name": "identity"},
}


@functools.cache
def trained(kind: str) -> bytes:
    writer = io.BytesIO()
    options = {"vocab_size": 160, "hard_vocab_limit": "bpe" in kind, **KINDS[kind]}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS), model_writer=writer, minloglevel=2, num_threads=1, **options
    )
    return writer.getvalue()


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def block(number: int, data: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(data)) + data


def piece(text: str, score: float = -1.0, kind: int = spm_file.NORMAL) -> bytes:
    return block(1, block(1, text.encode()) + b"\x15" + struct.pack("<f", score) + b"\x18" + varint(kind))


UNK = piece("<unk>", 0, spm_file.UNKNOWN)


@pytest.mark.parametrize("kind", KINDS)
def test_reads_what_protobuf_reads(kind, tmp_path):
    pb2 = pytest.importorskip("sentencepiece.sentencepiece_model_pb2")
    proto = pb2.ModelProto.FromString(trained(kind))
    (tmp_path / "m.model").write_bytes(trained(kind))
    ours = read_spm(tmp_path / "m.model")
    assert ours.pieces == [(p.piece, p.score, p.type) for p in proto.pieces]
    trainer, normalizer = proto.trainer_spec, proto.normalizer_spec
    assert ours == SpmModel(
        ours.pieces,
        trainer.unk_id,
        {1: "unigram", 2: "bpe"}[trainer.model_type],
        normalizer.precompiled_charsmap,
        normalizer.name,
        trainer.byte_fallback,
        trainer.treat_whitespace_as_suffix,
        normalizer.add_dummy_prefix,
        normalizer.remove_extra_whitespaces,
        normalizer.escape_whitespaces,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_bare_tokenizer_cuts_as_sentencepiece_does(kind):
    processor = sentencepiece.SentencePieceProcessor(model_proto=trained(kind))
    tokenizer = bare_tokenizer(parse_spm(trained(kind)))
    for text in TEXTS:
        ours = tokenizer.encode(text, add_special_tokens=False)
        assert ours.ids == processor.encode(text), (text, ours.tokens, processor.encode(text, out_type=str))
        assert all(0 <= start <= end <= len(text) for start, end in ours.offsets)
    for text in CORPUS[:8]:
        assert tokenizer.decode(tokenizer.encode(text).ids) == processor.decode(processor.encode(text))


def test_control_symbols_are_special_and_user_symbols_are_not():
    tokenizer = bare_tokenizer(parse_spm(trained("symbols")))
    special = {token.content: token.special for token in tokenizer.get_added_tokens_decoder().values()}
    assert special == {"<s>": True, "</s>": True, "<pad>": True, "[CLS]": True, "<sep>": False, "ã.*": False}
    assert "[CLS]" in tokenizer.encode("um [CLS] dois").tokens


def test_merges_come_best_first():
    letters = [piece(letter, -9) for letter in "abc"]
    data = b"".join([UNK, piece("▁", -9), *letters, piece("ab", -2), piece("bc", -1), piece("abc", -3)])
    tokenizer = bare_tokenizer(parse_spm(data + block(2, b"\x18\x02")))
    assert tokenizer.encode("abc ab").tokens == ["▁", "abc", "▁", "ab"]
    assert tokenizer.encode("abbc").tokens == ["▁", "ab", "bc"]


def test_unused_pieces_are_not_used_and_unknown_fields_are_stepped_over():
    data = UNK + piece("▁") + piece("a", -3) + piece("b", -3) + piece("ab", -1, spm_file.UNUSED)
    extra = (
        block(99, b"later")
        + varint(50 << 3)
        + varint(7)
        + varint(51 << 3 | 5)
        + b"1234"
        + varint(52 << 3 | 1)
    )
    tokenizer = bare_tokenizer(parse_spm(data + extra + b"12345678"))
    assert tokenizer.encode("ab").tokens == ["▁", "a", "b"]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "0 unknown pieces"),
        (b"\x0a", "end of the file"),
        (b"\x0a\xff\xff\xff\xff\x7f", "left"),
        (b"\xff" * 11, "more than ten bytes"),
        (b"\x0b", "wire type 3"),
        (b"\x08\x01", "wire type 0 in field 1"),
        (UNK + block(1, b""), "piece 1"),
        (UNK + piece("a", float("nan")), "piece 1"),
        (UNK + piece("a", float("-inf")), "piece 1"),
        (UNK + piece("a", kind=9), "piece 1"),
        (UNK + block(1, block(1, b"\xff")), "utf-8"),
        (UNK + piece("a") + piece("a"), "twice"),
        (UNK + piece("<u>", 0, spm_file.UNKNOWN), "2 unknown pieces"),
        (UNK + piece("a" * 40_000), "absurd length"),
        (UNK + block(2, b"\x18\x04"), "model type 4"),
        (UNK + block(3, block(2, b"\x01")), "impossible size"),
        (UNK + block(3, block(2, b"\x04\x00\x00\x00\xff\xff\xff\xff")), "points outside"),
        (UNK + block(3, block(2, b"\xff\xff\xff\xff" + b"\x00" * 40)), "impossible size"),
    ],
)
def test_refuses_what_is_not_a_model(data, found, tmp_path):
    (tmp_path / "m.model").write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_spm(tmp_path / "m.model")
    error = caught.value
    assert found in (error.found or "")
    assert error.file == str(tmp_path / "m.model")
    assert error.expected
    assert error.fix


def test_refuses_missing_and_huge_files(tmp_path, monkeypatch):
    with pytest.raises(InputError):
        read_spm(tmp_path / "no.model")
    (tmp_path / "m.model").write_bytes(trained("unigram"))
    monkeypatch.setattr(spm_file, "_MAX_PIECES", 10)
    with pytest.raises(InputError, match="usable"):
        read_spm(tmp_path / "m.model")
    monkeypatch.setattr(spm_file, "MAX_BYTES", 10)
    with pytest.raises(InputError, match="usable"):
        read_spm(tmp_path / "m.model")


def survives(data: bytes) -> None:
    """Either an InputError, or a model whose tokenizer encodes whatever it gets."""
    try:
        model = parse_spm(data)
    except InputError:
        return
    tokenizer = bare_tokenizer(model)
    for text in TEXTS:
        tokenizer.encode(text)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400))
def test_random_bytes(data):
    survives(data)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["bpe, symbols", "identity", "symbols"]), st.data())
def test_changed_bytes(kind, data):
    changed = bytearray(trained(kind))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(changed) - 1))
        changed[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    survives(
        bytes(changed[: data.draw(st.integers(0, len(changed)))])
        if data.draw(st.booleans())
        else bytes(changed)
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2**31), st.integers(0, 255)), min_size=1, max_size=40))
def test_changed_normalisation_map(changes):
    """`tokenizers` would panic on a path that leads out of the map, at the first text that takes it."""
    model = parse_spm(trained("unigram"))
    charsmap = bytearray(model.charsmap)
    for at, value in changes:
        charsmap[at % len(charsmap)] = value
    survives(piece("a") + UNK + block(3, block(2, bytes(charsmap))))


def test_published_normalisation_maps_pass():
    for kind in ("unigram", "nfkc, folded"):
        charsmap = parse_spm(trained(kind)).charsmap
        assert len(charsmap) > 100_000
        check_charsmap(charsmap)
