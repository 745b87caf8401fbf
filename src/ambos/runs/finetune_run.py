"""A fine-tuning run in its folder: rows in; checkpoints, logs, the best model and its evaluation out."""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from ambos import __version__
from ambos.analysis.evaluation_report import write_finetuning_report
from ambos.bundle.bundle import Bundle, parameters
from ambos.data.label_set import LabelSet
from ambos.errors import UsageError
from ambos.files import lock
from ambos.predict.model import load
from ambos.runs.changes import newest_checkpoint
from ambos.runs.choices import choose, chosen_precision
from ambos.runs.evaluation import Evaluated, evaluate_rows, named_rows, truncation_of
from ambos.runs.evaluation_rows import known_splits
from ambos.runs.finetune import Finetuning
from ambos.runs.finetune_folder import fingerprints, new_run, place_for, recipe_of
from ambos.runs.finetune_settings import FinetuneRecipe, head_factor, learning_rate
from ambos.runs.folder import read_run, write_run
from ambos.runs.log import Quiet, RunLog, Watcher
from ambos.runs.review import Review, review
from ambos.runs.saved_evaluations import FOLDER, save_evaluation
from ambos.runs.splits import Splits, read_splits
from ambos.runs.warnings import leak
from ambos.train.checkpoint import Checkpoints
from ambos.train.loop import State
from ambos.train.machine import keep_memory, matrix_speed
from ambos.train.signals import listen
from ambos.train.team import Team
from ambos.write_errors import output_errors

_GO_ON = "`ambos resume` goes on from the last checkpoint"


def finetune(
    out: Path,
    recipe: FinetuneRecipe,
    *,
    force: bool = False,
    watcher: Watcher | None = None,
    stage: Callable[[str], None] = lambda _: None,
) -> bool:
    """Fine-tune a base on labelled rows, in the folder `out`; tell whether it was not interrupted.

    Examples
    --------
    >>> recipe = load_recipe(
    ...     FinetuneRecipe,
    ...     [{"task": "classify", "base": "minilm", "data": {"train": ["train.csv"], "dev": ["dev.csv"]}}],
    ... )  # doctest: +SKIP
    >>> finetune(Path("run"), recipe)  # doctest: +SKIP
    True
    """
    if recipe.method:
        raise UsageError(
            f"this recipe asks for several runs ({recipe.method})",
            expected="the settings of one run",
            fix="ambos.runs.series.finetune_series makes several",
        )
    began = time.perf_counter()
    recipe = choose(recipe, Team())
    with place_for(out, recipe, force=force) as base:
        stage("reading rows")
        splits = read_splits(recipe.data, recipe.task, several=recipe.several).with_dev()
        stage(splits.summary)
        with new_run(out, recipe, splits, kind="finetune"):
            return FinetuneJob(out, recipe, splits, watcher or Quiet(), began, stage, base=base).run()


def resume_finetuning(
    folder: Path, *, overrides: Sequence[str] = (), anyway: bool = False, watcher: Watcher | None = None
) -> bool:
    """Go on with a run from its newest whole checkpoint; tell whether it came to its end."""
    if "member" in read_run(folder):
        raise UsageError(
            "this run is one of several that belong together",
            expected="the folder that holds them all",
            fix=f"ambos resume {folder.parent if folder.name else '..'}",
            file=folder,
        )
    recipe = recipe_of(folder, overrides)
    with lock(folder, stays=True):
        splits = read_splits(recipe.data, recipe.task, several=recipe.several).with_dev()
        told = watcher or Quiet()
        job = FinetuneJob(folder, recipe, splits, told, time.perf_counter(), told.note)
        return job.run(resume=True, anyway=anyway)


