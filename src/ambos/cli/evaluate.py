"""`ambos evaluate`: how good a fine-tuned model is on labelled rows, and where it errs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from ambos.cli import columns as of
from ambos.cli.models import load_model
from ambos.cli.options import (
    Device,
    Encoding,
    Force,
    Json,
    LongAsLearnt,
    MaxDocument,
    MaxLengthAsLearnt,
    MaxLine,
    ModelName,
    Quiet,
    Separator,
    read_options,
)
from ambos.cli.screen import Screen, printable, table
from ambos.errors import UsageError

_CLASSES, _WORST, _TEXT = 30, 5, 160  # rows of a table, examples, characters of a text
_RUN_FILE = "run.json"


def evaluate(
    model: ModelName,
    files: Annotated[
        list[str],
        typer.Argument(
            help="Labelled rows: .csv, .tsv, .jsonl, .parquet, .conll, .json (SQuAD), plain or .gz/.zst.",
            metavar="FILE",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Folder to write: report.html, evaluation.json, and what [cyan]ambos compare[/] needs.",
            show_default=False,
        ),
    ] = None,
    save: Annotated[
        bool,
        typer.Option(
            "--save", help="Keep it in the run MODEL, as evaluation/NAME.json, NAME being that of the file."
        ),
    ] = False,
    long: LongAsLearnt = None,
    max_length: MaxLengthAsLearnt = None,
    skip_bad: Annotated[
        bool,
        typer.Option(
            "--skip-bad",
            help="Leave out, and count, rows that cannot be used, or whose labels the model does not know.",
        ),
    ] = False,
    separator: Separator = "|",
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
    device: Device = None,
    encoding: Encoding = "utf-8",
    max_line_mb: MaxLine = 4,
    max_document_mb: MaxDocument = 4,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure a model that classifies, scores, tags or answers, with a 95 % interval for every figure.

    Shows metrics, the labels one by one, whether the model is right as often as it says, what was cut, and
    what it is most wrong about; --json and the report have the intervals of all figures of labels. Nothing
    is written unless --out or --save asks for it.

    MODEL may be one that `transformers` saved, with a head for one of these tasks.

    [bold]Examples[/]  ambos evaluate run test.csv · ambos evaluate run test.csv --out measured ·
    ambos evaluate ner other.conll --save
    """
    from ambos.data.read_files import RowFiles  # noqa: PLC0415
    from ambos.data.rows import Columns  # noqa: PLC0415
    from ambos.runs.evaluation import evaluate_rows  # noqa: PLC0415
    from ambos.runs.evaluation_rows import KnownRows  # noqa: PLC0415
    from ambos.runs.saved_evaluations import keep_in_run, refuse_other_file, write_folder  # noqa: PLC0415

    screen = Screen(json, quiet)
    if save and not (Path(model) / _RUN_FILE).is_file():
        raise UsageError(
            "--save keeps the evaluation in a run, and this is none",
            expected="the folder of a run",
            found=model,
            fix="choose a folder for it: --out measured",
        )
    loaded = load_model(screen, model, device)
    task: Any = loaded.learnt
    named = {
        "text": text,
        "text_a": text_a,
        "text_b": text_b,
        "text_c": text_c,
        "text_d": text_d,
        "label": label,
        "score": score,
        "words": words,
        "tags": tags,
    }
    named |= {"question": question, "passage": passage, "answers": answers}
    found = RowFiles.find(
        files,
        task.name,
        Columns(**named),
        pairs=task.pairs,
        texts=task.texts,
        several=getattr(task, "several", False),
        separator=separator,
        options=read_options("text", None, "line", encoding, max_line_mb, max_document_mb),
        skip_bad=skip_bad,
    )
    rows = KnownRows(found, task, skip_bad)
    if save and not force:
        refuse_other_file(Path(model), rows.names)
    reading = loaded.reading(long, max_length)
    if found.shown.chosen:
        screen.note(f"columns {found.shown}")
    total = sum(1 for _ in rows)  # whatever is wrong with the rows comes before the work
    try:
        with _target(out, force=force) as work, _progress(screen, total) as tell:
            evaluated = evaluate_rows(
                loaded,
                rows,
                reading,
                name=model,
                files=rows.names,
                left_out=rows.left_out,
                progress=tell,
            )
            if work is not None:
                write_folder(work, evaluated)
    except KeyboardInterrupt:
        screen.note("interrupted: nothing was written")
        raise typer.Exit(130) from None
    if save:
        keep_in_run(Path(model), evaluated)
    value = evaluated.as_dict()
    screen.result(value, lambda console: _show(console, value, out))


