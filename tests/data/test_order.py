"""Batches by length: every sequence once, longest first, within the budget and as full as it allows."""

from itertools import chain, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambos.data.order import by_length, evenly

LENGTHS = st.lists(st.integers(1, 40), max_size=60)
ANY_TIME = settings(deadline=None)


@given(lengths=LENGTHS, budget=st.integers(1, 100))
@ANY_TIME
def test_every_sequence_is_in_one_batch(lengths: list[int], budget: int) -> None:
    batches = [batch.tolist() for batch in by_length(lengths, budget)]
    assert all(batches)
    assert sorted(chain.from_iterable(batches)) == list(range(len(lengths)))


@given(lengths=LENGTHS, budget=st.integers(1, 100))
@ANY_TIME
def test_batches_keep_to_the_budget_unless_one_sequence_is_longer(lengths: list[int], budget: int) -> None:
    for batch in by_length(lengths, budget):
        assert len(batch) == 1 or sum(lengths[index] for index in batch) <= budget


@given(lengths=LENGTHS, budget=st.integers(1, 100))
@ANY_TIME
def test_longest_come_first_and_equals_keep_their_order(lengths: list[int], budget: int) -> None:
    order = list(chain.from_iterable(batch.tolist() for batch in by_length(lengths, budget)))
    assert order == sorted(range(len(lengths)), key=lambda index: -lengths[index])


@given(lengths=LENGTHS, budget=st.integers(1, 100))
@ANY_TIME
def test_a_batch_is_closed_only_when_the_next_sequence_does_not_fit(lengths: list[int], budget: int) -> None:
    for batch, following in pairwise(by_length(lengths, budget)):
        assert sum(lengths[index] for index in batch) + lengths[following[0]] > budget


@given(lengths=LENGTHS, kind=st.sampled_from(["int8", "uint8", "uint16", "int32", "uint32", "int64"]))
@ANY_TIME
def test_numbers_of_any_width_will_do(lengths: list[int], kind: str) -> None:
    """Sums do not overflow the type of the lengths, nor do negations wrap around."""
    expected = [batch.tolist() for batch in by_length(lengths, 300)]
    assert [batch.tolist() for batch in by_length(np.array(lengths, dtype=kind), 300)] == expected


@pytest.mark.parametrize("lengths", [[], np.array([], dtype=np.int64)])
def test_nothing_makes_no_batch(lengths: list[int]) -> None:
    assert list(by_length(lengths, 10)) == []


@given(lengths=LENGTHS, budget=st.integers(4, 100), workers=st.integers(2, 5))
@ANY_TIME
def test_for_several_workers_the_last_batches_are_small(
    lengths: list[int], budget: int, workers: int
) -> None:
    batches = [batch.tolist() for batch in by_length(lengths, budget, workers=workers)]
    assert sorted(chain.from_iterable(batches)) == list(range(len(lengths)))
    left = sum(lengths)
    for batch in batches:
        tokens = sum(lengths[index] for index in batch)
        assert len(batch) == 1 or tokens <= min(budget, max(left // (2 * workers), budget // 4))
        left -= tokens


@given(
    lengths=st.lists(st.integers(1, 40), min_size=1, max_size=60),
    most=st.integers(1, 200),
    least=st.integers(1, 4),
)
@ANY_TIME
def test_even_parts_are_all_sequences_in_about_equal_shares(
    lengths: list[int], most: int, least: int
) -> None:
    parts = evenly(lengths, most, least=least)
    order = list(chain.from_iterable(part.tolist() for part in parts))
    assert order == sorted(range(len(lengths)), key=lambda index: -lengths[index])
    wanted = min(len(lengths), max(least, -(-sum(lengths) // most)))
    assert 1 <= len(parts) <= wanted
    share = sum(lengths) / wanted
    for part in parts:
        size = sum(lengths[index] for index in part)
        assert size <= share + max(lengths)  # a border may cut no sequence


def test_two_halves() -> None:
    assert [part.tolist() for part in evenly([10] * 8, 1000, least=2)] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert [len(part) for part in evenly([7] * 30, most=70)] == [10, 10, 10]
    assert [part.tolist() for part in evenly([9], 100, least=2)] == [[0]]
