"""Warnings that help: what the figures of a fine-tuning run say, in plain words, and what to try."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ambos.data.rows import Row
from ambos.data.tally_rows import Tally
from ambos.evaluate.estimate import Estimate
from ambos.runs.evaluation import Evaluated
from ambos.runs.forgetting import Forgotten

_ROSE = 1.25  # dev loss at the end, in units of its minimum, where the metric has not grown since
_ROSE_FAR = 1.5  # the same, whatever the metric says
_CLEARLY = 0.05  # dev loss: a rise below is noise, however large its share
_FELL = 0.9  # training loss at the end, in units of that when the dev loss was at its minimum
_GAP = 0.15  # of a metric between 0 and 1
_DOUBLED = log(2)  # nats: hidden tokens have become half as likely
_FEW = 0.1  # of what should be said beside the one thing that is said always
_LEAST = 3  # examples that should have got something else
_LEAK = 0.01  # of the rows of a split: a few short texts recur in most data sets
_OTHER_PACE = (
    "more epochs; a higher learning rate (--lr) if the training loss was still falling, a lower learning "
    "rate and a longer warm-up (--set schedule.warmup=0.2) if it was not"
)


@dataclass(frozen=True)
class Caution:
    """One warning.

    Parameters
    ----------
    kind
        leak, overfitting, gap, forgetting or collapse.
    what
        A sentence or two with the figures.
    advice
        What to try.
    """

    kind: str
    what: str
    advice: str

    def as_dict(self) -> dict[str, str]:
        """Return every field, for JSON."""
        return {"kind": self.kind, "what": self.what, "try": self.advice}


@dataclass(frozen=True)
class _Point:
    """A measurement: dev loss, mean training loss since the one before, how good it was, and when."""

    dev: float
    train: float
    good: float
    when: str


def overfitting(
    records: Sequence[Mapping[str, Any]], less_is_better: frozenset[str] = frozenset()
) -> Caution | None:
    """Warn if the training loss kept falling while the dev loss rose clearly above its minimum.

    The training loss at a measurement is the mean over the steps since the one before. A dev loss counts as
    risen if it ended 50 % above its minimum; 25 % are enough if the metric that decides did not gain by it.
    (A model that becomes surer loses more where it errs: while the metric still grows, a little of that is no
    harm.) Of the last two measurements the lower one counts, so that a single outlier says nothing.

    Parameters
    ----------
    records
        Those of `metrics.jsonl`, of kinds `train` and `dev`, in their order.
    less_is_better
        Metrics that are errors.

    Examples
    --------
    >>> train = [{"kind": "train", "step": step, "loss": 1 / step} for step in range(1, 5)]
    >>> dev = [
    ...     {"kind": "dev", "step": step, "epoch": step, "loss": loss, "metric": "f1", "f1": {"value": 0.5}}
    ...     for step, loss in enumerate([0.5, 0.4, 0.7, 0.9], 1)
    ... ]
    >>> records = [one for pair in zip(train, dev) for one in pair]
    >>> overfitting(records).kind, overfitting(records[:4])
    ('overfitting', None)
    """
    points = _course(records, less_is_better)
    if len(points) < 2:
        return None
    best = min(range(len(points)), key=lambda place: points[place].dev)
    lowest, last = points[best], points[-1]
    late = min((point.dev for point in points[max(best + 1, len(points) - 2) :]), default=lowest.dev)
    limit = lowest.dev * (_ROSE_FAR if last.good > lowest.good else _ROSE)
    if late <= max(limit, lowest.dev + _CLEARLY) or last.train > _FELL * lowest.train:
        return None
    return Caution(
        "overfitting",
        f"The dev loss was lowest at {lowest.when} ({lowest.dev:.3f}), and {last.dev:.3f} at the end, while "
        f"the training loss fell from {lowest.train:.3f} to {last.train:.3f}: the model went on to learn the "
        "training rows, not the task.",
        "early stopping (--patience 2) or fewer epochs (--epochs), more training rows, a lower learning rate "
        "(--lr), more dropout (--dropout 0.2), fewer layers that learn (--freeze)",
    )


def _course(records: Sequence[Mapping[str, Any]], less_is_better: frozenset[str]) -> list[_Point]:
    found: list[_Point] = []
    since: list[float] = []
    for record in records:
        if record["kind"] == "train":
            since.append(record["loss"])
        elif record["kind"] == "dev" and since and record["loss"] is not None:
            name = record["metric"]
            good = record[name]["value"] * (-1 if name in less_is_better else 1)
            when = f"step {record['step']:,}, epoch {record['epoch']:,}"
            found.append(_Point(record["loss"], float(np.mean(since)), good, when))
            since = []
    return found


def gap(metric: str, train: Estimate, dev: Estimate, rows: int) -> Caution | None:
    """Warn if a metric between 0 and 1 is much better on training rows than on dev rows, beyond chance.

    Much is 0.15 or more; beyond chance is two intervals that do not meet.

    Examples
    --------
    >>> gap("accuracy", Estimate(0.99, 0.98, 1.0), Estimate(0.97, 0.95, 0.98), 256)
    >>> gap("accuracy", Estimate(0.99, 0.98, 1.0), Estimate(0.71, 0.65, 0.77), 256).kind
    'gap'
    """
    if train.value - dev.value < _GAP or train.low <= dev.high:
        return None
    return Caution(
        "gap",
        f"The {metric.replace('_', ' ')} is {train.value:.3f} on {rows:,} of the training rows, and "
        f"{dev.value:.3f} on the dev rows: much of what was learnt holds for the training rows alone.",
        "more training rows, and rows more like those it shall be used for; more dropout (--dropout 0.2), "
        "fewer layers that learn (--freeze); look whether the dev rows are of the same kind (ambos doctor)",
    )


def forgetting(found: Forgotten) -> Caution | None:
    """Warn if the tokens that masked language modelling hides have become less than half as likely.

    That is a rise of the mean loss by log 2; the low end of its interval must be above.

    Examples
    --------
    >>> forgetting(Forgotten(2.0, 2.3, Estimate(0.3, 0.2, 0.4), 256, 1200))
    >>> forgetting(Forgotten(2.0, 3.5, Estimate(1.5, 1.3, 1.7), 256, 1200)).kind
    'forgetting'
    """
    rise = found.rise
    if rise.low <= _DOUBLED:
        return None
    return Caution(
        "forgetting",
        f"The base's masked-LM loss on the dev texts was {found.before:.2f} nats; with the tuned encoder "
        f"it is {found.after:.2f} (+{rise.value:.2f}, 95 % interval {rise.low:.2f} to {rise.high:.2f}): a "
        f"hidden token is {exp(rise.value):.1f} times less likely to be found.",
        "a lower learning rate (--lr), fewer epochs, slower lower layers (--layer-decay 0.9), or layers that "
        "stay as they are (--freeze)",
    )


def leak(train: Sequence[Row], **splits: Sequence[Row]) -> Caution | None:
    """Warn if a hundredth or more of the rows of a split have a text (or passage) that is learnt from.

    So, too, if those of `test` have one of `dev`, whose rows decide which weights are kept. Texts are
    compared as `ambos doctor` does: case and white space do not count.
    """
    learnt = Tally(train).shared
    texts = {name: Tally(rows).shared for name, rows in splits.items()}
    found = list(filter(None, (_shared(name, held, learnt) for name, held in texts.items())))
    said = []
    if found:
        said.append(
            f"{' and '.join(found)} have a text that is among the training rows: their figures flatter."
        )
    if {"dev", "test"} <= texts.keys() and (again := _shared("test", texts["test"], texts["dev"])):
        said.append(
            f"{again} have a text that is among the dev rows: the test figures are of rows that selected the "
            "weights."
        )
    if not said:
        return None
    return Caution("leak", " ".join(said), "take these rows out of one of the files; ambos doctor names them")


def _shared(name: str, held: NDArray[np.bytes_], other: NDArray[np.bytes_]) -> str:
    """Return how many rows of a split have what another holds; nothing of less than a hundredth of them."""
    again = int(np.isin(held, other).sum())
    return f"{again:,} of {len(held):,} {name} rows" if again and again >= _LEAK * len(held) else ""


def collapse(found: Evaluated) -> Caution | None:
    """Warn if a model says nearly always the same although it should not.

    Nearly: what else it says is at most a tenth of what else it should say, three examples or more. Of
    scores: their standard deviation is at most a tenth of what it should be.
    """
    if found.task in {"score", "embed"}:
        pairs = found.examples[:, :2].astype(np.float64)
        graded = pairs[~np.isnan(pairs[:, 0])]  # of others it is not known what they should be
        return _constant(*graded.std(0)) if len(graded) else None
    most = found.commonest
    if most is None:
        return None
    should, does = most.examples - most.gold, most.examples - most.said
    if should < _LEAST or does > _FEW * should:
        return None
    things, kind, more = {
        "classify": ("dev rows", "the label ", "weights that balance the labels (--class-weights balanced)"),
        "tag": (
            "words of the dev rows",
            "the tag ",
            "weights that balance the tags (--class-weights balanced)",
        ),
        "answer": ("questions of the dev rows", "", "more questions of the other kind to learn from"),
    }[found.task]
    return Caution(
        "collapse",
        f"Of {most.examples:,} {things}, {most.said / most.examples:.1%} get {kind}{most.what}, which is "
        f"right for {most.gold / most.examples:.1%}: the model says nearly always the same.",
        f"{_OTHER_PACE}, or {more}",
    )


def _constant(gold: float, said: float) -> Caution | None:
    if gold == 0 or said > _FEW * gold:
        return None
    return Caution(
        "collapse",
        f"The scores of the dev rows have a standard deviation of {gold:.3g}, those that the model gives "
        f"one of {said:.2g}: it says nearly always the same.",
        _OTHER_PACE,
    )
