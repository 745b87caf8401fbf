"""Texts and labels come in many shapes; what cannot be used is refused in plain words."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pandas import NA, DataFrame, Series

from ambos.advice import in_python
from ambos.errors import AmbosError, OutputError
from ambos.estimators import (
    PairClassifier,
    QuestionAnswerer,
    Tagger,
    TextClassifier,
    TextEmbedder,
    TextRegressor,
)
from ambos.estimators.inputs import texts_of
from ambos.train.loop import DivergedError
from tests.estimators.toys import reviews


@pytest.mark.parametrize(
    "shape",
    [
        list,
        tuple,
        np.array,
        partial(np.array, dtype=object),
        Series,
        lambda x: np.array(x)[:, None],
        DataFrame,
    ],
)
def test_texts_come_in_many_shapes(classifier: TextClassifier, shape: Callable[[Any], Any]) -> None:
    texts, _ = reviews(5)
    assert texts_of(shape(texts)) == texts
    assert all(type(text) is str for text in texts_of(shape(texts)))
    assert np.array_equal(classifier.predict(shape(texts)), classifier.predict(texts))


def test_labels_come_in_many_shapes(base: Path) -> None:
    texts, _ = reviews(4)
    for y in (["b", "a", "b", "a"], np.array(["b", "a", "b", "a"]), Series(["b", "a", "b", "a"])):
        assert TextClassifier(base, epochs=1).fit(texts, y).classes_.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("values", "dtype", "names"),
    [([0, 1, 0, 1], "Int64", ("0", "1")), ([False, True, False, True], "boolean", ("False", "True"))],
)
def test_labels_of_pandas_stay_what_they_are(base: Path, values: Any, dtype: Any, names: Any) -> None:
    """Whole numbers and truth values that might be missing are no floats, to scikit-learn's eyes alone."""
    texts, _ = reviews(4)
    estimator = TextClassifier(base, epochs=1).fit(texts, Series(values, dtype=dtype))
    assert estimator.classes_.tolist() == values[:2]
    assert estimator.classes_.dtype == np.array(values).dtype
    assert estimator.bundle_.labels == names


TEXTS, LABELS = ["o gato", "a casa", "o dia"], [0, 1, 0]
WRONG: list[tuple[Any, Any, Any, type[Exception], str]] = [
    (TextClassifier, TEXTS, [0, 1], ValueError, "inconsistent numbers of samples"),
    (TextClassifier, [], [], ValueError, "X is empty"),
    (TextClassifier, np.empty((0, 1)), [], ValueError, "X is empty"),
    (TextClassifier, "o gato", [1], ValueError, "X is no list"),
    (TextClassifier, 3, [1], ValueError, "X is no list"),
    (TextClassifier, ["o gato", None, "o dia"], LABELS, ValueError, "row 1 of X is missing"),
    (TextClassifier, ["o gato", float("nan"), "o dia"], LABELS, ValueError, "row 1 of X is missing"),
    (TextClassifier, ["o gato", NA, "o dia"], LABELS, ValueError, "row 1 of X is missing"),
    (TextClassifier, ["o gato", 3, "o dia"], LABELS, TypeError, "row 1 of X is no text"),
    (TextClassifier, [b"o gato", b"a", b"b"], LABELS, TypeError, "row 0 of X is no text"),
    (TextClassifier, np.ones((3, 2)), LABELS, ValueError, "row 0 of X has 2 columns"),
    (TextClassifier, TEXTS, ["a", "a", "a"], ValueError, "only one class"),
    (TextClassifier, TEXTS, ["a", None, "b"], ValueError, "row 1 of y is missing"),
    (TextClassifier, TEXTS, [0.0, float("nan"), 1.0], ValueError, "row 1 of y is missing"),
    (TextClassifier, TEXTS, [0.1, 0.2, 0.5], ValueError, "continuous"),
    (TextClassifier, TEXTS, np.array([0, 1, 2], "datetime64[D]"), TypeError, r"be saved, datetime64\[D\]"),
    (TextClassifier, TEXTS, np.array([0, 1, 2], "timedelta64[h]"), TypeError, "cannot be saved"),
    (Tagger, [["a", "b"]], [[*np.array([0, 1], "datetime64[D]")]], TypeError, "cannot be saved"),
    (TextClassifier, TEXTS, None, ValueError, "requires y"),
    (TextRegressor, TEXTS, [1.0, 2.0], ValueError, "inconsistent numbers of samples"),
    (TextRegressor, TEXTS, [1.0, float("nan"), 2.0], ValueError, "y contains NaN"),
    (TextRegressor, TEXTS, [1.0, float("inf"), 2.0], ValueError, "y contains infinity"),
    (TextRegressor, TEXTS, [2.5, 2.5, 2.5], ValueError, "^all scores in y are the same"),
    (TextRegressor, TEXTS, ["a", "b", "c"], ValueError, "could not convert"),
    (TextRegressor, TEXTS, [[1.0, 2.0]] * 3, ValueError, "y should be a 1d array"),
    (Tagger, TEXTS, [["O"]] * 3, TypeError, r"text\.split\(\)"),
    (Tagger, [["a", "b"], ["c"]], [["O", "N"], ["O", "O"]], ValueError, "row 1 of y does not fit its words"),
    (Tagger, [["a", "b"], ["c"]], [["O", "N"]], ValueError, "inconsistent numbers of samples"),
    (Tagger, [["a", None], ["c"]], [["O", "N"], ["O"]], ValueError, "word 1 of row 0 of X is missing"),
    (Tagger, [["a", "b"], ["c"]], [["O", None], ["O"]], ValueError, "a tag in row 0 of y is missing"),
    (Tagger, [["a"], []], [["O"], []], ValueError, "row 1 of X is empty"),
    (Tagger, [["a"], ["b"]], [["O"], ["O"]], ValueError, "only one class"),
    (Tagger, [["a"], None], [["O"], ["N"]], ValueError, "row 1 of X is missing"),
    (QuestionAnswerer, TEXTS, [None] * 3, TypeError, "row 0 of X is no list"),
    (QuestionAnswerer, [("a",)], [None], ValueError, "row 0 of X is no pair"),
    (QuestionAnswerer, [("a", None)], [None], ValueError, "the passage in row 0 of X is missing"),
    (QuestionAnswerer, [("a", "b c")], [("c", 1)], ValueError, "not where it is said to be"),
    (QuestionAnswerer, [("a", "b c")], [("c", -1)], ValueError, "not where it is said to be"),
    (QuestionAnswerer, [("a", "b c")], [("c", "2")], TypeError, "no whole number"),
    (QuestionAnswerer, [("a", "b c")], [("c",)], ValueError, "row 0 of y is no answer"),
    (QuestionAnswerer, [("a", "b c")], ["c"], TypeError, "row 0 of y is no list"),
    (TextEmbedder, [None], None, ValueError, "row 0 of X is missing"),
    (TextEmbedder, [], None, ValueError, "X is empty"),
]


