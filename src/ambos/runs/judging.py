"""What one prediction is worth: how sure it was, whether it was right, and how a wrong one is shown."""

import heapq
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ambos.data.rows import QuestionRow, TextRow, WordsRow
from ambos.evaluate.answers import score
from ambos.tasks.answer import Answer, Answered
from ambos.tasks.classify import Classified, Classify
from ambos.tasks.embed import Embed
from ambos.tasks.score import Score
from ambos.tasks.tag import Tag, Tagged
from ambos.tasks.task import Task
from ambos.tasks.texts import TextOrPair, texts_of

_SHOWN = 400  # characters of a text
_ANSWERS = 3  # that count as right, of a question

Row = TypeVar("Row", TextOrPair, WordsRow, QuestionRow)
Prediction = TypeVar("Prediction")
Shown = dict[str, Any]
Decisions = tuple[NDArray[np.float32], NDArray[np.bool_]]


class Judge(ABC, Generic[Row, Prediction]):
    """Knows what to think of the predictions of a task."""

    @abstractmethod
    def gold(self, row: Row) -> Any:  # noqa: ANN401 (any plain value)
        """Return what is right, as a plain value."""

    def decisions(self, row: Row, prediction: Prediction) -> Decisions:  # noqa: ARG002
        """Return how sure the model was of each thing it said, (m,), and whether it was right, (m,).

        Nothing, m = 0, where it does not say how sure it is of what.
        """
        return np.zeros(0, np.float32), np.zeros(0, np.bool_)

    def sayings(self, row: Row, prediction: Prediction) -> Iterable[tuple[str, str]]:  # noqa: ARG002
        """Return what is right and what was said, by name, of each thing that was said.

        Nothing where hardly any two are the same.
        """
        return ()

    @abstractmethod
    def badness(self, row: Row, prediction: Prediction) -> float:
        """Return how wrong a prediction is, 0 if it is right."""

    @abstractmethod
    def show(self, row: Row, prediction: Prediction) -> Shown:
        """Return what a reader wants to know of a wrong prediction, as plain values."""


class ClassifyJudge(Judge[TextOrPair, Classified]):
    """The surer of a wrong label, the worse; of several labels, the surest wrong one counts."""

    def __init__(self, task: Classify) -> None:
        self.task = task

    def gold(self, row: TextOrPair) -> list[str]:
        """Return the labels."""
        return list(row.labels)

    def decisions(self, row: TextOrPair, prediction: Classified) -> Decisions:
        """Return the labels that were given."""
        chances = prediction.probabilities
        if not self.task.several:
            return chances.max(keepdims=True), np.array([prediction.labels == row.labels])
        given = chances > 0.5
        return chances[given], self._there(row)[given]

    def badness(self, row: TextOrPair, prediction: Classified) -> float:
        """Return how sure it was of the surest wrong label, given or withheld."""
        chances = prediction.probabilities
        if not self.task.several:
            return 0.0 if prediction.labels == row.labels else float(chances.max())
        wrong = (chances > 0.5) != self._there(row)
        return float(np.maximum(chances, 1 - chances)[wrong].max(initial=0.0))

    def sayings(self, row: TextOrPair, prediction: Classified) -> Iterable[tuple[str, str]]:
        """Return the labels, several as one."""
        gold, said = (" + ".join(sorted(labels)) or "no label" for labels in (row.labels, prediction.labels))
        return ((gold, said),)

    def _there(self, row: TextOrPair) -> NDArray[np.bool_]:
        found = np.zeros(len(self.task.labels), np.bool_)
        found[[self.task.labels.id_of(label) for label in row.labels]] = True
        return found

    def show(self, row: TextOrPair, prediction: Classified) -> Shown:
        """Return the text, its labels and those given."""
        return {
            "text": _clipped(_text(row)),
            "gold": list(row.labels),
            "predicted": list(prediction.labels),
            "confidence": self.badness(row, prediction),
        }


class TagJudge(Judge[WordsRow, Tagged]):
    """The surer of a wrong tag, the worse; the surest one of a sentence is shown."""

    def __init__(self, task: Tag) -> None:
        self.task = task

    def gold(self, row: WordsRow) -> list[str]:
        """Return the tags."""
        return list(row.tags)

    def decisions(self, row: WordsRow, prediction: Tagged) -> Decisions:
        """Return the tag of every word."""
        return prediction.probabilities, ~self._wrong(row, prediction)

    def badness(self, row: WordsRow, prediction: Tagged) -> float:
        """Return how sure it was of the surest wrong tag."""
        return float(prediction.probabilities[self._wrong(row, prediction)].max(initial=0.0))

    def sayings(self, row: WordsRow, prediction: Tagged) -> Iterable[tuple[str, str]]:
        """Return the tag of every word."""
        return zip(row.tags, prediction.tags, strict=True)

    def _wrong(self, row: WordsRow, prediction: Tagged) -> NDArray[np.bool_]:
        pairs = zip(row.tags, prediction.tags, strict=True)
        return np.fromiter((gold != said for gold, said in pairs), np.bool_, len(row.tags))

    def show(self, row: WordsRow, prediction: Tagged) -> Shown:
        """Return the sentence, and of its surest wrong word where it stands and its tags."""
        wrong = self._wrong(row, prediction)
        word = int(np.where(wrong, prediction.probabilities, -1).argmax())
        start = sum(len(one) + 1 for one in row.words[:word])
        return {
            **_around(" ".join(row.words), start, start + len(row.words[word])),
            "gold": row.tags[word],
            "predicted": prediction.tags[word],
            "confidence": float(prediction.probabilities[word]),
            "wrong": int(wrong.sum()),
        }


