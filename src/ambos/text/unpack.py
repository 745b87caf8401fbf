"""Open a file as a stream of unpacked bytes: counted, checked, and guarded against compression bombs."""

import io
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from ambos.errors import InputError
from ambos.text.sources import Compression, Source, unreadable

MEBIBYTE = 1 << 20
CHUNK = MEBIBYTE
# Running text shrinks 3 to 5 times, very repetitive logs perhaps 50 times.
_MAX_EXPANSION = 200
_EXPANSION_FROM = 16 * MEBIBYTE

_MAGIC = {"gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
_ZSTD_SKIPPABLE = b"\x2a\x4d\x18"  # the end of the four bytes with which pzstd's files begin
SIGNATURES = (
    (_MAGIC["gzip"], "a gzip file", "add .gz to its name"),
    (_MAGIC["zstd"], "a zstd file", "add .zst to its name"),
    (b"PAR1", "a Parquet file", "rename it to .parquet"),
    (b"%PDF-", "a PDF", "convert it first: pdftotext FILE.pdf FILE.txt"),
    (b"PK\x03\x04", "a ZIP archive (also .docx, .xlsx, .epub)", "unpack it, or export it as plain text"),
    (b"\x89PNG", "a PNG picture", "leave it out"),
    (b"\xff\xd8\xff", "a JPEG picture", "leave it out"),
    (b"\x7fELF", "a program", "leave it out"),
)

Advance = Callable[[int], None]


def open_raw(path: Path) -> io.FileIO:
    """Open a file for reading, or raise `InputError` that says why not."""
    try:
        return io.FileIO(path)
    except OSError as error:
        raise unreadable(path, error) from error


def open_bytes(source: Source, advance: Advance | None = None) -> IO[bytes]:
    """Open a source as a stream of unpacked bytes; `advance(n)` is told of every n bytes read from disk."""
    if source.compression is None:
        return io.BufferedReader(_Counted(source.path, advance), CHUNK)
    _check_magic(source.path, source.compression)
    return io.BufferedReader(
        _Decompressed(_Counted(source.path, advance), source.path, source.compression), CHUNK
    )


class _Counted(io.RawIOBase):
    """A raw file that reports how much of it was read, and notices when its end comes too early."""

    def __init__(self, path: Path, advance: Advance | None) -> None:
        self._path = path
        self._raw = open_raw(path)
        self._size = os.fstat(self._raw.fileno()).st_size
        self._advance = advance
        self.consumed = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 (whatever can be written into)
        try:
            count = self._raw.readinto(buffer)
        except OSError as error:
            raise unreadable(self._path, error) from error
        if not count and self.consumed < self._size:
            raise InputError(
                "the file became shorter while it was read",
                expected=f"{self._size:,} bytes, as there were at first",
                found=f"{self.consumed:,} bytes",
                fix="wait until the file is whole and nothing writes to it, then run this again",
                file=self._path,
            )
        self.consumed += count
        if self._advance and count:
            self._advance(count)
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Decompressed(io.RawIOBase):
    """A decompressing file that refuses damaged input and input that grows beyond reason."""

    def __init__(self, counted: _Counted, path: Path, compression: Compression) -> None:
        self._counted = counted
        self._path = path
        self._compression = compression
        self._stream = _unpack(counted, compression)
        self._produced = 0
        self._lines = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 (whatever can be written into)
        try:
            data: bytes = self._stream.read(len(buffer))
        except OSError as error:
            raise InputError(
                f"damaged or truncated {self._compression} file",
                expected=f"a whole {self._compression} file",
                found=str(error),
                fix=f"get the file again; test it: {unpack_command(self._compression, '-t', self._path)}",
                file=self._path,
                line=self._line_of_damage(),
            ) from error
        self._produced += len(data)
        self._lines += data.count(b"\n")
        limit = max(_EXPANSION_FROM, _MAX_EXPANSION * self._counted.consumed)
        if self._produced > limit:
            raise InputError(
                "the file grows beyond reason when unpacked (a compression bomb?)",
                expected=f"at most {_MAX_EXPANSION} times its compressed size",
                found=f"{self._produced:,} bytes out of {self._counted.consumed:,}",
                fix="if you trust it, unpack it yourself and pass the unpacked file",
                file=self._path,
                line=self._lines + 1,
            )
        buffer[: len(data)] = data
        return len(data)

    def _line_of_damage(self) -> int | None:
        """Read again as far as it goes, at the end byte by byte: a read that fails gives nothing at all."""
        lines = read = 0
        with open_raw(self._path) as raw:
            stream = _unpack(raw, self._compression)
            try:
                while data := stream.read(min(CHUNK, max(1, self._produced - read))):
                    lines += data.count(b"\n")
                    read += len(data)
            except OSError:
                pass
        return lines + 1 if read else None

    def close(self) -> None:
        self._counted.close()
        super().close()


def _unpack(raw: io.RawIOBase, compression: Compression) -> Any:  # noqa: ANN401 (pyarrow has no types)
    import pyarrow  # noqa: PLC0415 (slow to import; plain files do without it)

    return pyarrow.CompressedInputStream(raw, compression)


def _check_magic(path: Path, compression: Compression) -> None:
    with open_raw(path) as raw:
        start = raw.read(4)
    if start.startswith(_MAGIC[compression]) or (compression == "zstd" and start.endswith(_ZSTD_SKIPPABLE)):
        return
    found = "other bytes, perhaps plain text" if start else "an empty file"
    for magic, what, _ in SIGNATURES:
        found = what if start.startswith(magic) else found
    raise InputError(
        f"not a {compression} file",
        expected=f"a whole {compression} file, since the name ends in {path.suffix}",
        found=found,
        fix=f"get the file again; if it is not packed, rename it to {path.stem}",
        file=path,
    )


def unpack_command(compression: Compression, option: str, path: Path) -> str:
    """Return a command line that tests (`-t`) or unpacks (`-dc`) a file."""
    return f"{compression} {option} {shlex.quote(str(path))}"
