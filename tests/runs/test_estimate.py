"""The estimate of time and memory: the arithmetic by hand, and a real run beside it."""

import time
from pathlib import Path

import numpy as np
import pytest
import torch

from ambos.bundle.bundle import Bundle, parameters
from ambos.data.check_rows import examine
from ambos.data.rows import TextRow, WordsRow
from ambos.data.tally_rows import TokenFigures
from ambos.encoder.config import EncoderConfig
from ambos.encoder.operations import encoder_operations
from ambos.products import product
from ambos.recipe import load_recipe
from ambos.runs.estimate import SHARE, Amount, estimate_finetuning
from ambos.runs.finetune import Finetuning
from ambos.runs.finetune_settings import FinetuneRecipe
from ambos.runs.log import Silent
from ambos.runs.side_by_side import AT_ONCE
from ambos.text.tokenizer import Tokenizer
from ambos.train.loop import State
from ambos.train.signals import Stop

CONFIG = EncoderConfig("bert", 2000, width=128, depth=4, heads=4, inner_width=512, context=128, segments=2)
FIGURES = TokenFigures(
    tokens=2300, p50=20, p90=40, p99=64, longest=90, fertility=2.0, unknown=0, cut_rows=5, cut_tokens=300
)


def recipe(task: str = "classify", **values: object) -> FinetuneRecipe:
    return load_recipe(FinetuneRecipe, [{"task": task}, values])


def test_by_hand():
    rows = Amount.of(100, FIGURES, recipe(), limit=64)
    assert rows == Amount(rows=100, tokens=2000, longest=64, read=1.0)
    cost = estimate_finetuning(
        CONFIG, 1_000_000, recipe(epochs=2, batch=32), rows, None, speed=1e9, share=0.5
    )
    once = encoder_operations(CONFIG, [20], 1) * 100
    assert cost.steps == 8
    assert cost.operations == pytest.approx(6 * once)
    assert cost.seconds == pytest.approx(6 * once / 5e8)
    assert cost.weights == 24_000_000
    tokens = 32 * 20 + 64
    assert cost.activations == 4 * tokens * 4 * (10 * 128 + 2 * 512 + 3 * 4 * 20)
    assert cost.bytes == cost.weights + cost.activations + 400_000_000
    measured = estimate_finetuning(CONFIG, 1_000_000, recipe(epochs=2), rows, rows, speed=1e9, share=0.5)
    assert (measured.operations, measured.measuring) == pytest.approx((6 * once, 4 * once))
    assert measured.seconds == pytest.approx(10 * once / 5e8)
    faster = estimate_finetuning(
        CONFIG, 1_000_000, recipe(epochs=2), rows, rows, rows, speed=4e9, measuring_speed=1e9
    )
    assert faster.seconds == pytest.approx((6 / 4 + 5) * once / 1e9 / SHARE)


@pytest.mark.parametrize(
    ("task", "pooling", "read"),
    [("classify", "cls", 1), ("classify", "mean", 20), ("tag", None, 10), ("answer", None, 20)],
)
def test_what_a_head_reads(task, pooling, read):
    assert Amount.of(100, FIGURES, recipe(task, head={"pooling": pooling}), 64).read == read


def test_parts_bound_the_memory():
    long = Amount(rows=100, tokens=51_200, longest=512, read=1)
    small, large = (
        estimate_finetuning(CONFIG, 1, recipe(part_tokens=tokens), long, None, speed=1).activations
        for tokens in (1024, 4096)
    )
    assert large == 4 * small
    still = recipe(learning={"dropout": 0.0})
    assert estimate_finetuning(CONFIG, 1, still, long, None, speed=1).activations < large


def texts(count: int) -> list[TextRow]:
    chance = np.random.default_rng(0)
    words = ["o", "banco", "chegou", "hoje", "porto", "noite", "casa", "muito"]
    return [
        TextRow(" ".join(chance.choice(words, chance.integers(20, 90))), (str(n % 2),), None, Path("a"), n)
        for n in range(count)
    ]


def real_run(tokenizer: Tokenizer, task: str) -> tuple[Finetuning, FinetuneRecipe, Amount]:
    rows = texts(96)
    if task == "tag":
        rows = [
            WordsRow(
                tuple(row.text.split()), tuple("ab"[len(w) % 2] for w in row.text.split()), row.file, row.line
            )
            for row in rows
        ]
    config = EncoderConfig(
        "bert", tokenizer.vocab_size, width=256, depth=4, heads=4, inner_width=1024, context=128, segments=2
    )
    how = recipe(task, epochs=2, batch=16)
    work = Finetuning(Bundle.new(config, tokenizer), rows, [], how)
    figures = examine(rows, tokenizer=tokenizer, limit=work.reading.limit).splits["train"].tokens
    return work, how, Amount.of(len(rows), figures, how, work.reading.limit)


@pytest.mark.parametrize("task", ["classify", "tag"])
def test_memory_of_a_real_step(tokenizer_folder, task):
    """What autograd keeps of a step is what was expected, to a factor of two."""
    work, how, amount = real_run(Tokenizer.load(tokenizer_folder("wordpiece")), task)
    cost = estimate_finetuning(
        work.bundle.config, parameters(work.bundle.network), how, amount, None, speed=1.0
    )
    loop = work.loop(Silent())
    kept: dict[int, int] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    weights = {weight.untyped_storage().data_ptr() for weight in work.bundle.network.parameters()}
    parts = loop.read(State(due=False), 0.0).parts
    assert len(parts) == AT_ONCE  # side by side, so that both are kept
    loop.model.train()
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        losses = [loop.model(part, {"weight": 1.0})[0] for part in parts]
    real = sum(size for place, size in kept.items() if place not in weights)
    assert all(loss.isfinite() for loss in losses)
    assert 0.5 < cost.activations / real < 2


@pytest.mark.slow
@pytest.mark.parametrize("task", ["classify", "tag"])
def test_time_of_a_real_run(tokenizer_folder, task):
    """In time of one core, so that what else the machine does is no matter."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        work, how, amount = real_run(Tokenizer.load(tokenizer_folder("wordpiece")), task)
        loop = work.loop(Silent())
        speed = max(_speed() for _ in range(5))
        began = time.process_time()
        state = loop.run(State(due=False), Stop())
        real = time.process_time() - began
    finally:
        torch.set_num_threads(before)
    cost = estimate_finetuning(
        work.bundle.config, parameters(work.bundle.network), how, amount, None, speed=speed
    )
    assert cost.steps == state.step == 12
    assert 0.5 < cost.seconds / real < 2, (cost.seconds, real)


def _speed() -> float:
    a, b = torch.ones(768, 768), torch.ones(768, 768)
    began = time.process_time()
    for _ in range(4):
        product(a, b)
    return 4 * 2 * 768**3 / (time.process_time() - began)
