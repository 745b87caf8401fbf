"""Intervals and tests by drawing examples again: the bootstrap, and the exchange of two systems.

Shapes are named by letters: n examples, k distinct rows among theirs, d numbers in a row, b draws.

A metric does not ask for the order of examples, so an example is its row of d numbers, and a set of examples
is how often each of the k rows occurs. To draw n examples with replacement (Efron 1979) is to draw
Multinomial(n, counts / n): k numbers, not n. A *measure* computes metrics for b such sets at once.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ambos.evaluate.estimate import Difference, Estimate
from ambos.evaluate.sparse_rows import Rows, below, beside, keys_of, parted, rows_of, sparse

Floats = NDArray[np.float64]
Measure = Callable[[Rows, Floats], dict[str, Floats]]
"""From distinct rows (k, d) and how often each occurs in every draw (b, k) to metrics (b,)."""

_CELLS = 2**20  # of (b, k) numbers at a time: bounds memory
_SAME = 1 - 1e-9  # differences closer than this are equal but for rounding


class Tally:
    """How often each distinct row was seen; memory grows with the distinct ones only.

    Parameters
    ----------
    width
        Numbers in a row, d.
    kind
        Their type.
    sparse
        Whether nearly all of them are 0: then only the others are kept, and `rows` has no zeros.

    Examples
    --------
    >>> tally = Tally(2)
    >>> tally.add([[1, 0], [0, 1], [1, 0]])
    >>> len(tally), tally.counts.tolist(), tally.sums.tolist()
    (3, [1, 2], [2.0, 1.0])
    """

    def __init__(self, width: int, kind: DTypeLike = np.float64, *, sparse: bool = False) -> None:
        self.width = width
        self.kind = np.dtype(kind)
        self.sparse = sparse
        self._seen: Counter[bytes] = Counter()

    def beside(self, parts: Sequence[Rows | ArrayLike]) -> tuple["Tally", Rows]:
        """Return an empty tally for several rows (n, d) of each example in one, and these rows."""
        rows = beside([self.taken(part) for part in parts])
        return Tally(self.width * len(parts), self.kind, sparse=self.sparse), rows

    def taken(self, rows: Rows | ArrayLike) -> Rows:
        """Return rows (n, d) as those of this tally are: sparse, or an array."""
        return sparse(rows) if self.sparse else np.asarray(rows)

    def add(self, rows: Rows | ArrayLike) -> None:
        """Count the rows (n, d) of n examples."""
        given = self.taken(rows)
        if given.ndim != 2 or given.shape[1] != self.width:
            raise ValueError(f"expected rows of {self.width} numbers, found shape {given.shape}")
        self._seen.update(keys_of(given, self.kind) if self.sparse else self._dense_keys(given))

    def _dense_keys(self, rows: Rows) -> list[bytes]:
        given = np.ascontiguousarray(rows, self.kind) + self.kind.type(
            0
        )  # so that -0.0 is 0.0, also in bytes
        keys: list[bytes] = given.view(f"V{self.width * self.kind.itemsize}").ravel().tolist()
        return keys

    def __len__(self) -> int:
        """Return the number of examples, n."""
        return self._seen.total()

    @property
    def rows(self) -> Rows:
        """The distinct rows, (k, d), in an order that does not depend on when they came."""
        keys = sorted(self._seen)
        if self.sparse:
            return rows_of(keys, self.width, self.kind)
        return np.frombuffer(b"".join(keys), self.kind).reshape(-1, self.width)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How often each of `rows` was seen, (k,)."""
        return np.array([self._seen[row] for row in sorted(self._seen)], np.int64)

    @property
    def times(self) -> Floats:
        """The counts as the one set of examples that was seen, (1, k)."""
        return _floats(self.counts[None])

    @property
    def sums(self) -> Floats:
        """The sum over all examples, (d,)."""
        found: Floats = self.times[0] @ _floats(self.rows)
        return found


def bootstrap(tally: Tally, measure: Measure, *, draws: int = 1000, seed: int = 0) -> dict[str, Estimate]:
    """Return every metric with its 95 % interval: the percentiles 2.5 and 97.5 over drawn sets of examples.

    It is as wide as the examples at hand differ: with one example, or with none that fails, it has no width.

    Examples
    --------
    >>> tally = Tally(1)
    >>> tally.add([[1], [0], [1], [1]])
    >>> found = bootstrap(tally, lambda rows, times: {"mean": (times @ rows)[:, 0] / times.sum(1)})
    >>> found["mean"]
    Estimate(value=0.75, low=0.25, high=1.0)
    """
    found = intervals(tally, measure, draws=draws, seed=seed)
    return {name: Estimate(*(float(one) for one in ends)) for name, ends in found.items()}


def intervals(
    tally: Tally, measure: Measure, *, draws: int = 1000, seed: int = 0
) -> dict[str, tuple[Floats, Floats, Floats]]:
    """Return every metric and the ends of its interval, as `bootstrap` does.

    A measure may give numbers of any shape for each of b sets, (b, ...): so are the metric and its ends.
    """
    rows, times = tally.rows, tally.times
    values = measure(rows, times)
    sets = resampled(tally.counts, draws, np.random.default_rng(seed), width=tally.width)
    drawn = _joined(measure(rows, times) for times in sets)
    return {name: (value[0], *_ends(drawn[name])) for name, value in values.items()}


