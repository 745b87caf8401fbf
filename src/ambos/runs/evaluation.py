"""How good a fine-tuned model is on labelled rows: read once, kept as counts, told with intervals."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ambos.data.rows import QuestionRow
from ambos.data.windows import Ledger
from ambos.errors import InputError
from ambos.evaluate.calibration import Bin, Calibration
from ambos.evaluate.classification import Confusion
from ambos.evaluate.commonest import Commonest, Sayings
from ambos.evaluate.estimate import Estimate
from ambos.evaluate.evaluation import ClassScore
from ambos.evaluate.sparse_rows import Rows, below
from ambos.evaluate.tags import Tags
from ambos.files import sha256
from ambos.predict.model import Model
from ambos.runs.judging import Shown, Worst, judge_of, line_of
from ambos.runs.known_labels import KnownLabels
from ambos.tasks.answer import Answer
from ambos.tasks.classify import Classify
from ambos.tasks.tag import Tag
from ambos.tasks.task import Reading, Task


@dataclass(frozen=True)
class Calibrated:
    """Whether the model is right as often as it says: expected calibration error, bins, temperature.

    `low` and `high` are the ends of the error's 95 % interval.
    """

    error: float
    bins: list[Bin]
    temperature: float
    low: float
    high: float


@dataclass(frozen=True)
class Evaluated:
    """All there is to say of a model and some labelled rows.

    Parameters
    ----------
    task, main, labels, several
        Name of the task, of the metric that tells most, and what the numbers in `examples` mean.
    metrics
        With 95 % intervals.
    classes, confusion
        Where there are classes; the matrix has gold labels as rows, predicted ones as columns.
    calibration
        Where predictions have probabilities of their own.
    truncation
        What became of long texts, with file and line of the first of them.
    worst
        The examples that the model is most wrong about, as plain values.
    rows, left_out
        How many rows there were, and how many were not used, by reason.
    files, digest
        SHA-256 of each file, and of lines and gold labels of the rows that were used.
    examples
        (n, d) what the metrics ask of each example, as `Evaluation.rows` has it: to compare models by. Sparse
        where there are many labels, of which an example has few.
    commonest
        What it says most often; None of scores.
    """

    task: str
    main: str
    labels: tuple[str, ...]
    several: bool
    model: str
    metrics: dict[str, Estimate]
    classes: list[ClassScore]
    confusion: NDArray[np.int64] | None
    calibration: Calibrated | None
    truncation: dict[str, Any]
    worst: list[dict[str, Any]]
    rows: int
    left_out: dict[str, int]
    files: dict[str, str]
    digest: str
    examples: Rows
    commonest: Commonest | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return everything but the examples, for JSON."""
        confusion = None
        if self.confusion is not None:
            confusion = {"labels": list(self.labels), "counts": self.confusion.tolist()}
        return {
            "metrics": {name: one.as_dict() for name, one in self.metrics.items()},
            "classes": [one.as_dict() for one in self.classes],
            "confusion": confusion,
            "calibration": asdict(self.calibration) if self.calibration else None,
            "commonest": asdict(self.commonest) if self.commonest else None,
            "truncation": self.truncation,
            "worst": self.worst,
            "rows": self.rows,
            "left_out": self.left_out,
            "file": ", ".join(self.files),
            "files": [{"file": name, "sha256": digest} for name, digest in self.files.items()],
            "examples": self.digest,
            "model": self.model,
            "task": self.task,
            "main": self.main,
            "labels": list(self.labels),
            "several": self.several,
        }


