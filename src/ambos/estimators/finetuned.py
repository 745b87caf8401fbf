"""What the estimators share that fine-tune an encoder: parameters, fitting, predicting, saving."""

# ruff: noqa: N803 (X is scikit-learn's name)

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator  # type: ignore[import-untyped]
from sklearn.utils import Tags, check_random_state  # type: ignore[import-untyped]
from sklearn.utils.validation import check_is_fitted  # type: ignore[import-untyped]

from ambos import __version__
from ambos.bundle.bundle import Bundle
from ambos.data.divide_rows import same_text
from ambos.data.label_set import LabelSet
from ambos.data.windows import Ledger, Long
from ambos.errors import UsageError
from ambos.estimators.held_out import hold_out
from ambos.estimators.history import History
from ambos.estimators.inputs import SHOWN, BadTypeError, BadValueError, as_value_errors
from ambos.estimators.saved import (
    FILE,
    names_of,
    plain,
    read_classes,
    read_estimator,
    write_estimator,
)
from ambos.estimators.targets import refuse_missing
from ambos.predict.learnt import task_of
from ambos.predict.rows import predict_rows
from ambos.recipe import load_recipe
from ambos.runs.choices import choose, chosen_precision
from ambos.runs.finetune import CPU, Finetuning
from ambos.runs.finetune_settings import FinetuneRecipe
from ambos.tasks.task import Reading
from ambos.train.loop import State
from ambos.train.signals import Stop
from ambos.train.team import Team

# The groups of a recipe that parameters belong to, where they are not on its top.
_GROUPS = {
    **dict.fromkeys(("pooling", "hidden"), "head"),
    **dict.fromkeys(
        (
            "lr",
            "layer_decay",
            "head_lr",
            "weight_decay",
            "freeze",
            "dropout",
            "smoothing",
            "class_weights",
        ),
        "learning",
    ),
    **dict.fromkeys(("metric", "patience"), "selection"),
    **dict.fromkeys(("scheme", "absolute"), "pair"),
}
_OUTSIDE = frozenset({"base", "validation", "random_state", "verbose", "settings"})  # of the recipe
# Settings that `fit` makes nothing of: it has a base and rows, makes one run, and writes nothing.
_UNUSED = ("base", "seeds", "folds", "search", "data", "saving", "checks")


@dataclass(frozen=True)
class Given:
    """What there is to learn.

    Parameters
    ----------
    rows
        As the task reads them.
    strata
        (n,) groups that are kept back in equal shares.
    classes
        What the labels stand for, in their order; None of tasks without labels.
    several
        Whether a row may have several of them.
    """

    rows: Sequence[Any]
    strata: ArrayLike
    classes: NDArray[Any] | None = None
    several: bool = False


