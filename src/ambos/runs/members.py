"""The runs that a series is made of, what came of each, and the series of seeds."""

import shutil
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, isnan
from pathlib import Path
from typing import Any

from ambos.bundle.bundle import Bundle
from ambos.data.label_set import LabelSet
from ambos.errors import InputError
from ambos.evaluate.spread import Spread
from ambos.predict.rows import refuse_long
from ambos.runs.evaluation_rows import known_splits
from ambos.runs.finetune_settings import FinetuneRecipe
from ambos.runs.finetune_task import attach_head, make_task, reading_of
from ambos.runs.folder import RUN, read_run
from ambos.runs.search_settings import SearchSettings
from ambos.runs.splits import Splits
from ambos.tasks.classify import Classify
from ambos.tasks.tag import Tag

DIVERGED = "diverged"  # status of a run whose loss became no number

Figures = dict[str, dict[str, dict[str, float]]]  # split -> metric -> value, low, high


@dataclass(frozen=True)
class Member:
    """A run that is to be made.

    Parameters
    ----------
    name
        Of its folder.
    recipe, splits, labels
        Its settings, its rows, and the labels in their order if they are not those of its training rows.
    changed
        The settings that were proposed for it.
    """

    name: str
    recipe: FinetuneRecipe
    splits: Splits
    labels: LabelSet | None = None
    changed: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Finished:
    """A run that came to its end, as its run.json tells it.

    Parameters
    ----------
    figures
        Of the dev and test rows; none if it diverged.
    warnings
        The kinds of the warnings in its report.
    """

    name: str
    changed: dict[str, Any]
    seconds: float
    figures: Figures
    warnings: list[str]

    @classmethod
    def read(cls, folder: Path) -> "Finished | None":
        """Read the run in a folder; None if it is not there or has not come to its end."""
        about = read_run(folder) if (folder / RUN).is_file() else {}
        if about.get("status") not in {"finished", DIVERGED}:
            return None
        return cls(
            folder.name,
            about["member"]["changed"],
            about.get("seconds", 0.0),
            about.get("evaluation", {}),
            [one["kind"] for one in about.get("warnings", [])],
        )

    def value(self, metric: str) -> float | None:
        """Return a metric of the dev rows; None if it was not measured."""
        found = self.figures.get("dev", {}).get(metric)
        return None if found is None or isnan(found["value"]) else found["value"]

    def as_dict(self) -> dict[str, Any]:
        """Return every field, for JSON."""
        return dict(vars(self))


class Series(ABC):
    """Several runs for one purpose: which ones, and what they say together.

    Parameters
    ----------
    folder
        That holds them all.
    recipe
        The settings that they share.
    splits
        All rows, as they are in the files.
    """

    needs_dev = True  # whether a run is chosen by the dev rows
    forgiving = False  # whether the others go on if one diverges

    def __init__(self, folder: Path, recipe: FinetuneRecipe, splits: Splits) -> None:
        self.folder = folder
        self.recipe = recipe
        self.shared = recipe.model_copy(update={"seeds": 0, "folds": 0, "search": SearchSettings()})
        if not splits.train.rows:
            raise InputError("there are no rows to learn from", fix="give a file with rows as --train")
        # Labels that cannot be used are refused here, not after hours.
        self.task = make_task(self.shared, splits.train.rows)
        self.splits = known_splits(self.task, splits, skip_bad=recipe.data.skip_bad)
        if self.needs_dev and not self.splits.dev.rows:
            raise InputError("there are no rows to choose a run by", fix="give a file with rows as --dev")
        self._refuse_long()
        self.labels = self.task.labels if isinstance(self.task, Classify | Tag) else None
        self.metric = recipe.selection.metric or self.task.main
        self.less_is_better = self.metric in self.task.evaluation().less_is_better

    def _refuse_long(self) -> None:
        """Refuse dev and test rows that are too long, if that is an error; some only the last run sees."""
        if self.shared.long == "error":
            bundle, task = Bundle.load(self.shared.base), make_task(self.shared, self.splits.train.rows)
            attach_head(bundle, task, self.shared)
            reading = reading_of(bundle, self.shared)
            for split in (self.splits.dev, self.splits.test):
                refuse_long(task, split.rows, reading)

    @property
    @abstractmethod
    def names(self) -> list[str]:
        """The names of all runs, in their order."""

    @abstractmethod
    def member(self, number: int, before: Sequence[Finished]) -> Member:
        """Return a run by its number, from 0; `before` are those with lower numbers."""

    def best(self, finished: Sequence[Finished]) -> Finished:
        """Return the run that is best on the dev rows; of equal ones, the first."""
        sign = -1.0 if self.less_is_better else 1.0

        def rank(one: Finished) -> float:
            value = one.value(self.metric)
            return -inf if value is None else sign * value

        return max(finished, key=rank)

    def chosen(self, finished: Sequence[Finished]) -> Finished:
        """Return the run whose model is the model of the series."""
        return self.best(finished)

    def tidy(self, finished: Sequence[Finished]) -> None:
        """Remove of the last finished run what only a resumed one needs."""
        shutil.rmtree(self.folder / finished[-1].name / "checkpoints", ignore_errors=True)

    def conclude(self, finished: Sequence[Finished]) -> dict[str, Any]:  # noqa: ARG002
        """Write what belongs to the whole series; return what is to be said of it in run.json."""
        return {}


class Seeds(Series):
    """The same rows and settings again and again, with other draws: how much of a figure is luck."""

    def __init__(self, folder: Path, recipe: FinetuneRecipe, splits: Splits) -> None:
        super().__init__(folder, recipe, splits.with_dev())

    @property
    def names(self) -> list[str]:
        """`seed-0`, `seed-1`, ..."""
        return [f"seed-{self.recipe.seed + number}" for number in range(self.recipe.seeds)]

    def member(self, number: int, before: Sequence[Finished]) -> Member:  # noqa: ARG002
        """Return the run of a seed."""
        seed = self.recipe.seed + number
        return Member(self.names[number], self.shared.model_copy(update={"seed": seed}), self.splits)

    def conclude(self, finished: Sequence[Finished]) -> dict[str, Any]:
        """Return the spread of every metric over the seeds."""
        return {"spread": spread_of([one.figures for one in finished])}


def spread_of(figures: Sequence[Figures]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the spread of every metric of every split over some runs that all have them."""
    return {
        split: {
            metric: Spread.of([one[split][metric]["value"] for one in figures]).as_dict()
            for metric in figures[0][split]
        }
        for split in figures[0]
    }
