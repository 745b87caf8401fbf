"""The runs of a pair lab: which schemes it has, the recipe of each, whether a run on disk still has it."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from ambos.data.detect_columns import FURTHER
from ambos.errors import OutputError, UsageError
from ambos.files import lock, refuse_inside
from ambos.runs.choices import choose
from ambos.runs.finetune_folder import KEPT, fingerprints, recipe_of, refuse_run
from ambos.runs.finetune_settings import FinetuneRecipe
from ambos.runs.folder import RUN, read_run
from ambos.runs.pair_settings import PairSettings, Scheme
from ambos.runs.splits import Splits
from ambos.train.team import Team
from ambos.write_errors import output_errors

SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
_OF_DATA = {
    "data": "the --train, --dev and --test files",
    "base": "the files of the base",
    KEPT: "the rows of --train that are kept back",
}
_OF_NONE = {"positive": None, "grow_segments": False}  # what no scheme here makes something of
_OF_ORDER = {"scale": PairSettings().scale}  # what only cosines that are learnt by their order do
_SHOWN = 6  # settings that an error names


def choose_schemes(
    named: Sequence[Scheme] | None, recipe: FinetuneRecipe, *, by_error: bool, note: Callable[[str], None]
) -> list[Scheme]:
    """Return the schemes that are tried: those that were named, else all that the task has.

    Parameters
    ----------
    by_error
        Whether schemes are judged by an error, in the unit of the scores.
    note
        Told what was left out without being named.

    Raises
    ------
    UsageError
        If none is named, or one that the task does not have.
    """
    if named is not None and not named:
        raise UsageError(
            "no scheme is named",
            expected=f"some of {', '.join(SCHEMES)}, parted by commas",
            fix="--schemes joint,combined, or no --schemes for all",
        )
    why, instead = _without_embed(recipe, by_error=by_error)
    if not why or "embed" not in (named or SCHEMES):
        return list(named or SCHEMES)
    if named is not None:
        raise UsageError(
            f"embed cannot stand beside the other schemes here: {why}",
            expected=", ".join(scheme for scheme in SCHEMES if scheme != "embed"),
            found=", ".join(named),
            fix=instead,
        )
    note(f"embed is left out: {why}")
    return [scheme for scheme in SCHEMES if scheme != "embed"]


def _without_embed(recipe: FinetuneRecipe, *, by_error: bool) -> tuple[str, str]:
    """Return why `embed` cannot be compared with the others, and what to do; nothing if it can."""
    if recipe.task != "score":
        return (
            "it learns a cosine, and these pairs have labels",
            "leave it out of --schemes, or train it: ambos finetune pair --scheme embed --positive LABEL",
        )
    if recipe.pair.contrast == "in-batch":
        return (
            "it learns to find the other text of a pair among many, and is not measured by scores",
            "leave out pair.contrast=in-batch, or train it alone: ambos finetune pair --scheme embed",
        )
    if by_error:
        return (
            f"its cosines go from 0 to 1, so its {recipe.selection.metric} is not in the unit of the scores",
            "leave it out of --schemes, or judge by order: --set selection.metric=spearman",
        )
    return "", ""


def refuse_no_pairs(recipe: FinetuneRecipe) -> None:
    """Raise `UsageError` for what only some schemes read, or the baselines do not learn, or nobody reads."""
    further = [f"data.columns.{role}" for role in FURTHER if role in recipe.data.columns]
    if further:
        raise UsageError(
            "the lab compares ways of reading two texts, and more than two are read jointly alone",
            expected="two columns of texts",
            found=", ".join(further),
            fix="leave it out; ambos finetune pair --text-c COLUMN --scheme joint reads a third text",
        )
    if {"label", "score"} <= recipe.data.columns.keys():
        raise UsageError(
            "the lab compares what is learnt of one column, and a label and a score are named",
            expected="--label or --score",
            found=f"--label {recipe.data.columns['label']} --score {recipe.data.columns['score']}",
            fix="leave one of them out",
        )
    if recipe.search.space and not recipe.search.trials:
        raise UsageError(
            "there is a space to search, and no search",
            expected="a number of trials",
            found="search.space",
            fix="leave it out, or say how many settings to try: --set search.trials=10",
        )
    if recipe.several:
        raise UsageError(
            "the lab compares pairs that have one label each",
            expected="one label, or one score, for each pair",
            found="several = true",
            fix="leave it out; ambos finetune pair --several --scheme SCHEME trains one scheme at a time",
        )


def lab_recipes(
    folder: Path, recipe: FinetuneRecipe, schemes: Sequence[Scheme], *, force: bool
) -> dict[Scheme, FinetuneRecipe]:
    """Return the recipe of each scheme, which differ in nothing else.

    A precision that is not said is settled once for all of them: by the runs that are there, else by the
    machine.
    """
    if recipe.precision == "auto":
        there = [folder / scheme for scheme in SCHEMES if (folder / scheme / RUN).is_file() and not force]
        known = recipe_of(there[0]).precision if there else choose(recipe, Team()).precision
        recipe = recipe.model_copy(update={"precision": known})
    aside = _OF_NONE if recipe.pair.contrast == "order" else _OF_NONE | _OF_ORDER
    return {
        scheme: recipe.model_copy(
            update={
                "pair": recipe.pair.model_copy(update={"scheme": scheme, **aside}),
                "task": "embed" if scheme == "embed" else recipe.task,
            }
        )
        for scheme in schemes
    }


def refuse_other_runs(
    folder: Path, recipes: Mapping[Scheme, FinetuneRecipe], splits: Splits, *, force: bool
) -> None:
    """Raise `OutputError` if the folder cannot be that of a lab, or has runs of other settings or files.

    With `force` such runs are replaced, unless there is more in their folders than runs write, or something
    that the new ones are made from.
    """
    if folder.exists() and (not folder.is_dir() or (folder / RUN).is_file()):
        raise OutputError(
            "the lab cannot be written here",
            expected="a new folder, or that of a lab",
            found="a run" if folder.is_dir() else "a file",
            fix="choose another --out",
            file=folder,
        )
    if force:
        refuse_inside(folder, (*splits.files, *(recipe.base for recipe in recipes.values())))
    prints: dict[str, str] = {}
    for scheme, recipe in recipes.items():
        run = folder / scheme
        if force or not (run / RUN).is_file():
            refuse_run(run, force=force)
            continue
        prints = prints or fingerprints(recipe, splits)
        changed = differences(recipe_of(run), recipe) | _other_files(read_run(run), prints)
        if changed:
            names = list(changed)[:_SHOWN]
            raise OutputError(
                f"the run of {scheme} was made otherwise: {', '.join(names)}",
                expected="; ".join(f"{name} {changed[name][1]}" for name in names),
                found="; ".join(f"{name} {changed[name][0]}" for name in names),
                fix="another --out; or the settings and files as they were; or --force to train anew",
                file=run,
            )


def remove_runs(folder: Path, schemes: Sequence[Scheme]) -> None:
    """Remove the runs of some schemes, which `refuse_other_runs` has looked at, to make them anew."""
    for run in [folder / scheme for scheme in schemes if (folder / scheme).exists()]:
        with lock(run), output_errors(run):
            shutil.rmtree(run)


def differences(before: FinetuneRecipe, now: FinetuneRecipe) -> dict[str, tuple[str, str]]:
    """Return the settings that differ, by their dotted names: how they were, and how they are.

    Examples
    --------
    >>> recipe = FinetuneRecipe(task="classify", base="minilm")
    >>> differences(recipe, recipe.model_copy(update={"epochs": 2.0}))
    {'epochs': ('4.0', '2.0')}
    """
    old, new = (_flat(recipe.model_dump(mode="json")) for recipe in (before, now))
    return {
        name: (_shown(old.get(name)), _shown(new.get(name)))
        for name in (*new, *(name for name in old if name not in new))
        if old.get(name) != new.get(name)
    }


def _flat(values: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in values.items():
        found |= _flat(value, f"{before}{name}.") if isinstance(value, dict) else {before + name: value}
    return found


def _shown(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value)) or "none"
    return "not set" if value is None else str(value)


def _other_files(about: Mapping[str, Any], prints: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return which files are not those that a run was made with; of one that began, resuming looks itself."""
    before = about.get("fingerprints")
    if before is None and about.get("status") != "finished":
        return {}
    return {
        what: ("with other contents, or under other names" if before else "not known", "as they are now")
        for name, what in _OF_DATA.items()
        if (before or {}).get(name) != prints.get(name)
    }
