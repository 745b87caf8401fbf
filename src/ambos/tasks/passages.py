"""Questions and their passages as tokens: each passage read once, and where its tokens stand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ambos.data.rows import QuestionRow
from ambos.text.tokenizer import Tokenizer

_AT_ONCE = 128  # questions whose passages are read together


@dataclass(frozen=True)
class Asked:
    """A question and its passage without special tokens.

    Parameters
    ----------
    question, passage
        Their ids.
    offsets
        (tokens, 2) such that `passage[start:end]` of the row is what a token of it stands for.
    """

    question: list[int]
    passage: list[int]
    offsets: NDArray[np.int32]

    def answer(self, row: QuestionRow) -> tuple[int, int] | None:
        """Return the first and last token of the first answer within the passage; None if there is none."""
        if not row.answers:
            return None
        text, begin = row.answers[0]
        start, end = self.offsets.T
        inside = np.flatnonzero((start < begin + len(text)) & (end > begin))
        return (int(inside[0]), int(inside[-1])) if len(inside) else None


def tokenise_questions(rows: Sequence[QuestionRow], tokenizer: Tokenizer) -> Iterator[Asked]:
    """Yield the tokens of each row; only few rows are held at a time.

    The questions on a passage mostly stand beside each other: it is tokenised once for all of them.

    Examples
    --------
    >>> next(tokenise_questions(rows, tokenizer)).answer(rows[0])  # doctest: +SKIP
    (12, 14)
    """
    before, after = tokenizer.around
    bare = slice(before, -after or None)
    for first in range(0, len(rows), _AT_ONCE):
        some = rows[first : first + _AT_ONCE]
        texts = list(dict.fromkeys(row.passage for row in some))
        passages = {
            text: (found.ids[bare], np.array(found.offsets[bare], np.int32).reshape(-1, 2))
            for text, found in zip(texts, tokenizer.encode_batch(texts), strict=True)
        }
        questions = tokenizer.ids_batch([row.question for row in some])
        for row, question in zip(some, questions, strict=True):
            yield Asked(question[bare], *passages[row.passage])
