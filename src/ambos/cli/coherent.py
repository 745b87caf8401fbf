"""`ambos coherent`: whether two texts follow each other, by what a model learnt of neighbouring sentences."""

from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console

from ambos.cli.models import load_model
from ambos.cli.options import Device, Json, ModelName, Quiet
from ambos.cli.screen import Screen, printable


def coherent(
    model: ModelName,
    first: Annotated[str, typer.Argument(help="A text.", metavar="A")],
    second: Annotated[str, typer.Argument(help="What may come after it.", metavar="B")],
    device: Device = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say how likely the second text follows the first, with the head of pretraining and no training.

    The model must have been pretrained with next sentences (BERT) or the order of sentences (ALBERT). The
    other way round is asked too: a model that knows the order says less of it.

    [bold]Example[/]  ambos coherent run "O gato dormia." "De repente, acordou."
    """
    from ambos.data.windows import Ledger  # noqa: PLC0415

    screen = Screen(json, quiet)
    loaded = load_model(screen, model, device)
    ledger, limit = Ledger(), loaded.max_length
    (onward,) = loaded.coherence([(first, second)], ledger)
    (back,) = loaded.coherence([(second, first)])
    value: dict[str, Any] = {
        "model": model,
        "first": first,
        "second": second,
        "probability": onward,
        "probability_swapped": back,
        "max_length": limit,
        "long": {**asdict(ledger), "summary": ledger.summary(limit)},
    }

    def show(console: Console) -> None:
        console.print(f"[bold]{onward:.1%}[/] that the second text follows the first")
        console.print(f"  {back:.1%} the other way round")
        if ledger.long_texts:
            cut = f"{ledger.cut_tokens:,} of {ledger.tokens:,} tokens were left out"
            console.print(f"  both texts together are longer than {limit:,} tokens: {cut}")
        console.print(f"[dim]{printable(_LEGEND)}[/]")

    screen.result(value, show)


_LEGEND = (
    "As the model's own head says, which saw true neighbours half of the time: 50 % is no opinion, and far "
    "from every 90 % need be right."
)