@dataclass
class FinetuneJob:
    """One run.

    Parameters
    ----------
    folder
        The run folder, with its recipe in it.
    recipe, splits
        All settings, and the rows.
    watcher
        Who looks on.
    began
        When the command began, by `time.perf_counter`.
    stage
        Told what begins.
    labels
        In their order; by default those of the training rows.
    base
        The model of the recipe, if it is open already; its weights are trained in place.
    """

    folder: Path
    recipe: FinetuneRecipe
    splits: Splits
    watcher: Watcher
    began: float
    stage: Callable[[str], None] = lambda _: None
    labels: LabelSet | None = None
    base: Bundle | None = None
    work: Finetuning = field(init=False)
    prints: dict[str, str] = field(init=False)
    evaluated: dict[str, Evaluated] = field(default_factory=dict)
    review: Review = field(default_factory=Review)

    def run(self, *, resume: bool = False, anyway: bool = False) -> bool:
        """Train; tell whether the run came to its end (and not to a wish to stop)."""
        keep_memory()
        bundle = self.base or Bundle.load(self.recipe.base)
        self.stage("tokenising rows")
        self.work = Finetuning(bundle, self.splits.train.rows, self.splits.dev.rows, self.recipe, self.labels)
        self.splits = known_splits(self.work.task, self.splits, skip_bad=self.recipe.data.skip_bad)
        self.work.dev = self.splits.dev.rows
        self.work.refuse_long(self.splits.test.rows)
        leaked = leak(self.work.train, dev=self.splits.dev.rows, test=self.splits.test.rows)
        if leaked is not None:
            self.watcher.note(leaked.what)
            self.review = Review([leaked])
        self.prints = fingerprints(self.recipe, self.splits)
        spent = time.perf_counter() - self.began
        with ExitStack() as stack:
            stack.enter_context(output_errors(self.folder, instead=_GO_ON))
            speed = matrix_speed(precision=chosen_precision(self.recipe))
            log = stack.enter_context(RunLog(self.folder, self.watcher, speed, self.work.budget(spent)))
            loop = self.work.loop(
                log,
                spent=spent,
                precision=chosen_precision(self.recipe),
                checkpoints=Checkpoints(self.folder / "checkpoints", keep=self.recipe.saving.keep),
                extra={"fingerprints": self.prints},
                log_state=lambda: {**log.mark(), **self.work.best.state()},
                kept=self.work.best.tensors,
            )
            checkpoint = None
            if resume:
                run = loop.checkpoints, self.prints, self.recipe, self.folder, self.watcher
                checkpoint = newest_checkpoint(*run, anyway=anyway)
            state = loop.restore(checkpoint) if checkpoint else State(due=False)
            log.begin(checkpoint.state["metrics"] if checkpoint else None, state)
            if checkpoint:
                self.work.recall(checkpoint)
            self._describe("running", state)
            with listen() as stop:
                stop.asked = self.work.ended_early
                state = loop.run(state, stop)
            done = loop.is_done(state) or self.work.ended_early
            if done:
                self._ship(log.metrics.records())
            self._describe("finished" if done else "stopped", state)
            write_finetuning_report(self.folder)
        return done

    def _ship(self, records: list[dict[str, Any]]) -> None:
        """Write the best model, what dev and test rows say of it, and what the records of the run say."""
        self.stage("measuring the best weights")
        self.work.finish()
        bundle = self.work.bundle
        bundle.provenance = {
            "finetuned_by": f"ambos {__version__}",
            "base": self.recipe.base,
            "task": self.recipe.task,
            "step": self.work.best.step,
        }
        bundle.save(self.folder / "bundle", force=True)
        model = load(self.folder / "bundle", "cpu")
        for name, split in (("dev", self.splits.dev), ("test", self.splits.test)):
            if split.rows:
                found = evaluate_rows(
                    model, split.rows, name=self.folder.name, files=split.files, left_out=split.left_out
                )
                self.evaluated[name] = found
                save_evaluation(self.folder / FOLDER, name, found)
        self.stage("looking back")
        back = review(self.work, records, self.evaluated.get("dev"))
        self.review = replace(back, warnings=[*self.review.warnings, *back.warnings])

    def _describe(self, status: str, state: State) -> None:
        """Write run.json."""
        work, recipe, config = self.work, self.recipe, self.work.bundle.config
        now = datetime.now(UTC).isoformat(timespec="seconds")
        write_run(
            self.folder,
            {
                **read_run(self.folder),
                "status": status,
                "fingerprints": self.prints,
                "finished": now if status == "finished" else None,
                "seconds": round(state.seconds, 1),
                "steps": state.step,
                "tokens": state.tokens,
                "epochs": round(work.epochs_of(state), 4),
                "threads": torch.get_num_threads(),
                "precision": recipe.precision,
                "task": recipe.task,
                "labels": list(work.bundle.labels),
                "lr": learning_rate(recipe.learning, config.width),
                "head_lr": head_factor(recipe.learning, recipe.pair),
                "rows": {name: len(getattr(self.splits, name).rows) for name in ("train", "dev", "test")},
                "kept_back": self.splits.kept_back,
                "left_out": self.splits.left_out,
                "columns": self.splits.train.columns.chosen,
                "columns_of": self.splits.columns,
                "truncation": truncation_of(
                    work.ledger, work.reading, named_rows(work.ledger.named, work.train)
                ),
                "best": {"step": work.best.step, "metric": recipe.selection.metric or work.task.main},
                "ended_early": work.ended_early,
                "scheme": recipe.pair.scheme if work.task.pairs else None,
                "notes": work.notes,
                "calibration": work.calibration,
                "evaluation": {
                    name: {key: one.as_dict() for key, one in found.metrics.items()}
                    for name, found in self.evaluated.items()
                },
                **self.review.as_dict(),
                "model": {"parameters": parameters(work.bundle.network), "family": config.family},
            },
        )
