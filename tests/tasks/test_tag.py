"""Tagging: every word has its tokens, its tag and its prediction, whatever it is made of."""

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch.nn import functional as F
from transformers import AutoTokenizer

from ambos.data.examples import Examples, Runs
from ambos.data.label_set import LabelSet
from ambos.data.windows import LONG, Ledger, spans_of
from ambos.tasks.tag import Tag, Words, tokenise_words
from ambos.tasks.task import Reading
from ambos.text.tokenizer import Tokenizer
from tests.tasks.conftest import words_row

TAGS = LabelSet(("O", "B-PER", "I-PER"))
ODD = ["\u200b", "\x00", "e\u0301", "ção", "🙂", "a" * 300, "1 000", "-", "d'água", "日本", "▁", "##a", "Ġ"]
WORDS = st.lists(st.one_of(st.sampled_from(ODD), st.text(min_size=1, max_size=6)), min_size=1, max_size=12)


@given(words=WORDS)
@example(words=["\u200b"])
@example(words=["\x00", "gato", "\u200b"])
@example(words=[" ", "a"])
@settings(deadline=None, max_examples=150)
def test_every_word_has_tokens_of_its_own(tokenizer: Tokenizer, words: list[str]) -> None:
    (found,) = tokenise_words(tokenizer, [words])
    assert len(found.starts) == len(words)
    assert found.starts[0] == 0
    assert all(
        one < other for one, other in zip(found.starts, [*found.starts[1:], len(found.ids)], strict=True)
    )


def test_alignment_is_that_of_transformers(tokenizer_folder, data) -> None:
    """On real sentences, words begin where a WordPiece tokenizer that is given words says so."""
    from ambos.data.read_tagged import read_tagged_rows  # noqa: PLC0415
    from ambos.text.sources import find_sources  # noqa: PLC0415

    folder = tokenizer_folder("wordpiece")
    ours, theirs = Tokenizer.load(folder), AutoTokenizer.from_pretrained(folder)
    source = str(data / "uner_pt" / "dev.conll")
    rows = [row.words for row in read_tagged_rows(find_sources([source], formats=("conll",)))][:300]
    for words, found in zip(rows, tokenise_words(ours, rows), strict=True):
        expected = theirs(list(words), is_split_into_words=True)
        assert found.ids == expected["input_ids"][1:-1]
        numbers = expected.word_ids()[1:-1]
        assert found.starts == [numbers.index(word) for word in range(len(words))]


@given(
    sizes=st.lists(st.integers(1, 5), min_size=1, max_size=40),
    room=st.integers(1, 30),
    how=st.sampled_from([how for how in LONG if how != "error"]),
)
@settings(max_examples=200)
def test_the_words_of_a_window_are_those_that_begin_in_it(sizes: list[int], room: int, how: str) -> None:
    starts = np.cumsum([0, *sizes]).tolist()
    words = Words(list(range(starts[-1])), starts[:-1])
    for span in spans_of(starts[-1], room, how, Ledger()):
        placed = [(word, span.place(start)) for word, start in enumerate(words.starts)]
        assert words.inside(span) == [(word, place) for word, place in placed if place is not None]


class Counted(list):
    """A list that counts how often it is read."""

    reads = 0

    def __getitem__(self, place):
        self.reads += 1
        return super().__getitem__(place)

    def __iter__(self):
        self.reads += len(self)
        return super().__iter__()


@pytest.mark.parametrize("count", [1_000, 8_000])
def test_windows_read_the_words_of_a_row_a_few_times_however_many_there_are(count: int) -> None:
    """Every word is in two windows at most; the borders of a window are found by halving."""
    words = Words(list(range(count)), Counted(range(count)))
    spans = spans_of(count, 64, "windows", Ledger())
    found = [word for span in spans for word, _ in words.inside(span)]
    assert set(found) == set(range(count))
    assert words.starts.reads <= 2 * count + 2 * len(spans) * (count.bit_length() + 1)


def test_first_tokens_carry_the_tags(reading: Reading) -> None:
    task = Tag(TAGS)
    rows = [words_row(["Ana", "Clara", "dormiu"], ["B-PER", "I-PER", "O"]), words_row(["Sim"], ["O"])]
    examples = task.encode(rows, reading, Ledger(), labelled=True)
    part = examples.part(np.arange(2))
    starts = [next(tokenise_words(reading.tokenizer, [row.words])).starts for row in rows]
    before = reading.tokenizer.around[0]
    first = int(examples.lengths[0])
    assert part.places.tolist() == [
        *(before + start for start in starts[0]),
        *(first + before + start for start in starts[1]),
    ]
    assert part.targets["target"].tolist() == [1, 2, 0, 0]
    logits = torch.randn(4, 3, generator=torch.Generator().manual_seed(1))
    expected = F.cross_entropy(logits, torch.tensor([1, 2, 0, 0]), reduction="none")
    assert torch.allclose(task.losses(logits, part), expected)


