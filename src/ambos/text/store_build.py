"""Build a token store: read, tokenise in parallel, append in order, and go on where a killed run stopped.

Documents are cut into blocks in reading order; workers tokenise blocks, and one process appends the results
in that order, so the store does not depend on the number of workers. Every few seconds a journal notes how
far the files are good; a later run with the same plan cuts them back to it and goes on: same bytes.
"""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ambos import __version__
from ambos.errors import AmbosError, InputError
from ambos.files import (
    lock,
    output_errors,
    publish,
    refuse_existing,
    sha256,
    working_folder,
    write_file,
)
from ambos.text.readers import Document, read_documents
from ambos.text.sources import Source
from ambos.text.store import COLUMNS, FORMAT, MANIFEST, TokenStore
from ambos.text.store_blocks import Block, TokenisedBlock, tokenise_blocks
from ambos.text.store_columns import BitColumn, Column, Seen
from ambos.text.stream import ReadOptions
from ambos.text.tokenizer import Tokenizer

_BLOCK_CHARACTERS = 1_000_000
_JOURNAL = "journal.json"
_JOURNAL_SECONDS = 2.0
_SMALL = 8_000_000  # bytes of text per worker below which starting a process costs more than it saves


@dataclass(frozen=True)
class BuildOptions:
    """How a store is built.

    Parameters
    ----------
    keep_duplicates
        Keep documents whose text has been seen before (otherwise they are dropped, and counted).
    workers
        Processes that tokenise; None for one per core, fewer for little text. Does not change the result.
    read
        How files become documents.
    """

    keep_duplicates: bool = False
    workers: int | None = None
    read: ReadOptions = field(default_factory=ReadOptions)


@dataclass(frozen=True)
class BuildProgress:
    """How far a build is."""

    bytes_read: int
    bytes_total: int
    documents: int
    tokens: int


def build_store(
    sources: Sequence[Source],
    tokenizer: Tokenizer,
    out: Path,
    options: BuildOptions | None = None,
    *,
    force: bool = False,
    progress: Callable[[BuildProgress], None] = lambda _: None,
) -> TokenStore:
    """Build the store `out` from sources, or finish it if an earlier run was killed.

    A store that is already there and was built from the same plan is opened as it is.

    Examples
    --------
    >>> from ambos.text.sources import find_sources
    >>> tokenizer = Tokenizer.load("my-tokenizer")  # doctest: +SKIP
    >>> build_store(find_sources(["corpus/"]), tokenizer, Path("my-store"))  # doctest: +SKIP
    """
    options = options or BuildOptions()
    plan = _plan(sources, tokenizer, options)
    work = working_folder(out)
    with output_errors(out), lock(out):
        if not force and (out / MANIFEST).is_file() and TokenStore(out).manifest["plan"] == plan:
            return TokenStore(out)
        refuse_existing(out, marker=MANIFEST, force=force)
        try:
            with _Build(work, plan, tokenizer) as build:
                _run(build, sources, tokenizer, options, progress)
                build.finish(tokenizer)
            publish(work, out)
        except (AmbosError, OSError):
            shutil.rmtree(work, ignore_errors=True)
            raise
    return TokenStore(out)


def _plan(sources: Sequence[Source], tokenizer: Tokenizer, options: BuildOptions) -> dict[str, Any]:
    """Return all that decides the bytes of a store. Two builds with equal plans give equal stores."""
    if not sources:
        raise InputError("there is nothing to read", expected="at least one text file")
    return {
        "format": FORMAT,
        "ambos": __version__,
        "sources": [
            {
                "file": str(source.path),
                "bytes": source.bytes,
                "modified": source.path.stat().st_mtime_ns,
                "language": source.language,
            }
            for source in sources
        ],
        "tokenizer": tokenizer.fingerprint,
        "keep_duplicates": options.keep_duplicates,
        "read": asdict(options.read),
        "block": _BLOCK_CHARACTERS,
    }


def _run(
    build: "_Build",
    sources: Sequence[Source],
    tokenizer: Tokenizer,
    options: BuildOptions,
    progress: Callable[[BuildProgress], None],
) -> None:
    total = sum(source.bytes for source in sources)
    consumed = 0

    def advance(count: int) -> None:
        nonlocal consumed
        consumed += count

    def tell() -> None:
        progress(BuildProgress(consumed, total, build.counts["documents"], build.tokens.length))

    documents = read_documents(sources, options.read, advance=advance)
    done = build.blocks
    blocks = (block for number, block in enumerate(_blocks(documents)) if number >= done)
    for result in tokenise_blocks(blocks, tokenizer, workers=options.workers or _workers(total)):
        build.append(result, keep_duplicates=options.keep_duplicates)
        tell()
    tell()


