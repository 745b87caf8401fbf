"""The operating system's refusals while something is written, in words that say what to do."""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ambos.errors import AmbosError, OutputError

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT}
_NOT_ALLOWED = {
    errno.EACCES,
    errno.EBUSY,
    errno.EEXIST,
    errno.EINVAL,
    errno.EISDIR,
    errno.ELOOP,
    errno.ENAMETOOLONG,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.ENOTEMPTY,
    errno.EPERM,
    errno.EROFS,
}
_RUST_SYSTEM_ERROR = re.compile(r"\(os error (\d+)\)")


@contextmanager
def output_errors(target: Path, *, instead: str = "choose another place with --out") -> Iterator[None]:
    """Turn the operating system's refusals while writing `target` into `OutputError`.

    `instead` is what the user can do about it, for outputs that are not named by `--out`.
    """
    try:
        yield
    except AmbosError:
        raise
    except Exception as error:
        number = _system_error(error)
        reason = os.strerror(number or 0)
        if number in _NO_SPACE:
            raise OutputError(
                "the disk is full; nothing was left half-written",
                expected="room for the whole output",
                found=reason,
                fix=f"free some space, or {instead}",
                file=target,
            ) from error
        if number == errno.EFBIG:
            raise OutputError(
                "a file would be larger than is allowed here; nothing was left half-written",
                expected="room for the whole output",
                found=reason,
                fix=f"raise the limit of file sizes (ulimit -f), or {instead}",
                file=target,
            ) from error
        if number in _NOT_ALLOWED:
            raise OutputError(
                "cannot write here",
                expected="a folder where new files may be made",
                found=reason,
                fix=instead,
                file=target,
            ) from error
        raise


def _system_error(error: Exception) -> int | None:
    """Return the number of a system error; libraries written in Rust carry it in the text of a plain one."""
    if isinstance(error, OSError):
        return error.errno
    match = _RUST_SYSTEM_ERROR.search(str(error))
    return int(match[1]) if match else None
