"""What is fitted on the dev rows once the weights are learnt: how sure to be, and when not to answer."""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from ambos.data.windows import Ledger
from ambos.evaluate.answers import Answers, best_threshold, normalise
from ambos.evaluate.bootstrap import Floats
from ambos.evaluate.calibration import Calibration, fit_temperature
from ambos.predict.rows import logits_of, predict_rows
from ambos.tasks.answer import RIVALS, Answer
from ambos.tasks.classify import Classify
from ambos.tasks.tag import Tag

if TYPE_CHECKING:
    from ambos.runs.finetune import Finetuning

_CHUNK = 1024  # rows encoded together
_LOGITS = 2**24  # enough to fit one number; bounds memory
_SPREAD = 0.5  # of log T: how far temperatures are from 1, before the dev rows are seen
_SURE = 1e6  # no difference of logits comes near
_FAR = -1e9  # logit of an answer that is not there
_APART = 2.0  # of logits: what lies further away does not move a threshold further
_CPU = torch.device("cpu")


def calibrate(work: "Finetuning") -> dict[str, Any] | None:
    """Fit on the dev rows what decoding needs, with the weights as they are; return a small record.

    Of `classify` and `tag` it is the temperature T in softmax(logits / T), or sigmoid(logits / T) of several
    labels, that makes the gold labels likeliest: it changes how sure the model says it is, never what it
    says. Few rows move it little (`fit_temperature`, `spread`), and where every dev row is right, ever colder
    would seem better: then it stays as it is. Of `answer`
    with unanswerable questions it is how much likelier "no answer" must be to be given, for the best F1;
    then, of any `answer`, the temperature that makes right answers likeliest among those that the model
    weighs. A right one that is not among them counts as the least likely of them: it is no likelier.

    Parameters
    ----------
    work
        A fine-tuning whose best weights are in place; its task is changed.

    Returns
    -------
    dict
        What it was before and is now, and what came of it on the dev rows: those it was fitted on, so the
        gain is a little less elsewhere; as `also`, what was fitted next. None where there is nothing to fit.

    Examples
    --------
    >>> calibrate(work)  # doctest: +SKIP
    {'what': 'temperature', 'before': 1.0, 'after': 1.62, 'measure': 'calibration error',
     'measure_before': 0.091, 'measure_after': 0.024, 'examples': 500}
    """
    task = work.task
    if isinstance(task, Classify | Tag) and work.dev:
        return _fit_temperature(task, *_logits(work, task))
    if isinstance(task, Answer) and work.dev:
        asked = _ask(task, work)
        threshold = _fit_threshold(task, asked) if task.no_answers else None
        temperature = _fit_answers(task, asked)
        return {**threshold, "also": temperature} if threshold and temperature else threshold or temperature
    return None


