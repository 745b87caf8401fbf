"""The one training loop: gradients, clipping, update, log, evaluation, saving; until the budget ends."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from ambos.data.draws import Draws
from ambos.errors import AmbosError
from ambos.train.average import Average
from ambos.train.checkpoint import Checkpoint, Checkpoints
from ambos.train.machine import Precision, settled_objects
from ambos.train.optim import Optimiser
from ambos.train.schedule import Budget, Schedule
from ambos.train.signals import Stop
from ambos.train.team import Team
from ambos.train.weights import full_tensors, load_full
from ambos.train.work import Together, Work, autocast, dropout_seed


class DivergedError(AmbosError):
    """The loss or its gradient is not a number any more."""


@dataclass(frozen=True)
class State:
    """How far a run is; with the weights and the optimiser's state, all that its future depends on.

    Parameters
    ----------
    step, tokens, seconds
        What was done so far.
    place
        How far the data has been read, in the words of whoever reads it.
    due
        Whether an evaluation belongs here that was not made yet.
    """

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    place: dict[str, Any] = field(default_factory=dict)
    due: bool = True


class Listener(Protocol):
    """Who wants to know how a run goes."""

    def trained(self, record: dict[str, Any], seconds: float, operations: float) -> None:
        """Take note of a step: what it gave, how long it took, and what it computed."""

    def evaluated(self, records: list[dict[str, Any]]) -> None:
        """Take note of an evaluation."""

    def saved(self, step: int) -> None:
        """Take note of a checkpoint."""


@dataclass
class Loop:
    """A run: what is trained, on what, how long.

    Parameters
    ----------
    model
        A module; `model(part, totals)` gives (loss, parts of the loss).
    names
        Names of these parts.
    read
        From the state and the share of the budget that is spent to the work of the next step.
    optimiser, schedule, budget
        How to update; the learning rate; how long.
    evaluate
        Measures the model as it is; gives records for the log, None if it gave up as a stop was asked for.
    listener
        Is told of everything.
    checkpoints
        Where the run is saved, or None.
    save_seconds, save_steps
        Save this often; whichever comes first.
    evaluations
        How many times to evaluate, beside the start.
    average
        Running average of the weights, or None.
    seed
        Of dropout.
    precision
        Of the matrix products of a step; weights, sums, updates and evaluations are float32.
    team, wrapped
        The processes that train together, and the model as they run it.
    extra
        Goes into every checkpoint: what the run belongs to.
    log_state
        Gives what else a checkpoint must remember, as plain values.
    kept
        Gives tensors that go into a checkpoint, too, by the name of their file.
    lower_rate
        How a user asks for a lower learning rate.
    together
        Computes the gradients of a step instead of the loop, several parts at once, or None.
    """

    model: nn.Module
    names: Sequence[str]
    read: Callable[[State, float], Work]
    optimiser: Optimiser
    schedule: Schedule
    budget: Budget
    evaluate: Callable[[State, Stop], list[dict[str, Any]] | None]
    listener: Listener
    checkpoints: Checkpoints | None = None
    save_seconds: float = 300.0
    save_steps: int = 0
    evaluations: int = 10
    average: Average | None = None
    seed: int = 0
    precision: Precision = "fp32"
    team: Team = field(default_factory=Team)
    wrapped: nn.Module | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    log_state: Callable[[], dict[str, Any]] = dict
    kept: Callable[[], dict[str, dict[str, Tensor]]] = dict
    lower_rate: str = "--set optim.lr=..."
    together: Together | None = None
    _saved: int = -1
    _saved_at: float = 0.0

    def share(self, state: State) -> float:
        """Return which share of the budget is spent."""
        return self.budget.share(step=state.step, tokens=state.tokens, seconds=state.seconds)

    def run(self, state: State, stop: Stop) -> State:
        """Train from `state` until the budget is spent or `stop` is asked for; return the last state."""
        self._saved_at = time.monotonic()
        with torch.random.fork_rng(devices=[]), settled_objects():
            while not self.is_done(state) and not self.team.any(stop.asked):
                after = self._evaluate(state, stop) if state.due else self._step(state, stop)
                if after is None:
                    continue
                state = after
                if not state.due and self._is_time_to_save(state):
                    self.save(state)
            self.save(state)
        return state

    def is_done(self, state: State) -> bool:
        """Tell whether nothing is left to do."""
        return self.share(state) >= 1 and not state.due

    def _step(self, state: State, stop: Stop) -> State | None:
        """Make one step; None if it was given up because a stop was asked for."""
        begin = time.perf_counter()
        share = self.share(state)
        work = self.read(state, share)
        losses = self._gradients(state, work, stop)
        if losses is None:
            return None
        norm = self._clip()
        record = self._record(state, work, losses, norm)
        if not math.isfinite(record["loss"]) or not math.isfinite(norm):
            saved = self._saved >= 0
            raise DivergedError(
                f"the loss became {record['loss']} at step {state.step + 1}",
                expected="numbers",
                found=f"gradient norm {norm}, learning rate {record['lr']:.3g}",
                fix=f"start again with a lower learning rate ({self.lower_rate}) or a longer warm-up; "
                + (f"the checkpoint of step {self._saved} is whole" if saved else "nothing was saved"),
            )
        self.optimiser.step(record["lr"] / self.optimiser.settings.lr)
        if self.average is not None:
            self.average.update()
        seconds = self.team.same(time.perf_counter() - begin)
        self.listener.trained(record, seconds, work.operations)
        after = State(state.step + 1, record["tokens"], state.seconds + seconds, work.place)
        return replace(after, due=_passed(share, self.share(after), self.evaluations))

    def _record(self, state: State, work: Work, losses: Tensor, norm: float) -> dict[str, Any]:
        # Half a step on: the first one of a warm-up is not for nothing.
        ahead = self.share(replace(state, step=state.step + 1, tokens=state.tokens + work.tokens))
        factor = self.schedule.factor((self.share(state) + ahead) / 2)
        weights = getattr(self.model, "weights", (1.0,) * len(self.names))
        parts = {f"{name}_loss": float(part) for name, part in zip(self.names, losses, strict=True)}
        return {
            "kind": "train",
            "step": state.step + 1,
            **{key: work.place[key] for key in ("epoch",) if key in work.place},
            "tokens": state.tokens + work.tokens,
            "loss": sum(weight * part for weight, part in zip(weights, parts.values(), strict=True)),
            **parts,
            "lr": self.optimiser.settings.lr * factor,
            "grad_norm": norm,
        }

    def _gradients(self, state: State, work: Work, stop: Stop) -> Tensor | None:
        """Add up the gradients of the parts; return the mean losses of the step."""
        self.model.train()
        draws = Draws.of(self.seed, "dropout", state.step)
        alone = self.team.size == 1
        if self.together is None or not alone:
            return self._one_by_one(work, draws, stop)
        found = self.together.gradients(work, draws, self.precision, stop)
        if found is None:
            self.optimiser.forget()
        return found

    def _one_by_one(self, work: Work, draws: Draws, stop: Stop) -> Tensor | None:
        """Compute the parts one after the other, each on all cores; those of a team, so many at once."""
        model = self.model if self.wrapped is None else self.wrapped
        size = self.team.size
        losses = torch.zeros(len(self.names))
        for first in range(0, len(work.parts), size):
            if stop.asked and size == 1:
                self.optimiser.forget()
                return None
            number = first + self.team.rank
            share = float(number < len(work.parts))  # 0: nothing left, but the others wait for this process
            torch.manual_seed(dropout_seed(draws, number))
            with self.team.unsynchronised(model, last=first + size >= len(work.parts)):
                with autocast(self.precision):
                    loss, parts = model(work.parts[number if share else 0], work.totals)
                (loss * (size * share) if size > 1 else loss).backward()
            losses += share * parts
        return self.team.sum(losses)

    def _clip(self) -> float:
        """Shorten the gradient to the largest norm that is allowed; return what it was."""
        limit = self.optimiser.settings.clip or math.inf
        weights = list(self.optimiser.named.values())
        norm = nn.utils.get_total_norm([weight.grad for weight in weights if weight.grad is not None])
        found = float(norm.full_tensor() if hasattr(norm, "full_tensor") else norm)
        if found > limit:  # a factor of 1 would read and write all of them for nothing
            nn.utils.clip_grads_with_norm_(weights, limit, norm)
        return found

    def _evaluate(self, state: State, stop: Stop) -> State | None:
        """Measure, and count the time it takes; None if it was given up because a stop was asked for."""
        begin = time.perf_counter()
        with self.averaged():
            self.model.eval()
            records = self.evaluate(state, stop)
        if records is None:
            return None
        self.listener.evaluated(records)
        seconds = self.team.same(time.perf_counter() - begin)
        return replace(state, seconds=state.seconds + seconds, due=False)

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """Use the averaged weights, if they are kept, for the time of the block."""
        if self.average is None:
            yield
            return
        with self.average.swapped():
            yield

    def _is_time_to_save(self, state: State) -> bool:
        if self._saved < 0 or (self.save_steps and state.step % self.save_steps == 0):
            return True
        return self.team.any(time.monotonic() - self._saved_at > self.save_seconds)

    def save(self, state: State) -> None:
        """Write a checkpoint of `state`, unless there is one."""
        if self.checkpoints is None or state.step == self._saved:
            return
        tensors = {
            "model": full_tensors(dict(self.model.named_parameters())),
            "optimiser": full_tensors(self.optimiser.tensors()),
            **self.kept(),
        }
        if self.average is not None:
            tensors["average"] = full_tensors(self.average.tensors())
        if self.team.leads:
            saved = {**asdict(state), **self.extra, **self.log_state()}
            self.checkpoints.save(state.step, Checkpoint(saved, tensors))
        self.team.wait()
        self._saved, self._saved_at = state.step, time.monotonic()
        self.listener.saved(state.step)

    def restore(self, checkpoint: Checkpoint) -> State:
        """Take up where a checkpoint was written."""
        load_full(dict(self.model.named_parameters()), checkpoint.tensors["model"])
        self.optimiser.load(checkpoint.tensors["optimiser"])
        if self.average is not None and "average" in checkpoint.tensors:
            load_full(self.average.tensors(), checkpoint.tensors["average"])
        elif self.average is not None:  # it was not asked for so far
            self.average = Average(self.model, self.average.decay)
        state = State(**{key: checkpoint.state[key] for key in ("step", "tokens", "seconds", "place", "due")})
        self._saved = state.step
        return state


def _passed(before: float, after: float, times: int) -> bool:
    """Tell whether one of so many evenly spread moments of the run lies between two shares of it."""
    return math.floor(min(after, 1.0) * times + 1e-9) > math.floor(before * times + 1e-9)
