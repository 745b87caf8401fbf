"""The two parts of a corpus: what is trained on, and what is kept back to measure with."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ambos.data.draws import Draws
from ambos.text.store import TokenStore

Int = NDArray[np.int64]
_CHUNK = 500_000  # sentences looked at together: what bounds the memory of planning
_ENOUGH = 100_000  # tokens kept back of a large corpus
_SHARE = 0.02  # of a small one


@dataclass(frozen=True)
class Chunk:
    """Neighbouring sentences of a store, one entry each, and where they belong.

    Parameters
    ----------
    starts
        (sentences + 1,) the token at which each begins, and the one after the last.
    documents, languages
        (sentences,) numbers of document and language.
    document_stops, stretch_stops
        (sentences,) the sentence of the chunk before which its document ends, and before which it ends to be
        followed by text of the same part and language.
    used
        (sentences,) whether it belongs to the part.
    """

    starts: Int
    documents: Int
    languages: Int
    document_stops: Int
    stretch_stops: Int
    used: NDArray[np.bool_]


@dataclass(frozen=True)
class Part:
    """Some documents of a store.

    Parameters
    ----------
    store
        The tokens.
    kept_back
        Numbers, in order, of the documents that are for measuring.
    tail
        The sentence from which on all is for measuring: how a corpus of very few documents is divided.
    measuring
        Whether this is the part for measuring, or the one to train on.
    """

    store: TokenStore
    kept_back: Int
    tail: int
    measuring: bool

    @property
    def count(self) -> int:
        """How many documents there are in the part, whole or in part."""
        every, before = len(self.store), self._documents_before_tail
        if self.tail < self._sentences:
            return every - self._first_of_tail if self.measuring else before
        return len(self.kept_back) if self.measuring else every - len(self.kept_back)

    @property
    def tokens(self) -> int:
        """How many tokens there are in the part."""
        starts = self.store.sentence_starts
        if self.tail < self._sentences:
            kept = int(starts[-1]) - int(starts[self.tail])
        else:
            borders = [self.store.columns["sentences"].take(one) for one in self.sentences(self.kept_back)]
            kept = int((borders[1] - borders[0]).sum())
        return kept if self.measuring else int(starts[-1]) - kept

    @property
    def _sentences(self) -> int:
        return len(self.store.sentence_starts) - 1

    @property
    def _documents_before_tail(self) -> int:
        return min(self.store.columns["documents"].place(self.tail, "left"), len(self.store))

    @property
    def _first_of_tail(self) -> int:
        return self.store.columns["documents"].place(self.tail, "right") - 1

    def document(self, rank: Int) -> Int:
        """Return the number of the document at `rank`, counted within the part."""
        if self.tail < self._sentences:
            return rank + (self._first_of_tail if self.measuring else 0)
        if self.measuring:
            return self.kept_back[rank]
        return rank + np.searchsorted(self.kept_back - np.arange(len(self.kept_back)), rank, side="right")

    def rank(self, document: Int) -> Int:
        """Return the place of a document within the part: the inverse of `document`."""
        if self.tail < self._sentences:
            return document - (self._first_of_tail if self.measuring else 0)
        before = np.searchsorted(self.kept_back, document)
        return before if self.measuring else document - before

    def sentences(self, document: Int) -> tuple[Int, Int]:
        """Return the first sentence of each document, and the one after its last, within the part."""
        borders = self.store.columns["documents"]
        first, stop = (borders.take(one).astype(np.int64) for one in (document, document + 1))
        if self.tail < self._sentences:
            return (
                (np.maximum(first, self.tail), stop)
                if self.measuring
                else (first, np.minimum(stop, self.tail))
            )
        return first, stop

    def chunks(self) -> Iterator[Chunk]:
        """Walk through the sentences of the store in order."""
        for first in range(0, self._sentences, _CHUNK):
            yield self._chunk(first, min(first + _CHUNK, self._sentences))

    def _chunk(self, first: int, stop: int) -> Chunk:
        columns = self.store.columns
        borders = columns["documents"]
        low, high = borders.place(first, "right") - 1, borders.place(stop, "left")
        inside = np.clip(borders.read(low, high + 1).astype(np.int64), first, stop)
        documents = np.repeat(np.arange(low, high), np.diff(inside))
        sentences = np.arange(first, stop)
        by_tail = self.tail < self._sentences
        kept = sentences >= self.tail if by_tail else np.isin(documents, self.kept_back)
        used = kept if self.measuring else ~kept
        languages = columns["languages"].read(low, high).astype(np.int64)[documents - low]
        return Chunk(
            starts=columns["sentences"].read(first, stop + 1).astype(np.int64),
            documents=documents,
            languages=languages,
            document_stops=_stops(documents * 2 + used),
            stretch_stops=_stops(languages * 2 + used),
            used=used,
        )


def divide(store: TokenStore) -> tuple[Part, Part]:
    """Divide a store into what is trained on and what is kept back: the same store, the same parts.

    Whole documents are kept back, drawn at random, until they hold 2 % of the tokens, or 100,000. If that
    would take more than a tenth of the documents or of the tokens (a corpus of very few, long documents),
    the end of the corpus is.
    """
    total = int(store.sentence_starts[-1])
    sentences = len(store.sentence_starts) - 1
    wanted = min(_ENOUGH, total * _SHARE)
    draws = Draws.of("kept back")
    found: list[int] = []
    tokens = 0
    for place in range(len(store) // 10):
        if tokens >= wanted:
            break
        document = int(draws.shuffled(place, len(store))[0])
        found.append(document)
        first, stop = store.columns["documents"].read(document, document + 2).astype(np.int64)
        tokens += int(np.diff(store.columns["sentences"].take(np.array([first, stop])).astype(np.int64))[0])
    if wanted <= tokens <= total / 10:
        kept, tail = np.array(sorted(found), np.int64), sentences
    else:
        kept = np.zeros(0, np.int64)
        tail = store.columns["sentences"].place(int(total - wanted), "right") - 1
        tail = min(max(tail, 1), sentences)
    return Part(store, kept, tail, measuring=False), Part(store, kept, tail, measuring=True)


def whole(store: TokenStore, *, measuring: bool) -> Part:
    """Return all of a store as one part."""
    sentences = len(store.sentence_starts) - 1
    kept = np.arange(len(store)) if measuring else np.zeros(0, np.int64)
    return Part(store, kept, sentences, measuring=measuring)


def _stops(keys: Int) -> Int:
    """Return for every place the one after the last of its run of equal neighbours.

    Examples
    --------
    >>> _stops(np.array([7, 7, 3, 7])).tolist()
    [2, 2, 3, 4]
    """
    changes = np.flatnonzero(keys[1:] != keys[:-1]) + 1
    stops = np.append(changes, len(keys))
    return np.repeat(stops, np.diff(stops, prepend=0))
