"""The texts of a corpus nearest to a query: by their vectors, exactly or with an index; kept in a folder."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ambos.data.windows import Ledger
from ambos.errors import InputError
from ambos.evaluate.retrieval import scaled
from ambos.files import new_folder, sha256
from ambos.predict.neighbours import Neighbours
from ambos.predict.vector_files import open_vectors
from ambos.text.readers import Document
from ambos.text.tokenizer import replace_surrogates

VECTORS, TEXTS, ABOUT, GRAPH = "vectors.npy", "texts.parquet", "index.json", "graph.usearch"
ENTRIES = frozenset({VECTORS, TEXTS, ABOUT, GRAPH, f".{GRAPH}.partial", f".{GRAPH}.lock"})
APPROXIMATE_FROM = 200_000  # texts: below, looking at all of them takes less than finding a way
_COLUMNS = ("file", "line", "text")  # of the texts
_ROWS = 65_536  # vectors that are compared at a time,
_QUERIES = 64  # with so many queries: memory does not grow with either

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Place:
    """Where a text of the corpus is, and the text."""

    file: str
    line: int
    text: str


class Corpus:
    """Texts with their vectors, of length 1 each, to be searched.

    Parameters
    ----------
    vectors
        (n, width) float32.
    places
        Gives some texts by their numbers.
    folder
        That it is kept in, if it is.

    Examples
    --------
    >>> corpus = Corpus.of(np.eye(3, dtype=np.float32), ["a", "b", "c"])
    >>> numbers, similarities = corpus.nearest(np.array([[0.8, 0.6, 0.0]], np.float32), top=2)
    >>> [place.text for place in corpus.places(numbers[0])], similarities.astype(float).round(2).tolist()
    (['a', 'b'], [[0.8, 0.6]])
    """

    def __init__(
        self,
        vectors: Vectors,
        places: Callable[[Sequence[int]], list[Place]],
        folder: Path | None = None,
    ) -> None:
        self.vectors = vectors
        self.places = places
        self.folder = folder

    @classmethod
    def of(cls, vectors: Vectors, texts: Sequence[str]) -> "Corpus":
        """Make one in memory; vectors are scaled to length 1."""
        return cls(scaled(vectors), lambda numbers: [Place("", int(one) + 1, texts[one]) for one in numbers])

    def __len__(self) -> int:
        return len(self.vectors)

    def nearest(self, queries: Vectors, top: int, *, exact: bool = True) -> tuple[NDArray[np.int64], Vectors]:
        """Return the numbers of the texts nearest to each query, and their cosines, both (queries, top).

        Parameters
        ----------
        exact
            Compare with all texts. Otherwise by a graph of neighbours (Malkov and Yashunin 2018), which finds
            nearly all of the nearest in a small part of the time; it is built when it is first needed, and
            kept in the folder, if there is one; so it is where the one that was kept is damaged. A query for
            which it finds fewer than `top` is compared with all.
        """
        queries, top = scaled(queries), min(top, len(self))
        if exact:
            return _exact(self.vectors, queries, top)
        numbers, cosines = np.zeros((len(queries), top), np.int64), np.zeros((len(queries), top), np.float32)
        for row, found in enumerate(self._graph.nearest(queries, top)):
            if found is not None:
                numbers[row], cosines[row] = found
            else:  # no way in the graph leads to so many
                numbers[[row]], cosines[[row]] = _exact(self.vectors, queries[[row]], top)
        return numbers, cosines

    @cached_property
    def _graph(self) -> Neighbours:
        return Neighbours(self.vectors, self.folder / GRAPH if self.folder else None)


def _exact(vectors: Vectors, queries: Vectors, top: int) -> tuple[NDArray[np.int64], Vectors]:
    """Compare every query with every vector, some of both at a time; equal ones keep their order."""
    numbers = np.zeros((len(queries), top), np.int64)
    found = np.full((len(queries), top), -np.inf, np.float32)
    for begin in range(0, len(vectors), _ROWS):
        some = np.asarray(vectors[begin : begin + _ROWS]).T
        for first in range(0, len(queries), _QUERIES):
            mine = slice(first, first + _QUERIES)
            cosines = queries[mine] @ some
            kept = _largest(cosines, top)
            both = np.hstack([found[mine], np.take_along_axis(cosines, kept, 1)])
            which = np.hstack([numbers[mine], kept + begin])
            order = np.argsort(-both, axis=1, kind="stable")[:, :top]
            found[mine] = np.take_along_axis(both, order, 1)
            numbers[mine] = np.take_along_axis(which, order, 1)
    return numbers, found


def _largest(values: Vectors, top: int) -> NDArray[np.int64]:
    """Return the places of the largest of each row, the largest first; of equal ones the first.

    Examples
    --------
    >>> _largest(np.array([[3, 5, 3, 9, 3]], np.float32), 3).tolist()
    [[3, 1, 0]]
    """
    if values.shape[1] <= top:
        return np.argsort(-values, axis=1, kind="stable")
    least = np.partition(values, -top, axis=1)[:, -top, None]
    found = np.empty((len(values), top), np.int64)
    for row, bound, into in zip(values, least, found, strict=True):
        near = np.flatnonzero(row >= bound)  # more than asked for, if some are equal
        into[:] = near[np.argsort(-row[near], kind="stable")[:top]]
    return found


def read_corpus(
    documents: Iterable[Document], embed: Callable[[Iterable[str]], Iterator[np.ndarray]]
) -> Corpus:
    """Read texts and their vectors into memory; everything is as in `build_corpus`."""
    kept: list[Document] = []

    def texts() -> Iterator[str]:
        for one in documents:
            kept.append(one)
            yield one.text

    vectors = np.concatenate(list(embed(texts())))
    return Corpus(
        vectors,
        lambda numbers: [Place(str(kept[one].file), kept[one].line, kept[one].text) for one in numbers],
    )


def build_corpus(
    folder: Path,
    documents: Iterable[Document],
    embed: Callable[[Iterable[str]], Iterator[np.ndarray]],
    width: int,
    about: dict[str, Any],
    *,
    ledger: Ledger | None = None,
    force: bool = False,
) -> Corpus:
    """Read texts, and write them with their vectors into a folder, whole or not at all.

    Parameters
    ----------
    embed
        Gives the vectors of texts as they come, of length 1.
    about
        What tells whether the folder still belongs to a model and files.
    ledger
        That `embed` tells what was cut: it is kept in the folder, too.
    """
    waiting: list[Document] = []

    def texts() -> Iterator[str]:
        for document in documents:
            waiting.append(document)
            yield document.text

    with new_folder(folder, entries=ENTRIES, force=force) as work:
        count = 0
        with _texts(work / TEXTS) as keep, open_vectors(work / VECTORS, ".npy", width) as write:
            for vectors in embed(texts()):
                some = waiting[: len(vectors)]
                del waiting[: len(vectors)]
                write(scaled(vectors), some)
                keep(some)
                count += len(some)
        about = {**about, "long": asdict(ledger) if ledger else None}
        about = {**about, "texts": count, "width": width, "vectors": sha256(work / VECTORS)}
        about["texts_sha256"] = sha256(work / TEXTS)
        (work / ABOUT).write_text(json.dumps(about, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return open_corpus(folder)


def open_corpus(folder: Path, ledger: Ledger | None = None) -> Corpus:
    """Open what `build_corpus` wrote, if it is that to the last byte; vectors stay on the disk.

    The `ledger` takes over what was cut when the index was made.
    """
    from pyarrow import ArrowException, parquet  # noqa: PLC0415 (slow to import)

    about, vectors, table = read_about(folder) or {}, None, None
    with suppress(OSError, ValueError, EOFError, ArrowException):
        if about.get("vectors") == sha256(folder / VECTORS):
            vectors = np.load(folder / VECTORS, mmap_mode="r", allow_pickle=False)
        if about.get("texts_sha256") in (None, sha256(folder / TEXTS)):
            table = parquet.read_table(folder / TEXTS, columns=list(_COLUMNS), partitioning=None)
    whole = vectors is not None and vectors.shape == (about.get("texts"), about.get("width"))
    cut = _ledger(about.get("long"))
    if not whole or vectors is None or table is None or table.num_rows != len(vectors) or cut is None:
        raise InputError(
            "not the index of a corpus",
            expected=f"{ABOUT}, {VECTORS} and {TEXTS}, as `ambos search --index` writes them",
            fix="give another folder, or write it anew: give the CORPUS, and --force",
            file=folder,
        )
    if ledger is not None:
        vars(ledger).update(vars(cut))

    def places(numbers: Sequence[int]) -> list[Place]:
        return [Place(**row) for row in table.take(list(map(int, numbers))).to_pylist()]

    return Corpus(vectors, places, folder)


def _ledger(long: Any) -> Ledger | None:  # noqa: ANN401 (whatever stands in the file)
    """Return what was cut, as an index has it; an empty ledger if it does not say, None if it is none.

    Examples
    --------
    >>> _ledger({"texts": 3}).texts, _ledger([1])
    (3, None)
    """
    if long is None:
        return Ledger()
    if not isinstance(long, dict):
        return None
    usual = asdict(Ledger())
    fits = all(type(value) is type(usual.get(name)) for name, value in long.items())
    return Ledger(**long) if fits else None


def read_about(folder: Path) -> dict[str, Any] | None:
    """Return what an index says of itself; None if there is none."""
    try:
        return dict(json.loads((folder / ABOUT).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


@contextmanager
def _texts(file: Path) -> Iterator[Callable[[Sequence[Document]], None]]:
    """Give what writes texts to a Parquet file as they come."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    schema = pa.schema(dict(zip(_COLUMNS, (pa.string(), pa.int64(), pa.string()), strict=True)))
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:

        def keep(documents: Sequence[Document]) -> None:
            columns = {
                "file": [replace_surrogates(str(one.file)) for one in documents],
                "line": [one.line for one in documents],
                "text": [replace_surrogates(one.text) for one in documents],
            }
            writer.write_table(pa.table(columns, schema=schema))

        yield keep
