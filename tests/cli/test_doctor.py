"""`ambos doctor`: planted faults are found with exact numbers; the task is told; what it costs is said."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ambos.text.tokenizer import Tokenizer
from tests.cli.conftest import Ran

USAGE, INPUT = 2, 3
GOOD = [(f"O gato número {n} dorme.", "ab"[n % 2]) for n in range(40)]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, rows: list[Any]) -> str:
    """Write labelled texts as CSV, else one line for each row."""
    if name.endswith(".csv"):
        rows = ["text,label", *(f'"{text}",{label}' for text, label in rows)]
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    Path(name).write_text("".join(f"{line}\n" for line in lines))
    return name


@pytest.fixture
def look(ambos: Callable[..., Ran], here: Path) -> Callable[..., dict[str, Any]]:
    """Run the doctor with --json; give what it said."""

    def look(*arguments: object) -> dict[str, Any]:
        ran = ambos("doctor", *arguments, "--json")
        assert (ran.code, ran.err) == (0, "")
        return dict(json.loads(ran.out))

    return look


def about(said: dict[str, Any], words: str) -> dict[str, Any]:
    """Return the only finding that has these words."""
    (found,) = [finding for finding in said["findings"] if words in finding["what"]]
    assert found["fix"]
    return dict(found)


class TestFindings:
    def test_nothing_wrong(self, look):
        said = look(write("train.csv", GOOD))
        assert (said["findings"], said["conflicts"], said["left_out"], said["estimate"]) == ([], 0, {}, None)
        assert said["splits"]["train"] == {
            "rows": 40,
            "empty": 0,
            "duplicates": 0,
            "in_train": 0,
            "labels": {"a": {"count": 20, "share": 0.5}, "b": {"count": 20, "share": 0.5}},
            "unseen": {},
            "scores": None,
            "tokens": None,
        }

    def test_the_same_text_in_train_and_test(self, look):
        test = [("Um texto novo.", "a"), ("o GATO  número 3 dorme.", "b"), ("Outro texto novo.", "b")]
        said = look(
            write("train.csv", GOOD), "--test", write("test.csv", test), "--dev", write("dev.csv", GOOD[:2])
        )
        assert [figures["in_train"] for figures in said["splits"].values()] == [0, 2, 1]
        found = about(said, "of test")
        assert found["what"] == "1 of 3 rows of test (33.3 %) have a text that is in train, too"
        assert (found["severity"], found["examples"]) == ("error", [["test.csv", 3]])

    def test_repeated_texts(self, look):
        said = look(write("train.csv", [*GOOD, *GOOD[:3]]))
        assert said["splits"]["train"]["duplicates"] == 3
        found = about(said, "repeat the text")
        assert found["what"] == "3 of 43 rows of train (7.0 %) repeat the text of an earlier one"
        assert found["examples"] == [["train.csv", 42], ["train.csv", 43], ["train.csv", 44]]

    def test_conflicting_labels(self, look):
        said = look(write("train.csv", [*GOOD, (GOOD[0][0], "b"), (GOOD[4][0], "b")]))
        assert said["conflicts"] == 2
        found = about(said, "not labelled alike")
        assert found["what"] == "2 texts in more than one row, and not labelled alike"
        assert found["examples"] == [["train.csv", line] for line in (2, 42, 6, 43)]

    def test_uneven_and_rare_labels(self, look):
        rows = [(f"Texto {n}.", "a" if n < 60 else "b") for n in range(64)]
        said = look(write("train.csv", rows))
        assert about(said, "uneven")["what"] == "labels are uneven: 60 examples of a and 4 of b in train"
        assert about(said, "fewer than 10")["what"] == "1 label with fewer than 10 examples in train: b"
        assert said["splits"]["train"]["labels"]["b"] == {"count": 4, "share": 0.0625}

    def test_a_label_that_train_does_not_have(self, look):
        said = look(write("train.csv", GOOD), "--dev", write("dev.csv", [("Novo.", "c"), ("Velho.", "a")]))
        found = about(said, "not in train")
        assert (found["severity"], found["examples"]) == ("error", [["dev.csv", 2]])
        assert said["splits"]["dev"]["unseen"] == {"c": 1}

    def test_rows_that_cannot_be_read(self, look):
        dev = write("dev.csv", [("", "a"), (" ", "b"), ("Um texto novo.", "a")])
        said = look(write("train.csv", [*GOOD, ("", "a"), ("Sem rótulo.", "")]), "--dev", dev)
        assert said["left_out"] == {"empty text": 3, "no label": 1}
        assert {name: figures["empty"] for name, figures in said["splits"].items()} == {"train": 1, "dev": 2}
        assert about(said, "empty text")["examples"] == [["train.csv", 42], ["dev.csv", 2], ["dev.csv", 3]]
        assert about(said, "no label")["severity"] == "error"

    def test_broken_lines_of_json(self, look):
        rows = [{"text": text, "label": label} for text, label in GOOD]
        said = look(write("train.jsonl", ["{", *rows, "7"]))
        assert said["left_out"] == {"not a JSON object": 2}
        found = about(said, "JSON object")
        assert found["what"] == "2 rows cannot be used: not a JSON object"
        assert (found["severity"], found["examples"]) == ("error", [["train.jsonl", 1], ["train.jsonl", 42]])

    def test_tags_out_of_order(self, look):
        rows = [f"{word}\t{tag}" for _ in range(12) for word, tag in (("Ana", "B-PER"), ("ri", "O"))]
        said = look(write("train.conll", [*rows, "", "Rui\tI-PER", "ri\tO"]))
        assert about(said, "out of order")["examples"] == [["train.conll", 26]]

    def test_several_labels(self, look):
        rows = [{"text": f"Texto {n}.", "labels": ["x", "y"][: n % 3]} for n in range(30)]
        said = look(write("train.jsonl", rows), "--several")
        assert said["splits"]["train"]["labels"] == {
            "x": {"count": 20, "share": pytest.approx(2 / 3)},
            "y": {"count": 10, "share": pytest.approx(1 / 3)},
        }

    def test_several_labels_in_one_field(self, look):
        rows = [(f"Texto {n}.", ["x;y", "x", "y"][n % 3]) for n in range(30)]
        said = look(write("train.csv", rows), "--several", "--separator", ";")
        assert {name: one["count"] for name, one in said["splits"]["train"]["labels"].items()} == {
            "x": 20,
            "y": 20,
        }


class TestTasks:
    @pytest.mark.parametrize(
        ("name", "row", "task"),
        [
            ("a.jsonl", {"text": "Um", "label": "x"}, "classify"),
            ("a.jsonl", {"frase": "Um", "nota": 3.5}, "score"),
            ("a.jsonl", {"words": ["Um"], "tags": ["O"]}, "tag"),
            ("a.jsonl", {"text_a": "Um", "text_b": "Dois", "label": "x"}, "pair"),
            ("a.jsonl", {"text_a": "Um", "text_b": "Dois", "score": 1}, "pair-score"),
            ("a.jsonl", {"question": "Um?", "context": "Um.", "answers": []}, "answer"),
            ("a.conll", "Um\tO", "tag"),
            (
                "a.json",
                {
                    "data": [
                        {
                            "paragraphs": [
                                {"context": "Um.", "qas": [{"id": "q", "question": "Um?", "answers": []}]}
                            ]
                        }
                    ]
                },
                "answer",
            ),
        ],
    )
    def test_it_is_told(self, ambos, here, name, row, task):
        said = json.loads(ambos("doctor", write(name, [row]), "--json").out)
        assert (said["task"], said["guessed"]) == (task, True)
        assert said["splits"]["train"]["rows"] == 1
        ran = ambos("doctor", name)
        assert ran.err.startswith(
            f"read as rows for {task}; if they are for something else, say so with --task\n"
        )

    def test_it_is_said(self, look):
        rows = [{"text": f"Um {n}", "label": str(n % 5)} for n in range(50)]
        said = look(write("a.jsonl", rows), "--task", "score")
        assert (said["task"], said["guessed"]) == ("score", False)
        assert said["columns"] == {"text": "text", "score": "label"}
        assert said["splits"]["train"]["scores"] == {"least": 0, "mean": 2, "most": 4}
        pairs = [{"text_a": "Um", "text_b": f"Dois {n}", "score": n} for n in range(3)]
        assert look(write("b.jsonl", pairs), "--task", "pair")["task"] == "pair-score"

    def test_columns_are_named(self, look):
        rows = [{"a": f"Um {n}", "b": "xy"[n % 2], "label": "z"} for n in range(30)]
        said = look(write("a.jsonl", rows), "--text", "a", "--label", "b")
        assert said["columns"] == {"text": "a", "label": "b"}
        assert list(said["splits"]["train"]["labels"]) == ["x", "y"]

    def test_columns_of_squad_are_refused(self, ambos, here):
        asked = [{"id": "q", "question": "Um?", "answers": []}]
        write("a.json", [{"data": [{"paragraphs": [{"context": "Um.", "qas": asked}]}]}])
        labelled = ambos("doctor", "a.json", "--text", "a", "--label", "b").refused(
            3, "columns are named, and a SQuAD file has none"
        )
        assert labelled["found"] == "--text a --label b"
        assert labelled["fix"].startswith("leave out --text and --label")

    def test_columns_of_every_split(self, ambos, here):
        write("train.csv", GOOD)
        write("dev.csv", GOOD[:2])
        Path("test.csv").write_text("frase,classe\nUm texto,a\n")
        arguments = ["doctor", "train.csv", "--dev", "dev.csv", "--test", "test.csv"]
        ran = ambos(*arguments)
        assert ran.err.splitlines()[1:3] == [
            "columns text: text, label: label",
            "columns of test text: frase, label: classe",
        ]
        said = json.loads(ambos(*arguments, "--json").out)
        assert said["columns_of"]["dev"] == said["columns"] == {"text": "text", "label": "label"}
        assert said["columns_of"]["test"] == {"text": "frase", "label": "classe"}

    def test_fields_of_conll(self, ambos, here):
        write("a.conll", ["Ana NNP B-PER", "ri V O"])
        ran = ambos("doctor", "a.conll")
        assert ran.err.splitlines()[1] == "columns words: field 1, tags: field 3 (the last)"
        said = json.loads(ambos("doctor", "a.conll", "--tags", "2", "--json").out)
        assert list(said["splits"]["train"]["labels"]) == ["NNP", "V"]
        write("a.tsv", ["Ana\tNNP\tB-PER", "ri\tV\tO"])
        said = json.loads(ambos("doctor", "a.tsv", "--words", "1", "--tags", "2", "--json").out)
        assert list(said["splits"]["train"]["labels"]) == ["NNP", "V"]

    def test_a_sample_of_every_kind(self, look, sample):
        for folder, task in (
            ("topic", "classify"),
            ("ner", "tag"),
            ("questions", "answer"),
            ("entailment", "pair"),
        ):
            (train,) = sample.glob(f"{folder}/train.*")
            (test,) = sample.glob(f"{folder}/test.*")
            said = look(train, "--test", test)
            assert said["task"] == task
            assert said["splits"]["test"]["in_train"] == 0


class TestTokens:
    def test_lengths_and_what_would_be_cut(self, look, tokenizer_folder):
        folder = tokenizer_folder("wordpiece")
        rows = [("banco " * n, "ab"[n % 2]) for n in range(1, 41)]
        one = len(Tokenizer.load(folder).encode("banco").ids) - 2
        lengths = [2 + one * n for n in range(1, 41)]
        said = look(write("train.csv", rows), "--tokenizer", folder, "--max-length", 20)
        tokens = said["splits"]["train"]["tokens"]
        assert tokens["tokens"] == sum(lengths)
        assert (tokens["p50"], tokens["p90"], tokens["longest"]) == (lengths[19], lengths[35], lengths[-1])
        assert tokens["cut_rows"] == sum(length > 20 for length in lengths)
        assert tokens["cut_tokens"] == sum(max(0, length - 20) for length in lengths)
        assert tokens["fertility"] == one
        found = about(said, "longer than 20 tokens")
        assert found["what"].startswith(f"{tokens['cut_rows']} of 40 rows of train")
        assert (said["max_length"], said["estimate"]) == (20, None)

    def test_no_more_tokens_are_advised_than_the_model_reads(self, look, model_folder, tokenizer_folder):
        rows = [("banco " * (90 if n % 2 else 2), "ab"[n % 2]) for n in range(40)]
        arguments = [write("train.csv", rows), "--model", model_folder("wordpiece")]
        found = about(look(*arguments), "longer than 64 tokens")["fix"]
        assert found.startswith("the model reads at most 64 tokens at a time: read long texts in windows")
        found = about(look(*arguments, "--max-length", 16), "longer than 16 tokens")["fix"]
        assert "allow as many (--max-length 64), read long texts in windows (--long windows)" in found
        rows = [("banco " * 20, "ab"[n % 2]) for n in range(40)]
        tokens = look(write("train.csv", rows), *arguments[1:], "--max-length", 16)
        longest = tokens["splits"]["train"]["tokens"]["p99"]
        assert about(tokens, "longer than 16")["fix"].startswith(
            f"allow {longest} tokens for 99 of 100 rows (--max-length {longest})"
        )

    def test_no_fewer_tokens_are_advised_than_are_read(self, look, tokenizer_folder):
        rows = [("banco " * (30 if n == 0 else 2), "ab"[n % 2]) for n in range(200)]
        said = look(
            write("train.csv", rows), "--tokenizer", tokenizer_folder("wordpiece"), "--max-length", 20
        )
        tokens = said["splits"]["train"]["tokens"]
        assert tokens["p99"] < 20 < tokens["longest"]
        fix = about(said, "longer than 20 tokens")["fix"]
        assert fix.startswith(f"allow {tokens['longest']} tokens for all rows (--max-length")

    def test_pairs_are_not_told_to_be_read_in_windows(self, look, model_folder):
        lines = ["text_a,text_b,label", *(f"{'banco ' * 90},banco {n},{'ab'[n % 2]}" for n in range(40))]
        Path("pairs.csv").write_text("\n".join(lines))
        for length in (64, 16):
            said = look("pairs.csv", "--model", model_folder("wordpiece"), "--max-length", length)
            fix = about(said, f"longer than {length} tokens")["fix"]
            assert "windows" not in fix
            assert "head-tail" not in fix
            assert ("--max-length 64" in fix) == (length < 64)

    def test_without_a_limit_nothing_is_cut(self, look, tokenizer_folder):
        said = look(write("train.csv", GOOD), "--tokenizer", tokenizer_folder("bpe"))
        assert said["max_length"] is None
        assert said["splits"]["train"]["tokens"]["cut_rows"] == 0

    def test_the_estimate(self, look, model_folder):
        folder = model_folder("wordpiece")
        said = look(write("train.csv", GOOD), "--dev", write("dev.csv", GOOD[:4]), "--model", folder)
        assert said["max_length"] == 64
        cost = said["estimate"]
        assert (cost["epochs"], cost["steps"], cost["share"]) == (4, 8, 0.45)
        spent = cost["operations"] / cost["speed"] + cost["measuring"] / cost["measuring_speed"]
        assert cost["seconds"] == pytest.approx(spent / 0.45)
        assert cost["bytes"] > cost["weights"] + cost["activations"] > 0
        alone = look("train.csv", "--model", folder)["estimate"]  # a tenth is kept back
        assert alone["steps"] == 8
        assert alone["operations"] < cost["operations"]
        longer = look(write("long.csv", [(text * 5, label) for text, label in GOOD]), "--model", folder)
        assert longer["estimate"]["operations"] > 3 * alone["operations"]
        pairs = [{"text_a": "Um", "text_b": f"Dois {n}", "label": "xy"[n % 2]} for n in range(40)]
        assert look(write("pairs.jsonl", pairs), "--model", folder)["estimate"]["steps"] == 8

    def test_the_estimate_is_of_the_precision_of_training(self, look, model_folder, monkeypatch):
        speeds = {"bf16": 4e9, "fp32": 1e9}
        monkeypatch.setattr("ambos.runs.choices.best_precision", lambda: "bf16")
        monkeypatch.setattr("ambos.train.machine.matrix_speed", lambda precision="fp32": speeds[precision])
        cost = look(write("train.csv", GOOD), "--model", model_folder("wordpiece"))["estimate"]
        assert (cost["speed"], cost["measuring_speed"]) == (4e9, 1e9)

    def test_test_rows_are_measured_once(self, look, model_folder):
        how = (write("train.csv", GOOD), "--dev", write("dev.csv", GOOD[:8]), "--model", model_folder("bpe"))
        without = look(*how)["estimate"]
        cost = look(*how, "--test", "dev.csv")["estimate"]
        assert cost["operations"] == without["operations"]
        assert cost["measuring"] == pytest.approx(without["measuring"] * 7 / 6)  # 4 epochs and 2 at the end


class TestScreen:
    def test_for_people(self, ambos, here, model_folder):
        rows = [*GOOD, *GOOD[:2], ("banco " * 90, "[bold]c[/]")]
        ran = ambos(
            "doctor",
            write("train.csv", rows),
            "--test",
            write("test.csv", GOOD[:3]),
            "--model",
            model_folder("wordpiece"),
        )
        assert ran.code == 0
        assert ran.err.splitlines()[1] == "columns text: text, label: label"
        assert "\x1b" not in ran.out
        lines = [" ".join(line.split()) for line in ran.out.splitlines()]
        assert lines[:3] == ["split rows empty repeated in train, too", "train 43 0 2", "test 3 0 0 3"]
        assert "a 21 48.8% 2 66.7%" in lines
        assert "[bold]c[/] 1 2.3% 0 -" in lines
        assert any(line.startswith("tokens of a row 50 % 90 % 99 % longest rows beyond 64") for line in lines)
        assert "error 3 of 3 rows of test (100.0 %) have a text that is in train, too" in lines
        assert "fix take them out of train: what is measured on test would be better than it is" in lines
        assert "see test.csv, lines 2, 3, 4" in lines
        severities = [line.split()[0] for line in lines if line.startswith(("error", "warning", "note"))]
        assert severities == sorted(severities, key=["error", "warning", "note"].index)
        assert "for 4 epochs would take about" in ran.out.replace("\n", " ")
        assert "A rough estimate for this machine" in ran.out
        assert ambos("doctor", "train.csv", "--quiet") == Ran(0, "", "")

    def test_names_of_columns_move_no_cursor(self, ambos, here):
        """They are those of a file: a terminal is told of them, and not spoken to by them."""
        write("odd.csv", GOOD)
        Path("odd.csv").write_text(Path("odd.csv").read_text().replace("text", "\x1b]text", 1))
        ran = ambos("doctor", "odd.csv")
        assert ran.err.splitlines()[1] == r"columns text: \x1b]text, label: label"

    def test_questions_of_one_line(self, ambos, here):
        asked = [{"id": f"q{n}", "question": f"Quem {n}?", "answers": []} for n in range(3)]
        text = json.dumps({"data": [{"paragraphs": [{"context": "Ana.", "qas": asked}]}]})
        Path("a.json").write_text(text)
        lines = [
            " ".join(line.split()) for line in ambos("doctor", "a.json", "--dev", "a.json").out.splitlines()
        ]
        assert "see a.json, line 1" in lines
        assert "see questions q0, q1, q2" in lines

    def test_all_is_well(self, ambos, here):
        assert "nothing found that is wrong" in ambos("doctor", write("train.csv", GOOD)).out

    def test_many_labels(self, ambos, here):
        rows = [(f"Texto {n}.", f"l{n % 25:02}") for n in range(250)]
        assert "and 5 more" in ambos("doctor", write("train.csv", rows)).out

    def test_strict(self, ambos, here):
        write("train.csv", GOOD)
        write("test.csv", GOOD[:3])
        assert ambos("doctor", "train.csv", "--strict").code == 0
        assert ambos("doctor", "train.csv", "--test", "test.csv").code == 0
        ran = ambos("doctor", "train.csv", "--test", "test.csv", "--strict", "--json")
        assert ran.code == INPUT
        assert json.loads(ran.out)["findings"][0]["severity"] == "error"
        write("uneven.csv", [*GOOD, ("Um só.", "c")])
        assert ambos("doctor", "uneven.csv", "--strict").code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "what"),
    [
        (["missing.csv"], INPUT, "no such file"),
        (["train.csv", "--dev", "missing.csv"], INPUT, "no such file"),
        (["other.csv"], INPUT, "the task cannot be told from the columns"),
        (["other.csv", "--task", "classify"], INPUT, "no column is known to hold the text"),
        (["train.csv", "--task", "pair"], INPUT, "no column is known to hold the text_a and text_b"),
        (["train.csv", "--task", "tag"], INPUT, "do not know how to read"),
        (["train.csv", "--task", "sort"], USAGE, "--task"),
        (["a.conll", "--tags", "foo"], INPUT, "have no names: there is none called 'foo'"),
        (["a.conll", "--words", "3"], INPUT, "there is no field 3"),
        (["train.csv", "--label", "x"], INPUT, "there is no column 'x'"),
        (["train.csv", "--model", "m", "--tokenizer", "t"], USAGE, "a model has a tokenizer of its own"),
        (["train.csv", "--model", "minlm"], INPUT, "there is no model 'minlm'"),
        (["train.csv", "--model", "minilm", "--max-length", "1000"], USAGE, "longer than the base can read"),
        (["train.csv", "--tokenizer", "nowhere"], INPUT, "nowhere"),
        (["empty.csv"], INPUT, "there are no rows in this file"),
        (["bad.csv"], INPUT, "there are no rows in this file"),
        ([], USAGE, "FILE"),
    ],
)
def test_bad_input(ambos, here, arguments, code, what):
    write("train.csv", GOOD)
    write("bad.csv", [("", "a")])
    write("a.conll", ["Ana\tO"])
    Path("other.csv").write_text("a,b\n1,2\n")
    Path("empty.csv").touch()
    assert ambos("doctor", *arguments).refused(code, what)["fix"]


def test_real_data(look, data):
    """LeNER-Br repeats sentences, in its test split too; the figures are those of counting by hand."""
    folder = data / "lener_br"
    splits = {name: folder / f"{name}.conll" for name in ("train", "dev", "test")}
    said = look(splits["train"], "--dev", splits["dev"], "--test", splits["test"])
    assert said["task"] == "tag"
    assert [figures["rows"] for figures in said["splits"].values()] == [7_156, 1_176, 1_389]
    sentences = {
        name: [
            " ".join(" ".join(line.split("\t")[0] for line in block.splitlines()).split()).casefold()
            for block in path.read_text().strip().split("\n\n")
        ]
        for name, path in splits.items()
    }
    known = set(sentences["train"])
    for name, figures in said["splits"].items():
        assert figures["duplicates"] == len(sentences[name]) - len(set(sentences[name]))
        if name != "train":
            assert figures["in_train"] == sum(text in known for text in sentences[name])
    assert set(said["splits"]["train"]["labels"]) == {
        "O",
        *(
            f"{mark}-{kind}"
            for mark in "BI"
            for kind in ("PESSOA", "TEMPO", "LOCAL", "ORGANIZACAO", "LEGISLACAO", "JURISPRUDENCIA")
        ),
    }
