"""Names and order of labels are the same in a bundle, in `transformers` and behind ONNX."""

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch
import transformers

from ambos.bundle.bundle import Bundle
from ambos.data.label_set import LabelSet
from ambos.data.rows import TextRow, WordsRow
from ambos.data.windows import Ledger
from ambos.predict.learnt import task_of
from ambos.predict.model import load
from ambos.predict.rows import logits_of
from ambos.recipe import load_recipe
from ambos.runs.finetune import Finetuning
from ambos.runs.finetune_settings import FinetuneRecipe
from ambos.runs.log import Silent
from ambos.tasks.task import Reading
from ambos.train.loop import State
from ambos.train.signals import Stop

HERE = Path("rows")
TEXTS = ["o gato dorme", "a casa é grande", "muito bom", "não gostei do dia", "uma por uma", "que bom dia"]
# None is in the order of its ids, of its letters or of its values, and each would be spoilt by some guess.
ODD = ("não sei", "10", "9", "Ação!", "a b", "LABEL_0", "ação", "true")
TAGS = ("I-SÃO", "O", "B-SÃO", "B-10", "I-10")


def rows_of(task: str, names: tuple[str, ...], *, several: bool) -> list[Any]:
    """Rows in which every label occurs, several in a row where there may be."""
    rows: list[Any] = []
    for number in range(24):
        text, label = TEXTS[number % len(TEXTS)], names[number % len(names)]
        if task == "tag":
            words = tuple(text.split())
            tags = tuple(names[(number + place) % len(names)] for place in range(len(words)))
            rows.append(WordsRow(words, tags, HERE, number))
        else:
            labels = (label, names[(number + 3) % len(names)]) if several else (label,)
            rows.append(TextRow(text, labels, None, HERE, number))
    return rows


@pytest.fixture(
    scope="module", params=["classify", "several", "tag"], ids=["one label", "several labels", "tags"]
)
def saved(
    request: pytest.FixtureRequest,
    model_folder: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, tuple[str, ...]]:
    """A bundle that was fine-tuned for a few steps, and the labels it was given."""
    several = request.param == "several"
    task, names = ("tag", TAGS) if request.param == "tag" else ("classify", ODD)
    recipe = load_recipe(
        FinetuneRecipe,
        [{"task": task, "several": several, "batch": 8, "epochs": 2.0, "learning": {"lr": 1e-3}}],
    )
    rows = rows_of(task, names, several=several)
    work = Finetuning(Bundle.load(model_folder("wordpiece")), rows, rows[:8], recipe, LabelSet(names))
    work.loop(Silent()).run(State(due=False), Stop())
    work.finish()
    folder = tmp_path_factory.mktemp("labels") / "bundle"
    work.bundle.save(folder)
    return folder, names


def ours(folder: Path) -> list[dict[str, float]]:
    """The logits of every text, or word, by the name of the label; as ambos computes and names them."""
    bundle = Bundle.load(folder)
    task, reading = task_of(bundle), Reading(bundle.tokenizer, 64)
    rows = [
        WordsRow(tuple(text.split()), (), HERE, 1) if task.name == "tag" else TextRow(text, (), None, HERE, 1)
        for text in TEXTS
    ]
    examples = task.encode(rows, reading, Ledger(), labelled=False)
    logits = logits_of(bundle.network, task, examples, device=torch.device("cpu"))
    return [dict(zip(bundle.labels, row.tolist(), strict=True)) for row in logits]


def theirs(folder: Path, logits: np.ndarray) -> list[dict[str, float]]:
    """The same from logits of padded texts, with nothing but the names in config.json."""
    named = json.loads((folder / "config.json").read_text(encoding="utf-8"))["id2label"]
    rows = logits if logits.ndim == 2 else logits[first_tokens(folder)]
    return [{named[str(place)]: float(value) for place, value in enumerate(row)} for row in rows]


def first_tokens(folder: Path) -> tuple[list[int], list[int]]:
    """Row and column of the first token of every word."""
    encoded = padded(folder)
    found = [
        (row, encoded.word_to_tokens(row, word).start)
        for row, text in enumerate(TEXTS)
        for word in range(len(text.split()))
    ]
    return [row for row, _ in found], [column for _, column in found]


def padded(folder: Path) -> transformers.BatchEncoding:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return tokenizer(TEXTS, padding=True, return_tensors="pt")


def peer_of(folder: Path) -> transformers.PreTrainedModel:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return getattr(transformers, config["architectures"][0]).from_pretrained(folder).eval()


def check_same(found: list[dict[str, float]], expected: list[dict[str, float]]) -> None:
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert list(one) == list(other)
        assert one == pytest.approx(other, abs=1e-5)


def test_saved_and_loaded(saved: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    folder, names = saved
    loaded = Bundle.load(folder)
    loaded.save(tmp_path / "again")
    assert loaded.labels == names == Bundle.load(tmp_path / "again").labels
    for file in ("config.json", "model.safetensors"):
        assert (tmp_path / "again" / file).read_bytes() == (folder / file).read_bytes()
    model = load(folder, "cpu")
    assert model.labels == names == model.learnt.labels.names
    first = model.predict(TEXTS[:1])[0]
    best = [max(row, key=row.__getitem__) for row in ours(folder)]
    if model.task == "tag":
        assert list(first.tags) == best[: len(first.tags)]
    elif len(first.labels) == 1:
        assert first.labels == (best[0],)
    else:
        assert set(first.labels) == {name for name, logit in ours(folder)[0].items() if logit > 0}


def test_transformers_has_them(saved: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    folder, names = saved
    peer = peer_of(folder)
    assert tuple(peer.config.id2label[number] for number in range(len(names))) == names
    assert peer.config.label2id == {name: number for number, name in enumerate(names)}
    with torch.no_grad():
        logits = peer(**padded(folder)).logits.numpy()
    check_same(theirs(folder, logits), ours(folder))
    peer.save_pretrained(tmp_path / "theirs")
    assert Bundle.load(tmp_path / "theirs").labels == names


def test_onnx_has_them(saved: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    """The exported graph knows no names: its outputs stand in the order of config.json."""
    folder, names = saved
    peer, encoded = peer_of(folder), padded(folder)
    inputs = ["input_ids", "attention_mask", "token_type_ids"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of tracing
        torch.onnx.export(
            peer,
            kwargs={name: encoded[name][:2] for name in inputs},
            f=str(tmp_path / "model.onnx"),
            input_names=inputs,
            output_names=["logits"],
            dynamic_axes={name: {0: "texts", 1: "tokens"} for name in inputs},
            opset_version=17,
            dynamo=False,  # a tenth of the time
        )
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    assert session.get_outputs()[0].shape[-1] == len(names)
    (logits,) = session.run(["logits"], {name: encoded[name].numpy() for name in inputs})
    check_same(theirs(folder, logits), ours(folder))
