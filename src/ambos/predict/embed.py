"""Embeddings of texts: one vector each, for any number of texts, in bounded memory."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
import torch.nn.functional as F

from ambos.data.batch import Batch
from ambos.data.order import by_length
from ambos.data.windows import LONG, Ledger, Long, fit
from ambos.encoder.encoder import Encoder
from ambos.encoder.pooling import Pooling, pool
from ambos.errors import UsageError
from ambos.predict.inputs import refuse_other
from ambos.predict.run import budget_of, count_workers, run_all
from ambos.suggest import did_you_mean
from ambos.text.tokenizer import Tokenizer

_CHUNK_TEXTS = 2048
_CHUNK_CHARACTERS = 1_000_000  # while they are tokenised, the library takes some 100 bytes for each


@dataclass(frozen=True)
class EmbedOptions:
    """How vectors of tokens become one vector of a text.

    Parameters
    ----------
    pooling
        cls: the first token's; mean, max: over all tokens, special ones among them.
    layer
        Take the output of this layer; None is the last. 0 is the embeddings.
    normalize
        Scale every vector to length 1.
    limit
        Longest input in tokens.
    long
        What becomes of longer ones.
    """

    pooling: Pooling
    layer: int | None
    normalize: bool
    limit: int
    long: Long = "cut"


def check_long(long: str, max_length: int | None, usual: int, *, least: int, most: int) -> None:
    """Raise `UsageError` for a way with long texts that there is not, or a length that cannot be read."""
    if long not in LONG:
        raise UsageError(
            f"there is no way {long!r} with long texts",
            expected=f"one of {', '.join(LONG)}",
            fix=did_you_mean(str(long), LONG),
        )
    if max_length is not None and not least <= max_length <= most:
        raise UsageError(
            f"texts of {max_length} tokens cannot be read",
            expected=f"{least} to {most}, special tokens included",
            fix=f"leave it out to read up to {usual}",
        )


def embed_texts(
    texts: Iterable[str],
    tokenizer: Tokenizer,
    encoder: Encoder,
    options: EmbedOptions,
    *,
    device: torch.device,
    ledger: Ledger,
    progress: Callable[[float], None] | None = None,
) -> Iterator[np.ndarray]:
    """Yield float32 arrays (some texts, width), in the order of the texts.

    Texts are read some thousands at a time; within these, those of similar length share a batch. `progress`
    is told which share of those at hand is done.
    """
    budget = budget_of(device)
    encode = partial(_encode, encoder=encoder, options=options, device=device)
    for chunk in _chunks(texts):
        windows, owners = _windows(chunk, tokenizer, options, ledger)
        lengths = np.fromiter(map(len, windows), np.int64, len(windows))
        order = list(by_length(lengths, budget, workers=count_workers(device)))
        vectors = np.empty((len(windows), encoder.config.width), np.float32)
        batches = ([windows[place] for place in places] for places in order)
        done, total = 0, int(lengths.sum())
        for places, found in zip(order, run_all(encode, batches, device), strict=True):
            vectors[places] = found
            done += int(lengths[places].sum())
            if progress is not None:
                progress(done / total)
        yield _finish(vectors, lengths, owners, len(chunk), options)


def _chunks(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield some thousand texts at a time, fewer if they are long."""
    chunk: list[str] = []
    characters = 0
    for number, text in enumerate(texts, 1):
        refuse_other(text, f"text {number}")
        chunk.append(text)
        characters += len(text)
        if len(chunk) >= _CHUNK_TEXTS or characters >= _CHUNK_CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk


def _windows(
    texts: Sequence[str], tokenizer: Tokenizer, options: EmbedOptions, ledger: Ledger
) -> tuple[list[list[int]], np.ndarray]:
    """Return the sequences to encode, and for each the number of the text it belongs to."""
    windows: list[list[int]] = []
    owners: list[int] = []
    for number, ids in enumerate(tokenizer.ids_batch(texts)):
        parts = fit(ids, options.limit, tokenizer.around, options.long, ledger)
        windows += parts
        owners += [number] * len(parts)
    return windows, np.asarray(owners)


def _encode(
    sequences: list[list[int]], encoder: Encoder, options: EmbedOptions, device: torch.device
) -> np.ndarray:
    """Return one vector per sequence; with `cls` the last layer computes the first tokens alone."""
    batch = Batch.pack(sequences, device=device)
    if options.pooling == "cls":
        rows = encoder(batch, depth=options.layer, read=batch.first_tokens()).last
    else:
        rows = pool(encoder(batch, depth=options.layer).last, batch, options.pooling)
    return rows.cpu().numpy()


def _finish(
    vectors: np.ndarray, lengths: np.ndarray, owners: np.ndarray, texts: int, options: EmbedOptions
) -> np.ndarray:
    """Join the windows of a text (mean by length, or maximum) and scale."""
    if len(vectors) != texts:
        starts = np.searchsorted(owners, np.arange(texts))
        if options.pooling == "max":
            vectors = np.maximum.reduceat(vectors, starts)
        else:
            weights = lengths.astype(np.float32)[:, None]
            vectors = np.add.reduceat(vectors * weights, starts) / np.add.reduceat(weights, starts)
    if options.normalize:
        vectors = F.normalize(torch.from_numpy(vectors), dim=-1).numpy()
    return vectors
