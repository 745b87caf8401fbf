"""A look back at a fine-tuning run that has ended: what else to measure, and what there is to warn of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ambos.bundle.bundle import Bundle
from ambos.data.draws import Draws
from ambos.evaluate.estimate import Estimate
from ambos.runs.evaluation import Evaluated
from ambos.runs.finetune import Finetuning
from ambos.runs.forgetting import Forgotten, measure_forgetting
from ambos.runs.warnings import Caution, collapse, forgetting, gap, overfitting


@dataclass(frozen=True)
class Review:
    """What was found.

    Parameters
    ----------
    warnings
        None, if all is well.
    forgotten
        What the encoder forgot, if that was measured.
    learnt, rows
        The main metric on so many of the training rows, if that was measured.
    """

    warnings: list[Caution] = field(default_factory=list)
    forgotten: Forgotten | None = None
    learnt: Estimate | None = None
    rows: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return it as run.json has it."""
        return {
            "warnings": [one.as_dict() for one in self.warnings],
            "forgetting": self.forgotten.as_dict() if self.forgotten else None,
            "training_rows": {**self.learnt.as_dict(), "rows": self.rows} if self.learnt else None,
        }


def review(work: Finetuning, records: Sequence[Mapping[str, Any]], dev: Evaluated | None) -> Review:
    """Look back at a run whose best weights are in place, with its records and its figures on the dev rows.

    A base with a masked-LM head is loaded again, to see what was forgotten; that and measuring some training
    rows takes seconds, and `checks` of the recipe switches it off.
    """
    if dev is None:
        return Review()
    checks, task = work.recipe.checks, work.task
    rows = [] if task.whole_sets else _some(work.train, checks.rows)  # a few are found more easily than many
    learnt = work.measure(rows)[task.main] if rows else None
    forgotten = None
    if checks.sequences:
        base = Bundle.load(work.recipe.base)
        forgotten = measure_forgetting(
            base, work.bundle.network.encoder, work.dev, sequences=checks.sequences
        )
    found = [
        collapse(dev),
        overfitting(records, task.evaluation().less_is_better),
        gap(task.main, learnt, dev.metrics[task.main], len(rows)) if learnt else None,
        forgetting(forgotten) if forgotten else None,
    ]
    return Review([one for one in found if one is not None], forgotten, learnt, len(rows))


def _some(rows: Sequence[Any], most: int) -> list[Any]:
    """Return some rows from anywhere, the same ones every time."""
    count = min(most, len(rows))
    places = Draws.of("checks").shuffled(np.arange(count), len(rows)) if count else ()
    return [rows[place] for place in places]
