"""From a recipe and a corpus to the parts of a run: model, objectives, data, optimiser."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from ambos.bundle.bundle import Bundle
from ambos.bundle.families import FAMILIES
from ambos.data.corruption import CorruptionSettings
from ambos.data.feed import Feed, FeedSettings, MaskedBatch, Place, total_counts
from ambos.data.parts import Part
from ambos.encoder.build import initialise
from ambos.encoder.config import EncoderConfig
from ambos.encoder.neighbours import look_at_neighbours
from ambos.encoder.operations import encoder_operations, vocabulary_operations
from ambos.errors import UsageError
from ambos.objectives.masked import MaskedLanguageModel
from ambos.objectives.objective import Objective, Pretraining
from ambos.objectives.relation import SegmentRelation
from ambos.objectives.span_boundary import SpanBoundary
from ambos.runs.settings import PretrainRecipe
from ambos.runs.shape import encoder_shape
from ambos.text.store import TokenStore
from ambos.text.tokenizer import Tokenizer
from ambos.train.loop import State
from ambos.train.schedule import between
from ambos.train.team import Team
from ambos.train.work import Work

_PARTS = 4  # a step with dropout has at least so many: the same for 1, 2 and 4 processes
_PART_OPERATIONS = 3e11  # of a part: some seconds, so that a wish to stop is heard soon
_COUNTED = 1_000_000  # tokens counted at a time


def new_bundle(recipe: PretrainRecipe, store: TokenStore) -> Bundle:
    """Make a model with new weights, with the heads that the objectives need."""
    tokenizer = store.tokenizer
    bundle = Bundle.new(encoder_shape(recipe.model, tokenizer.vocab_size), tokenizer, seed=recipe.seed)
    if recipe.model.neighbours:
        look_at_neighbours(bundle.network.encoder, recipe.seed + 4)
    bundle.add_head("mlm", seed=recipe.seed + 1)
    if recipe.model.unigram_bias:
        set_unigram_bias(bundle, store)
    add_relation_head(bundle, recipe)
    return bundle


def check_fit(recipe: PretrainRecipe, config: EncoderConfig) -> None:
    """Raise `UsageError` if a model of this shape cannot be trained as the recipe says."""
    if recipe.relation != "none" and "next" not in FAMILIES[config.family].heads:
        raise UsageError(
            f"{config.family} models have no head for the objective {recipe.relation}",
            expected="a family with one: bert or albert",
            fix="leave the objective out, or choose another preset",
        )
    if recipe.model.neighbours and config.positions != "rotary":
        raise UsageError(
            "heads can begin by looking at neighbours only where positions are rotary",
            fix="--set model.neighbours=false, or model.family=modernbert-base",
        )
    longest = max(phase.length for phase in recipe.phases)
    if longest > config.context:
        raise UsageError(
            "the sequences are longer than the model can read",
            expected=f"at most {config.context} tokens",
            found=f"a phase of {longest}",
            fix=f"--set 'phases=[{{length={config.context}}}]'",
        )


def add_relation_head(bundle: Bundle, recipe: PretrainRecipe) -> bool:
    """Attach the head of next-sentence or order prediction if asked for and missing; tell if it is new."""
    check_fit(recipe, bundle.config)
    if recipe.relation == "none" or "next" in bundle.network.heads:
        return False
    bundle.add_head("next", seed=recipe.seed + 2)
    bundle.task = "mlm"
    return True


def set_unigram_bias(bundle: Bundle, store: TokenStore) -> None:
    """Start the output bias at log((count + 1) / (tokens + V)): the best guess that knows no context."""
    size = bundle.config.vocab_size
    counts = np.ones(size)
    for first in range(0, len(store.tokens), _COUNTED):
        # Mapped anew for each piece: what was read goes with the mapping, and does not fill the memory.
        tokens = np.load(store.path / "tokens.npy", mmap_mode="r")
        counts += np.bincount(tokens[first : first + _COUNTED], minlength=size)
    out: nn.Linear = bundle.network.heads["mlm"].out  # type: ignore[assignment]
    if out.bias is not None:
        out.bias.data = torch.from_numpy(np.log(counts / counts.sum())).float()


def build_model(bundle: Bundle, recipe: PretrainRecipe) -> Pretraining:
    """Put the objectives of a recipe on a model."""
    network, weights = bundle.network, recipe.objectives
    head: Any = network.heads["mlm"]
    found: dict[Objective, float] = {MaskedLanguageModel(head): weights["mlm"]}
    if recipe.relation != "none":
        relation: Any = network.heads["next"]
        if network.pooler is None:
            raise ValueError("the model has no pooler")
        found[SegmentRelation(recipe.relation, network.pooler, relation)] = weights[recipe.relation]
    if "span_boundary" in weights:
        boundary = SpanBoundary(bundle.config.width, head.out)
        generator = torch.Generator().manual_seed(recipe.seed + 3)
        for part in (boundary.position, boundary.layers):
            initialise(part, bundle.config.initial_std, generator)
        found[boundary] = weights["span_boundary"]
    return Pretraining(network.encoder, found)


def training_feed(part: Part, tokenizer: Tokenizer, recipe: PretrainRecipe) -> Feed:
    """Return the training examples that a recipe makes of a corpus."""
    how = recipe.corruption
    return Feed(
        part,
        tokenizer,
        FeedSettings(
            scheme=recipe.data.scheme,
            relation=recipe.relation,
            short=recipe.data.short,
            corruption=CorruptionSettings(how.unit, how.rate, how.mask, how.random, how.spans),
            variants=recipe.data.variants,
            alpha=recipe.data.alpha,
            seed=recipe.seed,
        ),
    )


@dataclass(frozen=True)
class Reader:
    """Reads the work of one step after the other.

    What phase it is, and how much is hidden, follow from the share that is spent.
    """

    feed: Feed
    recipe: PretrainRecipe
    bundle: Bundle
    team: Team

    def __call__(self, state: State, share: float) -> Work:
        """Return the work of the step after `state`."""
        recipe = self.recipe
        number = self.phase(share)
        phase = recipe.phases[number]
        if phase.sequences < self.team.size:
            raise UsageError(
                "a step has fewer sequences than there are processes",
                expected=f"at least {self.team.size} sequences",
                found=str(phase.sequences),
                fix="start fewer processes, or set more sequences in the phases",
            )
        epoch, index = state.place.get("epoch", 0), state.place.get("index", 0)
        if state.place.get("phase", number) != number:
            epoch, index = epoch + 1, 0
        how = recipe.corruption
        rate = None if how.rate_end is None else between(how.rate, how.rate_end, share)
        config = self.bundle.config
        rates = (config.dropout, config.attention_dropout, config.embedding_dropout, config.inner_dropout)
        batches, place = self.feed.step(
            Place(epoch, index),
            sequences=phase.sequences,
            length=phase.length,
            rate=rate,
            budget=self._part_tokens(phase.length),
            parts=max(self.team.size, _PARTS if any(rates) else 1),
        )
        self.feed.part.store.release()
        totals = total_counts(batches)
        where = {"epoch": place.epoch, "index": place.index, "phase": number}
        return Work(batches, totals, totals["tokens"], self._operations(batches), where)

    def _part_tokens(self, length: int) -> int:
        """Return how many tokens are computed at a time: as the recipe says, fewer of a large model."""
        config, rate = self.bundle.config, self.recipe.corruption.rate
        encoder = encoder_operations(config, [length], length)
        operations = 3 * (encoder / length + rate * vocabulary_operations(config, 1))
        return min(self.recipe.part_tokens, max(length, int(_PART_OPERATIONS / operations)))

    def phase(self, share: float) -> int:
        """Return the number of the phase."""
        borders = np.cumsum([phase.share for phase in self.recipe.phases])
        return min(int(np.searchsorted(borders, share, side="right")), len(borders) - 1)

    def _operations(self, batches: list[MaskedBatch]) -> float:
        config = self.bundle.config
        return sum(
            3.0
            * (
                encoder_operations(config, masked.batch.lengths, len(masked.places) + len(masked.pairs))
                + vocabulary_operations(config, len(masked.places))
            )
            for masked in batches
        )
