"""Warnings: their rules on made-up figures, and runs that overfit, forget, collapse, or are well."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from ambos.bundle.bundle import Bundle
from ambos.data.rows import QuestionRow, TextRow, WordsRow
from ambos.data.windows import Ledger
from ambos.encoder.config import EncoderConfig
from ambos.evaluate.commonest import Commonest
from ambos.evaluate.estimate import Estimate
from ambos.predict.rows import MeanLoss, predict_rows
from ambos.recipe import load_recipe
from ambos.runs.evaluation import Evaluated
from ambos.runs.finetune import Finetuning
from ambos.runs.finetune_run import finetune
from ambos.runs.finetune_settings import FinetuneRecipe
from ambos.runs.folder import read_run
from ambos.runs.forgetting import Forgotten, measure_forgetting
from ambos.runs.warnings import collapse, forgetting, gap, leak, overfitting
from ambos.text.tokenizer import Tokenizer
from tests.runs.conftest import Forge

HERE = Path("rows")


def course(
    train: Sequence[float],
    dev: Sequence[float],
    metric: Sequence[float] | None = None,
    name: str = "accuracy",
) -> list[dict[str, Any]]:
    """Records of a run: four steps about each training loss, then a measurement."""
    found: list[dict[str, Any]] = []
    for number, loss in enumerate(train):
        for part, noise in enumerate((-0.1, 0.1, -0.05, 0.05)):
            step = 4 * number + part + 1
            found.append({"kind": "train", "step": step, "loss": loss * (1 + noise)})
        value = metric[number] if metric else 0.8
        last = {"kind": "dev", "step": 4 * number + 4, "epoch": number + 1, "loss": dev[number]}
        found.append({**last, "metric": name, name: {"value": value, "low": value, "high": value}})
    return found


FALLS = [0.7, 0.5, 0.3, 0.15, 0.05]


@pytest.mark.parametrize(
    ("records", "warned"),
    [
        (course(FALLS, [0.68, 0.5, 0.45, 0.6, 0.8]), True),
        (course(FALLS, [0.68, 0.5, 0.45, 0.44, 0.43]), False),  # both fall
        (course(FALLS, [0.68, 0.5, 0.45, 0.46, 0.47]), False),  # flat
        (course(FALLS, [0.68, 0.5, 0.45, 0.46, 0.9]), False),  # a single outlier
        (
            course([0.7, 0.6, 0.5, 0.5, 0.55], [0.68, 0.5, 0.45, 0.9, 0.9]),
            False,
        ),  # diverges, does not overfit
        (course(FALLS, [0.001, 0.002, 0.01, 0.02, 0.03]), False),  # large shares of nothing
        (
            course(FALLS, [0.4, 0.5, 0.52, 0.55, 0.56], [0.7, 0.75, 0.78, 0.8, 0.81]),
            False,
        ),  # surer, and better
        (
            course(FALLS, [0.4, 0.5, 0.52, 0.55, 0.56], [0.8, 0.8, 0.79, 0.78, 0.78]),
            True,
        ),  # surer, not better
        (course(FALLS, [0.4, 0.6, 0.7, 0.8, 0.9], [0.7, 0.75, 0.78, 0.8, 0.81]), True),  # far too sure
        (course(FALLS[:2], [0.4, 0.7]), True),
        (course(FALLS[:1], [0.4]), False),
        ([], False),
    ],
)
def test_overfitting(records: list[dict[str, Any]], warned: bool) -> None:
    assert (overfitting(records) is not None) == warned


def test_overfitting_says_when_and_by_how_much() -> None:
    found = overfitting(course(FALLS, [0.68, 0.5, 0.45, 0.6, 0.8]))
    assert found is not None
    assert "step 12, epoch 3 (0.450), and 0.800 at the end" in found.what
    assert "fell from 0.300 to 0.050" in found.what
    assert "--patience" in found.advice
    assert found.as_dict().keys() == {"kind", "what", "try"}


def test_errors_grow_better_as_they_shrink() -> None:
    records = course(FALLS, [0.4, 0.5, 0.52, 0.55, 0.56], [0.9, 0.8, 0.7, 0.6, 0.5], "mae")
    assert overfitting(records) is not None
    assert overfitting(records, frozenset({"mae"})) is None


def evaluated(task: str, commonest: Commonest | None = None, examples: object = ((0, 0),)) -> Evaluated:
    nothing: dict[str, Any] = {"labels": (), "several": False, "model": "", "metrics": {}, "classes": []}
    nothing |= {"confusion": None, "calibration": None, "truncation": {}, "worst": [], "rows": 0}
    nothing |= {"left_out": {}, "files": {}, "digest": "", "main": ""}
    return Evaluated(task=task, **nothing, examples=np.array(examples), commonest=commonest)


@pytest.mark.parametrize(
    ("task", "said", "gold", "warned"),
    [
        ("classify", 100, 50, True),
        ("classify", 96, 50, True),
        ("classify", 90, 50, False),
        ("classify", 100, 98, False),  # two others: too few to tell
        ("classify", 100, 95, True),
        ("classify", 99, 92, False),  # a rare class, seldom found, but found
        ("tag", 100, 85, True),
        ("tag", 95, 85, False),
        ("answer", 100, 60, True),
        ("answer", 100, 100, False),
    ],
)
def test_collapse(task: str, said: int, gold: int, warned: bool) -> None:
    found = collapse(evaluated(task, Commonest("x", said, gold, 100)))
    assert (found is not None) == warned
    if found is not None:
        assert f"{said:.1f}%" in found.what
        assert f"{gold:.1f}%" in found.what
        assert ("--class-weights" in found.advice) == (task != "answer")


def test_scores_that_are_all_alike() -> None:
    gold = np.arange(20.0)
    assert collapse(evaluated("score", examples=np.stack([gold, gold * 0.5 + 3], axis=1))) is None
    found = collapse(evaluated("score", examples=np.stack([gold, gold * 0.01 + 9], axis=1)))
    assert found is not None
    assert "standard deviation of 5.77" in found.what
    assert collapse(evaluated("score", examples=np.ones((5, 2)))) is None  # as they should


@pytest.mark.parametrize(("said", "warned"), [(0.5, False), (0.01, True)])
def test_pairs_that_only_belong_together_are_no_scores(said: float, warned: bool) -> None:
    unsaid = np.column_stack([np.full(20, np.nan), np.linspace(0.1, 0.9, 20), np.ones(20)])
    assert collapse(evaluated("embed", examples=unsaid)) is None
    gold = np.linspace(0, 1, 20)
    graded = np.column_stack([gold, said * gold, np.zeros(20)])
    found = collapse(evaluated("embed", examples=np.concatenate([unsaid, graded])))
    assert (found is not None) == warned


def test_rows_that_were_learnt_from_are_told() -> None:
    rows = [TextRow(f"Frase {number}", ("a",), None, HERE, number) for number in range(300)]
    loud = replace(rows[0], text="FRASE  0")
    assert leak(rows[:100], dev=rows[100:200], test=rows[200:]) is None
    assert leak(rows[:100], dev=[*rows[100:299], loud]) is None  # one of two hundred
    found = leak(rows[:100], dev=[*rows[100:109], loud], test=rows[50:150])
    assert found is not None
    assert found.what.startswith("1 of 10 dev rows and 50 of 100 test rows have a text")


def test_rows_that_selected_the_weights_are_told() -> None:
    rows = [TextRow(f"Frase {number}", ("a",), None, HERE, number) for number in range(300)]
    loud = replace(rows[100], text="FRASE  100")
    assert leak(rows[:100], dev=rows[100:110], test=[*rows[110:300], loud]) is None  # one of 191
    found = leak(rows[:100], dev=rows[100:110], test=[*rows[110:119], loud])
    assert found is not None
    assert found.what == (
        "1 of 10 test rows have a text that is among the dev rows: the test figures are of rows that "
        "selected the weights."
    )
    both = leak(rows[:100], dev=rows[90:110], test=rows[90:110])
    assert both is not None
    assert both.what.startswith("10 of 20 dev rows and 10 of 20 test rows have a text")
    assert "20 of 20 test rows have a text that is among the dev rows" in both.what


def test_gap_and_forgetting_must_be_large_and_certain() -> None:
    train, dev = Estimate(0.95, 0.9, 0.99), Estimate(0.75, 0.7, 0.8)
    assert gap("accuracy", train, dev, 200) is not None
    assert gap("accuracy", train, replace(dev, high=0.92), 200) is None
    assert gap("accuracy", train, replace(dev, value=0.85), 200) is None
    assert gap("accuracy", dev, train, 200) is None
    rise = Estimate(1.0, 0.8, 1.2)
    assert (
        "2.7 times less likely" in (forgetting(Forgotten(2, 3, rise, 200, 900)) or pytest.fail("none")).what
    )
    assert forgetting(Forgotten(2, 3, replace(rise, low=0.6), 200, 900)) is None


def reviews(count: int, seed: int = 0) -> list[TextRow]:
    chance = np.random.default_rng(seed)
    words = (("the", "of", "and", "in"), ("que", "com", "uma", "por"))
    rows = []
    for line in range(count):
        label = int(chance.integers(2))
        filler = " ".join(chance.choice(["o", "gato", "casa", "dia", "muito"], chance.integers(1, 30)))
        rows.append(TextRow(f"{filler} {chance.choice(words[label])}.", (str(label),), None, HERE, line))
    return rows


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("long", ["cut", "windows"])
def test_the_dev_loss_is_that_of_training(
    model_folder: Callable[[str], Path], several: bool, long: str
) -> None:
    """Without dropout, the loss of a step with the same rows: class weights, smoothing, windows and all."""
    rows = reviews(30)
    how = {"task": "classify", "several": several, "batch": 30, "long": long, "max_length": 16}
    how |= {"learning": {"dropout": 0.0, "smoothing": 0.1, "class_weights": [1.0, 3.0]}, "part_tokens": 300}
    recipe = load_recipe(FinetuneRecipe, [how])
    work = Finetuning(Bundle.load(model_folder("wordpiece")), rows, rows, recipe)
    found = MeanLoss(work.task)
    metrics = work.measure(rows, loss=found)
    assert metrics == work.measure(rows)  # nothing else changes by it
    parts = list(work.examples.parts(np.arange(len(work.examples)), 300))
    total = sum(float(work.task.weights(part).sum()) for part in parts)
    model = work.loop(None).model.eval()  # type: ignore[arg-type]
    expected = sum(float(model(part, {"weight": total})[0].detach()) for part in parts)
    assert found.mean == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("long", ["cut", "windows"])
@pytest.mark.parametrize("task", ["tag", "answer"])
def test_words_and_passages_are_measured_whole(
    model_folder: Callable[[str], Path], task: str, long: str
) -> None:
    """What training cuts is read in windows when it counts; the loss comes of the same logits.

    Windows of a passage count in the loss if they would be learnt from.
    """
    row: WordsRow | QuestionRow = WordsRow(("gato",) * 40, ("A", "B") * 20, HERE, 1)
    if task == "answer":
        row = QuestionRow("1", "gato", " ".join(["gato"] * 40), (("gato", 5),), HERE, 1)
    recipe = load_recipe(FinetuneRecipe, [{"task": task, "max_length": 16, "long": long}])
    work = Finetuning(Bundle.load(model_folder("wordpiece")), [row], [row], recipe)
    loss = MeanLoss(work.task)
    how: Any = (work.bundle.network.eval(), work.task, [row], work.reading, Ledger())
    ((_, measured),) = predict_rows(*how, device=torch.device("cpu"), loss=loss)
    ((_, plain),) = predict_rows(*how, device=torch.device("cpu"))
    if task == "tag":
        assert measured[0].tags == plain[0].tags
        assert len(measured[0].tags) == 40
        assert loss.weight > 40  # words in two windows count in both
    else:
        assert measured == plain
        assert loss.weight == len(work.examples)
        assert (loss.weight > 1) == (long == "windows")


def test_forgetting_compares_encoders_on_the_same_hidden_tokens(model_folder: Callable[[str], Path]) -> None:
    base, other = (Bundle.load(model_folder("wordpiece")) for _ in range(2))
    rows = reviews(60)
    same = measure_forgetting(base, other.network.encoder, rows, sequences=50)
    assert same is not None
    assert same.rise == Estimate(0.0, 0.0, 0.0)
    assert same.before == same.after > 0
    assert same.sequences == 47  # in three short ones nothing was hidden
    with torch.no_grad():
        for weight in other.network.encoder.layers.parameters():
            weight.add_(torch.randn(weight.shape, generator=torch.Generator().manual_seed(0)), alpha=0.3)
    changed = measure_forgetting(base, other.network.encoder, rows, sequences=50)
    assert changed is not None
    assert changed.before == same.before
    assert changed.rise.value == pytest.approx(changed.after - changed.before)
    assert changed.rise.low < changed.rise.value < changed.rise.high
    assert changed == measure_forgetting(base, other.network.encoder, rows, sequences=50)
    short = [TextRow("\u200b" * count, ("0",), None, HERE, 1) for count in (1, 2)]  # no tokens
    assert measure_forgetting(base, other.network.encoder, short) is None
    assert measure_forgetting(base, other.network.encoder, [*short, rows[0]]) is None  # of one text alone
    few = measure_forgetting(base, other.network.encoder, [*short, *rows[6:8]])
    assert few is not None
    assert few.sequences == 2
    assert few.rise.low < few.rise.high < 0  # a draw of nothing but texts without tokens would have no loss
    base.add_head("classify", ("a", "b"))
    assert measure_forgetting(base, other.network.encoder, rows) is None


@pytest.fixture(scope="module")
def base(tokenizer_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small masked language model with new weights, such as a pretraining begins with."""
    tokenizer = Tokenizer.load(tokenizer_folder("wordpiece"))
    config = EncoderConfig(
        family="bert",
        vocab_size=tokenizer.vocab_size,
        width=64,
        depth=2,
        heads=4,
        inner_width=128,
        context=64,
        segments=2,
    )
    bundle = Bundle.new(config, tokenizer)
    bundle.add_head("mlm")
    return bundle.save(tmp_path_factory.mktemp("base") / "base")


