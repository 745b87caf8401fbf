"""`TextRegressor`: texts to numbers."""

# ruff: noqa: N803 (X is scikit-learn's name)

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin  # type: ignore[import-untyped]
from sklearn.utils.validation import check_is_fitted  # type: ignore[import-untyped]

from ambos.data.windows import Long
from ambos.encoder.pooling import Pooling
from ambos.estimators.finetuned import FineTuned, Given
from ambos.estimators.inputs import text_rows, texts_of
from ambos.estimators.targets import same_length, scores_of


class TextRegressor(RegressorMixin, FineTuned):  # type: ignore[misc]
    """Say a number of each text: y = w z + b, by least squares, where z is what an encoder makes of a text.

    X is a list of texts, y their numbers, on any scale.

    Parameters
    ----------
    base, epochs, minutes, lr, batch, max_length, long, hidden, freeze, layer_decay, head_lr, weight_decay, \
    dropout, validation, metric, patience, precision, random_state, verbose, settings
        As `FineTuned` has them.
    pooling
        What the head reads: cls, the first token (the default); mean or max, of all tokens.

    Attributes
    ----------
    bundle_, history_, ledger_
        As `FineTuned` has them.

    Examples
    --------
    >>> texts = ["Boiling hot.", "Warm.", "Cool.", "Freezing cold."]
    >>> regressor = TextRegressor("minilm", epochs=10).fit(texts, [38.0, 24.0, 15.0, -5.0])  # doctest: +SKIP
    >>> regressor.predict(["Very hot."]).shape  # doctest: +SKIP
    (1,)
    """

    _task = "score"

    def __init__(
        self,
        base: str | Path = "minilm",
        *,
        epochs: float = 4.0,
        minutes: float | None = None,
        lr: float | None = None,
        batch: int = 32,
        max_length: int | None = None,
        long: Long = "cut",
        pooling: Pooling | None = None,
        hidden: bool = False,
        freeze: int | str = 0,
        layer_decay: float = 1.0,
        head_lr: float | None = None,
        weight_decay: float = 0.01,
        dropout: float | None = None,
        validation: float = 0.0,
        metric: str | None = None,
        patience: int = 0,
        precision: str = "auto",
        random_state: int | np.random.RandomState | None = 0,
        verbose: bool = False,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            base,
            epochs=epochs,
            minutes=minutes,
            lr=lr,
            batch=batch,
            max_length=max_length,
            long=long,
            hidden=hidden,
            freeze=freeze,
            layer_decay=layer_decay,
            head_lr=head_lr,
            weight_decay=weight_decay,
            dropout=dropout,
            validation=validation,
            metric=metric,
            patience=patience,
            precision=precision,
            random_state=random_state,
            verbose=verbose,
            settings=settings,
        )
        self.pooling = pooling

    def _given(self, X: ArrayLike, y: ArrayLike) -> Given:
        texts, scores = texts_of(X), scores_of(y)
        same_length(texts, scores)
        return Given(text_rows(texts, scores=scores), np.zeros(len(texts)))

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return a number for each text, (n,)."""
        check_is_fitted(self)
        return np.array(self._predictions(text_rows(texts_of(X))))
