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

_SHARE = 0.1  # of the rows, that is kept back
_ALONE = 0.1  # of what is kept back, that rows with the same text are at most, where there are others
_TAKEN = 1 / 3  # of the rows with such texts, that are kept back at most


def divide(rows: Sequence[Row], folds: int, seed: int, *, by_label: bool = False) -> NDArray[np.int64]:
    """Return the fold of each row, (n,), from 0 to `folds` - 1: folds of equal size as far as that goes.

    Rows with the same text (pair, words, passage of a question), as `ambos doctor` compares them, are in the
    same fold. With `by_label`, every fold has its share of every label; a text that is labelled in several
    ways counts as what most of its rows say.

    Groups of rows are dealt out, large ones first and else in an order drawn by the seed, each to the fold
    that has fewest rows of its label, and fewest rows at all.

    Examples
    --------
    >>> from pathlib import Path
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
    >>> from pathlib import Path
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
    other text has is learnt from. `draw_share` says which texts these are; if each has more rows than a
    tenth, it is the one with the fewest. Where all texts are the same, nothing is kept back.

    Examples
    --------
    >>> from pathlib import Path
    >>> from ambos.data.rows import TextRow
    >>> rows = [TextRow(text, (text,), None, Path("a.csv"), 1) for text in "aab"]
    >>> keep_back(rows).tolist()  # else a label would be lost
    [False, False, False]
    """
    group = same_text(rows)
    sizes = np.bincount(group)
    names = _names_by_group(rows, group)
    texts_of = Counter(name for some in names for name in some)
    free = np.array([all(texts_of[name] > 1 for name in some) for some in names], np.bool_)
    if len(sizes) < 2 or not free.any():
        return np.zeros(len(rows), np.bool_)
    by_label = all(len(_names(row)) == 1 and not isinstance(row, WordsRow) for row in rows)
    strata = np.unique(_labels(rows, group), return_inverse=True)[1] if by_label else np.zeros_like(sizes)
    chance = Draws.of(0, "kept back").uniform(np.arange(len(sizes)))
    kept = draw_share(sizes, strata, _SHARE, chance, free)
    if not kept.any():
        kept[np.lexsort((chance, sizes, ~free))[0]] = True
    taken = Counter(name for number in np.flatnonzero(kept).tolist() for name in names[number])
    for number in np.flatnonzero(kept).tolist():
        if any(taken[name] == texts_of[name] for name in names[number]):  # it would not be learnt
            kept[number] = False
            taken.subtract(names[number])
    held: NDArray[np.bool_] = kept[group]
    return held


def draw_share(
    sizes: NDArray[np.int64],
    strata: NDArray[Any],
    share: float,
    chance: NDArray[np.float64],
    free: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """Tell which groups of rows make a share of all rows, (g,), of each stratum as nearly as can be.

    A group that is more than a tenth of the share would be much of it: smaller ones are drawn, each with the
    same chance. At most a third of those is taken (the share, if it is more); where that is not enough,
    larger ones are added, the smallest first. None is larger than the share: if all are, nothing is taken.

    Parameters
    ----------
    sizes, strata
        (g,) rows of each group, and of which stratum they are.
    chance
        (g,) drawn numbers that put groups of one size in order.
    free
        (g,) which groups may be taken; by default all.

    Examples
    --------
    >>> sizes = np.array([40, *[1] * 60])
    >>> found = draw_share(sizes, np.zeros(61), 0.1, np.arange(61) / 61)
    >>> found[0].item(), sizes[found].sum().item()
    (False, 10)
    """
    most = np.floor(share * sizes.sum() + 0.5)
    fits = (sizes <= most) if free is None else free & (sizes <= most)
    kept, found = 0, np.zeros(len(sizes), np.bool_)
    if not fits.any():
        return found
    small = fits & (sizes <= max(_ALONE * most, sizes[fits].min()))
    wanted, highest = share * (sizes.sum() / sizes[small].sum()), max(share, _TAKEN)
    order = np.lexsort((chance, sizes, strata))  # one stratum after the other, so that each has its share
    order = order[small[order]]
    places = np.floor(min(wanted, highest) * np.arange(len(order) + 1) + 0.5)
    by_size = np.lexsort((chance, sizes))
    more = fits & ~small if wanted > highest else small  # for what is missing yet
    for number in [*order[np.diff(places) > 0].tolist(), *by_size[more[by_size]].tolist()]:
        if not found[number] and kept + sizes[number] <= most:
            found[number] = True
            kept += int(sizes[number])
    if not kept:
        found[by_size[small[by_size]][0]] = True
    return found


def _names_by_group(rows: Sequence[Row], group: NDArray[np.int64]) -> list[frozenset[str]]:
    """Return what the rows of each group are labelled; equal sets are one object, since there are few."""
    known: dict[frozenset[str], frozenset[str]] = {}
    found = [frozenset[str]()] * (int(group.max(initial=-1)) + 1)
    for row, number in zip(rows, group.tolist(), strict=True):
        both = found[number].union(_names(row))
        found[number] = known.setdefault(both, both)
    return found


def _names(row: Any) -> Sequence[str]:  # noqa: ANN401 (any kind of row)
    """Return what a row is labelled; () of scores and answers."""
    return row.tags or () if isinstance(row, WordsRow) else getattr(row, "labels", ())
