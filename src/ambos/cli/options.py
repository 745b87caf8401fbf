"""Options that several commands share, with the one text that explains each."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ambos.errors import UsageError
from ambos.text.sources import check_language
from ambos.text.stream import Limits, ReadOptions, check_encoding

_READING = "Reading"

Texts = Annotated[
    list[str],
    typer.Argument(
        help="Files, folders or globs: .txt, .jsonl, .csv, .tsv, .parquet, plain or .gz/.zst. "
        "[cyan]pt=PATH[/] says that its documents are Portuguese.",
        metavar="TEXT",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes, no tables; errors only.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the output if it is already there.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="Folder to write.", show_default=False)]
TokenizerDir = Annotated[
    str,
    typer.Option(
        "--tokenizer",
        "-t",
        help="Tokenizer folder, in any published layout, or a model that has one.",
        show_default=False,
    ),
]

ModelName = Annotated[
    str,
    typer.Argument(
        help="Folder of a model, [cyan]minilm[/] if it is installed, or a hub id such as owner/model.",
        metavar="MODEL",
    ),
]
Device = Annotated[
    str | None,
    typer.Option("--device", help="cpu, cuda or mps; the best there is by default.", show_default=False),
]

Base = Annotated[
    str,
    typer.Option("--base", "-b", help="Model to begin with: a folder, a run, [cyan]minilm[/], a hub id."),
]
Dev = Annotated[
    list[str] | None,
    typer.Option("--dev", help="Rows that decide which weights are kept; else a tenth of --train does."),
]

SkipBad = Annotated[
    bool,
    typer.Option(
        "--skip-bad", help="Leave out, and count, rows that cannot be used.", rich_help_panel="Data"
    ),
]
Hidden = Annotated[
    bool, typer.Option("--hidden", help="A hidden ReLU layer in the head.", rich_help_panel="Head")
]
MaxLength = Annotated[
    int | None,
    typer.Option("--max-length", help="Longest sequence in tokens.", rich_help_panel="Long texts"),
]
LongAsLearnt = Annotated[
    Literal["cut", "head-tail", "windows", "error"] | None,
    typer.Option(
        help="What becomes of texts that are too long; by default as in training. What was cut is "
        "reported. Words and passages are never cut but read in windows.",
        show_default=False,
    ),
]
MaxLengthAsLearnt = Annotated[
    int | None,
    typer.Option(
        "--max-length",
        help="Read at most this many tokens at a time; by default as in training.",
        show_default=False,
    ),
]


def _some(separator: str) -> str:
    if not separator:
        raise UsageError("--separator is empty", expected="what is between labels", fix="--separator ,")
    return separator


Separator = Annotated[
    str, typer.Option("--separator", help="Between several labels in one field.", callback=_some)
]

TextColumn = Annotated[
    str, typer.Option("--text", help="Column or key that holds the text.", rich_help_panel=_READING)
]
Language = Annotated[
    str | None,
    typer.Option(
        "--language",
        help="Language of documents for which neither pt=PATH nor a column says it.",
        rich_help_panel=_READING,
    ),
]
LanguageColumn = Annotated[
    str | None,
    typer.Option(
        "--language-column",
        help="Column that holds the language; language or lang are found by themselves.",
        rich_help_panel=_READING,
    ),
]
DocumentUnit = Annotated[
    Literal["blank", "line"],
    typer.Option(
        "--document",
        help="In .txt, what ends a document: a blank line, or every line.",
        rich_help_panel=_READING,
    ),
]
Encoding = Annotated[
    str, typer.Option("--encoding", help="Encoding of text files, e.g. latin-1.", rich_help_panel=_READING)
]
MaxLine = Annotated[
    int, typer.Option("--max-line-mb", min=1, help="Longest line accepted, in MiB.", rich_help_panel=_READING)
]
MaxDocument = Annotated[
    int,
    typer.Option(
        "--max-document-mb", min=1, help="Longest document accepted, in MiB.", rich_help_panel=_READING
    ),
]


def read_options(
    text: str,
    language_column: str | None,
    document: Literal["blank", "line"],
    encoding: str,
    line_mb: int,
    document_mb: int,
) -> ReadOptions:
    """Put the reading options of a command together."""
    limits = Limits(line_mb=line_mb, document_mb=document_mb)
    return ReadOptions(text, language_column, document, check_encoding(encoding), limits)


def language_option(code: str | None) -> str | None:
    """Check `--language`."""
    return None if code is None else check_language(code)


def settings_given(options: Mapping[str, Any], overrides: Sequence[str] | None) -> dict[str, Any]:
    """Return what a user says of a fine-tuning run, `--set` laid over other options; nothing by default.

    Raises
    ------
    UsageError
        If both epochs and minutes are said: a run ends by one of them.
    """
    from ambos.recipe import stated, with_overrides  # noqa: PLC0415

    values = with_overrides(stated(options), overrides or ())
    if {"epochs", "minutes"} <= values.keys():
        raise UsageError(
            "--epochs and --minutes exclude each other",
            expected="how often every row is read, or how long to train by the clock",
            found=f"epochs {values['epochs']} and minutes {values['minutes']}",
            fix="leave one of them out",
        )
    return values
