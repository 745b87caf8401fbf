"""Whether texts follow each other, by the head of pretraining (next sentence, or order of sentences)."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ambos.data.examples import Labelled
from ambos.data.rows import PairRow
from ambos.data.windows import Ledger
from ambos.predict.inputs import pair_rows
from ambos.predict.run import run_examples
from ambos.tasks.task import Reading
from ambos.tasks.texts import encode_texts


def follow(
    network: Any,  # noqa: ANN401 (a `Network` with the head `next`)
    pairs: Iterable[tuple[str, str]],
    reading: Reading,
    *,
    device: torch.device,
    ledger: Ledger | None = None,
) -> list[float]:
    """Return the probability that the second text of each pair follows the first."""
    rows = pair_rows(pairs)
    return (1 / (1 + np.exp(-follow_odds(network, rows, reading, device=device, ledger=ledger)))).tolist()


def follow_odds(
    network: Any,  # noqa: ANN401
    rows: Sequence[PairRow],
    reading: Reading,
    *,
    device: torch.device,
    ledger: Ledger | None = None,
) -> NDArray[np.float64]:
    """Return the logit of "follows" less that of "does not", (rows,)."""
    examples = encode_texts(rows, reading, Ledger() if ledger is None else ledger, None)
    found = np.empty(len(examples), np.float64)

    def compute(part: Labelled) -> NDArray[np.float32]:
        return np.asarray(network(part.batch, "next").float().cpu().numpy())

    for part, logits in run_examples(examples, compute, device):
        found[part.numbers] = logits[:, 0] - logits[:, 1]
    return found
