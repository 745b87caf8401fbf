"""Every text of one list with every text of another: twin encoders read n + m texts for n x m pairs.

Letters: n and m texts, T tokens of a side, W width, L outputs of a head.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from ambos.bundle.bundle import Bundle
from ambos.data.batch import Batch
from ambos.data.examples import Examples
from ambos.data.order import by_length
from ambos.data.windows import Ledger, fit_apart
from ambos.encoder.heads import TwinHead
from ambos.errors import UsageError
from ambos.predict.run import budget_of, count_workers, run_all, run_examples
from ambos.tasks.classify import Classify
from ambos.tasks.task import Reading, Task

_PAIRS = 8192  # that a head is given at a time; where it attends to tokens, as many as make a batch
_NUMBERED = 262_144  # pairs that are put in order at a time
_SAMPLE = 256  # numbers of each tensor that tell a model from others


@dataclass(frozen=True)
class Side:
    """Texts that were read once, to be put beside others any number of times.

    Parameters
    ----------
    vectors
        (n, W) one for each text; of the scheme `attention`, (T, W) one for each token, text after text.
    lengths
        (n,) tokens of each text.
    owner
        What tells the model that read them from others, see `owner_of`.
    """

    vectors: Tensor
    lengths: tuple[int, ...]
    owner: str = ""

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def tokens(self) -> int:
        """How many tokens the encoder read for it."""
        return sum(self.lengths)


def owner_of(bundle: Bundle) -> str:
    """Return what tells a model from others: some numbers of each tensor, and how it reads a pair.

    It is the same for two models that were loaded from the same files.
    """
    found = hashlib.sha256(repr((bundle.task, bundle.pair, bundle.pooling)).encode())
    for name, tensor in bundle.network.state_dict().items():
        step = max(1, tensor.numel() // _SAMPLE)
        some = tensor.detach().flatten()[::step].float().cpu().numpy()
        found.update(f"{name} {tuple(tensor.shape)}".encode() + some.tobytes())
    return found.hexdigest()


def read_side(
    network: Any,  # noqa: ANN401 (a `Network`)
    kind: str,
    texts: Sequence[str],
    reading: Reading,
    *,
    device: torch.device,
    ledger: Ledger | None = None,
) -> Side:
    """Read texts with a twin encoder; see `Model.read`."""
    tokenizer, ledger = reading.tokenizer, ledger or Ledger()
    sequences = [
        fit_apart(ids, reading.limit, tokenizer.around, reading.long, ledger)
        for ids in tokenizer.ids_batch(texts)
    ]
    examples = Examples.of(sequences)
    attends = _attends(network, kind)
    compute = _hidden if attends else _pooled
    found: list[Tensor] = [torch.empty(0)] * len(sequences)
    for part, rows in run_examples(examples, lambda one: compute(network, kind, one.batch), device):
        for number, row in zip(part.numbers, rows, strict=True):
            found[number] = row
    if not found:
        return Side(torch.empty(0, network.encoder.config.width), ())
    vectors = torch.cat(found) if attends else torch.stack(found)
    return Side(vectors, tuple(examples.lengths.tolist()))


def _attends(network: Any, kind: str) -> bool:  # noqa: ANN401
    head = dict(network.heads).get(kind)
    return isinstance(head, TwinHead) and head.attention is not None


def _hidden(network: Any, kind: str, batch: Batch) -> tuple[Tensor, ...]:  # noqa: ANN401, ARG001
    return batch.split(network.encoder(batch).last)


def _pooled(network: Any, kind: str, batch: Batch) -> tuple[Tensor, ...]:  # noqa: ANN401
    rows: tuple[Tensor, ...] = network.pooled(batch, network.reads[kind]).unbind(0)
    return rows


@torch.inference_mode()
def score_grid(network: Any, task: Task[Any, Any], first: Side, second: Side) -> NDArray[np.float32]:  # noqa: ANN401
    """Return what a twin model says of every pair: probabilities (n, m, L), scores or cosines (n, m)."""
    if not len(first) or not len(second):
        labels = (len(task.labels),) if isinstance(task, Classify) else ()
        return np.empty((len(first), len(second), *labels), np.float32)
    if task.head == "embed":
        sides = (F.normalize(side.vectors, dim=-1) for side in (first, second))
        return np.asarray(_times(*sides).cpu().numpy())
    head: TwinHead = network.heads[task.head]
    rows = max(1, _NUMBERED // len(second))
    parts = [
        _logits(head, first, second, range(begin, min(begin + rows, len(first))))
        for begin in range(0, len(first), rows)
    ]
    logits = torch.cat(parts).unflatten(0, (len(first), len(second)))
    if not isinstance(task, Classify):
        return np.asarray(logits[..., 0].numpy())
    logits = logits / task.temperature
    return np.asarray((logits.sigmoid() if task.several else logits.softmax(-1)).numpy())


def _times(first: Tensor, second: Tensor) -> Tensor:
    return first @ second.T


def _logits(head: TwinHead, first: Side, second: Side, some: range) -> Tensor:
    """Return the logits of some texts of the first side with all of the second, (pairs, L)."""
    a, b = (numbers.ravel() for numbers in np.meshgrid(some, np.arange(len(second)), indexing="ij"))
    sizes, budget, device = np.ones_like(a), _PAIRS, first.vectors.device
    if head.attention is not None:
        sizes = np.asarray(first.lengths)[a] + np.asarray(second.lengths)[b]
        budget = budget_of(device)
    meet = _meeting(head, first, second)

    def compute(part: NDArray[np.int64]) -> Tensor:
        return head(meet(*(torch.from_numpy(side[part]).to(device) for side in (a, b)))).cpu()

    parts = list(by_length(sizes, budget, workers=count_workers(device)))
    found = torch.empty(len(a), head.out.out_features)
    for part, logits in zip(parts, run_all(compute, parts, device), strict=True):
        found[torch.from_numpy(part)] = logits
    return found


def _meeting(head: TwinHead, first: Side, second: Side) -> Callable[[Tensor, Tensor], Tensor]:
    """Return what takes numbers of texts of both sides, (p,) each, to what the head reads of these pairs."""
    if head.attention is None:
        return lambda a_p, b_p: head.combine(first.vectors[a_p], second.vectors[b_p])
    attention, hidden = head.attention, torch.cat([first.vectors, second.vectors])
    ids = np.zeros(len(hidden), np.int64)  # attention over pairs asks only where texts lie
    batch = Batch.of(ids, ids, (*first.lengths, *second.lengths), device=hidden.device)
    return lambda a_p, b_p: attention(hidden, batch, torch.stack([a_p, len(first) + b_p], 1))


def own_side(side: Side, owner: str, where: str) -> Side:
    """Return the side, or raise `UsageError` if another model read it: its vectors mean nothing here."""
    if side.owner != owner:
        raise UsageError(
            f"{where} was read by another model",
            expected="texts, or what `read` of this model returned",
            fix="read the texts with this model: model.read(texts)",
        )
    return side


def refuse_joint(apart: bool) -> None:
    """Raise `UsageError` for a model whose pairs are read together: it has nothing to read once."""
    if not apart:
        raise UsageError(
            "this model reads both texts of a pair together",
            expected="a twin encoder (ambos finetune pair --scheme combined), or a model of sentence vectors",
            fix="give the pairs to `predict`",
        )
