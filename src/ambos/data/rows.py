"""The kinds of labelled rows, which column holds what, and the record of rows that cannot be used."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Literal, TypeVar
from unicodedata import category

from ambos.errors import InputError, UsageError
from ambos.text.sources import Source

Kind = Literal[
    "no label",
    "empty text",
    "wrong type",
    "no finite score",
    "ragged row",
    "not a JSON object",
    "ragged tags",
    "empty word",
    "answer not in the passage",
    "id used twice",
    "tags out of order",
]

_BLANK = {"Zs", "Zl", "Zp", "Cc", "Cf"}  # categories of characters that leave no ink
_KEPT = 5  # examples of each kind of problem
_SHOWN = 5  # examples in an error
_ENOUGH = 20  # problems after which reading stops


@dataclass(frozen=True, slots=True)
class TextRow:
    """A text with one label, several or none, and a score if there is one."""

    text: str
    labels: tuple[str, ...]
    score: float | None
    file: Path
    line: int
    id: str | None = None


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two texts, and the labels or the score of the pair; `more` texts where there are more than two."""

    text_a: str
    text_b: str
    labels: tuple[str, ...]
    score: float | None
    file: Path
    line: int
    id: str | None = None
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WordsRow:
    """A sentence: its words, and a tag for each; of words that have lines of their own, these `lines`."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    file: Path
    line: int
    lines: Sequence[int] = field(default=(), compare=False, repr=False, kw_only=True)

    def line_of(self, place: int) -> int:
        """Return the line of a word: its own, or that of the row.

        Examples
        --------
        >>> WordsRow(("Ana", "ri"), ("B-PER", "O"), Path("a.conll"), 7, lines=range(7, 9)).line_of(1)
        8
        """
        return self.lines[place] if self.lines else self.line


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question on a passage, and where its answers are: none if the passage does not say.

    Of each answer (text, start): `passage[start : start + len(text)] == text`.
    """

    id: str
    question: str
    passage: str
    answers: tuple[tuple[str, int], ...]
    file: Path
    line: int
    title: str = ""


Row = TextRow | PairRow | WordsRow | QuestionRow


@dataclass(frozen=True)
class Columns:
    """Which column holds what; None where nothing is to be read.

    Examples
    --------
    >>> print(Columns(text="frase", label="classe"))
    text: frase, label: classe
    """

    text: str | None = None
    text_a: str | None = None
    text_b: str | None = None
    text_c: str | None = None
    text_d: str | None = None
    label: str | None = None
    score: str | None = None
    words: str | None = None
    tags: str | None = None
    question: str | None = None
    passage: str | None = None
    answers: str | None = None
    id: str | None = None
    title: str | None = None

    @property
    def chosen(self) -> dict[str, str]:
        """The columns that are read, by what they hold."""
        return {one.name: name for one in fields(self) if (name := getattr(self, one.name)) is not None}

    @property
    def wanted(self) -> dict[str, str]:
        """The columns that are read, each with the option that names it."""
        return {name: option(role) for role, name in self.chosen.items()}

    def of(self, role: str) -> str:
        """Return the column of a role that cannot be done without."""
        name: str | None = getattr(self, role)
        if name is None:
            raise UsageError(f"no column is named for the {role}", fix=f"{option(role)} COLUMN")
        return name

    def __str__(self) -> str:
        return ", ".join(f"{role}: {name}" for role, name in self.chosen.items())


def option(role: str) -> str:
    """Return the option that names the column of a role: `text_a` is named by `--text-a`."""
    return f"--{role.replace('_', '-')}"


def is_blank(text: str) -> bool:
    r"""Tell whether there is nothing to read in a text: white space, control and format characters alone.

    Examples
    --------
    >>> is_blank(" \u200b\ufeff\n"), is_blank(" a\u200b"), is_blank("")
    (True, False, True)
    """
    return not text or text.isspace() or all(category(one) in _BLANK for one in text)


def refuse_line(_: int, error: InputError) -> None:
    """Raise the error of a line that is no row; its fix names the option that leaves such lines out, too."""
    error.fix = f"{error.fix}, or leave such lines out, and count them, with --skip-bad"
    raise error


