"""`ambos embed`: a vector per text, files whole or not at all, and nothing cut in silence."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

import ambos as api
from ambos.files import working_folder

LINES = ["O banco chegou.", "Hoje é noite no porto.", "a word", "Que noite, que porto, que banco!"]
ROWS = [*LINES[:2], "", *LINES[2:], "  "]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The current folder, with texts of every kind."""
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("\n\n".join(LINES) + "\n")
    Path("b.jsonl").write_text("".join(json.dumps({"text": row, "n": 1}) + "\n" for row in ROWS))
    return tmp_path


def left(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()} - {"a.txt", "b.jsonl"}


def test_npy(ambos, model_folder, kind, folder):
    ran = ambos("embed", model_folder(kind), "a.txt", "--out", "new/v.npy", "--json")
    assert (ran.code, ran.err) == (0, "")
    vectors = np.load("new/v.npy", mmap_mode="r")
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, api.load(model_folder(kind)).embed(LINES), atol=1e-6)
    said = json.loads(ran.out)
    assert said["texts"] == 4
    assert said["width"] == 32
    assert said["bytes"] == Path("new/v.npy").stat().st_size
    assert (said["pooling"], said["layer"], said["layers"], said["normalized"]) == ("mean", 3, 3, False)
    assert said["empty_texts"] == 0
    assert said["long"]["summary"] is None
    assert said["texts_per_second"] > 0
    assert said["tokens_per_second"] > said["texts_per_second"]
    assert {entry.name for entry in Path("new").iterdir()} == {"v.npy"}


def test_parquet_says_which_text_a_vector_belongs_to(ambos, model_folder, folder):
    model = model_folder("bpe")
    ran = ambos("embed", model, "b.jsonl", "a.txt", "-o", "v.parquet", "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["empty_texts"] == 2
    rows = parquet.read_table("v.parquet").to_pylist()
    assert [row["text"] for row in rows] == [*ROWS, *LINES]
    assert [row["file"] for row in rows] == ["b.jsonl"] * 6 + ["a.txt"] * 4
    assert [row["line"] for row in rows] == [1, 2, 3, 4, 5, 6, 1, 3, 5, 7]
    expected = api.load(model).embed([*ROWS, *LINES])
    np.testing.assert_allclose(np.array([row["embedding"] for row in rows]), expected, atol=1e-6)
    again = ambos("embed", model, "v.parquet", "-o", "w.npy", "--json")  # what was written is an input too
    assert json.loads(again.out)["texts"] == 10
    np.testing.assert_allclose(np.load("w.npy"), expected, atol=1e-6)


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (["--pool", "cls"], {"pool": "cls"}),
        (["--pool", "max", "--normalize"], {"pool": "max", "normalize": True}),
        (["--layer", "0"], {"layer": 0}),
        (["--layer", "-2", "--no-normalize"], {"layer": -2}),
        (["--max-length", "4"], {"max_length": 4}),
        (["--max-length", "5", "--long", "windows"], {"max_length": 5, "long": "windows"}),
        (["--max-length", "5", "--long", "head-tail"], {"max_length": 5, "long": "head-tail"}),
        (["--device", "cpu"], {}),
    ],
)
def test_options(ambos, model_folder, folder, options, settings):
    model = model_folder("unigram")
    assert ambos("embed", model, "a.txt", "--out", "v.npy", *options).code == 0
    expected = api.load(model).embed(LINES, **settings)
    np.testing.assert_allclose(np.load("v.npy"), expected, atol=1e-6)


def test_for_people(ambos, model_folder, folder):
    ran = ambos(
        "embed", model_folder("bpe"), "b.jsonl", "--out", "v.npy", "--max-length", "6", "--layer", "1"
    )
    assert ran.code == 0
    assert ran.err == "1 file to read\n"
    assert "6 vectors of 32 numbers in v.npy" in ran.out
    assert "mean pooling of layer 1 of 3; not scaled" in ran.out
    assert "2 texts are empty" in ran.out
    assert "texts were longer than 6 tokens:" in ran.out
    assert "texts/s" in ran.out
    quiet = ambos("embed", model_folder("bpe"), "a.txt", "--out", "w.npy", "--quiet")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")


def test_a_published_model(ambos, folder):
    said = json.loads(ambos("embed", "minilm", "a.txt", "--out", "v.npy", "--json").out)
    assert (said["width"], said["normalized"], said["max_length"]) == (384, True, 256)
    np.testing.assert_allclose(np.linalg.norm(np.load("v.npy"), axis=1), 1, atol=1e-6)


def test_documents_of_a_text_file(ambos, model_folder, folder):
    Path("c.txt").write_text("linha um\nlinha dois\n\nlinha três\n")
    ambos("embed", model_folder("bpe"), "c.txt", "--out", "v.parquet", "--document", "blank")
    table = parquet.read_table("v.parquet")
    assert table["text"].to_pylist() == ["linha um\nlinha dois", "linha três"]


