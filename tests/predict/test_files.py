"""Predictions into files: what records hold, all layouts, and that an interruption leaves no trace."""

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

import ambos
from ambos.data.read_files import RowFiles
from ambos.errors import InputError, OutputError, UsageError
from ambos.files import working_folder
from ambos.predict import files as module
from ambos.predict import growing as growing_module
from ambos.predict.files import Predicted, predict_files
from ambos.predict.growing import Growing
from ambos.predict.model import Model
from ambos.predict.records import Details
from tests.predict.models import LABELS

TEXTS = ["O banco chegou hoje.", "a word", "Que noite, que porto, que banco!", "banco " * 100]


class Seen:
    """A watcher that remembers."""

    def __init__(self) -> None:
        self.bytes = self.rows = self.done = self.before = 0
        self.shares: list[float] = []

    def advance(self, count: int) -> None:
        self.bytes += count

    def came(self, characters: int) -> None:
        self.rows += 1

    def tell(self, share: float) -> None:
        self.shares.append(share)

    def took(self, count: int) -> None:
        self.done += count

    def passed(self, count: int) -> None:
        self.before += count


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, *rows: Any) -> str:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    Path(name).write_text("".join(f"{line}\n" for line in lines))
    return name


def run(
    model: Path | Model, name: str, out: str, details: Details | None = None, **options: Any
) -> Predicted:
    loaded = model if isinstance(model, Model) else ambos.load(model)
    how = {key: options.pop(key) for key in ("long", "max_length") if key in options}
    files = RowFiles.find([name], loaded.learnt.name, labelled=False)
    details = details or Details(ids=files.columns.id is not None)
    watcher = options.pop("watcher", Seen())
    return predict_files(loaded, files, Path(out), details, loaded.reading(**how), watcher, **options)


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(name).read_text().splitlines()]


def left() -> set[str]:
    return {entry.name for entry in Path().iterdir()}


