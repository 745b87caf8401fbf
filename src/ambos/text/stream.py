"""Bytes to checked text: decompress, guard against bombs and binaries, decode, and cut at line ends."""

import codecs
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ambos.errors import InputError, UsageError
from ambos.text.sources import Source

MEBIBYTE = 1 << 20
_CHUNK = MEBIBYTE
# Running text shrinks 3 to 5 times, very repetitive logs perhaps 50 times.
_MAX_EXPANSION = 200
_EXPANSION_FROM = 64 * MEBIBYTE

_SIGNATURES = (
    (b"\x1f\x8b", "a gzip file", "add .gz to its name"),
    (b"\x28\xb5\x2f\xfd", "a zstd file", "add .zst to its name"),
    (b"PAR1", "a Parquet file", "rename it to .parquet"),
    (b"%PDF-", "a PDF", "convert it first: pdftotext FILE.pdf FILE.txt"),
    (b"PK\x03\x04", "a ZIP archive (also .docx, .xlsx, .epub)", "unpack it, or export it as plain text"),
    (b"\x89PNG", "a PNG picture", "leave it out"),
    (b"\xff\xd8\xff", "a JPEG picture", "leave it out"),
    (b"\x7fELF", "a program", "leave it out"),
)
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


def open_bytes(source: Source, advance: Advance | None = None) -> IO[bytes]:
    """Open a source as a stream of unpacked bytes; `advance(n)` is told of every n bytes read from disk."""
    try:
        raw = source.path.open("rb")
    except OSError as error:
        raise InputError(
            "cannot read this file",
            found=error.strerror or str(error),
            fix=f"check that you may read it: ls -l {source.path}",
            file=source.path,
        ) from error
    counted = _Counted(raw, advance)
    if source.compression is None:
        return io.BufferedReader(counted, _CHUNK)
    return io.BufferedReader(_Decompressed(counted, source), _CHUNK)


class _Counted(io.RawIOBase):
    """A raw file that reports how much of it was read."""

    def __init__(self, raw: IO[bytes], advance: Advance | None) -> None:
        self._raw = raw
        self._advance = advance
        self.consumed = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 (whatever can be written into)
        count: int = self._raw.readinto(buffer)  # type: ignore[attr-defined]
        self.consumed += count
        if self._advance and count:
            self._advance(count)
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Decompressed(io.RawIOBase):
    """A decompressing file that refuses damaged input and input that grows beyond reason."""

    def __init__(self, counted: _Counted, source: Source) -> None:
        import pyarrow  # noqa: PLC0415 (slow to import; plain files do without it)

        self._counted = counted
        self._stream = pyarrow.CompressedInputStream(counted, source.compression)
        self._path = source.path
        self._compression = source.compression
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
                fix=f"get the file again; test it with: {_tester(self._compression)} {self._path}",
                file=self._path,
                line=self._lines + 1,
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

    def close(self) -> None:
        self._counted.close()
        super().close()


def _tester(compression: str | None) -> str:
    return "gzip -t" if compression == "gzip" else "zstd -t"


def check_encoding(encoding: str) -> str:
    """Return the codec's canonical name, or raise `UsageError` if it is unknown or not ASCII-compatible."""
    try:
        name = codecs.lookup(encoding).name
        ascii_compatible = "\n".encode(name) == b"\n"
    except LookupError as error:
        raise UsageError(
            f"unknown encoding {encoding!r}", expected="utf-8, latin-1, cp1252, ...", fix="--encoding latin-1"
        ) from error
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
    carry = b""
    with open_bytes(source, advance) as stream:
        chunk = _check_start(source.path, stream.read(_CHUNK))
        while chunk:
            cut = chunk.rfind(b"\n") + 1
            if cut:
                block = carry + chunk[:cut]
                carry = chunk[cut:]
                yield line, _decode(block, source.path, line, encoding)
                line += block.count(b"\n")
            else:
                carry += chunk
            if len(carry) > limits.line_mb * MEBIBYTE:
                raise _long_line(source.path, line, limits)
            chunk = stream.read(_CHUNK)
        if carry:
            yield line, _decode(carry, source.path, line, encoding)


def _check_start(path: Path, chunk: bytes) -> bytes:
    for mark, name in _WIDE:
        if chunk.startswith(mark):
            raise _wide(path, name)
    for signature, what, fix in _SIGNATURES:
        if chunk.startswith(signature):
            raise InputError("not a text file", expected="text", found=what, fix=fix, file=path)
    start = chunk[:4096]
    if max(start[::2].count(0), start[1::2].count(0)) > len(start) // 4 and start.count(0) < len(start) * 0.6:
        raise _wide(path, "UTF-16")
    return chunk.removeprefix(codecs.BOM_UTF8)


def _wide(path: Path, name: str) -> InputError:
    return InputError(
        f"the text is {name}",
        expected="UTF-8 text",
        found=name,
        fix=f"iconv -f {name} -t UTF-8 {path} > {path.stem}.utf8{path.suffix}",
        file=path,
        line=1,
    )


def _decode(block: bytes, path: Path, line: int, encoding: str) -> str:
    nul = block.find(0)
    if nul >= 0:
        raise InputError(
            "a binary file, not text",
            expected="text",
            found="a NUL byte",
            fix="leave the file out, or clean it: tr -d '\\000' < FILE > CLEAN",
            file=path,
            line=line + block.count(b"\n", 0, nul),
        )
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