def paired(
    tally: Tally,
    measure: Measure,
    *,
    draws: int = 1000,
    exchanges: int | None = None,
    enough: int | None = None,
    seed: int = 0,
) -> dict[str, Difference]:
    """Return what one system has more than another on the same examples, for every metric.

    The interval is that of the bootstrap. The test exchanges the two systems' rows of an example with
    probability 1/2 (Fisher's randomisation; Yeh 2000): if the systems are equal, the difference after that
    is as likely as the one before, so

        p = (1 + number of draws with a difference at least as large, either way) / (1 + draws),

    which holds for few examples too: one example can show nothing, p = 1.

    Parameters
    ----------
    tally
        Rows (n, 2d): an example's row for the one system, then its row for the other.
    draws, exchanges
        For the interval; for the test at most, by default as many.
    enough
        Exchange no more after so many draws that are as large. Then p = enough / number of draws up to that
        one, which is as good a test (Besag and Clifford 1991); p is known to about 1 / sqrt(enough) of it.

    Examples
    --------
    >>> tally = Tally(2)
    >>> tally.add([[1, 0]] * 8 + [[0, 1]] * 2 + [[1, 1]] * 30)
    >>> found = paired(tally, lambda rows, times: {"mean": (times @ rows)[:, 0] / times.sum(1)})["mean"]
    >>> round(found.value, 2), 0.05 < found.p < 0.2  # the sign test says 0.109
    (0.15, True)
    """
    rows, counts = below(parted(tally.rows, 2)), tally.counts
    rng, width = np.random.default_rng(seed), tally.width

    def differences(kept: Floats, exchanged: Floats) -> dict[str, Floats]:
        mine = measure(rows, np.hstack([kept, exchanged]))
        yours = measure(rows, np.hstack([exchanged, kept]))
        return {name: mine[name] - yours[name] for name in mine}

    whole = tally.times
    values = differences(whole, np.zeros_like(whole))
    drawn = _joined(
        differences(times, np.zeros_like(times)) for times in resampled(counts, draws, rng, width=width)
    )
    most = draws if exchanges is None else exchanges
    test = _Randomisation({name: float(value) for name, (value,) in values.items()}, enough or most)
    for times in _exchanged(counts, most, rng, width):
        test.add(differences(whole - times, times))
        if test.settled:
            break
    ends = {name: _ends(drawn[name]) for name in values}
    return {
        name: Difference(float(value), float(ends[name][0]), float(ends[name][1]), p=test.p(name))
        for name, (value,) in values.items()
    }


class _Randomisation:
    """How many draws were as large as what was seen, for every metric, and what p that makes.

    Examples
    --------
    >>> test = _Randomisation({"mean": 0.5}, enough=2)
    >>> test.add({"mean": np.array([0.1, -0.5, 0.2, 0.0])})
    >>> test.p("mean"), test.settled
    (0.4, False)
    """

    def __init__(self, values: dict[str, float], enough: int) -> None:
        self._values = values
        self._enough = enough
        self._large: dict[str, list[NDArray[np.bool_]]] = {name: [] for name in values}

    def add(self, chance: dict[str, Floats]) -> None:
        """Take in the differences of some more draws."""
        for name, value in self._values.items():
            self._large[name].append(np.abs(chance[name]) >= np.abs(value) * _SAME)

    @property
    def settled(self) -> bool:
        """Whether more draws would change no p."""
        return all(sum(map(np.count_nonzero, large)) >= self._enough for large in self._large.values())

    def p(self, name: str) -> float:
        """Return how probable so large a difference is by chance."""
        large = np.concatenate(self._large[name])
        places = np.flatnonzero(large)
        if len(places) >= self._enough:
            return self._enough / (int(places[self._enough - 1]) + 1)
        return (1 + len(places)) / (1 + len(large))


def resampled(
    counts: NDArray[np.int64], draws: int, rng: np.random.Generator, *, width: int = 1
) -> Iterator[Floats]:
    """Yield how often each row, of `width` numbers, occurs among as many examples drawn again, (b, k)."""
    total = max(1, int(counts.sum()))
    for size in _blocks(draws, max(len(counts), width)):
        yield _floats(rng.multinomial(total, counts / total, size) if len(counts) else np.zeros((size, 0)))


def _exchanged(
    counts: NDArray[np.int64], draws: int, rng: np.random.Generator, width: int
) -> Iterator[Floats]:
    """Yield for how many examples of each row the two systems are exchanged, (b, k)."""
    for size in _blocks(draws, max(len(counts), width), most=500):
        yield _floats(rng.binomial(counts, 0.5, (size, len(counts))))


def _blocks(draws: int, numbers: int, most: int = _CELLS) -> Iterator[int]:
    most = min(most, max(1, _CELLS // max(1, numbers)))
    for done in range(0, draws, most):
        yield min(most, draws - done)


def _joined(blocks: Iterable[dict[str, Floats]]) -> dict[str, Floats]:
    found = list(blocks)
    return {name: np.concatenate([block[name] for block in found]) for name in found[0]}


def _ends(values: Floats) -> tuple[Floats, Floats]:
    low, high = np.quantile(values, [0.025, 0.975], axis=0)
    return low, high


def _floats(numbers: Rows) -> Floats:
    return numbers.astype(np.float64)
