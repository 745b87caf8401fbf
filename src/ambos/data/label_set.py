"""The labels of a task in a fixed order, and the id of each."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ambos.data.rows import PairRow, TextRow, WordsRow
from ambos.errors import InputError
from ambos.suggest import did_you_mean, nearest

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_MARKS = "BIELSU"  # of BIO, BIOES and BILOU, in the order of an entity's words
TAG = re.compile(rf"[{_MARKS}]-.+|O", re.DOTALL)
_SHOWN = 8
_LONGEST = 60  # characters of a label in an error
UNKNOWN_SHOWN = 5  # labels that are not known, in an error

Place = tuple[Path | None, int | None]  # file and line


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
            raise unknown_labels({label: (file, line)}, self.names)
        return index


def unknown_labels(
    unknown: Mapping[str, Place],
    known: Sequence[str],
    *,
    noun: str = "label",
    learnt: bool = False,
    skippable: bool = False,
) -> InputError:
    """Return the error for labels that are not among those that are known; each has the place it stands at.

    Those of the training rows are known where a model is being `learnt`; rows are `skippable` where a command
    can leave them out.

    Examples
    --------
    >>> print(unknown_labels({"c": (Path("a.csv"), 2), "d": (Path("a.csv"), 9)}, ["a", "b"]))
    a.csv, line 2: the labels 'c' and 'd' are not among those that the model knows
      expected  a, b
      found     c (line 2), d (line 9)
      fix       correct them, or train with rows that have them
    """
    first, (file, line) = next(iter(unknown.items()))
    names = [name[:_LONGEST] for name in unknown]
    whose = "of the training rows" if learnt else "that the model knows"
    what = f"the {noun} {names[0]!r} is not one {whose}"
    found = names[0]
    fix = did_you_mean(first, known) or "correct it, or train with rows that have it"
    if len(unknown) > 1:
        listed = [repr(name) for name in names[:UNKNOWN_SHOWN]]
        last = "more" if len(names) > UNKNOWN_SHOWN else listed.pop()
        what = f"the {noun}s {', '.join(listed)} and {last} are not among those {whose}"
        places = [
            f"{name[:_LONGEST]} ({'' if where == file else f'{where}, '}line {number})"
            for name, (where, number) in unknown.items()
        ]
        found = ", ".join(places[:UNKNOWN_SHOWN])
        near = [
            f"{found_near[0]} for {name[:_LONGEST]!r}"
            for name in list(unknown)[:UNKNOWN_SHOWN]
            if (found_near := nearest(name, known))
        ]
        fix = f"did you mean {', '.join(near)}? Otherwise " if near else ""
        fix += "correct them, or train with rows that have them"
    if skippable:
        fix += (" Otherwise" if fix.endswith("?") else ", or") + " leave such rows out with --skip-bad"
    more = len(known) - _SHOWN
    expected = ", ".join([*known[:_SHOWN], *([f"and {more:,} more"] if more > 0 else [])])
    return InputError(what, expected=expected, found=found, fix=fix, file=file, line=line)


def _ordered(labels: set[str]) -> tuple[str, ...]:
    if all(_NUMBER.fullmatch(label) for label in labels):
        return tuple(sorted(labels, key=lambda label: (float(label), label)))
    if all(TAG.fullmatch(label) for label in labels):
        return tuple(sorted(labels, key=_tag_order))
    return tuple(sorted(labels))


def _tag_order(tag: str) -> tuple[str, int]:
    return ("", 0) if tag == "O" else (tag[2:], _MARKS.index(tag[0]))