def _workers(total: int) -> int:
    return max(1, min(len(os.sched_getaffinity(0)), total // _SMALL))


def _blocks(documents: Iterable[Document]) -> Iterator[Block]:
    block: Block = []
    size = 0
    for document in documents:
        block.append((document.text, document.language))
        size += len(document.text) + 1
        if size >= _BLOCK_CHARACTERS:
            yield block
            block, size = [], 0
    if block:
        yield block


class _Build:
    """The working folder of a store: columns to append to, and a journal of how far they are good."""

    def __init__(self, work: Path, plan: dict[str, Any], tokenizer: Tokenizer) -> None:
        self.work = work
        self.plan = plan
        journal = _read_journal(work, plan)
        if journal is None:
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir(parents=True)
            journal = {"lengths": {}, "tail": [], "blocks": 0, "languages": [], "counts": {}}
        lengths = journal["lengths"]
        dtype = np.uint16 if tokenizer.vocab_size <= 1 << 16 else np.uint32
        self.tokens = self._column("tokens", dtype, lengths)
        self.word_starts = BitColumn(self._column("word_starts", np.uint8, lengths), journal["tail"])
        self.sentences = self._column("sentences", np.uint64, lengths)
        self.documents = self._column("documents", np.uint64, lengths)
        self.document_languages = self._column("languages", np.uint16, lengths)
        self.digests = self._column("digests", "S16", lengths)
        self.blocks: int = journal["blocks"]
        self.languages: list[str] = journal["languages"]
        self.counts: dict[str, int] = dict.fromkeys(("documents", "words", "empty", "duplicates"), 0)
        self.counts.update(journal["counts"])
        self._seen = Seen(self.digests.read())
        self._written = time.monotonic()
        self._whole = True  # no block is half appended
        if not self.sentences.length:
            self.sentences.append(np.zeros(1, np.uint64))
            self.documents.append(np.zeros(1, np.uint64))

    def _column(self, name: str, dtype: Any, lengths: dict[str, int]) -> Column:  # noqa: ANN401
        return Column(self.work / f"{name}.npy", dtype, lengths.get(name, 0))

    def _columns(self) -> list[Column]:
        others = [self.sentences, self.documents, self.document_languages, self.digests]
        return [self.tokens, self.word_starts.column, *others]

    def __enter__(self) -> "_Build":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is KeyboardInterrupt and self._whole:
            self.write_journal()
        for column in self._columns():
            column.close()

    def append(self, block: TokenisedBlock, *, keep_duplicates: bool) -> None:
        """Add the documents of the next block that are neither empty nor seen before."""
        self._whole = False
        keep = block.document_sentences > 0
        self.counts["empty"] += int((~keep).sum())
        if not keep_duplicates:
            first = np.zeros_like(keep)
            first[keep] = self._seen.add(block.digests[keep])
            self.counts["duplicates"] += int((keep & ~first).sum())
            keep = first
            self.digests.append(block.digests[keep])
        kept = block.only(keep)
        self.tokens.append(kept.ids)
        self.word_starts.append(kept.starts_word)
        self.sentences.append(self.tokens.length - len(kept.ids) + np.cumsum(kept.sentence_sizes))
        previous = self.sentences.length - 1 - len(kept.sentence_sizes)
        self.documents.append(previous + np.cumsum(kept.document_sentences))
        self.document_languages.append(np.array([self._language(name) for name in kept.languages], np.uint16))
        self.counts["documents"] += len(kept.languages)
        self.counts["words"] += int(kept.document_words.sum())
        self.blocks += 1
        self._whole = True
        if time.monotonic() - self._written > _JOURNAL_SECONDS:
            self.write_journal()

    def _language(self, name: str) -> int:
        if name not in self.languages:
            self.languages.append(name)
        return self.languages.index(name)

    def write_journal(self) -> None:
        """Note how far the files are good, once they are."""
        for column in self._columns():
            column.sync()
        journal = {
            "plan": self.plan,
            "lengths": {column.path.stem: column.length for column in self._columns()},
            "tail": self.word_starts.tail,
            "blocks": self.blocks,
            "languages": self.languages,
            "counts": self.counts,
        }
        write_file(self.work / _JOURNAL, json.dumps(journal).encode())
        self._written = time.monotonic()

    def finish(self, tokenizer: Tokenizer) -> None:
        """Write headers, tokenizer and manifest."""
        if not self.counts["documents"]:
            raise InputError(
                "there is no text in these files",
                expected="at least one document with words in it",
                fix="check that these are the right files, and whole",
                file=self.plan["sources"][0]["file"],
            )
        sentences = self.sentences.length - 1
        self.word_starts.finish()
        for column in (self.tokens, self.sentences, self.documents, self.document_languages):
            column.finish()
        self.digests.close()
        self.digests.path.unlink()
        (self.work / _JOURNAL).unlink(missing_ok=True)
        folder = self.work / "tokenizer"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        tokenizer.save(folder)
        files = [f"{name}.npy" for name in COLUMNS] + sorted(
            f"tokenizer/{file.name}" for file in folder.iterdir()
        )
        manifest = {
            "format": FORMAT,
            "counts": {**self.counts, "sentences": sentences, "tokens": self.tokens.length},
            "languages": self.languages,
            "lengths": {column.path.stem: column.length for column in self._columns()[:-1]},
            "vocab_size": tokenizer.vocab_size,
            "plan": self.plan,
            "sha256": {name: sha256(self.work / name) for name in files},
        }
        (self.work / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _read_journal(work: Path, plan: dict[str, Any]) -> dict[str, Any] | None:
    """Return the journal of an interrupted build of the same plan, if its files still hold what it says."""
    try:
        journal: dict[str, Any] = json.loads((work / _JOURNAL).read_bytes())
    except (OSError, ValueError):
        return None
    if journal["plan"] != plan:
        return None
    return journal
