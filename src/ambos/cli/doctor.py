"""`ambos doctor`: a look at labelled files before training: what is wrong with them, what it would take."""

from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ambos.cli import columns as of
from ambos.cli.examined import show
from ambos.cli.models import load_tokenizer
from ambos.cli.options import Encoding, Json, MaxDocument, MaxLine, Quiet, Separator, read_options
from ambos.cli.screen import Screen
from ambos.errors import InputError, UsageError

if TYPE_CHECKING:
    from ambos.data.check_rows import Examination
    from ambos.data.detect_columns import Task
    from ambos.data.read_files import RowFiles
    from ambos.data.rows import Columns
    from ambos.runs.estimate import Cost
    from ambos.text.stream import ReadOptions


def doctor(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Rows to learn from: files, folders or globs; .csv, .tsv, .jsonl, .parquet, .conll, "
            ".json (SQuAD).",
            metavar="FILE",
        ),
    ],
    dev: Annotated[list[str] | None, typer.Option("--dev", help="Rows that decide when to stop.")] = None,
    test: Annotated[list[str] | None, typer.Option("--test", help="Rows to measure with at the end.")] = None,
    task: Annotated[
        Literal["classify", "score", "tag", "answer", "pair"] | None,
        typer.Option(
            help="What is to be learnt; by default told from columns and endings.", show_default=False
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "-m",
            help="The model to begin with: counts tokens, and says how long training would take.",
            show_default=False,
        ),
    ] = None,
    tokenizer: Annotated[
        str | None,
        typer.Option("--tokenizer", "-t", help="A tokenizer alone: counts tokens.", show_default=False),
    ] = None,
    max_length: Annotated[
        int | None,
        typer.Option(
            "--max-length",
            min=8,
            help="Longest sequence in tokens; by default as the model reads.",
            show_default=False,
        ),
    ] = None,
    several: Annotated[
        bool,
        typer.Option("--several", help="A text may have any number of labels: a list, or parted by |."),
    ] = False,
    separator: Separator = "|",
    strict: Annotated[
        bool, typer.Option("--strict", help="End with exit code 3 if there is an error among the findings.")
    ] = False,
    text: of.Text = None,
    label: of.Label = None,
    score: of.Score = None,
    text_a: of.TextA = None,
    text_b: of.TextB = None,
    text_c: of.TextC = None,
    text_d: of.TextD = None,
    words: of.Words = None,
    tags: of.Tags = None,
    question: of.Question = None,
    passage: of.Passage = None,
    answers: of.Answers = None,
    encoding: Encoding = "utf-8",
    max_line_mb: MaxLine = 4,
    max_document_mb: MaxDocument = 4,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look at labelled rows before training: what they hold, what is wrong with them, what it would take.

    Labels and their balance, empty and repeated texts, texts of dev or test that are in train, too, texts
    that are labelled in different ways; with a model, lengths in tokens, what would be cut, how well its
    tokenizer suits the texts, and an estimate of time and memory for `ambos finetune`.

    [bold]Examples[/]  ambos doctor train.csv --dev dev.csv --test test.csv --model minilm ·
    ambos doctor ner.conll --strict
    """
    if model is not None and tokenizer is not None:
        raise UsageError(
            "a model has a tokenizer of its own",
            expected="--model or --tokenizer",
            fix="leave one of them out",
        )
    from ambos.data.read_files import RowFiles  # noqa: PLC0415
    from ambos.data.rows import Columns  # noqa: PLC0415

    screen = Screen(json, quiet)
    options = read_options("text", None, "line", encoding, max_line_mb, max_document_mb)
    given = Columns(
        text=text,
        text_a=text_a,
        text_b=text_b,
        text_c=text_c,
        text_d=text_d,
        label=label,
        score=score,
        words=words,
        tags=tags,
        question=question,
        passage=passage,
        answers=answers,
    )
    chosen = _task_of(files, task, given, options)
    splits = {
        name: RowFiles.find(
            names, chosen, given, several=several, separator=separator, options=options, skip_bad=True
        )
        for name, names in (("train", files), ("dev", dev), ("test", test))
        if names
    }
    if task is None:
        screen.note(f"read as rows for {chosen}; if they are for something else, say so with --task")
    _say_columns(screen, splits)
    base = _Base(chosen, model, tokenizer, max_length)
    examination = _examine(screen, splits, base)
    cost = base.cost(examination)
    value = {
        "task": chosen,
        "guessed": task is None,
        "columns": splits["train"].shown.chosen,
        "columns_of": {name: found.shown.chosen for name, found in splits.items()},
        "files": {name: [str(source.path) for source in found.sources] for name, found in splits.items()},
        "model": model,
        "max_length": base.limit,
        **asdict(examination),
        "estimate": None if cost is None else {"epochs": base.recipe.epochs, **asdict(cost)},
    }
    screen.result(value, lambda console: show(console, value))
    if strict and any(finding.severity == "error" for finding in examination.findings):
        raise typer.Exit(InputError.exit_code)


def _say_columns(screen: Screen, splits: dict[str, "RowFiles"]) -> None:
    """Say which columns are read; of dev and test where they are others than those of train."""
    train = splits["train"].shown
    for name, files in splits.items():
        if name == "train" and train.chosen:
            screen.note(f"columns {train}")
        elif files.shown != train:
            screen.note(f"columns of {name} {files.shown}")


def _task_of(files: list[str], task: str | None, given: "Columns", options: "ReadOptions") -> "Task":
    from ambos.data.read_files import guess_task  # noqa: PLC0415

    if task is None:
        return guess_task(files, given, options, skip_bad=True)
    if task == "pair":
        with suppress(InputError, UsageError):
            return guess_task(files, given, options, among=("pair", "pair-score"), skip_bad=True)
    return task  # type: ignore[return-value]


class _Base:
    """The model that shall learn from the rows, or only the tokenizer that shall read them, or neither."""

    def __init__(self, task: str, model: str | None, tokenizer: str | None, max_length: int | None) -> None:
        from ambos.runs.finetune_settings import FinetuneRecipe  # noqa: PLC0415

        name: Any = "classify" if task.startswith("pair") else task
        self.recipe = FinetuneRecipe(task=name, max_length=max_length)
        self.limit = max_length
        self.tokenizer = None if tokenizer is None else load_tokenizer(tokenizer)
        self.most: int | None = None  # that it can read at a time
        self._bundle: Any = None
        if model is not None:
            from ambos.bundle.bundle import Bundle  # noqa: PLC0415
            from ambos.runs.finetune_task import reading_of  # noqa: PLC0415

            self._bundle = Bundle.load(model)
            reading = reading_of(self._bundle, self.recipe)
            self.tokenizer, self.limit = reading.tokenizer, reading.limit
            self.most = self._bundle.config.context

    def cost(self, examination: "Examination") -> "Cost | None":
        """Estimate what fine-tuning would take; None without a model."""
        train = examination.splits.get("train")
        if self._bundle is None or self.limit is None or train is None or train.tokens is None:
            return None
        from ambos.bundle.bundle import parameters  # noqa: PLC0415
        from ambos.runs.choices import choose, chosen_precision  # noqa: PLC0415
        from ambos.runs.estimate import Amount, estimate_finetuning  # noqa: PLC0415
        from ambos.train.machine import matrix_speed  # noqa: PLC0415
        from ambos.train.team import Team  # noqa: PLC0415

        amounts = {
            name: Amount.of(figures.rows, figures.tokens, self.recipe, self.limit)
            for name, figures in examination.splits.items()
            if figures.tokens is not None
        }
        learnt, measured = amounts["train"], amounts.get("dev")
        if measured is None:
            learnt, measured = learnt.part(0.9), learnt.part(0.1)  # as `ambos finetune` divides them
        precision = chosen_precision(choose(self.recipe, Team()))
        return estimate_finetuning(
            self._bundle.config,
            parameters(self._bundle.network),
            self.recipe,
            learnt,
            measured,
            amounts.get("test"),
            speed=matrix_speed(precision=precision),
            measuring_speed=matrix_speed(),
        )


def _examine(screen: Screen, splits: dict[str, "RowFiles"], base: _Base) -> "Examination":
    from ambos.data.check_rows import examine  # noqa: PLC0415
    from ambos.data.rows import Problems  # noqa: PLC0415

    problems = Problems(skip_bad=True)
    with screen.progress() as progress:
        bar = progress.add_task("reading", total=sum(files.bytes for files in splits.values()))

        def advance(count: int) -> None:
            progress.advance(bar, count)

        rows = {name: files.rows(problems, advance) for name, files in splits.items()}
        return examine(
            rows.pop("train"),
            rows,
            tokenizer=base.tokenizer,
            limit=base.limit,
            most=base.most,
            problems=problems,
        )
