"""What the command line shows of a fine-tuning run that has ended: its figures, and what to be wary of."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from ambos.cli.screen import Screen, printable


def finish(screen: Screen, out: Path, done: bool) -> None:
    """Say what came of it."""
    from ambos.analysis.evaluation_report import truncations  # noqa: PLC0415
    from ambos.runs.folder import METRICS, Log, read_run  # noqa: PLC0415

    about, cut = read_run(out), truncations(out)
    log = Log(out / METRICS)
    measured = [record for record in log.records() if record["kind"] == "dev"]
    log.close()
    best = next((record for record in reversed(measured) if record["best"]), None)

    def show(console: Console) -> None:
        path = printable(str(out))
        if not done:
            console.print(
                f"Stopped at step {about['steps']:,} and saved. Go on with: [cyan]ambos resume {path}[/]"
            )
            return
        console.print(
            f"[bold]{about['task']}[/]: {about['rows']['train']:,} rows, {about['steps']:,} steps "
            f"in {about['seconds']:.0f} s"
        )
        show_left_out(console, about)
        show_notes(console, about)
        if not about["rows"]["dev"]:
            console.print(
                "  [yellow]no row could be kept back to select by: the weights are those of the last step, "
                "and how sure the model is was not calibrated[/]"
            )
        name = about["best"]["metric"]
        for split, metrics in about["evaluation"].items():
            figure = metrics[name]
            console.print(
                f"  {split:<5} {name} [bold]{figure['value']:.4f}[/] "
                f"(95 % interval {figure['low']:.4f} to {figure['high']:.4f})"
            )
        show_cut(console, cut)
        _show_review(console, about)
        console.print(f"  model [cyan]{path}/bundle[/], report [cyan]{path}/report.html[/]")
        console.print(f"Next: [cyan]ambos predict {path} FILE --out predictions.jsonl[/]")

    screen.result({"out": str(out), "done": done, "best": best, **about, "truncations": cut}, show)
    if not done:
        raise typer.Exit(130)


def show_left_out(console: Console, about: dict[str, Any]) -> None:
    """Show how many rows of each split were not used, and why."""
    for split, reasons in about.get("left_out", {}).items():
        if reasons:
            counted = ", ".join(f"{count:,} for {why}" for why, count in reasons.items())
            console.print(f"  [yellow]rows of {split} left out: {counted}[/]")


def show_notes(console: Console, about: dict[str, Any]) -> None:
    """Show what was done to the base before it was trained."""
    for note in about.get("notes") or []:
        console.print(f"  {printable(note)}")


def show_cut(console: Console, splits: Mapping[str, Any]) -> None:
    """Show what became of the long texts of each split, those that the model was measured with among them."""
    found = {name: ledger["summary"] for name, ledger in splits.items() if ledger["summary"]}
    for name, summary in found.items():
        console.print(f"  {name:<5} {summary}")
    if not found:
        console.print("  no text was cut")


def _show_review(console: Console, about: dict[str, Any]) -> None:
    """Show what was forgotten, and the warnings."""
    if found := about["forgetting"]:
        rise = found["rise"]
        console.print(
            f"  masked-LM loss of the base {found['before']:.2f}, now {found['after']:.2f} "
            f"({rise['value']:+.2f}, 95 % interval {rise['low']:.2f} to {rise['high']:.2f})"
        )
    for one in about["warnings"]:
        console.print(f"[bold yellow]{one['kind']}[/] [yellow]{printable(one['what'])}[/]")
        console.print(f"  try {printable(one['try'])}")