def test_another_column_and_encoding(ambos, model_folder, folder):
    Path("c.csv").write_bytes("id,frase\n1,coração\n2,não\n".encode("latin-1"))
    more = ["--text", "frase", "--encoding", "latin-1"]
    assert ambos("embed", model_folder("bpe"), "c.csv", "--out", "v.parquet", *more).code == 0
    assert parquet.read_table("v.parquet")["text"].to_pylist() == ["coração", "não"]


def test_compressed_input(ambos, model_folder, folder):
    Path("c.txt.gz").write_bytes(gzip.compress(Path("a.txt").read_bytes()))
    assert ambos("embed", model_folder("bpe"), "c.txt.gz", "a.txt", "--out", "V.NPY").code == 0
    vectors = np.load("V.NPY")
    np.testing.assert_allclose(vectors[:4], vectors[4:], atol=1e-6)


def test_what_was_cut_is_reported(ambos, model_folder, folder):
    Path("c.txt").write_text("banco " * 500 + "\nbanco\n")
    ran = ambos("embed", model_folder("wordpiece"), "c.txt", "--out", "v.npy")
    assert "1 of 2 texts were longer than 64 tokens: 438 of 505 tokens were left out" in ran.out
    said = ambos(
        "embed", model_folder("wordpiece"), "c.txt", "-o", "w.npy", "--long", "windows", "--json"
    ).out
    assert json.loads(said)["long"]["windows"] == 11
    assert json.loads(said)["long"]["cut_tokens"] == 0


def test_a_refused_text_is_named(ambos, model_folder, folder, monkeypatch):
    monkeypatch.setattr("ambos.predict.embed._CHUNK_TEXTS", 3)
    Path("c.txt").write_text("banco\n\nporto\n")
    Path("c.jsonl").write_text("".join(json.dumps({"text": "banco " * n}) + "\n" for n in (1, 2, 3, 4, 9, 1)))
    options = ["--out", "v.npy", "--long", "error", "--max-length", "8"]
    ran = ambos("embed", model_folder("wordpiece"), "c.txt", "c.jsonl", *options)
    labelled = ran.refused(3, "c.jsonl, line 5: a text is longer than the model can read")
    assert labelled["found"] == "11 tokens"
    assert left(folder) == {"c.txt", "c.jsonl"}


# What is refused.


@pytest.mark.parametrize(
    ("out", "what"),
    [
        ("v.npz", "do not know how to write '.npz'"),
        ("v", "the output has no ending"),
        ("v.parquet.gz", "do not know how to write '.gz'"),
        (".npy", "the output has no ending"),
        (".", "the output has no ending"),
    ],
)
def test_unknown_endings(ambos, folder, out, what):
    labelled = ambos("embed", "minilm", "a.txt", "--out", out).refused(2, what)
    assert ".npy" in labelled["expected"]
    assert ".parquet" in labelled["expected"]
    assert labelled["fix"]
    assert left(folder) == set()


@pytest.mark.parametrize("name", ["v.npy", "v.parquet"])
def test_existing_output(ambos, model_folder, folder, name):
    Path(name).write_text("precious")
    model = model_folder("bpe")
    labelled = ambos("embed", model, "a.txt", "--out", name).refused(4, "the output is already there")
    assert "--force" in labelled["fix"]
    assert Path(name).read_text() == "precious"
    Path("empty.txt").touch()
    ambos("embed", model, "empty.txt", "--out", name, "--force").refused(3, "there is no text in this file")
    assert Path(name).read_text() == "precious"
    assert ambos("embed", model, "a.txt", "--out", name, "--force").code == 0
    assert Path(name).read_bytes() != b"precious"
    assert left(folder) == {name, "empty.txt"}


def test_the_input_is_never_replaced(ambos, model_folder, folder):
    model = model_folder("bpe")
    assert ambos("embed", model, "a.txt", "--out", "a.parquet").code == 0
    before = Path("a.parquet").read_bytes()
    ran = ambos("embed", model, "a.parquet", "--out", "a.parquet", "--force")
    ran.refused(4, "the output would replace what it is made from")
    assert Path("a.parquet").read_bytes() == before


def test_a_folder_in_the_place_of_the_output(ambos, model_folder, folder):
    Path("v.npy").mkdir()
    labelled = ambos("embed", model_folder("bpe"), "a.txt", "--out", "v.npy", "--force").refused(
        4, "is to be a file"
    )
    assert labelled["found"] == "a folder"


