"""Answers: the figures of SQuAD's official script, which newer `transformers` no longer carries.

They were recorded from `squad_evaluate` of transformers 4.57.1, its copy of the script for SQuAD 2.0.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambos.evaluate.answers import Answers, best_threshold, normalise, score

RECORDED = [  # predicted, gold, exact match, F1, how sure that there is no answer
    ("the Eiffel Tower!", ["Eiffel Tower", "tower"], 1, 1.0, 0.02),
    ("Paris, France", ["Paris"], 0, 0.6666666666666666, 0.11),
    ("in 1889", ["1889", "the year 1889"], 0, 0.6666666666666666, 0.35),
    ("a-b", ["ab"], 1, 1.0, 0.07),
    ("Theatre", ["the theatre", "An theatre"], 1, 1.0, 0.21),
    ("the the cat cat", ["cat", "cat cat cat"], 0, 0.8, 0.3),
    ("São Paulo", ["são paulo", "Sao Paulo"], 1, 1.0, 0.13),
    ("o Rio de Janeiro", ["a cidade do Rio de Janeiro", "Rio"], 0, 0.6666666666666665, 0.44),
    ("", ["something"], 0, 0, 0.93),
    ("", [], 1, 1, 0.99),
    ("nothing", [], 0, 0, 0.71),
    ("the", [], 1, 1, 0.87),
    ("something else", [], 0, 0, 0.16),
    ("“the end”", ["the end"], 0, 0, 0.52),
]
PREDICTED, GOLD, EXACT, F1, DOUBT = map(list, zip(*RECORDED, strict=True))
TOTALS = {
    "exact_match": 42.857142857142854,
    "f1": 62.85714285714285,
    "answerable_exact_match": 40.0,
    "answerable_f1": 67.99999999999999,
    "unanswerable_exact_match": 50.0,
    "unanswerable_f1": 50.0,
}
SHARES = st.sampled_from([0.0, 0.25, 0.5, 1.0])
QUESTIONS = st.lists(st.tuples(SHARES, SHARES, st.booleans()), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The  U.S. (a country)", "us country"),
        ("an apple a day, the end", "apple day end"),
        ("Theatre another Athena", "theatre another athena"),
        ("it's 3.5%", "its 35"),
        ("O Rio e a cidade", "o rio e cidade"),  # "a" is an article in Portuguese too, "o" stays
        ("a—b", "—b"),  # a dash is no ASCII punctuation, but a border of words
        ("\tthe\u00a0 ", ""),
    ],
)
def test_normal_form(text, expected):
    assert normalise(text) == expected
    assert normalise(expected) == expected


def test_articles_of_another_language_can_be_given():
    assert normalise("O Rio, a cidade", ("o", "a", "os", "as")) == "rio cidade"
    assert normalise("The a.", ()) == "the a"
    answers = Answers(articles=["o", "a"])
    answers.add([["Rio"]], ["o Rio"])
    assert answers.values()["exact_match"] == 1


@pytest.mark.parametrize(("predicted", "gold", "exact", "f1", "_"), RECORDED)
def test_scores_are_those_of_the_official_script(predicted, gold, exact, f1, _):
    assert score(predicted, gold) == pytest.approx((exact, f1))


def test_totals_are_those_of_the_official_script():
    answers = Answers()
    answers.add(GOLD[:5], PREDICTED[:5])
    answers.add(GOLD[5:], PREDICTED[5:])
    found = answers.metrics()
    assert {name: 100 * one.value for name, one in found.items()} == pytest.approx(TOTALS)
    assert all(one.low < one.value < one.high for one in found.values())


def test_thresholds_are_those_of_the_official_script():
    rows = Answers().rows(GOLD, PREDICTED)
    assert best_threshold(DOUBT, rows[:, 0], rows[:, 2]) == pytest.approx((0.13, 0.50))
    assert best_threshold(DOUBT, rows[:, 1], rows[:, 2]) == pytest.approx((0.44, 0.70))


def test_kinds_are_told_apart_only_where_there_are_both():
    answers = Answers()
    answers.add([["x"]], ["x"])
    assert set(answers.values()) == {"exact_match", "f1"}
    answers.add([[""]], ["x"])  # the empty answer means that there is none
    assert answers.values()["unanswerable_exact_match"] == 0
    assert Answers().values()["f1"] == 0


@given(questions=QUESTIONS)
def test_the_threshold_is_the_best_of_all(questions):
    doubt, answered, answerable = np.array(questions, float).T
    threshold, best = best_threshold(doubt, answered, answerable)

    def applied(limit):
        return np.where(doubt > limit, 1 - answerable, answered).mean()

    assert applied(threshold) == pytest.approx(best)
    tried = {limit: applied(limit) for limit in (-1.0, *doubt)}
    assert best == pytest.approx(max(tried.values()))
    assert all(limit >= threshold - 1e-9 for limit in doubt if tried[limit] > best - 1e-12)


def test_no_question_no_threshold():
    assert best_threshold([], [], []) == (0.0, 0.0)


@given(words=st.lists(st.sampled_from(["rio", "the", "de", "janeiro", "a", "paulo"]), min_size=1))
def test_an_answer_agrees_with_itself_and_not_less_with_more_gold(words):
    text = " ".join(words)
    assert score(text, [text]) == (1.0, 1.0)
    one, more = score("rio de", [text]), score("rio de", [text, "de janeiro"])
    if normalise(text):  # else there is no answer, and one more gold answer changes the question
        assert one[0] <= more[0]
        assert one[1] <= more[1]
