"""Options of commands that train on pairs of texts."""

from typing import Annotated, Literal

import typer

_PANEL = "Pairs of texts"

SchemeName = Literal["joint", "concat", "difference", "product", "combined", "attention", "embed"]
Scheme = Annotated[
    SchemeName | None,
    typer.Option(
        help="[cyan]joint[/]: both texts in one sequence. Else each is read by itself, and a head reads both "
        "vectors, their difference, their product, all of these ([cyan]combined[/]), or what "
        "[cyan]attention[/] makes of their tokens; [cyan]embed[/] learns the cosine, for search.",
        show_default="joint",
        rich_help_panel=_PANEL,
    ),
]
Absolute = Annotated[
    bool,
    typer.Option("--absolute", help="|a - b| for a - b: then order does not count.", rich_help_panel=_PANEL),
]
Start = Annotated[
    Literal["new", "nsp"] | None,
    typer.Option(
        help="Begin with a new head, or with what the base learnt of neighbouring sentences.",
        show_default="new",
        rich_help_panel=_PANEL,
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(
        help="Of [cyan]embed[/] and labels: the one of pairs that belong together.",
        metavar="LABEL",
        rich_help_panel=_PANEL,
    ),
]
GrowSegments = Annotated[
    bool,
    typer.Option(
        "--grow-segments",
        help="For more texts than the base has segments: new ones begin as copies of the last.",
        rich_help_panel=_PANEL,
    ),
]


def task_of_pairs(
    scheme: SchemeName | None, train: list[str], columns: dict[str, str | None], encoding: str
) -> Literal["classify", "score", "embed"]:
    """Return what a recipe calls the task: whether pairs have labels or scores decides."""
    if scheme == "embed":
        return "embed"
    from ambos.data.read_files import pair_target  # noqa: PLC0415
    from ambos.data.rows import Columns  # noqa: PLC0415
    from ambos.text.stream import ReadOptions, check_encoding  # noqa: PLC0415

    options = ReadOptions(encoding=check_encoding(encoding))
    target = pair_target(
        train, Columns(**columns), options, skip_bad=True
    )  # bad lines are for who reads rows
    return "score" if target == "pair-score" else "classify"
