"""Fixtures that many tests share: the sample, tokenizers and small models of every kind, the real data."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from ambos.sample import write_sample
from ambos.text.readers import read_documents
from ambos.text.sources import find_sources
from ambos.text.tokenizer import Tokenizer
from ambos.text.tokenizer_train import KINDS, TrainOptions, train_tokenizer

# Ctrl-C reaches the commands that tests start, also where the tests themselves run in the background of a
# script: what a parent ignores, its children would ignore, too.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small sample: running text and all labelled sets."""
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder, seed=1, corpus_mb=0.8)
    return folder


@pytest.fixture(scope="session")
def tokenizer_folder(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Folder of a tokenizer of a kind, trained on the sample corpus, once."""
    root = tmp_path_factory.mktemp("tokenizers")

    def folder(kind: str) -> Path:
        out = root / kind
        if not out.exists():
            out.mkdir()
            documents = read_documents(find_sources([str(sample / "corpus")]))
            train_tokenizer(documents, TrainOptions(kind, vocab_size=2000)).save(out)
        return out

    return folder


@pytest.fixture(scope="session", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def tokenizer(kind: str, tokenizer_folder: Callable[[str], Path]) -> Tokenizer:
    return Tokenizer.load(tokenizer_folder(kind))


@pytest.fixture(scope="session")
def model_folder(
    tokenizer_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """Folder of a small masked language model, weights random, over the tokenizer of a kind; made once."""
    root = tmp_path_factory.mktemp("models")
    families = {
        "wordpiece": {"family": "bert", "segments": 2},
        "bpe": {"family": "roberta", "segments": 1, "position_offset": 2, "norm_eps": 1e-5},
        "unigram": {"family": "xlm-roberta", "segments": 1, "position_offset": 2, "norm_eps": 1e-5},
    }

    def folder(kind: str) -> Path:
        from ambos.bundle.bundle import Bundle  # noqa: PLC0415 (torch takes its time; few tests need it)
        from ambos.encoder.config import EncoderConfig  # noqa: PLC0415

        out = root / kind
        if not out.exists():
            tokenizer = Tokenizer.load(tokenizer_folder(kind))
            sizes = {"width": 32, "depth": 3, "heads": 4, "inner_width": 48, "context": 64}
            config = EncoderConfig(
                vocab_size=tokenizer.vocab_size, initial_std=0.3, **sizes, **families[kind]
            )
            bundle = Bundle.new(config, tokenizer)
            bundle.add_head("mlm")
            bundle.provenance = {"made": "for tests"}
            bundle.save(out)
        return out

    return folder


@pytest.fixture(scope="session")
def data() -> Path:
    """The real data sets; tests that need them skip without AMBOS_DATA."""
    folder = os.environ.get("AMBOS_DATA")
    if not folder:
        pytest.skip("AMBOS_DATA does not point to the data sets")
    return Path(folder)
