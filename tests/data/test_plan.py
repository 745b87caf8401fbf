"""Plans of sentences and of blocks: what a sequence holds, and that an epoch reads everything once."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ambos.data import parts
from ambos.data.draws import Draws
from ambos.data.parts import Part, divide, whole
from ambos.data.plan import Plan, Rows, make_plan, plan_blocks, plan_sentences
from tests.data.stores import DOCUMENTS, Documents, Where, random_documents, temporary_store

ANY_TIME = settings(deadline=None)
ROOMS = st.integers(1, 40)


def sentences(part: Part, room: int) -> Plan:
    return make_plan(part, lambda chunk: plan_sentences(chunk, room))


def blocks(part: Part, room: int, epoch: int = 0) -> Plan:
    draws = Draws.of(0, "plan", epoch)
    return make_plan(part, lambda chunk: plan_blocks(chunk, room, draws))


def in_order(plan: Plan) -> Rows:
    rows = plan.take(np.arange(plan.count))
    return rows[np.argsort(rows["begin"])]


def tokens(rows: Rows) -> np.ndarray:
    """Every token that the rows read, in their order."""
    return np.concatenate([np.arange(row["begin"], row["stop"]) for row in rows])


def part_of(documents: Documents, kept: set[int], measuring: bool) -> Part:
    store = temporary_store(documents)
    return Part(store, np.array(sorted(kept), np.int64), len(store.sentence_starts) - 1, measuring)


def greedy(documents: Documents, used: list[bool], room: int) -> list[tuple[int, int, int]]:
    """RoBERTa's procedure, sentence by sentence: (begin, stop, document) of every sequence."""
    found: list[tuple[int, int, int]] = []
    held = 0  # tokens of the open sequence, separators included
    before = None  # document, language and end of what was read last
    at = 0
    for number, (language, sizes) in enumerate(documents):
        for size in sizes:
            pieces = [min(room, size - cut) for cut in range(0, size, room)]
            for piece in pieces:
                if used[number]:
                    extra = piece + (before is not None and before[0] != number)
                    if before is not None and before[1:] == (language, at) and held + extra <= room:
                        found[-1] = (found[-1][0], at + piece, found[-1][2])
                        held += extra
                    else:
                        found.append((at, at + piece, number))
                        held = piece
                    before = (number, language, at + piece)
                at += piece
    return found


@given(documents=DOCUMENTS, room=ROOMS, measuring=st.booleans(), data=st.data())
@ANY_TIME
def test_sequences_are_those_of_the_plain_procedure(
    documents: Documents, room: int, measuring: bool, data: st.DataObject
) -> None:
    kept = data.draw(st.sets(st.integers(0, len(documents) - 1)))
    plan = sentences(part_of(documents, kept, measuring), room)
    used = [(number in kept) == measuring for number in range(len(documents))]
    rows = in_order(plan)
    found = list(zip(*(rows[name].tolist() for name in ("begin", "stop", "document")), strict=True))
    assert found == greedy(documents, used, room)
    assert (rows["relation"] == -1).all()
    assert (rows["second_stop"] == rows["second"]).all()


@pytest.mark.parametrize("room", [5, 30, 126])
def test_an_epoch_of_sentences_reads_every_token_once(room: int) -> None:
    documents = random_documents(room, 500, 12, 25, languages=2)
    where = Where.of(documents)
    for part in divide(temporary_store(documents)):
        plan = sentences(part, room)
        rows = in_order(plan)
        read = tokens(rows)
        assert len(read) == part.tokens
        assert (np.diff(read) > 0).all()
        mine = set(part.document(np.arange(part.count)).tolist())
        assert set(where.document[read].tolist()) == mine
        assert (where.document[rows["begin"]] == rows["document"]).all()
        assert (where.language[rows["begin"]] == where.language[rows["stop"] - 1]).all()
        separators = where.document[rows["stop"] - 1] - where.document[rows["begin"]]
        sizes = rows["stop"] - rows["begin"] + separators
        assert sizes.max() <= room
        # Greedy: what came next would not have fitted, or was of another language or part, or there was none.
        borders = where.borders()
        for row, size, following in zip(rows[:-1], sizes[:-1], rows[1:], strict=True):
            joined = following["begin"] == row["stop"]
            same = where.language[row["begin"]] == where.language[following["begin"]]
            if joined and same:
                end = min(borders[borders > following["begin"]][0], following["begin"] + room)
                border = where.document[following["begin"]] != where.document[row["stop"] - 1]
                assert size + border + end - following["begin"] > room


