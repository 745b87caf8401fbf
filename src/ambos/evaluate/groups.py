"""Which of several ways of training is better, where each was trained with several seeds."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from ambos.evaluate.bootstrap import Floats, resampled
from ambos.evaluate.comparison import Comparison, holm, pairs_of
from ambos.evaluate.estimate import Difference, Estimate
from ambos.evaluate.evaluation import Evaluation
from ambos.evaluate.sparse_rows import Rows, parted


def compare_groups(
    evaluation: Evaluation,
    groups: Mapping[str, Sequence[Rows | ArrayLike]],
    metric: str,
    *,
    against: str | None = None,
    draws: int = 1000,
    seed: int = 0,
) -> list[Comparison]:
    """Compare the means of groups of runs by a metric, every pair, in the order given.

    A difference of means is uncertain in two ways, which add up: other examples would have given another one
    (its variance over draws of examples, the same for all runs, v_e), and so would other seeds (s_1^2 / n_1
    and s_2^2 / n_2, of n_1 and n_2 runs). So

        difference -+ t sqrt(v_e + s_1^2 / n_1 + s_2^2 / n_2),

    with Student's t at the degrees of freedom of Welch and Satterthwaite, v_e being known. Two runs know
    little of s: where seeds differ much more than examples tell, p is then too small; three will do. p-values
    are corrected by Holm's method for all pairs, also where only those with one group are compared
    (`against`, as in `compare`).

    Parameters
    ----------
    groups
        Of each group, by its name, the `evaluation.rows` (n, d) of its runs, all of the same examples in the
        same order. A group of one is taken for a system without luck, which any seed would have given.

    Examples
    --------
    >>> from ambos.evaluate.classification import Confusion
    >>> confusion, gold = Confusion(["no", "yes"]), [0, 1] * 100
    >>> good = [confusion.rows(gold, gold[:-number] + [0] * number) for number in (4, 8)]
    >>> poor = [confusion.rows(gold, gold[:-number] + [0] * number) for number in (90, 96)]
    >>> compare_groups(confusion, {"A": good, "B": poor}, "accuracy")[0].better
    'A'
    """
    runs = {name: list(found) for name, found in groups.items()}
    every = [rows for found in runs.values() for rows in found]
    values, drawn = _measured(evaluation, every, metric, draws, seed)
    ends = np.cumsum([0, *map(len, runs.values())])
    places = {name: slice(*ends[number : number + 2]) for number, name in enumerate(runs)}
    pairs, possible = pairs_of(runs, against), len(runs) * (len(runs) - 1) // 2
    found = [
        _difference(
            values[places[one]],
            values[places[two]],
            float(np.var(drawn[:, places[one]].mean(1) - drawn[:, places[two]].mean(1), ddof=1)),
        )
        for one, two in pairs
    ]
    return [
        Comparison(metric, *pair, difference, p, metric in evaluation.less_is_better)
        for pair, difference, p in zip(pairs, found, holm([one.p for one in found], of=possible), strict=True)
    ]


def group_mean(
    evaluation: Evaluation,
    runs: Sequence[Rows | ArrayLike],
    metric: str,
    *,
    draws: int = 1000,
    seed: int = 0,
) -> Estimate:
    """Return the mean of a metric over the runs of a group, with its 95 % interval.

    Like that of a difference it counts the doubt about examples as well as about seeds: runs that happen to
    agree are no surer than their examples.

    Examples
    --------
    >>> from ambos.evaluate.classification import Confusion
    >>> confusion = Confusion(["no", "yes"])
    >>> found = group_mean(confusion, [confusion.rows([0, 1] * 50, [0] * 100)] * 3, "accuracy")
    >>> found.value, round(found.high - found.low, 1)  # 2 x 1.96 x 0.05
    (0.5, 0.2)
    """
    values, drawn = _measured(evaluation, runs, metric, draws, seed)
    found = _difference(values, np.zeros(1), float(np.var(drawn.mean(1), ddof=1)))
    return Estimate(found.value, found.low, found.high)


def _measured(
    evaluation: Evaluation, runs: Sequence[Rows | ArrayLike], metric: str, draws: int, seed: int
) -> tuple[Floats, Floats]:
    """Return the metric of every run, (runs,), and for each draw of examples, one for all, (draws, runs)."""
    tally, together = evaluation.tally.beside(runs)
    tally.add(together)
    columns = parted(tally.rows, len(runs))

    def measured(times: Floats) -> Floats:
        return np.stack([evaluation.measure(rows, times)[metric] for rows in columns], axis=1)

    sets = resampled(tally.counts, draws, np.random.default_rng(seed), width=tally.width)
    return measured(tally.times)[0], np.concatenate([measured(times) for times in sets])


def _difference(one: Floats, two: Floats, by_examples: float) -> Difference:
    """Return the difference of two means, its 95 % interval, and the chance of so large a one by chance."""
    value = float(one.mean() - two.mean())
    several = [values for values in (one, two) if len(values) > 1]
    by_seeds = [float(values.var(ddof=1)) / len(values) for values in several]
    variance = by_examples + sum(by_seeds)
    if not variance:
        return Difference(value, value, value, p=float(value == 0))
    doubt = sum(part**2 / (len(values) - 1) for part, values in zip(by_seeds, several, strict=True))
    freedom = min(variance**2 / doubt, 1e6) if doubt else 1e6
    half = float(stdtrit(freedom, 0.975)) * math.sqrt(variance)
    p = 2 * float(stdtr(freedom, -abs(value) / math.sqrt(variance)))
    return Difference(value, value - half, value + half, p=p)
