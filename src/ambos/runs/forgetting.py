"""What an encoder forgot: the loss of the base's masked-LM head on hidden tokens, before and after."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from ambos.bundle.bundle import Bundle
from ambos.data.batch import Batch
from ambos.data.corruption import Corruption, CorruptionSettings, Vocabulary, corrupt
from ambos.data.draws import Draws
from ambos.data.order import by_length
from ambos.data.rows import QuestionRow, Row, WordsRow
from ambos.data.sequences import Sequences
from ambos.data.windows import Ledger, fit
from ambos.encoder.encoder import Encoder
from ambos.encoder.heads import Head
from ambos.evaluate.bootstrap import Floats, Tally, bootstrap
from ambos.evaluate.estimate import Estimate
from ambos.evaluate.ratios import divide
from ambos.evaluate.sparse_rows import Rows
from ambos.predict.run import CPU_BUDGET, run_all
from ambos.runs.heldout import LENGTH
from ambos.tasks.texts import texts_of
from ambos.text.tokenizer import Tokenizer

_TOKENS = 8192  # of all sequences: a few seconds with six layers of width 384
_CPU = torch.device("cpu")


@dataclass(frozen=True)
class Forgotten:
    """The mean loss at hidden tokens, in nats, and how much it rose.

    Parameters
    ----------
    before, after
        With the base's encoder, and with the fine-tuned one; the head is the base's both times.
    rise
        after - before; its interval draws sequences, each with both losses.
    sequences, tokens
        How many texts with hidden tokens there are, and how many of these.
    """

    before: float
    after: float
    rise: Estimate
    sequences: int
    tokens: int

    def as_dict(self) -> dict[str, Any]:
        """Return every field, for JSON."""
        return asdict(self)


def measure_forgetting(
    base: Bundle, encoder: Encoder, rows: Sequence[Row], *, sequences: int = 256
) -> Forgotten | None:
    """Return what an encoder that was fine-tuned from `base` forgot of masked language modelling.

    The same tokens of the same texts are hidden both times (BERT's rule: 15 %, of which 80 % become the mask
    and 10 % a random token). Texts are those of the rows, at most `sequences`, cut to 128 tokens, and fewer
    if they are long, so that it takes little time.

    Returns
    -------
    Forgotten | None
        None if the base has no masked-LM head, or fewer than two texts are so long that a token is hidden:
        one alone would say nothing of chance.
    """
    if "mlm" not in base.network.heads or base.tokenizer is None:
        return None
    mask = base.tokenizer.special_id("mask")
    texts = _texts(rows, sequences)
    if mask is None or not texts:
        return None
    found = _sequences(texts, base.tokenizer, min(LENGTH, base.config.context))
    vocabulary = Vocabulary.of(base.tokenizer.vocab_size, base.tokenizer.special_ids, mask)
    hidden = corrupt(found, CorruptionSettings(), vocabulary, Draws.of("forgetting", "corruption"))
    touched, owner = np.unique(found.owner[hidden.places], return_inverse=True)
    if len(touched) < 2:
        return None
    head: Any = base.network.eval().heads["mlm"]
    before, after = (_losses(one, head, found, hidden) for one in (base.network.encoder, encoder.eval()))
    # A text without hidden tokens says nothing: a draw of such texts alone would have no loss, not one of 0.
    sums = [np.bincount(owner, weights) for weights in (before, after, np.ones(len(owner)))]
    tally = Tally(3)
    tally.add(np.stack(sums, axis=1))
    figures = bootstrap(tally, _measure)
    return Forgotten(
        before=figures["before"].value,
        after=figures["after"].value,
        rise=figures["rise"],
        sequences=len(touched),
        tokens=len(hidden.places),
    )


def _measure(rows: Rows, times: Floats) -> dict[str, Floats]:
    before, after, tokens = (times @ rows.astype(np.float64)).T
    return {
        "before": divide(before, tokens),
        "after": divide(after, tokens),
        "rise": divide(after - before, tokens),
    }


def _texts(rows: Sequence[Row], most: int) -> list[str]:
    """Return some texts of rows, each once: the same ones for the same rows."""
    order = Draws.of("forgetting", "rows").shuffled(np.arange(len(rows)), len(rows)) if rows else ()
    return list(dict.fromkeys(_text(rows[place]) for place in order))[:most]


def _text(row: Row) -> str:
    if isinstance(row, WordsRow):
        return " ".join(row.words)
    if isinstance(row, QuestionRow):
        return row.passage
    return " ".join(texts_of(row))


def _sequences(texts: Sequence[str], tokenizer: Tokenizer, length: int) -> Sequences:
    """Return the beginnings of texts, as many as there is time for, the longest first."""
    ids = [fit(one, length, tokenizer.around, "cut", Ledger())[0] for one in tokenizer.ids_batch(texts)]
    within = np.cumsum([len(one) for one in ids]) <= _TOKENS
    chosen = sorted((one for one, room in zip(ids, within, strict=True) if room), key=len, reverse=True)
    special = np.concatenate([_is_special(len(one), *tokenizer.around) for one in chosen])
    return Sequences(
        ids=np.concatenate(chosen).astype(np.int64),
        segments=np.zeros(len(special), np.int64),
        lengths=np.array([len(one) for one in chosen]),
        special=special,
        word_starts=~special,  # single tokens are hidden: words do not matter
        relation=np.full(len(chosen), -1),
        keys=np.arange(len(chosen)),
    )


def _is_special(length: int, before: int, after: int) -> np.ndarray:
    place = np.arange(length)
    return (place < before) | (place >= length - after)


def _losses(encoder: Encoder, head: Head, sequences: Sequences, hidden: Corruption) -> Floats:
    """Return -log P of every hidden token, (M,)."""
    ends = np.cumsum(sequences.lengths)

    def compute(group: np.ndarray) -> np.ndarray:
        begin, stop = int(ends[group[0]] - sequences.lengths[group[0]]), int(ends[group[-1]])
        mine = slice(*np.searchsorted(hidden.places, (begin, stop)))
        places, labels = hidden.places[mine] - begin, hidden.labels[mine]
        if not len(places):
            return np.zeros(0)
        batch = Batch.of(
            hidden.ids[begin:stop],
            sequences.segments[begin:stop],
            tuple(sequences.lengths[group].tolist()),
        )
        logits = head(encoder(batch, read=torch.from_numpy(places)).last)
        return F.cross_entropy(logits, torch.from_numpy(labels), reduction="none").double().numpy()

    groups = list(by_length(sequences.lengths, CPU_BUDGET))
    return np.concatenate(list(run_all(compute, groups, _CPU)))
