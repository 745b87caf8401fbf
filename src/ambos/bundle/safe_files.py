"""Files of strangers: opened only if regular, named if of a foreign kind, their JSON read however hostile."""

import io
import json
import os
import re
import reprlib
import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import NamedTuple, NoReturn

from ambos.errors import InputError

AGAIN = "fetch the file again"
CONVERT = (
    "look for a revision with model.safetensors; or convert with transformers, at the publisher's or in a "
    "place you trust: AutoModel.from_pretrained(d).save_pretrained(new)"
)
_PICKLE = "is a pickle, and opening a pickle can run code"
_BEGINNINGS = [
    (rb"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20", "is a pickle, such as older torch.save writes", CONVERT),
    (rb"\x80[\x00-\x05]", _PICKLE, CONVERT),
    (rb"PK\x03\x04", "is a zip archive, such as torch.save writes", CONVERT),
    (rb"\x89HDF", "is an HDF5 file, such as Keras writes", CONVERT),
    (rb"GGUF", "is a GGUF file", CONVERT),
    (rb"\x1f\x8b", "is a gzip archive", "unpack it with gunzip and see what is inside"),
    (
        rb"version https://git-lfs\.github\.com/spec",
        "is a git-lfs pointer, not the file itself",
        "git lfs pull, in that folder",
    ),
    (rb"\s*<(?i:!doctype|html|\?xml)", "is a web page", "fetch the file itself, not its page"),
    # Pickles of protocols 0 and 1 bear no mark; they begin with a name to import or with a first value.
    (rb"\(*(?:[ci][\w.]+\n[\w.]+\n|[dlt](?:p\d+\n|[(.])|[\]})][q(.])", _PICKLE, CONVERT),
    (rb"\(*(?:[SV]['\"]|V[^\n]*\np\d|[IFL][\d.-]+L?\n)", _PICKLE, CONVERT),
]


class _Short(reprlib.Repr):
    def repr_dict(self, x: dict[object, object], level: int) -> str:  # noqa: ARG002
        return "{...}" if x else "{}"  # the library would sort the keys, of which there may be millions


_SHORT = _Short()
_SHORT.maxstring = 120


def short(value: object) -> str:
    """Return a value out of a file as one short, printable line."""
    return _SHORT.repr(value)


def refusal(what: str, path: Path, *, expected: str, found: str, fix: str = AGAIN) -> InputError:
    """Return the error for a file that cannot be used."""
    return InputError(what, expected=expected, found=found, fix=fix, file=path)


def is_plain_name(name: str) -> bool:
    """Whether a name out of a file names something right beside that file, on any system."""
    kinds = (PurePosixPath, PureWindowsPath)
    return name.isprintable() and name not in {"", ".."} and all(kind(name).name == name for kind in kinds)


@contextmanager
def open_regular(path: Path) -> Iterator[io.FileIO]:
    """Open a file for reading, without waiting for a pipe or waking a device; raises `InputError`."""
    try:
        _refuse_irregular(path.stat().st_mode, path)
        # A pipe may take its place after that look: opening does not block, and another look follows.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with io.FileIO(os.open(path, flags)) as file:
            _refuse_irregular(os.fstat(file.fileno()).st_mode, path)
            yield file
    except OSError as error:
        dangling = isinstance(error, FileNotFoundError) and path.is_symlink()
        raise refusal(
            "is a link to a file that is not there" if dangling else "cannot be read",
            path,
            expected="a file that may be read",
            found=error.strerror or str(error),
            fix=f"make it readable, or {AGAIN}",
        ) from error


def read_whole(path: Path, limit: int) -> bytearray:
    """Read a small file, of at most `limit` bytes."""
    with open_regular(path) as file:
        size = stamp(file).size
        if size > limit:
            raise refusal("is too large", path, expected=f"at most {limit:,} bytes", found=f"{size:,} bytes")
        data = bytearray(size)
        read_exactly(file, memoryview(data), path)
    return data


def _refuse_irregular(mode: int, path: Path) -> None:
    if not stat.S_ISREG(mode):
        found = "a folder" if stat.S_ISDIR(mode) else "a pipe, a socket or a device"
        raise refusal("is not a file", path, expected="a regular file", found=found)


class Stamp(NamedTuple):
    """What differs once a file was replaced or written to."""

    device: int
    node: int
    size: int
    time: int


def stamp(file: io.FileIO) -> Stamp:
    """Return the stamp of an open file."""
    status = os.fstat(file.fileno())
    return Stamp(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def changed(path: Path) -> InputError:
    """Return the error for a file that is no longer what it was when it was checked."""
    return refusal(
        "has changed since it was opened",
        path,
        expected="a file that stays as it is while it is read",
        found="another size, time or file",
        fix="try again when nothing writes to that folder any more",
    )


def read_exactly(file: io.FileIO, buffer: memoryview, path: Path) -> None:
    """Fill a buffer from where the file stands; the system may hand out less than was asked for at a time."""
    while len(buffer):
        count = file.readinto(buffer)
        if not count:
            raise changed(path)
        buffer = buffer[count:]


def refuse_foreign(start: bytes, path: Path, *, expected: str) -> None:
    """Raise `InputError` if a file begins as one of another well-known kind does."""
    for pattern, what, fix in _BEGINNINGS:
        if re.match(pattern, start):
            raise refusal(what, path, expected=expected, found=f"it begins {start[:12]!r}", fix=fix)


def parse_object(data: bytes | bytearray, path: Path, *, part: str) -> dict[str, object]:
    """Read a JSON object in which no key comes twice; `part` names it in errors, as "the header".

    Raises
    ------
    InputError
        For whatever is not such an object; no other exception leaves this function.
    """
    try:
        value = json.loads(
            data.decode(), object_pairs_hook=_unique, parse_int=_number, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError) as error:
        raise refusal(
            f"{part} is not valid JSON",
            path,
            expected="a JSON object in UTF-8, each key once",
            found="brackets hundreds deep" if isinstance(error, RecursionError) else str(error),
        ) from error
    if not isinstance(value, dict):
        raise refusal(f"{part} is not a JSON object", path, expected="{...}", found=short(value))
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {short(twice)} more than once")
    texts = (value for value in fields.values() if isinstance(value, str))
    "".join((*fields, *texts)).encode()  # half a surrogate pair, written as an escape, is no text
    return fields


def _number(digits: str) -> int:
    if len(digits) > 20:  # beyond 64 bits; thousands of digits would also take their time
        raise ValueError(f"a number of {len(digits):,} digits")
    return int(digits)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name}, which is not JSON")
