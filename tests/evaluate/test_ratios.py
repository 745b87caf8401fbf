"""Division bears zeros without a warning; sums by group are those of a loop."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambos.evaluate.ratios import divide, f1, sums_by_group


def test_nothing_by_nothing_is_nothing():
    assert divide(np.array([1.0, 0.0, 3.0]), np.array([4.0, 0.0, 0.0])).tolist() == [0.25, 0.0, 0.0]
    assert divide(np.ones((2, 1)), np.array([2.0, 0.0])).tolist() == [[0.5, 0.0], [0.5, 0.0]]


def test_f1_is_the_harmonic_mean():
    hits, predicted, gold = np.array([6.0, 0.0, 0.0]), np.array([8.0, 2.0, 0.0]), np.array([12.0, 1.0, 0.0])
    assert f1(hits, predicted, gold) == pytest.approx([2 / (8 / 6 + 12 / 6), 0.0, 0.0])


@given(st.lists(st.integers(0, 4), max_size=12), st.integers(0, 3))
def test_sums_by_group_are_those_of_a_loop(groups, draws):
    times = np.random.default_rng(0).integers(0, 9, (draws, len(groups))).astype(float)
    expected = np.zeros((draws, 5))
    for column, group in enumerate(groups):
        expected[:, group] += times[:, column]
    assert np.array_equal(sums_by_group(times, np.array(groups, np.intp), 5), expected)
