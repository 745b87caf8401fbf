"""`ambos predict`: all layouts, what it says and refuses; killed for real, it goes on as if never stopped."""

import csv
import gzip
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import ambos as api
from ambos.files import working_folder
from tests.cli.conftest import Ran
from tests.predict.models import LABELS, make_model

USAGE, INPUT, OUTPUT = 2, 3, 4
TEXTS = ["O banco chegou.", "Hoje é noite no porto.", "a word", "Que noite, que porto, que banco!"]


@pytest.fixture(scope="session")
def task_folder(
    model_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Path]:
    """Folder of a small model for a task."""
    root = tmp_path_factory.mktemp("tasks")

    def folder(task: str) -> Path:
        return (
            root / task
            if (root / task).exists()
            else make_model(model_folder("wordpiece"), task, root / task)
        )

    return folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with rows of every kind in it."""
    monkeypatch.chdir(tmp_path)
    write("a.txt", *TEXTS)
    write("a.jsonl", *({"text": text, "id": f"r{n}", "label": "x"} for n, text in enumerate(TEXTS)))
    write("a.csv", "text,id", *(f'"{text}",r{n}' for n, text in enumerate(TEXTS)))
    write("words.jsonl", *({"words": text.split()} for text in TEXTS))
    write("a.conll", *(f"{word}\tO" if word else "" for text in TEXTS for word in [*text.split(), ""]))
    questions = [{"id": f"q{n}", "question": text} for n, text in enumerate(TEXTS)]
    article = {"title": "t", "paragraphs": [{"context": " ".join(TEXTS), "qas": questions}]}
    write("squad.json", {"version": "2.0", "data": [article]})
    return tmp_path


def write(name: str, *lines: Any) -> None:
    text = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    Path(name).write_text("".join(f"{line}\n" for line in text))


def read(name: str | Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(name).read_text().splitlines()]


def hidden(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir() if entry.name.startswith(".")}


def test_a_classifier(ambos, task_folder, here):
    ran = ambos("predict", task_folder("classify"), "a.jsonl", "a.txt", "--out", "new/o.jsonl", "--json")
    assert (ran.code, ran.err) == (0, "")
    rows = read("new/o.jsonl")
    assert [(row["file"], row["line"]) for row in rows] == [
        *(("a.jsonl", n) for n in (1, 2, 3, 4)),
        *(("a.txt", n) for n in (1, 2, 3, 4)),
    ]
    assert [row["id"] for row in rows] == ["r0", "r1", "r2", "r3", *[None] * 4]
    expected = [one.labels[0] for one in api.load(task_folder("classify")).predict(TEXTS)]
    assert [row["label"] for row in rows] == expected * 2
    said = json.loads(ran.out)
    assert (said["rows"], said["earlier_rows"], said["skipped"], said["task"]) == (8, 0, {}, "classify")
    assert said["columns"] == {"text": "text", "id": "id"}
    assert said["bytes"] == Path("new/o.jsonl").stat().st_size
    assert (said["long"]["how"], said["long"]["texts"], said["long"]["summary"]) == ("cut", 8, None)
    assert said["rows_per_second"] == pytest.approx(8 / said["seconds"])
    assert {entry.name for entry in Path("new").iterdir()} == {"o.jsonl"}


@pytest.mark.parametrize(
    ("task", "names", "more"),
    [
        ("classify", ["a.csv"], ["--all-probabilities"]),
        ("several", ["a.txt"], []),
        ("score", ["a.jsonl"], ["--with-text"]),
        ("tag", ["a.conll", "a.txt", "words.jsonl"], ["--with-text"]),
        ("pos", ["words.jsonl"], []),
        ("answer", ["squad.json"], ["--top", "2"]),
    ],
)
def test_every_task_in_every_layout(ambos, task_folder, here, task, names, more):
    for ending in ("jsonl", "csv", "tsv", "parquet"):
        ran = ambos("predict", task_folder(task), *names, "--out", f"o.{ending}", *more)
        assert ran.code == 0, ran.err
    rows = read("o.jsonl")
    assert len(rows) == 4 * len(names)
    tables = [parquet.read_table("o.parquet").to_pylist()]
    for name, separator in (("o.csv", ","), ("o.tsv", "\t")):
        with Path(name).open(newline="") as file:
            tables.append(list(csv.DictReader(file, delimiter=separator)))
    for table in tables:
        assert [(row["file"], int(row["line"])) for row in table] == [
            (row["file"], row["line"]) for row in rows
        ]


def test_entities_of_a_line_have_characters(ambos, task_folder, here):
    assert ambos("predict", task_folder("tag"), "a.txt", "--out", "o.jsonl").code == 0
    found = [(row, entity) for row in read("o.jsonl") for entity in row["entities"]]
    assert found
    for row, entity in found:
        assert TEXTS[row["line"] - 1][entity["start_char"] : entity["end_char"]] == entity["text"]


def test_a_field_of_conll_by_number(ambos, task_folder, here):
    ran = ambos("predict", task_folder("tag"), "a.conll", "--words", "2", "--out", "o.jsonl")
    assert ran.err == "1 file to read; columns words: field 2 (the last)\n"
    assert {word for row in read("o.jsonl") for word in row["words"]} == {"O"}


def test_columns_of_squad_are_refused(ambos, task_folder, here):
    ran = ambos("predict", task_folder("answer"), "squad.json", "--passage", "texto", "--out", "o.jsonl")
    labelled = ran.refused(INPUT, "squad.json: columns are named, and a SQuAD file has none")
    assert labelled["found"] == "--passage texto"
    assert not Path("o.jsonl").exists()


def test_ragged_rows_are_left_out(ambos, task_folder, here):
    write("b.csv", "text,id", "um", "dois,2", "três,3,4")
    ran = ambos("predict", task_folder("classify"), "b.csv", "--out", "o.jsonl", "--skip-bad", "--json")
    assert json.loads(ran.out)["skipped"] == {"ragged row": 2}
    assert [(row["line"], row["id"]) for row in read("o.jsonl")] == [(3, "2")]


def test_broken_lines_of_json_are_left_out(ambos, task_folder, here):
    write("b.jsonl", "{", {"text": "um"}, "null", {"text": "dois"})
    ran = ambos("predict", task_folder("classify"), "b.jsonl", "--out", "o.jsonl", "--skip-bad", "--json")
    assert json.loads(ran.out)["skipped"] == {"not a JSON object": 2}
    assert [row["line"] for row in read("o.jsonl")] == [2, 4]


def test_for_people(ambos, task_folder, here):
    write("b.jsonl", {"text": "banco " * 100}, {"text": ""}, {"text": "um"})
    ran = ambos("predict", task_folder("classify"), "b.jsonl", "--out", "o.jsonl", "--skip-bad")
    assert ran.err == "1 file to read; columns text: text\n"
    assert "2 rows in o.jsonl" in ran.out
    assert "rows left out: empty text: 1" in ran.out
    assert "1 of 2 texts were longer than 64 tokens: 38 of 105 tokens were left out" in ran.out
    assert "rows/s" in ran.out
    assert ambos("predict", task_folder("classify"), "a.txt", "--out", "p.jsonl", "--quiet") == Ran(0, "", "")


def test_options(ambos, task_folder, here):
    Path("c.csv.gz").write_bytes(gzip.compress("chave,frase\nk1,coração\nk2,não\n".encode("latin-1")))
    more = ["--text", "frase", "--id", "chave", "--encoding", "latin-1", "--with-text", "--device", "cpu"]
    assert ambos("predict", task_folder("classify"), "c.csv.gz", "--out", "O.JSONL", *more).code == 0
    assert [(row["id"], row["text"]) for row in read("O.JSONL")] == [("k1", "coração"), ("k2", "não")]
    write("t.jsonl", {"frase": "O banco chegou"})
    for option in ("--text", "--words"):
        ran = ambos("predict", task_folder("tag"), "t.jsonl", "-o", "t.out.jsonl", option, "frase", "--force")
        assert ran.code == 0, ran.err
        assert read("t.out.jsonl")[0]["words"] == ["O", "banco", "chegou"]
    write("q.jsonl", {"q": "Onde?", "p": TEXTS[0]})
    ran = ambos(
        "predict", task_folder("answer"), "q.jsonl", "-o", "q.out.jsonl", "--question", "q", "--passage", "p"
    )
    assert ran.code == 0
    said = ambos(
        "predict",
        task_folder("classify"),
        "a.txt",
        "-o",
        "w.jsonl",
        "--long",
        "windows",
        "--max-length",
        "6",
        "--json",
    )
    assert json.loads(said.out)["long"]["windows"] > 0
    assert json.loads(said.out)["max_length"] == 6


# What is refused.


@pytest.mark.parametrize(
    ("task", "arguments", "code", "what"),
    [
        ("", ["a.txt"], INPUT, "this model was not fine-tuned"),
        ("classify", ["missing.txt"], INPUT, "no such file"),
        ("classify", ["a.conll"], INPUT, "do not know how to read this kind of file"),
        ("classify", ["other.csv"], INPUT, "no column is known to hold the text"),
        ("classify", ["a.jsonl", "--text", "txt"], INPUT, "there is no column 'txt'"),
        ("classify", ["empty.txt"], INPUT, "there are no rows in this file"),
        ("classify", ["latin.txt"], INPUT, "not valid UTF-8"),
        ("classify", ["ragged.csv"], INPUT, "ragged.csv, line 2: 1 row cannot be used"),
        ("tag", ["a.conll", "--words", "form"], INPUT, "the fields of a CoNLL file have no names"),
        ("tag", ["a.conll", "--words", "3"], INPUT, "there is no field 3"),
        ("tag", ["a.txt", "--words", "frase"], INPUT, "there are no columns in this file"),
        ("classify", ["a.txt", "--text", "frase"], INPUT, "there are no columns in this file"),
        ("classify", ["bad.jsonl"], INPUT, "not a JSON object"),
        ("classify", ["blank.jsonl"], INPUT, "1 row cannot be used"),
        ("classify", ["torn.parquet"], INPUT, "not a readable Parquet file"),
        ("classify", ["a.txt", "--top", "2"], USAGE, "--top is not for this model"),
        ("score", ["a.txt", "--all-probabilities"], USAGE, "--all-probabilities is not for this model"),
        ("classify", ["a.txt", "--max-length", "65"], USAGE, "texts of 65 tokens cannot be read"),
        ("classify", ["a.txt", "--long", "error", "--max-length", "5"], INPUT, "a text is longer"),
        ("classify", ["a.txt", "--encoding", "klingon"], USAGE, "unknown encoding"),
        ("tag", ["a.csv"], INPUT, "do not know how to read this kind of file"),
        ("tag", ["other.jsonl"], INPUT, "no column is known to hold the words"),
        ("answer", ["a.jsonl"], INPUT, "no column is known to hold the question"),
        ("answer", ["other.json"], INPUT, "not a SQuAD file"),
        ("answer", ["squad.json", "--top", "21"], USAGE, "--top"),
    ],
)
def test_bad_input(ambos, task_folder, model_folder, here, task, arguments, code, what):
    write("other.csv", "a,b", "1,2")
    write("other.jsonl", {"a": 1})
    write("other.json", {"a": 1})
    Path("empty.txt").touch()
    Path("latin.txt").write_bytes(b"caf\xe9\n")
    write("ragged.csv", "text,id", "um", "dois,2")
    write("bad.jsonl", "text")
    write("blank.jsonl", {"text": " "}, {"text": "um"})
    Path("torn.parquet").write_bytes(b"PAR1 and no more")
    before = {entry.name for entry in here.iterdir()}
    model = task_folder(task) if task else model_folder("wordpiece")
    ran = ambos("predict", model, *arguments, "--out", "deep/er/o.jsonl")
    refusal = ran.refused(code, what)
    assert refusal["fix"]
    assert "labelled" not in str(refusal.get("expected"))  # rows to predict for need no labels
    assert {entry.name for entry in here.iterdir()} == before


@pytest.mark.parametrize(
    ("out", "what"),
    [
        ("o.json", "do not know how to write '.json'"),
        ("o", "the output has no ending"),
        ("o.jsonl.gz", "'.gz'"),
    ],
)
def test_unknown_endings(ambos, here, out, what):
    labelled = ambos("predict", "model", "a.txt", "--out", out).refused(USAGE, what)
    assert ".jsonl" in labelled["expected"]
    assert labelled["fix"]


def test_an_unreadable_file(ambos, task_folder, here):
    Path("secret.txt").write_text("um\n")
    Path("secret.txt").chmod(0)
    try:
        Path("secret.txt").read_text()
    except PermissionError:
        ambos("predict", task_folder("classify"), "secret.txt", "--out", "o.jsonl").refused(
            INPUT, "cannot read"
        )
    else:
        pytest.skip("nothing is unreadable for this user")


def test_errors_with_json(ambos, task_folder, here):
    write("blank.jsonl", {"text": "um"}, {"text": " "})
    ran = ambos("predict", task_folder("classify"), "blank.jsonl", "--out", "o.jsonl", "--json")
    assert (ran.code, ran.out) == (INPUT, "")
    error = json.loads(ran.err)["error"]
    assert (error["file"], error["line"]) == ("blank.jsonl", 2)
    assert "--skip-bad" in error["fix"]


def test_an_output_that_is_there(ambos, task_folder, here):
    Path("o.jsonl").write_text("precious")
    model = task_folder("classify")
    labelled = ambos("predict", model, "a.txt", "--out", "o.jsonl").refused(
        OUTPUT, "the output is already there"
    )
    assert "--force" in labelled["fix"]
    ambos("predict", model, "a.conll", "--out", "o.jsonl", "--force").refused(INPUT, "do not know how")
    assert Path("o.jsonl").read_text() == "precious"
    assert ambos("predict", model, "a.txt", "--out", "o.jsonl", "--force").code == 0
    assert len(read("o.jsonl")) == 4
    Path("p.jsonl").mkdir()
    ambos("predict", model, "a.txt", "--out", "p.jsonl", "--force").refused(OUTPUT, "is to be a file")


# Real processes, really killed.

# Kills itself at the so-many-th time that it comes to a point: before or after a piece, before or after its
# journal is replaced, while the table is made, when it is made, when the output is there.
KILLED = """
import os, signal, sys
from ambos.predict import files, growing
import ambos.files

