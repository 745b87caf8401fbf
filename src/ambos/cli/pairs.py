"""`ambos pairs`: the pair lab, which tries ways of reading pairs on the same rows."""

from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from rich.console import Console

from ambos.cli import columns as of
from ambos.cli.options import (
    Base,
    Dev,
    Encoding,
    Force,
    Hidden,
    Json,
    MaxLength,
    Out,
    Quiet,
    SkipBad,
    settings_given,
)
from ambos.cli.pair_options import Absolute, SchemeName, task_of_pairs
from ambos.cli.screen import Screen, printable, table
from ambos.errors import UsageError
from ambos.suggest import did_you_mean

app = typer.Typer(help="Try ways of reading pairs of texts on the same rows.", no_args_is_help=True)

_SCHEMES = get_args(SchemeName)
_WIDEST = 1000  # columns, of a table that is written to a file


@app.callback()
def _root() -> None:
    pass  # without it, typer would take the one command for the whole


@app.command()
def compare(
    train: Annotated[
        list[str], typer.Option("--train", help="Pairs to learn from: .csv, .tsv, .jsonl, .parquet.")
    ],
    base: Base,
    out: Out,
    dev: Dev = None,
    test: Annotated[
        list[str] | None,
        typer.Option("--test", help="Pairs that all are measured with; else those of --dev."),
    ] = None,
    schemes: Annotated[
        str | None,
        typer.Option(
            "--schemes",
            help="Which ones, parted by commas; by default all that the task has.",
            show_default=",".join(_SCHEMES),
        ),
    ] = None,
    text_a: of.TextA = None,
    text_b: of.TextB = None,
    label: of.Label = None,
    score: of.Score = None,
    skip_bad: SkipBad = False,
    max_length: MaxLength = None,
    hidden: Hidden = False,
    absolute: Absolute = False,
    epochs: Annotated[
        float | None, typer.Option(help="How often every pair is read.", min=0.01, show_default="4")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(help="For every run, by the clock, instead of epochs.", min=0.05)
    ] = None,
    lr: Annotated[float | None, typer.Option(help="Peak learning rate; by default by the width.")] = None,
    seeds: Annotated[
        int | None, typer.Option(help="Train every scheme so many times.", min=2, show_default=False)
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option(help="Cross-validate every scheme with so many parts.", min=2, show_default=False),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Decides every draw.", show_default="0")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Change any setting of the runs, e.g. [cyan]pair.layers=2[/].", metavar="NAME=VALUE"
        ),
    ] = None,
    encoding: Encoding = "utf-8",
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train every way of reading pairs on the same rows; show what each reaches, and what it costs.

    Beside them: baselines without an encoder. Every scheme has a run of its own in the folder; the same
    command again goes on where it was interrupted. Runs that were made with other settings or files
    are refused, or with --force trained anew.

    [bold]Example[/]  ambos pairs compare --train snli/train.jsonl --dev snli/dev.jsonl --test snli/test.jsonl
    --base minilm --schemes joint,combined --epochs 1 --out lab
    """
    chosen = _chosen(schemes)
    from ambos.recipe import load_recipe  # noqa: PLC0415
    from ambos.runs.finetune_settings import TRIED, FinetuneRecipe  # noqa: PLC0415

    columns = {"text_a": text_a, "text_b": text_b, "label": label, "score": score}
    given: dict[str, Any] = {
        "task": task_of_pairs(None, train, columns, encoding),
        "base": base,
        "seed": seed,
        "epochs": epochs,
        "minutes": minutes,
        "seeds": seeds,
        "folds": folds,
        "max_length": max_length,
        "head": {"hidden": hidden},
        "pair": {"absolute": absolute},
        "data": {
            "train": train,
            "dev": dev or [],
            "test": test or [],
            "columns": {role: name for role, name in columns.items() if name},
            "pairs": True,
            "encoding": encoding,
            "skip_bad": skip_bad,
        },
        "learning": {"lr": lr},
    }
    recipe = load_recipe(FinetuneRecipe, [settings_given(given, settings)], context=TRIED)

    from ambos.cli.training import Display  # noqa: PLC0415
    from ambos.runs.pairs import PairLab  # noqa: PLC0415

    screen = Screen(json, quiet)
    with Display(screen).shown() as display:
        result = PairLab(out, recipe, chosen, display, display.stage, force).run()
    if result is None:
        again = "the same command without --force" if force else "the same command"
        screen.note(f"interrupted: {again} goes on from what is in {out}")
        raise typer.Exit(130)
    screen.result({"out": str(out), **result}, lambda console: _show(console, result, out))


def _chosen(schemes: str | None) -> list[Any] | None:
    if schemes is None:
        return None
    found = [name.strip() for name in schemes.split(",") if name.strip()]
    for name in found:
        if name not in _SCHEMES:
            raise UsageError(
                f"there is no scheme {name!r}",
                expected=f"some of {', '.join(_SCHEMES)}",
                fix=did_you_mean(name, _SCHEMES),
            )
    return list(dict.fromkeys(found))


def _split(result: dict[str, Any]) -> str:
    """Return what the rows are called that all were measured with."""
    return "held-out" if result["split"] == "folds" else str(result["split"])


def _legend(result: dict[str, Any]) -> list[str]:
    """Return what the columns mean that do not say it themselves."""
    exchanged = "labels that change" if result["task"] == "classify" else "correlation of scores"
    said = [
        "p: paired test against the best, corrected for all pairs of systems (Holm)",
        f"swapped: {exchanged} with the two texts exchanged",
    ]
    if any(one.get("spread") for one in result["candidates"]):
        said.append(
            "mean \u00b1 half of its 95 % interval (pairs, seeds) is compared; beside it the run best on dev"
        )
    if len(result["candidates"]) > 1:
        said.append(f"the best was chosen by these {_split(result)} rows, which flatters it")
    return said


def _show(console: Console, result: dict[str, Any], out: Path) -> None:
    from ambos.analysis.pairs_advice import warned  # noqa: PLC0415
    from ambos.analysis.pairs_table import table_of  # noqa: PLC0415

    columns, rows = table_of(result)
    console.print(
        f"[bold]{result['metric']}[/] on {_split(result)} rows; "
        f"{result['rows']['train']:,} pairs to learn from"
    )
    shown = table(*columns, right=[name for name in columns if name not in {"system", ""}])
    shown.collapse_padding = True  # 120 columns shall hold it
    for row in rows:
        shown.add_row(*map(printable, row), style="bold" if row[0] == result["best"] else None)
    if not console.is_terminal:  # a file has lines as long as they need be
        console.width, least = _WIDEST, console.width
        console.width = max(least, console.measure(shown).maximum)
    console.print(shown)
    for line in _legend(result):
        console.print(line, style="dim")
    console.print()
    console.print(printable(result["recommendation"]))
    for note in warned(result):
        console.print(f"[yellow]{printable(note)}[/]")
    path = printable(str(out))
    console.print(f"  report [cyan]{path}/report.html[/], figures [cyan]{path}/pairs.json[/]")
