"""The report of several runs on one page: the figures of each with intervals, and what they say together."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ambos.analysis.evaluation_pictures import words
from ambos.analysis.evaluation_report import read_examples, said, truncations
from ambos.analysis.evaluation_sections import show_evaluation, show_metrics, show_truncation
from ambos.analysis.numbers import SPACE, duration, listed, plain, with_interval
from ambos.analysis.page import Page, Text, faint, strong
from ambos.analysis.picture import BLUE, GREY, ORANGE, WIDTH, draw, style_axes
from ambos.errors import InputError
from ambos.files import write_file
from ambos.write_errors import output_errors

if TYPE_CHECKING:
    from matplotlib.figure import Figure

About = Mapping[str, Any]
_COLOURS = {"dev": BLUE, "test": ORANGE}
_NAMED = 12  # runs whose names are written out below a picture
_TITLES = {
    "seeds": "The same rows and settings, {} times with other seeds",
    "folds": "Cross-validation with {} folds",
    "search": "A search of {} trials",
}


def write_series_report(folder: Path) -> Path:
    """Write `report.html` into the folder of several runs, whole or not at all.

    Parameters
    ----------
    folder
        With the `run.json` of a series that is finished; of a cross-validation, `evaluation/folds.json` too.

    Returns
    -------
    Path
        The page. The same files give the same page, byte for byte.
    """
    about = _read(folder / "run.json")
    runs = about["runs"] - (about["method"] == "folds")
    page = Page(folder.resolve().name, f"{_TITLES[about['method']].format(runs)}, {about['task']}")
    page.paragraph(summary(about))
    for note in about.get("notes") or []:
        page.paragraph(said(note))
    if warned(about):
        page.paragraph(warned(about))
    page.heading(f"{words(about['metric']).capitalize()} of every run")
    page.picture(draw_members(about), _caption(about))
    _show_members(page, about)
    if about["method"] == "seeds":
        _show_spread(page, about)
    if about["method"] == "folds":
        pooled = _read(folder / "evaluation" / "folds.json")
        page.heading("All held-out rows together")
        show_metrics(page, {"held out": pooled})
        show_evaluation(page, "held out", pooled, read_examples(folder / "evaluation" / "folds.npy"))
    if cut := truncations(folder / about["chosen"]):
        show_truncation(page, cut)
    page.heading("Settings")
    page.paragraph(
        f"All runs together took {duration(about['seconds'])}. Each has a folder, with a report, of its own."
    )
    page.code((folder / "recipe.toml").read_text(encoding="utf-8").strip())
    with output_errors(folder, instead="make the folder of the run writable"):
        write_file(folder / "report.html", page.html().encode())
    return folder / "report.html"


def _read(file: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(file.read_bytes()))
    except (OSError, ValueError, TypeError) as error:
        raise InputError("not the file of a run", found=str(error), file=file) from error


def summary(about: About) -> str:
    """Return in a few sentences what the runs say together, and what is to be thought of their figures."""
    metric, chosen, found = about["metric"], about["chosen"], about["evaluation"]
    name = words(metric)
    test = f" On the test rows it has {_figure(found['test'][metric])}." if "test" in found else ""
    if about["method"] == "seeds":
        means = [
            f"On the {split} rows the mean {name} is {one['mean']:.4f} (95 % interval of the mean "
            f"{one['low']:.4f} to {one['high']:.4f}), the standard deviation of a run {one['sd']:.4f}."
            for split, one in ((split, spread[metric]) for split, spread in about["spread"].items())
        ]
        return (
            f"{' '.join(means)} The model is that of {chosen}, the best on the dev rows: its own dev figure, "
            f"{found['dev'][metric]['value']:.4f}, flatters, since it was chosen by it."
        )
    if about["method"] == "folds":
        is_kept = "dev" in found and not about["rows"]["dev"]
        back = ", with a tenth of them kept back to select its weights" if is_kept else ""
        return (
            f"Every training row was predicted by a run that had not seen it: {name} "
            f"{_figure(about['folds'][metric])}. The model is that of a last run, on the rows of all folds"
            f"{back}.{test}"
        )
    settings = ", ".join(f"{key} {plain(value)}" for key, value in about["best"].items())
    unseen = test or " There are no test rows to tell how much."
    return (
        f"The best of the trials on the dev rows is {chosen} ({settings}): {name} "
        f"{_figure(found['dev'][metric])}. That flatters, since it is the best of many on the same rows."
        f"{unseen}"
    )


def warned(about: About) -> str:
    """Return what the reports of the runs warn of, and which ones; nothing if they do not."""
    runs: dict[str, list[str]] = {}
    for one in about["members"]:
        for kind in one["warnings"]:
            runs.setdefault(kind, []).append(one["name"])
    found = [f"{kind} ({', '.join(names)})" for kind, names in runs.items()]
    return f"The reports of single runs warn of {listed(found)}." if found else ""


def columns(about: About) -> dict[str, str]:
    """Return which rows the runs are shown by: the name of the evaluation, and what it is called here."""
    if about["method"] == "folds":
        return {"test": "held out"}
    splits = ("dev",) if about["method"] == "search" else ("dev", "test")
    return {split: split for split in splits if split in about["evaluation"]}


def members(about: About) -> list[About]:
    """Return the runs that are shown beside one another: of a cross-validation, not the last one."""
    runs = list(about["members"])
    return runs[:-1] if about["method"] == "folds" else runs


def _figure(found: About) -> str:
    return f"{found['value']:.4f} (95 % interval {found['low']:.4f} to {found['high']:.4f})"


def _caption(about: About) -> str:
    across = {
        "seeds": "The bands are the 95 % intervals of the means over the seeds.",
        "folds": "The band is what all held-out rows together say.",
        "search": "The line is the best trial so far.",
    }[about["method"]]
    return f"Each run with its 95 % interval. {across}"


def draw_members(about: About) -> str:
    """Draw the figures of runs, with intervals, beside one another, and what they say together."""
    metric, splits = about["metric"], columns(about)
    runs = [one for one in members(about) if one["figures"]]

    def paint(figure: "Figure") -> None:
        axes = figure.add_axes((0.085, 0.17, 0.74, 0.76))
        for row, split in enumerate(splits):
            x = np.arange(len(runs)) + (row - (len(splits) - 1) / 2) * 0.16
            found = [one["figures"][split][metric] for one in runs]
            y, low, high = ([one[key] for one in found] for key in ("value", "low", "high"))
            axes.vlines(x, low, high, color=_COLOURS[split], linewidth=1.4, alpha=0.5)
            axes.plot(x, y, "o", color=_COLOURS[split], markersize=5)
            figure.text(0.845, 0.88 - 0.065 * row, splits[split], color=_COLOURS[split])
        for split, (least, middle, most) in _bands(about).items():
            axes.axhspan(least, most, color=_COLOURS[split], alpha=0.12, linewidth=0)
            axes.axhline(middle, color=_COLOURS[split], linewidth=1, linestyle=(0, (4, 3)))
        if about["method"] == "search":
            values = [one["figures"]["dev"][metric]["value"] for one in runs]
            so_far = (np.minimum if about["less_is_better"] else np.maximum).accumulate(values)
            axes.step(np.arange(len(runs)), so_far, where="post", color=GREY, linewidth=1)
        names = [one["name"] for one in runs]
        step = -(-len(names) // _NAMED)
        axes.set_xticks(np.arange(len(names))[::step], names[::step], rotation=25 if len(names) > 6 else 0)
        axes.set_xlim(-0.6, len(names) - 0.4)
        axes.set_ylabel(words(metric))
        style_axes(axes)

    return draw(WIDTH, 3.6, paint)


def _bands(about: About) -> dict[str, tuple[float, float, float]]:
    """Return what all runs together say of the metric, for each split: low, middle, high."""
    if about["method"] == "seeds":
        found = {split: spread[about["metric"]] for split, spread in about["spread"].items()}
        return {split: (one["low"], one["mean"], one["high"]) for split, one in found.items()}
    if about["method"] == "folds":
        one = about["folds"][about["metric"]]
        return {"test": (one["low"], one["value"], one["high"])}
    return {}


def _show_members(page: Page, about: About) -> None:
    """Show a table of all runs: what was particular to each, and its figures."""
    metric, splits, runs = about["metric"], columns(about), members(about)
    settings = list(about.get("best", {}))
    head = [f"{name} [95{SPACE}%]" for name in splits.values()]
    rows: list[Sequence[Text]] = []
    for one in runs:
        figures = [_cell(one["figures"].get(split, {}).get(metric)) for split in splits]
        name = strong(one["name"]) if one["name"] == about["chosen"] else one["name"]
        values = [plain(one["changed"].get(key, "")) for key in settings]
        rows.append([name, *values, *figures, duration(one["seconds"])])
    page.table(["run", *settings, *head, "time"], rows, right=[*settings, *head, "time"])
    if any(not one["figures"] for one in runs):
        page.paragraph(faint("Where there is no figure, the loss became no number: the rate was too high."))


def _cell(found: About | None) -> str:
    return "–" if found is None else with_interval(found, 3, space=SPACE)


def _show_spread(page: Page, about: About) -> None:
    """Show every metric over the seeds."""
    page.heading("Every metric over the seeds")
    numbers = ("mean", f"95{SPACE}% interval of the mean", "sd", "least", "most")
    rows = [
        [
            split,
            words(metric),
            strong(f"{one['mean']:.4f}"),
            f"{one['low']:.4f}{SPACE}–{SPACE}{one['high']:.4f}",
            *(f"{one[key]:.4f}" for key in ("sd", "least", "most")),
        ]
        for split, spread in about["spread"].items()
        for metric, one in spread.items()
    ]
    page.table(["rows", "metric", *numbers], rows, right=numbers)
    page.paragraph(
        faint(
            "The interval is that of the mean over all seeds there are, with these rows (Student's t). The "
            "one of a run is that of other rows, with its weights (bootstrap)."
        )
    )
