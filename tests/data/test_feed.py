"""The feed: a step is a pure function of seed, epoch and index, and an epoch reads everything once."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy import stats

from ambos.data.corruption import CorruptionSettings
from ambos.data.feed import Feed, FeedSettings, MaskedBatch, Place, total_counts
from ambos.data.parts import Part, divide, whole
from ambos.errors import InputError
from ambos.text.sources import find_sources
from ambos.text.store import TokenStore
from ambos.text.store_build import BuildOptions, build_store
from ambos.text.tokenizer import Tokenizer
from tests.data.stores import random_documents, temporary_store

UNLIKELY = 1e-4
LENGTH = 48
SETTINGS = {
    "blocks": FeedSettings("blocks"),
    "sentences": FeedSettings("sentences"),
    "next": FeedSettings("pairs", "next"),
    "order": FeedSettings("pairs", "order", corruption=CorruptionSettings("span")),
    "languages": FeedSettings("sentences", alpha=0.3, corruption=CorruptionSettings("word")),
    "static": FeedSettings("pairs", "none", variants=1),
}
Plain = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]


@pytest.fixture(scope="module")
def tokenizer(tokenizer_folder: Callable[[str], Path]) -> Tokenizer:
    return Tokenizer.load(tokenizer_folder("wordpiece"))


@pytest.fixture(scope="module")
def store(sample: Path, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> TokenStore:
    out = tmp_path_factory.mktemp("feed") / "store"
    return build_store(find_sources([str(sample / "heldout")]), tokenizer, out, BuildOptions(workers=1))


@pytest.fixture(scope="module")
def part(store: TokenStore) -> Part:
    return divide(store)[0]


@pytest.fixture(params=SETTINGS)
def settings(request: pytest.FixtureRequest) -> FeedSettings:
    return SETTINGS[request.param]


def sequences(batches: list[MaskedBatch]) -> Iterator[Plain]:
    """The sequences of a step one by one: ids as they are read, segments, chosen places, and their labels."""
    for masked in batches:
        start = 0
        for length in masked.batch.lengths:
            mine = (masked.places >= start) & (masked.places < start + length)
            yield (
                tuple(masked.batch.ids[start : start + length].tolist()),
                tuple(masked.batch.segments[start : start + length].tolist()),
                tuple((masked.places[mine] - start).tolist()),
                tuple(masked.labels[mine].tolist()),
            )
            start += length


def restored(one: Plain) -> tuple[int, ...]:
    """The ids before corruption."""
    ids = list(one[0])
    for place, label in zip(one[2], one[3], strict=True):
        ids[place] = label
    return tuple(ids)


def same(one: list[MaskedBatch], two: list[MaskedBatch]) -> bool:
    names = ("places", "labels", "relation", "pairs", "left", "right", "offsets")
    return len(one) == len(two) and all(
        a.batch.lengths == b.batch.lengths
        and torch.equal(a.batch.ids, b.batch.ids)
        and torch.equal(a.batch.segments, b.batch.segments)
        and torch.equal(a.batch.positions, b.batch.positions)
        and all(torch.equal(getattr(a, name), getattr(b, name)) for name in names)
        for a, b in zip(one, two, strict=True)
    )


def epoch_of(feed: Feed, epoch: int) -> list[Plain]:
    """All sequences of an epoch."""
    return list(sequences(feed.step(Place(epoch), sequences=10**9, length=LENGTH)[0]))


def test_a_step_depends_on_nothing_but_its_place(
    part: Part, tokenizer: Tokenizer, settings: FeedSettings
) -> None:
    feed = Feed(part, tokenizer, settings)
    places, steps = [Place()], []
    for _ in range(200):
        batches, place = feed.step(places[-1], sequences=40, length=LENGTH, budget=512)
        steps.append(batches)
        places.append(place)
        if place.epoch == 2:
            break
    assert places[-1].epoch == 2
    chance = np.random.default_rng(0)
    other = Feed(part, tokenizer, settings)
    for number in chance.permutation(len(steps))[:25]:
        other.step(
            Place(int(chance.integers(9)), 3), sequences=7, length=30
        )  # what came before does not matter
        batches, place = other.step(places[number], sequences=40, length=LENGTH, budget=512)
        assert place == places[number + 1]
        assert same(batches, steps[number])
    fresh, _ = Feed(part, tokenizer, settings).step(places[5], sequences=40, length=LENGTH, budget=512)
    assert same(fresh, steps[5])


def test_how_many_are_read_at_once_does_not_change_them(
    part: Part, tokenizer: Tokenizer, settings: FeedSettings
) -> None:
    feed = Feed(part, tokenizer, settings)
    whole_step, _ = feed.step(Place(1, 5), sequences=60, length=LENGTH, parts=1)
    single: list[Plain] = []
    place = Place(1, 5)
    for count in (10, 20, 30):
        batches, place = feed.step(place, sequences=count, length=LENGTH, parts=3)
        single += sequences(batches)
    assert place == Place(1, 65)
    assert Counter(single) == Counter(sequences(whole_step))


@pytest.mark.parametrize("name", ["blocks", "sentences", "next", "order"])
def test_every_sequence_comes_once_per_epoch(name: str, part: Part, tokenizer: Tokenizer) -> None:
    feed = Feed(part, tokenizer, SETTINGS[name])
    orders = []
    for epoch in (0, 1):
        plan = feed.plan(epoch, LENGTH)
        rows = plan.take(np.arange(plan.count))
        found, place = [], Place(epoch)
        while place.index < plan.count:
            batches, place = feed.step(place, sequences=1, length=LENGTH)
            found += sequences(batches)
        assert place == Place(epoch, plan.count)
        texts = []
        for row in rows:
            ids = [
                part.store.tokens[row["begin"] : row["stop"]],
                part.store.tokens[row["second"] : row["second_stop"]],
            ]
            texts.append(tuple(np.concatenate(ids).tolist()))
        special = set(tokenizer.special_ids) - {tokenizer.special_id("unk")}
        read = [tuple(one for one in restored(sequence) if one not in special) for sequence in found]
        assert Counter(read) == Counter(texts)
        assert read != texts  # not in the order of the corpus
        orders.append(read)
        assert max(len(sequence[0]) for sequence in found) <= LENGTH
    assert orders[0] != orders[1]


@pytest.mark.parametrize("name", ["sentences", "next"])
def test_an_epoch_ends_when_too_few_are_left(name: str, part: Part, tokenizer: Tokenizer) -> None:
    feed = Feed(part, tokenizer, SETTINGS[name])
    count = feed.plan(0, LENGTH).count
    assert count > 100
    batches, place = feed.step(Place(0, count - 7), sequences=7, length=LENGTH)
    assert place == Place(0, count)
    assert len(list(sequences(batches))) == 7
    batches, place = feed.step(Place(0, count - 7), sequences=8, length=LENGTH)
    assert place == Place(1, 8)
    assert same(batches, feed.step(Place(1), sequences=8, length=LENGTH)[0])
    assert same(feed.step(Place(0, count), sequences=8, length=LENGTH)[0], batches)


def test_a_step_larger_than_the_corpus_takes_all_of_it(part: Part, tokenizer: Tokenizer) -> None:
    feed = Feed(part, tokenizer, SETTINGS["sentences"])
    count = feed.plan(0, LENGTH).count
    batches, place = feed.step(Place(), sequences=count + 5, length=LENGTH)
    assert len(list(sequences(batches))) == count
    assert place == Place(0, count)
    again, place = feed.step(place, sequences=count + 5, length=LENGTH)
    assert place == Place(1, count)
    assert Counter(map(restored, sequences(again))) == Counter(map(restored, sequences(batches)))


@pytest.mark.parametrize("unit", ["token", "word", "span"])
def test_static_corruption_is_the_same_in_every_epoch(unit: str, part: Part, tokenizer: Tokenizer) -> None:
    how = CorruptionSettings(unit)
    feed = Feed(part, tokenizer, FeedSettings("sentences", corruption=how, variants=1))
    assert Counter(epoch_of(feed, 0)) == Counter(epoch_of(feed, 7))
    one, two = (feed.step(Place(epoch), sequences=20, length=LENGTH)[0] for epoch in (0, 7))
    assert set(sequences(one)) != set(sequences(two))  # in another order
    dynamic = Feed(part, tokenizer, FeedSettings("sentences", corruption=how))
    first, second = epoch_of(dynamic, 0), epoch_of(dynamic, 7)
    assert Counter(map(restored, first)) == Counter(map(restored, second))
    something_hidden = {one for one in first if one[2]}
    assert len(something_hidden & set(second)) < 0.05 * len(first)


@pytest.mark.parametrize("name", ["blocks", "next", "order"])
def test_text_is_cut_anew_in_every_epoch(name: str, part: Part, tokenizer: Tokenizer) -> None:
    feed = Feed(part, tokenizer, SETTINGS[name])
    first, second = (Counter(map(restored, epoch_of(feed, epoch))) for epoch in (0, 1))
    assert (first & second).total() < 0.4 * first.total()
    static = Feed(part, tokenizer, FeedSettings(**(vars(SETTINGS[name]) | {"variants": 1})))
    first, second = (Counter(map(restored, epoch_of(static, epoch))) for epoch in (0, 1))
    assert first == second


@pytest.mark.parametrize("name", ["next", "order", "none"])
def test_ten_variants_come_again_after_ten_epochs(name: str, part: Part, tokenizer: Tokenizer) -> None:
    feed = Feed(part, tokenizer, FeedSettings("pairs", name, variants=10))
    epochs = {epoch: Counter(epoch_of(feed, epoch)) for epoch in (0, 3, 9, 10, 13)}
    assert epochs[0] == epochs[10]
    assert epochs[3] == epochs[13]
    for one, two in ((0, 3), (3, 9), (9, 10)):
        common = epochs[one] & epochs[two]
        assert common.total() < 0.05 * epochs[one].total()


def test_seeds_change_everything(part: Part, tokenizer: Tokenizer, settings: FeedSettings) -> None:
    steps = []
    for seed in (0, 1):
        feed = Feed(part, tokenizer, FeedSettings(**(vars(settings) | {"seed": seed})))
        steps.append(set(sequences(feed.step(Place(), sequences=50, length=LENGTH)[0])))
    assert len(steps[0] & steps[1]) <= 2


@pytest.mark.parametrize("budget", [1, 100, 500, 10_000])
@pytest.mark.parametrize("name", SETTINGS)
def test_batches_keep_to_the_budget(budget: int, name: str, part: Part, tokenizer: Tokenizer) -> None:
    feed = Feed(part, tokenizer, SETTINGS[name])
    for index in range(0, 100, 50):
        batches, _ = feed.step(Place(0, index), sequences=50, length=LENGTH, budget=budget)
        for masked in batches:
            assert masked.batch.tokens <= budget or len(masked.batch.lengths) == 1
        lengths = [length for masked in batches for length in masked.batch.lengths]
        assert len(lengths) == 50
        assert lengths == sorted(lengths, reverse=True)


def test_batches_keep_to_the_budget_among_many_small_documents(tokenizer: Tokenizer) -> None:
    """Separators count as well."""
    chance = np.random.default_rng(0)
    documents = [(0, [int(chance.choice([1, 2, 30]))]) for _ in range(4000)]
    total = sum(sum(sizes) for _, sizes in documents)
    store = temporary_store(documents, tokens=chance.integers(100, 1000, total))
    feed = Feed(whole(store, measuring=False), tokenizer, FeedSettings("sentences"))
    for index in range(0, 900, 100):
        batches, _ = feed.step(Place(0, index), sequences=100, length=32, budget=200)
        assert max(masked.batch.tokens for masked in batches) <= 200
        lengths = [length for masked in batches for length in masked.batch.lengths]
        assert lengths == sorted(lengths, reverse=True)


@pytest.mark.parametrize("parts", [1, 2, 4, 8, 31])
@pytest.mark.parametrize("name", SETTINGS)
def test_a_step_has_as_many_parts_as_asked(name: str, parts: int, part: Part, tokenizer: Tokenizer) -> None:
    feed = Feed(part, tokenizer, SETTINGS[name])
    for index in range(0, 93, 31):
        batches, _ = feed.step(Place(0, index), sequences=31, length=LENGTH, budget=10**6, parts=parts)
        assert len(batches) >= parts
        assert parts > 1 or len(batches) == 1


def test_parts_of_very_unequal_sequences(tokenizer: Tokenizer) -> None:
    """One long sequence and many short ones: still as many parts."""
    documents = [(number % 2, [100 if number == 8 else 1]) for number in range(16)]
    total = sum(sum(sizes) for _, sizes in documents)
    store = temporary_store(documents, tokens=np.arange(200, 200 + total))
    feed = Feed(whole(store, measuring=False), tokenizer, FeedSettings("sentences"))
    for parts in (1, 2, 4, 8, 16):
        batches, _ = feed.step(Place(), sequences=16, length=128, parts=parts)
        assert len(batches) >= parts


def test_what_is_to_be_found_is_counted(part: Part, tokenizer: Tokenizer) -> None:
    feed = Feed(part, tokenizer, SETTINGS["next"])
    batches, _ = feed.step(Place(), sequences=50, length=LENGTH, budget=300)
    plain = list(sequences(batches))
    assert total_counts(batches) == {
        "tokens": sum(len(one[0]) for one in plain),
        "chosen": sum(len(one[2]) for one in plain),
        "pairs": 50,
    }
    for masked in batches:
        assert masked.counts == {
            "tokens": sum(masked.batch.lengths),
            "chosen": len(masked.labels),
            "pairs": len(masked.batch.lengths),
        }
        assert masked.pairs.tolist() == list(masked.batch.starts)
        assert (masked.batch.ids[masked.pairs] == tokenizer.special_id("cls")).all()
    single, _ = Feed(part, tokenizer, SETTINGS["sentences"]).step(Place(), sequences=9, length=LENGTH)
    assert total_counts(single)["pairs"] == 0


def test_relations_belong_to_their_sequences(part: Part, tokenizer: Tokenizer) -> None:
    """Of pairs read back from a batch, B follows A in the corpus if and only if it is said to."""
    feed = Feed(part, tokenizer, SETTINGS["next"])
    tokens = part.store.tokens.tolist()
    text = ",".join(map(str, tokens)) + ","
    batches, _ = feed.step(Place(), sequences=200, length=300, budget=700)
    right = wrong = 0
    for masked in batches:
        for one, relation in zip(sequences([masked]), masked.relation.tolist(), strict=True):
            ids = restored(one)
            if len(ids) == 300:
                continue  # shortened: there may be a gap between the two
            middle = one[1].index(1)
            joined = [*ids[1 : middle - 1], *ids[middle:-1]]
            together = "," + ",".join(map(str, joined)) + ","
            follows = together in "," + text
            assert follows == (relation == 0)
            right, wrong = right + follows, wrong + (not follows)
    assert min(right, wrong) > 10


def test_spans_are_told_batch_by_batch(part: Part, tokenizer: Tokenizer) -> None:
    feed = Feed(part, tokenizer, SETTINGS["order"])
    batches, _ = feed.step(Place(), sequences=60, length=LENGTH, budget=300)
    assert len(batches) > 5
    for masked in batches:
        chosen = set(masked.places.tolist())
        assert len(masked.left) == len(masked.right) == len(masked.offsets) == len(chosen)
        for place, left, right, offset in zip(
            *(getattr(masked, name).tolist() for name in ("places", "left", "right", "offsets")), strict=True
        ):
            assert left + 1 + offset == place < right
            assert set(range(left + 1, right)) <= chosen
            assert not {left, right} & chosen
            assert left >= 0
            assert right < masked.batch.tokens


def test_the_rate_may_change_from_step_to_step(part: Part, tokenizer: Tokenizer) -> None:
    feed = Feed(part, tokenizer, SETTINGS["sentences"])
    for rate in (None, 0.15, 0.3, 0.4):
        batches, _ = feed.step(Place(), sequences=300, length=LENGTH, rate=rate)
        counts = total_counts(batches)
        special = 2 * 300 + sum(one[0][1:-1].count(tokenizer.special_id("sep")) for one in sequences(batches))
        share = counts["chosen"] / (counts["tokens"] - special)
        assert abs(share - (rate or 0.15)) < 0.003


@pytest.mark.parametrize("alpha", [1.0, 0.3, 0.0])
@pytest.mark.parametrize("scheme", ["sentences", "pairs"])
def test_languages_are_drawn_by_their_share_to_the_power_alpha(
    alpha: float, scheme: str, tokenizer: Tokenizer
) -> None:
    """q_i in proportion to p_i^alpha, p_i the share of the sentences; ids tell the language."""
    counts = [600, 60, 6]
    documents = [(language, [4, 5, 6]) for language, count in enumerate(counts) for _ in range(count)]
    tokens = np.concatenate([np.full(15, 100 + language) for language, _ in documents])
    store = temporary_store(documents, tokens=tokens)
    feed = Feed(whole(store, measuring=False), tokenizer, FeedSettings(scheme, alpha=alpha))
    expected = np.array([(count / sum(counts)) ** alpha for count in counts])
    expected /= expected.sum()
    assert np.allclose(feed.language_shares, expected)
    drawn: Counter[int] = Counter()
    place = Place()
    while drawn.total() < 6000:
        batches, place = feed.step(place, sequences=50, length=20)
        drawn.update(restored(one)[1] - 100 for one in sequences(batches))
    found = [drawn[language] for language in range(3)]
    assert stats.chisquare(found, expected * sum(found)).pvalue > UNLIKELY


def test_a_language_drawn_often_is_hidden_anew_every_time(tokenizer: Tokenizer) -> None:
    documents = [(0, [20])] * 300 + [(1, [20])] * 3
    chance = np.random.default_rng(0)
    store = temporary_store(documents, tokens=chance.integers(100, 1000, 20 * 303))
    feed = Feed(whole(store, measuring=False), tokenizer, FeedSettings("sentences", alpha=0.0))
    found = list(sequences(feed.step(Place(), sequences=200, length=22)[0]))
    rare = Counter(map(restored, found)).most_common(3)
    assert rare[0][1] > 15
    corrupted = {one[0] for one in found if restored(one) == rare[0][0]}
    assert len(corrupted) > 0.9 * rare[0][1]


def test_a_language_without_a_single_sequence_is_never_drawn(tokenizer: Tokenizer) -> None:
    """Its documents have one sentence each: there is no pair among them."""
    documents = [(0, [4, 5])] * 40 + [(1, [6])] * 40
    tokens = np.concatenate([np.full(sum(sizes), 100 + language) for language, sizes in documents])
    store = temporary_store(documents, tokens=tokens)
    feed = Feed(whole(store, measuring=False), tokenizer, FeedSettings("pairs", "order", alpha=0.5))
    batches, _ = feed.step(Place(), sequences=40, length=20)
    assert {token for one in sequences(batches) for token in restored(one)[1:3]} <= {100, 3}


def test_one_document_has_no_other(tokenizer: Tokenizer) -> None:
    store = temporary_store([(0, [4, 5, 6])])
    with pytest.raises(InputError, match="other documents"):
        Feed(whole(store, measuring=False), tokenizer, SETTINGS["next"])
    Feed(whole(store, measuring=False), tokenizer, SETTINGS["order"])


def test_a_corpus_without_pairs_is_refused(tokenizer: Tokenizer) -> None:
    store = temporary_store([(0, [4]), (0, [5])])
    feed = Feed(whole(store, measuring=False), tokenizer, SETTINGS["order"])
    with pytest.raises(InputError, match="no text to train on"):
        feed.step(Place(), sequences=1, length=20)


def test_a_tokenizer_without_a_mask_is_refused(
    store: TokenStore, tokenizer_folder: Callable[[str], Path]
) -> None:
    tokenizer = Tokenizer.load(tokenizer_folder("wordpiece"))
    tokenizer.specials = type(tokenizer.specials)(**(vars(tokenizer.specials) | {"mask": None}))
    with pytest.raises(InputError, match="cannot be used for pretraining"):
        Feed(divide(store)[0], tokenizer, SETTINGS["sentences"])


def test_training_and_held_out_text_never_meet(tokenizer: Tokenizer, settings: FeedSettings) -> None:
    """Every token says by its id whether its document is kept back."""
    documents = random_documents(4, 300, 8, 12, languages=2)
    sizes = [sum(found) for _, found in documents]
    kept = divide(temporary_store(documents))[1].kept_back
    assert len(kept) > 3
    ids = np.repeat(np.where(np.isin(np.arange(300), kept), 101, 100), sizes)
    for part, expected in zip(divide(temporary_store(documents, tokens=ids)), (100, 101), strict=True):
        feed = Feed(part, tokenizer, settings)
        batches, _ = feed.step(Place(), sequences=10**6, length=LENGTH)
        read = Counter(token for one in sequences(batches) for token in restored(one))
        assert read[expected] > 50
        assert read[201 - expected] == 0


def test_batches_move(part: Part, tokenizer: Tokenizer) -> None:
    batches, _ = Feed(part, tokenizer, SETTINGS["order"]).step(Place(), sequences=4, length=LENGTH)
    assert same([masked.to("cpu") for masked in batches], batches)
    assert {
        value.device.type for value in vars(batches[0].to("meta")).values() if isinstance(value, torch.Tensor)
    } == {"meta"}
