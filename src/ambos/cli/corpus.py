"""`ambos corpus`: build a token store, look into one."""

import random
from pathlib import Path
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
    TokenizerDir,
    language_option,
    read_options,
)
from ambos.cli.reading import describe_sources
from ambos.cli.screen import Screen, printable, size, table

app = typer.Typer(help="Turn text into a memory-mapped token store; look into one.", no_args_is_help=True)


@app.command()
def build(
    texts: Texts,
    tokenizer: TokenizerDir,
    out: Out,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, help="Processes that tokenise; one per core by default. Does not change the result."
        ),
    ] = None,
    keep_duplicates: Annotated[
        bool, typer.Option("--keep-duplicates", help="Keep documents whose text was seen before.")
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
    """Tokenise text into a store that training reads without loading it.

    Exact duplicates of documents are dropped and counted.

    If it is interrupted, run the same command again: it goes on, and the store comes out the same.

    [bold]Example[/]  ambos corpus build pt=books/ en=news.jsonl.gz --tokenizer tokenizer --out store
    """
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    from ambos.text.sources import find_sources  # noqa: PLC0415 (help must come without the work's imports)
    from ambos.text.store_build import BuildOptions, BuildProgress, build_store  # noqa: PLC0415

    screen = Screen(json, quiet)
    reading = read_options(text, language_column, document, encoding, max_line_mb, max_document_mb)
    sources = find_sources(texts, language=language_option(language))
    describe_sources(screen, sources)
    loaded = load_tokenizer(tokenizer)
    figures = TextColumn("{task.fields[tokens]:,} tokens")
    with screen.progress(
        TextColumn("tokenising"), BarColumn(), TaskProgressColumn(), figures, TimeRemainingColumn()
    ) as progress:
        task = progress.add_task("", total=sum(source.bytes for source in sources), tokens=0)

        def tell(state: BuildProgress) -> None:
            progress.update(task, completed=state.bytes_read, total=state.bytes_total, tokens=state.tokens)

        options = BuildOptions(keep_duplicates, workers, reading)
        try:
            store = build_store(sources, loaded, out, options, force=force, progress=tell)
        except KeyboardInterrupt:
            screen.note("interrupted: run the same command again to go on from here")
            raise typer.Exit(130) from None
    counts = store.manifest["counts"]

    def show_counts(console: Console) -> None:
        console.print(f"Token store in [cyan]{printable(str(out))}[/]")
        _print_counts(console, store.path, counts, store.languages)
        console.print(f"Next: [cyan]ambos corpus show {printable(str(out))}[/]")

    screen.result({"out": str(out), "counts": counts, "languages": store.languages}, show_counts)


@app.command()
def show(
    store: Annotated[Path, typer.Argument(help="Token store.", metavar="STORE")],
    document: Annotated[
        int | None,
        typer.Option("--document", min=0, help="Number of the document to print; random if not given."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the random choice.")] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Compare every file with its SHA-256.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Print what is in a store: counts by language, and a document decoded.

    [bold]Example[/]  ambos corpus show store --document 12
    """
    from ambos.errors import UsageError  # noqa: PLC0415
    from ambos.text.store import TokenStore  # noqa: PLC0415

    screen = Screen(json, quiet)
    opened = TokenStore(store)
    if verify:
        opened.verify()
    number = random.Random(seed).randrange(len(opened)) if document is None else document  # noqa: S311
    if number >= len(opened):
        raise UsageError(
            f"there is no document {number}",
            expected=f"0 to {len(opened) - 1}",
            fix="--document 0",
            file=store,
        )
    sentences = opened.text(number)
    languages = opened.counts_by_language()

    def draw(console: Console) -> None:
        _print_counts(console, store, opened.manifest["counts"], opened.languages)
        heads = ("documents", "sentences", "tokens")
        rows = table("language", *heads, right=heads)
        for name, row in languages.items():
            rows.add_row(printable(name), *(f"{row[head]:,}" for head in heads))
        console.print(rows)
        tokens = len(opened.document(number))
        console.print(
            f"\n[bold]Document {number}[/] ({printable(opened.language(number))}, {tokens:,} tokens)"
        )
        for line, sentence in enumerate(sentences):
            console.print(f"[dim]{line:>4}[/]  {printable(sentence)}")

    screen.result(
        {
            "store": str(store),
            "counts": opened.manifest["counts"],
            "languages": languages,
            "verified": verify,
            "document": {"number": number, "language": opened.language(number), "sentences": sentences},
        },
        draw,
    )


def _print_counts(console: Console, path: Path, counts: dict[str, int], languages: list[str]) -> None:
    disk = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    names = ("documents", "sentences", "words", "tokens")
    said = ", ".join(f"{counts[name]:,} {name}" for name in names)
    console.print(f"  {said} in {printable(', '.join(languages))}; {size(disk)} on disk")
    console.print(f"  left out: {counts['duplicates']:,} duplicate and {counts['empty']:,} empty documents")
