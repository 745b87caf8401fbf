"""`PairClassifier`: pairs of texts to labels, read together or apart."""

# ruff: noqa: N803 (X is scikit-learn's name)

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ambos.data.windows import Long
from ambos.encoder.pooling import Pooling
from ambos.estimators.classifier import TextClassifier
from ambos.estimators.columns import OfTwoColumns
from ambos.estimators.inputs import pair_rows, pairs_of
from ambos.runs.pair_settings import Scheme
from ambos.tasks.classify import Classified


class PairClassifier(OfTwoColumns, TextClassifier):
    """Classify pairs of texts: whether one follows from the other, whether they say the same.

    X has two columns: a list of pairs, or an array (n, 2), in the order of the texts; or a DataFrame, whose
    columns are taken by their names, if these are known (`premise` and `hypothesis`, `query` and `passage`),
    else two in their order. To predict, a DataFrame must have columns of the same names, in any order. y are
    their labels.

    Parameters
    ----------
    scheme
        `joint`: both texts in one sequence. `concat`, `difference`, `product`, `combined`: each is read by
        itself, and the head reads what is named of the two vectors. `attention`: their tokens meet.
    absolute
        Take |a - b| for a - b.
    pooling
        What the head reads; by default cls for `joint`, max for `attention`, mean for the others.
    base, epochs, minutes, lr, batch, max_length, long, hidden, freeze, layer_decay, head_lr, weight_decay, \
    dropout, smoothing, class_weights, validation, metric, patience, precision, random_state, verbose, \
    settings
        As `TextClassifier` has them.

    Attributes
    ----------
    classes_, bundle_, history_, ledger_
        As `TextClassifier` has them.
    feature_names_in_
        The columns of first and second text, where X had names of columns.

    Examples
    --------
    >>> pairs = [("A man sleeps.", "Someone sleeps."), ("A man sleeps.", "A man runs.")] * 20
    >>> classifier = PairClassifier("minilm", scheme="combined", epochs=10)  # doctest: +SKIP
    >>> classifier.fit(pairs, ["yes", "no"] * 20)  # doctest: +SKIP
    >>> classifier.predict([("A boy sleeps.", "Somebody sleeps.")])  # doctest: +SKIP
    array(['yes'], dtype='<U3')
    """

    _roles = ("text_a", "text_b")
    _of_numbers = "numbers on a scale are learnt from files: ambos finetune pair"

    def __init__(
        self,
        base: str | Path = "minilm",
        *,
        scheme: Scheme = "joint",
        absolute: bool = False,
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
            pooling=pooling,
            hidden=hidden,
            freeze=freeze,
            layer_decay=layer_decay,
            head_lr=head_lr,
            weight_decay=weight_decay,
            dropout=dropout,
            smoothing=smoothing,
            class_weights=class_weights,
            validation=validation,
            metric=metric,
            patience=patience,
            precision=precision,
            random_state=random_state,
            verbose=verbose,
            settings=settings,
        )
        self.scheme = scheme
        self.absolute = absolute

    def _classified(self, X: ArrayLike) -> list[Classified]:
        return super()._classified(self._by_name(X))

    def _read(self, X: ArrayLike) -> Sequence[Any]:
        return pair_rows(pairs_of(X))
