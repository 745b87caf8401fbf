"""Corruption: which tokens of a batch are hidden, and by what, for a masked language model.

A share of the tokens is chosen, one by one, by whole words, or by spans of words; of the chosen ones most
become the mask token, some a random token, and some stay as they are. Special tokens are never chosen.
What is chosen in a sequence depends on the draws and the sequence's key alone.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ambos.data.draws import Draws
from ambos.data.examples import within
from ambos.data.parts import Int
from ambos.data.sequences import Bool, Sequences

Unit = Literal["token", "word", "span"]
Spans = Literal["geometric", "inverse"]
LONGEST = 10  # words of a span
# Chances of span lengths 1, 2, ...: geometric with p = 0.2, cut at 10, mean 3.8 (Joshi et al. 2020); or in
# proportion to 1 / n, up to 3 (Lan et al. 2020).
SPAN_LENGTHS: dict[Spans, NDArray[np.float64]] = {
    "geometric": 0.8 ** np.arange(LONGEST) / np.sum(0.8 ** np.arange(LONGEST)),
    "inverse": 1 / np.arange(1, 4) / np.sum(1 / np.arange(1, 4)),
}
_CHOOSE, _COUNT, _REPLACE, _RANDOM, _LENGTH, _PLACE = range(6)


@dataclass(frozen=True)
class CorruptionSettings:
    """How much is hidden, and how.

    Parameters
    ----------
    unit
        What is chosen together: single tokens, whole words, or spans of words.
    rate
        Share of the tokens that are chosen.
    mask, random
        Shares of the chosen ones that become the mask token and a random token; the others stay. A span is
        treated as one.
    spans
        How long spans are: a key of `SPAN_LENGTHS`.
    """

    unit: Unit = "token"
    rate: float = 0.15
    mask: float = 0.8
    random: float = 0.1
    spans: Spans = "geometric"


@dataclass(frozen=True)
class Vocabulary:
    """The ids that corruption needs: the mask, and real tokens, which replacements are drawn from."""

    mask: int
    real: Int

    @classmethod
    def of(cls, size: int, special_ids: list[int], mask: int) -> "Vocabulary":
        """Take all ids below `size` but the special ones as real."""
        return cls(mask, np.setdiff1d(np.arange(size), special_ids))


@dataclass(frozen=True)
class Corruption:
    """A corrupted row of T tokens.

    Parameters
    ----------
    ids
        (T,) what the encoder reads.
    places, labels
        (M,) which tokens were chosen, in order, and what they were.
    left, right, offsets
        (M,) of spans: the places just before and after the token's span, and its number in the span from 0.
        Empty otherwise.
    """

    ids: Int
    places: Int
    labels: Int
    left: Int
    right: Int
    offsets: Int


def corrupt(
    sequences: Sequences, settings: CorruptionSettings, vocabulary: Vocabulary, draws: Draws
) -> Corruption:
    """Choose tokens and hide them."""
    span = np.full(len(sequences.ids), -1)
    if settings.unit == "span":
        span = _choose_spans(sequences, settings.rate, SPAN_LENGTHS[settings.spans], draws)
        chosen = span >= 0
    elif settings.unit == "word":
        chosen = _choose_words(sequences, settings.rate, draws)
    else:
        chosen = _choose_tokens(sequences, settings.rate, draws)
    places = np.flatnonzero(chosen)
    labels = sequences.ids[places]
    return Corruption(
        _hide(sequences, places, span[places], settings, vocabulary, draws),
        places,
        labels,
        *(_sides(places, span[places]) if settings.unit == "span" else (np.zeros(0, np.int64),) * 3),
    )


def _choose_tokens(sequences: Sequences, rate: float, draws: Draws) -> Bool:
    """Choose as many in sequences of equal length, up to one: rate times tokens, rounded by chance."""
    place = np.flatnonzero(~sequences.special)
    owner = sequences.owner[place]
    sizes = np.bincount(owner, minlength=len(sequences.lengths))
    number = np.floor(rate * sizes + draws.uniform(_COUNT, sequences.keys))
    chance = draws.bits(_CHOOSE, sequences.keys[owner], sequences.positions[place])
    order = np.lexsort((chance, owner))
    rank = np.arange(len(place)) - (np.cumsum(sizes) - sizes)[owner]  # owner[order] is owner: it is sorted
    chosen = np.zeros(len(sequences.ids), np.bool_)
    chosen[place[order[rank < number[owner]]]] = True
    return chosen


def _choose_words(sequences: Sequences, rate: float, draws: Draws) -> Bool:
    """Take words in random order up to the number of tokens; the one that goes beyond is taken by chance.

    That chance is the share of the word which is within, so that the expected number is exact.
    """
    first, sizes, owner = _words(sequences)
    position = sequences.positions[first]
    order = np.lexsort((draws.bits(_CHOOSE, sequences.keys[owner], position), owner))
    taken = np.cumsum(sizes[order]) - sizes[order]
    totals = np.bincount(owner, weights=sizes, minlength=len(sequences.lengths))
    taken = taken - (np.cumsum(totals) - totals)[owner]
    part = draws.uniform(_COUNT, sequences.keys[owner], position)[order] * sizes[order]
    words = order[taken + part < rate * totals[owner]]
    chosen = np.zeros(len(sequences.ids), np.bool_)
    chosen[within(first[words], sizes[words])] = True
    return chosen


def _choose_spans(sequences: Sequences, rate: float, chances: NDArray[np.float64], draws: Draws) -> Int:
    """Return the number of the span that each token is in, or -1.

    Spans lie within runs of text between special tokens, at least a word apart from each other, so that what
    stands beside a span is always known. Their number does not depend on their lengths, which are therefore
    distributed exactly as drawn; both together make the expected share of the words equal to `rate`.
    """
    first, sizes, owner = _words(sequences)
    mean = float(chances @ np.arange(1, len(chances) + 1))
    broken = np.diff(first) != sizes[:-1]
    run_first = np.flatnonzero(np.concatenate([[True], broken]))  # the first word of each run
    words = np.diff(run_first, append=len(first))
    key, position = sequences.keys[owner[run_first]], sequences.positions[first[run_first]]
    number = np.floor(rate * words / mean + draws.uniform(_COUNT, key, position)).astype(np.int64)
    span = np.arange(max(1, int(number.max(initial=0))))
    bound = np.cumsum(chances)[:-1]
    keys = key[:, None], position[:, None], span
    length = 1 + np.searchsorted(bound, draws.uniform(_LENGTH, *keys), side="right")  # (runs, spans)
    length[:, 0] = np.minimum(length[:, 0], words)
    # Of a short run, spans that do not fit are left out.
    fits = np.cumsum(length, axis=1) + span <= words[:, None]
    there = fits & (span < number[:, None])
    length = np.where(there, length, 0)
    free = words - length.sum(axis=1) - np.maximum(there.sum(axis=1) - 1, 0)
    start = np.sort(
        np.where(there, draws.below(free[:, None] + 1, _PLACE, *keys), np.iinfo(np.int64).max), axis=1
    )
    start = start + np.cumsum(length, axis=1) - length + span
    begin = (run_first[:, None] + start)[there]
    begin_token = first[begin]
    last_word = begin + length[there] - 1
    stop_token = first[last_word] + sizes[last_word]
    found = np.full(len(sequences.ids), -1)
    token_sizes = stop_token - begin_token
    found[within(begin_token, token_sizes)] = np.repeat(np.arange(len(begin)), token_sizes)
    return found


def _words(sequences: Sequences) -> tuple[Int, Int, Int]:
    """Return of every word the place of its first token, the number of its tokens, and its sequence."""
    first = np.flatnonzero(sequences.word_starts | sequences.special)
    sizes = np.diff(first, append=len(sequences.ids))
    real = ~sequences.special[first]
    return first[real], sizes[real], sequences.owner[first[real]]


def _hide(
    sequences: Sequences,
    places: Int,
    span: Int,
    settings: CorruptionSettings,
    vocabulary: Vocabulary,
    draws: Draws,
) -> Int:
    key, position = sequences.keys[sequences.owner[places]], sequences.positions[places]
    together = position
    if settings.unit == "span":  # one fate for all tokens of a span: that of its first
        together = position[np.searchsorted(span, span)]
    fate = draws.uniform(_REPLACE, key, together)
    ids = sequences.ids.copy()
    ids[places[fate < settings.mask]] = vocabulary.mask
    changed = (fate >= settings.mask) & (fate < settings.mask + settings.random)
    replacement = draws.below(len(vocabulary.real), _RANDOM, key[changed], position[changed])
    ids[places[changed]] = vocabulary.real[replacement]
    return ids


def _sides(places: Int, span: Int) -> tuple[Int, Int, Int]:
    """Return the places beside the span of each chosen token, and the token's number in it."""
    first, last = np.searchsorted(span, span, side="left"), np.searchsorted(span, span, side="right") - 1
    return places[first] - 1, places[last] + 1, places - places[first]
