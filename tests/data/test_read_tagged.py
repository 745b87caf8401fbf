"""Tagged sentences: CoNLL in its variants and lists in tables, with the lines of all that is wrong."""

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from ambos.data import read_tagged
from ambos.data.read_tagged import TAGGED, misplaced, read_tagged_rows
from ambos.data.rows import Columns, Problems, WordsRow
from ambos.errors import InputError, UsageError
from ambos.text.sources import find_sources

LISTS = Columns(words="words", tags="tags")
CONLLU = """\
# newdoc id = 1
# sent_id = 1
# text = Saí da sala\tàs 8.
1\tSaí\tsair\tVERB\tV\tTense=Past\t0\troot\t_\t_
2-3\tda\t_\t_\t_\t_\t_\t_\t_\t_
2\tde\tde\tADP\tP\t_\t4\tcase\t_\t_
3\ta\to\tDET\tD\t_\t4\tdet\t_\t_
4\tsala\tsala\tNOUN\tN\t_\t1\tobl\t_\t_
4.1\tquando\t_\tADV\t_\t_\t_\t_\t_\t_

# sent_id = 2
1\t#\t#\tSYM\tS\t_\t0\troot\t_\t_
2\t1 000\t1000\tNUM\tM\t_\t1\tnummod\t_\t_
"""


