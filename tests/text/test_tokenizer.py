"""Ids as transformers gives them; segments, words and offsets exact, whatever the text."""

import unicodedata
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tokenizers import pre_tokenizers
from transformers import AutoTokenizer

from ambos.text.tokenizer import Encoded, Tokenizer, replace_surrogates

NASTY = [
    "cão",
    unicodedata.normalize("NFD", "coração"),
    "e\u0301\u0323",  # two marks on one letter
    "\u0301",  # a mark on nothing
    "👩‍👩‍👧",  # emoji held together by joiners
    "🇧🇷",
    "שלום",
    "مرحبا",
    "\u200b",
    "\u200d",
    "\u202e",
    "\ufeff",
    "\x00",
    "\ud800",
    "\udfff",
    "\ufffd",
    "½",
    "ﬁ",
    "İ",
    "ß",
    "각",
    unicodedata.normalize("NFD", "각"),
    "漢字",
    "नमस्ते",
    "\u00a0",
    "\u3000",
    "\u2028",
    "\x1c",
    "\t",
    "\n",
    " ",
    "  ",
    "[MASK]",
    "<mask>",
    "[SEP]",
    "</s>",
    "##a",
    "▁",
    "Ġ",
    "don't",
    "R$ 1.250,00",
    "…",
    "“quê?”",
]
TEXTS = st.lists(
    st.one_of(
        st.sampled_from(NASTY), st.text(st.characters(exclude_categories=()), max_size=4), st.just(" ")
    ),
    max_size=12,
).map("".join)


def surface(tokenizer: Tokenizer, token: str) -> bytes:
    """The bytes a token stands for, its word markers taken off."""
    if tokenizer.kind == "bpe":
        byte_of = {character: number for number, character in enumerate(_byte_characters())}
        return bytes(byte_of[character] for character in token).removeprefix(b" ")
    return token.removeprefix("##").removeprefix("▁").encode()


