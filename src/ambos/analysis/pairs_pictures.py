"""Pictures of the pair lab: what every system reaches, and what it costs."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ambos.analysis.evaluation_pictures import words
from ambos.analysis.picture import BLUE, GREY, ORANGE, WIDTH, draw, style_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Result = Mapping[str, Any]
_RIGHT, _UP = 7.0, 4.0  # of a dot, in points: where its label begins
_LEADER = {"arrowstyle": "-", "linewidth": 0.6, "relpos": (0, 0.5)}  # from a dot to a label that moved
_LETTER, _LINE = 5.5, 11.0  # of a label, in points: no wider, no higher


def draw_figures(result: Result) -> str:
    """Draw the metric of all systems with intervals, the best on top."""
    metric, sign = result["metric"], -1 if result["less_is_better"] else 1
    systems = sorted(
        [*result["candidates"], *result["baselines"]], key=lambda one: sign * one["figure"]["value"]
    )

    def paint(figure: "Figure") -> None:
        axes = figure.add_axes((0.2, 0.14, 0.72, 0.82))
        for place, one in enumerate(systems):
            found, ours = one["figure"], "costs" in one
            colour = ORANGE if one["name"] == result["best"] else BLUE if ours else GREY
            axes.hlines(place, found["low"], found["high"], color=colour, linewidth=2, alpha=0.5)
            axes.plot(found["value"], place, "o", color=colour, markersize=6)
        axes.set_yticks(range(len(systems)), [one["name"] for one in systems])
        axes.set_ylim(-0.6, len(systems) - 0.4)
        axes.set_xlabel(words(metric))
        style_axes(axes, "x")

    return draw(WIDTH, 0.6 + 0.33 * len(systems), paint)


def draw_costs(result: Result) -> str:
    """Draw the metric of the schemes against pairs a second."""
    metric = result["metric"]

    def paint(figure: "Figure") -> None:
        axes = figure.add_axes((0.1, 0.15, 0.84, 0.8))
        axes.set_xscale("log")
        schemes, dots = result["candidates"], []
        colours = [ORANGE if one["name"] == result["best"] else BLUE for one in schemes]
        for one, colour in zip(schemes, colours, strict=True):
            found, x = one["figure"], one["costs"]["grid_per_second"]
            axes.vlines(x, found["low"], found["high"], color=colour, linewidth=2, alpha=0.5)
            axes.plot(x, found["value"], "o", color=colour, markersize=6)
            dots.append((x, found["value"]))
        ends = [x for x, _ in dots]
        axes.set_xlim(min(ends) / 2, max(ends) * 4)
        axes.autoscale_view()
        places = axes.transData.transform(dots) * (72 / figure.dpi)
        moves = _moved(places.tolist(), [len(one["name"]) * _LETTER for one in schemes])
        for one, dot, colour, move in zip(schemes, dots, colours, moves, strict=True):
            axes.annotate(
                one["name"],
                dot,
                xytext=(_RIGHT, _UP + move),
                textcoords="offset points",
                color=colour,
                arrowprops=_LEADER | {"color": colour} if move else None,
            )
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.set_xlabel("pairs a second, n x m")
        axes.set_ylabel(words(metric))
        style_axes(axes, "both")

    return draw(WIDTH, 3.6, paint)


def _moved(dots: Sequence[tuple[float, float]], widths: Sequence[float]) -> list[float]:
    """Return how far up, or down, each label must go from its dot so that it covers no other and no dot.

    All of it in points; a label goes as little as it can, the highest ones first.

    Examples
    --------
    >>> _moved([(0, 5), (20, 5), (300, 5)], [50, 50, 50])
    [5.5, -5.5, 0.0]
    """
    taken = [(x - 4, y - 4, 8.0, 8.0) for x, y in dots]  # left, bottom, width, height
    found = [0.0] * len(dots)
    for number in sorted(range(len(dots)), key=lambda one: -dots[one][1]):
        (x, y), width = dots[number], widths[number]
        moves = (sign * step * _LINE / 2 for step in range(2 * len(dots) + 2) for sign in (1, -1))
        boxes = ((move, (x + _RIGHT, y + _UP - 2 + move, width, _LINE)) for move in moves)
        found[number], box = next(one for one in boxes if not any(_overlap(one[1], other) for other in taken))
        taken.append(box)
    return found


def _overlap(one: Sequence[float], other: Sequence[float]) -> bool:
    """Tell whether two boxes have a place in common."""
    return all(
        one[side] < other[side] + other[side + 2] and other[side] < one[side] + one[side + 2]
        for side in (0, 1)
    )
