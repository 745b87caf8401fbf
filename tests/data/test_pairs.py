"""Pairs of segments: where A and B lie, how often they belong together, how they are shortened."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from ambos.data import parts
from ambos.data.draws import Draws
from ambos.data.parts import Part, divide, whole
from ambos.data.plan import Rows, make_plan
from ambos.data.plan_pairs import PairSettings, plan_pairs
from tests.data.stores import DOCUMENTS, Documents, Where, random_documents, temporary_store

ANY_TIME = settings(deadline=None)
UNLIKELY = 1e-4
RELATIONS = ("next", "order", "none")
ROOM = 60
MANY = random_documents(3, 6000, 40, 20, languages=2)
WHERE = Where.of(MANY)


def pairs(part: Part, room: int, relation: str, *, short: float = 0.1, epoch: int = 0) -> Rows:
    draws = Draws.of(0, "plan", epoch)
    how = PairSettings(room, relation, short)
    plan = make_plan(part, lambda chunk: plan_pairs(chunk, part, how, draws))
    rows = plan.take(np.arange(plan.count))
    return rows[np.argsort(rows["begin"])]


def sizes(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    return rows["stop"] - rows["begin"], rows["second_stop"] - rows["second"]


@pytest.fixture(scope="module")
def store():
    return temporary_store(MANY)


@pytest.fixture(scope="module", params=RELATIONS)
def relation(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def made(store, relation: str) -> Rows:
    return pairs(whole(store, measuring=False), ROOM, relation)


def check(rows: Rows, where: Where, room: int, relation: str, used: np.ndarray | None = None) -> None:
    """Hold rows against all that is promised of them."""
    a, b = sizes(rows)
    assert (a >= 1).all()
    assert (b >= 1).all()
    assert (a + b <= room).all()
    for begin, stop in (("begin", "stop"), ("second", "second_stop")):
        document = where.document[rows[begin]]
        assert (document == where.document[rows[stop] - 1]).all()
        if used is not None:
            assert used[document].all()
    assert (where.document[rows["begin"]] == rows["document"]).all()
    same = where.document[rows["begin"]] == where.document[rows["second"]]
    as_they_are = a + b < room  # what was shortened fills the room
    borders = where.borders()
    for name in ("begin", "stop", "second", "second_stop"):
        assert np.isin(rows[name][as_they_are], borders).all()
    following, swapped = rows["second"] >= rows["stop"], rows["second_stop"] <= rows["begin"]
    directly, directly_swapped = rows["second"] == rows["stop"], rows["second_stop"] == rows["begin"]
    if relation == "none":
        assert (rows["relation"] == -1).all()
        assert (same & following).all()
        assert directly[as_they_are].all()
        return
    assert set(rows["relation"].tolist()) <= {0, 1}
    right, wrong = rows["relation"] == 0, rows["relation"] == 1
    assert (same & following)[right].all()
    assert directly[right & as_they_are].all()
    if relation == "next":
        assert not same[wrong].any()
    else:
        assert (same & swapped)[wrong].all()
        assert directly_swapped[wrong & as_they_are].all()


def test_pairs_are_what_they_claim(made: Rows, relation: str) -> None:
    assert len(made) > 20_000
    check(made, WHERE, ROOM, relation)


@pytest.mark.parametrize("relation", RELATIONS, scope="function")
@given(
    documents=DOCUMENTS,
    room=st.integers(2, 40),
    short=st.sampled_from([0.0, 0.1, 1.0]),
    kept=st.sets(st.integers(0, 14)),
    measuring=st.booleans(),
    epoch=st.integers(0, 5),
    size=st.integers(1, 30),
)
@ANY_TIME
def test_pairs_of_any_small_corpus_are_what_they_claim(
    relation: str,
    documents: Documents,
    room: int,
    short: float,
    kept: set[int],
    measuring: bool,
    epoch: int,
    size: int,
) -> None:
    """Also across chunks, and in parts of a corpus, with sentences longer than the room."""
    store = temporary_store(documents)
    is_kept = np.isin(np.arange(len(documents)), sorted(kept))
    part = Part(store, np.flatnonzero(is_kept), len(store.sentence_starts) - 1, measuring)
    used = is_kept if measuring else ~is_kept
    assume(relation != "next" or used.sum() > 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "_CHUNK", size)
        rows = pairs(part, room, relation, short=short, epoch=epoch)
    check(rows, Where.of(documents), room, relation, used)


def test_the_two_parts_never_meet(store, relation: str) -> None:
    train, held = divide(store)
    for part, other in ((train, held), (held, train)):
        rows = pairs(part, ROOM, relation)
        assert len(rows) > 100
        mine = part.document(np.arange(part.count))
        theirs = other.document(np.arange(other.count))
        read = np.concatenate([WHERE.document[rows["begin"]], WHERE.document[rows["second"]]])
        assert np.isin(read, mine).all()
        assert not np.isin(read, theirs).any()


@pytest.mark.parametrize("relation", ["next", "order"], scope="function")
def test_the_two_parts_of_few_documents_never_meet(relation: str) -> None:
    """The end of the corpus is kept back, which cuts a document."""
    documents = random_documents(5, 6, 400, 12)
    store = temporary_store(documents)
    train, held = divide(store)
    border = int(store.sentence_starts[train.tail])
    rows = pairs(train, 40, relation)
    assert len(rows) > 50
    assert max(rows["stop"].max(), rows["second_stop"].max()) <= border
    if relation == "order":
        rows = pairs(held, 40, relation)
        assert min(rows["begin"].min(), rows["second"].min()) >= border


@pytest.mark.parametrize("relation", ["next", "order"], scope="function")
def test_half_of_the_pairs_do_not_belong_together(relation: str, store) -> None:
    rows = pairs(whole(store, measuring=False), ROOM, relation)
    counts = np.bincount(rows["relation"], minlength=2)
    assert counts.sum() > 20_000
    assert stats.chisquare(counts).pvalue > UNLIKELY
    # Neither the pair before nor the language tells which.
    before = [np.bincount(rows["relation"][1:][rows["relation"][:-1] == one], minlength=2) for one in (0, 1)]
    assert stats.chi2_contingency(before).pvalue > UNLIKELY
    language = WHERE.language[rows["begin"]]
    spoken = [np.bincount(rows["relation"][language == one], minlength=2) for one in (0, 1)]
    assert stats.chi2_contingency(spoken).pvalue > UNLIKELY


def test_pairs_differ_from_epoch_to_epoch(store, relation: str) -> None:
    part = whole(store, measuring=False)
    one, again, other = (pairs(part, ROOM, relation, epoch=epoch) for epoch in (0, 0, 1))
    assert one.tolist() == again.tolist()
    common = set(one.tolist()) & set(other.tolist())
    assert len(common) < 0.2 * len(one)


def test_every_sentence_but_a_last_one_alone_is_read(store) -> None:
    """When B is the rest of what was gathered, pairs follow each other without a gap."""
    rows = pairs(whole(store, measuring=False), 10_000, "none", short=0.0)
    tokens = np.bincount(WHERE.document)
    long = [number for number, (_, found) in enumerate(MANY) if len(found) > 1]
    assert rows["document"].tolist() == long
    assert (sum(sizes(rows)) == tokens[long]).all()
    rows = pairs(whole(store, measuring=False), ROOM, "none")
    shortened = sum(sizes(rows)) == ROOM
    begins = rows["begin"][1:]
    next_to = (rows["document"][1:] == rows["document"][:-1]) & ~shortened[:-1] & ~shortened[1:]
    assert (begins == rows["second_stop"][:-1])[next_to].all()
    assert set(rows["document"].tolist()) == set(long)


def test_no_last_sentence_is_left_alone() -> None:
    """Of seven sentences of a token and room for three, the last pair has four, and loses any of its ends."""
    part = whole(temporary_store([(0, [1] * 7)]), measuring=False)
    read = set()
    for epoch in range(200):
        rows = pairs(part, 3, "none", short=0.0, epoch=epoch)
        assert len(rows) == 2
        read |= {*rows["begin"].tolist(), *rows["second"].tolist(), *(rows["second_stop"] - 1).tolist()}
    assert read == set(range(7))


def test_the_rest_is_used_by_the_next_pair_if_b_is_from_elsewhere(store) -> None:
    rows = pairs(whole(store, measuring=False), ROOM, "next")
    whole_a = sum(sizes(rows)) < ROOM
    next_to = (rows["document"][1:] == rows["document"][:-1]) & whole_a[:-1] & whole_a[1:]
    other = rows["relation"][:-1] == 1
    assert (next_to & other).sum() > 1000
    assert (rows["begin"][1:] == rows["stop"][:-1])[next_to & other].all()
    assert (rows["begin"][1:] == rows["second_stop"][:-1])[next_to & ~other].all()


@pytest.fixture(scope="module")
def letters():
    """Documents of 3,000 sentences of one token each: lengths are what was aimed at."""
    return whole(temporary_store([(0, [1] * 3000)] * 120), measuring=False)


def test_a_tenth_of_the_pairs_is_short(letters: Part) -> None:
    rows = pairs(letters, 50, "none")
    total = sum(sizes(rows))
    inner = rows["second_stop"] % 3000 != 0  # the last of a document is what is left
    total = total[inner]
    expected = np.full(49, 0.1 / 49)  # short ones aim at 2 to 50 tokens
    expected[-1] += 0.9
    counts = np.bincount(total - 2, minlength=49)
    assert len(total) > 7000
    assert stats.binomtest(int((total < 50).sum()), len(total), 0.1 * 48 / 49).pvalue > UNLIKELY
    assert stats.chisquare(counts, expected * len(total)).pvalue > UNLIKELY
    full = pairs(letters, 50, "none", short=0.0)
    assert (sum(sizes(full)) == 50).all()
    assert len(full) == 120 * 3000 / 50


def test_a_takes_any_number_of_the_sentences(letters: Part) -> None:
    rows = pairs(letters, 20, "none", short=0.0)
    a, b = sizes(rows)
    a = a[a + b == 20]
    assert len(a) > 15_000
    assert stats.chisquare(np.bincount(a - 1, minlength=19)).pvalue > UNLIKELY


def test_b_comes_from_any_other_document_and_any_sentence_of_it() -> None:
    documents = [(0, [1] * 40)] * 25
    part = whole(temporary_store(documents), measuring=False)
    rows = np.concatenate([pairs(part, 8, "next", short=0.0, epoch=epoch) for epoch in range(250)])
    rows = rows[rows["relation"] == 1]
    assert len(rows) > 20_000
    mine, theirs = rows["document"], rows["second"] // 40
    assert stats.chisquare(np.bincount((theirs - mine) % 25, minlength=25)[1:]).pvalue > UNLIKELY
    assert stats.chisquare(np.bincount(rows["second"] % 40, minlength=40)).pvalue > UNLIKELY
    # Up to the room, or the end of its document.
    a, b = sizes(rows)
    assert (b == np.minimum(8 - a, 40 - rows["second"] % 40)).all()


def shortened(a: int, b: int, room: int) -> tuple[int, int]:
    """BERT's loop: a token from the longer of the two, from B when they are equal, until both fit."""
    while a + b > room:
        if a > b:
            a -= 1
        else:
            b -= 1
    return a, b


