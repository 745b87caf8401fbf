"""`ambos predict`: what a fine-tuned model says of every row of some files."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
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
    read_options,
)
from ambos.cli.reading import Flow
from ambos.cli.screen import Screen, printable, size
from ambos.errors import UsageError
from ambos.suggest import did_you_mean

_ENDINGS = (".jsonl", ".csv", ".tsv", ".parquet")
_GO_ON = "interrupted: what is done is kept, the same command goes on from there"


def predict(
    model: ModelName,
    inputs: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders or globs, plain or .gz/.zst. Texts: .txt (one a line), .jsonl, .csv, .tsv, "
            ".parquet. For a tagger: .conll, .txt (words parted by spaces), .jsonl and .parquet, lists of "
            "words. For answers: .json (SQuAD), .jsonl and .parquet.",
            metavar="INPUT",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", help="File to write: .jsonl, .csv, .tsv or .parquet.", show_default=False
        ),
    ],
    with_text: Annotated[bool, typer.Option("--with-text", help="Write the text beside it.")] = False,
    all_probabilities: Annotated[
        bool,
        typer.Option("--all-probabilities", help="Of a classifier: the probabilities of all labels."),
    ] = False,
    top: Annotated[
        int, typer.Option("--top", min=0, max=20, help="Of answers: write so many candidates, too.")
    ] = 0,
    long: LongAsLearnt = None,
    max_length: MaxLengthAsLearnt = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out, and count, rows that cannot be used.")
    ] = False,
    text: of.Text = None,
    text_a: of.TextA = None,
    text_b: of.TextB = None,
    text_c: of.TextC = None,
    text_d: of.TextD = None,
    words: of.Words = None,
    question: of.Question = None,
    passage: of.Passage = None,
    row_id: of.Id = None,
    device: Device = None,
    encoding: Encoding = "utf-8",
    max_line_mb: MaxLine = 4,
    max_document_mb: MaxDocument = 4,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write what a model says of every row, in their order: labels, scores, tags and entities, or answers.

    Rows need no labels. Each comes out with its file, its line and, where there is one, its id; with
    probabilities, calibrated if the model was fine-tuned here with dev rows; with places in the words and in
    the characters of a text. Answers also say how likely it is that there is none, if the model knows that.

    Files may be of any size. Interrupted, by whatever, the same command goes on where it stopped, and the
    output is the same, byte for byte; it appears when it is whole.

    [bold]Examples[/]  ambos predict run news.csv --out labels.jsonl ·
    ambos predict ner letters.txt --out entities.parquet · ambos predict qa squad.json --top 3 --out a.jsonl
    """
    ending = out.suffix.lower()
    if ending not in _ENDINGS:
        raise UsageError(
            f"do not know how to write {out.suffix!r}" if out.suffix else "the output has no ending",
            expected=f"--out to end in {', '.join(_ENDINGS[:-1])} or {_ENDINGS[-1]}",
            fix=did_you_mean(ending, _ENDINGS) or "--out predictions.jsonl",
        )
    from ambos.data.read_files import RowFiles  # noqa: PLC0415
    from ambos.data.rows import Columns  # noqa: PLC0415
    from ambos.predict.files import predict_files  # noqa: PLC0415
    from ambos.predict.records import Details  # noqa: PLC0415

    screen = Screen(json, quiet)
    loaded = load_model(screen, model, device)
    task: Any = loaded.learnt.name
    if task == "tag" and words is None:
        words, text = text, None  # running text takes the place of words
    given = Columns(
        text=text,
        text_a=text_a,
        text_b=text_b,
        text_c=text_c,
        text_d=text_d,
        words=words,
        question=question,
        passage=passage,
        id=row_id,
    )
    options = read_options("text", None, "line", encoding, max_line_mb, max_document_mb)
    files = RowFiles.find(
        *(inputs, task, given),
        labelled=False,
        pairs=loaded.learnt.pairs,
        texts=loaded.learnt.texts,
        options=options,
        skip_bad=skip_bad,
    )
    screen.note(_described(files))
    details = Details(files.columns.id is not None, with_text, all_probabilities, top)
    reading = loaded.reading(long, max_length)
    flow = Flow(files.bytes)
    try:
        with _stoppable(), flow.progress(screen, "predicting", "rows"):
            done = predict_files(
                loaded, files, out, details, reading, flow, skip_bad=skip_bad, force=force, note=screen.note
            )
    except KeyboardInterrupt:
        screen.note(_GO_ON)
        raise typer.Exit(130) from None
    value = {
        "out": str(out),
        "bytes": out.stat().st_size,
        "model": model,
        "task": task,
        "columns": files.shown.chosen,
        "rows": done.rows,
        "earlier_rows": done.earlier,
        "skipped": done.skipped,
        "max_length": reading.limit,
        "long": {"how": reading.long, **asdict(done.ledger), "summary": done.ledger.summary(reading.limit)},
        "seconds": flow.seconds,
        "rows_per_second": flow.taken / flow.seconds,
    }
    screen.result(value, lambda console: _show(console, value))


def _described(files: Any) -> str:  # noqa: ANN401 (its module is imported late)
    count = len(files.sources)
    columns = f"; columns {files.shown}" if files.shown.chosen else ""
    return f"{count} {'file' if count == 1 else 'files'} to read{columns}"


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let SIGTERM, while the block runs, do what Ctrl-C does."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _show(console: Console, value: dict[str, Any]) -> None:
    rows = "row" if value["rows"] == 1 else "rows"
    console.print(
        f"[bold]{value['rows']:,}[/] {rows} in [cyan]{printable(value['out'])}[/] ({size(value['bytes'])})"
    )
    if value["earlier_rows"]:
        console.print(f"  {value['earlier_rows']:,} of them had been done before the interruption")
    if value["skipped"]:
        kinds = ", ".join(f"{kind}: {count:,}" for kind, count in value["skipped"].items())
        console.print(f"  rows left out: {kinds}")
    whole = f"no text was longer than {value['max_length']:,} tokens"
    console.print(f"  {value['long']['summary'] or whole}")
    console.print(f"  {value['seconds']:.1f} s: {value['rows_per_second']:,.0f} rows/s")
