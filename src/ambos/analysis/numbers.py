"""Numbers as people read them: thousands, shares, durations, and how sure a counted share is."""

import math
from collections.abc import Mapping, Sequence
from typing import TypeVar

from ambos.evaluate.estimate import wilson

_Item = TypeVar("_Item")
SPACE = "\u00a0"  # between a number and its unit: no line may break there


def count(number: float) -> str:
    """Return a number of things, in words from a million on.

    >>> count(30000), count(11_171_328).replace(SPACE, " ")
    ('30,000', '11.2 million')
    """
    for size, word in ((1e9, "billion"), (1e6, "million")):
        if number >= size * 0.99995:
            return f"{number / size:,.1f}{SPACE}{word}"
    return f"{number:,.0f}"


def percent(share: float, digits: int | None = None) -> str:
    """Return a share of one in percent, with one digit after the point, or two below one percent.

    >>> percent(0.4123).replace(SPACE, " ")
    '41.2 %'
    """
    return f"{100 * share:.{_digits(share) if digits is None else digits}f}{SPACE}%"


def _digits(share: float) -> int:
    return 2 if share < 0.00995 else 1


def duration(seconds: float) -> str:
    """Return a length of time in its two largest units.

    >>> duration(123.4).replace(SPACE, " ")
    '2 min 3 s'
    """
    if seconds < 59.95:  # what would be rounded to 60 is a minute
        return f"{seconds:.1f}{SPACE}s"
    whole = round(seconds)
    days, hours, minutes = whole // 86_400, whole // 3600 % 24, whole // 60 % 60
    if days:
        return f"{days}{SPACE}d{SPACE}{hours}{SPACE}h"
    if hours:
        return f"{hours}{SPACE}h{SPACE}{minutes}{SPACE}min"
    return f"{minutes}{SPACE}min{SPACE}{whole % 60}{SPACE}s"


def clock(seconds: float) -> str:
    """Return a length of time as a clock shows it.

    >>> clock(12.34), clock(123.4), clock(4000)
    ('0:12', '2:03', '1:06:40')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def perplexity(loss: float) -> str:
    """Return exp(loss): among how many equally likely tokens the model is torn.

    >>> perplexity(2.5)
    '12.2'
    """
    value = math.exp(min(loss, 700))  # beyond that, no float holds it
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}" if value < 1e9 else f"{value:.1e}"


def plain(value: object) -> str:
    """Return the value of a setting, of numbers four digits.

    >>> plain(0.000123456), plain(32), plain("all")
    ('0.0001235', '32', 'all')
    """
    return f"{value:.4g}" if isinstance(value, float) else f"{value}"


def listed(words: Sequence[str]) -> str:
    """Return words as a sentence lists them.

    >>> listed(["English", "Portuguese", "Latin"])
    'English, Portuguese and Latin'
    """
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def interval(share: float, trials: float) -> str:
    """Return the 95 % interval of a share in percent.

    >>> interval(0.5, 100).replace(SPACE, " ")
    '40.4–59.6 %'
    """
    low, high = wilson(share, trials)
    return f"{100 * low:.{_digits(high)}f}–{percent(high)}"


def with_interval(found: Mapping[str, float], digits: int = 4, sign: str = "", space: str = " ") -> str:
    """Return a figure and the ends of its interval.

    >>> with_interval({"value": 0.5, "low": 0.4, "high": 0.61}, 2)
    '0.50 [0.40, 0.61]'
    >>> with_interval({"value": 0.02, "low": -0.01, "high": 0.05}, sign="+")
    '+0.0200 [-0.0100, +0.0500]'
    """
    value, low, high = (f"{found[key]:{sign}.{digits}f}" for key in ("value", "low", "high"))
    return f"{value} [{low},{space}{high}]"


def spread(items: Sequence[_Item], most: int) -> list[_Item]:
    """Return at most so many items, evenly spread, the first and the last among them.

    >>> spread(range(101), 5)
    [0, 25, 50, 75, 100]
    """
    if len(items) <= most:
        return list(items)
    return [items[round(place * (len(items) - 1) / (most - 1))] for place in range(most)]
