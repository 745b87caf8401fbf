"""The pair lab: every way of reading pairs, trained on the same rows, measured side by side, with costs."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ambos.analysis.pairs_advice import by_whom, recommend
from ambos.analysis.pairs_report import write_pairs_report
from ambos.bundle.bundle import Bundle, parameters
from ambos.data.rows import PairRow
from ambos.errors import UsageError
from ambos.evaluate.comparison import compare
from ambos.evaluate.groups import compare_groups, group_mean
from ambos.evaluate.pair_baselines import BASELINES, hold_out_baselines, predict_baselines
from ambos.evaluate.sparse_rows import Rows
from ambos.files import write_file
from ambos.predict.model import Model, load
from ambos.runs.evaluation_rows import known_splits
from ambos.runs.finetune_run import finetune, resume_finetuning
from ambos.runs.finetune_settings import FinetuneRecipe
from ambos.runs.finetune_task import make_task
from ambos.runs.folder import RUN, read_run
from ambos.runs.folds import fold_name, folds_of
from ambos.runs.log import Quiet, Watcher
from ambos.runs.pair_costs import measure_costs, measure_swapped
from ambos.runs.pair_runs import choose_schemes, lab_recipes, refuse_no_pairs, refuse_other_runs, remove_runs
from ambos.runs.pair_settings import Scheme
from ambos.runs.saved_evaluations import find_evaluation
from ambos.runs.series import finetune_series, resume_series
from ambos.runs.splits import Splits, read_splits
from ambos.tasks.classify import Classify
from ambos.write_errors import output_errors

RESULT = "pairs.json"
_ROWS = 2048  # of the test rows, at most, that are asked for once more with their texts exchanged


@dataclass
class PairLab:
    """Several schemes on the same rows.

    Parameters
    ----------
    folder
        Holds a run for each scheme, `pairs.json` and `report.html`.
    recipe
        What all runs share.
    named
        Which schemes; None for all that the task has.
    watcher, stage
        Who looks on, and who is told what begins.
    force
        Train anew what is there.

    Attributes
    ----------
    schemes
        Those that are tried.

    Raises
    ------
    AmbosError
        Of whatever cannot be compared: before anything is trained, not after.
    """

    folder: Path
    recipe: FinetuneRecipe
    named: Sequence[Scheme] | None = None
    watcher: Watcher = field(default_factory=Quiet)
    stage: Callable[[str], None] = lambda _: None
    force: bool = False
    splits: Splits = field(init=False)
    schemes: list[Scheme] = field(init=False)

    def __post_init__(self) -> None:
        self.stage("reading rows")
        refuse_no_pairs(self.recipe)
        splits = read_splits(self.recipe.data, self.recipe.task)
        splits = splits if self.recipe.folds else splits.with_dev()
        rows = splits.train.rows
        if not rows or not isinstance(rows[0], PairRow):
            raise UsageError(
                "these are no pairs of texts",
                expected="columns text_a and text_b, or premise and hypothesis",
                fix="name them: --text-a COLUMN --text-b COLUMN",
            )
        self.task = make_task(self.recipe, rows)
        self.splits = known_splits(self.task, splits, skip_bad=self.recipe.data.skip_bad)
        self.metric = self.recipe.selection.metric or self.task.main
        self.less_is_better = self.metric in self.task.evaluation().less_is_better
        self.schemes = choose_schemes(
            self.named, self.recipe, by_error=self.less_is_better, note=self.watcher.note
        )
        self.recipes = lab_recipes(self.folder, self.recipe, self.schemes, force=self.force)
        refuse_other_runs(self.folder, self.recipes, self.splits, force=self.force)
        Bundle.load(self.recipe.base)  # refused now, and not when the runs that are there are gone
        self.stage(self.splits.summary)

    def run(self) -> dict[str, Any] | None:
        """Train what is not trained yet, measure all of it; return the results, None if interrupted."""
        if self.force:  # all of them now: after an interruption none of other settings may be left
            remove_runs(self.folder, self.schemes)
        for number, scheme in enumerate(self.schemes, 1):
            self.stage(f"{scheme} ({number} of {len(self.schemes)})")
            if not self._train(scheme):
                return None
        self.stage("measuring costs")
        candidates = [self._measure(scheme) for scheme in self.schemes]
        self.stage("baselines")
        result = self._compared(candidates)
        with output_errors(self.folder, instead="make the folder writable"):
            text = json.dumps(result, ensure_ascii=False, indent=1) + "\n"
            write_file(self.folder / RESULT, text.encode())
            write_pairs_report(self.folder, result)
        return result

    def _train(self, scheme: Scheme) -> bool:
        """Make the run of a scheme, or go on with it; tell whether it came to its end."""
        out, several = self.folder / scheme, self.recipe.method
        if (out / RUN).is_file():
            if read_run(out).get("status") == "finished":
                return True
            go_on = resume_series if several else resume_finetuning
            return go_on(out, watcher=self.watcher)
        with output_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        begin = finetune_series if several else finetune
        return begin(out, self.recipes[scheme], watcher=self.watcher, stage=self.stage)

    @property
    def split(self) -> str:
        """The rows that all are measured with: test; or training rows, each held out once; or dev."""
        return "test" if self.splits.test.rows else "folds" if self.recipe.folds else "dev"

    @property
    def rows(self) -> list[PairRow]:
        """Those rows."""
        return list(getattr(self.splits, "train" if self.split == "folds" else self.split).rows)

    def _measure(self, scheme: Scheme) -> dict[str, Any]:
        """Return what there is to say of one scheme."""
        out = self.folder / scheme
        about, saved = read_run(out), find_evaluation(out, self.split)
        model = load(out / "bundle", "cpu")
        some = self.rows[:_ROWS]
        members = [one["name"] for one in about.get("members", ())]
        runs = max(1, len(members))
        spread = about.get("spread", {}).get(self.split)
        examples = [find_evaluation(out / one, self.split).examples for one in members] if spread else []
        mean = group_mean(self.task.evaluation(), examples, self.metric) if spread else None
        return {
            "name": scheme,
            "metrics": saved.values["metrics"],
            "spread": spread,
            "figure": mean.as_dict() if mean else saved.values["metrics"][self.metric],
            "notes": self._notes(out, members),
            "runs": runs,
            "train_seconds": about["seconds"] / runs,
            "parameters": parameters(Bundle.load(out / "bundle").network),
            "costs": measure_costs(model, some, apart=scheme != "joint").as_dict(),
            "swapped": measure_swapped(self._held_out(out) if self.split == "folds" else [(model, some)]),
            "examples": examples or [saved.examples],
        }

    def _notes(self, out: Path, members: Sequence[str]) -> list[str]:
        """Return what the reports of a scheme's runs warn of, and what was cut."""
        said: dict[str, list[str]] = {}
        runs = members or ("",)
        for name in runs:
            about = read_run(out / name)
            cut = about["truncation"]["summary"]
            for note in (
                *(one["what"] for one in about["warnings"]),
                *([f"training rows: {cut}"] if cut else ()),
            ):
                said.setdefault(note, []).append(name)
        cut = (
            find_evaluation(out, self.split).values["truncation"].get("summary")
        )  # the runs of folds tell it
        return [
            *(by_whom(note, names, of=len(runs)) for note, names in said.items()),
            *([f"rows that were measured with: {cut}"] if cut else ()),
        ]

    def _held_out(self, run: Path) -> Iterator[tuple[Model, list[PairRow]]]:
        """Yield the model of each fold with those of the first rows that it has not seen."""
        rows, fold_of = self.rows[:_ROWS], folds_of(self.rows, self.recipe)
        for number in range(self.recipe.folds):
            some = [row for row, fold in zip(rows, fold_of.tolist(), strict=False) if fold == number]
            if some:
                yield load(run / fold_name(number) / "bundle", "cpu"), some

    def _compared(self, candidates: list[dict[str, Any]]) -> dict[str, Any]:
        """Put all systems beside the best of the candidates."""
        metric, less, evaluation = self.metric, self.less_is_better, self.task.evaluation()
        baselines = self._baselines(candidates[0]["examples"][0])
        rows: dict[str, list[Rows]] = {one["name"]: one.pop("examples") for one in (*candidates, *baselines)}
        sign = -1 if less else 1
        best = max(candidates, key=lambda one: sign * one["figure"]["value"])["name"]
        if self.recipe.method == "seeds":
            found = compare_groups(evaluation, rows, metric, against=best)
        else:
            alone = {name: examples for name, (examples,) in rows.items()}
            found = compare(evaluation, alone, against=best, metric=metric)
        against = {one.first: one for one in found}
        for one in (*candidates, *baselines):
            beside = against.get(one["name"])
            one["against_best"] = beside.as_dict() if beside else None
        result = {
            "task": self.recipe.task,
            "base": self.recipe.base,
            "metric": metric,
            "less_is_better": less,
            "split": self.split,
            "rows": {name: len(getattr(self.splits, name).rows) for name in ("train", "dev", "test")},
            "columns": self.splits.train.columns.chosen,
            "pair": self.recipe.pair.model_dump(mode="json"),
            "hidden": self.recipe.head.hidden,
            "method": self.recipe.method,
            "best": best,
            "candidates": candidates,
            "baselines": baselines,
        }
        return {**result, "recommendation": recommend(result)}

    def _targets(self, rows: Sequence[PairRow]) -> NDArray[Any]:
        """Return the numbers of labels, or scores."""
        if isinstance(self.task, Classify):
            return self.task.target(rows)
        return np.array([row.score for row in rows], np.float64)

    def _baselines(self, gold: Rows) -> list[dict[str, Any]]:
        """Return the figures of the baselines on the same rows."""
        train, test = self.splits.train.rows, self.rows
        scores = not isinstance(self.task, Classify)
        targets, right = (self._targets(some) for some in (train, test))
        pairs = [[(row.text_a, row.text_b) for row in some] for some in (train, test)]
        found = []
        if self.split == "folds":
            fold_of = folds_of(train, self.recipe)
            predictions = hold_out_baselines(pairs[0], targets, fold_of, scores=scores)
        else:
            predictions = predict_baselines(pairs[0], targets, pairs[1], scores=scores)
        for name, said in predictions.items():
            evaluation = self.task.evaluation()
            evaluation.add(right, said)
            examples = evaluation.rows(right, said)
            if examples.shape != gold.shape:
                raise RuntimeError("baselines and models were not measured with the same rows")
            metrics = {key: one.as_dict() for key, one in evaluation.metrics().items()}
            found.append(
                {
                    "name": name,
                    "what": BASELINES[name],
                    "metrics": metrics,
                    "figure": metrics[self.metric],
                    "examples": [examples],
                }
            )
        return found
