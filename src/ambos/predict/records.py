"""A row and its prediction as a record of plain values, and what the fields of such records hold."""

import math
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from ambos.data.label_set import TAG
from ambos.data.read_tagged import Untagged
from ambos.data.rows import PairRow, QuestionRow, Row, TextRow, WordsRow
from ambos.errors import UsageError
from ambos.evaluate.entities import spans
from ambos.tasks.answer import Answer, Answered, Candidate
from ambos.tasks.classify import Classified, Classify
from ambos.tasks.tag import Tag, Tagged
from ambos.tasks.task import Task
from ambos.tasks.texts import texts_of

Shape = Any  # what a field holds: str, int, float, a list with one shape in it, or shapes by name
Fields = dict[str, Shape]
Make = Callable[[Any, Any], dict[str, Any]]

_ROLES = ("text_a", "text_b", "text_c", "text_d")


@dataclass(frozen=True)
class Details:
    """What a record holds beside the prediction.

    Parameters
    ----------
    ids
        The id of the row.
    text
        The text; of questions, question and passage.
    probabilities
        Of a classifier: those of all labels, not only of the ones chosen.
    top
        Of answers: so many candidates.
    """

    ids: bool = False
    text: bool = False
    probabilities: bool = False
    top: int = 0


class Records:
    """Makes records of the predictions of a task.

    Probabilities and scores have six digits: more would be noise of the arithmetic.

    Parameters
    ----------
    task
        Of the model.
    details
        What else is wanted; `UsageError` if the task does not have it.

    Attributes
    ----------
    fields
        What each field holds, in their order; fields that a row has nothing for are not in its record.
    task
        What to predict by: the task given, or one like it that keeps as many candidates as are wanted.

    Examples
    --------
    >>> records = Records(Score(), Details())  # doctest: +SKIP
    >>> records.of(TextRow("Bom.", (), None, Path("a.csv"), 2), 4.25)  # doctest: +SKIP
    {'file': 'a.csv', 'line': 2, 'score': 4.25}
    """

    def __init__(self, task: Task[Any, Any], details: Details) -> None:
        if details.probabilities and not isinstance(task, Classify):
            raise _not_for(task, "--all-probabilities", "a model that classifies texts")
        if details.top and not isinstance(task, Answer):
            raise _not_for(task, "--top", "a model that finds answers in passages")
        if isinstance(task, Answer) and details.top > task.candidates:
            more = copy(task)  # the model's own stays as it is
            more.candidates = details.top
            task = more
        self.task = task
        self._details = details
        said, self._said = _PARTS[task.name](task, details)
        asked = isinstance(task, Answer)
        texts = ("question", "passage") if asked else _ROLES[: task.texts] if task.pairs else ("text",)
        self.fields: Fields = {
            "file": str,
            "line": int,
            **({"id": str} if details.ids or asked else {}),
            **(dict.fromkeys(texts, str) if details.text else {}),
            **said,
        }

    def of(self, row: Row, prediction: Any) -> dict[str, Any]:  # noqa: ANN401 (as the task gives it)
        """Return the record of a row."""
        record: dict[str, Any] = {"file": str(row.file), "line": row.line}
        if "id" in self.fields:
            record["id"] = getattr(row, "id", None)  # sentences that come with tags have none
        if self._details.text:
            record |= _text(row)
        return record | self._said(row, prediction)


def _text(row: Row) -> dict[str, Any]:
    if isinstance(row, QuestionRow):
        return {"question": row.question, "passage": row.passage}
    if isinstance(row, PairRow):
        return dict(zip(_ROLES, texts_of(row), strict=False))
    if isinstance(row, TextRow | Untagged):
        return {"text": row.text}
    return {}


def _not_for(task: Task[Any, Any], option: str, expected: str) -> UsageError:
    return UsageError(
        f"{option} is not for this model",
        expected=expected,
        found=f"a model for {task.name}",
        fix=f"leave {option} out",
    )


