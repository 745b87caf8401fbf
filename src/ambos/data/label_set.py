"""The labels of a task in a fixed order, and the id of each."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ambos.data.rows import PairRow, TextRow, WordsRow
from ambos.errors import InputError
from ambos.suggest import did_you_mean

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_MARKS = "BIELSU"  # of BIO, BIOES and BILOU, in the order of an entity's words
_TAG = re.compile(rf"[{_MARKS}]-.+|O", re.DOTALL)
_SHOWN = 8


@dataclass(frozen=True)
class LabelSet:
    """Names of labels; a label's id is its place.

    Examples
    --------
    >>> LabelSet.of(["I-PER", "O", "B-PER", "B-LOC"]).names
    ('O', 'B-LOC', 'B-PER', 'I-PER')
    >>> LabelSet.of(["10", "9"]).id_of("10")
    1
    """

    names: tuple[str, ...]

    @classmethod
    def of(cls, labels: Iterable[str]) -> "LabelSet":
        """Order labels: numbers by value; tags with `O` first, by type, B before I; all others by name."""
        return cls(_ordered(set(labels)))

    @classmethod
    def from_rows(cls, rows: Iterable[TextRow | PairRow | WordsRow]) -> "LabelSet":
        """Collect the labels of rows; raise `InputError` if there is nothing to tell apart."""
        seen: set[str] = set()
        first, everywhere = None, True
        for row in rows:
            labels = row.tags if isinstance(row, WordsRow) else row.labels
            seen.update(labels)
            everywhere = everywhere and len(seen) == 1 and bool(labels)
            first = first or row
        if len(seen) > 1 or (seen and not everywhere):
            return cls(_ordered(seen))
        raise InputError(
            "there is only one class: there is nothing to learn" if seen else "there are no labels",
            expected="at least two different labels",
            found=", ".join(seen) if seen else "rows without labels" if first else "no rows",
            fix="add rows of other classes, or name the column that holds the labels with --label COLUMN",
            file=first.file if first else None,
        )

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.names)}

    def id_of(self, label: str, file: Path | None = None, line: int | None = None) -> int:
        """Return the id of a label, or raise `InputError` with file and line if the set does not have it."""
        index = self._ids.get(label)
        if index is None:
            more = len(self.names) - _SHOWN
            shown = [*self.names[:_SHOWN], *([f"and {more:,} more"] if more > 0 else [])]
            raise InputError(
                f"the label {label[:60]!r} is not one that the model knows",
                expected=", ".join(shown),
                found=label[:60],
                fix=did_you_mean(label, self.names) or "correct it, or train with rows that have it",
                file=file,
                line=line,
            )
        return index


def _ordered(labels: set[str]) -> tuple[str, ...]:
    if all(_NUMBER.fullmatch(label) for label in labels):
        return tuple(sorted(labels, key=lambda label: (float(label), label)))
    if all(_TAG.fullmatch(label) for label in labels):
        return tuple(sorted(labels, key=_tag_order))
    return tuple(sorted(labels))


def _tag_order(tag: str) -> tuple[str, int]:
    return ("", 0) if tag == "O" else (tag[2:], _MARKS.index(tag[0]))
