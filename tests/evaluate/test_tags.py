"""Tags of words: the metrics of all words, intervals over sentences, as wide as sentences differ."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambos.errors import InputError
from ambos.evaluate.classification import Confusion
from ambos.evaluate.comparison import compare
from ambos.evaluate.tags import Tags

LABELS = ("ADJ", "NOUN", "VERB")
WORDS = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), max_size=6)


@given(sentences=st.lists(WORDS, min_size=1, max_size=8))
def test_values_are_those_of_all_words(sentences):
    tags, words = Tags(LABELS), Confusion(LABELS)
    gold, said = ([[pair[side] for pair in words] for words in sentences] for side in (0, 1))
    tags.add(gold[:2], said[:2])
    tags.add(gold[2:], said[2:])
    flat = [[LABELS.index(tag) for sentence in side for tag in sentence] for side in (gold, said)]
    words.add(np.array(flat[0], int), np.array(flat[1], int))
    assert tags.values() == pytest.approx(words.values())
    assert np.array_equal(tags.matrix, words.matrix)
    assert tags.table() == words.table()
    assert len(tags.tally) == len(sentences)


def clustered(chance: np.random.Generator, sentences: int, words: int) -> list[list[bool]]:
    """Of each sentence which words are right: a share of its own, 0.8 on average, far from it in most."""
    shares = chance.beta(0.8, 0.2, sentences)
    return [list(chance.random(words) < share) for share in shares]


def test_the_interval_holds_for_words_that_are_alike_within_sentences():
    """Of 95 % intervals about 95 % hold the truth if sentences are drawn; far fewer if words are."""
    chance = np.random.default_rng(0)
    covered = {"sentences": 0, "words": 0}
    widths = {"sentences": 0.0, "words": 0.0}
    for _ in range(200):
        right = clustered(chance, 80, 20)
        gold = [["NOUN"] * 20] * 80
        said = [["NOUN" if one else "VERB" for one in sentence] for sentence in right]
        tags, words = Tags(LABELS), Confusion(LABELS)
        tags.add(gold, said)
        words.add(np.full(1600, 1), np.where(np.ravel(right), 1, 2))
        for name, evaluation in {"sentences": tags, "words": words}.items():
            found = evaluation.metrics(draws=300)["accuracy"]
            covered[name] += found.low <= 0.8 <= found.high
            widths[name] += (found.high - found.low) / 200
    assert 180 <= covered["sentences"] <= 200
    assert covered["words"] < 130
    # The design effect, 1 + (words - 1) times the correlation within sentences, 1 / (0.8 + 0.2 + 1), is 10.5.
    assert widths["sentences"] / widths["words"] == pytest.approx(10.5**0.5, rel=0.1)


def test_a_difference_within_few_sentences_is_not_certain():
    """Thirty words better in one sentence of twenty is one case, not thirty."""
    tags = Tags(LABELS)
    gold = [["NOUN"] * 30] * 20
    one, other = [list(words) for words in gold], [list(words) for words in gold]
    other[3] = ["VERB"] * 30
    found = compare(tags, {"one": tags.rows(gold, one), "other": tags.rows(gold, other)})
    assert {comparison.better for comparison in found} == {None}


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match="one predicted tag for every gold tag"):
        Tags(LABELS).add([["NOUN", "VERB"]], [["NOUN"]])
    with pytest.raises(InputError, match="no tag 'NOUM'") as caught:
        Tags(LABELS).add([["NOUN"]], [["NOUM"]])
    assert "NOUN" in caught.value.fix
