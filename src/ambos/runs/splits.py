"""The labelled rows of a run: read from the files that a recipe names, checked, and divided."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ambos.data.divide_rows import keep_back
from ambos.data.read_files import RowFiles
from ambos.data.rows import Columns, PairRow, Problems
from ambos.runs.finetune_settings import DataFiles, TaskName
from ambos.text.stream import ReadOptions, check_encoding


@dataclass(frozen=True)
class Split:
    """Rows for one purpose, the columns that they came from, and how many were left out as bad."""

    rows: Sequence[Any] = ()
    columns: Columns = field(default_factory=Columns)
    left_out: dict[str, int] = field(default_factory=dict)
    files: tuple[str, ...] = ()

    @property
    def pairs(self) -> bool:
        """Whether its rows are pairs of texts."""
        return bool(self.rows) and isinstance(self.rows[0], PairRow)

    @property
    def missing(self) -> str:
        """How many rows were left out, and why; nothing if none were."""
        reasons = ", ".join(f"{count:,} for {why}" for why, count in self.left_out.items())
        return f"{sum(self.left_out.values()):,} left out: {reasons}" if reasons else ""


@dataclass(frozen=True)
class Splits:
    """What a run learns from, selects by, and is measured with at its end.

    `kept_back` tells whether the dev rows were taken from the training file.
    """

    train: Split
    dev: Split
    test: Split
    kept_back: bool = False

    @property
    def summary(self) -> str:
        """How many rows there are, how many were left out and why, and which columns they came from."""
        count, files = len(self.train.rows), len(self.train.files)
        rows = f"{count:,} {'row' if count == 1 else 'rows'} to learn from"
        rows += _aside(f"in {files:,} files" if files > 1 else "", self.train.missing)
        rows += f", {len(self.dev.rows):,} to select by"
        rows += _aside("kept back") if self.kept_back else _aside(self.dev.missing)
        if self.test.rows:
            rows += f", {len(self.test.rows):,} to measure with{_aside(self.test.missing)}"
        columns = [str(self.train.columns), *(f"{name} {one}" for name, one in self._other_columns.items())]
        return "; ".join([rows, *filter(None, columns)])

    @property
    def columns(self) -> dict[str, dict[str, str]]:
        """Which column held what, of each split that has rows."""
        return {name: split.columns.chosen for name, split in self._named.items() if split.files}

    @property
    def left_out(self) -> dict[str, dict[str, int]]:
        """How many rows of each split were left out, by reason."""
        return {name: split.left_out for name, split in self._named.items()}

    @property
    def _named(self) -> dict[str, Split]:
        return {"train": self.train, "dev": self.dev, "test": self.test}

    @property
    def _other_columns(self) -> dict[str, Columns]:
        """The columns of dev and test, where they are not those of train."""
        others = {"in dev": self.dev, "in test": self.test}
        return {
            name: split.columns
            for name, split in others.items()
            if split.files and split.columns != self.train.columns
        }

    @property
    def files(self) -> tuple[str, ...]:
        """The names of all files, each once."""
        return tuple(dict.fromkeys((*self.train.files, *self.dev.files, *self.test.files)))

    def with_dev(self) -> "Splits":
        """Return splits with dev rows: where there is no dev file, a tenth of the training rows."""
        if self.dev.files:
            return self
        kept = keep_back(self.train.rows)
        parts = [
            [row for row, back in zip(self.train.rows, kept, strict=True) if back == side]
            for side in (False, True)
        ]
        learnt, selected = (replace(self.train, rows=rows) for rows in parts)
        return Splits(learnt, selected, self.test, kept_back=True)


def _aside(*remarks: str) -> str:
    """Return remarks in brackets, or nothing if there are none."""
    said = "; ".join(filter(None, remarks))
    return f" ({said})" if said else ""


def read_splits(files: DataFiles, task: TaskName, *, several: bool = False) -> Splits:
    """Read the rows of a run as they are in its files."""
    train = (
        read_split(files.train, files, task, several=several, pairs=files.pairs) if files.train else Split()
    )
    dev, test = (
        read_split(names, files, task, several=several, pairs=train.pairs) if names else Split()
        for names in (files.dev, files.test)
    )
    return Splits(train, dev, test)


def read_split(
    names: Sequence[str],
    files: DataFiles,
    task: TaskName,
    *,
    several: bool = False,
    pairs: bool | None = None,
) -> Split:
    """Read all rows of some files; `pairs`, where it is known, says whether they hold pairs of texts."""
    problems = Problems(skip_bad=files.skip_bad)
    found = RowFiles.find(
        names,
        task,
        Columns(**files.columns),
        pairs=pairs,
        several=several,
        separator=files.separator,
        options=ReadOptions(encoding=check_encoding(files.encoding)),
        skip_bad=files.skip_bad,
    )
    rows = list(found.rows(problems))
    counts = {str(kind): count for kind, count in problems.counts.items()}
    return Split(rows, found.shown, counts, tuple(str(source.path) for source in found.sources))
