"""What a task is: rows to examples, logits to a loss, logits to predictions."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from ambos.data.batch import Batch
from ambos.data.examples import Examples, Labelled
from ambos.data.windows import Ledger, Long
from ambos.evaluate.evaluation import Evaluation
from ambos.text.tokenizer import Tokenizer

Row = TypeVar("Row")
Prediction = TypeVar("Prediction")
Logits = NDArray[np.float32]


@dataclass(frozen=True)
class Reading:
    """How rows become sequences.

    Parameters
    ----------
    tokenizer
        Of the model.
    limit
        Longest sequence in tokens, special ones included.
    long
        What becomes of longer ones: `error`, `cut`, `head-tail` or `windows`.
    apart
        Whether the two texts of a pair are read apart, each a sequence of its own.
    """

    tokenizer: Tokenizer
    limit: int
    long: Long = "cut"
    apart: bool = False

    @property
    def whole(self) -> "Reading":
        """The same, but for long texts: they are read in windows, unless they are an error."""
        return self if self.long == "error" else replace(self, long="windows")


class Task(ABC, Generic[Row, Prediction]):
    """What is learnt from labelled rows, and how logits become what a user asked for.

    `name` is what the user calls it, `head` the kind of head it needs (see `ambos.bundle.bundle.TASKS`);
    `pairs` tells whether its rows are pairs of texts, None that they may be, and `texts` how many texts such
    a row has; `whole_steps` that the examples of a step must be computed together, since the loss of one
    depends on the others; `whole_sets` that the rows it is measured with are, since what is right of one
    depends on the others.
    """

    name: str
    head: str
    pairs: bool | None = False
    texts: int = 2
    whole_steps: bool = False
    whole_sets: bool = False

    @abstractmethod
    def encode(self, rows: Sequence[Row], reading: Reading, ledger: Ledger, *, labelled: bool) -> Examples:
        """Return the sequences of some rows, with their targets if they are `labelled`."""

    def encode_measured(self, rows: Sequence[Row], reading: Reading, ledger: Ledger) -> Examples:
        """Return what `encode` gives for predictions, with targets: a loss and predictions come of it."""
        return self.encode(rows, reading, ledger, labelled=True)

    def learns_from(self, row: Row) -> bool:  # noqa: ARG002
        """Tell whether a row is one to learn from."""
        return True

    @abstractmethod
    def losses(self, logits: Tensor, part: Labelled) -> Tensor:
        """Return the loss of each thing that is learnt, (m,): a sequence, a word, a window."""

    @abstractmethod
    def weights(self, part: Labelled) -> Tensor:
        """Return how much each of them counts, (m,)."""

    @abstractmethod
    def decode(self, logits: Logits, examples: Examples, rows: Sequence[Row]) -> list[Prediction]:
        """Return one prediction for each row; `logits` lie in the order of the examples."""

    def decode_measured(
        self, logits: Logits, examples: Examples, rows: Sequence[Row]
    ) -> Sequence[Prediction]:
        """Return predictions for labelled rows, with whatever else `compare` asks for."""
        return self.decode(logits, examples, rows)

    @abstractmethod
    def evaluation(self) -> Evaluation:
        """Return what takes in examples and gives the metrics of this task."""

    def metrics_of(self, rows: Sequence[Row]) -> list[str]:  # noqa: ARG002
        """Return the names of the metrics that `evaluation` gives for these rows."""
        return list(self.evaluation().values())

    @abstractmethod
    def compare(self, rows: Sequence[Row], predictions: Sequence[Prediction]) -> tuple[Any, Any]:
        """Return gold and predicted as `evaluation().add` takes them."""

    @property
    @abstractmethod
    def main(self) -> str:
        """Name of the metric that tells best how good a model is, where one must be chosen."""

    @property
    def settings(self) -> dict[str, Any]:
        """What must be kept with the model to predict in the same way."""
        return {}


class Training(nn.Module):
    """A network and a task as the training loop sees them: `model(part, totals)` gives the loss.

    Parameters
    ----------
    network
        `network(batch, head, read)` gives logits.
    task
        What is to be learnt.
    """

    def __init__(self, network: nn.Module, task: Task[Any, Any]) -> None:
        super().__init__()
        self.network = network
        self.task = task

    def train(self, mode: bool = True) -> Self:
        """Switch dropout on or off; what is frozen stays as it is when the model is used."""
        super().train(mode)
        encoder: Any = self.network.encoder
        for part in (encoder.embeddings, *encoder.layers):
            if not any(weight.requires_grad for weight in part.parameters()):
                part.eval()
        return self

    def forward(self, part: Labelled, totals: Mapping[str, float]) -> tuple[Tensor, Tensor]:
        """Return this part's share in the mean loss of a step, twice: to learn from, and to report."""
        return self._loss(self.network(part.batch, self.task.head, part.places), part, totals)

    def vectors(self, batch: Batch) -> Tensor:
        """Return what the loss of a whole step is made of: one vector for each sequence, (n, width)."""
        network: Any = self.network
        return network.pooled(batch, network.reads[self.task.head])

    def loss_of(self, vectors: Tensor, part: Labelled, totals: Mapping[str, float]) -> tuple[Tensor, Tensor]:
        """Return what `forward` gives, from the vectors of all sequences of a part whose texts are apart."""
        return self._loss(vectors[part.places].flatten(1), part, totals)

    def _loss(self, logits: Tensor, part: Labelled, totals: Mapping[str, float]) -> tuple[Tensor, Tensor]:
        losses = self.task.losses(logits.float(), part)
        loss = (losses * self.task.weights(part)).sum() / totals["weight"]
        return loss, loss.detach()[None]
