"""Fine-tuning in memory: a base with a new head, trained on rows, its best weights kept and calibrated."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from ambos.bundle.bundle import Bundle
from ambos.data.examples import Examples
from ambos.data.label_set import LabelSet
from ambos.data.rows import PairRow
from ambos.data.windows import Ledger, named_in_errors
from ambos.encoder.table import allow_in_place
from ambos.errors import UsageError
from ambos.evaluate.estimate import Estimate
from ambos.predict.learnt import remember
from ambos.predict.rows import MeanLoss, predict_rows, refuse_long
from ambos.runs.calibrating import calibrate
from ambos.runs.finetune_settings import FinetuneRecipe, learning_rate
from ambos.runs.finetune_task import attach_head, make_task, reading_of
from ambos.runs.fit import Best, ExampleReader, make_optimiser, prepare_weights
from ambos.runs.pair_start import NextStart, fit_segments
from ambos.runs.side_by_side import SideBySide
from ambos.suggest import did_you_mean
from ambos.tasks.score import Score
from ambos.tasks.task import Reading, Task, Training
from ambos.train.checkpoint import Checkpoint, Checkpoints
from ambos.train.loop import Listener, Loop, State
from ambos.train.machine import Precision
from ambos.train.schedule import Budget, Schedule
from ambos.train.signals import Stop

CPU = torch.device("cpu")
_BY_CLOCK = 10  # measurements of a run that ends by the clock


class _GivenUp(Exception):  # noqa: N818 (nothing is wrong)
    """A stop was asked for in the middle of a measurement."""


@dataclass
class Finetuning:
    """A base with a new head, and all that its training needs; nothing of it is on disk.

    Parameters
    ----------
    bundle
        The base; its head is exchanged, its weights are trained in place.
    train, dev
        Rows to learn from, and rows that decide which weights are kept; without them, the last ones are.
    recipe
        All settings.
    labels
        In their order; without them, those of the training rows, as `LabelSet` orders them.
    """

    bundle: Bundle
    train: Sequence[Any]
    dev: Sequence[Any]
    recipe: FinetuneRecipe
    labels: LabelSet | None = None
    task: Task[Any, Any] = field(init=False)
    reading: Reading = field(init=False)
    examples: Examples = field(init=False)
    ledger: Ledger = field(default_factory=Ledger)
    best: Best = field(init=False)
    ended_early: bool = False
    calibration: dict[str, Any] | None = None
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.train:
            raise UsageError("there are no rows to learn from", fix="give a file with rows as --train")
        self.task = make_task(self.recipe, self.train, self.labels)
        self.metric(self.task.metrics_of(self.dev))  # asked before an epoch is spent
        self.train = [row for row in self.train if self.task.learns_from(row)]
        if self.recipe.task == "embed" and not any(row.labels or row.score is not None for row in self.train):
            self.notes.append("pairs without label and score: all of them are taken to belong together")
        self._attach_head()
        self.reading = reading_of(self.bundle, self.recipe)
        with named_in_errors(self.train, self.ledger):
            self.examples = self.task.encode(self.train, self.reading, self.ledger, labelled=True)
        prepare_weights(self.bundle, self.recipe.learning)
        self.best = Best(self.bundle.network)

    def _attach_head(self) -> None:
        """Give the base its new head, with what it may begin with, and the segments that its texts need."""
        pair = self.recipe.pair
        joint = pair.scheme == "joint"
        from_next = joint and pair.start == "nsp"
        if (from_next or not joint) and not isinstance(self.train[0], PairRow):
            what = "pair.start = nsp" if from_next else f"the scheme {pair.scheme}"
            raise UsageError(
                f"{what} is for pairs of texts, and these are single ones",
                expected="columns of two texts",
                fix="name them: --text-a COLUMN --text-b COLUMN",
            )
        if done := fit_segments(self.bundle, self.train, joint=joint, grow=pair.grow_segments):
            self.notes.append(done)
        start = None
        if from_next:
            # Pairs that are too long for the recipe are refused later, with their lines.
            reading = replace(reading_of(self.bundle, self.recipe), apart=False, long="cut")
            start = NextStart.of(self.bundle, self.train, reading)
        attach_head(self.bundle, self.task, self.recipe)
        if start is not None:
            self.notes.append(start.begin(self.bundle, self.task))

    def refuse_long(self, *others: Sequence[Any]) -> None:
        """Raise `InputError` for a dev row that is too long, if that is an error; asked before training.

        `others` are rows that the model will be measured with, too, when it has learnt.
        """
        for rows in (self.dev, *others):
            refuse_long(self.task, rows, self.reading)

    def budget(self, spent: float = 0.0) -> Budget:
        """Return how long to train; `spent` are seconds that count already where the clock does."""
        recipe = self.recipe
        if recipe.minutes is not None:
            return Budget(seconds=max(1.0, recipe.minutes * 60 - spent))
        per_epoch = -(-len(self.examples) // recipe.batch)
        return Budget(steps=max(1, round(recipe.epochs * per_epoch)))

    def epochs_of(self, state: State) -> float:
        """Return how often every example has been read; tokens do not tell, since windows share some."""
        return float(state.place.get("epoch", 0) + state.place.get("index", 0) / len(self.examples))

    def loop(
        self,
        listener: Listener,
        *,
        checkpoints: Checkpoints | None = None,
        spent: float = 0.0,
        precision: Precision = "fp32",
        **more: Any,  # noqa: ANN401 (as `Loop` has them)
    ) -> Loop:
        """Return the training loop."""
        recipe = self.recipe
        model = Training(self.bundle.network, self.task)
        allow_in_place(model)
        reader = ExampleReader(self.examples, self.task, recipe, self.bundle)
        by_clock = recipe.minutes is not None
        evaluations = _BY_CLOCK if by_clock else max(1, round(recipe.epochs * recipe.selection.per_epoch))
        return Loop(
            model=model,
            names=("task",),
            read=reader,
            optimiser=make_optimiser(model, self.bundle, recipe),
            schedule=Schedule(**recipe.schedule.model_dump()),
            budget=self.budget(spent),
            evaluate=self._evaluate,
            listener=listener,
            checkpoints=checkpoints,
            save_seconds=recipe.saving.minutes * 60,
            save_steps=recipe.saving.steps,
            evaluations=evaluations,
            seed=recipe.seed,
            precision=precision,
            together=SideBySide(model, recipe.part_tokens),
            lower_rate=f"--lr {learning_rate(recipe.learning, self.bundle.config.width) / 3:.1g}",
            **more,
        )

    def _evaluate(self, state: State, stop: Stop) -> list[dict[str, Any]] | None:
        """Measure on the dev set; keep the weights if they are the best, ask to stop if that was long ago.

        The record has the mean loss of the dev rows, too, as `MeanLoss` says; None where it depends on steps.
        """
        if not self.dev:
            return []
        loss = None if self.task.whole_steps else MeanLoss(self.task)  # which depends on the others of a step
        try:
            metrics = self.measure(self.dev, loss=loss, stop=stop)
        except _GivenUp:
            return None
        name = self.metric(metrics)
        sign = -1.0 if name in self.task.evaluation().less_is_better else 1.0
        is_best = self.best.see(sign * metrics[name].value, state.step)
        patience = self.recipe.selection.patience
        if patience and self.best.since >= patience:
            self.ended_early = stop.asked = True
        record: dict[str, Any] = {"kind": "dev", "step": state.step, "epoch": state.place.get("epoch", 0)}
        record["loss"] = loss.mean if loss else None
        record |= {key: one.as_dict() for key, one in metrics.items()}
        return [record | {"metric": name, "best": is_best}]

    def metric(self, metrics: Collection[str]) -> str:
        """Return the name of the metric that decides, which must be one of these."""
        return deciding_metric(self.recipe, self.task, metrics)

    def measure(
        self, rows: Sequence[Any], *, draws: int = 200, loss: MeanLoss | None = None, stop: Stop | None = None
    ) -> dict[str, Estimate]:
        """Return the metrics of some labelled rows with the weights as they are.

        `loss` takes in what the rows lose on the way; a `stop` that is asked for ends the measuring.
        """
        evaluation = self.task.evaluation()
        self.bundle.network.eval()

        def look(_: float) -> None:
            if stop is not None and stop.asked:
                raise _GivenUp

        found = predict_rows(
            self.bundle.network,
            self.task,
            rows,
            self.reading,
            Ledger(),
            device=CPU,
            progress=look,
            loss=loss,
            measured=True,
        )
        for some, predictions in found:
            evaluation.add(*self.task.compare(some, predictions))
        return evaluation.metrics(draws=draws)

    def recall(self, checkpoint: Checkpoint) -> None:
        """Take up what was best when a checkpoint was written, and whether that was long before."""
        self.best.recall(checkpoint)
        patience = self.recipe.selection.patience
        self.ended_early = bool(patience and self.best.since >= patience)

    def finish(self) -> None:
        """Put the best weights back, calibrate them on the dev rows, and let the bundle know what it can."""
        self.best.restore()
        self.bundle.network.eval().requires_grad_(requires_grad=True)
        if isinstance(self.task, Score):
            self.task.end(self.bundle.network.heads[self.task.head])
        self.calibration = calibrate(self)
        remember(self.bundle, self.task, self.reading)


def deciding_metric(recipe: FinetuneRecipe, task: Task[Any, Any], metrics: Collection[str]) -> str:
    """Return the name of the metric that decides which weights are kept, which must be one of these."""
    name = recipe.selection.metric or task.main
    if name not in metrics:
        raise UsageError(
            f"there is no metric {name!r} for {task.name}",
            expected=f"one of {', '.join(metrics)}",
            fix=did_you_mean(name, metrics),
        )
    return name
