"""The folder of a fine-tuning run: how it begins, its recipe, and what tells whether it is still the same."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ambos.bundle.bundle import Bundle
from ambos.bundle.resolve import resolve
from ambos.files import fresh_folder, lock, refuse_inside, sha256
from ambos.recipe import load_recipe, read_toml, with_overrides, write_toml
from ambos.runs.finetune_settings import TRIED, FinetuneRecipe
from ambos.runs.folder import FINETUNED, LEFT, MEMBER, RECIPE, begin_folder, refuse_other_run
from ambos.runs.splits import Splits
from ambos.write_errors import output_errors

KEPT = "rows kept back"  # the fingerprint of those that a run has instead of dev rows
_READ = {".safetensors", ".json", ".txt", ".model"}  # what a model is made of


@contextmanager
def place_for(out: Path, recipe: FinetuneRecipe, *, force: bool) -> Iterator[Bundle]:
    """Hold the place of a new run for the time of the block, and give the base, as it is.

    What can be wrong with either is said here, before rows are read, which may take long.
    """
    with lock(out):
        refuse_run(out, force=force)
        yield Bundle.load(recipe.base)


@contextmanager
def new_run(out: Path, recipe: FinetuneRecipe, splits: Splits, *, kind: str) -> Iterator[None]:
    """Make a run folder in the place that is held for it, with recipe and run.json in it.

    If the block fails before there is anything to resume or to use, the folder goes, and one that it was to
    replace comes back.
    """

    def worth() -> bool:
        return any(found for name in ("step-*", "bundle") for found in out.glob(f"**/{name}"))

    refuse_inside(out, (recipe.base, *splits.files))
    with fresh_folder(out, worth=worth):
        with output_errors(out):
            begin_folder(out, recipe, recipe.base, [Path(name) for name in splits.files], kind=kind)
        yield


def refuse_run(out: Path, *, force: bool) -> None:
    """Raise `OutputError` if there is something that a new run may not replace."""
    there = {path.name for path in out.iterdir()} if out.is_dir() else set()
    ours = {name for name in there if MEMBER.fullmatch(name) or LEFT.fullmatch(name)}
    refuse_other_run(out, entries=FINETUNED | ours, force=force)


def recipe_of(folder: Path, overrides: Sequence[str] = ()) -> FinetuneRecipe:
    """Read the recipe of a run, and lay changes such as `epochs=5` over it."""
    values = with_overrides(read_toml(folder / RECIPE), overrides)
    return load_recipe(FinetuneRecipe, [values], file=folder / RECIPE, context=TRIED)


def fingerprints(recipe: FinetuneRecipe, splits: Splits) -> dict[str, str]:
    """Return what tells whether a run is still the one that was interrupted."""
    data = "".join(f"{name} {sha256(Path(name))}\n" for name in sorted(splits.files))
    base = resolve(recipe.base)
    files = sorted(path for path in base.rglob("*") if path.suffix in _READ)
    found = {
        "recipe": hashlib.sha256(write_toml(recipe).encode()).hexdigest(),
        "data": hashlib.sha256(data.encode()).hexdigest(),
        "base": hashlib.sha256("".join(map(sha256, files)).encode()).hexdigest(),
    }
    if splits.kept_back:  # a run must not learn from what another release chose its weights by
        rows = "".join(f"{row.file} {row.line} {getattr(row, 'id', None)}\n" for row in splits.dev.rows)
        found[KEPT] = hashlib.sha256(rows.encode("utf-8", "surrogatepass")).hexdigest()
    return found