class FineTuned(BaseEstimator, ABC):  # type: ignore[misc]
    """An encoder with a new head, trained on all that `fit` is given.

    Parameters
    ----------
    base
        The model to begin with: a folder, `minilm`, a hub id.
    epochs, minutes
        How often every example is read; or, instead, how long to train by the clock.
    lr
        Peak learning rate; by default 5e-5 for an encoder of width 768, and more for narrower ones.
    batch
        Examples of a step.
    max_length, long
        Longest sequence in tokens, if not as the base reads; what becomes of longer ones: cut, head-tail,
        windows, error.
    hidden
        Put a linear layer with ReLU before the last one.
    freeze
        How many layers, from the first one and with the embeddings, stay as they are; `all`: the encoder.
    layer_decay, head_lr
        Every layer learns at this factor of the rate of the layer above it; the head at this factor of `lr`.
    weight_decay, dropout
        Decoupled; of everything, if not as the base has it.
    validation
        Share of the examples that is kept back, equal texts together: the weights that are best on them are
        kept, and probabilities are calibrated on them. 0: learn from all, keep the last weights.
    metric, patience
        What decides which weights are best, if not the main metric of the task; stop after so many
        measurements without a better one, 0: never. They need a `validation` share.
    precision
        Of matrix products while training: fp32, bf16, or `auto`, bf16 where it is faster.
    random_state
        Decides every draw. The same number gives the same weights; None other ones every time.
    verbose
        Print a line for each measurement.
    settings
        Any other setting of a recipe, group by group, such as `{"schedule": {"warmup": 0.2}}`.

    Attributes
    ----------
    bundle_
        The model.
    history_
        A record of every step and every measurement.
    ledger_
        Which of the texts to learn from were too long, and what of them was cut. Like the history it is
        empty after `load`.
    """

    _task: ClassVar[Literal["classify", "score", "tag", "answer"]]

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
        validation: float = 0.0,
        metric: str | None = None,
        patience: int = 0,
        precision: str = "auto",
        random_state: int | np.random.RandomState | None = 0,
        verbose: bool = False,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.base = base
        self.epochs = epochs
        self.minutes = minutes
        self.lr = lr
        self.batch = batch
        self.max_length = max_length
        self.long = long
        self.hidden = hidden
        self.freeze = freeze
        self.layer_decay = layer_decay
        self.head_lr = head_lr
        self.weight_decay = weight_decay
        self.dropout = dropout
        self.validation = validation
        self.metric = metric
        self.patience = patience
        self.precision = precision
        self.random_state = random_state
        self.verbose = verbose
        self.settings = settings

    @abstractmethod
    def _given(self, X: ArrayLike, y: ArrayLike) -> Given:
        """Check what was handed in, and return it as rows."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fine-tune the base on examples and what is to be said of each; return self."""
        refuse_missing(y, type(self).__name__)
        with as_value_errors(self.get_params(deep=False)):
            given = self._given(X, y)
            seed = self._seed()
            recipe = choose(self._recipe(seed, several=given.several), Team())
            kept_back = hold_out(given.strata, self.validation, seed, same_text(given.rows))
            train, dev = (
                [row for row, back in zip(given.rows, kept_back, strict=True) if back == side]
                for side in (False, True)
            )
            labels = None if given.classes is None else LabelSet(names_of(given.classes))
            work = Finetuning(Bundle.load(self.base), train, dev, recipe, labels)
            work.refuse_long()
            history = History(verbose=bool(self.verbose))
            loop = work.loop(history, precision=chosen_precision(recipe))
            loop.run(State(due=False), Stop())
            work.finish()
        work.bundle.provenance = {
            "finetuned_by": f"ambos {__version__}",
            "base": str(self.base),
            "task": self._task,
        }
        self.bundle_, self.history_, self.ledger_ = work.bundle, history.records, work.ledger
        # In X the rows to learn from have other numbers than among themselves.
        self.ledger_.named = np.flatnonzero(~kept_back)[work.ledger.named].tolist()
        if given.classes is not None:
            self.classes_ = given.classes
        return self

    def _seed(self) -> int:
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _recipe(self, seed: int, *, several: bool) -> FinetuneRecipe:
        """Return the parameters as a recipe; those that are None are as it has them."""
        settings = {} if self.settings is None else self.settings
        if not isinstance(settings, Mapping):
            raise BadTypeError(
                "settings are no dict",
                expected='groups of settings, such as {"schedule": {"warmup": 0.2}}',
                found=repr(settings)[:SHOWN],
            )
        decided = {"task": self._task, "seed": seed, "several": several}
        values: dict[str, Any] = {**decided}
        for name, value in self.get_params(deep=False).items():
            if value is not None and name not in _OUTSIDE:
                group = values.setdefault(_GROUPS[name], {}) if name in _GROUPS else values
                group[name] = plain(value)
        try:
            recipe = load_recipe(FinetuneRecipe, [values, settings])
        except UsageError as error:
            name = type(self).__name__
            raise BadValueError(
                f"a parameter of {name} is wrong", found=error.found, fix=f"help({name})"
            ) from error
        self._refuse_unused(recipe, decided)
        if not self.validation and (recipe.selection.patience or recipe.selection.metric):
            raise BadValueError(
                "patience and metric need examples to measure with",
                expected="a share of the examples that is kept back",
                found=f"validation={self.validation}",
                fix="validation=0.1",
            )
        return recipe

    def _refuse_unused(self, recipe: FinetuneRecipe, decided: Mapping[str, Any]) -> None:
        """Raise `BadValueError` for settings that `fit` would make nothing of, or that are decided."""
        fields = FinetuneRecipe.model_fields
        found = [name for name, value in decided.items() if getattr(recipe, name) != value]
        found += [name for name in _UNUSED if getattr(recipe, name) != fields[name].default]
        if found:
            raise BadValueError(
                f"{type(self).__name__} makes nothing of some settings",
                expected="settings of how one run learns from the examples that fit is given",
                found=f"settings: {', '.join(found)}",
                fix="leave them out; random_state is the seed, y tells whether there are several labels, and "
                "cross_val_score and GridSearchCV make several runs",
            )

    def _predictions(self, rows: Sequence[Any]) -> list[Any]:
        """Return what the task says of each row."""
        bundle: Bundle = self.bundle_
        if bundle.tokenizer is None:
            raise ValueError("the model was trained without a tokenizer")  # never: `fit` asks for one
        learnt = bundle.learnt
        reading = Reading(bundle.tokenizer, learnt["max_length"], learnt["long"], apart=bundle.apart)
        with as_value_errors(self.get_params(deep=False)):
            found = predict_rows(bundle.network, task_of(bundle), rows, reading, Ledger(), device=CPU)
            return [one for _, part in found for one in part]

    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """Write the fitted estimator to a folder, which is a bundle and more; no pickle is involved."""
        check_is_fitted(self)
        return write_estimator(folder, self, self.bundle_, force=force)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read a fitted estimator that `save` wrote."""
        about = read_estimator(Path(folder), cls)
        found = cls(**about["parameters"])
        found.bundle_ = Bundle.load(folder)
        found.history_, found.ledger_ = [], Ledger()
        if about["classes"] is not None:
            found.classes_ = read_classes(about["classes"], found.bundle_.labels, Path(folder) / FILE)
        if about["columns"] is not None:
            found.feature_names_in_ = np.array(about["columns"], object)
        return found

    def __sklearn_tags__(self) -> Tags:
        """Say what scikit-learn should know: texts come in, and what is to be learnt of them."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = tags.input_tags.string = True
        tags.target_tags.required = True
        return tags
