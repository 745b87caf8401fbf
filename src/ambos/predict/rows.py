"""Predictions for any number of rows, in bounded memory: rows to logits on all cores, these to answers."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

import numpy as np
import torch
from torch import nn

from ambos.data.examples import Examples, Labelled, within
from ambos.data.windows import Ledger, named_in_errors
from ambos.predict.run import run_examples
from ambos.tasks.task import Logits, Reading, Task

_CHUNK = 1024  # rows that are read together: those of similar length share a batch

Row = TypeVar("Row")
Prediction = TypeVar("Prediction")


def predict_rows(
    network: nn.Module,
    task: Task[Row, Prediction],
    rows: Iterable[Row],
    reading: Reading,
    ledger: Ledger,
    *,
    device: torch.device,
    progress: Callable[[float], None] | None = None,
    loss: "MeanLoss | None" = None,
    measured: bool = False,
) -> Iterator[tuple[list[Row], Sequence[Prediction]]]:
    """Yield some rows at a time with a prediction for each, in order.

    Parameters
    ----------
    network
        `network(batch, head, read)` gives logits; in evaluation mode, on `device`.
    progress
        Told, again and again, which share of the rows at hand is done.
    loss
        Of labelled rows: takes in what the same logits lose, at no further cost.
    measured
        Rows are labelled, and predictions as `task.compare` takes them; all rows at once, if the task needs
        that.
    """
    rows = iter(rows)
    decode = task.decode_measured if measured else task.decode
    while chunk := list(islice(rows, None if measured and task.whole_sets else _CHUNK)):
        with named_in_errors(chunk, ledger):
            if loss is None:
                examples = task.encode(chunk, reading, ledger, labelled=False)
            else:
                examples = task.encode_measured(chunk, reading, ledger)
        logits = logits_of(network, task, examples, device=device, progress=progress, loss=loss)
        yield chunk, decode(logits, examples, chunk)


def refuse_long(task: Task[Row, Any], rows: Iterable[Row], reading: Reading) -> None:
    """Raise `InputError`, with file and line, for the first row that is too long, if that is an error.

    Nothing is computed but tokens: this is for rows that will be predicted when much work is done.

    Examples
    --------
    >>> refuse_long(model.learnt, rows, model.reading("error"))  # doctest: +SKIP
    InputError: test.csv, line 7: a text is longer than the model can read
    """
    rows = iter(rows) if reading.long == "error" else iter(())
    while chunk := list(islice(rows, _CHUNK)):
        ledger = Ledger()
        with named_in_errors(chunk, ledger):
            task.encode(chunk, reading, ledger, labelled=False)


@dataclass
class MeanLoss:
    """The mean loss of labelled rows, as a training step has it, but for dropout.

    It is the sum of weight times loss over the sum of weights, of sequences, words or windows as the task
    counts them: class weights and the smoothing of labels are in it, so that it can be set beside the loss
    of training; calibration is not.

    Parameters
    ----------
    task
        What the rows are for.
    lost, weight
        The two sums.
    """

    task: Task[Any, Any]
    lost: float = 0.0
    weight: float = 0.0

    def add(self, logits: Logits, part: Labelled) -> None:
        """Take in the logits of a part of labelled examples."""
        losses = self.task.losses(torch.from_numpy(logits), part)
        weights = self.task.weights(part)
        self.lost += float((losses * weights).sum())
        self.weight += float(weights.sum())

    @property
    def mean(self) -> float:
        """The mean so far; 0 before the first part."""
        return self.lost / self.weight if self.weight else 0.0


def logits_of(
    network: nn.Module,
    task: Task[Any, Any],
    examples: Examples,
    *,
    device: torch.device,
    progress: Callable[[float], None] | None = None,
    loss: MeanLoss | None = None,
) -> Logits:
    """Return the logits of examples in their order: a row for each sequence, or place, or token.

    Places where the examples have them, tokens for questions, else sequences.
    """
    total, done = int(examples.sizes.sum()), 0
    found: Logits | None = None

    def compute(part: Labelled) -> Logits:
        return np.asarray(network(part.batch, task.head, part.places).float().cpu().numpy())

    for part, logits in run_examples(examples, compute, device):
        where = _rows_of(part.numbers, examples, task.head)
        if found is None:
            found = np.empty((_count(examples, task.head), logits.shape[-1]), np.float32)
        found[where] = logits
        if loss is not None:
            loss.add(logits, part)
        done += int(examples.sizes[part.numbers].sum())
        if progress is not None:
            progress(done / total)
    return np.empty((0, 1), np.float32) if found is None else found


def _rows_of(numbers: np.ndarray, examples: Examples, head: str) -> np.ndarray:
    """Return where the logits of some sequences belong among those of all."""
    if examples.place_counts is not None:
        return within(examples.place_starts[numbers], examples.place_counts[numbers])
    if head == "answer":
        return within(examples.starts[numbers], examples.lengths[numbers])
    return numbers


def _count(examples: Examples, head: str) -> int:
    if examples.places is not None:
        return len(examples.places)
    return int(examples.lengths.sum()) if head == "answer" else len(examples)
