"""`ambos score`: every token with its probability, and what the sum means."""

import json
import math

import pytest

import ambos as api

TEXT = "O gatinho dorme no telhado."


@pytest.mark.parametrize("whole_words", [False, True])
def test_scores(ambos, model_folder, kind, whole_words):
    folder = model_folder(kind)
    said = json.loads(ambos("score", folder, TEXT, "--json", *(["--whole-words"] if whole_words else [])).out)
    expected = api.load(folder).score(TEXT, whole_words=whole_words)
    rows = said["tokens"]
    assert [row["token"] for row in rows] == [one.token for one in expected.tokens]
    assert "".join(row["text"] for row in rows) == TEXT.replace(" ", "")
    assert all(TEXT[row["start"] : row["end"]] == row["text"] for row in rows)
    assert all(row["probability"] == math.exp(row["log_probability"]) for row in rows)
    assert said["log_likelihood"] == pytest.approx(sum(row["log_probability"] for row in rows))
    assert said["perplexity"] == pytest.approx(math.exp(-said["log_likelihood"] / len(rows)))
    assert said["whole_words"] is whole_words


def test_for_people(ambos, model_folder):
    ran = ambos("score", model_folder("unigram"), "O gato [red] \x1b[31mdorme.")
    assert (ran.code, ran.err) == (0, "")
    assert "\x1b" not in ran.out
    said = " ".join(ran.out.split())
    for part in ("log P", "pseudo-log-likelihood -", "· tokens ", "perplexity ", "Salazar et al. 2020"):
        assert part in said
    assert "models with the same vocabulary" in said
    assert "Kauf" not in said
    whole = ambos("score", model_folder("unigram"), "O gato dorme.", "--whole-words")
    assert "Kauf and Ivanova 2023" in " ".join(whole.out.split())


def test_what_is_refused(ambos, model_folder):
    folder = model_folder("wordpiece")
    ambos("score", folder, "  ").refused(3, "there is nothing to score")
    ambos("score", folder, "gato " * 80).refused(3, "longer than the model can read")
    ambos("score", "minilm", "gato").refused(3, "this model has no mlm head")
    ambos("score", "minlm", "gato").refused(3, "there is no model 'minlm'")
    ambos("score", folder / "config.json", "gato").refused(3, "a model is a folder, not a file")
    ambos("score", folder, "gato", "--whole-word").refused(2, "--whole-word")
