"""An interval that holds what it promises."""

import json
import random

import pytest

from ambos.evaluate.estimate import Difference, Estimate, wilson


def test_estimates_are_plain_numbers_for_json():
    assert json.loads(json.dumps(Estimate(0.5, 0.25, 1.0).as_dict())) == {
        "value": 0.5,
        "low": 0.25,
        "high": 1.0,
    }
    assert Difference(0.5, 0.25, 1.0, p=0.01).as_dict()["p"] == 0.01


def test_wilson_agrees_with_published_values_and_stays_within_bounds():
    # Newcombe (1998), Statistics in Medicine 17, table I, method 3.
    assert wilson(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(15 / 148, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert wilson(0 / 20, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson(1 / 29, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)
    assert wilson(1.0, 3)[1] == 1.0


def test_wilson_holds_the_truth_in_95_of_100_cases():
    random.seed(0)
    held = 0
    for _ in range(2000):
        share = sum(random.random() < 0.3 for _ in range(100)) / 100
        low, high = wilson(share, 100)
        held += low <= 0.3 <= high
    assert 0.93 < held / 2000 < 0.97
