"""Pictures of the pair lab: what every system reaches, and what it costs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ambos.analysis.evaluation_pictures import words
from ambos.analysis.picture import BLUE, GREY, ORANGE, WIDTH, draw, style_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Result = Mapping[str, Any]


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
        ends = []
        for one in result["candidates"]:
            found, x = one["figure"], one["costs"]["grid_per_second"]
            colour = ORANGE if one["name"] == result["best"] else BLUE
            axes.vlines(x, found["low"], found["high"], color=colour, linewidth=2, alpha=0.5)
            axes.plot(x, found["value"], "o", color=colour, markersize=6)
            axes.annotate(
                one["name"], (x, found["value"]), xytext=(7, 4), textcoords="offset points", color=colour
            )
            ends.append(x)
        axes.set_xlim(min(ends) / 2, max(ends) * 4)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.set_xlabel("pairs a second, n x m")
        axes.set_ylabel(words(metric))
        style_axes(axes, "both")

    return draw(WIDTH, 3.6, paint)
