"""The mean over runs and its interval are those of Student's t."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ambos.evaluate.spread import Spread


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=20))
def test_as_scipy_has_it(values: list[float]) -> None:
    found = Spread.of(values)
    assert found.mean == pytest.approx(np.mean(values), abs=1e-9)
    assert found.sd == pytest.approx(np.std(values, ddof=1), abs=1e-9)
    assert (found.least, found.most) == (min(values), max(values))
    if found.sd > 1e-6:
        low, high = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
        assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_equal_values_have_no_width() -> None:
    assert Spread.of([0.5, 0.5, 0.5]).as_dict() == {
        "mean": 0.5,
        "low": 0.5,
        "high": 0.5,
        "sd": 0.0,
        "least": 0.5,
        "most": 0.5,
    }
