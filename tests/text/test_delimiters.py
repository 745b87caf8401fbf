"""What parts the fields of tables, and whether quotes are a part of them."""

import csv
import json

import pytest

from ambos.text.delimiters import has_quotes, separator
from ambos.text.records import read_records
from ambos.text.sources import find_sources
from ambos.text.stream import ReadOptions


def source(folder, name, content):
    path = folder / name
    path.write_text(content, encoding="utf-8", newline="")
    return find_sources([str(path)])[0]


def records(found):
    return [record for _, record in read_records(found, ReadOptions(), None, {})]


@pytest.mark.parametrize(
    ("name", "header", "mark"),
    [
        ("a.csv", "text,label", ","),
        ("a.csv", "text;label", ";"),
        ("a.csv", "text\tlabel", "\t"),
        ("a.csv", "text|label", "|"),
        ("a.csv", "text", ","),
        ("a.csv", '"a|b|c",label', ","),
        ("a.csv", "a;b,c", ","),
        ("a.tsv", "a,b,c", "\t"),
    ],
)
def test_the_header_tells_what_parts_fields(tmp_path, name, header, mark):
    assert separator(source(tmp_path, name, f"{header}\n"), ReadOptions()) == mark


@pytest.mark.parametrize(
    "rows",
    [
        '"Go," he said\tpos\nNo\tneg\n',
        '"He said so\tpos\nShe said no"\tneg\n',  # not one row of two lines
        '"Go," he said\tpos\n\nShe said "no"\tneg\n"whole"\tneg',
    ],
)
def test_tsv_without_quotes_around_fields(tmp_path, rows):
    found = source(tmp_path, "a.tsv", f"text\tlabel\n{rows}")
    assert not has_quotes(found, ReadOptions())
    expected = [
        dict(zip(("text", "label"), line.split("\t"), strict=True)) for line in rows.split("\n") if line
    ]
    assert records(found) == expected


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", 'text\tlabel\n"two\nlines"\tpos\n'),
        ("a.tsv", 'label\ttext\npos\t"two\nlines"\n'),
        ("a.tsv", 'text\tlabel\n"a\ttab"\tpos\n"He said ""no"""\tneg\n'),
        ("a.tsv", '"text"\t"label"\n"two\n\tlines"\t"pos"\n'),
        ("a.tsv", 'text\n"two\nlines"\n'),
        ("a.tsv", "text\tlabel\nplain\tpos\n"),
        ("a.tsv", ""),
        ("a.csv", 'text,label\n"two\nlines",pos\n'),
    ],
)
def test_quoted_fields(tmp_path, name, content):
    found = source(tmp_path, name, content)
    assert has_quotes(found, ReadOptions())
    mark = "\t" if name.endswith("tsv") else ","
    assert records(found) == list(csv.DictReader(content.splitlines(keepends=True), delimiter=mark))


def test_paraphrases_as_glue_writes_them(tmp_path, data):
    lines = (data / "mrpc/train.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    table = ["\t".join(rows[0]), *("\t".join(row.values()) for row in rows)]
    assert records(source(tmp_path, "a.tsv", "\n".join(table) + "\n")) == rows
