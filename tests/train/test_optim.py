"""Optimisers: who decays, what Muon does, the running average, and that a state comes back as it was."""

from contextlib import suppress

import pytest
import torch
from torch import Tensor, nn

from ambos.train.average import Average
from ambos.train.muon import Muon, orthogonalise
from ambos.train.optim import Optimiser, OptimSettings


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(6, 4)
        self.norm = nn.LayerNorm(4)


class Stack(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Embedding(10, 6)
        self.layers = nn.ModuleList([Layer(), Layer()])


class Model(nn.Module):
    """Has the names of a pretraining model."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = Stack()
        self.head = nn.Linear(4, 10)
        self.frozen = nn.Linear(2, 2).requires_grad_(False)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.encoder.token(ids)
        x = sum(layer.norm(layer.inner(x)) for layer in self.encoder.layers)
        return self.head(x).square().mean()


@pytest.fixture
def model() -> Model:
    torch.manual_seed(0)
    return Model()


def train(model: Model, optimiser: Optimiser, steps: int, factor: float = 1.0, first: int = 0) -> None:
    for step in range(first, first + steps):
        model(torch.tensor([step % 10, 3, 7])).backward()
        optimiser.step(factor)


MUON = OptimSettings("muon", lr=0.1, matrix_lr=0.2, weight_decay=0.3)


def names(optimiser: Optimiser, group: dict) -> set[str]:
    return {name for name, weight in optimiser.named.items() if any(weight is one for one in group["params"])}


def test_biases_and_norms_do_not_decay(model: Model) -> None:
    (part,) = Optimiser(model, OptimSettings(weight_decay=0.3)).parts
    decayed, others = part.param_groups
    optimiser = Optimiser(model, OptimSettings(weight_decay=0.3))
    assert decayed["weight_decay"] == 0.3
    assert others["weight_decay"] == 0
    assert names(optimiser, others) == {
        "head.bias",
        *(
            f"encoder.layers.{n}.{name}"
            for n in (0, 1)
            for name in ("inner.bias", "norm.weight", "norm.bias")
        ),
    }
    assert names(optimiser, decayed) | names(optimiser, others) == {
        name for name, _ in model.named_parameters() if not name.startswith("frozen")
    }


def test_muon_takes_the_matrices_inside_layers(model: Model) -> None:
    optimiser = Optimiser(model, MUON)
    adamw, muon = optimiser.parts
    assert isinstance(muon, Muon)
    (group,) = muon.param_groups
    assert names(optimiser, group) == {"encoder.layers.0.inner.weight", "encoder.layers.1.inner.weight"}
    assert (group["lr"], group["weight_decay"]) == (0.2, 0.3)
    rest = names(optimiser, adamw.param_groups[0]) | names(optimiser, adamw.param_groups[1])
    assert {"encoder.token.weight", "head.weight", "encoder.layers.0.norm.weight"} <= rest
    assert not rest & names(optimiser, group)
    assert {group["lr"] for group in adamw.param_groups} == {0.1}


def test_one_learning_rate_for_both(model: Model) -> None:
    optimiser = Optimiser(model, OptimSettings("muon", lr=0.1))
    assert {group["lr"] for part in optimiser.parts for group in part.param_groups} == {0.1}


def test_a_step_scales_all_learning_rates(model: Model) -> None:
    optimiser = Optimiser(model, MUON)
    train(model, optimiser, 1, factor=0.5)
    rates = [group["lr"] for part in optimiser.parts for group in part.param_groups]
    assert rates == [0.05, 0.05, 0.1]
    assert all(weight.grad is None for weight in model.parameters())


def test_nothing_moves_at_factor_zero(model: Model) -> None:
    before = {name: weight.clone() for name, weight in model.named_parameters()}
    train(model, Optimiser(model, MUON), 2, factor=0.0)
    assert all(torch.equal(weight, before[name]) for name, weight in model.named_parameters())


def test_adamw_is_torchs(model: Model) -> None:
    twin = Model()
    twin.load_state_dict(model.state_dict())
    settings = OptimSettings(lr=0.01, betas=(0.8, 0.9), eps=1e-5, weight_decay=0.0)
    train(model, Optimiser(model, settings), 5)
    reference = torch.optim.AdamW(
        [w for w in twin.parameters() if w.requires_grad], 0.01, (0.8, 0.9), 1e-5, weight_decay=0.0
    )
    for step in range(5):
        twin(torch.tensor([step % 10, 3, 7])).backward()
        reference.step()
        reference.zero_grad()
    for one, two in zip(model.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(one, two)


def test_forgotten_gradients_are_gone(model: Model) -> None:
    optimiser = Optimiser(model, MUON)
    model(torch.tensor([1, 2])).backward()
    optimiser.forget()
    assert all(weight.grad is None for weight in model.parameters())


@pytest.mark.parametrize("settings", [OptimSettings(lr=0.1), MUON], ids=["adamw", "muon"])
def test_state_comes_back(model: Model, settings: OptimSettings) -> None:
    optimiser = Optimiser(model, settings)
    train(model, optimiser, 3)
    twin = Model()
    twin.load_state_dict(model.state_dict())
    other = Optimiser(twin, settings)
    state = {name: tensor.clone() for name, tensor in optimiser.tensors().items()}
    other.load(state)
    assert list(other.tensors()) == list(state)
    train(model, optimiser, 3, first=3)
    train(twin, other, 3, first=3)
    for (name, one), two in zip(model.named_parameters(), twin.parameters(), strict=True):
        assert torch.equal(one, two), name
    for name, tensor in optimiser.tensors().items():
        assert torch.equal(tensor, other.tensors()[name]), name
    assert not torch.equal(state["exp_avg.head.weight"], other.tensors()["exp_avg.head.weight"])


def test_state_is_named_by_weights(model: Model) -> None:
    optimiser = Optimiser(model, MUON)
    assert optimiser.tensors() == {}
    train(model, optimiser, 1)
    found = set(optimiser.tensors())
    assert {"exp_avg.head.weight", "exp_avg_sq.head.weight", "step.head.weight"} <= found
    assert "momentum.encoder.layers.0.inner.weight" in found
    assert "exp_avg.encoder.layers.0.inner.weight" not in found


@pytest.mark.parametrize("shape", [(3, 16, 16), (2, 8, 32), (2, 32, 8), (1, 1, 5), (1, 5, 1)])
def test_orthogonal(shape: tuple[int, int, int]) -> None:
    """Singular values near 1, singular vectors as they were."""
    matrices = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    found = orthogonalise(matrices)
    values = torch.linalg.svdvals(found)
    assert values.min() > 0.3  # the smallest ones of a square matrix begin near 0
    assert values.max() < 1.25
    if shape[1] != shape[2]:
        u, _, v = torch.linalg.svd(matrices, full_matrices=False)
        inside = u.mT @ found @ v.mT
        off = inside - torch.diag_embed(inside.diagonal(dim1=-2, dim2=-1))
        assert off.abs().max() < 1e-4
        assert (values - 1).abs().max() < 0.35


def plain_muon(weight: Tensor, gradients: list[Tensor], lr: float, momentum: float, decay: float) -> Tensor:
    """As the paper's pseudocode has it, one matrix, in float64."""
    weight = weight.double()
    kept = torch.zeros_like(weight)
    for gradient in (one.double() for one in gradients):
        kept = momentum * kept + (1 - momentum) * gradient
        x = (1 - momentum) * gradient + momentum * kept
        if x.shape[0] > x.shape[1]:
            x = x.T
        x = x / (x.norm() + 1e-7)
        for _ in range(5):
            a = x @ x.T
            x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
        if weight.shape[0] > weight.shape[1]:
            x = x.T
        weight = weight - lr * decay * weight - lr * 0.2 * max(weight.shape) ** 0.5 * x
    return weight


def test_muon_against_a_plain_reference() -> None:
    generator = torch.Generator().manual_seed(2)
    shapes = [(4, 6), (6, 4), (4, 6), (5, 5)]
    weights = [nn.Parameter(torch.randn(shape, generator=generator)) for shape in shapes]
    gradients = [[torch.randn(shape, generator=generator) for shape in shapes] for _ in range(4)]
    expected = [
        plain_muon(weight.detach(), [step[number] for step in gradients], 0.1, 0.95, 0.2)
        for number, weight in enumerate(weights)
    ]
    optimiser = Muon(weights, 0.1, weight_decay=0.2)
    for step in gradients:
        for weight, gradient in zip(weights, step, strict=True):
            weight.grad = gradient.clone()
        optimiser.step()
    for weight, wanted in zip(weights, expected, strict=True):
        torch.testing.assert_close(weight.detach().double(), wanted, atol=2e-5, rtol=1e-4)


def test_muon_leaves_weights_without_gradient() -> None:
    weight = nn.Parameter(torch.ones(2, 2))
    Muon([weight], 0.1, weight_decay=0.5).step()
    assert torch.equal(weight, torch.ones(2, 2))


def test_average_by_hand() -> None:
    module = nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        module.weight.fill_(1.0)
    average = Average(module, decay=0.25)
    wanted = 1.0
    for step, value in enumerate((3.0, -2.0, 5.0, 0.0), 1):
        with torch.no_grad():
            module.weight.fill_(value)
        average.update()
        decay = min(0.25, (1 + step) / (10 + step))
        wanted = decay * wanted + (1 - decay) * value
        assert float(average.tensors()["weight"]) == pytest.approx(wanted, abs=1e-6)
    assert int(average.tensors()["steps"]) == 4


def test_average_early_on_forgets_the_start() -> None:
    module = nn.Linear(1, 1, bias=False)
    average = Average(module, decay=0.999)
    with torch.no_grad():
        module.weight.fill_(7.0)
    for _ in range(60):
        average.update()
    assert float(average.tensors()["weight"]) == pytest.approx(7.0, abs=1e-3)


def test_swapped_for_the_time_of_a_block() -> None:
    module = nn.Linear(2, 2)
    average = Average(module, decay=0.5)
    with torch.no_grad():
        module.weight.add_(1.0)
    average.update()
    weight, mean = module.weight.clone(), average.tensors()["weight"].clone()
    place = module.weight.data_ptr()
    with suppress(ZeroDivisionError), average.swapped():
        assert torch.equal(module.weight, mean)
        assert not torch.equal(module.weight, weight)
        raise ZeroDivisionError
    assert torch.equal(module.weight, weight)
    assert torch.equal(average.tensors()["weight"], mean)
    assert module.weight.data_ptr() == place  # the same tensors: optimisers hold them
