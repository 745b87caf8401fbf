"""Filled masks and scores are what `transformers` gives, one token at a time."""

from math import exp, inf

import pytest
import torch

import ambos
from ambos.errors import InputError, UsageError
from ambos.predict.mask import Candidate, Score, TokenScore, fill_masks
from tests.predict.reference import log_probabilities, tokenizer_of

TEXT = "O gatinho dorme no telhado, e a professora lê."


def same_candidates(found: tuple[Candidate, ...], expected: torch.Tensor) -> None:
    best = expected.topk(len(found))
    assert [one.id for one in found] == best.indices.tolist()
    for one, value in zip(found, best.values.tolist(), strict=True):
        assert one.probability == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize("written", ["[MASK]", "<mask>"])
def test_fill_equals_transformers(model_folder, kind, written) -> None:
    folder = model_folder(kind)
    theirs = tokenizer_of(folder)
    ids = theirs(f"O gato {theirs.mask_token} no tapete.")["input_ids"]
    expected = log_probabilities(folder, ids).exp()[ids.index(theirs.mask_token_id)]
    filled = ambos.load(folder).fill(f"O gato {written} no tapete.", top=7)
    assert len(filled.masks) == 1
    same_candidates(filled.masks[0], expected)
    for one in filled.masks[0]:
        text = theirs.decode([one.id], skip_special_tokens=True, clean_up_tokenization_spaces=False)
        assert one.token == (text.strip() or theirs.convert_ids_to_tokens(one.id))


def test_several_masks(model_folder, kind) -> None:
    """Each as if the others stayed masks, written in either way."""
    folder = model_folder(kind)
    theirs = tokenizer_of(folder)
    mask = theirs.mask_token
    ids = theirs(f"{mask} gato {mask} no {mask}.")["input_ids"]
    places = [place for place, one in enumerate(ids) if one == theirs.mask_token_id]
    expected = log_probabilities(folder, ids).exp()
    filled = ambos.load(folder).fill("[MASK] gato <mask> no [MASK].")
    assert len(filled.masks) == len(places) == 3
    for found, place in zip(filled.masks, places, strict=True):
        same_candidates(found, expected[place])


def fill_with(model, text: str, pieces: list[str]) -> str:
    """Fill a text with a network that prefers these pieces, one for each mask."""
    ids = [model.tokenizer.backend.token_to_id(piece) for piece in pieces]
    assert None not in ids, pieces

    def network(batch, kind, read):
        logits = torch.zeros(len(read), model.tokenizer.vocab_size)
        logits[range(len(ids)), ids] = 9.0
        return logits

    return fill_masks(text, model.tokenizer, network, top=1, device=torch.device("cpu")).text


@pytest.mark.parametrize(
    ("kind", "text", "pieces", "expected"),
    [
        ("wordpiece", "O [MASK] chegou.", ["banco"], "O banco chegou."),
        ("wordpiece", "O banc [MASK] chegou.", ["##o"], "O banco chegou."),
        ("wordpiece", '"[MASK]"', ["banco"], '"banco"'),
        ("wordpiece", "Os [MASK] [MASK].", ["banco", "##s"], "Os bancos."),
        ("wordpiece", "O [MASK].", ["[UNK]"], "O [UNK]."),
        ("bpe", "O [MASK] chegou.", ["Ġbanco"], "O banco chegou."),
        ("bpe", "O banc <mask> chegou.", ["o"], "O banco chegou."),
        ("bpe", "O<mask> chegou.", ["Ġbanco"], "O banco chegou."),
        ("bpe", "<mask> banco", ["O"], "O banco"),
        ("unigram", "O [MASK] chegou.", ["▁banco"], "O banco chegou."),
        ("unigram", "O banc <mask> chegou.", ["o"], "O banco chegou."),
        ("unigram", "<mask> banco", ["▁O"], "O banco"),
        ("unigram", "O banco <mask>", ["▁"], "O banco "),
    ],
)
def test_the_best_candidate_is_written_as_a_reader_would(model_folder, kind, text, pieces, expected) -> None:
    assert fill_with(ambos.load(model_folder(kind)), text, pieces) == expected


def test_what_cannot_be_filled(model_folder) -> None:
    model = ambos.load(model_folder("wordpiece"))
    with pytest.raises(InputError, match="no mask"):
        model.fill("O gato dorme.")
    for top in (0, -1):
        with pytest.raises(UsageError, match="candidates"):
            model.fill("[MASK]", top)
    with pytest.raises(InputError, match="longer than the model can read"):
        model.fill("[MASK] " * 63)
    assert len(model.fill("[MASK] " * 62).masks) == 62
    with pytest.raises(InputError, match="no mlm head"):
        ambos.load("minilm").fill("[MASK]")


@pytest.mark.parametrize("whole_words", [False, True])
def test_score_equals_masking_by_hand(model_folder, kind, whole_words) -> None:
    folder = model_folder(kind)
    theirs = tokenizer_of(folder)
    encoding = theirs(TEXT)
    ids, words = encoding["input_ids"], encoding.word_ids()
    expected = []
    for place, word in enumerate(words):
        if word is None:
            continue
        masked = list(ids)
        masked[place] = theirs.mask_token_id
        if whole_words:
            for later in range(place + 1, len(ids)):
                if words[later] == word:
                    masked[later] = theirs.mask_token_id
        expected.append(float(log_probabilities(folder, masked)[place, ids[place]]))
    score = ambos.load(folder).score(TEXT, whole_words=whole_words)
    found = [token.log_probability for token in score.tokens]
    assert found == pytest.approx(expected, abs=1e-4)
    assert score.log_likelihood == pytest.approx(sum(expected), abs=1e-3)
    assert score.perplexity == pytest.approx(exp(-sum(expected) / len(expected)), rel=1e-4)
    assert "".join(TEXT[token.start : token.end] for token in score.tokens) == TEXT.replace(" ", "")


def test_whole_words_matter_where_a_word_has_pieces(model_folder) -> None:
    model = ambos.load(model_folder("wordpiece"))
    plain, whole = (
        model.score("Otorrinolaringologista."),
        model.score("Otorrinolaringologista.", whole_words=True),
    )
    assert len(plain.tokens) > 2
    assert plain.tokens[0].log_probability != pytest.approx(whole.tokens[0].log_probability)
    assert plain.tokens[-1].log_probability == pytest.approx(whole.tokens[-1].log_probability, abs=1e-5)


def test_perplexity() -> None:
    assert Score((TokenScore("a", 0, 1, -1.0), TokenScore("b", 1, 2, -3.0))).perplexity == exp(2)
    assert Score((TokenScore("a", 0, 1, -5000.0),)).perplexity == inf


@pytest.mark.parametrize("text", [["um", "dois"], ["um", "dois", "três"], ("um",), None, 3, b"um"])
def test_one_text_is_asked_for(model_folder, text) -> None:
    """Two were taken for a pair, and of three the last one was left out without a word."""
    model = ambos.load(model_folder("wordpiece"))
    for verb in (model.score, model.fill):
        with pytest.raises(UsageError, match="the input is no text"):
            verb(text)


def test_what_cannot_be_scored(model_folder) -> None:
    model = ambos.load(model_folder("wordpiece"))
    with pytest.raises(InputError, match="nothing to score"):
        model.score(" ")
    with pytest.raises(InputError, match="longer than the model can read"):
        model.score("banco " * 63)
    assert len(model.score("banco " * 62).tokens) == 62
