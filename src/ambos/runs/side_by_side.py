"""Parts of a step side by side, each on cores of its own: cores then wait once a step, not all the time."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any, TypeVar

import torch
from torch import Tensor

from ambos.data.batch import Batch
from ambos.data.draws import Draws
from ambos.encoder.copies import add_gradients, share_again, sharing_copy
from ambos.encoder.dropout import drawn_from
from ambos.tasks.task import Training
from ambos.train.machine import Precision
from ambos.train.signals import Stop
from ambos.train.work import Work, autocast, dropout_seed

T = TypeVar("T")

AT_ONCE = 2  # a constant, not the number of cores: the same seed gives the same weights whatever that is


class SideBySide:
    """Computes the parts of a step two at a time.

    Cores that share one part wait for each other at every operation: 16 % of their time in steps of
    MiniLM on two cores. The second part is computed with a copy of the model that shares its weights; its
    gradients are added to those of the first when both are done, always in the same order.

    Where the loss of an example depends on the others of its step, there is one part. Of its sequences each
    half is encoded by itself, the loss is computed from the vectors of all, and its gradients go back
    through both halves.

    Parameters
    ----------
    model
        What is trained; gradients are added to its weights.
    most
        Tokens to compute at a time; parts that are far larger together are computed one after the other.
    """

    def __init__(self, model: Training, most: int) -> None:
        self.model = model
        self.most = most
        self.other = sharing_copy(model)
        self.pool = ThreadPoolExecutor(1, "ambos-part")

    def gradients(self, work: Work, draws: Draws, precision: Precision, stop: Stop) -> Tensor | None:
        """Add up the gradients of the parts; return the mean losses, None if a stop was asked for."""
        share_again(self.model, self.other)
        self.other.train(self.model.training)
        compute = self._whole if self.model.task.whole_steps else self._apart
        losses: list[Tensor] = []
        try:
            for first in range(0, len(work.parts), AT_ONCE):
                if stop.asked:
                    return None
                seeds = [dropout_seed(draws, first + number) for number in range(AT_ONCE)]
                losses += compute(work.parts[first : first + AT_ONCE], work.totals, seeds, precision)
        finally:
            add_gradients(self.model, self.other)
        return torch.stack(losses).sum(0)

    def _apart(
        self, parts: Sequence[Any], totals: Mapping[str, float], seeds: list[int], precision: Precision
    ) -> list[Tensor]:
        """Compute parts, each with a loss of its own; return the losses."""

        def learn(model: Training, part: Any, seed: int) -> Tensor:  # noqa: ANN401
            with drawn_from(seed), autocast(precision, alone=False):
                loss, reported = model(part, totals)
            loss.backward()
            return reported

        jobs = zip((self.model, self.other), parts, seeds, strict=False)
        return self._both([partial(learn, *job) for job in jobs], sum(part.batch.tokens for part in parts))

    def _whole(
        self, parts: Sequence[Any], totals: Mapping[str, float], seeds: list[int], precision: Precision
    ) -> list[Tensor]:
        """Compute one part in two halves that share a loss; return it."""
        (part,) = parts

        def encode(model: Training, half: Batch, seed: int) -> Tensor:
            with drawn_from(seed), autocast(precision, alone=False):
                return model.vectors(half)

        jobs = zip((self.model, self.other), part.batch.halves(), seeds, strict=False)
        found = self._both([partial(encode, *job) for job in jobs])
        vectors = torch.cat([half.detach() for half in found]).requires_grad_()
        loss, reported = self.model.loss_of(vectors, part, totals)
        (gradient,) = torch.autograd.grad(loss, vectors)
        ways = zip(found, gradient.split([len(half) for half in found]), strict=True)
        self._both([partial(half.backward, back) for half, back in ways])
        return [reported]

    def _both(self, jobs: Sequence[Callable[[], T]], tokens: int = 0) -> list[T]:
        """Do one job, or two at the same time if cores and memory allow it; return what they give."""
        cores = torch.get_num_threads()
        if len(jobs) == 1 or cores == 1 or tokens > 1.5 * self.most:
            return [job() for job in jobs]
        try:
            later: Future[T] = self.pool.submit(_with_cores, cores // AT_ONCE, jobs[1])
        except RuntimeError:  # the interpreter is about to end, and starts no thread any more
            return [job() for job in jobs]
        try:
            first = _with_cores(cores - cores // AT_ONCE, jobs[0])
            return [first, later.result()]
        finally:
            # Whatever happens, nothing is computed behind the back of what follows.
            wait([later])
            torch.set_num_threads(cores)


def _with_cores(cores: int, job: Callable[[], T]) -> T:
    torch.set_num_threads(cores)  # every time: some libraries keep one number for all threads
    return job()
