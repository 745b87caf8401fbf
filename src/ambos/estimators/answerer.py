"""`QuestionAnswerer`: questions and passages to the places that answer."""

# ruff: noqa: N803 (X is scikit-learn's name)

from collections.abc import Sequence

from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted  # type: ignore[import-untyped]

from ambos.data.rows import QuestionRow
from ambos.estimators.columns import OfTwoColumns
from ambos.estimators.finetuned import Given
from ambos.estimators.inputs import PLACE, questions_of
from ambos.estimators.targets import answers_of
from ambos.evaluate.answers import Answers


class QuestionAnswerer(OfTwoColumns):
    """Find the place in a passage that answers a question.

    X is a list of pairs (question, passage), an array (n, 2) of them, or a DataFrame, whose columns are taken
    by their names, if these are known (`question` and `context`), else two in their order. y is a list of
    pairs (answer, start), where `passage[start : start + len(answer)] == answer`, or None where the passage
    does not say. Predictions look like y. Without a None to learn from there is always an answer.

    Parameters
    ----------
    base, epochs, minutes, lr, batch, max_length, long, hidden, freeze, layer_decay, head_lr, weight_decay, \
    dropout, validation, metric, patience, precision, random_state, verbose, settings
        As `FineTuned` has them. When it predicts, long passages are read in windows: nothing is left out. On
        the `validation` share it is also found how sure to be before there is no answer.

    Attributes
    ----------
    bundle_, history_, ledger_
        As `FineTuned` has them.
    feature_names_in_
        The columns of questions and passages, where X had names of columns.

    Examples
    --------
    >>> questions = [("Who came?", "Ana came late."), ("Who left?", "At noon Rui left.")]
    >>> answers = [("Ana", 0), ("Rui", 8)]
    >>> answerer = QuestionAnswerer("minilm", epochs=20).fit(questions, answers)  # doctest: +SKIP
    >>> answerer.predict([("Who slept?", "In the garden Eva slept.")])  # doctest: +SKIP
    [('Eva', 14)]
    """

    _task = "answer"
    _roles = ("question", "passage")

    def _given(self, X: ArrayLike, y: ArrayLike) -> Given:
        questions = questions_of(X)
        answers = answers_of(y, questions)
        return Given(_rows(questions, answers), [len(one) for one in answers])

    def predict(self, X: ArrayLike) -> list[tuple[str, int] | None]:
        """Return (answer, start) for each pair, a piece of the passage and its place; None for no answer."""
        check_is_fitted(self)
        found = [one.best for one in self._predictions(_rows(questions_of(self._by_name(X))))]
        return [(best.text, best.start) if best.text else None for best in found]

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return the mean F1 of the words of answers, as SQuAD measures it."""
        check_is_fitted(self)
        questions = questions_of(self._by_name(X))
        gold = [[text for text, _ in one] for one in answers_of(y, questions)]
        answers = Answers()
        answers.add(gold, [one.best.text for one in self._predictions(_rows(questions))])
        return answers.values()["f1"]


def _rows(
    questions: Sequence[tuple[str, str]], answers: Sequence[tuple[tuple[str, int], ...]] | None = None
) -> list[QuestionRow]:
    return [
        QuestionRow(str(number), *pair, () if answers is None else answers[number], PLACE, number + 1)
        for number, pair in enumerate(questions)
    ]
