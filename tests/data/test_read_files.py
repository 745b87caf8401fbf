"""Rows of a task from files: which task they are for, with labels and without, ids and running text."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from ambos.data.detect_columns import Task, detect_columns
from ambos.data.read_files import RowFiles, guess_task
from ambos.data.read_tagged import Untagged
from ambos.data.rows import Columns, PairRow, Problems, QuestionRow, TextRow, WordsRow
from ambos.errors import InputError, UsageError

PASSAGE = "Ana nasceu em São Paulo."


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, *lines: Any) -> str:
    text = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    Path(name).write_text("".join(f"{line}\n" for line in text))
    return name


def unlabelled(
    name: str, task: str, given: Columns | None = None, problems: Problems | None = None
) -> list[Any]:
    return list(RowFiles.find([name], task, given, labelled=False).rows(problems))


class TestTexts:
    def test_of_tables_without_labels(self):
        table = [{"text": "Um", "n": 1}, {"text": "Dois", "n": 2}]
        write("a.jsonl", *table)
        write("a.csv", "n,text", "1,Um", "2,Dois")
        write("a.tsv", "n\ttext", "1\tUm", "2\tDois")
        parquet.write_table(pa.Table.from_pylist(table), "a.parquet")
        for name, first in (("a.jsonl", 1), ("a.csv", 2), ("a.tsv", 2), ("a.parquet", 1)):
            for task in ("classify", "score"):
                assert unlabelled(name, task) == [
                    TextRow("Um", (), None, Path(name), first),
                    TextRow("Dois", (), None, Path(name), first + 1),
                ]

    def test_labels_that_are_there_are_not_read(self):
        write("a.csv", "text,label,score", "Um,,x")
        assert unlabelled("a.csv", "classify")[0].labels == ()
        assert unlabelled("a.csv", "score")[0].score is None

    def test_lines_of_plain_text(self):
        write("a.txt", "  Um texto. ", "", " \t", "Outro")
        rows = unlabelled("a.txt", "classify")
        assert [(row.text, row.line) for row in rows] == [("  Um texto. ", 1), ("Outro", 4)]
        with pytest.raises(InputError, match="do not know how to read"):
            RowFiles.find(["a.txt"], "classify")

    def test_plain_text_beside_a_table(self):
        write("a.jsonl", {"frase": "Um", "id": "x"})
        write("b.txt", "Dois")
        files = RowFiles.find(["a.jsonl", "b.txt"], "classify", labelled=False)
        assert [(row.text, row.id) for row in files.rows()] == [("Um", "x"), ("Dois", None)]

    def test_ids(self):
        write("a.jsonl", {"text": "Um", "id": 7}, {"text": "Dois"}, {"text": "Três", "id": "a"})
        rows = unlabelled("a.jsonl", "classify")
        assert rows[0] == TextRow("Um", (), None, Path("a.jsonl"), 1, "7")
        assert [row.id for row in rows] == ["7", None, "a"]
        write("b.csv", "chave,text", "k,Um")
        assert unlabelled("b.csv", "classify", Columns(id="chave"))[0].id == "k"
        assert isinstance(unlabelled("b.csv", "classify")[0], TextRow)

    def test_bad_rows(self):
        write("a.jsonl", {"text": "Um"}, {"text": ""}, {"text": 3}, {"text": "Dois"})
        problems = Problems(skip_bad=True)
        assert [row.line for row in unlabelled("a.jsonl", "classify", problems=problems)] == [1, 4]
        assert problems.counts == {"empty text": 1, "wrong type": 1}

    def test_a_column_that_is_not_there(self):
        write("a.csv", "a,b", "1,2")
        with pytest.raises(InputError) as caught:
            unlabelled("a.csv", "classify")
        assert caught.value.what == "no column is known to hold the text"
        assert caught.value.fix == "say which: --text COLUMN"


class TestWords:
    def test_conll_with_tags_and_without(self):
        write("a.conll", "Ana\tB-PER", "ri\tO", "", "Oi\tO")
        write("b.conll", "Ana", "ri", "", "#tag")
        write("c.conll", "Ana NNP B-PER", "ri VB O", "", "Oi UH O")
        for name, last in (("a.conll", "Oi"), ("b.conll", "#tag"), ("c.conll", "Oi")):
            assert unlabelled(name, "tag") == [
                Untagged(("Ana", "ri"), (), Path(name), 1),
                Untagged((last,), (), Path(name), 4),
            ]

    def test_conllu(self):
        fields = ["_"] * 8
        write(
            "a.conllu", "# text = Ana ri", "\t".join(["1", "Ana", *fields]), "\t".join(["2", "ri", *fields])
        )
        assert unlabelled("a.conllu", "tag")[0].words == ("Ana", "ri")

    def test_a_sentence_a_line(self):
        write("a.txt", "  Ana  ri .", "", "Oi")
        rows = unlabelled("a.txt", "tag")
        assert rows == [
            Untagged(("Ana", "ri", "."), (), Path("a.txt"), 1, text="  Ana  ri ."),
            Untagged(("Oi",), (), Path("a.txt"), 3, text="Oi"),
        ]
        assert rows[0].starts == (2, 7, 10)
        assert all(rows[0].text.startswith(w, s) for w, s in zip(rows[0].words, rows[0].starts, strict=True))

    @pytest.mark.parametrize("space", [" ", "\u00a0", "\t", "\u2003", "\x1f", "\x85"])
    def test_words_begin_where_the_text_is_split(self, space):
        row = Untagged(tuple(f"a{space}bc".split()), (), Path("a"), 1, text=f"a{space}bc")
        assert (row.words, row.starts) == (("a", "bc"), (0, 2))

    def test_lists_and_texts_of_tables(self):
        write("a.jsonl", {"tokens": ["Ana", "ri"], "id": 1}, {"tokens": "Oi  Ana", "id": 2})
        rows = unlabelled("a.jsonl", "tag")
        assert rows[0] == Untagged(("Ana", "ri"), (), Path("a.jsonl"), 1, id="1")
        assert rows[1] == Untagged(("Oi", "Ana"), (), Path("a.jsonl"), 2, id="2", text="Oi  Ana")
        write("b.jsonl", {"frase": "Ana ri"})
        assert unlabelled("b.jsonl", "tag")[0].words == ("Ana", "ri")
        parquet.write_table(pa.table({"words": [["Ana"], ["Oi", "tu"]]}), "c.parquet")
        assert [row.words for row in unlabelled("c.parquet", "tag")] == [("Ana",), ("Oi", "tu")]

    @pytest.mark.parametrize(
        ("words", "kind"),
        [
            ([], "empty text"),
            (" ", "empty text"),
            (["a", " "], "empty word"),
            ([1], "wrong type"),
            (3, "wrong type"),
        ],
    )
    def test_bad_rows(self, words, kind):
        write("a.jsonl", {"words": ["a"]}, {"words": words})
        problems = Problems(skip_bad=True)
        assert [row.line for row in unlabelled("a.jsonl", "tag", problems=problems)] == [1]
        assert problems.counts == {kind: 1}

    def test_labelled_rows_are_as_before(self):
        write("a.jsonl", {"words": ["Ana"], "tags": ["B-PER"], "text": "x"})
        assert list(RowFiles.find(["a.jsonl"], "tag").rows()) == [
            WordsRow(("Ana",), ("B-PER",), Path("a.jsonl"), 1)
        ]
        write("b.jsonl", {"text": "Ana", "tags": ["B-PER"]})
        with pytest.raises(InputError, match="no column is known to hold the words"):
            RowFiles.find(["b.jsonl"], "tag")


class TestQuestions:
    def test_squad_without_answers(self):
        questions = [
            {"id": "q", "question": "Onde?"},
            {"question": "Quem?"},
            {"id": "q", "question": "Quando?"},
        ]
        article = {"title": "Ana", "paragraphs": [{"context": PASSAGE, "qas": questions}]}
        write("a.json", {"data": [article]})
        rows = unlabelled("a.json", "answer")
        assert rows[0] == QuestionRow("q", "Onde?", PASSAGE, (), Path("a.json"), 1, "Ana")
        assert [row.id for row in rows] == ["q", "a.json:1", "q"]
        problems = Problems(skip_bad=True)
        with pytest.raises(InputError, match="no rows"):
            list(RowFiles.find(["a.json"], "answer").rows(problems))

    @pytest.mark.parametrize("labelled", [True, False])
    def test_names_are_refused_of_squad(self, labelled):
        asked = [{"id": "q", "question": "Onde?", "answers": []}]
        write("a.json", {"data": [{"paragraphs": [{"context": PASSAGE, "qas": asked}]}]})
        given = Columns(question="pergunta", id="chave")
        with pytest.raises(InputError, match="columns are named, and a SQuAD file has none") as caught:
            RowFiles.find(["a.json"], "answer", given, labelled=labelled)
        assert caught.value.file == "a.json"
        assert caught.value.expected == "the names that its layout has: question, context, answers, id, title"
        assert caught.value.found == "--question pergunta --id chave"
        assert str(caught.value.fix).startswith("leave out --question and --id")

    def test_beside_squad_names_are_those_of_tables(self):
        asked = [{"id": "q", "question": "Onde?", "answers": []}]
        write("a.json", {"data": [{"paragraphs": [{"context": PASSAGE, "qas": asked}]}]})
        write("b.jsonl", {"p": "Quem?", "contexto": PASSAGE, "answers": []})
        files = RowFiles.find(["a.json", "b.jsonl"], "answer", Columns(question="p"))
        assert [row.question for row in files.rows()] == ["Onde?", "Quem?"]

    def test_wrong_answers_do_not_matter(self):
        answers = [{"text": "Rio", "answer_start": 3}]
        write("a.jsonl", {"question": "Onde?", "context": PASSAGE, "answers": answers})
        assert unlabelled("a.jsonl", "answer")[0].answers == ()

    def test_tables(self):
        write("a.jsonl", {"pergunta": "Onde?", "contexto": PASSAGE})
        assert unlabelled("a.jsonl", "answer")[0].id == "a.jsonl:1"
        write("b.jsonl", {"pergunta": "Onde?", "contexto": ""})
        with pytest.raises(InputError, match="1 row cannot be used"):
            unlabelled("b.jsonl", "answer")


@pytest.mark.parametrize(
    ("name", "task", "given"),
    [
        ("a.csv", "classify", Columns(text="label", label="label")),
        ("a.csv", "pair", Columns(text_a="text", text_b="text", label="label")),
        ("a.csv", "score", Columns(text="label", score="label")),
        ("a.conll", "tag", Columns(words="1", tags="1")),
    ],
)
def test_one_column_for_two_things_is_refused(name, task, given):
    write(name, *(["text,label", "Um,a"] if name == "a.csv" else ["Ana B-PER", "ri O"]))
    with pytest.raises(UsageError, match="one column is named for two things") as refused:
        RowFiles.find([name], task, given)
    one, other = (f"--{role.replace('_', '-')} {column}" for role, column in list(given.chosen.items())[:2])
    assert refused.value.found == f"{one} {other}"


@pytest.mark.parametrize(
    ("task", "given", "unread", "read"),
    [
        ("classify", Columns(words="x"), "--words", "--text, --label"),
        ("classify", Columns(score="x", question="y"), "--score and --question", "--text, --label"),
        ("classify", Columns(text_a="x", text_b="y", text="z"), "--text", "--text-a, --text-b, --text-c"),
        ("score", Columns(label="x"), "--label", "--text, --score"),
        ("embed", Columns(text="x"), "--text", "--text-a, --text-b, --text-c, --text-d"),
        ("tag", Columns(text="x"), "--text", "--words, --tags"),
        ("answer", Columns(label="x"), "--label", "--question, --passage, --answers"),
    ],
)
def test_columns_that_the_task_does_not_read_are_refused(task, given, unread, read):
    row = dict.fromkeys(("text", "label", "x", "y", "z", "question", "passage"), "Um")
    write("a.jsonl", row | {"text_a": "Um", "text_b": "Dois", "words": [], "tags": [], "answers": []})
    with pytest.raises(UsageError, match=f"are read without {unread}\n") as refused:
        RowFiles.find(["a.jsonl"], task, given)
    assert refused.value.expected.startswith(f"columns for {read}")
    assert refused.value.fix == f"leave out {unread}"


def test_the_task_is_one_that_reads_the_columns_that_are_named():
    write("a.jsonl", {"text": "Um", "label": "a", "words": ["Um"], "tags": ["O"]})
    assert guess_task(["a.jsonl"]) == "tag"
    assert guess_task(["a.jsonl"], Columns(text="text")) == "classify"


def test_a_column_that_is_named_is_looked_for_as_nothing_else():
    with pytest.raises(InputError, match="no column is known to hold the label"):
        detect_columns(["text", "label"], "classify", Columns(text="label"))
    found = detect_columns(["text", "label", "topic"], "classify", Columns(text="label"))
    assert found.chosen == {"text": "label", "label": "topic"}
    same = Columns(text="text", id="text")  # an id is only handed on
    assert detect_columns(["text"], "classify", same, labelled=False) == same


def test_columns_without_labels():
    assert str(detect_columns(["id", "Frase"], "classify", labelled=False)) == "text: Frase, id: id"
    assert str(detect_columns(["text", "words"], "tag", labelled=False)) == "words: words"
    assert str(detect_columns(["text"], "tag", labelled=False)) == "words: text"
    with pytest.raises(InputError, match="holds the id"):
        detect_columns(["text", "id", "qid"], "classify", labelled=False)


@pytest.mark.parametrize(
    ("columns", "task"),
    [
        ("text label", "classify"),
        ("review sentiment id", "classify"),
        ("text label score", "classify"),
        ("text score", "score"),
        ("frase nota", "score"),
        ("text_a text_b label", "pair"),
        ("premise hypothesis label", "pair"),
        ("sentence1 sentence2 score", "pair-score"),
        ("words tags", "tag"),
        ("tokens ner_tags text label", "tag"),
        ("question context answers", "answer"),
    ],
)
def test_the_task_is_told_by_columns(columns, task):
    write("a.jsonl", dict.fromkeys(columns.split(), "1"))
    assert guess_task(["a.jsonl"]) == task
    write("a.csv", columns.replace(" ", ","), columns.replace(" ", ","))
    if task not in {"tag", "answer"}:
        assert guess_task(["a.csv"]) == task


def test_the_task_is_told_by_the_ending():
    write("a.json", "{}")
    write("a.conll", "a\tO")
    write("a.tsv", "a\tO")
    write("b.tsv", "text\tlabel")
    assert [guess_task([name]) for name in ("a.json", "a.conll", "a.tsv", "b.tsv")] == [
        "answer",
        "tag",
        "tag",
        "classify",
    ]


def test_a_task_that_cannot_be_told():
    write("a.csv", "a,b", "1,2")
    with pytest.raises(InputError) as caught:
        guess_task(["a.csv"])
    assert caught.value.what == "the task cannot be told from the columns"
    assert caught.value.found == "a, b"
    with pytest.raises(InputError, match="there is no column 'c'"):
        guess_task(["a.csv"], Columns(label="c"))
    write("b.csv", "text,class,label", "1,2,3")
    with pytest.raises(InputError, match="not clear what holds the label: label or class"):
        guess_task(["b.csv"])
    write("c.csv", "text,other", "1,2")
    with pytest.raises(InputError, match="no column is known to hold the label"):
        guess_task(["c.csv"])
    assert guess_task(["a.csv"], Columns(text="a", label="b")) == "classify"
    assert guess_task(["a.csv"], Columns(text="a", score="b")) == "score"


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl"])
def test_an_empty_table(name: str):
    write(name)
    for find in (guess_task, lambda names: RowFiles.find(names, "classify")):
        with pytest.raises(InputError, match="there are no rows in this file"):
            find([name])


@pytest.mark.parametrize(
    ("task", "row"),
    [
        ("classify", {"text": "Um", "label": "x"}),
        ("classify", {"text_a": "Um", "text_b": "Dois", "label": "x"}),
        ("score", {"text": "Um", "score": 1}),
        ("embed", {"text_a": "Um", "text_b": "Dois", "score": 1}),
        ("tag", {"words": ["Um"], "tags": ["O"]}),
        ("answer", {"question": "Onde?", "context": PASSAGE, "answers": []}),
    ],
)
@pytest.mark.parametrize("labelled", [True, False])
def test_a_broken_line_of_json_is_a_bad_row(task, row, labelled):
    write("a.jsonl", '{"text": "Um', row, "7")
    files, problems = (
        RowFiles.find(["a.jsonl"], task, labelled=labelled, skip_bad=True),
        Problems(skip_bad=True),
    )
    assert [found.line for found in files.rows(problems)] == [2]
    assert problems.counts == {"not a JSON object": 2}
    with pytest.raises(InputError, match="not a JSON object") as caught:
        RowFiles.find(["a.jsonl"], task, labelled=labelled)
    assert (caught.value.file, caught.value.line) == ("a.jsonl", 1)
    assert caught.value.fix.endswith("or leave such lines out, and count them, with --skip-bad")


def test_nothing_but_broken_lines_of_json():
    """As of a file that is one JSON value over many lines: the first line says what is wrong."""
    write("a.jsonl", "[", '{"text": "Um", "label": "x"},', "]")
    for find in (guess_task, lambda names, **more: RowFiles.find(names, "classify", **more)):
        for skip_bad in (False, True):
            with pytest.raises(InputError, match="not a JSON object") as caught:
                find(["a.jsonl"], skip_bad=skip_bad)
            assert caught.value.line == 1


def test_pairs():
    write("a.csv", "text_a,text_b,label", "Um,Dois,x")
    assert list(RowFiles.find(["a.csv"], "pair").rows()) == [
        PairRow("Um", "Dois", ("x",), None, Path("a.csv"), 2)
    ]


@pytest.mark.parametrize(
    "names",
    [
        ("anchor", "positive"),
        ("query", "passage"),
        ("Query", "document"),
        ("question", "answer"),
        ("s1", "s2"),
        ("consulta", "trecho"),
        ("consulta", "documento"),
        ("Pergunta", "Resposta"),
        ("âncora", "positivo"),
    ],
)
def test_pairs_without_labels(names: tuple[str, str]):
    """Known by their names, whatever the order of the columns; to be told from others, and nothing else."""
    first, second = names
    write("a.jsonl", {second: "Dois", "n": 3, first: "Um"})
    found = RowFiles.find(["a.jsonl"], "embed", pairs=True)
    assert list(found.rows()) == [PairRow("Um", "Dois", (), None, Path("a.jsonl"), 1)]
    with pytest.raises(InputError, match="no column is known to hold the label"):
        RowFiles.find(["a.jsonl"], "classify", pairs=True)


def test_pairs_to_embed_with_labels_or_scores_have_them():
    write("a.csv", "passage,label,query", "Dois,sim,Um")
    write("b.csv", "passage,score,query", "Dois,3,Um")
    (row,) = RowFiles.find(["a.csv"], "embed").rows()
    assert (row.text_a, row.labels) == ("Um", ("sim",))
    (row,) = RowFiles.find(["b.csv"], "embed").rows()
    assert (row.text_b, row.score) == ("Dois", 3.0)
    write("c.csv", "passage,document,query", "Dois,Três,Um")
    with pytest.raises(InputError, match=r"it is not clear what holds .*query\+passage or query\+document"):
        RowFiles.find(["c.csv"], "embed")


def test_plain_text_holds_no_pairs():
    write("a.txt", "Um texto.")
    with pytest.raises(InputError, match="do not know how to read this kind of file"):
        RowFiles.find(["a.txt"], "classify", labelled=False, pairs=True)


def test_what_columns_are_called_is_said_where_none_is_known():
    write("a.csv", "a,b", "Um,x")
    with pytest.raises(InputError) as caught:
        RowFiles.find(["a.csv"], "classify")
    assert "text, texto, sentence" in str(caught.value.expected)
    with pytest.raises(InputError) as caught:
        RowFiles.find(["a.csv"], "pair")
    assert "text_a and text_b, text1 and text2" in str(caught.value.expected)


def test_pairs_with_scores_are_not_asked_for_single_texts():
    write("a.csv", "frase1,frase2,similarity", "Um,Dois,3")
    with pytest.raises(InputError, match="no column is known to hold the label") as caught:
        RowFiles.find(["a.csv"], "classify")
    assert "the task is score" in str(caught.value.fix)


@pytest.mark.parametrize("labelled", [True, False])
def test_pairs_where_single_texts_are_read_are_told_so_and_the_reverse(labelled: bool):
    write("a.csv", "frase1,frase2,label", "Um,Dois,x")
    with pytest.raises(InputError, match="no column is known to hold the text") as caught:
        RowFiles.find(["a.csv"], "classify", pairs=False, labelled=labelled)
    assert "frase1 and frase2 are known as the two texts of a pair" in str(caught.value.fix)
    write("b.csv", "texto,label", "Um,x")
    with pytest.raises(InputError, match="no column is known to hold the text_a and text_b") as caught:
        RowFiles.find(["b.csv"], "classify", pairs=True, labelled=labelled)
    assert "texto is known as a single text" in str(caught.value.fix)


@pytest.mark.parametrize(
    ("name", "task", "fix"),
    [
        ("a.conll", "classify", "the task tag"),
        ("a.json", "tag", "the task answer"),
        ("a.json", "embed", "the task answer"),
        ("a.txt.gz", "score", "into a table"),
        ("a.csv", "tag", "a .jsonl file"),
        ("a.csv", "answer", "a .jsonl file"),
        ("a.pdf", "classify", "convert it"),
    ],
)
def test_a_file_of_another_task_says_which_it_is_for(name: str, task: Task, fix: str):
    write(name, "x")
    with pytest.raises(InputError, match="do not know how to read this kind of file") as caught:
        RowFiles.find([name], task)
    assert fix in str(caught.value.fix)


def test_several_labels():
    write("a.csv", "text,label", "Um,x;y")
    files = RowFiles.find(["a.csv"], "classify", several=True, separator=";")
    assert next(iter(files.rows())).labels == ("x", "y")
    assert files.bytes == Path("a.csv").stat().st_size


def test_several_labels_of_pairs():
    write("a.csv", "text_a,text_b,label", "Um,Dois,x|y", "Um,Três,x", "Um,Nada,")
    files = RowFiles.find(["a.csv"], "classify", several=True)
    assert files.task == "pair"
    assert [row.labels for row in files.rows()] == [("x", "y"), ("x",), ()]
    parted = RowFiles.find(["a.csv"], "classify", several=True, separator=";")
    assert next(iter(parted.rows())).labels == ("x|y",)


class TestFieldsOfConll:
    CONLL = ("Ana NNP B-PER", "ri V O")

    def find(self, *names, words=None, tags=None, **more):
        return RowFiles.find(list(names), "tag", Columns(words=words, tags=tags), **more)

    def test_they_are_said(self):
        write("a.conll", *self.CONLL)
        assert str(self.find("a.conll").shown) == "words: field 1, tags: field 3 (the last)"
        assert str(self.find("a.conll", labelled=False).shown) == "words: field 1"
        write("b.conllu", "\t".join(["1", "Ana", "Ana", "PROPN", "NNP", *"_____"]))
        assert str(self.find("b.conllu").shown) == "words: field 2 (form), tags: field 4 (upos)"
        both = self.find("a.conll", "b.conllu").shown
        assert both.tags == "field 3 (the last) or field 4 (upos)"

    def test_they_are_chosen_by_number(self):
        write("a.conll", *self.CONLL)
        files = self.find("a.conll", words="2", tags="1")
        assert str(files.shown) == "words: field 2, tags: field 1"
        assert [(row.words, row.tags) for row in files.rows()] == [(("NNP", "V"), ("Ana", "ri"))]
        assert next(iter(self.find("a.conll", words="2", labelled=False).rows())).words == ("NNP", "V")

    def test_names_are_refused(self):
        write("a.conll", *self.CONLL)
        with pytest.raises(InputError, match="have no names: there is none called 'foo'") as caught:
            self.find("a.conll", tags="foo")
        assert (caught.value.file, caught.value.fix) == ("a.conll", "--tags 3")
        with pytest.raises(InputError, match="no columns in this file, and so no 'ner'"):
            RowFiles.find(["a.conll"], "tag", Columns(label="ner"))
        write("a.txt", "Ana ri")
        with pytest.raises(InputError, match="no columns in this file, and so no 'frase'"):
            self.find("a.txt", words="frase", labelled=False)

    def test_beside_tables_names_are_those_of_columns(self):
        write("a.conll", *self.CONLL)
        write("b.jsonl", {"w": ["Oi"], "tags": ["O"]})
        files = self.find("a.conll", "b.jsonl", words="w")
        assert files.shown.words == "w (of CoNLL: field 1)"
        assert files.shown.tags == "tags (of CoNLL: field 3 (the last))"
        assert [row.words for row in files.rows()] == [("Ana", "ri"), ("Oi",)]

    def test_a_tsv_whose_fields_have_numbers_is_tagged(self):
        write("a.tsv", "Ana\tN\tB-PER", "ri\tV\tO")
        assert guess_task(["a.tsv"], Columns(words="1", tags="2")) == "tag"
        with pytest.raises(InputError, match="there is no column 'foo'"):
            guess_task(["a.tsv"], Columns(words="foo"))
