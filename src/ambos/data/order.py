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
