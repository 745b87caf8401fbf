"""Labelled texts and pairs: the same rows from every format, columns found by name, bad values named."""

import csv
import gzip
import io
import json
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from ambos.data.detect_columns import detect_columns
from ambos.data.read_rows import TABLES, read_pair_rows, read_text_rows
from ambos.data.rows import Columns, PairRow, Problems, TextRow, is_blank
from ambos.errors import InputError, UsageError
from ambos.text.records import column_names
from ambos.text.sources import find_sources
from ambos.text.stream import ReadOptions

ENDINGS = ["", ".gz", ".zst"]
CLASSIFY = Columns(text="text", label="label")
SCORE = Columns(text="text", score="score")
TEXTS = ['Aspas "duplas", vírgulas', "Coração\n— não\t😀", "'; DROP TABLE users; --", "só"]
ROWS = [
    {"text": text, "label": label} for text, label in zip(TEXTS, ["sim", "não", "não", "talvez"], strict=True)
]

SOME_TEXT = st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]), max_size=30).filter(
    lambda text: not is_blank(text)
)
SOME_LABELS = st.lists(st.text(st.characters(categories=["L", "Nd"]), min_size=1), unique=True, max_size=3)
SOME_SCORE = st.floats(allow_nan=False, allow_infinity=False)


def encode(rows: list[dict[str, Any]], format_: str, *, separator: str = "|") -> bytes:
    """Write rows in a format, by its own library; lists of labels become one field in CSV."""
    if format_ == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows).encode()
    if format_ == "parquet":
        buffer = io.BytesIO()
        parquet.write_table(pa.table({key: [row[key] for row in rows] for key in rows[0]}), buffer)
        return buffer.getvalue()
    out = io.StringIO(newline="")
    writer = csv.writer(out, csv.excel if format_ == "csv" else csv.excel_tab, quoting=csv.QUOTE_ALL)
    writer.writerow(rows[0])
    for row in rows:
        writer.writerow([separator.join(cell) if isinstance(cell, list) else cell for cell in row.values()])
    return out.getvalue().encode()


def compress(data: bytes, ending: str) -> bytes:
    if ending == ".gz":
        return gzip.compress(data, 1)
    return pa.Codec("zstd").compress(data, asbytes=True) if ending == ".zst" else data


