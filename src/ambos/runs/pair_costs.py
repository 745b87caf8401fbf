"""What a model of pairs costs (latency, pairs a second, tokens read), and whether it minds their order."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import numpy as np

from ambos.data.rows import PairRow
from ambos.data.sequences import Layout
from ambos.evaluate.estimate import wilson
from ambos.evaluate.regression import Regression
from ambos.predict.model import Model
from ambos.tasks.classify import Classify

_ALONE = 30  # pairs that are asked for one at a time
_MANY = 512  # pairs that are asked for together
_GRID = 100  # texts of each side that are put beside each other
_WARM = 3


@dataclass(frozen=True)
class Costs:
    """What pairs cost.

    Parameters
    ----------
    latency
        Seconds of a pair that is asked for alone, median.
    pairs_per_second
        Of many pairs that have no text in common.
    grid_per_second
        Of the pairs of `grid` texts with as many others. A joint model reads each pair, so it is the same
        figure as for other pairs, measured with some of them.
    grid
        How many texts of each side.
    grid_tokens
        Tokens that the encoder reads for all these pairs.
    """

    latency: float
    pairs_per_second: float
    grid_per_second: float
    grid: int
    grid_tokens: int

    def as_dict(self) -> dict[str, Any]:
        """Return every field, for JSON."""
        return asdict(self)


def measure_costs(model: Model, rows: Sequence[PairRow], *, apart: bool) -> Costs:
    """Time a model with some pairs."""
    pairs = [(row.text_a, row.text_b) for row in rows[:_MANY]]
    model.predict(pairs[:_WARM])
    alone = [_seconds(model, [pair]) for pair in pairs[:_ALONE]]
    many = len(pairs) / _seconds(model, pairs)
    first = list(dict.fromkeys(first for first, _ in pairs))[:_GRID]
    second = list(dict.fromkeys(second for _, second in pairs))[: len(first)]
    first = first[: len(second)]
    count = len(first)
    if apart:
        began = time.perf_counter()
        sides = model.read(first), model.read(second)
        model.grid(*sides)
        spent = time.perf_counter() - began
        return Costs(median(alone), many, count**2 / spent, count, sum(side.tokens for side in sides))
    step = max(1, count * count // _MANY)
    some = [(first[place // count], second[place % count]) for place in range(0, count * count, step)]
    rate = len(some) / _seconds(model, some)
    return Costs(median(alone), many, rate, count, joint_tokens(model, first, second))


def _seconds(model: Model, pairs: list[tuple[str, str]]) -> float:
    began = time.perf_counter()
    model.predict(pairs)
    return time.perf_counter() - began


def joint_tokens(model: Model, first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many tokens a joint model reads for every text of one list with every one of another.

    Examples
    --------
    >>> joint_tokens(model, ["um gato"], ["a cat", "a dog"])  # doctest: +SKIP
    14
    """
    tokenizer, limit = model.tokenizer, model.reading().limit
    special = sum(tokenizer.around)
    a, b = (
        np.array([len(ids) - special for ids in tokenizer.ids_batch(list(side))]) for side in (first, second)
    )
    around = -Layout.of(tokenizer).room(0, texts=2)
    return int(np.minimum(a[:, None] + b[None] + around, limit).sum())


def measure_swapped(parts: Iterable[tuple[Model, Sequence[PairRow]]]) -> dict[str, float]:
    """Return whether models say other things of the same pairs with their texts exchanged.

    Of labels, the share of pairs that get another one, with its 95 % interval; of scores, the mean
    difference and the correlation of the two.

    Parameters
    ----------
    parts
        A model with the pairs that it is asked for; in cross-validation one for each fold.
    """
    said: list[Any] = []
    swapped: list[Any] = []
    labels = False
    for model, rows in parts:
        said += model.predict([(row.text_a, row.text_b) for row in rows])
        swapped += model.predict([(row.text_b, row.text_a) for row in rows])
        labels = isinstance(model.learnt, Classify)
    if labels:
        other = np.mean([one.labels != two.labels for one, two in zip(said, swapped, strict=True)])
        low, high = wilson(float(other), len(said))
        return {"changed": float(other), "low": low, "high": high}
    one, two = np.asarray(said, np.float64), np.asarray(swapped, np.float64)
    regression = Regression()
    regression.add(one, two)
    found = regression.values()
    return {"mean_difference": found["mae"], "correlation": found["pearson"]}
