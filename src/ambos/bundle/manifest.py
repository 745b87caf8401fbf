"""ambos.json: what the other files of a bundle do not say, and their hashes."""

from pathlib import Path
from typing import Any

from ambos.bundle import sentence
from ambos.bundle.safe_files import is_plain_name, parse_object, read_whole
from ambos.errors import InputError
from ambos.files import sha256
from ambos.text.tokenizer import FILES

FILE = "ambos.json"
FORMAT = 1
ENTRIES = FILES | sentence.ENTRIES | {FILE, "config.json", "model.safetensors", "README.md"}
"""What a bundle may hold: `--force` replaces no folder that holds anything else."""
_MAX_BYTES = 10_000_000
_KINDS = {"task": str, "labels": list, "pair": str, "provenance": dict, "files": dict}


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read ambos.json; empty for a folder that ambos did not write."""
    file = folder / FILE
    if not file.exists():
        return {}
    manifest = parse_object(read_whole(file, _MAX_BYTES), file, part="the manifest")
    if manifest.get("format") != FORMAT:
        raise InputError(
            "this bundle has another format",
            expected=f"format {FORMAT}",
            found=f"format {manifest.get('format')!r}",
            fix="use the version of ambos that wrote it, or a newer one",
            file=file,
        )
    for key, kind in _KINDS.items():
        if not isinstance(manifest.get(key), kind):
            raise InputError(f"{key} is missing or of the wrong kind", expected=kind.__name__, file=file)
    return manifest


def verify(folder: Path) -> int:
    """Compare every file with the hash in ambos.json; return how many were compared."""
    files: dict[str, str] = read_manifest(folder).get("files", {})
    if not files:
        raise InputError(
            "there are no hashes to compare with",
            expected=f"{FILE} in the folder",
            fix=f"only models that ambos wrote carry {FILE}: use this one without --verify",
            file=folder,
        )
    for name, expected in files.items():
        found = _hash(folder, name)
        if found != expected:
            raise InputError(
                f"{name[:200]} is not the file that was written",
                expected=f"SHA-256 {str(expected)[:16]}...",
                found="no such file in the folder" if found is None else f"SHA-256 {found[:16]}...",
                fix="copy the bundle again",
                file=folder,
            )
    return len(files)


def _hash(folder: Path, name: str) -> str | None:
    """Return the SHA-256 of a file in the folder; None if there is none, or it cannot be read."""
    # By its name, not by where links lead: the hub's cache keeps files elsewhere and links to them.
    if not all(is_plain_name(part) for part in name.split("/")):
        return None
    try:
        return sha256(folder / name) if (folder / name).is_file() else None
    except OSError:
        return None
