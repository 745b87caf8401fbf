"""How well a tokenizer suits a text: fertility, unknown tokens, coverage, longest documents, by language."""

import heapq
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ambos.errors import InputError
from ambos.text.readers import Document
from ambos.text.tokenizer import Tokenizer, replace_surrogates

# Counted without asking any tokenizer, so that figures of different tokenizers compare.
_WORD = re.compile(r"\w+|[^\w\s]")
_AT_ONCE = 1_000_000  # characters
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
    batch: list[Document] = []
    size = 0
    for document in documents:
        if len(document.text) > _AT_ONCE:
            pieces = [document._replace(text=text) for text in _pieces(document.text)]
            yield (
                document,
                replace(_total(_count(tokenizer, [piece], unknown)[0] for piece in pieces), documents=1),
            )
            continue
        batch.append(document)
        size += len(document.text) + 1
        if size >= _AT_ONCE:
            yield from zip(batch, _count(tokenizer, batch, unknown), strict=True)
            batch, size = [], 0
    yield from zip(batch, _count(tokenizer, batch, unknown), strict=True)


def _pieces(text: str) -> Iterator[str]:
    """Cut a large document between paragraphs, to bound the memory it takes."""
    piece: list[str] = []
    size = 0
    for paragraph in text.split("\n"):
        piece.append(paragraph)
        size += len(paragraph)
        if size >= _AT_ONCE:
            yield "\n".join(piece)
            piece, size = [], 0
    yield "\n".join(piece)


def _count(tokenizer: Tokenizer, batch: list[Document], unknown: int | None) -> list[LanguageFigures]:
    """Count many documents at once: their paragraphs are laid end to end, and words and tokens with them."""
    if not batch:
        return []
    owners: list[int] = []  # of each paragraph, token and word: the document
    texts: list[str] = []
    for number, document in enumerate(batch):
        for paragraph in document.text.split("\n"):
            owners.append(number)
            texts.append(replace_surrogates(paragraph))
    encodings = tokenizer.backend.encode_batch(texts, add_special_tokens=False)
    ids, begins, words = [], [], []
    token_counts, word_counts = [], []
    base = 0
    for text, encoding in zip(texts, encodings, strict=True):
        found = [base + match.start() for match in _WORD.finditer(text)]
        words += found
        word_counts.append(len(found))
        ids += encoding.ids
        begins += [base + _after_space(text, begin) for begin, _ in encoding.offsets]
        token_counts.append(len(encoding))
        base += len(text) + 1
    token_documents = np.repeat(np.array(owners, np.int64), token_counts)
    word_documents = np.repeat(np.array(owners, np.int64), word_counts)
    all_ids = np.array(ids, np.int64)
    is_unknown = all_ids == (-1 if unknown is None else unknown)
    # A token belongs to the word in which it begins; what begins before any word counts for the first.
    token_words = np.searchsorted(np.array(words, np.int64), np.array(begins, np.int64), side="right") - 1
    per_word = np.bincount(np.maximum(token_words, 0), minlength=len(words))[: len(words)]
    uncovered = np.bincount(np.maximum(token_words[is_unknown], 0), minlength=len(words))[: len(words)] > 0

    def by_document(documents: NDArray[np.int64]) -> list[int]:
        return [int(count) for count in np.bincount(documents, minlength=len(batch))]

    used = np.split(all_ids, np.cumsum(by_document(token_documents))[:-1])
    columns = {
        "words": by_document(word_documents),
        "whole_words": by_document(word_documents[per_word == 1]),
        "covered_words": by_document(word_documents[~uncovered]),
        "tokens": by_document(token_documents),
        "unknown_tokens": by_document(token_documents[is_unknown]),
        "used": [set(inside.tolist()) for inside in used],
    }
    rows = zip(*columns.values(), strict=True)
    return [LanguageFigures(documents=1, **dict(zip(columns, row, strict=True))) for row in rows]


def _after_space(text: str, begin: int) -> int:
    """Return where a token's own characters begin; the markers of some kinds cover the space before them."""
    while begin < len(text) and text[begin].isspace():
        begin += 1
    return begin
