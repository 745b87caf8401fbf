"""Rows by hand, and how a tokenizer reads them."""

from pathlib import Path

import pytest

from ambos.data.rows import QuestionRow, TextRow, WordsRow
from ambos.tasks.task import Reading
from ambos.text.tokenizer import Tokenizer

HERE = Path("rows")


def text_row(text: str, *labels: str, score: float | None = None) -> TextRow:
    return TextRow(text, labels, score, HERE, 1)


def words_row(words: list[str], tags: list[str] | None = None) -> WordsRow:
    return WordsRow(tuple(words), tuple(tags or ["O"] * len(words)), HERE, 1)


def question_row(question: str, passage: str, *answers: str) -> QuestionRow:
    found = tuple((answer, passage.index(answer)) for answer in answers)
    return QuestionRow("q", question, passage, found, HERE, 1)


@pytest.fixture
def reading(tokenizer: Tokenizer) -> Reading:
    return Reading(tokenizer, 64)
