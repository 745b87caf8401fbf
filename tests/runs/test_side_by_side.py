"""Parts computed side by side: what computing them one after the other gives, whatever the cores."""

import gc
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from ambos.bundle.bundle import Bundle
from ambos.data.batch import Batch
from ambos.data.draws import Draws
from ambos.data.rows import PairRow
from ambos.encoder.config import EncoderConfig
from ambos.runs.finetune import Finetuning
from ambos.runs.log import Silent
from ambos.runs.side_by_side import SideBySide
from ambos.text.tokenizer import Tokenizer
from ambos.train.loop import Loop, State
from ambos.train.machine import settled_objects
from ambos.train.signals import Stop
from ambos.train.work import Work
from tests.runs.test_fit import HERE, recipe, reviews, weights


@pytest.fixture(autouse=True)
def cores() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def begun(model_folder: Callable[[str], Path], **values: object) -> tuple[Loop, Work]:
    work = Finetuning(Bundle.load(model_folder("wordpiece")), reviews(24), [], recipe(batch=24, **values))
    loop = work.loop(Silent())
    return loop, loop.read(State(), 0.0)


def gradients(loop: Loop) -> dict[str, torch.Tensor]:
    found = {name: w.grad.clone() for name, w in loop.model.named_parameters() if w.grad is not None}
    loop.model.zero_grad()
    return found


