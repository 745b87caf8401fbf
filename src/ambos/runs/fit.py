"""What a fine-tuning run is made of: the examples of a step, freezing, learning rates, the best weights."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ambos.bundle.bundle import Bundle
from ambos.data.draws import Draws
from ambos.data.examples import Examples, Labelled
from ambos.data.order import evenly
from ambos.encoder.operations import encoder_operations
from ambos.errors import UsageError
from ambos.runs.finetune_settings import FinetuneRecipe, Learning, head_factor, learning_rate
from ambos.runs.side_by_side import AT_ONCE
from ambos.tasks.task import Task, Training
from ambos.train.checkpoint import Checkpoint
from ambos.train.loop import State
from ambos.train.optim import Optimiser, OptimSettings
from ambos.train.work import Work


@dataclass(frozen=True)
class ExampleReader:
    """Reads the work of one step after the other: every example once in an epoch, in an order of its own.

    The order is a pure function of (seed, epoch).
    """

    examples: Examples
    task: Task[Any, Any]
    recipe: FinetuneRecipe
    bundle: Bundle

    def __call__(self, state: State, share: float) -> Work:  # noqa: ARG002 (other readers need it)
        """Return the work of the step after `state`."""
        epoch, index = state.place.get("epoch", 0), state.place.get("index", 0)
        count = len(self.examples)
        stop = min(index + self.recipe.batch, count)
        order = Draws.of(self.recipe.seed, "order", epoch)
        numbers = order.shuffled(np.arange(index, stop), count)
        parts = [self.examples.part(numbers)] if self.task.whole_steps else self._parts(numbers)
        weight = sum(float(self.task.weights(part).sum()) for part in parts)
        lengths = [length for part in parts for length in part.batch.lengths]
        place = {"epoch": epoch + 1, "index": 0} if stop == count else {"epoch": epoch, "index": stop}
        read = sum(self._read(part) for part in parts)
        operations = 3 * encoder_operations(self.bundle.config, lengths, read)
        return Work(parts, {"weight": weight}, sum(lengths), operations, place)

    def _parts(self, numbers: NDArray[np.int64]) -> list[Labelled]:
        """Return batches of about equal size, at least so many as are computed at once."""
        sizes = self.examples.sizes[numbers]
        most = max(1, self.recipe.part_tokens // AT_ONCE)
        return [self.examples.part(numbers[chosen]) for chosen in evenly(sizes, most, least=AT_ONCE)]

    def _read(self, part: Labelled) -> int:
        """Return how many tokens the last layer computes."""
        if part.places is not None and part.places.ndim == 1:
            return len(part.places)
        whole = self.bundle.network.reads[self.task.head] in {"token", "mean", "max"}
        return part.batch.tokens if whole else len(part.batch.lengths)


def prepare_weights(bundle: Bundle, settings: Learning) -> None:
    """Freeze what is to stay, and set the dropout."""
    network = bundle.network
    network.requires_grad_(requires_grad=True)
    encoder = network.encoder
    if settings.freeze == "all":
        encoder.requires_grad_(requires_grad=False)
    elif settings.freeze:
        if settings.freeze > len(encoder.layers):
            raise UsageError(
                f"the base has no {settings.freeze} layers to freeze",
                expected=f"at most {len(encoder.layers)}, or all",
                found=str(settings.freeze),
                fix="--freeze all",
            )
        encoder.embeddings.requires_grad_(requires_grad=False)
        for layer in list(encoder.layers)[: settings.freeze]:
            layer.requires_grad_(requires_grad=False)
    if not any(weight.requires_grad for weight in network.parameters()):
        raise UsageError(
            "nothing is left that could learn: the encoder is frozen, and there is no head",
            expected="some layers that learn",
            found=f"--freeze {settings.freeze}",
            fix=f"--freeze {len(encoder.layers) - 1}, or less",
        )
    if settings.dropout is not None:
        set_dropout(network, settings.dropout)


def set_dropout(network: nn.Module, rate: float) -> None:
    """Set every dropout of a network: of embeddings, attention, feed-forward and head."""
    encoder: Any = network.encoder
    encoder.embeddings.dropout = rate
    for layer in encoder.layers:
        layer.attention.probability_dropout = layer.attention.out.dropout = rate
        layer.feed_forward.outer.dropout = rate
    heads: Any = network.heads
    for head in heads.values():
        head.dropout = rate
        for layer in getattr(getattr(head, "attention", None), "layers", ()):
            for part in filter(None, (getattr(layer, "out", None), layer.outer)):
                part.dropout = rate
        head.input_dropout = rate if head.input_dropout else 0.0  # only where the family has it


def make_optimiser(model: Training, bundle: Bundle, recipe: FinetuneRecipe) -> Optimiser:
    """Return AdamW with a learning rate for each layer, where they differ."""
    settings, depth = recipe.learning, bundle.config.stored_layers
    of_head = head_factor(settings, recipe.pair)

    def scale(name: str) -> float:
        place = name.removeprefix("network.")
        if place.startswith(("heads.", "pooler.")):
            return of_head
        if place.startswith("encoder.layers."):
            return settings.layer_decay ** (depth - 1 - int(place.split(".")[2]))
        return settings.layer_decay**depth if place.startswith("encoder.embeddings.") else 1.0

    rate = learning_rate(settings, bundle.config.width)
    how = OptimSettings(
        "adamw", rate, None, settings.betas, settings.eps, settings.weight_decay, settings.clip
    )
    return Optimiser(model, how, scale=scale)


@dataclass
class Best:
    """The best weights so far, by a figure that is measured on the dev set.

    Parameters
    ----------
    network
        Whose weights.
    figure, step
        Of the best weights; -inf and -1 before the first.
    since
        Measurements since then.
    """

    network: nn.Module
    figure: float = -float("inf")
    step: int = -1
    since: int = 0
    weights: dict[str, Tensor] = field(default_factory=dict)

    def see(self, figure: float, step: int) -> bool:
        """Take a measurement into account; keep the weights and tell so if it is the best one."""
        if figure <= self.figure:
            self.since += 1
            return False
        self.figure, self.step, self.since = figure, step, 0
        self.weights = {name: weight.detach().clone() for name, weight in self.network.named_parameters()}
        return True

    def state(self) -> dict[str, Any]:
        """Return what a checkpoint must remember, the weights aside."""
        return {"best": [self.figure, self.step, self.since] if self.weights else None}

    def tensors(self) -> dict[str, dict[str, Tensor]]:
        """Return the weights as a file of a checkpoint, if there are any."""
        return {"best": self.weights} if self.weights else {}

    def recall(self, checkpoint: Checkpoint) -> None:
        """Take up what a checkpoint remembers."""
        if checkpoint.state["best"] is not None:
            self.figure, self.step, self.since = checkpoint.state["best"]
            self.weights = checkpoint.tensors["best"]

    @torch.no_grad()
    def restore(self) -> None:
        """Put the best weights back, if there are any."""
        for name, weight in self.network.named_parameters():
            if name in self.weights:
                weight.copy_(self.weights[name])
