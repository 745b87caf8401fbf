"""Draws: pure functions of key and indices, uniform and independent; permutations that are permutations."""

import hashlib
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ambos.data.draws import Draws

UNLIKELY = 1e-4
INDICES = st.lists(st.integers(0, 2**40), min_size=1, max_size=20)
WORD = 2**64


def split_mix(state: int) -> int:
    """SplitMix64's output function, in whole numbers of any size."""
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB % WORD
    return state ^ (state >> 31)


def reference(parts: str, *indices: int) -> int:
    state = int.from_bytes(hashlib.blake2b(parts.encode(), digest_size=8).digest(), "little")
    for index in indices:
        state = split_mix((state + (index + 1) * 0x9E3779B97F4A7C15) % WORD)
    return state


def independent(one: np.ndarray, two: np.ndarray, cells: int = 16) -> float:
    """Chance of a table as uneven as that of pairs of numbers in [0, 1)."""
    table = np.histogram2d(one, two, cells, [(0, 1), (0, 1)])[0]
    return float(stats.chisquare(table.ravel()).pvalue)


@given(indices=INDICES, more=INDICES)
def test_numbers_are_those_of_the_formula(indices: list[int], more: list[int]) -> None:
    found = Draws.of(7, "words", 2).bits(np.array(indices)[:, None], more)
    expected = [[reference("int:7\0str:words\0int:2", one, two) for two in more] for one in indices]
    assert found.tolist() == expected


def test_numbers_stay_the_same_for_ever() -> None:
    """A run that is resumed by a later version goes on with the same data."""
    assert Draws.of(0, "masking", 3).below(100, [0, 1, 2, 0]).tolist() == [48, 39, 68, 48]
    assert Draws.of(0, "order", 0).shuffled(range(10), 10).tolist() == [4, 6, 7, 2, 3, 0, 9, 8, 5, 1]


@given(indices=INDICES, data=st.data())
def test_a_number_does_not_depend_on_what_else_is_drawn(indices: list[int], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(indices))))
    cut = data.draw(st.integers(0, len(indices)))
    draws, again = Draws.of(1, "a"), Draws.of(1, "a")
    whole = draws.uniform(3, indices)
    parts = [
        again.uniform(3, [indices[place] for place in part]) for part in (order[:cut], order[cut:]) if part
    ]
    assert np.concatenate(parts).tolist() == whole[order].tolist()


@given(places=st.lists(st.integers(0, 999), min_size=1, max_size=20))
def test_a_place_of_a_permutation_does_not_depend_on_the_others(places: list[int]) -> None:
    draws = Draws.of(1, "order")
    assert draws.shuffled(places, 1000).tolist() == draws.shuffled(np.arange(1000), 1000)[places].tolist()


@pytest.mark.parametrize(
    "parts", [(2,), ("1",), (1, 0), (1, "a"), ("a", 1), (1, "a", 0), (11,), (-1,), (1, "b"), (1, "a", 1)]
)
def test_families_with_other_names_are_others(parts: tuple[int | str, ...]) -> None:
    assert Draws.of(*parts).key != Draws.of(1).key
    everything = {Draws.of(*one).key for one in permutations((1, 2, "1", "2"), 2)}
    assert len(everything) == 12


def test_numbers_are_uniform() -> None:
    draws = Draws.of(0, "uniform")
    numbers = draws.uniform(np.arange(400_000))
    assert 0 <= numbers.min() < 1e-4
    assert 1 - 1e-4 < numbers.max() < 1
    assert stats.chisquare(np.bincount((numbers * 1000).astype(int))).pvalue > UNLIKELY
    bits = draws.bits(np.arange(100_000))
    for bit in range(64):
        share = float((bits >> np.uint64(bit) & np.uint64(1)).mean())
        assert abs(share - 0.5) < 5 * 0.5 / np.sqrt(len(bits))


