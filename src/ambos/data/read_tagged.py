"""Sentences with a tag for each word, from CoNLL files and from tables that hold lists."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from ambos.data.conll_layout import DOCUMENT, Field, Layout, find_layout
from ambos.data.label_set import TAG
from ambos.data.read_rows import id_of, named, table, wrong_type
from ambos.data.rows import BadRow, Columns, Problem, Problems, WordsRow, read_each
from ambos.errors import InputError
from ambos.text.sources import Format, Source
from ambos.text.stream import ReadOptions, read_lines
from ambos.text.unpack import Advance

LISTS: tuple[Format, ...] = ("jsonl", "parquet")
TAGGED: tuple[Format, ...] = ("conll", "tsv", "txt", *LISTS)  # all but lists are read as CoNLL

_WORD = re.compile(r"\S+")
_MAX_WORDS = 100_000

Fields = tuple[int, list[str]]  # number and fields of a line


@dataclass(frozen=True, slots=True)
class Untagged(WordsRow):
    """Words without tags; where they stood in running text, that text.

    The words are what stands between the white space of `text`: `starts` says where each begins.
    """

    id: str | None = None
    text: str | None = None

    @property
    def starts(self) -> tuple[int, ...]:
        """Where each word begins in the text; nothing without one."""
        return () if self.text is None else tuple(found.start() for found in _WORD.finditer(self.text))


@dataclass(frozen=True)
class _Sentence:
    """Words and tags as they were found, with the line of each word; without tags, their text and id."""

    words: Sequence[Any]
    tags: Sequence[Any]
    lines: Sequence[int]
    text: str | None = None
    id: str | None = None


def read_tagged_rows(
    sources: Sequence[Source],
    columns: Columns | None = None,
    problems: Problems | None = None,
    *,
    labelled: bool = True,
    word_field: Field | None = None,
    tag_field: Field | None = None,
    options: ReadOptions | None = None,
    advance: Advance | None = None,
) -> Iterator[WordsRow]:
    r"""Yield tagged sentences, one at a time.

    CoNLL: a word a line, its fields parted by tabs (or else by white space), a blank line between sentences.
    The first field is the word and the last its tag; in CoNLL-U, which is known by its ten fields and its
    numbers of words, the second and the fourth. Sentences whose tags break BIO or BIOES are kept, and noted.

    Parameters
    ----------
    columns
        For JSON lines and Parquet: the columns with lists of words and tags, as `detect_columns` gives them.
    problems
        Told of sentences that cannot be used; by default they are refused.
    labelled
        Without labels rows are `Untagged`: no tags are read, a line of a .txt is a sentence, and instead of a
        list of words there may be a text. Running text is split at white space.
    word_field, tag_field
        Which fields of a CoNLL line hold word and tag: numbers from 1, of CoNLL-U also names such as `xpos`.

    Examples
    --------
    >>> next(read_tagged_rows(find_sources(["ner.conll"], formats=TAGGED)))  # doctest: +SKIP
    WordsRow(words=('Ana', 'ri'), tags=('B-PER', 'O'), file=PosixPath('ner.conll'), line=1)
    """
    options, problems, columns = options or ReadOptions(), problems or Problems(), columns or Columns()
    records = table(columns, options, advance, problems)

    def items(source: Source) -> Iterator[tuple[int, Any]]:
        if source.format in LISTS:
            return records(source)
        if source.format == "txt" and not labelled:
            lines = read_lines(source, options, advance)
            return ((number, line) for number, line in lines if line.strip())
        layout = find_layout(source, options, word_field, tag_field, labelled=labelled)
        return ((lines[0][0], (layout, lines)) for lines in _sentences(source, layout, options, advance))

    def make(item: dict[str, Any] | str | tuple[Layout, list[Fields]], file: Path, line: int) -> WordsRow:
        if isinstance(item, tuple):
            sentence = _from_lines(*item)
        else:
            sentence = _from_record(item, columns, line, labelled=labelled)
        words = _checked_words(sentence)
        if not labelled:
            return Untagged(words, (), file, line, sentence.id, sentence.text)
        lines = _lines_of(sentence) if isinstance(item, tuple) else ()
        tags = _checked_tags(sentence)
        wrong = misplaced(tags)
        row = WordsRow(words, tags, file, line, lines=lines)
        if wrong:
            found = f"{len(wrong)} of {len(tags)} tags"
            problems.note(Problem("tags out of order", found, file, row.line_of(wrong[0])))
        return row

    return read_each(sources, items, make, problems)


def _sentences(
    source: Source, layout: Layout, options: ReadOptions, advance: Advance | None
) -> Iterator[list[Fields]]:
    lines: list[Fields] = []
    for number, line in read_lines(source, options, advance):
        if not line or line.isspace() or line.startswith(DOCUMENT):
            if lines:
                yield lines
            lines = []
            continue
        fields = layout.split(line, begins=not lines)
        if fields is not None:
            lines.append((number, fields))
        if len(lines) > _MAX_WORDS:
            raise InputError(
                f"a sentence of more than {_MAX_WORDS:,} words",
                expected="a blank line between sentences",
                found="none in all these lines",
                fix="put blank lines between sentences",
                file=source.path,
                line=lines[0][0],
            )
    if lines:
        yield lines


def _from_lines(layout: Layout, lines: list[Fields]) -> _Sentence:
    for number, fields in lines:
        if len(fields) != layout.fields:
            found = f"{len(fields)} fields, where the first word of the file has {layout.fields}"
            raise BadRow("ragged tags", found, number)
    words = [fields[layout.word] for _, fields in lines]
    return _Sentence(words, [fields[layout.tag] for _, fields in lines], [number for number, _ in lines])


def _from_record(item: dict[str, Any] | str, columns: Columns, line: int, *, labelled: bool) -> _Sentence:
    """Return the lists of words and tags of a table's row; without labels, words may be running text."""
    record = item if isinstance(item, dict) else {}
    words = item if isinstance(item, str) else record.get(columns.of("words"))
    if isinstance(words, str) and not labelled:
        split = words.split()
        return _Sentence(split, (), [line] * len(split), words, id_of(record, columns))
    words = _list(words, columns.of("words"), "a list" if labelled else "a list of words or a text")
    tags = _list(record.get(columns.of("tags")), columns.of("tags"), "a list") if labelled else ()
    if labelled and len(words) != len(tags):
        raise BadRow("ragged tags", f"{len(words)} words and {len(tags)} tags")
    return _Sentence(words, tags, [line] * len(words), None, id_of(record, columns))


