"""What the pair lab advises: which way of reading pairs to take, and what to be told with it."""

from collections.abc import Mapping, Sequence
from typing import Any

from ambos.analysis.evaluation_pictures import words
from ambos.analysis.pairs_pictures import Result

_NEAR = 0.02  # as good as the best: no more than this below it; of errors, no more than this share of it
_FASTER = 1.5  # times as fast, from which speed is a reason


def recommend(result: Result) -> str:
    """Return what to take, in one sentence.

    The scheme with the best figure, unless that is `joint`, which is slow for many pairs, and one that reads
    texts apart is faster and at most `_NEAR` worse: by its 95 % interval, not because few pairs tell little.

    Examples
    --------
    >>> recommend(result)  # doctest: +SKIP
    'Take joint: ...'
    """
    by_name = {one["name"]: one for one in result["candidates"]}
    best = by_name[result["best"]]
    figure = f"{words(result['metric'])} {best['figure']['value']:.3f}"
    warning = _warning(result, best)
    if best["name"] != "joint":
        return f"Take {best['name']}: it has the best {figure}{_beside(result, best)}{warning}."
    sign = -1 if result["less_is_better"] else 1
    faster = [one for one in result["candidates"] if _ratio(one, best) > _FASTER]
    if not faster:
        return f"Take joint: it has the best {figure}{warning}."
    fast = max(faster, key=lambda one: (sign * one["figure"]["value"], _ratio(one, best)))
    value, found = fast["figure"]["value"], fast["against_best"]
    most = max(0.0, -found["difference"]["low"] if sign > 0 else found["difference"]["high"])
    lost = abs(value - best["figure"]["value"])
    if most <= _NEAR * (1 if sign > 0 else best["figure"]["value"]):
        return (
            f"Take {fast['name']}: its {words(result['metric'])} of {value:.3f} is at most {most:.3f} worse "
            f"than that of joint ({best['figure']['value']:.3f}), and it scores every text of one list with "
            f"every one of another {_times(fast, best)} as fast{_warning(result, fast)}."
        )
    doubt = "" if is_real(found) else f" here, though so few pairs tell no more than: at most {most:.3f}"
    return (
        f"Take joint: it has the best {figure}; where every text of one list meets every one of another, "
        f"{fast['name']} is {_times(fast, best)} as fast, and loses {lost:.3f}{doubt}{warning}."
    )


def is_real(comparison: Mapping[str, Any] | None) -> bool:
    """Tell whether a difference from the best is more than chance."""
    return comparison is not None and comparison["better"] is not None


def _ratio(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    """Return how much faster one scheme is than another, where every text meets every other."""
    return float(one["costs"]["grid_per_second"] / other["costs"]["grid_per_second"])


def _times(fast: Mapping[str, Any], slow: Mapping[str, Any]) -> str:
    ratio = _ratio(fast, slow)
    return f"{ratio:,.0f} times" if ratio >= 10 else f"{ratio:.1f} times"


def _beside(result: Result, best: Mapping[str, Any]) -> str:
    """Return how a best scheme that reads texts apart stands beside joint, if that was tried."""
    joint = next((one for one in result["candidates"] if one["name"] == "joint"), None)
    if joint is None:
        return ""
    told = "better than joint" if is_real(joint["against_best"]) else "though not clearly better than joint"
    speed = _ratio(best, joint)
    fast = (
        f", and is {_times(best, joint)} as fast for every text with every other" if speed > _FASTER else ""
    )
    return f", {told}{fast}"


def _warning(result: Result, taken: Mapping[str, Any]) -> str:
    """Return what to think of baselines that are better than the scheme that is taken, or nearly as good.

    They were tested beside the best scheme, which may be another one.
    """
    sign, best = -1 if result["less_is_better"] else 1, result["best"]
    systems = sorted(result["baselines"], key=lambda one: -sign * one["figure"]["value"])
    for one in systems:
        if is_real(one["against_best"]) and one["against_best"]["better"] == one["name"]:
            value = one["figure"]["value"]
            return f"; but {one['name']}, which needs no encoder, is better than {best} ({value:.3f})"
    for one in systems:
        value = one["figure"]["value"]
        if sign * (value - taken["figure"]["value"]) >= 0:
            return (
                f"; but {one['name']}, which needs no encoder, is no worse than {taken['name']} ({value:.3f})"
            )
        if not is_real(one["against_best"]):
            return (
                f"; but {best} is not clearly better than {one['name']} ({value:.3f}), which needs no encoder"
            )
    return ""


def warned(result: Result) -> list[str]:
    """Return what the reports of the runs warn of, and what was cut; once where all schemes say the same.

    Examples
    --------
    >>> notes = [{"name": "joint", "notes": ["3 leak", "cut"]}, {"name": "product", "notes": ["3 leak"]}]
    >>> warned({"candidates": notes})
    ['3 leak', 'joint: cut']
    """
    of: dict[str, list[str]] = {}
    for one in result["candidates"]:
        for note in one["notes"]:
            of.setdefault(note, []).append(one["name"])
    return [by_whom(note, names, of=len(result["candidates"])) for note, names in of.items()]


def by_whom(note: str, names: Sequence[str], *, of: int) -> str:
    """Return a note with the names of those who say it, where not all do.

    >>> by_whom("cut", ["joint"], of=2), by_whom("cut", ["joint", "product"], of=2)
    ('joint: cut', 'cut')
    """
    return note if len(names) == of else f"{', '.join(names)}: {note}"
