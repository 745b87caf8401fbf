"""Bad input and output, by real processes: one clear message, an exit code, and nothing half-written.

What every refusal must look like is in `assert_refused`. Cases that every command can meet run with each of
them; the further ones, which go through the same reader, run with one command each, in turn.
"""

import gzip
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from ambos.text.readers import Document
from ambos.text.tokenizer_train import TrainOptions, train_tokenizer

AMBOS = str(Path(sys.executable).with_name("ambos"))
COMMANDS = ("train", "report", "build")
USAGE, INPUT, OUTPUT = 2, 3, 4
MEBIBYTE = 1 << 20
GOOD = "".join(f"O gato número {n} dorme no telhado.\nThe cat sleeps.\n\n" for n in range(200))


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("tokenizer")
    documents = [Document(text, "und", Path("good.txt"), 1) for text in GOOD.split("\n\n")]
    train_tokenizer(documents, TrainOptions("wordpiece", vocab_size=300)).save(folder)
    return folder


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The current folder: texts are made here, and results would go to `results/new/out`."""
    (tmp_path / "results").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def arguments(command: str, texts: Sequence[str], tokenizer: Path, out: str = "results/new/out") -> list[str]:
    if command == "train":
        return ["tokenizer", "train", *texts, "--vocab-size", "300", "--out", out]
    if command == "report":
        return ["tokenizer", "report", str(tokenizer), *texts]
    return ["corpus", "build", *texts, "--tokenizer", str(tokenizer), "--out", out]


def run(arguments: Sequence[str], before: Sequence[str] = (), **options) -> subprocess.CompletedProcess[str]:
    """Run the command line; `before` is a program that runs it under some condition."""
    return subprocess.run(
        [*before, AMBOS, *arguments],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
        **{"encoding": "utf-8", **options},
    )


def snapshot(folder: Path) -> dict[str, tuple[int, int] | None]:
    """Return all there is below a folder, hidden files too; of files, size and time of the last change."""
    return {
        str(entry): None if entry.is_dir() else (entry.lstat().st_size, entry.lstat().st_mtime_ns)
        for entry in folder.rglob("*")
    }


def assert_refused(
    result: subprocess.CompletedProcess[str],
    code: int,
    *,
    what: str,
    file: str | None,
    line: int | None = None,
) -> dict[str, str]:
    """Check that a process ended with one message of the agreed form; return its labelled lines."""
    assert "Traceback" not in result.stderr
    assert result.returncode == code, result.stderr
    assert result.stdout == ""
    printed = result.stderr.splitlines()
    errors = [number for number, text in enumerate(printed) if text.startswith("error ")]
    assert len(errors) == 1, result.stderr
    notes, (head, *details) = printed[: errors[0]], printed[errors[0] :]
    assert len(notes) <= 1  # "1 file: ..."
    where = "" if file is None else f"{file}: " if line is None else f"{file}, line {line}: "
    assert head.startswith(f"error {where}")
    assert what in head
    labelled = {text[:10].strip(): text[10:].strip() for text in details}
    assert len(labelled) == len(details)
    assert labelled.keys() <= {"expected", "found", "fix"}
    assert labelled.get("expected")
    assert labelled.get("fix")
    return labelled


# Inputs: each is written into the current folder by a function of its own.


@dataclass(frozen=True)
class Case:
    """An input, the arguments that name it, and what must be said about it."""

    name: str
    write: Callable[[], object]
    texts: Sequence[str]
    what: str
    file: str
    line: int | None = None
    said: dict[str, str] = field(default_factory=dict)
    code: int = INPUT


def text(name: str, data: str | bytes) -> Callable[[], object]:
    return lambda: Path(name).write_bytes(data.encode() if isinstance(data, str) else data)


def rows(name: str, columns: dict[str, list]) -> Callable[[], object]:
    return lambda: parquet.write_table(pa.table(columns), name)


def cut(name: str, data: bytes, share: float) -> Callable[[], object]:
    return text(name, data[: int(len(data) * share)])


def folder_of(name: str, *files: str) -> Callable[[], object]:
    def write() -> None:
        Path(name).mkdir()
        for file in files:
            Path(name, file).write_bytes(b"...")

    return write


CUT_GZIP = gzip.compress(GOOD.encode())[:-400]
CUT_GZIP_LINE = zlib.decompressobj(31).decompress(CUT_GZIP).count(b"\n") + 1  # as far as it can be read


def zstd(data: bytes) -> bytes:
    return pa.Codec("zstd").compress(data, asbytes=True)


def large_with_a_bad_byte() -> None:
    Path("big.txt").write_bytes(b"uma linha boa\n" * 150_000 + b"caf\xe9\n" + b"outra linha\n" * 50_000)


EVERY_COMMAND = [
    Case(
        "missing",
        text("corpus.txt", GOOD),
        ["corpsu.txt"],
        "no such file",
        "corpsu.txt",
        said={"fix": "corpus.txt"},
    ),
    Case("empty", text("a.txt", ""), ["a.txt"], "no text in this file", "a.txt"),
    Case("blank", text("a.txt", " \n\n\t\r\n"), ["a.txt"], "no text in this file", "a.txt"),
    Case("folder", folder_of("d", "a.pdf", "b"), ["d"], "no text in it", "d", said={"found": ".pdf"}),
    Case(
        "utf-8",
        large_with_a_bad_byte,
        ["big.txt"],
        "not valid UTF-8",
        "big.txt",
        150_001,
        {"fix": "--encoding latin-1"},
    ),
    Case(
        "utf-16",
        text("a.txt", GOOD.encode("utf-16")),
        ["a.txt"],
        "UTF-16",
        "a.txt",
        1,
        {"fix": "iconv -f UTF-16 -t UTF-8 a.txt"},
    ),
    Case(
        "gzip",
        text("a.txt.gz", CUT_GZIP),
        ["a.txt.gz"],
        "truncated gzip",
        "a.txt.gz",
        CUT_GZIP_LINE,
        {"fix": "gzip -t"},
    ),
    Case(
        "ragged",
        text("a.csv", "id,text\n1,um\n2,dois,três\n"),
        ["a.csv"],
        "ragged CSV",
        "a.csv",
        3,
        {"expected": "2 fields", "found": "3"},
    ),
    Case(
        "column",
        text("a.csv", "id,txt\n1,um\n"),
        ["a.csv"],
        "no column 'text'",
        "a.csv",
        1,
        {"found": "id, txt", "fix": "txt"},
    ),
    Case(
        "binary",
        text("a.txt", b"texto\nbin\0\1\2rio\n"),
        ["a.txt"],
        "a binary file",
        "a.txt",
        2,
        {"found": "NUL"},
    ),
]

ONE_COMMAND = [
    Case(
        "unknown ending",
        text("a.doc", GOOD),
        ["a.doc"],
        "do not know how to read",
        "a.doc",
        said={"found": ".doc"},
    ),
    Case("no ending", text("a", GOOD), ["a"], "do not know how to read", "a"),
    Case("empty name", text("a.txt", GOOD), [""], "an empty name", None),
    Case("glob", text("a.txt", GOOD), ["*.csv"], "matches no readable file", "*.csv"),
    Case(
        "prefix",
        text("corpus.txt", GOOD),
        ["pt=corpsu.txt"],
        "no such file",
        "corpsu.txt",
        said={"fix": "corpus.txt"},
    ),
    Case("long name", text("a.txt", GOOD), ["a" * 300], "cannot read this", "a" * 300),
    Case(
        "dangling link",
        lambda: Path("a.txt").symlink_to("gone"),
        ["a.txt"],
        "a link to a file that is not there",
        "a.txt",
    ),
    Case("pipe", lambda: os.mkfifo("a.txt"), ["a.txt"], "not a regular file", "a.txt"),
    Case("pipe by glob", lambda: os.mkfifo("a.txt"), ["*.txt"], "not a regular file", "a.txt"),
    Case("device", lambda: None, ["/dev/null"], "not a regular file", "/dev/null"),
    Case("endless device", lambda: None, ["/dev/zero"], "not a regular file", "/dev/zero"),
    Case(
        "picture",
        text("a.txt", b"\x89PNG\r\n\x1a\n..."),
        ["a.txt"],
        "not a text file",
        "a.txt",
        said={"found": "PNG"},
    ),
    Case(
        "gzip named txt",
        text("a.txt", gzip.compress(b"texto")),
        ["a.txt"],
        "not a text file",
        "a.txt",
        said={"fix": "add .gz"},
    ),
    Case(
        "not gzip", text("a.txt.gz", GOOD), ["a.txt.gz"], "not a gzip file", "a.txt.gz", said={"fix": "a.txt"}
    ),
    Case(
        "empty gzip",
        text("a.txt.gz", b""),
        ["a.txt.gz"],
        "not a gzip file",
        "a.txt.gz",
        said={"found": "empty"},
    ),
    Case("zstd", cut("a.txt.zst", zstd(GOOD.encode()), 0.5), ["a.txt.zst"], "truncated zstd", "a.txt.zst"),
    Case(
        "JSON",
        text("a.jsonl", '{"text": "a"}\n{"text": "b\n'),
        ["a.jsonl"],
        "not a JSON object",
        "a.jsonl",
        2,
    ),
    Case(
        "JSON array",
        text("a.jsonl", '[{"text": "a"}]'),
        ["a.jsonl"],
        "not a JSON object",
        "a.jsonl",
        1,
        {"fix": "jq"},
    ),
    Case(
        "JSON number",
        text("a.jsonl", '{"text": 1}'),
        ["a.jsonl"],
        "is not text",
        "a.jsonl",
        1,
        {"found": "int: 1"},
    ),
    Case(
        "JSON huge number",
        text("a.jsonl", f'{{"text": {"9" * 6000}}}'),
        ["a.jsonl"],
        "is not text",
        "a.jsonl",
        1,
    ),
    Case(
        "JSON depth",
        text("a.jsonl", "[" * 200_000),
        ["a.jsonl"],
        "not a JSON object",
        "a.jsonl",
        1,
        {"found": "deep"},
    ),
    Case(
        "JSON escapes",
        text("a.jsonl", "\x1b[2J\x07\n"),
        ["a.jsonl"],
        "not a JSON object",
        "a.jsonl",
        1,
        {"found": r"\x1b[2J"},
    ),
    Case("JSON NUL", text("a.jsonl", '{"text": "a\0"}'), ["a.jsonl"], "a binary file", "a.jsonl", 1),
    Case(
        "quote",
        text("a.csv", 'text\num\n"dois\ntrês\n'),
        ["a.csv"],
        "malformed CSV",
        "a.csv",
        3,
        {"fix": "close every"},
    ),
    Case("TSV", text("a.tsv", "text\tn\num\t1\ndois\n"), ["a.tsv"], "ragged TSV", "a.tsv", 3),
    Case(
        "columns",
        text("a.csv", ",".join(f"c{n}" for n in range(9999))),
        ["a.csv"],
        "no column",
        "a.csv",
        1,
        {"found": "and 9,987 more"},
    ),
    Case(
        "field",
        text("a.csv", 'text\n"' + "x\n" * MEBIBYTE),
        ["a.csv", "--max-document-mb", "1"],
        "malformed CSV",
        "a.csv",
        2,
        {"fix": "--max-document-mb"},
    ),
    Case(
        "parquet",
        cut("a.parquet", b"PAR1" + bytes(1000), 0.9),
        ["a.parquet"],
        "not a readable Parquet",
        "a.parquet",
    ),
    Case(
        "parquet column",
        rows("a.parquet", {"txt": ["a"]}),
        ["a.parquet"],
        "no column 'text'",
        "a.parquet",
        1,
        {"fix": "txt"},
    ),
    Case(
        "document",
        text("a.txt", "x\n\n" + "linha\n" * MEBIBYTE),
        ["a.txt", "--max-document-mb", "1"],
        "a document of more than 1 MiB",
        "a.txt",
        3,
        {"fix": "--document line"},
    ),
    Case(
        "line",
        text("a.txt", b"x\n" + bytes([65]) * (MEBIBYTE + 1)),
        ["a.txt", "--max-line-mb", "1"],
        "a line of more than 1 MiB",
        "a.txt",
        2,
        {"fix": "--max-line-mb"},
    ),
    Case(
        "encoding",
        text("a.txt", GOOD),
        ["a.txt", "--encoding", "utf-16"],
        "cannot be read directly",
        None,
        said={"fix": "iconv"},
        code=USAGE,
    ),
    Case(
        "no encoding",
        text("a.txt", GOOD),
        ["a.txt", "--encoding", "klingon"],
        "unknown encoding",
        None,
        code=USAGE,
    ),
    Case(
        "language",
        text("a.txt", GOOD),
        ["a.txt", "--language", "klingon"],
        "not a language code",
        None,
        code=USAGE,
    ),
    Case(
        "second file",
        lambda: (text("a.txt", GOOD)(), text("b.txt", b"\xff\xff")()),
        ["a.txt", "b.txt"],
        "not valid UTF-8",
        "b.txt",
        1,
    ),
]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("case", EVERY_COMMAND, ids=lambda case: case.name)
def test_bad_input_of_every_command(folder, tokenizer, case, command):
    refuse(folder, tokenizer, case, command)


@pytest.mark.parametrize(
    ("case", "command"),
    [
        pytest.param(case, COMMANDS[n % 3], id=f"{case.name}-{COMMANDS[n % 3]}")
        for n, case in enumerate(ONE_COMMAND)
    ],
)
def test_bad_input(folder, tokenizer, case, command):
    refuse(folder, tokenizer, case, command)


def refuse(folder: Path, tokenizer: Path, case: Case, command: str) -> None:
    case.write()
    before = snapshot(folder)
    result = run(arguments(command, case.texts, tokenizer))
    labelled = assert_refused(result, case.code, what=case.what, file=case.file, line=case.line)
    for label, part in case.said.items():
        assert part in labelled[label]
    assert "\x1b" not in result.stderr
    assert snapshot(folder) == before


@pytest.mark.parametrize(
    ("case", "command"),
    [
        pytest.param(case, COMMANDS[n % 3], id=f"{case.name}-{COMMANDS[n % 3]}")
        for n, case in enumerate(EVERY_COMMAND)
    ],
)
def test_with_json_the_error_is_one_object(folder, tokenizer, case, command):
    case.write()
    result = run([*arguments(command, case.texts, tokenizer), "--json"])
    assert (result.returncode, result.stdout) == (INPUT, "")
    error = json.loads(result.stderr)["error"]
    assert case.what in error["what"]
    assert (error["file"], error["line"]) == (case.file, case.line)
    assert error["expected"]
    assert error["fix"]
    for label, part in case.said.items():
        assert part in error[label]


def test_with_json_a_wrong_command_line_is_one_object(folder):
    result = run(["tokenizer", "train", "a.txt", "--vocab-szie", "300", "--json"])
    assert (result.returncode, result.stdout) == (USAGE, "")
    assert json.loads(result.stderr)["error"]["fix"] == "did you mean --vocab-size?"


@pytest.mark.parametrize("command", COMMANDS)
def test_file_names_with_odd_bytes(folder, tokenizer, command):
    name = b"pr\xe9-\x1b[2J[red].txt"
    Path(os.fsdecode(name)).write_bytes(b"\xff")
    result = run(arguments(command, [os.fsdecode(name)], tokenizer))
    assert_refused(result, INPUT, what="not valid UTF-8", file=r"pr\udce9-\x1b[2J[red].txt", line=1)


# Inputs that look odd and are fine.


@pytest.mark.parametrize(
    "command",
    [
        "train",
        "report",
        "build",
    ],
)
def test_good_text_in_a_file_whose_name_is_not_utf8(folder, tokenizer, command):
    Path(os.fsdecode(b"caf\xe9.txt")).write_text(GOOD)
    result = run([*arguments(command, ["."], tokenizer), "--json"])
    assert result.returncode == 0, result.stderr
    json.loads(result.stdout)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_mark_and_crlf_change_nothing(tmp_path, tokenizer, command):
    made = []
    for name, data in (
        ("clean", GOOD.encode()),
        ("dirty", b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_bytes(data)
        result = run([*arguments(command, ["a.txt"], tokenizer, "out"), "--json"], cwd=tmp_path / name)
        assert result.returncode == 0, result.stderr
        files = sorted(file for file in (tmp_path / name).rglob("out/**/*") if file.is_file())
        made.append(
            (result.stdout, {file.name: file.read_bytes() for file in files if file.name != "store.json"})
        )
    assert made[0] == made[1]
    assert command == "report" or len(made[0][1]) >= 4


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("mode", [[], ["--json"]])
def test_lone_surrogates_nul_and_huge_numbers_in_json_are_accepted(folder, tokenizer, command, mode):
    lines = [
        r'{"text": "meio \ud800 par", "language": "\udfff"}',
        r'{"text": "nulo \u0000 aqui"}',
        f'{{"text": "O gato dorme.", "n": {"9" * 6000}}}',
        json.dumps({"text": "O gato ronca no telhado."}),
    ]
    Path("a.jsonl").write_text("\n".join(lines))
    result = run([*arguments(command, ["a.jsonl"], tokenizer), *mode])
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
    if mode:
        json.loads(result.stdout)
        assert result.stderr == ""


def test_a_stdout_that_knows_only_ascii(folder, tokenizer):
    Path("a.txt").write_text("Não há coração 😀 que aguente.")
    command = arguments("report", ["a.txt"], tokenizer)
    condition = {"env": {**os.environ, "PYTHONIOENCODING": "ascii"}, "encoding": "ascii"}
    assert run(command, **condition).returncode == 0
    result = run([*command, "--json"], **condition)
    assert json.loads(result.stdout)["longest"][0]["beginning"] == "Não há coração 😀 que aguente."


def test_latin_1_on_request(folder, tokenizer):
    Path("a.txt").write_bytes("coração não dorme".encode("latin-1"))
    result = run([*arguments("report", ["a.txt"], tokenizer), "--encoding", "latin-1", "--json"])
    assert json.loads(result.stdout)["longest"][0]["beginning"] == "coração não dorme"


def test_a_figure_that_is_no_number_is_null_in_json(folder, tokenizer):
    Path("a.jsonl").write_text('{"text": "", "lang": "pt"}\n{"text": "um gato", "lang": "en"}')
    result = run([*arguments("report", ["a.jsonl"], tokenizer), "--json"])
    figures = json.loads(result.stdout, parse_constant=pytest.fail)
    assert figures["languages"]["pt"]["fertility"] is None


def test_parquet_in_gzip(folder, tokenizer):
    parquet.write_table(pa.table({"text": GOOD.split("\n\n")[:-1]}), "a.parquet")
    Path("b.parquet.gz").write_bytes(gzip.compress(Path("a.parquet").read_bytes()))
    counts = []
    for name in ("a.parquet", "b.parquet.gz"):
        result = run([*arguments("build", [name], tokenizer, f"results/{name}"), "--json"])
        counts.append(json.loads(result.stdout)["counts"])
    assert counts[0] == counts[1]
    assert counts[0]["documents"] == 200


# Inputs that are large, or change.

_MEASURE = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
"""


