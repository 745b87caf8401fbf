"""Pictures of an evaluation, as SVG: the course of training, confusions, reliability, classes, scores."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ambos.analysis.curves import Line, Panel, draw_panels, lines_of, pace_panels
from ambos.analysis.picture import BLUE, GREEN, GREY, GRID, INK, ORANGE, WIDTH, draw, style_axes
from ambos.analysis.run_files import Record, finite

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 30  # classes that a picture shows
FEW = 20  # predictions, of which a share says little
_LETTERS = 22  # of a label
_POINTS = 2000  # of scores


def draw_training(metrics: Sequence[Record], speed: Sequence[Record]) -> str:
    """Draw the loss on training batches, and what was measured with the dev rows, over the steps of a run.

    Parameters
    ----------
    metrics
        Records of a run's `metrics.jsonl`; those of kind `dev` have `metric`, the name of the one that
        decides, and under that name its value and interval.
    speed
        Records with `step` and `tokens_per_second`.
    """
    train = [record for record in metrics if record.get("kind") == "train"]
    dev = [record for record in metrics if record.get("kind") == "dev"]
    name = str(dev[-1].get("metric")) if dev else ""
    title = f"{words(name)} on the dev rows"
    return draw_panels(
        [
            Panel(
                "Loss",
                [
                    *lines_of(train, "loss", "training", BLUE, smooth=True),
                    *lines_of(dev, "loss", "dev", ORANGE, dots=True),
                ],
                lambda loss: f"{loss:.3f}",
                2.0,
                from_zero=False,
            ),
            Panel(title[:1].upper() + title[1:], _measured(dev, name), "{:.3f}".format, 1.8, from_zero=False),
            *pace_panels(train, speed),
        ]
    )


def _measured(dev: Sequence[Record], name: str) -> list[Line]:
    """Return the line of the metric that decides, with its intervals; the last best one is marked."""
    found = [
        (record["step"], *(finite(record[name].get(key)) for key in ("value", "low", "high")))
        for record in dev
        if isinstance(record.get(name), Mapping)
    ]
    whole = [point for point in found if None not in point]
    if not whole:
        return []
    steps, values, low, high = np.array(whole, np.float64).T
    best = [record["step"] for record in dev if record.get("best")]
    mark = float(best[-1]) if best else None
    return [Line(steps, values, "dev", ORANGE, dots=True, band=np.stack([low, high]), mark=mark)]


def words(metric: str) -> str:
    """Return the name of a metric as people write it.

    >>> words("macro_f1"), words("mcc"), words("exact_match")
    ('macro F1', 'Matthews correlation', 'exact match')
    """
    known = {
        "mcc": "Matthews correlation",
        "mse": "mean squared error",
        "rmse": "root mean squared error",
        "mae": "mean absolute error",
        "pearson": "Pearson correlation",
        "spearman": "Spearman correlation",
        "mrr": "mean reciprocal rank",
    }
    return known.get(metric, metric.replace("_", " ").replace("f1", "F1"))


def draw_confusion(labels: Sequence[str], counts: np.ndarray) -> str:
    """Draw a confusion matrix (L, L): the darker, the larger the share of its row, the gold label.

    Of more than 30 labels those are shown that are confused most often.
    """
    wrong = counts.sum(0) + counts.sum(1) - 2 * counts.diagonal()
    chosen = np.sort(np.argsort(-wrong, kind="stable")[:MOST])
    names, cells = [_short(labels[place]) for place in chosen], counts[np.ix_(chosen, chosen)]
    shares = cells / np.maximum(1, counts.sum(1)[chosen])[:, None]
    count = len(names)
    side = min(0.62, 5.6 / count)
    left, below = 0.75 + 0.078 * max(map(len, names)), 0.55 + 0.078 * max(map(len, names))
    height = below + side * count + 0.35

    def paint(figure: "Figure") -> None:
        from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415 (slow to import)

        place = (left / WIDTH, below / height, side * count / WIDTH, side * count / height)
        axes = figure.add_axes(place)
        shades = LinearSegmentedColormap.from_list("shades", ["#ffffff", "#9ecae9", BLUE])
        axes.pcolormesh(shares, cmap=shades, vmin=0, vmax=1, edgecolors="white", linewidth=1)
        size = min(9.0, 26 * side)
        for row, column in np.argwhere(cells > 0):
            axes.text(
                column + 0.5,
                row + 0.5,
                f"{cells[row, column]:,}",
                ha="center",
                va="center",
                fontsize=size,
                color="white" if shares[row, column] > 0.6 else INK,
            )
        axes.set_xticks(np.arange(count) + 0.5, names, rotation=90, fontsize=min(9.0, 50 * side))
        axes.set_yticks(np.arange(count) + 0.5, names, fontsize=min(9.0, 50 * side))
        axes.invert_yaxis()
        axes.set_xlabel("predicted")
        axes.set_ylabel("gold")
        axes.tick_params(length=0)
        axes.spines[:].set_color(GRID)

    return draw(WIDTH, height, paint)


def draw_reliability(bins: Sequence[Mapping[str, Any]], error: float) -> str:
    """Draw how often a model is right against how sure it says it is, and how often it is how sure.

    Parameters
    ----------
    bins
        With `low`, `high`, `count`, `confidence` and `accuracy`, as `Calibration.bins` gives them.
    error
        The expected calibration error.
    """

    def paint(figure: "Figure") -> None:
        axes = figure.add_axes((0.085, 0.36, 0.55, 0.55))
        below = figure.add_axes((0.085, 0.13, 0.55, 0.17), sharex=axes)
        axes.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle=(0, (4, 3)))
        edges = np.array([bin_["low"] for bin_ in bins])
        wide = np.array([bin_["high"] - bin_["low"] for bin_ in bins])
        sure, right = (np.array([bin_[key] for bin_ in bins]) for key in ("confidence", "accuracy"))
        counts = np.array([bin_["count"] for bin_ in bins], np.float64)
        bars = axes.bar(edges, right, wide, align="edge", color=BLUE, edgecolor="white")
        for bar, number in zip(bars, counts, strict=True):
            bar.set_alpha(0.85 if number >= FEW else 0.3)
        for x, actual in zip(sure, right, strict=True):
            axes.plot([x, x], [actual, x], color=ORANGE, linewidth=2.2, solid_capstyle="butt")
        below.bar(edges, counts / counts.sum(), wide, align="edge", color=GREY, alpha=0.6, edgecolor="white")
        axes.set_ylim(0, 1)
        axes.set_xlim(0, 1)
        axes.set_ylabel("share that is right")
        below.set_ylabel("share")
        below.set_xlabel("how sure the model says it is")
        for panel in (axes, below):
            style_axes(panel)
        axes.tick_params(labelbottom=False)
        notes = {"where it should be": GREY, "how often it is right": BLUE, "how far that is off": ORANGE}
        for row, (text, colour) in enumerate(notes.items()):
            figure.text(0.67, 0.86 - 0.06 * row, text, color=colour)
        figure.text(0.67, 0.66, f"calibration error {error:.3f}", fontweight="bold")

    return draw(WIDTH, 3.9, paint)


def draw_classes(classes: Sequence[Mapping[str, Any]]) -> str:
    """Draw F1, with its interval, precision and recall of classes; of more than 30, the 30 worst."""
    shown = sorted(classes, key=lambda one: one["f1"])[:MOST]
    left, height = 1.0 + 0.085 * max(len(_short(one["label"])) for one in shown), 0.95 + 0.27 * len(shown)

    def paint(figure: "Figure") -> None:
        place = (left / WIDTH, 0.5 / height, (WIDTH - left - 1.9) / WIDTH, (height - 0.6) / height)
        axes = figure.add_axes(place)
        places = np.arange(len(shown))
        for key, colour, marker in (("precision", GREEN, "|"), ("recall", ORANGE, "x")):
            values = [one[key] for one in shown]
            axes.plot(
                values,
                places,
                marker,
                color=colour,
                markersize=8,
                markeredgewidth=1.8,
                clip_on=False,
                zorder=3,
            )
        axes.barh(places, [one["f1"] for one in shown], 0.62, color=BLUE, alpha=0.35)
        for row, one in enumerate(shown):
            if ends := (one.get("intervals") or {}).get("f1"):  # older evaluations have none
                axes.plot([ends["low"], ends["high"]], [row, row], color=BLUE, linewidth=1.2)
        axes.set_yticks(places, [_short(one["label"]) for one in shown])
        axes.invert_yaxis()
        axes.set_xlim(0, 1)
        axes.set_ylim(len(shown) - 0.4, -0.6)
        style_axes(axes, grid="x")
        axes.tick_params(axis="y", labelcolor=INK, pad=8)  # clear of a marker at 0
        top = 1 - 0.35 / height
        for row, (text, colour) in enumerate((("F1", BLUE), ("| precision", GREEN), ("× recall", ORANGE))):
            figure.text(1 - 1.6 / WIDTH, top - 0.22 * row / height, text, color=colour)

    return draw(WIDTH, max(height, 1.4), paint)


def draw_scores(gold: np.ndarray, predicted: np.ndarray) -> str:
    """Draw predicted numbers (n,) against gold ones (n,); of very many, some."""
    step = -(-len(gold) // _POINTS)
    x, y = gold[::step], predicted[::step]
    ends = [min(x.min(), y.min()), max(x.max(), y.max())]
    margin = 0.04 * (ends[1] - ends[0]) or 1.0

    def paint(figure: "Figure") -> None:
        axes = figure.add_axes((0.085, 0.12, 0.55, 0.82))
        axes.plot(ends, ends, color=GREY, linewidth=1, linestyle=(0, (4, 3)))
        axes.plot(x, y, "o", color=BLUE, alpha=min(1.0, 0.15 + 60 / len(x)), markersize=4, markeredgewidth=0)
        axes.set_xlim(ends[0] - margin, ends[1] + margin)
        axes.set_ylim(ends[0] - margin, ends[1] + margin)
        axes.set_xlabel("gold")
        axes.set_ylabel("predicted")
        style_axes(axes)
        figure.text(0.67, 0.86, "exactly right", color=GREY)
        figure.text(0.67, 0.81, "an example", color=BLUE)

    return draw(WIDTH, 4.6, paint)


def _short(label: str) -> str:
    return label if len(label) <= _LETTERS else f"{label[: _LETTERS - 1]}…"
