"""Whole texts, and pairs of texts, as examples: what classification and scoring share."""

from array import array
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ambos.data.examples import Examples, Runs
from ambos.data.rows import PairRow, TextRow
from ambos.data.sequences import Layout
from ambos.data.windows import Ledger, fit, fit_apart, fit_together, named_in_errors
from ambos.tasks.task import Logits, Reading

TextOrPair = TextRow | PairRow


def encode_texts(
    rows: Sequence[TextOrPair], reading: Reading, ledger: Ledger, target: NDArray[Any] | None
) -> Examples:
    """Return the sequences of texts, one each or in windows; of pairs, both texts in one sequence, or apart.

    Targets are `target`, (n, ...) of the row that each sequence belongs to, and `share`, (n,): one divided
    by the windows of its text, so that long texts count as much as short ones.
    """
    if reading.apart:
        return _encode_apart(rows, reading, ledger, target)
    tokenizer = reading.tokenizer
    sequences, segments, owners = Runs("i"), Runs("B"), array("q")
    whole = tokenizer.ids_each(text for row in rows for text in texts_of(row))
    join = partial(_joined, Layout.of(tokenizer), reading, ledger)
    for number, row in enumerate(rows):
        texts = [next(whole) for _ in texts_of(row)]
        if isinstance(row, TextRow):
            found: list[tuple[list[int], Sequence[int]]] = [
                (sequence, bytes(len(sequence)))
                for sequence in fit(texts[0], reading.limit, tokenizer.around, reading.long, ledger)
            ]
        else:
            found = [join(texts)]
        for sequence, numbers in found:
            sequences.add(sequence)
            segments.add(numbers)
            owners.append(number)
    owner = np.asarray(owners, np.int64)
    share = (1 / np.bincount(owner, minlength=len(rows)))[owner].astype(np.float32)
    targets = {} if target is None else {"target": target[owner], "share": share}
    return Examples.of(sequences, segments, owners=owners, rows=len(rows), targets=targets)


def _joined(
    layout: Layout, reading: Reading, ledger: Ledger, texts: Sequence[list[int]]
) -> tuple[list[int], list[int]]:
    """Return texts, which come with the special tokens of single ones, as one sequence."""
    before, after = reading.tokenizer.around
    bare = [text[before : len(text) - after] for text in texts]
    room = layout.room(reading.limit, texts=len(texts))
    counts = fit_together([*map(len, bare)], room, reading.long, ledger, special=reading.limit - room)
    return layout.together(*(text[:count] for text, count in zip(bare, counts, strict=True)))


def _encode_apart(
    rows: Sequence[TextOrPair], reading: Reading, ledger: Ledger, target: NDArray[Any] | None
) -> Examples:
    """Return pairs whose texts are sequences of their own; a text that occurs again is the same sequence."""
    tokenizer = reading.tokenizer
    numbers: dict[str, int] = {}
    pairs = ([numbers.setdefault(text, len(numbers)) for text in texts_of(row)] for row in rows)
    sides = Runs("q", pairs).flat.reshape(-1, 2)
    ids = tokenizer.ids_each(numbers)
    sequences, ledgers = Runs("i"), list[Ledger]()
    for row, (first, second) in zip(rows, sides, strict=True):
        for number in range(len(ledgers), max(first, second) + 1):  # those that come for the first time
            ledgers.append(Ledger())
            with named_in_errors([row], ledgers[number]):
                one = fit_apart(next(ids), reading.limit, tokenizer.around, reading.long, ledgers[number])
            sequences.add(one)
        ledger.count_pair(ledgers[first], ledgers[second])
    targets = {} if target is None else {"target": target, "share": np.ones(len(rows), np.float32)}
    return Examples.of(sequences, rows=len(rows), targets=targets, sides=sides)


def texts_of(row: TextOrPair) -> tuple[str, ...]:
    """Return the text of a row, or the texts of a pair."""
    return (row.text,) if isinstance(row, TextRow) else (row.text_a, row.text_b, *row.more)


def kept_pairs(pairs: bool | None, texts: int) -> dict[str, bool | int]:
    """Return what a model keeps of whether it reads pairs, and of how many texts; nothing if it is not known.

    Examples
    --------
    >>> kept_pairs(True, 2), kept_pairs(True, 3)
    ({'pairs': True}, {'pairs': True, 'texts': 3})
    """
    return {} if pairs is None else {"pairs": pairs, **({"texts": texts} if texts > 2 else {})}


def pairs_in(rows: Sequence[TextOrPair]) -> tuple[bool, int]:
    """Tell whether rows, of which all are alike, are pairs of texts, and of how many."""
    pairs = isinstance(rows[0], PairRow)
    return pairs, len(texts_of(rows[0])) if pairs else 2


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
