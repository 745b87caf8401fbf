"""What a masked language model knows: candidates for a mask, and how likely a text is."""

from dataclasses import dataclass
from math import exp, inf

import numpy as np
import torch

from ambos.bundle.network import Network
from ambos.data.batch import Batch
from ambos.data.order import by_length
from ambos.errors import InputError, UsageError
from ambos.predict.run import budget_of, run_all
from ambos.text.tokenizer import Encoded, Tokenizer

# What people write for a mask whatever the model calls it.
_WRITTEN = ("[MASK]", "<mask>")
_CONTINUES = "##"  # WordPiece marks pieces that go on with a word; the other kinds mark those that begin one
_BEGINS = {"bpe": "Ġ", "unigram": "▁"}
_LARGEST_EXPONENT = 700  # e to that is about the largest float


@dataclass(frozen=True)
class Candidate:
    """A token that a mask may stand for: its text, its id, and its probability."""

    token: str
    id: int
    probability: float


@dataclass(frozen=True)
class Filled:
    """What stands in the masks of a text.

    Parameters
    ----------
    text
        The text with the likeliest token in every mask.
    masks
        For every mask, in order, candidates from the likeliest on.
    """

    text: str
    masks: tuple[tuple[Candidate, ...], ...]


@dataclass(frozen=True)
class TokenScore:
    """One token of a scored text, and its log-probability (natural) given all others."""

    token: str
    start: int
    end: int
    log_probability: float


@dataclass(frozen=True)
class Score:
    """How likely a text is.

    Parameters
    ----------
    tokens
        The tokens, special ones left out.
    """

    tokens: tuple[TokenScore, ...]

    @property
    def log_likelihood(self) -> float:
        """Pseudo-log-likelihood: sum of log P(token | all others) over the tokens (Salazar et al. 2020)."""
        return sum(token.log_probability for token in self.tokens)

    @property
    def perplexity(self) -> float:
        """exp(-mean log-probability): pseudo-perplexity, comparable only between models of one vocabulary."""
        exponent = -self.log_likelihood / len(self.tokens)
        return inf if exponent > _LARGEST_EXPONENT else exp(exponent)


def fill_masks(
    text: str, tokenizer: Tokenizer, network: Network, *, top: int, device: torch.device
) -> Filled:
    """Return the likeliest tokens for every mask in a text; each mask is filled as if the others stayed."""
    if top < 1:
        raise UsageError(f"asked for {top} candidates", expected="at least 1", fix="--top 5")
    mask = mask_id(tokenizer)
    own = tokenizer.specials.mask or ""
    for written in _WRITTEN:
        if written != own:
            text = text.replace(written, own)
    encoded = tokenizer.encode(text)
    places = [place for place, one in enumerate(encoded.ids) if one == mask]
    if not places:
        raise InputError(
            "there is no mask in the text",
            expected=f"{' or '.join(dict.fromkeys(('[MASK]', own)))} where a word is missing",
            found=text[:60],
            fix='write for example "O gato [MASK] no tapete."',
        )
    batch = Batch.pack([encoded.ids], [encoded.segments], device=device)
    with torch.inference_mode():
        logits = network(batch, "mlm", torch.tensor(places, device=device)).float()
        found = logits.softmax(-1).topk(min(top, logits.shape[-1]))
    masks = tuple(
        tuple(
            Candidate(tokenizer.decode([one]).strip() or tokenizer.token(one), one, probability)
            for one, probability in zip(ids, probabilities, strict=True)
        )
        for ids, probabilities in zip(found.indices.tolist(), found.values.tolist(), strict=True)
    )
    return Filled(_substitute(text, encoded, places, masks, tokenizer), masks)


def _substitute(
    text: str,
    encoded: Encoded,
    places: list[int],
    masks: tuple[tuple[Candidate, ...], ...],
    tokenizer: Tokenizer,
) -> str:
    """Write the best candidates into the text; a piece that continues a word joins the one before."""
    result = text
    marker = _BEGINS.get(tokenizer.kind)
    for place, candidates in reversed(list(zip(places, masks, strict=True))):
        start, end = encoded.offsets[place]
        before, piece = result[:start], tokenizer.token(candidates[0].id)
        begins = piece.startswith(marker) if marker else not piece.startswith(_CONTINUES)
        if not begins:
            before = before.rstrip()
        elif marker and before and not before[-1].isspace():
            before += " "
        word = tokenizer.decode([candidates[0].id]).strip() or piece.removeprefix(marker or "")
        result = before + (word if begins else word.removeprefix(_CONTINUES)) + result[end:]
    return result


def score_text(
    text: str, tokenizer: Tokenizer, network: Network, *, device: torch.device, whole_words: bool = False
) -> Score:
    """Mask the tokens of a text one at a time and see how likely each was.

    Parameters
    ----------
    whole_words
        Mask the rest of its word together with a token, so that a rare word is not given away by its own
        pieces (Kauf and Ivanova 2023).
    """
    mask = mask_id(tokenizer)
    encoded = tokenizer.encode(text)
    places = [place for place, side in enumerate(encoded.sides) if side is not None]
    if not places:
        raise InputError(
            "there is nothing to score", expected="a text with at least one token", found=repr(text[:60])
        )
    if len(encoded) > network.encoder.config.context:
        raise InputError(
            "the text is longer than the model can read",
            expected=f"at most {network.encoder.config.context:,} tokens",
            found=f"{len(encoded):,} tokens",
            fix="score its sentences one by one",
        )
    groups = list(by_length([len(encoded)] * len(places), max(budget_of(device), len(encoded))))

    def masked(place: int) -> list[int]:
        hidden = {place}
        if whole_words:
            same = (encoded.sides[place], encoded.words[place])
            later = range(place + 1, len(encoded))
            hidden |= {other for other in later if (encoded.sides[other], encoded.words[other]) == same}
        return [mask if other in hidden else one for other, one in enumerate(encoded.ids)]

    def log_probabilities(group: np.ndarray) -> list[float]:
        chosen = [places[number] for number in group]
        batch = Batch.pack(
            [masked(place) for place in chosen], [encoded.segments] * len(chosen), device=device
        )
        read = torch.tensor([start + place for start, place in zip(batch.starts, chosen, strict=True)])
        logits = network(batch, "mlm", read.to(device)).float()
        right = torch.tensor([encoded.ids[place] for place in chosen], device=device)
        return (logits.gather(1, right[:, None])[:, 0] - logits.logsumexp(-1)).tolist()

    found = np.empty(len(places))
    for group, values in zip(groups, run_all(log_probabilities, groups, device), strict=True):
        found[group] = values
    return Score(
        tuple(
            TokenScore(encoded.tokens[place], *encoded.offsets[place], float(value))
            for place, value in zip(places, found, strict=True)
        )
    )


def mask_id(tokenizer: Tokenizer) -> int:
    """Return the id of the mask token, or say that there is none."""
    found = tokenizer.special_id("mask")
    if found is None:
        raise InputError(
            "this tokenizer has no mask token",
            expected="a tokenizer of a masked language model",
            fix="choose a model that was trained to fill masks",
        )
    return found
