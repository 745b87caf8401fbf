"""A number for each text: regression by least squares."""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from ambos.data.examples import Examples, Labelled
from ambos.data.windows import Ledger
from ambos.evaluate.regression import Regression
from ambos.tasks.task import Logits, Reading, Task
from ambos.tasks.texts import TextOrPair, encode_texts, kept_pairs, mean_of_windows, pairs_in

LABELS = ("score",)
Numbers = TypeVar("Numbers", Tensor, Logits)


class Score(Task[TextOrPair, float]):
    """Squared error in units of the deviation of the training scores, so that any scale is learnt alike.

    From `begin` to `end`, while it learns, the head says (score - mean) / deviation; else the score itself.

    Parameters
    ----------
    mean, variance
        Of the training scores.
    pairs
        Whether rows are pairs of texts; None if it is not known.
    texts
        How many texts such a row has.

    Examples
    --------
    >>> Score(mean=2.5, variance=4.0).settings
    {'mean': 2.5, 'variance': 4.0}
    """

    name, head = "score", "classify"

    def __init__(
        self, mean: float = 0.0, variance: float = 1.0, *, pairs: bool | None = None, texts: int = 2
    ) -> None:
        self.pairs = pairs
        self.texts = texts
        self.mean = mean
        self.variance = variance
        self.learning = False

    @classmethod
    def of(cls, rows: Sequence[TextOrPair]) -> "Score":
        """Read mean and variance off training rows."""
        scores = np.array([row.score for row in rows], np.float64)
        pairs, texts = pairs_in(rows)
        return cls(float(scores.mean()), float(scores.var()) or 1.0, pairs=pairs, texts=texts)

    def begin(self) -> None:
        """Let a new head begin at the mean score, and learn deviations from it."""
        self.learning = True

    @torch.no_grad()
    def end(self, head: nn.Module) -> None:
        """Let a head that has learnt say scores: the scale becomes a part of its last layer."""
        if self.learning:
            out: Any = head.out
            out.bias.copy_(self._scores(out.bias))
            out.weight *= self.variance**0.5
            self.learning = False

    def _scores(self, outputs: Numbers) -> Numbers:
        """Return what outputs of the head mean."""
        return outputs * self.variance**0.5 + self.mean if self.learning else outputs

    def encode(
        self, rows: Sequence[TextOrPair], reading: Reading, ledger: Ledger, *, labelled: bool
    ) -> Examples:
        """Return the sequences of texts; a target is a number."""
        target = np.array([row.score for row in rows], np.float32) if labelled else None
        return encode_texts(rows, reading, ledger, target)

    def losses(self, logits: Tensor, part: Labelled) -> Tensor:
        """Return the squared error of each sequence, (n,)."""
        return (self._scores(logits[:, 0]) - part.targets["target"]).square() / self.variance

    def weights(self, part: Labelled) -> Tensor:
        """Return the weight of each sequence: one, divided among the windows of a text."""
        return part.targets["share"]

    def decode(self, logits: Logits, examples: Examples, rows: Sequence[TextOrPair]) -> list[float]:  # noqa: ARG002
        """Return the score of each text."""
        return [float(score) for score in self._scores(mean_of_windows(logits, examples)[:, 0])]

    def evaluation(self) -> Regression:
        """Return what takes in examples and gives the metrics."""
        return Regression()

    def compare(self, rows: Sequence[TextOrPair], predictions: Sequence[float]) -> tuple[Any, Any]:
        """Return two rows of numbers."""
        return np.array([row.score for row in rows], np.float64), np.asarray(predictions, np.float64)

    @property
    def main(self) -> str:
        """Whether the order is right."""
        return "spearman"

    @property
    def settings(self) -> dict[str, Any]:
        """What must be kept with the model to go on training it."""
        return {"mean": self.mean, "variance": self.variance, **kept_pairs(self.pairs, self.texts)}
