"""`ambos search`: the texts of a corpus nearest to a query, re-ranked by a model that reads both together."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from ambos.cli.models import load_model
from ambos.cli.options import Device, Encoding, Force, Json, ModelName, Quiet, TextColumn, read_options
from ambos.cli.ranking import Ranking
from ambos.cli.screen import Screen, printable, table
from ambos.errors import OutputError, UsageError

if TYPE_CHECKING:
    from ambos.data.windows import Ledger
    from ambos.predict.model import Model
    from ambos.predict.search import Corpus

_SHOWN = 160  # characters of a text
_CANDIDATES = 50
_READ = {"corpus": "corpus", "queries": "queries", "rerank": "query and text, re-ranked"}


def search(
    model: ModelName,
    query: Annotated[
        str,
        typer.Argument(
            help="A text; or a file with one on every line, if there is one of that name.", metavar="QUERY"
        ),
    ],
    corpus: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders or globs: .txt (a text a line), .jsonl, .csv, .tsv, .parquet. An index that "
            "[cyan]--index[/] wrote needs none.",
            metavar="CORPUS",
        ),
    ] = [],  # noqa: B006 (typer's way)
    top: Annotated[int, typer.Option("--top", "-k", min=1, help="How many texts to show.")] = 10,
    rerank: Annotated[
        str | None,
        typer.Option(
            "--rerank",
            help="Model that reads query and text together (ambos finetune pair --scheme joint), to put the "
            "nearest in a better order.",
            metavar="MODEL",
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            "--label", help="Of a --rerank model with labels: the one that means it fits.", metavar="LABEL"
        ),
    ] = None,
    candidates: Annotated[
        int | None,
        typer.Option(
            "--candidates",
            min=1,
            help="How many of the nearest are given to --rerank.",
            show_default=str(_CANDIDATES),
        ),
    ] = None,
    index: Annotated[
        Path | None,
        typer.Option(
            "--index",
            help="Folder that keeps the vectors: made if it is not there, used if it is.",
            show_default=False,
        ),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Compare with every text of a kept index, however large it is."),
    ] = False,
    device: Device = None,
    text: TextColumn = "text",
    encoding: Encoding = "utf-8",
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the texts of a corpus that are nearest to a query, by the cosine of their vectors.

    All texts are compared, unless an index of 200,000 or more is kept: then a graph of neighbours is
    asked, which may miss a few. Texts are read once; with --index, once for all queries to come.

    [bold]Examples[/]  ambos search minilm "prazo para recorrer" decisions.jsonl ·
    ambos search minilm queries.txt corpus/ --index kept --rerank run --label relevant --json
    """
    from ambos.data.windows import Ledger  # noqa: PLC0415
    from ambos.predict.search import APPROXIMATE_FROM  # noqa: PLC0415

    screen = Screen(json, quiet)
    for option, given in (("--label", label), ("--candidates", candidates)):
        if given is not None and rerank is None:
            raise UsageError(f"{option} is for --rerank", expected="--rerank MODEL", fix="leave it out")
    if candidates is not None and candidates < top:
        raise UsageError(
            "fewer texts are re-ranked than shown",
            expected=f"--candidates {top} or more, since --top is {top}",
            found=f"--candidates {candidates}",
            fix="raise --candidates, or lower --top",
        )
    queries = _queries(query, encoding)
    loaded = load_model(screen, model, device)
    if loaded.task != "embed" and loaded.pair in {"joint", "attention"}:
        screen.note(
            "this model did not learn vectors to be compared; minilm has such vectors, and `ambos finetune "
            "pair --scheme embed` learns them"
        )
    judge = load_model(screen, rerank, device) if rerank else None
    rank = Ranking(judge, label) if judge else None
    read, asked = Ledger(), Ledger()
    found = _corpus(screen, loaded, model, corpus, index, text, encoding, read, force=force)
    approximate = index is not None and len(found) >= APPROXIMATE_FROM and not exact
    wanted = max(top, candidates or _CANDIDATES) if rank else top
    vectors = loaded.embed(queries, normalize=True, ledger=asked)
    with _of_index():
        numbers, cosines = found.nearest(vectors, wanted, exact=not approximate)
    results = []
    for one, places, similarities in zip(queries, numbers, cosines, strict=True):
        hits = [
            {"file": place.file, "line": place.line, "text": place.text, "similarity": float(similarity)}
            for place, similarity in zip(found.places(places), similarities, strict=True)
        ]
        if rank:
            hits = rank(one, hits)
        results.append({"query": one, "hits": hits[:top]})
    value = {
        "model": model,
        "rerank": rerank,
        "texts": len(found),
        "exact": not approximate,
        "index": str(index) if index else None,
        "long": {
            "corpus": _cut(read, loaded.max_length),
            "queries": _cut(asked, loaded.max_length),
            "rerank": _cut(rank.ledger, rank.model.reading().limit) if rank else None,
        },
        "results": results,
    }
    screen.result(value, lambda console: _show(console, value))


def _cut(ledger: "Ledger", limit: int) -> dict[str, Any] | None:
    """Return what was cut, and in words; None if it was not counted, as in an index of an older version."""
    if not ledger.texts:
        return None
    return {"max_length": limit, **asdict(ledger), "summary": ledger.summary(limit)}


