"""Rows that are too long are refused before training, with their file and line, if that is an error."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ambos.errors import InputError
from ambos.estimators import TextClassifier
from ambos.recipe import load_recipe
from ambos.runs.finetune_run import finetune
from ambos.runs.finetune_settings import FinetuneRecipe
from ambos.runs.folder import read_run
from ambos.runs.series import finetune_series

LONG = "gato " * 90
ROWS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {  # of each kind an ordinary row, and what is long
    "classify": ({"text": "o gato", "label": "a"}, {"text": LONG}),
    "tag": ({"words": ["o", "gato"], "tags": ["A", "B"]}, {"words": LONG.split(), "tags": ["A"] * 90}),
    "answer": (
        {"question": "quem?", "passage": "o gato", "answers": [{"text": "gato", "answer_start": 2}]},
        {"passage": f"o {LONG}"},
    ),
    "question": (
        {"question": "quem?", "passage": "o gato", "answers": [{"text": "gato", "answer_start": 2}]},
        {"question": "quem é o gato que foi à casa " * 3},
    ),
    "joint": ({"text_a": "o gato", "text_b": "a casa", "label": "a"}, {"text_b": LONG}),
    "combined": ({"text_a": "o gato", "text_b": "a casa", "label": "a"}, {"text_b": LONG}),
}


@pytest.fixture(scope="module")
def base(model_folder: Callable[[str], Path]) -> Path:
    return model_folder("wordpiece")


def write(folder: Path, kind: str, long_in: str = "") -> dict[str, list[str]]:
    """Files of twelve rows; in one of them the ninth is too long."""
    row, long = ROWS[kind]
    files = {}
    for split in ("train", "dev", "test"):
        rows = [{"id": f"{split}{number}", **row} for number in range(12)]
        if "label" in row:
            rows = [{**one, "label": "ab"[number % 2]} for number, one in enumerate(rows)]
        if split == long_in:
            rows[8] |= long
        file = folder / f"{split}.jsonl"
        file.write_text("".join(json.dumps(one) + "\n" for one in rows))
        files[split] = [str(file)]
    return files


def recipe(kind: str, base: Path, files: dict[str, list[str]], **more: Any) -> FinetuneRecipe:
    given = {
        "task": {"tag": "tag", "answer": "answer", "question": "answer"}.get(kind, "classify"),
        "base": str(base),
        "batch": 4,
        "epochs": 1.0,
        "max_length": 32,
        "long": "error",
        "data": files,
    }
    if kind == "combined":
        given["pair"] = {"scheme": kind}
    return load_recipe(FinetuneRecipe, [given, more])


@pytest.mark.parametrize("split", ["train", "dev", "test"])
@pytest.mark.parametrize("kind", list(ROWS))
def test_before_training_and_with_their_line(base: Path, tmp_path: Path, kind: str, split: str) -> None:
    files = write(tmp_path, kind, split)
    stages: list[str] = []
    with pytest.raises(InputError, match="longer than the model can read") as error:
        finetune(tmp_path / "run", recipe(kind, base, files), stage=stages.append)
    assert (error.value.file, error.value.line) == (files[split][0], 9)
    assert stages[-1] == "tokenising rows"  # and no later one
    assert not (tmp_path / "run").exists()


def test_a_run_names_questions_that_were_cut(base: Path, tmp_path: Path) -> None:
    files = write(tmp_path, "question", "train")
    assert finetune(tmp_path / "run", recipe("question", base, files, long="windows"))
    cut = read_run(tmp_path / "run")["truncation"]
    assert (cut["cut_questions"], cut["long_texts"], cut["cut_tokens"] > 0) == (1, 1, True)
    assert [(one["file"], one["line"]) for one in cut["named"]] == [(files["train"][0], 9)]
    assert "or their questions than 16" in cut["summary"]
    assert "train.jsonl: question train8" in (tmp_path / "run" / "report.html").read_text()


def test_windows_that_share_tokens_are_not_told_as_read_again(base: Path, tmp_path: Path) -> None:
    files = write(tmp_path, "classify", "train")
    assert finetune(tmp_path / "run", recipe("classify", base, files, long="windows", epochs=2.0))
    about = read_run(tmp_path / "run")
    assert about["tokens"] > 2 * about["truncation"]["tokens"]
    assert about["epochs"] == 2
    shown = re.sub("<[^>]+>", "", (tmp_path / "run" / "report.html").read_text())
    assert "It read 12 rows 2 times, in " in shown


def test_what_is_not_too_long_is_no_error(base: Path, tmp_path: Path) -> None:
    assert finetune(tmp_path / "run", recipe("classify", base, write(tmp_path, "classify")))


@pytest.mark.parametrize("how", [{"seeds": 2}, {"folds": 2}, {"search": {"trials": 1}}])
def test_before_the_first_run_of_a_series(base: Path, tmp_path: Path, how: dict[str, Any]) -> None:
    """The test rows of a search, or of cross-validation, come last of all."""
    files = write(tmp_path, "classify", "test")
    with pytest.raises(InputError, match="longer than the model can read") as error:
        finetune_series(tmp_path / "run", recipe("classify", base, files, **how))
    assert (error.value.file, error.value.line) == (files["test"][0], 9)
    assert not (tmp_path / "run").exists()


def test_before_an_estimator_learns(base: Path) -> None:
    texts, labels = [*["o gato", "a casa"] * 10, LONG], [*["a", "b"] * 10, "a"]
    for seed in range(4):  # now among those that are kept back, now among the others
        settings = {"max_length": 32, "long": "error"}
        estimator = TextClassifier(str(base), validation=0.5, random_state=seed, settings=settings)
        with pytest.raises(ValueError, match="longer than the model can read") as error:
            estimator.fit(texts, labels)
        assert "row 20 of X" in str(error.value)
