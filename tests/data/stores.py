"""Token stores written by hand, whose tokens say where they stand, and plain answers to where things lie."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import strategies as st

from ambos.text.store import COLUMNS, FORMAT, MANIFEST, TokenStore

Documents = Sequence[tuple[int, Sequence[int]]]  # the language of each, and the tokens of its sentences
DOCUMENTS = st.lists(
    st.tuples(st.integers(0, 1), st.lists(st.integers(1, 12), min_size=1, max_size=6)),
    min_size=1,
    max_size=15,
)


def write_store(
    folder: Path, documents: Documents, *, tokens: np.ndarray | None = None, words: np.ndarray | None = None
) -> TokenStore:
    """Write a store; token i is i, and a word of its own, unless told otherwise."""
    sentences = [size for _, sizes in documents for size in sizes]
    count = sum(sentences)
    columns = {
        "tokens": np.arange(count, dtype=np.uint32) if tokens is None else tokens.astype(np.uint32),
        "word_starts": np.packbits(np.ones(count, np.bool_) if words is None else words),
        "sentences": np.cumsum([0, *sentences]).astype(np.uint64),
        "documents": np.cumsum([0, *(len(sizes) for _, sizes in documents)]).astype(np.uint64),
        "languages": np.array([language for language, _ in documents], np.uint16),
    }
    for name in COLUMNS:
        np.save(folder / f"{name}.npy", columns[name])
    manifest = {
        "format": FORMAT,
        "counts": {},
        "languages": [f"l{number}" for number in range(1 + max(language for language, _ in documents))],
        "lengths": {name: len(columns[name]) for name in COLUMNS},
        "plan": {},
        "sha256": {},
    }
    (folder / MANIFEST).write_text(json.dumps(manifest))
    return TokenStore(folder)


def temporary_store(documents: Documents, **content: np.ndarray) -> TokenStore:
    """Write a store whose files are gone already: what is mapped stays."""
    with TemporaryDirectory() as folder:
        return write_store(Path(folder), documents, **content)


@dataclass(frozen=True)
class Where:
    """(tokens,) the sentence, document and language of every token of a store, looked up one by one."""

    sentence: np.ndarray
    document: np.ndarray
    language: np.ndarray

    @classmethod
    def of(cls, documents: Documents) -> "Where":
        rows = [
            (number, language, size) for number, (language, sizes) in enumerate(documents) for size in sizes
        ]
        flat = [
            (place, number, language)
            for place, (number, language, size) in enumerate(rows)
            for _ in range(size)
        ]
        return cls(*np.array(flat).T)

    def borders(self) -> np.ndarray:
        """The tokens before which a sentence begins, and the one after the last."""
        return np.append(np.flatnonzero(np.diff(self.sentence, prepend=-1)), len(self.sentence))


def random_documents(seed: int, count: int, sentences: int, longest: int, languages: int = 1) -> Documents:
    """Documents with up to so many sentences of up to so many tokens; neighbours often share a language."""
    chance = np.random.default_rng(seed)
    language = np.cumsum(chance.random(count) < 0.2) % languages
    return [
        (int(one), chance.integers(1, longest + 1, chance.integers(1, sentences + 1)).tolist())
        for one in language
    ]