def check_gradients(loop: Loop, work: Work) -> None:
    """Side by side and one after the other, loss and gradients are the same."""
    draws = Draws.of(0, "dropout", 0)
    together = loop.together.gradients(work, draws, "fp32", Stop())
    found = gradients(loop)
    one_by_one = loop._one_by_one(work, draws, Stop())
    expected = gradients(loop)
    torch.testing.assert_close(together, one_by_one, atol=1e-6, rtol=1e-6)
    assert found.keys() == expected.keys()
    for name, gradient in found.items():
        torch.testing.assert_close(gradient, expected[name], atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize(("part_tokens", "parts"), [(4096, 2), (130, 5)])
def test_gradients_are_those_of_one_part_after_the_other(
    model_folder: Callable[[str], Path], part_tokens: int, parts: int
) -> None:
    torch.set_num_threads(2)
    loop, work = begun(model_folder, part_tokens=part_tokens)
    assert len(work.parts) == parts
    check_gradients(loop, work)
    assert torch.get_num_threads() == 2


def test_the_same_weights_again_and_nearly_the_same_with_one_core(
    model_folder: Callable[[str], Path],
) -> None:
    def trained(cores: int) -> dict[str, torch.Tensor]:
        torch.set_num_threads(cores)
        how = recipe(epochs=3.0, learning={"dropout": 0.3, "eps": 1e-3})
        work = Finetuning(Bundle.load(model_folder("wordpiece")), reviews(40), [], how)
        work.loop(Silent()).run(State(due=False), Stop())
        return weights(work.bundle)

    first, second, alone = trained(2), trained(2), trained(1)
    for name, weight in first.items():
        assert weight.equal(second[name]), name
        torch.testing.assert_close(weight, alone[name], atol=1e-5, rtol=1e-3)  # the same was dropped


@pytest.mark.parametrize("bad", [0, 1])
def test_a_part_that_fails_fails_the_step(model_folder: Callable[[str], Path], bad: int) -> None:
    torch.set_num_threads(2)
    loop, work = begun(model_folder)
    together = loop.together
    assert isinstance(together, SideBySide)

    def fail(*_: object) -> None:
        raise ValueError(f"part {bad}")

    (together.model, together.other)[bad].register_forward_pre_hook(fail)
    with pytest.raises(ValueError, match=f"part {bad}"):
        together.gradients(work, Draws.of(0), "fp32", Stop())
    assert torch.get_num_threads() == 2


def test_a_stop_leaves_no_gradients(model_folder: Callable[[str], Path]) -> None:
    loop, work = begun(model_folder)
    stop = Stop()
    stop.asked = True
    assert loop._gradients(State(), work, stop) is None
    assert gradients(loop) == {}
    assert np.isfinite(float(loop._gradients(State(), work, Stop()).sum()))


@pytest.mark.parametrize("twice", [False, True])
def test_a_loss_over_the_whole_step_is_that_of_one_pass(
    model_folder: Callable[[str], Path], twice: bool
) -> None:
    """In-batch negatives: half of the sequences is encoded on each core, the loss sees all of them."""
    torch.set_num_threads(2)
    rows = [PairRow(f"gato {n} dia", f"casa {n} muito", (), None, HERE, n) for n in range(9)]
    rows += [PairRow("gato 0 dia", "outra", (), None, HERE, 9)] if twice else []  # a text that is read once
    how = recipe("embed", batch=16, epochs=1.0, pair={"scheme": "embed"})
    job = Finetuning(Bundle.load(model_folder("wordpiece")), rows, [], how)
    loop = job.loop(Silent())
    work = loop.read(State(), 0.0)
    assert len(work.parts) == 1
    assert len(work.parts[0].batch.lengths) == 18 + twice
    loop.model.train()
    check_gradients(loop, work)


@pytest.mark.parametrize("lengths", [[5, 4, 3, 2], [9, 1, 1], [1, 1, 9], [3, 3], [7]])
def test_halves_are_all_sequences_in_order(lengths: list[int]) -> None:
    batch = Batch.pack([list(range(1, length + 1)) for length in lengths])
    halves = batch.halves()
    assert len(halves) == min(2, len(lengths))
    assert [length for half in halves for length in half.lengths] == lengths
    assert torch.cat([half.positions for half in halves]).equal(batch.positions)
    best = min(abs(2 * sum(lengths[:cut]) - sum(lengths)) for cut in range(1, len(lengths) + 1))
    assert len(halves) == 1 or abs(halves[0].tokens - halves[1].tokens) <= max(best, *lengths)


def test_layers_that_share_weights_give_the_same_in_bfloat16(tokenizer_folder: Callable[[str], Path]) -> None:
    """Torch's cache of cast weights is one for all threads: it must not decide how gradients are summed."""
    torch.set_num_threads(2)
    tokenizer = Tokenizer.load(tokenizer_folder("wordpiece"))
    sizes = {"width": 64, "depth": 8, "heads": 4, "inner_width": 128, "context": 64, "segments": 2}
    shape = EncoderConfig("albert", tokenizer.vocab_size, **sizes, token_width=32, layers=(0,) * 8)
    job = Finetuning(Bundle.new(shape, tokenizer), reviews(24), [], recipe(batch=24))
    loop = job.loop(Silent())
    work, draws = loop.read(State(), 0.0), Draws.of(0, "dropout", 0)
    loop.model.train()
    seen = []
    for _ in range(8):
        loop.together.gradients(work, draws, "bf16", Stop())
        seen.append(gradients(loop))
    for found in seen[1:]:
        assert all(found[name].equal(gradient) for name, gradient in seen[0].items())


def test_parts_that_are_too_large_together_are_computed_in_turn(model_folder: Callable[[str], Path]) -> None:
    torch.set_num_threads(2)
    loop, work = begun(model_folder)
    together = loop.together
    assert isinstance(together, SideBySide)
    cores: list[int] = []
    for model in (together.model, together.other):
        model.register_forward_pre_hook(lambda *_: cores.append(torch.get_num_threads()))
    together.gradients(work, Draws.of(0), "fp32", Stop())
    together.most = work.tokens // 2
    together.gradients(work, Draws.of(0), "fp32", Stop())
    assert cores == [1, 1, 2, 2]


def test_an_interrupt_while_the_second_part_is_computed(model_folder: Callable[[str], Path]) -> None:
    """Nothing goes on behind the back of whoever catches it: all cores are there, no gradient is left."""
    torch.set_num_threads(2)
    loop, work = begun(model_folder)
    together = loop.together
    assert isinstance(together, SideBySide)
    ended = threading.Event()

    def interrupt(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)

    def take_long(*_: object) -> None:
        time.sleep(0.5)
        ended.set()

    together.model.register_forward_pre_hook(interrupt)
    together.other.register_forward_pre_hook(take_long)
    with pytest.raises(KeyboardInterrupt):
        together.gradients(work, Draws.of(0), "fp32", Stop())
    assert ended.is_set()
    assert torch.get_num_threads() == 2
    assert all(weight.grad is None for weight in together.other.parameters())


def test_a_frozen_heap_of_the_users_stays_frozen() -> None:
    gc.freeze()
    try:
        with settled_objects():
            pass
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
    with settled_objects():
        assert gc.get_freeze_count() > 0
    assert gc.get_freeze_count() == 0
