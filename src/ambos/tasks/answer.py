"""Extractive question answering: the start and the end of the answer in a passage, or that there is none.

A passage longer than the model reads is read in windows that overlap; the answer's place is given in
characters of the passage as it was handed in.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ambos.data.examples import Examples, Labelled, Runs
from ambos.data.rows import QuestionRow
from ambos.data.sequences import Layout
from ambos.data.windows import Ledger, fit_question, spans_of
from ambos.evaluate.answers import Answers
from ambos.tasks.passages import tokenise_questions
from ambos.tasks.task import Logits, Reading, Task

_OVERLAP = 128  # tokens that neighbouring windows share
_LONGEST = 30  # tokens of an answer
_STARTS = 20  # likeliest starts and ends that are paired
RIVALS = 20  # likeliest answers whose probabilities, with that of no answer, make one


@dataclass(frozen=True)
class Candidate:
    """An answer: `passage[start:end]`; its score, the sum of two logits; an empty one is no answer."""

    text: str
    start: int
    end: int
    score: float
    probability: float


@dataclass(frozen=True)
class Answered:
    """What the model answers to a question.

    Parameters
    ----------
    best
        The answer given: the likeliest, or none where `no_answer` is likelier by more than the threshold.
    candidates
        The likeliest answers, the best first, "no answer" aside.
    no_answer
        Score of "no answer" minus that of the likeliest answer.
    no_answer_probability
        Of "no answer"; None from a model that always answers.

    Probabilities are those of the 20 likeliest answers and "no answer", calibrated. They agree with what is
    given: its probability is the largest.
    """

    best: Candidate
    candidates: tuple[Candidate, ...]
    no_answer: float
    no_answer_probability: float | None = None

    @property
    def probability(self) -> float:
        """Of the answer given."""
        return self.best.probability


class Answer(Task[QuestionRow, Answered]):
    """Mean cross-entropy of the start and of the end over the tokens of a window; none is at the first token.

    Parameters
    ----------
    no_answers
        Whether questions may have no answer in their passage.
    threshold
        How much likelier "no answer" must be than the best answer to be given; fitted on held-out questions.
    temperature
        Scores are divided by it before they become probabilities; fitted on held-out questions.
    candidates
        How many answers are kept.
    """

    name, head = "answer", "answer"

    def __init__(
        self,
        *,
        no_answers: bool = False,
        threshold: float = 0.0,
        temperature: float = 1.0,
        candidates: int = 5,
    ) -> None:
        self.no_answers = no_answers
        self.threshold = threshold
        self.temperature = temperature
        self.candidates = candidates

    def encode(
        self, rows: Sequence[QuestionRow], reading: Reading, ledger: Ledger, *, labelled: bool
    ) -> Examples:
        """Return question and window of the passage as pairs.

        Targets: `first`, `count`, the tokens of the passage in the window; `place`, where the first of them
        stands in the sequence; `start`, `end`, the answer's tokens in the sequence, 0 if it is not there;
        `counts`, 1 for a window that is learnt from: all of them, or the first.
        """
        if labelled:
            return self._encode(rows, reading, ledger, labelled=True, offsets=False)
        return self._encode(rows, reading.whole, ledger, labelled=False, offsets=True)

    def encode_measured(self, rows: Sequence[QuestionRow], reading: Reading, ledger: Ledger) -> Examples:
        """Return all windows; those that would not be learnt from do not count in the loss."""
        found = self._encode(rows, reading.whole, ledger, labelled=True, offsets=True)
        if reading.long == "windows":
            return found
        first = (found.targets["first"] == 0).astype(np.float32)
        return replace(found, targets={**found.targets, "counts": first})

    def _encode(
        self, rows: Sequence[QuestionRow], reading: Reading, ledger: Ledger, *, labelled: bool, offsets: bool
    ) -> Examples:
        """Return question and window of the passage as pairs; with the `offsets` of tokens, if asked for."""
        layout = Layout.of(reading.tokenizer)
        special = -layout.room(0, texts=2)
        sequences, segments, owners = Runs("i"), Runs("B"), array("q")
        targets = {name: array("q") for name in ("first", "count", "place", "start", "end")}
        places: list[NDArray[np.int32]] = []
        read = tokenise_questions(rows, reading.tokenizer)
        for number, (row, asked) in enumerate(zip(rows, read, strict=True)):
            tokens, count = asked.passage, len(asked.question)
            question = asked.question[: fit_question(count, reading.limit, reading.long, ledger)]
            around = special + len(question)
            room = reading.limit - around
            answer = asked.answer(row) if labelled else None
            place = len(layout.before) + len(question) + len(layout.between)
            overlap, cut = min(_OVERLAP, room // 2), count - len(question)
            for span in spans_of(
                len(tokens), room, reading.long, ledger, special=around, overlap=overlap, cut=cut
            ):
                inside = span.of(tokens)
                joined = layout.together(question, inside)
                sequences.add(joined[0])
                segments.add(joined[1])
                owners.append(number)
                start, end = (None, None) if answer is None else (span.place(one) for one in answer)
                whole = start is not None and end is not None
                values = (span.ranges[0][0], len(inside), place)
                marks = (place + (start or 0), place + (end or 0)) if whole else (0, 0)
                for name, value in zip(targets, (*values, *marks), strict=True):
                    targets[name].append(value)
            if offsets:
                places.append(asked.offsets)
        arrays: dict[str, NDArray[Any]] = {
            name: np.asarray(values, np.int64) for name, values in targets.items()
        }
        arrays["counts"] = np.ones(len(owners), np.float32)
        return Examples.of(
            sequences,
            segments,
            owners=owners,
            rows=len(rows),
            targets=arrays,
            extra=places,
        )

    def losses(self, logits: Tensor, part: Labelled) -> Tensor:
        """Return (cross-entropy of the start + of the end) / 2 of each window, (n,); logits are (T, 2)."""
        found = []
        first = 0
        for rows_nl2 in part.batch.by_group(logits):
            chances = rows_nl2.log_softmax(1)
            which = torch.arange(len(rows_nl2))
            mine = slice(first, first + len(rows_nl2))
            start, end = part.targets["start"][mine], part.targets["end"][mine]
            found.append(-(chances[which, start, 0] + chances[which, end, 1]) / 2)
            first += len(rows_nl2)
        return torch.cat(found)

    def weights(self, part: Labelled) -> Tensor:
        """Return one for each window that is learnt from, (n,)."""
        return part.targets["counts"]

    def decode(self, logits: Logits, examples: Examples, rows: Sequence[QuestionRow]) -> list[Answered]:
        """Return the answers; `logits` are those of all tokens, (T, 2), sequence by sequence."""
        borders = np.searchsorted(examples.owners, np.arange(len(rows) + 1))
        found = []
        for number, row in enumerate(rows):
            offsets: list[list[int]] = examples.extra[number].tolist()
            best: dict[tuple[int, int], float] = {}
            none = np.inf
            for window in range(borders[number], borders[number + 1]):
                begin = examples.starts[window]
                none = min(none, float(logits[begin].sum()))
                place = begin + examples.targets["place"][window]
                inside = logits[place : place + examples.targets["count"][window]]
                first = int(examples.targets["first"][window])
                for (start, end), score in _pairs(inside).items():
                    span = offsets[first + start][0], offsets[first + end][1]
                    if span[1] > span[0]:
                        best[span] = max(score, best.get(span, -np.inf))
            ordered = sorted(best.items(), key=lambda item: (-item[1], item[0]))
            found.append(self._choose(row.passage, ordered[: max(RIVALS, self.candidates)], none))
        return found

    def _choose(self, passage: str, spans: Sequence[tuple[tuple[int, int], float]], none: float) -> Answered:
        """Decide between the best of some answers and no answer, and say how likely each is."""
        if not spans:
            return Answered(Candidate("", 0, 0, none, 1.0), (), np.inf, 1.0 if self.no_answers else None)
        difference = none - spans[0][1]
        logits = self.compared([score for _, score in spans], difference) / self.temperature
        weights = np.exp(logits - logits.max())
        chances = [float(chance) for chance in weights / weights.sum()]
        kept = tuple(
            Candidate(passage[slice(*span)], *span, score, chance)
            for (span, score), chance in zip(spans[: self.candidates], chances, strict=False)
        )
        if not self.no_answers:
            return Answered(kept[0], kept, float(difference))
        best = Candidate("", 0, 0, none, chances[-1]) if difference > self.threshold else kept[0]
        return Answered(best, kept, float(difference), chances[-1])

    def compared(self, scores: Sequence[float], no_answer: float) -> NDArray[np.float64]:
        """Return what answers and, if there may be none, "no answer" are compared by; the largest is given.

        Parameters
        ----------
        scores
            (n,) of the answers, the best one first.
        no_answer
            As in `Answered`.

        Returns
        -------
        numpy.ndarray
            (n,) scores minus the best one; (n + 1,) with `no_answer` minus the threshold as the last.

        Examples
        --------
        >>> Answer(no_answers=True, threshold=-2.0).compared([5.0, 4.0], -1.0).tolist()
        [0.0, -1.0, 1.0]
        """
        below = np.asarray(scores, np.float64) - scores[0]
        return np.append(below, no_answer - self.threshold) if self.no_answers else below

    def evaluation(self) -> Answers:
        """Return what takes in examples and gives the metrics."""
        return Answers()

    def metrics_of(self, rows: Sequence[QuestionRow]) -> list[str]:
        """Return their names: some are for rows that have questions with an answer and others without."""
        evaluation = self.evaluation()
        evaluation.add(_texts(rows), [""] * len(rows))
        return list(evaluation.values())

    def compare(self, rows: Sequence[QuestionRow], predictions: Sequence[Answered]) -> tuple[Any, Any]:
        """Return for every question the answers that count as right, and the one given."""
        return _texts(rows), [one.best.text for one in predictions]

    @property
    def main(self) -> str:
        """F1 of the words of answers."""
        return "f1"

    @property
    def settings(self) -> dict[str, Any]:
        """What must be kept with the model to predict in the same way."""
        return {
            "no_answers": self.no_answers,
            "threshold": self.threshold,
            "temperature": self.temperature,
        }


def _texts(rows: Sequence[QuestionRow]) -> list[list[str]]:
    """Return the answers of each question that count as right."""
    return [[text for text, _ in row.answers] for row in rows]


def _pairs(logits: Logits) -> dict[tuple[int, int], float]:
    """Return the likeliest (start, end) of a window, numbers of tokens of the passage, with their scores."""
    if not len(logits):
        return {}
    count = min(_STARTS, len(logits))
    starts, ends = (np.argsort(-logits[:, side], kind="stable")[:count] for side in (0, 1))
    start, end = (side.ravel() for side in np.meshgrid(starts, ends, indexing="ij"))
    good = (end >= start) & (end - start < _LONGEST)
    scores = logits[start[good], 0] + logits[end[good], 1]
    order = np.argsort(-scores, kind="stable")[:_STARTS]
    return {
        (int(one), int(other)): float(score)
        for one, other, score in zip(start[good][order], end[good][order], scores[order], strict=True)
    }
