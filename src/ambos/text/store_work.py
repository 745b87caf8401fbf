"""The working folder of a store: columns that grow, and the journal from which a killed build goes on."""

import hashlib
import json
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np

from ambos.errors import InputError
from ambos.files import sha256, write_file
from ambos.text.interrupts import interrupts_later
from ambos.text.store import COLUMNS, FORMAT, MANIFEST, TokenStore
from ambos.text.store_blocks import TokenisedBlock, WorkerLostError
from ambos.text.store_columns import BitColumn, Column, Seen, holds
from ambos.text.tokenizer import Tokenizer

DIGESTS = "digests.npy"
JOURNAL_SECONDS = 2.0
_JOURNAL = "journal.json"


def is_whole(folder: Path, plan: dict[str, Any]) -> bool:
    """Tell whether a folder is the finished store of a plan."""
    try:
        return not (folder / _JOURNAL).exists() and TokenStore(folder).manifest["plan"] == plan_digest(plan)
    except InputError:
        return False


def plan_digest(plan: dict[str, Any]) -> str:
    """Return what stands for a plan in the finished store, which shall not tell where its texts were."""
    return hashlib.sha256(json.dumps(plan).encode()).hexdigest()


class StoreWork:
    """The working folder of a store: columns to append to, and a journal of how far they are good."""

    def __init__(self, work: Path, plan: dict[str, Any], tokenizer: Tokenizer) -> None:
        self.work = work
        self.plan = plan
        dtypes = {
            "tokens": np.uint16 if tokenizer.vocab_size <= 1 << 16 else np.uint32,
            "word_starts": np.uint8,
            "sentences": np.uint64,
            "documents": np.uint64,
            "languages": np.uint16,
            "digests": "S16",
        }
        journal = _read_journal(work, plan)
        lengths = journal["lengths"] if journal else {}
        whole = all(holds(work / f"{name}.npy", dtypes[name], length) for name, length in lengths.items())
        if journal is None or not whole:
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir(parents=True)
            journal = {"tail": [], "blocks": 0, "languages": [], "counts": {}}
            lengths = {}
        (work / MANIFEST).unlink(missing_ok=True)  # of a run that was stopped after its work was done
        columns = {
            name: Column(work / f"{name}.npy", dtype, lengths.get(name, 0)) for name, dtype in dtypes.items()
        }
        self.tokens = columns["tokens"]
        self.word_starts = BitColumn(columns["word_starts"], journal["tail"])
        self.sentences = columns["sentences"]
        self.documents = columns["documents"]
        self.document_languages = columns["languages"]
        self.digests = columns["digests"]
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

    def _columns(self) -> list[Column]:
        others = [self.sentences, self.documents, self.document_languages, self.digests]
        return [self.tokens, self.word_starts.column, *others]

    def __enter__(self) -> "StoreWork":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind in (KeyboardInterrupt, WorkerLostError) and self._whole:
            self.write_journal()
        for column in self._columns():
            column.close()

    @interrupts_later()  # a block is added whole, so that there is a journal to go on from
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
        self.word_starts.append(kept.word_starts)
        self.sentences.append(self.tokens.length - len(kept.ids) + np.cumsum(kept.sentence_sizes))
        previous = self.sentences.length - 1 - len(kept.sentence_sizes)
        self.documents.append(previous + np.cumsum(kept.document_sentences))
        self.document_languages.append(np.array([self._language(name) for name in kept.languages], np.uint16))
        self.counts["documents"] += len(kept.languages)
        self.counts["words"] += int(kept.document_words.sum())
        self.blocks += 1
        self._whole = True
        if time.monotonic() - self._written > JOURNAL_SECONDS:
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
        """Write headers, tokenizer and manifest; with the journal gone, the folder is a whole store."""
        self.write_journal()
        self._whole = False
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
            "sources": [
                {"file": Path(source["file"]).name, "bytes": source["bytes"], "language": source["language"]}
                for source in self.plan["sources"]
            ],
            "plan": plan_digest(self.plan),
            "sha256": {name: sha256(self.work / name) for name in files},
        }
        write_file(self.work / MANIFEST, (json.dumps(manifest, indent=2) + "\n").encode())
        (self.work / _JOURNAL).unlink()


def _read_journal(work: Path, plan: dict[str, Any]) -> dict[str, Any] | None:
    """Return the journal of an interrupted build of the same plan."""
    try:
        journal: dict[str, Any] = json.loads((work / _JOURNAL).read_bytes())
    except (OSError, ValueError):
        return None
    return journal if journal["plan"] == plan else None
