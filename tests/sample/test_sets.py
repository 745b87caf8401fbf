# ruff: noqa: SIM905 - word lists read best as running text
"""The labelled sets: sizes, balance, disjointness, exact offsets, and nothing given away."""

import re
from collections import Counter
from itertools import combinations

import pytest

from tests.sample.baseline import accuracy, words

SPLITS = ("train", "dev", "test")
BINS = ((0, 0), (1, 3), (4, 6), (7, 10), (11, 15), (16, 99))
UPOS = set("NOUN VERB AUX ADJ ADV DET ADP PRON PROPN NUM PUNCT CCONJ SCONJ".split())
SIZES = {
    "sentiment": (4000, 500, 500),
    "topic": (4000, 500, 500),
    "paraphrase": (4000, 500, 500),
    "entailment": (4500, 600, 600),
    "senses": (2000, 300, 300),
    "agreement": (4000, 600, 1200),
    "ner": (3000, 400, 400),
    "pos": (3000, 400, 400),
    "questions": (2500, 300, 300),
}


def identities(sample, name, split):
    if name in ("ner", "pos"):
        return [" ".join(word for word, _ in sentence) for sentence in sample.sentences(name, split)]
    if name == "questions":
        return [paragraph["context"] for paragraph in sample.paragraphs(split)]
    return [row.get("text") or (row["text_a"], row["text_b"]) for row in sample.rows(name, split)]


@pytest.mark.parametrize("name", SIZES)
def test_sizes(sample, name):
    rows = {
        file.path.split("/")[0] + "/" + file.path.split("/")[1].split(".")[0]: file.rows
        for file in sample.summary.files
        if "/" in file.path
    }
    for split, size in zip(SPLITS, SIZES[name], strict=True):
        assert rows[f"{name}/{split}"] == pytest.approx(size, rel=0.03)


@pytest.mark.parametrize("name", SIZES)
def test_splits_are_disjoint_and_without_repetition(sample, name):
    texts = {split: identities(sample, name, split) for split in SPLITS}
    for split in SPLITS:
        assert len(set(texts[split])) == len(texts[split])
    for first, second in combinations(SPLITS, 2):
        assert not set(texts[first]) & set(texts[second])


@pytest.mark.parametrize("name", ["sentiment", "topic", "paraphrase", "entailment"])
def test_labels_and_languages_are_balanced(sample, name):
    for split in SPLITS:
        rows = sample.rows(name, split)
        for counts in (Counter(row["label"] for row in rows), Counter(row["language"] for row in rows)):
            assert max(counts.values()) - min(counts.values()) <= 0.02 * len(rows) + 2


def test_no_sentiment_word_decides(sample):
    def pairs(split):
        return [(words(row["text"]), row["label"]) for row in sample.rows("sentiment", split)]

    assert accuracy(pairs("train"), pairs("test")) < 0.75


def test_topics_can_be_told(sample):
    def pairs(split):
        return [(words(row["text"]), row["label"]) for row in sample.rows("topic", split)]

    assert accuracy(pairs("train"), pairs("test")) > 0.7


@pytest.mark.parametrize(("name", "ceiling"), [("paraphrase", 0.60), ("entailment", 0.45)])
def test_second_text_alone_does_not_tell_the_label(sample, name, ceiling):
    def pairs(split):
        return [(words(row["text_b"]), row["label"]) for row in sample.rows(name, split)]

    assert accuracy(pairs("train"), pairs("test")) < ceiling


def test_overlap_alone_does_not_tell_a_paraphrase(sample):
    def pairs(split):
        rows = sample.rows("paraphrase", split)
        return [({f"overlap {overlap(row)}"}, row["label"]) for row in rows]

    def overlap(row):
        a, b = words(row["text_a"]), words(row["text_b"])
        return round(10 * len(a & b) / len(a | b))

    assert accuracy(pairs("train"), pairs("test")) < 0.70


