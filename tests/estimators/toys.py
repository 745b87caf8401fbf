"""Small things to learn, that follow a rule."""

import numpy as np
from numpy.typing import NDArray

from ambos.estimators import QuestionAnswerer, Tagger, TextClassifier, TextEmbedder, TextRegressor

ALL = (TextClassifier, TextRegressor, Tagger, QuestionAnswerer, TextEmbedder)
FINE_TUNED = ALL[:4]
GOOD, BAD = ("bom", "ótimo", "lindo", "feliz"), ("mau", "triste", "feio", "ruim")
FILLER = ("o", "gato", "casa", "dia", "muito")
NAMES = ("Ana", "Rui", "Eva", "Davi")
FAST = {"batch": 8, "lr": 4e-3, "dropout": 0.0}


def reviews(count: int, seed: int = 0) -> tuple[list[str], NDArray[np.int64]]:
    """Texts, and whether they are good, which follows from one word."""
    chance = np.random.default_rng(seed)
    good = chance.integers(2, size=count)
    texts = [
        f"{' '.join(chance.choice(FILLER, chance.integers(1, 9)))} {chance.choice((BAD, GOOD)[one])}."
        for one in good
    ]
    return texts, good


def sentences(count: int, seed: int = 0) -> tuple[list[list[str]], list[list[str]]]:
    """Words, and their tags: names are persons."""
    chance = np.random.default_rng(seed)
    words = [
        [str(word) for word in chance.choice((*FILLER, *NAMES), chance.integers(1, 9))] for _ in range(count)
    ]
    return words, [["B-PER" if word in NAMES else "O" for word in row] for row in words]


def questions(count: int, seed: int = 0) -> tuple[list[tuple[str, str]], list[tuple[str, int] | None]]:
    """Who is named in a passage? Nobody, in some."""
    chance = np.random.default_rng(seed)
    asked, answers = [], []
    for number in range(count):
        words = [str(word) for word in chance.choice(FILLER, 7)]
        name = str(chance.choice(NAMES)) if number % 4 else None
        if name is not None:
            words[chance.integers(7)] = name
        passage = " ".join(words)
        asked.append(("quem?", passage))
        answers.append(None if name is None else (name, passage.index(name)))
    return asked, answers
