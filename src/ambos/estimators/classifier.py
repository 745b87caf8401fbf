"""`TextClassifier`: texts to labels, one each or several."""

# ruff: noqa: N803 (X is scikit-learn's name)

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin  # type: ignore[import-untyped]
from sklearn.utils import Tags  # type: ignore[import-untyped]
from sklearn.utils.validation import check_is_fitted  # type: ignore[import-untyped]

from ambos.data.windows import Long
from ambos.encoder.pooling import Pooling
from ambos.estimators.finetuned import FineTuned, Given
from ambos.estimators.inputs import text_rows, texts_of
from ambos.estimators.saved import names_of
from ambos.estimators.targets import labels_of, same_length
from ambos.tasks.classify import Classified


class TextClassifier(ClassifierMixin, FineTuned):  # type: ignore[misc]
    """Classify texts: y = softmax(W z), where z is what an encoder makes of a text.

    X is a list of texts, y their labels: strings, whole numbers or truth values. If y is a table of zeros and
    ones, (texts, labels), a text may have any number of labels, and predictions are such tables.

    Parameters
    ----------
    base, epochs, minutes, lr, batch, max_length, long, hidden, freeze, layer_decay, head_lr, weight_decay, \
    dropout, validation, metric, patience, precision, random_state, verbose, settings
        As `FineTuned` has them.
    pooling
        What the head reads: cls, the first token (the default); mean or max, of all tokens.
    smoothing
        Share of a target that is spread over all labels.
    class_weights
        How much examples of each label count: `balanced`, in inverse proportion to their number; a list, in
        the order of `classes_`; None, all alike.

    Attributes
    ----------
    classes_
        The labels as they stand in y, in the order of `np.unique`; of a table, the numbers of its columns.
    bundle_, history_, ledger_
        As `FineTuned` has them.

    Examples
    --------
    >>> texts = ["What a film!", "Two hours lost.", "A joy.", "Dull and long."]
    >>> classifier = TextClassifier("minilm", epochs=10).fit(texts, [1, 0, 1, 0])  # doctest: +SKIP
    >>> classifier.predict(["What a joy!"])  # doctest: +SKIP
    array([1])
    """

    _task = "classify"
    _of_numbers = "use TextRegressor for numbers on a scale"

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
        smoothing: float = 0.0,
        class_weights: str | Sequence[float] | None = None,
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
        self.smoothing = smoothing
        self.class_weights = class_weights

    def _given(self, X: ArrayLike, y: ArrayLike) -> Given:
        texts = self._read(X)
        classes, found = labels_of(y, self._of_numbers)
        same_length(texts, found)
        names, several = names_of(classes), found.ndim == 2
        numbers = [np.flatnonzero(row) for row in found] if several else found[:, None]
        labels = [tuple(names[number] for number in row) for row in numbers]
        strata = np.zeros(len(texts)) if several else found
        rows = [replace(row, labels=its) for row, its in zip(texts, labels, strict=True)]
        return Given(rows, strata, classes, several)

    def _read(self, X: ArrayLike) -> Sequence[Any]:
        """Return what is to be classified as rows without labels."""
        return text_rows(texts_of(X))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the likeliest label of each text, (n,); of several, all likelier than not, (n, labels)."""
        chances = self.predict_proba(X)
        if self.bundle_.learnt["several"]:
            return (chances > 0.5).astype(np.int64)
        found: NDArray[Any] = self.classes_[chances.argmax(1)]
        return found

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return probabilities, (n, labels), calibrated if a `validation` share was kept back."""
        return np.stack([one.probabilities for one in self._classified(X)])

    def decision_function(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return what softmax (of several labels the sigmoid) makes probabilities of, (n, labels).

        Of two classes it is one number, (n,), above 0 where the second one is likelier.
        """
        logits = np.stack([one.logits for one in self._classified(X)])
        learnt = self.bundle_.learnt
        logits /= learnt["temperature"]
        return logits if learnt["several"] or len(self.classes_) > 2 else logits[:, 1] - logits[:, 0]

    def _classified(self, X: ArrayLike) -> list[Classified]:
        check_is_fitted(self)
        return self._predictions(self._read(X))

    def __sklearn_tags__(self) -> Tags:
        """Say that there may be several labels, too."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
