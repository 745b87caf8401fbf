"""Whether a model is right as often as it says, and the temperature that makes it so."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike

from ambos.evaluate.bootstrap import Floats
from ambos.evaluate.estimate import Estimate

COLDEST, HOTTEST = 0.01, 100.0
_HALVINGS = 50
_TAIL = 0.025  # on either side of an interval
_GRID = 65  # temperatures that are tried, each 15 % above the one before


@dataclass(frozen=True)
class Bin:
    """Predictions of confidence above `low`, up to `high`: how sure on average, how many of them right."""

    low: float
    high: float
    count: int
    confidence: float
    accuracy: float

    def as_dict(self) -> dict[str, float | int]:
        """Return every field, for JSON."""
        return asdict(self)


class Calibration:
    """Predictions sorted by confidence into bins of equal width; only sums are kept.

    The expected calibration error (Naeini et al. 2015) is sum_b n_b / n |accuracy_b - confidence_b|.

    Chance makes gaps larger, never smaller: of few examples the error is too large, that of sets drawn from
    them larger still, and percentiles of these seldom hold the error of all examples that there could be.
    So its interval begins at the smallest error that this one may come from: all gaps are made smaller by
    one factor, as long as, with what chance adds to them, 2.5 % of sets or more have an error as large as
    this one; that is 0 where chance alone explains what is seen. It ends as far above the error as chance
    moves the sum of the gaps, each taken with its sign, in 2.5 % of sets, since gaps that change their sign
    make the error larger. What chance adds is what drawing examples adds, nearly normal: of each example's
    gaps in the bins and number of predictions only sums and products are kept.

    Examples
    --------
    >>> calibration = Calibration(bins=2)
    >>> calibration.add([0.9, 0.7, 0.4], [True, False, False])  # confidence, right or not
    >>> round(calibration.error, 3)  # 2/3 |0.5 - 0.8| + 1/3 |0 - 0.4|
    0.333
    """

    def __init__(self, bins: int = 15) -> None:
        self.edges = np.linspace(0.0, 1.0, bins + 1)
        self._sums = np.zeros((3, bins))  # predictions, their confidence, the right ones
        self._examples = 0
        self._products = np.zeros((bins + 1, bins + 1))  # of gaps and number of predictions, over examples

    def add(self, confidences: ArrayLike, correct: ArrayLike, sizes: Sequence[int] | None = None) -> None:
        """Take in the confidence (n,) of predictions, in [0, 1], and whether each is right (n,).

        `sizes` says how many of them each example has, in order; by default one.
        """
        sure, right = np.asarray(confidences, np.float64), np.asarray(correct, np.float64)
        if sure.ndim != 1 or sure.shape != right.shape:
            raise ValueError(f"expected two rows of one length, found shapes {sure.shape} and {right.shape}")
        if not np.all((sure >= 0) & (sure <= 1)):
            raise ValueError("a confidence is not between 0 and 1")
        place = np.searchsorted(self.edges[1:-1], sure)
        weights = (np.ones_like(sure), sure, right)
        bins = self._sums.shape[1]
        self._sums += [np.bincount(place, weight, bins) for weight in weights]
        counts = np.ones(len(sure), np.intp) if sizes is None else np.asarray(sizes, np.intp)
        owner = np.repeat(np.arange(len(counts)), counts)
        if len(owner) != len(sure):
            raise ValueError(f"{len(owner)} predictions in all examples, found {len(sure)}")
        gaps = np.bincount(owner * bins + place, right - sure, len(counts) * bins).reshape(len(counts), bins)
        each = np.column_stack([gaps, counts])
        self._products += each.T @ each
        self._examples += len(counts)

    @property
    def error(self) -> float:
        """The expected calibration error; 0 without predictions."""
        count, confidence, right = self._sums
        return float(np.abs(right - confidence).sum() / max(1.0, count.sum()))

    def estimate(self, *, draws: int = 1000, seed: int = 0) -> Estimate:
        """Return the expected calibration error with its 95 % interval."""
        error, (count, confidence, right) = self.error, self._sums
        if not error:
            return Estimate(error, error, error)
        total = np.append(right - confidence, count.sum())
        covariance = self._products - np.outer(total, total) / self._examples
        variances, directions = np.linalg.eigh(covariance)
        normal = np.random.default_rng(seed).normal(size=(draws, len(total)))
        chance = normal * np.sqrt(np.maximum(variances, 0)) @ directions.T
        gaps = total[:-1] / total[-1]
        noise = (chance[:, :-1] - gaps * chance[:, -1:]) / total[-1]
        noise = np.concatenate([noise, -noise])

        def errors(share: float) -> Floats:
            found: Floats = np.abs(share * gaps + noise).sum(1)
            return found

        least = 0.0  # by halving: the smaller the gaps, the fewer sets have so large an error
        if float(np.mean(errors(least) >= error)) < _TAIL:
            most = 1.0
            for _ in range(_HALVINGS):
                middle = (least + most) / 2
                few = float(np.mean(errors(middle) >= error)) < _TAIL
                least, most = (middle, most) if few else (least, middle)
        high = error + float(np.quantile(noise @ np.sign(gaps), 1 - _TAIL))
        return Estimate(error, error * least, min(1.0, high))

    def bins(self) -> list[Bin]:
        """Return the bins that hold something."""
        return [
            Bin(float(low), float(high), int(count), float(confidence / count), float(right / count))
            for low, high, count, confidence, right in zip(
                self.edges[:-1], self.edges[1:], *self._sums, strict=True
            )
            if count
        ]


def negative_log_likelihood(logits: ArrayLike, gold: ArrayLike, temperature: float = 1.0) -> float:
    """Return the mean of -log p(gold), where p = softmax(logits / temperature).

    Parameters
    ----------
    logits
        (n, C) for one of C classes each; (n, L) for any of L labels each, where p = sigmoid(logits / t).
    gold
        (n,) ids of the classes; (n, L) with 0 and 1 for labels.

    Examples
    --------
    >>> round(negative_log_likelihood([[0.1, 0.9]], [1]), 4)
    0.3711
    """
    scores, right = _of_gold(logits, gold)
    return _loss(scores, right, 1 / temperature)


def fit_temperature(logits: ArrayLike, gold: ArrayLike, *, spread: float | None = None) -> float:
    """Return the temperature T that makes the gold labels likeliest (Guo et al. 2017).

    In b = 1 / T the loss is convex, its slope the sum of E_p[z] - z_gold with p = softmax(b z); its root is
    found by halving. Where the loss falls without end (all right: colder; no better than chance: hotter)
    it is the end of the range from 0.01 to 100, and 1 where no temperature is better than that.

    Few examples can be right by luck, and would make a model sure of everything. With a `spread`, log T is
    expected to be normal around 0 with that deviation, and the likeliest T given the examples is returned:
    (log T)^2 / (2 spread^2) is added to the sum of the losses, which many examples outweigh. That sum may
    have two valleys, one near 1 and one where the examples want T to be: the deeper one is taken, as a grid
    in log T shows, and its bottom found by halving.

    Parameters
    ----------
    logits, gold
        As in `negative_log_likelihood`; of examples that the model was not trained on.
    spread
        How far from 1 temperatures are, before any example is seen; None: anywhere.

    Examples
    --------
    >>> round(fit_temperature([[2.0, 0.0]] * 4, [0, 0, 0, 1]), 3)  # 3 of 4: logits 2 / T = log 3
    1.82
    >>> luck = [[0.1, 0.0]] * 8, [0] * 7 + [1]
    >>> round(fit_temperature(*luck), 2), round(fit_temperature(*luck, spread=0.5), 2)
    (0.05, 0.93)
    """
    scores, right = _of_gold(logits, gold)
    weight = 0.0 if spread is None else 1 / spread**2
    low, high = 1 / HOTTEST, 1 / COLDEST
    if weight:
        grid = np.geomspace(low, high, _GRID)
        losses = [_loss(scores, right, one) * len(right) + weight * math.log(one) ** 2 / 2 for one in grid]
        best = int(np.argmin(losses))
        low, high = float(grid[max(0, best - 1)]), float(grid[min(_GRID - 1, best + 1)])
    for _ in range(_HALVINGS):
        middle = math.sqrt(low * high)
        if middle * _slope(scores, right, middle) + weight * math.log(middle) < 0:
            low = middle
        else:
            high = middle
    return 1 / low if _loss(scores, right, low) < _loss(scores, right, 1.0) else 1.0


def _of_gold(logits: ArrayLike, gold: ArrayLike) -> tuple[Floats, Floats]:
    """Return logits (N, C) with the largest of a row at 0, and the gold ones among them, (N,)."""
    scores, labels = np.asarray(logits, np.float64), np.asarray(gold)
    if scores.ndim != 2 or len(labels) != len(scores) or labels.shape not in (scores.shape, scores.shape[:1]):
        raise ValueError(
            f"logits of shape {scores.shape} and gold labels of {labels.shape} do not go together"
        )
    if labels.ndim == 2:  # sigmoid(z) is what softmax makes of (0, z)
        scores = np.stack([np.zeros(scores.size), scores.ravel()], axis=1)
    ids = labels.ravel().astype(np.intp)
    if not np.isfinite(scores).all() or np.any((ids < 0) | (ids >= scores.shape[1])):
        raise ValueError("a logit is not finite, or a gold label has none")
    scores = scores - scores.max(1, keepdims=True)
    return scores, scores[np.arange(len(ids)), ids]


def _loss(scores: Floats, right: Floats, inverse: float) -> float:
    return float((np.log(np.exp(inverse * scores).sum(1)) - inverse * right).sum() / max(1, len(right)))


def _slope(scores: Floats, right: Floats, inverse: float) -> float:
    weights = np.exp(inverse * scores)
    return float(((weights * scores).sum(1) / weights.sum(1) - right).sum())