@pytest.mark.parametrize("room", [2, 3, 7, 16, 25])
def test_the_longer_segment_is_shortened_first(room: int) -> None:
    wanted = [(a, b) for a in range(1, 31) for b in range(1, 31)]
    part = whole(temporary_store([(0, pair) for pair in wanted]), measuring=False)
    rows = pairs(part, room, "none")
    found = list(zip(*(side.tolist() for side in sizes(rows)), strict=True))
    assert found == [shortened(a, b, room) for a, b in wanted]


@pytest.mark.parametrize("side", ["A", "B"])
def test_tokens_are_taken_away_at_both_ends_by_chance(side: str) -> None:
    """The number of tokens taken at the front is that of the heads among so many tosses of a coin."""
    size = 140
    sentence = [size, 10] if side == "A" else [10, size]
    part = whole(temporary_store([(0, sentence)] * 10_000), measuring=False)
    rows = pairs(part, 60, "none")
    document = rows["document"] * (size + 10)
    front = rows["begin"] - document if side == "A" else rows["second"] - document - 10
    tosses = size - 50
    edges = np.arange(36, 56)
    counts = np.histogram(front, [-1, *edges, size])[0]
    chances = np.diff([0, *stats.binom.cdf(edges - 1, tosses, 0.5), 1])
    assert stats.chisquare(counts, chances * len(front)).pvalue > UNLIKELY
    assert front.min() >= 0
    assert front.max() <= tosses


