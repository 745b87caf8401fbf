"""Runs beside one another: which of them is better on the same examples, and whether that can be told."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from ambos.errors import InputError, UsageError
from ambos.evaluate.comparison import Comparison, compare
from ambos.evaluate.entities import Entities
from ambos.evaluate.evaluation import ClassEvaluation
from ambos.evaluate.groups import compare_groups
from ambos.runs.saved_evaluations import SavedEvaluation, find_evaluation
from ambos.suggest import did_you_mean

_SEED = re.compile(r"seed-(-?[0-9]+)")  # a seed may be below 0: seed--1


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
    notes
        What a reader must know to trust it.
    """

    metric: str
    less_is_better: bool
    runs: dict[str, SavedEvaluation]
    best: str
    comparisons: dict[str, Comparison]
    groups: dict[str, list[str]]
    between: dict[str, Comparison] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

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
            "notes": list(self.notes),
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
        If an evaluation is missing, or they are not of the same task, labels and examples.
    """
    named, groups = _runs(folders)
    runs = {name: find_evaluation(folder, split) for name, folder in named.items()}
    if len(runs) < 2:
        raise UsageError(
            "a comparison takes two runs or more", found=", ".join(runs), fix="name two folders of runs"
        )
    _refuse_different(runs)
    first = next(iter(runs.values()))
    runs = {name: _reordered(saved, first) for name, saved in runs.items()}
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
    return Compared(chosen, less, runs, best, with_best, groups, between, _other_files(runs))


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
        matches = ((_SEED.fullmatch(path.name), path) for path in folder.glob("seed-*") if path.is_dir())
        numbered = {int(match[1]): path for match, path in matches if match}
        seeds = [numbered[seed] for seed in sorted(numbered)]
        runs |= {str(path): path for path in seeds or [folder]}
        if seeds:
            groups[str(folder)] = [str(path) for path in seeds]
    return runs, groups


def _refuse_different(runs: dict[str, SavedEvaluation]) -> None:
    """Raise `InputError` unless all were measured with the same examples, by the same task and labels."""
    (name, first), *others = runs.items()
    for other, saved in others:
        one, two = first.values, saved.values
        if _kind(first) != _kind(saved):
            raise InputError(
                "the runs do not do the same",
                expected=_does(first, name),
                found=_does(saved, other),
                fix="compare runs of one task with the same labels",
                file=saved.file,
            )
        if one["examples"] != two["examples"]:
            those = (
                "other rows of the same file"
                if _bytes_of(first) == _bytes_of(saved)
                else f"rows of {two['file']}, other bytes"
            )
            raise InputError(
                "the runs were not measured with the same examples",
                expected=f"{one['rows']:,} rows of {one['file']}, as for {name}",
                found=f"{two['rows']:,} {those}",
                fix="measure each with one file that none learnt from: ambos evaluate RUN FILE.csv --save; "
                "then ambos compare ... --split FILE",
                file=saved.file,
            )


def _kind(saved: SavedEvaluation) -> tuple[object, ...]:
    """Return what runs must share: the task, how it is measured, and the labels in any order.

    Of entities the types count, not the tags: a run may never have seen some I-TIME.
    """
    evaluation = saved.evaluation
    labels = frozenset(evaluation.labels) if isinstance(evaluation, ClassEvaluation) else None
    return saved.values["task"], saved.values["several"], type(evaluation), labels


def _reordered(saved: SavedEvaluation, first: SavedEvaluation) -> SavedEvaluation:
    """Return an evaluation with its labels in the order of the first one, by which all examples are read."""
    evaluation, other = first.evaluation, saved.evaluation
    if not (isinstance(evaluation, ClassEvaluation) and isinstance(other, ClassEvaluation)):
        return saved
    if evaluation.labels == other.labels:
        return saved
    values = {**saved.values, "labels": first.values["labels"]}
    return replace(saved, values=values, examples=evaluation.reordered(saved.examples, other.labels))


def _other_files(runs: dict[str, SavedEvaluation]) -> tuple[str, ...]:
    """Say which runs were measured with other bytes than the first one, line by line as right.

    The same rows in lower case are other bytes, and so is their translation: only the reader can tell.
    """
    (name, first), *others = runs.items()
    files: dict[str, list[str]] = {}
    for other, saved in others:
        if _bytes_of(saved) != _bytes_of(first):
            files.setdefault(saved.values["file"], []).append(other)
    return tuple(
        f"{file}, for {', '.join(names)}, has other bytes than {first.values['file']}, for {name}: what is "
        "right agrees line by line, but whether the texts are the same was not looked at"
        for file, names in files.items()
    )


def _bytes_of(saved: SavedEvaluation) -> set[str]:
    return {file["sha256"] for file in saved.values["files"]}


def _does(saved: SavedEvaluation, name: str) -> str:
    values, evaluation = saved.values, saved.evaluation
    if not isinstance(evaluation, ClassEvaluation):
        return f"{values['task']}, measured by {values['main']}, as {name} does"
    labels = evaluation.labels
    what = "entities" if isinstance(evaluation, Entities) else "labels"
    shown = f"{', '.join(labels[:8])}{', ...' if len(labels) > 8 else ''}"
    return f"{values['task']} with the {what} {shown}, as {name} does"
