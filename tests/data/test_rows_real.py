"""The real labelled sets are read whole: as many rows as their README says, and no problem with any."""

from pathlib import Path

import pytest

from ambos.data.check_rows import examine
from ambos.data.detect_columns import Task, detect_columns
from ambos.data.label_set import LabelSet
from ambos.data.read_questions import QUESTIONS, read_question_rows
from ambos.data.read_rows import TABLES, read_pair_rows, read_text_rows
from ambos.data.read_tagged import TAGGED, read_tagged_rows
from ambos.data.rows import Problems
from ambos.text.records import column_names
from ambos.text.sources import find_sources
from ambos.text.stream import ReadOptions

SPLITS = ("train", "dev", "test")


def tables(folder: Path, task: Task, split: str):
    sources = find_sources([str(folder / f"{split}.jsonl")], formats=TABLES)
    columns = detect_columns(column_names(sources[0], ReadOptions()), task)
    return (read_pair_rows if task.startswith("pair") else read_text_rows)(sources, columns)


@pytest.mark.parametrize(
    ("name", "task", "counts", "labels"),
    [
        ("ag_news", "classify", (4_498, 500, 7_600), ("Business", "Sci/Tech", "Sports", "World")),
        ("sst2", "classify", (66_977, 872, 1_821), ("negative", "positive")),
        ("mrpc", "pair", (3_668, 408, 1_725), ("not_paraphrase", "paraphrase")),
        ("assin", "pair", (4_998, 1_000, 4_000), ("Entailment", "None", "Paraphrase")),
    ],
)
def test_labelled_texts_and_pairs(data, name, task, counts, labels):
    splits = {split: list(tables(data / name, task, split)) for split in SPLITS}
    assert tuple(map(len, splits.values())) == counts
    assert LabelSet.from_rows(splits["train"]).names == labels
    for rows in splits.values():
        assert [row.line for row in rows] == list(range(1, len(rows) + 1))


def test_scored_pairs(data):
    splits = {split: list(tables(data / "stsb_en", "pair-score", split)) for split in SPLITS}
    assert tuple(map(len, splits.values())) == (5_692, 1_500, 1_379)
    assert all(0 <= row.score <= 5 for rows in splits.values() for row in rows)
    assert examine(splits["train"], {"test": splits["test"]}).splits["test"].in_train == 0


@pytest.mark.parametrize(
    ("name", "counts", "words", "labels"),
    [
        ("ud_pt_bosque", (7_015, 1_172, 1_167), (171_761, 28_447, 27_604), 17),
        ("lener_br", (7_156, 1_176, 1_389), (226_722, 41_166, 47_630), 13),
        ("uner_pt", (7_013, 1_172, 1_167), (171_755, 28_447, 27_604), 7),
    ],
)
def test_tagged_sentences(data, name, counts, words, labels):
    problems = Problems()
    splits = {}
    for split in SPLITS:
        sources = find_sources([str(data / name / f"{split}.conll")], formats=TAGGED)
        splits[split] = list(read_tagged_rows(sources, problems=problems))
    assert tuple(map(len, splits.values())) == counts
    assert tuple(sum(len(row.words) for row in rows) for rows in splits.values()) == words
    label_set = LabelSet.from_rows(splits["train"])
    assert label_set.names[0] == ("ADJ" if name == "ud_pt_bosque" else "O")
    assert len(label_set) == labels


def test_questions(data):
    splits = {}
    for split in SPLITS:
        sources = find_sources([str(data / "squad" / f"{split}.json")], formats=QUESTIONS)
        splits[split] = list(read_question_rows(sources))
    assert tuple(map(len, splits.values())) == (10_896, 981, 10_570)
    found = examine(splits["train"], {"dev": splits["dev"], "test": splits["test"]})
    assert [figures.in_train for figures in found.splits.values()] == [0, 0, 0]
    assert not [finding for finding in found.findings if finding.severity == "error"]


def test_an_examination_of_real_texts(data):
    splits = {split: tables(data / "ag_news", "classify", split) for split in SPLITS}
    found = examine(splits.pop("train"), splits)
    assert [figures.in_train for figures in found.splits.values()] == [0, 0, 0]  # as the README promises
    assert set(found.splits["test"].labels) == {"Business", "Sci/Tech", "Sports", "World"}
    assert not [finding for finding in found.findings if finding.severity == "error"]