class TestRecords:
    def test_a_classifier(self, task_folder):
        model = ambos.load(task_folder("classify"))
        write("a.jsonl", *({"text": text, "id": n, "label": "?"} for n, text in enumerate(TEXTS)))
        done = run(model, "a.jsonl", "o.jsonl", Details(ids=True, text=True, probabilities=True))
        said = model.predict(TEXTS)
        for number, (record, one) in enumerate(zip(read("o.jsonl"), said, strict=True)):
            assert list(record) == ["file", "line", "id", "text", "label", "probability", "probabilities"]
            assert (record["file"], record["line"], record["id"]) == ("a.jsonl", number + 1, str(number))
            assert record["text"] == TEXTS[number]
            assert (record["label"],) == one.labels
            assert record["probability"] == record["probabilities"][record["label"]]
            np.testing.assert_allclose(list(record["probabilities"].values()), one.probabilities, rtol=2e-6)
            assert list(record["probabilities"]) == list(LABELS.names)
        assert (done.rows, done.earlier, done.skipped, done.changed) == (4, 0, {}, ())
        assert (done.ledger.texts, done.ledger.cut_tokens) == (4, 38)
        run(model, "a.jsonl", "p.jsonl", Details())
        assert list(read("p.jsonl")[0]) == ["file", "line", "label", "probability"]

    def test_several_labels(self, task_folder):
        model = ambos.load(task_folder("several"))
        write("a.txt", *TEXTS)
        run(model, "a.txt", "o.jsonl")
        run(model, "a.txt", "p.jsonl", Details(probabilities=True))
        for record, full, one in zip(read("o.jsonl"), read("p.jsonl"), model.predict(TEXTS), strict=True):
            assert tuple(record["labels"]) == one.labels == tuple(record["probabilities"])
            assert all(chance > 0.5 for chance in record["probabilities"].values())
            assert list(full["probabilities"]) == list(LABELS.names)

    def test_scores(self, task_folder):
        write("a.txt", *TEXTS)
        run(task_folder("score"), "a.txt", "o.jsonl")
        expected = ambos.load(task_folder("score")).predict(TEXTS)
        np.testing.assert_allclose([row["score"] for row in read("o.jsonl")], expected, rtol=1e-5)

    def test_tags_and_entities_of_words(self, task_folder):
        write("a.conll", "O", "banco", "chegou", "", "a", "word")
        run(task_folder("tag"), "a.conll", "o.jsonl")
        rows = read("o.jsonl")
        assert [row["words"] for row in rows] == [["O", "banco", "chegou"], ["a", "word"]]
        assert [row["line"] for row in rows] == [1, 5]
        for row in rows:
            assert len(row["tags"]) == len(row["probabilities"]) == len(row["words"])
            assert sum(entity["end"] - entity["start"] for entity in row["entities"]) == sum(
                tag != "O" for tag in row["tags"]
            )
            for entity in row["entities"]:
                assert entity["text"] == " ".join(row["words"][entity["start"] : entity["end"]])
                assert "start_char" not in entity

    def test_characters_of_running_text(self, task_folder):
        text = "  O banco\tchegou  a um porto ."
        write("a.txt", text)
        write("a.jsonl", {"text": text, "id": "x"})
        for name in ("a.txt", "a.jsonl"):
            run(task_folder("tag"), name, "o.jsonl", Details(text=True), force=True)
            (row,) = read("o.jsonl")
            assert row["text"] == text
            assert row["words"] == text.split()
            assert row["entities"]
            for entity in row["entities"]:
                assert entity["text"] == text[entity["start_char"] : entity["end_char"]]
                assert entity["text"].split() == row["words"][entity["start"] : entity["end"]]

    def test_tags_that_mark_no_entities(self, task_folder):
        write("a.txt", "O banco chegou")
        run(task_folder("pos"), "a.txt", "o.jsonl")
        assert list(read("o.jsonl")[0]) == ["file", "line", "words", "tags", "probabilities"]

    def test_answers(self, task_folder):
        passage = "Ana nasceu em São Paulo em 1977. " * 3
        write("a.jsonl", *({"id": f"q{n}", "question": q, "context": passage} for n, q in enumerate(TEXTS)))
        run(task_folder("answer"), "a.jsonl", "o.jsonl", Details(text=True, top=7))
        for number, row in enumerate(read("o.jsonl")):
            assert (row["id"], row["question"], row["passage"]) == (f"q{number}", TEXTS[number], passage)
            given = (row["start"], row["end"]) != (None, None)
            assert row["answer"] == (passage[row["start"] : row["end"]] if given else "")
            assert len(row["candidates"]) == 7
            assert all(passage[one["start"] : one["end"]] == one["text"] for one in row["candidates"])
            chances = [one["probability"] for one in row["candidates"]]
            assert chances == sorted(chances, reverse=True)
            assert sum(chances) + row["no_answer_probability"] <= 1 + 1e-5
            assert row["probability"] == max(row["no_answer_probability"], *chances)
            assert row["probability"] == (chances[0] if given else row["no_answer_probability"])

    @pytest.mark.parametrize("threshold", [-1e5, 1e5])
    def test_the_threshold_of_no_answer_is_in_the_probabilities(self, task_folder, threshold):
        write("a.jsonl", {"question": "Onde?", "context": "Ana nasceu em São Paulo."})
        model = ambos.load(task_folder("answer"))
        model.learnt.threshold = threshold
        for out in ("o.jsonl", "o.csv"):
            run(model, "a.jsonl", out)
        (row,) = read("o.jsonl")
        assert (row["answer"] == "") == (threshold < 0)
        assert math.isclose(row["no_answer_probability"], float(threshold < 0), abs_tol=1e-5)
        assert row["probability"] >= row["no_answer_probability"]
        assert "no_answer_probability" in Path("o.csv").read_text().splitlines()[0]

    def test_chances_of_all_candidates_and_none_make_one(self, task_folder):
        write("a.jsonl", {"question": "Onde?", "context": "Ana nasceu em São Paulo."})
        model = ambos.load(task_folder("answer"))
        model.learnt.no_answers = False
        run(model, "a.jsonl", "o.jsonl", Details(top=20))
        (row,) = read("o.jsonl")
        assert "no_answer_probability" not in row
        assert math.isclose(sum(one["probability"] for one in row["candidates"]), 1, abs_tol=1e-5)

    def test_candidates_of_a_file_are_not_those_of_the_model(self, task_folder):
        passage = "Ana nasceu em São Paulo em 1977. " * 3
        write("a.jsonl", {"question": "Onde?", "context": passage})
        model = ambos.load(task_folder("answer"))
        before = model.predict([("Onde?", passage)])
        run(model, "a.jsonl", "o.jsonl", Details(top=9))
        assert len(read("o.jsonl")[0]["candidates"]) == 9
        assert model.predict([("Onde?", passage)]) == before
        assert len(before[0].candidates) == model.learnt.candidates == 5

    @pytest.mark.parametrize(
        ("task", "details", "what"),
        [
            ("score", Details(probabilities=True), "--all-probabilities is not for this model"),
            ("tag", Details(probabilities=True), "--all-probabilities is not for this model"),
            ("classify", Details(top=3), "--top is not for this model"),
        ],
    )
    def test_what_a_task_does_not_have(self, task_folder, task, details, what):
        write("a.txt", *TEXTS)
        with pytest.raises(UsageError, match=what):
            run(task_folder(task), "a.txt", "o.jsonl", details)
        assert left() == {"a.txt"}

    def test_text_that_no_encoding_can_carry(self, task_folder):
        write("a.jsonl", '{"text": "um \\ud800 dois"}')
        run(task_folder("classify"), "a.jsonl", "o.jsonl", Details(text=True))
        assert read("o.jsonl")[0]["text"] == "um \ufffd dois"


