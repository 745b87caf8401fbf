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


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_columns_of_squad_are_refused(
    ambos: Run, model_folder: Callable[[str], Path], tmp_path: Path, split: str
) -> None:
    asked = [{"id": "q", "question": "quem?", "answers": [{"text": "o", "answer_start": 0}]}]
    squad, table = tmp_path / "squad.json", tmp_path / "rows.jsonl"
    squad.write_text(json.dumps({"data": [{"paragraphs": [{"context": "o banco", "qas": asked}]}]}))
    table.write_text(json.dumps({"q_": "quem?", "context": "o banco", "answers": []}) + "\n")
    files = {name: squad if name == split else table for name in ("train", "dev", "test")}
    given = [part for name, file in files.items() for part in (f"--{name}", file)]
    out = tmp_path / "run"
    ran = ambos(
        "finetune", "answer", *given, "--base", model_folder("wordpiece"), "--question", "q_", "--out", out
    )
    labelled = ran.refused(3, f"{squad}: columns are named, and a SQuAD file has none")
    assert labelled["found"] == "--question q_"
    assert not out.exists()


@pytest.mark.parametrize("task", ["classify", "pair"])
def test_broken_lines_of_json_are_left_out(
    ambos: Run, model_folder: Callable[[str], Path], tmp_path: Path, task: str
) -> None:
    file, names = tmp_path / "rows.jsonl", ["text"] if task == "classify" else ["text_a", "text_b"]
    rows = [dict.fromkeys(names, f"O gato {number}") | {"label": "ab"[number % 2]} for number in range(8)]
    file.write_text("\n".join(['{"text": ', *map(json.dumps, rows)]))
    common = ["finetune", task, "--train", file, "--dev", file, "--base", model_folder("wordpiece")]
    common += ["--epochs", 1, "--out", tmp_path / "run"]
    ambos(*common).refused(3, f"{file}, line 1: not a JSON object")
    assert not (tmp_path / "run").exists()
    ended = ambos(*common, "--skip-bad", "--json")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert found["left_out"] == {
        "train": {"not a JSON object": 1},
        "dev": {"not a JSON object": 1},
        "test": {},
    }
    assert found["rows"]["train"] == 8


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
    assert "try more epochs; a higher learning rate (--lr) if the training loss was still falling" in said
    assert "masked-LM loss of the base" in said


