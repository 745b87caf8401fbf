"""Figures of labelled rows, counted as they stream by: some fifty bytes are kept of each, never its text."""

import hashlib
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ambos.data.rows import PairRow, QuestionRow, Row, TextRow, WordsRow, is_blank
from ambos.data.sequences import Layout
from ambos.text.tokenizer import Tokenizer, replace_surrogates

Place = tuple[str, int]  # file and line

_AT_ONCE = 1_000_000  # characters


@dataclass(frozen=True)
class Share:
    """How many rows (of tags: words) have a label, and what part that is of all."""

    count: int
    share: float


@dataclass(frozen=True)
class ScoreFigures:
    """Between which values scores lie."""

    least: float
    mean: float
    most: float


@dataclass(frozen=True)
class TokenFigures:
    """Lengths of rows in tokens, special ones included, and how well the tokenizer suits the texts.

    Parameters
    ----------
    p50, p90, p99, longest
        The length that 50, 90, 99 and 100 of a hundred rows do not exceed.
    fertility
        Tokens for each word; a word is what stands between white space.
    unknown
        The share of tokens that are the unknown token.
    cut_rows, cut_tokens
        Rows longer than the limit, and their tokens beyond it; 0 without a limit.
    """

    tokens: int
    p50: int
    p90: int
    p99: int
    longest: int
    fertility: float
    unknown: float
    cut_rows: int
    cut_tokens: int


class Tally:
    """Counts the rows of one split.

    Two texts are the same if they are so after `fold`. The text of a pair is all of its texts, that of a
    question is question and passage; `shared` is what another split should not have: of a question the
    passage alone.

    Attributes
    ----------
    labels
        How often each label occurs; of questions, whether there is an answer.
    first
        Where each label stands first; of a tag, the line of its word.
    has_tags, has_pairs
        Whether the labels are tags of words; whether the rows are pairs of texts.
    empty
        Numbers of the rows without a text.
    """

    def __init__(self, rows: Iterable[Row], tokenizer: Tokenizer | None = None) -> None:
        self.labels: Counter[str] = Counter()
        self.first: dict[str, Place] = {}
        self.has_tags = self.has_pairs = False
        self.empty: list[int] = []
        self.tokens = None if tokenizer is None else _Tokens(tokenizer)
        self._units = 0
        self._scores = array("d")
        self._texts, self._passages, self._answers = bytearray(), bytearray(), bytearray()
        self._files: dict[str, int] = {}
        self._file, self._line = array("I"), array("I")
        self._ids: list[str] = []  # of questions alone
        for row in rows:
            self._add(row)
        if self.tokens is not None:
            self.tokens.finish()

    def _add(self, row: Row) -> None:
        texts, labels, answer = _parts(row)
        if any(map(is_blank, texts)):
            self.empty.append(len(self))
        self.labels.update(labels)
        for place, label in enumerate(labels):
            if label not in self.first:
                line = row.line_of(place) if isinstance(row, WordsRow) else row.line
                self.first[label] = str(row.file), line
        self.has_tags = self.has_tags or isinstance(row, WordsRow)
        self.has_pairs = self.has_pairs or isinstance(row, PairRow)
        self._units += len(labels) if isinstance(row, WordsRow) else 1
        if isinstance(row, TextRow | PairRow) and row.score is not None:
            self._scores.append(row.score)
        if isinstance(row, QuestionRow):
            self._passages += _digest(fold(row.passage), 16)
            self._ids.append(row.id)
        self._texts += _digest("\n".join(map(fold, texts)), 16)  # no line ends within: fold makes them spaces
        self._answers += _digest(repr(answer), 8)
        self._file.append(self._files.setdefault(str(row.file), len(self._files)))
        self._line.append(row.line)
        if self.tokens is not None:
            self.tokens.add(texts)

    def __len__(self) -> int:
        return len(self._line)

    @property
    def has_questions(self) -> bool:
        """Whether the rows are questions."""
        return bool(self._passages)

    @property
    def texts(self) -> NDArray[np.bytes_]:
        """A digest of the text of each row: (rows,)."""
        return np.frombuffer(self._texts, "S16")

    @property
    def shared(self) -> NDArray[np.bytes_]:
        """A digest of what no row of another split should have: (rows,)."""
        return np.frombuffer(self._passages, "S16") if self._passages else self.texts

    @property
    def answers(self) -> NDArray[np.bytes_]:
        """A digest of the labels, tags, score or answers of each row: (rows,)."""
        return np.frombuffer(self._answers, "S8")

    def place(self, row: int) -> Place:
        """Return file and line of a row by its number."""
        return list(self._files)[self._file[row]], self._line[row]

    def id(self, row: int) -> str | None:
        """Return the id of a question by the number of its row; None of other rows, and where it has none."""
        name = self._ids[row] if self._ids else None
        file, line = self.place(row)
        return None if name == f"{file}:{line}" else name

    def shares(self) -> dict[str, Share]:
        """Return how often each label occurs, the most frequent first."""
        return {label: Share(count, count / self._units) for label, count in self.labels.most_common()}

    def scores(self) -> ScoreFigures | None:
        """Return the range of scores, if there are any."""
        if not self._scores:
            return None
        scores = np.frombuffer(self._scores)
        return ScoreFigures(float(scores.min()), float(scores.mean()), float(scores.max()))