def _byte_characters() -> list[str]:
    """GPT-2's table of printable characters for the 256 bytes."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {byte: chr(byte) for byte in plain}
    others = [byte for byte in range(256) if byte not in table]
    table |= {byte: chr(256 + place) for place, byte in enumerate(others)}
    assert sorted(table.values()) == sorted(pre_tokenizers.ByteLevel.alphabet())
    return [table[byte] for byte in range(256)]


def check_exact(tokenizer: Tokenizer, encoded: Encoded, *texts: str) -> None:
    special = set(vars(tokenizer.specials).values())
    for side, text in enumerate(texts):
        rows = [
            (token, word, offsets)
            for token, owner, word, offsets in zip(
                encoded.tokens, encoded.sides, encoded.words, encoded.offsets, strict=True
            )
            if owner == side
        ]
        words = [word for _, word, _ in rows]
        assert words == sorted(words, key=lambda word: -1 if word is None else word)
        for token, word, (start, end) in rows:
            assert word is not None
            assert 0 <= start <= end <= len(text)
            clean = replace_surrogates(text[start:end])
            if token.strip() not in special:  # a mask may have taken the space before it
                normal = tokenizer.backend.normalizer.normalize_str(clean).encode()
                assert surface(tokenizer, token) in normal, (token, clean)
        starts = [start for _, _, (start, _) in rows]
        assert starts == sorted(starts)
        covered = {place for _, _, (start, end) in rows for place in range(start, end)}
        for place, character in enumerate(replace_surrogates(text)):
            if tokenizer.backend.normalizer.normalize_str(character).strip() and place not in covered:
                # A mark may be composed into the letter before it, never lost on its own.
                assert unicodedata.combining(character), (place, character)


def check_layout(tokenizer: Tokenizer, encoded: Encoded) -> None:
    """Special tokens where the family has them, segments as it counts them."""
    cls, sep = tokenizer.specials.cls, tokenizer.specials.sep
    pair = 1 in encoded.sides or encoded.sides.count(None) > 2
    ends = [place for place, side in enumerate(encoded.sides) if side is None]
    assert ends[0] == 0
    assert encoded.tokens[0] == cls
    assert ends[-1] == len(encoded) - 1
    assert all(encoded.tokens[place] == sep for place in ends[1:])
    if tokenizer.kind == "wordpiece":
        assert len(ends) == (3 if pair else 2)
        first = ends[1] + 1
        assert encoded.segments == [0] * first + [1] * (len(encoded) - first)
    else:
        assert len(ends) == (4 if pair else 2)
        assert set(encoded.segments) == {0}
    for place in ends:
        assert encoded.words[place] is None
        assert encoded.offsets[place] == (0, 0)


@given(a=TEXTS, b=TEXTS)
@example(a="", b="")
@example(a="\ud800", b="a\udfff b")
@example(a="\xa0\u0301", b="a \u0301\u0323 e")
@example(a=unicodedata.normalize("NFD", "O coração não é cão"), b="O coração não é cão")
@settings(
    max_examples=250,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_pairs_are_exact(tokenizer: Tokenizer, a: str, b: str) -> None:
    single, pair = tokenizer.encode(a), tokenizer.encode(a, b)
    check_layout(tokenizer, single)
    check_layout(tokenizer, pair)
    check_exact(tokenizer, single, a)
    check_exact(tokenizer, pair, a, b)
    alone = tokenizer.encode(b)
    for side, other in ((0, single), (1, alone)):
        mine = [place for place, owner in enumerate(pair.sides) if owner == side]
        theirs = [place for place, owner in enumerate(other.sides) if owner is not None]
        for field in ("ids", "words", "offsets"):
            values, expected = getattr(pair, field), getattr(other, field)
            assert [values[place] for place in mine] == [expected[place] for place in theirs]


@given(a=TEXTS, b=TEXTS)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_ids_and_offsets_equal_transformers(
    kind: str, tokenizer: Tokenizer, tokenizer_folder: Callable[[str], Path], a: str, b: str
) -> None:
    oracle = _oracle(tokenizer_folder(kind))
    a, b = replace_surrogates(a), replace_surrogates(b)
    for texts in ((a,), (a, b)) if b else ((a,),):  # transformers takes an empty second text for none
        expected = oracle(*texts, return_offsets_mapping=True, return_token_type_ids=True)
        encoded = tokenizer.encode(*texts)
        assert encoded.ids == expected["input_ids"]
        assert encoded.segments == expected["token_type_ids"]
        assert encoded.words == expected.word_ids()
        untrimmed = expected["offset_mapping"]
        for side, (start, end), (begin, stop) in zip(encoded.sides, encoded.offsets, untrimmed, strict=True):
            if side is not None and unicodedata.is_normalized("NFKC", texts[side]):
                # Ours leave out the space before a word, and a lone word marker stands for nothing.
                assert end == stop or start == end
                assert texts[side][begin:start].strip() == ""


_ORACLES: dict[Path, object] = {}


def _oracle(folder: Path):
    if folder not in _ORACLES:
        _ORACLES[folder] = AutoTokenizer.from_pretrained(folder)
    return _ORACLES[folder]


def test_real_text_round_trips(tokenizer: Tokenizer, data: Path) -> None:
    for line in (data / "raw_pt" / "dev.txt").read_text().splitlines()[:300]:
        encoded = tokenizer.encode(line)
        check_exact(tokenizer, encoded, line)
        if tokenizer.kind == "bpe":
            assert tokenizer.decode(encoded.ids) == unicodedata.normalize("NFC", line)


def test_composed_and_decomposed_accents_are_the_same_tokens(tokenizer: Tokenizer) -> None:
    text = "A avó não pôs açúcar no café do João."
    assert tokenizer.encode(unicodedata.normalize("NFD", text)).ids == tokenizer.encode(text).ids
    assert tokenizer.encode("cão").ids != tokenizer.encode("cao").ids


def test_words_of_a_plain_sentence(tokenizer: Tokenizer) -> None:
    text = "Aquele menino telefonou ontem"
    encoded = tokenizer.encode(text)
    spans: dict[int, list[tuple[int, int]]] = {}
    for word, offsets in zip(encoded.words, encoded.offsets, strict=True):
        if word is not None:
            spans.setdefault(word, []).append(offsets)
    assert [text[pieces[0][0] : pieces[-1][1]] for pieces in spans.values()] == text.split()
    assert all(left[1] == right[0] for pieces in spans.values() for left, right in pairwise(pieces))


def test_special_ids_are_named_and_listed(tokenizer: Tokenizer) -> None:
    roles = ("unk", "cls", "sep", "pad", "mask")
    ids = [tokenizer.special_id(role) for role in roles]
    assert None not in ids
    assert sorted(ids) == tokenizer.special_ids
    assert tokenizer.vocab_size == 2000


@pytest.mark.parametrize("role", ["cls", "mask"])
def test_a_special_token_written_in_text_is_that_token(tokenizer: Tokenizer, role: str) -> None:
    written = getattr(tokenizer.specials, role)
    assert tokenizer.special_id(role) in tokenizer.encode(f"um {written} dois").ids[1:]
