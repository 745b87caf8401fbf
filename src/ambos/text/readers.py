"""Documents from files of every readable format, streamed one at a time."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ambos.errors import InputError
from ambos.text.records import Record, check_columns, read_records
from ambos.text.sources import Source
from ambos.text.stream import ReadOptions, read_lines
from ambos.text.unpack import MEBIBYTE, Advance

_LANGUAGE_COLUMNS = ("language", "lang")
_TOGETHER = 4096
_MAX_LANGUAGES = 1000


class Document(NamedTuple):
    r"""One document. Its paragraphs are the lines of `text` (`\n` between them)."""

    text: str
    language: str
    file: Path
    line: int


def read_documents(
    sources: Iterable[Source], options: ReadOptions | None = None, *, advance: Advance | None = None
) -> Iterator[Document]:
    r"""Yield the documents of all sources in order, never holding more than one file's current block.

    Documents that are empty or only white space are yielded too, so that callers can count them;
    blank lines in plain text are separators, not documents. Raises `InputError` at the end if no document
    had any text.

    Examples
    --------
    >>> from ambos.text.sources import find_sources
    >>> [d.text for d in read_documents(find_sources(["notes.txt"]))]  # doctest: +SKIP
    ['First paragraph.\nSecond paragraph.', 'Another document.']
    """
    options = options or ReadOptions()
    sources = list(sources)
    any_text = False
    languages: set[str] = set()
    for source in sources:
        for document in _read(source, options, advance):
            any_text = any_text or bool(document.text and not document.text.isspace())
            languages.add(document.language)
            if len(languages) > _MAX_LANGUAGES:
                raise InputError(
                    f"more than {_MAX_LANGUAGES:,} different languages",
                    expected="language codes, such as pt or en",
                    found=document.language[:40],
                    fix="name the column that holds the language with --language-column COLUMN",
                    file=document.file,
                    line=document.line,
                )
            yield document
    if sources and not any_text:
        raise InputError(
            "there is no text in these files" if len(sources) > 1 else "there is no text in this file",
            expected="at least one document with words in it",
            found=f"files: {len(sources):,}, bytes: {sum(source.bytes for source in sources):,}, words: none",
            fix="check that these are the right files, and whole",
            file=sources[0].path,
        )


def _read(source: Source, options: ReadOptions, advance: Advance | None) -> Iterator[Document]:
    if source.format == "txt":
        return _read_txt(source, options, advance)
    wanted = {options.text_column: "--text"}
    if options.language_column is not None:
        wanted[options.language_column] = "--language-column"
    records = read_records(source, options, advance, wanted, also=_LANGUAGE_COLUMNS)
    return _rows(records, source, options, wanted)


def _read_txt(source: Source, options: ReadOptions, advance: Advance | None) -> Iterator[Document]:
    limit = options.limits.document_mb * MEBIBYTE
    paragraphs: list[str] = []
    start, size, loose = 1, 0, 0
    for number, line in read_lines(source, options, advance):
        blank = not line or line.isspace()
        if not blank:
            if not paragraphs:
                start = number
            size += len(line) + bool(paragraphs)
            if size > limit:
                raise _long_document(source, start, options, "no blank line in all that text")
            paragraphs.append(line)
            loose += 1
            if loose == _TOGETHER:  # many short strings would take several times the memory of one long one
                paragraphs[-loose:] = ["\n".join(paragraphs[-loose:])]
                loose = 0
        if paragraphs and (blank or options.document == "line"):
            yield Document("\n".join(paragraphs), source.language, source.path, start)
            paragraphs, size, loose = [], 0, 0
    if paragraphs:
        yield Document("\n".join(paragraphs), source.language, source.path, start)


def _long_document(source: Source, line: int, options: ReadOptions, found: str) -> InputError:
    expected, fix = (
        "one document in each record",
        "split it, or raise --max-document-mb if you have the memory",
    )
    if source.format == "txt":
        expected = "a blank line between documents"
        fix = "if every line is a document pass --document line; else put blank lines between documents"
    what = f"a document of more than {options.limits.document_mb} MiB"
    return InputError(what, expected=expected, found=found, fix=fix, file=source.path, line=line)


def _rows(
    records: Iterator[Record], source: Source, options: ReadOptions, wanted: dict[str, str]
) -> Iterator[Document]:
    text_column = options.text_column
    limit = options.limits.document_mb * MEBIBYTE
    language_columns = (options.language_column,) if options.language_column else _LANGUAGE_COLUMNS
    for line, record in records:
        if not wanted.keys() <= record.keys():
            check_columns(list(record), wanted, source.path, line)
        text = "" if record[text_column] is None else record[text_column]
        if not isinstance(text, str):
            raise InputError(
                f"the value of {text_column!r} is not text",
                expected="a string",
                found=f"{type(text).__name__}: {str(text)[:40]}",
                fix="name the column that holds the text with --text COLUMN",
                file=source.path,
                line=line,
            )
        if len(text) > limit:
            raise _long_document(source, line, options, f"{len(text):,} characters")
        language = next((record[name] for name in language_columns if record.get(name)), source.language)
        language = source.language if source.language_stated else language
        language = str(language).lower().encode("utf-8", "replace").decode()  # a name that any file can hold
        yield Document(text.replace("\r\n", "\n"), language, source.path, line)
