"""Questions: SQuAD 1.1 and 2.0 and tables, answers checked against the passage, lines and ids in errors."""

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from ambos.data import read_questions
from ambos.data.read_questions import QUESTIONS, read_question_rows
from ambos.data.rows import Columns, Problems, QuestionRow, is_blank
from ambos.errors import InputError, UsageError
from ambos.text.sources import find_sources

PASSAGE = "Ana nasceu em São Paulo em 1977 😀. Ana ri."
TABLE = Columns(question="question", passage="context", answers="answers", id="id")


def ask(name: Any = "q1", *answers: tuple[str, int], **more) -> dict[str, Any]:
    found = [{"text": text, "answer_start": start} for text, start in answers]
    return {"id": name, "question": f"Pergunta {name}?", "answers": found, **more}


def squad(*questions: dict[str, Any], indent: int | None = None, context: Any = PASSAGE) -> str:
    article = {"title": "Ana", "paragraphs": [{"context": context, "qas": list(questions)}]}
    return json.dumps({"version": "v2.0", "data": [article]}, ensure_ascii=False, indent=indent)


def write(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def read(path: Path, columns: Columns | None = None, problems: Problems | None = None) -> list[QuestionRow]:
    return list(read_question_rows(find_sources([str(path)], formats=QUESTIONS), columns, problems))


def error_of(path: Path, columns: Columns | None = None) -> InputError:
    with pytest.raises(InputError) as caught:
        read(path, columns)
    assert caught.value.file == str(path)
    assert caught.value.fix
    return caught.value


class TestSquad:
    @pytest.mark.parametrize("ending", ["", ".gz"])
    def test_questions_passages_and_answers(self, tmp_path, ending):
        text = squad(ask("q1", ("São Paulo", 14), ("Paulo", 18)), ask("q2", ("Ana ri", 35)), ask("q3"))
        path = write(tmp_path, f"a.json{ending}", gzip.compress(text.encode()) if ending else text)
        assert read(path) == [
            QuestionRow(
                "q1", "Pergunta q1?", PASSAGE, (("São Paulo", 14), ("Paulo", 18)), path, 1, title="Ana"
            ),
            QuestionRow("q2", "Pergunta q2?", PASSAGE, (("Ana ri", 35),), path, 1, title="Ana"),
            QuestionRow("q3", "Pergunta q3?", PASSAGE, (), path, 1, title="Ana"),
        ]

    def test_impossible_questions(self, tmp_path):
        plausible = [{"text": "1977", "answer_start": 27}]
        text = squad(
            ask("q1", is_impossible=True, plausible_answers=plausible),
            ask("q2", ("Ana", 0), is_impossible=True),
            ask("q3", ("Ana", 0), is_impossible=False),
        )
        assert [row.answers for row in read(write(tmp_path, "a.json", text))] == [(), (), (("Ana", 0),)]

    def test_lines_are_those_of_the_ids(self, tmp_path):
        questions = [
            ask("x", ("Ana", 0)),
            ask(7, ("Ana", 0)),
            ask('ç"\n"id": "y"'),
            ask("y", note={"id": "w"}),
            ask("z"),
        ]
        path = write(tmp_path, "a.json", squad(*questions, indent=1))
        lines = path.read_text().split("\n")
        rows = read(path)
        assert [row.id for row in rows] == ["x", "7", 'ç"\n"id": "y"', "y", "z"]
        for row in rows:
            written = 7 if row.id == "7" else row.id
            assert lines[row.line - 1].strip() == f'"id": {json.dumps(written, ensure_ascii=False)},'

    @pytest.mark.parametrize(
        ("answer", "found"),
        [
            (("São Paulo", 15), "question q2: 'São Paulo' is not at 15, but at 14"),
            (("Ana", -9), "question q2: 'Ana' is not at -9, but at 0"),
            (("ri.", -3), "question q2: 'ri.' is not at -3, but at 39"),
            (("Rio", 0), "question q2: 'Rio' is not at 0"),
            (("Ana", 10**9), "question q2: 'Ana' is not at 1000000000, but at 0"),
            (("ri.x", 39), "question q2: 'ri.x' is not at 39"),
            (("", 0), "question q2: '' is not at 0"),
        ],
    )
    def test_answers_that_are_not_in_the_passage(self, tmp_path, answer, found):
        text = squad(ask("q1", ("Ana", 0)), ask("q2", ("Ana", 0), answer), ask("q3"), indent=2)
        path, problems = write(tmp_path, "a.json", text), Problems(skip_bad=True)
        assert [row.id for row in read(path, problems=problems)] == ["q1", "q3"]
        assert problems.counts == {"answer not in the passage": 1}
        error = error_of(path)
        assert error.what == "1 row cannot be used"
        assert error.found.endswith(f"answer not in the passage ({found})")
        assert '"q2"' in text.split("\n")[error.line - 1]

    def test_offsets_in_bytes_are_found_out(self, tmp_path):
        start = len(PASSAGE[: PASSAGE.index("Ana ri")].encode())
        assert "is not at" in error_of(write(tmp_path, "a.json", squad(ask("q1", ("Ana ri", start))))).found

    def test_ids_used_twice(self, tmp_path):
        path, problems = (
            write(tmp_path, "a.json", squad(ask("q1"), ask("q2"), ask("q1"))),
            Problems(skip_bad=True),
        )
        assert [row.id for row in read(path, problems=problems)] == ["q1", "q2"]
        assert problems.counts == {"id used twice": 1}
        assert "question q1" in error_of(path).found
        write(tmp_path, "b.json", squad(ask("q2")))
        with pytest.raises(InputError, match="2 rows"):
            read(tmp_path)

    @pytest.mark.parametrize(
        ("question", "kind"),
        [
            ({**ask(), "question": " "}, "empty text"),
            ({**ask(), "question": 3}, "wrong type"),
            ({**ask(), "id": None}, "wrong type"),
            ({**ask(), "id": ["q"]}, "wrong type"),
            ({"id": "q1", "question": "a?"}, "no label"),
            ({**ask(), "answers": None}, "no label"),
            ({**ask(), "answers": "Ana"}, "wrong type"),
            ({**ask(), "answers": ["Ana"]}, "wrong type"),
            ({**ask(), "answers": [{"text": "Ana"}]}, "wrong type"),
            ({**ask(), "answers": [{"text": "Ana", "answer_start": "0"}]}, "wrong type"),
            ({**ask(), "answers": [{"text": "Ana", "answer_start": 0.0}]}, "wrong type"),
            ({**ask(), "answers": [{"text": "na", "answer_start": True}]}, "wrong type"),
            ({**ask(), "answers": {"text": ["Ana"], "answer_start": [0, 1]}}, "wrong type"),
        ],
    )
    def test_bad_questions(self, tmp_path, question, kind):
        problems = Problems(skip_bad=True)
        path = write(tmp_path, "a.json", squad(question, ask("good", ("Ana", 0))))
        assert [row.id for row in read(path, problems=problems)] == ["good"]
        assert problems.counts == {kind: 1}

    @pytest.mark.parametrize("context", ["", None, 3])
    def test_bad_passages(self, tmp_path, context):
        assert (
            error_of(write(tmp_path, "a.json", squad(ask(), context=context))).what == "1 row cannot be used"
        )

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("", "not JSON"),
            ('{"data": [', "not JSON"),
            ("[" * 100_000, "not JSON"),
            (f'{{"data": {"9" * 6000}}}', "not JSON"),
            ("[]", "'data'"),
            ("3", "'data'"),
            ('{"data": {}}', "'data'"),
            ('{"data": [1]}', "'data'"),
            ('{"data": [{}]}', "'paragraphs'"),
            ('{"data": [{"paragraphs": [{"context": "a"}]}]}', "'qas'"),
            ('{"data": [{"paragraphs": [{"context": "a", "qas": ["b"]}]}]}', "'qas'"),
        ],
    )
    def test_what_is_not_squad(self, tmp_path, text, found):
        error = error_of(write(tmp_path, "a.json", text))
        assert error.what == "not a SQuAD file"
        assert found in error.found

    def test_broken_json_names_the_line(self, tmp_path):
        assert error_of(write(tmp_path, "a.json", '{"data":\n[\n{]}')).line == 3

    def test_not_utf8_and_a_mark(self, tmp_path):
        assert error_of(write(tmp_path, "a.json", b'{"data":\n"caf\xe9"}')).line == 2
        assert len(read(write(tmp_path, "a.json", b"\xef\xbb\xbf" + squad(ask()).encode()))) == 1

    def test_a_line_of_many_mebibytes_and_a_file_of_too_many(self, tmp_path, monkeypatch):
        text = squad(ask("q1", ("Ana", 0)), context=PASSAGE + "x" * (17 << 20))
        path = write(tmp_path, "a.json", text)
        assert read(path)[0].answers == (("Ana", 0),)
        monkeypatch.setattr(read_questions, "_MAX_MB", 1)
        assert "MiB" in error_of(path).what
        assert "MiB of JSON" in error_of(write(tmp_path, "b.json", '{"a":\n' + "1,\n" * (8 << 20))).what

    def test_no_questions(self, tmp_path):
        assert error_of(write(tmp_path, "a.json", '{"data": []}')).what == "there are no rows in this file"


