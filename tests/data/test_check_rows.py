"""What the doctor says: planted faults are found, clean rows pass, figures agree with counting by hand."""

import dataclasses
import json
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambos.data.check_rows import Examination, Finding, examine
from ambos.data.label_set import LabelSet
from ambos.data.read_rows import read_text_rows
from ambos.data.read_tagged import TAGGED, read_tagged_rows
from ambos.data.rows import Columns, PairRow, Problems, QuestionRow, TextRow, WordsRow
from ambos.data.tally_rows import Tally, fold
from ambos.data.windows import Ledger
from ambos.tasks.classify import Classify
from ambos.tasks.task import Reading
from ambos.text.sources import find_sources
from ambos.text.tokenizer import Tokenizer

FILE = Path("train.csv")
DEV = Path("dev.csv")


def rows(*items: tuple[str, str], file: Path = FILE) -> list[TextRow]:
    return [
        TextRow(text, (label,) if label else (), None, file, line)
        for line, (text, label) in enumerate(items, 2)
    ]


def many(labels: str, file: Path = FILE) -> list[TextRow]:
    """Rows of different texts, one for each letter of `labels`."""
    return rows(*((f"{file.stem} {number}", label) for number, label in enumerate(labels)), file=file)


def about(examination: Examination, words: str) -> Finding:
    """Return the only finding that has these words."""
    (found,) = [finding for finding in examination.findings if words in finding.what]
    assert found.fix
    return found


class TestFold:
    @pytest.mark.parametrize(
        ("a", "b"),
        [
            ("São Paulo", "sa\u0303o  PAULO\n"),
            ("STRASSE", "straße"),
            ("ΌΣΟΣ", "όσος"),
            ("ᾴ", "α\u0345\u0301"),
            ("a\u00a0b", "A b"),
            ("", " \t"),
        ],
    )
    def test_the_same(self, a, b):
        assert fold(a) == fold(b)

    @pytest.mark.parametrize(("a", "b"), [("avo", "avô"), ("a b", "ab"), ("a.", "a"), ("①", "1")])
    def test_not_the_same(self, a, b):
        assert fold(a) != fold(b)

    @given(st.text())
    def test_composition_and_white_space_never_matter(self, text):
        folded = fold(text)
        assert fold(folded) == folded
        assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text)) == folded
        assert fold(f" {text}\n") == folded


class TestLabels:
    def test_counts_and_shares(self):
        examination = examine(many("a" * 30 + "b" * 10), {"dev": many("ab", DEV)})
        train = examination.splits["train"]
        assert {label: (share.count, share.share) for label, share in train.labels.items()} == {
            "a": (30, 0.75),
            "b": (10, 0.25),
        }
        assert examination.splits["dev"].rows == 2
        assert examination.findings == []

    def test_several_labels_are_shares_of_rows(self):
        row = TextRow("a", ("x", "y"), None, FILE, 1)
        labels = examine([row, dataclasses.replace(row, text="b", labels=("x",))]).splits["train"].labels
        assert (labels["x"].share, labels["y"].share) == (1.0, 0.5)

    def test_one_class(self):
        assert about(examine(many("aaa")), "only one class: a").severity == "error"
        assert not any(
            "one class" in finding.what for finding in examine(rows(("a", "x"), ("b", ""))).findings
        )

    def test_uneven_and_rare(self):
        found = examine(many("a" * 200 + "b" * 20 + "c" * 3))
        assert about(found, "uneven").what == "labels are uneven: 200 examples of a and 3 of c in train"
        rare = about(found, "fewer than 10")
        assert (rare.severity, rare.examples) == ("warning", [("train.csv", 222)])

    def test_a_column_of_something_else(self):
        many_labels = rows(*((f"t{number}", f"l{number}") for number in range(100)))
        assert about(examine(many_labels), "100 different labels for 100 rows").severity == "warning"

    def test_labels_that_train_does_not_have(self):
        found = examine(many("ab" * 10), {"dev": many("abcac", DEV)})
        assert found.splits["dev"].unseen == {"c": 2}
        finding = about(found, "1 label of dev not in train: c")
        assert (finding.severity, finding.examples) == ("error", [("dev.csv", 4)])

    def test_tags_are_shares_of_words_and_o_is_not_weighed(self):
        words = [
            WordsRow(tuple(f"w{n} {k}" for k in range(1000)), ("O",) * 990 + ("B-X",) * 10, FILE, n)
            for n in range(3)
        ]
        found = examine(words)
        assert found.splits["train"].labels["O"].share == 0.99
        assert found.findings == []

    def test_labels_that_may_be_missing_values(self):
        train = rows(
            *((f"t{n}", label) for n, label in enumerate(["a", "NaN", "b", "n/a", "NaN", "none of it"]))
        )
        finding = about(examine(train), "may be missing")
        assert finding.what == (
            "3 of 6 rows of train (50.0 %) have labels that may be missing values: NaN, n/a"
        )
        assert (finding.severity, finding.examples) == ("warning", [("train.csv", 3), ("train.csv", 5)])
        words = [WordsRow(("w", "v"), ("none", "a"), FILE, 1)]
        assert not [one for one in examine(words).findings if "missing" in one.what]

    def test_tags_that_are_none_of_bio_beside_others_that_are(self):
        tags = ("B-PER", "I-PER", "O", "X-PER", "B-", "B-LOC")
        row = WordsRow(tuple("abcdef"), tags, FILE, 4, lines=range(4, 10))
        finding = about(examine([row]), "not in BIO")
        assert finding.what == "2 tags of train not in BIO or BIOES, as the others are: X-PER, B-"
        assert (finding.severity, finding.examples) == ("warning", [("train.csv", 7), ("train.csv", 8)])
        nouns = [WordsRow(("a", "b", "c"), ("NOUN", "VERB", "E-mail"), FILE, 1)]
        assert not [one for one in examine(nouns).findings if "BIO" in one.what]

    def test_a_label_is_looked_for_at_its_word(self):
        dev = [WordsRow(("a", "b"), ("O", "B-LOC"), DEV, 1, lines=range(1, 3))]
        found = examine([WordsRow(("a", "b"), ("O", "B-PER"), FILE, 1)], {"dev": dev})
        assert about(found, "not in train: B-LOC").examples == [("dev.csv", 2)]

    def test_scores(self):
        scored = [TextRow(f"t{score}", (), score, FILE, 1) for score in (1.0, 2.0, 6.0)]
        figures = examine(scored).splits["train"]
        assert dataclasses.astuple(figures.scores) == (1.0, 3.0, 6.0)
        assert figures.labels == {}


