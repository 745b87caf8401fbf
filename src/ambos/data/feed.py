"""What a pretraining step reads: its sequences, corrupted, as packed batches.

A pure function of (seed, epoch, index).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from ambos.data.batch import Batch
from ambos.data.corruption import Corruption, CorruptionSettings, Vocabulary, corrupt
from ambos.data.draws import Draws
from ambos.data.order import by_length
from ambos.data.parts import Int, Part
from ambos.data.plan import Plan, make_plan, plan_blocks, plan_sentences
from ambos.data.plan_pairs import PairSettings, Relation, plan_pairs
from ambos.data.sequences import Layout, Sequences, assemble, sequence_lengths
from ambos.errors import InputError
from ambos.text.tokenizer import Tokenizer

Scheme = Literal["blocks", "sentences", "pairs"]


@dataclass(frozen=True)
class MaskedBatch:
    """A packed batch with what a model shall find in it: T tokens, n sequences, M chosen tokens.

    Parameters
    ----------
    batch
        The corrupted sequences.
    places, labels
        (M,) places of the chosen tokens in the packed row, and their true ids.
    relation
        (p,) for each pair among the sequences, 0 if its segments are as in the text, else 1.
    pairs
        (p,) the places of the first tokens of these sequences.
    left, right, offsets
        (M,) where spans were hidden: the places beside the token's span, and its number in it; else (0,).
    """

    batch: Batch
    places: Tensor
    labels: Tensor
    relation: Tensor
    pairs: Tensor
    left: Tensor
    right: Tensor
    offsets: Tensor

    @property
    def counts(self) -> dict[str, int]:
        """How many things of each kind there are to find."""
        return {"tokens": self.batch.tokens, "chosen": len(self.places), "pairs": len(self.relation)}

    def to(self, device: torch.device | str) -> "MaskedBatch":
        """Return it on another device."""
        moved = {name: value.to(device) for name, value in vars(self).items()}
        return MaskedBatch(**moved)


@dataclass(frozen=True)
class Place:
    """How far the training data has been read: the next sequence of an epoch."""

    epoch: int = 0
    index: int = 0


@dataclass(frozen=True)
class FeedSettings:
    """How text becomes training examples.

    Parameters
    ----------
    scheme
        `blocks` of so many tokens, whole `sentences` (RoBERTa), or `pairs` of segments (BERT).
    relation
        Of pairs: whether the second segment is `next`, whether the `order` is right, or `none`.
    short
        Of pairs: share that aims at a random shorter length.
    corruption
        What is hidden.
    variants
        How many different corruptions of the data there are: 0, a new one in every epoch (dynamic); 1,
        always the same (static); 10, as BERT's.
    alpha
        Languages are drawn in proportion to their share of the sentences to this power; None, as they come.
    seed
        Decides every draw.
    """

    scheme: Scheme = "sentences"
    relation: Relation = "none"
    short: float = 0.1
    corruption: CorruptionSettings = field(default_factory=CorruptionSettings)
    variants: int = 0
    alpha: float | None = None
    seed: int = 0


class Feed:
    """Training examples of a part of a corpus.

    Examples
    --------
    >>> feed = Feed(part, tokenizer, FeedSettings("pairs", "next"))  # doctest: +SKIP
    >>> batches, place = feed.step(Place(), sequences=32, length=128)  # doctest: +SKIP
    """

    def __init__(self, part: Part, tokenizer: Tokenizer, settings: FeedSettings) -> None:
        self.part = part
        self.settings = settings
        self.layout = Layout.of(tokenizer)
        mask = tokenizer.special_id("mask")
        if mask is None or not self.layout.before or not self.layout.single_after:
            raise InputError(
                "this tokenizer cannot be used for pretraining",
                expected="special tokens before and after a text, and a mask token",
                fix="train one: ambos tokenizer train TEXT --out DIR",
            )
        self.vocabulary = Vocabulary.of(tokenizer.vocab_size, tokenizer.special_ids, mask)
        self._planned: tuple[tuple[int, int], Plan] | None = None
        if settings.relation == "next" and part.count < 2:
            raise InputError(
                "pairs of which half do not belong together need other documents",
                expected="at least two documents",
                found=str(part.count),
                fix="separate documents by blank lines, or pass --document line",
            )

    def plan(self, epoch: int, length: int) -> Plan:
        """Return the plan of an epoch for sequences of up to `length` tokens; the last one is kept."""
        key = (self._variant(epoch), length)
        if self._planned is None or self._planned[0] != key:
            self._planned = (key, self._make_plan(*key))
        return self._planned[1]

    def _variant(self, epoch: int) -> int:
        return epoch % self.settings.variants if self.settings.variants else epoch

    def _make_plan(self, variant: int, length: int) -> Plan:
        settings = self.settings
        draws = Draws.of(settings.seed, "plan", variant, length)
        room = self.layout.room(length, texts=2 if settings.scheme == "pairs" else 1)
        if settings.scheme == "pairs":
            pairs = PairSettings(room, settings.relation, settings.short)
            plan = make_plan(self.part, lambda chunk: plan_pairs(chunk, self.part, pairs, draws))
        elif settings.scheme == "blocks":
            plan = make_plan(self.part, lambda chunk: plan_blocks(chunk, room, draws))
        else:
            plan = make_plan(self.part, lambda chunk: plan_sentences(chunk, room))
        if plan.count == 0:
            raise InputError(
                "there is no text to train on",
                expected="documents of at least two sentences" if settings.scheme == "pairs" else "some text",
                fix="give more text, or another scheme: --set data.scheme=sentences",
            )
        return plan

    def step(
        self,
        place: Place,
        *,
        sequences: int,
        length: int,
        rate: float | None = None,
        budget: int = 8192,
        parts: int = 1,
    ) -> tuple[list[MaskedBatch], Place]:
        """Return the batches of a step, and the place of the next step.

        An epoch ends when fewer than `sequences` are left of it: the rest differs from epoch to epoch.

        Parameters
        ----------
        rate
            Share of the tokens to choose, if it is not that of the settings.
        budget, parts
            Tokens of a batch, at most; batches, at least.
        """
        plan = self.plan(place.epoch, length)
        if place.index and place.index + sequences > plan.count:
            place = Place(place.epoch + 1)
            plan = self.plan(place.epoch, length)
        numbers = np.arange(place.index, min(place.index + sequences, plan.count))
        chosen, keys = self._order(plan, place.epoch, numbers)
        batches = self.batches(plan, chosen, keys, self._variant(place.epoch), rate, budget, parts)
        return batches, Place(place.epoch, place.index + len(numbers))

    def batches(
        self, plan: Plan, chosen: Int, keys: Int, variant: int, rate: float | None, budget: int, parts: int
    ) -> list[MaskedBatch]:
        """Return sequences of a plan by their numbers, corrupted, longest first."""
        rows = plan.take(chosen)
        order = np.argsort(-sequence_lengths(self.part.store, rows, self.layout), kind="stable")
        sequences = assemble(self.part.store, rows[order], keys[order], self.layout)
        how = self.settings.corruption
        if rate is not None:
            how = replace(how, rate=rate)
        draws = Draws.of(self.settings.seed, "corruption", variant)
        corruption = corrupt(sequences, how, self.vocabulary, draws)
        budget = min(budget, -(-len(sequences.ids) // parts))
        groups = list(by_length(sequences.lengths, budget))
        while len(groups) < min(parts, len(rows)):  # a long sequence takes the room of several
            budget -= -(-budget // 8)
            groups = list(by_length(sequences.lengths, budget))
        borders = np.cumsum([0, *(len(group) for group in groups)])
        return [_cut(sequences, corruption, int(first), int(last)) for first, last in pairwise(borders)]

    def _order(self, plan: Plan, epoch: int, numbers: Int) -> tuple[Int, Int]:
        """Return which sequences of the plan come at these places of the epoch, and their keys."""
        draws = Draws.of(self.settings.seed, "order", epoch)
        if self.settings.alpha is None:
            chosen = draws.shuffled(numbers, plan.count)
            return chosen, chosen
        sizes = np.array([len(rows) for rows in plan.rows])
        shares = np.where(sizes > 0, self.language_shares, 0.0)  # a language may have sentences, but no pair
        bounds = np.cumsum(shares / shares.sum())[:-1]
        language = np.searchsorted(bounds, draws.uniform(0, numbers), side="right")
        chosen = (np.cumsum(sizes) - sizes)[language] + draws.below(sizes[language], 1, numbers)
        return chosen, chosen if self.settings.variants else numbers

    @cached_property
    def language_shares(self) -> np.ndarray:
        """How often each language is drawn: its share of the sentences to the power alpha, rescaled."""
        counts = np.zeros(len(self.part.store.languages))
        for chunk in self.part.chunks():
            counts += np.bincount(chunk.languages[chunk.used], minlength=len(counts))
        alpha = 1.0 if self.settings.alpha is None else self.settings.alpha
        shares = np.where(counts > 0, (counts / counts.sum()) ** alpha, 0.0)
        return shares / shares.sum()


def _cut(sequences: Sequences, corruption: Corruption, first: int, last: int) -> MaskedBatch:
    """Return sequences `first` to `last` as a batch of their own."""
    ends = np.cumsum(sequences.lengths)
    begin, stop = int(ends[first] - sequences.lengths[first]), int(ends[last - 1])
    mine = slice(*np.searchsorted(corruption.places, (begin, stop)))
    relation = sequences.relation[first:last]
    starts = ends[first:last] - sequences.lengths[first:last] - begin
    tensor = torch.from_numpy
    spans = len(corruption.left) > 0
    return MaskedBatch(
        batch=Batch.of(
            corruption.ids[begin:stop],
            sequences.segments[begin:stop],
            tuple(int(length) for length in sequences.lengths[first:last]),
        ),
        places=tensor(corruption.places[mine] - begin),
        labels=tensor(corruption.labels[mine]),
        relation=tensor(relation[relation >= 0]),
        pairs=tensor(starts[relation >= 0]),
        left=tensor(corruption.left[mine] - begin if spans else corruption.left),
        right=tensor(corruption.right[mine] - begin if spans else corruption.right),
        offsets=tensor(corruption.offsets[mine] if spans else corruption.offsets),
    )


def total_counts(batches: Sequence[MaskedBatch]) -> dict[str, int]:
    """Add up what there is to find in all batches of a step."""
    counts = [batch.counts for batch in batches]
    return {name: sum(count[name] for count in counts) for name in counts[0]}