@pytest.mark.parametrize("limit", [1, 2, 7, 100, 997])
def test_whole_numbers_are_uniform_below_their_limit(limit: int) -> None:
    found = Draws.of(0, "below").below(limit, 5, np.arange(100_000))
    counts = np.bincount(found, minlength=limit)
    assert len(counts) == limit
    assert found.dtype == np.int64
    assert limit == 1 or stats.chisquare(counts).pvalue > UNLIKELY


def test_limits_may_differ_from_number_to_number() -> None:
    limits = np.arange(1, 2001)
    draws = Draws.of(0, "limits")
    found = draws.below(limits, limits)
    assert (found >= 0).all()
    assert (found < limits).all()
    assert found.tolist() == [int(draws.below(int(limit), limit)[0]) for limit in limits]
    large = draws.below(2**40, np.arange(1000))
    assert large.max() > 2**39
    assert len(set(large.tolist())) == 1000


def test_neighbours_are_independent() -> None:
    """Neighbouring seeds, epochs, purposes, indices, and the same indices in another order."""
    index = np.arange(1, 100_001)
    draws = Draws.of(0, "order", 0)
    base = draws.uniform(2, index)
    others = [
        Draws.of(1, "order", 0).uniform(2, index),
        Draws.of(0, "order", 1).uniform(2, index),
        Draws.of(0, "plan", 0).uniform(2, index),
        draws.uniform(2, index + 1),
        draws.uniform(3, index),
        draws.uniform(index),
        draws.uniform(2, index, 0),
    ]
    assert min(independent(base, other) for other in others) > UNLIKELY
    swapped = index[index != 2]
    assert independent(draws.uniform(2, swapped), draws.uniform(swapped, 2)) > UNLIKELY
    grid = draws.uniform(np.arange(400)[:, None], np.arange(400))
    assert independent(grid[:-1, :-1].ravel(), grid[1:, 1:].ravel()) > UNLIKELY
    assert independent(grid[:, :-1].ravel(), grid[:, 1:].ravel()) > UNLIKELY
    assert abs(np.corrcoef(grid.mean(0), np.arange(400))[0, 1]) < 0.25


def test_permutations_are_permutations() -> None:
    for count in [*range(1, 301), 1023, 1024, 1025, 4096, 4097, 65_537, 100_000]:
        found = Draws.of(count, "order").shuffled(np.arange(count), count)
        assert np.array_equal(np.sort(found), np.arange(count)), count


def test_a_huge_permutation_costs_only_what_is_asked() -> None:
    count = 10**12 + 7
    places = np.concatenate([np.arange(50_000), count - 1 - np.arange(50_000)])
    found = Draws.of(0, "order").shuffled(places, count)
    assert len(np.unique(found)) == len(places)
    assert found.min() >= 0
    assert found.max() < count
    assert stats.chisquare(np.histogram(found, 100, (0, count))[0]).pvalue > UNLIKELY


@pytest.mark.parametrize("count", [2, 3, 5, 8, 12])
def test_every_place_goes_everywhere_equally_often(count: int) -> None:
    seeds = 2000
    found = np.stack([Draws.of(seed, "order").shuffled(np.arange(count), count) for seed in range(seeds)])
    table = np.stack([np.bincount(column, minlength=count) for column in found.T])
    # Rows and columns of the table have fixed sums: (count - 1)^2 degrees of freedom.
    statistic = ((table - seeds / count) ** 2).sum() / (seeds / count) * (count - 1) / count
    assert stats.chi2.sf(statistic, (count - 1) ** 2) > UNLIKELY


def test_neighbours_are_torn_apart() -> None:
    """What stood side by side stands anywhere: distances and ups and downs are those of chance."""
    count = 50_000
    found = Draws.of(0, "order", 1).shuffled(np.arange(count), count)
    steps = np.diff(found)
    assert abs((steps > 0).mean() - 0.5) < 5 * np.sqrt(1 / 12 / count)
    assert independent(found[:-1] / count, found[1:] / count) > UNLIKELY
    assert independent(np.arange(count) / count, found / count) > UNLIKELY
    other = Draws.of(0, "order", 2).shuffled(np.arange(count), count)
    assert independent(found / count, other / count) > UNLIKELY
    assert (found == other).sum() < 10