class TestTexts:
    def test_the_same_text_in_train_and_elsewhere(self):
        dev = rows(("NOVO", "a"), ("sa\u0303o  paulo", "a"), file=DEV)
        found = examine(
            rows(("São Paulo", "a"), ("Rio", "b")), {"dev": dev, "test": many("ab", Path("test.csv"))}
        )
        assert (found.splits["dev"].in_train, found.splits["test"].in_train) == (1, 0)
        finding = about(found, "in train, too")
        assert finding.what == "1 of 2 rows of dev (50.0 %) have a text that is in train, too"
        assert (finding.severity, finding.examples) == ("error", [("dev.csv", 3)])

    def test_the_same_text_in_dev_and_test(self):
        dev, test = rows(("Um", "a"), ("Dois", "b")), rows(("Três", "a"), ("  DOIS", "b"), file=DEV)
        found = examine(many("ab"), {"dev": dev, "test": test})
        assert [figures.in_train for figures in found.splits.values()] == [0, 0, 0]
        finding = about(found, "in dev, too")
        assert finding.what == "1 of 2 rows of test (50.0 %) have a text that is in dev, too"
        assert (finding.severity, finding.examples) == ("error", [("dev.csv", 3)])
        assert finding.fix.startswith("take them out of dev, whose rows select the weights")

    def test_a_few_of_many_are_a_warning(self):
        dev = [*many("ab" * 100, DEV), *rows(("train 0", "a"), file=DEV)]
        assert about(examine(many("ab" * 100), {"dev": dev}), "in train").severity == "warning"

    def test_pairs_are_the_same_if_both_texts_are(self):
        def pair(a, b, file=FILE, line=1):
            return PairRow(a, b, ("x",), None, file, line)

        train = [pair("a", "b"), pair("a b", "c")]
        found = examine(train, {"dev": [pair("A", "B"), pair("a", "c"), pair("a", "b c"), pair("b", "a")]})
        assert found.splits["dev"].in_train == 1

    def test_further_texts_count(self):
        def three(c, label="x", file=FILE, line=1):
            return PairRow("a", "b", (label,), None, file, line, more=(c,))

        found = examine([three("c"), three("d", "y")], {"dev": [three("C"), three("e")]})
        assert found.splits["train"].duplicates == 0
        assert found.splits["dev"].in_train == 1
        assert found.conflicts == 0
        assert examine([three(" ")]).splits["train"].empty == 1

    def test_questions_share_passages_and_repeat_with_the_question(self):
        def ask(question, passage, *answers):
            return QuestionRow(question, question, passage, answers, FILE, 1)

        train = [ask("q1", "p1", ("p", 0)), ask("q2", "p1"), ask("Q1", "P1", ("p", 0))]
        found = examine(train, {"dev": [ask("q9", "p1"), ask("q1", "p2")]})
        assert found.splits["train"].duplicates == 1
        assert found.splits["dev"].in_train == 1
        assert found.conflicts == 0
        assert "passage" in about(found, "in train").what
        assert found.splits["train"].labels["answerable"].count == 2
        assert not any("class" in finding.what or "label" in finding.what for finding in found.findings)

    def test_questions_of_one_line_are_told_by_their_ids(self):
        def ask(name, file, question="Quem?"):
            return QuestionRow(name, question, "Ana.", (), file, 1)

        found = examine(
            [ask("q1", FILE)], {"dev": [ask("q2", DEV), ask("q3", DEV, "Onde?"), ask("dev.csv:1", DEV)]}
        )
        finding = about(found, "in train")
        assert (finding.examples, finding.ids) == ([("dev.csv", 1)], ["q2", "q3"])

    def test_repeated_texts(self):
        found = examine(rows(("a", "x"), ("b", "y"), ("A ", "x"), ("c", "y"), ("a", "x")))
        assert found.splits["train"].duplicates == 2
        finding = about(found, "repeat")
        assert (finding.severity, finding.examples) == ("note", [("train.csv", 4), ("train.csv", 6)])
        assert found.conflicts == 0

    def test_conflicting_labels_within_and_across_splits(self):
        train = rows(("c", "x"), ("a", "x"), ("b", "y"), ("A", "y"), ("d", "x"), ("d", "x"))
        found = examine(train, {"none": [], "dev": rows(("new", "x"), ("C", "y"), file=DEV)})
        assert found.conflicts == 2
        finding = about(found, "2 texts in more than one row, and not labelled alike")
        assert finding.severity == "warning"
        assert finding.examples == [("train.csv", 2), ("dev.csv", 3), ("train.csv", 3), ("train.csv", 5)]

    def test_the_order_of_several_labels_is_no_conflict(self):
        row = TextRow("a", ("x", "y"), None, FILE, 1)
        assert examine([row, dataclasses.replace(row, labels=("y", "x"))]).conflicts == 0
        assert examine([row, dataclasses.replace(row, score=1.0)]).conflicts == 1

    def test_empty_texts_and_empty_splits(self):
        found = examine(rows(("a", "x"), (" \u200b", "y")), {"dev": []})
        assert found.splits["train"].empty == 1
        assert about(found, "empty text").examples == [("train.csv", 3)]
        assert about(found, "dev has no rows").severity == "error"

    def test_no_rows_at_all(self):
        assert about(examine([]), "train has no rows").severity == "error"

    @settings(max_examples=50, deadline=None)
    @given(
        st.lists(st.tuples(st.sampled_from("aAbBc "), st.sampled_from("xy")), max_size=12),
        st.lists(st.tuples(st.sampled_from("aAbBcD"), st.sampled_from("xy")), max_size=12),
    )
    def test_as_counted_by_hand(self, train, dev):
        found = examine(rows(*train), {"dev": rows(*dev, file=DEV)})
        texts = [fold(text) for text, _ in train]
        assert found.splits["train"].duplicates == len(texts) - len(set(texts))
        assert found.splits["dev"].in_train == sum(fold(text) in texts for text, _ in dev)
        labels: dict[str, set[str]] = {}
        for text, label in train + dev:
            labels.setdefault(fold(text), set()).add(label)
        assert found.conflicts == sum(len(some) > 1 for some in labels.values())


