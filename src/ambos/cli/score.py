"""`ambos score`: how likely a masked language model finds a text, token by token."""

from math import exp
from typing import Annotated

import typer
from rich.console import Console

from ambos.cli.models import load_model
from ambos.cli.options import Device, Json, ModelName, Quiet
from ambos.cli.screen import Screen, printable, table

_LEGEND = (
    "log P: natural logarithm of a token's probability given all the others. Their sum is the "
    "pseudo-log-likelihood (Salazar et al. 2020); perplexity is exp(-mean), and compares texts under one "
    "model, or models with the same vocabulary."
)
_WHOLE_WORDS = "A token's later pieces of the same word were masked with it (Kauf and Ivanova 2023)."


def score(
    model: ModelName,
    text: Annotated[str, typer.Argument(help="A text.", metavar="TEXT")],
    whole_words: Annotated[
        bool,
        typer.Option(
            "--whole-words",
            help="Mask the later pieces of its word together with a token: they would give it away.",
        ),
    ] = False,
    device: Device = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Mask the tokens of a text one at a time, and show how likely each was.

    [bold]Example[/]  ambos score model "Os gatos dormem."
    """
    screen = Screen(json, quiet)
    found = load_model(screen, model, device).score(text, whole_words=whole_words)
    rows = [
        {
            "token": one.token,
            "text": text[one.start : one.end],
            "start": one.start,
            "end": one.end,
            "log_probability": one.log_probability,
            "probability": exp(one.log_probability),
        }
        for one in found.tokens
    ]

    def show(console: Console) -> None:
        tokens = table("token", "text", "log P", "P", right=("log P", "P"))
        for one in found.tokens:
            tokens.add_row(
                printable(one.token),
                printable(text[one.start : one.end]),
                f"{one.log_probability:.4f}",
                f"{exp(one.log_probability):.3g}",
            )
        console.print(tokens)
        console.print(
            f"\npseudo-log-likelihood [bold]{found.log_likelihood:,.4f}[/] · tokens {len(found.tokens):,} · "
            f"perplexity [bold]{found.perplexity:,.3f}[/]"
        )
        console.print(f"[dim]{_LEGEND}{f' {_WHOLE_WORDS}' if whole_words else ''}[/]")

    screen.result(
        {
            "model": model,
            "text": text,
            "whole_words": whole_words,
            "tokens": rows,
            "log_likelihood": found.log_likelihood,
            "perplexity": found.perplexity,
        },
        show,
    )
