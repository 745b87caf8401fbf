"""Held-out rows choose weights and calibrate them; the same random state gives the same weights."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ambos.estimators import QuestionAnswerer, Tagger, TextClassifier
from ambos.estimators.held_out import hold_out
from tests.estimators.toys import FAST, FINE_TUNED, questions, reviews, sentences


def weights(estimator: Any) -> list[NDArray[np.float32]]:
    return [weight.detach().numpy().copy() for weight in estimator.bundle_.network.parameters()]


def same_weights(one: Any, other: Any) -> bool:
    return all(np.array_equal(*pair) for pair in zip(weights(one), weights(other), strict=True))


@given(
    st.lists(st.integers(0, 4), min_size=2, max_size=200), st.floats(0.05, 0.95), st.integers(0, 2**32 - 1)
)
@settings(deadline=None)
def test_every_stratum_gives_its_share(strata: list[int], share: float, seed: int) -> None:
    if not 0 < round(share * len(strata)) < len(strata):
        with pytest.raises(ValueError, match="divided"):
            hold_out(strata, share, seed)
        return
    found = hold_out(strata, share, seed)
    assert abs(found.sum() - share * len(strata)) <= 0.5 + 1e-9
    for stratum in set(strata):
        mine = found[np.array(strata) == stratum]
        assert abs(mine.sum() - share * len(mine)) < 1 + 1e-9
    assert np.array_equal(found, hold_out(strata, share, seed))


@given(
    st.lists(st.integers(0, 9), min_size=20, max_size=200), st.floats(0.05, 0.5), st.integers(0, 2**32 - 1)
)
@settings(deadline=None)
def test_equal_texts_are_held_out_together(texts: list[int], share: float, seed: int) -> None:
    sizes = np.bincount(texts)
    strata = [text % 2 for text in texts]
    try:
        found = hold_out(strata, share, seed, texts)
    except ValueError:
        assert len(set(texts)) < 2 or min(sizes[sizes > 0]) > share * len(texts) - 1
        return
    for text in set(texts):
        assert len(set(found[np.array(texts) == text])) == 1
    assert 0 < found.sum() <= share * len(texts) + 0.5 + 1e-9


def test_one_text_is_not_all_that_is_held_out() -> None:
    texts = [0] * 90 + list(range(1, 911))
    found = hold_out([0] * 1000, 0.1, 0, texts)
    assert found.sum() == 100
    assert not found[:90].any()


def test_what_is_held_out_is_not_learnt_from(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three copies of every text: each is on one side, whatever its spaces."""
    seen = []

    def spy(strata: Any, share: float, seed: int, texts: Any) -> NDArray[np.bool_]:
        seen.append(hold_out(strata, share, seed, texts))
        return seen[-1]

    monkeypatch.setattr("ambos.estimators.finetuned.hold_out", spy)
    texts, good = reviews(40)
    TextClassifier(base, epochs=0.5, validation=0.25, **FAST).fit([*texts, *texts, *texts], [*good] * 3)
    (kept,) = seen
    held, learnt = (
        {text for text, back in zip(texts * 3, kept, strict=True) if back == side} for side in (1, 0)
    )
    assert held
    assert not held & learnt


def test_a_held_out_share_chooses_weights_and_calibrates(base: Path, tmp_path: Path) -> None:
    texts, good = reviews(120)
    noisy = np.where(np.arange(120) % 5 == 0, 1 - good, good)  # nobody can be right always
    estimator = TextClassifier(base, epochs=4, validation=0.25, **FAST).fit(texts, noisy)
    measured = [record for record in estimator.history_ if record["kind"] == "dev"]
    assert len(measured) == 4
    assert estimator.ledger_.texts == 90
    temperature = estimator.bundle_.learnt["temperature"]
    assert temperature != 1
    chances, odds = estimator.predict_proba(texts), estimator.decision_function(texts)
    assert np.allclose(1 / (1 + np.exp(-odds)), chances[:, 1], atol=1e-6)
    assert np.allclose(chances.sum(1), 1, atol=1e-6)
    again = TextClassifier.load(estimator.save(tmp_path / "saved"))
    assert again.bundle_.learnt["temperature"] == temperature
    assert np.array_equal(again.predict_proba(texts), chances)


@pytest.mark.parametrize("validation", [0.0, 0.5])
def test_the_ledger_names_rows_of_what_was_handed_in(base: Path, validation: float) -> None:
    """Whichever of them were kept back."""
    texts, good = reviews(40)
    long = {5, 17, 23, 33}
    for number in long:
        texts[number] = f"{texts[number]} {'muito ' * 30}{number}"
    estimator = TextClassifier(base, epochs=0.1, max_length=24, validation=validation, **FAST)
    ledger = estimator.fit(texts, good).ledger_
    assert len(ledger.named) == ledger.long_texts > 1
    assert set(ledger.named) <= long


def test_it_stops_when_it_gets_no_better(base: Path) -> None:
    estimator = TextClassifier(base, epochs=40, validation=0.3, patience=2, metric="macro_f1", **FAST)
    estimator.fit(*reviews(80))
    measured = [record for record in estimator.history_ if record["kind"] == "dev"]
    assert len(measured) < 40
    assert [record["best"] for record in measured[-2:]] == [False, False]


def test_a_class_may_be_missing_among_the_rows_to_learn_from(base: Path) -> None:
    texts, _ = reviews(9)
    y = ["a"] * 4 + ["b"] * 4 + ["c"]
    found = [
        TextClassifier(base, epochs=1, validation=0.4, class_weights="balanced", random_state=seed).fit(
            texts, y
        )
        for seed in range(4)
    ]
    assert all(one.bundle_.labels == ("a", "b", "c") for one in found)


def test_it_tells_how_it_goes(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    TextClassifier(base, epochs=2, verbose=True, validation=0.5).fit(*reviews(20))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert re.match(r"step 1: loss \d\.\d{4}, accuracy \d\.\d{4}$", lines[0])


@pytest.mark.parametrize("kind", FINE_TUNED)
def test_the_same_random_state_gives_the_same_weights(base: Path, kind: Any) -> None:
    if kind is Tagger:
        X, y = sentences(16)
    elif kind is QuestionAnswerer:
        X, y = questions(16)
    else:
        X, y = reviews(16)
    fast = {"epochs": 1, "batch": 8, "dropout": 0.1}
    one, other, third = (kind(base, random_state=seed, **fast).fit(X, y) for seed in (3, 3, 4))
    assert same_weights(one, other)
    assert not same_weights(one, third)


def test_random_states_are_those_of_scikit_learn(base: Path) -> None:
    X, y = reviews(8)
    one, other = (
        TextClassifier(base, epochs=1, random_state=np.random.RandomState(5)).fit(X, y) for _ in range(2)
    )
    assert same_weights(one, other)
    one, other = (TextClassifier(base, epochs=1, random_state=None).fit(X, y) for _ in range(2))
    assert not same_weights(one, other)