def write(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def read(
    path: Path, columns: Columns | None = None, problems: Problems | None = None, **options
) -> list[WordsRow]:
    return list(read_tagged_rows(find_sources([str(path)], formats=TAGGED), columns, problems, **options))


def pairs(rows: list[WordsRow]) -> list[list[tuple[str, str]]]:
    return [list(zip(row.words, row.tags, strict=True)) for row in rows]


def error_of(path: Path, **options) -> InputError:
    with pytest.raises(InputError) as caught:
        read(path, **options)
    assert caught.value.file == str(path)
    assert caught.value.fix
    return caught.value


class TestConll:
    @pytest.mark.parametrize("name", ["a.conll", "a.bio", "a.iob", "a.txt", "a.tsv", "a.conll.gz"])
    def test_words_tags_and_lines(self, tmp_path, name):
        data = b"\n\nAna\tB-PER\nri\tO\n\n \t\nOi\tO\r\n\r\n"
        path = write(tmp_path, name, gzip.compress(data) if name.endswith("gz") else data)
        assert read(path) == [
            WordsRow(("Ana", "ri"), ("B-PER", "O"), path, 3),
            WordsRow(("Oi",), ("O",), path, 7),
        ]

    def test_white_space_between_fields_and_first_and_last(self, tmp_path):
        path = write(tmp_path, "a.conll", "U.N. NNP  I-NP I-ORG \nofficial NN\tI-NP O\n")
        assert pairs(read(path)) == [[("U.N.", "I-ORG"), ("official", "O")]]
        assert pairs(read(path, word_field=1, tag_field=2)) == [[("U.N.", "NNP"), ("official", "NN")]]

    def test_words_with_spaces_where_tabs_part_fields(self, tmp_path):
        assert pairs(read(write(tmp_path, "a.conll", "34 470\tO\n"))) == [[("34 470", "O")]]

    def test_document_marks_end_sentences(self, tmp_path):
        text = "-DOCSTART- -X- O O\n\na N N O\n-DOCSTART- -X- O O\nb N N O\n"
        rows = read(write(tmp_path, "a.conll", text))
        assert [(row.words, row.line) for row in rows] == [(("a",), 3), (("b",), 5)]

    def test_comments_where_tabs_part_fields_and_words_where_spaces_do(self, tmp_path):
        text = "# id = 1\n#\tO\n# a comment\n#tag\tB-X\n"
        assert pairs(read(write(tmp_path, "a.conll", text))) == [[("#", "O"), ("#tag", "B-X")]]
        assert pairs(read(write(tmp_path, "a.conll", "# O\na O\n"))) == [[("#", "O"), ("a", "O")]]

    def test_comments_before_sentences_where_spaces_part_fields(self, tmp_path):
        text = "# id 52-39\tdomain=en\nAna _ _ B-PER\n# _ _ O\n\n# id 7\n# _ _ O\nri _ _ O\n"
        file = write(tmp_path, "a.conll", text)
        assert pairs(read(file)) == [[("Ana", "B-PER"), ("#", "O")], [("#", "O"), ("ri", "O")]]
        problems = Problems(skip_bad=True)
        assert len(read(write(tmp_path, "b.conll", f"{text}# within\n"), problems=problems)) == 1
        assert problems.counts == {"ragged tags": 1}

    @pytest.mark.parametrize("name", ["a.conllu", "a.conll"])
    def test_conllu(self, tmp_path, name):
        path = write(tmp_path, name, CONLLU)
        rows = read(path)
        assert pairs(rows) == [
            [("Saí", "VERB"), ("de", "ADP"), ("a", "DET"), ("sala", "NOUN")],
            [("#", "SYM"), ("1 000", "NUM")],
        ]
        assert [row.line for row in rows] == [4, 12]
        assert [rows[0].line_of(place) for place in range(4)] == [4, 6, 7, 8]
        assert [rows[1].line_of(place) for place in range(2)] == [12, 13]
        assert read(path, tag_field=5)[0].tags == ("V", "P", "D", "N")
        assert read(path, word_field=3)[0].words == ("sair", "de", "o", "sala")

    def test_ten_fields_that_are_not_conllu(self, tmp_path):
        path = write(tmp_path, "a.conll", "\t".join(["Ana", *"abcdefgh", "B-PER"]))
        assert pairs(read(path)) == [[("Ana", "B-PER")]]

    def test_ragged_lines_leave_out_the_sentence(self, tmp_path):
        text = "a\tO\nb\n\nc\tO\n\nd\tO\ne\tX\tO\nf\n\ng\tO\n"
        path, problems = write(tmp_path, "a.conll", text), Problems(skip_bad=True)
        assert [row.words for row in read(path, problems=problems)] == [("c",), ("g",)]
        assert problems.counts == {"ragged tags": 2}
        error = error_of(path)
        assert (error.what, error.line) == ("2 rows cannot be used", 2)
        assert (
            f"{path}, line 7: ragged tags (3 fields, where the first word of the file has 2)" in error.found
        )

    @pytest.mark.parametrize(
        ("line", "kind"), [("\tO", "empty word"), (" \u00a0\tO", "empty word"), ("a\t ", "no label")]
    )
    def test_empty_words_and_tags(self, tmp_path, line, kind):
        error = error_of(write(tmp_path, "a.conll", f"a\tO\n\nb\tO\n{line}\n"))
        assert (error.what, error.line) == ("1 row cannot be used", 4)
        assert kind in error.found

    def test_running_text_is_no_tagged_file(self, tmp_path):
        error = error_of(write(tmp_path, "a.txt", "\npalavra\n"))
        assert (error.what, error.line) == ("a word without a tag", 2)
        with pytest.raises(InputError):
            read(write(tmp_path, "a.txt", "O gato dorme na sala.\nEle ronca.\n"))

    @pytest.mark.parametrize(
        ("field", "given"), [("word_field", 3), ("tag_field", 3), ("tag_field", 0), ("word_field", -1)]
    )
    def test_fields_that_are_not_there(self, tmp_path, field, given):
        error = error_of(write(tmp_path, "a.conll", "# x\na\tO\n"), **{field: given})
        assert (error.what, error.line) == (f"there is no field {given}", 2)
        assert error.fix == ("--words 1" if field == "word_field" else "--tags 2")

    def test_fields_of_conllu_have_names(self, tmp_path):
        path = write(tmp_path, "a.conllu", CONLLU)
        assert read(path, word_field="lemma", tag_field="XPOS")[1] == read(path, word_field=3, tag_field=5)[1]
        error = error_of(path, tag_field="xpso")
        assert (error.what, error.fix) == ("CoNLL-U has no field 'xpso'", "did you mean xpos?")
        assert error.line == 4

    def test_fields_of_conll_have_none(self, tmp_path):
        error = error_of(write(tmp_path, "a.conll", "Ana N B-PER\n"), tag_field="ner")
        assert error.what == "the fields of a CoNLL file have no names: there is none called 'ner'"
        assert (error.expected, error.fix, error.line) == (
            "a number from 1 to 3, as many as this line has fields",
            "--tags 3",
            1,
        )

    def test_a_file_without_blank_lines_stops_at_a_limit(self, tmp_path, monkeypatch):
        monkeypatch.setattr(read_tagged, "_MAX_WORDS", 10)
        assert len(read(write(tmp_path, "a.conll", "a\tO\n" * 10))[0].words) == 10
        error = error_of(write(tmp_path, "a.conll", "\n" + "a\tO\n" * 11))
        assert (error.what, error.line) == ("a sentence of more than 10 words", 2)

    @pytest.mark.parametrize("text", ["", "\n\n", "# only\n# comments\n", "-DOCSTART- O\n\n"])
    def test_no_sentences(self, tmp_path, text):
        assert error_of(write(tmp_path, "a.conll", text)).what == "there are no rows in this file"

    def test_not_utf8_and_not_text(self, tmp_path):
        assert error_of(write(tmp_path, "a.conll", b"a\tO\n\ncaf\xe9\tO\n")).line == 3
        assert error_of(write(tmp_path, "a.conll", b"a\tO\n\0\tO\n")).what == "a binary file, not text"


class TestLists:
    ROWS = ({"words": ["Ana", "ri"], "tags": ["B-PER", "O"]}, {"words": ["Oi"], "tags": ["O"]})

    def test_jsonl_and_parquet(self, tmp_path):
        text = "".join(json.dumps(row) + "\n" for row in self.ROWS)
        table = pa.table({key: [row[key] for row in self.ROWS] for key in ("words", "tags")})
        parquet.write_table(table.append_column("other", [[1, 2]]), tmp_path / "a.parquet")
        for path in (write(tmp_path, "a.jsonl", text), tmp_path / "a.parquet"):
            assert read(path, LISTS) == [
                WordsRow(("Ana", "ri"), ("B-PER", "O"), path, 1),
                WordsRow(("Oi",), ("O",), path, 2),
            ]

    def test_whole_numbers_are_tags_as_they_are_labels(self, tmp_path):
        rows = [{"words": ["Ana", "ri"], "tags": [10, 0]}, {"words": ["Oi"], "tags": [0]}]
        parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
        text = "".join(json.dumps(row) + "\n" for row in rows)
        for path in (write(tmp_path, "a.jsonl", text), tmp_path / "a.parquet"):
            assert [row.tags for row in read(path, LISTS)] == [("10", "0"), ("0",)]

    def test_together_with_conll(self, tmp_path):
        write(tmp_path, "a.conll", "x\tO\n")
        write(tmp_path, "b.jsonl", json.dumps(self.ROWS[0]))
        assert [row.words for row in read(tmp_path, LISTS)] == [("x",), ("Ana", "ri")]

    @pytest.mark.parametrize(
        ("words", "tags", "kind"),
        [
            (["a", "b"], ["O"], "ragged tags"),
            ([], ["O"], "ragged tags"),
            ([], [], "empty text"),
            (["a", ""], ["O", "O"], "empty word"),
            (["a", " "], ["O", "O"], "empty word"),
            (["a", None], ["O", "O"], "empty word"),
            (["a"], [None], "no label"),
            (["a"], [""], "no label"),
            (["a"], [0.5], "wrong type"),
            (["a"], [["O"]], "wrong type"),
            ([1], ["O"], "wrong type"),
            ("a b", ["O", "O"], "wrong type"),
            (["a"], "O", "wrong type"),
            (None, ["O"], "wrong type"),
            (["a"], None, "wrong type"),
        ],
    )
    def test_bad_rows(self, tmp_path, words, tags, kind):
        row = {"words": words, "tags": tags}
        path = write(tmp_path, "a.jsonl", f"{json.dumps(self.ROWS[0])}\n{json.dumps(row)}\n")
        problems = Problems(skip_bad=True)
        assert [row.line for row in read(path, LISTS, problems)] == [1]
        assert problems.counts == {kind: 1}
        assert error_of(path, columns=LISTS).line == 2

    def test_columns_must_be_named_and_there(self, tmp_path):
        path = write(tmp_path, "a.jsonl", json.dumps(self.ROWS[0]))
        with pytest.raises(UsageError, match="no column is named for the words"):
            read(path)
        error = error_of(path, columns=Columns(words="words", tags="tag"))
        assert error.fix == "did you mean tags?"


class TestTags:
    @pytest.mark.parametrize(
        ("tags", "wrong"),
        [
            ("O B-X I-X O", 0),
            ("B-X B-X I-X", 0),
            ("I-X O", 1),
            ("B-X I-Y", 1),
            ("O I-X I-X", 1),
            ("B-X O I-X", 1),
            ("B-X I-X E-X S-Y O", 0),
            ("B-X L-X U-Y", 0),
            ("S-X B-X O", 1),
            ("S-X B-X", 1),
            ("E-X", 1),
            ("S-X I-X", 2),
            ("NOUN VERB X", 0),
            ("NOUN I-X", 1),  # what is odd does not hide what is out of order
            ("B- I-X O", 1),
            ("B-X I-X X-X", 0),
            ("B-a-b I-a-b", 0),
            ("O", 0),
        ],
    )
    def test_out_of_order(self, tags, wrong):
        assert len(misplaced(tags.split())) == wrong

    def test_they_are_counted_and_kept(self, tmp_path):
        problems = Problems()
        rows = read(write(tmp_path, "a.conll", "a\tI-X\nb\tO\n\nc\tB-X\nd\tI-X\n"), problems=problems)
        assert len(rows) == 2
        assert (problems.counts, problems.noted) == ({}, {"tags out of order": 1})
        assert (problems.examples[0].line, problems.examples[0].found) == (1, "1 of 2 tags")

    def test_their_line_is_that_of_the_word(self, tmp_path):
        for text, line in (("a\tB-X\nb\tO\nc\tI-X\n", 3), ("a\tS-X\nb\tB-X\n\nc\tO\n", 2)):
            problems = Problems()
            read(write(tmp_path, "a.conll", text), problems=problems)
            assert [problem.line for problem in problems.examples] == [line]


WORD = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=8
).filter(lambda word: word == word.strip() and not word.startswith(("#", "\ufeff", "-DOC")))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(st.lists(st.tuples(WORD, WORD), min_size=1, max_size=6), min_size=1, max_size=5),
    st.sampled_from(["conll", "jsonl", "parquet"]),
)
def test_round_trip(tmp_path, sentences, format_):
    path = tmp_path / f"a.{format_}"
    rows = [
        dict(zip(("words", "tags"), map(list, zip(*sentence, strict=True)), strict=True))
        for sentence in sentences
    ]
    if format_ == "conll":
        path.write_text("\n".join("".join(f"{w}\t{t}\n" for w, t in s) for s in sentences), encoding="utf-8")
    elif format_ == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        parquet.write_table(pa.table({key: [row[key] for row in rows] for key in rows[0]}), path)
    assert pairs(read(path, LISTS)) == sentences