def _queries(query: str, encoding: str) -> list[str]:
    path = Path(query)
    try:
        is_file = path.is_file()
    except OSError:  # too long for a name
        is_file = False
    if not is_file:
        if not query.strip():
            raise UsageError("the query is empty", expected="a text, or a file of texts")
        return [query]
    from ambos.text.sources import UNKNOWN_LANGUAGE, Source  # noqa: PLC0415
    from ambos.text.stream import read_lines  # noqa: PLC0415

    source = Source(path, "txt", None, UNKNOWN_LANGUAGE)
    lines = read_lines(source, read_options("text", None, "line", encoding, 4, 4))
    found = [line.strip() for _, line in lines if line.strip()]
    if not found:
        raise UsageError("there are no queries in this file", expected="one on every line", found=str(path))
    return found


def _corpus(
    screen: Screen,
    model: "Model",
    name: str,
    names: list[str],
    index: Path | None,
    column: str,
    encoding: str,
    ledger: "Ledger",
    *,
    force: bool,
) -> "Corpus":
    """Open the index, or read the corpus; with a place to keep it, write it there.

    The ledger counts what was cut: now, or when the index was made.
    """
    from ambos.files import sha256  # noqa: PLC0415
    from ambos.predict.search import build_corpus, open_corpus, read_about, read_corpus  # noqa: PLC0415
    from ambos.text.readers import read_documents  # noqa: PLC0415
    from ambos.text.sources import find_sources  # noqa: PLC0415

    if not names and index is None:
        raise UsageError("there is nothing to search in", expected="CORPUS, or --index FOLDER")
    about = read_about(index) if index else None
    if not names:
        if about is None or index is None:
            raise UsageError(
                "there is no index in this folder", found=str(index), fix="give a CORPUS to make one"
            )
        _refuse_other_model(about, model, name, index)
        return open_corpus(index, ledger)
    sources, options = find_sources(names), read_options(column, None, "line", encoding, 4, 4)
    files = {str(source.path): sha256(source.path) for source in sources}
    if about is not None and index is not None and not force:
        _refuse_other_model(about, model, name, index)
        _refuse_other_corpus(about, files, {"text": column, "encoding": options.encoding})
        return open_corpus(index, ledger)
    documents = (one for one in read_documents(sources, options) if one.text.strip())
    screen.note(f"reading {len(sources)} {'file' if len(sources) == 1 else 'files'}")
    embed = partial(model.embed_stream, normalize=True, ledger=ledger)
    if index is None:
        return read_corpus(documents, embed)
    about = {"model": name, "weights": _weights(model), "pooling": model.embed_options().pooling}
    about |= {"files": files, "text": column, "encoding": options.encoding}
    with _of_index():
        return build_corpus(index, documents, embed, model.config.width, about, ledger=ledger, force=force)


@contextmanager
def _of_index() -> Iterator[None]:
    """Let what cannot be written speak of `--index`: that is where this command writes."""
    try:
        yield
    except OutputError as error:
        error.fix = error.fix and error.fix.replace("--out", "--index")
        raise


def _weights(model: "Model") -> str | None:
    """Return what tells the weights of a model from any others."""
    from ambos.files import sha256  # noqa: PLC0415

    files = sorted(model.source.rglob("*.safetensors")) if model.source else []
    return ",".join(map(sha256, files)) or None


def _refuse_other_model(about: dict[str, Any], model: "Model", name: str, index: Path) -> None:
    made = about.get("weights"), about.get("pooling")
    if made != (_weights(model), model.embed_options().pooling):
        raise UsageError(
            "the index was made with another model",
            expected=f"the weights of {about.get('model')} as they were",
            found=name,
            fix=f"make it anew: give its CORPUS, and --force; or choose another folder than {index}",
        )


def _refuse_other_corpus(about: dict[str, Any], files: dict[str, str], read: dict[str, str]) -> None:
    """Raise `UsageError` if an index is of other files, or of these read in another way."""
    fix = "write it anew with --force, or choose another folder with --index"
    if about.get("files") != files:
        raise UsageError(
            "the index is of another corpus", expected="the files that it was made of, as they were", fix=fix
        )
    for option, value in read.items():
        if about.get(option) != value:
            raise UsageError(
                f"the index was made with another --{option}",
                expected=f"--{option} {about.get(option)}",
                found=f"--{option} {value}",
                fix=fix,
            )


def _show(console: Console, value: dict[str, Any]) -> None:
    how = "all compared" if value["exact"] else "by a graph of neighbours, which may miss a few"
    for result in value["results"]:
        console.print(f"[bold]{printable(result['query'])}[/]  [dim]{value['texts']:,} texts, {how}[/]")
        scored = value["rerank"] is not None
        columns = ("", *(["score"] if scored else []), "cosine", "text", "where")
        rows = table(*columns, right=("", "score", "cosine"))
        for number, hit in enumerate(result["hits"], 1):
            shown = hit["text"] if len(hit["text"]) <= _SHOWN else hit["text"][:_SHOWN] + " ..."
            score = [f"{hit['score']:.3f}"] if scored else []
            where = f"{Path(hit['file']).name}:{hit['line']}"
            rows.add_row(f"{number}", *score, f"{hit['similarity']:.3f}", printable(shown), printable(where))
        console.print(rows)
        console.print()
    counted = {name: one for name, one in value["long"].items() if one}
    for name, one in counted.items():
        if one["summary"]:
            console.print(f"{_READ[name]}: {one['summary']}")
    if not any(one["summary"] for one in counted.values()):
        console.print(f"no text was longer than {counted['queries']['max_length']:,} tokens")
