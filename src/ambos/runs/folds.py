"""Cross-validation: training rows divided so that nothing leaks, every row predicted by a run without it."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ambos.data.draws import Draws
from ambos.data.examples import within
from ambos.data.rows import Row, WordsRow
from ambos.data.tally_rows import Tally
from ambos.errors import UsageError
from ambos.evaluate.classification import Confusion
from ambos.evaluate.evaluation import ClassEvaluation
from ambos.files import sha256
from ambos.runs.evaluation import Evaluated
from ambos.runs.finetune_settings import DataFiles, FinetuneRecipe
from ambos.runs.judging import judge_of, line_of
from ambos.runs.members import Finished, Member, Series
from ambos.runs.saved_evaluations import FOLDER, SavedEvaluation, read_evaluation, save_evaluation
from ambos.runs.splits import Split, Splits

FOLDS, FINAL = "folds", "final"  # the evaluation of all held-out rows, and the run on all of them
_WORST = 20


def divide(rows: Sequence[Row], folds: int, seed: int, *, by_label: bool = False) -> NDArray[np.int64]:
    """Return the fold of each row, (n,), from 0 to `folds` - 1: folds of equal size as far as that goes.

    Rows with the same text (pair, words, passage of a question), as `ambos doctor` compares them, are in the
    same fold. With `by_label`, every fold has its share of every label; a text that is labelled in several
    ways counts as what most of its rows say.

    Groups of rows are dealt out, large ones first and else in an order drawn by the seed, each to the fold
    that has fewest rows of its label, and fewest rows at all.

    Examples
    --------
    >>> from ambos.data.rows import TextRow
    >>> rows = [TextRow(text, (), None, Path("a.csv"), 1) for text in "abca"]
    >>> divide(rows, 2, seed=0).tolist()
    [0, 1, 1, 0]
    """
    texts, group = np.unique(Tally(rows).shared, return_inverse=True)
    if len(texts) < folds:
        raise UsageError(
            f"{len(texts):,} different texts cannot be divided into {folds} folds",
            expected=f"at least {folds} different texts in the training rows",
            fix=f"--folds {len(texts)}" if len(texts) > 1 else "add rows",
        )
    labels = _labels(rows, group) if by_label else [""] * len(texts)
    sizes = np.bincount(group)
    order = np.lexsort((Draws.of(seed, "folds").bits(np.arange(len(texts))), -sizes))
    held = [0] * folds
    held_of: dict[str, list[int]] = defaultdict(lambda: [0] * folds)
    fold_of = np.zeros(len(texts), np.int64)
    for number in order.tolist():
        mine = held_of[labels[number]]
        fold = min(range(folds), key=lambda one, mine=mine: (mine[one], held[one]))  # type: ignore[misc]
        fold_of[number] = fold
        mine[fold] += int(sizes[number])
        held[fold] += int(sizes[number])
    return fold_of[group]


def _labels(rows: Sequence[Any], group: NDArray[np.int64]) -> list[str]:
    """Return what most rows of each group are labelled; of equally many, the first by name."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for row, number in zip(rows, group.tolist(), strict=True):
        counts[number][row.labels[0]] += 1
    return [min(counts[number], key=lambda name: (-counts[number][name], name)) for number in sorted(counts)]


class Folds(Series):
    """As many runs as there are folds, each without one of them, and a last one with all rows.

    What is held out is predicted once, by a run that neither learnt from it nor was selected by it: all these
    predictions together are measured as one evaluation, `folds`.
    """

    needs_dev = False

    def __init__(self, folder: Path, recipe: FinetuneRecipe, splits: Splits) -> None:
        super().__init__(folder, recipe, splits)
        by_label = recipe.task == "classify" and not recipe.several
        self.rows = splits.train.rows
        self.fold_of = divide(self.rows, recipe.folds, recipe.seed, by_label=by_label)

    @property
    def names(self) -> list[str]:
        """`fold-1`, `fold-2`, ..., `final`."""
        return [*(f"fold-{number + 1}" for number in range(self.recipe.folds)), FINAL]

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
        chosen = np.flatnonzero((self.fold_of == number) == held)
        return replace(split, rows=[self.rows[place] for place in chosen.tolist()])

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
        worst = [one for part in parts for one in part.values["worst"]]
        return Evaluated(
            task=self.task.name,
            main=self.task.main,
            labels=tuple(first["labels"]),
            several=first["several"],
            model=f"{self.recipe.folds} folds",
            metrics=evaluation.metrics(),
            classes=evaluation.table() if isinstance(evaluation, ClassEvaluation) else [],
            confusion=evaluation.matrix if isinstance(evaluation, Confusion) else None,
            calibration=None,
            truncation={},
            worst=sorted(worst, key=_badness, reverse=True)[:_WORST],
            rows=len(self.rows),
            left_out=train.left_out,
            files={name: sha256(Path(name)) for name in train.files},
            digest=digest.hexdigest(),
            examples=examples,
        )

    def _ordered(self, parts: Sequence[SavedEvaluation]) -> NDArray[Any]:
        """Return the examples (m, d) of all folds in the order of the rows.

        A row is one example, or as many as it has words.
        """
        total = sum(len(part.examples) for part in parts)
        sizes = np.ones(len(self.rows), np.int64)
        if total != len(self.rows):
            sizes = np.array([len(row.words) for row in self.rows if isinstance(row, WordsRow)], np.int64)
        starts = np.cumsum(sizes) - sizes
        found = np.empty(
            (total, parts[0].examples.shape[1]), np.result_type(*(one.examples for one in parts))
        )
        for fold, part in enumerate(parts):
            rows = np.flatnonzero(self.fold_of == fold)
            found[within(starts[rows], sizes[rows])] = part.examples
        return found


def _badness(shown: dict[str, Any]) -> float:
    return float(abs(shown.get("confidence", shown.get("error", 0.0))))
