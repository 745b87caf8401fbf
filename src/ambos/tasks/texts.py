"""Whole texts as examples: what classification and scoring share."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ambos.data.examples import Examples
from ambos.data.windows import Ledger, fit
from ambos.tasks.task import Logits, Reading


def encode_texts(
    texts: Sequence[str], reading: Reading, ledger: Ledger, target: NDArray[Any] | None
) -> Examples:
    """Return the sequences of texts, one each or in windows.

    Targets are `target`, (n, ...) of the text that each sequence belongs to, and `share`, (n,): one divided
    by the windows of its text, so that long texts count as much as short ones.
    """
    sequences: list[list[int]] = []
    owners: list[int] = []
    for number, ids in enumerate(reading.tokenizer.ids_batch(texts)):
        found = fit(ids, reading.limit, reading.tokenizer.around, reading.long, ledger)
        sequences += found
        owners += [number] * len(found)
    owner = np.asarray(owners, np.int64)
    share = (1 / np.bincount(owner, minlength=len(texts)))[owner].astype(np.float32)
    targets = {} if target is None else {"target": target[owner], "share": share}
    return Examples.of(sequences, owners=owners, rows=len(texts), targets=targets)


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
