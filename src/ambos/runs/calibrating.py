"""What is fitted on the dev rows once the weights are learnt: how sure to be, and when not to answer."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from ambos.data.windows import Ledger
from ambos.evaluate.answers import Answers, best_threshold
from ambos.evaluate.bootstrap import Floats
from ambos.evaluate.calibration import Calibration, fit_temperature
from ambos.predict.rows import logits_of, predict_rows
from ambos.tasks.answer import Answer
from ambos.tasks.classify import Classify
from ambos.tasks.tag import Tag

if TYPE_CHECKING:
    from ambos.runs.finetune import Finetuning

_CHUNK = 1024  # rows encoded together
_LOGITS = 2**24  # enough to fit one number; bounds memory
_SURE = 1e6  # no difference of logits comes near
_CPU = torch.device("cpu")


def calibrate(work: "Finetuning") -> dict[str, Any] | None:
    """Fit on the dev rows what decoding needs, with the weights as they are; return a small record.

    Of `classify` and `tag` it is the temperature T in softmax(logits / T), or sigmoid(logits / T) of several
    labels, that makes the gold labels likeliest: it changes how sure the model says it is, never what it
    says. Where every dev row is right, ever colder would seem better: then it stays as it is. Of `answer`
    with unanswerable questions it is how much likelier "no answer" must be to be given, for the best F1.

    Parameters
    ----------
    work
        A fine-tuning whose best weights are in place; its task is changed.

    Returns
    -------
    dict
        What it was before and is now, and what came of it on the dev rows: those it was fitted on, so the
        gain is a little less elsewhere. None where there is nothing to fit.

    Examples
    --------
    >>> calibrate(work)  # doctest: +SKIP
    {'what': 'temperature', 'before': 1.0, 'after': 1.62, 'measure': 'calibration error',
     'measure_before': 0.091, 'measure_after': 0.024, 'examples': 500}
    """
    task = work.task
    if isinstance(task, Classify | Tag) and work.dev:
        return _fit_temperature(task, *_logits(work, task))
    if isinstance(task, Answer) and task.no_answers and work.dev:
        return _fit_threshold(task, work)
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


def _fit_temperature(task: Classify | Tag, logits: NDArray[Any], gold: NDArray[Any]) -> dict[str, Any] | None:
    right = (logits > 0) == (gold > 0.5) if gold.ndim == 2 else logits.argmax(1) == gold
    if right.all():
        return None
    before = task.temperature
    task.temperature = fit_temperature(logits, gold)
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


def _fit_threshold(task: Answer, work: "Finetuning") -> dict[str, Any] | None:
    doubts, kept = [], []
    before, task.threshold = task.threshold, _SURE  # so that something is always answered
    for rows, answered in predict_rows(
        work.bundle.network, task, work.dev, work.reading, Ledger(), device=_CPU
    ):
        doubts += [min(one.no_answer, _SURE) for one in answered]
        kept.append(Answers().rows(*task.compare(rows, answered)))
    task.threshold = before
    doubt, (_, f1, answerable) = np.array(doubts), np.concatenate(kept).T
    if answerable.all() or not answerable.any():
        return None  # nothing to tell apart
    task.threshold, best = best_threshold(doubt, f1, answerable)
    return {
        "what": "threshold of no answer",
        "before": before,
        "after": task.threshold,
        "measure": "f1",
        "measure_before": _f1(doubt > before, f1, answerable),
        "measure_after": best,
        "examples": len(doubt),
    }


def _f1(silent: NDArray[np.bool_], f1: Floats, answerable: Floats) -> float:
    """Return the mean F1 if nothing is answered where `silent`."""
    return float(np.where(silent, 1 - answerable, f1).mean())
