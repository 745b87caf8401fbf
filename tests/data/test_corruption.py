"""Corruption, by statistics over a million tokens and by what may never happen."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ambos.data.corruption import Corruption, CorruptionSettings, Unit, Vocabulary, corrupt
from ambos.data.draws import Draws
from ambos.data.plan import ROW
from ambos.data.sequences import Layout, Sequences, assemble
from ambos.text.sources import find_sources
from ambos.text.store_build import BuildOptions, build_store
from ambos.text.tokenizer import Tokenizer

ANY_TIME = settings(deadline=None)
UNLIKELY = 1e-4
UNITS: tuple[Unit, ...] = ("token", "word", "span")
SPECIAL = [0, 1, 2, 3, 4]
CLS, SEP, MASK, SIZE = 2, 3, 4, 1005
VOCABULARY = Vocabulary.of(SIZE, SPECIAL, MASK)
DRAWS = Draws.of(0, "corruption", 0)


def sequences_of(
    lengths: np.ndarray, *, separators: float = 0.0, word: float = 0.6, seed: int = 0, key: int = 0
) -> Sequences:
    """Random text between special tokens, with some separators inside; a token begins a word by chance."""
    chance = np.random.default_rng(seed)
    ends = np.cumsum(lengths)
    special = chance.random(ends[-1]) < separators
    special[ends - lengths] = special[ends - 1] = True
    ids = chance.integers(len(SPECIAL), SIZE, ends[-1])
    ids[special] = SEP
    ids[ends - lengths] = CLS
    word_starts = (chance.random(len(ids)) < word) | special
    word_starts[1:] |= special[:-1]
    count = len(lengths)
    none = np.zeros(len(ids), np.int64)
    return Sequences(ids, none, lengths, special, word_starts, np.full(count, -1), key + np.arange(count))


@pytest.fixture(scope="module")
def plain() -> Sequences:
    """A million tokens and more, in sequences of one length without separators."""
    return sequences_of(np.full(8000, 130))


@pytest.fixture(scope="module")
def mixed() -> Sequences:
    """As many, in sequences of all lengths with separators."""
    return sequences_of(np.random.default_rng(1).integers(20, 260, 8000), separators=0.01)


def choose(sequences: Sequences, unit: Unit = "token", draws: Draws = DRAWS, **how: object) -> Corruption:
    return corrupt(sequences, CorruptionSettings(unit, **how), VOCABULARY, draws)  # type: ignore[arg-type]


def by_sequence(sequences: Sequences, places: np.ndarray) -> np.ndarray:
    return np.bincount(sequences.owner[places], minlength=len(sequences.lengths))


def words_of(sequences: Sequences) -> np.ndarray:
    """(T,) the number of the word of each token; special tokens are words of their own."""
    return np.cumsum(sequences.word_starts | sequences.special)


def spans_of(found: Corruption) -> tuple[np.ndarray, np.ndarray]:
    """The first token of every span, and the one after its last."""
    begins, at = np.unique(found.left + 1, return_index=True)
    return begins, found.right[at]


def check(sequences: Sequences, found: Corruption, unit: Unit) -> None:
    """What holds of every corruption."""
    chosen = np.zeros(len(sequences.ids), np.bool_)
    chosen[found.places] = True
    assert (np.diff(found.places) > 0).all()
    assert not sequences.special[found.places].any()
    assert (found.labels == sequences.ids[found.places]).all()
    assert (found.ids[~chosen] == sequences.ids[~chosen]).all()
    seen = found.ids[found.places]
    assert ((seen == MASK) | ~np.isin(seen, SPECIAL)).all()
    if unit != "token":
        word = words_of(sequences)
        whole = np.bincount(word, chosen) / np.maximum(np.bincount(word), 1)
        assert set(whole.tolist()) <= {0.0, 1.0}
    if unit != "span":
        assert len(found.left) == len(found.right) == len(found.offsets) == 0
        return
    assert not chosen[found.left].any()
    assert not chosen[found.right].any()
    assert (sequences.owner[found.left] == sequences.owner[found.places]).all()
    assert (sequences.owner[found.right] == sequences.owner[found.places]).all()
    assert (found.offsets == found.places - found.left - 1).all()
    begins, stops = spans_of(found)
    assert (begins[1:] > stops[:-1]).all()
    inside = [place for begin, stop in zip(begins, stops, strict=True) for place in range(begin, stop)]
    assert inside == found.places.tolist()
    fate = np.where(seen == MASK, 0, np.where(seen == found.labels, 2, 1))
    for begin, stop in zip(begins[:2000], stops[:2000], strict=True):
        mine = set(fate[(found.places >= begin) & (found.places < stop)].tolist())
        assert len(mine) == 1 or mine == {1, 2}  # a random token may be the right one


@pytest.mark.parametrize("unit", UNITS)
def test_nothing_is_touched_but_whole_units_of_text(unit: Unit, mixed: Sequences) -> None:
    check(mixed, choose(mixed, unit), unit)


@pytest.mark.parametrize("rate", [0.15, 0.3, 0.4])
def test_tokens_are_chosen_at_the_rate(mixed: Sequences, rate: float) -> None:
    """Of every sequence its share, up to rounding, which goes up or down by chance."""
    found = choose(mixed, rate=rate)
    number = by_sequence(mixed, found.places)
    expected = rate * by_sequence(mixed, np.flatnonzero(~mixed.special))
    assert (abs(number - expected) < 1).all()
    part = expected % 1
    z = (number - expected).sum() / np.sqrt((part * (1 - part)).sum())
    assert abs(z) < 4
    assert expected.sum() > 1_000_000 * rate


@pytest.mark.parametrize("rate", [0.15, 0.3, 0.4])
def test_words_are_chosen_at_the_rate(mixed: Sequences, rate: float) -> None:
    found = choose(mixed, "word", rate=rate)
    off = by_sequence(mixed, found.places) - rate * by_sequence(mixed, np.flatnonzero(~mixed.special))
    assert abs(off.mean()) < 4 * off.std() / np.sqrt(len(off))
    sizes = np.bincount(words_of(mixed), ~mixed.special)
    assert off.std() < 3
    assert (abs(off) < sizes.max()).all()
    # Long words are nearly as likely as short ones; less so only where they would go beyond the number.
    word = words_of(mixed)[found.places]
    lengths = np.bincount(sizes[np.unique(word)].astype(int), minlength=8)[1:5]
    every = np.bincount(sizes[sizes > 0].astype(int), minlength=8)[1:5]
    assert np.allclose(lengths / every, rate, rtol=0.06)


@pytest.mark.parametrize("spans", ["geometric", "inverse"])
@pytest.mark.parametrize("rate", [0.15, 0.3, 0.4])
def test_spans_are_chosen_at_the_rate(plain: Sequences, rate: float, spans: str) -> None:
    found = choose(plain, "span", rate=rate, spans=spans)
    word = words_of(plain)
    words = plain.word_starts & ~plain.special
    number = by_sequence(plain, found.places[plain.word_starts[found.places]])
    off = number - rate * by_sequence(plain, np.flatnonzero(words))
    assert abs(off.mean()) < 4 * off.std() / np.sqrt(len(off))
    tokens = by_sequence(plain, found.places) - rate * by_sequence(plain, np.flatnonzero(~plain.special))
    assert abs(tokens.mean()) < 4 * tokens.std() / np.sqrt(len(tokens))
    assert len(np.unique(word[found.places])) == number.sum()


def test_of_very_short_texts_spans_take_what_they_can() -> None:
    sequences = sequences_of(np.random.default_rng(0).integers(3, 12, 5000), word=1.0)
    found = choose(sequences, "span", rate=0.15)
    check(sequences, found, "span")
    share = len(found.places) / (~sequences.special).sum()
    assert 0.08 < share < 0.15


@pytest.mark.parametrize("how", [(0.8, 0.1), (0.5, 0.5), (1.0, 0.0), (0.0, 0.2)])
@pytest.mark.parametrize("unit", ["token", "word"])
def test_most_are_masked_some_are_random_and_some_stay(
    unit: Unit, how: tuple[float, float], mixed: Sequences
) -> None:
    mask, random = how
    found = choose(mixed, unit, mask=mask, random=random)
    seen = found.ids[found.places]
    masked, kept = seen == MASK, seen == found.labels
    counts = np.array([masked.sum(), (~masked & ~kept).sum(), kept.sum()])
    right = random / len(VOCABULARY.real)  # a random token may be the right one
    chances = np.array([mask, random - right, 1 - mask - random + right])
    there = chances > 1e-9
    assert counts[~there].sum() == 0
    assert there.sum() == 1 or stats.chisquare(counts[there], chances[there] * len(seen)).pvalue > UNLIKELY


def test_of_spans_most_are_masked_some_are_random_and_some_stay(plain: Sequences) -> None:
    found = choose(plain, "span")
    begins, stops = spans_of(found)
    all_masked = np.add.reduceat(found.ids[found.places] == MASK, np.searchsorted(found.places, begins))
    all_kept = np.add.reduceat(found.ids[found.places] == found.labels, np.searchsorted(found.places, begins))
    sizes = stops - begins
    masked, kept = all_masked == sizes, all_kept == sizes
    counts = [masked.sum(), (~masked & ~kept).sum(), kept.sum()]
    assert ((all_masked == 0) | masked).all()
    assert stats.chisquare(counts, np.array([0.8, 0.1, 0.1]) * len(begins)).pvalue > UNLIKELY


@pytest.mark.parametrize("unit", UNITS)
def test_random_tokens_are_any_real_ones(unit: Unit, mixed: Sequences) -> None:
    found = choose(mixed, unit, mask=0.0, random=1.0)
    seen = found.ids[found.places]
    counts = np.bincount(seen, minlength=SIZE)
    assert counts[SPECIAL].sum() == 0
    assert stats.chisquare(counts[len(SPECIAL) :]).pvalue > UNLIKELY
    # The right token and the place tell nothing of them, nor does the neighbour.
    for other in (found.labels, mixed.positions[found.places] * 7, np.roll(seen, 1)):
        table = np.histogram2d((seen - 5) // 100, other % 10, [10, 10])[0]
        assert stats.chi2_contingency(table).pvalue > UNLIKELY


def test_tokens_are_chosen_anywhere(plain: Sequences) -> None:
    position = plain.positions[choose(plain).places]
    counts = np.bincount(position, minlength=130)
    assert counts[[0, 129]].sum() == 0
    assert stats.chisquare(counts[1:129]).pvalue > UNLIKELY
    assert stats.chisquare(counts[1:129]).pvalue < 1 - UNLIKELY


def test_a_token_is_chosen_whatever_its_neighbour_is(plain: Sequences) -> None:
    """Two tokens of one sequence are both chosen as often as chance without repetition has it."""
    chosen = np.zeros(len(plain.ids))
    chosen[choose(plain).places] = 1
    grid = chosen.reshape(-1, 130)[:, 1:129]
    both = (grid[:, 1:] * grid[:, :-1]).sum()
    expected = 8000 * 127 * np.mean([n * (n - 1) for n in (19, 19, 19, 19, 20)]) / (128 * 127)
    assert abs(both - expected) < 4 * np.sqrt(expected)


@pytest.mark.parametrize("spans", ["geometric", "inverse"])
def test_span_lengths_are_drawn_as_published(spans: str, plain: Sequences) -> None:
    """Geometric with p = 0.2, cut at 10, mean 3.8 (SpanBERT); in proportion to 1/n up to 3 (ALBERT)."""
    found = choose(plain, "span", spans=spans)
    begins, stops = spans_of(found)
    word = words_of(plain)
    lengths = word[stops - 1] - word[begins] + 1
    if spans == "geometric":
        chances = stats.geom.pmf(np.arange(1, 11), 0.2)
        assert abs(lengths.mean() - 3.8) < 0.05
    else:
        chances = np.array([6, 3, 2]) / 11
    counts = np.bincount(lengths - 1, minlength=len(chances))
    assert len(lengths) > 20_000
    assert stats.chisquare(counts, chances / chances.sum() * len(lengths)).pvalue > UNLIKELY


def test_spans_lie_anywhere() -> None:
    """A single span of one word in texts of 20 words: each of them as often."""
    sequences = sequences_of(np.full(20_000, 22), word=1.0)
    found = choose(sequences, "span", rate=0.05, spans="inverse")
    begins, stops = spans_of(found)
    for length in (1, 2, 3):
        position = sequences.positions[begins[stops - begins == length]]
        counts = np.bincount(position - 1, minlength=21 - length)
        assert len(counts) == 21 - length
        assert stats.chisquare(counts).pvalue > UNLIKELY


def pick(sequences: Sequences, which: np.ndarray) -> Sequences:
    """Some of the sequences, in another order."""
    ends = np.cumsum(sequences.lengths)
    tokens = np.concatenate([np.arange(ends[one] - sequences.lengths[one], ends[one]) for one in which])
    by_token = ("ids", "segments", "special", "word_starts")
    by_one = ("lengths", "relation", "keys")
    return Sequences(
        **{name: getattr(sequences, name)[tokens] for name in by_token},
        **{name: getattr(sequences, name)[which] for name in by_one},
    )


def one_by_one(sequences: Sequences, found: Corruption) -> dict[int, list]:
    """What each sequence became, by its key; places counted from its first token."""
    columns = [found.labels]
    if len(found.left):
        columns += [found.offsets]
    answers = {}
    for key, start, length in zip(sequences.keys, sequences.starts, sequences.lengths, strict=True):
        mine = (found.places >= start) & (found.places < start + length)
        answers[int(key)] = [
            found.ids[start : start + length].tolist(),
            (found.places[mine] - start).tolist(),
            *(column[mine].tolist() for column in columns),
            *((side[mine] - start).tolist() for side in (found.left, found.right) if len(side)),
        ]
    return answers


@pytest.mark.parametrize("unit", UNITS)
def test_a_sequence_is_corrupted_the_same_in_any_company(unit: Unit) -> None:
    sequences = sequences_of(np.random.default_rng(2).integers(10, 200, 300), separators=0.02, key=1000)
    whole = one_by_one(sequences, choose(sequences, unit))
    chance = np.random.default_rng(3)
    for _ in range(20):
        which = chance.permutation(300)[: chance.integers(5, 60)]
        some = pick(sequences, which)
        for key, answer in one_by_one(some, choose(some, unit)).items():
            assert answer == whole[key]


@pytest.mark.parametrize("unit", UNITS)
def test_keys_and_draws_change_what_is_chosen(unit: Unit) -> None:
    sequences = sequences_of(np.full(200, 130))
    found = choose(sequences, unit)
    assert choose(sequences, unit).places.tolist() == found.places.tolist()
    others = [
        choose(replace(sequences, keys=sequences.keys + 1), unit),
        choose(sequences, unit, draws=Draws.of(0, "corruption", 1)),
        choose(sequences, unit, draws=Draws.of(1, "corruption", 0)),
    ]
    for other in others:
        common = np.intersect1d(found.places, other.places)
        assert 0.05 * len(found.places) < len(common) < 0.35 * len(found.places)  # 15 % by chance
    # Sequences of one batch differ too.
    rows = [tuple(answer[1]) for answer in one_by_one(sequences, found).values()]
    assert len(set(rows)) == 200


@given(
    lengths=st.lists(st.integers(3, 12), min_size=1, max_size=8),
    unit=st.sampled_from(UNITS),
    rate=st.sampled_from([0.01, 0.15, 0.5, 1.0]),
    separators=st.sampled_from([0.0, 0.3]),
    word=st.sampled_from([0.0, 0.4, 1.0]),
    seed=st.integers(0, 1000),
)
@ANY_TIME
def test_small_texts_of_any_kind(
    lengths: list[int], unit: Unit, rate: float, separators: float, word: float, seed: int
) -> None:
    """Few words, words of many tokens, nothing but separators."""
    sequences = sequences_of(np.array(lengths), separators=separators, word=word, seed=seed)
    if sequences.special.all():
        return
    found = choose(sequences, unit, Draws.of(seed), rate=rate)
    check(sequences, found, unit)


@pytest.mark.parametrize("unit", ["word", "span"])
def test_words_of_real_text_are_never_split(
    unit: Unit, sample: Path, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Words as the tokenizer counts them in the text itself; one paragraph a sequence."""
    folder = tmp_path_factory.mktemp(f"words-{tokenizer.kind}")
    paragraphs = [line for line in (sample / "heldout" / "pt.txt").read_text().split("\n") if line.strip()][
        :300
    ]
    (folder / "a.txt").write_text("\n\n".join(paragraphs))
    options = BuildOptions(keep_duplicates=True, workers=1)
    store = build_store(find_sources([str(folder / "a.txt")]), tokenizer, folder / "store", options)
    borders = store.sentence_starts[store.document_starts].astype(int)
    rows = np.zeros(len(paragraphs), ROW)
    rows["begin"], rows["stop"], rows["document"] = borders[:-1], borders[1:], np.arange(len(paragraphs))
    sequences = assemble(store, rows, np.arange(len(rows)), Layout.of(tokenizer))
    mask = tokenizer.special_id("mask")
    vocabulary = Vocabulary.of(tokenizer.vocab_size, tokenizer.special_ids, mask)
    found = corrupt(sequences, CorruptionSettings(unit, mask=1.0), vocabulary, DRAWS)
    split = several = 0
    for text, start in zip(paragraphs, sequences.starts, strict=True):
        encoded = tokenizer.encode(text)
        hidden = found.ids[start : start + len(encoded)] == mask
        words: dict[int, list[bool]] = {}
        for word, is_hidden in zip(encoded.words, hidden, strict=True):
            if word is None:
                assert not is_hidden
            else:
                words.setdefault(word, []).append(bool(is_hidden))
        split += sum(any(tokens) and not all(tokens) for tokens in words.values())
        several += sum(all(tokens) and len(tokens) > 1 for tokens in words.values())
    assert split == 0
    assert several > 50


def test_replacements_are_never_special(tokenizer_folder: Callable[[str], Path]) -> None:
    for kind in ("wordpiece", "unigram", "bpe"):
        tokenizer = Tokenizer.load(tokenizer_folder(kind))
        real = Vocabulary.of(tokenizer.vocab_size, tokenizer.special_ids, 4).real.tolist()
        for role in ("unk", "cls", "sep", "pad", "mask"):
            assert tokenizer.special_id(role) not in real
        assert len(real) + len(tokenizer.special_ids) == tokenizer.vocab_size
