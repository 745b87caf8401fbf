"""Classification of texts: y = softmax(W z), one label each; or several at once, each yes or no."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from ambos.data.examples import Examples, Labelled
from ambos.data.label_set import LabelSet
from ambos.data.windows import Ledger
from ambos.evaluate.classification import Confusion, MultiLabel
from ambos.tasks.task import Logits, Reading, Task
from ambos.tasks.texts import TextOrPair, encode_texts, kept_pairs, mean_of_windows


@dataclass(frozen=True)
class Classified:
    """What a classifier says of a text.

    Parameters
    ----------
    labels
        The likeliest label; of a classifier of several labels, all that are likelier than not.
    probabilities
        (labels,) calibrated, in the order of the model's labels.
    logits
        (labels,) as they come out of the head.
    """

    labels: tuple[str, ...]
    probabilities: NDArray[np.float32]
    logits: NDArray[np.float32]


class Classify(Task[TextOrPair, Classified]):
    """Cross-entropy over labels; with `several`, one yes-or-no question for each.

    Parameters
    ----------
    labels
        Their names, in the order of the head's outputs.
    several
        Whether a text may have any number of labels.
    class_weights
        How much an example of each label counts while training, in the order of `labels`; None, all alike.
    smoothing
        Share of the target that is spread over all labels.
    temperature
        Logits are divided by it before they become probabilities; fitted on held-out examples.
    pairs
        Whether rows are pairs of texts; None if it is not known.
    texts
        How many texts such a row has.

    Examples
    --------
    >>> task = Classify(LabelSet(("neg", "pos")))
    >>> task.losses(torch.tensor([[0.1, 0.9]]), part)  # doctest: +SKIP
    tensor([0.3711])
    """

    name, head = "classify", "classify"

    def __init__(
        self,
        labels: LabelSet,
        *,
        several: bool = False,
        class_weights: Sequence[float] | None = None,
        smoothing: float = 0.0,
        temperature: float = 1.0,
        pairs: bool | None = None,
        texts: int = 2,
    ) -> None:
        self.labels = labels
        self.several = several
        self.class_weights = None if class_weights is None else torch.tensor(class_weights)
        self.smoothing = smoothing
        self.temperature = temperature
        self.pairs = pairs
        self.texts = texts

    def encode(
        self, rows: Sequence[TextOrPair], reading: Reading, ledger: Ledger, *, labelled: bool
    ) -> Examples:
        """Return the sequences of texts; a target is a label's number, or a row of zeros and ones."""
        target = self.target(rows) if labelled else None
        return encode_texts(rows, reading, ledger, target)

    def target(self, rows: Sequence[TextOrPair]) -> NDArray[Any]:
        """Return (rows,) int64; of several labels (rows, labels) float32."""
        if not self.several:
            return np.array([self.labels.id_of(row.labels[0], row.file, row.line) for row in rows], np.int64)
        found = np.zeros((len(rows), len(self.labels)), np.float32)
        for number, row in enumerate(rows):
            for label in row.labels:
                found[number, self.labels.id_of(label, row.file, row.line)] = 1.0
        return found

    def losses(self, logits: Tensor, part: Labelled) -> Tensor:
        """Return the cross-entropy of each sequence, (n,)."""
        target = part.targets["target"]
        if self.several:
            smooth = target * (1 - self.smoothing) + 0.5 * self.smoothing
            return F.binary_cross_entropy_with_logits(logits, smooth, reduction="none").mean(-1)
        return F.cross_entropy(logits, target, reduction="none", label_smoothing=self.smoothing)

    def weights(self, part: Labelled) -> Tensor:
        """Return the weight of each sequence: of its label, divided among the windows of a text."""
        weight = part.targets["share"]
        if self.class_weights is None:
            return weight
        if self.several:
            chosen = part.targets["target"] * self.class_weights
            return weight * torch.where(chosen.sum(-1) > 0, chosen.amax(-1), torch.ones_like(weight))
        return weight * self.class_weights[part.targets["target"]]

    def decode(self, logits: Logits, examples: Examples, rows: Sequence[TextOrPair]) -> list[Classified]:  # noqa: ARG002
        """Return labels and probabilities of each text."""
        whole = mean_of_windows(logits, examples)
        scaled = torch.from_numpy(whole / self.temperature)
        chances = (scaled.sigmoid() if self.several else scaled.softmax(-1)).numpy()
        if self.several:
            chosen = [
                tuple(self.labels.names[place] for place in np.flatnonzero(row > 0.5)) for row in chances
            ]
        else:
            chosen = [(self.labels.names[place],) for place in chances.argmax(-1)]
        return [Classified(*found) for found in zip(chosen, chances, whole, strict=True)]

    def evaluation(self) -> Confusion | MultiLabel:
        """Return what takes in examples and gives the metrics."""
        return (MultiLabel if self.several else Confusion)(self.labels.names)

    def compare(self, rows: Sequence[TextOrPair], predictions: Sequence[Classified]) -> tuple[Any, Any]:
        """Return numbers of labels; of several labels, tables of zeros and ones."""
        if self.several:
            found = np.array([one.probabilities > 0.5 for one in predictions], np.int64)
            return self.target(rows).astype(np.int64), found.reshape(len(rows), len(self.labels))
        return self.target(rows), np.array(
            [self.labels.id_of(one.labels[0]) for one in predictions], np.int64
        )

    @property
    def main(self) -> str:
        """Accuracy; of several labels, F1 over all of them."""
        return "micro_f1" if self.several else "accuracy"

    @property
    def settings(self) -> dict[str, Any]:
        """What must be kept with the model to predict in the same way."""
        return {
            "several": self.several,
            "temperature": self.temperature,
            **kept_pairs(self.pairs, self.texts),
        }
