"""`ambos tokenizer`: learn a vocabulary, look at tokens, measure how a tokenizer suits a text."""

from typing import Annotated

import typer
from rich.console import Console

from ambos.cli.models import load_tokenizer
from ambos.cli.options import (
    DocumentUnit,
    Encoding,
    Force,
    Json,
    Language,
    LanguageColumn,
    MaxDocument,
    MaxLine,
    Out,
    Quiet,
    TextColumn,
    Texts,
    language_option,
    read_options,
)
from ambos.cli.reading import documents_with_progress
from ambos.cli.screen import Screen, printable, table

app = typer.Typer(help="Learn a vocabulary, look at tokens, measure a tokenizer.", no_args_is_help=True)

_Folder = Annotated[
    str,
    typer.Argument(
        help="Tokenizer folder (or file), in any published layout, or a model that has one.", metavar="DIR"
    ),
]


@app.command()
def train(
    texts: Texts,
    out: Out,
    kind: Annotated[
        str,
        typer.Option(help="wordpiece (as BERT), unigram (as XLM-R) or bpe (byte-level, as RoBERTa)."),
    ] = "wordpiece",
    vocab_size: Annotated[
        int, typer.Option("--vocab-size", min=1, help="Number of ids, special tokens included.")
    ] = 30_000,
    uncased: Annotated[bool, typer.Option("--uncased", help="Fold upper and lower case.")] = False,
    strip_accents: Annotated[
        bool, typer.Option("--strip-accents", help="Drop accents (cão becomes cao). Off, even when uncased.")
    ] = False,
    min_frequency: Annotated[
        int,
        typer.Option(
            "--min-frequency", min=1, help="How often a piece must occur to be learnt (wordpiece, bpe)."
        ),
    ] = 2,
    segments: Annotated[
        bool, typer.Option("--segments", help="Of unigram: [CLS] a [SEP] b [SEP] with two segments (ALBERT).")
    ] = False,
    text: TextColumn = "text",
    language: Language = None,
    language_column: LanguageColumn = None,
    document: DocumentUnit = "blank",
    encoding: Encoding = "utf-8",
    max_line_mb: MaxLine = 16,
    max_document_mb: MaxDocument = 64,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn a tokenizer from text, in the layout that transformers opens.

    The same text gives the same files, with any number of cores.

    [bold]Example[/]  ambos tokenizer train books/ news.jsonl.gz --kind bpe --vocab-size 16000 --out tokenizer
    """
    from ambos.files import new_folder  # noqa: PLC0415 (help must come without the work's imports)
    from ambos.text.tokenizer import FILES  # noqa: PLC0415
    from ambos.text.tokenizer_train import TrainOptions, train_tokenizer  # noqa: PLC0415

    screen = Screen(json, quiet)
    reading = read_options(text, language_column, document, encoding, max_line_mb, max_document_mb)
    options = TrainOptions(kind, vocab_size, uncased, strip_accents, min_frequency, segments)
    with (
        new_folder(out, entries=FILES, force=force) as work,
        documents_with_progress(screen, texts, reading, language_option(language)) as documents,
    ):
        left_out: list[str] = []
        learnt = train_tokenizer(documents, options, stage=documents.stage, left_out=left_out.append)
        learnt.save(work)
        found = learnt.vocab_size
    for what in left_out:
        screen.note(f"not learnt from: {what}")
    if found < vocab_size:
        screen.note(f"asked for {vocab_size:,} ids, found {found:,}: the text has no more pieces to learn")

    def show(console: Console) -> None:
        console.print(f"[bold]{kind}[/] tokenizer with {found:,} ids in [cyan]{printable(str(out))}[/]")
        console.print(f'Next: [cyan]ambos tokenizer show {printable(str(out))} "Uma frase."[/]')

    screen.result(
        {
            "out": str(out),
            "kind": kind,
            "vocab_size": found,
            "requested": vocab_size,
            "not_learnt_from": left_out,
        },
        show,
    )


@app.command()
def show(
    folder: _Folder,
    text: Annotated[str, typer.Argument(help="A text.", metavar="TEXT")],
    pair: Annotated[
        str | None, typer.Argument(help="A second text, to see a pair.", metavar="SECOND")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show the tokens of a text, or of a pair, as the model reads them.

    [bold]Example[/]  ambos tokenizer show tokenizer "O gatinho dorme." "Ele ronca."
    """
    screen = Screen(json, quiet)
    encoded = load_tokenizer(folder).encode(text, pair)
    texts = (text, pair or "")
    rows = [
        {
            "position": position,
            "token": token,
            "id": encoded.ids[position],
            "segment": encoded.segments[position],
            "side": encoded.sides[position],
            "word": encoded.words[position],
            "start": encoded.offsets[position][0],
            "end": encoded.offsets[position][1],
        }
        for position, token in enumerate(encoded.tokens)
    ]

    def draw(console: Console) -> None:
        numbers = ("position", "id", "segment", "word")
        tokens = table("position", "token", "id", "segment", "word", "characters", "text", right=numbers)
        for position, token in enumerate(encoded.tokens):
            side, word = encoded.sides[position], encoded.words[position]
            start, end = encoded.offsets[position]
            style = "dim" if side is None else ("", "green")[side]
            tokens.add_row(
                str(position),
                printable(token),
                str(encoded.ids[position]),
                str(encoded.segments[position]),
                "" if word is None else str(word),
                "" if side is None else f"{start}-{end}",
                "" if side is None else printable(texts[side][start:end]),
                style=style,
            )
        console.print(tokens)

    screen.result({"text": text, "pair": pair, "tokens": rows}, draw)


@app.command()
def report(
    folder: _Folder,
    texts: Texts,
    text: TextColumn = "text",
    language: Language = None,
    language_column: LanguageColumn = None,
    document: DocumentUnit = "blank",
    encoding: Encoding = "utf-8",
    max_line_mb: MaxLine = 16,
    max_document_mb: MaxDocument = 64,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure how a tokenizer suits a text: fertility, unknown tokens, coverage, longest documents.

    A word is a run of letters and digits, or one mark: counted so, figures of several tokenizers compare.

    [bold]Example[/]  ambos tokenizer report tokenizer pt=raw_pt/dev.txt en=raw_en/dev.txt
    """
    from ambos.text.tokenizer_report import report_tokenizer  # noqa: PLC0415

    screen = Screen(json, quiet)
    reading = read_options(text, language_column, document, encoding, max_line_mb, max_document_mb)
    tokenizer = load_tokenizer(folder)
    with documents_with_progress(screen, texts, reading, language_option(language)) as documents:
        result = report_tokenizer(tokenizer, documents)

    def draw(console: Console) -> None:
        heads = (
            "documents",
            "words",
            "tokens",
            "fertility",
            "whole words",
            "unknown",
            "coverage",
            "vocabulary",
        )
        rows = table("language", *heads, right=heads)
        for name, row in result.figures.items():
            rows.add_row(
                printable(name),
                f"{row.documents:,}",
                f"{row.words:,}",
                f"{row.tokens:,}",
                f"{row.fertility:.3f}",
                f"{row.whole:.1%}",
                f"{row.unknown:.4%}",
                f"{row.coverage:.3%}",
                f"{len(row.used) / result.vocab_size:.1%}",
            )
        console.print(rows)
        console.print(
            "[dim]fertility: tokens per word · whole words: words that are one token\n"
            "unknown: tokens that are the unknown token · coverage: words spelled without it\n"
            "vocabulary: share of the ids that occur[/]\n"
        )
        longest = table("tokens", "document", "begins", right=("tokens",), title="Longest documents")
        for item in result.longest:
            longest.add_row(
                f"{item.tokens:,}", f"{printable(item.file)}:{item.line}", printable(item.beginning)
            )
        console.print(longest)

    screen.result(result.as_dict(), draw)
