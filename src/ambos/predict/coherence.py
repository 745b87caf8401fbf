"""Whether texts follow each other, by the head of pretraining (next sentence, or order of sentences)."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ambos.data.rows import PairRow
from ambos.data.windows import Ledger
from ambos.predict.inputs import pair_row
from ambos.predict.run import CPU_BUDGET, DEVICE_BUDGET, count_workers, run_all
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
    rows = [pair_row((first, second), number) for number, (first, second) in enumerate(pairs, 1)]
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
    budget = CPU_BUDGET if device.type == "cpu" else DEVICE_BUDGET
    parts = list(examples.parts(np.arange(len(examples)), budget, device, workers=count_workers(device)))
    found = np.empty(len(examples), np.float64)
    answers = run_all(lambda part: network(part.batch, "next").float().cpu().numpy(), parts, device)
    for part, logits in zip(parts, answers, strict=True):
        found[part.numbers] = logits[:, 0] - logits[:, 1]
    return found
