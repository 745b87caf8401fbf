"""Labelled texts and pairs of texts from tables: which columns hold them, and their values, checked."""

import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Literal

from ambos.data.rows import BadRow, Columns, PairRow, Problems, TextRow, option, read_each
from ambos.errors import InputError, UsageError
from ambos.text.records import Record, check_columns, column_names, list_columns, read_records
from ambos.text.records import separator as separator_of
from ambos.text.sources import Format, Source
from ambos.text.stream import ReadOptions, read_lines
from ambos.text.unpack import Advance

Task = Literal["classify", "score", "pair", "pair-score", "tag", "answer"]

TABLES: tuple[Format, ...] = ("jsonl", "csv", "tsv", "parquet")
TEXTS: tuple[Format, ...] = (*TABLES, "txt")  # of a .txt, which has no labels, every line is a text
SEPARATOR = "|"

_TEXTS = (
    "text texto sentence sentença frase review resenha comment comentário content conteúdo "
    "document documento message mensagem tweet"
)
_PAIRS = (
    "text_a+text_b text1+text2 texto_a+texto_b texto1+texto2 sentence_a+sentence_b sentence1+sentence2 "
    "sentença1+sentença2 frase_a+frase_b frase1+frase2 premise+hypothesis premissa+hipótese "
    "question1+question2 pergunta1+pergunta2"
)
_LABELS = (
    "label labels gold_label class classe category categoria target rótulo rótulos etiqueta etiquetas "
    "sentiment sentimento topic tópico entailment_judgment is_duplicate"
)
_SCORES = (
    "score nota rating stars estrelas pontuação similarity similaridade similarity_score relatedness_score"
)
# The names by which columns are known. Those of a later group count only where none of an earlier is there.
_KNOWN: dict[tuple[str, ...], tuple[str, ...]] = {
    ("text",): (_TEXTS,),
    ("text_a", "text_b"): (_PAIRS,),
    ("label",): (_LABELS,),
    ("score",): (_SCORES, _LABELS),
    ("words",): ("words tokens palavras",),
    ("tags",): ("tags ner_tags pos_tags upos", _LABELS),
    ("question",): ("question pergunta questão",),
    ("passage",): ("passage context contexto passagem paragraph parágrafo trecho",),
    ("answers",): ("answers respostas",),
    ("id",): ("id qid question_id",),
    ("title",): ("title título",),
}
_NEEDED: dict[Task, tuple[tuple[str, ...], ...]] = {
    "classify": (("text",), ("label",)),
    "score": (("text",), ("score",)),
    "pair": (("text_a", "text_b"), ("label",)),
    "pair-score": (("text_a", "text_b"), ("score",)),
    "tag": (("words",), ("tags",)),
    "answer": (("question",), ("passage",), ("answers",), ("id",), ("title",)),
}
_OPTIONAL = (("id",), ("title",))
_TARGETS = (("label",), ("score",), ("tags",), ("answers",))  # what rows to predict for do without
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SHOWN = 40  # characters of a value in an error


def detect_columns(
    names: Sequence[str],
    task: Task,
    given: Columns | None = None,
    *,
    labelled: bool = True,
    file: Path | None = None,
) -> Columns:
    """Say which of a table's columns hold what a task needs, by their names alone, never by their order.

    Case, accents and signs in names do not count: `Rótulo` is `rotulo`, `sentence_1` is `sentence1`. Where no
    column or more than one could be meant, `InputError` lists the columns and the option that says which.

    Parameters
    ----------
    given
        What the user named; only the rest is looked for.
    labelled
        Without labels no column of them is looked for, but one of ids, if there is one; and words may be
        running text.
    file
        Named in errors.

    Examples
    --------
    >>> print(detect_columns(["id", "Frase", "rótulo"], "classify"))
    text: Frase, label: rótulo
    """
    given = given or Columns()
    check_columns(names, given.wanted, file)
    found = given.chosen
    needed = _NEEDED[task]
    if not labelled:
        needed = (*(roles for roles in needed if roles not in _TARGETS), ("id",))
    for roles in needed:
        missing = [role for role in roles if role not in found]
        if not missing:
            continue
        if len(missing) < len(roles):
            raise UsageError(
                "only one of the two texts has a column",
                expected="a column named for both, or for neither, so that both are looked for",
                found=str(given),
                fix=f"{option(missing[0])} COLUMN",
            )
        candidates = _candidates(roles, names)
        if not candidates and roles == ("words",) and not labelled:
            candidates = _candidates(("text",), names)
        if len(candidates) == 1:
            found |= zip(roles, candidates[0], strict=True)
        elif candidates or roles not in _OPTIONAL:
            raise _unclear(roles, candidates, names, file)
    return Columns(**found)


def _candidates(roles: tuple[str, ...], names: Sequence[str]) -> list[tuple[str, ...]]:
    columns: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        columns.setdefault(_fold(name), []).append(name)
    for group in _KNOWN[roles]:
        known = [[columns.get(_fold(name), []) for name in entry.split("+")] for entry in group.split()]
        candidates = [candidate for entry in known for candidate in product(*entry)]
        if candidates:
            return candidates
    return []


