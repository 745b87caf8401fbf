"""Tokens by the table: every distinct word is tokenised once, then a corpus is encoded by looking words up.

White space of every kind is folded to single spaces first, so the text of a paragraph is its words joined by
one space. A tokenizer is *word-local* if the ids of a paragraph are the ids of its words put one after the
other (each with the space before it). All trained kinds, BERT, RoBERTa and XLM-R are; `is_word_local` reads
it off the tokenizer's parts, and `WordTable` compares with the tokenizer itself as it goes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ambos.errors import AmbosError
from ambos.text.sentences import sentence_ends, word_shape
from ambos.text.tokenizer import Tokenizer, replace_surrogates
from ambos.text.word_local import is_word_local

_CHECKED_WORDS = 1000  # of a sampled paragraph: a whole one may be a book


@dataclass(frozen=True)
class Tokenised:
    """Paragraphs as flat arrays.

    Parameters
    ----------
    ids : (tokens,)
    word_starts : (tokens,)
        True where a token begins a word.
    sentence_sizes : (sentences,)
        Tokens in each sentence, in order; none is empty.
    paragraph_sentences : (paragraphs,)
        Sentences in each paragraph; 0 for one that has no tokens.
    paragraph_words : (paragraphs,)
        White-space separated words in each paragraph.
    """

    ids: NDArray[np.uint32]
    word_starts: NDArray[np.bool_]
    sentence_sizes: NDArray[np.int64]
    paragraph_sentences: NDArray[np.int64]
    paragraph_words: NDArray[np.int64]


class _Index(dict[str, int]):
    """Numbers for words: one not met before gets the next number and is noted, with its prefix, as new."""

    def __init__(self, prefix: str, new: list[str], known: dict[str, int], numbered: int) -> None:
        super().__init__(known)
        self.numbered = numbered
        self._prefix = prefix
        self._new = new

    def __missing__(self, word: str) -> int:
        number = self[word] = self.numbered + len(self._new)
        self._new.append(self._prefix + word)
        return number


@dataclass
class _Learnt:
    """What is known of each numbered word. Tokens of word n: `ids[begins[n] : begins[n] + sizes[n]]`."""

    shapes: NDArray[np.uint8]
    begins: NDArray[np.int64]
    sizes: NDArray[np.int64]
    seen: NDArray[np.int64]
    ids: NDArray[np.uint32]
    word_starts: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.sizes)


_NOTHING = _Learnt(
    shapes=np.zeros(0, np.uint8),
    begins=np.zeros(0, np.int64),
    sizes=np.zeros(0, np.int64),
    seen=np.zeros(0, np.int64),
    ids=np.zeros(0, np.uint32),
    word_starts=np.zeros(0, np.bool_),
)


class WordTable:
    """Encodes paragraphs with a tokenizer, tokenising each distinct word once.

    Parameters
    ----------
    tokenizer
        Any tokenizer; one that is not word-local is called on every paragraph instead of on every word.
    capacity
        Distinct words kept; when there are more, only the frequent ones stay.
    check_every
        Every so many paragraphs one is tokenised by the tokenizer itself and compared.

    Examples
    --------
    >>> table = WordTable(Tokenizer.load("my-tokenizer"))  # doctest: +SKIP
    >>> table.encode(["O gato dorme. Ele ronca."]).sentence_sizes  # doctest: +SKIP
    array([4, 3])
    """

    def __init__(self, tokenizer: Tokenizer, *, capacity: int = 400_000, check_every: int = 500) -> None:
        # A special token spelled out in a corpus is text: it must not become the id of a real one. Unigram
        # models have them among their pieces, and find them even so; those become the unknown token.
        self._backend = type(tokenizer.backend).from_str(tokenizer.backend.to_str())
        self._backend.encode_special_tokens = True
        self._as_text = np.arange(tokenizer.vocab_size, dtype=np.uint32)
        unknown = tokenizer.special_id("unk")
        if unknown is not None:
            self._as_text[tokenizer.special_ids] = unknown
        self._capacity = capacity
        self._check_every = check_every
        self.word_local = is_word_local(tokenizer)
        self._new: list[str] = []
        self._hold({}, {}, _NOTHING)

    def __len__(self) -> int:
        """Return how many words are known."""
        return len(self._learnt)

    def _hold(self, inner: dict[str, int], first: dict[str, int], learnt: _Learnt) -> None:
        self._learnt = learnt
        self._inner = _Index(" ", self._new, inner, len(learnt))  # words after a space
        self._first = _Index("", self._new, first, len(learnt))  # words that begin a paragraph

    def encode(self, paragraphs: Sequence[str]) -> Tokenised:
        """Encode paragraphs without special tokens, and split them into sentences.

        The ids of a paragraph are those of `" ".join(paragraph.split())`.
        """
        words: list[str] = []
        counts = []
        for paragraph in paragraphs:
            inside = paragraph.split()
            words += inside
            counts.append(len(inside))
        word_counts = np.array(counts, np.int64)
        numbers = self._look_up(words, word_counts)
        last = np.zeros(len(words), np.bool_)
        last[np.cumsum(word_counts)[word_counts > 0] - 1] = True
        ends = np.flatnonzero(sentence_ends(self._learnt.shapes[numbers], last))
        result = (self._gather if self.word_local else self._tokenise)(words, numbers, word_counts, ends)
        if self.word_local:
            self._check(words, word_counts, result)
        self._forget()
        return result

    def _look_up(self, words: list[str], word_counts: NDArray[np.int64]) -> NDArray[np.int32]:
        numbers = np.fromiter(map(self._inner.__getitem__, words), np.int32, len(words))
        begins = (np.cumsum(word_counts) - word_counts)[word_counts > 0]
        numbers[begins] = [self._first[words[begin]] for begin in begins]
        if self._new:
            self._learn()
        self._learnt.seen += np.bincount(numbers, minlength=len(self._learnt))
        return numbers

    def _learn(self) -> None:
        chunks = [replace_surrogates(chunk) for chunk in self._new]
        ids = np.zeros(0, np.uint32)
        word_starts = np.zeros(0, np.bool_)
        sizes = np.zeros(len(chunks), np.int64)
        if self.word_local:
            # Words after a space go through the tokenizer many at a time: a call for each is twice as slow.
            inner = [chunk for chunk in chunks if chunk.startswith(" ")]
            texts = [inner[begin : begin + 256] for begin in range(0, len(inner), 256)]
            texts += [[chunk] for chunk in chunks[len(inner) :]]
            ids, word_starts, ends = self._encode_chunks(texts)
            sizes = np.diff(ends, prepend=0)
        shapes = np.array([word_shape(chunk.removeprefix(" ")) for chunk in chunks], np.uint8)
        old = self._learnt
        self._learnt = _Learnt(
            shapes=np.concatenate([old.shapes, shapes]),
            begins=np.concatenate([old.begins, len(old.ids) + np.cumsum(sizes) - sizes]),
            sizes=np.concatenate([old.sizes, sizes]),
            seen=np.concatenate([old.seen, np.zeros(len(chunks), np.int64)]),
            ids=np.concatenate([old.ids, ids]),
            word_starts=np.concatenate([old.word_starts, word_starts]),
        )
        self._new.clear()
        self._inner.numbered = self._first.numbered = len(self._learnt)

    def _forget(self) -> None:
        """Let go of rare words when the table is full: what came once in so much text seldom comes again."""
        if len(self._learnt) <= self._capacity:
            return
        learnt = self._learnt
        ranked = np.argsort(-learnt.seen, kind="stable")[: self._capacity // 2]
        kept = np.sort(ranked[learnt.seen[ranked] > 1])
        renumbered = np.full(len(learnt), -1, np.int64)
        renumbered[kept] = np.arange(len(kept))
        at = _spans(learnt.begins[kept], learnt.sizes[kept])
        sizes = learnt.sizes[kept]
        smaller = _Learnt(
            shapes=learnt.shapes[kept],
            begins=np.cumsum(sizes) - sizes,
            sizes=sizes,
            seen=learnt.seen[kept] // 2,  # old news fades
            ids=learnt.ids[at],
            word_starts=learnt.word_starts[at],
        )
        inner, first = (
            {word: int(renumbered[number]) for word, number in index.items() if renumbered[number] >= 0}
            for index in (self._inner, self._first)
        )
        self._hold(inner, first, smaller)

    def _gather(
        self,
        _: list[str],
        numbers: NDArray[np.int32],
        word_counts: NDArray[np.int64],
        ends: NDArray[np.int64],
    ) -> Tokenised:
        sizes = self._learnt.sizes[numbers]
        at = _spans(self._learnt.begins[numbers], sizes)
        return _assemble(
            self._learnt.ids[at], self._learnt.word_starts[at], np.cumsum(sizes), word_counts, ends
        )

    def _tokenise(
        self,
        words: list[str],
        _: NDArray[np.int32],
        word_counts: NDArray[np.int64],
        ends: NDArray[np.int64],
    ) -> Tokenised:
        """Encode with the tokenizer itself, paragraph by paragraph."""
        ids, word_starts, word_token_ends = self._encode_chunks(_paragraph_chunks(words, word_counts))
        return _assemble(ids, word_starts, word_token_ends, word_counts, ends)

    def _encode_chunks(
        self, texts: Iterable[list[str]]
    ) -> tuple[NDArray[np.uint32], NDArray[np.bool_], NDArray[np.int64]]:
        """Encode texts given as lists of chunks; return ids, word starts, and where each chunk's tokens end.

        A token belongs to the chunk in which it begins (a chunk has the space *before* its word).
        """
        ids: list[int] = []
        words: list[bool] = []
        ends = [np.zeros(0, np.int64)]
        chunked = list(texts)
        encodings = self._backend.encode_batch(
            ["".join(chunks) for chunks in chunked], add_special_tokens=False
        )
        for encoding, chunks in zip(encodings, chunked, strict=True):
            begins = np.array([begin for begin, _ in encoding.offsets], np.int64)
            inside = np.searchsorted(begins, np.cumsum([len(chunk) for chunk in chunks]), side="left")
            inside[-1:] = len(begins)
            ends.append(len(ids) + inside)
            ids += encoding.ids
            numbers = encoding.word_ids
            words += [number == 0 or numbers[number - 1] != word for number, word in enumerate(numbers)]
        return self._as_text[ids], np.array(words, np.bool_), np.concatenate(ends)

    def _check(self, words: list[str], word_counts: NDArray[np.int64], result: Tokenised) -> None:
        """Compare a sample of paragraphs with what the tokenizer gives for them whole."""
        token_stops = np.concatenate([[0], np.cumsum(result.sentence_sizes)])
        stops = token_stops[np.cumsum(result.paragraph_sentences)]
        begins = np.concatenate([[0], stops])[:-1]
        sample = slice(None, None, self._check_every)
        paragraphs = _paragraph_chunks(words, word_counts, sample, _CHECKED_WORDS)
        for chunks, begin, stop in zip(paragraphs, begins[sample], stops[sample], strict=True):
            expected, _, _ = self._encode_chunks([chunks])
            stop = min(stop, begin + len(expected)) if len(chunks) == _CHECKED_WORDS else stop  # noqa: PLW2901
            if not np.array_equal(expected, result.ids[begin:stop]):
                raise AmbosError(
                    "this tokenizer does not treat words one by one, as its parts suggest",
                    found=f"different ids for: {''.join(chunks)[:80]}",
                    fix="please report it together with the tokenizer.json",
                )


def _paragraph_chunks(
    words: list[str], word_counts: NDArray[np.int64], which: slice = slice(None), most: int | None = None
) -> Iterator[list[str]]:
    """Yield the words of paragraphs (at most so many), all but the first with the space before it."""
    stops = np.cumsum(word_counts)
    for begin, stop in zip((stops - word_counts)[which], stops[which], strict=True):
        inside = words[begin:stop][:most]
        yield [replace_surrogates(word if number == 0 else f" {word}") for number, word in enumerate(inside)]


def _spans(begins: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return `begins[0], begins[0] + 1, ...` for the first span, then the second: one index for all."""
    stops = np.cumsum(sizes)
    total = int(stops[-1]) if len(stops) else 0
    return np.repeat(begins - (stops - sizes), sizes) + np.arange(total)


def _assemble(
    ids: NDArray[np.uint32],
    word_starts: NDArray[np.bool_],
    word_token_ends: NDArray[np.int64],
    word_counts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> Tokenised:
    """Cut at sentence ends (given as word numbers); sentences of which no token is left are dropped."""
    sizes = np.diff(word_token_ends[ends], prepend=0)
    paragraphs = np.repeat(np.arange(len(word_counts)), word_counts)[ends]
    full = sizes > 0
    return Tokenised(
        ids=ids,
        word_starts=word_starts,
        sentence_sizes=sizes[full],
        paragraph_sentences=np.bincount(paragraphs[full], minlength=len(word_counts)),
        paragraph_words=word_counts,
    )
