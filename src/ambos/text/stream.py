"""Bytes to checked text: decompress, guard against bombs and binaries, decode, and cut at line ends."""

import codecs
import io
import os
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ambos.errors import InputError, UsageError
from ambos.text.sources import Compression, Source, unreadable

MEBIBYTE = 1 << 20
_CHUNK = MEBIBYTE
# Running text shrinks 3 to 5 times, very repetitive logs perhaps 50 times.
_MAX_EXPANSION = 200
_EXPANSION_FROM = 16 * MEBIBYTE

_MAGIC = {"gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
_ZSTD_SKIPPABLE = b"\x2a\x4d\x18"  # the end of the four bytes with which pzstd's files begin
_SIGNATURES = (
    (_MAGIC["gzip"], "a gzip file", "add .gz to its name"),
    (_MAGIC["zstd"], "a zstd file", "add .zst to its name"),
    (b"PAR1", "a Parquet file", "rename it to .parquet"),
    (b"%PDF-", "a PDF", "convert it first: pdftotext FILE.pdf FILE.txt"),
    (b"PK\x03\x04", "a ZIP archive (also .docx, .xlsx, .epub)", "unpack it, or export it as plain text"),
    (b"\x89PNG", "a PNG picture", "leave it out"),
    (b"\xff\xd8\xff", "a JPEG picture", "leave it out"),
    (b"\x7fELF", "a program", "leave it out"),
)
_ASCII = b"\t\n" + bytes(range(32, 127))
_WIDE = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


@dataclass(frozen=True)
class Limits:
    """How large one line and one document may be before reading stops with an error, in MiB."""

    line_mb: int = 16
    document_mb: int = 64


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
        return io.BufferedReader(_Counted(source.path, advance), _CHUNK)
    _check_magic(source.path, source.compression)
    return io.BufferedReader(
        _Decompressed(_Counted(source.path, advance), source.path, source.compression), _CHUNK
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
                fix=f"get the file again; test it with: {_command(self._compression, '-t', self._path)}",
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
                while data := stream.read(min(_CHUNK, max(1, self._produced - read))):
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
    for magic, what, _ in _SIGNATURES:
        found = what if start.startswith(magic) else found
    raise InputError(
        f"not a {compression} file",
        expected=f"a whole {compression} file, since the name ends in {path.suffix}",
        found=found,
        fix=f"get the file again; if it is not packed, rename it to {path.stem}",
        file=path,
    )


def _command(compression: Compression, option: str, path: Path) -> str:
    return f"{compression} {option} {shlex.quote(str(path))}"


def check_encoding(encoding: str) -> str:
    """Return the codec's canonical name, or raise `UsageError` if it is unknown or not ASCII-compatible."""
    try:
        name = codecs.lookup(encoding).name.removesuffix("-sig")  # read_lines drops a mark in any case
        ascii_compatible = _ASCII.decode(name) == _ASCII.decode("ascii")
    except LookupError as error:
        raise UsageError(
            f"unknown encoding {encoding!r}", expected="utf-8, latin-1, cp1252, ...", fix="--encoding latin-1"
        ) from error
    except UnicodeError:
        ascii_compatible = False
    if not ascii_compatible:
        raise UsageError(
            f"the encoding {name} cannot be read directly",
            expected="an encoding in which plain letters are one byte: utf-8, latin-1, cp1252, ...",
            fix=f"convert first: iconv -f {name} -t utf-8 FILE > FILE.utf8.txt",
        )
    return name


def read_lines(
    source: Source,
    *,
    encoding: str = "utf-8",
    limits: Limits | None = None,
    advance: Advance | None = None,
) -> Iterator[tuple[int, str]]:
    r"""Yield (line number from 1, line without its end); `\r\n` ends a line as `\n` does, a BOM is dropped.

    Raises `InputError` with file and line for what is not text in `encoding`, for binary files and for lines
    beyond `limits.line_mb`. Holds one line, or one MiB, at a time.
    """
    for first, block in _blocks(source, encoding, limits or Limits(), advance):
        lines = block.split("\n")
        if block.endswith("\n"):
            lines.pop()
        yield from enumerate(lines, first)


def _blocks(
    source: Source, encoding: str, limits: Limits, advance: Advance | None
) -> Iterator[tuple[int, str]]:
    """Yield (number of the first line, text) blocks of whole lines."""
    line = 1
    carry: list[bytes] = []  # of a line that began in an earlier chunk
    held = 0
    with open_bytes(source, advance) as stream:
        chunk = _check_start(source, stream.read(_CHUNK))
        while chunk:
            _check_no_nul(chunk, source.path, line)
            cut = chunk.rfind(b"\n") + 1
            first = chunk.find(b"\n") if cut else len(chunk)
            if held + first > limits.line_mb * MEBIBYTE:
                raise _long_line(source.path, line, limits)
            if cut:
                block = b"".join([*carry, chunk[:cut]])
                yield line, _decode(block, source.path, line, encoding)
                line += block.count(b"\n")
                carry, held = [], 0
            carry.append(chunk[cut:])
            held += len(chunk) - cut
            chunk = stream.read(_CHUNK)
        if held:
            yield line, _decode(b"".join(carry), source.path, line, encoding)


def _check_start(source: Source, chunk: bytes) -> bytes:
    """Return the file's first bytes without a UTF-8 mark, or raise if they show that it is not such text."""
    for mark, name in _WIDE:
        if chunk.startswith(mark):
            raise _wide(source, name)
    for signature, what, fix in _SIGNATURES:
        if chunk.startswith(signature):
            raise InputError("not a text file", expected="text", found=what, fix=fix, file=source.path)
    start = chunk[:4096]
    even, odd = start[::2].count(0), start[1::2].count(0)
    if max(even, odd) > len(start) // 4 and even + odd < len(start) * 0.6:
        raise _wide(source, "UTF-16LE" if odd > even else "UTF-16BE")
    return chunk.removeprefix(codecs.BOM_UTF8)


def _wide(source: Source, name: str) -> InputError:
    path = source.path
    plain = Path(path.stem) if source.compression else path
    fix = f"iconv -f {name} -t UTF-8 {shlex.quote(str(path))}"
    if source.compression:
        fix = f"{_command(source.compression, '-dc', path)} | iconv -f {name} -t UTF-8"
    return InputError(
        f"the text is {name}",
        expected="UTF-8 text",
        found=name,
        fix=f"{fix} > {shlex.quote(f'{plain.stem}.utf8{plain.suffix}')}",
        file=path,
        line=1,
    )


def _check_no_nul(chunk: bytes, path: Path, line: int) -> None:
    nul = chunk.find(0)
    if nul >= 0:
        raise InputError(
            "a binary file, not text",
            expected="text",
            found="a NUL byte",
            fix="leave the file out, or clean it: tr -d '\\000' < FILE > CLEAN",
            file=path,
            line=line + chunk.count(b"\n", 0, nul),
        )


def _decode(block: bytes, path: Path, line: int, encoding: str) -> str:
    try:
        text = block.decode(encoding)
    except UnicodeDecodeError as error:
        bad = error.start
        column = bad - (block.rfind(b"\n", 0, bad) + 1)
        raise InputError(
            f"not valid {encoding.upper()}",
            expected=f"{encoding.upper()} text",
            found=f"byte 0x{block[bad]:02X} at byte {column + 1} of the line",
            fix=f"say what it is (--encoding latin-1), or convert it: iconv -f latin1 -t utf-8 {path}",
            file=path,
            line=line + block.count(b"\n", 0, bad),
        ) from error
    return text.replace("\r\n", "\n") if "\r" in text else text


def _long_line(path: Path, line: int, limits: Limits) -> InputError:
    return InputError(
        f"a line of more than {limits.line_mb} MiB",
        expected="paragraphs or records on lines of their own",
        found="no line end in all that text",
        fix="break the text into lines, or raise --max-line-mb if you have the memory",
        file=path,
        line=line,
    )
