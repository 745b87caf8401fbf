"""Answers in words: SQuAD's exact match and token F1, and when it is better not to answer."""

import re
import string
from collections import Counter
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from ambos.evaluate.bootstrap import Floats, Tally
from ambos.evaluate.evaluation import Evaluation
from ambos.evaluate.ratios import divide
from ambos.evaluate.sparse_rows import Rows

ENGLISH = ("a", "an", "the")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalise(text: str, articles: tuple[str, ...] = ENGLISH) -> str:
    """Return what of an answer is compared: lower case, no ASCII punctuation, no articles, single spaces.

    This is the rule of the official scripts of SQuAD 1.1 and 2.0. Published figures for other languages are
    mostly computed with it too, unchanged: of the Portuguese articles it drops "a" alone. Give `articles` for
    a rule of your own, and do not set its figures beside others'.

    >>> normalise("The  U.S. (a country)"), normalise("O Rio, a cidade")
    ('us country', 'o rio cidade')
    """
    text = text.lower().translate(_NO_PUNCTUATION)
    return " ".join((_pattern(articles).sub(" ", text) if articles else text).split())


def score(predicted: str, gold: Sequence[str], articles: tuple[str, ...] = ENGLISH) -> tuple[float, float]:
    """Return exact match and token F1 with the gold answer that is nearest, for each of the two.

    No answer is the empty text; `gold` without an answer, or with empty ones only, means that there is none.
    F1 is 2 shared words / (words of one + words of the other), words counted as often as they occur.

    >>> score("in the city of Rome", ["Rome", "the city"])
    (0.0, 0.4)
    """
    answers = [answer for answer in (normalise(text, articles) for text in gold) if answer] or [""]
    said = normalise(predicted, articles)
    return float(said in answers), max(_token_f1(said.split(), answer.split()) for answer in answers)


def best_threshold(no_answer: ArrayLike, answered: ArrayLike, answerable: ArrayLike) -> tuple[float, float]:
    """Return the threshold that gives the best mean score, and that score.

    With threshold t, a question whose `no_answer` is above t gets the empty answer, right where there is
    none. All t that differ in effect are tried, the lowest of equally good ones wins. As in the official
    script of SQuAD 2.0, but for equal `no_answer`, which no threshold can tell apart.

    Parameters
    ----------
    no_answer
        (n,) how sure the model is that there is no answer, on any scale.
    answered
        (n,) score of the answer given, exact match or F1: a column of `Answers.rows`.
    answerable
        (n,) 1 where there is an answer: the last of these columns.

    Examples
    --------
    >>> best_threshold([0.1, 0.9, 0.6], [1.0, 0.0, 0.5], [1, 0, 1])
    (0.6, 0.8333333333333334)
    """
    doubt = np.asarray(no_answer, np.float64)
    silent = 1 - np.asarray(answerable, np.float64)
    if not len(doubt):
        return 0.0, 0.0
    thresholds, place = np.unique(doubt, return_inverse=True)
    gains = np.bincount(place, np.asarray(answered, np.float64) - silent)
    totals = silent.sum() + np.append(0.0, gains.cumsum())
    best = int(totals.argmax())
    chosen = thresholds[best - 1] if best else np.nextafter(thresholds[0], -np.inf)  # below all: answer none
    return float(chosen), float(totals[best] / len(doubt))


class Answers(Evaluation):
    """Answers to questions. A row is exact match, F1, and 1 if there is an answer.

    Where some questions have an answer and others not, the metrics are given for either kind too.

    Parameters
    ----------
    articles
        As in `normalise`.

    Examples
    --------
    >>> answers = Answers()
    >>> answers.add([["blue house"], ["in Rome", "Ostia"]], ["the blue house", "Rome"])  # gold, predicted
    >>> answers.metrics()["exact_match"]
    Estimate(value=0.5, low=0.0, high=1.0)
    """

    def __init__(self, articles: Sequence[str] = ENGLISH) -> None:
        super().__init__(Tally(3))
        self.articles = tuple(articles)

    def rows(self, gold: Sequence[Sequence[str]], predicted: Sequence[str]) -> Floats:
        """Return n questions as rows (n, 3), from the gold answers and the answer given to each."""
        found = [
            (*score(said, answers, self.articles), any(map(str.strip, answers)))
            for said, answers in zip(predicted, gold, strict=True)
        ]
        return np.array(found, np.float64).reshape(-1, 3)

    def add(self, gold: Sequence[Sequence[str]], predicted: Sequence[str]) -> None:
        """Take in n questions."""
        self.take(gold, predicted)

    def measure(self, rows: Rows, times: Floats) -> dict[str, Floats]:
        """Return mean exact match and F1, of all questions and, if there are both, of either kind."""
        numbers = rows.astype(np.float64)
        answerable = numbers[:, 2] == 1
        groups = {"": np.ones_like(answerable)}
        if answerable.any() and not answerable.all():
            groups |= {"answerable_": answerable, "unanswerable_": ~answerable}
        found = {}
        for kind, chosen in groups.items():
            part = times[:, chosen]
            for place, name in enumerate(("exact_match", "f1")):
                found[kind + name] = divide(part @ numbers[chosen, place], part.sum(1))
        return found


@cache
def _pattern(articles: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, articles))})\b")


def _token_f1(said: list[str], answer: list[str]) -> float:
    if not said or not answer:
        return float(said == answer)
    return 2 * (Counter(said) & Counter(answer)).total() / (len(said) + len(answer))
