"""Which of several systems is better on the same examples, and whether that can be told at all."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from ambos.errors import InputError, UsageError
from ambos.evaluate.bootstrap import Floats, paired
from ambos.evaluate.estimate import Difference
from ambos.evaluate.evaluation import Evaluation
from ambos.evaluate.sparse_rows import Rows

LEVEL = 0.05
_ENOUGH = 100  # draws as large as a difference, after which its p is known to a tenth
_EXCHANGES = 100  # for each pair that p is corrected for: no p is below 1 / (1 + draws)


@dataclass(frozen=True)
class Comparison:
    """Two systems by one metric.

    Parameters
    ----------
    metric
        Its name.
    first, second
        The systems.
    difference
        What the first has more than the second; its `p` is that of this pair alone.
    p
        The same, corrected for all pairs of systems.
    less_is_better
        For errors.
    """

    metric: str
    first: str
    second: str
    difference: Difference
    p: float
    less_is_better: bool = False

    @property
    def better(self) -> str | None:
        """The better system, if test and interval agree that there is one."""
        if self.p >= LEVEL or self.difference.low <= 0 <= self.difference.high:
            return None
        return self.first if (self.difference.value > 0) != self.less_is_better else self.second

    @property
    def words(self) -> str:
        """The verdict. Errors are in their own unit, all else in hundredths.

        >>> Comparison("macro_f1", "A", "B", Difference(-0.018, -0.031, -0.004, 0.01), 0.01).words
        'B is better: +1.8 [0.4, 3.1]'
        """
        sign = -1 if self.better == self.second else 1
        unit = 1 if self.less_is_better else 100
        ends = (self.difference.low, self.difference.high)
        value, low, high = (sign * unit * x for x in (self.difference.value, *ends[::sign]))
        digits = "z.3g" if self.less_is_better else "z.1f"  # z: no -0.0
        shown = f"{value:+{digits}} [{low:{digits}}, {high:{digits}}]"
        return f"{self.better} is better: {shown}" if self.better else f"no difference to be seen: {shown}"

    def as_dict(self) -> dict[str, object]:
        """Return fields and verdict, for JSON."""
        return {
            "metric": self.metric,
            "first": self.first,
            "second": self.second,
            "difference": self.difference.as_dict(),
            "p": self.p,
            "better": self.better,
            "words": self.words,
        }


def compare(
    evaluation: Evaluation,
    runs: Mapping[str, Rows | ArrayLike],
    *,
    against: str | None = None,
    metric: str | None = None,
    draws: int = 1000,
    seed: int = 0,
) -> list[Comparison]:
    """Compare every pair of systems by every metric, pairs in the order given.

    With several pairs the p-values of a metric are corrected by Holm's method. Metrics are not corrected for
    one another: decide beforehand which one counts.

    Parameters
    ----------
    evaluation
        Knows the metrics; what was added to it does not matter.
    runs
        For each system its `evaluation.rows` (n, d), of the same examples in the same order. Correlations
        are tested in a unit that all systems have, whatever units they answer in.
    against
        Compare the others with this system only, which comes second in its pairs: the best, say. It was
        chosen by these examples, so any pair could have been looked at, and p is corrected for all of them.
    metric
        Compare by this one only.

    Examples
    --------
    >>> from ambos.evaluate.classification import Confusion
    >>> confusion, gold = Confusion(["no", "yes"]), [0, 1] * 50
    >>> runs = {"A": confusion.rows(gold, gold), "B": confusion.rows(gold, [0] * 100)}
    >>> compare(confusion, runs)[0].words
    'A is better: +50.0 [40.0, 60.0]'
    """
    rows = {name: evaluation.tally.taken(given) for name, given in runs.items()}
    if len(rows) < 2:
        raise UsageError("a comparison takes two systems or more", found=", ".join(rows) or "none")
    sizes = {name: given.shape[0] for name, given in rows.items()}
    if len(set(sizes.values())) > 1:
        raise InputError(
            "the systems were not measured on the same examples",
            expected="predictions for the same examples, in the same order",
            found=", ".join(f"{size} for {name}" for name, size in sizes.items()),
        )
    pairs = pairs_of(rows, against)
    possible = len(rows) * (len(rows) - 1) // 2

    exchanges = max(draws, _EXCHANGES * possible)

    def beside(one: Rows, other: Rows, only: str | None) -> dict[str, Difference]:
        def measure(distinct: Rows, times: Floats) -> dict[str, Floats]:
            measured = evaluation.measure(distinct, times)
            return measured if only is None else {only: measured[only]}

        tally, together = evaluation.tally.beside([one, other])
        tally.add(together)
        return paired(tally, measure, draws=draws, exchanges=exchanges, enough=_ENOUGH, seed=seed)

    unitless = {name: evaluation.unitless(given) for name, given in rows.items()}
    found = []
    for one, other in pairs:
        scaled = [name for name in unitless[one] if metric in (None, name)]
        found.append({} if metric in scaled else beside(rows[one], rows[other], metric))
        for name in scaled:
            found[-1] |= beside(unitless[one][name], unitless[other][name], name)
    return [
        Comparison(name, *pair, differences[name], p, name in evaluation.less_is_better)
        for name in found[0]
        for pair, differences, p in zip(
            pairs, found, holm([one[name].p for one in found], of=possible), strict=True
        )
    ]


def pairs_of(names: Iterable[str], against: str | None) -> list[tuple[str, str]]:
    """Return the pairs that are compared: all, or all with one, which comes second.

    >>> pairs_of("abc", None), pairs_of("abc", "b")
    ([('a', 'b'), ('a', 'c'), ('b', 'c')], [('a', 'b'), ('c', 'b')])
    """
    if against is None:
        return list(combinations(names, 2))
    return [(name, against) for name in names if name != against]


def holm(p: Sequence[float], of: int | None = None) -> list[float]:
    """Return p-values corrected for their number (Holm 1979): the i-th smallest of m times m - i, from i = 0.

    With `of`, these are some of so many tests. The others, which are not known, could only come between and
    make the factors smaller: without them the correction is a little too careful, never too bold.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    >>> holm([0.01, 0.04], of=3)
    [0.03, 0.08]
    """
    count = len(p) if of is None else of
    order = np.argsort(p)
    steps = np.asarray(p, np.float64)[order] * np.arange(count, count - len(p), -1)
    found = np.empty(len(p))
    found[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return [float(one) for one in found]
