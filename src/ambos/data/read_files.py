"""The rows of a task in files: which layouts it reads, which columns hold what, with labels or without."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ambos.data.conll_layout import said_fields
from ambos.data.detect_columns import (
    FURTHER,
    Task,
    detect_columns,
    known_columns,
    known_pairs,
    reads,
    refuse_twice,
)
from ambos.data.read_questions import QUESTIONS, SQUAD, read_question_rows
from ambos.data.read_rows import (
    SEPARATOR,
    TABLES,
    TEXTS,
    read_pair_rows,
    read_text_rows,
)
from ambos.data.read_tagged import LISTS, TAGGED, read_tagged_rows
from ambos.data.rows import Columns, Problems, Row, option, refuse_line
from ambos.errors import InputError, UsageError
from ambos.text.records import check_columns, column_names, list_columns
from ambos.text.sources import Format, Source, find_sources
from ambos.text.stream import ReadOptions
from ambos.text.unpack import Advance

_FORMATS: dict[Task, tuple[Format, ...]] = {
    **dict.fromkeys(("classify", "score", "pair", "pair-score", "embed"), TABLES),
    "tag": TAGGED,
    "answer": QUESTIONS,
}
_ALL: tuple[Format, ...] = tuple(dict.fromkeys((*TABLES, *TAGGED, *QUESTIONS)))
_GUESSED: tuple[Task, ...] = ("answer", "tag", "pair", "pair-score", "classify", "score")
_PAIRS: dict[Task, Task] = {"classify": "pair", "score": "pair-score"}  # what rows of two texts are
_TEXTS_OF_PAIRS = {"text_a", "text_b", *FURTHER}
_FIXES: dict[Format, str] = {  # what a file that is not read for a task could be for
    "conll": "words with tags are rows for the task tag",
    "json": "questions as SQuAD has them are rows for the task answer",
    "txt": "a line is one text, without a label: put texts and labels, or pairs, into a table (.csv, .jsonl)",
    **dict.fromkeys(("csv", "tsv"), "its cells hold no lists: write a .jsonl file, one row a line"),
}
_COLUMNS_OF: dict[Task, tuple[Format, ...]] = {"tag": LISTS, "answer": LISTS}  # where columns have names


@dataclass(frozen=True)
class RowFiles:
    """Files with rows of a task, and how they are read.

    Parameters
    ----------
    columns
        Which column of a table holds what.
    labelled
        Whether rows have labels; otherwise they are to be predicted for, and plain text is read, too.
    several, separator
        Of `classify`: whether a row may have any number of labels, and what is between them.
    fields
        Of CoNLL, which has no names for them: which fields hold word and tag, where that was said.
    shown
        The columns in words that a user understands: `columns`, or the fields of CoNLL.

    Examples
    --------
    >>> files = RowFiles.find(["news.csv"], "classify")  # doctest: +SKIP
    >>> print(files.columns)  # doctest: +SKIP
    text: headline, label: topic
    >>> next(files.rows()).labels  # doctest: +SKIP
    ('sports',)
    """

    task: Task
    sources: Sequence[Source]
    columns: Columns
    labelled: bool = True
    several: bool = False
    separator: str = SEPARATOR
    options: ReadOptions = field(default_factory=ReadOptions)
    fields: tuple[str | None, str | None] = (None, None)
    shown: Columns = field(default_factory=Columns)

    @classmethod
    def find(
        cls,
        names: Sequence[str],
        task: Task,
        given: Columns | None = None,
        *,
        labelled: bool = True,
        pairs: bool | None = None,
        texts: int | None = None,
        several: bool = False,
        separator: str = SEPARATOR,
        options: ReadOptions | None = None,
        skip_bad: bool = False,
    ) -> "RowFiles":
        """Find files, folders and globs; columns that are not `given` are known by their names.

        For `classify` and `score`, rows may be pairs of texts: if `pairs` says so, or, where it says nothing,
        if the columns do; the task is then `pair` or `pair-score`. So it is of `embed`, unless its pairs have
        neither labels nor scores, since all of them belong together. `texts` is how many texts each row must
        have, where that is known: a third and a fourth are else read only if they are `given`. Of CoNLL files
        the given words and tags are numbers of fields, and of SQuAD files nothing may be given, unless there
        are tables among the files, whose columns they name then. With `skip_bad`, names are read past lines
        that are no JSON.
        """
        if pairs is False and given is not None:
            _refuse_pairs(given)
        if task == "embed":
            task = pair_target(names, given, options, labelled=labelled, skip_bad=skip_bad)
        if task in _PAIRS and (pairs or (pairs is None and given and _TEXTS_OF_PAIRS & given.chosen.keys())):
            task = _PAIRS[task]
        formats = TEXTS if task in _PAIRS and not labelled else _FORMATS[task]  # a line is no pair
        options, columns = options or ReadOptions(), given or Columns()
        sources = find_sources(names, formats=formats, fixes=_FIXES)
        tables = [source for source in sources if source.format in _COLUMNS_OF.get(task, TABLES)]
        if tables:
            found = _names_in(tables[0], options, skip_bad=skip_bad)
            how: dict[str, Any] = {"labelled": labelled, "texts": texts, "file": tables[0].path}
            if task in _PAIRS and pairs is None and not columns.text:
                task = _text_or_pair(found, task, columns, labelled=labelled)
            columns = detect_columns(found, task, columns, **how)
        elif formats == TEXTS:
            _refuse_names(columns.chosen, sources[0])
            columns = replace(columns, text="text")  # no table has it: so are the lines of plain text called
        elif task == "answer":
            _refuse_squad_names(columns, sources[0])
        found_files = cls(task, sources, columns, labelled, several, separator, options, shown=columns)
        return found_files if task != "tag" else found_files._with_fields(tables)

    def _with_fields(self, tables: Sequence[Source]) -> "RowFiles":
        """Return the same with the fields of CoNLL files, which have no names; refuse names of others."""
        rest = [source for source in self.sources if source not in tables]
        conll = [source for source in rest if self.labelled or source.format != "txt"]
        given = Columns() if tables else self.columns
        refuse_twice(given)
        fields = given.words, given.tags
        said = said_fields(conll, self.options, *fields, labelled=self.labelled)
        if not tables:
            others = replace(given, words=None, tags=None) if conll else given
            _refuse_names(others.chosen, rest[0])
            return replace(self, columns=Columns(), fields=fields, shown=said)
        both = {
            role: f"{name} (of CoNLL: {said.of(role)})"
            for role, name in self.columns.chosen.items()
            if role in said.chosen
        }
        return replace(self, shown=replace(self.columns, **both))

    @property
    def bytes(self) -> int:
        """Size of all files."""
        return sum(source.bytes for source in self.sources)

    def rows(self, problems: Problems | None = None, advance: Advance | None = None) -> Iterator[Row]:
        """Yield all rows, one at a time; `problems` is told of those that cannot be used."""
        how: dict[str, Any] = {"options": self.options, "advance": advance}
        if self.task == "tag":
            how |= {"labelled": self.labelled, "word_field": self.fields[0], "tag_field": self.fields[1]}
            return read_tagged_rows(self.sources, self.columns, problems, **how)
        if self.task == "answer":
            return read_question_rows(self.sources, self.columns, problems, labelled=self.labelled, **how)
        how |= {"several": self.several, "separator": self.separator}
        if self.task in {"pair", "pair-score", "embed"}:
            return read_pair_rows(self.sources, self.columns, problems, **how)
        return read_text_rows(self.sources, self.columns, problems, **how)


def _names_in(source: Source, options: ReadOptions, *, skip_bad: bool) -> list[str]:
    """Return the names of a table's columns; raise `InputError` if there is nothing in it."""
    names = column_names(source, options, skip_bad=skip_bad, bad=refuse_line)
    if not names and not column_names(source, options):  # where all lines are bad, the first one is raised
        raise InputError(
            "there are no rows in this file",
            expected="a table with names of columns",
            found="nothing",
            fix="check that it is the right file, and whole",
            file=source.path,
        )
    return names