@given(words=WORDS, limit=st.integers(6, 24), seed=st.integers(0, 9))
@settings(deadline=None, max_examples=100)
def test_one_tag_for_every_word_however_short_the_window(
    tokenizer: Tokenizer, words: list[str], limit: int, seed: int
) -> None:
    task, reading = Tag(TAGS), Reading(tokenizer, limit, "cut")
    rows = [words_row(words), words_row(["fim"])]
    examples = task.encode(rows, reading, Ledger(), labelled=False)
    assert examples.lengths.max() <= limit
    logits = np.random.default_rng(seed).normal(size=(len(examples.places), 3)).astype(np.float32)
    found = task.decode(logits, examples, rows)
    assert [len(one.tags) for one in found] == [len(words), 1]
    assert all((one.probabilities > 1 / 3).all() for one in found)  # each was read somewhere


def test_the_window_with_most_context_decides(tokenizer: Tokenizer) -> None:
    task, reading = Tag(TAGS), Reading(tokenizer, 14, "windows")
    words = ["gato"] * 20
    row = words_row(words)
    examples = task.encode([row], reading, Ledger(), labelled=False)
    counts = examples.place_counts
    assert len(counts) > 2
    window = np.repeat(np.arange(len(counts)), counts)
    logits = np.eye(3, dtype=np.float32)[window % 3] * 9  # each window says a tag of its own
    found = task.decode(logits, examples, [row])[0]
    rooms: dict[int, tuple[int, int]] = {}
    for one, word, room in zip(window, examples.targets["word"], examples.targets["room"], strict=True):
        rooms[word] = max(rooms.get(word, (-1, 0)), (room, one))
    best = [TAGS.names[rooms[word][1] % 3] for word in range(20)]
    ties = [word for word in range(20) if list(examples.targets["word"]).count(word) > 1]
    assert ties
    assert [tag for word, tag in enumerate(found.tags) if word not in ties] == [
        tag for word, tag in enumerate(best) if word not in ties
    ]
    assert found.tags[0] == "O"
    assert found.tags[-1] == TAGS.names[(len(counts) - 1) % 3]


@pytest.mark.parametrize(
    ("names", "main"),
    [
        (("O", "B-X", "I-X"), "micro_f1"),
        (("O", "U-X", "U-Y"), "micro_f1"),
        (("ADJ", "NOUN"), "accuracy"),
        (("L-ADJ", "NOUN"), "accuracy"),
    ],
)
def test_entities_are_told_from_plain_tags(names: tuple[str, ...], main: str) -> None:
    task = Tag(LabelSet(names))
    rows = [words_row(["a", "b"], [names[1], names[0]])]
    targets = {"word": np.array([0, 1]), "room": np.array([0, 0])}
    examples = Examples.of([[1, 2, 3, 4]], rows=1, targets=targets, places=Runs("q", [[1, 2]]))
    logits = np.eye(len(names), dtype=np.float32)[[1, 0]] * 9
    evaluation = task.evaluation()
    evaluation.add(*task.compare(rows, task.decode(logits, examples, rows)))
    assert task.main == main
    assert evaluation.metrics(draws=10)[main].value == 1.0


def test_windows_in_the_middle_of_a_word_are_left_out(tokenizer_folder) -> None:
    """A word of many windows has its tag in the first one; the others ask nothing, and cannot be a batch."""
    tokenizer = Tokenizer.load(tokenizer_folder("bpe"))
    long = "".join(np.random.default_rng(0).choice(list("bcdfgxzq"), 400))
    rows = [words_row(["o", long, "dormiu"], ["O", "B-PER", "O"]), words_row(["Sim"], ["O"])]
    task, how = Tag(TAGS), Reading(tokenizer, 24, "windows")
    for labelled in (True, False):
        examples = task.encode(rows, how, Ledger(), labelled=labelled)
        assert examples.place_counts.min() >= 1
        for number in range(len(examples)):
            assert len(examples.part(np.array([number])).places) >= 1
        logits = np.zeros((int(examples.place_counts.sum()), len(TAGS)), np.float32)
        assert [len(one.tags) for one in task.decode(logits, examples, rows)] == [3, 1]
