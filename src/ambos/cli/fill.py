"""`ambos fill`: what a masked language model puts in the place of a mask."""

from typing import Annotated

import typer
from rich.console import Console

from ambos.cli.models import load_model
from ambos.cli.options import Device, Json, ModelName, Quiet
from ambos.cli.screen import Screen, printable, table


def fill(
    model: ModelName,
    text: Annotated[str, typer.Argument(help="A text with [MASK] in it, once or more.", metavar="TEXT")],
    top: Annotated[int, typer.Option(min=1, help="How many candidates to show for each mask.")] = 5,
    device: Device = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    r"""Show the likeliest tokens for each mask in a text.

    A mask is written \[MASK], or as the model writes it. Of several, each is filled as if the others stayed.

    [bold]Example[/]  ambos fill model "O gato [MASK] no tapete." --top 3
    """
    screen = Screen(json, quiet)
    filled = load_model(screen, model, device).fill(text, top)
    masks = [
        [
            {"rank": rank, "token": one.token, "id": one.id, "probability": one.probability}
            for rank, one in enumerate(candidates, start=1)
        ]
        for candidates in filled.masks
    ]

    def show(console: Console) -> None:
        for number, candidates in enumerate(filled.masks, start=1):
            title = f"Mask {number}" if len(filled.masks) > 1 else None
            rows = table(
                "rank", "token", "id", "probability", right=("rank", "id", "probability"), title=title
            )
            for rank, one in enumerate(candidates, start=1):
                rows.add_row(
                    str(rank), printable(one.token) or "[dim](none)[/]", str(one.id), f"{one.probability:.3g}"
                )
            console.print(rows)
            console.print()
        console.print(printable(filled.text), style="bold")

    screen.result({"model": model, "text": text, "filled": filled.text, "masks": masks}, show)
