"""What a base brings along for pairs: its head for neighbouring sentences, and segments for more texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ambos.bundle.bundle import Bundle
from ambos.data.draws import Draws
from ambos.data.rows import PairRow
from ambos.data.sequences import Layout
from ambos.errors import UsageError
from ambos.predict.coherence import follow_odds
from ambos.tasks.classify import Classify
from ambos.tasks.score import Score
from ambos.tasks.task import Reading, Task

_ROWS = 512  # that tell which label means what to the base
_CPU = torch.device("cpu")


@dataclass(frozen=True)
class NextStart:
    """The base's head for neighbouring sentences, and what it says of training pairs.

    Parameters
    ----------
    weight, bias
        (2, width) and (2,): the first row is for texts that follow each other.
    rows
        Some of the training pairs.
    odds
        Of each, how much likelier than not its texts follow each other: the difference of the two logits.
    """

    weight: Tensor
    bias: Tensor
    rows: Sequence[PairRow]
    odds: np.ndarray

    @classmethod
    def of(cls, bundle: Bundle, rows: Sequence[Any], reading: Reading) -> "NextStart":
        """Ask a base with such a head about some of the pairs."""
        fix = "leave out --start nsp, or choose a base pretrained with next sentences (docs/pairs.md)"
        bundle.require("next", fix)
        order = Draws.of("next").shuffled(np.arange(min(_ROWS, len(rows))), len(rows))
        some = [rows[place] for place in order]
        odds = follow_odds(bundle.network, some, reading, device=_CPU)
        out: Any = bundle.network.heads["next"].out
        return cls(out.weight.detach().clone(), out.bias.detach().clone(), some, odds)

    @torch.no_grad()
    def begin(self, bundle: Bundle, task: Task[Any, Any]) -> str:
        """Let a new head begin with it; return what was done, in words.

        A label whose pairs the base takes for neighbours more than the others begins as "next", the others as
        "not next"; a score begins as the line through odds and scores.
        """
        out: Any = bundle.network.heads[task.head].out
        if isinstance(task, Score):
            scores = np.array([row.score for row in self.rows], np.float64)
            slope, level = _line(self.odds, (scores - task.mean) / task.variance**0.5)
            out.weight.copy_(slope * (self.weight[0] - self.weight[1])[None])
            out.bias.fill_(slope * float(self.bias[0] - self.bias[1]) + level)
            return f"the head begins as the base's for neighbouring sentences (slope {slope:+.2f})"
        if not isinstance(task, Classify):
            raise UsageError(f"{task.name} cannot begin with a head for neighbouring sentences")
        numbers = task.target(self.rows)
        means = [
            self.odds[numbers == label].mean() if (numbers == label).any() else -np.inf
            for label in range(len(task.labels))
        ]
        is_next = np.asarray(means) > self.odds.mean()
        for label, follows in enumerate(is_next):
            out.weight[label] = self.weight[0 if follows else 1]
            out.bias[label] = self.bias[0 if follows else 1]
        named = [name for name, follows in zip(task.labels.names, is_next, strict=True) if follows]
        return f"the head begins as the base's for neighbouring sentences: {', '.join(named)} as next"


def _line(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Return slope and level of the least-squares line."""
    spread = x.var()
    slope = float(np.mean((x - x.mean()) * (y - y.mean())) / spread) if spread > 0 else 0.0
    return slope, float(y.mean() - slope * x.mean())


def fit_segments(bundle: Bundle, rows: Sequence[Any], *, joint: bool, grow: bool) -> str | None:
    """See to it that the base has a segment for each text of the rows; return what was done, if anything.

    Raises
    ------
    UsageError
        If it has too few and is not to `grow`, if more than two texts are to be read apart, or if it is to
        `grow` and there are no more texts, or no segments.
    """
    row = rows[0]
    texts = 2 + len(row.more) if isinstance(row, PairRow) else 1
    if texts < 3 and grow and joint:
        raise UsageError(
            "segments are added for more than two texts, and there are no more",
            expected="a third column of texts",
            found="pairs of texts" if texts == 2 else "single texts",
            fix="leave --grow-segments out, or name the column: --text-c COLUMN (docs/pairs.md)",
        )
    if texts < 3 or bundle.tokenizer is None:
        return None
    if not joint:
        raise UsageError(
            f"{texts} texts cannot be read apart",
            expected="two texts, or the scheme joint",
            fix="--scheme joint",
        )
    needs = max(Layout.of(bundle.tokenizer).together(*([[]] * texts))[1]) + 1
    has = bundle.config.segments
    if grow and (needs < texts or not has):
        raise UsageError(
            "the base tells no segments apart: what stands between texts says where one ends",
            expected="a base and a tokenizer that number segments, as BERT's do",
            found=f"{bundle.family.model_type} with {has} segments, of which texts get {min(needs, has)}",
            fix="leave --grow-segments out",
        )
    if has >= needs or not has:
        return None
    if not grow:
        raise UsageError(
            f"the base tells {has} segments apart, and there are {texts} texts",
            expected=f"at least {needs} segments",
            found=f"{has}",
            fix="--grow-segments gives it more, which begin as copies of the second one",
        )
    bundle.grow_segments(needs)
    return f"the base's {has} segments were made {needs}: the new ones begin as copies of the last"
