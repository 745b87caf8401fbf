"""Estimators that have learnt something, once for all tests."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ambos.estimators import QuestionAnswerer, Tagger, TextClassifier
from tests.estimators.toys import FAST, questions, reviews, sentences


@pytest.fixture(scope="session")
def base(model_folder: Callable[[str], Path]) -> Path:
    return model_folder("wordpiece")


@pytest.fixture(scope="session")
def classifier(base: Path) -> TextClassifier:
    return TextClassifier(base, epochs=10, **FAST).fit(*reviews(200))


@pytest.fixture(scope="session")
def tagger(base: Path) -> Tagger:
    return Tagger(base, epochs=14, **FAST).fit(*sentences(120))


@pytest.fixture(scope="session")
def answerer(base: Path) -> QuestionAnswerer:
    return QuestionAnswerer(base, epochs=12, **FAST).fit(*questions(120))
