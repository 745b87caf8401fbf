"""Begin a pretraining run from raw text, or go on with one that was interrupted."""

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ambos.bundle.bundle import Bundle
from ambos.errors import InputError
from ambos.files import fresh_folder, lock, refuse_inside
from ambos.recipe import load_recipe, read_toml, with_overrides
from ambos.runs.assemble import check_fit
from ambos.runs.choices import choose
from ambos.runs.folder import ENTRIES, RECIPE, RUN, begin_folder, read_run, refuse_other_run
from ambos.runs.log import Quiet, Watcher
from ambos.runs.prepare import make_store
from ambos.runs.pretrain import Job
from ambos.runs.settings import PretrainRecipe
from ambos.runs.shape import encoder_shape
from ambos.text.sources import Source
from ambos.text.store import TokenStore
from ambos.text.store_build import BuildProgress
from ambos.text.stream import ReadOptions
from ambos.text.tokenizer import Tokenizer
from ambos.train.team import Team, join


@dataclass(frozen=True)
class Texts:
    """What to read: files to train on, files to measure with (or none: some are kept back), and how."""

    train: Sequence[Source]
    heldout: Sequence[Source] = ()
    reading: ReadOptions = field(default_factory=ReadOptions)

    @property
    def files(self) -> list[Path]:
        """All files that are read."""
        return [source.path for source in (*self.train, *self.heldout)]


def pretrain(
    texts: Texts,
    out: Path,
    recipe: PretrainRecipe,
    *,
    tokenizer: Tokenizer | None = None,
    force: bool = False,
    watcher: Watcher | None = None,
    stage: Callable[[str], None] = lambda _: None,
    progress: Callable[[BuildProgress], None] = lambda _: None,
) -> bool:
    """Make a tokenizer, a token store and a model from text, in `out`; tell whether it was not interrupted.

    Examples
    --------
    >>> from ambos.runs.named import recipe_values
    >>> from ambos.text.sources import find_sources
    >>> recipe = load_recipe(
    ...     PretrainRecipe, [recipe_values("fast"), {"budget": {"minutes": 1}}]
    ... )  # doctest: +SKIP
    >>> pretrain(Texts(find_sources(["corpus/"])), Path("run"), recipe)  # doctest: +SKIP
    True
    """
    began, base = time.perf_counter(), recipe.base
    if base is None:
        check_fit(recipe, encoder_shape(recipe.model, recipe.tokenizer.vocab_size))
    with join() as team, _held(out, team):
        recipe = choose(recipe, team)
        with _begun(out, [*texts.files, *([base] if base else [])], team, force=force):
            if team.leads:
                if base is not None:
                    tokenizer = _tokenizer_of(base, recipe)
                _prepare(texts, out, recipe, tokenizer, stage, progress)
                begin_folder(out, recipe, base, texts.files)
                stage("")
            team.wait()
            spent = team.same(time.perf_counter() - began)
            return Job(out, recipe, base, team, _of(team, watcher), spent).run()


def _prepare(
    texts: Texts,
    out: Path,
    recipe: PretrainRecipe,
    tokenizer: Tokenizer | None,
    stage: Callable[[str], None],
    progress: Callable[[BuildProgress], None],
) -> None:
    """Make the token stores."""
    how = recipe.tokenizer
    store = make_store(
        texts.train, out / "store", tokenizer, how, texts.reading, stage=stage, progress=progress
    )
    if texts.heldout:
        stage("tokenising the held-out text")
        make_store(texts.heldout, out / "heldout", store.tokenizer, how, texts.reading)


def resume(
    folder: Path, *, overrides: Sequence[str] = (), anyway: bool = False, watcher: Watcher | None = None
) -> bool:
    """Go on with a run from its newest whole checkpoint; tell whether it came to its end."""
    about = read_run(folder)
    values = with_overrides(read_toml(folder / RECIPE), overrides)
    recipe = load_recipe(PretrainRecipe, [values], file=folder / RECIPE)
    with join() as team, _held(folder, team, stays=True):
        if team.leads:
            for name in ("store", "heldout"):
                if name == "store" or (folder / name).exists():
                    TokenStore(folder / name).verify()
            if not anyway:
                _refuse_changed_texts(about["texts"], folder)
        team.wait()
        spent = float(about.get("prepared", 0.0))
        job = Job(folder, recipe, recipe.base or about.get("base"), team, _of(team, watcher), spent)
        return job.run(resume=True, anyway=anyway)


@contextmanager
def _held(out: Path, team: Team, *, stays: bool = False) -> Iterator[None]:
    """Hold the folder for this run alone."""
    if not team.leads:
        yield
        return
    with lock(out, stays=stays):
        yield


def _is_unbegun(out: Path) -> bool:
    """Tell whether a folder holds nothing but what an interrupted preparation left: it can go on."""
    if not out.is_dir() or (out / "checkpoints").exists():
        return False
    left = {entry.name for entry in out.iterdir()}
    stores = {entry for name in ("store", "heldout") for entry in (name, f".{name}.partial", f".{name}.lock")}
    return bool(left) and left <= {*stores, RECIPE, f"{RECIPE}.tmp", f"{RUN}.tmp"}


@contextmanager
def _begun(out: Path, needed: Sequence[Path | str], team: Team, *, force: bool) -> Iterator[None]:
    """Give the run its folder: a new one, or that of a preparation that was interrupted.

    If something is wrong before the first checkpoint, it goes, and a run that it was to replace comes back;
    an interrupted preparation stays.
    """

    def worth() -> bool:
        return any(out.glob("checkpoints/step-*"))

    if not team.leads:
        yield
    elif _is_unbegun(out):
        try:
            yield
        except Exception:
            if not worth():
                shutil.rmtree(out, ignore_errors=True)
            raise
    else:
        refuse_other_run(out, entries=ENTRIES, force=force)
        refuse_inside(out, needed)
        with fresh_folder(out, worth=worth):
            yield


def _of(team: Team, watcher: Watcher | None) -> Watcher:
    """Return who looks on: one process tells what all do."""
    return watcher if watcher is not None and team.leads else Quiet()


def _tokenizer_of(base: str, recipe: PretrainRecipe) -> Tokenizer:
    bundle = Bundle.load(base)
    check_fit(recipe, bundle.config)
    if bundle.tokenizer is None:
        raise InputError(
            "the base has no tokenizer", expected="tokenizer files beside its weights", file=base
        )
    return bundle.tokenizer


def _refuse_changed_texts(texts: list[dict[str, Any]], folder: Path) -> None:
    """Raise `InputError` if a file that the store was made from is another one now."""
    for source in texts:
        path = Path(source["file"])
        if path.is_file() and (path.stat().st_size, path.stat().st_mtime_ns) != (
            source["bytes"],
            source["modified"],
        ):
            raise InputError(
                "the data changed since the run began",
                expected=f"{source['bytes']:,} bytes as they were",
                found=f"{path.stat().st_size:,} bytes, written later",
                fix=f"ambos resume {folder} --anyway goes on with the tokens as they were",
                file=path,
            )
