"""Rows are divided so that nothing leaks, and nothing is lost."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambos.data import divide_rows
from ambos.data.divide_rows import divide, keep_back
from ambos.data.rows import PairRow, QuestionRow, TextRow, WordsRow
from ambos.data.tally_rows import Tally
from ambos.errors import UsageError

HERE = Path("rows")


def text(words: str, label: str = "a") -> TextRow:
    return TextRow(words, (label,), None, HERE, 1)


@given(
    st.lists(st.tuples(st.integers(0, 30), st.sampled_from("abc")), min_size=40, max_size=120),
    st.integers(2, 7),
    st.integers(0, 5),
)
def test_the_same_text_is_in_one_fold_and_labels_are_spread(
    given: list[tuple[int, str]], folds: int, seed: int
) -> None:
    texts = dict(given)  # one label for each text
    rows = [text(f"text {number}", texts[number]) for number, _ in given]
    if len(texts) < folds:
        return
    found = divide(rows, folds, seed, by_label=True)
    assert found.tolist() == divide(rows, folds, seed, by_label=True).tolist()
    assert {
        len({fold for fold, row in zip(found, rows, strict=True) if row.text == one})
        for one in {row.text for row in rows}
    } == {1}
    largest = max(Counter(row.text for row in rows).values())
    for label in set(texts.values()):
        held = [
            sum(row.labels == (label,) for row, one in zip(rows, found, strict=True) if one == fold)
            for fold in range(folds)
        ]
        assert max(held) - min(held) <= largest


def test_single_texts_are_divided_evenly() -> None:
    rows = [text(f"text {number}", "yes" if number % 10 < 3 else "no") for number in range(103)]
    found = divide(rows, 5, seed=0, by_label=True)
    held = Counter(zip(found.tolist(), (row.labels[0] for row in rows), strict=True))
    assert {held[fold, "yes"] for fold in range(5)} <= {6, 7}
    assert {held[fold, "no"] for fold in range(5)} <= {14, 15}
    assert sorted(np.bincount(found)) == [20, 20, 21, 21, 21]
    assert found.tolist() != divide(rows, 5, seed=1, by_label=True).tolist()


def test_what_counts_as_the_same_text() -> None:
    """Pairs as pairs, sentences as words, questions by their passage; case and white space do not matter."""
    rows = [
        *(PairRow("a", str(number % 5), ("x",), None, HERE, number) for number in range(20)),
        *(WordsRow(("o", str(number % 5)), ("A", "B"), HERE, number) for number in range(20)),
        *(
            QuestionRow(f"q{number}", f"who {number}?", f"passage {number % 5}", (), HERE, 1)
            for number in range(20)
        ),
    ]
    for some in (rows[:20], rows[20:40], rows[40:]):
        found = divide(some, 4, seed=3)
        assert all(len(set(found[place::5].tolist())) == 1 for place in range(5))
        assert set(found.tolist()) == {0, 1, 2, 3}
    alike = divide([text("O gato"), text("o  GATO "), text("a lua"), text("um rio")], 2, seed=0)
    assert alike[0] == alike[1]


def test_further_texts_tell_rows_apart() -> None:
    rows = [PairRow("a", "b", ("x",), None, HERE, 1, more=(str(number % 4),)) for number in range(12)]
    found = divide(rows, 4, seed=0)
    assert sorted(found[:4].tolist()) == [0, 1, 2, 3]
    assert found[:4].tolist() == found[4:8].tolist() == found[8:].tolist()


def test_too_many_folds() -> None:
    with pytest.raises(UsageError, match="2 different texts cannot be divided into 3 folds") as caught:
        divide([text("a"), text("b"), text("a")], 3, seed=0)
    assert caught.value.fix == "--folds 2"


def test_a_tenth_is_kept_back_of_every_label() -> None:
    rows = [text(f"text {number}", "yes" if number % 10 < 3 else "no") for number in range(200)]
    kept = keep_back(rows)
    assert Counter(row.labels[0] for row, back in zip(rows, kept, strict=True) if back) == {
        "yes": 6,
        "no": 14,
    }
    assert kept.tolist() == keep_back(rows).tolist()


def test_texts_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which rows have the same text is asked once, for folds and for what is kept back."""
    rows = [text(f"text {number % 150}", "yes" if number % 10 < 3 else "no") for number in range(200)]
    counted = []
    monkeypatch.setattr(divide_rows, "Tally", lambda some: counted.append(len(some)) or Tally(some))
    assert keep_back(rows).any()
    divide(rows, 10, seed=0, by_label=True)
    assert counted == [200, 200]


@given(st.lists(st.tuples(st.integers(0, 12), st.sampled_from("abcde")), min_size=2, max_size=60))
def test_neither_texts_nor_labels_are_on_the_kept_side_alone(given: list[tuple[int, str]]) -> None:
    rows = [text(f"text {number}", label) for number, label in given]
    kept = keep_back(rows)
    sides = [[row for row, back in zip(rows, kept, strict=True) if back == side] for side in (False, True)]
    assert not {row.text for row in sides[0]} & {row.text for row in sides[1]}
    assert {row.labels for row in rows} == {row.labels for row in sides[0]}


