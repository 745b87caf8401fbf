"""Numbers for people."""

from itertools import pairwise

import pytest

from ambos.analysis.numbers import (
    SPACE,
    count,
    duration,
    interval,
    listed,
    percent,
    perplexity,
    spread,
)


def plain(text: str) -> str:
    return text.replace(SPACE, " ")


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (count(0), "0"),
        (count(999_949), "999,949"),
        (count(999_950), "1.0 million"),
        (count(1_638_400), "1.6 million"),
        (count(2_400_000_000), "2.4 billion"),
        (percent(0.4123), "41.2 %"),
        (percent(0.00042), "0.04 %"),
        (percent(0.5, 0), "50 %"),
        (duration(3.21), "3.2 s"),
        (duration(59.97), "1 min 0 s"),
        (duration(123.4), "2 min 3 s"),
        (duration(3599.9), "1 h 0 min"),
        (duration(90_000), "1 d 1 h"),
        (perplexity(2.5), "12.2"),
        (perplexity(10.0), "22,026"),
        (perplexity(1e4), "1.0e+304"),
        (interval(0.412, 15_000), "40.4–42.0 %"),
        (interval(0.0, 15_000), "0.00–0.03 %"),
        (listed([]), ""),
        (listed(["a"]), "a"),
        (listed(["a", "b"]), "a and b"),
        (listed(["a", "b", "c"]), "a, b and c"),
    ],
)
def test_numbers_as_people_write_them(shown, expected):
    assert plain(shown) == expected


@pytest.mark.parametrize("most", [2, 5, 12])
@pytest.mark.parametrize("length", [0, 1, 2, 5, 6, 11, 100])
def test_spread_keeps_both_ends_and_goes_up_evenly(length, most):
    items = list(range(length))
    chosen = spread(items, most)
    assert len(chosen) == min(length, most)
    assert chosen == sorted(set(chosen))
    if length:
        assert (chosen[0], chosen[-1]) == (0, length - 1)
    gaps = [b - a for a, b in pairwise(chosen)]
    assert not gaps or max(gaps) - min(gaps) <= 1