def _classify(task: Classify, details: Details) -> tuple[Fields, Make]:
    names = task.labels.names
    by_label = {"probabilities": dict.fromkeys(names, float)}

    def one(row: Row, said: Classified) -> dict[str, Any]:  # noqa: ARG001 (as others need it)
        chances = {name: _figure(chance) for name, chance in zip(names, said.probabilities, strict=True)}
        found = {"label": said.labels[0], "probability": chances[said.labels[0]]}
        return {**found, "probabilities": chances} if details.probabilities else found

    def several(row: Row, said: Classified) -> dict[str, Any]:  # noqa: ARG001
        chances = {name: _figure(chance) for name, chance in zip(names, said.probabilities, strict=True)}
        shown = names if details.probabilities else said.labels
        return {"labels": list(said.labels), "probabilities": {name: chances[name] for name in shown}}

    if task.several:
        return {"labels": [str], **by_label}, several
    return {"label": str, "probability": float, **(by_label if details.probabilities else {})}, one


def _score(task: Task[Any, Any], details: Details) -> tuple[Fields, Make]:  # noqa: ARG001
    return {"score": float}, lambda _, score: {"score": _figure(score)}


def _cosine(task: Task[Any, Any], details: Details) -> tuple[Fields, Make]:  # noqa: ARG001
    return {"cosine": float}, lambda _, cosine: {"cosine": _figure(cosine)}


def _tag(task: Tag, details: Details) -> tuple[Fields, Make]:  # noqa: ARG001
    has_entities = task.has_entities and all(map(TAG.fullmatch, task.labels.names))

    def make(row: WordsRow, said: Tagged) -> dict[str, Any]:
        found = {
            "words": list(row.words),
            "tags": list(said.tags),
            "probabilities": [_figure(chance) for chance in said.probabilities],
        }
        return {**found, "entities": entities_of(row, said.tags)} if has_entities else found

    entity = {"type": str, "start": int, "end": int, "text": str, "start_char": int, "end_char": int}
    fields: Fields = {"words": [str], "tags": [str], "probabilities": [float]}
    return {**fields, **({"entities": [entity]} if has_entities else {})}, make


def entities_of(row: WordsRow, tags: Sequence[str]) -> list[dict[str, Any]]:
    """Return the entities that tags mark: `start` to `end` - 1 are words, `start_char` characters of a text.

    Examples
    --------
    >>> from pathlib import Path
    >>> row = Untagged(("Ana", "Reis", "ri"), (), Path("a.txt"), 1, text="Ana  Reis ri")
    >>> entities_of(row, ["B-PER", "I-PER", "O"])
    [{'type': 'PER', 'start': 0, 'end': 2, 'text': 'Ana  Reis', 'start_char': 0, 'end_char': 9}]
    """
    text = row.text if isinstance(row, Untagged) else None
    starts = row.starts if isinstance(row, Untagged) else ()
    found: list[dict[str, Any]] = []
    for kind, start, end in spans(tags):
        entity = {"type": kind, "start": start, "end": end}
        if text is None:
            found.append({**entity, "text": " ".join(row.words[start:end])})
        else:
            first, stop = starts[start], starts[end - 1] + len(row.words[end - 1])
            found.append({**entity, "text": text[first:stop], "start_char": first, "end_char": stop})
    return found


def _answer(task: Answer, details: Details) -> tuple[Fields, Make]:
    def place(one: Candidate) -> dict[str, Any]:
        """Return where an answer is, nowhere if it is none, and how likely it is."""
        is_there = one.end > one.start
        return {
            "start": one.start if is_there else None,
            "end": one.end if is_there else None,
            "probability": _figure(one.probability),
        }

    def make(row: QuestionRow, said: Answered) -> dict[str, Any]:  # noqa: ARG001
        found = {"answer": said.best.text, **place(said.best)}
        if said.no_answer_probability is not None:
            found["no_answer_probability"] = _figure(said.no_answer_probability)
        if details.top:
            shown = said.candidates[: details.top]
            found["candidates"] = [{"text": one.text, **place(one)} for one in shown]
        return found

    where: Fields = {"start": int, "end": int, "probability": float}
    none = {"no_answer_probability": float} if task.no_answers else {}
    candidates = {"candidates": [{"text": str, **where}]} if details.top else {}
    return {"answer": str, **where, **none, **candidates}, make


_PARTS: dict[str, Callable[[Any, Details], tuple[Fields, Make]]] = {
    "classify": _classify,
    "score": _score,
    "embed": _cosine,
    "tag": _tag,
    "answer": _answer,
}


def _figure(value: float) -> float | None:
    return float(f"{value:.6g}") if math.isfinite(value) else None
