"""`PairClassifier`: pairs in any of the usual forms, every scheme, and scikit-learn's manners."""

import re
from pathlib import Path

import numpy as np
import pandas
import pyarrow as pa
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


def test_names_of_an_arrow_table_count(base: Path) -> None:
    X, y = pairs(40)
    first, second = zip(*X, strict=True)
    table = pa.table({"hypothesis": second, "premise": first})
    how = {"scheme": "concat", "epochs": 1, **FAST}
    classifier = PairClassifier(base, **how).fit(table, y)
    assert classifier.feature_names_in_.tolist() == ["premise", "hypothesis"]
    expected = PairClassifier(base, **how).fit(X, y).predict_proba(X)
    assert (classifier.predict_proba(table) == expected).all()
    (batch,) = table.select(["premise", "hypothesis"]).to_batches()
    assert (classifier.predict_proba(batch) == expected).all()
    with pytest.raises(ValueError, match="it is not clear which columns"):
        PairClassifier(base).fit(pa.table({"a": first, "b": second, "c": second}), y)


class TestDataFrames:
    def test_known_names_count_and_order_does_not(self, base: Path, tmp_path: Path) -> None:
        X, y = pairs(60)
        first, second = zip(*X, strict=True)
        table = pandas.DataFrame({"hypothesis": second, "id": range(60), "premise": first})
        how = {"scheme": "concat", "epochs": 1, **FAST}
        expected = PairClassifier(base, **how).fit(X, y).predict_proba(X)
        classifier = PairClassifier(base, **how).fit(table, y)
        assert classifier.feature_names_in_.tolist() == ["premise", "hypothesis"]
        assert (classifier.predict_proba(table) == expected).all()
        assert (classifier.predict_proba(table[["premise", "hypothesis"]]) == expected).all()
        classifier.save(tmp_path / "saved")
        again = PairClassifier.load(tmp_path / "saved")
        assert (again.predict_proba(table) == expected).all()
        with pytest.raises(ValueError, match="the columns of X are not those of fit"):
            again.predict(table.rename(columns={"premise": "text_a", "hypothesis": "text_b"}))
        with pytest.warns(UserWarning, match="fitted with premise and hypothesis"):
            assert (again.predict_proba(X) == expected).all()

    def test_other_names_keep_the_order_of_fit(self, base: Path) -> None:
        X, y = pairs(40)
        table = pandas.DataFrame(X, columns=["left", "right"])
        classifier = PairClassifier(base, scheme="concat", epochs=1, **FAST).fit(table, y)
        assert classifier.feature_names_in_.tolist() == ["left", "right"]
        expected = classifier.predict_proba(table)
        assert (classifier.predict_proba(table[["right", "left"]]) == expected).all()
        with pytest.raises(ValueError, match="not those of fit"):
            classifier.predict(table.rename(columns={"left": "other"}))
        classifier.fit(X, y)  # names are forgotten with what was learnt
        assert not hasattr(classifier, "feature_names_in_")

    def test_fitted_without_names(self, base: Path) -> None:
        fitted = PairClassifier(base, scheme="concat", epochs=1, **FAST).fit(*pairs(60))
        X, _ = pairs(20, seed=1)
        first, second = zip(*X, strict=True)
        expected = fitted.predict_proba(X)
        assert (fitted.predict_proba(pandas.DataFrame({"s2": second, "s1": first})) == expected).all()
        assert (fitted.predict_proba(pandas.DataFrame(X)) == expected).all()  # columns 0 and 1

    @pytest.mark.parametrize(
        ("names", "said"),
        [
            (("a", "b", "c"), "two texts$"),
            (("query", "passage", "document"), "query and passage or query and"),
        ],
    )
    def test_what_is_not_clear_is_refused(self, base: Path, names: tuple[str, ...], said: str) -> None:
        table = pandas.DataFrame([["x", "y", "z"]] * 2, columns=list(names))
        with pytest.raises(ValueError) as refused:  # noqa: PT011 (looked at below)
            PairClassifier(base).fit(table, [0, 1])
        assert re.search(said, refused.value.what)
        assert refused.value.found == ", ".join(names)

    def test_the_example_of_the_page(self, base: Path, capsys: pytest.CaptureFixture[str]) -> None:
        page = (Path(__file__).parents[2] / "docs" / "estimators.md").read_text()
        (code,) = (
            one for one in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "PairClassifier" in one
        )
        exec(code.replace('"minilm"', repr(str(base))).replace("epochs=10", "epochs=1"), {})
        assert capsys.readouterr().out.startswith("['premise' 'hypothesis']")