def test_long_sentences_are_cut_into_pieces() -> None:
    rows = in_order(sentences(whole(temporary_store([(0, [25, 3, 10])]), measuring=False), 10))
    assert rows["begin"].tolist() == [0, 10, 20, 28]
    assert rows["stop"].tolist() == [10, 20, 28, 38]


def test_languages_lie_apart() -> None:
    documents = [(0, [4, 4]), (1, [4]), (1, [4]), (0, [4])]
    plan = sentences(whole(temporary_store(documents), measuring=False), 100)
    borders = [rows.take(np.arange(len(rows)))[["begin", "stop"]].tolist() for rows in plan.rows]
    assert borders == [[(0, 8), (16, 20)], [(8, 16)]]
    assert plan.count == 3
    assert plan.take(np.array([2, 0, 1, 2]))["begin"].tolist() == [8, 0, 16, 8]


def test_a_language_without_text_in_the_part_has_no_rows() -> None:
    plan = sentences(part_of([(0, [4]), (1, [4])], {1}, measuring=False), 10)
    assert [len(rows) for rows in plan.rows] == [1, 0]


@pytest.mark.parametrize("size", [1, 4, 50])
def test_chunks_change_nothing_but_where_sequences_end(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = random_documents(1, 60, 8, 12, languages=2)
    part = divide(temporary_store(documents))[0]
    expected = tokens(in_order(sentences(part, 20)))
    monkeypatch.setattr(parts, "_CHUNK", size)
    rows = in_order(sentences(part, 20))
    assert tokens(rows).tolist() == expected.tolist()
    where = Where.of(documents)
    separators = where.document[rows["stop"] - 1] - where.document[rows["begin"]]
    assert (rows["stop"] - rows["begin"] + separators).max() <= 20
    crossing = where.sentence[rows["begin"]] // size != where.sentence[rows["stop"] - 1] // size
    assert not crossing.any()
    cut = in_order(blocks(part, 20))
    assert (np.diff(tokens(cut)) > 0).all()
    assert not (where.sentence[cut["begin"]] // size != where.sentence[cut["stop"] - 1] // size).any()


def stretches(documents: Documents, used: np.ndarray) -> list[tuple[int, int]]:
    """Runs of neighbouring tokens of the part and of one language."""
    where = Where.of(documents)
    key = where.language * 2 + used[where.document]
    borders = [0, *(np.flatnonzero(np.diff(key)) + 1).tolist(), len(key)]
    return [(one, two) for one, two in pairwise(borders) if used[where.document[one]]]


@given(documents=DOCUMENTS, room=ROOMS, measuring=st.booleans(), epoch=st.integers(0, 3), data=st.data())
@ANY_TIME
def test_blocks_fill_the_room_and_leave_little_out(
    documents: Documents, room: int, measuring: bool, epoch: int, data: st.DataObject
) -> None:
    kept = data.draw(st.sets(st.integers(0, len(documents) - 1)))
    used = np.array([(number in kept) == measuring for number in range(len(documents))])
    rows = in_order(blocks(part_of(documents, kept, measuring), room, epoch))
    at = 0
    for begin, stop in stretches(documents, used):
        mine = rows[(rows["begin"] >= begin) & (rows["begin"] < stop)]
        at += len(mine)
        assert mine["stop"].max() <= stop
        assert (mine["stop"] - mine["begin"] == min(room, stop - begin)).all()
        assert (mine["begin"][1:] == mine["stop"][:-1]).all()
        left_out = stop - begin - (mine["stop"] - mine["begin"]).sum()
        assert left_out < max(2 * room - 1, 1)
    assert at == len(rows)
    assert (rows["document"] == -1).all()
    assert (rows["relation"] == -1).all()


def test_blocks_begin_elsewhere_in_every_epoch() -> None:
    part = whole(temporary_store([(0, [10] * 100)]), measuring=False)
    begins = [int(in_order(blocks(part, 50, epoch))["begin"][0]) for epoch in range(2000)]
    assert stats.chisquare(np.bincount(begins, minlength=50)).pvalue > 1e-4
    assert in_order(blocks(part, 50, 3)).tolist() == in_order(blocks(part, 50, 3)).tolist()


@pytest.mark.parametrize("size", [60, 99, 100, 101, 130])
def test_in_time_blocks_read_every_token(size: int) -> None:
    """Also the end of a stretch that holds more than one block, but not two."""
    part = whole(temporary_store([(0, [size])]), measuring=False)
    read = set()
    for epoch in range(400):
        read |= set(tokens(in_order(blocks(part, 50, epoch))).tolist())
    assert read == set(range(size))
