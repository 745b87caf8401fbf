"""What labelled rows hold and what is wrong with them, in figures and sentences, before training."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, get_args

import numpy as np

from ambos.data.label_set import TAG
from ambos.data.rows import Kind, Problems, Row
from ambos.data.tally_rows import Place, ScoreFigures, Share, Tally, TokenFigures
from ambos.text.tokenizer import Tokenizer

Severity = Literal["error", "warning", "note"]

TRAIN, DEV, TEST = "train", "dev", "test"
_EXAMPLES = 6
_NAMED = 8  # labels in a sentence
_RARE = 10  # examples of a label with which little can be learnt
_UNEVEN = 10  # times as often as another label
_LEAK = 0.01  # share of a split beyond which its figures say little
_MISSING = {"nan", "null", "none", "n/a", "na"}
_UNKNOWN = 0.01
_FERTILITY = 2.5


@dataclass(frozen=True)
class Finding:
    """One thing to know or to put right: a plain sentence, what to do, and where to look.

    `ids` are those of the questions that the examples are: many may stand in one line.
    """

    severity: Severity
    what: str
    fix: str
    examples: list[Place]
    ids: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class SplitFigures:
    """One split in figures.

    Parameters
    ----------
    empty
        Rows without a text; those that were left out for it are among them, though not among `rows`.
    duplicates
        Rows whose text stands in an earlier row of the split.
    in_train
        Rows whose text (of a question: passage) is in the training split, too.
    unseen
        Labels that the training split does not have, with the number of their occurrences.
    """

    rows: int
    empty: int
    duplicates: int
    in_train: int
    labels: dict[str, Share]
    unseen: dict[str, int]
    scores: ScoreFigures | None
    tokens: TokenFigures | None


@dataclass(frozen=True)
class Examination:
    """All splits in figures, and findings, the gravest first; `dataclasses.asdict` makes it JSON.

    Parameters
    ----------
    conflicts
        Texts that have different labels, tags, scores or answers in different rows.
    left_out
        Rows that could not be read, by kind of problem.
    """

    splits: dict[str, SplitFigures]
    conflicts: int
    left_out: dict[Kind, int]
    findings: list[Finding]


def examine(
    train: Iterable[Row],
    others: Mapping[str, Iterable[Row]] | None = None,
    *,
    tokenizer: Tokenizer | None = None,
    limit: int | None = None,
    most: int | None = None,
    problems: Problems | None = None,
) -> Examination:
    """Read all rows once and say what there is to know about them.

    Parameters
    ----------
    others
        The other splits, by name.
    tokenizer, limit
        To count tokens, and those beyond so many in a row.
    most
        How many tokens the model can read at a time, so that no more are advised.
    problems
        What the readers of the rows were given (with `skip_bad`): what they left out is reported as well.

    Examples
    --------
    >>> from pathlib import Path
    >>> from ambos.data.rows import TextRow
    >>> rows = [TextRow(text, (text[-1],), None, Path("a.csv"), 2) for text in ("Bom +", "Mau -")]
    >>> examine(rows, {"test": rows[:1]}).findings[0].what
    '1 of 1 rows of test (100.0 %) have a text that is in train, too'
    """
    problems = problems or Problems(skip_bad=True)
    tallies, unread = {}, {}
    for name, rows in {TRAIN: train, **(others or {})}.items():
        before = problems.counts.get("empty text", 0)
        tallies[name] = Tally(rows, tokenizer)
        unread[name] = problems.counts.get("empty text", 0) - before
    known = tallies[TRAIN]
    findings = list(_of_problems(problems))
    splits = {}
    for name, tally in tallies.items():
        repeated = _repeated(tally)
        leaked = [] if tally is known else _shared(tally, known)
        splits[name] = figures = SplitFigures(
            rows=len(tally),
            empty=len(tally.empty) + unread[name],
            duplicates=len(repeated),
            in_train=len(leaked),
            labels=tally.shares(),
            unseen={label: count for label, count in tally.labels.most_common() if label not in known.labels},
            scores=tally.scores(),
            tokens=tally.tokens.figures(limit) if tally.tokens else None,
        )
        findings += _of_texts(name, tally, figures, repeated)
        findings += _of_leaks(name, tally, TRAIN, leaked)
        if name == TEST and DEV in tallies:
            findings += _of_leaks(name, tally, DEV, _shared(tally, tallies[DEV]))
        findings += _of_labels(tally) if tally is known else _of_unseen(name, tally, figures)
        findings += _of_tokens(name, figures, limit, most, pairs=tally.has_pairs)
        findings += _of_missing(name, tally)
        findings += _of_tags(name, tally)
    conflicts, torn = _conflicts(list(tallies.values()))
    if conflicts:
        what = f"{_count(conflicts, 'text')} in more than one row, and not labelled alike"
        findings.append(_seen("warning", what, "decide what is right, and take the others out", torn))
    findings.sort(key=lambda finding: get_args(Severity).index(finding.severity))
    return Examination(splits, conflicts, problems.counts, findings)


def _repeated(tally: Tally) -> list[int]:
    """Return the numbers of the rows whose text an earlier one has."""
    again = np.ones(len(tally), np.bool_)
    again[np.unique(tally.texts, return_index=True)[1]] = False
    return np.flatnonzero(again).tolist()


def _shared(tally: Tally, other: Tally) -> list[int]:
    """Return the numbers of the rows that have a text (or passage) of another split."""
    return np.flatnonzero(np.isin(tally.shared, other.shared)).tolist()


def _conflicts(tallies: Sequence[Tally]) -> tuple[int, list[tuple[Tally, int]]]:
    """Count the texts that have different answers, and return the first rows that have them."""
    text = np.unique(np.concatenate([tally.texts for tally in tallies]), return_inverse=True)[1]
    answer = np.unique(np.concatenate([tally.answers for tally in tallies]), return_inverse=True)[1]
    different = np.unique(text * (len(answer) + 1) + answer) // (len(answer) + 1)
    torn = np.flatnonzero(np.bincount(different) > 1)
    rows = np.flatnonzero(np.isin(text, torn))
    _, first, group = np.unique(text[rows], return_index=True, return_inverse=True)
    together = rows[np.argsort(first[group], kind="stable")]
    starts = np.cumsum([0, *map(len, tallies)])
    shown = together[:_EXAMPLES]
    owners = np.searchsorted(starts, shown, side="right") - 1
    found = [(tallies[owner], row - starts[owner]) for row, owner in zip(shown, owners, strict=True)]
    return len(torn), found


def _finding(severity: Severity, what: str, fix: str, tally: Tally, rows: Iterable[int]) -> Finding:
    return _seen(severity, what, fix, [(tally, row) for row in islice(rows, _EXAMPLES)])


def _seen(severity: Severity, what: str, fix: str, rows: Sequence[tuple[Tally, int]]) -> Finding:
    """Return a finding that names these rows: each line once, and the ids of questions."""
    places = dict.fromkeys(tally.place(row) for tally, row in rows)
    ids = dict.fromkeys(name for tally, row in rows if (name := tally.id(row)) is not None)
    return Finding(severity, what, fix, list(places), list(ids))


def _first(severity: Severity, what: str, fix: str, tally: Tally, labels: Iterable[str]) -> Finding:
    """Return a finding that names the first places of these labels."""
    places = dict.fromkeys(tally.first[label] for label in labels)
    return Finding(severity, what, fix, list(islice(places, _EXAMPLES)))


def _of_problems(problems: Problems) -> Iterator[Finding]:
    places = {
        kind: list(dict.fromkeys((str(one.file), one.line) for one in problems.examples if one.kind == kind))
        for kind in (*problems.counts, *problems.noted)
    }
    for kind, count in problems.counts.items():
        fix = "put them right, or leave them out with --skip-bad"
        yield Finding("error", f"{_count(count, 'row')} cannot be used: {kind}", fix, places[kind])
    for kind, count in problems.noted.items():
        fix = "look at them: I- goes on with what B- or I- of the same type began"
        yield Finding("note", f"{_count(count, 'sentence')} with {kind}", fix, places[kind])


def _of_texts(name: str, tally: Tally, figures: SplitFigures, repeated: Sequence[int]) -> Iterator[Finding]:
    if not figures.rows:
        yield Finding("error", f"{name} has no rows", "check that it is the right file, and whole", [])
    if tally.empty:
        what = f"{_part(len(tally.empty), figures.rows, name)} have an empty text"
        yield _finding("error", what, "take them out, or put the text in", tally, tally.empty)
    if repeated:
        what = f"{_part(figures.duplicates, figures.rows, name)} repeat the text of an earlier one"
        yield _finding("note", what, "take them out, unless they are meant to count more", tally, repeated)


def _of_leaks(name: str, tally: Tally, other: str, leaked: Sequence[int]) -> Iterator[Finding]:
    """Look at what a split shares with one that is learnt from, or that decides which weights are kept."""
    if leaked:
        what = "passage" if tally.has_questions else "text"
        what = f"{_part(len(leaked), len(tally), name)} have a {what} that is in {other}, too"
        severity: Severity = "error" if len(leaked) >= _LEAK * len(tally) else "warning"
        why = ", whose rows select the weights" if other == DEV else ""
        fix = f"take them out of {other}{why}: what is measured on {name} would be better than it is"
        yield _finding(severity, what, fix, tally, leaked)


def _of_labels(tally: Tally) -> Iterator[Finding]:
    """Look at the labels of the training split: too few, too many, too uneven."""
    shares = {
        label: share for label, share in tally.shares().items() if label != "O"
    }  # of tags, not an entity
    if tally.has_questions or not tally.labels:
        return
    if len(tally.labels) == 1 and max(share.share for share in tally.shares().values()) == 1:
        fix = "add rows of other classes, or name the column that holds the labels with --label COLUMN"
        yield Finding("error", f"there is only one class: {_names(tally.labels)}", fix, [])
        return
    if len(shares) > max(_RARE, len(tally) / 2):
        what = f"{len(shares):,} different labels for {_count(len(tally), 'row')} of train"
        fix = "name the column that holds the labels with --label COLUMN; numbers on a scale are scores"
        yield _first("warning", what, fix, tally, tally.first)
        return
    rare = [label for label, share in shares.items() if share.count < _RARE]
    if rare:
        what = f"{_count(len(rare), 'label')} with fewer than {_RARE} examples in train: {_names(rare)}"
        yield _first("warning", what, "find more examples, or join labels", tally, rare)
    most, least = next(iter(shares)), next(reversed(shares))
    if shares[most].count >= _UNEVEN * shares[least].count:
        uneven = f"{shares[most].count:,} examples of {most} and {shares[least].count:,} of {least}"
        what = f"labels are uneven: {uneven} in train"
        yield Finding("note", what, "weigh the classes, and judge by macro F1 rather than accuracy", [])


def _of_unseen(name: str, tally: Tally, figures: SplitFigures) -> Iterator[Finding]:
    if figures.unseen:
        what = f"{_count(len(figures.unseen), 'label')} of {name} not in train: {_names(figures.unseen)}"
        fix = "correct them, or put rows that have them into train"
        yield _first("error", what, fix, tally, figures.unseen)


def _of_missing(name: str, tally: Tally) -> Iterator[Finding]:
    """Look for labels that programs write where there is none."""
    named = [label for label in tally.labels if label.casefold() in _MISSING]
    if named and not tally.has_tags:
        count = sum(tally.labels[label] for label in named)
        what = f"{_part(count, len(tally), name)} have labels that may be missing values: {_names(named)}"
        yield _first("warning", what, "take them out or put labels in, unless this is one", tally, named)


def _of_tags(name: str, tally: Tally) -> Iterator[Finding]:
    """Look for tags that mark no entity beside more that do."""
    odd = [tag for tag in tally.labels if not TAG.fullmatch(tag)]
    marked = sum(count for tag, count in tally.labels.items() if tag != "O" and TAG.fullmatch(tag))
    if tally.has_tags and odd and marked > sum(tally.labels[tag] for tag in odd):
        what = f"{_count(len(odd), 'tag')} of {name} not in BIO or BIOES, as the others are: {_names(odd)}"
        fix = "correct them, or no entities can be predicted: O, or B-, I-, E- or S- and a type"
        yield _first("warning", what, fix, tally, odd)


def _of_tokens(
    name: str, figures: SplitFigures, limit: int | None, most: int | None, *, pairs: bool
) -> Iterator[Finding]:
    tokens = figures.tokens
    if tokens is None:
        return
    if tokens.cut_rows:
        share = f"{100 * tokens.cut_tokens / tokens.tokens:.1f} % of all tokens would be cut"
        what = f"{_part(tokens.cut_rows, figures.rows, name)} are longer than {limit:,} tokens: {share}"
        yield Finding("warning", what, _longer(tokens, limit or 0, most, pairs=pairs), [])
    if tokens.unknown >= _UNKNOWN:
        what = f"{100 * tokens.unknown:.1f} % of the tokens of {name} are unknown to the tokenizer"
        yield Finding("warning", what, "use a model whose tokenizer knows this alphabet", [])
    if tokens.fertility >= _FERTILITY:
        what = f"the tokenizer makes {tokens.fertility:.1f} tokens of a word of {name}"
        yield Finding("note", what, "use a model made for this language, if there is one", [])


def _longer(tokens: TokenFigures, limit: int, most: int | None, *, pairs: bool) -> str:
    """Return what to do with texts beyond the limit; pairs are not read in windows, or from both ends."""
    windows = "read long texts in windows (--long windows)"
    enough, rows = (tokens.p99, "99 of 100") if tokens.p99 > limit else (tokens.longest, "all")
    if most is None or enough <= most:
        allow = f"allow {enough:,} tokens for {rows} rows (--max-length {enough})"
        return allow if pairs else f"{allow}, or {windows}"
    reads = f"the model reads at most {most:,} tokens at a time"
    allow = f"allow as many (--max-length {most}), " if limit < most else ""
    if pairs:
        return f"{reads}: {allow}shorten the texts, or let the longer text of a pair be cut (--long cut)"
    return f"{reads}: {allow}{windows}, or keep their beginning and end (--long head-tail)"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _part(number: int, rows: int, name: str) -> str:
    return f"{number:,} of {rows:,} rows of {name} ({100 * number / rows:.1f} %)"


def _names(labels: Iterable[str]) -> str:
    names = list(labels)
    more = [f"and {len(names) - _NAMED:,} more"] if len(names) > _NAMED else []
    return ", ".join([*names[:_NAMED], *more])
