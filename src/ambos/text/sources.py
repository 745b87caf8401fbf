"""Which files to read: turn what a user typed (files, folders, globs, `pt=PATH`) into a list of sources."""

import glob
import os
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ambos.errors import InputError, UsageError
from ambos.suggest import did_you_mean

Format = Literal["txt", "jsonl", "csv", "tsv", "parquet", "conll", "json"]
Compression = Literal["gzip", "zstd"]

UNKNOWN_LANGUAGE = "und"  # BCP 47: undetermined
CORPUS: tuple[Format, ...] = ("txt", "jsonl", "csv", "tsv", "parquet")  # the others hold labelled data alone

_FORMATS: dict[str, Format] = {
    ".txt": "txt",
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".conll": "conll",
    ".conllu": "conll",
    ".bio": "conll",
    ".iob": "conll",
    ".json": "json",
}
_COMPRESSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd"}
_PLACES = "a file, a folder or a pattern such as 'books/*.txt'"
_CODE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]+)*")
_PREFIX = re.compile(rf"({_CODE.pattern})=(.+)", re.DOTALL)
_WRITTEN_BY_AMBOS = {"tokenizer.json", "store.json"}  # their .txt files are no corpus
_NAMED_LANGUAGE = re.compile(r"(?:^|[._-])(pt|en)(?=$|[._-])", re.IGNORECASE)


@dataclass(frozen=True)
class Source:
    """One file to read: its layout, its compression and the language its documents are taken to be in."""

    path: Path
    format: Format
    compression: Compression | None
    language: str
    language_stated: bool = False  # by `pt=PATH`: then it holds whatever a column says

    @property
    def bytes(self) -> int:
        """Size on disk (compressed, where it is)."""
        try:
            return self.path.stat().st_size
        except OSError as error:
            raise unreadable(self.path, error) from error


def find_sources(
    texts: Sequence[str],
    *,
    language: str | None = None,
    formats: Collection[Format] = CORPUS,
    fixes: Mapping[Format, str] | None = None,
) -> list[Source]:
    """Resolve command-line texts into files, in a fixed order, each file once.

    Each text is a file, a folder (searched to the bottom, in sorted order; folders that hold a tokenizer or a
    token store are passed over) or a glob. `pt=PATH` says that the documents are Portuguese; without it the
    language is that of a column, else `language`, else what the file's or its folder's name says (`raw_pt/`,
    `corpus.en.txt`), else `und`. Files of other formats than `formats` are passed over in folders and globs,
    and refused by name; of one that has something to do elsewhere, `fixes` say what.

    Examples
    --------
    >>> find_sources(["pt=notes/"])  # doctest: +SKIP
    [Source(path=PosixPath('notes/a.txt'), format='txt', compression=None, language='pt')]
    """
    found: dict[Path, Source] = {}
    for text in texts:
        try:
            given, pattern = _language_prefix(text)
            paths = _expand(pattern, formats)
        except OSError as error:
            raise unreadable(error.filename or text, error) from error
        for path in paths:
            file_language = given or language or _language_in_name(path) or UNKNOWN_LANGUAGE
            format_, compression = _layout(path, formats, fixes or {})
            found.setdefault(
                path.resolve(), Source(path, format_, compression, file_language, given is not None)
            )
    return list(found.values())


def unreadable(path: str | Path, error: OSError) -> InputError:
    """Return the error for a file or folder that the system does not let us read."""
    return InputError(
        "cannot read this",
        expected="a file or folder that you may read",
        found=error.strerror or str(error),
        fix=f"see whether it is there and yours to read: ls -ld {shlex.quote(str(path))}",
        file=path,
    )


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


def _expand(pattern: str, formats: Collection[Format]) -> list[Path]:
    path = Path(pattern)
    if not pattern:
        raise InputError("an empty name", expected=_PLACES, fix="name what to read (was a variable empty?)")
    if path.is_dir():
        return _files_below(path, formats)
    if glob.has_magic(pattern) and not os.path.lexists(path):
        return _files_matching(pattern, formats)
    return [_regular(path, formats)]


