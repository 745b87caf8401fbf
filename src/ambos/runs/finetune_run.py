"""A fine-tuning run in its folder: rows in; checkpoints, logs, the best model and its evaluation out."""

import hashlib
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import safetensors.torch
import torch

from ambos import __version__
from ambos.analysis.evaluation_report import write_finetuning_report
from ambos.bundle.bundle import Bundle, parameters
from ambos.bundle.resolve import resolve
from ambos.files import lock, output_errors, refuse_existing, sha256, write_file
from ambos.predict.model import load
from ambos.recipe import load_recipe, merge, parse_override, read_toml, write_toml
from ambos.runs.changes import refuse_changes
from ambos.runs.choices import choose, chosen_precision
from ambos.runs.evaluation import Evaluated, evaluate_rows, named_rows, truncation_of
from ambos.runs.evaluation_rows import known_splits
from ambos.runs.finetune import Finetuning
from ambos.runs.finetune_settings import FinetuneRecipe, learning_rate
from ambos.runs.fit import Best
from ambos.runs.folder import FINETUNED, RECIPE, begin_folder, read_run, write_run
from ambos.runs.log import Quiet, RunLog, Watcher
from ambos.runs.saved_evaluations import FOLDER, save_evaluation
from ambos.runs.splits import Splits, read_splits
from ambos.train.checkpoint import Checkpoint, Checkpoints
from ambos.train.loop import Loop, State
from ambos.train.machine import keep_memory, matrix_speed
from ambos.train.signals import listen
from ambos.train.team import Team

_GO_ON = "`ambos resume` goes on from the last checkpoint"
_BEST, _BESTS = "best-{step:08}.safetensors", "best-*.safetensors"
_KEPT = 3  # of the best weights, the last


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
    began = time.perf_counter()
    recipe = choose(recipe, Team())
    stage("reading rows")
    splits = read_splits(recipe.data, recipe.task, several=recipe.several)
    stage(splits.summary)
    with lock(out):
        best = {path.name for path in out.glob(_BESTS)}
        refuse_existing(out, entries=FINETUNED | best, force=force)
        shutil.rmtree(out, ignore_errors=True)
        with output_errors(out):
            out.mkdir(parents=True, exist_ok=True)
        try:
            files = [Path(name) for split in (splits.train, splits.dev, splits.test) for name in split.files]
            begin_folder(out, recipe, recipe.base, list(dict.fromkeys(files)), kind="finetune")
            job = FinetuneJob(out, recipe, splits, watcher or Quiet(), began, stage)
            return job.run()
        except Exception:
            if not any(out.glob("checkpoints/step-*")):
                shutil.rmtree(out, ignore_errors=True)
            raise


