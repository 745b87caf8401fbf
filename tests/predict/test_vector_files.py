"""Vectors written as they come are read back by NumPy and Arrow, to the last bit."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from ambos.predict.vector_files import open_vectors
from ambos.text.readers import Document


def documents(count: int, first: int = 1) -> list[Document]:
    return [Document(f"texto {line} é", "pt", Path("a.txt"), line) for line in range(first, first + count)]


def write(path: Path, ending: str, parts: list[np.ndarray]) -> None:
    line = 1
    with open_vectors(path, ending, parts[0].shape[1] if parts else 5) as append:
        for part in parts:
            append(part, documents(len(part), line))
            line += len(part)


@pytest.mark.parametrize("counts", [(), (1,), (3, 4, 0, 5), (2000, 999)])
def test_npy(tmp_path, counts) -> None:
    rng = np.random.default_rng(0)
    parts = [rng.standard_normal((count, 5)).astype(np.float32) for count in counts]
    write(tmp_path / "out", ".npy", parts)
    whole = np.concatenate([np.empty((0, 5), np.float32), *parts])
    loaded = np.load(tmp_path / "out", allow_pickle=False)
    assert loaded.dtype == np.float32
    np.testing.assert_array_equal(loaded, whole)
    if len(whole):
        np.testing.assert_array_equal(np.load(tmp_path / "out", mmap_mode="r"), whole)
    np.save(tmp_path / "numpy.npy", whole)
    assert (tmp_path / "out").read_bytes() == (tmp_path / "numpy.npy").read_bytes()


def test_npy_of_rows_that_do_not_lie_together(tmp_path) -> None:
    rows = np.arange(24, dtype=np.float32).reshape(6, 4)
    write(tmp_path / "out", ".npy", [rows[:, ::2], rows.T[:2].T, np.asfortranarray(rows[:, :2])])
    np.testing.assert_array_equal(
        np.load(tmp_path / "out"), np.concatenate([rows[:, ::2], rows[:, :2], rows[:, :2]])
    )


def test_parquet(tmp_path) -> None:
    rng = np.random.default_rng(0)
    parts = [rng.standard_normal((count, 3)).astype(np.float32) for count in (4, 1, 7)]
    write(tmp_path / "out", ".parquet", parts)
    file = parquet.ParquetFile(tmp_path / "out")
    assert file.metadata.num_row_groups == 3
    table = file.read()
    assert table.schema.field("embedding").type == pa.list_(pa.float32(), 3)
    assert table.column_names == ["file", "line", "text", "embedding"]
    assert table["line"].to_pylist() == list(range(1, 13))
    assert table["text"].to_pylist()[11] == "texto 12 é"
    assert set(table["file"].to_pylist()) == {"a.txt"}
    vectors = table["embedding"].combine_chunks().flatten().to_numpy().reshape(12, 3)
    np.testing.assert_array_equal(vectors, np.concatenate(parts))


def test_parquet_of_texts_and_names_that_are_no_unicode(tmp_path) -> None:
    text = Document("meio \ud800 par", "und", Path("caf\udce9.txt"), 1)
    with open_vectors(tmp_path / "out", ".parquet", 2) as append:
        append(np.zeros((1, 2), np.float32), [text])
    row = parquet.read_table(tmp_path / "out").to_pylist()[0]
    assert row == {"file": "caf\ufffd.txt", "line": 1, "text": "meio \ufffd par", "embedding": [0.0, 0.0]}
