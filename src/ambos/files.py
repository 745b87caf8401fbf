"""Writing that is whole or not at all: a hidden working folder beside the target, fsync, one rename."""

import errno
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ambos.errors import OutputError

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.ENOENT, errno.ENAMETOOLONG}


@contextmanager
def output_errors(target: Path) -> Iterator[None]:
    """Turn the operating system's refusals while writing `target` into `OutputError`."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in _NO_SPACE:
            raise OutputError(
                "the disk is full; nothing was left half-written",
                found=reason,
                fix="free some space, or choose another place with --out",
                file=target,
            ) from error
        if error.errno in _NOT_ALLOWED:
            raise OutputError(
                "cannot write here",
                expected="a folder where new files may be made",
                found=reason,
                fix="choose another place with --out",
                file=target,
            ) from error
        raise


@contextmanager
def new_folder(out: Path, *, force: bool = False) -> Iterator[Path]:
    """Give an empty working folder that becomes `out` if the block ends well, and vanishes if it does not.

    A process killed in the middle leaves only the hidden working folder, which the next run clears.

    Parameters
    ----------
    out
        The folder to make. It must not exist yet, unless it is empty or `force` is set.
    force
        Replace a folder that is already there (the old one is moved away only when the new one is whole).
    """
    refuse_existing(out, force=force)
    work = working_folder(out)
    with output_errors(out), lock(out):
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        try:
            yield work
            publish(work, out)
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise


def working_folder(out: Path) -> Path:
    """Return the hidden sibling in which `out` is put together (same file system: rename is atomic)."""
    out = Path(os.path.abspath(out))  # noqa: PTH100 (resolve() would follow a link at `out` itself)
    return out.parent / f".{out.name}.partial"


def refuse_existing(out: Path, *, force: bool) -> None:
    """Raise `OutputError` if `out` exists and may not be replaced."""
    if force or not out.exists():
        return
    if out.is_dir() and not any(out.iterdir()):
        return
    raise OutputError(
        "the output is already there",
        expected="a new or empty folder" if out.is_dir() else "a folder, not a file",
        fix="choose another --out, or pass --force to replace it",
        file=out,
    )


def publish(work: Path, out: Path) -> None:
    """Make the finished folder `work` appear as `out`, durably."""
    for folder, _, names in os.walk(work):
        for name in names:
            sync(Path(folder) / name)
        sync(Path(folder))
    old = work.with_suffix(".old")
    shutil.rmtree(old, ignore_errors=True)
    if out.is_dir() and not any(out.iterdir()):
        out.rmdir()
    elif out.exists():
        out.rename(old)
    work.rename(out)
    sync(out.parent)
    if old.is_dir():
        shutil.rmtree(old, ignore_errors=True)
    else:
        old.unlink(missing_ok=True)


def write_file(path: Path, data: bytes) -> None:
    """Replace one file as a whole: after a crash it holds the old bytes or the new ones, never a mix."""
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def sync(path: Path) -> None:
    """Force a file's bytes, or a folder's entries, onto the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def lock(out: Path) -> Iterator[None]:
    """Hold `out` for this process alone. The system lets go of it however the process ends."""
    import fcntl  # noqa: PLC0415 (POSIX; imported late so that reading works everywhere)

    out.absolute().parent.mkdir(parents=True, exist_ok=True)
    path = working_folder(out).with_suffix(".lock")
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The holder unlinks the file as it leaves: what was opened just before is a lock on nothing.
            held = path.exists() and path.stat().st_ino == os.fstat(file.fileno()).st_ino
        except BlockingIOError:
            held = False
        if not held:
            raise OutputError(
                "another ambos process is writing this output",
                fix="wait for it to end, or choose another --out",
                file=out,
            )
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
