"""What evaluations share: examples come in batches, metrics have intervals, classes have a table."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from ambos.errors import InputError
from ambos.evaluate.bootstrap import Floats, Rows, Tally, bootstrap
from ambos.evaluate.estimate import Estimate
from ambos.evaluate.ratios import divide, f1


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

    def values(self) -> dict[str, float]:
        """Return every metric of all examples so far."""
        found = self.measure(self.tally.rows, self.tally.times)
        return {name: float(value[0]) for name, value in found.items()}

    def metrics(self, *, draws: int = 1000, seed: int = 0) -> dict[str, Estimate]:
        """Return every metric of all examples so far with its 95 % interval."""
        return bootstrap(self.tally, self.measure, draws=draws, seed=seed)


@dataclass(frozen=True)
class ClassScore:
    """How well one class is found: `support` examples have it."""

    label: str
    precision: float
    recall: float
    f1: float
    support: int

    def as_dict(self) -> dict[str, str | float | int]:
        """Return every field, for JSON."""
        return asdict(self)


class ClassEvaluation(Evaluation):
    """An evaluation that counts for each of L classes how often it is predicted, there, and both."""

    def __init__(self, labels: Sequence[str], tally: Tally) -> None:
        super().__init__(tally)
        self.labels = tuple(labels)

    @abstractmethod
    def count(self, rows: Rows, times: Floats) -> tuple[Floats, Floats, Floats]:
        """Return hits, predicted and gold, (b, L) each."""

    def reordered(self, rows: Rows, labels: Sequence[str]) -> Rows:
        """Return rows (n, d) that were made with the same labels in another order as this order has them.

        Here a row is one number or more for each label, L at a time: its columns change places.
        """
        places = [labels.index(name) for name in self.labels]
        groups = rows.reshape(len(rows), self.tally.width // len(places), len(places))
        return groups[:, :, places].reshape(rows.shape)

    def table(self) -> list[ClassScore]:
        """Return precision, recall, F1 and support of every class; what cannot be computed is 0."""
        hits, predicted, gold = (counts[0] for counts in self.count(self.tally.rows, self.tally.times))
        columns = (divide(hits, predicted), divide(hits, gold), f1(hits, predicted, gold))
        return [
            ClassScore(label, float(precision), float(recall), float(score), int(support))
            for label, precision, recall, score, support in zip(self.labels, *columns, gold, strict=True)
        ]


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
