"""`ambos evaluate`: figures, the JSON it prints, what it writes, models of transformers, bad input."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from sklearn import metrics as sk

from ambos.text.tokenizer import Tokenizer
from tests.cli.conftest import Ran
from tests.predict.models import LABELS, make_model
from tests.predict.reference import tokenizer_of

Run = Callable[..., Ran]
KEYS = [
    "metrics",
    "classes",
    "confusion",
    "calibration",
    "truncation",
    "worst",
    "rows",
    "file",
    "model",
    "task",
]


@pytest.fixture(scope="module")
def model(
    model_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    root = tmp_path_factory.mktemp("evaluate")

    def folder(name: str) -> Path:
        out = root / name
        return out if out.exists() else make_model(model_folder("wordpiece"), name, out)

    return folder


def write_csv(file: Path, rows: list[tuple[str, str]], names: tuple[str, str] = ("text", "label")) -> Path:
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([names, *rows])
    return file


@pytest.fixture
def texts(sample: Path, tmp_path: Path) -> Path:
    lines = (sample / "topic" / "test.jsonl").read_text().splitlines()[:80]
    rows = [(json.loads(line)["text"], LABELS.names[number % 3]) for number, line in enumerate(lines)]
    return write_csv(tmp_path / "test.csv", rows)


def test_json(ambos: Run, model: Callable[[str], Path], texts: Path) -> None:
    ran = ambos("evaluate", model("classify"), texts, "--json")
    assert (ran.code, ran.err) == (0, "")
    value = json.loads(ran.out)
    assert [key for key in value if key in KEYS] == KEYS
    assert (value["rows"], value["task"], value["file"]) == (80, "classify", str(texts))
    assert value["model"] == str(model("classify"))
    for one in value["metrics"].values():
        assert one["low"] <= one["value"] <= one["high"]
    assert value["confusion"]["labels"] == list(LABELS.names)
    assert np.sum(value["confusion"]["counts"]) == 80
    assert value["calibration"].keys() == {"error", "bins", "temperature", "low", "high"}
    assert value["truncation"].keys() >= {"texts", "long_texts", "cut_tokens", "windows", "named", "how"}
    assert not list(texts.parent.glob("*evaluation*"))  # nothing is written unasked


def test_for_people(ambos: Run, model: Callable[[str], Path], texts: Path) -> None:
    ran = ambos("evaluate", model("classify"), texts, "--max-length", 16)
    assert ran.code == 0
    for part in (
        "accuracy",
        "95 % interval",
        "precision",
        "ciência",
        "calibration error",
        "most wrong about",
    ):
        assert part in ran.out
    assert "texts were longer than 16 tokens" in ran.out
    assert "columns text: text, label: label" in ran.err


@pytest.mark.parametrize("task", ["several", "score", "tag", "pos", "answer"])
def test_every_task(ambos: Run, model: Callable[[str], Path], tmp_path: Path, task: str) -> None:
    words = ["o", "banco", "[b]chegou[/b]", "hoje"]
    passage = " ".join(words)
    rows: dict[str, list[dict]] = {
        "several": [{"text": passage, "labels": ["arte", "b/c"]}, {"text": "só", "labels": []}],
        "score": [{"text": passage, "score": 3}, {"text": "só", "score": -1.5}],
        "tag": [{"words": words, "tags": ["O", "B-LOC", "I-LOC", "O"]}],
        "pos": [{"words": words, "tags": ["ADJ", "NOUN", "VERB", "NOUN"]}],
        "answer": [
            {
                "id": "a",
                "question": "o que?",
                "context": passage,
                "answers": [{"text": "banco", "answer_start": 2}],
            },
            {"id": "b", "question": "quem?", "context": passage, "answers": []},
        ],
    }
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows[task]))
    out = tmp_path / "out"
    ran = ambos("evaluate", model(task), file, "--out", out)
    assert ran.code == 0, ran.err
    assert sorted(path.name for path in out.iterdir()) == ["evaluation.json", "evaluation.npy", "report.html"]
    value = json.loads((out / "evaluation.json").read_text())
    assert value["rows"] == len(rows[task])
    assert (value["confusion"] is not None) == (task == "pos")
    assert (value["calibration"] is not None) == (task in {"several", "tag", "pos", "answer"})
    assert bool(value["classes"]) == (task in {"several", "tag", "pos"})


def test_what_is_written_comes_whole_and_once(
    ambos: Run, model: Callable[[str], Path], texts: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert ambos("evaluate", model("classify"), texts, "--out", out, "--quiet").out == ""
    ran = ambos("evaluate", model("classify"), texts, "--out", out)
    ran.refused(4, "already there")
    before = (out / "report.html").read_bytes()
    assert ambos("evaluate", model("classify"), texts, "--out", out, "--force").code == 0
    assert (out / "report.html").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_kept_in_a_run(ambos: Run, model: Callable[[str], Path], texts: Path, tmp_path: Path) -> None:
    ambos("evaluate", model("classify"), texts, "--save").refused(2, "--save keeps the evaluation in a run")
    run = tmp_path / "run"
    run.mkdir()
    (run / "bundle").symlink_to(model("classify"))
    (run / "run.json").write_text(json.dumps({"task": "classify", "base": "x", "status": "finished"}))
    (run / "metrics.jsonl").write_text("")
    assert ambos("evaluate", run, texts, "--save").code == 0
    assert json.loads((run / "evaluation" / "test.json").read_text())["rows"] == 80
    assert "How good it is" in (run / "report.html").read_text()
    assert ambos("evaluate", run, texts, "--save").code == 0  # the same file again
    other = tmp_path / "other" / "test.csv"
    other.parent.mkdir()
    write_csv(other, [("outro", "arte")])
    ambos("evaluate", run, other, "--save").refused(4, "an evaluation test of another file")
    assert ambos("evaluate", run, other, "--save", "--force").code == 0
    assert json.loads((run / "evaluation" / "test.json").read_text())["rows"] == 1


@pytest.mark.parametrize("task", ["classify", "tag", "answer"])
def test_models_that_transformers_saved(
    ambos: Run, tokenizer_folder: Callable[[str], Path], sample: Path, tmp_path: Path, task: str
) -> None:
    """Heads of transformers, saved by it: what its own model says of each text is what is counted."""
    torch.manual_seed(0)
    folder = tmp_path / "theirs"
    ours = Tokenizer.load(tokenizer_folder("wordpiece"))
    names = {0: "O", 1: "B-LOC", 2: "I-LOC"} if task == "tag" else {0: "arte", 1: "ciência"}
    config = transformers.BertConfig(
        vocab_size=ours.vocab_size,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=48,
        max_position_embeddings=64,
        initializer_range=0.5,
        **(
            {}
            if task == "answer"
            else {"id2label": names, "label2id": {name: n for n, name in names.items()}}
        ),
    )
    kind = {"classify": "SequenceClassification", "tag": "TokenClassification", "answer": "QuestionAnswering"}
    theirs = getattr(transformers, f"BertFor{kind[task]}")(config).eval()
    theirs.save_pretrained(folder)
    ours.save(folder)
    texts = [
        json.loads(line)["text"] for line in (sample / "topic" / "dev.jsonl").read_text().splitlines()[:30]
    ]
    texts = [text for text in texts if len(ours.encode(text).ids) <= 64]
    file = tmp_path / "rows.jsonl"
    chance = np.random.default_rng(0)
    if task == "answer":
        rows = [
            {"question": "quem?", "context": text, "answers": {"text": [text[:4]], "answer_start": [0]}}
            for text in texts
        ]
    elif task == "tag":
        words = [text.split() for text in texts]
        rows = [{"words": one, "tags": list(chance.choice(list(names.values()), len(one)))} for one in words]
    else:
        rows = [{"text": text, "label": str(chance.choice(list(names.values())))} for text in texts]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ran = ambos("evaluate", folder, file, "--json")
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert found["rows"] == len(rows)
    if task == "classify":
        said = []
        for text in texts:
            with torch.no_grad():
                logits = theirs(**tokenizer_of(folder)(text, return_tensors="pt")).logits
            said.append(names[int(logits.argmax())])
        gold = [row["label"] for row in rows]
        assert len(set(said)) == 2
        assert found["metrics"]["accuracy"]["value"] == pytest.approx(sk.accuracy_score(gold, said))
        assert found["metrics"]["macro_f1"]["value"] == pytest.approx(
            sk.f1_score(gold, said, average="macro")
        )
    elif task == "tag":
        assert [one["label"] for one in found["classes"]] == ["LOC"]
        assert "micro_f1" in found["metrics"]
    else:
        assert found["metrics"].keys() == {"exact_match", "f1"}


class TestBadInput:
    def test_a_label_that_the_model_does_not_know(
        self, ambos: Run, model: Callable[[str], Path], tmp_path: Path
    ) -> None:
        file = write_csv(
            tmp_path / "a.csv", [("um", "arte"), ("dois", "artes"), ("três", "b/c"), ("", "b/c")]
        )
        labelled = ambos("evaluate", model("classify"), file).refused(3, "a.csv, line 3")
        assert labelled["fix"] == "did you mean arte? Otherwise leave such rows out with --skip-bad"
        ran = ambos("evaluate", model("classify"), file, "--skip-bad", "--json")
        value = json.loads(ran.out)
        assert (value["rows"], value["left_out"]) == (2, {"empty text": 1, "unknown label": 1})
        shown = ambos("evaluate", model("classify"), file, "--skip-bad")
        assert "rows left out: 1 for empty text, 1 for unknown label" in shown.out

    @pytest.mark.parametrize("labels", [1, 8])
    def test_rows_of_no_use_and_labels_that_are_not_known(
        self, ambos: Run, model: Callable[[str], Path], tmp_path: Path, labels: int
    ) -> None:
        """Both are said, first what stands first; many labels end the reading, and are not all."""
        rows = [("", "arte"), ("um", "arte"), *((f"dois {n}", f"x{n}") for n in range(labels))]
        file = write_csv(tmp_path / "a.csv", rows)
        found = ambos("evaluate", model("classify"), file).refused(
            3, f"{file}, line 2: 1 row cannot be used; and {file}, line 4: the label"
        )
        assert "empty text" in found["found"]
        assert "; x0" in found["found"]
        assert found["fix"] == "put them right, or leave them out with --skip-bad"
        file = write_csv(tmp_path / "a.csv", rows[::-1][:labels] + rows[:2])
        ambos("evaluate", model("classify"), file).refused(3, f"{file}, line 2: the label")

    def test_a_broken_line_of_json(self, ambos: Run, model: Callable[[str], Path], tmp_path: Path) -> None:
        file = tmp_path / "a.jsonl"
        file.write_text('{"text": "um", "label": "arte"}\n{"text": \n')
        ambos("evaluate", model("classify"), file).refused(3, f"{file}, line 2: not a JSON object")
        value = json.loads(ambos("evaluate", model("classify"), file, "--skip-bad", "--json").out)
        assert (value["rows"], value["left_out"]) == (1, {"not a JSON object": 1})

    def test_all_rows_left_out(self, ambos: Run, model: Callable[[str], Path], tmp_path: Path) -> None:
        file = write_csv(tmp_path / "a.csv", [("um", "x")])
        ambos("evaluate", model("classify"), file, "--skip-bad").refused(3, "no rows to measure with")

    def test_a_missing_column(self, ambos: Run, model: Callable[[str], Path], tmp_path: Path) -> None:
        file = write_csv(tmp_path / "a.csv", [("um", "arte")], ("corpo", "classe"))
        labelled = ambos("evaluate", model("classify"), file).refused(
            3, "no column is known to hold the text"
        )
        assert labelled["fix"] == "say which: --text COLUMN"
        assert ambos("evaluate", model("classify"), file, "--text", "corpo").code == 0
        labelled = ambos("evaluate", model("classify"), file, "--text", "corpo", "--label", "x").refused(
            3, "there is no column 'x'"
        )
        assert labelled["found"] == "corpo, classe"

    def test_columns_of_squad(self, ambos: Run, model: Callable[[str], Path], tmp_path: Path) -> None:
        asked = [{"id": "q", "question": "quem?", "answers": [{"text": "o", "answer_start": 0}]}]
        file = tmp_path / "a.json"
        file.write_text(json.dumps({"data": [{"paragraphs": [{"context": "o banco", "qas": asked}]}]}))
        assert ambos("evaluate", model("answer"), file).code == 0
        labelled = ambos("evaluate", model("answer"), file, "--answers", "respostas").refused(
            3, "columns are named, and a SQuAD file has none"
        )
        assert labelled["found"] == "--answers respostas"

    @pytest.mark.parametrize(("content", "found"), [("", "nothing"), ("text,label\n", "none")])
    def test_an_empty_file(
        self, ambos: Run, model: Callable[[str], Path], tmp_path: Path, content: str, found: str
    ) -> None:
        file = tmp_path / "a.csv"
        file.write_text(content)
        labelled = ambos("evaluate", model("classify"), file).refused(
            3, f"{file}: there are no rows in this file"
        )
        assert labelled["found"] == found
        assert labelled["fix"].startswith("check that")

    def test_no_file(self, ambos: Run, model: Callable[[str], Path], tmp_path: Path) -> None:
        missing = tmp_path / "none.csv"
        labelled = ambos("evaluate", model("classify"), missing).refused(
            3, f"{missing}: no such file or folder"
        )
        assert labelled["fix"] == f"look what there is: ls {tmp_path}"

    def test_a_model_without_a_head(
        self, ambos: Run, model_folder: Callable[[str], Path], texts: Path
    ) -> None:
        labelled = ambos("evaluate", model_folder("wordpiece"), texts).refused(3, "was not fine-tuned")
        assert labelled["found"] == "a model that fills masks"

    def test_a_text_that_is_too_long(self, ambos: Run, model: Callable[[str], Path], tmp_path: Path) -> None:
        file = write_csv(tmp_path / "a.csv", [("um", "arte"), ("dois " * 90, "arte")])
        out = tmp_path / "out"
        ran = ambos("evaluate", model("classify"), file, "--long", "error", "--out", out)
        ran.refused(3, "a.csv, line 3: a text is longer than the model can read")
        assert not out.exists()

    def test_a_length_that_the_model_has_not(
        self, ambos: Run, model: Callable[[str], Path], texts: Path
    ) -> None:
        ambos("evaluate", model("classify"), texts, "--max-length", 999).refused(
            2, "999 tokens cannot be read"
        )