def test_a_run_without_rows_to_select_by_says_so(
    ambos: Run, model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """Such as where the columns of text and label were exchanged: every label is there once."""
    file, out = tmp_path / "rows.csv", tmp_path / "run"
    file.write_text("text,label\n" + "".join(f"O gato {number} dorme,ab\n" for number in range(20)))
    columns = ["--text", "label", "--label", "text"]
    ended = ambos(
        "finetune", "classify", "--train", file, *columns, "--base", model_folder("wordpiece"), "--epochs", 1,
        "--out", out,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert "no row could be kept back to select by" in ended.out
    assert "No row could be kept back to choose by" in (out / "report.html").read_text()


BAD = ["O rato,", ",a", "O pato,,b", "Um pato,", "só isto"]  # no label, no text, ragged


@pytest.mark.parametrize("several", [(), ("--seeds", "2")])
def test_texts_that_were_cut_are_said_of_every_split(
    ambos: Run, model_folder: Callable[[str], Path], tmp_path: Path, several: tuple[str, ...]
) -> None:
    """Of a model that learnt from short texts alone, too."""
    for name, words in {"train": 3, "dev": 4, "test": 200}.items():
        lines = [f"{'banco ' * words}{n},{'ab'[n % 2]}\n" for n in range(8)]
        (tmp_path / f"{name}.csv").write_text("text,label\n" + "".join(lines))
    files = [part for name in ("train", "dev", "test") for part in (f"--{name}", tmp_path / f"{name}.csv")]
    how = ("--base", model_folder("wordpiece"), "--epochs", "1", *several, "--out", tmp_path / "run")
    ran = ambos("finetune", "classify", *files, *how)
    assert ran.code == 0, ran.err
    assert " test 8 of 8 texts were longer than 64 tokens: " in " ".join(ran.out.split())
    assert "no text was cut" not in ran.out
    again = ambos("finetune", "classify", *files, *how, "--force", "--json")
    cut = json.loads(again.out)["truncations"]
    assert {name: one["long_texts"] for name, one in cut.items()} == {"train": 0, "dev": 0, "test": 8}


def test_rows_that_are_left_out_are_counted(
    ambos: Run, model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    file, dev = tmp_path / "rows.csv", tmp_path / "dev.csv"
    good = [f"O gato {number} dorme,{'ab'[number % 2]}" for number in range(20)]
    file.write_text("\n".join(["text,label", *good, *BAD]))
    dev.write_text("\n".join(["frase,classe", *good[:4], "Um gato,c"]))
    common = ["finetune", "classify", "--train", file, "--base", model_folder("wordpiece"), "--skip-bad"]
    common += ["--epochs", 1]
    ended = ambos(*common, "--dev", dev, "--out", tmp_path / "run")
    assert ended.code == 0, ended.err
    reasons = "2 for no label, 1 for empty text, 2 for ragged row"
    said = " ".join(ended.err.split())
    assert f"20 rows to learn from (5 left out: {reasons}), 5 to select by" in said
    assert "; text: text, label: label; in dev text: frase, label: classe" in said
    said = " ".join(ended.out.split())
    assert f"rows of train left out: {reasons} rows of dev left out: 1 for unknown label" in said
    kept_back = ambos(*common, "--out", tmp_path / "other", "--json")
    assert kept_back.code == 0, kept_back.err
    found = json.loads(kept_back.out)
    assert found["left_out"] == {
        "train": {"no label": 2, "empty text": 1, "ragged row": 2},
        "dev": {},
        "test": {},
    }
    seeds = ambos(*common, "--dev", dev, "--seeds", 2, "--out", tmp_path / "seeds", "--json")
    assert seeds.code == 0, seeds.err
    found = json.loads(seeds.out)
    assert found["left_out"]["train"] == {"no label": 2, "empty text": 1, "ragged row": 2}
    assert found["left_out"]["dev"] == {"unknown label": 1}
    assert found["columns_of"]["dev"] == {"text": "frase", "label": "classe"}


def test_fields_of_conll_by_number(ambos: Run, model_folder: Callable[[str], Path], tmp_path: Path) -> None:
    file = tmp_path / "rows.conll"
    file.write_text("O DET x\ngato NOUN x\ndorme VERB x\n\n" * 6)
    common = ["finetune", "tag", "--train", file, "--base", model_folder("wordpiece"), "--epochs", 1]
    ended = ambos(*common, "--words", 1, "--tags", 2, "--out", tmp_path / "run", "--json")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert found["labels"] == ["DET", "NOUN", "VERB"]
    assert found["columns"] == {"words": "field 1", "tags": "field 2"}
    refused = ambos(*common, "--tags", "upos", "--out", tmp_path / "other")
    assert refused.refused(3, "have no names")["fix"] == "--tags 3"


@pytest.mark.parametrize("separator", ["|", ";"])
def test_several_labels_of_pairs(
    ambos: Run, model_folder: Callable[[str], Path], tmp_path: Path, separator: str
) -> None:
    file = tmp_path / "rows.csv"
    labels = [f"a{separator}b", "a", "b"]
    file.write_text("text_a,text_b,label\n" + "".join(f"O gato,Um {n},{labels[n % 3]}\n" for n in range(12)))
    said = [] if separator == "|" else ["--separator", separator]
    common = ["finetune", "classify", "--train", file, "--dev", file, "--base", model_folder("wordpiece")]
    ended = ambos(*common, "--several", *said, "--epochs", 1, "--out", tmp_path / "run", "--json")
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["labels"] == ["a", "b"]
    measured = ambos("evaluate", tmp_path / "run", file, *said, "--json")
    assert [one["label"] for one in json.loads(measured.out)["classes"]] == ["a", "b"]
    ambos("evaluate", tmp_path / "run", file, "--separator", "").refused(2, "--separator is empty")


class TestRefusedBeforeTraining:
    @pytest.fixture
    def refuse(
        self, ambos: Run, model_folder: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> Callable[..., dict]:
        """Run a command that is refused; give the error, having seen that nothing was trained."""
        monkeypatch.chdir(tmp_path)

        def refuse(code: int, what: str, task: str, *arguments: object) -> dict:
            common = ["finetune", task, "--base", model_folder("wordpiece"), "--epochs", 1, "--out", "run"]
            error = ambos(*common, *arguments).refused(code, what)
            assert not Path("run").exists()
            return error

        return refuse

    def test_tags_that_train_does_not_have(self, refuse: Callable[..., dict]) -> None:
        Path("train.conll").write_text("Ana\tB-PER\nSilva\tI-PER\nri\tO\n\nRio\tB-LOC\né\tO\n\n" * 4)
        Path("dev.conll").write_text("# 1\nAna\tB-PER\nri\tO\n\né\tO\nRio\tB-LOC\nBranco\tI-LOC\nX\tB-ORG\n")
        arguments = ["--train", "train.conll", "--dev", "dev.conll"]
        error = refuse(3, "dev.conll, line 7: the labels 'I-LOC' and 'B-ORG' are", "tag", *arguments)
        assert error["found"] == "I-LOC (line 7), B-ORG (line 8)"
        arguments = ["--train", "train.conll", "--test", "dev.conll"]
        refuse(3, "dev.conll, line 8: the type 'ORG' is not one of the training rows", "tag", *arguments)

    def test_many_labels_that_train_does_not_have(self, refuse: Callable[..., dict]) -> None:
        Path("train.csv").write_text("text,label\n" + "".join(f"Um {n},{'ab'[n % 2]}\n" for n in range(8)))
        Path("dev.csv").write_text("text,label\n" + "".join(f"Dois {n},{'bcdefghij'[n]}\n" for n in range(9)))
        what = "dev.csv, line 3: the labels 'c', 'd', 'e', 'f', 'g' and more are not among those"
        error = refuse(3, what, "classify", "--train", "train.csv", "--dev", "dev.csv")
        assert (error["expected"], error["found"][-10:]) == ("a, b", "g (line 7)")

    def test_a_tag_of_no_entity(self, refuse: Callable[..., dict]) -> None:
        Path("train.conll").write_text("Ana\tB-PER\nri\tO\n\n" * 4 + "\n\né\tO\nRui\tPER\n")
        error = refuse(3, "train.conll, line 16: a tag cannot be read", "tag", "--train", "train.conll")
        assert error["found"] == "'PER'"
        assert error["fix"].startswith("correct it; if these are no entities")

    @pytest.mark.parametrize("given", [["--minutes", 1], ["--set", "minutes=1"]])
    def test_epochs_and_minutes(self, refuse: Callable[..., dict], given: list[object]) -> None:
        Path("train.csv").write_text("text,score\n" + "".join(f"Um {n},{n}\n" for n in range(8)))
        what = "--epochs and --minutes exclude each other"
        error = refuse(2, what, "score", "--train", "train.csv", *given)
        assert (error["found"][:19], error["fix"]) == ("epochs 1.0 and minu", "leave one of them out")

    def test_pooling_of_tokens(self, refuse: Callable[..., dict]) -> None:
        Path("train.conll").write_text("Ana\tB-PER\nri\tO\n\n" * 4)
        error = refuse(2, "a setting is wrong", "tag", "--train", "train.conll", "--pool", "mean")
        assert "head.pooling is for heads that read a text as a whole" in error["found"]

    def test_scores_that_are_all_the_same(self, refuse: Callable[..., dict]) -> None:
        Path("train.csv").write_text("text,score\n" + "".join(f"Um {n},2.5\n" for n in range(8)))
        error = refuse(3, "train.csv: all scores are the same", "score", "--train", "train.csv")
        assert error["found"] == "the score 2.5 in every row to learn from"

    @pytest.mark.parametrize(("given", "wrong"), [("1,x", "'x'"), ("1,,2", "''"), ("1;2", "'1;2'")])
    def test_class_weights_that_are_no_numbers(
        self, refuse: Callable[..., dict], given: str, wrong: str
    ) -> None:
        Path("train.csv").write_text("text,label\n" + "".join(f"Um {n},{'ab'[n % 2]}\n" for n in range(8)))
        what = f"--class-weights {given}: {wrong} is no number"
        error = refuse(2, what, "classify", "--train", "train.csv", "--class-weights", given)
        assert error["expected"] == "balanced, or a number for each label, parted by commas"
        assert error["found"] == given
        assert error["fix"]

    @pytest.mark.parametrize("given", ["some", "1.5", "²"])
    def test_layers_to_freeze_that_are_no_number(self, refuse: Callable[..., dict], given: str) -> None:
        Path("train.csv").write_text("text,label\n" + "".join(f"Um {n},{'ab'[n % 2]}\n" for n in range(8)))
        what = f"--freeze {given} is no number of layers"
        error = refuse(2, what, "classify", "--train", "train.csv", "--freeze", given)
        assert error["expected"] == "a whole number, or all"


def test_tags_in_bilou(ambos: Run, model_folder: Callable[[str], Path], tmp_path: Path) -> None:
    file = tmp_path / "rows.conll"
    file.write_text("Ana\tB-PER\nde\tI-PER\nSá\tL-PER\nri\tO\n\nRio\tU-LOC\né\tO\n\n" * 5)
    common = ["finetune", "tag", "--train", file, "--dev", file, "--base", model_folder("wordpiece")]
    ended = ambos(*common, "--epochs", 1, "--out", tmp_path / "run", "--json")
    assert ended.code == 0, ended.err
    assert "micro_f1" in json.loads(ended.out)["evaluation"]["dev"]
    measured = ambos("evaluate", tmp_path / "run", file, "--json")
    classes = json.loads(measured.out)["classes"]
    assert {one["label"]: one["support"] for one in classes} == {"LOC": 5, "PER": 5}
    out = tmp_path / "said.jsonl"
    assert ambos("predict", tmp_path / "run", file, "--out", out).code == 0
    assert "entities" in json.loads(out.read_text().splitlines()[0])


def test_advice_fits_the_command(ambos: Run, model_folder: Callable[[str], Path], tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("text,score\n" + "".join(f"O gato {n},{n}\n" for n in range(40)))
    common = [
        "finetune",
        "score",
        "--train",
        file,
        "--base",
        model_folder("wordpiece"),
        "--out",
        tmp_path / "run",
    ]
    ended = ambos(*common, "--lr", 1e30, "--batch", 2, "--epochs", 2)
    error = ended.refused(1, "the loss became")
    assert "a lower learning rate (--lr 3e+29)" in error["fix"]
    assert "optim" not in error["fix"]
