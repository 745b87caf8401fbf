"""The two parts of a corpus: together everything, nothing twice, and the same whenever they are made."""

from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambos.data import parts
from ambos.data.parts import Part, divide, whole
from ambos.text.store import TokenStore
from tests.data.stores import DOCUMENTS, Documents, Where, random_documents, temporary_store, write_store

ANY_TIME = settings(deadline=None)
MANY = random_documents(0, 400, 20, 15, languages=2)
FEW = [(0, [7] * 60), (1, [5] * 90), (0, [9] * 50)]


def sentences_of(part: Part) -> list[int]:
    """Every sentence that the chunks say belongs to the part, in the order in which they come."""
    used = np.concatenate([chunk.used for chunk in part.chunks()])
    return np.flatnonzero(used).tolist()


def tokens_of(part: Part) -> np.ndarray:
    starts = part.store.sentence_starts.astype(int)
    mine = sentences_of(part)
    return np.concatenate([np.arange(starts[one], starts[one + 1]) for one in mine]) if mine else np.zeros(0)


def check_division(store: TokenStore, documents: Documents) -> None:
    train, held = divide(store)
    where = Where.of(documents)
    both = sentences_of(train) + sentences_of(held)
    assert sorted(both) == list(range(len(store.sentence_starts) - 1))
    for part in (train, held):
        mine = tokens_of(part).astype(int)
        assert part.tokens == len(mine)
        numbers = part.document(np.arange(part.count))
        assert numbers.tolist() == sorted(set(where.document[mine].tolist()))
        assert part.rank(numbers).tolist() == list(range(part.count))
        first, stop = part.sentences(numbers)
        ranges = [list(range(one, two)) for one, two in zip(first, stop, strict=True)]
        assert list(chain.from_iterable(ranges)) == sentences_of(part)
        for number, sentences in zip(numbers, ranges, strict=True):
            assert sentences
            assert set(sentences) <= set(store.sentence_range(int(number)))


@given(documents=DOCUMENTS)
@ANY_TIME
def test_parts_of_a_small_corpus_are_disjoint_and_everything(documents: Documents) -> None:
    check_division(temporary_store(documents), documents)


@pytest.mark.parametrize("seed", range(5))
def test_parts_of_many_documents_are_whole_documents(seed: int) -> None:
    documents = random_documents(seed, 300, 12, 15, languages=3)
    store = temporary_store(documents)
    check_division(store, documents)
    train, held = divide(store)
    assert not set(train.document(np.arange(train.count))) & set(held.document(np.arange(held.count)))
    assert train.count + held.count == len(documents)
    longest = max(sum(sizes) for _, sizes in documents)
    assert 0.02 * len(store.tokens) <= held.tokens < 0.02 * len(store.tokens) + longest
    assert held.tokens <= len(store.tokens) / 10


def test_documents_are_kept_back_from_everywhere() -> None:
    store = temporary_store([(0, [5, 5])] * 20_000)
    kept = divide(store)[1].kept_back
    assert len(kept) == 400
    quarters = np.histogram(kept, 4, (0, 20_000))[0]
    assert quarters.min() > 60
    assert (np.diff(kept) > 0).all()


def test_of_a_large_corpus_only_so_much_is_kept_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_ENOUGH", 200)
    store = temporary_store([(0, [10] * 3)] * 1000)
    train, held = divide(store)
    assert held.tokens == 210
    assert train.tokens == 30_000 - 210


def test_the_same_store_has_the_same_parts(tmp_path: Path) -> None:
    one = write_store(tmp_path, MANY)
    again = TokenStore(tmp_path)
    for first, second in zip(divide(one), divide(again), strict=True):
        assert first.kept_back.tolist() == second.kept_back.tolist()
        assert (first.tail, first.measuring) == (second.tail, second.measuring)


@pytest.mark.parametrize(
    "documents",
    [FEW, [(0, [10] * 200)], [(0, [3] * 2)], [(0, [5] * 10)] * 9, [(0, [5])] * 30 + [(0, [50] * 200)]],
    ids=["three", "one", "two sentences", "nine", "one is nearly all"],
)
def test_of_few_documents_the_end_is_kept_back(documents: Documents) -> None:
    store = temporary_store(documents)
    train, held = divide(store)
    assert len(train.kept_back) == len(held.kept_back) == 0
    mine = sentences_of(held)
    assert mine == list(range(mine[0], len(store.sentence_starts) - 1))
    longest = max(size for _, sizes in documents for size in sizes)
    assert 0.02 * len(store.tokens) <= held.tokens <= 0.02 * len(store.tokens) + longest
    assert train.count >= 1
    check_division(store, documents)


