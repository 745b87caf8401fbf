"""Writing that is whole or not at all: a hidden folder or file beside the target, fsync, one rename."""

import hashlib
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO

from ambos.errors import OutputError
from ambos.write_errors import output_errors


@contextmanager
def new_folder(out: Path, *, entries: Collection[str], force: bool = False) -> Iterator[Path]:
    """Give an empty working folder that becomes `out` if the block ends well, and vanishes if it does not.

    A process killed in the middle leaves only the hidden working folder, which the next run clears.

    Parameters
    ----------
    out
        The folder to make. It must not exist yet, unless it is empty or `force` is set.
    entries
        What such a folder may hold: `force` replaces no folder that holds anything else.
    force
        Replace a folder that is already there (the old one is moved away only when the new one is whole).
    """
    with output_errors(out), lock(out):
        refuse_existing(out, entries=entries, force=force)
        work = working_folder(out)
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        try:
            yield work
            publish(work, out)
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise


@contextmanager
def fresh_folder(out: Path, *, worth: Callable[[], bool]) -> Iterator[None]:
    """Give a folder `out` to fill step by step, with what stood there moved aside for the time of the block.

    If the block fails before `worth` says that there is something to keep, the new folder goes and the old
    one comes back. The caller holds `lock(out)`, and has asked whether `out` may be replaced.
    """
    old = _set_aside(out)
    with output_errors(out):
        _remove(old)
        if os.path.lexists(out) and not _is_empty_folder(out):
            out.rename(old)
        out.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException as error:
        if not worth() and (os.path.lexists(old) or isinstance(error, Exception)):
            _remove(out)
            _restore(out)
        raise
    finally:
        _remove(old)


def refuse_inside(out: Path, needed: Iterable[Path | str]) -> None:
    """Raise `OutputError` if `out`, which is to be replaced, holds what is needed to make it."""
    place = os.path.realpath(out)
    for path in map(Path, needed):
        if path.exists() and Path(os.path.realpath(path)).is_relative_to(place):
            raise OutputError(
                "the output would replace what it is made from",
                expected="another place than those that are read",
                found=f"{path}, in it" if os.path.realpath(path) != place else f"{path}",
                fix="choose another --out",
                file=out,
            )


@contextmanager
def new_file(out: Path, *, force: bool = False) -> Iterator[Path]:
    """Give an empty file to write, which becomes `out` if the block ends well, and vanishes if it does not.

    A process killed in the middle leaves only the hidden working file, which the next run writes anew.

    Parameters
    ----------
    out
        The file to make. It must not exist yet, unless `force` is set.
    force
        Replace a file that is already there, in one step, when the new one is whole. Never a folder.
    """
    with output_errors(out), lock(out):
        _refuse_existing_file(out, force=force)
        work = working_folder(out)
        _remove(work)
        work.touch(exist_ok=False)
        try:
            yield work
            sync(work)
            work.replace(out)
        except BaseException:
            _remove(work)
            raise
        sync(out.absolute().parent)


def _refuse_existing_file(out: Path, *, force: bool) -> None:
    """Raise `OutputError` if `out` exists and may not be replaced by a file."""
    if out.is_dir() or (out.exists() and not out.is_file()):
        raise OutputError(
            "the output is to be a file, and this is none",
            expected="the name of a file",
            found="a folder" if out.is_dir() else "a pipe or a device",
            fix="choose another --out",
            file=out,
        )
    if os.path.lexists(out) and not force:
        raise OutputError(
            "the output is already there",
            expected="the name of a new file",
            fix="choose another --out, or pass --force to replace it",
            file=out,
        )


def working_folder(out: Path) -> Path:
    """Return the hidden sibling in which `out` is put together (same file system: rename is atomic)."""
    out = Path(os.path.abspath(out))  # noqa: PTH100 (resolve() would follow a link at `out` itself)
    return out.parent / f".{out.name}.partial"


