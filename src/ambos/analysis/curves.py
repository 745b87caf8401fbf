"""Pictures of a training run: losses, accuracies, learning rate and speed over its steps, as SVG."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ambos.analysis.picture import BLUE, GREEN, GREY, GRID, ORANGE, PURPLE, SKY, WIDTH, draw, style_axes
from ambos.analysis.run_files import Record, finite

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_OTHERS = (GREEN, PURPLE, SKY, GREY, ORANGE)
_LEFT, _RIGHT, _TOP, _BOTTOM, _GAP = 0.62, 1.5, 0.42, 0.52, 0.52  # inches
_TALL, _LOW = 2.3, 1.15  # heights of panels
_POINTS = 600  # of a line; more than that cannot be told apart


@dataclass(frozen=True)
class Line:
    """One quantity over steps: arrays `x` (n,) and `y` (n,) without gaps, and how it is drawn.

    `band` are the ends (2, n) of an interval around it, `mark` is the step of the point to be ringed.
    """

    x: np.ndarray
    y: np.ndarray
    label: str
    colour: str
    smooth: bool = False
    dots: bool = False
    chance: float | None = None
    band: np.ndarray | None = None
    mark: float | None = None


@dataclass(frozen=True)
class Panel:
    """Lines over one another, with what is written above them; `form` writes their values."""

    title: str
    lines: list[Line]
    form: Callable[[float], str]
    height: float = _LOW
    from_zero: bool = field(default=True, kw_only=True)


def draw_curves(metrics: Sequence[Record], speed: Sequence[Record]) -> str:
    """Draw a run as one SVG picture with a panel for each kind of quantity that it has.

    Parameters
    ----------
    metrics
        Records with `kind`, `step` and what was measured, as in a run's `metrics.jsonl`. Values that are
        missing or not finite are left out; lines of many points are thinned, keeping their extremes.
    speed
        Records with `step` and `tokens_per_second`.

    Returns
    -------
    str
        `<svg ...>...</svg>`: the same bytes for the same records, and nothing in it refers outside.

    Examples
    --------
    >>> draw_curves([{"kind": "train", "step": 1, "loss": 9.0, "lr": 1e-4}], [])[:4]
    '<svg'
    """
    return draw_panels(_panels(metrics, speed))


def draw_panels(panels: Sequence[Panel]) -> str:
    """Draw panels below one another over the same steps; those without lines are left out."""
    panels = [panel for panel in panels if panel.lines]
    height = _TOP + sum(panel.height for panel in panels) + _GAP * max(len(panels) - 1, 0) + _BOTTOM
    end = max((line.x[-1] for panel in panels for line in panel.lines), default=1)

    def paint(figure: "Figure") -> None:
        top = height - _TOP
        for panel in panels:
            place = (_LEFT, top - panel.height, WIDTH - _LEFT - _RIGHT, panel.height)
            left, low, wide, tall = np.divide(place, (WIDTH, height, WIDTH, height))
            axes = figure.add_axes((left, low, wide, tall))
            _draw_panel(axes, panel, end, last=panel is panels[-1])
            top -= panel.height + _GAP

    return draw(WIDTH, height, paint)


def _panels(metrics: Sequence[Record], speed: Sequence[Record]) -> list[Panel]:
    train = [record for record in metrics if record.get("kind") == "train"]
    heldout = [record for record in metrics if record.get("kind") == "heldout"]
    names = dict.fromkeys(key for record in train for key in record if key.endswith("_loss"))
    masked = "mlm_loss" in names  # the whole loss has other parts in it, and held-out text has this one
    losses = [
        *lines_of(train, "mlm_loss" if masked else "loss", "training", BLUE, smooth=True),
        *lines_of(heldout, "mlm_loss", "held-out", ORANGE, dots=True),
    ]
    others = [
        line
        for name, colour in zip([name for name in names if name != "mlm_loss"], _OTHERS, strict=False)
        for line in lines_of(train, name, name.removesuffix("_loss").replace("_", " "), colour, smooth=True)
    ]
    accuracies = [
        *lines_of(heldout, "mlm_accuracy", "masked tokens", ORANGE, dots=True),
        *lines_of(heldout, "next_accuracy", "next sentence", GREEN, dots=True, chance=0.5),
        *lines_of(heldout, "order_accuracy", "sentence order", PURPLE, dots=True, chance=0.5),
    ]
    title = "Loss at masked positions (nats a token)" if masked else "Loss (nats)"
    return [
        Panel(title, losses, lambda loss: f"{loss:.2f}", _TALL, from_zero=False),
        Panel("Other training losses (nats)", others, lambda loss: f"{loss:.2f}", from_zero=False),
        Panel("Accuracy on held-out text", accuracies, lambda share: f"{100 * share:.0f} %", 1.5),
        *pace_panels(train, speed),
    ]


def pace_panels(train: Sequence[Record], speed: Sequence[Record]) -> list[Panel]:
    """Return the panels of learning rate and speed."""
    speeds = lines_of(speed, "tokens_per_second", "", GREY, smooth=True)
    return [
        *_rates("Learning rate", "peak", np.max, lines_of(train, "lr", "", GREY), "{:.3g}"),
        *_rates("Tokens per second", "median", np.median, speeds, "{:,.0f}"),
    ]


def _rates(
    title: str, word: str, sum_up: Callable[[np.ndarray], float], lines: list[Line], form: str
) -> list[Panel]:
    """Return the panel of a quantity whose last value says little: the title has a better one."""
    return [Panel(f"{title} ({word} {form.format(sum_up(line.y))})", [line], form.format) for line in lines]


def lines_of(
    records: Sequence[Record],
    name: str,
    label: str,
    colour: str,
    *,
    smooth: bool = False,
    dots: bool = False,
    chance: float | None = None,
) -> list[Line]:
    """Return the line of one quantity; none if no record has it."""
    points = [
        (step, value)
        for record in records
        if (step := finite(record.get("step"))) is not None
        and (value := finite(record.get(name))) is not None
    ]
    if not points:
        return []
    x, y = np.array(sorted(points)).T
    return [Line(x, y, label, colour, smooth, dots, chance)]


def _draw_panel(axes: "Axes", panel: Panel, end: float, *, last: bool) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator, ScalarFormatter  # noqa: PLC0415

    ranges: list[float] = [0.0] if panel.from_zero else []
    labels = []
    for line in panel.lines:
        shown = _smoothed(line.y) if line.smooth else line.y
        if shown is not line.y:
            axes.plot(*_thinned(line.x, line.y), color=line.colour, alpha=0.4, linewidth=0.7)
            ranges += np.percentile(line.y, (0.5, 99.5)).tolist()
        marker = "o" if len(line.x) == 1 or (line.dots and len(line.x) <= 80) else ""
        axes.plot(
            *_thinned(line.x, shown),
            color=line.colour,
            linewidth=1.6,
            marker=marker,
            markersize=3.2,
            zorder=3,
            clip_on=False,  # dots at the border stay whole
        )
        ranges += [*_range(shown), *([] if line.chance is None else [line.chance])]
        if line.band is not None:
            axes.fill_between(line.x, *line.band, color=line.colour, alpha=0.15, linewidth=0)
            ranges += _range(line.band)
        if line.mark is not None:
            ring = line.x == line.mark
            (drawn,) = axes.plot(line.x[ring], line.y[ring], "o", color=line.colour, markersize=9)
            drawn.set(fillstyle="none", clip_on=False)
        if line.label:
            labels.append((float(shown[-1]), f"{line.label} {panel.form(shown[-1])}", line.colour))
    low, high = min(ranges), max(ranges)
    margin = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
    axes.set_ylim(low if panel.from_zero else low - margin, high + margin)
    axes.set_xlim(0, end or 1)
    if any(line.chance is not None for line in panel.lines):
        axes.axhline(0.5, color=GREY, linewidth=0.9, linestyle=(0, (4, 3)))
        labels.append((0.5, "chance for pairs", GREY))
    _label_ends(axes, labels, panel.height)
    axes.set_title(panel.title, loc="left", fontsize=9.5, fontweight="bold", pad=7)
    style_axes(axes)
    axes.spines["bottom"].set_color(GRID if not last else GREY)
    axes.tick_params(labelbottom=last)
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda step, _: f"{step:,.0f}"))
    axes.yaxis.set_major_locator(MaxNLocator(5 if panel.height > _LOW else 3))
    form = FuncFormatter(lambda value, _: panel.form(value)) if panel.from_zero else ScalarFormatter(False)
    axes.yaxis.set_major_formatter(form)
    if last:
        axes.set_xlabel("step")


def _label_ends(axes: "Axes", labels: list[tuple[float, str, str]], height: float) -> None:
    """Write (value, text, colour) beside the ends of lines, apart from each other."""
    low, high = axes.get_ylim()
    gap = 0.17 / height  # a line of text, as a share of the panel
    places: list[float] = []
    ordered = sorted(labels)
    for value, _, _ in ordered:
        place = float(np.clip((value - low) / (high - low), 0, 1))
        places.append(max(place, places[-1] + gap) if places else place)
    if places:
        excess = max(0.0, places[-1] - 1)
        for number in reversed(range(len(places))):  # what was pushed out at the top moves down again
            ceiling = places[number + 1] - gap if number + 1 < len(places) else places[number] - excess
            places[number] = min(places[number], ceiling)
    for place, (_, text, colour) in zip(places, ordered, strict=True):
        axes.annotate(
            text,
            (1, place),
            xycoords="axes fraction",
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            annotation_clip=False,
        )


def _range(values: np.ndarray) -> list[float]:
    return [float(values.min()), float(values.max())]


def _smoothed(values: np.ndarray) -> np.ndarray:
    """Return the mean over a window around each place, a fortieth of all; few values stay as they are.

    At the start the window shrinks to both sides, since the loss falls steeply there; at the end only to the
    right, so that the last value is no single noisy one.
    """
    half = len(values) // 80
    if half == 0:
        return values
    sums = np.concatenate([[0.0], np.cumsum(values)])
    places = np.arange(len(values))
    first = places - np.minimum(half, places)
    behind = np.minimum(places + np.minimum(half, places), len(values) - 1) + 1
    means: np.ndarray = (sums[behind] - sums[first]) / (behind - first)
    return means


def _thinned(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return at most some `_POINTS` of a line: the lowest and highest of each stretch, and both ends."""
    if len(x) <= _POINTS:
        return x, y
    borders = np.linspace(0, len(x), _POINTS // 2 + 1).astype(int)
    keep = {0, len(x) - 1}
    for start, stop in pairwise(borders):
        keep |= {start + int(y[start:stop].argmin()), start + int(y[start:stop].argmax())}
    places = sorted(keep)
    return x[places], y[places]