class BadRow(Exception):  # noqa: N818 (no error before `Problems` says so)
    """A row that cannot be used; `line` is that of the problem, if it is not the row's first."""

    def __init__(self, kind: Kind, found: str, line: int | None = None) -> None:
        super().__init__(kind, found)
        self.kind: Kind = kind
        self.found = found
        self.line = line


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with one row."""

    kind: Kind
    found: str
    file: Path
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.kind} ({self.found})"


class Problems:
    """What is wrong with rows: refused all at once, or, with `skip_bad`, left out and counted.

    Parameters
    ----------
    skip_bad
        Leave bad rows out. Without it reading goes on to the end, or to the 20th bad row, and then raises one
        `InputError` that lists the first of them.

    Attributes
    ----------
    counts
        Rows left out, by kind of problem.
    noted
        Rows kept in spite of something odd, by kind.
    examples
        The first few of each kind.
    """

    def __init__(self, *, skip_bad: bool = False) -> None:
        self.skip_bad = skip_bad
        self.counts: dict[Kind, int] = {}
        self.noted: dict[Kind, int] = {}
        self.examples: list[Problem] = []

    def add(self, problem: Problem) -> None:
        """Count a row that cannot be used; raise `InputError` if these are enough."""
        self._count(self.counts, problem)
        if sum(self.counts.values()) >= _ENOUGH:
            self.check()

    def note(self, problem: Problem) -> None:
        """Count something odd that is no reason to refuse the row."""
        self._count(self.noted, problem)

    def _count(self, counts: dict[Kind, int], problem: Problem) -> None:
        counts[problem.kind] = counts.get(problem.kind, 0) + 1
        if counts[problem.kind] <= _KEPT:
            self.examples.append(problem)

    def check(self) -> None:
        """Raise `InputError` if there were bad rows and they are not to be left out."""
        if self.skip_bad or not self.counts:
            return
        bad = [problem for problem in self.examples if problem.kind in self.counts]
        total, shown = sum(self.counts.values()), bad[:_SHOWN]
        more = [f"and {total - len(shown)} more"] if total > len(shown) else []
        number = f"at least {total}" if total >= _ENOUGH else f"{total}"
        raise InputError(
            f"{number} {'row' if total == 1 else 'rows'} cannot be used",
            expected="in every row what the task needs",
            found="; ".join([*map(str, shown), *more]),
            fix="put them right, or leave them out with --skip-bad",
            file=bad[0].file,
            line=bad[0].line,
        )


ItemT = TypeVar("ItemT")
RowT = TypeVar("RowT")


def read_each(
    sources: Sequence[Source],
    items: Callable[[Source], Iterator[tuple[int, ItemT]]],
    make: Callable[[ItemT, Path, int], RowT],
    problems: Problems,
) -> Iterator[RowT]:
    """Yield the rows of all sources in order; `problems` is told of those that are none.

    Parameters
    ----------
    items
        Gives the (line, item) of a source one by one.
    make
        Turns an item with its file and line into a row, or raises `BadRow`.
    """
    any_row, before, shown = False, dict(problems.counts), len(problems.examples)
    for source in sources:
        for line, item in items(source):
            try:
                row = make(item, source.path, line)
            except BadRow as bad:
                problems.add(Problem(bad.kind, bad.found, source.path, bad.line or line))
            else:
                any_row = True
                yield row
    problems.check()
    if sources and not any_row:
        left_out = {kind: count - before.get(kind, 0) for kind, count in problems.counts.items()}
        raise InputError(
            "there are no rows in these files" if len(sources) > 1 else "there are no rows in this file",
            expected="at least one row that can be used",
            found=_left_out(left_out, problems.examples[shown:]) or "none",
            fix="check that these are the right files, and whole",
            file=sources[0].path,
        )


def _left_out(counts: Mapping[Kind, int], examples: Sequence[Problem]) -> str:
    """Return how many rows were left out, for what, and the first of them; nothing if none were."""
    kinds = [f"{count:,} for {kind}" for kind, count in counts.items() if count]
    if not kinds:
        return ""
    total = sum(counts.values())
    rows = "1 row, left out" if total == 1 else f"{total:,} rows, all of them left out"
    head = f"{rows} as bad: {', '.join(kinds)}"
    return "; ".join([head, *map(str, examples[:_SHOWN])])
