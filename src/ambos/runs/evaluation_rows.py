"""Labelled rows that a fine-tuned model can be measured with: those whose labels it knows."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ambos.data.label_set import UNKNOWN_SHOWN, Place
from ambos.data.read_files import RowFiles
from ambos.data.rows import Problems
from ambos.errors import InputError
from ambos.runs.known_labels import KnownLabels
from ambos.runs.splits import Split, Splits
from ambos.tasks.task import Task

UNKNOWN = "unknown label"  # why a row was left out


@dataclass
class KnownRows:
    """The rows of files, as often as they are asked for, never all in memory.

    Parameters
    ----------
    files
        Where they are.
    task
        Of the model.
    skip_bad
        Leave out, and count, rows that cannot be used, those with labels that the model does not know among
        them; without it they are refused.
    left_out
        How many rows the last reading left out, by reason.
    """

    files: RowFiles
    task: Task[Any, Any]
    skip_bad: bool = False
    left_out: dict[str, int] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The names of the files."""
        return [str(source.path) for source in self.files.sources]

    def __iter__(self) -> Iterator[Any]:
        problems, unknown = Problems(skip_bad=self.skip_bad), Counter[str]()
        rows = self.files.rows(problems)
        yield from known_rows(self.task, rows, unknown, skip_bad=self.skip_bad, problems=problems)
        self.left_out = {str(kind): count for kind, count in problems.counts.items()} | unknown


def known_rows(
    task: Task[Any, Any],
    rows: Iterable[Any],
    left_out: Counter[str],
    *,
    skip_bad: bool,
    exact: bool = False,
    learnt: bool = False,
    problems: Problems | None = None,
) -> Iterator[Any]:
    """Yield the rows whose labels a model knows; count the others, or raise `InputError` for a few of them.

    `exact` is as in `KnownLabels`, `learnt` as in `unknown_labels`. Where `rows` are read from files,
    `problems` knows of those that cannot be used; they are refused together with the labels.
    """
    known = KnownLabels(task, exact=exact)
    refused: dict[str, Place] = {}
    refusal = partial(known.refusal, refused, learnt=learnt, skippable=True)
    try:
        for row in rows:
            missing = list(_missing(known, row, skip_bad=skip_bad))
            if not missing:
                yield row
            elif skip_bad:
                left_out[UNKNOWN] += 1
            elif len(refused) <= UNKNOWN_SHOWN:
                for name, line in missing:
                    refused.setdefault(name, (row.file, line))
            else:
                break
        if refused and problems is not None:  # where reading ended early, nobody has asked yet
            problems.check()
    except InputError as error:
        raise (_both(refusal(), error) if refused else error) from None
    if refused:
        raise refusal()


def _both(one: InputError, other: InputError) -> InputError:
    """Return one error for two; of what is wrong in one file, what stands first is said first."""
    if one.file == other.file and (other.line or 0) < (one.line or 0):
        one, other = other, one
    return InputError(
        f"{one.what}; and {other.where or 'elsewhere'}: {other.what}",
        expected=_joined(one.expected, other.expected),
        found=_joined(one.found, other.found),
        fix=one.fix or other.fix,
        file=one.file,
        line=one.line,
    )


def _joined(*said: str | None) -> str | None:
    return "; ".join(filter(None, said)) or None


def _missing(known: KnownLabels, row: Any, *, skip_bad: bool) -> Iterator[tuple[str, int]]:  # noqa: ANN401
    """Yield what the model does not know of a row; with `skip_bad`, tags that cannot be read, too."""
    try:
        yield from known.missing(row)
    except InputError:
        if not skip_bad:
            raise
        yield UNKNOWN, row.line


def known_splits(task: Task[Any, Any], splits: Splits, *, skip_bad: bool) -> Splits:
    """Return the dev and test rows whose labels are among those that are learnt.

    Others are refused, before training begins; with `skip_bad`, or where they were kept back from the
    training rows by chance, they are left out and counted.
    """

    def known(split: Split, *, skip: bool, exact: bool = False) -> Split:
        left_out: Counter[str] = Counter()
        rows = list(known_rows(task, split.rows, left_out, skip_bad=skip, exact=exact, learnt=True))
        return replace(split, rows=rows, left_out=split.left_out | left_out)

    dev = splits.dev
    if splits.kept_back:  # what was left out before that is counted once, with the training rows
        unknown = {why: count for why, count in dev.left_out.items() if why == UNKNOWN}
        dev = replace(dev, left_out=unknown)
    return replace(
        splits,
        dev=known(dev, skip=skip_bad or splits.kept_back, exact=True),  # their loss is measured, too
        test=known(splits.test, skip=skip_bad),
    )