class TestTokens:
    @pytest.fixture
    def wordpiece(self, tokenizer_folder) -> Tokenizer:
        return Tokenizer.load(tokenizer_folder("wordpiece"))

    def test_lengths_fertility_and_what_would_be_cut(self, wordpiece, sample):
        columns = Columns(text="text", label="label")
        given_rows = list(read_text_rows(find_sources([str(sample / "sentiment/dev.jsonl")]), columns))
        figures = examine(given_rows, tokenizer=wordpiece, limit=12).splits["train"].tokens
        encoded = [wordpiece.encode(row.text) for row in given_rows]
        lengths = np.array([len(one) for one in encoded])
        words = sum(len(row.text.split()) for row in given_rows)
        assert figures.tokens == lengths.sum()
        assert (figures.p50, figures.longest) == (sorted(lengths)[(len(lengths) - 1) // 2], lengths.max())
        assert figures.p50 <= figures.p90 <= figures.p99 <= figures.longest
        assert figures.fertility == pytest.approx((lengths.sum() - 2 * len(lengths)) / words)
        unknown = sum(one.ids.count(wordpiece.special_id("unk")) for one in encoded)
        assert figures.unknown == pytest.approx(unknown / (lengths.sum() - 2 * len(lengths)))
        assert figures.cut_rows == (lengths > 12).sum()
        assert figures.cut_tokens == np.maximum(lengths - 12, 0).sum()
        assert (
            "longer than 12 tokens"
            in about(examine(given_rows, tokenizer=wordpiece, limit=12), "longer").what
        )

    def test_pairs_have_their_own_special_tokens(self, wordpiece):
        pair = PairRow("o gato", "dorme \ud800", ("x",), None, FILE, 1)
        figures = examine([pair], tokenizer=wordpiece).splits["train"].tokens
        encoded = wordpiece.encode("o gato", "dorme \ud800")
        assert (figures.tokens, figures.longest) == (len(encoded), len(encoded))
        assert figures.fertility == pytest.approx((len(encoded) - 3) / 4)
        assert (figures.cut_rows, figures.cut_tokens) == (0, 0)

    @pytest.mark.parametrize("further", [("que",), ("que com", "uma")])
    def test_further_texts_are_counted_as_they_are_read(self, tokenizer, further):
        row = PairRow("o gato", "dorme", ("x",), None, FILE, 1, more=further)
        alone = dataclasses.replace(row, more=())
        figures = examine([row, alone, row], tokenizer=tokenizer).splits["train"].tokens
        lengths = [
            Classify(LabelSet(("x",))).encode([one], Reading(tokenizer, 64), Ledger(), labelled=False).lengths
            for one in (row, alone)
        ]
        assert figures.tokens == 2 * int(lengths[0][0]) + int(lengths[1][0])
        assert figures.longest == int(lengths[0][0])
        words = [text for one in (row, alone, row) for text in ("o gato", "dorme", *one.more)]
        bare = sum(one.sides.count(0) for one in map(tokenizer.encode, words))
        assert figures.fertility == pytest.approx(bare / sum(len(text.split()) for text in words))

    def test_another_alphabet(self, wordpiece):
        found = examine(rows(("漢字 漢字", "a"), ("кошка", "b")), tokenizer=wordpiece)
        assert about(found, "unknown to the tokenizer").severity == "warning"
        found = examine(rows(("qxzqxzwkqxz", "a"), ("zzkqwx", "b")), tokenizer=wordpiece)
        assert about(found, "tokens of a word").severity == "note"

    def test_many_rows_are_encoded_a_million_characters_at_a_time(self, wordpiece, monkeypatch):
        given_rows = many("ab" * 100)
        whole = examine(given_rows, tokenizer=wordpiece).splits["train"].tokens
        monkeypatch.setattr("ambos.data.tally_rows._AT_ONCE", 50)
        assert examine(given_rows, tokenizer=wordpiece).splits["train"].tokens == whole

    def test_without_rows_or_tokenizer(self, wordpiece):
        assert examine([], tokenizer=wordpiece).splits["train"].tokens is None
        assert examine(many("ab")).splits["train"].tokens is None


class TestWhole:
    def test_what_readers_left_out_is_reported(self, tmp_path):
        (tmp_path / "a.csv").write_text("text,label\n" + "a,x\nb,y\n,x\nc,\nd,\n")
        problems = Problems(skip_bad=True)
        sources = find_sources([str(tmp_path)])
        found = examine(
            read_text_rows(sources, Columns(text="text", label="label"), problems), problems=problems
        )
        assert found.left_out == {"empty text": 1, "no label": 2}
        finding = about(found, "2 rows cannot be used: no label")
        assert (finding.severity, finding.examples) == (
            "error",
            [(f"{tmp_path}/a.csv", 5), (f"{tmp_path}/a.csv", 6)],
        )

    def test_tags_out_of_order_are_a_note(self, tmp_path):
        (tmp_path / "a.conll").write_text("a\tI-X\n\nb\tO\n")
        problems = Problems()
        sources = find_sources([str(tmp_path)], formats=TAGGED)
        found = examine(read_tagged_rows(sources, problems=problems), problems=problems)
        assert about(found, "1 sentence with tags out of order").severity == "note"

    def test_it_is_json_and_the_gravest_comes_first(self, tokenizer_folder):
        tokenizer = Tokenizer.load(tokenizer_folder("wordpiece"))
        train = [*many("a" * 40 + "b"), *rows(("train 0", "b"), ("train 1", "a"))]
        found = examine(train, {"dev": rows(("train 0", "c"), file=DEV)}, tokenizer=tokenizer, limit=4)
        assert json.loads(json.dumps(dataclasses.asdict(found), allow_nan=False)) == json.loads(
            json.dumps(dataclasses.asdict(found))
        )
        order = [("error", "warning", "note").index(finding.severity) for finding in found.findings]
        assert order == sorted(order)
        assert set(order) == {0, 1, 2}

    def test_rows_stream_and_texts_are_not_kept(self):
        import tracemalloc  # noqa: PLC0415

        def stream():
            for number in range(20_000):
                yield TextRow(f"{number} " + "palavra " * 100, ("ab"[number % 2],), None, FILE, number)

        tracemalloc.start()
        tally = Tally(stream())
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert len(tally) == 20_000
        assert held < 20_000 * 60  # bytes; a text alone has 800
