"""Budgets and schedules: values computed by hand, and shapes that hold for all settings."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambos.errors import UsageError
from ambos.train.schedule import Budget, Schedule, between

SHARES = [number / 100 for number in range(101)]


@pytest.mark.parametrize(
    ("budget", "share"),
    [(Budget(steps=200), 0.25), (Budget(tokens=1000), 0.3), (Budget(seconds=8.0), 0.75)],
)
def test_share_of_the_budget(budget: Budget, share: float) -> None:
    assert budget.share(step=50, tokens=300, seconds=6.0) == share


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"steps": 0},
        {"tokens": -1},
        {"seconds": 0.0},
        {"steps": 1, "tokens": 1},
        {"steps": 1, "seconds": 1.0},
    ],
)
def test_a_budget_is_one_number_above_zero(wrong: dict) -> None:
    with pytest.raises(UsageError, match="how long to train is not clear") as caught:
        Budget(**wrong)
    assert caught.value.fix == "for example --minutes 10"
    for name, value in wrong.items():
        assert f"{name} {value}" in (caught.value.found or "")


@pytest.mark.parametrize(
    ("schedule", "values"),
    [
        (Schedule("linear", warmup=0.2), {0: 0, 0.1: 0.5, 0.2: 1, 0.6: 0.5, 1: 0}),
        (Schedule("linear", warmup=0.2, end=0.1), {0.1: 0.5, 0.2: 1, 0.6: 0.55, 1: 0.1}),
        (Schedule("cosine", warmup=0.2), {0.1: 0.5, 0.2: 1, 0.4: (1 + 2**-0.5) / 2, 0.6: 0.5, 1: 0}),
        (Schedule("cosine", warmup=0.0, end=0.5), {0: 1, 0.5: 0.75, 1: 0.5}),
        (Schedule("constant", warmup=0.5), {0.25: 0.5, 0.5: 1, 0.9: 1, 1: 1}),
        (
            Schedule("trapezoid", warmup=0.1, decay=0.4),
            {0.05: 0.5, 0.1: 1, 0.6: 1, 0.8: 0.5, 0.9: 0.25, 1: 0},
        ),
        (Schedule("trapezoid", warmup=0.0, decay=0.0), {0: 1, 0.5: 1, 1: 1}),
        (Schedule("linear", warmup=1.0), {0.5: 0.5, 0.99: 0.99, 1: 0}),
    ],
    ids=lambda value: f"{value.shape} {value.end}" if isinstance(value, Schedule) else "",
)
def test_values_by_hand(schedule: Schedule, values: dict[float, float]) -> None:
    for share, factor in values.items():
        assert schedule.factor(share) == pytest.approx(factor, abs=1e-12), share


@given(
    st.sampled_from(["linear", "cosine", "constant", "trapezoid"]),
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_up_and_then_down(shape, warmup: float, decay: float, end: float) -> None:
    schedule = Schedule(shape, warmup, decay, end)
    factors = [schedule.factor(share) for share in SHARES]
    assert all(-1e-12 <= factor <= 1 + 1e-12 for factor in factors)
    rising = [factor for share, factor in zip(SHARES, factors, strict=True) if share < warmup]
    falling = [factor for share, factor in zip(SHARES, factors, strict=True) if share >= warmup]
    assert all(one <= two for one, two in pairwise(rising))
    assert all(one >= two - 1e-12 for one, two in pairwise(falling))


def test_beyond_the_ends() -> None:
    schedule = Schedule("linear", warmup=0.1)
    assert schedule.factor(1.7) == schedule.factor(1.0) == 0
    assert schedule.factor(-1.0) == 0


def test_straight_lines() -> None:
    assert [between(0.3, 0.15, share) for share in (-1, 0, 0.5, 1, 2)] == pytest.approx(
        [0.3, 0.3, 0.225, 0.15, 0.15]
    )