class TestLayouts:
    def test_csv_and_tsv(self, task_folder):
        write("a.jsonl", *({"text": f'{text} "x"\n,\t|', "id": "k"} for text in TEXTS))
        details = Details(ids=True, text=True, probabilities=True)
        run(task_folder("classify"), "a.jsonl", "o.jsonl", details)
        for name, separator in (("o.csv", ","), ("o.tsv", "\t")):
            run(task_folder("classify"), "a.jsonl", name, details)
            with Path(name).open(newline="") as file:
                rows = list(csv.DictReader(file, delimiter=separator))
            for row, record in zip(rows, read("o.jsonl"), strict=True):
                assert [row["text"], row["label"], row["id"]] == [record["text"], record["label"], "k"]
                assert float(row["probability"]) == record["probability"]
                for label, chance in record["probabilities"].items():
                    assert float(row[f"probability_{label}"]) == chance
        again = RowFiles.find(["o.csv"], "classify")  # what was written is a labelled file
        assert [row.labels[0] for row in again.rows()] == [row["label"] for row in read("o.jsonl")]

    def test_lists_in_csv(self, task_folder):
        write("a.txt", *TEXTS)
        run(task_folder("several"), "a.txt", "o.jsonl")
        run(task_folder("several"), "a.txt", "o.csv")
        run(task_folder("tag"), "a.txt", "t.jsonl")
        run(task_folder("tag"), "a.txt", "t.csv")
        with Path("o.csv").open() as file:
            for row, record in zip(csv.DictReader(file), read("o.jsonl"), strict=True):
                assert row["labels"] == "|".join(record["labels"])
                for label in LABELS.names:
                    assert row[f"probability_{label}"] == str(record["probabilities"].get(label, ""))
        with Path("t.csv").open() as file:
            for row, record in zip(csv.DictReader(file), read("t.jsonl"), strict=True):
                assert json.loads(row["tags"]) == record["tags"]
                assert json.loads(row["entities"]) == record["entities"]

    @pytest.mark.parametrize("task", ["classify", "several", "score", "tag", "pos", "answer"])
    def test_parquet(self, task_folder, task, monkeypatch):
        monkeypatch.setattr("ambos.predict.record_files._MOST_ROWS", 3)
        write("a.txt", *TEXTS)
        write("a.jsonl", *({"question": text, "passage": " ".join(TEXTS)} for text in TEXTS))
        name = "a.jsonl" if task == "answer" else "a.txt"
        details = Details(text=True, probabilities=task == "classify", top=2 * (task == "answer"))
        run(task_folder(task), name, "o.jsonl", details)
        run(task_folder(task), name, "o.parquet", details)
        assert parquet.ParquetFile("o.parquet").num_row_groups == 2
        for row, record in zip(parquet.read_table("o.parquet").to_pylist(), read("o.jsonl"), strict=True):
            assert without_nothing(row) == without_nothing(record)

    def test_the_same_bytes_every_time(self, task_folder):
        write("a.txt", *TEXTS)
        for ending in ("jsonl", "csv", "parquet"):
            for name in ("o", "p"):
                run(task_folder("tag"), "a.txt", f"{name}.{ending}")
            assert Path(f"o.{ending}").read_bytes() == Path(f"p.{ending}").read_bytes()


def without_nothing(value: Any) -> Any:
    """Leave out what is None: a column of a table has a place for everything."""
    if isinstance(value, dict):
        return {key: without_nothing(inner) for key, inner in value.items() if inner is not None}
    return [without_nothing(inner) for inner in value] if isinstance(value, list) else value


