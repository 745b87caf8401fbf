"""`ambos finetune`: columns by any name, and what is said at the end."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ran

Run = Callable[..., Ran]
PASSAGE = "O gato dorme em casa ."
ROWS = {
    "tag": {"tokens_": ["O", "gato", "dorme"], "etiquetas_": ["DET", "NOUN", "VERB"]},
    "answer": {"q_": "Quem dorme ?", "p_": PASSAGE, "a_": [{"text": "gato", "answer_start": 2}]},
    "classify": {"one_": "O gato dorme.", "other_": "Um gato dorme.", "class_": "x"},
    "score": {"one_": "O gato dorme.", "other_": "Um gato dorme.", "value_": 0.5},
}
OPTIONS = {
    "tag": {"words": "tokens_", "tags": "etiquetas_"},
    "answer": {"question": "q_", "passage": "p_", "answers": "a_"},
    "classify": {"text-a": "one_", "text-b": "other_", "label": "class_"},
    "score": {"text-a": "one_", "text-b": "other_", "score": "value_"},
}


@pytest.mark.parametrize("task", list(OPTIONS))
def test_columns_of_any_name(
    ambos: Run, model_folder: Callable[[str], Path], tmp_path: Path, task: str
) -> None:
    rows = [dict(ROWS[task]) for _ in range(6)]
    for number, row in enumerate(rows):
        if task == "classify":
            row["class_"] = "xy"[number % 2]
        if task == "score":
            row["value_"] = number / 4
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    columns = [part for role, name in OPTIONS[task].items() for part in (f"--{role}", name)]
    common = ["finetune", task, "--train", file, "--dev", file, "--base", model_folder("wordpiece")]
    ended = ambos(*common, *columns, "--epochs", 1, "--out", tmp_path / "run", "--json")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    expected = {role.replace("-", "_"): name for role, name in OPTIONS[task].items()}
    assert expected.items() <= found["columns"].items()
    assert found["rows"]["train"] == 6
    assert isinstance(found["warnings"], list)


def test_warnings_are_said_with_what_to_try(
    ambos: Run, model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """Rows whose labels mean nothing, and a rate at which nothing is learnt."""
    file = tmp_path / "rows.csv"
    file.write_text(
        "text,label\n" + "".join(f"O gato {number} dorme,{'ab'[number % 2]}\n" for number in range(20))
    )
    common = ["finetune", "classify", "--train", file, "--dev", file, "--base", model_folder("wordpiece")]
    ended = ambos(*common, "--lr", 0.5, "--epochs", 4, "--out", tmp_path / "run")
    assert ended.code == 0, ended.err
    said = " ".join(ended.out.split())
    assert "collapse Of 20 dev rows, 100.0% get the label" in said
    assert "try a lower learning rate (--lr)" in said
    assert "masked-LM loss of the base" in said
