"""The token store: a corpus as memory-mapped arrays of token ids with word, sentence and document borders.

A store is a folder of plain `.npy` files, which `numpy.load(..., mmap_mode="r")` opens too:

| file | shape | what |
|---|---|---|
| `tokens.npy` | (tokens,) uint16 or uint32 | ids, all documents one after the other, no special tokens |
| `word_starts.npy` | (ceil(tokens / 8),) uint8 | one bit a token, highest first: does it begin a word |
| `sentences.npy` | (sentences + 1,) uint64 | token at which sentence i begins; the last is the total |
| `documents.npy` | (documents + 1,) uint64 | sentence at which document i begins; last, the total |
| `languages.npy` | (documents,) uint16 | language of document i: its place in `store.json`'s list |
| `tokenizer/` | | the tokenizer that made it |
| `store.json` | | counts, languages, sources, and the SHA-256 of every file |
"""

import json
import mmap
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ambos.errors import InputError
from ambos.files import sha256
from ambos.text.column import Column
from ambos.text.tokenizer import Tokenizer

FORMAT = 1
MANIFEST = "store.json"
COLUMNS = ("tokens", "word_starts", "sentences", "documents", "languages")
ENTRIES = frozenset({*(f"{name}.npy" for name in COLUMNS), "tokenizer", MANIFEST})
_SHOWN = 6  # names of what a folder holds instead
_REBUILD = "build the store again: ambos corpus build ... --force"