class TestTables:
    def test_both_forms_of_answers(self, tmp_path):
        rows = [
            {**ask("q1", ("Ana", 0)), "context": PASSAGE},
            {**ask("q2"), "answers": {"text": ["Ana", "ri"], "answer_start": [0, 39]}, "context": PASSAGE},
            {**ask(3), "context": PASSAGE},
        ]
        path = write(tmp_path, "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        assert [(row.id, row.answers, row.line, row.title) for row in read(path, TABLE)] == [
            ("q1", (("Ana", 0),), 1, ""),
            ("q2", (("Ana", 0), ("ri", 39)), 2, ""),
            ("3", (), 3, ""),
        ]

    def test_parquet(self, tmp_path):
        answers = [{"text": ["Ana"], "answer_start": [0]}, {"text": [], "answer_start": []}]
        table = pa.table({"question": ["a?", "b?"], "context": [PASSAGE] * 2, "answers": answers})
        path = tmp_path / "a.parquet"
        parquet.write_table(table, path)
        rows = read(path, Columns(question="question", passage="context", answers="answers"))
        assert [(row.id, row.answers) for row in rows] == [(f"{path}:1", (("Ana", 0),)), (f"{path}:2", ())]

    @pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
    def test_what_is_impossible_has_no_answer_in_either_format(self, tmp_path, name):
        rows = [
            {**ask(f"q{number}", ("Ana", 0)), "context": PASSAGE, "is_impossible": number == 1}
            for number in range(2)
        ]
        path = tmp_path / name
        if name == "a.jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        else:
            parquet.write_table(pa.Table.from_pylist(rows), path)
        assert [row.answers for row in read(path, TABLE)] == [(("Ana", 0),), ()]

    def test_columns_must_be_named_and_there(self, tmp_path):
        path = write(tmp_path, "a.jsonl", json.dumps({**ask("q1"), "contexto": PASSAGE}))
        with pytest.raises(UsageError, match="no column is named for the question"):
            read(path)
        assert error_of(path, TABLE).fix == "did you mean contexto?"

    def test_ids_are_told_apart_across_kinds_of_files(self, tmp_path):
        write(tmp_path, "a.json", squad(ask("q1")))
        write(tmp_path, "b.jsonl", json.dumps({**ask("q1"), "context": PASSAGE}))
        with pytest.raises(InputError, match="1 row"):
            read(tmp_path, TABLE)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_round_trip(tmp_path, data):
    text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(
        lambda text: not is_blank(text)
    )
    questions = []
    passage = data.draw(text)
    for number in range(data.draw(st.integers(1, 4))):
        starts = data.draw(st.lists(st.integers(0, len(passage) - 1), max_size=3))
        spans = [
            (passage[start : data.draw(st.integers(start + 1, len(passage)))], start) for start in starts
        ]
        questions.append({**ask(f"q{number}", *spans), "question": data.draw(text)})
    path = write(
        tmp_path, "a.json", squad(*questions, context=passage, indent=data.draw(st.sampled_from([None, 1])))
    )
    rows = read(path)
    assert [(row.id, row.question, row.passage) for row in rows] == [
        (question["id"], question["question"], passage) for question in questions
    ]
    for row, question in zip(rows, questions, strict=True):
        assert row.answers == tuple(
            (answer["text"], answer["answer_start"]) for answer in question["answers"]
        )
        assert all(row.passage[start : start + len(text)] == text for text, start in row.answers)
