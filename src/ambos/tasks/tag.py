"""Tags of words: named entities, parts of speech. A word's tag is learnt and read at its first token."""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from ambos.data.examples import Examples, Labelled, Runs
from ambos.data.label_set import LabelSet
from ambos.data.rows import WordsRow
from ambos.data.windows import Ledger, Span, spans_of
from ambos.evaluate.entities import OUTSIDE, Entities, entity_types
from ambos.evaluate.tags import Tags
from ambos.tasks.task import Logits, Reading, Task
from ambos.text.tokenizer import Tokenizer


@dataclass(frozen=True)
class Tagged:
    """The tags of a row of words, one each, and how likely each is.

    Parameters
    ----------
    tags
        (words,)
    probabilities
        (words,) of the tag that was chosen.
    """

    tags: tuple[str, ...]
    probabilities: NDArray[np.float32]


@dataclass(frozen=True)
class Words:
    """Words as tokens: the ids of all of them end to end, and where each word begins.

    Every word has a token: one that the tokenizer makes nothing of stands as the unknown token.
    """

    ids: list[int]
    starts: list[int]

    def inside(self, span: Span) -> list[tuple[int, int]]:
        """Return the words that begin in a part of the text, in order, and where in it they begin.

        Words that are elsewhere are not looked at: a row of many windows takes time by its words, not by
        words times windows.

        Examples
        --------
        >>> Words([5, 6, 7, 8, 9], [0, 1, 3, 4]).inside(Span(((0, 2), (3, 5))))
        [(0, 0), (1, 1), (2, 2), (3, 3)]
        """
        found, before = [], 0
        for first, stop in span.ranges:
            words = range(bisect_left(self.starts, first), bisect_left(self.starts, stop))
            found += [(word, before + self.starts[word] - first) for word in words]
            before += stop - first
        return found


def tokenise_words(tokenizer: Tokenizer, rows: Sequence[Sequence[str]]) -> Iterator[Words]:
    """Tokenise words joined by spaces, and find each word's tokens by their characters, exactly.

    Examples
    --------
    >>> next(tokenise_words(tokenizer, [["O", "gatinho", "dorme"]])).starts  # doctest: +SKIP
    [0, 1, 3]
    """
    unknown = tokenizer.special_id("unk")
    for words, encoded in zip(rows, tokenizer.encode_each(map(" ".join, rows)), strict=True):
        ends = list(accumulate((len(word) + 1 for word in words), initial=0))
        pieces: list[list[int]] = [[] for _ in words]
        word = 0
        for piece, side, (start, stop) in zip(encoded.ids, encoded.sides, encoded.offsets, strict=True):
            if side is None:
                continue
            place = max(start, stop - 1)  # a piece that covers the space before a word belongs to the word
            while word + 1 < len(words) and place >= ends[word + 1]:
                word += 1
            pieces[word].append(piece)
        filled = [part or [piece for piece in (unknown,) if piece is not None] for part in pieces]
        ids = [piece for part in filled for piece in part]
        sizes = [len(part) for part in filled]
        yield Words(ids, list(accumulate(sizes, initial=0))[:-1])


