"""Embeddings are those of sentence-transformers and transformers, whatever the order, layer and pooling."""

import json
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
import sentence_transformers

import ambos
from ambos.bundle.resolve import resolve
from ambos.data.windows import Ledger
from ambos.errors import InputError, UsageError
from ambos.predict import embed
from ambos.predict.model import Model
from tests.predict.reference import hidden_states, pooled, tokenizer_of

SENTENCES = [
    "O gato dorme no telhado.",
    "The cat sleeps on the roof.",
    "Não há coração 😀 que aguente.",
    "",
    " ",
    "a",
    "A",
    "?",
    "...",
    "[MASK] [SEP] [CLS]",
    "linha um\nlinha dois\tcom tabulação",
    "palavra " * 300,
    "Donaudampfschifffahrtsgesellschaftskapitän",
    "日本語のテキスト",
    "Привет, мир",
    "e\u0301 e\u0301 cafe\u0301",
    "café",
    "x" * 500,
    "1234567890",
    "3,14159 e 2.71828",
    "http://example.org/a?b=c&d=e",
    "#hashtag @user",
    *(f"Frase número {number} sobre {topic}." for number in range(5) for topic in ("água", "fogo", "terra")),
    *(f"Sentence {number} is {'very ' * number}long." for number in range(15)),
]
TEXTS = [
    "O gato dorme no telhado.",
    "Dorme.",
    "A menina leu o livro que a professora trouxe da biblioteca da cidade.",
    "",
    "The cat sleeps, and the dog barks at the moon all night long in the old town.",
    "gato",
]


@cache
def minilm() -> Model:
    return ambos.load("minilm")


@cache
def reference() -> sentence_transformers.SentenceTransformer:
    return sentence_transformers.SentenceTransformer(str(resolve("minilm")), device="cpu")


def largest_difference(one: np.ndarray, other: np.ndarray) -> float:
    assert one.shape == other.shape
    assert one.dtype == other.dtype == np.float32
    return float(np.abs(one - other).max())


def test_equals_sentence_transformers() -> None:
    assert len(SENTENCES) >= 50
    expected = reference().encode(SENTENCES, show_progress_bar=False)
    assert largest_difference(minilm().embed(SENTENCES), expected) <= 1e-5


def test_equals_sentence_transformers_on_real_sentences(data: Path) -> None:
    lines = (data / "stsb_en" / "test.jsonl").read_text().splitlines()[:500]
    pairs = [json.loads(line) for line in lines]
    sentences = list(chain.from_iterable((pair["text_a"], pair["text_b"]) for pair in pairs))
    assert len(sentences) == 1000
    expected = reference().encode(sentences, show_progress_bar=False)
    assert largest_difference(minilm().embed(sentences), expected) <= 1e-5


@pytest.mark.parametrize("how", ["cls", "mean", "max"])
@pytest.mark.parametrize("layer", [0, 1, 2, 3])
def test_every_pooling_and_layer_equals_transformers(model_folder, kind, how, layer) -> None:
    layers, mask = hidden_states(model_folder(kind), TEXTS)
    expected = pooled(layers[layer], mask, how)
    found = ambos.load(model_folder(kind)).embed(TEXTS, pool=how, layer=layer)
    assert largest_difference(found, expected) <= 1e-5


def test_layers_count_from_the_end_too(model_folder) -> None:
    model = ambos.load(model_folder("wordpiece"))
    np.testing.assert_array_equal(model.embed(TEXTS, layer=-1), model.embed(TEXTS))
    np.testing.assert_array_equal(model.embed(TEXTS, layer=3), model.embed(TEXTS))
    np.testing.assert_array_equal(model.embed(TEXTS, layer=-4), model.embed(TEXTS, layer=0))


