"""`ambos embed`: one vector for every text of some files."""

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console

from ambos.cli.models import load_model
from ambos.cli.options import (
    Device,
    DocumentUnit,
    Encoding,
    Force,
    Json,
    MaxDocument,
    MaxLine,
    ModelName,
    Quiet,
    TextColumn,
    read_options,
)
from ambos.cli.reading import Flow
from ambos.cli.screen import Screen, printable, size
from ambos.errors import InputError, UsageError
from ambos.suggest import did_you_mean
from ambos.text.readers import Document, read_documents
from ambos.text.sources import Source, find_sources
from ambos.text.stream import ReadOptions

if TYPE_CHECKING:
    from ambos.data.windows import Ledger

_ENDINGS = (".npy", ".parquet")


def embed(
    model: ModelName,
    inputs: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders or globs: .txt (a text a line), .jsonl, .csv, .tsv, .parquet, plain or "
            ".gz/.zst.",
            metavar="INPUT",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="File to write: .npy (vectors alone) or .parquet (file, line and text beside them).",
            show_default=False,
        ),
    ],
    pool: Annotated[
        Literal["cls", "mean", "max"] | None,
        typer.Option(
            help="From vectors of tokens to one of the text; by default as the model says, else mean.",
            show_default=False,
        ),
    ] = None,
    layer: Annotated[
        int | None,
        typer.Option(
            help="Take the vectors of this layer; 0 is the embeddings, the last one is the default.",
            show_default=False,
        ),
    ] = None,
    normalize: Annotated[
        bool | None,
        typer.Option(
            "--normalize/--no-normalize",
            help="Scale vectors to length 1; by default as the model says, else not.",
            show_default=False,
        ),
    ] = None,
    long: Annotated[
        Literal["cut", "head-tail", "windows", "error"],
        typer.Option(help="What becomes of texts that are too long. What was cut is reported."),
    ] = "cut",
    max_length: Annotated[
        int | None,
        typer.Option(
            "--max-length",
            help="Read at most this many tokens of a text; by default as the model was trained.",
            show_default=False,
        ),
    ] = None,
    device: Device = None,
    text: TextColumn = "text",
    document: DocumentUnit = "line",
    encoding: Encoding = "utf-8",
    max_line_mb: MaxLine = 4,
    max_document_mb: MaxDocument = 4,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write one vector per text, in the order of the texts: row i belongs to text i.

    A text is a line of a .txt (blank ones are passed over), or a row of the others (empty ones are counted).

    Texts are read, encoded and written as they come, in little memory; the output appears when it is whole.

    [bold]Example[/]  ambos embed minilm news.jsonl --text headline --out vectors.parquet
    """
    ending = out.suffix.lower()
    if ending not in _ENDINGS:
        raise UsageError(
            f"do not know how to write {out.suffix!r}" if out.suffix else "the output has no ending",
            expected="--out to end in .npy (vectors alone) or .parquet (with the texts)",
            fix=did_you_mean(ending, _ENDINGS) or "--out vectors.npy",
        )
    from ambos.data.windows import Ledger  # noqa: PLC0415
    from ambos.files import new_file, refuse_inside  # noqa: PLC0415
    from ambos.predict.vector_files import open_vectors  # noqa: PLC0415

    screen = Screen(json, quiet)
    reading = read_options(text, None, document, encoding, max_line_mb, max_document_mb)
    texts = _Texts(find_sources(inputs), reading)
    refuse_inside(out, [source.path for source in texts.sources])
    ledger = Ledger()
    try:
        with new_file(out, force=force) as work:
            screen.note(f"{len(texts.sources)} {'file' if len(texts.sources) == 1 else 'files'} to read")
            loaded = load_model(screen, model, device)
            options = loaded.embed_options(pool, layer, normalize, long, max_length)
            with (
                open_vectors(work, ending, loaded.config.width) as write,
                texts.flow.progress(screen, "embedding", "texts"),
            ):
                stream = loaded.embed_stream(
                    texts,
                    pool=pool,
                    layer=layer,
                    normalize=normalize,
                    long=long,
                    max_length=max_length,
                    ledger=ledger,
                    progress=texts.flow.tell,
                )
                with texts.named_in_errors(ledger, long):
                    for vectors in stream:
                        write(vectors, texts.take(len(vectors)))
    except KeyboardInterrupt:
        screen.note("interrupted: nothing was written")
        raise typer.Exit(130) from None
    value = {
        "out": str(out),
        "bytes": out.stat().st_size,
        "model": model,
        "texts": texts.flow.taken,
        "empty_texts": texts.empty,
        "width": loaded.config.width,
        "pooling": options.pooling,
        "layer": loaded.config.depth if options.layer is None else options.layer,
        "layers": loaded.config.depth,
        "normalized": options.normalize,
        "max_length": options.limit,
        "long": {"how": options.long, **asdict(ledger), "summary": ledger.summary(options.limit)},
        "seconds": texts.flow.seconds,
        "texts_per_second": texts.flow.taken / texts.flow.seconds,
        "tokens_per_second": (ledger.tokens - ledger.cut_tokens) / texts.flow.seconds,
    }
    screen.result(value, lambda console: _show(console, value))


class _Texts:
    """The texts of some files, once and in order; those that have no vector yet are remembered."""

    def __init__(self, sources: Sequence[Source], options: ReadOptions) -> None:
        self.sources = sources
        self.empty = 0
        self.flow = Flow(sum(source.bytes for source in sources))
        self._options = options
        self._ahead: deque[Document] = deque()

    def __iter__(self) -> Iterator[str]:
        for document in read_documents(self.sources, self._options, advance=self.flow.advance):
            self._ahead.append(document)
            self.flow.came(len(document.text))
            self.empty += not document.text.strip()
            yield document.text

    def take(self, count: int) -> list[Document]:
        """Return the next texts that got their vectors."""
        self.flow.took(count)
        return [self._ahead.popleft() for _ in range(count)]

    @contextmanager
    def named_in_errors(self, ledger: "Ledger", long: str) -> Iterator[None]:
        """Say which text it was that was refused for its length: the last one that the ledger has seen."""
        try:
            yield
        except InputError as error:
            if error.file is None and long == "error" and ledger.long_texts:
                text = self._ahead[ledger.texts - self.flow.taken - 1]
                error.file, error.line = str(text.file), text.line
            raise


def _show(console: Console, value: dict[str, Any]) -> None:
    out, layer = printable(value["out"]), value["layer"]
    vectors = "vector" if value["texts"] == 1 else "vectors"
    console.print(
        f"[bold]{value['texts']:,}[/] {vectors} of {value['width']:,} numbers in [cyan]{out}[/] "
        f"({size(value['bytes'])})"
    )
    last = ", the last" if layer == value["layers"] else f" of {value['layers']}"
    scaled = "scaled to length 1" if value["normalized"] else "not scaled"
    console.print(f"  {value['pooling']} pooling of layer {layer}{last}; {scaled}")
    if value["empty_texts"]:
        console.print(f"  {value['empty_texts']:,} texts are empty; their vectors stand for no text")
    whole = f"no text was longer than {value['max_length']:,} tokens"
    console.print(f"  {value['long']['summary'] or whole}")
    console.print(
        f"  {value['seconds']:.1f} s: {value['texts_per_second']:,.0f} texts/s, "
        f"{value['tokens_per_second']:,.0f} tokens/s"
    )
    opened = (
        f'numpy.load("{out}", mmap_mode="r")'
        if out.lower().endswith(".npy")
        else f'pyarrow.parquet.read_table("{out}")'
    )
    console.print(f"Next, in Python: [cyan]{opened}[/]")