def _regular(path: Path, formats: Collection[Format]) -> Path:
    """Return `path` if it is a file with an end, and not a pipe or a device, which may never come to one."""
    if path.is_file():
        return path
    if path.is_symlink() and not path.exists():
        target = path.readlink()
        raise InputError(
            "a link to a file that is not there",
            expected=_readable(formats),
            found=f"a link to {target}",
            fix="put that file in its place, or take the link away",
            file=path,
        )
    if path.exists():
        raise InputError(
            "not a regular file",
            expected=_readable(formats),
            found="a pipe or a device",
            fix="write its contents to a file first, and pass that",
            file=path,
        )
    raise _missing(path)


def _missing(path: Path) -> InputError:
    parent = path.absolute().parent
    if parent.is_dir():
        fix = (
            did_you_mean(path.name, (entry.name for entry in parent.iterdir()))
            or f"look what there is: ls {shlex.quote(str(parent))}"
        )
    else:
        fix = f"check the path: there is no folder {parent} either"
    return InputError("no such file or folder", expected=_PLACES, fix=fix, file=path)


def _files_matching(pattern: str, formats: Collection[Format]) -> list[Path]:
    matches = [Path(match) for match in sorted(glob.glob(pattern, recursive=True))]  # noqa: PTH207
    readable = [match for match in matches if not match.is_dir() and _layout_or_none(match, formats)]
    files = [_regular(match, formats) for match in readable]
    if files:
        return files
    folders = sum(match.is_dir() for match in matches)
    others = len(matches) - folders
    raise InputError(
        "the pattern matches no readable file",
        expected=_readable(formats),
        found=f"{folders} folders and {others} other files" if matches else "nothing of that name",
        fix=f"to read what is in the folders: {shlex.quote(pattern + '/*')}"
        if folders
        else f"try: ls {pattern}",
        file=pattern,
    )


def _files_below(folder: Path, formats: Collection[Format]) -> list[Path]:
    """Return the readable files of a folder and of all below it; links to folders are followed, once each."""
    entered: set[str] = set()
    seen: list[Path] = []
    for root, folders, names in os.walk(folder, onerror=_raise, followlinks=True):
        real = os.path.realpath(root)
        folders[:] = () if real in entered else sorted(name for name in folders if not name.startswith("."))
        if real not in entered and not _WRITTEN_BY_AMBOS & set(names):
            seen += [Path(root, name) for name in names if not name.startswith(".")]
        entered.add(real)
    files = sorted((entry for entry in seen if _layout_or_none(entry, formats)), key=Path.as_posix)
    if files:
        return [_regular(file, formats) for file in files]
    endings = sorted({entry.suffix or "(no ending)" for entry in seen})
    raise InputError(
        "the folder has no text in it",
        expected=_readable(formats),
        found=f"other files: {len(seen)} ({', '.join(endings[:8])})" if seen else "no files",
        fix="name the folder that holds the texts, or give them one of these endings",
        file=folder,
    )


def _raise(error: OSError) -> None:
    raise error


def _readable(formats: Collection[Format]) -> str:
    *endings, last = [ending for ending, format_ in _FORMATS.items() if format_ in formats]
    return f"a {', '.join(endings)} or {last} file, plain or with .gz or .zst after it"


def _layout_or_none(path: Path, formats: Collection[Format]) -> tuple[Format, Compression | None] | None:
    compression = _COMPRESSIONS.get(path.suffix.lower())
    suffix = Path(path.stem).suffix if compression else path.suffix
    format_ = _FORMATS.get(suffix.lower())
    return None if format_ is None or format_ not in formats else (format_, compression)


def _layout(
    path: Path, formats: Collection[Format], fixes: Mapping[Format, str]
) -> tuple[Format, Compression | None]:
    layout = _layout_or_none(path, formats)
    if layout is None:
        elsewhere = _layout_or_none(path, fixes)
        raise InputError(
            "do not know how to read this kind of file" + (" here" if elsewhere else ""),
            expected=_readable(formats),
            found=f"the ending {path.suffix!r}" if path.suffix else "no ending",
            fix=fixes[elsewhere[0]] if elsewhere else "rename it if it is one of these, or convert it",
            file=path,
        )
    return layout


def check_language(code: str) -> str:
    """Return a language code in lower case, or raise `UsageError` if it is not one."""
    if not _CODE.fullmatch(code):
        raise UsageError(
            f"{code!r} is not a language code", expected="a code such as pt, en or pt-BR", fix="--language pt"
        )
    return code.lower()
