"""Whole texts, and pairs of texts, as examples: what classification and scoring share."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ambos.data.examples import Examples
from ambos.data.rows import PairRow, TextRow
from ambos.data.sequences import Layout
from ambos.data.windows import Ledger, fit, fit_pair
from ambos.tasks.task import Logits, Reading

TextOrPair = TextRow | PairRow


def encode_texts(
    rows: Sequence[TextOrPair], reading: Reading, ledger: Ledger, target: NDArray[Any] | None
) -> Examples:
    """Return the sequences of texts, one each or in windows; of pairs, both texts in one sequence.

    Targets are `target`, (n, ...) of the row that each sequence belongs to, and `share`, (n,): one divided
    by the windows of its text, so that long texts count as much as short ones.
    """
    tokenizer = reading.tokenizer
    sequences: list[list[int]] = []
    segments: list[list[int]] = []
    owners: list[int] = []
    whole = tokenizer.ids_batch([row.text if isinstance(row, TextRow) else row.text_a for row in rows])
    others = iter(tokenizer.ids_batch([row.text_b for row in rows if isinstance(row, PairRow)]))
    join = partial(_joined, Layout.of(tokenizer), reading, ledger)
    for number, (row, ids) in enumerate(zip(rows, whole, strict=True)):
        if isinstance(row, TextRow):
            found = fit(ids, reading.limit, tokenizer.around, reading.long, ledger)
            segments += [[0] * len(sequence) for sequence in found]
        else:
            sequence, numbers = join(ids, next(others))
            found = [sequence]
            segments.append(numbers)
        sequences += found
        owners += [number] * len(found)
    owner = np.asarray(owners, np.int64)
    share = (1 / np.bincount(owner, minlength=len(rows)))[owner].astype(np.float32)
    targets = {} if target is None else {"target": target[owner], "share": share}
    return Examples.of(sequences, segments, owners=owners, rows=len(rows), targets=targets)


def _joined(
    layout: Layout, reading: Reading, ledger: Ledger, first: list[int], second: list[int]
) -> tuple[list[int], list[int]]:
    """Return two texts, which come with the special tokens of single ones, as one sequence."""
    before, after = reading.tokenizer.around
    a, b = first[before : len(first) - after], second[before : len(second) - after]
    room = layout.room(reading.limit, pair=True)
    kept_a, kept_b = fit_pair(len(a), len(b), room, reading.long, ledger, special=reading.limit - room)
    return layout.pair(a[:kept_a], b[:kept_b])


def kept_pairs(pairs: bool | None) -> dict[str, bool]:
    """Return what a model keeps of whether it reads pairs; nothing if that is not known."""
    return {} if pairs is None else {"pairs": pairs}


def mean_of_windows(logits: Logits, examples: Examples) -> Logits:
    """Return one row of logits for each text: the mean over its windows, (rows, outputs).

    Examples
    --------
    >>> examples = Examples.of([[1], [2], [3]], owners=[0, 0, 1], rows=2)
    >>> mean_of_windows(np.array([[0.0], [2.0], [5.0]], np.float32), examples).tolist()
    [[1.0], [5.0]]
    """
    if len(logits) == examples.rows:
        return logits
    counts = np.bincount(examples.owners, minlength=examples.rows)
    sums = np.add.reduceat(logits, np.cumsum(counts) - counts)
    return np.asarray(sums / counts[:, None], np.float32)