def run(out: Path, task: str, files: Sequence[Path], base: Path, **more: object) -> dict[str, Any]:
    """Fine-tune on the sample; return run.json."""
    named = {name: [str(file)] for name, file in zip(("train", "dev"), files, strict=True)}
    given = {"task": task, "base": str(base), "data": named}
    assert finetune(out, load_recipe(FinetuneRecipe, [given, more]))
    return read_run(out)


def kinds(about: dict[str, Any]) -> set[str]:
    return {one["kind"] for one in about["warnings"]}


def head_of(file: Path, out: Path, rows: int) -> Path:
    """Write the first rows of a file of the sample."""
    if file.suffix == ".jsonl":
        out.write_text("".join(file.read_text().splitlines(keepends=True)[:rows]))
    elif file.suffix == ".conll":
        out.write_text("\n\n".join(file.read_text().strip().split("\n\n")[:rows]) + "\n")
    else:
        whole = json.loads(file.read_text())
        out.write_text(json.dumps({**whole, "data": whole["data"][:rows]}))
    return out


def test_few_rows_read_often_overfit(sample: Path, base: Path, tmp_path: Path) -> None:
    folder = sample / "sentiment"
    files = [
        head_of(folder / f"{name}.jsonl", tmp_path / f"{name}.jsonl", rows)
        for name, rows in (("train", 40), ("dev", 150))
    ]
    how = {"epochs": 12.0, "batch": 8, "learning": {"lr": 2e-3}}
    about = run(tmp_path / "run", "classify", files, base, **how)
    assert {"overfitting", "gap"} <= kinds(about)
    assert "collapse" not in kinds(about)
    told = next(one for one in about["warnings"] if one["kind"] == "overfitting")
    records = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    dev = [record for record in records if record["kind"] == "dev"]
    lowest = min(dev, key=lambda record: record["loss"])
    assert (
        f"epoch {lowest['epoch']} ({lowest['loss']:.3f}), and {dev[-1]['loss']:.3f} at the end"
        in told["what"]
    )
    page = (tmp_path / "run" / "report.html").read_text()
    assert page.index("Overfitting.") < page.index("How good it is")
    assert about["training_rows"]["rows"] == 40