def write(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def read(
    path: Path, columns: Columns = CLASSIFY, problems: Problems | None = None, **options
) -> list[TextRow]:
    return list(read_text_rows(find_sources([str(path)], formats=TABLES), columns, problems, **options))


def jsonl(folder: Path, *rows: dict[str, Any]) -> Path:
    return write(folder, "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))


class TestEveryFormat:
    @pytest.mark.parametrize("format_", TABLES)
    @pytest.mark.parametrize("ending", ENDINGS)
    def test_gives_the_same_rows(self, tmp_path, format_, ending):
        path = write(tmp_path, f"a.{format_}{ending}", compress(encode(ROWS, format_), ending))
        rows = read(path)
        assert [(row.text, row.labels, row.score) for row in rows] == [
            (row["text"], (row["label"],), None) for row in ROWS
        ]
        first = {"csv": [2, 3, 5, 6], "tsv": [2, 3, 5, 6]}
        assert [row.line for row in rows] == first.get(format_, [1, 2, 3, 4])
        assert {row.file for row in rows} == {path}

    @settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(
        st.lists(st.tuples(SOME_TEXT, SOME_LABELS, SOME_SCORE), min_size=1, max_size=8),
        st.sampled_from(TABLES),
    )
    def test_round_trip(self, tmp_path, rows, format_):
        records = [{"text": text, "label": labels, "score": score} for text, labels, score in rows]
        path = write(tmp_path, f"a.{format_}", encode(records, format_))
        columns = Columns(text="text", label="label", score="score")
        found = read(path, columns, several=True)
        assert [(row.text, list(row.labels), row.score) for row in found] == rows

    @settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(st.lists(st.tuples(SOME_TEXT, SOME_TEXT), min_size=1, max_size=8), st.sampled_from(TABLES))
    def test_round_trip_of_pairs(self, tmp_path, rows, format_):
        path = write(tmp_path, f"a.{format_}", encode([{"a": a, "b": b} for a, b in rows], format_))
        found = read_pair_rows(find_sources([str(path)], formats=TABLES), Columns(text_a="a", text_b="b"))
        assert [(row.text_a, row.text_b) for row in found] == rows

    @pytest.mark.parametrize("format_", TABLES)
    @pytest.mark.parametrize("skip_bad", [False, True])
    def test_a_missing_column_is_always_an_error(self, tmp_path, format_, skip_bad):
        path = write(tmp_path, f"a.{format_}", encode(ROWS, format_))
        with pytest.raises(InputError) as caught:
            read(path, Columns(text="text", label="lable"), Problems(skip_bad=skip_bad))
        assert (caught.value.what, caught.value.file) == ("there is no column 'lable'", str(path))
        assert caught.value.fix == "did you mean label?"
        with pytest.raises(InputError) as caught:
            read(path, Columns(text="zzz", label="label"))
        assert "--text COLUMN" in caught.value.fix

    @pytest.mark.parametrize("format_", TABLES)
    def test_names_of_columns(self, tmp_path, format_):
        source = find_sources([str(write(tmp_path, f"a.{format_}", encode(ROWS, format_)))])[0]
        assert column_names(source, ReadOptions()) == ["text", "label"]

    def test_rows_come_one_at_a_time(self, tmp_path):
        path = write(tmp_path, "a.csv", "text,label\n" + "um texto,x\n" * 300_000)
        told: list[int] = []
        rows = read_text_rows(find_sources([str(path)]), CLASSIFY, advance=told.append)
        assert next(rows) == TextRow("um texto", ("x",), None, path, 2)
        assert sum(told) < path.stat().st_size * 0.6

    def test_pairs(self, tmp_path):
        path = write(tmp_path, "a.tsv", "a\tb\ts\num\tdois\t4.5\n")
        columns = Columns(text_a="a", text_b="b", score="s")
        assert list(read_pair_rows(find_sources([str(path)]), columns)) == [
            PairRow("um", "dois", (), 4.5, path, 2)
        ]

    def test_a_column_that_is_not_named(self):
        with pytest.raises(UsageError, match="no column is named for the text_b"):
            read_pair_rows([], Columns(text_a="a"))


class TestLabels:
    @pytest.mark.parametrize(
        ("value", "label"),
        [
            ("sim", "sim"),
            (" sim\t", "sim"),
            ("None", "None"),
            (0, "0"),
            (-3, "-3"),
            (2.0, "2"),
            (True, "true"),
        ],
    )
    def test_one(self, tmp_path, value, label):
        assert read(jsonl(tmp_path, {"text": "a", "label": value}))[0].labels == (label,)

    @pytest.mark.parametrize(
        ("value", "kind"),
        [
            (None, "no label"),
            ("", "no label"),
            (" \n", "no label"),
            (math.nan, "no label"),
            (0.5, "wrong type"),
            (math.inf, "wrong type"),
            (["a"], "wrong type"),
            ({"a": 1}, "wrong type"),
        ],
    )
    def test_what_is_none(self, tmp_path, value, kind):
        path, problems = jsonl(tmp_path, {"text": "a", "label": value}, ROWS[0]), Problems(skip_bad=True)
        assert [row.line for row in read(path, problems=problems)] == [2]
        assert problems.counts == {kind: 1}
        with pytest.raises(InputError) as caught:
            read(path)
        assert (caught.value.line, kind in caught.value.found) == (1, True)

    def test_a_line_without_the_key(self, tmp_path):
        with pytest.raises(InputError, match="1 row cannot be used") as caught:
            read(jsonl(tmp_path, ROWS[0], {"text": "a"}, ROWS[1]))
        assert caught.value.found == f"{tmp_path}/a.jsonl, line 2: no label (nothing in label)"

    @pytest.mark.parametrize(
        ("value", "labels"),
        [
            (["b", "a"], ("b", "a")),
            ([], ()),
            ("", ()),
            ("b|a", ("b", "a")),
            (" b | a ", ("b", "a")),
            ("a", ("a",)),
            (7, ("7",)),
            ([1, "1", 2], ("1", "2")),
            (["a|b"], ("a|b",)),
        ],
    )
    def test_several(self, tmp_path, value, labels):
        assert read(jsonl(tmp_path, {"text": "a", "label": value}), several=True)[0].labels == labels

    def test_a_list_where_one_is_expected_names_the_option(self, tmp_path):
        with pytest.raises(InputError) as caught:
            read(jsonl(tmp_path, {"text": "a", "label": ["b", "c"]}))
        assert "(label is ['b', 'c'], not one label: any number of them is for a model that learns" in str(
            caught.value.found
        )

    @pytest.mark.parametrize("value", [None, ["a", None], ["a", ""], "a||b", [["a"]], {"a": 1}])
    def test_several_of_which_one_is_none(self, tmp_path, value):
        with pytest.raises(InputError, match="1 row cannot be used"):
            read(jsonl(tmp_path, {"text": "a", "label": value}), several=True)

    def test_another_separator(self, tmp_path):
        path = write(tmp_path, "a.csv", 'text,label\num,"a;b|c"\n')
        assert read(path, several=True, separator=";")[0].labels == ("a", "b|c")
        assert read(path)[0].labels == ("a;b|c",)

    def test_without_a_column_there_are_none(self, tmp_path):
        assert read(jsonl(tmp_path, {"text": "a"}), Columns(text="text"))[0].labels == ()


class TestScores:
    @pytest.mark.parametrize(("value", "said"), [("3,5", True), ("-1.000,5", False), ("3,5 m", False)])
    def test_a_decimal_comma_is_said(self, tmp_path, value, said):
        with pytest.raises(InputError) as caught:
            read(jsonl(tmp_path, {"text": "a", "score": value}), SCORE)
        assert ("decimals are written with a point" in str(caught.value.found)) == said

    @pytest.mark.parametrize(
        ("value", "score"),
        [(1, 1.0), (0.25, 0.25), ("3", 3.0), (" -1.5e2 ", -150.0), ("+.5", 0.5), ("4.", 4.0)],
    )
    def test_numbers(self, tmp_path, value, score):
        assert read(jsonl(tmp_path, {"text": "a", "score": value}), SCORE)[0].score == score

    @pytest.mark.parametrize(
        "value",
        [
            None,
            "",
            "alto",
            "nan",
            "inf",
            "1e999",
            "1_000",
            "3,5",
            "٣",
            True,
            [1],
            math.nan,
            -math.inf,
            10**900,
        ],
    )
    def test_what_is_none(self, tmp_path, value):
        problems = Problems(skip_bad=True)
        path = jsonl(tmp_path, {"text": "a", "score": value}, {"text": "b", "score": 1})
        assert [row.line for row in read(path, SCORE, problems)] == [2]
        assert problems.counts == {"no finite score": 1}

    def test_decimal_commas_of_spreadsheets(self, tmp_path):
        path = write(tmp_path, "a.csv", "text;score\num, dois;3,5\ntrês;4.25\n")
        assert [(row.text, row.score) for row in read(path, SCORE)] == [("um, dois", 3.5), ("três", 4.25)]


class TestTexts:
    @pytest.mark.parametrize(
        ("value", "kind"),
        [
            ("", "empty text"),
            (" \n\u3000", "empty text"),
            ("   \u200b\x00\ufeff ", "empty text"),
            (None, "empty text"),
            (1, "wrong type"),
            (["a"], "wrong type"),
        ],
    )
    def test_what_is_none(self, tmp_path, value, kind):
        problems = Problems(skip_bad=True)
        assert len(read(jsonl(tmp_path, {"text": value, "label": "x"}, *ROWS), problems=problems)) == len(
            ROWS
        )
        assert problems.counts == {kind: 1}

    def test_it_is_kept_as_it_is(self, tmp_path):
        text = "  a\r\n\u0000b \ud800"
        assert read(jsonl(tmp_path, {"text": text, "label": "x"}))[0].text == text

    def test_either_of_a_pair(self, tmp_path):
        path, problems = jsonl(tmp_path, {"a": "x", "b": ""}, {"a": "x", "b": "y"}), Problems(skip_bad=True)
        columns = Columns(text_a="a", text_b="b")
        assert [row.line for row in read_pair_rows(find_sources([str(path)]), columns, problems)] == [2]

    def test_a_whole_table_of_wrong_values_does_not_flood(self, tmp_path):
        path = jsonl(tmp_path, *[{"text": ["x" * 1000], "label": "x"}] * 1000)
        with pytest.raises(InputError, match="at least 20 rows") as caught:
            read(path)
        assert len(caught.value.found) < 1200

    def test_problems_of_several_files(self, tmp_path):
        write(tmp_path, "a.csv", "text,label\n,x\nb,y\n")
        write(tmp_path, "b.jsonl", '{"text": "c", "label": null}\n')
        with pytest.raises(InputError) as caught:
            read(tmp_path)
        assert [part.split(": ")[0] for part in caught.value.found.split("; ")] == [
            f"{tmp_path}/a.csv, line 2",
            f"{tmp_path}/b.jsonl, line 1",
        ]

    @pytest.mark.parametrize("skip_bad", [False, True])
    def test_a_broken_file_is_refused_in_any_case(self, tmp_path, skip_bad):
        """A quote that is never closed: where the next row begins is not known."""
        with pytest.raises(InputError) as caught:
            read(write(tmp_path, "a.csv", 'text,label\na,x\n"b,y\n'), problems=Problems(skip_bad=skip_bad))
        assert caught.value.line == 3

    def test_an_empty_file_among_others(self, tmp_path):
        jsonl(tmp_path, *ROWS)
        for name in ("b.jsonl", "c.csv"):
            write(tmp_path, name, "")
        assert len(read(tmp_path)) == len(ROWS)

    @pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv"])
    def test_an_empty_file_alone(self, tmp_path, name):
        with pytest.raises(InputError, match="there are no rows in this file"):
            read(write(tmp_path, name, ""))

    def test_decimals_of_parquet_are_scores(self, tmp_path):
        table = pa.table({"text": ["a", "b"], "score": [Decimal("4.5"), None]})
        parquet.write_table(table.slice(0, 1), tmp_path / "a.parquet")
        assert read(tmp_path / "a.parquet", SCORE)[0].score == 4.5
        parquet.write_table(table, tmp_path / "a.parquet")
        with pytest.raises(InputError, match="1 row cannot be used"):
            read(tmp_path / "a.parquet", SCORE)

    def test_invalid_utf8_in_parquet_beside_a_column_of_numbers(self, tmp_path):
        raw = pa.array([b"boa"] * 100 + [b"caf\xe9"], pa.binary())
        texts = pa.Array.from_buffers(pa.string(), len(raw), raw.buffers())
        parquet.write_table(pa.table({"text": texts, "label": range(101)}), tmp_path / "a.parquet")
        with pytest.raises(InputError, match="not valid UTF-8") as caught:
            read(tmp_path / "a.parquet")
        assert caught.value.line == 101


class TestDetection:
    @pytest.mark.parametrize(
        ("names", "task", "found"),
        [
            (["text", "label"], "classify", {"text": "text", "label": "label"}),
            (["label", "text"], "classify", {"text": "text", "label": "label"}),
            (["Unnamed: 0", "Review", "Sentiment"], "classify", {"text": "Review", "label": "Sentiment"}),
            (["id", "frase", "rótulo"], "classify", {"text": "frase", "label": "rótulo"}),
            (["ROTULO", "Texto"], "classify", {"text": "Texto", "label": "ROTULO"}),
            (["ro\u0301tulo", "texto"], "classify", {"text": "texto", "label": "ro\u0301tulo"}),
            (["sentence", "labels", "score"], "classify", {"text": "sentence", "label": "labels"}),
            (["text", "label", "label_text"], "classify", {"text": "text", "label": "label"}),
            (["text", "label", "score"], "score", {"text": "text", "score": "score"}),
            (["texto", "nota"], "score", {"text": "texto", "score": "nota"}),
            (["text", "label"], "score", {"text": "text", "score": "label"}),
            (
                ["text_a", "text_b", "label", "score", "variant"],
                "pair",
                {"text_a": "text_a", "text_b": "text_b", "label": "label"},
            ),
            (
                ["idx", "label", "sentence2", "sentence1"],
                "pair-score",
                {"text_a": "sentence1", "text_b": "sentence2", "score": "label"},
            ),
            (
                ["Sentence 1", "sentence_2", "Class"],
                "pair",
                {"text_a": "Sentence 1", "text_b": "sentence_2", "label": "Class"},
            ),
            (
                ["premissa", "hipótese", "etiqueta"],
                "pair",
                {"text_a": "premissa", "text_b": "hipótese", "label": "etiqueta"},
            ),
            (
                ["premise", "hypothesis", "gold_label"],
                "pair",
                {"text_a": "premise", "text_b": "hypothesis", "label": "gold_label"},
            ),
            (
                ["id", "question1", "question2", "is_duplicate"],
                "pair",
                {"text_a": "question1", "text_b": "question2", "label": "is_duplicate"},
            ),
            (["tokens", "ner_tags"], "tag", {"words": "tokens", "tags": "ner_tags"}),
            (["words", "upos", "labels"], "tag", {"words": "words", "tags": "upos"}),
            (["question", "context"], "answer", "no column is known to hold the answers"),
            (
                ["id", "title", "context", "question", "answers"],
                "answer",
                {
                    "question": "question",
                    "passage": "context",
                    "answers": "answers",
                    "id": "id",
                    "title": "title",
                },
            ),
            (
                ["pergunta", "contexto", "respostas"],
                "answer",
                {"question": "pergunta", "passage": "contexto", "answers": "respostas"},
            ),
            (["a", "b"], "classify", "no column is known to hold the text"),
            ([], "classify", "no column is known to hold the text"),
            (["text", "b"], "classify", "no column is known to hold the label"),
            (["text", "score"], "classify", "no column is known to hold the label"),
            (["text", "texto", "label"], "classify", "it is not clear what holds the text: text or texto"),
            (["text", "Text", "label"], "classify", "it is not clear what holds the text: text or Text"),
            (["text", "label", "class"], "classify", "it is not clear what holds the label: label or class"),
            (["sentence1", "text_b", "label"], "pair", "no column is known to hold the text_a and text_b"),
            (
                ["premise", "hypothesis", "text_a", "text_b", "label"],
                "pair",
                "it is not clear what holds the text_a and text_b: text_a+text_b or premise+hypothesis",
            ),
            (
                ["tokens", "pos_tags", "ner_tags"],
                "tag",
                "it is not clear what holds the tags: ner_tags or pos_tags",
            ),
            (
                ["id", "qid", "question", "context", "answers"],
                "answer",
                "it is not clear what holds the id: id or qid",
            ),
        ],
    )
    def test_by_name(self, names, task, found):
        if isinstance(found, dict):
            assert detect_columns(names, task) == Columns(**found)
            return
        with pytest.raises(InputError) as caught:
            detect_columns(names, task, file=Path("a.csv"))
        assert (caught.value.what, caught.value.file) == (found, "a.csv")
        assert caught.value.found == (", ".join(names) or "no columns")
        assert caught.value.fix.startswith("say which: --")

    def test_the_fix_names_options_and_columns(self):
        with pytest.raises(InputError) as caught:
            detect_columns(["premise", "hypothesis", "text_a", "text_b"], "pair")
        assert caught.value.fix == "say which: --text-a text_a --text-b text_b"

    def test_what_the_user_named_is_taken(self):
        given = Columns(text="corpo", label="class")
        assert detect_columns(["text", "corpo", "label", "class"], "classify", given) == given
        given = Columns(label="c")
        assert detect_columns(["text", "c", "label"], "classify", given) == Columns(text="text", label="c")

    def test_what_the_user_named_must_be_there(self):
        with pytest.raises(InputError, match="there is no column 'txt'") as caught:
            detect_columns(["text", "label"], "classify", Columns(text="txt"))
        assert caught.value.fix == "did you mean text?"

    def test_one_text_of_a_pair_is_not_enough(self):
        with pytest.raises(UsageError, match="only one of the two texts") as caught:
            detect_columns(["x", "y", "label"], "pair", Columns(text_b="y"))
        assert caught.value.fix == "--text-a COLUMN"

    @given(st.permutations(["id", "text", "label", "score", "sentence1", "sentence2"]))
    def test_order_does_not_matter(self, names):
        assert detect_columns(names, "classify") == Columns(text="text", label="label")
        assert detect_columns(names, "pair-score") == Columns(
            text_a="sentence1", text_b="sentence2", score="score"
        )


class TestSources:
    def test_labelled_formats_are_found_only_where_they_are_asked_for(self, tmp_path):
        for name in ("a.jsonl", "b.txt", "c.conll", "d.conllu.gz", "e.json", "f.py"):
            write(tmp_path, name, "x")
        names = [source.path.name for source in find_sources([str(tmp_path)])]
        assert names == ["a.jsonl", "b.txt"]
        sources = find_sources([str(tmp_path)], formats=("conll", "json"))
        assert [(source.path.name, source.format) for source in sources] == [
            ("c.conll", "conll"),
            ("d.conllu.gz", "conll"),
            ("e.json", "json"),
        ]
        assert len(find_sources([f"{tmp_path}/*"], formats=TABLES)) == 1

    def test_what_can_be_read_is_said(self, tmp_path):
        with pytest.raises(InputError) as caught:
            find_sources([str(write(tmp_path, "a.conll", "x"))])
        assert caught.value.expected == (
            "a .txt, .jsonl, .csv, .tsv or .parquet file, plain or with .gz or .zst after it"
        )
        with pytest.raises(InputError) as caught:
            find_sources([str(write(tmp_path, "a.txt", "x"))], formats=TABLES)
        assert caught.value.expected.startswith("a .jsonl, .csv, .tsv or .parquet file")


@pytest.mark.parametrize(("name", "mark"), [("a.csv", ","), ("a.tsv", "\t"), ("b.csv", ";")])
def test_ragged_rows_are_bad_rows(tmp_path, name, mark):
    lines = ["text,label", "um,x", "dois", "três,x,y", ",x", "quatro,y"]
    path = tmp_path / name
    path.write_text("\n".join(lines).replace(",", mark))
    sources, columns, problems = find_sources([str(path)]), Columns(text="text", label="label"), Problems()
    kept = Problems(skip_bad=True)
    assert [row.text for row in read_text_rows(sources, columns, kept)] == ["um", "quatro"]
    assert kept.counts == {"ragged row": 2, "empty text": 1}
    with pytest.raises(InputError) as caught:
        list(read_text_rows(sources, columns, problems))
    assert (caught.value.what, caught.value.line) == ("3 rows cannot be used", 3)
    assert f"{path}, line 3: ragged row (1 fields, not 2 fields, as in the header" in str(caught.value.found)
    assert repr(mark) in str(caught.value.found)


class TestBrokenLines:
    """Lines of JSON that are no object: left out and counted with `skip_bad`, else an error as ever."""

    BROKEN = ('{"text": "um", "label": ', "[1, 2]", "[" * 100_000)

    def write(self, folder: Path, *lines: str) -> list[Any]:
        good = [json.dumps(row) for row in ROWS]
        return find_sources([str(write(folder, "a.jsonl", "\n".join([good[0], *lines, *good[1:]])))])

    def test_left_out(self, tmp_path):
        sources, problems = self.write(tmp_path, *self.BROKEN), Problems(skip_bad=True)
        rows = list(read_text_rows(sources, CLASSIFY, problems))
        assert [(row.text, row.line) for row in rows] == list(zip(TEXTS, (1, 5, 6, 7), strict=True))
        assert problems.counts == {"not a JSON object": 3}
        assert [(one.file.name, one.line) for one in problems.examples] == [("a.jsonl", n) for n in (2, 3, 4)]
        assert "Expecting value (character" in problems.examples[0].found
        assert "list: [1, 2]" in problems.examples[1].found
        assert problems.examples[2].found == "too deep nesting"

    @pytest.mark.parametrize("line", BROKEN)
    def test_refused(self, tmp_path, line):
        sources = self.write(tmp_path, line)
        for read_them in (
            lambda: list(read_text_rows(sources, CLASSIFY, Problems())),
            lambda: column_names(sources[0], ReadOptions()),
        ):
            with pytest.raises(InputError, match="not a JSON object") as caught:
                read_them()
            assert (caught.value.file, caught.value.line) == (str(sources[0].path), 2)

    def test_beyond_the_lines_whose_keys_are_asked_for(self, tmp_path):
        lines = [*[json.dumps(ROWS[0])] * 150, "{", json.dumps(ROWS[1])]
        sources, problems = find_sources([str(write(tmp_path, "a.jsonl", "\n".join(lines)))]), Problems()
        with pytest.raises(InputError, match="not a JSON object") as caught:
            list(read_text_rows(sources, CLASSIFY, problems))
        assert caught.value.line == 151
        assert caught.value.fix.endswith("or leave such lines out, and count them, with --skip-bad")
        assert len(list(read_text_rows(sources, CLASSIFY, Problems(skip_bad=True)))) == 151

    def test_a_file_of_nothing_else(self, tmp_path):
        """Beside a good one its lines are counted; alone, all of its rows were left out."""
        good = write(tmp_path, "a.jsonl", json.dumps(ROWS[0]))
        bad, problems = write(tmp_path, "b.jsonl", "{\n}\n"), Problems(skip_bad=True)
        assert len(list(read_text_rows(find_sources([str(good), str(bad)]), CLASSIFY, problems))) == 1
        assert problems.counts == {"not a JSON object": 2}
        with pytest.raises(InputError, match="there are no rows in this file") as caught:
            list(read_text_rows(find_sources([str(bad)]), CLASSIFY, Problems(skip_bad=True)))
        assert caught.value.found.startswith(
            f"2 rows, all of them left out as bad: 2 for not a JSON object; {bad}, line 1: "
        )