class TestBadRows:
    ROWS = ({"text": "Um"}, {"text": ""}, {"text": "Dois"}, {"text": 5}, {"text": "Três"})

    def test_they_are_refused_or_counted(self, task_folder):
        write("a.jsonl", *self.ROWS)
        with pytest.raises(InputError, match="2 rows cannot be used"):
            run(task_folder("classify"), "a.jsonl", "o.jsonl")
        assert left() == {"a.jsonl"}
        done = run(task_folder("classify"), "a.jsonl", "o.jsonl", skip_bad=True)
        assert (done.rows, done.skipped) == (3, {"empty text": 1, "wrong type": 1})
        assert [row["line"] for row in read("o.jsonl")] == [1, 3, 5]

    def test_what_was_done_before_one_is_kept(self, task_folder, monkeypatch):
        """A bad row stops at once, not at the end; the call that skips it goes on from there."""
        monkeypatch.setattr(module, "_CHUNK_ROWS", 2)
        write("a.jsonl", *({"text": f"Texto {n}"} for n in range(7)), {"text": ""}, {"text": "Um"})
        with pytest.raises(InputError, match="1 row cannot be used"):
            run(task_folder("classify"), "a.jsonl", "o.jsonl")
        seen, notes = Seen(), []
        done = run(
            task_folder("classify"), "a.jsonl", "o.jsonl", skip_bad=True, watcher=seen, note=notes.append
        )
        assert (done.rows, done.earlier, done.skipped) == (8, 6, {"empty text": 1})
        assert notes == ["going on after 6 rows that are done"]
        assert (seen.rows, seen.before, seen.done) == (8, 6, 2)

    def test_a_refused_length_is_named(self, task_folder, monkeypatch):
        monkeypatch.setattr(module, "_CHUNK_ROWS", 2)
        write("a.txt", "um", "dois", "", "três", "banco " * 100)
        with pytest.raises(InputError) as caught:
            run(task_folder("classify"), "a.txt", "o.jsonl", long="error")
        assert (caught.value.file, caught.value.line) == ("a.txt", 5)


class Died(BaseException):
    """What a kill is, inside one process."""


