"""What the command line shows of several runs: a table of them, and what they say together."""

from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from ambos.cli.finetuned import show_cut, show_left_out, show_notes
from ambos.cli.screen import Screen, printable, table


def finish(screen: Screen, out: Path, done: bool) -> None:
    """Say what came of a series of runs."""
    from ambos.analysis.evaluation_report import truncations  # noqa: PLC0415
    from ambos.runs.folder import read_run  # noqa: PLC0415

    about = read_run(out)
    about["truncations"] = truncations(out / about["chosen"]) if done else {}
    screen.result({"out": str(out), "done": done, **about}, lambda console: _show(console, about, out, done))
    if not done:
        raise typer.Exit(130)


def _show(console: Console, about: dict[str, Any], out: Path, done: bool) -> None:
    from ambos.analysis.series_report import summary, warned  # noqa: PLC0415

    path = printable(str(out))
    if not done:
        console.print(
            f"Stopped after {len(about['members'])} of {about['runs']} runs, and saved. "
            f"Go on with: [cyan]ambos resume {path}[/]"
        )
        return
    console.print(
        f"[bold]{about['task']}[/]: {about['runs']} runs, {about['rows']['train']:,} rows, "
        f"in {about['seconds']:.0f} s"
    )
    show_left_out(console, about)
    show_notes(console, about)
    _show_members(console, about)
    console.print()
    console.print(printable(summary(about)))
    show_cut(console, about["truncations"])
    if warned(about):
        console.print(f"[yellow]{printable(warned(about))}[/]")
    console.print(f"  model [cyan]{path}/bundle[/], report [cyan]{path}/report.html[/]")
    console.print(f"Next: [cyan]ambos predict {path} FILE --out predictions.jsonl[/]")


def _show_members(console: Console, about: dict[str, Any]) -> None:
    from ambos.analysis.numbers import plain, with_interval  # noqa: PLC0415
    from ambos.analysis.series_report import columns, members  # noqa: PLC0415

    metric, splits, settings = about["metric"], columns(about), list(about.get("best", {}))
    head = [f"{name} {metric} [95 %]" for name in splits.values()]
    rows = table("run", *settings, *head, right=(*settings, *head))
    for one in members(about):
        found = [one["figures"].get(split, {}).get(metric) for split in splits]
        figures = [with_interval(figure) if figure else "-" for figure in found]
        values = [plain(one["changed"].get(name, "")) for name in settings]
        rows.add_row(one["name"], *values, *figures, style="bold" if one["name"] == about["chosen"] else None)
    console.print(rows)