def test_bio_is_valid_and_surfaces_are_ambiguous(sample):
    kinds = {}
    for split in SPLITS:
        for sentence in sample.sentences("ner", split):
            before = "O"
            for word, tag in sentence:
                assert re.fullmatch(r"O|[BI]-(PER|ORG|LOC)", tag)
                assert not tag.startswith("I-") or before[2:] == tag[2:]
                if tag != "O":
                    kinds.setdefault(word, set()).add(tag[2:])
                before = tag
    for surface in ("Santos", "Washington", "Toledo", "Lincoln"):
        assert len(kinds[surface]) >= 2, surface


def test_ner_test_has_new_names(sample):
    def names(split):
        return {word for sentence in sample.sentences("ner", split) for word, tag in sentence if tag != "O"}

    new = names("test") - names("train")
    assert len(new) > 20


def test_pos_tags_and_ambiguity(sample):
    tags = {}
    for split in SPLITS:
        for sentence in sample.sentences("pos", split):
            for word, tag in sentence:
                assert tag in UPOS
                tags.setdefault(word.lower(), set()).add(tag)
    for word in ("canto", "casa", "jogo", "run", "light", "play", "answer"):
        assert {"NOUN", "VERB"} <= tags[word], word
    for contraction in ("da", "na", "no", "num"):
        assert tags[contraction] == {"ADP"}


def test_answers_are_where_they_say(sample):
    for split in SPLITS:
        identifiers = []
        for paragraph in sample.paragraphs(split):
            for question in paragraph["qas"]:
                identifiers.append(question["id"])
                assert question["question"].endswith("?")
                assert question["is_impossible"] == (not question["answers"])
                for answer in question["answers"]:
                    start = answer["answer_start"]
                    assert answer["text"]
                    assert paragraph["context"][start : start + len(answer["text"])] == answer["text"]
        assert len(set(identifiers)) == len(identifiers)


def test_some_questions_have_no_answer(sample):
    for split in SPLITS:
        questions = [question for paragraph in sample.paragraphs(split) for question in paragraph["qas"]]
        assert 0.05 < sum(question["is_impossible"] for question in questions) / len(questions) < 0.15


def test_sense_offsets(sample):
    for split in SPLITS:
        rows = sample.rows("senses", split)
        for row in rows:
            marked = row["text"][row["start"] : row["end"]]
            assert marked.lower() in (row["word"], row["word"] + "s")
            assert row["sense"].startswith(row["word"] + ".")
        counts = Counter(row["sense"] for row in rows)
        assert len(counts) == 9
        assert max(counts.values()) < 1.4 * min(counts.values())


def test_agreement_offsets_and_distance(sample):
    for split in SPLITS:
        for row in sample.rows("agreement", split):
            text = row["text"]
            assert text[row["verb_start"] : row["verb_end"]] == row["right"] != row["wrong"]
            between = re.findall(r"[\w-]+", text[row["subject_end"] : row["verb_start"]])
            assert len(between) == row["distance"], text
            assert row["attractors"] <= row["distance"]


def test_agreement_number_shows_on_the_subject(sample):
    for row in sample.rows("agreement", "test"):
        subject = row["text"][row["subject_start"] : row["subject_end"]]
        assert subject.endswith("s") == (row["number"] == "plural"), row["text"]


def test_agreement_is_balanced_at_every_distance(sample):
    for split, size in zip(SPLITS, SIZES["agreement"], strict=True):
        rows = sample.rows("agreement", split)
        for low, high in BINS:
            here = [row for row in rows if low <= row["distance"] <= high]
            assert len(here) == pytest.approx(size / len(BINS), abs=3)
            plural = sum(row["number"] == "plural" for row in here)
            assert abs(plural - len(here) / 2) <= 2


def test_agreement_holds_out_subject_and_verb(sample):
    def combinations_of(split):
        return {
            (row["language"], row["text"][row["subject_start"] : row["subject_end"]], row["right"])
            for row in sample.rows("agreement", split)
        }

    assert not combinations_of("train") & combinations_of("test")
