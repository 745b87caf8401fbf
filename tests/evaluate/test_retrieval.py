"""Ranks of texts that belong together: by the definition, on any pairs, in blocks of any size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambos.evaluate import retrieval
from ambos.evaluate.retrieval import Retrieval, ranks


def by_definition(vectors, texts, together):
    """Return ranks one by one; `vectors` are those of texts by number."""
    found = []
    for (first, second), belongs in zip(texts, together, strict=True):
        right = {b for (a, b), fits in zip(texts, together, strict=True) if fits and a == first}
        others = {b for _, b in texts} - right - {first}
        mine = vectors[first] @ vectors[second]
        before = sum(vectors[first] @ vectors[other] > mine for other in others)
        found.append(1 + before if belongs else 0)
    return found


@given(
    pairs=st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9), st.booleans()), min_size=1, max_size=30
    ).filter(lambda pairs: any(fits for *_, fits in pairs)),
    cells=st.sampled_from([1, 7, 1000]),
)
@settings(max_examples=60, deadline=None)
def test_ranks_by_the_definition(pairs, cells):
    vectors = np.random.default_rng(0).normal(size=(10, 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    texts = np.array([pair[:2] for pair in pairs])
    together = np.array([fits for *_, fits in pairs])
    first, second = ((3 * vectors[side]).astype(np.float32) for side in texts.T)  # lengths do not count
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(retrieval, "_CELLS", cells)
        found = ranks(first, second, texts, together)
    assert found.tolist() == by_definition(vectors, texts.tolist(), together.tolist())


def test_one_vector_for_all_finds_nothing():
    """Ranks are in the middle: of 101 texts, 51."""
    texts = np.arange(202).reshape(2, 101).T
    same = np.ones((101, 3), np.float32)
    assert set(ranks(same, same, texts, np.ones(101, bool))) == {51.0}


def test_figures_by_hand():
    found = Retrieval(graded=True)
    assert found.take([1, 1, 1, 0], [[0.9, 1], [0.5, 2], [0.1, 20], [0.3, 0]]).shape == (4, 3)
    values = found.values()
    assert values["mrr"] == pytest.approx((1 + 1 / 2 + 1 / 20) / 3)
    assert (values["recall@1"], values["recall@10"]) == pytest.approx((1 / 3, 2 / 3))
    assert values["mae"] == pytest.approx((0.1 + 0.5 + 0.9 + 0.3) / 4)
    one = found.metrics()["mrr"]
    assert one.low < one.value < one.high
    assert Retrieval(graded=False).values() == {"mrr": 0.0, "recall@1": 0.0, "recall@10": 0.0}


def test_cosines_are_measured_where_it_is_said_what_they_should_be():
    found = Retrieval(graded=True)
    found.add([np.nan, np.nan], [[0.9, 1], [0.5, 2]])
    assert list(found.values()) == list(found.metrics()) == ["mrr", "recall@1", "recall@10"]
    assert found.values()["mrr"] == 0.75
    found.add([1, 0], [[0.8, 1], [0.1, 0]])
    values = found.values()
    assert values["mrr"] == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert (values["pearson"], values["mae"]) == pytest.approx((1.0, 0.15))
    assert "pearson" in Retrieval(graded=True).values()  # asked before there are rows