def test_questions_on_one_passage_stay_together() -> None:
    rows = [QuestionRow(str(n), f"who {n}?", f"passage {n // 10}", (), HERE, n) for n in range(200)]
    kept = keep_back(rows)
    assert kept.sum() == 20
    assert set(np.bincount(np.arange(200) // 10, kept)) == {0, 10}


def test_a_tag_that_occurs_once_is_learnt() -> None:
    rows = [WordsRow((str(number),), ("O",), HERE, number) for number in range(20)]
    for place in range(20):
        rare = [*rows[:place], WordsRow(("Ana",), ("B-PER",), HERE, 99), *rows[place:]]
        kept = keep_back(rare)
        assert not kept[place]
        assert kept.any()


class TestLargeGroups:
    """A text that many rows have is not what weights are chosen by."""

    @staticmethod
    def kept(rows: Sequence[Any]) -> tuple[int, Counter[Any]]:
        """How many rows are kept back, and how often each text (passage of a question) is."""
        kept = keep_back(rows)
        assert kept.tolist() == keep_back(rows).tolist()
        held = [row for row, back in zip(rows, kept, strict=True) if back]
        return len(held), Counter(row.passage if isinstance(row, QuestionRow) else row.text for row in held)

    def test_scores(self) -> None:
        same = [TextRow("ok", (), 3.0, HERE, number) for number in range(120)]
        others = [TextRow(f"text {number}", (), number / 9, HERE, number) for number in range(880)]
        count, texts = self.kept([*others[:400], *same, *others[400:]])
        assert count == len(texts) == 100
        assert "ok" not in texts

    @pytest.mark.parametrize("others", [("yes",), ("yes", "no"), ("no",)])
    def test_labels(self, others: tuple[str, ...]) -> None:
        """Where the text is the only one with its label, too: that is learnt from."""
        rest = [text(f"text {number}", others[number % len(others)]) for number in range(850)]
        count, texts = self.kept([*[text("ok", "yes")] * 150, *rest])
        assert count == len(texts) == 100
        assert "ok" not in texts

    def test_several_labels(self) -> None:
        rest = [
            TextRow(f"text {number}", ("a", "b", "c")[: number % 4], None, HERE, 1) for number in range(850)
        ]
        count, texts = self.kept([*[TextRow("ok", ("a", "b"), None, HERE, 1)] * 150, *rest])
        assert count == len(texts) == 100
        assert "ok" not in texts

    def test_questions(self) -> None:
        """As many passages as a tenth of the questions allows."""
        sizes = (300, 200, 150, 100, 80, 60, 40, 30, 25, 20)
        rows = [
            QuestionRow(f"{passage}-{n}", f"who {passage} {n}?", f"passage {passage}", (), HERE, n)
            for passage, size in enumerate(sizes)
            for n in range(size)
        ]
        count, passages = self.kept(rows)
        assert len(passages) >= 3
        assert 0.05 * len(rows) < count <= 0.1 * len(rows)

    def test_words(self) -> None:
        same = [WordsRow(("ok",), ("O",), HERE, number) for number in range(120)]
        others = [WordsRow(("um", str(number)), ("O", "NUM"), HERE, number) for number in range(880)]
        kept = keep_back([*same, *others])
        assert kept.sum() == 100
        assert not kept[:120].any()

    @pytest.mark.parametrize(("same", "wanted"), [(500, 100), (900, 33), (990, 3)])
    def test_rare_texts_are_learnt_from(self, same: int, wanted: int) -> None:
        """Where one text is most of all rows, a tenth of them would be all others."""
        count, texts = self.kept([*[text("ok")] * same, *(text(f"text {n}") for n in range(1000 - same))])
        assert count == len(texts) == wanted
        assert "ok" not in texts

    def test_texts_of_all_sizes_are_kept(self) -> None:
        """Large and small ones alike, where none is much of the tenth."""
        rows = [text(f"text {number}") for number in range(500)]
        rows += [text(f"often {number}") for number in range(50) for _ in range(10)]
        count, texts = self.kept(rows)
        assert 80 <= count <= 100
        assert sorted(texts.values()) == [*[1] * 50, *[10] * 5]

    def test_every_text_is_large(self) -> None:
        """The smallest one is kept back, unless it alone has a label."""
        rows = [text(f"text {group}", "yes") for group, size in enumerate((50, 30, 20)) for _ in range(size)]
        assert self.kept(rows) == (20, Counter({"text 2": 20}))
        rows = [*rows[:-20], *[text("text 2", "no")] * 20]
        assert self.kept(rows) == (30, Counter({"text 1": 30}))


def test_too_few_texts() -> None:
    assert keep_back([text("a"), text("A ")]).tolist() == [False, False]
    assert keep_back([text("a"), text("b")]).sum() == 1
    assert keep_back([]).tolist() == []