class _Tokens:
    """Counts tokens, many rows at a time."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        unknown = tokenizer.special_id("unk")
        self._unknown_id = -1 if unknown is None else unknown
        self._special = tokenizer.encode("a").sides.count(None), tokenizer.encode("a", "b").sides.count(None)
        self._next: int | None = None  # special tokens before each text after the second
        self._lengths = array("I")
        self._unknown = self._words = self._around = 0
        self._waiting: list[str | tuple[str, str]] = []
        self._further: list[int] = []  # of each row that waits, how many texts come alone after the second
        self._characters = 0

    def add(self, texts: tuple[str, ...]) -> None:
        clean = [replace_surrogates(text) for text in texts]
        self._words += sum(len(text.split()) for text in clean)
        further = clean[2:]
        if further and self._next is None:
            self._next = len(Layout.of(self._tokenizer).between)
        self._around += self._special[min(len(clean), 2) - 1] + (self._next or 0) * len(further)
        self._waiting += [clean[0] if len(clean) == 1 else (clean[0], clean[1]), *further]
        self._further.append(len(further))
        self._characters += sum(map(len, clean))
        if self._characters >= _AT_ONCE:
            self.finish()

    def finish(self) -> None:
        found = self._tokenizer.backend.encode_batch_fast(self._waiting, add_special_tokens=True)
        self._unknown += sum(encoding.ids.count(self._unknown_id) for encoding in found)
        encodings = iter(found)
        for further in self._further:
            length = len(next(encodings).ids)
            for _ in range(further):
                length += len(next(encodings).ids) - self._special[0] + (self._next or 0)
            self._lengths.append(length)
        self._waiting, self._further, self._characters = [], [], 0

    def figures(self, limit: int | None) -> TokenFigures | None:
        """Return the figures, or None of no rows."""
        lengths = np.frombuffer(self._lengths, np.uint32).astype(np.int64)
        if not len(lengths):
            return None
        tokens = int(lengths.sum())
        p50, p90, p99, longest = np.quantile(lengths, [0.5, 0.9, 0.99, 1], method="inverted_cdf").tolist()
        beyond = np.maximum(lengths - (longest if limit is None else limit), 0)
        return TokenFigures(
            tokens=tokens,
            p50=p50,
            p90=p90,
            p99=p99,
            longest=longest,
            fertility=(tokens - self._around) / max(self._words, 1),
            unknown=self._unknown / max(tokens - self._around, 1),
            cut_rows=int(np.count_nonzero(beyond)),
            cut_tokens=int(beyond.sum()),
        )


def fold(text: str) -> str:
    r"""Return one spelling for texts that differ only in how accents are composed, case and white space.

    Examples
    --------
    >>> fold("  São\nPAULO ") == fold("sa\u0303o paulo")
    True
    """
    if not text.isascii():
        text = unicodedata.normalize("NFD", text)  # before, too: of some marks case folding makes letters
    return " ".join(unicodedata.normalize("NFC", text.casefold()).split())


def _digest(text: str, size: int) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()


def _parts(row: Row) -> tuple[tuple[str, ...], tuple[str, ...], object]:
    """Return the texts of a row, its labels, and all that two rows of one text should agree in."""
    if isinstance(row, WordsRow):
        return (" ".join(row.words),), row.tags, row.tags
    if isinstance(row, QuestionRow):
        answered = "answerable" if row.answers else "unanswerable"
        return (row.question, row.passage), (answered,), row.answers
    texts = (row.text,) if isinstance(row, TextRow) else (row.text_a, row.text_b, *row.more)
    return texts, row.labels, (sorted(row.labels), row.score)