@pytest.mark.parametrize(
    ("arguments", "code", "what"),
    [
        (["minlm", "a.txt"], 3, "there is no model 'minlm'"),
        (["a.txt", "a.txt"], 3, "a model is a folder, not a file"),
        (["minilm", "c.txt"], 3, "no such file"),
        (["minilm", "empty.txt"], 3, "there is no text in this file"),
        (["minilm", "empty.jsonl"], 3, "there is no text in this file"),
        (["minilm", "b.jsonl", "--text", "txt"], 3, "there is no column 'txt'"),
        (["minilm", "b.jsonl", "--text", "n"], 3, "the value of 'n' is not text"),
        (["minilm", "bad.txt"], 3, "not valid UTF-8"),
        (["minilm", "a.txt", "--pool", "men"], 2, "--pool"),
        (["minilm", "a.txt", "--long", "window"], 2, "--long"),
        (["minilm", "a.txt", "--layer", "7"], 2, "there is no layer 7"),
        (["minilm", "a.txt", "--max-length", "513"], 2, "texts of 513 tokens"),
        (["minilm", "a.txt", "--device", "tpu"], 2, "there is no device 'tpu'"),
        (["minilm", "a.txt", "--encoding", "klingon"], 2, "unknown encoding"),
        (["minilm", "a.txt", "--max-line-mb", "0"], 2, "--max-line-mb"),
        (["minilm"], 2, "INPUT"),
    ],
)
def test_bad_input(ambos, folder, arguments, code, what):
    Path("empty.txt").touch()
    Path("empty.jsonl").write_text('{"text": ""}\n')
    Path("bad.txt").write_bytes(b"caf\xe9\n")
    ran = ambos("embed", *arguments, "--out", "deep/er/v.npy")
    assert ran.refused(code, what)["fix"]
    assert left(folder) == {"empty.txt", "empty.jsonl", "bad.txt"}


def test_a_document_too_long_for_the_memory(ambos, model_folder, folder):
    Path("c.txt").write_text("palavra " * 600_000)
    labelled = ambos("embed", model_folder("bpe"), "c.txt", "--out", "v.npy").refused(3, "more than 4 MiB")
    assert "--max-line-mb" in labelled["fix"]
    Path("c.jsonl").write_text(json.dumps({"text": "palavra " * 600_000}))
    ambos("embed", model_folder("bpe"), "c.jsonl", "--out", "v.npy").refused(3, "more than 4 MiB")


# Real processes.


def start(model: Path, *more: str) -> subprocess.Popen[str]:
    """Begin an embedding that takes long; come back when vectors are on the disk."""
    Path("big.txt").write_text("".join(f"O banco chegou hoje {number}.\n" for number in range(400_000)))
    command = [sys.executable, "-m", "ambos.cli.app", "embed", str(model), "big.txt", "--out", "v.npy", *more]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    work, until = working_folder(Path("v.npy")), time.monotonic() + 60
    while time.monotonic() < until and not (work.exists() and work.stat().st_size > 100_000):
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
    return process


def test_killed_in_the_middle(ambos, model_folder, folder):
    model = model_folder("wordpiece")
    process = start(model)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not Path("v.npy").exists()
    assert ambos("embed", model, "a.txt", "--out", "v.npy").code == 0
    assert np.load("v.npy").shape == (4, 32)
    assert left(folder) == {"v.npy", "big.txt"}


def test_interrupted_in_the_middle(model_folder, folder):
    Path("v.npy").write_text("precious")
    process = start(model_folder("wordpiece"), "--force")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == ""
    assert err.splitlines()[-1] == "interrupted: nothing was written"
    assert "Traceback" not in err
    assert Path("v.npy").read_text() == "precious"
    assert left(folder) == {"v.npy", "big.txt"}


def test_two_processes_do_not_write_the_same(ambos, model_folder, folder):
    model = model_folder("wordpiece")
    process = start(model)
    try:
        ambos("embed", model, "a.txt", "--out", "v.npy").refused(4, "another ambos process")
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("name", ["v.npy", "v.parquet"])
def test_a_full_disk(model_folder, folder, name):
    Path("disk").mkdir()
    Path("c.txt").write_text("".join(f"O banco {number}.\n" for number in range(3000)))
    script = 'mount -t tmpfs -o size=64k none disk || exit 77; "$@"; code=$?; find disk -mindepth 1 > left'
    embed = [sys.executable, "-m", "ambos.cli.app", "embed", str(model_folder("bpe")), "c.txt"]
    for apart in (["unshare", "-rm"], ["unshare", "-m"]):
        command = [*apart, "sh", "-c", f"{script}; exit $code", "sh", *embed, "--out", f"disk/{name}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
        if Path("left").exists():
            break
    else:
        pytest.skip("may not mount a file system here")
    assert done.returncode == 4, done.stderr
    assert "the disk is full; nothing was left half-written" in done.stderr
    assert "Traceback" not in done.stderr
    assert Path("left").read_text() == ""
