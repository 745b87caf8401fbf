"""Runs beside one another: which of them is better on the same examples, and whether that can be told."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from ambos.errors import InputError, UsageError
from ambos.evaluate.comparison import Comparison, compare
from ambos.evaluate.groups import compare_groups
from ambos.runs.saved_evaluations import FOLDER, SavedEvaluation, find_evaluation
from ambos.suggest import did_you_mean

_SEED = re.compile(r"seed-[0-9]+")


@dataclass(frozen=True)
class Compared:
    """Runs by one metric.

    Parameters
    ----------
    metric, less_is_better
        What they are compared by.
    runs
        By name, in the order given.
    best
        The run with the best value.
    comparisons
        The best with each of the others; `p` is corrected for all pairs of runs.
    groups
        The runs that differ in their seeds alone, by the folder that holds them.
    between
        The group with the best mean with each of the others, over examples and seeds.
    """

    metric: str
    less_is_better: bool
    runs: dict[str, SavedEvaluation]
    best: str
    comparisons: dict[str, Comparison]
    groups: dict[str, list[str]]
    between: dict[str, Comparison] = field(default_factory=dict)

    def value(self, run: str) -> dict[str, float]:
        """Return the metric of a run with its interval."""
        return dict(self.runs[run].values["metrics"][self.metric])

    def verdict(self, run: str) -> str:
        """Return in words how a run stands to the best: best, worse, no clear difference.

        It is worse where test and interval agree that chance does not explain the difference.
        """
        if run == self.best:
            return "best"
        return "worse" if self.comparisons[run].better else "no clear difference"

    def spread(self, group: str) -> tuple[float, float]:
        """Return mean and standard deviation of the runs of a group; that of a single run is 0."""
        values = [self.value(run)["value"] for run in self.groups[group]]
        return fmean(values), stdev(values) if len(values) > 1 else 0.0

    def group_verdict(self, group: str) -> str:
        """Return in words how a group stands to the best; nothing where there is no other."""
        if not self.between:
            return ""
        if group not in self.between:
            return "best"
        return "worse" if self.between[group].better else "no clear difference"

    def as_dict(self) -> dict[str, Any]:
        """Return everything, for JSON; a difference is what a run has more than the best."""
        first = next(iter(self.runs.values())).values
        rows = []
        for run, saved in self.runs.items():
            found = self.comparisons.get(run)
            rows.append(
                {
                    "run": run,
                    "evaluation": str(saved.file),
                    "metrics": saved.values["metrics"],
                    "difference": found.difference.as_dict() if found else None,
                    "p": found.p if found else None,
                    "verdict": self.verdict(run),
                }
            )
        groups = []
        for group, names in self.groups.items():
            mean, deviation = self.spread(group)
            found = self.between.get(group)
            groups.append(
                {
                    "group": group,
                    "runs": names,
                    "mean": mean,
                    "sd": deviation,
                    "difference": found.difference.as_dict() if found else None,
                    "p": found.p if found else None,
                    "verdict": self.group_verdict(group),
                }
            )
        return {
            "metric": self.metric,
            "file": first["file"],
            "rows": first["rows"],
            "task": first["task"],
            "best": self.best,
            "runs": rows,
            "groups": groups,
        }


def compare_runs(folders: Sequence[Path], *, split: str | None = None, metric: str | None = None) -> Compared:
    """Compare runs by their saved evaluations of the same examples.

    Parameters
    ----------
    folders
        Runs; a folder with runs `seed-0`, `seed-1`, ... in it stands for them all.
    split
        Name of the evaluation; by default test, else dev.
    metric
        By default the main one of the task.

    Raises
    ------
    InputError
        If an evaluation is missing, or they are not of the same examples.
    """
    named, groups = _runs(folders)
    runs = {name: find_evaluation(folder, split) for name, folder in named.items()}
    if len(runs) < 2:
        raise UsageError(
            "a comparison takes two runs or more", found=", ".join(runs), fix="name two folders of runs"
        )
    _refuse_different(runs)
    first = next(iter(runs.values()))
    known = list(first.values["metrics"])
    chosen = metric or first.values["main"]
    if chosen not in known:
        raise UsageError(
            f"there is no metric {chosen!r}",
            expected=f"one of {', '.join(known)}",
            fix=did_you_mean(chosen, known),
        )
    evaluation = first.evaluation
    less = chosen in evaluation.less_is_better
    values = {name: saved.values["metrics"][chosen]["value"] for name, saved in runs.items()}
    best = (min if less else max)(values, key=values.__getitem__)
    found = compare(
        evaluation, {name: saved.examples for name, saved in runs.items()}, against=best, metric=chosen
    )
    with_best = {one.first: one for one in found}
    between = _between(runs, groups, chosen, less=less)
    return Compared(chosen, less, runs, best, with_best, groups, between)


def _between(
    runs: dict[str, SavedEvaluation], groups: dict[str, list[str]], metric: str, *, less: bool
) -> dict[str, Comparison]:
    """Compare groups of two runs or more with the one whose mean is best."""
    means = {
        group: fmean(runs[name].values["metrics"][metric]["value"] for name in names)
        for group, names in groups.items()
        if len(names) > 1
    }
    if len(means) < 2:
        return {}
    best = (min if less else max)(means, key=means.__getitem__)
    found = compare_groups(
        next(iter(runs.values())).evaluation,
        {group: [runs[name].examples for name in groups[group]] for group in means},
        metric,
        against=best,
    )
    return {one.first: one for one in found}


def _runs(folders: Sequence[Path]) -> tuple[dict[str, Path], dict[str, list[str]]]:
    """Return runs by name, and which belong together."""
    runs: dict[str, Path] = {}
    groups: dict[str, list[str]] = {}
    for folder in folders:
        seeds = sorted(
            (path for path in folder.glob("seed-*") if path.is_dir() and _SEED.fullmatch(path.name)),
            key=lambda path: int(path.name.removeprefix("seed-")),
        )
        runs |= {str(path): path for path in seeds or [folder]}
        if seeds:
            groups[str(folder)] = [str(path) for path in seeds]
    return runs, groups


def _refuse_different(runs: dict[str, SavedEvaluation]) -> None:
    """Raise `InputError` unless all were measured with the same examples, by the same task and labels."""
    (name, first), *others = runs.items()
    for other, saved in others:
        one, two = first.values, saved.values
        if (one["task"], one["several"], one["labels"]) != (two["task"], two["several"], two["labels"]):
            raise InputError(
                "the runs do not do the same",
                expected=_does(one, name),
                found=_does(two, other),
                fix="compare runs of one task with the same labels",
                file=saved.file,
            )
        if one["examples"] != two["examples"]:
            digests = [{file["sha256"] for file in value["files"]} for value in (one, two)]
            those = (
                "other rows of the same file"
                if digests[0] == digests[1]
                else f"rows of {two['file']}, other bytes"
            )
            model = (
                other if saved.file.parent.name == FOLDER else two["model"]
            )  # an evaluation alone has none
            raise InputError(
                "the runs were not measured with the same examples",
                expected=f"{one['rows']:,} rows of {one['file']}, as for {name}",
                found=f"{two['rows']:,} {those}",
                fix=f"ambos evaluate {model} {one['file']} --save",
                file=saved.file,
            )


def _does(values: dict[str, Any], name: str) -> str:
    labels = values["labels"]
    shown = f" with the labels {', '.join(labels[:8])}{', ...' if len(labels) > 8 else ''}" if labels else ""
    return f"{values['task']}{shown}, as {name} does"
