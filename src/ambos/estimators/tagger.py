"""`Tagger`: words to tags."""

# ruff: noqa: N803 (X is scikit-learn's name)

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted  # type: ignore[import-untyped]

from ambos.data.label_set import LabelSet
from ambos.data.rows import WordsRow
from ambos.data.windows import Long
from ambos.estimators.finetuned import FineTuned, Given
from ambos.estimators.inputs import PLACE, BadValueError, as_value_errors, words_of
from ambos.estimators.saved import names_of
from ambos.estimators.targets import labels_of, tags_of
from ambos.tasks.tag import Tag


class Tagger(FineTuned):
    """Give every word a tag: named entities, parts of speech.

    X is a list of lists of words, y a list of lists of tags, one for each word.

    Parameters
    ----------
    base, epochs, minutes, lr, batch, max_length, long, hidden, freeze, layer_decay, head_lr, weight_decay, \
    dropout, validation, metric, patience, precision, random_state, verbose, settings
        As `FineTuned` has them. When it predicts, long rows are read in windows: no word is left out.
    smoothing
        Share of a target that is spread over all tags.
    class_weights
        How much words of each tag count: `balanced`, in inverse proportion to their number; a list, in the
        order of `classes_`; None, all alike.

    Attributes
    ----------
    classes_
        The tags as they stand in y, in the order of `np.unique`.
    bundle_, history_, ledger_
        As `FineTuned` has them.

    Examples
    --------
    >>> words, tags = [["Ana", "came", "."]], [["B-PER", "O", "O"]]
    >>> tagger = Tagger("minilm", epochs=20).fit(words, tags)  # doctest: +SKIP
    >>> tagger.predict([["Ana", "laughed"]])  # doctest: +SKIP
    [['B-PER', 'O']]
    """

    _task = "tag"

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
        self.smoothing = smoothing
        self.class_weights = class_weights

    def _given(self, X: ArrayLike, y: ArrayLike) -> Given:
        words = words_of(X)
        tags = tags_of(y, words)
        if not all(words):
            raise BadValueError(
                f"row {words.index(())} of X is empty",
                expected="at least one word",
                fix="leave such rows out of X and y",
            )
        classes, _ = labels_of([tag for row in tags for tag in row])
        return Given(_rows(words, tags), np.zeros(len(words)), classes)

    def predict(self, X: ArrayLike) -> list[list[Any]]:
        """Return a list of tags for each list of words, one for each word."""
        check_is_fitted(self)
        words = words_of(X)
        tags = dict(zip(names_of(self.classes_), self.classes_.tolist(), strict=True))
        return [[tags[name] for name in one.tags] for one in self._predictions(_rows(words))]

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return the F1 of entities where tags are those of entities, such as B-PER; else their accuracy.

        The tags that were learnt decide too: a fold of rows without an entity is measured by the F1 of
        entities like the others, 0 where there is none and none is found. Tags that were not there to learn
        from may be among them: they count as missed.
        """
        check_is_fitted(self)
        words = words_of(X)
        rows = _rows(words, tags_of(y, words))
        found = self._predictions(rows)
        seen = (tag for one in (*rows, *found) for tag in one.tags)
        task = Tag(LabelSet.of([*names_of(self.classes_), *seen]))
        evaluation = task.evaluation()
        with as_value_errors(self.get_params(deep=False)):
            evaluation.add(*task.compare(rows, found))
        return evaluation.values()[task.main]


def _rows(words: Sequence[tuple[str, ...]], tags: Sequence[Sequence[Any]] | None = None) -> list[WordsRow]:
    """Return rows as the task reads them; tags go by their names."""
    return [
        WordsRow(row, () if tags is None else tuple(str(tag) for tag in tags[number]), PLACE, number + 1)
        for number, row in enumerate(words)
    ]