def test_normalised_vectors_have_length_1(model_folder) -> None:
    model = ambos.load(model_folder("bpe"))
    plain, scaled = model.embed(TEXTS), model.embed(TEXTS, normalize=True)
    np.testing.assert_allclose(np.linalg.norm(scaled, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(scaled, plain / np.linalg.norm(plain, axis=1, keepdims=True), atol=1e-6)
    assert abs(np.linalg.norm(minilm().embed("Uma frase.", normalize=False)) - 1) > 0.01


def test_a_single_text_gives_one_vector(model_folder) -> None:
    model = ambos.load(model_folder("unigram"))
    single = model.embed(TEXTS[0])
    assert single.shape == (32,)
    np.testing.assert_allclose(single, model.embed(TEXTS)[0], atol=1e-6)
    assert model.embed([]).shape == (0, 32)


def test_order_and_borders_of_chunks_do_not_matter(model_folder, kind, monkeypatch) -> None:
    model = ambos.load(model_folder(kind))
    rng = np.random.default_rng(0)
    texts = [
        " ".join(rng.choice(["gato", "dorme", "the", "cat", "água"], n)) for n in rng.integers(0, 40, 90)
    ]
    whole = model.embed(texts)
    order = rng.permutation(len(texts))
    assert largest_difference(model.embed([texts[place] for place in order]), whole[order]) <= 1e-6
    for texts_at_once, characters in ((7, 10**6), (2048, 300), (1, 1)):
        monkeypatch.setattr(embed, "_CHUNK_TEXTS", texts_at_once)
        monkeypatch.setattr(embed, "_CHUNK_CHARACTERS", characters)
        parts = list(model.embed_stream(iter(texts)))
        assert len(parts) > 5
        assert largest_difference(np.concatenate(parts), whole) <= 1e-6


def test_texts_are_read_as_they_are_needed(model_folder, monkeypatch) -> None:
    """Of endless texts the first vectors come; no more are read than go together."""
    monkeypatch.setattr(embed, "_CHUNK_TEXTS", 10)
    read = 0

    def endless():
        nonlocal read
        while True:
            read += 1
            yield "gato"

    stream = ambos.load(model_folder("wordpiece")).embed_stream(endless())
    assert next(stream).shape == (10, 32)
    assert read == 10


def test_progress_is_told(model_folder, monkeypatch) -> None:
    monkeypatch.setattr(embed, "_CHUNK_TEXTS", 100)
    told: list[float] = []
    model = ambos.load(model_folder("wordpiece"))
    list(model.embed_stream(["gato dorme " * 10] * 250, progress=told.append))
    assert told.count(1.0) == 3
    assert all(0 < share <= 1 for share in told)
    assert len(told) > 3


LONG_TEXT = " ".join(["gato", "dorme", "água", "fogo"] * 50)


def test_long_texts_are_cut_and_counted(model_folder, kind) -> None:
    """The same as transformers' truncation to 64 tokens, and the ledger knows how much is missing."""
    folder = model_folder(kind)
    ledger = Ledger()
    found = ambos.load(folder).embed(["gato", LONG_TEXT], ledger=ledger)
    layers, mask = hidden_states(folder, ["gato", LONG_TEXT])
    assert largest_difference(found, pooled(layers[-1], mask, "mean")) <= 1e-5
    tokens = [len(ids) for ids in tokenizer_of(folder)(["gato", LONG_TEXT])["input_ids"]]
    assert ledger == Ledger(texts=2, tokens=sum(tokens), long_texts=1, cut_tokens=tokens[1] - 64, named=[1])


def single_tokens(model) -> list[str]:
    """Six words of one token each."""
    words = ["banco", "casa", "hoje", "noite", "porto", "word", "when", "that", "para", "uma", "with", "como"]
    found = [word for word, ids in zip(words, model.tokenizer.ids_batch(words), strict=True) if len(ids) == 3]
    assert len(found) >= 6
    return found[:6]


def test_ends_are_the_first_and_last_tokens(model_folder) -> None:
    """Read as a text made of its first and last words."""
    model = ambos.load(model_folder("wordpiece"))
    words = single_tokens(model)
    text = " ".join(words * 5)
    ledger = Ledger()
    found = model.embed(text, long="head-tail", max_length=8, ledger=ledger)
    ends = " ".join([*words[:3], *words[-3:]])
    np.testing.assert_allclose(found, model.embed(ends), atol=1e-6)
    assert ledger == Ledger(texts=1, tokens=32, long_texts=1, cut_tokens=24, named=[0])


@pytest.mark.parametrize("how", ["mean", "max", "cls"])
def test_windows_are_joined(model_folder, how) -> None:
    """The mean of the windows by their lengths, or their maximum; nothing is left out."""
    model = ambos.load(model_folder("wordpiece"))
    words = single_tokens(model)
    ledger = Ledger()
    found = model.embed(
        [words[0], " ".join(words * 2), words[2]], pool=how, long="windows", max_length=8, ledger=ledger
    )
    windows = [(words * 2)[0:6], (words * 2)[5:11], (words * 2)[10:12]]
    parts = model.embed([" ".join(window) for window in windows], pool=how)
    lengths = np.array([[len(window) + 2] for window in windows])
    expected = parts.max(0) if how == "max" else (parts * lengths).sum(0) / lengths.sum()
    np.testing.assert_allclose(found[1], expected, atol=1e-5)
    np.testing.assert_allclose(found[[0, 2]], model.embed([words[0], words[2]], pool=how), atol=1e-6)
    assert ledger == Ledger(texts=3, tokens=20, long_texts=1, windows=3, named=[1])


def test_long_texts_may_be_refused(model_folder) -> None:
    model = ambos.load(model_folder("bpe"))
    with pytest.raises(InputError, match="longer than the model can read") as caught:
        model.embed(["gato", LONG_TEXT], long="error")
    assert caught.value.expected == "at most 64 tokens"
    assert model.embed(["gato"], long="error").shape == (1, 32)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"pool": "men"}, "there is no pooling 'men'"),
        ({"long": "window"}, "there is no way 'window'"),
        ({"layer": 4}, "there is no layer 4"),
        ({"layer": -5}, "there is no layer -5"),
        ({"max_length": 2}, "texts of 2 tokens"),
        ({"max_length": 65}, "texts of 65 tokens"),
        ({"max_length": 0}, "texts of 0 tokens"),
    ],
)
def test_impossible_options(model_folder, options, what) -> None:
    model = ambos.load(model_folder("wordpiece"))
    with pytest.raises(UsageError, match=what) as caught:
        model.embed("gato", **options)
    assert caught.value.expected
    assert caught.value.fix


