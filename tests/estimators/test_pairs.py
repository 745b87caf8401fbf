"""`PairClassifier`: pairs in any of the usual forms, every scheme, and scikit-learn's manners."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from ambos.estimators import PairClassifier
from tests.estimators.toys import FAST

WORDS = ("que", "com", "uma", "por")


def pairs(count: int, seed: int = 0) -> tuple[list[tuple[str, str]], np.ndarray]:
    """Whether both words are the same."""
    chance = np.random.default_rng(seed)
    same = chance.integers(2, size=count)
    first = chance.integers(4, size=count)
    second = np.where(same, first, (first + chance.integers(1, 4, size=count)) % 4)
    return [(WORDS[a], WORDS[b]) for a, b in zip(first, second, strict=True)], same


@pytest.mark.parametrize("scheme", ["joint", "combined"])
def test_it_learns(base: Path, scheme: str) -> None:
    X, y = pairs(300)
    classifier = PairClassifier(base, scheme=scheme, epochs=10, **FAST).fit(X[:240], y[:240])
    assert classifier.score(X[240:], y[240:]) > 0.85
    assert classifier.predict_proba(X[:3]).sum(1) == pytest.approx(1.0)
    assert classifier.bundle_.pair == scheme


def test_columns_of_an_array(base: Path, tmp_path: Path) -> None:
    X, y = pairs(40)
    classifier = PairClassifier(base, scheme="product", epochs=1, **FAST).fit(np.array(X), y)
    expected = classifier.predict_proba(X)
    classifier.save(tmp_path / "saved")
    again = PairClassifier.load(tmp_path / "saved")
    assert again.predict_proba(np.array(X)) == pytest.approx(expected, abs=1e-6)
    assert clone(again).get_params() == {**classifier.get_params(), "base": str(base)}


def test_single_texts_are_refused(base: Path) -> None:
    with pytest.raises(TypeError, match="row 0 of X is no list"):
        PairClassifier(base).fit(["a", "b"], [0, 1])
    with pytest.raises(ValueError, match="row 1 of X is no pair"):
        PairClassifier(base).fit([("a", "b"), ("a", "b", "c")], [0, 1])


def test_an_empty_side_is_refused(base: Path) -> None:
    X, y = pairs(40)
    with pytest.raises(ValueError, match="the second text in row 3 of X is empty"):
        PairClassifier(base, epochs=1, **FAST).fit([*X[:3], (X[3][0], " "), *X[4:]], y)
    fitted = PairClassifier(base, epochs=1, **FAST).fit(X, y)
    with pytest.raises(ValueError, match="the first text in row 1 of X is empty"):
        fitted.predict([X[0], ("", "que")])


def test_schemes_are_searched(base: Path) -> None:
    X, y = pairs(60)
    found = GridSearchCV(
        PairClassifier(base, epochs=1, **FAST), {"scheme": ["joint", "difference"]}, cv=2, error_score="raise"
    ).fit(X, y)
    assert found.best_params_["scheme"] in {"joint", "difference"}
    assert len(cross_val_score(PairClassifier(base, epochs=1, **FAST), X, y, cv=3)) == 3
