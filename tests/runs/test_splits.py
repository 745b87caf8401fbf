"""The labelled rows of a run, as its files have them."""

from pathlib import Path

import pytest

from ambos.errors import InputError, UsageError
from ambos.runs.finetune_settings import DataFiles
from ambos.runs.splits import read_splits


def test_files_in_another_encoding(tmp_path: Path):
    file = tmp_path / "a.csv"
    file.write_bytes("text,label\nnão gostei,ruim\nótimo,bom\n".encode("latin-1"))
    read = read_splits(DataFiles(train=[str(file)], encoding="latin-1"), "classify").train.rows
    assert [row.text for row in read] == ["não gostei", "ótimo"]
    with pytest.raises(InputError, match="UTF-8"):
        read_splits(DataFiles(train=[str(file)]), "classify")
    with pytest.raises(UsageError, match="unknown encoding"):
        read_splits(DataFiles(train=[str(file)], encoding="latin-eleven"), "classify")


def test_the_summary_counts_files(tmp_path: Path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("text,label\num,x\n")
    one = read_splits(DataFiles(train=[str(tmp_path / "a.csv")]), "classify")
    assert one.summary == "1 row to learn from, 0 to select by; text: text, label: label"
    both = read_splits(DataFiles(train=[str(tmp_path)]), "classify")
    assert both.summary.startswith("2 rows to learn from (in 2 files), 0 to select by")


def write(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_the_summary_says_where_columns_differ(tmp_path: Path):
    train = write(tmp_path, "a.csv", "text,label\num,x\n")
    dev = write(tmp_path, "b.csv", "frase,rotulo\num,x\n")
    splits = read_splits(DataFiles(train=[train], dev=[dev], test=[train]), "classify")
    assert splits.summary == (
        "1 row to learn from, 1 to select by, 1 to measure with; text: text, label: label; "
        "in dev text: frase, label: rotulo"
    )
    assert splits.columns["dev"] == {"text": "frase", "label": "rotulo"}


def test_the_summary_says_which_fields_of_conll_are_read(tmp_path: Path):
    train, dev = (write(tmp_path, *one) for one in (("a.conll", "Ana\tN\tO\n"), ("b.conll", "Rui\tO\n")))
    splits = read_splits(DataFiles(train=[train], dev=[dev], columns={"tags": "2"}), "tag")
    assert splits.summary.endswith(
        "; words: field 1, tags: field 2; in dev words: field 1, tags: field 2 (the last)"
    )
    assert splits.train.rows[0].tags == ("N",)


def test_the_summary_counts_what_was_left_out(tmp_path: Path):
    train = write(tmp_path, "a.csv", "text,label\num,x\ndois,\n,y\ntrês,\nquatro,y\ncinco,x\nseis,y\n")
    dev = write(tmp_path, "b.csv", "text,label\num,\ndois,x\n")
    files = DataFiles(train=[train], dev=[dev], skip_bad=True)
    assert read_splits(files, "classify").summary.startswith(
        "4 rows to learn from (3 left out: 2 for no label, 1 for empty text), "
        "1 to select by (1 left out: 1 for no label); "
    )
    kept = read_splits(files.model_copy(update={"dev": []}), "classify").with_dev()
    assert (
        "3 rows to learn from (3 left out: 2 for no label, 1 for empty text), 1 to select by (kept back);"
        in (kept.summary)
    )
