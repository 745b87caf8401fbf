"""The loss over a vocabulary: value and gradients are torch's own, however many rows fit into the buffer."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from ambos.objectives import cross_entropy
from ambos.objectives.cross_entropy import vocabulary_loss

torch.set_num_threads(1)
ANY_TIME = settings(deadline=None)


def made(rows: int, width: int, vocab: int, seed: int = 0, *, bias: bool = True, size: float = 1.0) -> list:
    chance = torch.Generator().manual_seed(seed)
    x, weight = (
        torch.randn(count, width, generator=chance, dtype=torch.float64) * size for count in (rows, vocab)
    )
    b = torch.randn(vocab, generator=chance, dtype=torch.float64) if bias else None
    labels = torch.randint(vocab, (rows,), generator=chance)
    return [x.requires_grad_(), weight.requires_grad_(), None if b is None else b.requires_grad_(), labels]


def gradients(loss: Tensor, inputs: list) -> list[Tensor]:
    return list(torch.autograd.grad(loss, [one for one in inputs[:3] if one is not None]))


def by_torch(x: Tensor, weight: Tensor, bias: Tensor | None, labels: Tensor, scale: float) -> Tensor:
    return F.cross_entropy(F.linear(x, weight, bias), labels, reduction="sum") * scale


@given(
    rows=st.integers(0, 12),
    width=st.integers(1, 6),
    vocab=st.integers(1, 9),
    bias=st.booleans(),
    scale=st.sampled_from([1.0, 0.125, 3.0]),
    outer=st.sampled_from([1.0, 0.3, -2.0]),
    buffer=st.integers(1, 400),
    seed=st.integers(0, 99),
)
@ANY_TIME
def test_value_and_gradients_are_torchs(
    rows: int, width: int, vocab: int, bias: bool, scale: float, outer: float, buffer: int, seed: int
) -> None:
    inputs = made(rows, width, vocab, seed, bias=bias)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cross_entropy, "_BUFFER", buffer)
        loss = vocabulary_loss(*inputs, scale) * outer
    expected = by_torch(*inputs, scale) * outer
    assert torch.allclose(loss, expected, rtol=1e-12, atol=1e-12)
    for one, two in zip(gradients(loss, inputs), gradients(expected, inputs), strict=True):
        assert torch.allclose(one, two, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 50])
def test_pieces_of_any_size_give_the_same(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = made(50, 16, 40)
    expected = vocabulary_loss(*inputs, 0.02)
    wanted = gradients(expected, inputs)
    monkeypatch.setattr(cross_entropy, "_BUFFER", rows * 4 * 40)
    loss = vocabulary_loss(*inputs, 0.02)
    assert torch.allclose(loss, expected, rtol=1e-13)
    for one, two in zip(gradients(loss, inputs), wanted, strict=True):
        assert torch.allclose(one, two, rtol=1e-10, atol=1e-14)


def test_the_gradient_is_that_of_small_changes() -> None:
    """(L(x + h) - L(x - h)) / 2h, for every number of the inputs."""
    inputs = made(4, 3, 5)
    assert torch.autograd.gradcheck(lambda *three: vocabulary_loss(*three, inputs[3], 0.25), inputs[:3])


def test_without_gradients_the_value_is_the_same() -> None:
    inputs = made(9, 5, 11)
    loss = vocabulary_loss(*inputs, 0.5)
    with torch.no_grad():
        plain = vocabulary_loss(*inputs, 0.5)
    assert not plain.requires_grad
    assert torch.allclose(plain, loss, rtol=1e-13)


def test_a_worked_number() -> None:
    """Softmax of [0.1, 0.9]: the loss of class 1 is 0.3711."""
    loss = vocabulary_loss(torch.tensor([[0.1, 0.9]]), torch.eye(2), None, torch.tensor([1]))
    assert round(float(loss), 4) == 0.3711


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("size", [1e4, -1e4, 1e30])
def test_extreme_logits_stay_finite(dtype: torch.dtype, size: float) -> None:
    x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], dtype=dtype, requires_grad=True)
    weight = torch.tensor([[size, 0.0], [0.0, size], [0.0, 0.0]], dtype=dtype, requires_grad=True)
    labels = torch.tensor([0, 0, 1])
    inputs = [x, weight, None, labels]
    loss, expected = vocabulary_loss(*inputs), by_torch(*inputs, 1.0)
    assert math.isfinite(loss.item())
    assert torch.allclose(loss, expected, rtol=1e-6)
    for one, two in zip(gradients(loss, inputs), gradients(expected, inputs), strict=True):
        assert torch.isfinite(one).all()
        assert torch.allclose(one, two, rtol=1e-6)


def test_single_precision_is_as_good_as_torchs() -> None:
    """Over a large vocabulary, held against double precision."""
    inputs = made(60, 32, 3000, size=0.3)
    exact = gradients(by_torch(*inputs, 1 / 60), inputs)
    single = [one.detach().float().requires_grad_() for one in inputs[:3]] + [inputs[3]]
    ours = gradients(vocabulary_loss(*single, 1 / 60), single)
    theirs = gradients(by_torch(*single, 1 / 60), single)
    for one, other, right in zip(ours, theirs, exact, strict=True):
        error, their_error = (float((found - right).abs().max()) for found in (one, other))
        assert error < 3 * their_error + 1e-9
    loss = vocabulary_loss(*single, 1 / 60).item()
    assert abs(loss - by_torch(*inputs, 1 / 60).item()) < 1e-5


def test_inputs_are_left_as_they_are() -> None:
    inputs = made(5, 4, 6)
    before = [one.detach().clone() for one in inputs]
    vocabulary_loss(*inputs, 0.1).backward()
    assert all(torch.equal(one.detach(), two) for one, two in zip(inputs, before, strict=True))


def test_a_weight_used_twice_gets_both_gradients() -> None:
    """The token table is the last layer's weight as well."""
    inputs = made(5, 4, 6)
    table = inputs[1]
    x = table[inputs[3]] * 0.5 + inputs[0]
    loss = vocabulary_loss(x, table, None, inputs[3], 0.2)
    expected = by_torch(x, table, None, inputs[3], 0.2)
    for one, two in zip(
        torch.autograd.grad(loss, [inputs[0], table], retain_graph=True),
        torch.autograd.grad(expected, [inputs[0], table]),
        strict=True,
    ):
        assert torch.allclose(one, two, rtol=1e-10, atol=1e-13)


def test_under_autocast_only_the_products_are_rounded() -> None:
    """In bfloat16 value and gradients come near, and are float32; a label's gradient is not lost in them."""
    x, weight, bias, labels = made(40, 32, 500, size=0.5)
    exact = [x.float().detach(), weight.float().detach(), bias.float().detach()]
    inputs = [*(one.requires_grad_() for one in exact), labels]
    with torch.autocast("cpu", torch.bfloat16):
        loss = vocabulary_loss(inputs[0].bfloat16(), *inputs[1:], 1 / 40)
    expected = by_torch(*inputs, 1 / 40)
    assert loss.dtype == torch.float32
    assert loss != expected
    assert abs(loss.item() - expected.item()) < 0.01 * expected.item()
    for one, two in zip(gradients(loss, inputs), gradients(expected, inputs), strict=True):
        assert one.dtype == torch.float32
        assert F.cosine_similarity(one.flatten(), two.flatten(), dim=0) > 0.9999
