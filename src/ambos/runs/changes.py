"""Whether a run that is resumed is still the one that was interrupted."""

from collections.abc import Mapping
from pathlib import Path

from ambos.errors import InputError
from ambos.files import write_file
from ambos.recipe import Settings, write_toml
from ambos.runs.folder import RECIPE
from ambos.runs.log import Watcher
from ambos.train.checkpoint import Checkpoint, Checkpoints


def newest_checkpoint(
    checkpoints: Checkpoints | None,
    prints: Mapping[str, str],
    recipe: Settings,
    folder: Path,
    watcher: Watcher,
    *,
    anyway: bool,
    leads: bool = True,
) -> Checkpoint | None:
    """Return the newest whole checkpoint, if it belongs to the run as it is now.

    With `anyway` a recipe that changed is written into the run's folder, by the process that `leads`.
    """
    found = checkpoints.load(watcher.note) if checkpoints else None
    if found is None:
        return None
    changed = refuse_changes(found.state["fingerprints"], prints, folder, watcher, anyway=anyway)
    if "recipe" in changed and leads:
        write_file(folder / RECIPE, write_toml(recipe).encode())
    return found


def refuse_changes(
    before: Mapping[str, str], prints: Mapping[str, str], folder: Path, watcher: Watcher, *, anyway: bool
) -> list[str]:
    """Raise `InputError` if data, tokenizer, base or recipe have other fingerprints than before.

    With `anyway` the changes are told to the watcher, and their names returned.
    """
    changed = [name for name in prints if before.get(name) != prints[name]]
    if changed and not anyway:
        raise InputError(
            f"the {' and the '.join(changed)} changed since the run was interrupted",
            expected="everything as it was: then the result is the same as without the interruption",
            fix="put it back, or pass --anyway to go on with the change",
            file=folder,
        )
    for name in changed:
        watcher.note(f"going on although the {name} changed")
    return changed
