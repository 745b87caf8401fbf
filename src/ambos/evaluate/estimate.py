"""A measured number, how far chance may have moved it, and how sure a counted share is."""

import math
from dataclasses import asdict, dataclass

_Z95 = 1.959963984540054  # the normal distribution holds 95 % within this many deviations


@dataclass(frozen=True)
class Estimate:
    """A metric on the examples at hand, and the ends of its 95 % interval.

    Examples
    --------
    >>> Estimate(0.5, 0.4, 0.6).as_dict()
    {'value': 0.5, 'low': 0.4, 'high': 0.6}
    """

    value: float
    low: float
    high: float

    def as_dict(self) -> dict[str, float]:
        """Return every field, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Difference(Estimate):
    """What one system has more than another, and the chance `p` of so much between two that are equal.

    Examples
    --------
    >>> Difference(0.02, 0.004, 0.03, p=0.01).as_dict()
    {'value': 0.02, 'low': 0.004, 'high': 0.03, 'p': 0.01}
    """

    p: float


def wilson(share: float, trials: float) -> tuple[float, float]:
    """Return the 95 % interval of a share counted in independent trials, by the score of Wilson (1927).

    It stays within 0 and 1 and holds for few trials and for shares near the ends, where share ± 2 deviations
    does not.

    >>> [round(end, 4) for end in wilson(0.5, 100)]
    [0.4038, 0.5962]
    """
    square = _Z95**2 / trials
    middle = (share + square / 2) / (1 + square)
    half = _Z95 / (1 + square) * math.sqrt(share * (1 - share) / trials + square / (4 * trials))
    return max(0.0, middle - half), min(1.0, middle + half)
