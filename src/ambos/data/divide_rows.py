"""Rows divided so that nothing leaks: into folds, or into rows to learn from and rows to select by."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ambos.data.draws import Draws
from ambos.data.rows import Row, WordsRow
from ambos.data.tally_rows import Tally
from ambos.errors import UsageError

_PARTS = 10  # of which one is kept back


def divide(rows: Sequence[Row], folds: int, seed: int, *, by_label: bool = False) -> NDArray[np.int64]:
    """Return the fold of each row, (n,), from 0 to `folds` - 1: folds of equal size as far as that goes.

    Rows with the same text (pair, words, passage of a question), as `ambos doctor` compares them, are in the
    same fold. With `by_label`, every fold has its share of every label; a text that is labelled in several
    ways counts as what most of its rows say.

    Groups of rows are dealt out, large ones first and else in an order drawn by the seed, each to the fold
    that has fewest rows of its label, and fewest rows at all.

    Examples
    --------
    >>> from ambos.data.rows import TextRow
    >>> rows = [TextRow(text, (), None, Path("a.csv"), 1) for text in "abca"]
    >>> divide(rows, 2, seed=0).tolist()
    [0, 1, 1, 0]
    """
    group = same_text(rows)
    texts = len(np.bincount(group))
    if texts < folds:
        raise UsageError(
            f"{texts:,} different texts cannot be divided into {folds} folds",
            expected=f"at least {folds} different texts in the training rows",
            fix=f"--folds {texts}" if texts > 1 else "add rows",
        )
    return _deal(rows, group, folds, seed, by_label=by_label)


def same_text(rows: Sequence[Row]) -> NDArray[np.int64]:
    """Return the number of the text of each row, (n,): rows with the same text have the same one.

    Examples
    --------
    >>> from ambos.data.rows import TextRow
    >>> same_text([TextRow(text, (), None, Path("a.csv"), 1) for text in "bab"]).tolist()
    [1, 0, 1]
    """
    found: NDArray[np.int64] = np.unique(Tally(rows).shared, return_inverse=True)[1]
    return found


def _deal(
    rows: Sequence[Row], group: NDArray[np.int64], folds: int, seed: int, *, by_label: bool
) -> NDArray[np.int64]:
    """Return the fold of each row, (n,), as `divide` says, given which rows belong together."""
    sizes = np.bincount(group)
    labels = _labels(rows, group) if by_label else [""] * len(sizes)
    order = np.lexsort((Draws.of(seed, "folds").bits(np.arange(len(sizes))), -sizes))
    held = [0] * folds
    held_of: dict[str, list[int]] = defaultdict(lambda: [0] * folds)
    fold_of = np.zeros(len(sizes), np.int64)
    for number in order.tolist():
        mine = held_of[labels[number]]
        fold = min(range(folds), key=lambda one, mine=mine: (mine[one], held[one]))  # type: ignore[misc]
        fold_of[number] = fold
        mine[fold] += int(sizes[number])
        held[fold] += int(sizes[number])
    return fold_of[group]


def _labels(rows: Sequence[Any], group: NDArray[np.int64]) -> list[str]:
    """Return what most rows of each group are labelled; of equally many, the first by name."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for row, number in zip(rows, group.tolist(), strict=True):
        counts[number][row.labels[0]] += 1
    return [min(counts[number], key=lambda name: (-counts[number][name], name)) for number in sorted(counts)]


def keep_back(rows: Sequence[Row]) -> NDArray[np.bool_]:
    """Tell which rows, a tenth, are kept back from training to select by, (n,); the same ones every time.

    Rows with the same text are on one side, every label has its share on both, and a label or tag that no
    other row has is learnt from. Where all texts are the same, nothing is kept back.

    Examples
    --------
    >>> from pathlib import Path
    >>> from ambos.data.rows import TextRow
    >>> rows = [TextRow(text, (text,), None, Path("a.csv"), 1) for text in "aab"]
    >>> keep_back(rows).tolist()  # else a label would be lost
    [False, False, False]
    """
    group = same_text(rows)
    texts = len(np.bincount(group))
    if texts < 2:
        return np.zeros(len(rows), np.bool_)
    by_label = all(len(_names(row)) == 1 and not isinstance(row, WordsRow) for row in rows)
    kept = _deal(rows, group, min(_PARTS, texts), 0, by_label=by_label) == 0
    known = {name for row, back in zip(rows, kept, strict=True) if not back for name in _names(row)}
    lost = [bool(back) and not known.issuperset(_names(row)) for row, back in zip(rows, kept, strict=True)]
    return np.asarray(kept & ~np.isin(group, group[lost]))


def _names(row: Any) -> Sequence[str]:  # noqa: ANN401 (any kind of row)
    """Return what a row is labelled; () of scores and answers."""
    return row.tags or () if isinstance(row, WordsRow) else getattr(row, "labels", ())
