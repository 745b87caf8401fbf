"""The files as a whole: reproducible, complete, in the promised form."""

import hashlib
import os
import subprocess
import sys
import unicodedata

import pytest

from ambos.errors import OutputError, UsageError
from ambos.sample import write_sample

PROGRAM = """
import sys
from pathlib import Path
from ambos.sample import write_sample
write_sample(Path(sys.argv[1]), seed=int(sys.argv[2]), corpus_mb=0.2)
"""


def start(folder, seed, hash_seed):
    folder.mkdir()
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.Popen([sys.executable, "-c", PROGRAM, str(folder), str(seed)], env=environment)


def digests(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_same_seed_same_bytes_in_other_processes_and_other_seed_other_text(tmp_path):
    runs = [
        start(tmp_path / name, seed, hash_seed)
        for name, seed, hash_seed in (("a", 3, "1"), ("b", 3, "77"), ("c", 4, "1"))
    ]
    assert [run.wait() for run in runs] == [0, 0, 0]
    first, second, other = (digests(tmp_path / name) for name in "abc")
    assert first == second
    assert first.keys() == other.keys()
    assert not [path for path in first if first[path] == other[path]]


def test_summary_tells_the_truth(sample):
    written = {str(path.relative_to(sample.root)) for path in sample.root.rglob("*") if path.is_file()}
    assert {file.path for file in sample.summary.files} == written
    for file in sample.summary.files:
        assert (sample.root / file.path).stat().st_size == file.bytes
        assert file.rows > 0
        assert file.description


def test_corpus_has_the_size_asked_for(sample):
    total = sum(file.bytes for file in sample.summary.files if file.path.startswith("corpus/"))
    assert total == pytest.approx(5_000_000, rel=0.1)


def test_small_corpus_has_the_size_asked_for(tmp_path):
    steps = []
    summary = write_sample(
        tmp_path, seed=9, corpus_mb=0.1, progress=lambda done, total: steps.append((done, total))
    )
    total = sum(file.bytes for file in summary.files if file.path.startswith("corpus/"))
    assert total == pytest.approx(100_000, rel=0.1)
    assert steps == [(number + 1, len(summary.files)) for number in range(len(summary.files))]


def test_files_are_normalised_text(sample):
    for file in sample.summary.files:
        text = (sample.root / file.path).read_bytes().decode("utf-8")
        assert unicodedata.is_normalized("NFC", text)
        assert "\r" not in text
        assert text.endswith("\n")


def test_readme_names_every_file(sample):
    page = (sample.root / "README.md").read_text("utf-8")
    assert all(file.path in page for file in sample.summary.files if file.path != "README.md")
    assert "Apache-2.0" in page
    assert "Seed 0" in page


@pytest.mark.parametrize("size", [0, -1, 5000, float("nan")])
def test_refuses_absurd_sizes(tmp_path, size):
    with pytest.raises(UsageError):
        write_sample(tmp_path, corpus_mb=size)


def test_says_so_when_it_cannot_write(tmp_path):
    (tmp_path / "corpus").write_text("in the way")
    with pytest.raises(OutputError, match="cannot write"):
        write_sample(tmp_path, corpus_mb=0.01)
