"""Which files to read: turn what a user typed (files, folders, globs, `pt=PATH`) into a list of sources."""

import glob
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ambos.errors import InputError, UsageError
from ambos.suggest import did_you_mean

Format = Literal["txt", "jsonl", "csv", "tsv", "parquet"]
Compression = Literal["gzip", "zstd"]

UNKNOWN_LANGUAGE = "und"  # BCP 47: undetermined

_FORMATS: dict[str, Format] = {
    ".txt": "txt",
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
}
_COMPRESSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd"}
_READABLE = "a .txt, .jsonl, .csv, .tsv or .parquet file, plain or with .gz or .zst after it"
_PREFIX = re.compile(r"([A-Za-z]{2,3}(?:-[A-Za-z0-9]+)*)=(.+)", re.DOTALL)
_NAMED_LANGUAGE = re.compile(r"(?:^|[._-])(pt|en)(?=$|[._-])", re.IGNORECASE)


@dataclass(frozen=True)
class Source:
    """One file to read: its layout, its compression and the language its documents are taken to be in."""

    path: Path
    format: Format
    compression: Compression | None
    language: str

    @property
    def bytes(self) -> int:
        """Size on disk (compressed, where it is)."""
        return self.path.stat().st_size


def find_sources(texts: Sequence[str], *, language: str | None = None) -> list[Source]:
    """Resolve command-line texts into files, in a fixed order, each file once.

    Each text is a file, a folder (searched to the bottom, in sorted order) or a glob. `pt=PATH` says that the
    documents are Portuguese; without it the language is `language`, else what the file's or its folder's name
    says (`raw_pt/`, `corpus.en.txt`), else `und`.

    Examples
    --------
    >>> find_sources(["pt=notes/"])  # doctest: +SKIP
    [Source(path=PosixPath('notes/a.txt'), format='txt', compression=None, language='pt')]
    """
    found: dict[Path, Source] = {}
    for text in texts:
        given, pattern = _language_prefix(text)
        for path in _expand(pattern):
            file_language = given or language or _language_in_name(path) or UNKNOWN_LANGUAGE
            format_, compression = _layout(path)
            found.setdefault(path.resolve(), Source(path, format_, compression, file_language))
    return list(found.values())


def _language_prefix(text: str) -> tuple[str | None, str]:
    match = _PREFIX.fullmatch(text)
    if match is None or Path(text).exists():
        return None, text
    return match[1].lower(), match[2]


def _language_in_name(path: Path) -> str | None:
    for name in (path.name, path.absolute().parent.name):
        match = _NAMED_LANGUAGE.search(name)
        if match:
            return match[1].lower()
    return None


def _expand(pattern: str) -> Iterable[Path]:
    path = Path(pattern)
    if path.is_dir():
        return _files_below(path)
    if path.exists():
        if not path.is_file():
            raise InputError("not a regular file", expected=_READABLE, file=path)
        return [path]
    if glob.has_magic(pattern):
        matches = [Path(match) for match in sorted(glob.glob(pattern, recursive=True))]  # noqa: PTH207
        files = [file for match in matches if not match.is_dir() for file in [match] if _layout_or_none(file)]
        if not files:
            raise InputError("the pattern matches no readable file", expected=_READABLE, file=pattern)
        return files
    raise _missing(path)


def _missing(path: Path) -> InputError:
    parent = path.absolute().parent
    if not parent.is_dir():
        return InputError("no such file or folder", fix=f"there is no folder {parent} either", file=path)
    near = did_you_mean(path.name, (entry.name for entry in parent.iterdir()))
    return InputError("no such file or folder", fix=near or f"look what there is: ls {parent}", file=path)


def _files_below(folder: Path) -> list[Path]:
    below = (entry for entry in folder.rglob("*") if entry.is_file())
    seen = [
        entry for entry in below if not any(part.startswith(".") for part in entry.relative_to(folder).parts)
    ]
    files = sorted((entry for entry in seen if _layout_or_none(entry)), key=lambda entry: entry.as_posix())
    if files:
        return files
    endings = sorted({entry.suffix or "(no ending)" for entry in seen})
    raise InputError(
        "the folder has no text in it",
        expected=_READABLE,
        found=f"{len(seen)} other files: {', '.join(endings[:8])}" if seen else "no files",
        file=folder,
    )


def _layout_or_none(path: Path) -> tuple[Format, Compression | None] | None:
    compression = _COMPRESSIONS.get(path.suffix.lower())
    suffix = Path(path.stem).suffix if compression else path.suffix
    format_ = _FORMATS.get(suffix.lower())
    return None if format_ is None else (format_, compression)


def _layout(path: Path) -> tuple[Format, Compression | None]:
    layout = _layout_or_none(path)
    if layout is None:
        raise InputError(
            "do not know how to read this kind of file",
            expected=_READABLE,
            found=f"the ending {path.suffix!r}" if path.suffix else "no ending",
            fix="rename it if it is one of these, or convert it",
            file=path,
        )
    return layout


def check_language(code: str) -> str:
    """Return a language code in lower case, or raise `UsageError` if it is not one."""
    if not _PREFIX.fullmatch(f"{code}=x"):
        raise UsageError(
            f"{code!r} is not a language code", expected="a code such as pt, en or pt-BR", fix="--language pt"
        )
    return code.lower()