def evaluate_rows(
    model: Model,
    rows: Iterable[Any],
    reading: Reading | None = None,
    *,
    name: str = "",
    files: Sequence[str] = (),
    left_out: dict[str, int] | None = None,
    worst: int = 20,
    draws: int = 1000,
    progress: Callable[[float], None] | None = None,
) -> Evaluated:
    """Measure a fine-tuned model on labelled rows.

    Rows are read once. What is kept of each is what its metrics ask for, a few small numbers; texts, logits
    and probabilities are let go of.

    Parameters
    ----------
    model
        It knows its task.
    reading
        How rows are read, as `model.reading` gives it; by default as the model was fine-tuned.
    name, files, left_out
        For the record: the model's name, the files that the rows come from, and what was not used of them.
    worst
        How many of the examples that the model is most wrong about to keep.
    draws
        Of the bootstrap.
    progress
        Told, again and again, how many rows are done.

    Raises
    ------
    InputError
        If there are no rows, if one has a label that the model does not know, or if a text is too long and
        that is an error.

    Examples
    --------
    >>> evaluate_rows(ambos.load("run"), rows).metrics["accuracy"]  # doctest: +SKIP
    Estimate(value=0.91, low=0.89, high=0.93)
    """
    task, reading = model.learnt, reading or model.reading()
    seen, known = _Seen(task, worst), KnownLabels(task)
    ahead: list[Any] = []  # rows on their way to the model and back
    ledger = Ledger()

    def read() -> Iterator[Any]:
        for row in rows:
            known.check(row)
            ahead.append(row)
            yield row

    def tell(share: float) -> None:
        if progress is not None:
            progress(seen.rows + share * len(ahead))

    for _, predictions in model.predict_rows(read(), reading, ledger, tell, measured=True):
        seen.take(ahead, predictions, ledger)
        ahead.clear()
    if not seen.rows:
        reasons = [f"{count:,} left out: {why}" for why, count in (left_out or {}).items()]
        raise InputError(
            "there are no rows to measure with",
            expected="at least one labelled row",
            found=", ".join(reasons) or "none",
            file=next(iter(files), None),
        )
    metrics, classes = seen.evaluation.metrics_and_table(draws=draws)
    return Evaluated(
        task=task.name,
        main=task.main,
        labels=tuple(task.labels.names) if isinstance(task, Classify | Tag) else (),
        several=isinstance(task, Classify) and task.several,
        model=name,
        metrics=metrics,
        classes=classes,
        confusion=seen.evaluation.matrix if isinstance(seen.evaluation, Confusion | Tags) else None,
        calibration=seen.calibrated(draws),
        truncation=truncation_of(ledger, reading, seen.named),
        worst=seen.worst.items,
        rows=seen.rows,
        left_out=left_out or {},
        files={name: sha256(Path(name)) for name in files},
        digest=seen.digest.hexdigest(),
        examples=below(seen.kept),
        commonest=seen.sayings.commonest,
    )


class _Seen:
    """What is kept of the rows that were predicted so far."""

    def __init__(self, task: Task[Any, Any], worst: int) -> None:
        self.task = task
        self.judge = judge_of(task)
        self.evaluation = task.evaluation()
        self.calibration = Calibration()
        self.sayings = Sayings()
        self.worst = Worst(worst)
        self.digest = hashlib.sha256()
        self.rows = 0
        self.named: list[dict[str, Any]] = []
        self.kept: list[Rows] = []

    def take(self, rows: Sequence[Any], predictions: Sequence[Any], ledger: Ledger) -> None:
        """Take in some rows and what was predicted for each."""
        found = self.evaluation.take(*self.task.compare(rows, predictions))
        self.kept.append(_compact(found))
        self.named += named_rows(ledger.named[len(self.named) :], rows, self.rows)
        decisions = [self.judge.decisions(*pair) for pair in zip(rows, predictions, strict=True)]
        sure, right = map(np.concatenate, zip(*decisions, strict=True))
        if not np.isfinite(sure).all():
            raise InputError(
                "what the model says is not a number",
                expected="finite weights",
                fix="train it again with a lower learning rate, or copy it again",
            )
        self.calibration.add(sure, right, [len(one) for one, _ in decisions])
        for row, prediction in zip(rows, predictions, strict=True):
            self.worst.see(self.judge.badness(row, prediction), partial(self._show, row, prediction))
            self.sayings.add(self.judge.sayings(row, prediction))
            self.digest.update(line_of(row, self.judge.gold(row)))
        self.rows += len(rows)

    def _show(self, row: Any, prediction: Any) -> Shown:  # noqa: ANN401 (as the task has them)
        return {"file": str(row.file), "line": row.line, **self.judge.show(row, prediction)}

    def calibrated(self, draws: int) -> Calibrated | None:
        """Return how sure the model was and how often right, if it says how sure it is."""
        if not isinstance(self.task, Classify | Tag | Answer):
            return None
        error = self.calibration.estimate(draws=draws)
        bins = self.calibration.bins()
        return Calibrated(error.value, bins, self.task.temperature, error.low, error.high)


def named_rows(numbers: Sequence[int], rows: Sequence[Any], first: int = 0) -> list[dict[str, Any]]:
    """Return file and line, and the id of questions, by the numbers of rows; `first` is that of `rows[0]`."""
    found = []
    for number in numbers:
        row = rows[number - first]
        name = {"id": row.id} if isinstance(row, QuestionRow) else {}
        found.append({"number": number, "file": str(row.file), "line": row.line, **name})
    return found


def truncation_of(ledger: Ledger, reading: Reading, named: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what became of long texts, for JSON; `named` says where the first of them are."""
    return {
        "how": "windows" if ledger.windows else reading.long,
        "limit": reading.limit,
        **asdict(ledger),
        "named": named,
        "summary": ledger.summary(reading.limit),
    }


def _compact(rows: Rows) -> Rows:
    """Return whole numbers in the smallest type that holds them.

    Examples
    --------
    >>> _compact(np.array([[3, 200]])).dtype.name, _compact(np.array([[0.5]])).dtype.name
    ('uint8', 'float64')
    """
    if rows.dtype.kind not in "iu":
        return rows
    largest = rows.data.max(initial=0) if isinstance(rows, csr_array) else rows.max(initial=0)
    return rows.astype(np.min_scalar_type(int(largest)))