def _logits(work: "Finetuning", task: Classify | Tag) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the logits (n, L) of texts or words, and their gold labels, (n,) or (n, L)."""
    parts: list[tuple[NDArray[Any], NDArray[Any]]] = []
    found = _of_texts(work, task) if isinstance(task, Classify) else _of_words(work, task)
    for part in found:
        parts.append(part)
        if sum(logits.size for logits, _ in parts) >= _LOGITS:
            break
    logits, gold = zip(*parts, strict=True)
    return np.concatenate(logits), np.concatenate(gold)


def _of_texts(work: "Finetuning", task: Classify) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    for rows, predictions in predict_rows(
        work.bundle.network, task, work.dev, work.reading, Ledger(), device=_CPU
    ):
        yield np.stack([one.logits for one in predictions]), task.target(rows)


def _of_words(work: "Finetuning", task: Tag) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    rows = iter(work.dev)
    while some := list(islice(rows, _CHUNK)):
        examples = task.encode(some, work.reading, Ledger(), labelled=True)
        yield logits_of(work.bundle.network, task, examples, device=_CPU), examples.targets["target"]


def _fit_temperature(
    task: Classify | Tag | Answer, logits: NDArray[Any], gold: NDArray[Any]
) -> dict[str, Any] | None:
    right = (logits > 0) == (gold > 0.5) if gold.ndim == 2 else logits.argmax(1) == gold
    if right.all():
        return None
    before = task.temperature
    task.temperature = fit_temperature(logits, gold, spread=_SPREAD)
    return {
        "what": "temperature",
        "before": before,
        "after": task.temperature,
        "measure": "calibration error",
        "measure_before": _error(logits / before, gold),
        "measure_after": _error(logits / task.temperature, gold),
        "examples": len(logits),
    }


def _error(logits: NDArray[Any], gold: NDArray[Any]) -> float:
    """Return the expected calibration error of the labels that are given."""
    calibration = Calibration()
    scores = torch.from_numpy(logits)
    if gold.ndim == 2:
        chances = scores.sigmoid().numpy()
        given = chances > 0.5
        calibration.add(chances[given], gold[given])
    else:
        chances = scores.softmax(-1).numpy()
        calibration.add(chances.max(1), chances.argmax(1) == gold)
    return calibration.error


@dataclass(frozen=True)
class _Asked:
    """A dev question and what the model weighs: scores of answers, the best first, and of "no answer".

    `right` is the place of the likeliest right answer, None if it is not there; `f1` that of the best one.
    """

    scores: list[float]
    no_answer: float
    right: int | None
    f1: float
    answerable: bool


def _ask(task: Answer, work: "Finetuning") -> list[_Asked]:
    """Return what the model weighs for the dev questions, as if something were always answered."""
    found = []
    always = copy(task)
    always.threshold, always.candidates = _SURE, RIVALS
    for rows, answered in predict_rows(
        work.bundle.network, always, work.dev, work.reading, Ledger(), device=_CPU
    ):
        table = Answers().rows(*task.compare(rows, answered))
        for row, one, (_, f1, answerable) in zip(rows, answered, table.tolist(), strict=True):
            gold = {said for text, _ in row.answers if (said := normalise(text))}
            places = (place for place, said in enumerate(one.candidates) if normalise(said.text) in gold)
            scores = [said.score for said in one.candidates]
            doubt = min(one.no_answer, _SURE)
            found.append(_Asked(scores, doubt, next(places, None), f1, answerable == 1))
    return found


def _fit_threshold(task: Answer, asked: Sequence[_Asked]) -> dict[str, Any] | None:
    before = task.threshold
    doubt, f1 = np.array([one.no_answer for one in asked]), np.array([one.f1 for one in asked])
    answerable = np.array([float(one.answerable) for one in asked])
    if answerable.all() or not answerable.any():
        return None  # nothing to tell apart
    threshold, best = best_threshold(doubt, f1, answerable)
    task.threshold = _amid(threshold, doubt)
    return {
        "what": "threshold of no answer",
        "before": before,
        "after": task.threshold,
        "measure": "f1",
        "measure_before": _f1(doubt > before, f1, answerable),
        "measure_after": best,
        "examples": len(doubt),
    }


def _amid(threshold: float, doubt: Floats) -> float:
    """Return a threshold that parts the same doubts (n,), in the middle between the two beside it.

    The one that is given equals a doubt, so that for its question the last digits of the arithmetic, which
    are others where weights are packed or cores share the work, would decide.

    Examples
    --------
    >>> _amid(0.5, np.array([0.1, 0.5, 0.9])), _amid(-0.1, np.array([0.1, 0.5])), _amid(0.5, np.array([0.5]))
    (0.7, -0.9, 1.5)
    """
    low = float(doubt[doubt <= threshold].max(initial=-np.inf))
    high = float(doubt[doubt > threshold].min(initial=np.inf))
    if low == -np.inf:
        return high - _APART / 2
    return low + min(high - low, _APART) / 2


def _fit_answers(task: Answer, asked: Sequence[_Asked]) -> dict[str, Any] | None:
    weighed = [one for one in asked if len(one.scores) + task.no_answers > 1 and one.scores]
    if not weighed:
        return None
    logits = np.full((len(weighed), RIVALS + 1), _FAR)
    gold = np.zeros(len(weighed), np.int64)
    for number, one in enumerate(weighed):
        compared = task.compared(one.scores, one.no_answer)
        logits[number, : len(compared)] = compared
        right = one.right
        if not one.answerable and task.no_answers:
            right = len(compared) - 1
        gold[number] = compared.argmin() if right is None else right
    return _fit_temperature(task, logits, gold)


def _f1(silent: NDArray[np.bool_], f1: Floats, answerable: Floats) -> float:
    """Return the mean F1 if nothing is answered where `silent`."""
    return float(np.where(silent, 1 - answerable, f1).mean())