def resume_finetuning(
    folder: Path, *, overrides: Sequence[str] = (), anyway: bool = False, watcher: Watcher | None = None
) -> bool:
    """Go on with a run from its newest whole checkpoint; tell whether it came to its end."""
    values: dict[str, Any] = read_toml(folder / RECIPE)
    for override in overrides:
        values = merge(values, parse_override(override))
    recipe = load_recipe(FinetuneRecipe, [values], file=folder / RECIPE)
    with lock(folder):
        splits = read_splits(recipe.data, recipe.task, several=recipe.several)
        job = FinetuneJob(folder, recipe, splits, watcher or Quiet(), time.perf_counter())
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
    """

    folder: Path
    recipe: FinetuneRecipe
    splits: Splits
    watcher: Watcher
    began: float
    stage: Callable[[str], None] = lambda _: None
    work: Finetuning = field(init=False)
    evaluated: dict[str, Evaluated] = field(default_factory=dict)

    def run(self, *, resume: bool = False, anyway: bool = False) -> bool:
        """Train; tell whether the run came to its end (and not to a wish to stop)."""
        keep_memory()
        bundle = Bundle.load(self.recipe.base)
        self.stage("tokenising rows")
        self.work = Finetuning(bundle, self.splits.train.rows, self.splits.dev.rows, self.recipe)
        self.splits = known_splits(self.work.task, self.splits, skip_bad=self.recipe.data.skip_bad)
        self.work.dev = self.splits.dev.rows
        prints = self._fingerprints()
        spent = time.perf_counter() - self.began
        with ExitStack() as stack:
            stack.enter_context(output_errors(self.folder, instead=_GO_ON))
            speed = matrix_speed(precision=chosen_precision(self.recipe))
            log = _Log(self.folder, self.watcher, speed, self.work.budget(spent))
            log.best = self.work.best
            stack.enter_context(log)
            loop = self.work.loop(
                log,
                spent=spent,
                precision=chosen_precision(self.recipe),
                checkpoints=Checkpoints(self.folder / "checkpoints", keep=self.recipe.saving.keep),
                extra={"fingerprints": prints},
                log_state=log.mark,
            )
            checkpoint = self._checkpoint(loop, prints, anyway=anyway) if resume else None
            state = loop.restore(checkpoint) if checkpoint else State(due=False)
            log.begin(checkpoint.state["metrics"] if checkpoint else None, state)
            self._recall(log)
            self._describe("running", state)
            with listen() as stop:
                stop.asked = self.work.ended_early
                state = loop.run(state, stop)
            done = loop.is_done(state) or self.work.ended_early
            if done:
                self._ship()
            self._describe("finished" if done else "stopped", state)
            write_finetuning_report(self.folder)
        return done

    def _fingerprints(self) -> dict[str, str]:
        """Return what tells whether a run is still the one that was interrupted."""
        files = sorted({name for split in vars(self.splits).values() for name in getattr(split, "files", ())})
        data = "".join(f"{name} {sha256(Path(name))}\n" for name in files)
        weights = sorted(resolve(self.recipe.base).glob("**/*.safetensors"))
        return {
            "recipe": hashlib.sha256(write_toml(self.recipe).encode()).hexdigest(),
            "data": hashlib.sha256(data.encode()).hexdigest(),
            "base": hashlib.sha256("".join(map(sha256, weights)).encode()).hexdigest(),
        }

    def _checkpoint(self, loop: Loop, prints: dict[str, str], *, anyway: bool) -> Checkpoint | None:
        """Return the newest whole checkpoint, if it belongs to this run as it is now."""
        found = loop.checkpoints.load(self.watcher.note) if loop.checkpoints else None
        if found is not None:
            refuse_changes(found, prints, self.folder, self.watcher, anyway=anyway)
        return found

    def _recall(self, log: "_Log") -> None:
        """Take up what was best so far, from the log and its file."""
        best, patience = self.work.best, self.recipe.selection.patience
        less = self.work.task.evaluation().less_is_better
        for record in log.metrics.records():
            if record["kind"] == "dev":
                sign = -1.0 if record["metric"] in less else 1.0
                best.see(sign * record[record["metric"]]["value"], record["step"])
        if best.step >= 0:
            best.weights = safetensors.torch.load_file(self.folder / _BEST.format(step=best.step))
        self.work.ended_early = bool(patience and best.since >= patience)

    def _ship(self) -> None:
        """Write the best model, and what dev and test rows say of it."""
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

    def _describe(self, status: str, state: State) -> None:
        """Write run.json."""
        work, recipe, config = self.work, self.recipe, self.work.bundle.config
        now = datetime.now(UTC).isoformat(timespec="seconds")
        write_run(
            self.folder,
            {
                **read_run(self.folder),
                "status": status,
                "finished": now if status == "finished" else None,
                "seconds": round(state.seconds, 1),
                "steps": state.step,
                "tokens": state.tokens,
                "threads": torch.get_num_threads(),
                "precision": recipe.precision,
                "task": recipe.task,
                "labels": list(work.bundle.labels),
                "lr": learning_rate(recipe.learning, config.width),
                "rows": {name: len(getattr(self.splits, name).rows) for name in ("train", "dev", "test")},
                "kept_back": self.splits.kept_back,
                "left_out": {name: getattr(self.splits, name).left_out for name in ("train", "dev", "test")},
                "columns": self.splits.train.columns.chosen,
                "truncation": truncation_of(
                    work.ledger, work.reading, named_rows(work.ledger.named, work.train)
                ),
                "best": {"step": work.best.step, "metric": recipe.selection.metric or work.task.main},
                "ended_early": work.ended_early,
                "calibration": work.calibration,
                "evaluation": {
                    name: {key: one.as_dict() for key, one in found.metrics.items()}
                    for name, found in self.evaluated.items()
                },
                "model": {"parameters": parameters(work.bundle.network), "family": config.family},
            },
        )


class _Log(RunLog):
    """The log of a run, which keeps the best weights in a file, too."""

    best: Best

    def evaluated(self, records: list[dict[str, Any]]) -> None:
        """Write an evaluation down, and the weights if they are the best so far."""
        if any(record.get("best") for record in records):
            path = self.metrics.path.with_name(_BEST.format(step=self.best.step))
            write_file(path, safetensors.torch.save(self.best.weights))
        super().evaluated(records)

    def saved(self, step: int) -> None:  # noqa: ARG002 (the loop's word)
        """Remove what was best long ago; a run that goes back to the checkpoint before needs a little."""
        for path in sorted(self.metrics.path.parent.glob(_BESTS))[:-_KEPT]:
            path.unlink()
