"""Pictures of the pair lab: schemes that are equally good and fast can still be told apart."""

import re
from itertools import combinations
from typing import Any

import pytest

from ambos.analysis.pairs_pictures import draw_costs

SCHEMES = ("joint", "concat", "difference", "product", "combined", "attention")


def result(values: dict[str, tuple[float, float]]) -> dict[str, Any]:
    candidates = [
        {
            "name": name,
            "costs": {"grid_per_second": rate},
            "figure": {"value": value, "low": value - 0.07, "high": value + 0.07},
        }
        for name, (rate, value) in values.items()
    ]
    return {"metric": "accuracy", "less_is_better": False, "best": "joint", "candidates": candidates}


@pytest.mark.parametrize("apart", [0.0, 0.001, 0.02])
def test_no_name_covers_another(apart: float) -> None:
    values = {name: (300.0, 0.8) if name == "joint" else (15_000.0, 0.75) for name in SCHEMES}
    values = {
        name: (rate * (1 + 10 * apart * number), value + apart * (number % 3))
        for number, (name, (rate, value)) in enumerate(values.items())
    }
    svg = draw_costs(result(values))
    places = {
        name: tuple(map(float, found.groups()))
        for name in SCHEMES
        if (found := re.search(rf'<text[^>]* x="([\d.]+)" y="([\d.]+)"[^>]*>{name}</text>', svg))
    }
    assert set(places) == set(SCHEMES)
    for one, other in combinations(SCHEMES, 2):
        (x, y), (x2, y2) = places[one], places[other]
        beside = x + 4.5 * len(one) <= x2 or x2 + 4.5 * len(other) <= x
        assert beside or abs(y - y2) >= 9, (one, other)
