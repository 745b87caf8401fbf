"""Whether a run that is resumed is still the one that was interrupted."""

from collections.abc import Mapping
from pathlib import Path

from ambos.errors import InputError
from ambos.runs.log import Watcher


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
