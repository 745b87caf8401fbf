"""`ambos sample`: text and labelled sets to try things on."""

from itertools import groupby
from typing import Annotated

import typer
from rich.console import Console

from ambos.cli.options import Force, Json, Out, Quiet
from ambos.cli.screen import Screen, printable, size, table


def sample(
    out: Out,
    seed: Annotated[int, typer.Option(help="The same seed gives the same files.")] = 0,
    corpus_mb: Annotated[
        float, typer.Option("--corpus-mb", min=0.1, max=1000, help="Size of the running text, in MB.")
    ] = 5.0,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a bilingual (pt, en) corpus and labelled sets, made by grammars.

    Sentiment, topic, paraphrase, entailment, entities, parts of speech, questions, senses, agreement.

    Each set has train, dev and test parts that share nothing.

    [bold]Example[/]  ambos sample --out sample --seed 7
    """
    from ambos.files import new_folder  # noqa: PLC0415 (help must come without the work's imports)
    from ambos.sample import ENTRIES, write_sample  # noqa: PLC0415

    screen = Screen(json, quiet)
    with new_folder(out, entries=ENTRIES, force=force) as work, screen.progress() as progress:
        task = progress.add_task("writing", total=None)

        def tell(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        summary = write_sample(work, seed=seed, corpus_mb=corpus_mb, progress=tell)

    def show(console: Console) -> None:
        folders = table("folder", "rows", "size", "what", right=("size",))
        for folder, inside in groupby(summary.files, key=lambda file: file.path.rpartition("/")[0]):
            files = list(inside)
            if folder:
                names = [file.path.rpartition("/")[2].partition(".")[0] for file in files]
                rows = " · ".join(f"{name} {file.rows:,}" for name, file in zip(names, files, strict=True))
                folders.add_row(folder, rows, size(sum(file.bytes for file in files)), files[0].description)
        console.print(folders)
        console.print(f"\nNext: [cyan]ambos tokenizer train {printable(str(out))}/corpus --out tokenizer[/]")

    screen.result(
        {
            "out": str(out),
            "seed": seed,
            "files": [
                {"path": file.path, "rows": file.rows, "bytes": file.bytes, "description": file.description}
                for file in summary.files
            ],
        },
        show,
    )
