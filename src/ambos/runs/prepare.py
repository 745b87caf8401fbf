"""What training needs to begin: a tokenizer and a token store, made from text where not given."""

from collections.abc import Callable, Sequence
from pathlib import Path

from ambos.errors import UsageError
from ambos.runs.settings import TokenizerSettings
from ambos.text.readers import read_documents
from ambos.text.sources import Source
from ambos.text.store import TokenStore
from ambos.text.store_build import BuildOptions, BuildProgress, build_store
from ambos.text.stream import ReadOptions
from ambos.text.tokenizer import Tokenizer
from ambos.text.tokenizer_train import TrainOptions, train_tokenizer


def make_store(
    sources: Sequence[Source],
    out: Path,
    tokenizer: Tokenizer | None,
    settings: TokenizerSettings,
    reading: ReadOptions,
    *,
    stage: Callable[[str], None] = lambda _: None,
    progress: Callable[[BuildProgress], None] = lambda _: None,
) -> TokenStore:
    """Tokenise sources into the store `out`; learn the tokenizer from them first if none is given."""
    if not sources:
        raise UsageError(
            "there is no text to train on",
            expected="files or folders of text",
            fix="ambos pretrain TEXT --out RUN; `ambos sample --out sample` writes some to try",
        )
    if tokenizer is None:
        stage(f"learning a vocabulary ({settings.kind}, up to {settings.vocab_size:,})")
        options = TrainOptions(
            settings.kind, settings.vocab_size, uncased=settings.uncased, segments=settings.segments
        )
        tokenizer = train_tokenizer(read_documents(sources, reading), options)
    stage("tokenising")
    return build_store(sources, tokenizer, out, BuildOptions(read=reading), progress=progress)
