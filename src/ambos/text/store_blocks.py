"""Blocks of documents to blocks of tokens, in several processes, results in order."""

import hashlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.connection import wait

import numpy as np
from numpy.typing import NDArray

from ambos.errors import AmbosError
from ambos.text.interrupts import interrupts_later
from ambos.text.tokenizer import Tokenizer
from ambos.text.words import Tokenised, WordTable


class WorkerLostError(AmbosError):
    """A worker process died, through no fault of the input."""


Block = list[tuple[str, str]]  # (text, language) of each document
_AT_ONCE = 1_000_000  # characters tokenised at a time: bounds the memory that a large document takes


@dataclass(frozen=True)
class TokenisedBlock:
    """Documents as flat arrays.

    Parameters
    ----------
    ids, word_starts : (tokens,)
    sentence_sizes : (sentences,)
        Tokens in each sentence.
    document_sentences, document_words : (documents,)
    digests : (documents,)
        16 bytes that stand for each document's text.
    languages
        One code per document.
    """

    ids: NDArray[np.uint32]
    word_starts: NDArray[np.bool_]
    sentence_sizes: NDArray[np.int64]
    document_sentences: NDArray[np.int64]
    document_words: NDArray[np.int64]
    digests: NDArray[np.bytes_]
    languages: list[str]

    def only(self, keep: NDArray[np.bool_]) -> "TokenisedBlock":
        """Return the block without the documents for which `keep` is False."""
        if keep.all():
            return self
        sentences = np.repeat(keep, self.document_sentences)
        tokens = np.repeat(sentences, self.sentence_sizes)
        return TokenisedBlock(
            ids=self.ids[tokens],
            word_starts=self.word_starts[tokens],
            sentence_sizes=self.sentence_sizes[sentences],
            document_sentences=self.document_sentences[keep],
            document_words=self.document_words[keep],
            digests=self.digests[keep],
            languages=[language for language, kept in zip(self.languages, keep, strict=True) if kept],
        )


def tokenise_blocks(
    blocks: Iterable[Block], tokenizer: Tokenizer, *, workers: int
) -> Iterator[TokenisedBlock]:
    """Tokenise blocks with `workers` processes (1: in this one); results come in the order of the blocks."""
    if workers <= 1:
        table = WordTable(tokenizer)
        for block in blocks:
            yield tokenise_block(table, block)
        return
    # Spawned, not forked: a fork would copy the tokenizer library's threads in an undefined state.
    pool = ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start_worker,
        initargs=(tokenizer,),
    )
    waiting: deque[Future[TokenisedBlock]] = deque()
    try:
        for block in blocks:
            with interrupts_later():  # a worker that is started here has them held back from its first line
                waiting.append(pool.submit(_work, block))
            if len(waiting) > workers + 1:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as error:
        raise WorkerLostError(
            "a worker process ended unexpectedly",
            found="it was killed, perhaps for lack of memory (or a script has no __main__ guard)",
            fix="run the same again with one worker (--workers 1)",
        ) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def tokenise_block(table: WordTable, block: Block) -> TokenisedBlock:
    """Tokenise one block of documents."""
    parts: list[Tokenised] = []
    owners: list[int] = []  # of each paragraph: number of its document
    paragraphs: list[str] = []
    size = 0
    for number, (text, _) in enumerate(block):
        for paragraph in text.split("\n"):
            paragraphs.append(paragraph)
            owners.append(number)
            size += len(paragraph)
            if size >= _AT_ONCE:
                parts.append(table.encode(paragraphs))
                paragraphs, size = [], 0
    parts.append(table.encode(paragraphs))
    documents = len(block)
    return TokenisedBlock(
        ids=np.concatenate([part.ids for part in parts]),
        word_starts=np.concatenate([part.word_starts for part in parts]),
        sentence_sizes=np.concatenate([part.sentence_sizes for part in parts]),
        document_sentences=_sum_by(owners, [part.paragraph_sentences for part in parts], documents),
        document_words=_sum_by(owners, [part.paragraph_words for part in parts], documents),
        digests=np.array([_digest(text) for text, _ in block], "S16"),
        languages=[language for _, language in block],
    )


def _sum_by(owners: list[int], values: list[NDArray[np.int64]], documents: int) -> NDArray[np.int64]:
    sums = np.zeros(documents, np.int64)
    np.add.at(sums, np.array(owners, np.int64), np.concatenate(values))
    return sums


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


# In a worker process: one table, made when the process starts, that learns from block to block.

_table: WordTable | None = None


def _start_worker(tokenizer: Tokenizer) -> None:
    global _table  # noqa: PLW0603 (the pool has no other way to hand a worker something to keep)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # the processes are the parallelism
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _table = WordTable(tokenizer)


def _end_with_parent() -> None:
    """Leave when the parent is gone: a killed parent cannot tell its workers to stop."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _work(block: Block) -> TokenisedBlock:
    if _table is None:
        raise RuntimeError("the worker was not started by tokenise_blocks")
    return tokenise_block(_table, block)
