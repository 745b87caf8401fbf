"""Build a token store: read, tokenise in parallel, append in order, and go on where a killed run stopped.

Documents are cut into blocks in reading order; workers tokenise blocks, and one process appends the results
in that order, so the store does not depend on the number of workers. Every few seconds a journal notes how
far the files are good; a later run with the same plan cuts them back to it and goes on: same bytes.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ambos import __version__
from ambos.errors import InputError
from ambos.files import lock, publish, refuse_existing, working_folder
from ambos.text.readers import Document, read_documents
from ambos.text.sources import Source
from ambos.text.store import ENTRIES, FORMAT, TokenStore
from ambos.text.store_blocks import Block, WorkerLostError, tokenise_blocks
from ambos.text.store_work import DIGESTS, StoreWork, is_whole
from ambos.text.stream import ReadOptions
from ambos.text.tokenizer import Tokenizer
from ambos.write_errors import output_errors

_BLOCK_CHARACTERS = 1_000_000
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

    A store that is already there and was built from the same plan is opened as it is. Workers are spawned, so
    a script that calls this needs the usual `if __name__ == "__main__":` guard.

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
        if not force and is_whole(out, plan):
            return TokenStore(out)
        refuse_existing(out, entries=ENTRIES, force=force)
        try:
            if not is_whole(work, plan):
                with StoreWork(work, plan, tokenizer) as build:
                    _run(build, sources, tokenizer, options, progress)
                    build.finish(tokenizer)
            (work / DIGESTS).unlink(missing_ok=True)
            publish(work, out)
        except WorkerLostError:
            raise  # the work so far is good, and the next run goes on from it
        except Exception:
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
    build: StoreWork,
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
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, total // _SMALL))


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