class Tag(Task[WordsRow, Tagged]):
    """Cross-entropy over tags at the first token of every word.

    Parameters
    ----------
    labels
        Names of the tags, in the order of the head's outputs.
    class_weights, smoothing, temperature
        As for `Classify`.
    """

    name, head = "tag", "tag"

    def __init__(
        self,
        labels: LabelSet,
        *,
        class_weights: Sequence[float] | None = None,
        smoothing: float = 0.0,
        temperature: float = 1.0,
    ) -> None:
        self.labels = labels
        self.class_weights = None if class_weights is None else torch.tensor(class_weights)
        self.smoothing = smoothing
        self.temperature = temperature

    def encode(
        self, rows: Sequence[WordsRow], reading: Reading, ledger: Ledger, *, labelled: bool
    ) -> Examples:
        """Return the sequences of words; unlabelled ones are never cut.

        Targets of places are `word`, its number in the row, `room`, how far it stands from the nearer border
        of its window, and `target`, the number of its tag.
        """
        tokenizer = reading.tokenizer
        frame = tokenizer.encode("a").ids
        before, after = tokenizer.around
        room = reading.limit - before - after
        # Every word is to have a tag: what is cut while learning is read in windows when it counts.
        how = reading.long if labelled else reading.whole.long
        sequences, places = Runs("i"), Runs("q")
        owners, words, rooms, tags = array("q"), array("q"), array("q"), array("q")
        for number, (row, tokens) in enumerate(
            zip(rows, tokenise_words(tokenizer, [row.words for row in rows]), strict=True)
        ):
            stops = [*tokens.starts[1:], len(tokens.ids)]
            target = self._target(row) if labelled else []
            for span in spans_of(len(tokens.ids), room, how, ledger, special=before + after):
                inside = tokens.inside(span)
                if not inside:  # a window in the middle of one long word: nothing is asked of it
                    continue
                sequences.add([*frame[:before], *span.of(tokens.ids), *frame[len(frame) - after :]])
                owners.append(number)
                places.add([before + place for _, place in inside])
                words.extend(word for word, _ in inside)
                (first, _), (_, stop) = span.ranges[0], span.ranges[-1]
                rooms.extend(min(tokens.starts[word] - first, stop - stops[word]) for word, _ in inside)
                tags.extend(target[word] for word, _ in inside if labelled)
        targets = {"word": np.array(words, np.int64), "room": np.array(rooms, np.int64)}
        if labelled:
            targets["target"] = np.array(tags, np.int64)
        return Examples.of(sequences, owners=owners, rows=len(rows), targets=targets, places=places)

    def _target(self, row: WordsRow) -> list[int]:
        return [self.labels.id_of(tag, row.file, row.line_of(place)) for place, tag in enumerate(row.tags)]

    def encode_measured(self, rows: Sequence[WordsRow], reading: Reading, ledger: Ledger) -> Examples:
        """Return all words of the sequences; one that is in two windows counts in both."""
        return self.encode(rows, reading.whole, ledger, labelled=True)

    def losses(self, logits: Tensor, part: Labelled) -> Tensor:
        """Return the cross-entropy of each word, (R,)."""
        target = part.targets["target"]
        return F.cross_entropy(logits, target, reduction="none", label_smoothing=self.smoothing)

    def weights(self, part: Labelled) -> Tensor:
        """Return the weight of each word's tag, (R,)."""
        target = part.targets["target"]
        if self.class_weights is None:
            return torch.ones_like(target, dtype=torch.float32)
        return self.class_weights[target]

    def decode(self, logits: Logits, examples: Examples, rows: Sequence[WordsRow]) -> list[Tagged]:
        """Return one tag for every word; of several windows, the one in which it has most context decides."""
        chances = torch.from_numpy(logits / self.temperature).softmax(-1).numpy()
        best, sure = chances.argmax(-1), chances.max(-1)
        counts = examples.place_counts if examples.place_counts is not None else np.zeros(0, np.int64)
        owner = np.repeat(examples.owners, counts)
        word, room = examples.targets["word"], examples.targets["room"]
        found = []
        borders = np.searchsorted(owner, np.arange(len(rows) + 1))
        for number, row in enumerate(rows):
            mine = slice(borders[number], borders[number + 1])
            order = np.argsort(room[mine], kind="stable")  # the last one written is the one with most room
            tags = np.zeros(len(row.words), np.int64)
            likely = np.zeros(len(row.words), np.float32)
            tags[word[mine][order]] = best[mine][order]
            likely[word[mine][order]] = sure[mine][order]
            found.append(Tagged(tuple(self.labels.names[tag] for tag in tags), likely))
        return found

    def evaluation(self) -> Entities | Tags:
        """Return what takes in examples: entities where tags begin with B- or I-, else single tags."""
        return Entities(entity_types(self.labels.names)) if self.has_entities else Tags(self.labels.names)

    @property
    def has_entities(self) -> bool:
        """Whether tags are those of entities: in BIO, BIOES or BILOU."""
        names = [name for name in self.labels.names if name != OUTSIDE]
        alone = bool(names) and all(
            name.startswith(("L-", "U-")) for name in names
        )  # which might be any tags
        return alone or any(name.startswith(("B-", "I-", "S-", "E-")) for name in names)

    def compare(self, rows: Sequence[WordsRow], predictions: Sequence[Tagged]) -> tuple[Any, Any]:
        """Return the tags of every sentence."""
        return [row.tags for row in rows], [one.tags for one in predictions]

    @property
    def main(self) -> str:
        """F1 of entities, or accuracy of tags."""
        return "micro_f1" if self.has_entities else "accuracy"

    @property
    def settings(self) -> dict[str, Any]:
        """What must be kept with the model to predict in the same way."""
        return {"temperature": self.temperature}