@pytest.mark.slow
def test_a_healthy_run_is_not_warned_of(sample: Path, base: Path, tmp_path: Path) -> None:
    folder = sample / "pos"
    files = [
        head_of(folder / f"{name}.conll", tmp_path / f"{name}.conll", rows)
        for name, rows in (("train", 500), ("dev", 150))
    ]
    how = {"epochs": 4.0, "learning": {"lr": 3e-3}}
    about = run(tmp_path / "run", "tag", files, base, **how)
    assert about["evaluation"]["dev"]["accuracy"]["value"] > 0.75
    assert about["warnings"] == []
    assert about["forgetting"]["sequences"] > 100
    off = run(
        tmp_path / "off",
        "tag",
        files,
        base,
        epochs=0.2,
        learning={"lr": 3e-3},
        checks={"rows": 0, "sequences": 0},
    )
    assert (off["forgetting"], off["training_rows"]) == (None, None)


ABSURD = {"epochs": 3.0, "batch": 8, "learning": {"lr": 0.5}}


@pytest.mark.parametrize("task", ["classify", "tag", "score", pytest.param("answer", marks=pytest.mark.slow)])
def test_collapse_in_a_run(sample: Path, base: Path, tmp_path: Path, task: str) -> None:
    """An absurd learning rate leaves a model that says one thing."""
    sets = {"classify": "sentiment/{}.jsonl", "score": "sentiment/{}.jsonl", "tag": "ner/{}.conll"}
    found = []
    for name in ("train", "dev"):
        file = sample / sets.get(task, "questions/{}.json").format(name)
        found.append(head_of(file, tmp_path / file.name, 20 if task == "answer" else 80))
    if task == "score":
        for file in found:
            rows_of = [json.loads(line) for line in file.read_text().splitlines()]
            scored = [{"text": row["text"], "score": len(row["text"])} for row in rows_of]
            file.write_text("".join(json.dumps(row) + "\n" for row in scored))
    if task == "answer":
        for file in found:
            whole = json.loads(file.read_text())
            parts = [part for article in whole["data"] for part in article["paragraphs"]]
            for question in [one for part in parts for one in part["qas"]][::2]:
                question |= {"answers": [], "is_impossible": True}
            file.write_text(json.dumps(whole))
    about = run(tmp_path / "run", task, found, base, **ABSURD)
    assert "collapse" in kinds(about)
    told = next(one for one in about["warnings"] if one["kind"] == "collapse")
    words = {"classify": "the label", "tag": "the tag", "score": "deviation", "answer": "no answer"}
    assert words[task] in told["what"]
    assert "lower learning rate" in told["try"]