@pytest.mark.parametrize(("kind", "X", "y", "error", "says"), WRONG)
def test_bad_input_is_refused(
    kind: Any, X: Any, y: Any, error: type[Exception], says: str, base: Path
) -> None:
    with pytest.raises(error, match=says):
        kind(base).fit(X, y)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"epochs": -1}, "epochs: .*greater than 0"),
        ({"lr": "fast"}, r"learning\.lr"),
        ({"pooling": "sum"}, r"head\.pooling"),
        ({"settings": {"optim": {"lr": 1}}}, "there is no setting optim"),
        ({"settings": {"schedule.warmup": 0.2}}, "warmup stands in the group schedule"),
        ({"class_weights": [1.0]}, "class weights do not fit"),
        ({"max_length": 1000}, "longer than the base can read"),
        ({"patience": 2}, "need examples to measure with"),
        ({"metric": "f2", "validation": 0.5}, "there is no metric"),
        ({"validation": 1.5}, "cannot be divided"),
        ({"validation": 0.01}, "cannot be divided"),
        ({"base": "nowhere"}, "there is no model"),
        ({"long": "error", "max_length": 8}, "longer than the model can read"),
    ],
)
def test_bad_parameters_are_refused_by_fit(base: Path, wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        TextClassifier(**{"base": base, "epochs": 1, **wrong}).fit(
            [f"o gato e a casa e o dia {number}" for number in range(4)], [0, 1, 0, 1]
        )


@pytest.mark.parametrize("settings", ["schedule.warmup=0.2", ["schedule.warmup=0.2"]])
def test_settings_are_groups(base: Path, settings: Any) -> None:
    with pytest.raises(TypeError, match="settings are no dict"):
        TextClassifier(base, settings=settings).fit(TEXTS, LABELS)


def test_rows_are_counted_from_0_in_every_error(base: Path) -> None:
    """Those of texts that are too long, too, which the commands name by their line."""
    estimator = TextClassifier(base, epochs=1, long="error", max_length=8)
    long = [*TEXTS, "o gato e a casa e o dia"]
    with pytest.raises(ValueError, match="row 3 of X: a text is longer"):
        estimator.fit(long, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="row 3 of X: a text is longer"):
        estimator.fit(TEXTS, LABELS).predict(long)


def test_the_advice_for_numbers_fits_what_is_classified(base: Path) -> None:
    for kind, X, advice in (
        (TextClassifier, TEXTS, "use TextRegressor"),
        (PairClassifier, PAIRS[:3], "ambos finetune pair"),
        (Tagger, [[text] for text in TEXTS], None),
    ):
        scores = [0.1, 0.2, 0.5]
        with pytest.raises(ValueError, match="continuous") as caught:
            kind(base).fit(X, [[one] for one in scores] if kind is Tagger else scores)
        assert isinstance(caught.value, AmbosError)
        assert caught.value.fix is None if advice is None else advice in str(caught.value.fix)


LONG_ONES = ["o gato e a casa e o dia"] * 4
PAIRS = [("o gato", "a casa")] * 4


class TestAdvice:
    """What to try is said in parameters: nobody passes options to an estimator."""

    @pytest.mark.parametrize(
        ("kind", "parameters", "X", "y", "fix"),
        [
            (TextClassifier, {"max_length": 1000}, LONG_ONES, [0, 1, 0, 1], "max_length=64"),
            (TextClassifier, {"freeze": 99}, LONG_ONES, [0, 1, 0, 1], 'freeze="all"'),
            (
                TextClassifier,
                {"long": "error", "max_length": 8},
                LONG_ONES,
                [0, 1, 0, 1],
                'shorten it, or let it be read in windows with long="windows"',
            ),
            (PairClassifier, {"long": "windows"}, PAIRS, [0, 1, 0, 1], 'long="cut"'),
            (
                PairClassifier,
                {"scheme": "attention", "settings": {"pair": {"heads": 5}}},
                PAIRS,
                [0, 1, 0, 1],
                'settings={"pair": {"heads": N}}',
            ),
            (TextRegressor, {}, LONG_ONES, [1.0] * 4, "add examples with other scores"),
            (
                QuestionAnswerer,
                {"long": "error", "max_length": 8},
                [("o gato e a casa e o dia?", "o gato")],
                [("gato", 2)],
                'shorten it, or long="cut"',
            ),
            (
                TextEmbedder,
                {"device": "nowhere"},
                LONG_ONES,
                None,
                "leave device out to take the best there is",
            ),
        ],
    )
    def test_of_fit(self, base: Path, kind: Any, parameters: Any, X: Any, y: Any, fix: str) -> None:
        with pytest.raises(ValueError, match=r"\n  fix ") as caught:
            kind(base, **parameters).fit(X, y)
        assert isinstance(caught.value, AmbosError)
        assert caught.value.fix == fix
        assert "--" not in str(caught.value)

    def test_of_predict(self, base: Path) -> None:
        estimator = TextClassifier(base, epochs=1, long="error", max_length=8)
        estimator.fit(["o gato", "a casa"], [0, 1])
        with pytest.raises(ValueError, match='with long="windows"'):
            estimator.predict(LONG_ONES)

    def test_of_a_loss_that_is_no_number(self, base: Path) -> None:
        estimator = TextClassifier(base, epochs=20, batch=8, lr=1e25)
        with pytest.raises(DivergedError, match="the loss became") as caught:
            estimator.fit(*reviews(40))
        assert "a lower learning rate (lr=3e+24)" in str(caught.value.fix)
        assert "--" not in str(caught.value)

    def test_of_save(self, base: Path, tmp_path: Path) -> None:
        (tmp_path / "other").write_text("mine")
        for estimator in (
            TextClassifier(base, epochs=1).fit(["o gato", "a casa"], [0, 1]),
            TextEmbedder(base).fit(TEXTS),
        ):
            with pytest.raises(OutputError, match="already there") as caught:
                estimator.save(tmp_path)
            assert caught.value.fix == "choose another folder, or pass force=True to replace it"
            with pytest.raises(OutputError, match="force=True replaces only what such a command wrote"):
                estimator.save(tmp_path, force=True)

    @pytest.mark.parametrize(
        ("advice", "said"),
        [
            ("", None),
            ("add rows", "add rows"),
            ("early stopping (--patience 2) or fewer epochs (--epochs)", None),
            (
                "a lower rate (--lr 2e-05); --lr, if all else fails",
                "a lower rate (lr=2e-05); lr, if all else fails",
            ),
            ("--set schedule.warmup=0.2", 'settings={"schedule": {"warmup": 0.2}}'),
            ("--set task=tag, or --lr 1", 'settings={"task": "tag"}, or lr=1'),
            ("train one: ambos finetune --train FILE, or --lr 1", "lr=1"),
            ("name them: --text-a COLUMN --text-b COLUMN", None),
        ],
    )
    def test_in_general(self, advice: str, said: str | None) -> None:
        assert in_python(advice, {"lr", "settings", "patience"}) == said
