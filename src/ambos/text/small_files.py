"""Small text and JSON files, read whole: bounded in size, and errors that name the file."""

import json
from pathlib import Path

from ambos.errors import InputError

MAX_BYTES = 200_000_000


def read_text(file: Path) -> str:
    """Read a text file with any line ends, within the size limit."""
    try:
        if file.exists() and not file.is_file():  # opening a pipe would wait for ever
            raise InputError("not a file", expected="a regular file", fix="fetch the file again", file=file)
        if file.stat().st_size > MAX_BYTES:
            found = f"{file.stat().st_size:,} bytes"
            raise InputError("too large", expected=f"at most {MAX_BYTES:,} bytes", found=found, file=file)
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            "not valid UTF-8", found=f"byte {error.start}: {error.reason}", fix="save it as UTF-8", file=file
        ) from error
    except OSError as error:
        raise InputError(
            "cannot be read",
            expected=f"{file.name} in the folder",
            found=error.strerror,
            fix="copy the file of the model there",
            file=file,
        ) from error


def read_json_object(file: Path) -> dict[str, object]:
    """Read a JSON object; a settings file that is not there is empty."""
    if not file.exists():
        return {}
    try:
        value = json.loads(read_text(file))
    except (ValueError, RecursionError) as error:
        raise InputError("not valid JSON", found=str(error), fix="fetch the file again", file=file) from error
    if not isinstance(value, dict):
        raise InputError(
            "not a JSON object",
            expected="{...}",
            found=type(value).__name__,
            fix="fetch the file again",
            file=file,
        )
    return value
