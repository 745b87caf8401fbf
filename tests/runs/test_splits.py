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
