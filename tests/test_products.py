"""Products by oneDNN are those of torch but for rounding: forced here, whatever the processor."""

import pytest
import torch
import torch.nn.functional as F

from ambos import products
from ambos.products import linear, onednn_is_faster, product, write_product

SHAPES = [(256, 128, 64), (33, 384, 1536), (700, 64, 200), (2048, 64, 64)]  # rows, inputs, outputs


@pytest.fixture
def forced(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """Let oneDNN multiply whatever the processor; the shapes of what it was given are kept."""
    if not torch.backends.mkldnn.is_available():
        pytest.skip("this torch has no oneDNN")
    given: list[tuple[int, ...]] = []
    multiply = products._onednn

    def counted(x, weight, bias=None):
        given.append((*x.shape, *weight.shape))
        return multiply(x, weight, bias)

    monkeypatch.setattr(products, "_onednn", counted)
    monkeypatch.setattr(products, "onednn_is_faster", lambda: True)
    return given


def made(rows: int, inputs: int, outputs: int, kind: torch.dtype = torch.float32) -> list[torch.Tensor]:
    chance = torch.Generator().manual_seed(rows + inputs)
    shapes = ((rows, inputs), (outputs, inputs), (outputs,), (rows, outputs))
    return [torch.randn(shape, generator=chance).to(kind) for shape in shapes]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("bias", [True, False])
def test_value_and_gradients_are_those_of_float64(forced, shape, bias) -> None:
    """As near as float32 allows: 1e-6 of the largest number, where bfloat16 would be off by 1e-3."""
    x, weight, b, outer = made(*shape)
    inputs = [x, weight, *([b] if bias else [])]
    found = linear(*(one.requires_grad_() for one in inputs))
    gradients = torch.autograd.grad(found, inputs, outer)
    exact = [one.detach().double().requires_grad_() for one in inputs]
    expected = F.linear(*exact)
    true = torch.autograd.grad(expected, exact, outer.double())
    assert len(forced) == 3
    for one, other in zip((found, *gradients), (expected, *true), strict=True):
        assert one.dtype == torch.float32
        assert one.is_contiguous()
        assert (one - other).abs().max() <= 2e-6 * other.abs().max()


def test_only_gradients_that_are_asked_for(forced) -> None:
    x, weight, b, outer = made(256, 128, 64)
    linear(x.requires_grad_(), weight, b).backward(outer)
    assert len(forced) == 2
    assert x.grad is not None
    assert weight.grad is None


def test_more_dimensions_and_gradients_without_memory_of_their_own(forced) -> None:
    x, weight, b, _ = made(256, 128, 64)
    thick = x.view(4, 64, 128).transpose(0, 1).requires_grad_()
    found = linear(thick, weight, b)
    (gradient,) = torch.autograd.grad(found.sum(), thick)  # the gradient of a sum is one number, expanded
    assert found.shape == (64, 4, 64)
    assert torch.allclose(found, F.linear(thick, weight, b), atol=1e-4)
    assert torch.allclose(gradient, weight.sum(0).expand(64, 4, 128), atol=1e-4)
    assert len(forced) == 2
    with torch.no_grad():
        assert torch.equal(linear(thick, weight, b), found)


def test_few_sizes_are_met(forced) -> None:
    """It keeps code for each of them: rows come in multiples of 32, whatever the step."""
    for rows in range(290, 321, 3):
        x, weight, b, outer = made(rows, 128, 384)
        linear(x, weight.requires_grad_(), b).backward(outer)
        assert product(x, weight.detach().T).shape == (rows, 384)
    x, other, _, _ = made(384, 300, 128)
    assert torch.equal(product(x, other.T), x @ other.T)  # its inner sides are no multiple of 32
    assert {shape[0] for shape in forced} == {320, 384}
    assert {size for shape in forced for size in shape} == {128, 320, 384}


def test_the_same_again(forced) -> None:
    x, weight, b, _ = made(300, 128, 384)
    assert torch.equal(linear(x, weight, b), linear(x, weight, b))


@pytest.mark.parametrize("add", [False, True])
@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16, torch.float64])
def test_written_or_added(forced, kind, add) -> None:
    a, b, _, out = made(300, 128, 256, kind)  # of which 300 rows are filled up
    before = out = out.to(torch.promote_types(kind, torch.float32))
    expected = (a @ b.T) + (out if add else 0)
    assert write_product(a, b.T, out, add=add) is before
    assert torch.allclose(out, expected.to(out.dtype), rtol=1e-5, atol=1e-4)
    assert bool(forced) == (kind == torch.float32)


@pytest.mark.parametrize("kind", [torch.float64, torch.bfloat16])
def test_other_types_are_torchs(forced, kind) -> None:
    x, weight, b, _ = made(256, 128, 64, kind)
    assert torch.equal(linear(x, weight, b), F.linear(x, weight, b))
    assert torch.equal(product(x, weight.T), x @ weight.T)
    assert not forced


@pytest.mark.filterwarnings("ignore:TF32")  # what `flags` says, wherever it is used
def test_what_is_small_or_rounded_or_switched_off_is_torchs(forced) -> None:
    x, weight, b, _ = made(256, 128, 64)
    assert torch.equal(linear(x[:8], weight, b), F.linear(x[:8], weight, b))
    assert linear(x[:0], weight, b).shape == (0, 64)
    assert torch.equal(
        linear(x.repeat(50, 1), weight[:2], b[:2]), F.linear(x.repeat(50, 1), weight[:2], b[:2])
    )
    with torch.autocast("cpu", torch.bfloat16):
        assert linear(x, weight, b).dtype == torch.bfloat16
    with torch.backends.mkldnn.flags(enabled=False):
        assert torch.equal(linear(x, weight, b), F.linear(x, weight, b))
    assert not forced


@pytest.mark.parametrize(
    ("able", "faster"),
    [
        ({"cpu_name": "AMD EPYC", "avx512_f": True, "avx512_vp2intersect": True}, True),  # Zen 5
        ({"cpu_name": "AMD EPYC", "avx512_f": True, "avx512_vp2intersect": False}, False),  # Zen 4
        ({"cpu_name": "Intel(R) Xeon(R)", "avx512_f": True, "avx512_vp2intersect": True}, False),
        ({"cpu_name": "AMD EPYC", "avx2": True}, False),
        ({"architecture": "aarch64"}, False),
    ],
)
def test_the_processor_decides(
    monkeypatch: pytest.MonkeyPatch, able: dict[str, object], faster: bool
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: able)
    there = torch.backends.mkl.is_available() and torch.backends.mkldnn.is_available()
    onednn_is_faster.cache_clear()
    try:
        assert onednn_is_faster() == (faster and there)
    finally:
        onednn_is_faster.cache_clear()