point, left = sys.argv[1], int(sys.argv[2])
del sys.argv[1:3]

def watch(owner, name, before, after):
    whole = getattr(owner, name)
    def watched(*arguments, **named):
        come_to(before)
        result = whole(*arguments, **named)
        come_to(after)
        return result
    setattr(owner, name, watched)

def come_to(here):
    global left
    left -= here == point
    if here == point and left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

watch(growing.Growing, "add", "piece", "journal")
watch(growing, "write_file", "written", "-")
watch(files, "convert", "rows", "table")
watch(growing.Growing, "remove", "published", "end")
from ambos.cli.app import main
main()
"""


def big(here: Path, rows: int = 6000) -> str:
    write("big.txt", *(f"O banco chegou hoje ao porto {'e à noite ' * (n % 7)}{n}." for n in range(rows)))
    return "big.txt"


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "ambos.cli.app", "predict", *map(str, arguments)]


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_killed_at_every_moment_and_gone_on_with(ambos, task_folder, here, ending):
    """One job, killed six times at other moments; then it ends, with the bytes of a job left alone."""
    source, model, out = big(here), task_folder("classify"), f"o.{ending}"
    more = ["--all-probabilities", "--with-text", "--max-length", "24"]
    alone = json.loads(ambos("predict", model, source, "--out", f"whole.{ending}", *more, "--json").out)
    rows = working_folder(Path(out)).with_suffix(".rows")
    sizes = []
    for point, time_ in [
        ("written", 1),
        ("written", 2),
        ("journal", 2),
        ("piece", 2),
        ("rows", 1),
        ("table", 1),
    ]:
        arguments = ["predict", str(model), source, "--out", out, *more]
        killed = subprocess.run(
            [sys.executable, "-c", KILLED, point, str(time_), *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert not Path(out).exists()
        sizes.append(rows.stat().st_size)
    assert sizes == sorted(sizes)
    assert len(set(sizes)) > 3
    ran = ambos("predict", model, source, "--out", out, *more, "--json")
    said = json.loads(ran.out)
    assert said["earlier_rows"] == said["rows"] == 6000
    assert said["long"] == alone["long"]
    assert Path(out).read_bytes() == Path(f"whole.{ending}").read_bytes()
    assert hidden(here) == set()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_stopped_while_it_works(ambos, task_folder, here, number):
    source, model = big(here, 60_000), task_folder("tag")
    process = subprocess.Popen(
        command(model, source, "--out", "o.jsonl"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    journal = working_folder(Path("o.jsonl")).with_suffix(".journal")
    until = time.monotonic() + 120
    while time.monotonic() < until and not journal.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
    ambos("predict", model, "a.txt", "--out", "o.jsonl").refused(OUTPUT, "another ambos process")
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert out == ""
    assert "Traceback" not in err
    if number == signal.SIGKILL:
        assert process.returncode == -signal.SIGKILL
    else:
        assert process.returncode == 130
        assert err.splitlines()[-1].endswith("the same command goes on from there")
        assert hidden(here) == {".o.jsonl.rows", ".o.jsonl.journal"}
    done = json.loads(journal.read_text())["state"]["rows"]
    write(source, *Path(source).read_text().splitlines()[:done])  # other input: nothing of it is used
    ran = ambos("predict", model, source, "--out", "o.jsonl")
    assert "beginning anew: the input changed since the last time" in ran.err
    assert len(read("o.jsonl")) == done


def test_help_does_not_import_the_work():
    code = (
        "import sys; sys.argv = ['ambos', 'predict', 'm', 'a.txt', '--out', 'o.json']\n"
        "from ambos.cli.app import main\n"
        "try:\n    main()\nfinally:\n"
        "    print(sorted({'torch', 'numpy', 'pyarrow', 'tokenizers'} & sys.modules.keys()))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "[]" in ran.stdout


def test_labels_of_the_model_are_those_of_the_output(ambos, task_folder, here):
    ambos("predict", task_folder("classify"), "a.txt", "--out", "o.jsonl", "--all-probabilities")
    assert tuple(read("o.jsonl")[0]["probabilities"]) == LABELS.names
