"""Estimators have scikit-learn's manners: parameters, pipelines, searches, pickles, tags."""

import pickle
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags

from ambos.estimators import QuestionAnswerer, Tagger, TextClassifier, TextEmbedder
from ambos.runs.finetune_settings import FinetuneRecipe
from tests.estimators.toys import ALL, FAST, FINE_TUNED, questions, reviews, sentences


@pytest.mark.parametrize("kind", ALL)
def test_parameters_are_stored_and_cloned(kind: Any) -> None:
    estimator = kind("somewhere", max_length=77)
    copy = clone(estimator)
    assert copy is not estimator
    assert copy.get_params() == estimator.get_params()
    assert copy.set_params(max_length=12) is copy
    assert copy.max_length == 12
    assert pickle.loads(pickle.dumps(estimator)).get_params() == estimator.get_params()
    assert "max_length=77" in repr(estimator)
    with pytest.raises(ValueError, match="Invalid parameter"):
        copy.set_params(learning_rate=1)


@pytest.mark.parametrize("kind", FINE_TUNED)
def test_defaults_are_those_of_the_command(kind: Any) -> None:
    recipe = FinetuneRecipe(task=kind._task)
    default = kind()
    assert default._recipe(0, several=False) == recipe
    assert default.random_state == recipe.seed
    stated = {name: value for name, value in default.get_params().items() if value is not None}
    groups = (recipe, recipe.head, recipe.learning, recipe.selection)
    for name in stated.keys() - {"base", "validation", "verbose", "random_state"}:
        (group,) = (group for group in groups if name in type(group).model_fields)
        assert getattr(group, name) == stated[name], name


def test_parameters_reach_the_recipe() -> None:
    wanted = {
        "epochs": np.float64(2.5),
        "lr": 1e-4,
        "batch": np.int64(4),
        "pooling": "mean",
        "hidden": True,
        "freeze": "all",
        "class_weights": np.array([1.0, 2.0]),
        "smoothing": 0.1,
        "validation": 0.1,
        "patience": 3,
        "metric": "mcc",
        "long": "windows",
        "max_length": 20,
        "settings": {"schedule": {"warmup": 0.3}},
    }
    recipe = TextClassifier(**wanted)._recipe(5, several=True)
    assert (recipe.epochs, recipe.batch, recipe.seed, recipe.several) == (2.5, 4, 5, True)
    assert (recipe.head.pooling, recipe.head.hidden) == ("mean", True)
    learning = recipe.learning
    assert (learning.lr, learning.freeze, learning.class_weights) == (1e-4, "all", [1.0, 2.0])
    assert learning.smoothing == 0.1
    assert (recipe.selection.patience, recipe.selection.metric) == (3, "mcc")
    assert (recipe.long, recipe.max_length, recipe.schedule.warmup) == ("windows", 20, 0.3)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"seeds": 5}, "seeds"),
        ({"folds": 5}, "folds"),
        ({"search": {"trials": 20}}, "search"),
        ({"data": {"skip_bad": True}}, "data"),
        ({"data": {"dev": ["dev.csv"]}, "folds": 3}, "folds, data"),
        ({"checks": {"rows": 0}, "saving": {"steps": 5}}, "saving, checks"),
        ({"base": "minilm"}, "base"),
        ({"task": "score"}, "task"),
        ({"seed": 3, "several": True}, "seed, several"),
    ],
)
def test_settings_that_fit_makes_nothing_of_are_refused(settings: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match="TextClassifier makes nothing of some settings") as error:
        TextClassifier("nowhere", settings=settings).fit(["a", "b"], [0, 1])
    assert f"settings: {named}\n" in str(error.value)
    default = {"seeds": 0, "data": {}, "search": {"trials": 0}}
    assert TextClassifier(settings=default)._recipe(0, several=False).method is None


def test_pipelines_searches_and_cross_validation(base: Path) -> None:
    texts, good = reviews(60)
    y = np.array(["mau", "bom"])[good]
    shorter = FunctionTransformer(lambda texts: [text[-12:] for text in texts])
    pipeline = Pipeline([("shorter", shorter), ("model", TextClassifier(base, epochs=8, **FAST))])
    search = GridSearchCV(pipeline, {"model__lr": [1e-6, 3e-3]}, cv=2).fit(texts, y)
    assert search.best_params_ == {"model__lr": 3e-3}
    assert set(search.predict(texts)) <= {"mau", "bom"}
    assert cross_val_score(TextClassifier(base, epochs=1), np.array(texts), y, cv=2).shape == (2,)
    words, tags = sentences(20)
    assert cross_val_score(Tagger(base, epochs=1), words, tags, cv=2).shape == (2,)
    asked, answers = questions(20)
    assert cross_val_score(QuestionAnswerer(base, epochs=1), asked, answers, cv=2).shape == (2,)
    found = cross_val_predict(TextClassifier(base, epochs=1), texts, y, cv=2, method="predict_proba")
    assert found.shape == (60, 2)


def test_a_fitted_estimator_crosses_process_borders(classifier: TextClassifier) -> None:
    texts, _ = reviews(20, seed=2)
    again = pickle.loads(pickle.dumps(classifier))
    assert np.array_equal(again.predict_proba(texts), classifier.predict_proba(texts))
    assert clone(classifier).get_params() == classifier.get_params()


@pytest.mark.parametrize("kind", ALL)
def test_nothing_is_predicted_before_fitting(kind: Any) -> None:
    verb = "transform" if kind is TextEmbedder else "predict"
    with pytest.raises(NotFittedError):
        getattr(kind(), verb)(["o gato"])
    with pytest.raises(NotFittedError):
        kind().save("nowhere")


@pytest.mark.parametrize("kind", ALL)
def test_tags_say_that_texts_come_in(kind: Any) -> None:
    tags = get_tags(kind())
    assert tags.input_tags.string
    assert not tags.input_tags.two_d_array
    assert tags.target_tags.required == (kind is not TextEmbedder)
    assert next(iter(signature(kind).parameters)) == "base"
