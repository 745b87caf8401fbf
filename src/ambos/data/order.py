"""Which sequences go into a batch together: neighbours in length, up to a budget of tokens."""

from collections.abc import Iterator, Sequence

import numpy as np


def by_length(lengths: Sequence[int] | np.ndarray, budget: int, *, workers: int = 1) -> Iterator[np.ndarray]:
    """Yield index arrays that together are all sequences once, longest first, each within `budget` tokens.

    A sequence longer than the budget makes a batch of its own. Longest first, so that what uses most memory
    comes at once.

    Parameters
    ----------
    workers
        How many batches are worked on at once. Towards the end, batches for several workers become smaller,
        down to a quarter of the budget, so that none works alone on a large one while the others are done.

    Examples
    --------
    >>> [batch.tolist() for batch in by_length([2, 5, 3, 2], budget=5)]
    [[1], [2, 0], [3]]
    """
    sizes = np.asarray(lengths)
    order = np.argsort(-sizes, kind="stable")
    ends = np.cumsum(sizes[order])
    first, spent = 0, 0
    while first < len(order):
        room = budget
        if workers > 1:
            share = (int(ends[-1]) - spent) // (2 * workers)
            room = min(budget, max(share, budget // 4))
        last = max(first + 1, int(np.searchsorted(ends, spent + room, side="right")))
        yield order[first:last]
        first, spent = last, int(ends[last - 1])


def evenly(lengths: Sequence[int] | np.ndarray, most: int, *, least: int = 1) -> list[np.ndarray]:
    """Return index arrays that together are all sequences once, longest first, of about equal size.

    There are as many as it takes for `most` tokens each, on average, and `least` if there are so many
    sequences: for work that is done side by side, where the largest part decides how long it takes.

    Examples
    --------
    >>> [part.tolist() for part in evenly([2, 5, 3, 2], most=100, least=2)]
    [[1], [2, 0, 3]]
    """
    sizes = np.asarray(lengths)
    order = np.argsort(-sizes, kind="stable")
    total = int(sizes.sum())
    parts = min(len(sizes), max(least, -(-total // most)))
    middles = np.cumsum(sizes[order]) - sizes[order] / 2  # a sequence goes where its middle lies
    borders = np.arange(1, parts) * (total / parts)
    return [part for part in np.split(order, np.searchsorted(middles, borders)) if len(part)]