class TestInterruptions:
    NUMBER = 11

    @pytest.fixture(autouse=True)
    def small_chunks(self, monkeypatch):
        monkeypatch.setattr(module, "_CHUNK_ROWS", 2)

    @pytest.fixture
    def model(self, task_folder) -> Model:
        return ambos.load(task_folder("classify"))

    @pytest.fixture
    def source(self) -> str:
        return write(
            "a.txt", *(f"O banco chegou ao porto {'muito ' * (n % 5)}{n}." for n in range(self.NUMBER))
        )

    def die_at(self, monkeypatch, where: str, time: int) -> None:
        """Let the so-many-th call of a function of the module `growing` be the last thing that happens."""
        whole = getattr(growing_module, where, None) or getattr(module, where)
        owner = growing_module if hasattr(growing_module, where) else module
        calls = 0

        def dying(*arguments: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == time:
                raise Died
            return whole(*arguments)

        monkeypatch.setattr(owner, where, dying)

    @pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
    @pytest.mark.parametrize("time", [1, 2, 4, 6])
    def test_before_the_journal(self, model, source, monkeypatch, ending, time):
        """The piece is on the disk, and nothing says so."""
        run(model, source, f"whole.{ending}", max_length=12)
        with monkeypatch.context() as patch:
            self.die_at(patch, "write_file", time)
            with pytest.raises(Died):
                run(model, source, f"o.{ending}", max_length=12)
        assert not Path(f"o.{ending}").exists()
        done = run(model, source, f"o.{ending}", max_length=12)
        assert (done.rows, done.earlier) == (self.NUMBER, 2 * (time - 1))
        assert done.ledger.texts == self.NUMBER
        assert Path(f"o.{ending}").read_bytes() == Path(f"whole.{ending}").read_bytes()
        assert left() == {source, f"o.{ending}", f"whole.{ending}"}

    def test_the_ledger_is_that_of_the_whole(self, model, source, monkeypatch):
        whole = run(model, source, "whole.jsonl", max_length=12)
        with monkeypatch.context() as patch:
            self.die_at(patch, "write_file", 4)
            with pytest.raises(Died):
                run(model, source, "o.jsonl", max_length=12)
        assert run(model, source, "o.jsonl", max_length=12).ledger == whole.ledger
        assert whole.ledger.named

    def test_half_a_piece(self, model, source):
        run(model, source, "whole.jsonl")
        files = growing_of(model, source, "o.jsonl", pieces=3)
        with files.path.open("ab") as file:
            file.write(b'{"file": "a.tx')
        done = run(model, source, "o.jsonl")
        assert done.earlier == 6
        assert Path("o.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()

    @pytest.mark.parametrize("ending", ["jsonl", "parquet"])
    def test_when_all_rows_are_done(self, model, source, monkeypatch, ending):
        """While the table is made, and after it was made."""
        run(model, source, f"whole.{ending}")
        with monkeypatch.context() as patch:
            self.die_at(patch, "convert", 1)
            with pytest.raises(Died):
                run(model, source, f"o.{ending}")
        with monkeypatch.context() as patch:
            patch.setattr(Growing, "remove", died)
            with pytest.raises(Died):
                run(model, source, f"o.{ending}")
        assert Path(f"o.{ending}").read_bytes() == Path(f"whole.{ending}").read_bytes()
        done = run(model, source, f"o.{ending}", force=True)
        assert (done.rows, done.earlier) == (self.NUMBER, self.NUMBER)
        assert Path(f"o.{ending}").read_bytes() == Path(f"whole.{ending}").read_bytes()
        assert left() == {source, f"o.{ending}", f"whole.{ending}"}

    def test_another_input_model_or_option_begins_anew(self, model, source, task_folder, tmp_path):
        other = ambos.load(task_folder("classify", "bpe"))
        changes: dict[str, tuple[Model, dict[str, Any]]] = {
            "the model": (other, {}),
            "the options": (model, {"max_length": 12}),
            "the input": (model, {}),
        }
        for what, (loaded, options) in changes.items():
            growing_of(model, source, "o.jsonl", pieces=2)
            if what == "the input":
                write(source, *TEXTS)
            notes: list[str] = []
            done = run(loaded, source, "o.jsonl", note=notes.append, force=True, **options)
            assert notes == [f"beginning anew: {what} changed since the last time"]
            assert (done.earlier, done.changed) == (0, (what,))
            run(loaded, source, "whole.jsonl", force=True, **options)
            assert Path("o.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()

    @pytest.mark.parametrize(
        "damage", [b"", b"{", b"[]", b'{"prints": {}}', b'{"prints": 3, "bytes": 1, "state": 2}']
    )
    def test_a_damaged_journal_is_none(self, model, source, damage):
        files = growing_of(model, source, "o.jsonl", pieces=2)
        files.path.with_suffix(".journal").write_bytes(damage)
        assert run(model, source, "o.jsonl").earlier == 0
        assert len(read("o.jsonl")) == self.NUMBER

    def test_lost_rows_begin_anew(self, model, source):
        files = growing_of(model, source, "o.jsonl", pieces=2)
        files.path.write_bytes(files.path.read_bytes()[:-1])
        assert run(model, source, "o.jsonl").earlier == 0

    def test_long_rows_make_small_chunks(self, model, source, monkeypatch):
        monkeypatch.setattr(module, "_CHUNK_ROWS", 1000)
        monkeypatch.setattr(module, "_CHUNK_CHARACTERS", 60)
        seen: list[int] = []
        watcher = Seen()
        watcher.took = seen.append
        run(model, source, "o.jsonl", watcher=watcher)
        assert sum(seen) == self.NUMBER
        assert len(seen) > 4

    def test_an_output_that_is_there(self, model, source):
        Path("o.jsonl").write_text("precious")
        with pytest.raises(OutputError, match="already there"):
            run(model, source, "o.jsonl")
        assert Path("o.jsonl").read_text() == "precious"
        assert run(model, source, "o.jsonl", force=True).rows == self.NUMBER

    def test_the_input_is_never_replaced(self, model, source):
        before = Path(source).read_bytes()
        with pytest.raises(OutputError, match="would replace what it is made from"):
            run(model, source, source, force=True)
        Path("link.txt").symlink_to(source)
        with pytest.raises(OutputError, match="would replace what it is made from"):
            run(model, "link.txt", source, force=True)
        assert Path(source).read_bytes() == before

    def test_what_a_watcher_sees(self, model, source):
        seen = Seen()
        run(model, source, "o.jsonl", watcher=seen)
        assert (seen.bytes, seen.rows, seen.done) == (Path(source).stat().st_size, self.NUMBER, self.NUMBER)
        assert seen.shares.count(1.0) == 6


def died(*_: object) -> None:
    raise Died


def growing_of(model: Model, source: str, out: str, pieces: int) -> Growing:
    """Leave what a call leaves that was killed after some pieces."""
    found: list[Growing] = []

    class Stopped(Growing):
        def add(self, piece: bytes, state: Any) -> None:
            found.append(self)
            super().add(piece, state)
            if len(found) == pieces:
                raise Died

    whole, module.Growing = module.Growing, Stopped
    try:
        with pytest.raises(Died):
            run(model, source, out, force=True)
    finally:
        module.Growing = whole
    assert found[0].path == working_folder(Path(out)).with_suffix(".rows")
    return found[0]