@contextmanager
def _target(out: Path | None, *, force: bool) -> Iterator[Path | None]:
    """Give the folder to write into, if there is to be one; it appears when it is whole."""
    from ambos.files import new_folder  # noqa: PLC0415
    from ambos.runs.saved_evaluations import ENTRIES  # noqa: PLC0415

    if out is None:
        yield None
        return
    with new_folder(out, entries=ENTRIES, force=force) as work:
        yield work


@contextmanager
def _progress(screen: Screen, total: int) -> Iterator[Callable[[float], None]]:
    """Show a bar of rows; give what moves it."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn("evaluating"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with screen.progress(*columns) as bar:
        task = bar.add_task("", total=total)
        yield lambda done: bar.update(task, completed=int(done))


def _show(console: Console, value: dict[str, Any], out: Path | None) -> None:
    console.print(f"[bold]{value['task']}[/]: {value['rows']:,} rows of {printable(value['file'])}")
    if value["left_out"]:
        reasons = ", ".join(f"{count:,} for {why}" for why, count in value["left_out"].items())
        console.print(f"  rows left out: {reasons}")
    metrics = table("metric", "value", "95 % interval", right=("value", "95 % interval"))
    for name, one in value["metrics"].items():
        style = "bold" if name == value["main"] else None
        metrics.add_row(name, f"{one['value']:.4f}", f"{one['low']:.4f} to {one['high']:.4f}", style=style)
    console.print(metrics)
    console.print()
    _show_classes(console, value["classes"])
    if value["calibration"]:
        found = value["calibration"]
        between = f"95 % interval {found['low']:.4f} to {found['high']:.4f}"
        console.print(
            f"calibration error {found['error']:.4f} ({between}; temperature {found['temperature']:.3g})"
        )
    limit = value["truncation"]["limit"]
    console.print(value["truncation"]["summary"] or f"no text was longer than {limit:,} tokens")
    _show_worst(console, value)
    if out is not None:
        console.print(f"report [cyan]{printable(str(out))}/report.html[/]")


def _show_classes(console: Console, classes: list[dict[str, Any]]) -> None:
    if not classes:
        return
    names = ("precision", "recall", "f1")
    columns = (*names, "f1, 95 % interval", "support")
    rows = table("label", *columns, right=columns)
    for one in sorted(classes, key=lambda one: -one["support"])[:_CLASSES]:
        figures = [f"{one[name]:.4f}" for name in names]
        ends = one["intervals"]["f1"]
        between = f"{ends['low']:.4f} to {ends['high']:.4f}"
        rows.add_row(printable(one["label"]), *figures, between, f"{one['support']:,}")
    console.print(rows)
    if len(classes) > _CLASSES:
        console.print(f"[dim]and {len(classes) - _CLASSES:,} rarer labels[/]")
    console.print()


def _show_worst(console: Console, value: dict[str, Any]) -> None:
    if not value["worst"]:
        return
    last = "error" if value["task"] in {"score", "embed"} else "sure"
    rows = table("most wrong about", "gold", "predicted", last, right=(last,))
    for item in value["worst"][:_WORST]:
        measured = f"{item['error']:+.3g}" if last == "error" else f"{item['confidence']:.1%}"
        rows.add_row(_text(item), _said(item["gold"]), _said(item["predicted"]), measured)
    console.print()
    console.print(rows)


def _text(item: dict[str, Any]) -> str:
    """Return the text of an example, cut to what a terminal shows, around the place in question."""
    text = str(item.get("question") or item["text"]).replace("\n", " ")  # of pairs, a text a line
    start, end = (0, 0) if "question" in item else item.get("mark", (0, 0))
    first = max(0, min(start - _TEXT // 2, len(text) - _TEXT)) if len(text) > _TEXT else 0
    shown = text[first : first + _TEXT]
    before, after = "…" if first else "", "…" if first + _TEXT < len(text) else ""
    if end > start:
        parts = (shown[: start - first], shown[start - first : end - first], shown[end - first :])
        shown = f"{printable(parts[0])}[bold]{printable(parts[1])}[/]{printable(parts[2])}"
    else:
        shown = printable(shown)
    return f"{before}{shown}{after}"


def _said(value: Any) -> str:  # noqa: ANN401 (labels, a tag, a number, answers)
    if isinstance(value, float):
        return f"{value:.3g}"
    text = ", ".join(value) if isinstance(value, list) else str(value)
    return printable(text) or "[dim]nothing[/]"