def refuse_existing(out: Path, *, entries: Collection[str], force: bool, instead: str = "") -> None:
    """Raise `OutputError` if `out` exists and may not be replaced; `instead` says what else could be done."""
    if not os.path.lexists(out) or _is_empty_folder(out):
        return
    others = sorted({entry.name for entry in out.iterdir()} - set(entries)) if out.is_dir() else [out.name]
    if force and others:
        raise OutputError(
            "--force replaces only what such a command wrote",
            expected=f"a folder with nothing but {', '.join(sorted(entries))} in it",
            found=", ".join(others[:8]) if out.is_dir() else "not a folder",
            fix="choose another --out, or remove it yourself if it is not needed",
            file=out,
        )
    if force:
        return
    raise OutputError(
        "the output is already there",
        expected="a new or empty folder" if out.is_dir() else "a folder, not a file",
        fix=f"{instead}choose another --out, or pass --force to replace it",
        file=out,
    )


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink() and not any(path.iterdir())


def publish(work: Path, out: Path) -> None:
    """Make the finished folder `work` appear as `out`, durably."""
    for folder, _, names in os.walk(work):
        for name in names:
            sync(Path(folder) / name)
        sync(Path(folder))
    old = _set_aside(out)
    _remove(old)
    if os.path.lexists(out) and not _is_empty_folder(out):  # renaming replaces an empty folder by itself
        out.rename(old)
    try:
        work.rename(out)
    except OSError:
        _restore(out)
        raise
    sync(out.absolute().parent)
    _remove(old)


def _set_aside(out: Path) -> Path:
    return working_folder(out).with_suffix(".old")


def _restore(out: Path) -> None:
    """Give back the old output that `publish` had moved aside when something stopped it before the end."""
    old = _set_aside(out)
    if os.path.lexists(old) and not os.path.lexists(out):
        old.rename(out)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def write_file(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Replace one file as a whole, durably: after a crash it holds old bytes or new ones, never a mix.

    Bytes may come in parts, so that they need not all be in memory. Processes that replace it at the same
    time do so one after the other.
    """
    temporary = path.with_name(path.name + ".tmp")
    with _alone(temporary) as file:
        try:
            file.truncate(0)  # what a killed process left
            file.writelines([data] if isinstance(data, bytes) else data)
            file.flush()
            os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    sync(path.absolute().parent)


@contextmanager
def _alone(path: Path) -> Iterator[BinaryIO]:
    """Open a file for appending that no other process writes as long as the block runs; wait for it."""
    import fcntl  # noqa: PLC0415 (as in `lock`)

    while True:
        with path.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            # Whoever held it has renamed or removed it: then the lock is on what has another name by now.
            if _is_at(path, file):
                yield file
                return


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
def lock(out: Path, *, stays: bool = False) -> Iterator[None]:
    """Hold `out` for this process alone. The system lets go of it however the process ends.

    Parameters
    ----------
    stays
        What is there is gone on with, not replaced: then one may stand in it.
    """
    import fcntl  # noqa: PLC0415 (POSIX; imported late so that reading works everywhere)

    if not stays:
        _refuse_current(out)
    path = working_folder(out).with_suffix(".lock")
    with _folders_above(out), _opened(path, out) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The holder unlinks the file as it leaves: what was opened just before is a lock on nothing.
            held = _is_at(path, file)
        except BlockingIOError:
            held = False
        if not held:
            raise OutputError(
                "another ambos process is writing this output",
                expected="one process at a time",
                fix="wait for it to end, or choose another --out",
                file=out,
            )
        try:
            _restore(out)
            yield
        finally:
            path.unlink(missing_ok=True)


def _is_at(path: Path, file: IO[Any]) -> bool:
    """Tell whether a path still leads to an open file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _opened(path: Path, out: Path) -> TextIO:
    with output_errors(out):
        return path.open("w")


def _refuse_current(out: Path) -> None:
    """Raise `OutputError` if `out` is the folder one is in, or holds it."""
    if Path.cwd().is_relative_to(os.path.realpath(out)):
        raise OutputError(
            "the output would replace the folder you are in",
            expected="a new folder",
            fix="choose another --out, such as --out result",
            file=out,
        )


@contextmanager
def _folders_above(out: Path) -> Iterator[None]:
    """Make the folders that `out` shall be in; those that are still empty at the end go again."""
    above = working_folder(out).parents
    missing = [folder for folder in above if not os.path.lexists(folder)]
    nearest = above[len(missing)]
    if not nearest.is_dir():
        raise OutputError(
            "cannot write here",
            expected="a folder where new files may be made",
            found=f"{nearest} is not a folder",
            fix="choose another place with --out",
            file=out,
        )
    try:
        with output_errors(out):
            above[0].mkdir(parents=True, exist_ok=True)
        yield
    finally:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()
