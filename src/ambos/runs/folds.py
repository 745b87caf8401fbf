"""Cross-validation: training rows divided so that nothing leaks, every row predicted by a run without it."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ambos.data.divide_rows import divide
from ambos.evaluate.classification import Confusion
from ambos.evaluate.evaluation import Evaluation
from ambos.evaluate.sparse_rows import Rows, below
from ambos.evaluate.tags import Tags
from ambos.files import sha256
from ambos.runs.evaluation import Evaluated
from ambos.runs.finetune import deciding_metric
from ambos.runs.finetune_settings import DataFiles, FinetuneRecipe
from ambos.runs.judging import judge_of, line_of
from ambos.runs.members import Finished, Member, Series
from ambos.runs.saved_evaluations import FOLDER, SavedEvaluation, read_evaluation, save_evaluation
from ambos.runs.splits import Split, Splits

FOLDS, FINAL = "folds", "final"  # the evaluation of all held-out rows, and the run on all of them
_WORST = 20


def folds_of(rows: Sequence[Any], recipe: FinetuneRecipe) -> NDArray[np.int64]:
    """Return the fold of each row, (n,), from 0: of one recipe always the same ones."""
    by_label = recipe.task == "classify" and not recipe.several
    return divide(rows, recipe.folds, recipe.seed, by_label=by_label)


def fold_name(number: int) -> str:
    """Return what the run without a fold is called.

    >>> fold_name(0)
    'fold-1'
    """
    return f"fold-{number + 1}"


class Folds(Series):
    """As many runs as there are folds, each without one of them, and a last one with all rows.

    What is held out is predicted once, by a run that neither learnt from it nor was selected by it: all these
    predictions together are measured as one evaluation, `folds`.
    """

    needs_dev = False

    def __init__(self, folder: Path, recipe: FinetuneRecipe, splits: Splits) -> None:
        super().__init__(folder, recipe, splits)
        self.rows = splits.train.rows
        self.fold_of = folds_of(self.rows, recipe)
        if recipe.selection.metric:  # refused here, not after hours, if rows to select by do not give it
            for number in range(recipe.folds + 1):
                dev = self.member(number, []).splits.dev.rows
                deciding_metric(recipe, self.task, self.task.metrics_of(dev))

    @property
    def names(self) -> list[str]:
        """`fold-1`, `fold-2`, ..., `final`."""
        return [*map(fold_name, range(self.recipe.folds)), FINAL]

    def member(self, number: int, before: Sequence[Finished]) -> Member:  # noqa: ARG002
        """Return the run without a fold, or the last one."""
        if number == self.recipe.folds:
            return Member(FINAL, self.shared, self.splits.with_dev(), self.labels)
        train = self.splits.train
        data = DataFiles(**{**self.shared.data.model_dump(), "dev": [], "test": []})
        splits = Splits(self._part(train, number, held=False), Split(), self._part(train, number, held=True))
        recipe = self.shared.model_copy(update={"data": data})
        return Member(self.names[number], recipe, splits.with_dev(), self.labels)

    def _part(self, split: Split, number: int, *, held: bool) -> Split:
        """Return the rows of a fold, or the others; what was left out of the file is in no fold."""
        chosen = np.flatnonzero((self.fold_of == number) == held)
        return replace(split, rows=[self.rows[place] for place in chosen.tolist()], left_out={})

    def chosen(self, finished: Sequence[Finished]) -> Finished:
        """Return the last run, which learnt from all rows."""
        return finished[-1]

    def conclude(self, finished: Sequence[Finished]) -> dict[str, Any]:  # noqa: ARG002
        """Measure what was held out, all together."""
        found = self.pooled()
        (self.folder / FOLDER).mkdir(exist_ok=True)
        save_evaluation(self.folder / FOLDER, FOLDS, found)
        return {FOLDS: {name: one.as_dict() for name, one in found.metrics.items()}}

    def pooled(self) -> Evaluated:
        """Return the evaluation of all rows, each as the run without it predicted it, in the files' order."""
        parts = [read_evaluation(self.folder / name / FOLDER / "test.json") for name in self.names[:-1]]
        evaluation = self.task.evaluation()
        examples = self._ordered(parts)
        evaluation.tally.add(examples)
        judge, digest = judge_of(self.task), hashlib.sha256()
        for row in self.rows:
            digest.update(line_of(row, judge.gold(row)))
        first, train = parts[0].values, self.splits.train
        metrics, classes = evaluation.metrics_and_table()
        worst = [one for part in parts for one in part.values["worst"]]
        return Evaluated(
            task=self.task.name,
            main=self.task.main,
            labels=tuple(first["labels"]),
            several=first["several"],
            model=f"{self.recipe.folds} folds",
            metrics=metrics,
            classes=classes,
            confusion=_confusion(evaluation, parts),
            calibration=None,
            truncation={},
            worst=sorted(worst, key=_badness, reverse=True)[:_WORST],
            rows=len(self.rows),
            left_out=train.left_out,
            files={name: sha256(Path(name)) for name in train.files},
            digest=digest.hexdigest(),
            examples=examples,
        )

    def _ordered(self, parts: Sequence[SavedEvaluation]) -> Rows:
        """Return the examples (rows, d) of all folds in the order of the rows, each of which is one."""
        places = np.concatenate([np.flatnonzero(self.fold_of == fold) for fold in range(len(parts))])
        return below([one.examples for one in parts])[np.argsort(places)]


def _confusion(evaluation: Evaluation, parts: Sequence[SavedEvaluation]) -> NDArray[np.int64] | None:
    """Return the matrix of all folds: their sum, since the examples of tags do not say what was confused."""
    if not isinstance(evaluation, Confusion | Tags):
        return None
    counts = [np.array(part.values["confusion"]["counts"], np.int64) for part in parts]
    return np.sum(counts, axis=0, dtype=np.int64)


def _badness(shown: dict[str, Any]) -> float:
    return float(abs(shown.get("confidence", shown.get("error", 0.0))))
