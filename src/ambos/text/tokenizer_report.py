"""How well a tokenizer suits a text: fertility, unknown tokens, coverage, longest documents, by language."""

import heapq
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ambos.errors import InputError
from ambos.text.readers import Document
from ambos.text.tokenizer import Tokenizer, replace_surrogates

# Counted without asking any tokenizer, so that figures of different tokenizers compare.
_WORD = re.compile(r"\w+|[^\w\s]")
_DOCUMENTS_AT_ONCE = 64
_LONGEST = 5


@dataclass
class LanguageFigures:
    """Counts over the documents of one language, and the rates that follow from them.

    A *word* here is a run of letters and digits, or one punctuation mark.
    """

    documents: int = 0
    words: int = 0
    whole_words: int = 0
    covered_words: int = 0
    tokens: int = 0
    unknown_tokens: int = 0
    used: set[int] = field(default_factory=set, repr=False)

    @property
    def fertility(self) -> float:
        """Tokens per word; 1 means that every word is one token."""
        return self.tokens / self.words if self.words else float("nan")

    @property
    def whole(self) -> float:
        """Share of words that are a single token."""
        return self.whole_words / self.words if self.words else float("nan")

    @property
    def coverage(self) -> float:
        """Share of words spelled without the unknown token."""
        return self.covered_words / self.words if self.words else float("nan")

    @property
    def unknown(self) -> float:
        """Share of tokens that are the unknown token."""
        return self.unknown_tokens / self.tokens if self.tokens else float("nan")


@dataclass(frozen=True, order=True)
class LongDocument:
    """A document among the longest, by its number of tokens."""

    tokens: int
    file: str
    line: int
    beginning: str


@dataclass(frozen=True)
class TokenizerReport:
    """Figures by language (`all` first), and the longest documents."""

    figures: dict[str, LanguageFigures]
    longest: list[LongDocument]
    vocab_size: int

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for `--json`."""
        return {
            "vocab_size": self.vocab_size,
            "languages": {
                language: {
                    "documents": row.documents,
                    "words": row.words,
                    "tokens": row.tokens,
                    "fertility": row.fertility,
                    "whole_words": row.whole,
                    "unknown": row.unknown,
                    "coverage": row.coverage,
                    "vocabulary_used": len(row.used),
                }
                for language, row in self.figures.items()
            },
            "longest": [asdict(document) for document in self.longest],
        }


def report_tokenizer(tokenizer: Tokenizer, documents: Iterable[Document]) -> TokenizerReport:
    """Encode documents and count.

    Examples
    --------
    >>> report = report_tokenizer(tokenizer, read_documents(find_sources(["dev.txt"])))  # doctest: +SKIP
    >>> round(report.figures["all"].fertility, 2)  # doctest: +SKIP
    1.21
    """
    figures: dict[str, LanguageFigures] = {}
    longest: list[LongDocument] = []
    unknown = tokenizer.special_id("unk")
    for document, counted in _encode(tokenizer, documents, unknown):
        row = figures.setdefault(document.language, LanguageFigures())
        row.documents += 1
        row.words += counted.words
        row.whole_words += counted.whole_words
        row.covered_words += counted.covered_words
        row.tokens += counted.tokens
        row.unknown_tokens += counted.unknown_tokens
        row.used |= counted.used
        beginning = " ".join(document.text[:200].split())[:60]
        heapq.heappush(longest, LongDocument(counted.tokens, str(document.file), document.line, beginning))
        if len(longest) > _LONGEST:
            heapq.heappop(longest)
    if not figures:
        raise InputError("there is no text in these files", expected="at least one document")
    everything = {"all": _total(figures.values())} if len(figures) > 1 else {}
    ranked = sorted(longest, reverse=True)
    return TokenizerReport({**everything, **dict(sorted(figures.items()))}, ranked, tokenizer.vocab_size)


def _total(rows: Iterable[LanguageFigures]) -> LanguageFigures:
    total = LanguageFigures()
    for row in rows:
        for name, value in vars(row).items():
            old = getattr(total, name)
            setattr(total, name, old | value if isinstance(value, set) else old + value)
    return total


def _encode(
    tokenizer: Tokenizer, documents: Iterable[Document], unknown: int | None
) -> Iterator[tuple[Document, LanguageFigures]]:
    """Yield each document with its own counts; the tokenizer gets many paragraphs at a time."""
    stream = iter(documents)
    while batch := list(islice(stream, _DOCUMENTS_AT_ONCE)):
        paragraphs = [
            (number, line) for number, document in enumerate(batch) for line in document.text.split("\n")
        ]
        texts = [replace_surrogates(line) for _, line in paragraphs]
        encodings = tokenizer.backend.encode_batch(texts, add_special_tokens=False)
        counts = [LanguageFigures() for _ in batch]
        for (number, _), text, encoding in zip(paragraphs, texts, encodings, strict=True):
            begins = np.array([begin for begin, _ in encoding.offsets], np.int64)
            _count(counts[number], text, np.array(encoding.ids, np.int64), begins, unknown)
        yield from zip(batch, counts, strict=True)


def _count(
    row: LanguageFigures, text: str, ids: NDArray[np.int64], begins: NDArray[np.int64], unknown: int | None
) -> None:
    words = np.array([match.start() for match in _WORD.finditer(text)], np.int64)
    is_unknown = ids == (-1 if unknown is None else unknown)
    if len(words):
        owners = np.maximum(np.searchsorted(words, begins, side="right") - 1, 0)
        row.whole_words += int((np.bincount(owners, minlength=len(words)) == 1).sum())
        row.covered_words += len(words) - len(np.unique(owners[is_unknown]))
    row.words += len(words)
    row.tokens += len(ids)
    row.unknown_tokens += int(is_unknown.sum())
    row.used.update(ids.tolist())
