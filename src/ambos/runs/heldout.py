"""What a run is measured with: held-out text under a fixed corruption, and sentences with a word left out.

Nothing here depends on the recipe, so that the numbers of runs with one tokenizer and one text compare.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch

from ambos.data.batch import Batch
from ambos.data.draws import Draws
from ambos.data.feed import Feed, FeedSettings, MaskedBatch, Place
from ambos.data.parts import Part
from ambos.objectives.masked import MaskedLanguageModel
from ambos.objectives.objective import Measured, Pretraining
from ambos.text.tokenizer import Tokenizer

LENGTH = 128  # tokens of a held-out sequence, special ones included
_BUDGET = 4096
_SAMPLES = 6
_SHOWN = 3


@dataclass(frozen=True)
class Sample:
    """A sentence with one word masked: its ids, the place of the mask, the text to show, and the word."""

    ids: list[int]
    place: int
    text: str
    truth: str


class Heldout:
    """Held-out sequences, corrupted once and for all.

    Parameters
    ----------
    part
        The text that is kept back.
    tokenizer
        Of the store.
    relation
        Whether pairs are measured too, and how they are made.
    sequences
        How many sequences, at most.
    context
        The longest that the model reads.
    """

    def __init__(
        self,
        part: Part,
        tokenizer: Tokenizer,
        *,
        relation: Literal["next", "order", "none"],
        sequences: int,
        context: int,
    ) -> None:
        self.part = part
        self.tokenizer = tokenizer
        length = min(LENGTH, context)
        self.masked = _batches(part, tokenizer, FeedSettings("sentences"), sequences, length)
        self.pairs: list[MaskedBatch] = []
        if relation != "none" and not (relation == "next" and part.count < 2):
            settings = FeedSettings("pairs", relation)
            self.pairs = _batches(part, tokenizer, settings, sequences, length)
        self.relation = relation
        self.samples = _samples(part, tokenizer)
        part.store.release()

    def measure(
        self, model: Pretraining, is_over: Callable[[], bool] = lambda: False
    ) -> dict[str, Measured] | None:
        """Return what the objectives find of it; None if `is_over` on the way."""
        found: dict[str, Measured] = {}
        for batches, name in ((self.masked, "mlm"), (self.pairs, self.relation)):
            for masked in batches:
                if is_over():
                    return None
                for key, measured in model.measure(masked, [name]).items():
                    found[key] = found[key] + measured if key in found else measured
        return found

    @torch.no_grad()
    def fill(self, model: Pretraining) -> list[dict[str, Any]]:
        """Return the sample sentences with the model's likeliest words for the mask."""
        head = next(one for one in model.objectives if isinstance(one, MaskedLanguageModel)).head
        found = []
        for sample in self.samples:
            batch = Batch.pack([sample.ids])
            hidden = model.encoder(batch, read=torch.tensor([sample.place])).last
            likeliest = head(hidden)[0].softmax(-1).topk(_SHOWN)
            words = [
                [self.tokenizer.decode([one]).strip() or self.tokenizer.token(one), round(chance, 4)]
                for one, chance in zip(likeliest.indices.tolist(), likeliest.values.tolist(), strict=True)
            ]
            found.append({"text": sample.text, "truth": sample.truth, "candidates": words})
        return found


def _batches(
    part: Part, tokenizer: Tokenizer, settings: FeedSettings, sequences: int, length: int
) -> list[MaskedBatch]:
    feed = Feed(part, tokenizer, settings)
    found, _ = feed.step(Place(), sequences=sequences, length=length, budget=_BUDGET)
    part.store.release()
    return found


def _samples(part: Part, tokenizer: Tokenizer) -> list[Sample]:
    """Choose sentences of a readable length, in each a word of one token and some letters to leave out."""
    draws = Draws.of("samples")
    store = part.store
    columns = store.columns
    found: list[Sample] = []
    before, after = tokenizer.around
    frame = tokenizer.encode("a").ids
    for number in range(200):
        document = part.document(draws.below(part.count, 0, number))
        first, stop = (int(border[0]) for border in part.sentences(document))
        if stop <= first or len(found) == _SAMPLES:
            continue
        sentence = first + int(draws.below(stop - first, 1, number)[0])
        begin, end = (int(border) for border in columns["sentences"].read(sentence, sentence + 2))
        if not 6 <= end - begin <= 24:
            continue
        ids = columns["tokens"].read(begin, end).astype(np.int64)
        starts = np.append(store.word_starts(begin, end), True)
        words = [place for place in range(1, len(ids) - 1) if starts[place] and starts[place + 1]]
        words = [place for place in words if _is_word(tokenizer.decode([ids[place]]).strip())]
        if not words:
            continue
        place = words[int(draws.below(len(words), 2, number)[0])]
        mask = tokenizer.special_id("mask") or 0
        shown = f"{tokenizer.decode(ids[:place])} [MASK] {tokenizer.decode(ids[place + 1 :])}".strip()
        truth = tokenizer.decode([ids[place]]).strip()
        hidden = [mask if one == place else int(token) for one, token in enumerate(ids)]
        whole = [*frame[:before], *hidden, *frame[len(frame) - after :]]
        sample = Sample(whole, place + before, shown, truth)
        if all(sample.text != other.text for other in found):
            found.append(sample)
    return found


def _is_word(text: str) -> bool:
    return len(text) > 2 and text.isalpha()
