"""What evaluations share: examples come in batches, metrics have intervals, classes have a table."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from ambos.errors import InputError
from ambos.evaluate.bootstrap import Floats, Tally, bootstrap, intervals
from ambos.evaluate.estimate import Estimate
from ambos.evaluate.ratios import divide, f1
from ambos.evaluate.sparse_rows import Rows


class Evaluation(ABC):
    """Examples in, metrics out.

    Subclasses turn n examples into `rows`, (n, d) numbers that say all that their metrics ask of an example;
    `add` puts them in the tally. What two systems are compared by is the rows of each (`comparison.py`).

    Parameters
    ----------
    tally
        Empty, as wide as the rows.
    """

    less_is_better: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, tally: Tally) -> None:
        self.tally = tally

    @abstractmethod
    def rows(self, gold: Any, predicted: Any) -> Rows:  # noqa: ANN401 (each kind has its own)
        """Return n examples as rows (n, d)."""

    def add(self, gold: Any, predicted: Any) -> None:  # noqa: ANN401
        """Take in n examples."""
        self.take(gold, predicted)

    def take(self, gold: Any, predicted: Any) -> Rows:  # noqa: ANN401
        """Take in n examples; return their rows."""
        rows = self.rows(gold, predicted)
        self.tally.add(rows)
        return rows

    @abstractmethod
    def measure(self, rows: Rows, times: Floats) -> dict[str, Floats]:
        """Return the metrics (b,) of b sets of examples: distinct rows (k, d), times each occurs (b, k)."""

    def unitless(self, rows: Rows) -> Mapping[str, Rows]:  # noqa: ARG002
        """Return rows (n, d) of one system in a unit that all systems have, for metrics that ask for none.

        For a test these rows are exchanged between systems (`comparison.py`): a mixture of cosines and scores
        would say little of either.
        """
        return {}

    def values(self) -> dict[str, float]:
        """Return every metric of all examples so far."""
        found = self.measure(self.tally.rows, self.tally.times)
        return {name: float(value[0]) for name, value in found.items()}

    def metrics(self, *, draws: int = 1000, seed: int = 0) -> dict[str, Estimate]:
        """Return every metric of all examples so far with its 95 % interval."""
        return bootstrap(self.tally, self.measure, draws=draws, seed=seed)

    def metrics_and_table(
        self, *, draws: int = 1000, seed: int = 0
    ) -> tuple[dict[str, Estimate], list["ClassScore"]]:
        """Return the metrics, and how well each class is found, if there are classes, with intervals."""
        return self.metrics(draws=draws, seed=seed), []


@dataclass(frozen=True)
class ClassScore:
    """How well one class is found: `support` examples have it.

    `intervals` are the ends of the 95 % intervals of precision, recall and F1, by these names, if they were
    asked for. A drawn set without the class has 0, so that they are wide for a class that is rare.
    """

    label: str
    precision: float
    recall: float
    f1: float
    support: int
    intervals: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return every field, for JSON; `intervals` if there are any."""
        found = asdict(self)
        if not self.intervals:
            del found["intervals"]
        return found


Counts = tuple[Floats, Floats, Floats]
"""Of each class hits, predicted and gold, (b, L) each."""


class ClassEvaluation(Evaluation):
    """An evaluation that counts for each of L classes how often it is predicted, there, and both."""

    before = 0  # numbers of a row that stand before those of the classes

    def __init__(self, labels: Sequence[str], tally: Tally) -> None:
        super().__init__(tally)
        self.labels = tuple(labels)

    @abstractmethod
    def count(self, rows: Rows, times: Floats) -> Counts:
        """Return hits, predicted and gold, (b, L) each."""

    def reordered(self, rows: Rows, labels: Sequence[str]) -> Rows:
        """Return rows (n, d) that were made with the same labels in another order as this order has them.

        Here a row is `before` numbers, and then one or more for each label, L at a time: their columns
        change places.
        """
        places = np.array([labels.index(name) for name in self.labels])
        begins = range(self.before, rows.shape[1], len(places))
        return rows[:, np.concatenate([np.arange(self.before), *(begin + places for begin in begins)])]

    @abstractmethod
    def summary(self, counts: Counts, rows: Rows, times: Floats) -> dict[str, Floats]:
        """Return the metrics (b,), from counts and what they were counted from."""

    def measure(self, rows: Rows, times: Floats) -> dict[str, Floats]:
        """Return the metrics (b,) of b sets of examples."""
        return self.summary(self.count(rows, times), rows, times)

    def table(self) -> list[ClassScore]:
        """Return precision, recall, F1 and support of every class; what cannot be computed is 0."""
        hits, predicted, gold = self.count(self.tally.rows, self.tally.times)
        columns = (figures[0].tolist() for figures in _by_class(hits, predicted, gold).values())
        supports = gold[0].astype(int).tolist()
        return [ClassScore(*row) for row in zip(self.labels, *columns, supports, strict=True)]

    def metrics_and_table(
        self, *, draws: int = 1000, seed: int = 0
    ) -> tuple[dict[str, Estimate], list[ClassScore]]:
        """Return what `metrics` and `table` do, both with 95 % intervals, from the same draws.

        Examples
        --------
        >>> from ambos.evaluate.classification import Confusion
        >>> confusion = Confusion(["no", "yes"])
        >>> confusion.add([0, 1] * 50, [0, 1] * 40 + [1, 1] * 10)
        >>> no = confusion.metrics_and_table()[1][0]
        >>> no.recall, {name: round(end, 2) for name, end in no.intervals["recall"].items()}
        (0.8, {'low': 0.68, 'high': 0.9})
        """

        def measure(rows: Rows, times: Floats) -> dict[str, Floats]:
            counts = self.count(rows, times)
            figures = _by_class(*counts)
            return self.summary(counts, rows, times) | {_OF_CLASS + name: figures[name] for name in figures}

        found = intervals(self.tally, measure, draws=draws, seed=seed)
        ends = {name: found.pop(_OF_CLASS + name)[1:] for name in _FIGURES}
        table = [
            replace(
                score,
                intervals={
                    name: {"low": float(low[number]), "high": float(high[number])}
                    for name, (low, high) in ends.items()
                },
            )
            for number, score in enumerate(self.table())
        ]
        return {name: Estimate(*map(float, one)) for name, one in found.items()}, table


_OF_CLASS = "of each class: "  # before names that metrics have too
_FIGURES = ("precision", "recall", "f1")


def _by_class(hits: Floats, predicted: Floats, gold: Floats) -> dict[str, Floats]:
    figures = (divide(hits, predicted), divide(hits, gold), f1(hits, predicted, gold))
    return dict(zip(_FIGURES, figures, strict=True))


def check_sentences(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> None:
    """Raise if sentences have not one predicted tag for every gold tag."""
    if len(gold) != len(predicted):
        raise ValueError(f"gold tags of {len(gold)} sentences, predicted tags of {len(predicted)}")
    for number, (there, said) in enumerate(zip(gold, predicted, strict=True)):
        if len(there) != len(said):
            raise InputError(
                "a sentence has not one predicted tag for every gold tag",
                expected=f"{len(there)} predicted tags",
                found=f"{len(said)}, in sentence {number} (the first is 0)",
                fix="tag every word, also those that the model does not read",
            )


def macro_of_seen(hits: Floats, predicted: Floats, gold: Floats) -> Floats:
    """Return the mean F1, (b,), of the classes that occur, in the gold or in the predicted labels."""
    seen = predicted + gold > 0
    return divide(f1(hits, predicted, gold).sum(1), seen.sum(1).astype(np.float64))
