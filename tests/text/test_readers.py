"""Documents from every format: the same documents whatever the layout, streamed, with exact line numbers."""

import csv
import gzip
import io
import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from ambos.errors import InputError, OutputError
from ambos.text import records
from ambos.text.readers import read_documents
from ambos.text.sources import find_sources
from ambos.text.stream import Limits, ReadOptions
from ambos.text.unpack import MEBIBYTE

FORMATS = ["txt", "jsonl", "csv", "tsv", "parquet"]
ENDINGS = ["", ".gz", ".zst"]
TEXTS = [
    "O gato dorme.\nEle ronca.",
    'Aspas "duplas", vírgulas, e\tum tabulador.',
    "Coração — não 😀 漢字",
    "'; DROP TABLE users; --",
    "uma linha só",
]


def encode(texts: Sequence[str], format_: str) -> bytes:
    """Write documents in a format, by its own library."""
    if format_ == "txt":
        return "\n\n".join(texts).encode()
    if format_ == "jsonl":
        return "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()
    if format_ == "parquet":
        buffer = io.BytesIO()
        parquet.write_table(pa.table({"text": pa.array(texts, pa.string())}), buffer)
        return buffer.getvalue()
    table = io.StringIO(newline="")
    dialect = csv.excel if format_ == "csv" else csv.excel_tab
    csv.writer(table, dialect, quoting=csv.QUOTE_ALL).writerows([["n", "text"], *enumerate(texts)])
    return table.getvalue().encode()


def compress(data: bytes, ending: str) -> bytes:
    if ending == ".gz":
        return gzip.compress(data, 1)
    return pa.Codec("zstd").compress(data, asbytes=True) if ending == ".zst" else data


def write(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)
    return path


def read(path: Path, **options) -> list[str]:
    return [document.text for document in read_documents(find_sources([str(path)]), ReadOptions(**options))]


def error_of(path: Path, **options) -> InputError:
    with pytest.raises(InputError) as caught:
        read(path, **options)
    assert caught.value.file == str(path)
    assert caught.value.expected
    assert caught.value.fix
    return caught.value