def _refuse_names(names: Mapping[str, str], source: Source) -> None:
    """Raise `InputError` if columns are named of a file that has none."""
    for role, name in names.items():
        raise InputError(
            f"there are no columns in this file, and so no {name!r}",
            expected="options that fit CoNLL, a word a line, or running text",
            found=f"{option(role)} {name}",
            fix=f"leave out {option(role)}"
            + (
                "; fields of CoNLL are chosen by number: --words 1 --tags 2" if source.format != "txt" else ""
            ),
            file=source.path,
        )


def _refuse_pairs(given: Columns) -> None:
    """Raise `UsageError` if columns are named for the texts of pairs where there are none."""
    for role in (role for role in given.chosen if role in _TEXTS_OF_PAIRS):
        raise UsageError(
            "columns are named for pairs of texts, and the rows are to be single ones",
            expected="a column for one text",
            found=f"{option(role)} {given.of(role)}",
            fix="--text COLUMN",
        )


def _refuse_squad_names(given: Columns, source: Source) -> None:
    """Raise `InputError` if columns are named of a SQuAD file, whose layout has names of its own."""
    if not given.chosen:
        return
    options = " and ".join(option(role) for role in given.chosen)
    raise InputError(
        "columns are named, and a SQuAD file has none",
        expected=f"the names that its layout has: {', '.join(SQUAD.chosen.values())}",
        found=" ".join(f"{option(role)} {name}" for role, name in given.chosen.items()),
        fix=f"leave out {options}; names are free in a .jsonl file with one question a line",
        file=source.path,
    )


