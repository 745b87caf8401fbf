"""Vectors are those of the model, and feed classic models."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import ambos
from ambos.estimators import TextEmbedder
from tests.estimators.toys import reviews


def test_an_embedder_feeds_classic_models(base: Path, tmp_path: Path) -> None:
    texts, good = reviews(200)
    others, better = reviews(60, seed=1)
    model = make_pipeline(TextEmbedder(base, layer=0), LogisticRegression(max_iter=1000))
    assert model.fit(texts, good).score(others, better) > 0.75
    embedder = model[0]
    vectors = embedder.transform(others)
    assert np.array_equal(vectors, ambos.load(base).embed(others, layer=0))
    assert embedder.get_feature_names_out().tolist()[-1] == "textembedder31"
    pickled = pickle.dumps(embedder)
    assert len(pickled) < 2000
    again = TextEmbedder.load(embedder.save(tmp_path / "saved"))
    for one in (pickle.loads(pickled), again):
        assert np.array_equal(one.transform(others), vectors)
        assert one.get_params() == {**embedder.get_params(), "base": one.base}


def test_an_embedder_has_options(base: Path) -> None:
    texts = ["o gato " * 30, "casa"]
    first = TextEmbedder(base, pooling="cls", layer=1, normalize=True, max_length=16, long="windows")
    vectors = first.fit_transform(texts)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    model = ambos.load(base)
    how = {"pool": "cls", "layer": 1, "normalize": True, "max_length": 16, "long": "windows"}
    assert np.array_equal(vectors, model.embed(texts, **how))
    for wrong in (
        {"pooling": "sum"},
        {"layer": 9},
        {"max_length": 1000},
        {"long": "fold"},
        {"device": "tpu"},
    ):
        with pytest.raises(ValueError, match="expected"):
            TextEmbedder(base, **wrong).fit(texts)
    with pytest.raises(ValueError, match="longer than the model can read"):
        TextEmbedder(base, max_length=16, long="error").fit_transform(texts)


def test_a_pipeline_remembers_vectors(base: Path, tmp_path: Path) -> None:
    texts, good = reviews(20)
    model = make_pipeline(TextEmbedder(base), LogisticRegression(), memory=str(tmp_path))
    found = [model.fit(texts, good).predict_proba(texts) for _ in range(2)]
    assert np.array_equal(*found)
