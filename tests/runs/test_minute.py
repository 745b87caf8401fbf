"""What a minute on the sample is worth: text never seen, agreement, senses, and fine-tuning after it."""

import json
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
import torch

from ambos.bundle.bundle import Bundle
from ambos.data.batch import Batch
from ambos.data.windows import Ledger
from ambos.evaluate.comparison import compare
from ambos.evaluate.estimate import wilson
from ambos.predict.rows import predict_rows
from ambos.recipe import load_recipe
from ambos.runs.finetune import CPU, Finetuning
from ambos.runs.finetune_settings import DataFiles, FinetuneRecipe
from ambos.runs.log import Silent
from ambos.runs.splits import read_split
from ambos.sample import write_sample
from ambos.train.loop import State
from ambos.train.signals import Stop
from tests.runs.conftest import AMBOS

pytestmark = pytest.mark.slow

# What `ambos pretrain` reads in a minute on two cores with bfloat16 products. A test is not to depend on the
# speed of its machine: on two cores without them a minute is 1.2 M tokens, too few for agreement.
MINUTE = 2_250_000  # tokens


@pytest.fixture(scope="module")
def whole_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "sample"
    folder.mkdir()
    write_sample(folder, seed=0, corpus_mb=5)
    return folder


@pytest.fixture(scope="module")
def run(whole_sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("minute") / "run"
    command = [AMBOS, "pretrain", whole_sample / "corpus", "--heldout", whole_sample / "heldout"]
    done = subprocess.run(
        [*command, "--tokens", str(MINUTE), "--out", out, "--quiet"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def trained(run: Path) -> Bundle:
    return Bundle.load(run)


@pytest.fixture(scope="module")
def new(trained: Bundle) -> Bundle:
    """The same architecture with random weights."""
    return fresh(trained)


def fresh(trained: Bundle) -> Bundle:
    bundle = Bundle.new(trained.config, trained.tokenizer, seed=5)
    bundle.add_head("mlm", seed=6)
    return bundle


def rows(sample: Path, name: str, *splits: str) -> list[dict]:
    lines = [line for split in splits for line in (sample / name / f"{split}.jsonl").read_text().splitlines()]
    return [json.loads(line) for line in lines]


def beyond(right: np.ndarray, others: np.ndarray) -> float:
    """Return by how much answers are better than others to the same questions: the low end, at 95 %."""
    apart = right.astype(float) - others
    return float(apart.mean() - 1.96 * apart.std(ddof=1) / len(apart) ** 0.5)


def test_it_knows_text_it_never_saw(run: Path) -> None:
    """Many times as often right as the best guess without context, which is what it began with."""
    records = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    heldout = [record for record in records if record["kind"] == "heldout"]
    first, last = heldout[0], heldout[-1]
    low, _ = wilson(last["mlm_accuracy"], last["mlm_tokens"])
    assert low > 3 * first["mlm_accuracy"]
    assert last["mlm_loss"] < first["mlm_loss"] - 2


@torch.no_grad()
def agrees(bundle: Bundle, sample: Path, nearest: int) -> np.ndarray:
    """Tell for sentences with subject and verb near each other whether the right verb is the likelier one."""
    tokenizer, found = bundle.tokenizer, []
    bundle.network.eval()
    for row in rows(sample, "agreement", "dev", "test"):
        verbs = [tokenizer.encode(row[which]).ids[1:-1] for which in ("right", "wrong")]
        if row["distance"] > nearest or any(len(verb) != 1 for verb in verbs):
            continue
        encoded = tokenizer.encode(row["text"])
        starts = [start for start, _ in encoded.offsets]
        place = starts.index(row["verb_start"], 1)
        ids = [*encoded.ids[:place], tokenizer.special_id("mask"), *encoded.ids[place + 1 :]]
        logits = bundle.network(Batch.pack([ids]), "mlm", torch.tensor([place]))[0]
        found.append(bool(logits[verbs[0][0]] > logits[verbs[1][0]]))
    return np.array(found)


def test_it_tells_agreement(trained: Bundle, new: Bundle, whole_sample: Path) -> None:
    """Up to three words between subject and verb; what lies further apart takes longer to learn."""
    right = agrees(trained, whole_sample, nearest=3)
    low, _ = wilson(right.mean(), len(right))
    assert len(right) > 500
    assert low > 0.5, right.mean()
    at_once = agrees(trained, whole_sample, nearest=0)
    assert beyond(at_once, agrees(new, whole_sample, nearest=0)) > 0, at_once.mean()


@torch.no_grad()
def vectors(bundle: Bundle, sample: Path, *splits: str) -> list[tuple[str, str, np.ndarray]]:
    """Return words, their senses, and their vectors in context."""
    found = []
    for row in rows(sample, "senses", *splits):
        encoded = bundle.tokenizer.encode(row["text"])
        spans = zip(encoded.sides, encoded.offsets, strict=True)
        places = [
            place
            for place, (side, (start, _)) in enumerate(spans)
            if side is not None and row["start"] <= start < row["end"]
        ]
        hidden = bundle.network.encoder(Batch.pack([encoded.ids])).last
        found.append((row["word"], row["sense"], hidden[places].mean(0).numpy()))
    return found


def told(bundle: Bundle, sample: Path) -> np.ndarray:
    """Tell which words of templates never seen lie nearest to the mean of their own sense in training."""
    known: dict[str, dict[str, list]] = defaultdict(lambda: defaultdict(list))
    for word, sense, vector in vectors(bundle, sample, "train"):
        known[word][sense].append(vector)
    right = []
    for word, sense, vector in vectors(bundle, sample, "dev", "test"):
        means = {name: np.mean(found, 0) for name, found in known[word].items()}
        middle = np.mean(list(means.values()), 0)
        near = {name: cosine(mean - middle, vector - middle) for name, mean in means.items()}
        right.append(max(near, key=near.__getitem__) == sense)
    return np.array(right)


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other) + 1e-9))


