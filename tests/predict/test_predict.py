"""`Model.predict`: what transformers says of the same texts, whatever stands beside them; a tag a word."""

import numpy as np
import pandas as pd
import pytest
import torch
import transformers

import ambos
from ambos.data.windows import Ledger
from ambos.errors import InputError, UsageError
from ambos.tasks.tag import tokenise_words
from tests.predict.models import LABELS
from tests.predict.reference import tokenizer_of

TEXTS = ["O banco chegou hoje.", "a word", "", "Que noite, que porto, que banco!", "banco " * 100]


def logits_of(folder, model_class, text: str) -> np.ndarray:
    """What transformers computes of one text, cut where the model ends."""
    model = model_class.from_pretrained(folder).eval()
    inputs = tokenizer_of(folder)(text, truncation=True, max_length=64, return_tensors="pt")
    with torch.no_grad():
        return model(**inputs).logits[0].numpy()


def test_a_classifier(task_folder, kind):
    folder = task_folder("classify", kind)
    found = ambos.load(folder).predict(TEXTS)
    for text, one in zip(TEXTS, found, strict=True):
        logits = logits_of(folder, transformers.AutoModelForSequenceClassification, text)
        np.testing.assert_allclose(one.logits, logits, atol=1e-4)
        expected = torch.from_numpy(logits / 2).softmax(-1).numpy()  # the temperature of the model is 2
        np.testing.assert_allclose(one.probabilities, expected, atol=1e-5)
        assert one.labels == (LABELS.names[logits.argmax()],)


def test_several_labels(task_folder):
    for one in ambos.load(task_folder("several")).predict(TEXTS):
        expected = tuple(np.array(LABELS.names)[one.logits > 0])
        assert one.labels == expected


def test_scores(task_folder):
    folder = task_folder("score")
    found = ambos.load(folder).predict(TEXTS)
    expected = [logits_of(folder, transformers.AutoModelForSequenceClassification, text)[0] for text in TEXTS]
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert all(isinstance(score, float) for score in found)


def test_a_tagger(task_folder, kind):
    model = ambos.load(task_folder("tag", kind))
    words = ["O", "banco", "\u200b", "chegou", "a", "xyzxyzxyz" * 3, "."]
    inputs = [words, [], ["porto"], " O banco\tchegou ", words * 30]
    found = model.predict(inputs)
    assert [len(one.tags) for one in found] == [7, 0, 1, 3, 210]
    assert all(len(one.tags) == len(one.probabilities) for one in found)
    logits = logits_of(
        task_folder("tag", kind), transformers.AutoModelForTokenClassification, "O banco chegou"
    )
    first = np.array(next(tokenise_words(model.tokenizer, [["O", "banco", "chegou"]])).starts) + 1
    assert found[3].tags == tuple(model.labels[place] for place in logits[first].argmax(-1))
    assert model.predict([["O", "banco", "chegou"]])[0].tags == found[3].tags


def test_answers(task_folder):
    passage = "Ana nasceu em São Paulo. " + "O banco chegou ao porto. " * 20
    long, short = ambos.load(task_folder("answer")).predict(
        [("Onde nasceu Ana?", passage), ["Quem?", "Ana."]]
    )
    assert len(long.candidates) == 5
    for text, said in ((passage, long), ("Ana.", short)):
        assert 0 < said.probability <= 1
        assert all(text[one.start : one.end] == one.text != "" for one in said.candidates)
        assert said.best.text in {"", said.candidates[0].text}


def test_neighbours_do_not_matter(task_folder):
    model = ambos.load(task_folder("classify"))
    together = model.predict(TEXTS * 20)
    alone = [model.predict([text])[0] for text in TEXTS]
    for one, other in zip(together, alone * 20, strict=True):
        np.testing.assert_allclose(one.logits, other.logits, atol=1e-5)


def test_long_texts(task_folder):
    model = ambos.load(task_folder("classify"))
    ledger = Ledger()
    model.predict(TEXTS, ledger=ledger)
    assert (ledger.texts, ledger.long_texts, ledger.cut_tokens) == (5, 1, 38)
    windows = Ledger()
    model.predict(TEXTS, long="windows", max_length=16, ledger=windows)
    assert windows.windows > 5
    assert windows.cut_tokens == 0
    with pytest.raises(InputError, match="longer than the model can read"):
        model.predict(TEXTS, long="error")


def test_texts_are_read_as_in_training(task_folder, tmp_path):
    from ambos.bundle.bundle import Bundle  # noqa: PLC0415
    from ambos.predict.learnt import remember, task_of  # noqa: PLC0415
    from ambos.tasks.task import Reading  # noqa: PLC0415

    bundle = Bundle.load(task_folder("classify"))
    remember(bundle, task_of(bundle), Reading(bundle.tokenizer, 16, "head-tail"))
    bundle.save(tmp_path / "short")
    model = ambos.load(tmp_path / "short")
    assert (model.reading().limit, model.reading().long) == (16, "head-tail")
    assert (model.reading("cut", 32).limit, model.reading("cut", 32).long) == (32, "cut")


def test_any_iterable(task_folder):
    model = ambos.load(task_folder("classify"))
    assert model.predict([]) == []
    assert len(model.predict(text for text in TEXTS)) == 5


@pytest.mark.parametrize(
    ("task", "inputs", "what"),
    [
        ("classify", "um texto", "one text instead of a list"),
        ("classify", ["um", 3], "input 2 cannot be read"),
        ("score", [None], "input 1 cannot be read"),
        ("tag", [["um", 2]], "input 1 cannot be read"),
        ("tag", [3], "input 1 cannot be read"),
        ("tag", [{"words": "um", "tags": "O"}], "input 1 cannot be read"),
        ("answer", ["Onde?"], "input 1 cannot be read"),
        ("answer", [{"question": "Onde?", "passage": "Ali."}], "input 1 cannot be read"),
        ("answer", [("Onde?",)], "input 1 cannot be read"),
        ("answer", [("Onde?", None)], "input 1 cannot be read"),
    ],
)
def test_what_is_no_input(task_folder, task, inputs, what):
    with pytest.raises(UsageError, match=what) as caught:
        ambos.load(task_folder(task)).predict(inputs)
    assert caught.value.expected


@pytest.mark.parametrize("names", [{"text": ["um"]}, pd.DataFrame({"text": ["um"]})])
def test_names_of_columns_are_no_texts(task_folder, names):
    model = ambos.load(task_folder("classify"))
    for ask in (model.predict, model.embed, lambda texts: list(model.embed_stream(texts))):
        with pytest.raises(UsageError, match="columns by name instead of a list"):
            ask(names)
    assert len(model.predict(pd.Series(["um", "dois"]))) == 2


def test_what_cannot_be_done(task_folder, model_folder):
    with pytest.raises(InputError, match="not fine-tuned"):
        ambos.load(model_folder("wordpiece")).predict(["um"])
    model = ambos.load(task_folder("classify"))
    for length in (0, 65):
        with pytest.raises(UsageError, match=f"texts of {length} tokens"):
            model.predict(["um"], max_length=length)
    with pytest.raises(UsageError, match="no way 'ends'"):
        model.predict(["um"], long="ends")