class TestEveryFormat:
    @pytest.mark.parametrize("format_", FORMATS)
    @pytest.mark.parametrize("ending", ENDINGS)
    def test_gives_the_same_documents(self, tmp_path, format_, ending):
        path = write(tmp_path, f"a.{format_}{ending}", compress(encode(TEXTS, format_), ending))
        assert read(path) == TEXTS

    @pytest.mark.parametrize("format_", ["txt", "jsonl", "csv", "tsv"])
    @pytest.mark.parametrize("ending", ENDINGS)
    def test_a_mark_and_crlf_change_nothing(self, tmp_path, format_, ending):
        clean = encode(TEXTS, format_).replace(b"\r\n", b"\n")
        dirty = b"\xef\xbb\xbf" + clean.replace(b"\n", b"\r\n")
        path = write(tmp_path, f"a.{format_}{ending}", compress(dirty, ending))
        assert read(path) == TEXTS

    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(st.lists(st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]))), st.data())
    def test_round_trip_of_any_documents(self, tmp_path, texts, data):
        texts = [*texts, "a word"]
        format_ = data.draw(st.sampled_from(["jsonl", "csv", "tsv", "parquet"]))
        assert read(write(tmp_path, f"a.{format_}", encode(texts, format_))) == texts

    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(
        st.lists(
            st.lists(
                # \ufeff at the very start would be a mark, which is dropped
                st.text(st.characters(exclude_characters="\r\n\0\ufeff", exclude_categories=["Cs"])).filter(
                    lambda paragraph: paragraph and not paragraph.isspace()
                ),
                min_size=1,
            ),
            min_size=1,
        ),
        st.sampled_from(["\n", "\n\n\n", "\n \t\n"]),
    )
    def test_round_trip_of_plain_text(self, tmp_path, documents, blank):
        texts = ["\n".join(paragraphs) for paragraphs in documents]
        assert read(write(tmp_path, "a.txt", f"\n{blank}".join(texts))) == texts

    @pytest.mark.parametrize("format_", FORMATS)
    @pytest.mark.parametrize("ending", ["", ".gz"])
    def test_a_reader_that_is_not_read_to_the_end_has_not_read_the_file(self, tmp_path, format_, ending):
        if format_ == "parquet" and ending:
            pytest.skip("a packed Parquet file has to be unpacked first: it is read from its end")
        texts = [f"{number} documento número {number * 7919}" for number in range(200_000)]
        path = write(tmp_path, f"a.{format_}{ending}", compress(encode(texts, format_), ending))
        told: list[int] = []
        documents = read_documents(find_sources([str(path)]), advance=told.append)
        assert next(documents).text == texts[0]
        assert sum(told) < path.stat().st_size * 0.6
        documents.close()

    @pytest.mark.parametrize("format_", FORMATS)
    @pytest.mark.parametrize("ending", ENDINGS)
    def test_all_bytes_on_disk_are_told(self, tmp_path, format_, ending):
        path = write(tmp_path, f"a.{format_}{ending}", compress(encode(TEXTS * 1000, format_), ending))
        told: list[int] = []
        for _ in read_documents(find_sources([str(path)]), advance=told.append):
            pass
        assert sum(told) == path.stat().st_size

    @pytest.mark.parametrize("format_", ["jsonl", "csv", "tsv", "parquet"])
    def test_missing_column(self, tmp_path, format_):
        error = error_of(write(tmp_path, f"a.{format_}", encode(TEXTS, format_)), text_column="txet")
        assert (error.what, error.line) == ("there is no column 'txet'", 1)
        assert error.found == ("n, text" if format_ in ("csv", "tsv") else "text")
        assert error.fix == "did you mean text?"

    @pytest.mark.parametrize("format_", ["jsonl", "csv", "tsv", "parquet"])
    def test_missing_language_column(self, tmp_path, format_):
        error = error_of(write(tmp_path, f"a.{format_}", encode(TEXTS, format_)), language_column="idioma")
        assert error.what == "there is no column 'idioma'"
        assert "--language-column" in error.fix

    @pytest.mark.parametrize("format_", FORMATS)
    def test_a_document_over_the_limit(self, tmp_path, format_):
        long = "palavra " * (MEBIBYTE // 8)
        path = write(tmp_path, f"a.{format_}", encode(["curto", long], format_))
        assert read(path, limits=Limits(document_mb=1)) == ["curto", long]
        path = write(tmp_path, f"a.{format_}", encode(["curto", long + "x"], format_))
        error = error_of(path, limits=Limits(document_mb=1))
        assert "MiB" in (error.what if format_ not in ("csv", "tsv") else error.found)
        assert error.line == {"txt": 3, "jsonl": 2, "csv": 3, "tsv": 3, "parquet": 2}[format_]

    @pytest.mark.parametrize("format_", FORMATS)
    def test_no_text(self, tmp_path, format_):
        path = write(tmp_path, f"a.{format_}", encode(["", " \n\t "], format_))
        assert error_of(path).what == "there is no text in this file"

    def test_some_files_may_be_empty_but_not_all(self, tmp_path):
        for name in ("a.txt", "b.jsonl", "c.csv"):
            write(tmp_path, name, "")
        with pytest.raises(InputError, match="no text in these files"):
            list(read_documents(find_sources([str(tmp_path)])))
        write(tmp_path, "d.txt", "texto")
        assert read(tmp_path) == ["texto"]

    def test_nothing_to_read_is_no_error_of_a_file(self):
        assert list(read_documents([])) == []


class TestPlainText:
    def test_blank_lines_part_documents_and_lines_are_numbered(self, tmp_path):
        path = write(tmp_path, "a.txt", "\n \num\ndois\n\t\n\n\ntrês\n\u3000\nquatro")
        documents = list(read_documents(find_sources([str(path)])))
        assert [(d.text, d.line, d.file) for d in documents] == [
            ("um\ndois", 3, path),
            ("três", 8, path),
            ("quatro", 10, path),
        ]

    def test_every_line_a_document(self, tmp_path):
        path = write(tmp_path, "a.txt", "um\n\n dois \r\ntrês")
        documents = list(read_documents(find_sources([str(path)]), ReadOptions(document="line")))
        assert [(d.text, d.line) for d in documents] == [("um", 1), (" dois ", 3), ("três", 4)]

    def test_long_document_says_how_to_read_lines(self, tmp_path):
        path = write(tmp_path, "a.txt", "curto\n\n" + ("x" * 1000 + "\n") * 1100)
        error = error_of(path, limits=Limits(document_mb=1))
        assert (error.what, error.line) == ("a document of more than 1 MiB", 3)
        assert "--document line" in error.fix
        assert len(read(path, limits=Limits(document_mb=1), document="line")) == 1101

    def test_a_document_of_very_many_lines(self, tmp_path):
        text = "\n".join(str(number) for number in range(20_000))
        path = write(tmp_path, "a.txt", f"{text}\n\nfim")
        assert read(path) == [text, "fim"]

    def test_line_ends_count_for_the_limit(self, tmp_path):
        path = write(tmp_path, "a.txt", "a\n" * (MEBIBYTE // 2))
        assert len(read(path, limits=Limits(document_mb=1))[0]) == MEBIBYTE - 1
        path = write(tmp_path, "a.txt", "a\n" * (MEBIBYTE // 2 + 1))
        assert error_of(path, limits=Limits(document_mb=1)).line == 1

    def test_languages_of_files(self, tmp_path):
        write(tmp_path, "a.pt.txt", "um")
        write(tmp_path, "b.txt", "two")
        documents = read_documents(find_sources([str(tmp_path / "a.pt.txt"), f"en={tmp_path}/b.txt"]))
        assert [d.language for d in documents] == ["pt", "en"]


class TestJsonLines:
    def test_lines_are_numbered_and_blank_ones_skipped(self, tmp_path):
        path = write(tmp_path, "a.jsonl", '{"text": "um"}\n\n  \n{"text": "dois", "extra": [1, {}]}')
        assert [(d.text, d.line) for d in read_documents(find_sources([str(path)]))] == [
            ("um", 1),
            ("dois", 4),
        ]

    def test_null_is_an_empty_document(self, tmp_path):
        assert read(write(tmp_path, "a.jsonl", '{"text": null}\n{"text": "a"}')) == ["", "a"]

    @pytest.mark.parametrize(
        ("line", "found"),
        [
            ('{"text": "aberto', "Unterminated string starting at (character 10)"),
            ("{'text': 'a'}", "Expecting property name"),
            ('{"text": "a"} {"text": "b"}', "Extra data (character 15)"),
            ('{"text": "a",}', "property name"),
            ("texto", "Expecting value (character 1)"),
            ('[{"text": "a"}]', "list: "),
            ('"text"', "str: "),
            ("null", "NoneType"),
            ("12", "int"),
            ('{"text": ' + "[" * 200_000 + "]" * 200_000 + "}", "too deep nesting"),
            ("[" * 200_000, "too deep nesting"),
        ],
    )
    def test_broken_lines(self, tmp_path, line, found):
        error = error_of(write(tmp_path, "a.jsonl", '{"text": "boa"}\n' * 4 + line + '\n{"text": "boa"}\n'))
        assert (error.what, error.line) == ("not a JSON object", 5)
        assert found in error.found
        assert len(error.found) < 150
        assert "jq -c" in error.fix

    @pytest.mark.parametrize(
        ("value", "found"),
        [
            ("1", "int: 1"),
            ("9" * 6000, "float: inf"),
            ('["a"]', "list: ['a']"),
            ("{}", "dict: {}"),
            ("true", "bool: True"),
            (json.dumps(["x" * 500]), "list: ['" + "x" * 38),
        ],
    )
    def test_text_that_is_not_a_string(self, tmp_path, value, found):
        error = error_of(write(tmp_path, "a.jsonl", f'{{"text": "boa"}}\n{{"text": {value}}}'))
        assert (error.what, error.line, error.found) == ("the value of 'text' is not text", 2, found)

    def test_missing_key_in_a_later_line(self, tmp_path):
        error = error_of(write(tmp_path, "a.jsonl", '{"text": "a"}\n{"txt": "b", "id": 1}'))
        assert (error.what, error.line, error.found) == ("there is no column 'text'", 2, "txt, id")

    def test_odd_but_valid_values_elsewhere_are_no_concern(self, tmp_path):
        numbers = f'"n": {"9" * 6000}, "m": -{"1" * 5000}, "x": NaN, "y": 1e999'
        line = f'{{"text": "a", {numbers}, "z": {{"k": []}}}}'
        assert read(write(tmp_path, "a.jsonl", line)) == ["a"]

    def test_lone_surrogates_and_nul_in_strings_are_accepted(self, tmp_path):
        path = write(tmp_path, "a.jsonl", r'{"text": "a \ud800 b \udfff"}' + "\n" + r'{"text": "a\u0000b"}')
        assert read(path) == ["a \ud800 b \udfff", "a\0b"]

    def test_languages(self, tmp_path):
        rows = [
            {"language": "PT"},
            {"lang": "en"},
            {"language": None},
            {"language": ""},
            {"idioma": "fr"},
            {},
        ]
        path = write(tmp_path, "a.jsonl", "".join(json.dumps({"text": "a", **row}) + "\n" for row in rows))
        documents = read_documents(find_sources([str(path)], language="de"))
        assert [d.language for d in documents] == ["pt", "en", "de", "de", "de", "de"]

    def test_a_column_of_something_else_is_not_taken_for_languages(self, tmp_path):
        rows = "".join(json.dumps({"text": "a", "id": f"row {n}"}) + "\n" for n in range(2000))
        error = error_of(write(tmp_path, "a.jsonl", rows), language_column="id")
        assert (error.what, error.line, error.found) == (
            "more than 1,000 different languages",
            1001,
            "row 1000",
        )
        assert "--language-column" in error.fix

    def test_language_column(self, tmp_path):
        path = write(tmp_path, "a.jsonl", '{"text": "a", "idioma": "PT", "language": "en"}')
        documents = read_documents(find_sources([str(path)]), ReadOptions(language_column="idioma"))
        assert [d.language for d in documents] == ["pt"]


class TestTables:
    def test_rows_are_numbered_by_their_first_line(self, tmp_path):
        path = write(tmp_path, "a.csv", 'id,text\n1,um\n2,"dois\ne\nmeio"\n\n3,três\n')
        documents = read_documents(find_sources([str(path)]))
        assert [(d.text, d.line) for d in documents] == [("um", 2), ("dois\ne\nmeio", 3), ("três", 7)]

    @pytest.mark.parametrize(("name", "separator"), [("a.csv", ","), ("a.tsv", "\t")])
    @pytest.mark.parametrize("fields", [1, 3])
    def test_ragged_rows(self, tmp_path, name, separator, fields):
        rows = [["id", "text"], ["1", "um"], ["2", '"dois\nlinhas"'], ["x"] * fields, ["3", "fim"]]
        error = error_of(write(tmp_path, name, "\n".join(separator.join(row) for row in rows)))
        assert (error.what, error.line) == (f"a ragged {name[2:].upper()} row", 5)
        assert (error.expected, error.found) == ("2 fields, as in the header", f"{fields} fields")

    @pytest.mark.parametrize(("name", "separator"), [("a.csv", ","), ("a.tsv", "\t")])
    def test_unclosed_quote_names_the_row_where_it_opens(self, tmp_path, name, separator):
        quoted = f'1{separator}"um\ndois"\n2{separator}"aberto\n'  # in TSV, too, since a text has two lines
        text = f"id{separator}text\n{quoted}" + f"3{separator}três\n" * 50
        error = error_of(write(tmp_path, name, text))
        assert (error.what, error.line) == (f"malformed {name[2:].upper()}", 4)
        assert "ends inside a quoted field" in error.found

    def test_unclosed_quote_in_a_large_file_stops_at_the_limit(self, tmp_path):
        path = write(tmp_path, "a.csv", 'text\num\n"aberto\n' + "linha\n" * 200_000)
        error = error_of(path, limits=Limits(document_mb=1))
        assert (error.what, error.line) == ("malformed CSV", 3)
        assert "was a quote never closed?" in error.found
        assert "--max-document-mb" in error.fix

    def test_text_after_a_closing_quote(self, tmp_path):
        error = error_of(write(tmp_path, "a.csv", 'text,n\num,1\n"a" b,2\n'))
        assert (error.what, error.line) == ("malformed CSV", 3)

    def test_line_ends_of_an_old_mac(self, tmp_path):
        error = error_of(write(tmp_path, "a.csv", "text,n\rum,1\rdois,2\r"))
        assert "carriage return" in error.found
        assert "tr '\\r' '\\n'" in error.fix

    def test_very_many_columns_are_not_all_named(self, tmp_path):
        names = [f"c{number}" for number in range(20_000)]
        error = error_of(write(tmp_path, "a.csv", ",".join(names) + "\n"))
        assert error.found == ", ".join(names[:12]) + ", and 19,988 more"
        header = ",".join([*names, "text"])
        assert read(write(tmp_path, "a.csv", f"{header}\n" + "," * 20_000 + "a\n")) == ["a"]

    @pytest.mark.parametrize("column", ["text", "lang"])
    def test_a_column_that_is_there_twice(self, tmp_path, column):
        path = write(tmp_path, "a.csv", f"text,lang,{column}\na,pt,x\n")
        error = error_of(path, language_column="lang")
        assert error.what == f"there are 2 columns {column!r}"

    def test_the_limit_of_a_field_has_no_limit_of_its_own(self, tmp_path):
        path = write(tmp_path, "a.csv", "text\na\n")
        assert read(path, limits=Limits(document_mb=10**15)) == ["a"]

    def test_only_a_header(self, tmp_path):
        assert error_of(write(tmp_path, "a.csv", "text\n")).what == "there is no text in this file"


class TestParquet:
    def table(self, folder: Path, **columns) -> Path:
        path = folder / "a.parquet"
        parquet.write_table(pa.table(columns), path)
        return path

    def test_rows_are_numbered_and_languages_found(self, tmp_path):
        path = self.table(tmp_path, text=["um", None, "três"], lang=["PT", "en", None], other=[1, 2, 3])
        documents = read_documents(find_sources([str(path)]))
        assert [(d.text, d.language, d.line) for d in documents] == [
            ("um", "pt", 1),
            ("", "en", 2),
            ("três", "und", 3),
        ]

    @pytest.mark.parametrize("kind", [pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
    def test_other_kinds_of_strings(self, tmp_path, kind):
        assert read(self.table(tmp_path, text=pa.array(["um", "um", "dois"]).cast(kind))) == [
            "um",
            "um",
            "dois",
        ]

    def test_a_column_with_a_dot_in_its_name(self, tmp_path):
        assert read(self.table(tmp_path, **{"a.b": ["um"], "a": ["x"]}), text_column="a.b") == ["um"]

    def test_columns_of_other_types(self, tmp_path):
        error = error_of(self.table(tmp_path, text=[1, 2]))
        assert (error.what, error.found, error.line) == ("the value of 'text' is not text", "int: 1", 1)

    def test_invalid_utf8(self, tmp_path):
        raw = pa.array([b"boa"] * 2000 + [b"caf\xe9 ruim"] + [b"boa"] * 2000, pa.binary())
        texts = pa.Array.from_buffers(pa.string(), len(raw), raw.buffers())
        error = error_of(self.table(tmp_path, text=texts))
        assert (error.what, error.line, error.found) == ("not valid UTF-8", 2001, "byte 0xE9")

    @pytest.mark.parametrize("ending", ENDINGS)
    @pytest.mark.parametrize("cut", [0, 3, 100, 0.5, 0.99])
    def test_truncated(self, tmp_path, ending, cut):
        whole = encode(TEXTS * 100, "parquet")
        data = whole[: int(cut * len(whole) if isinstance(cut, float) else cut)]
        error = error_of(write(tmp_path, f"a.parquet{ending}", compress(data, ending)))
        assert error.what == "not a readable Parquet file"
        assert "\n" not in error.found

    def test_text_under_the_name_of_parquet(self, tmp_path):
        error = error_of(write(tmp_path, "a.parquet", "um texto qualquer\n" * 100))
        assert error.what == "not a readable Parquet file"

    def test_damaged_pages(self, tmp_path):
        whole = bytearray(encode([str(number) * 50 for number in range(5000)], "parquet"))
        whole[50:2000] = bytes(1950)
        assert error_of(write(tmp_path, "a.parquet", bytes(whole))).what == "not a readable Parquet file"

    def test_vanished(self, tmp_path):
        sources = find_sources([str(self.table(tmp_path, text=["a"]))])
        sources[0].path.unlink()
        with pytest.raises(InputError, match="cannot read this"):
            list(read_documents(sources))

    def test_no_room_to_unpack(self, tmp_path, monkeypatch):
        path = write(tmp_path, "a.parquet.gz", gzip.compress(encode(TEXTS, "parquet")))
        monkeypatch.setattr(records.tempfile, "tempdir", str(tmp_path / "not there"))
        with pytest.raises(OutputError, match="cannot write here") as caught:
            read(path)
        assert "TMPDIR" in caught.value.fix


class TestLanguage:
    def test_what_says_it_first(self, tmp_path):
        path = write(tmp_path, "a.pt.jsonl", b'{"text": "a", "lang": "en"}\n{"text": "b"}\n')

        def languages(text, language=None):
            return [document.language for document in read_documents(find_sources([text], language=language))]

        assert languages(f"fr={path}") == ["fr", "fr"]
        assert languages(str(path)) == ["en", "pt"]
        assert languages(str(path), "es") == ["en", "es"]


def test_semicolons_where_the_comma_is_for_decimals(tmp_path):
    path = write(tmp_path, "a.csv", 'id;text;price\n1;"um; dois, três";3,50\n'.encode())
    assert read(path) == ["um; dois, três"]
