"""Rows are encoded a few at a time: the same examples come of it, and little more is held than is kept."""

import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ambos.data.examples import Examples
from ambos.data.label_set import LabelSet
from ambos.data.rows import PairRow, QuestionRow, TextRow, WordsRow
from ambos.data.windows import Ledger
from ambos.tasks.answer import Answer
from ambos.tasks.classify import Classify
from ambos.tasks.embed import Embed
from ambos.tasks.score import Score
from ambos.tasks.tag import Tag
from ambos.tasks.task import Reading, Task
from ambos.text.tokenizer import Tokenizer

HERE = Path("rows")
WORDS = [
    "o",
    "gato",
    "dorme",
    "na",
    "casa",
    "grande",
    "e",
    "a",
    "menina",
    "canta",
    "uma",
    "canção",
    "antiga",
    "para",
    "ela",
]


def said(number: int, words: int) -> str:
    """A text of so many words; other numbers, other texts."""
    return " ".join(WORDS[(number * 7 + place * (number + 1)) % len(WORDS)] for place in range(words))


def texts(count: int) -> list[TextRow]:
    return [TextRow(said(one, 3 + one % 40), ("ab"[one % 2],), float(one), HERE, one) for one in range(count)]


def pairs(count: int) -> list[PairRow]:
    """Pairs whose texts come again and again."""
    sides = [(said(one % 5, 8), said(one % 7, 30)) for one in range(count)]
    return [PairRow(*both, ("ab"[one % 2],), float(one), HERE, one) for one, both in enumerate(sides)]


def sentences(count: int) -> list[WordsRow]:
    words = [tuple(said(one, 3 + one % 40).split()) for one in range(count)]
    return [
        WordsRow(some, ("a", "b") * (len(some) // 2) + ("a",) * (len(some) % 2), HERE, 1) for some in words
    ]


def questions(count: int, each: int = 3, words: int = 60) -> list[QuestionRow]:
    """So many questions on every passage, some with the answer in the middle of it."""
    found = []
    for one in range(count):
        passage = f"{one // each} " + said(one // each, words)
        start = len(passage) // 2
        answers = ((passage[start : start + 9], start),) if one % 4 else ()
        found.append(QuestionRow(str(one), said(one, 5), passage, answers, HERE, one))
    return found


AB = LabelSet(("a", "b"))
CASES: dict[str, tuple[Task[Any, Any], Sequence[Any], dict[str, Any]]] = {
    "texts": (Classify(AB), texts(40), {"long": "windows"}),
    "pairs": (Classify(AB), pairs(40), {}),
    "scores": (Score(), texts(40), {"long": "head-tail"}),
    "apart": (Embed(high=40.0), pairs(40), {"apart": True}),
    "words": (Tag(AB), sentences(40), {"long": "windows"}),
    "questions": (Answer(), questions(40), {"long": "windows"}),
    "cut questions": (Answer(), questions(40), {}),
}


def same(one: Examples, other: Examples) -> None:
    for name in ("ids", "segments", "lengths", "owners", "places", "place_counts", "sides"):
        mine, yours = getattr(one, name), getattr(other, name)
        assert (mine is None) is (yours is None), name
        if mine is not None:
            assert mine.dtype == yours.dtype
            np.testing.assert_array_equal(mine, yours, name)
    assert one.rows == other.rows
    assert list(one.targets) == list(other.targets)
    for name, mine in one.targets.items():
        assert mine.dtype == other.targets[name].dtype
        np.testing.assert_array_equal(mine, other.targets[name], name)
    assert [part.tolist() for part in one.extra] == [part.tolist() for part in other.extra]


@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize("case", CASES)
def test_a_few_at_a_time_or_all_at_once(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch, case: str, labelled: bool
) -> None:
    task, rows, how = CASES[case]
    found = []
    for size in (3, 10**6):
        for module in ("ambos.text.tokenizer", "ambos.tasks.passages"):
            monkeypatch.setattr(f"{module}._AT_ONCE", size)
        ledger = Ledger()
        found.append((task.encode(rows, Reading(tokenizer, 24, **how), ledger, labelled=labelled), ledger))
    (few, one), (whole, other) = found
    same(few, whole)
    assert one == other
    assert one.long_texts > 0


def test_a_passage_is_read_once_for_its_questions(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    whole = Tokenizer.encode_batch

    def counted(self: Tokenizer, inputs: Sequence[str]) -> Any:
        read.extend(inputs)
        return whole(self, inputs)

    monkeypatch.setattr(Tokenizer, "encode_batch", counted)
    Answer().encode(questions(60, each=5), Reading(tokenizer, 64), Ledger(), labelled=True)
    assert len([text for text in read if len(text) > 9]) == 12


@pytest.mark.parametrize(
    ("task", "rows"),
    [
        (Answer(), questions(2000, each=4, words=100)),
        (Classify(AB), [TextRow(said(one, 80), ("a",), None, HERE, one) for one in range(2000)]),
        (Tag(AB), [WordsRow(tuple(said(one, 80).split()), ("a",) * 80, HERE, 1) for one in range(2000)]),
    ],
    ids=["answer", "classify", "tag"],
)
def test_little_more_is_held_than_is_kept(
    tokenizer: Tokenizer, task: Task[Any, Any], rows: Sequence[Any]
) -> None:
    """In bytes a token: lists of them all would take 40 to 300."""
    reading = Reading(tokenizer, 256)
    task.encode(rows[:2], reading, Ledger(), labelled=True)
    tracemalloc.start()
    examples = task.encode(rows, reading, Ledger(), labelled=True)
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (peak - kept) / len(examples.ids) < 30
