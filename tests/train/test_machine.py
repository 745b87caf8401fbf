"""Which precision a machine is fastest in, found out at little cost on machines of any kind."""

from types import SimpleNamespace

import pytest
import torch
from torch import Tensor

from ambos.train import machine
from ambos.train.machine import best_precision


class Machine:
    """Multiplies at given speeds, in operations a second, by a clock of its own."""

    def __init__(self, fp32: float, bf16: float, preparing: float = 0.0) -> None:
        self.speeds = {torch.float32: fp32, torch.bfloat16: bf16}
        self.preparing = preparing
        self.now = 0.0
        self.products: list[tuple[torch.dtype, int]] = []

    def multiply(self, a: Tensor, b: Tensor) -> Tensor:
        new = (a.dtype, len(a)) not in self.products
        self.products.append((a.dtype, len(a)))
        self.now += 2 * a.shape[0] * a.shape[1] * b.shape[1] / self.speeds[a.dtype] + new * self.preparing
        return a

    def best(self, monkeypatch: pytest.MonkeyPatch) -> str:
        monkeypatch.setattr(machine, "time", SimpleNamespace(perf_counter=lambda: self.now))
        monkeypatch.setattr(machine, "product", self.multiply)
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"architecture": "arm64"})
        return best_precision()


@pytest.mark.parametrize("bf16", [9e8, 1e10])
def test_where_bf16_is_emulated_few_small_products_tell(monkeypatch: pytest.MonkeyPatch, bf16: float) -> None:
    one = Machine(fp32=1e11, bf16=bf16)
    assert one.best(monkeypatch) == "fp32"
    assert len(one.products) <= 10
    assert max(side for _, side in one.products) <= 128


@pytest.mark.parametrize(
    ("bf16", "best"), [(4e11, "bf16"), (1.4e11, "bf16"), (1.2e11, "fp32"), (1e11, "fp32"), (3e10, "fp32")]
)
def test_elsewhere_large_products_decide(monkeypatch: pytest.MonkeyPatch, bf16: float, best: str) -> None:
    one = Machine(fp32=1e11, bf16=bf16)
    assert one.best(monkeypatch) == best
    assert {side for _, side in one.products} == {128, 1024}


def test_what_is_slow_at_first_is_not_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Machine(fp32=1e11, bf16=4e11, preparing=0.05).best(monkeypatch) == "bf16"


@pytest.mark.parametrize(
    ("able", "best"),
    [
        ({"avx512_bf16": True}, "bf16"),
        ({"amx_bf16": True}, "bf16"),
        ({"avx512_f": True}, "fp32"),
        ({}, "fp32"),
    ],
)
def test_of_x86_the_instructions_tell_without_a_clock(
    monkeypatch: pytest.MonkeyPatch, able: dict[str, bool], best: str
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"architecture": "x86_64", **able})
    monkeypatch.setattr(machine, "_times", None)  # whoever wanted to measure would fail
    assert best_precision() == best