def test_the_two_segments_are_cut_independently() -> None:
    part = whole(temporary_store([(0, [90, 90])] * 10_000), measuring=False)
    rows = pairs(part, 60, "none")
    a, b = rows["begin"] % 180, rows["second"] % 180 - 90
    assert [side.tolist() for side in sizes(rows)] == [[30] * 10_000] * 2
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.05
    assert abs(a.mean() - 30) < 0.3
    assert abs(a.var() - 15) < 1.5


def test_swapped_segments_are_those_that_were_in_order(store) -> None:
    """Swapping changes nothing but which of the two comes first."""
    part = whole(store, measuring=False)
    plain, order = pairs(part, ROOM, "none"), pairs(part, ROOM, "order")
    names = ["begin", "stop", "second", "second_stop"]
    swapped = ["second", "second_stop", "begin", "stop"]
    back = sorted(
        row[swapped].item() if row["relation"] else row[names].item() for row in order[: len(order) // 5]
    )
    assert set(back) <= set(plain[names].tolist())
    assert len(order) == len(plain)


def test_languages_of_pairs_are_those_of_a(store) -> None:
    part = whole(store, measuring=False)
    how = PairSettings(ROOM, "next")
    plan = make_plan(part, lambda chunk: plan_pairs(chunk, part, how, Draws.of(0)))
    for number, rows in enumerate(plan.rows):
        assert len(rows) > 1000
        begins = rows.take(np.arange(len(rows)))["begin"]
        assert (WHERE.language[begins] == number).all()


def test_documents_of_one_sentence_make_no_pair() -> None:
    part = whole(temporary_store([(0, [5]), (0, [6])]), measuring=False)
    assert len(pairs(part, 10, "order")) == 0