@pytest.mark.parametrize("wrong", [("um", "dois"), ["um", "dois", "três"], None, float("nan"), 3, b"um"])
def test_what_is_no_text_is_named(model_folder, monkeypatch, wrong) -> None:
    """Two texts were taken for a pair, and of three the last one was left out without a word."""
    monkeypatch.setattr(embed, "_CHUNK_TEXTS", 2)
    with pytest.raises(UsageError, match="text 4 is no text"):
        ambos.load(model_folder("wordpiece")).embed(["um", "dois", "três", wrong])


def test_what_a_model_says_itself(model_folder) -> None:
    options = minilm().embed_options()
    assert (options.pooling, options.normalize, options.limit, options.layer) == ("mean", True, 256, None)
    options = ambos.load(model_folder("bpe")).embed_options(layer=2)
    assert (options.pooling, options.normalize, options.limit, options.layer) == ("mean", False, 64, 2)


def test_advice_names_parameters_not_options(model_folder) -> None:
    model = ambos.load(model_folder("wordpiece"))
    with pytest.raises(InputError) as caught:
        model.embed([LONG_TEXT], long="error")
    assert 'long="windows"' in str(caught.value.fix)
    with pytest.raises(UsageError) as caught_top:
        model.fill("O gato [MASK].", top=0)
    assert caught_top.value.fix == "top=5"
