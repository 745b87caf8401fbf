"""Vocabularies are learnt the same way every time, and are as good as the usual trainers'."""

import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
import tokenizers
import transformers
from tokenizers import models, normalizers, pre_tokenizers, trainers

from ambos.errors import InputError, UsageError
from ambos.text.readers import Document, read_documents
from ambos.text.sources import find_sources
from ambos.text.tokenizer import Tokenizer
from ambos.text.tokenizer_train import TrainOptions, train_tokenizer


def train(*texts: str, **options) -> Tokenizer:
    documents = [Document(text, "und", Path("test"), 1) for text in texts]
    return train_tokenizer(documents, TrainOptions(**options))


@pytest.mark.parametrize("kind", ["wordpiece", "unigram", "bpe"])
def test_same_corpus_same_files_in_every_process(kind: str, sample: Path, tmp_path: Path) -> None:
    outputs = []
    for run, (seed, threads) in enumerate((("1", "1"), ("2", "2"), ("3", "8"))):
        out = tmp_path / str(run)
        command = [
            sys.executable,
            "-m",
            "ambos.cli.app",
            "tokenizer",
            "train",
            str(sample / "corpus"),
            "--quiet",
        ]
        subprocess.run(
            [*command, "--kind", kind, "--vocab-size", "1500", "--out", str(out)],
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "RAYON_NUM_THREADS": threads},
        )
        outputs.append({file.name: file.read_bytes() for file in sorted(out.iterdir())})
    assert outputs[0].keys() >= {"tokenizer.json", "tokenizer_config.json"}
    assert outputs[0] == outputs[1] == outputs[2]


def test_wordpiece_is_the_usual_algorithm(sample: Path) -> None:
    """The vocabulary is that of `tokenizers`' own trainer, but for ties, which that one breaks by chance."""
    documents = list(read_documents(find_sources([str(sample / "corpus")])))
    ours = train_tokenizer(documents, TrainOptions("wordpiece", 1500))
    theirs = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    theirs.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.BertNormalizer(lowercase=False, strip_accents=False)]
    )
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    lines = [line for document in documents for line in document.text.split("\n")]
    trainer = trainers.WordPieceTrainer(vocab_size=1500, min_frequency=2, show_progress=False)
    theirs.train_from_iterator(lines, trainer)
    learnt = {token for token in theirs.get_vocab() if len(token.removeprefix("##")) > 1}
    mine = {token for token in ours.backend.get_vocab() if len(token.removeprefix("##")) > 1}
    missing = learnt - mine
    # Ours gives room to every letter in both positions, so the last few merges of theirs do not fit.
    last = max(theirs.get_vocab().values())
    ranks = sorted(last - theirs.get_vocab()[token] for token in missing)
    assert len(missing) < 0.1 * len(learnt)
    assert ranks[len(ranks) // 2] < 100


@pytest.mark.parametrize("kind", ["wordpiece", "unigram", "bpe"])
def test_every_letter_of_the_text_can_be_spelled_anywhere(kind: str) -> None:
    tokenizer = train("o gato é pequeno\n" * 50 + "çxç", kind=kind, vocab_size=400)
    unknown = tokenizer.special_id("unk")
    assert unknown not in tokenizer.encode("çatop éççx xé p").ids


def test_vocabulary_order_is_the_family_s() -> None:
    text = "o gato é pequeno e o rato é veloz\n" * 30
    bert = train(text, kind="wordpiece", vocab_size=200)
    assert [bert.backend.id_to_token(index) for index in range(5)] == [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
    ]
    for kind in ("bpe", "unigram"):
        roberta = train(text, kind=kind, vocab_size=400)
        assert [roberta.backend.id_to_token(index) for index in range(4)] == ["<s>", "<pad>", "</s>", "<unk>"]
        assert roberta.backend.id_to_token(roberta.vocab_size - 1) == "<mask>"


@pytest.mark.parametrize("kind", ["wordpiece", "unigram", "bpe"])
def test_case_and_accents(kind: str) -> None:
    text = "O João não comeu o pão da avó. " * 40
    plain = train(text, kind=kind, vocab_size=400)
    assert plain.encode("avó").ids != plain.encode("avo").ids
    assert plain.encode("João").ids != plain.encode("joão").ids
    lower = train(text, kind=kind, vocab_size=400, uncased=True)
    assert lower.encode("JOÃO").ids == lower.encode("joão").ids != lower.encode("joao").ids
    bare = train(text, kind=kind, vocab_size=400, uncased=True, strip_accents=True)
    assert (
        bare.encode("AVÓ").ids
        == bare.encode(unicodedata.normalize("NFD", "avó")).ids
        == bare.encode("avo").ids
    )


@pytest.mark.parametrize("kind", ["wordpiece", "unigram", "bpe"])
def test_saved_and_loaded_is_the_same(kind: str, tmp_path: Path) -> None:
    tokenizer = train("O gato preto dorme no telhado de casa.\n" * 30, kind=kind, vocab_size=400)
    tokenizer.save(tmp_path)
    loaded = Tokenizer.load(tmp_path)
    assert loaded.fingerprint == tokenizer.fingerprint
    assert loaded.specials == tokenizer.specials
    assert loaded.kind == tokenizer.kind == kind


def test_unigram_with_two_segments(tmp_path: Path) -> None:
    tokenizer = train("O gato preto dorme no telhado.\n" * 30, kind="unigram", vocab_size=400, segments=True)
    both = tokenizer.encode("O gato", "no telhado")
    assert [token for token in both.tokens if token[0] == "["] == ["[CLS]", "[SEP]", "[SEP]"]
    end = both.tokens.index("[SEP]") + 1
    assert both.segments == [0] * end + [1] * (len(both.ids) - end)
    assert len(tokenizer.encode("O [MASK] preto").ids) == len(tokenizer.encode("O gato preto").ids)
    tokenizer.save(tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)("O gato", "no telhado")
    assert (theirs["input_ids"], theirs["token_type_ids"]) == (both.ids, both.segments)
    with pytest.raises(UsageError, match="segments are for unigram, not for bpe"):
        train("a", kind="bpe", segments=True)


def test_small_text_gives_a_smaller_vocabulary() -> None:
    assert train("o gato e o rato " * 20, kind="wordpiece", vocab_size=30_000).vocab_size < 60


@pytest.mark.parametrize("kind", ["wordpiece", "unigram", "bpe"])
def test_too_small_a_vocabulary_is_refused(kind: str) -> None:
    with pytest.raises(UsageError, match="too small") as caught:
        train("abcdefghijklmnopqrstuvwxyz " * 10, kind=kind, vocab_size=20)
    assert "--vocab-size" in str(caught.value)


@pytest.mark.parametrize("kind", ["wordpiece", "unigram", "bpe"])
def test_no_text_is_refused(kind: str) -> None:
    with pytest.raises(InputError, match="no text"):
        train("  \n ", kind=kind)


def test_unknown_kind_names_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        train("a", kind="wordpeice")
    assert caught.value.fix == "did you mean wordpiece?"


def test_what_is_not_learnt_from_is_said() -> None:
    said: list[str] = []
    text = "o gato " * 20 + "x" * 101 + " " + " ".join(chr(0x4E00 + number) for number in range(2100))
    train_tokenizer(
        [Document(text, "und", Path("a"), 1)], TrainOptions(vocab_size=6000), left_out=said.append
    )
    assert len(said) == 2
    assert said[0].startswith("1 words of more than 100 characters")
    assert "2,000 most frequent" in said[1]
