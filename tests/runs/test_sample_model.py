"""What a minute of pretraining on the sample is worth: its own held-out text, agreement, senses, fine-tuning."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from ambos.bundle.bundle import Bundle
from ambos.data.batch import Batch
from ambos.sample import write_sample

pytestmark = pytest.mark.slow


def rows(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.open(encoding="utf-8")]


@pytest.fixture(scope="module")
def whole_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample in its usual size, as `ambos sample` writes it."""
    folder = tmp_path_factory.mktemp("whole")
    write_sample(folder, seed=0)
    return folder


@pytest.fixture(scope="module")
def run(whole_sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "run"
    command = [
        sys.executable,
        "-m",
        "ambos.cli.app",
        "pretrain",
        str(whole_sample / "corpus"),
        "--minutes",
        "1",
    ]
    command += [
        "--heldout",
        str(whole_sample / "heldout"),
        "--out",
        str(out),
        "--set",
        "tokenizer.vocab_size=8000",
    ]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return out


@pytest.fixture(scope="module")
def trained(run: Path) -> Bundle:
    return Bundle.load(run)


@pytest.fixture(scope="module")
def random(trained: Bundle) -> Bundle:
    """The same architecture with new weights."""
    found = Bundle.new(trained.config, trained.tokenizer, seed=1)
    found.add_head("mlm")
    return found


def test_it_beats_chance_by_far_on_its_held_out_text(run: Path) -> None:
    measured = [
        record for record in map(json.loads, (run / "metrics.jsonl").open()) if record["kind"] == "heldout"
    ]
    chance = np.log(json.loads((run / "run.json").read_text())["model"]["vocab_size"])
    # A guess that knows the frequencies of words alone is at about 5.5 here.
    assert measured[-1]["mlm_loss"] < 0.5 * chance
    assert measured[-1]["mlm_accuracy"] > 0.35


def agreement(bundle: Bundle, items: list[dict]) -> float:
    """How often the right form of the verb is likelier than the wrong one in its place."""
    tokenizer = bundle.tokenizer
    mask, right = tokenizer.special_id("mask"), 0
    asked = []
    for item in items:
        before, after = item["text"][: item["verb_start"]], item["text"][item["verb_end"] :]
        encoded = tokenizer.encode(f"{before}{tokenizer.specials.mask}{after}")
        forms = [tokenizer.backend.token_to_id(item[key]) for key in ("right", "wrong")]
        if None not in forms and len(encoded) <= bundle.config.context:
            asked.append((encoded, encoded.ids.index(mask), forms))
    assert len(asked) > 200
    with torch.inference_mode():
        for encoded, place, forms in asked:
            batch = Batch.pack([encoded.ids], [encoded.segments])
            logits = bundle.network(batch, "mlm", torch.tensor([place]))[0]
            right += bool(logits[forms[0]] > logits[forms[1]])
    return right / len(asked)


def test_it_tells_singular_from_plural(trained: Bundle, random: Bundle, whole_sample: Path) -> None:
    items = rows(whole_sample / "agreement" / "test.jsonl")
    near = [item for item in items if item["distance"] <= 6]
    assert agreement(trained, near) > 0.75
    assert agreement(trained, items) > agreement(random, items) + 0.1


def sense_accuracy(bundle: Bundle, folder: Path) -> float:
    """Nearest mean of a sense in the vectors of a word."""
    train, test = (rows(folder / "senses" / f"{part}.jsonl") for part in ("train", "test"))

    def vectors(items: list[dict]) -> torch.Tensor:
        found = []
        with torch.inference_mode():
            for item in items:
                encoded = bundle.tokenizer.encode(item["text"])
                inside = [
                    place
                    for place, (start, end) in enumerate(encoded.offsets)
                    if start < item["end"] and end > item["start"] and encoded.sides[place] is not None
                ]
                batch = Batch.pack([encoded.ids], [encoded.segments])
                found.append(bundle.network.encoder(batch, read=torch.tensor(inside)).last.mean(0))
        return F.normalize(torch.stack(found), dim=-1)

    known, asked = vectors(train), vectors(test)
    right = 0
    for vector, item in zip(asked, test, strict=True):
        senses = sorted({other["sense"] for other in train if other["word"] == item["word"]})
        means = [
            known[[number for number, other in enumerate(train) if other["sense"] == sense]].mean(0)
            for sense in senses
        ]
        right += senses[int(torch.stack([vector @ mean for mean in means]).argmax())] == item["sense"]
    return right / len(test)


def test_it_tells_senses_apart(trained: Bundle, random: Bundle, whole_sample: Path) -> None:
    found = sense_accuracy(trained, whole_sample)
    assert found > 0.75
    assert found > sense_accuracy(random, whole_sample) + 0.05


def classify(bundle: Bundle, folder: Path, count: int = 600) -> float:
    """Fine-tune on a few topics of texts, and return the accuracy on others."""
    torch.manual_seed(0)
    train, test = rows(folder / "topic" / "train.jsonl")[:count], rows(folder / "topic" / "test.jsonl")
    labels = tuple(sorted({row["label"] for row in train}))
    bundle.add_head("classify", labels)
    network = bundle.network.train()
    optimiser = torch.optim.AdamW(network.parameters(), lr=5e-4)
    encoded = bundle.tokenizer.encode_batch([row["text"] for row in train])
    for epoch in range(2):
        order = np.random.default_rng(epoch).permutation(len(train))
        for first in range(0, len(order), 16):
            chosen = sorted(order[first : first + 16], key=lambda number: -len(encoded[number]))
            batch = Batch.pack([encoded[number].ids for number in chosen])
            targets = torch.tensor([labels.index(train[number]["label"]) for number in chosen])
            loss = F.cross_entropy(network(batch, "classify"), targets)
            loss.backward()
            optimiser.step()
            optimiser.zero_grad()
    network.eval()
    with torch.inference_mode():
        found = [
            labels[int(network(Batch.pack([one.ids]), "classify").argmax())]
            for one in bundle.tokenizer.encode_batch([row["text"] for row in test])
        ]
    return float(np.mean([guess == row["label"] for guess, row in zip(found, test, strict=True)]))


def test_fine_tuned_it_beats_the_same_architecture_from_random_weights(
    run: Path, random: Bundle, whole_sample: Path
) -> None:
    assert classify(Bundle.load(run), whole_sample) > classify(random, whole_sample) + 0.05