def test_it_tells_senses(trained: Bundle, new: Bundle, whole_sample: Path) -> None:
    right = told(trained, whole_sample)
    low, _ = wilson(right.mean(), len(right))
    common = {
        word: Counter(row["sense"] for row in rows(whole_sample, "senses", "train") if row["word"] == word)
        for word in {row["word"] for row in rows(whole_sample, "senses", "train")}
    }
    test = rows(whole_sample, "senses", "dev", "test")
    blind = np.mean([common[row["word"]].most_common(1)[0][0] == row["sense"] for row in test])
    assert low > blind
    assert beyond(right, told(new, whole_sample)) > 0, right.mean()


@pytest.mark.parametrize(("name", "metric"), [("ner", "micro_f1"), ("pos", "accuracy")])
def test_it_is_worth_having_when_fine_tuned(
    trained: Bundle, run: Path, whole_sample: Path, name: str, metric: str
) -> None:
    """From few tagged sentences: better than the same architecture from random weights, beyond chance."""
    train, dev, test = (
        read_split([str(whole_sample / name / f"{split}.conll")], DataFiles(), "tag").rows
        for split in ("train", "dev", "test")
    )
    recipe = load_recipe(
        FinetuneRecipe, [{"task": "tag", "epochs": 8.0, "learning": {"lr": 1e-3}, "seed": 1}]
    )
    found = {}
    for which, bundle in (("pretrained", Bundle.load(run)), ("random", fresh(trained))):
        work = Finetuning(bundle, train[:400], dev, recipe)
        work.loop(Silent()).run(State(due=False), Stop())
        work.finish()
        evaluation = work.task.evaluation()
        answers = predict_rows(bundle.network, work.task, test, work.reading, Ledger(), device=CPU)
        said = [prediction for _, predictions in answers for prediction in predictions]
        found[which] = evaluation.rows(*work.task.compare(test, said))
    comparison = next(one for one in compare(evaluation, found) if one.metric == metric)
    assert comparison.better == "pretrained", comparison.words
    assert comparison.difference.low > 0.02
