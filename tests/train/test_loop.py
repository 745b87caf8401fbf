"""The loop on a small model: what it logs, when it measures and saves, and that a stop leaves no trace."""

import json
import math
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from ambos.errors import InputError
from ambos.train.average import Average
from ambos.train.checkpoint import Checkpoints
from ambos.train.loop import DivergedError, Loop, State
from ambos.train.optim import Optimiser, OptimSettings
from ambos.train.schedule import Budget, Schedule
from ambos.train.signals import Stop
from ambos.train.work import Work


class Model(nn.Module):
    """Learns y = sum x with dropout in between; two objectives."""

    weights = (1.0, 0.5)

    def __init__(self, dropout: float = 0.0, seed: int = 0) -> None:
        super().__init__()
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.inner, self.outer = nn.Linear(4, 8), nn.Linear(8, 1)
        self.dropout = dropout

    def forward(self, part: Tensor, totals: dict[str, int]) -> tuple[Tensor, Tensor]:
        x = nn.functional.dropout(self.inner(part).tanh(), self.dropout, self.training)
        error = (self.outer(x)[:, 0] - part.sum(1)).square().sum() / totals["rows"]
        size = x.square().sum() / totals["rows"]
        return error + 0.5 * size, torch.stack([error, size]).detach()


class Heard:
    """A listener that keeps what it hears."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.evaluations: list[int] = []
        self.saves: list[int] = []

    def trained(self, record: dict[str, Any], seconds: float, operations: float) -> None:
        assert seconds > 0
        assert operations == 7.0
        self.records.append(record)

    def evaluated(self, records: list[dict[str, Any]]) -> None:
        self.evaluations.append(records[0]["step"])

    def saved(self, step: int) -> None:
        self.saves.append(step)


def reader(parts: int = 1) -> Callable[[State, float], Work]:
    """Rows that depend on the place alone, in so many parts."""

    def read(state: State, share: float) -> Work:
        index = state.place.get("index", 0)
        rows = torch.randn(12, 4, generator=torch.Generator().manual_seed(index))
        return Work(rows.chunk(parts), {"rows": 12}, 12, 7.0, {"epoch": 0, "index": index + 1})

    return read


def make(
    folder: Path | None = None,
    *,
    model: Model | None = None,
    parts: int = 1,
    optim: OptimSettings | None = None,
    average: float = 0.0,
    budget: Budget | None = None,
    **others: Any,
) -> Loop:
    model = model or Model()
    settings: dict[str, Any] = {
        "model": model,
        "names": ["error", "size"],
        "read": reader(parts),
        "optimiser": Optimiser(model, optim or OptimSettings(lr=0.01)),
        "schedule": Schedule("linear", warmup=0.2),
        "budget": budget or Budget(steps=10),
        "evaluate": lambda state, stop: [{"kind": "heldout", "step": state.step}],
        "listener": Heard(),
        "checkpoints": Checkpoints(folder, keep=100) if folder else None,
        "evaluations": 2,
        "average": Average(model, average) if average else None,
    }
    return Loop(**settings | others)


def weights(loop: Loop) -> dict[str, Tensor]:
    return {name: weight.detach().clone() for name, weight in loop.model.named_parameters()}


def same(one: dict[str, Tensor], two: dict[str, Tensor]) -> bool:
    return one.keys() == two.keys() and all(torch.equal(one[name], two[name]) for name in one)


def test_what_is_logged() -> None:
    loop = make()
    state = loop.run(State(), Stop())
    records = loop.listener.records  # type: ignore[attr-defined]
    assert state.step == 10
    assert state.tokens == 120
    assert state.place == {"epoch": 0, "index": 10}
    assert not state.due
    assert [record["step"] for record in records] == list(range(1, 11))
    assert list(records[0]) == [
        "kind",
        "step",
        "epoch",
        "tokens",
        "loss",
        "error_loss",
        "size_loss",
        "lr",
        "grad_norm",
    ]
    for record in records:
        assert record["loss"] == pytest.approx(record["error_loss"] + 0.5 * record["size_loss"])
    # Half a step on: at 1/20, 3/20 of the run in the warm-up of 1/5, then down to 0.
    rates = [record["lr"] / 0.01 for record in records]
    assert rates[:3] == pytest.approx([0.25, 0.75, (1 - 0.25) / 0.8])
    assert rates[-1] == pytest.approx(0.05 / 0.8)
    assert json.loads(json.dumps(records)) == records


def test_it_learns() -> None:
    loop = make(budget=Budget(steps=300))
    loop.run(State(), Stop())
    losses = [record["loss"] for record in loop.listener.records]  # type: ignore[attr-defined]
    assert sum(losses[-20:]) < 0.7 * sum(losses[:20])


@pytest.mark.parametrize("parts", [2, 3, 12])
def test_parts_do_not_matter(parts: int) -> None:
    whole, divided = make(), make(parts=parts)
    whole.run(State(), Stop())
    divided.run(State(), Stop())
    for one, two in zip(whole.model.parameters(), divided.model.parameters(), strict=True):
        torch.testing.assert_close(one, two)
    records = [loop.listener.records[-1]["loss"] for loop in (whole, divided)]  # type: ignore[attr-defined]
    assert records[0] == pytest.approx(records[1], rel=1e-5)


def test_gradients_are_shortened_and_the_norm_is_that_before() -> None:
    loop = make(optim=OptimSettings(lr=0.01, clip=1e-3))
    seen: list[float] = []
    step = loop.optimiser.step
    loop.optimiser.step = lambda factor: (  # type: ignore[method-assign]
        seen.append(math.sqrt(sum(float(w.grad.square().sum()) for w in loop.model.parameters()))),
        step(factor),
    )
    loop.run(State(), Stop())
    assert max(seen) <= 1.001e-3
    assert all(record["grad_norm"] > 0.1 for record in loop.listener.records)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("steps", "times", "moments"),
    [
        (10, 2, [0, 5, 10]),
        (10, 3, [0, 4, 7, 10]),
        (10, 1, [0, 10]),
        (3, 20, [0, 1, 2, 3]),
        (7, 7, [0, 1, 2, 3, 4, 5, 6, 7]),
        (1, 5, [0, 1]),
    ],
)
def test_when_it_measures(steps: int, times: int, moments: list[int]) -> None:
    loop = make(budget=Budget(steps=steps), evaluations=times)
    loop.run(State(), Stop())
    assert loop.listener.evaluations == moments  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("settings", "moments"),
    [
        ({}, [0, 10]),
        ({"save_steps": 4}, [0, 4, 8, 10]),
        ({"save_steps": 5}, [0, 5, 10]),
        ({"save_seconds": 0.0}, list(range(11))),
    ],
)
def test_when_it_saves(tmp_path: Path, settings: dict[str, Any], moments: list[int]) -> None:
    loop = make(tmp_path, **settings)
    loop.run(State(), Stop())
    assert loop.listener.saves == moments  # type: ignore[attr-defined]
    assert [path.name for path in Checkpoints(tmp_path).list()] == [f"step-{step:08}" for step in moments]


def test_measures_before_it_saves(tmp_path: Path) -> None:
    order: list[str] = []
    loop = make(tmp_path, save_steps=5)
    loop.evaluate = lambda state, stop: order.append(f"measure {state.step}") or [{"step": state.step}]  # type: ignore[func-returns-value]
    loop.log_state = lambda: order.append("save") or {}  # type: ignore[func-returns-value]
    loop.run(State(), Stop())
    assert order == ["measure 0", "save", "measure 5", "save", "measure 10", "save"]


def test_budget_of_tokens_and_of_seconds() -> None:
    loop = make(budget=Budget(tokens=50))
    assert loop.run(State(), Stop()).step == 5  # 12 a step: 60 is the first that is enough
    loop = make(budget=Budget(seconds=0.05), evaluations=3)
    state = loop.run(State(), Stop())
    assert state.seconds >= 0.05
    assert loop.listener.evaluations[-1] == state.step  # type: ignore[attr-defined]


def test_the_averaged_weights_are_measured() -> None:
    seen = []
    loop = make(average=0.5)
    loop.evaluate = lambda state, stop: [seen.append(weights(loop)) or {"step": state.step}]  # type: ignore[func-returns-value]
    loop.run(State(), Stop())
    assert loop.average is not None
    assert same(seen[-1], {k: v for k, v in loop.average.tensors().items() if k != "steps"})
    assert not same(seen[-1], weights(loop))


def test_dropout_depends_on_seed_step_and_part_alone() -> None:
    found = []
    for seed, noise in ((0, 1), (0, 2), (1, 1)):
        torch.manual_seed(noise)
        loop = make(model=Model(dropout=0.5), parts=3, seed=seed)
        before = torch.get_rng_state()
        loop.run(State(), Stop())
        assert torch.equal(torch.get_rng_state(), before)  # the user's generator is left alone
        found.append(weights(loop))
    assert same(found[0], found[1])
    assert not same(found[0], found[2])


SETTINGS = {
    "adamw": {"optim": OptimSettings(lr=0.01)},
    "average": {"average": 0.7},
    "muon": {"optim": OptimSettings("muon", lr=0.01)},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_going_on_from_any_checkpoint(tmp_path: Path, name: str) -> None:
    def new(folder: Path | None) -> Loop:
        loop = make(folder, model=Model(dropout=0.3), parts=2, save_steps=1, **SETTINGS[name])
        if name == "muon":
            loop.optimiser = Optimiser(loop.model, OptimSettings("muon", lr=0.01), layers="inner")
        return loop

    whole = new(tmp_path / "whole")
    whole.run(State(), Stop())
    last = Checkpoints(tmp_path / "whole").load()
    assert last is not None
    for path in Checkpoints(tmp_path / "whole").list():
        alone = Checkpoints(tmp_path / path.name)
        alone.folder.mkdir()
        path.rename(alone.folder / path.name)
        found = alone.load()
        (alone.folder / path.name).rename(path)
        assert found is not None
        loop = new(None)
        state = loop.restore(found)
        assert state == State(**{key: found.state[key] for key in asdict(State())})
        loop.run(state, Stop())
        assert same(weights(loop), weights(whole))
        assert same(loop.optimiser.tensors(), whole.optimiser.tensors())
        assert loop.listener.records == whole.listener.records[found.state["step"] :]  # type: ignore[attr-defined]
        if loop.average is not None:
            assert same(loop.average.tensors(), last.tensors["average"])


def test_stopped_in_the_middle_of_a_step(tmp_path: Path) -> None:
    """The step is given up: weights, state and gradients are as before it."""
    stop = Stop()
    loop = make(tmp_path, parts=4)
    forward, calls = Model.forward, []
    before: dict[str, Tensor] = {}

    def counted(part: Tensor, totals: dict[str, int]) -> tuple[Tensor, Tensor]:
        calls.append(1)
        if len(calls) == 4 * 5 + 1:
            before.update(weights(loop))
        stop.asked = len(calls) >= 4 * 5 + 2  # in the second part of the sixth step
        return forward(loop.model, part, totals)  # type: ignore[arg-type]

    loop.model.forward = counted  # type: ignore[method-assign]
    state = loop.run(State(), stop)
    assert state.step == 5
    assert len(calls) == 4 * 5 + 2
    assert same(weights(loop), before)
    assert all(weight.grad is None for weight in loop.model.parameters())
    found = Checkpoints(tmp_path).load()
    assert found is not None
    assert found.state["step"] == 5


@pytest.mark.parametrize("at", [0, 5, 10])
def test_stopped_in_an_evaluation(tmp_path: Path, at: int) -> None:
    """It is given up, and made when the run goes on."""
    stop = Stop()
    loop = make(tmp_path)

    def evaluate(state: State, stop: Stop) -> list[dict[str, Any]] | None:
        stop.asked = stop.asked or state.step == at
        return None if stop.asked else [{"step": state.step}]

    loop.evaluate = evaluate
    state = loop.run(State(), stop)
    assert (state.step, state.due) == (at, True)
    assert not loop.is_done(state)
    assert at not in loop.listener.evaluations  # type: ignore[attr-defined]
    found = Checkpoints(tmp_path).load()
    assert found is not None
    again = make(tmp_path)
    state = again.run(again.restore(found), Stop())
    assert again.is_done(state)
    assert again.listener.evaluations == [moment for moment in (0, 5, 10) if moment >= at]  # type: ignore[attr-defined]
    whole = make()
    whole.run(State(), Stop())
    assert same(weights(again), weights(whole))


def test_a_finished_run_has_nothing_to_do(tmp_path: Path) -> None:
    loop = make(tmp_path)
    state = loop.run(State(), Stop())
    before = weights(loop)
    loop.listener.saves.clear()  # type: ignore[attr-defined]
    assert loop.run(state, Stop()) == state
    assert loop.listener.saves == []  # type: ignore[attr-defined]
    assert same(weights(loop), before)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_loss_that_is_no_number(tmp_path: Path, value: float) -> None:
    loop = make(tmp_path, save_steps=2)
    read = loop.read

    def poisoned(state: State, share: float) -> Work:
        work = read(state, share)
        return replace(work, parts=[work.parts[0] * value]) if state.step == 5 else work

    loop.read = poisoned
    with pytest.raises(DivergedError, match="at step 6") as caught:
        loop.run(State(), Stop())
    assert "the checkpoint of step 4 is whole" in (caught.value.fix or "")
    assert all(torch.isfinite(weight).all() for weight in loop.model.parameters())
    found = Checkpoints(tmp_path).load()
    assert found is not None
    assert found.state["step"] == 4


def test_nothing_was_saved() -> None:
    loop = make(optim=OptimSettings(lr=1e38, clip=0.0))
    with pytest.raises(DivergedError) as caught:
        loop.run(State(), Stop())
    assert "nothing was saved" in (caught.value.fix or "")


def test_a_checkpoint_of_another_model(tmp_path: Path) -> None:
    make(tmp_path).run(State(), Stop())
    found = Checkpoints(tmp_path).load()
    assert found is not None
    loop = make(tmp_path / "other")
    loop.model.outer = nn.Linear(8, 2)
    with pytest.raises(InputError, match="does not fit the model") as caught:
        loop.restore(found)
    assert caught.value.found == "they differ in outer.weight, outer.bias"
    loop.model.outer = nn.Identity()
    with pytest.raises(InputError, match="does not fit the model"):
        loop.restore(found)


def test_an_average_that_begins_later_begins_with_the_weights(tmp_path: Path) -> None:
    make(tmp_path).run(State(), Stop())
    found = Checkpoints(tmp_path).load()
    assert found is not None
    loop = make(tmp_path / "other", model=Model(seed=1), average=0.9)
    loop.restore(found)
    assert loop.average is not None
    assert same(found.tensors["model"], {k: v for k, v in loop.average.tensors().items() if k != "steps"})


def test_state_of_another_optimiser_is_left_out(tmp_path: Path) -> None:
    def go_on(steps: int, settings: OptimSettings) -> Loop:
        loop = make(tmp_path, budget=Budget(steps=steps))
        loop.optimiser = Optimiser(loop.model, settings, layers="inner")
        found = Checkpoints(tmp_path).load()
        loop.run(loop.restore(found) if found else State(), Stop())
        return loop

    go_on(4, OptimSettings(lr=0.01))
    kept = go_on(8, OptimSettings("muon", lr=0.01)).optimiser.tensors()
    assert "exp_avg.inner.weight" not in kept
    assert "momentum.inner.weight" in kept
    assert int(kept["step.outer.weight"]) == 8
    kept = go_on(12, OptimSettings(lr=0.01)).optimiser.tensors()
    assert "momentum.inner.weight" not in kept
    assert int(kept["step.inner.weight"]) == 4
    assert int(kept["step.outer.weight"]) == 12