def _lines_of(sentence: _Sentence) -> Sequence[int]:
    """Return the line of each word; as a range, which takes next to no memory, where that is possible."""
    first, last = sentence.lines[0], sentence.lines[-1]
    together = last - first + 1 == len(sentence.lines)
    return range(first, last + 1) if together else tuple(sentence.lines)


def _list(value: object, column: str, expected: str) -> list[Any]:
    if not isinstance(value, list):
        raise wrong_type(column, value, expected)
    return value


def _checked_words(sentence: _Sentence) -> tuple[str, ...]:
    for place, (word, number) in enumerate(zip(sentence.words, sentence.lines, strict=True), 1):
        if not isinstance(word, str) and word is not None:
            raise wrong_type("a word", word, "a text")
        if not (word and word.strip()):
            raise BadRow("empty word", f"word {place} of {len(sentence.words)}", number)
    if not sentence.words:
        raise BadRow("empty text", "no words")
    return tuple(sentence.words)


def _checked_tags(sentence: _Sentence) -> tuple[str, ...]:
    tags = [named(tag) for tag in sentence.tags]
    found = []
    for word, tag, number in zip(sentence.words, tags, sentence.lines, strict=True):
        if not isinstance(tag, str) and tag is not None:
            raise wrong_type("a tag", tag, "a text")
        if not (tag and tag.strip()):
            raise BadRow("no label", f"the word {word[:40]!r} has no tag", number)
        found.append(tag.strip())
    return tuple(found)


def misplaced(tags: Sequence[str]) -> list[int]:
    """Return the places of the tags that break BIO or BIOES (BILOU): none of tags of other kinds.

    Something goes on (I, E) that did not begin, or, where ends are marked at all, does not end. A tag of
    another kind is as O: nothing goes on after it.

    Examples
    --------
    >>> misplaced(["O", "I-PER", "B-LOC", "I-PER"]), misplaced(["B-PER", "O", "S-LOC"]), misplaced(["NOUN"])
    ([1, 3], [0], [])
    >>> misplaced(["X-PER", "I-PER"])
    [1]
    """
    tags = [tag if TAG.fullmatch(tag) else "O" for tag in tags]
    ends_are_marked = any(tag[0] in "ESLU" for tag in tags)
    wrong = []
    for place, (last, tag) in enumerate(pairwise(("O", *tags, "O"))):
        is_open = last[0] in "BI"
        if tag[0] in "IEL":
            if not (is_open and last[2:] == tag[2:]):
                wrong.append(place)
        elif is_open and ends_are_marked:
            wrong.append(place - 1)
    return wrong
