"""`ambos compare`: which of several runs is better, and which differences are real."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ambos.analysis.numbers import with_interval
from ambos.cli.options import Json, Quiet
from ambos.cli.screen import Screen, printable, table

if TYPE_CHECKING:
    from ambos.runs.comparing import Compared

_LEGEND = (
    "Paired: the runs answered the same examples. A difference is taken for real where its interval "
    "(bootstrap) is on one side of 0 and p is below 0.05: the chance of so large a difference between equal "
    "runs, by randomisation, corrected for all pairs of runs by Holm's method."
)
_GROUPS_LEGEND = (
    "Means over seeds: their difference is uncertain by the examples (bootstrap) and by the seeds (Welch), "
    "and both are in its interval and p."
)


def compare(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="Runs, or folders that [cyan]ambos evaluate --out[/] wrote. One with runs seed-0, seed-1, "
            "... in it stands for them all.",
            metavar="RUN",
        ),
    ],
    split: Annotated[
        str | None,
        typer.Option(
            "--split",
            help="Evaluation to compare by; by default test, else dev.",
            metavar="NAME",
            show_default=False,
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option("--metric", help="By default the main one of the task.", show_default=False),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare runs by their evaluations of the same file, and say which differences are real.

    Runs have an evaluation of their dev and test rows from the beginning; [cyan]ambos evaluate RUN FILE
    --save[/] adds others.

    [bold]Examples[/]  ambos compare run-a run-b · ambos compare small large --split dev --metric macro_f1
    """
    from ambos.runs.comparing import compare_runs  # noqa: PLC0415

    screen = Screen(json, quiet)
    compared = compare_runs(runs, split=split, metric=metric)
    screen.result(compared.as_dict(), lambda console: _show(console, compared))


def _show(console: Console, compared: "Compared") -> None:
    first = next(iter(compared.runs.values())).values
    console.print(f"[bold]{compared.metric}[/], {first['rows']:,} rows of {printable(first['file'])}")
    short = _short(list(compared.runs))
    numbers = (f"{compared.metric} [95 %]", "from the best [95 %]", "p")
    rows = table("run", *numbers, "", right=numbers)
    for run in compared.runs:
        found = compared.comparisons.get(run)
        apart = [with_interval(found.difference.as_dict(), sign="+"), f"{found.p:.4f}"] if found else ["", ""]
        rows.add_row(printable(short[run]), with_interval(compared.value(run)), *apart, compared.verdict(run))
    console.print(rows)
    console.print()
    if compared.groups:
        _show_groups(console, compared)
    for note in compared.notes:
        console.print(f"[yellow]{printable(note)}[/]\n")
    console.print(f"[dim]{_LEGEND}[/]")
    if compared.between:
        console.print(f"[dim]{_GROUPS_LEGEND}[/]")


def _show_groups(console: Console, compared: "Compared") -> None:
    numbers = ("runs", "mean", "sd", "from the best [95 %]", "p")
    rows = table("seeds of", *numbers, "", right=numbers)
    for group, names in compared.groups.items():
        mean, deviation = compared.spread(group)
        found = compared.between.get(group)
        apart = [with_interval(found.difference.as_dict(), sign="+"), f"{found.p:.4f}"] if found else ["", ""]
        rows.add_row(
            *(printable(group), f"{len(names)}", f"{mean:.4f}", f"{deviation:.4f}"),
            *(*apart, compared.group_verdict(group)),
        )
    console.print(rows)
    console.print()


def _short(paths: list[str]) -> dict[str, str]:
    """Return paths without what they share."""
    shared = os.path.commonpath([Path(path).absolute().parent for path in paths])
    return {path: os.path.relpath(path, shared) for path in paths}
