"""Fitted estimators come back from folders as they were; other folders are refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from ambos.bundle.bundle import Bundle
from ambos.errors import InputError, OutputError
from ambos.estimators import TextClassifier, TextRegressor
from tests.estimators.toys import reviews


def test_a_saved_classifier_is_a_bundle(classifier: TextClassifier, tmp_path: Path) -> None:
    texts, _ = reviews(20, seed=2)
    folder = classifier.save(tmp_path / "saved")
    again = TextClassifier.load(folder)
    assert again.get_params() == {**classifier.get_params(), "base": str(classifier.base)}
    assert np.array_equal(again.predict_proba(texts), classifier.predict_proba(texts))
    assert again.history_ == []
    assert Bundle.load(folder).learnt["name"] == "classify"
    names = {path.name for path in folder.iterdir()}
    assert {"config.json", "model.safetensors", "ambos.json", "estimator.json"} <= names
    assert not any(path.suffix in {".pkl", ".pt", ".bin", ".joblib"} for path in folder.iterdir())
    with pytest.raises(OutputError, match="already there"):
        classifier.save(folder)
    assert classifier.save(folder, force=True) == folder
    assert again.fit(texts, [0, 1] * 10) is again


def test_folders_that_are_none_are_refused(classifier: TextClassifier, tmp_path: Path, base: Path) -> None:
    folder = classifier.save(tmp_path / "saved")
    with pytest.raises(InputError, match="another estimator"):
        TextRegressor.load(folder)
    for other, found in ((base, "no such file"), (tmp_path / "none", "no such folder")):
        with pytest.raises(InputError, match="there is no saved estimator") as refused:
            TextClassifier.load(other)
        assert "estimator.json" in refused.value.expected
        assert refused.value.found == found
        assert "ambos.load" in refused.value.fix
    about = json.loads((folder / "estimator.json").read_text())
    for changes, what in (
        ({"classes": {"dtype": "<i8", "values": [1, 0]}}, "not the labels"),
        ({"classes": {"dtype": "<i8"}}, "cannot be read"),
        ({"classes": 3}, "cannot be read"),
        ({"parameters": {"base": "x"}}, "not those of the estimator"),
        ({"format": 2}, "another estimator"),
    ):
        (folder / "estimator.json").write_text(json.dumps({**about, **changes}))
        with pytest.raises(InputError, match=what):
            TextClassifier.load(folder)


def test_parameters_of_numpy_are_saved(base: Path, tmp_path: Path) -> None:
    how = {"lr": np.float64(1e-3), "batch": np.int64(4), "class_weights": np.array([1.0, 2.0])}
    estimator = TextClassifier(base, epochs=1, random_state=np.random.RandomState(0), **how)
    again = TextClassifier.load(estimator.fit(*reviews(8)).save(tmp_path / "saved"))
    assert (again.lr, again.batch, again.class_weights) == (1e-3, 4, [1.0, 2.0])
    assert again.random_state is None
