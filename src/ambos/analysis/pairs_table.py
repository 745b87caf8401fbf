"""The table of the pair lab for a terminal: every system with its figure, the test beside the best, costs."""

from collections.abc import Mapping
from typing import Any

from ambos.analysis.numbers import clock, with_interval
from ambos.analysis.pairs_pictures import Result
from ambos.analysis.pairs_report import by_figure, verdict


def table_of(result: Result) -> tuple[list[str], list[list[str]]]:
    """Return the columns of the table, and a row for each system, best first.

    With seeds there is a column more: the mean over them and half of its 95 % interval, beside the figure of
    the run that was best on the dev pairs. Headings are of two lines, so that all of it takes
    less than 120 columns.
    """
    metric = result["metric"]
    seeds = next((one["runs"] for one in result["candidates"] if one.get("spread")), 0)
    mean = [f"mean of\n{seeds} seeds"] if seeds else []
    rows = [
        [
            one["name"],
            with_interval(one["metrics"][metric], 3),
            *([_mean(one)] if seeds else []),
            *_beside(one["against_best"]),
            verdict(one["against_best"], result),
            *(_costs(one) if "costs" in one else [""] * 6),
        ]
        for one in by_figure(result)
    ]
    costs = ["train", "ms/\npair", "pairs/s", "n x m\npairs/s", "params", "swapped"]
    return ["system", f"{metric}\n[95 %]", *mean, "from\nbest", "p", "", *costs], rows


def _mean(one: Mapping[str, Any]) -> str:
    found = one["figure"]
    return f"{found['value']:.3f} \u00b1{(found['high'] - found['low']) / 2:.3f}" if one.get("spread") else ""


def _beside(found: Mapping[str, Any] | None) -> list[str]:
    return [f"{found['difference']['value']:+.3f}", f"{found['p']:.3f}"] if found else ["", ""]


def _costs(one: Mapping[str, Any]) -> list[str]:
    costs, seconds = one["costs"], one["train_seconds"]
    rates = [costs["pairs_per_second"], costs["grid_per_second"]]
    return [
        f"{seconds:.1f} s" if seconds < 59.95 else clock(seconds),
        f"{1000 * costs['latency']:.1f}",
        *(f"{rate:,.0f}" if rate < 99_999.5 else short(rate) for rate in rates),
        short(one["parameters"]),
        swapped(one["swapped"]),
    ]


def swapped(found: Mapping[str, float]) -> str:
    """Return what becomes of answers with the two texts exchanged: labels that change, or how scores agree.

    >>> swapped({"changed": 0.125, "low": 0.1, "high": 0.2}), swapped({"correlation": 0.98765})
    ('12.5 %', 'r 0.988')
    """
    return f"{100 * found['changed']:.1f} %" if "changed" in found else f"r {found['correlation']:.3f}"


def short(count: float) -> str:
    """Return a large number in millions or thousands.

    >>> short(22_713_216), short(31_482)
    ('22.7 M', '31.5 k')
    """
    return f"{count / 1e6:.1f} M" if count >= 999_950 else f"{count / 1e3:.1f} k"