@pytest.mark.parametrize("large", range(12))
def test_never_more_than_a_tenth_is_kept_back(large: int) -> None:
    """Whichever document holds most of the text, also the one that is drawn first."""
    documents = [(0, [5] * (100 if number == large else 4)) for number in range(12)]
    store = temporary_store(documents)
    assert divide(store)[1].tokens <= len(store.tokens) / 10
    check_division(store, documents)


def test_the_document_that_is_cut_is_in_both_parts() -> None:
    train, held = divide(temporary_store(FEW))
    assert held.tail == 60 + 90 + 50 - 3  # 2 % of 1320 tokens are 26.4: three sentences of nine
    assert train.document(np.arange(train.count)).tolist() == [0, 1, 2]
    assert held.document(np.arange(held.count)).tolist() == [2]
    assert [border.tolist() for border in train.sentences(np.array([1, 2]))] == [[60, 150], [150, 197]]
    assert [border.tolist() for border in held.sentences(np.array([2]))] == [[197], [200]]


def test_a_tail_may_begin_with_a_document() -> None:
    documents = [(0, [10] * 49), (0, [10])]
    store = temporary_store(documents)
    train, held = divide(store)
    assert (train.count, held.count) == (1, 1)
    assert held.document(np.array([0])).tolist() == [1]
    check_division(store, documents)


def test_a_single_sentence_is_trained_on() -> None:
    train, held = divide(temporary_store([(0, [40])]))
    assert (train.count, train.tokens) == (1, 40)
    assert (held.count, held.tokens) == (0, 0)


@pytest.mark.parametrize("measuring", [False, True])
def test_a_whole_store_is_one_part(measuring: bool) -> None:
    store = temporary_store(MANY)
    part = whole(store, measuring=measuring)
    assert part.count == len(MANY)
    assert part.tokens == len(store.tokens)
    assert sentences_of(part) == list(range(len(store.sentence_starts) - 1))
    numbers = np.arange(len(MANY))
    assert part.document(numbers).tolist() == part.rank(numbers).tolist() == numbers.tolist()


@given(documents=DOCUMENTS, size=st.integers(1, 12), measuring=st.booleans(), data=st.data())
@ANY_TIME
def test_chunks_say_where_documents_and_stretches_end(
    documents: Documents, size: int, measuring: bool, data: st.DataObject
) -> None:
    store = temporary_store(documents)
    kept = data.draw(st.sets(st.integers(0, len(documents) - 1)))
    count = len(store.sentence_starts) - 1
    tail = data.draw(st.integers(1, count)) if not kept else count
    part = Part(store, np.array(sorted(kept), np.int64), tail, measuring)
    where = Where.of(documents)
    first_token = where.borders()
    document = where.document[first_token[:-1]]
    language = where.language[first_token[:-1]]
    is_kept = np.array([one in kept or place >= tail for place, one in enumerate(document)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "_CHUNK", size)
        chunks = list(part.chunks())
    assert [len(chunk.used) for chunk in chunks] == [min(size, count - at) for at in range(0, count, size)]
    for number, chunk in enumerate(chunks):
        begin = number * size
        for here in range(len(chunk.used)):
            place = begin + here
            assert chunk.starts[here : here + 2].tolist() == first_token[place : place + 2].tolist()
            assert (chunk.documents[here], chunk.languages[here]) == (document[place], language[place])
            assert chunk.used[here] == (is_kept[place] == measuring)
            run, stretch = here, here
            last = len(chunk.used)
            while run < last and (document[begin + run], is_kept[begin + run]) == (
                document[place],
                is_kept[place],
            ):
                run += 1
            while stretch < last and (language[begin + stretch], is_kept[begin + stretch]) == (
                language[place],
                is_kept[place],
            ):
                stretch += 1
            assert chunk.document_stops[here] == run
            assert chunk.stretch_stops[here] == stretch