@pytest.mark.slow
def test_forgetting_in_a_run(sample: Path, forge: Forge, tmp_path: Path) -> None:
    """A base that has learnt something: much is lost at a high rate, nothing if the encoder is frozen."""
    base = tmp_path / "base"
    ended = forge("pretrain", sample / "corpus", "--steps", 150, "--out", base)
    assert ended.code == 0, ended.err
    folder = sample / "sentiment"
    files = [
        head_of(folder / f"{name}.jsonl", tmp_path / f"{name}.jsonl", rows)
        for name, rows in (("train", 160), ("dev", 200))
    ]
    high = run(tmp_path / "high", "classify", files, base, epochs=2.0, learning={"lr": 2e-2})
    assert "forgetting" in kinds(high)
    assert high["forgetting"]["rise"]["low"] > 0.69
    frozen = run(tmp_path / "frozen", "classify", files, base, epochs=2.0, learning={"freeze": "all"})
    assert frozen["forgetting"]["rise"] == {"value": 0.0, "low": 0.0, "high": 0.0}
    calm = run(tmp_path / "calm", "classify", files, base, epochs=1.0)
    assert "forgetting" not in kinds(calm)
    assert 0 < calm["forgetting"]["rise"]["value"] < high["forgetting"]["rise"]["value"]
    assert calm["forgetting"]["before"] == high["forgetting"]["before"]
