"""Fine-tuning without files: steps are those of transformers and torch, and the same for the same seed."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoModelForTokenClassification

from ambos.bundle.bundle import Bundle
from ambos.data.rows import PairRow, QuestionRow, TextRow, WordsRow
from ambos.errors import UsageError
from ambos.recipe import load_recipe
from ambos.runs.finetune import Finetuning
from ambos.runs.finetune_settings import FinetuneRecipe
from ambos.runs.log import Silent
from ambos.train.loop import State
from ambos.train.signals import Stop

HERE = Path("rows")
GOOD, BAD = ("que", "com", "uma", "por"), ("the", "of", "and", "in")  # frequent: one token each


def reviews(count: int, seed: int = 0) -> list[TextRow]:
    """Texts whose label follows from one word."""
    chance = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        label = int(chance.integers(2))
        word = (BAD, GOOD)[label][chance.integers(4)]
        filler = " ".join(chance.choice(["o", "gato", "casa", "dia", "muito"], chance.integers(1, 9)))
        rows.append(TextRow(f"{filler} {word}.", (("neg", "pos")[label],), None, HERE, 1))
    return rows


def recipe(task: str = "classify", **values: object) -> FinetuneRecipe:
    given = {"task": task, "batch": 8, "epochs": 2.0, "learning": {"lr": 1e-3, "dropout": 0.0}}
    return load_recipe(FinetuneRecipe, [given, values])


def train(work: Finetuning) -> State:
    return work.loop(Silent()).run(State(due=False), Stop())


def weights(bundle: Bundle) -> dict[str, torch.Tensor]:
    return {name: weight.detach().clone() for name, weight in bundle.network.named_parameters()}


@pytest.mark.parametrize("kind", ["wordpiece", "bpe"])
def test_a_step_is_that_of_transformers(
    model_folder: Callable[[str], Path], tmp_path: Path, kind: str
) -> None:
    """Same head, same rows, one update: the same weights as transformers' model and torch's AdamW give.

    A large epsilon: without it AdamW makes whole steps of gradients that are 0 but for rounding.
    """
    rows = reviews(8)
    how = recipe(
        epochs=1.0, schedule={"shape": "constant", "warmup": 0.0}, learning={"weight_decay": 0.1, "eps": 1e-3}
    )
    work = Finetuning(Bundle.load(model_folder(kind)), rows, [], how)
    work.bundle.save(tmp_path / "before")
    peer = AutoModelForSequenceClassification.from_pretrained(tmp_path / "before").eval()
    plain = [weight for weight in peer.parameters() if weight.ndim < 2]
    matrices = [weight for weight in peer.parameters() if weight.ndim >= 2]
    optimiser = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": 0.1}, {"params": plain, "weight_decay": 0.0}], lr=1e-3, eps=1e-3
    )
    tokenizer = work.reading.tokenizer
    encoded = tokenizer.encode_batch([row.text for row in rows])
    labels = torch.tensor([work.task.labels.id_of(row.labels[0]) for row in rows])
    losses = [
        peer(input_ids=torch.tensor([one.ids]), labels=label[None]).loss
        for one, label in zip(encoded, labels, strict=True)
    ]
    torch.stack(losses).mean().backward()
    torch.nn.utils.clip_grad_norm_(peer.parameters(), 1.0)
    optimiser.step()
    assert train(work).step == 1
    work.bundle.save(tmp_path / "after")
    after = AutoModelForSequenceClassification.from_pretrained(tmp_path / "after").state_dict()
    for name, weight in peer.state_dict().items():
        assert torch.allclose(weight, after[name], atol=1e-6), name
    assert after["classifier.out_proj.weight" if kind == "bpe" else "classifier.weight"].shape[0] == 2


def test_it_learns_and_the_same_seed_gives_the_same_weights(model_folder: Callable[[str], Path]) -> None:
    rows, dev = reviews(500), reviews(100, seed=1)
    found = []
    for seed in (3, 3, 4):
        how = recipe(epochs=6.0, seed=seed, learning={"dropout": 0.05, "lr": 2e-3})
        work = Finetuning(Bundle.load(model_folder("wordpiece")), rows, dev, how)
        train(work)
        work.finish()
        found.append(weights(work.bundle))
        assert work.measure(dev)["accuracy"].value > 0.9
        assert work.best.figure == work.measure(dev)["accuracy"].value
    assert all(torch.equal(found[0][name], found[1][name]) for name in found[0])
    assert any(not torch.equal(found[0][name], found[2][name]) for name in found[0])


def test_a_metric_that_is_not_there_is_refused_before_training(model_folder: Callable[[str], Path]) -> None:
    with pytest.raises(UsageError, match="there is no metric 'acuracy' for classify") as caught:
        Finetuning(
            Bundle.load(model_folder("wordpiece")), reviews(8), [], recipe(selection={"metric": "acuracy"})
        )
    assert caught.value.fix == "did you mean accuracy?"


def test_a_metric_that_only_some_rows_give_may_decide(model_folder: Callable[[str], Path]) -> None:
    """Questions with and without answers: those that the weights are chosen by say what there is."""
    there = QuestionRow("1", "quem dorme?", "o gato dorme", (("o gato", 0),), HERE, 1)
    nowhere = QuestionRow("2", "quem canta?", "o gato dorme", (), HERE, 2)
    how = recipe("answer", selection={"metric": "answerable_f1"}, epochs=1.0)
    both = [there, nowhere]
    work = Finetuning(Bundle.load(model_folder("wordpiece")), both, both, how)
    train(work)
    assert work.best.step >= 0
    assert set(work.task.metrics_of(both)) == work.measure(both).keys()
    for some in ([there], [nowhere], []):
        with pytest.raises(UsageError, match="there is no metric 'answerable_f1' for answer") as caught:
            Finetuning(Bundle.load(model_folder("wordpiece")), both, some, how)
        assert caught.value.expected == "one of exact_match, f1"


def test_pairs_without_labels_have_no_correlation_to_decide(model_folder: Callable[[str], Path]) -> None:
    """Of training rows there may be labels, where those that the weights are chosen by have none."""
    rows = [
        PairRow(f"o gato {number}", f"um gato {number}", ("yes",), None, HERE, number) for number in range(4)
    ]
    bare = [replace(row, labels=()) for row in rows]
    given = {"scheme": "embed", "positive": "yes"}
    how = recipe("embed", pair=given, selection={"metric": "spearman"}, epochs=1.0)
    work = Finetuning(Bundle.load(model_folder("wordpiece")), rows, rows, how)
    assert set(work.task.metrics_of(rows)) == work.measure(rows).keys()
    with pytest.raises(UsageError, match="there is no metric 'spearman' for embed"):
        Finetuning(Bundle.load(model_folder("wordpiece")), rows, bare, how)


@pytest.mark.parametrize("freeze", ["all", 2])
def test_what_is_frozen_stays(model_folder: Callable[[str], Path], freeze: object) -> None:
    work = Finetuning(
        Bundle.load(model_folder("wordpiece")), reviews(40), [], recipe(learning={"freeze": freeze})
    )
    before = weights(work.bundle)
    train(work)
    changed = {name for name, weight in weights(work.bundle).items() if not torch.equal(weight, before[name])}
    frozen = (
        ("encoder.",)
        if freeze == "all"
        else ("encoder.embeddings.", "encoder.layers.0.", "encoder.layers.1.")
    )
    assert not any(name.startswith(frozen) for name in changed)
    assert {"heads.classify.out.weight", "heads.classify.out.bias"} <= changed
    assert (freeze == "all") != any(name.startswith("encoder.layers.2.") for name in changed)


def rates_of(work: Finetuning) -> dict[str, float]:
    """Return the learning rate of every weight that learns."""
    optimiser = work.loop(Silent()).optimiser
    rates = {
        id(weight): group["lr"] for group in optimiser.parts[0].param_groups for weight in group["params"]
    }
    named = dict(work.bundle.network.named_parameters())
    return {name: rates[id(weight)] for name, weight in named.items() if id(weight) in rates}


@pytest.mark.parametrize(("scheme", "factor"), [("joint", 1), ("combined", 10), ("attention", 1)])
def test_heads_of_two_vectors_learn_faster(
    model_folder: Callable[[str], Path], scheme: str, factor: float
) -> None:
    rows = [PairRow(row.text, row.text, row.labels, None, HERE, 1) for row in reviews(8)]
    how = recipe(pair={"scheme": scheme}, data={"pairs": True}, epochs=1.0)
    found = rates_of(Finetuning(Bundle.load(model_folder("wordpiece")), rows, [], how))
    assert found["heads.classify.out.weight"] == pytest.approx(factor * 1e-3)
    assert found["encoder.layers.2.attention.out.weight"] == pytest.approx(1e-3)


def test_lower_layers_learn_more_slowly(model_folder: Callable[[str], Path]) -> None:
    how = recipe(learning={"layer_decay": 0.5, "head_lr": 3.0}, epochs=1.0)
    work = Finetuning(Bundle.load(model_folder("wordpiece")), reviews(8), [], how)
    found = rates_of(work)
    assert found["encoder.layers.2.attention.out.weight"] == pytest.approx(1e-3)
    assert found["encoder.layers.0.attention.out.bias"] == pytest.approx(2.5e-4)
    assert found["encoder.embeddings.token.weight"] == pytest.approx(1.25e-4)
    assert found["heads.classify.out.weight"] == pytest.approx(3e-3)


@pytest.mark.parametrize(
    ("pooling", "hidden"), [("mean", False), ("max", False), ("cls", True), ("mean", True)]
)
def test_heads_of_our_own_survive_saving(
    model_folder: Callable[[str], Path], tmp_path: Path, pooling: str, hidden: bool
) -> None:
    rows = reviews(40)
    how = recipe(head={"pooling": pooling, "hidden": hidden})
    work = Finetuning(Bundle.load(model_folder("bpe")), rows, [], how)
    train(work)
    work.finish()
    work.bundle.save(tmp_path / "saved")
    again = Bundle.load(tmp_path / "saved")
    assert again.labels == ("neg", "pos")
    assert again.learnt["name"] == "classify"
    examples = work.task.encode(rows, work.reading, work.ledger, labelled=True)
    part = examples.part(np.arange(len(rows)))
    again.network.eval()
    assert torch.equal(
        again.network(part.batch, "classify"), work.bundle.network.eval()(part.batch, "classify")
    )
    assert ("dense" in dict(again.network.heads["classify"].named_children())) == hidden


def test_early_stopping_keeps_the_best(model_folder: Callable[[str], Path]) -> None:
    how = recipe(epochs=30.0, learning={"lr": 3e-3}, selection={"patience": 2})
    work = Finetuning(Bundle.load(model_folder("wordpiece")), reviews(80), reviews(40, seed=1), how)
    state = train(work)
    assert work.ended_early
    assert state.step < 300
    assert work.best.since == 2
    assert work.best.step == state.step - 2 * 10
    work.finish()
    assert work.measure(work.dev)["accuracy"].value == work.best.figure


def test_tags_are_learnt_at_first_tokens(model_folder: Callable[[str], Path], tmp_path: Path) -> None:
    chance = np.random.default_rng(0)
    rows = []
    for _ in range(120):
        words = [str(word) for word in chance.choice(["Ana", "gato", "Rui", "casa", "."], 6)]
        rows.append(
            WordsRow(tuple(words), tuple("B-PER" if w in {"Ana", "Rui"} else "O" for w in words), HERE, 1)
        )
    work = Finetuning(
        Bundle.load(model_folder("wordpiece")), rows, [], recipe("tag", epochs=6.0, learning={"lr": 3e-3})
    )
    train(work)
    work.finish()
    assert work.measure(rows)["micro_f1"].value > 0.95
    work.bundle.save(tmp_path / "tagger")
    peer = AutoModelForTokenClassification.from_pretrained(tmp_path / "tagger").eval()
    assert peer.config.id2label == {0: "O", 1: "B-PER"}
