"""`ambos pretrain` and `ambos resume`: an encoder of one's own from raw text."""

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ambos.cli.models import load_tokenizer
from ambos.cli.options import (
    DocumentUnit,
    Encoding,
    Force,
    Json,
    Language,
    LanguageColumn,
    MaxDocument,
    MaxLine,
    Out,
    Quiet,
    TextColumn,
    language_option,
    read_options,
)
from ambos.cli.reading import describe_sources
from ambos.cli.screen import Screen, printable
from ambos.errors import AmbosError

_LENGTH = "How long"
_START = "What to begin with"
_RECIPES = "fast, bert, roberta, xlm-r, spanbert, albert, modernbert, adapt, or a .toml file"
_Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Change a setting of the recipe, e.g. [cyan]optim.lr=3e-4[/]. Again and again.",
        metavar="NAME=VALUE",
    ),
]


def pretrain(
    texts: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders or globs, as for [cyan]ambos corpus build[/]; "
            "or one recipe that ends in .toml and names them.",
            metavar="TEXT",
        ),
    ],
    out: Out,
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            help="Size of the model, of those that [cyan]ambos presets[/] lists.",
            show_default="as the recipe says; bert-tiny in fast",
        ),
    ] = None,
    recipe: Annotated[
        str | None,
        typer.Option("--recipe", help=f"How to train: {_RECIPES}.", show_default="fast; adapt with --base"),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            "--minutes",
            min=0.05,
            help="Of the clock, preparation included; the learning rate is planned to end with them.",
            rich_help_panel=_LENGTH,
            show_default="10",
        ),
    ] = None,
    steps: Annotated[
        int | None, typer.Option("--steps", min=1, help="Updates.", rich_help_panel=_LENGTH)
    ] = None,
    tokens: Annotated[
        int | None, typer.Option("--tokens", min=1, help="Tokens read.", rich_help_panel=_LENGTH)
    ] = None,
    tokenizer: Annotated[
        str | None,
        typer.Option(
            "--tokenizer",
            "-t",
            help="Tokenizer folder, or a model that has one; one is learnt from the text if none is given.",
            rich_help_panel=_START,
        ),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            "--base",
            help="Model to go on with (a folder, [cyan]minilm[/], a hub id); its tokenizer is used.",
            rich_help_panel=_START,
        ),
    ] = None,
    heldout: Annotated[
        list[str] | None,
        typer.Option(
            "--heldout", help="Text to measure with; otherwise some of TEXT is kept back.", metavar="TEXT"
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Decides every draw.", show_default="0")] = None,
    settings: _Set = None,
    text: TextColumn = "text",
    language: Language = None,
    language_column: LanguageColumn = None,
    document: DocumentUnit = "blank",
    encoding: Encoding = "utf-8",
    max_line_mb: MaxLine = 16,
    max_document_mb: MaxDocument = 64,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Pretrain an encoder on text: tokenizer, token store, training, model, report, in one folder.

    The folder can be used wherever a model is asked for. If the run is interrupted, [cyan]ambos resume[/]
    goes on with it, and the result is the same. Several processes train together under torchrun:
    torchrun --nproc-per-node 4 --no-python ambos pretrain ...

    [bold]Examples[/]  ambos pretrain books/ --minutes 10 --out run ·
    ambos pretrain pt=books/ --preset bert-small --recipe bert --steps 20000 --out run ·
    ambos pretrain laws/ --base minilm --minutes 30 --out legal ·
    ambos pretrain my.toml --set optim.lr=3e-4 --out run
    """
    from ambos.errors import UsageError  # noqa: PLC0415 (help must come without the work's imports)

    file = texts[0] if len(texts) == 1 and texts[0].endswith(".toml") else None
    if file and recipe:
        raise UsageError(
            "two recipes are given", found=f"{file} and --recipe {recipe}", fix="leave one of them out"
        )
    length = {"minutes": minutes, "steps": steps, "tokens": tokens}
    budget = {name: value for name, value in length.items() if value is not None}
    if len(budget) > 1:
        raise UsageError("--minutes, --steps and --tokens exclude each other", fix="leave all but one out")

    from ambos.recipe import load_recipe, merge, with_overrides  # noqa: PLC0415
    from ambos.runs.named import recipe_values  # noqa: PLC0415
    from ambos.runs.settings import PretrainRecipe  # noqa: PLC0415

    screen = _screen(json, quiet)
    values = recipe_values(file or recipe or ("adapt" if base else "fast"))
    if budget:
        values["budget"] = budget
    if preset:
        values = merge(values, {"model": {"preset": preset}})
    if seed is not None:
        values["seed"] = seed
    if base is not None:
        values["base"] = base
    values = with_overrides(values, settings or [])
    if values.get("base") and (preset or tokenizer):
        raise UsageError(
            "a base brings its own size and tokenizer",
            found=f"the base {values['base']}",
            fix="leave --preset and --tokenizer out",
        )
    if not file:
        values["texts"] = texts
    if not values.get("budget"):
        screen.note("neither --minutes nor --steps nor --tokens: training for 10 minutes")
        values["budget"] = {"minutes": 10}
    checked = load_recipe(PretrainRecipe, [values], file=Path(file) if file else None)
    _check_preset(checked.model.preset, checked.model.family)

    from ambos.cli.training import Display  # noqa: PLC0415
    from ambos.runs.start import Texts, pretrain  # noqa: PLC0415
    from ambos.text.sources import find_sources  # noqa: PLC0415

    reading = read_options(text, language_column, document, encoding, max_line_mb, max_document_mb)
    code = language_option(language)
    sources = find_sources(checked.texts, language=code)
    describe_sources(screen, sources)
    held = find_sources(heldout, language=code) if heldout else ()
    with Display(screen).shown() as display:
        done = pretrain(
            Texts(sources, held, reading),
            out,
            checked,
            tokenizer=load_tokenizer(tokenizer) if tokenizer else None,
            force=force,
            watcher=display,
            stage=display.stage,
            progress=display.tokenised,
        )
    _finish(screen, out, done)


def resume(
    run: Annotated[Path, typer.Argument(help="Run folder.", metavar="RUN")],
    settings: _Set = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Go on although the data, the tokenizer or the recipe changed.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Go on with a run that was interrupted, from its newest whole checkpoint.

    The result is the same, bit for bit, as without the interruption (a run by --minutes aside: it ends
    by the clock).

    [bold]Example[/]  ambos resume run
    """
    from ambos.cli import finetuned, series  # noqa: PLC0415 (help must come without the work's imports)
    from ambos.cli.training import Display  # noqa: PLC0415
    from ambos.runs.finetune_run import resume_finetuning  # noqa: PLC0415
    from ambos.runs.folder import SERIES, read_run  # noqa: PLC0415
    from ambos.runs.series import resume_series  # noqa: PLC0415
    from ambos.runs.start import resume as resume_pretraining  # noqa: PLC0415

    screen = _screen(json, quiet)
    about = read_run(run)
    if about.get("status") == "finished" and not settings and "member" not in about:  # which is refused
        screen.note(f"{run} is finished already: what comes after training is done again")
    kinds = {"finetune": (resume_finetuning, finetuned.finish), SERIES: (resume_series, series.finish)}
    go_on, finish = kinds.get(str(about.get("kind")), (resume_pretraining, _finish))
    with Display(screen).shown() as display, _from_where_it_began(about.get("directory"), run):
        done = go_on(run, overrides=settings or (), anyway=anyway, watcher=display)
    finish(screen, run, done)


@contextmanager
def _from_where_it_began(directory: str | None, run: Path) -> Iterator[None]:
    """Say where the files are that a recipe names, if they are not here but were where the run began."""
    try:
        yield
    except AmbosError as error:
        if directory is not None and error.file is not None:
            elsewhere = Path(directory) / error.file
            if elsewhere.exists() and not Path(error.file).exists():
                error.fix = f"cd {shlex.quote(directory)} && ambos resume {shlex.quote(str(run.absolute()))}"
        raise


def _screen(json: bool, quiet: bool) -> Screen:
    """Return where to write; of several processes under torchrun, the first speaks for all."""
    leads = os.environ.get("RANK", "0") == "0"
    return Screen(json and leads, quiet or not leads)


def _check_preset(*names: str | None) -> None:
    """Refuse unknown presets before any text is read."""
    from ambos.encoder.presets import preset  # noqa: PLC0415

    for name in names:
        if name is not None:
            preset(name)


def _finish(screen: Screen, out: Path, done: bool) -> None:
    """Say what came of it."""
    from ambos.runs.folder import METRICS, Log, read_run  # noqa: PLC0415

    about = read_run(out)
    log = Log(out / METRICS)
    measured = [record for record in log.records() if record["kind"] == "heldout"]
    log.close()
    result = {"out": str(out), "done": done, "measured": measured[-1] if measured else None, **about}

    def show(console: Console) -> None:
        path = printable(str(out))
        if not done:
            console.print(
                f"Stopped at step {about['steps']:,} and saved. Go on with: [cyan]ambos resume {path}[/]"
            )
            return
        first, last = measured[0], measured[-1]
        console.print(
            f"[bold]{printable(about['model']['family'])}[/], "
            f"{about['model']['parameters'] / 1e6:.1f} M parameters, "
            f"trained for {about['steps']:,} steps on {about['tokens']:,} tokens in {about['seconds']:.0f} s"
        )
        console.print(
            f"  held-out loss {first['mlm_loss']:.3f} -> [bold]{last['mlm_loss']:.3f}[/], "
            f"accuracy {first['mlm_accuracy']:.1%} -> "
            f"[bold]{last['mlm_accuracy']:.1%}[/] at {last['mlm_tokens']:,} hidden tokens"
        )
        for name in ("next", "order"):
            if f"{name}_accuracy" in last:
                console.print(
                    f"  {name}: {last[f'{name}_accuracy']:.1%} of {last[f'{name}_pairs']:,} pairs "
                    "(chance 50 %)"
                )
        console.print(f"  model [cyan]{path}/bundle[/], report [cyan]{path}/report.html[/]")
        console.print(f'Next: [cyan]ambos fill {path} "... [MASK] ..."[/]', markup=True)

    screen.result(result, show)
    if not done:
        raise typer.Exit(130)