def _text_or_pair(names: Sequence[str], task: Task, given: Columns, *, labelled: bool) -> Task:
    """Return the task of a table: with pairs of texts only where it has no column of single ones."""
    for one in (task, _PAIRS[task]):
        with suppress(InputError, UsageError):
            detect_columns(names, one, given, labelled=labelled)
            return one
    return _PAIRS[task] if known_pairs(names) and not known_columns(names, "text") else task


def pair_target(
    names: Sequence[str],
    given: Columns | None = None,
    options: ReadOptions | None = None,
    *,
    labelled: bool = True,
    skip_bad: bool = False,
) -> Literal["pair", "pair-score", "embed"]:
    """Say whether files of pairs have labels or scores, by the names of the columns of the first one.

    Where they have neither it is `embed`: the pairs can only be told from others. `skip_bad` is as in
    `RowFiles.find`.

    Raises
    ------
    InputError
        If there are both, and none is `given`.
    """
    given = given or Columns()
    if given.label or given.score or not labelled:
        return "pair" if given.label or not given.score else "pair-score"
    first = find_sources(names, formats=TABLES, fixes=_FIXES)[0]
    columns = _names_in(first, options or ReadOptions(), skip_bad=skip_bad)
    labels, scores = known_columns(columns, "label"), known_columns(columns, "score")
    if labels and scores:
        raise InputError(
            "the pairs have labels and scores",
            expected="one of them, to learn from",
            found=list_columns(columns),
            fix=f"say which: --label {labels[0]}, or --score {scores[0]}",
            file=first.path,
        )
    return "pair-score" if scores else "pair" if labels else "embed"


def guess_task(
    names: Sequence[str],
    given: Columns | None = None,
    options: ReadOptions | None = None,
    *,
    among: Sequence[Task] = _GUESSED,
    skip_bad: bool = False,
) -> Task:
    """Say what labelled files are for: by their endings, or else by the columns of the first table.

    A .json is a SQuAD file, .conll and .txt hold tagged words; a table has questions and passages, or words
    and tags, or two texts, or one. `skip_bad` is as in `RowFiles.find`.

    Raises
    ------
    InputError
        If the columns could be those of no task.
    """
    first = find_sources(names, formats=_ALL)[0]
    if first.format not in TABLES:
        return "answer" if first.format == "json" else "tag"
    given = given or Columns()
    columns = _names_in(first, options or ReadOptions(), skip_bad=skip_bad)
    if first.format == "tsv" and given.chosen and _are_fields(given, columns):
        return "tag"
    check_columns(columns, given.wanted, first.path)
    for task in (one for one in among if reads(one, given)):
        with suppress(InputError):
            detect_columns(columns, task, given, file=first.path)
            return task
    if first.format == "tsv" and not given.chosen:
        return "tag"  # CoNLL has no names of columns
    with suppress(InputError, UsageError):
        given = detect_columns(columns, "classify", given, labelled=False)
    if given.text is not None:
        detect_columns(columns, "classify", given, file=first.path)  # raises what it misses
    raise InputError(
        "the task cannot be told from the columns",
        expected="text and label, or text and score, words and tags, text_a and text_b, question and passage",
        found=list_columns(columns),
        fix="say what they hold: --task classify --text COLUMN --label COLUMN",
        file=first.path,
    )


def _are_fields(given: Columns, names: Sequence[str]) -> bool:
    """Tell whether words and tags are named by numbers alone, as the fields of CoNLL are."""
    return given.chosen.keys() <= {"words", "tags"} and all(
        name.isdecimal() and name not in names for name in given.chosen.values()
    )
