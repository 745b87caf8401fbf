"""Sequences as the tokenizer itself would make them, and as a plain loop puts them together."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambos.data.plan import ROW, Rows
from ambos.data.sequences import Layout, Sequences, assemble
from ambos.text.sentences import split_sentences
from ambos.text.sources import find_sources
from ambos.text.store import TokenStore
from ambos.text.store_build import BuildOptions, build_store
from ambos.text.tokenizer import Tokenizer
from tests.data.stores import DOCUMENTS, Documents, temporary_store

ANY_TIME = settings(deadline=None)
BERT = Layout((2,), (3,), (3,), (0, 0, 0, 1, 1), (3,), (0, 0, 0), 3)
ROBERTA = Layout((0,), (2, 2), (2,), (0, 0, 0, 0, 0), (2,), (0, 0, 0), 2)
LONGER = Layout((7, 8), (9,), (5, 6), (0, 0, 0, 1, 1), (6,), (0, 0, 0), 9)


def row(
    begin: int, stop: int, second: int = 0, second_stop: int = 0, *, document: int, relation: int = -1
) -> tuple:
    return (begin, stop, document, second, second_stop, relation)


@dataclass(frozen=True)
class Corpus:
    """Documents of the sample, each a list of paragraphs, and the store of them."""

    texts: list[list[str]]
    store: TokenStore

    def sentence_texts(self, document: int) -> list[str]:
        """The sentences, with the space before those that do not begin a paragraph."""
        found = []
        for paragraph in self.texts[document]:
            one, *others = (paragraph[begin:stop] for begin, stop in split_sentences(paragraph))
            found += [one, *(f" {other}" for other in others)]
        return found


@pytest.fixture(scope="module")
def corpus(sample: Path, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp(f"sequences-{tokenizer.kind}")
    texts = []
    for language in ("pt", "en"):
        found = (sample / "heldout" / f"{language}.txt").read_text().split("\n\n")
        found = [document.strip() for document in found if document.strip()][:40]
        (folder / f"{language}.{language}.txt").write_text("\n\n".join(found))
        texts += [document.split("\n") for document in found]
    names = [str(folder / f"{language}.{language}.txt") for language in ("pt", "en")]
    options = BuildOptions(keep_duplicates=True, workers=1)
    return Corpus(texts, build_store(find_sources(names), tokenizer, folder / "store", options))


def words_begin(words: list[int | None], sides: list[int | None]) -> list[bool]:
    """Special tokens count as beginning a word, and so does whatever differs from the token before."""
    pairs = list(zip(sides, words, strict=True))
    return [
        side is None or place == 0 or pairs[place - 1] != (side, word)
        for place, (side, word) in enumerate(pairs)
    ]


def pieces(sequences: Sequences) -> list[dict[str, list]]:
    """Ids, segments and flags of each sequence by itself."""
    ends = np.cumsum(sequences.lengths)[:-1]
    columns = {
        name: np.split(getattr(sequences, name), ends)
        for name in ("ids", "segments", "special", "word_starts")
    }
    return [
        {name: column[place].tolist() for name, column in columns.items()}
        for place in range(len(sequences.lengths))
    ]


def test_single_texts_are_those_of_the_tokenizer(corpus: Corpus, tokenizer: Tokenizer) -> None:
    """Whole paragraphs, so that the text is what the tokenizer sees."""
    store, rows, texts = corpus.store, [], []
    for document, paragraphs in enumerate(corpus.texts):
        sentence = store.sentence_range(document).start
        for paragraph in paragraphs:
            count = len(split_sentences(paragraph))
            rows.append(
                row(
                    int(store.sentence_starts[sentence]),
                    int(store.sentence_starts[sentence + count]),
                    document=document,
                )
            )
            texts.append(paragraph)
            sentence += count
    assert len(rows) >= 80
    sequences = assemble(store, np.array(rows, ROW), np.arange(len(rows)), Layout.of(tokenizer))
    for found, text in zip(pieces(sequences), texts, strict=True):
        expected = tokenizer.encode(text)
        assert found["ids"] == expected.ids
        assert found["segments"] == expected.segments
        assert found["special"] == [side is None for side in expected.sides]
        assert found["word_starts"] == words_begin(expected.words, expected.sides)


def test_pairs_are_those_of_the_tokenizer(corpus: Corpus, tokenizer: Tokenizer) -> None:
    """Stretches of sentences of two documents; a space before a sentence belongs to its first word."""
    store, rows, texts = corpus.store, [], []
    chance = np.random.default_rng(0)
    for number in range(300):
        sides, borders = [], []
        for document in chance.choice(len(corpus.texts), 2):
            sentences = corpus.sentence_texts(document)
            places = store.sentence_range(int(document))
            assert len(sentences) == len(places)
            first = int(chance.integers(len(sentences)))
            borders += [int(store.sentence_starts[places[first] + side]) for side in (0, 1)]
            sides.append((sentences[first], int(document)))
        (a, document), (b, _) = sides
        rows.append(row(*borders, document=document, relation=number % 2))
        texts.append((a, b))
    sequences = assemble(store, np.array(rows, ROW), np.arange(300), Layout.of(tokenizer))
    assert sequences.relation.tolist() == [0, 1] * 150
    for found, (a, b) in zip(pieces(sequences), texts, strict=True):
        expected = tokenizer.encode(a, b)
        assert found["ids"] == expected.ids
        assert found["segments"] == expected.segments
        assert found["special"] == [side is None for side in expected.sides]
        assert found["word_starts"] == words_begin(expected.words, expected.sides)


def test_layouts_are_those_of_the_families(tokenizer: Tokenizer, kind: str) -> None:
    layout = Layout.of(tokenizer)
    begin, end = tokenizer.special_id("cls"), tokenizer.special_id("sep")
    if kind == "wordpiece":
        assert layout == Layout((begin,), (end,), (end,), (0, 0, 0, 1, 1), (end,), (0, 0, 0), end)
        assert (layout.room(128, texts=2), layout.room(128)) == (125, 126)
    else:
        assert layout == Layout((begin,), (end, end), (end,), (0,) * 5, (end,), (0, 0, 0), end)
        assert (layout.room(128, texts=2), layout.room(128)) == (124, 126)


def by_hand(
    documents: Documents, ids: np.ndarray, words: np.ndarray, one: tuple, layout: Layout
) -> dict[str, list]:
    """One sequence, token by token."""
    begin, stop, document, second, second_stop, _ = one
    borders = set(np.cumsum([sum(sizes) for _, sizes in documents]).tolist()) if document >= 0 else set()
    pair = second_stop > second
    found: list[tuple[int, int, bool, bool]] = []

    def special(tokens: tuple[int, ...], segment: int) -> None:
        found.extend((token, segment, True, True) for token in tokens)

    def text(first: int, last: int, segment: int) -> None:
        for place in range(first, last):
            if place in borders and place > first:
                special((layout.separator,), segment)
            found.append((int(ids[place]), segment, False, bool(words[place]) or place == first))

    before, inside, between, inside_b, after = (
        layout.segments if pair else (*layout.single_segments[:2], 0, 0, 0)
    )
    special(layout.before, before)
    text(begin, stop, inside)
    if pair:
        special(layout.between, between)
        text(second, second_stop, inside_b)
        special(layout.after, after)
    else:
        special(layout.single_after, layout.single_segments[2])
    names = ("ids", "segments", "special", "word_starts")
    return {name: list(column) for name, column in zip(names, zip(*found, strict=True), strict=True)}


@given(documents=DOCUMENTS, layout=st.sampled_from([BERT, ROBERTA, LONGER]), data=st.data())
@ANY_TIME
def test_any_rows_are_put_together_as_by_hand(
    documents: Documents, layout: Layout, data: st.DataObject
) -> None:
    """Texts that begin inside a word, that span many documents, single and in pairs, in one batch."""
    total = sum(sum(sizes) for _, sizes in documents)
    ids = 100 + np.arange(total)
    words = np.array(data.draw(st.lists(st.booleans(), min_size=total, max_size=total)))
    store = temporary_store(documents, tokens=ids, words=words)
    owner = np.repeat(np.arange(len(documents)), [sum(sizes) for _, sizes in documents])
    ends = np.cumsum([sum(sizes) for _, sizes in documents])

    @st.composite
    def any_row(draw: st.DrawFn) -> tuple:
        begin = draw(st.integers(0, total - 1))
        kind = draw(st.sampled_from(["block", "sentences", "pair"]))
        if kind != "pair":
            stop = draw(st.integers(begin + 1, total))
            return row(begin, stop, document=-1 if kind == "block" else int(owner[begin]))
        second = draw(st.integers(0, total - 1))
        stop = draw(st.integers(begin + 1, int(ends[owner[begin]])))
        second_stop = draw(st.integers(second + 1, int(ends[owner[second]])))
        return row(
            begin, stop, second, second_stop, document=int(owner[begin]), relation=draw(st.integers(0, 1))
        )

    rows = data.draw(st.lists(any_row(), min_size=1, max_size=6))
    keys = np.array([10 * number for number in range(len(rows))])
    found = assemble(store, np.array(rows, ROW), keys, layout)
    assert pieces(found) == [by_hand(documents, ids, words, one, layout) for one in rows]
    assert found.keys.tolist() == keys.tolist()
    assert found.relation.tolist() == [one[-1] for one in rows]
    lengths = found.lengths.tolist()
    assert found.owner.tolist() == [number for number, length in enumerate(lengths) for _ in range(length)]
    assert found.positions.tolist() == [place for length in lengths for place in range(length)]
    assert found.starts.tolist() == [sum(lengths[:number]) for number in range(len(lengths))]


def test_one_separator_stands_at_each_border_of_documents() -> None:
    store = temporary_store([(0, [2, 2]), (0, [1]), (0, [3])], tokens=np.arange(10, 18))
    rows: Rows = np.array([row(2, 7, document=0), row(4, 8, document=1), row(4, 8, document=-1)], ROW)
    sequences = assemble(store, rows, np.arange(3), BERT)
    assert [found["ids"] for found in pieces(sequences)] == [
        [2, 12, 13, 3, 14, 3, 15, 16, 3],
        [2, 14, 3, 15, 16, 17, 3],
        [2, 14, 15, 16, 17, 3],
    ]
