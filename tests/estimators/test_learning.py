"""Rules are learnt, and what is said of texts, words and passages fits together."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ambos.estimators import QuestionAnswerer, Tagger, TextClassifier, TextRegressor
from tests.estimators.toys import FAST, questions, reviews, sentences


def test_a_classifier_learns_a_rule(classifier: TextClassifier) -> None:
    texts, good = reviews(60, seed=1)
    assert classifier.score(texts, good) > 0.9
    chances = classifier.predict_proba(texts)
    assert chances.shape == (60, 2)
    assert np.allclose(chances.sum(1), 1, atol=1e-6)
    found = classifier.predict(texts)
    assert np.array_equal(found, classifier.classes_[chances.argmax(1)])
    assert found.dtype == good.dtype
    odds = classifier.decision_function(texts)
    assert np.allclose(1 / (1 + np.exp(-odds)), chances[:, 1], atol=1e-6)
    assert len(classifier.history_) == 10 * 25
    assert {record["kind"] for record in classifier.history_} == {"train"}
    assert classifier.ledger_.texts == 200


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (np.array([7, -3]), ("-3", "7")),
        (np.array([True, False]), ("False", "True")),
        (np.array(["sim", "não"]), ("não", "sim")),
        (np.array(["sim", "não"], dtype=object), ("não", "sim")),
        (np.array([10, 9, 100]), ("9", "10", "100")),
    ],
)
def test_classes_keep_their_values_and_types(
    base: Path, tmp_path: Path, values: NDArray[Any], names: tuple[str, ...]
) -> None:
    texts = reviews(12)[0]
    y = values[np.arange(12) % len(values)]
    estimator = TextClassifier(base, epochs=1).fit(texts, y)
    expected = np.unique(values)
    again = TextClassifier.load(estimator.save(tmp_path / "saved"))
    for one in (estimator, again):
        assert one.classes_.dtype == expected.dtype
        assert one.classes_.tolist() == expected.tolist()
        assert one.bundle_.labels == names
        assert set(one.predict(texts).tolist()) <= set(values.tolist())
        assert one.decision_function(texts).shape == ((12,) if len(values) == 2 else (12, 3))


def test_several_labels(base: Path, tmp_path: Path) -> None:
    texts, good = reviews(200)
    y = np.stack([good, ["gato" in text for text in texts]], axis=1).astype(int)
    estimator = TextClassifier(base, epochs=10, **FAST).fit(texts, y)
    assert estimator.score(texts, y) > 0.8
    assert estimator.classes_.tolist() == [0, 1]
    chances = estimator.predict_proba(texts)
    assert np.array_equal(estimator.predict(texts), (chances > 0.5).astype(int))
    assert np.allclose(1 / (1 + np.exp(-estimator.decision_function(texts))), chances, atol=1e-6)
    again = TextClassifier.load(estimator.save(tmp_path / "saved"))
    assert np.array_equal(again.predict_proba(texts), chances)


def test_a_regressor_learns_a_rule(base: Path, tmp_path: Path) -> None:
    texts, good = reviews(200)
    others, better = reviews(60, seed=1)
    for scale in (0.01, 1000.0):
        estimator = TextRegressor(base, epochs=8, pooling="mean", **FAST).fit(texts, scale * good - 10)
        assert estimator.score(others, scale * better - 10) > 0.75
    assert estimator.predict(others).shape == (60,)
    assert not hasattr(estimator, "classes_")
    again = TextRegressor.load(estimator.save(tmp_path / "saved"))
    assert np.array_equal(again.predict(others), estimator.predict(others))


def test_a_tagger_has_a_tag_for_every_word(tagger: Tagger, tmp_path: Path) -> None:
    assert tagger.score(*sentences(40, seed=1)) > 0.9
    assert tagger.classes_.tolist() == ["B-PER", "O"]
    odd = [["Ana"], [], ["", "\u200b", "Rui"], ["x" * 500, "Eva"], ["casa"] * 300, ["日本", "🙂", "a b"]]
    found = tagger.predict(odd)
    assert [len(tags) for tags in found] == [len(words) for words in odd]
    assert {tag for tags in found for tag in tags} <= {"B-PER", "O"}
    again = Tagger.load(tagger.save(tmp_path / "saved"))
    assert again.predict(odd) == found


def test_a_fold_without_entities_is_measured_by_the_metric_of_all_others(tagger: Tagger) -> None:
    """Else accuracy, 1.0, of some folds and F1 of others would go into one mean."""
    words = [["o", "gato"], ["casa"]]
    assert tagger.predict(words) == [["O", "O"], ["O"]]
    assert tagger.score(words, [["O", "O"], ["O"]]) == 0.0  # no entity is there, none is found
    assert tagger.score([*words, ["Ana"]], [["O", "O"], ["O"], ["B-PER"]]) == 1.0


def test_a_tagger_counts_unknown_tags_as_missed(tagger: Tagger) -> None:
    words = [["Ana", "casa"], ["Rui"]]
    assert tagger.predict(words) == [["B-PER", "O"], ["B-PER"]]
    assert tagger.score(words, [["B-PER", "B-LOC"], ["B-PER"]]) == pytest.approx(2 * 2 / (2 + 3))


def test_tags_may_be_numbers(base: Path) -> None:
    words, tags = sentences(60)
    numbers = [[int(tag == "O") for tag in row] for row in tags]
    estimator = Tagger(base, epochs=16, **FAST).fit(words, numbers)
    assert estimator.score(words, numbers) > 0.9
    assert estimator.classes_.tolist() == [0, 1]
    assert all(type(tag) is int for row in estimator.predict(words) for tag in row)


def test_answers_are_pieces_of_passages(answerer: QuestionAnswerer, tmp_path: Path) -> None:
    asked, answers = questions(40, seed=1)
    found = answerer.predict(asked)
    assert answerer.score(asked, answers) > 0.7
    assert None in found
    long = [("quem?", "muito " * 200 + "Ana"), ("", "Ana"), ("quem? " * 100, "o gato"), ("quem?", "")]
    said = [*zip(asked, found, strict=True), *zip(long, answerer.predict(long), strict=True)]
    for (_, passage), one in said:
        assert one is None or passage[one[1] : one[1] + len(one[0])] == one[0] != ""
    again = QuestionAnswerer.load(answerer.save(tmp_path / "saved"))
    assert again.predict(asked) == found


def test_questions_and_passages_are_found_by_the_names_of_columns(
    answerer: QuestionAnswerer, base: Path, tmp_path: Path
) -> None:
    pandas = pytest.importorskip("pandas")
    asked, answers = questions(40, seed=1)
    table = pandas.DataFrame(asked, columns=["pergunta", "contexto"])[["contexto", "pergunta"]]
    assert answerer.predict(table) == answerer.predict(asked)
    assert answerer.score(table, answers) == answerer.score(asked, answers)
    fitted = QuestionAnswerer(base, epochs=1, **FAST).fit(table.assign(n=0), answers)
    assert fitted.feature_names_in_.tolist() == ["pergunta", "contexto"]
    again = QuestionAnswerer.load(fitted.save(tmp_path / "saved"))
    assert again.predict(table) == QuestionAnswerer(base, epochs=1, **FAST).fit(asked, answers).predict(asked)
    with pytest.raises(ValueError, match="not those of fit"):
        again.predict(table.rename(columns={"contexto": "texto"}))
    with pytest.raises(ValueError, match="two texts") as refused:
        answerer.predict(table.rename(columns={"contexto": "texto"}).assign(n=0))
    assert "question and context" in refused.value.expected


def test_without_unanswerable_questions_there_is_always_an_answer(base: Path) -> None:
    asked, answers = questions(24)
    known = [(one, answer) for one, answer in zip(asked, answers, strict=True) if answer is not None]
    estimator = QuestionAnswerer(base, epochs=1).fit(*map(list, zip(*known, strict=True)))
    assert None not in estimator.predict(asked)