class ScoreJudge(Judge[TextOrPair, float]):
    """The further off, the worse."""

    def gold(self, row: TextOrPair) -> float | None:
        """Return the score."""
        return row.score

    def aim(self, row: TextOrPair) -> float | None:
        """Return what the prediction should be."""
        return row.score

    def badness(self, row: TextOrPair, prediction: float) -> float:
        """Return the error."""
        return abs(prediction - (self.aim(row) or 0.0))

    def show(self, row: TextOrPair, prediction: float) -> Shown:
        """Return the text and both scores."""
        gold = self.aim(row)
        error = prediction - (gold or 0.0)
        return {"text": _clipped(_text(row)), "gold": gold, "predicted": prediction, "error": error}


class EmbedJudge(ScoreJudge):
    """The further a cosine from what it should be, the worse."""

    def __init__(self, task: Embed) -> None:
        self.task = task

    def gold(self, row: TextOrPair) -> float | None:
        """Return the score as the file has it, whatever the range the model learnt; else what labels say."""
        return self.aim(row) if row.score is None else row.score

    def aim(self, row: TextOrPair) -> float:
        """Return what the cosine should be."""
        return float(self.task.likeness([row])[0])  # type: ignore[list-item]


class AnswerJudge(Judge[QuestionRow, Answered]):
    """The likelier an answer that has no word of a right one, the worse."""

    def gold(self, row: QuestionRow) -> list[str]:
        """Return the id of the question, and its answers."""
        return [row.id, *(text for text, _ in row.answers)]

    def decisions(self, row: QuestionRow, prediction: Answered) -> Decisions:
        """Return the answer that was given; right is an exact match."""
        exact, _ = score(prediction.best.text, [text for text, _ in row.answers])
        return np.array([prediction.probability], np.float32), np.array([exact == 1])

    def sayings(self, row: QuestionRow, prediction: Answered) -> Iterable[tuple[str, str]]:
        """Return whether there is an answer, and whether one was given."""
        gold, said = ("an answer" if there else "no answer" for there in (row.answers, prediction.best.text))
        return ((gold, said),)

    def badness(self, row: QuestionRow, prediction: Answered) -> float:
        """Return the probability of an answer whose F1 is 0."""
        _, f1 = score(prediction.best.text, [text for text, _ in row.answers])
        return prediction.probability if f1 == 0 else 0.0

    def show(self, row: QuestionRow, prediction: Answered) -> Shown:
        """Return the question, the passage around the answer that was given, and the right answers."""
        best = prediction.best
        start, end = best.start, best.end
        if not best.text and row.answers:
            start = end = row.answers[0][1]
        return {
            "id": row.id,
            "question": _clipped(row.question),
            **_around(row.passage, start, end),
            "gold": list(dict.fromkeys(text for text, _ in row.answers))[:_ANSWERS],
            "predicted": best.text,
            "confidence": prediction.probability,
        }


def judge_of(task: Task[Any, Any]) -> Judge[Any, Any]:
    """Return who judges the predictions of a task."""
    if isinstance(task, Classify):
        return ClassifyJudge(task)
    if isinstance(task, Tag):
        return TagJudge(task)
    if isinstance(task, Embed):
        return EmbedJudge(task)
    judges: dict[type, Callable[[], Judge[Any, Any]]] = {Score: ScoreJudge, Answer: AnswerJudge}
    return judges[type(task)]()


class Worst:
    """The examples that a model is most wrong about; only so many are kept.

    Examples
    --------
    >>> worst = Worst(2)
    >>> for text, badness in {"so": 0.3, "bad": 0.9, "poor": 0.5, "right": 0.0}.items():
    ...     worst.see(badness, lambda text=text: {"text": text})
    >>> worst.items
    [{'text': 'bad'}, {'text': 'poor'}]
    """

    def __init__(self, keep: int) -> None:
        self.keep = keep
        self._seen = 0  # breaks ties, so that what is shown is never compared
        self._heap: list[tuple[float, int, Shown]] = []  # the least bad one first

    def see(self, badness: float, show: Callable[[], Shown]) -> None:
        """Take an example into account; `show` is asked only if it is among the worst. Earlier ones win."""
        self._seen += 1
        is_full = len(self._heap) == self.keep
        if badness <= 0 or not self.keep or (is_full and badness <= self._heap[0][0]):
            return
        item = (badness, -self._seen, show())
        (heapq.heappushpop if is_full else heapq.heappush)(self._heap, item)

    @property
    def items(self) -> list[Shown]:
        """The examples, the worst first."""
        return [shown for _, _, shown in sorted(self._heap, key=lambda item: item[:2], reverse=True)]


def line_of(row: Any, gold: Any) -> bytes:  # noqa: ANN401 (rows of any kind, plain values)
    """Return what tells an example of a file from any other: its line, and what is right."""
    return json.dumps([row.line, gold], ensure_ascii=True).encode() + b"\n"


def _text(row: TextOrPair) -> str:
    return row.text if isinstance(row, TextRow) else "\n".join(texts_of(row))


def _clipped(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _around(text: str, start: int, end: int) -> Shown:
    """Return the part of a text around a place, and where the place is in that part.

    Examples
    --------
    >>> _around("Ana ri", 4, 6)
    {'text': 'Ana ri', 'mark': [4, 6]}
    """
    end = min(end, start + _SHOWN)
    first = max(0, min(start - _SHOWN // 2, len(text) - _SHOWN))
    last = min(len(text), max(first + _SHOWN, end))
    before, after = "…" if first else "", "…" if last < len(text) else ""
    shift = len(before) - first
    return {"text": f"{before}{text[first:last]}{after}", "mark": [start + shift, end + shift]}
