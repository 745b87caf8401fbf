"""`ambos`: the commands, and what becomes of errors."""

import inspect
import os
import re
import signal
import sys
from typing import Annotated, Any

import typer

from ambos import __version__
from ambos.cli import (
    coherent,
    compare,
    corpus,
    doctor,
    embed,
    evaluate,
    fill,
    finetune,
    info,
    pairs,
    predict,
    presets,
    pretrain,
    sample,
    score,
    search,
    tokenizer,
)
from ambos.cli.screen import Screen
from ambos.errors import AmbosError, UsageError
from ambos.suggest import did_you_mean

_EXIT_CODES = """[bold]Exit codes[/]  0 done · 1 a bug, or the machine · 2 the command line is wrong ·
3 an input cannot be used · 4 the output cannot be written · 130 interrupted (to go on: ambos resume
for a run, the same command for anything else)"""

app = typer.Typer(
    name="ambos",
    help="Bidirectional transformer encoders, from raw text to a trained and measured model.\n\n"
    "Begin with [cyan]ambos sample --out sample[/], which writes text and labelled sets to try things on.",
    epilog=_EXIT_CODES.replace("\n", " "),
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("sample")(sample.sample)
app.add_typer(tokenizer.app, name="tokenizer")
app.add_typer(corpus.app, name="corpus")
app.command("pretrain")(pretrain.pretrain)
app.command("doctor")(doctor.doctor)
app.command("finetune")(finetune.finetune)
app.command("evaluate")(evaluate.evaluate)
app.command("compare")(compare.compare)
app.add_typer(pairs.app, name="pairs")
app.command("resume")(pretrain.resume)
app.command("presets")(presets.presets)
app.command("info")(info.info)
app.command("fill")(fill.fill)
app.command("score")(score.score)
app.command("coherent")(coherent.coherent)
app.command("embed")(embed.embed)
app.command("search")(search.search)
app.command("predict")(predict.predict)


def _flow(commands: typer.Typer) -> None:
    """Let the terminal break the lines of help texts, which typer shows as the source breaks them."""
    for command in commands.registered_commands:
        paragraphs = inspect.cleandoc(command.callback.__doc__ or "").split("\n\n")
        command.help = "\n\n".join(" ".join(text.split("\n")) for text in paragraphs)
    for group in commands.registered_groups:
        if group.typer_instance is not None:
            _flow(group.typer_instance)


_flow(app)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"ambos {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


# What typer raises for a wrong command line; the class has no public name that all its versions share.
_WrongCommandLine: Any = typer.BadParameter.__base__


# Commands with --set, and the kinds of runs whose settings it changes.
_WITH_SETTINGS = {
    "ambos finetune": ("finetune",),
    "ambos pairs compare": ("finetune",),
    "ambos pretrain": ("pretrain",),
    "ambos resume": ("finetune", "pretrain"),
}


def main() -> None:
    """Run the command line; every expected error ends in a message and its exit code, without a traceback."""
    code = _run(Screen(json="--json" in sys.argv))
    if code == 0 and int(os.environ.get("WORLD_SIZE", "1")) > 1:
        # One of several processes: gloo's threads may still let go of tensors, and a thread that asks for the
        # interpreter while it shuts down aborts the process. All is written by now, so leave at once; not so
        # after an error, since torchrun ends the others once one has failed, and they may be tidying up.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _run(screen: Screen) -> int:
    try:
        return app(prog_name="ambos", standalone_mode=False) or 0
    except AmbosError as error:
        screen.error(error)
        return error.exit_code
    except _WrongCommandLine as error:
        if error.format_message():  # empty when the help has been shown instead
            screen.error(_usage_error(error))
        return UsageError.exit_code
    except SystemError as error:
        # Ctrl-C inside a call that Python makes from C, such as that for the path of a file.
        if isinstance(error.__cause__, KeyboardInterrupt):
            return 128 + signal.SIGINT
        raise
    except BrokenPipeError:
        # The reader of our output has gone (`ambos ... | head`): not an error, and nothing more to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _usage_error(error: Any) -> UsageError:  # noqa: ANN401 (see `_WrongCommandLine`)
    command = error.ctx.command_path if error.ctx else "ambos"
    near = _settings_meant(command, getattr(error, "option_name", None) or "")
    near = near or next(iter(getattr(error, "possibilities", None) or ()), None)
    what = (error.message if near else error.format_message()).rstrip(".")
    help_ = f"see {command} --help"
    wrong = next(iter(error.__cause__.errors()), None) if hasattr(error.__cause__, "errors") else None
    if wrong is None:
        return UsageError(what, fix=f"did you mean {near}?" if near else help_)
    # A value of an option, which pydantic has checked: its sentence, without its habits.
    found, said = str(wrong["input"]), wrong["msg"].removeprefix("Value error, ").rstrip(".")
    _, choice, choices = said.partition(" is not one of ")
    return UsageError(
        error.format_message().removesuffix(f": {error.message}"),
        expected=f"one of {choices}"
        if choice
        else said.removeprefix("Input should be ").partition(", unable")[0],
        found=repr(found),
        fix=did_you_mean(found, re.findall(r"'([^']*)'", choices)) or help_,
    )


def _settings_meant(command: str, option: str) -> str | None:
    """Return how to say with --set what an unknown option was to say; None if no setting has its name."""
    if command not in _WITH_SETTINGS or not option.startswith("--"):
        return None
    from ambos.recipe import Settings, ending  # noqa: PLC0415 (help must come without the work's imports)
    from ambos.runs.finetune_settings import FinetuneRecipe  # noqa: PLC0415
    from ambos.runs.settings import PretrainRecipe  # noqa: PLC0415

    schemas: dict[str, type[Settings]] = {"finetune": FinetuneRecipe, "pretrain": PretrainRecipe}
    name = option.removeprefix("--").replace("-", "_")
    found = [one for kind in _WITH_SETTINGS[command] for one in ending(schemas[kind], name)]
    return " or ".join(f"--set {one}=VALUE" for one in dict.fromkeys(found)) or None


if __name__ == "__main__":
    main()
