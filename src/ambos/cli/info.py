"""`ambos info`: what a model is made of."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from ambos.cli.options import Json, ModelName, Quiet
from ambos.cli.screen import Screen, printable, size, table

if TYPE_CHECKING:
    from ambos.bundle.bundle import Bundle

_ROLES = ("unk", "cls", "sep", "pad", "mask")
_SHOWN, _LONGEST = 12, 200  # of names out of a file, and of each


def info(
    model: ModelName,
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare every file with its SHA-256 in ambos.json first.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show what a model is: shape, parameters part by part, tokenizer, labels, where it comes from, files.

    [bold]Example[/]  ambos info minilm
    """
    from ambos.bundle.bundle import Bundle  # noqa: PLC0415 (help must come without the work's imports)
    from ambos.bundle.manifest import verify as verify_files  # noqa: PLC0415
    from ambos.bundle.resolve import resolve  # noqa: PLC0415

    screen = Screen(json, quiet)
    compared = verify_files(resolve(model)) if verify else None
    bundle = Bundle.load(model)
    value = {"model": model, **_describe(bundle), "verified_files": compared}
    missing = value["tokenizer"]["ids_without_a_vector"] if value["tokenizer"] else 0
    if missing > 0:
        screen.note(
            f"note: the tokenizer has {missing:,} more ids than the model has vectors; texts that use them "
            "are refused"
        )
    screen.result(value, lambda console: _show(console, value))


def _describe(bundle: "Bundle") -> dict[str, Any]:
    from ambos.bundle.bundle import TASKS  # noqa: PLC0415
    from ambos.bundle.counting import count_parts  # noqa: PLC0415

    parts = count_parts(bundle.network)
    total = sum(parts.values())
    sentence = bundle.sentence and asdict(bundle.sentence)
    return {
        "folder": str(bundle.source),
        "family": bundle.family.model_type,
        "class": bundle.class_name,
        "task": bundle.task,
        "about": TASKS[bundle.task],
        "labels": list(bundle.labels),
        "pair": bundle.pair,
        "pairs": bundle.learnt.get("pairs"),
        "shape": {**asdict(bundle.config), "head_width": bundle.config.head_width},
        "parameters": {**parts, "total": total},
        "bytes": 4 * total,
        "tokenizer": _tokenizer(bundle),
        "sentence": sentence,
        "unused_tensors": list(bundle.unused),
        "provenance": bundle.provenance,
        "files": _files(bundle.source),
    }


def _tokenizer(bundle: "Bundle") -> dict[str, Any] | None:
    tokenizer = bundle.tokenizer
    if tokenizer is None:
        return None
    return {
        "kind": tokenizer.kind,
        "vocabulary": tokenizer.vocab_size,
        "ids_without_a_vector": max(0, tokenizer.vocab_size - bundle.config.vocab_size),
        "max_length": tokenizer.max_length,
        "special": {role: getattr(tokenizer.specials, role) for role in _ROLES},
    }


def _files(folder: Path | None) -> list[dict[str, Any]]:
    """List the files of a model's folder and of the folders right in it, hidden ones left out."""
    if folder is None:
        return []
    found = [*folder.glob("*"), *folder.glob("*/*")]
    names = {path: path.relative_to(folder).as_posix() for path in found if path.is_file()}
    return [
        {"path": name, "bytes": path.stat().st_size}
        for path, name in sorted(names.items(), key=lambda item: ("/" in item[1], item[1]))
        if not any(part.startswith(".") for part in name.split("/"))
    ]


def _show(console: Console, value: dict[str, Any]) -> None:
    rows = Table.grid(padding=(0, 2))
    for label, text in _lines(value):
        rows.add_row(f"[cyan]{label}[/]", printable(text))
    console.print(rows)
    parameters = table("parameters", "", right=("",))
    for part, count in value["parameters"].items():
        parameters.add_row(part, f"{count:,}", style="bold" if part == "total" else "")
    console.print()
    console.print(parameters)
    console.print(f"[dim]{size(value['bytes'])} of memory in 32-bit floats[/]\n")
    files = table("file", "size", right=("size",))
    for file in value["files"]:
        files.add_row(printable(file["path"]), size(file["bytes"]))
    console.print(files)
    if value["verified_files"] is not None:
        console.print(f"{value['verified_files']} files are as they were written (SHA-256)")


def _lines(value: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what is said about a model in words: (label, text)."""
    shape, tokenizer, sentence = value["shape"], value["tokenizer"], value["sentence"]
    layers = (
        f"{shape['depth']} layers, width {shape['width']:,}, {shape['heads']} heads of {shape['head_width']}"
        f", feed-forward {shape['inner_width']:,}{' gated' * shape['gated']} ({shape['activation']})"
    )
    reads = (
        f"up to {shape['context']:,} tokens, {shape['positions']} positions, "
        f"{shape['segments'] or 'no'} segment{'s' * (shape['segments'] != 1)}, {shape['vocab_size']:,} ids"
    )
    lines = [
        ("model", value["model"]),
        ("folder", value["folder"]),
        ("task", f"{value['task']}: {value['about']}"),
        ("family", f"{value['family']}, saved as {value['class']} of transformers"),
        ("shape", layers),
        ("reads", reads),
        (
            "norm",
            f"{'before (pre-norm)' if shape['norm_first'] else 'after (post-norm)'} each half of a layer",
        ),
    ]
    if shape["layers"] and len(set(shape["layers"])) < shape["depth"]:
        lines.append(("shared", f"{shape['depth']} layers share the weights of {len(set(shape['layers']))}"))
    if shape["local_layers"]:
        seen = (
            f"{len(shape['local_layers'])} of {shape['depth']} layers see {shape['window']} tokens each way"
        )
        lines.append(("local", seen))
    if shape["causal"]:
        lines.append(("causal", "a token sees only itself and what comes before"))
    if tokenizer is None:
        lines.append(("tokenizer", "none in the folder"))
    else:
        special = [f"{role} {token}" for role, token in tokenizer["special"].items() if token]
        lines.append(("tokenizer", f"{tokenizer['kind']}, {tokenizer['vocabulary']:,} ids"))
        lines.append(("special", " · ".join(special) or "no special tokens"))
    if sentence:
        scaled = "scaled to length 1" if sentence["normalize"] else "not scaled"
        limit = f"{sentence['max_length']:,} tokens" if sentence["max_length"] else "its context"
        lines.append(("embeds", f"by {sentence['pooling']} pooling, {scaled}, reading up to {limit}"))
    if value["pairs"]:
        how = "together, in one sequence" if value["pair"] == "joint" else "each by itself"
        lines.append(("pairs", f"texts of a pair are read {how} ({value['pair']})"))
    if value["labels"]:
        lines.append(("labels", _some(value["labels"])))
    if value["unused_tensors"]:
        lines.append(("unused", f"tensors of the file: {_some(value['unused_tensors'])}"))
    said = [_short(f"{key}: {text}") for key, text in value["provenance"].items()]
    return lines + list(zip(["from", *([""] * len(said))], said, strict=False))


def _some(names: list[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join([*map(_short, names[:_SHOWN]), *([f"and {more:,} more"] if more > 0 else [])])


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
