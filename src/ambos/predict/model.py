"""One object that knows its task: what `ambos.load` gives, with the verbs of the command line."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ambos.advice import advice_in_python
from ambos.bundle.bundle import Bundle
from ambos.data.rows import Row
from ambos.data.windows import Ledger, Long
from ambos.encoder.config import EncoderConfig
from ambos.encoder.packed import can_pack, pack
from ambos.encoder.pooling import POOLINGS, Pooling
from ambos.errors import InputError, UsageError
from ambos.predict.coherence import follow
from ambos.predict.embed import EmbedOptions, check_long, embed_texts
from ambos.predict.grid import Side, own_side, owner_of, read_side, refuse_joint, score_grid
from ambos.predict.inputs import list_of_texts, refuse_names, refuse_other, rows_of
from ambos.predict.learnt import length_of, task_of
from ambos.predict.mask import Filled, Score, fill_masks, score_text
from ambos.predict.rows import predict_rows
from ambos.predict.run import choose_device
from ambos.suggest import did_you_mean
from ambos.tasks.task import Reading, Task
from ambos.text.tokenizer import Tokenizer


class Model:
    """A model ready to answer.

    Parameters
    ----------
    bundle
        What was loaded. The model takes it over: its weights are moved to the device and laid out for
        inference. To train or save a model use `Bundle.load`.
    device
        cpu, cuda, mps, or None for the best there is.

    Examples
    --------
    >>> import ambos
    >>> model = ambos.load("minilm")  # doctest: +SKIP
    >>> model.embed(["Uma frase.", "Outra frase."]).shape  # doctest: +SKIP
    (2, 384)
    """

    def __init__(self, bundle: Bundle, device: str | None = None) -> None:
        self.device = choose_device(device)
        self.task = bundle.task
        self.labels = bundle.labels
        self.pair = bundle.pair
        self.unused = bundle.unused
        self._bundle = bundle
        self._owner = owner_of(bundle)  # of the sides it reads; weights that are packed cannot be looked at
        self._network = bundle.network.to(self.device).eval().requires_grad_(requires_grad=False)
        if can_pack(self.device):
            pack(self._network)

    def __repr__(self) -> str:
        config = self._bundle.config
        return f"Model({config.family}, depth {config.depth}, width {config.width}, task {self.task!r})"

    @property
    def source(self) -> Path | None:
        """The folder that it was loaded from."""
        return self._bundle.source

    @property
    def config(self) -> EncoderConfig:
        """The shape of the encoder."""
        return self._bundle.config

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer the model was trained with."""
        if self._bundle.tokenizer is None:
            raise InputError(
                "there is no tokenizer with this model",
                expected="tokenizer files beside the weights",
                fix="copy the tokenizer files of the model into its folder",
                file=self._bundle.source,
            )
        return self._bundle.tokenizer

    def fill(self, text: str, top: int = 5) -> Filled:
        """Return the likeliest tokens for each mask in a text.

        Examples
        --------
        >>> model.fill("O gato [MASK] no tapete.").masks[0][0].token  # doctest: +SKIP
        'dorme'
        """
        self._bundle.require("mlm")
        refuse_other(text, "the input")
        with advice_in_python({"top"}):
            return fill_masks(text, self.tokenizer, self._network, top=top, device=self.device)

    def score(self, text: str, *, whole_words: bool = False) -> Score:
        """Return the pseudo-log-likelihood of a text, token by token.

        Examples
        --------
        >>> model.score("O gato dorme.").perplexity  # doctest: +SKIP
        7.31
        """
        self._bundle.require("mlm")
        refuse_other(text, "the input")
        return score_text(text, self.tokenizer, self._network, device=self.device, whole_words=whole_words)

    def coherence(self, pairs: Iterable[tuple[str, str]], ledger: Ledger | None = None) -> list[float]:
        """Return how likely the second text of each pair follows the first: the head of pretraining says it.

        The `ledger` counts what was cut.

        Examples
        --------
        >>> model.coherence([("O gato dormia.", "De repente, acordou.")])  # doctest: +SKIP
        [0.93]
        """
        self._bundle.require("next", "choose a model pretrained with next sentences, or with their order")
        reading = Reading(self.tokenizer, self.max_length)
        return follow(self._network, pairs, reading, device=self.device, ledger=ledger)

    def embed(
        self,
        texts: str | Iterable[str],
        *,
        pool: Pooling | None = None,
        layer: int | None = None,
        normalize: bool | None = None,
        long: Long = "cut",
        max_length: int | None = None,
        ledger: Ledger | None = None,
    ) -> np.ndarray:
        """Return one vector per text, float32 (texts, width); (width,) for a single string.

        See `embed_stream` for the options. Models of sentence-transformers say themselves how to pool and
        whether to normalise; twin encoders are pooled as they learnt, others by the mean.
        """
        single = isinstance(texts, str)
        how: dict[str, Any] = {"pool": pool, "layer": layer, "normalize": normalize, "long": long}
        given = [texts] if isinstance(texts, str) else texts
        with advice_in_python({*how, "max_length"}):
            found = list(self.embed_stream(given, **how, max_length=max_length, ledger=ledger))
        if not found:
            return np.empty((0, self._bundle.config.width), np.float32)
        return found[0][0] if single else np.concatenate(found)

    def embed_stream(
        self,
        texts: Iterable[str],
        *,
        pool: Pooling | None = None,
        layer: int | None = None,
        normalize: bool | None = None,
        long: Long = "cut",
        max_length: int | None = None,
        ledger: Ledger | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Iterator[np.ndarray]:
        """Yield the vectors of some thousand texts at a time: for more texts than fit in memory.

        Parameters
        ----------
        pool
            cls, mean or max.
        layer
            Use the output of this layer, from 0 (the embeddings) to the depth; -1 is the last.
        normalize
            Scale vectors to length 1.
        long
            What becomes of texts longer than the model reads: cut, head-tail, windows, error.
        max_length
            Longest input in tokens; by default what the model was trained with.
        ledger
            Counts what was cut.
        progress
            Told, again and again, which share of the texts at hand is done.
        """
        options = self.embed_options(pool, layer, normalize, long, max_length)
        refuse_names(texts, "a list of texts")
        return embed_texts(
            texts,
            self.tokenizer,
            self._network.encoder,
            options,
            device=self.device,
            ledger=Ledger() if ledger is None else ledger,
            progress=progress,
        )

    @cached_property
    def learnt(self) -> Task[Any, Any]:
        """What the model was fine-tuned for; `InputError` if that is nothing."""
        return task_of(self._bundle)

    def predict(
        self,
        inputs: Iterable[Any],
        *,
        long: Long | None = None,
        max_length: int | None = None,
        ledger: Ledger | None = None,
    ) -> list[Any]:
        """Return one prediction for each input, as the model was fine-tuned for.

        A classifier takes texts and gives `Classified`, a model of scores floats; a tagger takes lists of
        words, or texts that are split at white space, and gives `Tagged`, a tag for every word; a model that
        answers takes pairs of question and passage and gives `Answered`.

        Parameters
        ----------
        long, max_length
            As for `embed_stream`; by default as the model was fine-tuned.
        ledger
            Counts what was cut.

        Examples
        --------
        >>> model.predict(["Que filme lindo!"])[0].labels  # doctest: +SKIP
        ('positive',)
        """
        rows = rows_of(self.learnt, inputs)
        with advice_in_python({"long", "max_length"}):
            parts = self.predict_rows(rows, self.reading(long, max_length), ledger)
            return [prediction for _, predictions in parts for prediction in predictions]

    def predict_rows(
        self,
        rows: Iterable[Row],
        reading: Reading,
        ledger: Ledger | None = None,
        progress: Callable[[float], None] | None = None,
        *,
        measured: bool = False,
        task: Task[Any, Any] | None = None,
    ) -> Iterator[tuple[list[Row], Sequence[Any]]]:
        """Yield some rows with predictions, by `task` if given; `measured`, as `task.compare` takes them."""
        ledger = Ledger() if ledger is None else ledger
        how: dict[str, Any] = {"device": self.device, "progress": progress, "measured": measured}
        return predict_rows(self._network, task or self.learnt, rows, reading, ledger, **how)

    def read(self, texts: Sequence[str], ledger: Ledger | None = None) -> Side:
        """Read texts once, to be put beside others with `grid`; for models that read pairs apart."""
        return self._read(texts, "the list", ledger)

    def _read(self, texts: Sequence[str] | Side, where: str, ledger: Ledger | None) -> Side:
        if isinstance(texts, Side):
            return own_side(texts, self._owner, where)
        refuse_joint(self._bundle.apart)
        texts, head, to = list_of_texts(texts, where), self.learnt.head, self.device
        read = read_side(self._network, head, texts, self.reading(), device=to, ledger=ledger)
        return replace(read, owner=self._owner)

    def grid(
        self, first: Sequence[str] | Side, second: Sequence[str] | Side, ledger: Ledger | None = None
    ) -> np.ndarray:
        """Return what the model says of every text of one list with every text of another.

        Each text is read once: n x m pairs cost n + m passes of the encoder. Give what `read` returns for
        texts that are asked for again. The `ledger` counts what was cut of texts that are read here.

        Returns
        -------
        numpy.ndarray
            Probabilities (n, m, labels) of a classifier; scores or cosines (n, m).

        Examples
        --------
        >>> ambos.load("minilm").grid(["Um gato."], ["A cat.", "A car."]).shape  # doctest: +SKIP
        (1, 2)
        """
        sides = self._read(first, "the first list", ledger), self._read(second, "the second list", ledger)
        return score_grid(self._network, self.learnt, *sides)

    def reading(self, long: Long | None = None, max_length: int | None = None) -> Reading:
        """Return how rows are read: as asked, or as the model was fine-tuned."""
        long, limit = self._checked(long or self._bundle.learnt.get("long", "cut"), max_length)
        return Reading(self.tokenizer, limit, long, apart=self._bundle.apart)

    @property
    def max_length(self) -> int:
        """How many tokens of a text are read, unless asked otherwise: as many as it was fine-tuned with."""
        return length_of(self._bundle)

    def embed_options(
        self,
        pooling: Pooling | None = None,
        layer: int | None = None,
        normalize: bool | None = None,
        long: Long = "cut",
        max_length: int | None = None,
    ) -> EmbedOptions:
        """Return what `embed_stream` makes of its options, or raise `UsageError` if it cannot be done."""
        sentence, config = self._bundle.sentence, self._bundle.config
        pooling = pooling or self._bundle.pooling  # type: ignore[assignment]
        if pooling not in POOLINGS:
            raise UsageError(
                f"there is no pooling {pooling!r}",
                expected=f"one of {', '.join(POOLINGS)}",
                fix=did_you_mean(str(pooling), POOLINGS),
            )
        long, limit = self._checked(long, max_length)
        if layer is not None and not -config.depth - 1 <= layer <= config.depth:
            raise UsageError(
                f"there is no layer {layer}",
                expected=f"0 (the embeddings) to {config.depth}",
                fix="leave it out to take the last one",
            )
        if normalize is None:
            normalize = sentence.normalize if sentence else False
        depth = None if layer is None or layer in {-1, config.depth} else layer % (config.depth + 1)
        return EmbedOptions(pooling, depth, normalize, limit, long)

    def _checked(self, long: Long, max_length: int | None) -> tuple[Long, int]:
        """Return the way with long texts and the length, or raise `UsageError` if one is not possible."""
        usual, around = self.max_length, self.tokenizer.around
        check_long(long, max_length, usual, least=sum(around) + 1, most=self._bundle.config.context)
        return long, usual if max_length is None else max_length


def load(name: str | Path, device: str | None = None) -> Model:
    """Load a model for use; see `Bundle.load` for what `name` may be."""
    return Model(Bundle.load(name), device)
