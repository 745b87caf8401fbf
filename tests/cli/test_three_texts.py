"""Models of three texts from the command line: trained, measured, asked, and never given two."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import ambos as package
from ambos.errors import UsageError
from tests.cli.conftest import Ran

FAST = ("--set", "precision=fp32", "--set", "checks.rows=0", "--set", "checks.sequences=0")
NAMED = ("--text-c", "rest")


def write(file: Path, rows: list[dict[str, str]]) -> Path:
    file.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return file


def rows_of(third: str) -> list[dict[str, str]]:
    """The third text decides, and nothing else could."""
    words = ("gato", "dia", "casa", "menina")
    return [
        {"text_a": f"o {first}", "text_b": second, third: word, "label": label}
        for first in words
        for second in words
        for word, label in (("que", "sim"), ("com", "não"))
    ]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("three")
    write(folder / "rest.jsonl", rows_of("rest"))
    write(folder / "known.jsonl", rows_of("text_c"))
    return folder


@pytest.fixture(scope="module")
def run(model_folder: Callable[[str], Path], files: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from ambos.recipe import load_recipe  # noqa: PLC0415
    from ambos.runs.finetune_run import finetune  # noqa: PLC0415
    from ambos.runs.finetune_settings import FinetuneRecipe  # noqa: PLC0415

    given = {
        "task": "classify",
        "base": str(model_folder("wordpiece")),
        "epochs": 12.0,
        "batch": 8,
        "precision": "fp32",
        "learning": {"lr": 3e-3, "dropout": 0.0},
        "pair": {"grow_segments": True},
        "checks": {"rows": 0, "sequences": 8},
        "data": {
            "train": [str(files / "rest.jsonl")],
            "dev": [str(files / "rest.jsonl")],
            "columns": {"text_c": "rest"},
        },
    }
    out = tmp_path_factory.mktemp("three") / "run"
    assert finetune(out, load_recipe(FinetuneRecipe, [given]))
    return out


def test_the_third_text_matters(run: Path) -> None:
    model = package.load(run / "bundle", "cpu")
    said = model.predict([("o gato", "dia", "que"), ("o gato", "dia", "com")])
    assert [one.labels for one in said] == [("sim",), ("não",)]


@pytest.mark.parametrize(
    ("given", "found"), [(("a", "b"), "2 texts"), (("a", "b", "c", "d"), "4 texts"), ("a", "str: a")]
)
def test_another_number_is_refused(run: Path, given: object, found: str) -> None:
    with pytest.raises(UsageError, match="input 1 cannot be read") as error:
        package.load(run / "bundle", "cpu").predict([given])
    assert error.value.expected == "a list of (text, text, text), since the model learnt from 3 texts"
    assert error.value.found == found


@pytest.mark.parametrize(("name", "named"), [("rest", NAMED), ("known", ())])
def test_files_are_read_by_the_names_of_columns(
    ambos: Callable[..., Ran], run: Path, files: Path, tmp_path: Path, name: str, named: tuple[str, ...]
) -> None:
    file, out = files / f"{name}.jsonl", tmp_path / "said.jsonl"
    ran = ambos("predict", run, file, *named, "--with-text", "--out", out, "--json")
    assert ran.code == 0, ran.err
    assert "text_c" in json.loads(ran.out)["columns"]
    said = [json.loads(line) for line in out.read_text().splitlines()]
    assert [one["label"] for one in said] == ["sim", "não"] * 16
    assert said[1]["text_c"] == "com"
    measured = ambos("evaluate", run, file, *named, "--json")
    assert measured.code == 0, measured.err
    assert json.loads(measured.out)["metrics"]["accuracy"]["value"] == 1.0


@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_a_missing_text_is_refused(
    ambos: Callable[..., Ran], run: Path, files: Path, tmp_path: Path, command: str
) -> None:
    out = ("--out", tmp_path / "said.jsonl") if command == "predict" else ()
    missing = ambos(command, run, files / "rest.jsonl", *out).refused(
        3, "no column is known to hold the text_c"
    )
    assert missing["fix"] == "say which: --text-c COLUMN"
    many = ambos(command, run, files / "rest.jsonl", *NAMED, "--text-d", "text_a", *out)
    refused = many.refused(2, "the model learnt from 3 texts, and there are columns for 4")
    assert refused["fix"] == "leave out --text-d"


def test_models_of_two_texts_refuse_a_third(
    ambos: Callable[..., Ran], model_folder: Callable[[str], Path], files: Path, tmp_path: Path
) -> None:
    out, file = tmp_path / "run", files / "rest.jsonl"
    ran = ambos(
        *("finetune", "pair", "--train", file, "--base", model_folder("wordpiece"), *FAST),
        *("--epochs", "1", "--out", out, "--json"),
    )
    assert ran.code == 0, ran.err
    assert "texts" not in json.loads((out / "bundle" / "ambos.json").read_text())["learnt"]
    found = ambos("evaluate", out, file, *NAMED).refused(2, "the model learnt from 2 texts")
    assert found["expected"] == "columns for 2 texts"


def test_a_third_text_makes_pairs_of_rows(
    ambos: Callable[..., Ran], model_folder: Callable[[str], Path], files: Path, tmp_path: Path
) -> None:
    command = ("finetune", "classify", "--train", files / "rest.jsonl", "--base", model_folder("wordpiece"))
    command = (*command, *FAST, "--epochs", "1", "--out", tmp_path / "run")
    assert "--grow-segments" in ambos(*command, *NAMED).refused(2, "there are 3 texts")["fix"]
    ambos(*command, "--text-d", "rest").refused(2, "a fourth text has a column, and a third has none")


def test_doctor_sees_the_third_text(ambos: Callable[..., Ran], files: Path) -> None:
    """Without it every pair is there twice, with other labels."""
    file = files / "rest.jsonl"
    assert json.loads(ambos("doctor", file, "--json").out)["conflicts"] == 16
    seen = json.loads(ambos("doctor", file, *NAMED, "--json").out)
    assert seen["columns"]["text_c"] == "rest"
    assert seen["conflicts"] == 0


def test_a_model_of_three_texts_ranks_no_pairs(
    ambos: Callable[..., Ran], model_folder: Callable[[str], Path], run: Path, tmp_path: Path
) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("o gato\na casa\n")
    command = ("search", model_folder("wordpiece"), "gato", corpus, "--rerank", run, "--label", "sim")
    assert (
        ambos(*command).refused(2, "the model of --rerank reads 3 texts")["expected"].startswith("one that")
    )


@pytest.mark.parametrize("several", [(), ("--seeds", "2")])
def test_what_was_done_to_the_base_is_said(
    ambos: Callable[..., Ran],
    model_folder: Callable[[str], Path],
    files: Path,
    tmp_path: Path,
    several: tuple[str, ...],
) -> None:
    out = tmp_path / "run"
    ran = ambos(
        *("finetune", "pair", "--train", files / "rest.jsonl", "--base", model_folder("wordpiece"), *NAMED),
        *("--grow-segments", *FAST, "--epochs", "1", *several, "--out", out),
    )
    assert ran.code == 0, ran.err
    assert "2 segments were made 3" in " ".join(ran.out.split())
    assert "2 segments were made 3: the new ones begin" in (out / "report.html").read_text()