def _fold(name: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKD", name).casefold() if letter.isalnum())


def _unclear(
    roles: tuple[str, ...], candidates: Sequence[tuple[str, ...]], names: Sequence[str], file: Path | None
) -> InputError:
    held = " and ".join(roles)
    what = f"no column is known to hold the {held}"
    values = ["COLUMN" for _ in roles]
    if candidates:
        either = " or ".join("+".join(candidate) for candidate in candidates)
        what, values = f"it is not clear what holds the {held}: {either}", list(candidates[0])
    return InputError(
        what,
        expected=f"one column named as {held}, or the like" if len(roles) == 1 else f"columns {held}",
        found=list_columns(names),
        fix="say which: "
        + " ".join(f"{option(role)} {name}" for role, name in zip(roles, values, strict=True)),
        file=file,
    )


def read_text_rows(
    sources: Sequence[Source],
    columns: Columns,
    problems: Problems | None = None,
    *,
    several: bool = False,
    separator: str = SEPARATOR,
    options: ReadOptions | None = None,
    advance: Advance | None = None,
) -> Iterator[TextRow]:
    """Yield labelled texts from CSV, TSV, JSON lines and Parquet, one at a time.

    Of plain text, every line that is not blank is a text.

    Parameters
    ----------
    columns
        As `detect_columns` gives them; without a column for label, score or ids, rows have none.
    problems
        Told of rows that cannot be used; by default they are refused.
    several
        A row may have any number of labels: a list, or a text with `separator` between them.

    Examples
    --------
    >>> sources = find_sources(["reviews.csv"], formats=TABLES)  # doctest: +SKIP
    >>> next(read_text_rows(sources, Columns(text="text", label="label")))  # doctest: +SKIP
    TextRow(text='Gostei muito.', labels=('positive',), score=None, file=PosixPath('reviews.csv'), line=2)
    """
    text = columns.of("text")

    def make(record: dict[str, Any], file: Path, line: int) -> TextRow:
        labels = _labels_of(record, columns.label, separator if several else None)
        score = _score_of(record, columns.score)
        return TextRow(text_of(record, text), labels, score, file, line, id_of(record, columns))

    return read_each(sources, table(columns, options, advance), make, problems or Problems())


def read_pair_rows(
    sources: Sequence[Source],
    columns: Columns,
    problems: Problems | None = None,
    *,
    options: ReadOptions | None = None,
    advance: Advance | None = None,
) -> Iterator[PairRow]:
    """Yield labelled pairs of texts; everything is as in `read_text_rows`."""
    text_a, text_b = columns.of("text_a"), columns.of("text_b")

    def make(record: dict[str, Any], file: Path, line: int) -> PairRow:
        labels, score = _labels_of(record, columns.label, None), _score_of(record, columns.score)
        texts = text_of(record, text_a), text_of(record, text_b)
        return PairRow(*texts, labels, score, file, line, id_of(record, columns))

    return read_each(sources, table(columns, options, advance), make, problems or Problems())


def table(
    columns: Columns, options: ReadOptions | None, advance: Advance | None
) -> Callable[[Source], Iterator[Record]]:
    """Return what reads the records of a table in which these columns must be; a line of a .txt is a text."""
    options = options or ReadOptions()

    def records(source: Source) -> Iterator[Record]:
        if source.format == "txt":
            lines = read_lines(source, options, advance)
            yield from ((number, {columns.of("text"): line}) for number, line in lines if line.strip())
            return
        if source.format == "jsonl":
            names = column_names(source, options)
            check_columns(names, columns.wanted if names else {}, source.path)
        # Where semicolons part fields, the comma is for decimals.
        semicolons = source.format == "csv" and separator_of(source, options) == ";"
        commas = columns.score if semicolons else None
        for line, record in read_records(source, options, advance, columns.wanted):
            if commas is not None:
                record[commas] = record[commas].replace(",", ".")
            yield line, record

    return records


def text_of(record: dict[str, Any], column: str) -> str:
    """Return a text that has something in it, or raise `BadRow`."""
    value = record.get(column)
    if value is None:
        raise BadRow("empty text", f"no {column}")
    if not isinstance(value, str):
        raise wrong_type(column, value, "a text")
    if not value or value.isspace():
        raise BadRow("empty text", f"nothing in {column}")
    return value


def id_of(record: dict[str, Any], columns: Columns) -> str | None:
    """Return the id of a row; None if it has none."""
    value = None if columns.id is None else record.get(columns.id)
    return None if value is None else str(value)


def _labels_of(record: dict[str, Any], column: str | None, separator: str | None) -> tuple[str, ...]:
    """Return the label of a row, or where there is a separator any number of them; none without a column."""
    if column is None:
        return ()
    value = record.get(column)
    if separator is None:
        return (_label(value, column),)
    if isinstance(value, str):
        value = value.split(separator) if value.strip() else []
    labels = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(_label(label, column) for label in labels))


def _label(value: object, column: str) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return str(int(value))
    label = value.strip() if isinstance(value, str) else value
    if label is None or label == "" or label != label:  # noqa: PLR0124 (NaN, as tables write what is missing)
        raise BadRow("no label", f"nothing in {column}")
    if not isinstance(label, str):
        raise wrong_type(column, value, "one label")
    return label


def _score_of(record: dict[str, Any], column: str | None) -> float | None:
    if column is None:
        return None
    value = record.get(column)
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
        raise BadRow("no finite score", f"{column} is {_shown(value)}")
    return float(value)


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # a whole number of hundreds of digits
        return False


def wrong_type(column: str, value: object, expected: str) -> BadRow:
    """Return the problem of a value that is not what its column should hold."""
    return BadRow("wrong type", f"{column} is {_shown(value)}, not {expected}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
