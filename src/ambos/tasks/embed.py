"""Similarity of two texts: the cosine of their vectors, learnt from pairs that belong together, or scores."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from ambos.data.examples import Examples, Labelled
from ambos.data.rows import PairRow
from ambos.data.windows import Ledger
from ambos.errors import InputError, UsageError
from ambos.evaluate.regression import Regression
from ambos.evaluate.retrieval import Retrieval, ranks
from ambos.suggest import did_you_mean
from ambos.tasks.task import Logits, Reading, Task
from ambos.tasks.texts import encode_texts

Contrast = Literal["in-batch", "cosine", "order"]


class Embed(Task[PairRow, float]):
    """Vectors whose cosine tells how alike two texts are.

    in-batch
        softmax over the batch: scale * cos(a_i, b_j) shall be largest where j = i (Henderson et al. 2017); of
        each pair the others' second texts are negatives. Left out are texts that are the same as one of its
        own, and those that another pair says belong to the same first text.
    cosine
        (cos(a, b) - score)^2, scores brought to the range from 0 to 1.
    order
        log(1 + sum of exp(scale * (cos_j - cos_i))) over all pairs i, j of a step of which i has the higher
        score (CoSENT, Su 2022): cosines shall have the order of the scores, whatever their values.

    Parameters
    ----------
    contrast
        Which of the three.
    positive
        Label of the pairs that belong together, where rows have labels. Pairs without label and score do.
    low, high
        Of the training scores: what a cosine of 0 and of 1 stand for.
    scale
        Cosines are multiplied by it before the softmax.
    graded
        Whether rows say how alike texts are; otherwise, only that they belong together.

    Examples
    --------
    >>> Embed().cosines(np.array([[1.0, 0.0, 1.0, 1.0]], np.float32)).round(4).tolist()
    [0.7071]
    """

    name, head = "embed", "embed"
    pairs: bool | None = True

    def __init__(
        self,
        contrast: Contrast = "cosine",
        *,
        positive: str | None = None,
        low: float = 0.0,
        high: float = 1.0,
        scale: float = 20.0,
        graded: bool = True,
    ) -> None:
        self.contrast: Contrast = contrast
        self.positive = positive
        self.low, self.high = low, high
        self.scale = scale
        self.graded = graded
        self.whole_steps = contrast != "cosine"
        self.whole_sets = self.ranks

    @property
    def ranks(self) -> bool:
        """Whether other pairs are negatives, so that what counts is where a text stands among all."""
        return self.contrast == "in-batch"

    @classmethod
    def of(
        cls, rows: Sequence[PairRow], contrast: Contrast | None, positive: str | None, scale: float
    ) -> "Embed":
        """Read off training rows what is learnt: the range of scores, and in-batch or cosine by default."""
        scores = [row.score for row in rows if row.score is not None]
        low, high = (min(scores), max(scores)) if scores else (0.0, 1.0)
        chosen: Contrast = contrast or ("cosine" if scores else "in-batch")
        bare = not scores and not any(row.labels for row in rows)
        if positive is not None and len(scores) == len(rows) > 0:
            raise UsageError(
                "the pairs have scores, which say how alike they are, and no labels that could be positive",
                expected="no positive label, or a column of labels",
                found=f"pair.positive = {positive}",
                fix="leave --positive out, or name the column: --label COLUMN (docs/pairs.md)",
            )
        task = cls(chosen, positive=positive, low=low, high=high, scale=scale, graded=not bare)
        if rows and bare and chosen != "in-batch":
            raise InputError(
                "the pairs have neither scores nor labels: there is nothing that a cosine should equal",
                expected="a column of scores, or of labels",
                fix="name it: --score COLUMN; or learn from other pairs as negatives, pair.contrast=in-batch",
                file=rows[0].file,
            )
        labels = sorted({label for row in rows for label in row.labels})
        unknown = positive is not None and positive not in labels
        if rows and (unknown or not any(task.learns_from(row) for row in rows)):
            raise InputError(
                "there are no pairs that belong together",
                expected="scores in the upper half"
                if positive is None
                else f"rows with the label {positive}",
                found=", ".join(labels[:8]) or "none",
                fix="leave --positive out, or name the column of labels: --label COLUMN"
                if bare
                else did_you_mean(positive or "", labels) or "--positive LABEL",
                file=rows[0].file,
            )
        return task

    def learns_from(self, row: PairRow) -> bool:
        """With other pairs as negatives only from pairs that belong together, else from all."""
        return not self.ranks or self._likeness(row) > 0.5

    def encode(
        self, rows: Sequence[PairRow], reading: Reading, ledger: Ledger, *, labelled: bool
    ) -> Examples:
        """Return the texts as sequences of their own; a target is what the cosine should be, from 0 to 1."""
        target = self.likeness(rows).astype(np.float32) if labelled else None
        return encode_texts(rows, reading, ledger, target)

    def likeness(self, rows: Sequence[PairRow]) -> np.ndarray:
        """Return how alike the texts of each pair are said to be, (rows,) float64, from 0 to 1."""
        return np.array([self._likeness(row) for row in rows], np.float64)

    def _likeness(self, row: PairRow) -> float:
        if row.score is not None:
            return (row.score - self.low) / (self.high - self.low or 1.0)
        if not row.labels:
            return 1.0
        if self.positive is None:
            raise InputError(
                "the pairs have labels, and it is not said which label means that two texts belong together",
                expected="the name of a label",
                found=", ".join(row.labels) or "no label",
                fix="train with --positive LABEL; to evaluate a model that was trained without, take pairs "
                "with scores (--score COLUMN), or without the column of labels",
                file=row.file,
                line=row.line,
            )
        return float(self.positive in row.labels)

    def losses(self, logits: Tensor, part: Labelled) -> Tensor:
        """Return the loss of each pair, (n,); `logits` are the vectors of both texts, (n, 2 width)."""
        first, second = (F.normalize(side, dim=-1) for side in logits.chunk(2, dim=-1))
        if not self.ranks:
            cosines, target = (first * second).sum(-1), part.targets["target"]
            if self.contrast == "cosine":
                return (cosines - target).square()
            return _out_of_order(self.scale * cosines, target).expand(len(cosines))
        scores = self.scale * first @ second.T
        if part.places is not None:
            scores = scores.masked_fill(_no_negatives(part.places), float("-inf"))
        return F.cross_entropy(scores, torch.arange(len(scores), device=scores.device), reduction="none")

    def weights(self, part: Labelled) -> Tensor:
        """Return 1 for each pair that is learnt from."""
        return part.targets["share"]

    def cosines(self, logits: Logits) -> np.ndarray:
        """Return the cosine of each pair, (n,) float64."""
        first, second = np.split(logits.astype(np.float64), 2, axis=-1)
        lengths = np.linalg.norm(first, axis=-1) * np.linalg.norm(second, axis=-1)
        return np.asarray((first * second).sum(-1) / np.maximum(lengths, 1e-12))

    def decode(self, logits: Logits, examples: Examples, rows: Sequence[PairRow]) -> list[float]:  # noqa: ARG002
        """Return the cosine of each pair."""
        return self.cosines(logits).tolist()

    def decode_measured(self, logits: Logits, examples: Examples, rows: Sequence[PairRow]) -> Sequence[float]:
        """Return cosines; where other pairs are negatives, each with the rank that it gives (`Ranked`)."""
        cosines = self.cosines(logits)
        if not self.ranks or examples.sides is None:
            return cosines.tolist()
        together = self.likeness(rows) > 0.5
        first, second = np.split(logits, 2, axis=-1)
        found = ranks(first, second, examples.sides, together)
        return [Ranked(*pair) for pair in zip(cosines, found, strict=True)]

    def evaluation(self) -> Regression | Retrieval:
        """Return what takes in examples and gives the metrics."""
        return Retrieval(graded=self.graded) if self.ranks else Regression()

    def metrics_of(self, rows: Sequence[PairRow]) -> list[str]:
        """Return their names: some are for rows with labels or scores."""
        evaluation = self.evaluation()
        if rows:
            evaluation.add(*self.compare(rows, [0.0] * len(rows)))
        return list(evaluation.values())

    def compare(self, rows: Sequence[PairRow], predictions: Sequence[float]) -> tuple[Any, Any]:
        """Return two rows of numbers, both from 0 to 1 where texts are as alike as they can be.

        Where other pairs are negatives the second has ranks, too, and the first NaN for pairs without label
        and score.
        """
        if not self.ranks:
            return self.likeness(rows), np.asarray(predictions, np.float64)
        ranked = [(one, one.rank if isinstance(one, Ranked) else 0.0) for one in predictions]
        said = [row.score is not None or bool(row.labels) for row in rows]
        return np.where(said, self.likeness(rows), np.nan), np.asarray(ranked, np.float64)

    @property
    def main(self) -> str:
        """Whether the order of pairs is right; where others are negatives, whether texts are found."""
        return "mrr" if self.ranks else "spearman"

    @property
    def settings(self) -> dict[str, Any]:
        """What must be kept with the model to measure it in the same way."""
        kept = {"contrast": self.contrast, "positive": self.positive, "low": self.low, "high": self.high}
        return kept if self.graded else {**kept, "graded": False}


class Ranked(float):
    """A cosine, and where it puts the second text of a pair among those of all pairs; 0, nowhere."""

    rank: float

    def __new__(cls, cosine: float, rank: float) -> "Ranked":
        """Return the cosine with its rank."""
        found = super().__new__(cls, cosine)
        found.rank = float(rank)
        return found


def _out_of_order(cosines: Tensor, target: Tensor) -> Tensor:
    """Return log(1 + sum of exp(c_j - c_i) over all i, j with t_i > t_j), a scalar; both are (n,).

    Examples
    --------
    >>> found = _out_of_order(torch.tensor([1.0, 0.0, 2.0]), torch.tensor([0.2, 0.9, 0.9]))
    >>> round(float(found), 4)  # log(1 + e^(1 - 0) + e^(1 - 2))
    1.4076
    """
    apart = cosines - cosines[:, None]  # c_j - c_i at [i, j]
    wanted = target[:, None] > target
    none = cosines.new_zeros(1)
    return torch.logsumexp(torch.cat([none, apart[wanted]]), 0)


def _no_negatives(texts: Tensor) -> Tensor:
    """Tell which candidates b_j are no negatives of a_i, (n, n); `texts` are numbers of texts, (n, 2).

    Those that are a right answer, since a pair of the batch has the texts (a_i, b_j); and a_i itself, whose
    cosine is 1 whatever is learnt.

    Examples
    --------
    >>> _no_negatives(torch.tensor([[0, 1], [0, 2], [1, 0]])).int().tolist()  # (x, y), (x, z), (y, x)
    [[0, 1, 1], [1, 0, 1], [1, 0, 0]]
    """
    first, second = texts.unbind(1)
    same_first, same_second = (side[:, None] == side for side in (first, second))
    right = (same_first.float() @ same_second.float()) > 0
    return (right | (first[:, None] == second)).fill_diagonal_(fill_value=False)
