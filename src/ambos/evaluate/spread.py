"""How a figure differs from run to run: its mean with Student's t interval, deviation, least and most."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, stdev

from scipy.special import stdtrit


@dataclass(frozen=True)
class Spread:
    """The same figure in n runs.

    Parameters
    ----------
    mean, low, high
        The mean, and the ends of its 95 % interval: mean -+ t sd / sqrt(n), where a variable of Student's
        distribution with n - 1 degrees of freedom is below t with probability 0.975.
    sd
        Standard deviation of single runs.
    least, most
        The ends of what was seen.

    Examples
    --------
    >>> found = Spread.of([0.90, 0.92, 0.94])
    >>> round(found.mean, 4), round(found.sd, 4), round(found.low, 4), round(found.high, 4)
    (0.92, 0.02, 0.8703, 0.9697)
    """

    mean: float
    low: float
    high: float
    sd: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        """Return the spread of the values of two runs or more."""
        mean, deviation = fmean(values), stdev(values)
        half = float(stdtrit(len(values) - 1, 0.975)) * deviation / math.sqrt(len(values))
        return cls(mean, mean - half, mean + half, deviation, min(values), max(values))

    def as_dict(self) -> dict[str, float]:
        """Return every field, for JSON."""
        return asdict(self)
