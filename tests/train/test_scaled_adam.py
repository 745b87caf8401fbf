"""LAMB and StableAdamW: steps worked out by their definitions, and what makes them differ from AdamW."""

import copy
import math

import pytest
import torch
from torch import Tensor, nn

from ambos.train.optim import Optimiser, OptimSettings
from ambos.train.scaled_adam import ScaledAdam


def stepped(kind: str, weight: list[float], gradients: list[list[float]], decay: float) -> Tensor:
    parameter = nn.Parameter(torch.tensor(weight, dtype=torch.float64))
    how = ScaledAdam([parameter], kind, lr=0.1, betas=(0.9, 0.99), eps=1e-6, weight_decay=decay)
    for gradient in gradients:
        parameter.grad = torch.tensor(gradient, dtype=torch.float64)
        how.step()
    return parameter.detach()


def test_a_step_of_lamb_is_as_long_as_its_share_of_the_tensor() -> None:
    """The first direction of Adam is the sign of the gradient: d = (1, -1) + 0.5 (3, 4) = (2.5, 1)."""
    ratio = 5 / math.hypot(2.5, 1.0)
    expected = [3 - 0.1 * ratio * 2.5, 4 - 0.1 * ratio * 1.0]
    assert stepped("lamb", [3.0, 4.0], [[2.0, -7.0]], 0.5).tolist() == pytest.approx(expected, abs=1e-5)


def test_lamb_steps_as_adam_without_decay_and_from_zero() -> None:
    assert stepped("lamb", [3.0, 4.0], [[2.0, -7.0]], 0.0).tolist() == pytest.approx([2.9, 4.1], abs=1e-5)
    assert stepped("lamb", [0.0, 0.0], [[2.0, -7.0]], 0.5).tolist() == pytest.approx([-0.1, 0.1], abs=1e-5)


def test_a_sudden_gradient_shortens_a_step_of_stable_adamw() -> None:
    """v after gradients 1 and 10, corrected: (0.99 * 0.01 + 0.01 * 100) / (1 - 0.99^2)."""
    square = (0.99 * 0.01 + 0.01 * 100) / (1 - 0.99**2)
    mean = (0.9 * 0.1 + 0.1 * 10) / (1 - 0.9**2)
    rms = 10 / math.sqrt(square)
    assert rms > 1
    expected = 5 - 0.1 - 0.1 / rms * mean / math.sqrt(square)
    assert stepped("stable_adamw", [5.0], [[1.0], [10.0]], 0.0).tolist() == pytest.approx(
        [expected], abs=1e-5
    )


def test_stable_adamw_is_adamw_while_gradients_are_calm() -> None:
    """Gradients that shrink are never larger than expected: no step is shortened."""
    parameter = nn.Parameter(torch.tensor([5.0, -2.0], dtype=torch.float64))
    peer = torch.optim.AdamW([parameter], lr=0.1, betas=(0.9, 0.99), eps=1e-6, weight_decay=0.3)
    gradients = [[4.0, 3.0], [2.0, 2.0], [1.0, 1.5], [0.5, 1.0]]
    for gradient in gradients:
        parameter.grad = torch.tensor(gradient, dtype=torch.float64)
        peer.step()
    ours = stepped("stable_adamw", [5.0, -2.0], gradients, 0.3)
    assert ours.tolist() == pytest.approx(parameter.tolist(), abs=1e-9)


@pytest.mark.parametrize("name", ["lamb", "stable_adamw"])
def test_a_state_that_was_kept_goes_on_bit_by_bit(name: str) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4))
    settings = OptimSettings(name, lr=0.1)
    how = Optimiser(model, settings)

    def step(module: nn.Module, optimiser: Optimiser, number: int) -> None:
        x = torch.randn(8, 4, generator=torch.Generator().manual_seed(number))
        module(x).square().sum().backward()
        optimiser.step(1.0)

    step(model, how, 0)
    other = copy.deepcopy(model)
    again = Optimiser(other, settings)
    again.load({key: value.clone() for key, value in how.tensors().items()})
    for number in (1, 2):
        step(model, how, number)
        step(other, again, number)
    for one, two in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.equal(one, two)
