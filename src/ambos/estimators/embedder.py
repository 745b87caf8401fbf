"""`TextEmbedder`: texts to vectors, for any model that reads numbers."""

# ruff: noqa: N803 (X is scikit-learn's name)

from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (  # type: ignore[import-untyped]
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils import Tags  # type: ignore[import-untyped]
from sklearn.utils.validation import check_is_fitted  # type: ignore[import-untyped]

from ambos.bundle.bundle import Bundle
from ambos.data.windows import Long
from ambos.encoder.pooling import Pooling
from ambos.estimators.inputs import as_value_errors, texts_of
from ambos.estimators.saved import read_estimator, write_estimator
from ambos.predict.model import Model, load


class TextEmbedder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn texts into vectors with an encoder as it is: nothing is trained, `fit` only loads it.

    Parameters
    ----------
    base
        The encoder: a folder, `minilm`, a hub id.
    pooling
        How vectors of tokens become one: cls, mean, max; None as the base says, else mean.
    layer
        Take the output of this layer, from 0 (the embeddings) to the depth; None is the last.
    normalize
        Scale vectors to length 1; None as the base says, else not.
    max_length, long
        Longest input in tokens, if not as the base reads; what becomes of longer ones: cut, head-tail,
        windows, error.
    device
        cpu, cuda, mps, or None for the best there is.

    Attributes
    ----------
    model_
        The encoder, ready to use. A pickled embedder holds the name of its folder instead.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> texts = ["What a film!", "Two hours lost.", "A joy.", "Dull and long."]
    >>> model = make_pipeline(TextEmbedder("minilm"), LogisticRegression())  # doctest: +SKIP
    >>> model.fit(texts, [1, 0, 1, 0]).predict(["What a joy!"])  # doctest: +SKIP
    array([1])
    """

    def __init__(
        self,
        base: str | Path = "minilm",
        *,
        pooling: Pooling | None = None,
        layer: int | None = None,
        normalize: bool | None = None,
        max_length: int | None = None,
        long: Long = "cut",
        device: str | None = None,
    ) -> None:
        self.base = base
        self.pooling = pooling
        self.layer = layer
        self.normalize = normalize
        self.max_length = max_length
        self.long = long
        self.device = device

    def fit(self, X: ArrayLike, y: object = None) -> Self:  # noqa: ARG002 (pipelines hand it in)
        """Load the encoder, and check texts and parameters; return self."""
        texts_of(X)
        with as_value_errors(self.get_params(deep=False)):
            model = load(self.base, self.device)
            model.embed_options(self.pooling, self.layer, self.normalize, self.long, self.max_length)
        self.model_ = model
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return a vector for each text, (n, width)."""
        check_is_fitted(self)
        texts, model = texts_of(X), self.model_
        with as_value_errors(self.get_params(deep=False)):
            return model.embed(
                texts,
                pool=self.pooling,
                layer=self.layer,
                normalize=self.normalize,
                long=self.long,
                max_length=self.max_length,
            )

    @property
    def _n_features_out(self) -> int:  # what names of columns are made by
        model: Model = self.model_
        return model.config.width

    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """Write the encoder and the parameters to a folder; no pickle is involved."""
        check_is_fitted(self)
        # The one in use is laid out for inference, and cannot be saved.
        bundle = Bundle.load(self.model_.source or self.base)
        return write_estimator(folder, self, bundle, force=force)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read what `save` wrote."""
        found = cls(**read_estimator(Path(folder), cls)["parameters"])
        found.model_ = load(folder, found.device)
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Leave the weights out: `__setstate__` loads them again."""
        state = super().__getstate__()
        return {**state, "model_": self.model_.source} if "model_" in state else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "model_" in state:
            self.model_ = load(state["model_"], self.device)

    def __sklearn_tags__(self) -> Tags:
        """Say what scikit-learn should know: texts come in, float32 goes out."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = []
        return tags
