"""Vectors to files as they come, in little memory: NumPy's .npy, or Parquet with the texts beside them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import numpy as np

from ambos.text.readers import Document
from ambos.text.tokenizer import replace_surrogates

Write = Callable[[np.ndarray, Sequence[Document]], None]


def open_vectors(path: Path, ending: str, width: int) -> AbstractContextManager[Write]:
    """Give a function that appends vectors (n, width) and the n texts they belong to.

    Parameters
    ----------
    path
        The file to write.
    ending
        .npy: float32 (texts, width), which `numpy.load` opens, memory-mapped too; the texts are not kept.
        .parquet: columns file, line, text, embedding (a fixed-size list of float32).
    width
        Length of the vectors.
    """
    return _WRITERS[ending](path, width)


@contextmanager
def _npy(path: Path, width: int) -> Iterator[Write]:
    """Leave room for the header, and write it when the number of rows is known."""
    rows = 0
    with path.open("wb") as file:

        def header() -> int:
            file.seek(0)
            shape = {"descr": "<f4", "fortran_order": False, "shape": (rows, width)}
            # Padded for as many digits as a number of rows can have: the second header fits the first.
            np.lib.format.write_array_header_1_0(file, shape)
            return file.tell()

        def write(vectors: np.ndarray, documents: Sequence[Document]) -> None:
            nonlocal rows
            rows += len(documents)
            file.write(np.ascontiguousarray(vectors, "<f4").data)

        begin = header()
        yield write
        if header() != begin:
            raise ValueError("the header of the .npy file has outgrown its place")


@contextmanager
def _parquet(path: Path, width: int) -> Iterator[Write]:
    """Write one row group for every call."""
    import pyarrow as pa  # noqa: PLC0415 (slow to import; .npy does without it)
    from pyarrow import parquet  # noqa: PLC0415

    schema = pa.schema(
        {
            "file": pa.string(),
            "line": pa.int64(),
            "text": pa.string(),
            "embedding": pa.list_(pa.float32(), width),
        }
    )
    with (
        path.open("wb") as file,
        parquet.ParquetWriter(file, schema, compression="zstd", use_dictionary=["file"]) as writer,
    ):

        def write(vectors: np.ndarray, documents: Sequence[Document]) -> None:
            columns = [
                pa.array([replace_surrogates(str(document.file)) for document in documents], pa.string()),
                pa.array([document.line for document in documents], pa.int64()),
                pa.array([replace_surrogates(document.text) for document in documents], pa.string()),
                pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), width),
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))

        yield write


_WRITERS: dict[str, Callable[[Path, int], AbstractContextManager[Write]]] = {
    ".npy": _npy,
    ".parquet": _parquet,
}
