"""Bytes to checked text: decode, refuse what is not text, and cut at line ends."""

import codecs
import shlex
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ambos.errors import InputError, UsageError
from ambos.text.sources import Source
from ambos.text.unpack import CHUNK, MEBIBYTE, SIGNATURES, Advance, open_bytes, unpack_command

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


@dataclass(frozen=True)
class ReadOptions:
    """How files are turned into documents.

    Parameters
    ----------
    text_column
        The column (CSV, TSV, Parquet) or key (JSON lines) that holds the text.
    language_column
        The column that holds the language; `language` or `lang` are used when they are there.
    document
        In plain text, what a document is: paragraphs up to a blank line, or every line by itself.
    encoding, limits
        The encoding of text files, and how large a line and a document may be.
    """

    text_column: str = "text"
    language_column: str | None = None
    document: Literal["blank", "line"] = "blank"
    encoding: str = "utf-8"
    limits: Limits = field(default_factory=Limits)


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
    source: Source, options: ReadOptions | None = None, advance: Advance | None = None
) -> Generator[tuple[int, str], None, None]:
    r"""Yield (line number from 1, line without its end); `\r\n` ends a line as `\n` does, a BOM is dropped.

    Raises `InputError` with file and line for what is not text in the encoding, for binary files and for
    lines beyond the limit. Holds one line, or one MiB, at a time.
    """
    options = options or ReadOptions()
    for first, block in _blocks(source, options.encoding, options.limits, advance):
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
        chunk = _check_start(source, stream.read(CHUNK))
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
            chunk = stream.read(CHUNK)
        if held:
            yield line, _decode(b"".join(carry), source.path, line, encoding)


def _check_start(source: Source, chunk: bytes) -> bytes:
    """Return the file's first bytes without a UTF-8 mark, or raise if they show that it is not such text."""
    for mark, name in _WIDE:
        if chunk.startswith(mark):
            raise _wide(source, name)
    for signature, what, fix in SIGNATURES:
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
        fix = f"{unpack_command(source.compression, '-dc', path)} | iconv -f {name} -t UTF-8"
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
