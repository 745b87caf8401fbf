"""The word table gives exactly what the tokenizer gives for whole paragraphs, cut as the splitter cuts."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import tokenizers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import models, normalizers, pre_tokenizers

from ambos.errors import AmbosError
from ambos.text.sentences import split_sentences
from ambos.text.tokenizer import Tokenizer, replace_surrogates
from ambos.text.tokenizer_files import SpecialTokens, TokenizerFiles
from ambos.text.word_local import is_word_local
from ambos.text.words import WordTable
from tests.text.test_tokenizer import TEXTS

SLOW = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))


@cache
def plain(tokenizer: Tokenizer) -> tokenizers.Tokenizer:
    """A copy for which special tokens in a text are text."""
    backend = tokenizers.Tokenizer.from_str(tokenizer.backend.to_str())
    backend.encode_special_tokens = True
    return backend


def reference(tokenizer: Tokenizer, paragraph: str) -> tuple[list[int], list[bool]]:
    encoding = plain(tokenizer).encode(
        replace_surrogates(" ".join(paragraph.split())), add_special_tokens=False
    )
    words = encoding.word_ids
    unknown = tokenizer.special_id("unk")
    special = set(tokenizer.special_ids) if unknown is not None else set()
    ids = [unknown if index in special else index for index in encoding.ids]
    return ids, [place == 0 or words[place - 1] != word for place, word in enumerate(words)]


def check(table: WordTable, tokenizer: Tokenizer, paragraphs: list[str]) -> None:
    result = table.encode(paragraphs)
    expected = [reference(tokenizer, paragraph) for paragraph in paragraphs]
    assert result.ids.tolist() == [index for ids, _ in expected for index in ids]
    assert result.word_starts.tolist() == [start for _, starts in expected for start in starts]
    assert result.paragraph_words.tolist() == [len(paragraph.split()) for paragraph in paragraphs]
    assert (result.sentence_sizes > 0).all()
    assert result.sentence_sizes.sum() == len(result.ids)
    ends = np.cumsum(result.paragraph_sentences)
    tokens = [
        int(result.sentence_sizes[end - count : end].sum())
        for end, count in zip(ends, result.paragraph_sentences, strict=True)
    ]
    assert tokens == [len(ids) for ids, _ in expected]


@given(blocks=st.lists(st.lists(TEXTS, max_size=4), min_size=1, max_size=4))
@SLOW
def test_table_equals_tokenizer(tokenizer: Tokenizer, blocks: list[list[str]]) -> None:
    table = WordTable(tokenizer, check_every=1)
    assert table.word_local
    for block in blocks:
        check(table, tokenizer, block)


def test_table_equals_tokenizer_on_real_text(tokenizer: Tokenizer, data: Path) -> None:
    table = WordTable(tokenizer)
    for name in ("raw_pt", "raw_en"):
        check(table, tokenizer, (data / name / "test.txt").read_text().split("\n")[:2000])


def test_a_small_table_forgets_and_stays_right(tokenizer: Tokenizer, sample: Path) -> None:
    table = WordTable(tokenizer, capacity=300)
    lines = (sample / "corpus" / "pt.txt").read_text().split("\n")[:400]
    for begin in range(0, len(lines), 40):
        check(table, tokenizer, lines[begin : begin + 40])
        assert len(table) <= 300


def test_a_table_without_ids_forgets_too() -> None:
    table = WordTable(unusual(pre_tokenizers.Split("\n", "isolated")), capacity=100)
    for begin in range(0, 1000, 50):
        table.encode([" ".join("ab" * (begin + place) for place in range(50))])
        assert len(table) <= 150


def test_a_long_paragraph_is_checked_at_its_beginning(tokenizer: Tokenizer) -> None:
    check(WordTable(tokenizer, check_every=1), tokenizer, ["um dois três " * 1000, "quatro"])


def test_sentences_are_the_splitter_s(tokenizer: Tokenizer, sample: Path) -> None:
    table = WordTable(tokenizer)
    for line in (sample / "corpus" / "en.txt").read_text().split("\n")[:200]:
        result = table.encode([line])
        assert result.paragraph_sentences.tolist() == [len(split_sentences(line))]
        pieces = [" ".join(line[start:end].split()) for start, end in split_sentences(line)]
        if tokenizer.kind != "bpe":  # a byte-level piece depends on the space before it
            assert result.sentence_sizes.tolist() == [len(reference(tokenizer, piece)[0]) for piece in pieces]


def test_special_tokens_in_a_corpus_are_text(tokenizer: Tokenizer) -> None:
    written = [token for token in vars(tokenizer.specials).values() if token]
    result = WordTable(tokenizer).encode([f"um {token} dois" for token in written])
    real = set(tokenizer.special_ids) - {tokenizer.special_id("unk")}
    assert not real & set(result.ids.tolist())


def unusual(pre_tokenizer: object, normalizer: object = None) -> Tokenizer:
    """A tokenizer whose pieces may reach over spaces."""
    backend = tokenizers.Tokenizer(
        models.BPE(
            {"a": 0, "b": 1, " ": 2, ".": 3, "a ": 4, "a b": 5, "B": 6, ". ": 7},
            [("a", " "), ("a ", "b"), (".", " ")],
        )
    )
    backend.pre_tokenizer = pre_tokenizer
    backend.normalizer = normalizer
    return Tokenizer(TokenizerFiles(backend, SpecialTokens(), None, "tokenizer.json", {}))


def test_a_tokenizer_that_reaches_over_spaces_is_called_whole() -> None:
    tokenizer = unusual(pre_tokenizers.Split("\n", "isolated"))
    assert not is_word_local(tokenizer)
    table = WordTable(tokenizer)
    check(table, tokenizer, ["a b a", "", "b a. B b. B", "a"])
    assert table.encode(["b a. B b. B"]).paragraph_sentences.tolist() == [3]
    assert table.encode(["b a. B b. B"]).sentence_sizes.tolist() == [4, 4, 1]


@pytest.mark.parametrize(
    ("pre_tokenizer", "normalizer"),
    [
        (None, None),
        (pre_tokenizers.ByteLevel(use_regex=False), None),
        (pre_tokenizers.Metaspace(split=False), None),
        (pre_tokenizers.WhitespaceSplit(), normalizers.Replace(" ", "")),
        (pre_tokenizers.Punctuation(), None),
        (pre_tokenizers.ByteLevel(), normalizers.Strip()),
    ],
)
def test_what_is_not_known_to_be_word_local(pre_tokenizer: object, normalizer: object) -> None:
    assert not is_word_local(unusual(pre_tokenizer, normalizer))


def test_added_words_may_reach_over_spaces(tokenizer: Tokenizer) -> None:
    copy = Tokenizer(
        TokenizerFiles(
            tokenizers.Tokenizer.from_str(tokenizer.backend.to_str()), tokenizer.specials, None, "", {}
        )
    )
    copy.backend.add_tokens(["São Paulo"])
    assert not is_word_local(copy)
    check(WordTable(copy), copy, ["Fui a São Paulo ontem. Em São  Paulo chove."])


def test_a_table_that_disagrees_says_so(tokenizer: Tokenizer) -> None:
    table = WordTable(tokenizer, check_every=1)
    table.encode(["o gato dorme"])
    table._learnt.ids[:] = 7  # damage
    with pytest.raises(AmbosError, match="one by one"):
        table.encode(["o gato dorme"])
