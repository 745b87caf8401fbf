"""`ambos presets`: the published shapes by name, and how large they are."""

from itertools import groupby
from typing import Any

from rich.console import Console

from ambos.cli.options import Json, Quiet
from ambos.cli.screen import Screen

_SIZES = {"layers": 8, "width": 7, "heads": 7, "vocabulary": 12, "context": 9}
_COUNTS = {"encoder": 10, "pretrained": 12}
_LEGEND = (
    "encoder: parameters, with the pooler where the family has one. pretrained: parameters with the heads it "
    "was trained with: mlm fills masks, next tells whether two texts follow each other, replaced tells "
    "replaced tokens from original ones. Exact figures with --json."
)


def presets(json: Json = False, quiet: Quiet = False) -> None:
    """List the published encoders whose shape a new model can take.

    [bold]Example[/]  ambos presets --json
    """
    from ambos.bundle.counting import count_parameters  # noqa: PLC0415 (help comes without the work's imports)
    from ambos.encoder.presets import PRESETS  # noqa: PLC0415

    rows: list[dict[str, Any]] = []
    for name, preset in PRESETS.items():
        shape = preset.encoder
        encoder, pretrained = count_parameters(preset)
        rows.append(
            {
                "name": name,
                "family": shape.family,
                "layers": shape.depth,
                "width": shape.width,
                "heads": shape.heads,
                "vocabulary": shape.vocab_size,
                "context": shape.context,
                "encoder": encoder,
                "pretrained": pretrained,
                "objective": preset.objective,
                "tokenizer": preset.tokenizer,
                "about": preset.about,
            }
        )

    def show(console: Console) -> None:
        heads = "".join(f"{head:>{wide}}" for head, wide in (_SIZES | _COUNTS).items())
        console.print(f"[cyan]{'  name':<20}{heads}[/]", soft_wrap=True)
        for about, group in groupby(rows, lambda row: (row["about"], row["tokenizer"], row["objective"])):
            console.print(f"[dim]{' · '.join(about)}[/]", soft_wrap=True)
            for row in group:
                line = "".join(f"{row[head]:>{wide},}" for head, wide in _SIZES.items())
                line += "".join(f"{row[head] / 1e6:>{wide - 2},.1f} M" for head, wide in _COUNTS.items())
                console.print(f"  {row['name']:<18}{line}", soft_wrap=True)
        console.print(f"[dim]{_LEGEND}[/]")

    Screen(json, quiet).result({"presets": rows}, show)
