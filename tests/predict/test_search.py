"""Search: exact against a full sort, the graph against the exact, and what is kept in a folder."""

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from ambos.data.windows import Ledger
from ambos.errors import InputError, OutputError
from ambos.predict.search import Corpus, build_corpus, open_corpus, read_about
from ambos.text.readers import Document


def vectors(count: int, width: int = 32, seed: int = 0) -> np.ndarray:
    found = np.random.default_rng(seed).normal(size=(count, width)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def test_exact_is_a_full_sort(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ambos.predict.search._ROWS", 70)  # several blocks
    stored, queries = vectors(500), vectors(9, seed=1)
    corpus = Corpus.of(stored, [str(number) for number in range(500)])
    numbers, cosines = corpus.nearest(queries, 12)
    whole = queries @ stored.T
    expected = np.argsort(-whole, axis=1, kind="stable")[:, :12]
    assert (numbers == expected).all()
    assert cosines == pytest.approx(np.take_along_axis(whole, expected, 1), abs=1e-6)


def test_exact_with_equal_ones_in_blocks_of_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ambos.predict.search._ROWS", 30)
    monkeypatch.setattr("ambos.predict.search._QUERIES", 4, raising=False)
    chance = np.random.default_rng(0)
    stored = np.eye(4, dtype=np.float32)[chance.integers(4, size=100)]  # cosines of 0 and 1 only
    queries = np.eye(4, dtype=np.float32)[chance.integers(4, size=9)]
    numbers, _ = Corpus.of(stored, [""] * 100).nearest(queries, 45)
    assert (numbers == np.argsort(-(queries @ stored.T), axis=1, kind="stable")[:, :45]).all()


def test_memory_does_not_grow_with_queries() -> None:
    corpus = Corpus.of(vectors(20_000, width=8), [""] * 20_000)
    queries = vectors(2_000, width=8, seed=1)
    tracemalloc.start()
    try:
        corpus.nearest(queries, 5)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 40e6  # all cosines would be 160 MB


def test_a_graph_that_cannot_be_written_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = pytest.importorskip("usearch.index").Index
    corpus = Corpus.of(vectors(50), [""] * 50)
    corpus.folder = tmp_path

    def save(self: object, file: str) -> None:
        Path(file).write_bytes(b"half of")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(index, "save", save)
        with pytest.raises(OutputError):
            corpus.nearest(vectors(1), 3, exact=False)
    assert list(tmp_path.iterdir()) == []
    corpus.nearest(vectors(1), 3, exact=False)
    assert [file.name for file in tmp_path.iterdir()] == ["graph.usearch"]


def test_more_than_there_are() -> None:
    numbers, _ = Corpus.of(vectors(3), ["a", "b", "c"]).nearest(vectors(1), 10)
    assert sorted(numbers[0]) == [0, 1, 2]


def test_equal_ones_keep_their_order() -> None:
    corpus = Corpus.of(np.ones((5, 4), np.float32), list("abcde"))
    numbers, _ = corpus.nearest(np.ones((1, 4), np.float32), 3)
    assert numbers.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize("found", [0, 3])
def test_where_the_graph_finds_too_few_all_are_compared(monkeypatch: pytest.MonkeyPatch, found: int) -> None:
    """What was not found had no number, and NaN for a cosine."""
    index = pytest.importorskip("usearch.index").Index
    search = index.search

    def fewer(self: object, queries: np.ndarray, top: int) -> object:
        whole = search(self, queries, top)
        whole.counts[1] = found
        whole.keys[1, found:], whole.distances[1, found:] = 0, np.nan
        return whole

    monkeypatch.setattr(index, "search", fewer)
    stored, queries = vectors(300), vectors(3, seed=1)
    corpus = Corpus.of(stored, [""] * 300)
    numbers, cosines = corpus.nearest(queries, 20, exact=False)
    exact, right = corpus.nearest(queries, 20)
    assert (numbers[1] == exact[1]).all()
    np.testing.assert_allclose(cosines[1], right[1], atol=1e-6)


@pytest.mark.parametrize("rounding", [0.0, 1e-7])
def test_equal_texts_hide_no_others(rounding: float) -> None:
    """A text that is there a thousand times was an island in the graph: half of the others were missed."""
    pytest.importorskip("usearch")
    equal = np.repeat(vectors(1), 2000, axis=0) + np.float32(rounding) * vectors(2000, seed=3)
    stored = np.vstack([equal, vectors(2000, seed=1)])
    corpus, queries = Corpus.of(stored, [""] * 4000), vectors(30, seed=1) + 0.5 * vectors(30, seed=2)
    for asked in (queries, vectors(1), np.vstack([vectors(1), queries])):
        _, exact = corpus.nearest(asked, 10)
        numbers, cosines = corpus.nearest(asked, 10, exact=False)
        assert all(len(set(row)) == 10 for row in numbers.tolist())
        assert (cosines >= exact[:, -1:] - 1e-5).mean() > 0.9
        assert (np.diff(cosines) <= 0).all()


def test_the_graph_finds_nearly_all(tmp_path: Path) -> None:
    pytest.importorskip("usearch")
    stored, queries = vectors(5000), vectors(50, seed=1)
    corpus = Corpus.of(stored, [""] * 5000)
    corpus.folder = tmp_path
    exact, _ = corpus.nearest(queries, 10)
    found, cosines = corpus.nearest(queries, 10, exact=False)
    recall = np.mean([len(set(one) & set(two)) / 10 for one, two in zip(exact, found, strict=True)])
    assert recall > 0.9
    assert cosines == pytest.approx(np.take_along_axis(queries @ stored.T, found, 1), abs=1e-4)
    again = Corpus.of(stored, [""] * 5000)  # opens what was kept
    again.folder = tmp_path
    assert (again.nearest(queries, 10, exact=False)[0] == found).all()


@pytest.mark.parametrize("damage", [lambda data: data[:9_000], lambda data: b"", lambda data: b"<html>" * 99])
def test_a_damaged_graph_is_built_anew(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    pytest.importorskip("usearch")
    stored = vectors(500)
    found = []
    for _ in range(2):
        corpus = Corpus(stored, lambda numbers: [], tmp_path)
        found.append(corpus.nearest(stored[:5], 3, exact=False)[0].tolist())
        kept = tmp_path / "graph.usearch"
        whole = kept.read_bytes()
        kept.write_bytes(damage(whole))
    assert found[0] == found[1]
    assert [row[0] for row in found[0]] == list(range(5))
    kept.write_bytes(whole)
    fewer = Corpus(stored[:100], lambda numbers: [], tmp_path)  # of another corpus
    assert fewer.nearest(stored[:5], 90, exact=False)[0].max() < 100


def test_kept_in_a_folder(tmp_path: Path) -> None:
    stored = vectors(10)
    documents = [Document(f"texto {number}", "pt", Path("a.txt"), number + 1) for number in range(10)]

    def embed(texts):
        count = len(list(texts))
        yield stored[:4] * 3
        yield stored[4:count]

    built = build_corpus(tmp_path / "kept", documents, embed, 32, {"model": "m", "files": {}})
    again = open_corpus(tmp_path / "kept")
    for corpus in (built, again):
        numbers, cosines = corpus.nearest(stored[7:8], 1)
        assert numbers.tolist() == [[7]]
        assert cosines == pytest.approx(1.0, abs=1e-5)
        (place,) = corpus.places(numbers[0])
        assert (place.file, place.line, place.text) == ("a.txt", 8, "texto 7")
    assert read_about(tmp_path / "kept")["texts"] == 10


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    assert read_about(tmp_path) is None
    (tmp_path / "vectors.npy").write_bytes(b"")
    with pytest.raises(InputError, match="not the index of a corpus"):
        open_corpus(tmp_path)


def kept_index(folder: Path) -> Path:
    documents = [Document(f"texto {number}", "pt", Path("a.txt"), number + 1) for number in range(10)]
    ledger = Ledger(texts=10, tokens=30)

    def embed(texts):
        yield vectors(len(list(texts)))

    build_corpus(folder, documents, embed, 32, {"model": "m"}, ledger=ledger)
    return folder


def change_about(folder: Path, **changes: object) -> None:
    about = {**read_about(folder), **changes}
    about = {name: value for name, value in about.items() if value != "left out"}
    (folder / "index.json").write_text(json.dumps(about))


def fewer_texts(folder: Path) -> None:
    change_about(folder, texts_sha256="left out")  # as an index of an older version
    table = parquet.read_table(folder / "texts.parquet")
    parquet.write_table(table.slice(0, 4), folder / "texts.parquet")


def other_columns(folder: Path) -> None:
    change_about(folder, texts_sha256="left out")
    table = parquet.read_table(folder / "texts.parquet").drop_columns("line")
    parquet.write_table(table, folder / "texts.parquet")


def texts_in_another_order(folder: Path) -> None:
    table = parquet.read_table(folder / "texts.parquet")
    parquet.write_table(table.take(list(range(9, -1, -1))), folder / "texts.parquet")


def cut_short(folder: Path) -> None:
    data = (folder / "texts.parquet").read_bytes()
    (folder / "texts.parquet").write_bytes(data[: len(data) // 2])


def another_number(folder: Path) -> None:
    data = bytearray((folder / "vectors.npy").read_bytes())
    data[-1] ^= 1
    (folder / "vectors.npy").write_bytes(data)


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "texts.parquet").unlink(),
        lambda folder: (folder / "vectors.npy").unlink(),
        another_number,
        cut_short,
        fewer_texts,
        other_columns,
        texts_in_another_order,
        lambda folder: change_about(folder, long=[1]),
        lambda folder: change_about(folder, long={"texts": "many"}),
        lambda folder: change_about(folder, long={"unknown": 1}),
        lambda folder: change_about(folder, texts=[10]),
        lambda folder: change_about(folder, texts_sha256=[1]),
    ],
)
def test_a_damaged_index_is_refused(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    folder = kept_index(tmp_path / "kept")
    damage(folder)
    with pytest.raises(InputError, match="not the index of a corpus"):
        open_corpus(folder)


def test_an_index_of_an_older_version_opens(tmp_path: Path) -> None:
    folder, ledger = kept_index(tmp_path / "name=a"), Ledger()
    assert [place.text for place in open_corpus(folder, ledger).places([7, 2])] == ["texto 7", "texto 2"]
    assert ledger == Ledger(texts=10, tokens=30)
    change_about(folder, texts_sha256="left out", long={"texts": 10})
    open_corpus(folder, ledger)
    assert ledger == Ledger(texts=10)
    change_about(folder, long="left out")
    open_corpus(folder, ledger)
    assert ledger == Ledger()
