"""`ambos finetune`: a base and labelled rows to a model that classifies, scores, tags, answers, compares."""

from typing import Annotated, Any, Literal

import typer

from ambos.cli import columns as of
from ambos.cli import pair_options as pairs
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
    Separator,
    SkipBad,
    settings_given,
)
from ambos.cli.screen import Screen
from ambos.errors import UsageError

_DATA, _LEARNING, _HEAD, _LENGTH, _SERIES = "Data", "Learning", "Head", "Long texts", "Several runs"

Task = Literal["classify", "score", "tag", "answer", "pair"]


def finetune(
    task: Annotated[
        Task,
        typer.Argument(
            help="classify: a label for a text; score: a number; tag: a tag for each word; "
            "answer: the place in a passage that answers a question; pair: a label or a score for two texts.",
            metavar="TASK",
        ),
    ],
    train: Annotated[
        list[str],
        typer.Option(
            "--train", help="Rows to learn from: .csv, .tsv, .jsonl, .parquet, .conll, .json (SQuAD)."
        ),
    ],
    base: Base,
    out: Out,
    dev: Dev = None,
    test: Annotated[list[str] | None, typer.Option("--test", help="Rows to measure with at the end.")] = None,
    text: of.Text = None,
    text_a: of.TextA = None,
    text_b: of.TextB = None,
    text_c: of.TextC = None,
    text_d: of.TextD = None,
    label: of.Label = None,
    score: of.Score = None,
    words: of.Words = None,
    tags: of.Tags = None,
    question: of.Question = None,
    passage: of.Passage = None,
    answers: of.Answers = None,
    several: Annotated[
        bool,
        typer.Option(
            "--several",
            help="A text may have any number of labels: a list, or parted by |.",
            rich_help_panel=_DATA,
        ),
    ] = False,
    separator: Separator = "|",
    skip_bad: SkipBad = False,
    epochs: Annotated[
        float | None,
        typer.Option(
            help="How often every row is read.", min=0.01, show_default="4", rich_help_panel=_LEARNING
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(help="Of the clock, instead of epochs.", min=0.05, rich_help_panel=_LEARNING),
    ] = None,
    lr: Annotated[
        float | None,
        typer.Option(help="Peak learning rate; by default by the width.", rich_help_panel=_LEARNING),
    ] = None,
    batch: Annotated[
        int | None, typer.Option(help="Rows of a step.", show_default="32", rich_help_panel=_LEARNING)
    ] = None,
    weight_decay: Annotated[
        float | None, typer.Option(help="Decoupled.", show_default="0.01", rich_help_panel=_LEARNING)
    ] = None,
    layer_decay: Annotated[
        float | None,
        typer.Option(
            help="Factor of the learning rate from a layer to the one below.",
            show_default="1",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    freeze: Annotated[
        str | None,
        typer.Option(
            help="Layers that stay as they are, from the first: a number, or [cyan]all[/].",
            show_default="0",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    patience: Annotated[
        int | None,
        typer.Option(help="Stop after so many measurements without a better one.", rich_help_panel=_LEARNING),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(help="What decides which weights are best.", rich_help_panel=_LEARNING),
    ] = None,
    class_weights: Annotated[
        str | None,
        typer.Option(
            help="[cyan]balanced[/], or a number for each label, parted by commas.", rich_help_panel=_LEARNING
        ),
    ] = None,
    smoothing: Annotated[
        float | None, typer.Option(help="Of labels.", show_default="0", rich_help_panel=_LEARNING)
    ] = None,
    pool: Annotated[
        Literal["cls", "mean", "max"] | None,
        typer.Option(help="What a head of texts reads.", show_default="cls", rich_help_panel=_HEAD),
    ] = None,
    hidden: Hidden = False,
    dropout: Annotated[
        float | None,
        typer.Option(help="Of everything; by default as the base has it.", rich_help_panel=_HEAD),
    ] = None,
    scheme: pairs.Scheme = None,
    absolute: pairs.Absolute = False,
    start: pairs.Start = None,
    positive: pairs.Positive = None,
    grow_segments: pairs.GrowSegments = False,
    long: Annotated[
        Literal["cut", "head-tail", "windows", "error"] | None,
        typer.Option(
            help="What becomes of longer ones. What was cut is reported.",
            show_default="cut",
            rich_help_panel=_LENGTH,
        ),
    ] = None,
    max_length: MaxLength = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            help="Train so many times, with other seeds: figures as means with intervals.",
            min=2,
            show_default=False,
            rich_help_panel=_SERIES,
        ),
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option(
            help="Cross-validate: hold every so-many-th part of --train out once, then train on all of it.",
            min=2,
            show_default=False,
            rich_help_panel=_SERIES,
        ),
    ] = None,
    search: Annotated[
        int | None,
        typer.Option(
            help="Try so many settings, from [cyan]search.space[/]; the best on --dev is kept.",
            min=1,
            show_default=False,
            rich_help_panel=_SERIES,
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Decides every draw.", show_default="0")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Change any setting, e.g. [cyan]schedule.warmup=0.2[/]. Again and again.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    encoding: Encoding = "utf-8",
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fine-tune a model on labelled rows, keep the best weights, measure them, and write it all to a folder.

    Columns are found by their names (text, label, ...), and said; name them where that fails. The folder can
    be used wherever a model is asked for, and `transformers` opens the model in it.

    [bold]Examples[/]  ambos finetune classify --train train.csv --dev dev.csv --base minilm --out run ·
    ambos finetune tag --train ner.conll --base run --out ner ·
    ambos finetune answer --train squad.json --base minilm --epochs 2 --out qa ·
    ambos finetune pair --train nli.jsonl --base minilm --scheme combined --out nli
    """
    from ambos.recipe import load_recipe  # noqa: PLC0415
    from ambos.runs.finetune_settings import FinetuneRecipe  # noqa: PLC0415

    columns = {
        "text": text,
        "text_a": text_a,
        "text_b": text_b,
        "text_c": text_c,
        "text_d": text_d,
        "label": label,
        "score": score,
        "words": words,
        "tags": tags,
        "question": question,
        "passage": passage,
        "answers": answers,
    }
    given: dict[str, Any] = {
        "task": pairs.task_of_pairs(scheme, train, columns, encoding) if task == "pair" else task,
        "base": base,
        "several": several,
        "seed": seed,
        "epochs": epochs,
        "minutes": minutes,
        "batch": batch,
        "long": long,
        "max_length": max_length,
        "data": {
            "train": train,
            "dev": dev,
            "test": test,
            "columns": {role: name for role, name in columns.items() if name},
            "pairs": True if task == "pair" else None,
            "separator": separator,
            "encoding": encoding,
            "skip_bad": skip_bad,
        },
        "head": {"pooling": pool, "hidden": hidden},
        "pair": {
            "scheme": scheme,
            "absolute": absolute or None,
            "start": start,
            "positive": positive,
            "grow_segments": grow_segments or None,
        },
        "learning": {
            "lr": lr,
            "weight_decay": weight_decay,
            "layer_decay": layer_decay,
            "freeze": _layers(freeze),
            "dropout": dropout,
            "smoothing": smoothing,
            "class_weights": _weights(class_weights),
        },
        "selection": {"patience": patience, "metric": metric},
        "seeds": seeds,
        "folds": folds,
        "search": {"trials": search},
    }
    recipe = load_recipe(FinetuneRecipe, [settings_given(given, settings)])

    from ambos.cli import finetuned, series  # noqa: PLC0415
    from ambos.cli.training import Display  # noqa: PLC0415
    from ambos.runs.finetune_run import finetune  # noqa: PLC0415
    from ambos.runs.series import finetune_series  # noqa: PLC0415

    screen = Screen(json, quiet)
    with Display(screen).shown() as display:
        begin = finetune_series if recipe.method else finetune
        done = begin(out, recipe, force=force, watcher=display, stage=display.stage)
    (series if recipe.method else finetuned).finish(screen, out, done)


def _layers(given: str | None) -> int | str | None:
    if given is None or given == "all":
        return given
    if not given.isdecimal():
        raise UsageError(
            f"--freeze {given} is no number of layers", expected="a whole number, or all", fix="--freeze all"
        )
    return int(given)


def _weights(given: str | None) -> str | list[float] | None:
    if given is None or not any(character.isdigit() for character in given):
        return given
    numbers = []
    for part in given.split(","):
        try:
            numbers.append(float(part))
        except ValueError:
            raise UsageError(
                f"--class-weights {given}: {part.strip()!r} is no number",
                expected="balanced, or a number for each label, parted by commas",
                found=given,
                fix="--class-weights balanced, or for two labels --class-weights 1,2.5",
            ) from None
    return numbers
