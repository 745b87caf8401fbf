"""Long texts: nothing beyond the limit, special tokens kept, windows cover everything, the ledger adds up."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambos.data.windows import LONG, Ledger, fit, fit_question, spans_of
from ambos.errors import InputError


@st.composite
def texts(draw: st.DrawFn) -> tuple[list[int], int, tuple[int, int]]:
    """Ids with special tokens around (below 0, to tell them), a limit, and how many stand around."""
    around = draw(st.tuples(st.integers(0, 3), st.integers(0, 3)))
    body = list(range(draw(st.integers(0, 60))))
    limit = draw(st.integers(sum(around) + 1, 40))
    before = [-1 - place for place in range(around[0])]
    after = [-101 - place for place in range(around[1])]
    return [*before, *body, *after], limit, around


@given(texts(), st.sampled_from(LONG))
def test_properties(text: tuple[list[int], int, tuple[int, int]], how: str) -> None:
    ids, limit, around = text
    ledger = Ledger()
    if len(ids) > limit and how == "error":
        with pytest.raises(InputError, match="longer than the model can read"):
            fit(ids, limit, around, how, ledger)
        return
    parts = fit(ids, limit, around, how, ledger)
    assert (ledger.texts, ledger.tokens) == (1, len(ids))
    if len(ids) <= limit:
        assert parts == [ids]
        assert ledger == Ledger(texts=1, tokens=len(ids))
        assert ledger.summary(limit) is None
        return
    assert ledger.long_texts == 1
    before, after = ids[: around[0]], ids[len(ids) - around[1] :]
    bodies = []
    for part in parts:
        assert len(part) <= limit
        assert part[: around[0]] == before
        assert part[len(part) - around[1] :] == after
        bodies.append(part[around[0] : len(part) - around[1]])
        assert bodies[-1]
        assert min(bodies[-1]) >= 0
    body = ids[around[0] : len(ids) - around[1]]
    if how == "windows":
        assert ledger.windows == len(parts) > 1
        assert ledger.cut_tokens == 0
        covered = [token for one in bodies for token in one]
        assert set(covered) == set(body)
        for one in bodies:  # each an unbroken stretch of the text
            assert one == list(range(one[0], one[0] + len(one)))
        for one, other in pairwise(bodies):
            assert one[0] < other[0] <= one[-1] + 1  # in order, without a gap
            assert other[-1] > one[-1]  # and none for nothing
        return
    assert len(parts) == 1
    assert len(parts[0]) == limit
    assert ledger.cut_tokens == len(ids) - limit
    kept = limit - sum(around)
    if how == "cut":
        assert bodies[0] == body[:kept]
    else:
        assert bodies[0] == body[: kept - kept // 2] + body[len(body) - kept // 2 :]


def test_windows_overlap_by_a_quarter() -> None:
    ids = [-1, *range(20), -2]
    parts = fit(ids, 10, (1, 1), "windows", Ledger())
    assert [part[1:-1] for part in parts] == [
        list(range(8)),
        list(range(6, 14)),
        list(range(12, 20)),
    ]


def test_the_ledger_says_what_was_cut() -> None:
    ledger = Ledger()
    for length in (4, 9, 12):
        fit(range(length), 8, (1, 1), "cut", ledger)
    assert ledger == Ledger(texts=3, tokens=25, long_texts=2, cut_tokens=5, named=[1, 2])
    said = "2 of 3 texts were longer than 8 tokens: 5 of 25 tokens were left out"
    assert ledger.summary(8) == said
    ledger = Ledger()
    fit(range(30), 8, (1, 1), "windows", ledger)
    assert ledger.summary(8) == "1 of 1 texts were longer than 8 tokens and were read in 6 windows"


@pytest.mark.parametrize("how", LONG)
def test_no_room_between_the_special_tokens(how: str) -> None:
    with pytest.raises(InputError, match="longer than the model can read") as caught:
        fit(range(5), 2, (1, 1), how, Ledger())
    assert caught.value.expected == "at most 2 tokens"
    assert caught.value.fix


@given(st.integers(0, 60), st.integers(0, 90), st.integers(8, 40), st.sampled_from(LONG))
def test_what_a_question_loses_is_counted_with_its_passage(
    asked: int, count: int, limit: int, how: str
) -> None:
    ledger = Ledger(texts=4)
    if how == "error" and asked > limit // 2:
        with pytest.raises(InputError, match="a question is longer"):
            fit_question(asked, limit, how, ledger)
        assert ledger.texts == 5
        return
    kept = fit_question(asked, limit, how, ledger)
    lost = asked - kept
    assert (kept, lost > 0) == (min(asked, limit // 2), asked > limit // 2)
    room = limit - kept
    if how == "error" and count > room:
        return
    spans = spans_of(count, room, how, ledger, special=kept, cut=lost)
    inside = {token for span in spans for first, stop in span.ranges for token in range(first, stop)}
    is_long = lost > 0 or count > room
    assert (ledger.texts, ledger.tokens) == (5, asked + count)
    assert ledger.cut_tokens == lost + count - len(inside)
    assert (ledger.long_texts, ledger.cut_questions) == (int(is_long), int(lost > 0))
    assert ledger.named == [4] * is_long
    summary = ledger.summary(limit) or ""
    assert bool(summary) == is_long
    assert ("questions" in summary) == (lost > 0)
    assert (f"{ledger.cut_tokens} of {ledger.tokens} tokens were left out" in summary) == (
        ledger.cut_tokens > 0
    )