class TokenStore:
    """A built store, opened for reading; nothing is loaded until it is used.

    Examples
    --------
    >>> store = TokenStore("my-store")  # doctest: +SKIP
    >>> store.document(0)[:5]  # doctest: +SKIP
    memmap([ 812,   17, 9120,  455,    6], dtype=uint16)
    >>> store.text(0)  # doctest: +SKIP
    ['O gato dorme.', 'Ele ronca.']
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.manifest: dict[str, Any] = _read_manifest(self.path)
        arrays = {name: _open_column(self.path, name, self.manifest) for name in COLUMNS}
        self.columns = {name: Column.open(self.path / f"{name}.npy") for name in COLUMNS}
        self.tokens: NDArray[np.uint16] | NDArray[np.uint32] = arrays["tokens"]
        self.sentence_starts: NDArray[np.uint64] = arrays["sentences"]
        self.document_starts: NDArray[np.uint64] = arrays["documents"]
        self.document_languages: NDArray[np.uint16] = arrays["languages"]
        self.word_bits: NDArray[np.uint8] = arrays["word_starts"]

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.document_languages)

    @property
    def languages(self) -> list[str]:
        """Language codes; `document_languages` holds places in this list."""
        return list(self.manifest["languages"])

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer that made the store."""
        return Tokenizer.load(self.path / "tokenizer")

    def sentence_range(self, document: int) -> range:
        """Return the numbers of a document's sentences."""
        if not 0 <= document < len(self):
            raise IndexError(f"document {document} of a store of {len(self)}")
        return range(int(self.document_starts[document]), int(self.document_starts[document + 1]))

    def sentence(self, number: int) -> NDArray[Any]:
        """Return the ids of one sentence: (length,)."""
        begin, stop = self.sentence_starts[number], self.sentence_starts[number + 1]
        return self.tokens[int(begin) : int(stop)]

    def document(self, number: int) -> NDArray[Any]:
        """Return the ids of one document: (length,)."""
        sentences = self.sentence_range(number)
        begin, stop = self.sentence_starts[sentences.start], self.sentence_starts[sentences.stop]
        return self.tokens[int(begin) : int(stop)]

    def word_starts(self, begin: int, stop: int) -> NDArray[np.bool_]:
        """Tell for tokens `begin` to `stop` which of them begin a word: (stop - begin,)."""
        bits = np.unpackbits(self.word_bits[begin // 8 : -(-stop // 8)])
        return bits[begin % 8 : begin % 8 + stop - begin].astype(np.bool_)

    def language(self, document: int) -> str:
        """Return the language code of one document."""
        return self.languages[int(self.document_languages[document])]

    def counts_by_language(self) -> dict[str, dict[str, int]]:
        """Return documents, sentences and tokens of each language."""
        sentences = np.diff(self.document_starts)
        tokens = np.diff(self.sentence_starts[self.document_starts])
        return {
            name: {
                "documents": int((self.document_languages == number).sum()),
                "sentences": int(sentences[self.document_languages == number].sum()),
                "tokens": int(tokens[self.document_languages == number].sum()),
            }
            for number, name in enumerate(self.languages)
        }

    def text(self, document: int) -> list[str]:
        """Return the sentences of a document decoded back to text."""
        return [
            self.tokenizer.decode(self.sentence(place)).strip() for place in self.sentence_range(document)
        ]

    def release(self) -> None:
        """Let go of the memory that reading has filled, and expect reading at random places from now on.

        Without it, a long run would in time hold the whole store. Where the system cannot, nothing happens.
        """
        for column in (
            self.tokens,
            self.sentence_starts,
            self.document_starts,
            self.document_languages,
            self.word_bits,
        ):
            base: Any = column.base  # numpy's types know of arrays only
            if isinstance(base, mmap.mmap) and hasattr(mmap, "MADV_RANDOM"):
                base.madvise(mmap.MADV_RANDOM)  # single pages, not the long stretches of reading ahead
                base.madvise(mmap.MADV_DONTNEED)

    def verify(self) -> None:
        """Compare every file with its SHA-256; raise `InputError` that names the first that differs."""
        for name, digest in self.manifest["sha256"].items():
            file = self.path / name
            if not file.is_file() or sha256(file) != digest:
                raise InputError(
                    "a file of the store is damaged",
                    expected=f"SHA-256 {digest[:12]}...",
                    found="no such file" if not file.is_file() else f"SHA-256 {sha256(file)[:12]}...",
                    fix=_REBUILD,
                    file=file,
                )


def _read_manifest(path: Path) -> dict[str, Any]:
    file = path / MANIFEST
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
        found = manifest["format"]
        if found == FORMAT:
            _ = [manifest[key] for key in ("counts", "languages", "lengths", "plan", "sha256")]
            _ = [manifest["lengths"][name] for name in COLUMNS]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            "not a token store",
            expected=f"a folder with {MANIFEST} in it",
            found=_instead_of_store(path, error),
            fix=f"pass {path / 'store'}"
            if (path / "store" / MANIFEST).is_file()
            else "make one: ambos corpus build TEXT --tokenizer DIR --out STORE",
            file=path,
        ) from error
    if found != FORMAT:
        raise InputError(
            "a token store of another version",
            expected=f"format {FORMAT}",
            found=f"format {found}",
            fix=_REBUILD,
            file=file,
        )
    return dict(manifest)


def _instead_of_store(path: Path, error: Exception) -> str:
    """Say what there is where a store should be."""
    if not path.exists():
        return "no such folder"
    if not path.is_dir():
        return "a file"
    if not isinstance(error, FileNotFoundError):
        return str(error) or type(error).__name__
    there = sorted(entry.name for entry in path.iterdir() if not entry.name.startswith("."))
    more = f" and {len(there) - _SHOWN} more" if len(there) > _SHOWN else ""
    return ", ".join(there[:_SHOWN]) + more if there else "an empty folder"


def _open_column(path: Path, name: str, manifest: dict[str, Any]) -> NDArray[Any]:
    file = path / f"{name}.npy"
    try:
        array: NDArray[Any] = np.load(file, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InputError(
            "a file of the store cannot be read",
            found=str(error).splitlines()[0],
            fix=_REBUILD,
            file=file,
        ) from error
    if len(array) != manifest["lengths"][name]:
        raise InputError(
            "a file of the store is damaged",
            expected=f"{manifest['lengths'][name]:,} entries",
            found=f"{len(array):,}",
            fix=_REBUILD,
            file=file,
        )
    return array