def run_measured(arguments: Sequence[str]) -> tuple[subprocess.CompletedProcess[str], float]:
    """Run under a small parent (a child's peak begins with its parent's size) and give the peak in MB too."""
    result = run(arguments, before=[sys.executable, "-ISc", _MEASURE, "peak"])
    peak = int(Path("peak").read_text()) / 1000
    Path("peak").unlink()
    return result, peak


def one_long_line() -> None:
    with Path("a.txt").open("wb") as file:
        file.writelines(b"palavra " * (MEBIBYTE // 8) for _ in range(200))


def bomb(data: bytes) -> None:
    """Write 2 GB that shrink to almost nothing: many equal parts, which gzip allows."""
    part = gzip.compress(data)
    Path("a.txt.gz").write_bytes(part * -(-2_000_000_000 // len(data)))


LINE = one_long_line, "a.txt", "a line of more than 16 MiB"
LINES = partial(bomb, b"um gato dorme\n" * 10**6), "a.txt.gz", "compression bomb"
LETTERS = partial(bomb, b"x" * 16_000_000), "a.txt.gz", "compression bomb"
ZEROS = partial(bomb, bytes(16_000_000)), "a.txt.gz", "a binary file"
DOCUMENTS = partial(bomb, b"um gato dorme no telhado da casa\n\n" * 10**5), "a.txt.gz", "compression bomb"


@pytest.mark.parametrize(
    ("command", "write", "file", "what"),
    [
        *(pytest.param(command, *LINE, id=f"200 MB in one line-{command}") for command in COMMANDS),
        *(pytest.param(command, *LINES, id=f"bomb of lines-{command}") for command in COMMANDS),
        pytest.param("train", *LETTERS, id="bomb of letters-train"),
        pytest.param("report", *ZEROS, id="bomb of zeros-report"),
        pytest.param("build", *ZEROS, id="bomb of zeros-build"),
        pytest.param("train", *DOCUMENTS, id="bomb of documents-train", marks=pytest.mark.slow),
        pytest.param("build", *DOCUMENTS, id="bomb of documents-build", marks=pytest.mark.slow),
    ],
)
def test_large_input_is_refused_in_little_memory(folder, tokenizer, command, write, file, what):
    write()
    before = snapshot(folder)
    result, peak = run_measured(arguments(command, [file], tokenizer))
    line = 1 if what != "compression bomb" else int(result.stderr.split("line ")[1].split(":")[0])
    assert_refused(result, INPUT, what=what, file=file, line=line)
    assert peak < 400
    assert snapshot(folder) == before


def test_a_file_that_becomes_shorter_while_it_is_read(folder, tokenizer):
    Path("a.txt").write_bytes(GOOD.encode() * 6000)
    size = Path("a.txt").stat().st_size
    process = subprocess.Popen(
        [AMBOS, *arguments("build", ["a.txt"], tokenizer), "--workers", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    tokens = Path("results/new/.out.partial/tokens.npy")
    while process.poll() is None and not (tokens.exists() and tokens.stat().st_size > 128):
        time.sleep(0.001)
    os.truncate("a.txt", size // 2)
    out, err = process.communicate(timeout=60)
    result = subprocess.CompletedProcess([], process.returncode, out, err)
    labelled = assert_refused(result, INPUT, what="became shorter while it was read", file="a.txt")
    assert labelled["expected"].startswith(f"{size:,} bytes")
    assert not any(Path("results").iterdir())


# Outputs.

WRITING = ("train", "build")


@dataclass(frozen=True)
class Place:
    """An output that cannot be."""

    name: str
    write: Callable[[], object]
    out: str
    what: str
    said: dict[str, str] = field(default_factory=dict)


PLACES = [
    Place("not empty", folder_of("o", "precious.txt"), "o", "already there", {"fix": "--force"}),
    Place("a file", text("o", "precious"), "o", "already there", {"fix": "--force"}),
    Place("below a file", text("o", "precious"), "o/x", "cannot write here", {"found": "is not a folder"}),
    Place(
        "deep below a file",
        text("o", "precious"),
        "o/x/y/z",
        "cannot write here",
        {"found": "is not a folder"},
    ),
    Place("here", text("o", "precious"), ".", "", {"fix": "choose another --out"}),
    Place("no file system for it", lambda: None, "/proc/o", "cannot write here", {"fix": "--out"}),
    Place("name too long for its lock", lambda: None, "o" * 250, "cannot write here", {"found": "too long"}),
]


@pytest.mark.parametrize("command", WRITING)
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_output_that_cannot_be(folder, tokenizer, place, command):
    Path("good.txt").write_text(GOOD)
    place.write()
    before = snapshot(folder)
    result = run(arguments(command, ["good.txt"], tokenizer, place.out))
    labelled = assert_refused(result, OUTPUT, what=place.what, file=place.out)
    for label, part in place.said.items():
        assert part in labelled[label]
    assert snapshot(folder) == before


@pytest.mark.parametrize(
    "command",
    [
        "train",
        "build",
    ],
)
def test_output_whose_name_is_too_long(folder, tokenizer, command):
    Path("good.txt").write_text(GOOD)
    result = run(arguments(command, ["good.txt"], tokenizer, "o" * 300))
    assert_refused(result, OUTPUT, what="cannot write here", file="o" * 300)


@pytest.mark.parametrize("command", WRITING)
def test_interrupted_by_the_user(folder, tokenizer, command):
    Path("good.txt").write_text(GOOD * 3000)
    process = subprocess.Popen(
        [AMBOS, *arguments(command, ["good.txt"], tokenizer, "results/out")],
        stderr=subprocess.PIPE,
        text=True,
    )
    while process.poll() is None and not Path("results/.out.partial").exists():
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    assert "Traceback" not in process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert not Path("results/out").exists()


@pytest.fixture(scope="module")
def as_mortal() -> list[str]:
    """What to put before a command so that the permissions of files hold for it, even for root."""
    if os.geteuid() != 0:
        return []
    without = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    if shutil.which("setpriv") and subprocess.run([*without, "true"], check=False).returncode == 0:
        return without
    pytest.skip("root may read and write everything, and setpriv is not there to take that away")


@pytest.mark.parametrize("command", WRITING)
def test_a_folder_one_may_not_write_to(folder, tokenizer, command, as_mortal):
    Path("good.txt").write_text(GOOD)
    Path("results").chmod(0o500)
    result = run(arguments(command, ["good.txt"], tokenizer, "results/out"), before=as_mortal)
    labelled = assert_refused(result, OUTPUT, what="cannot write here", file="results/out")
    assert labelled["found"] == "Permission denied"
    assert not any(Path("results").iterdir())


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("train", "a.txt"),
        ("report", "a.txt.gz"),
        ("build", "a.parquet"),
        ("train", "d"),
        ("build", "d/a.txt"),
    ],
)
def test_input_one_may_not_read(folder, tokenizer, command, name, as_mortal):
    closed = Path(name.split("/")[0])
    if closed.suffix:
        closed.write_bytes(gzip.compress(b"texto") if name.endswith(".gz") else b"texto")
    else:
        closed.mkdir()
    closed.chmod(0)
    result = run(arguments(command, [name], tokenizer), before=as_mortal)
    labelled = assert_refused(result, INPUT, what="cannot read this", file=name)
    assert labelled["found"] == "Permission denied"
    assert not any(Path("results").iterdir())


_ON_A_SMALL_DISK = """
size=$1; disk=$2; left=$3; shift 3
mount -t tmpfs -o size=$size none "$disk" || exit 77
"$@"; code=$?
find "$disk" -mindepth 1 > "$left"
exit $code
"""


def run_on_a_small_disk(size: str, arguments: Sequence[str]) -> tuple[subprocess.CompletedProcess[str], str]:
    """Run with `disk/` being a file system of a few kB that only this process sees; also say what it left."""
    Path("disk").mkdir()
    for apart in (["unshare", "-rm"], ["unshare", "-m"]):
        before = [*apart, "sh", "-c", _ON_A_SMALL_DISK, "sh", size, "disk", "left"]
        result = run(arguments, before=before)
        if Path("left").exists():
            return result, Path("left").read_text()
    pytest.skip(f"may not mount a file system here: {result.stderr.strip()}")


@pytest.mark.parametrize(
    ("command", "size", "more"),
    [
        ("train", "4k", []),
        ("train", "16k", []),  # the first file fits
        ("train", "16k", ["--kind", "bpe", "--vocab-size", "400"]),
        ("train", "8k", ["--kind", "unigram", "--vocab-size", "200"]),
        ("build", "4k", []),
        ("build", "32k", []),  # the tokens fit, the tokenizer does not
    ],
)
def test_full_disk(folder, tokenizer, command, size, more):
    Path("good.txt").write_text(GOOD)
    result, left = run_on_a_small_disk(
        size, [*arguments(command, ["good.txt"], tokenizer, "disk/new/out"), *more]
    )
    assert_refused(
        result, OUTPUT, what="the disk is full; nothing was left half-written", file="disk/new/out"
    )
    assert left == ""


@pytest.mark.parametrize("command", WRITING)
def test_limit_of_file_sizes(folder, tokenizer, command):
    Path("good.txt").write_text(GOOD)
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (4000, 4000))
    result = run(arguments(command, ["good.txt"], tokenizer), preexec_fn=limit)
    labelled = assert_refused(result, OUTPUT, what="larger than is allowed here", file="results/new/out")
    assert "ulimit -f" in labelled["fix"]
    assert not any(Path("results").iterdir())


@pytest.mark.parametrize("command", WRITING)
def test_force_keeps_the_old_output_when_the_new_fails(folder, tokenizer, command):
    Path("good.txt").write_text(GOOD)
    Path("bad.txt").write_bytes(GOOD.encode() + b"\xff")
    assert run(arguments(command, ["good.txt"], tokenizer)).returncode == 0
    before = snapshot(folder)
    result = run([*arguments(command, ["bad.txt"], tokenizer), "--force"])
    assert_refused(result, INPUT, what="not valid UTF-8", file="bad.txt", line=601)
    assert snapshot(folder) == before


@pytest.mark.parametrize("command", WRITING)
def test_a_killed_process_leaves_no_output_and_the_next_run_clears_up(folder, tokenizer, command):
    Path("good.txt").write_text(GOOD * 2000)
    process = subprocess.Popen(
        [AMBOS, *arguments(command, ["good.txt"], tokenizer, "results/out"), "--quiet"],
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None and not Path("results/.out.partial").exists():
        time.sleep(0.001)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert not Path("results/out").exists()
    Path("good.txt").write_text(GOOD)
    result = run([*arguments(command, ["good.txt"], tokenizer, "results/out"), "--json"])
    assert result.returncode == 0, result.stderr
    assert [entry.name for entry in Path("results").iterdir()] == ["out"]
    if command == "build":
        assert len(np.load("results/out/documents.npy")) == 201
