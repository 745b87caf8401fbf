"""Two vectors into one: sizes and numbers by hand, and what becomes of them when the two are exchanged."""

import pytest
import torch

from ambos.data.batch import Batch
from ambos.encoder.build import initialise
from ambos.encoder.combine import Twin, combine
from ambos.encoder.pair_attention import PairAttention, PairTokens

A, B = torch.tensor([[1.0, -2.0, 3.0]]), torch.tensor([[4.0, 5.0, -6.0]])


@pytest.mark.parametrize(
    ("how", "absolute", "expected"),
    [
        ("concat", False, [1, -2, 3, 4, 5, -6]),
        ("difference", False, [-3, -7, 9]),
        ("difference", True, [3, 7, 9]),
        ("product", False, [4, -10, -18]),
        ("combined", False, [1, -2, 3, 4, 5, -6, -3, -7, 9, 4, -10, -18]),
        ("combined", True, [1, -2, 3, 4, 5, -6, 3, 7, 9, 4, -10, -18]),
    ],
)
def test_by_hand(how: str, absolute: bool, expected: list[float]) -> None:
    assert combine(A, B, how, absolute=absolute).tolist() == [expected]


@pytest.mark.parametrize(
    ("twin", "factor"),
    [
        (Twin("concat"), 2),
        (Twin("difference"), 1),
        (Twin("product"), 1),
        (Twin("combined"), 4),
        (Twin("attention", across="cross"), 2),
        (Twin("attention", across="self"), 1),
    ],
    ids=lambda value: getattr(value, "scheme", value),
)
def test_sizes(twin: Twin, factor: int) -> None:
    """As the specification has them: d, 2d, 4d, which is 3072 for d = 768."""
    assert twin.width(768) == factor * 768
    if twin.scheme != "attention":
        assert combine(torch.zeros(2, 768), torch.zeros(2, 768), twin.scheme).shape == (2, factor * 768)


def test_exchanged() -> None:
    a, b = torch.randn(5, 8), torch.randn(5, 8)
    assert torch.equal(combine(a, b, "difference"), -combine(b, a, "difference"))
    assert torch.equal(combine(a, b, "concat"), combine(b, a, "concat").roll(8, 1))
    assert not torch.equal(combine(a, b, "concat"), combine(b, a, "concat"))
    assert torch.equal(combine(a, b, "product"), combine(b, a, "product"))
    assert torch.equal(combine(a, b, "difference", absolute=True), combine(b, a, "difference", absolute=True))


def attention(across: str, pooling: str = "mean", layers: int = 1) -> PairAttention:
    torch.manual_seed(0)
    return PairAttention(8, heads=2, layers=layers, across=across, pooling=pooling).eval()


def naive(module: PairAttention, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return what one pair becomes, by the definition, (tokens of both, W)."""
    x = torch.cat([a, b])
    side = torch.arange(len(x)) >= len(a)
    for layer in module.layers:
        if module.across == "cross":
            x = layer.attention_norm(x)
            q, k, v = layer.query(x), layer.query(x), x
        else:
            q, k, v = layer.query(x), *layer.key_value(x).chunk(2, -1)
        found = []
        for head in range(2):
            part = slice(4 * head, 4 * head + 4)
            scores = q[:, part] @ k[:, part].T / 2
            if module.across == "cross":
                scores[side[:, None] == side] = float("-inf")
            found.append(scores.softmax(-1) @ v[:, part])
        c = torch.cat(found, -1)
        if module.across == "cross":
            x = layer.feed_forward_norm(layer.outer(layer.inner(torch.cat([x, c, x - c, x * c], -1))))
        else:
            x = layer.attention_norm(layer.out(c) + x)
            x = layer.feed_forward_norm(layer.outer(layer.inner(x)) + x)
    return x


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
@pytest.mark.parametrize("across", ["cross", "self"])
def test_attention_by_the_definition(across: str, pooling: str, layers: int) -> None:
    lengths = [7, 5, 3, 3, 1]
    batch = Batch.pack([[1] * length for length in lengths])
    hidden = torch.randn(sum(lengths), 8)
    texts = hidden.split(lengths)
    sides = [(0, 4), (3, 1), (2, 2), (1, 3), (4, 4)]
    module = attention(across, pooling, layers)
    found = module(hidden, batch, torch.tensor(sides))
    pooled = {"cls": lambda x: x[0], "mean": lambda x: x.mean(0), "max": lambda x: x.amax(0)}[pooling]
    for row, (one, two) in zip(found, sides, strict=True):
        whole = naive(module, texts[one], texts[two])
        first, second = whole[: lengths[one]], whole[lengths[one] :]
        expected = torch.cat([pooled(first), pooled(second)]) if across == "cross" else pooled(whole)
        torch.testing.assert_close(row, expected)


@pytest.mark.parametrize("across", ["cross", "self"])
def test_weights_sum_to_one(across: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all values are the same, what a token sees is that value: a weighted mean, with weights of 1."""
    lengths, sides = [7, 5, 3, 1], [(0, 3), (2, 1), (1, 1), (3, 0)]
    module = attention(across)
    (layer,) = module.layers
    constant = torch.arange(1.0, 9.0)
    seen: list[torch.Tensor] = []
    with torch.no_grad():  # keys differ from token to token; values, or half of them, do not
        if across == "cross":
            layer.attention_norm.weight[4:] = 0
            layer.attention_norm.bias[4:] = constant[4:]
            layer.query.weight[:, 4:] = 0
            into, place = layer.inner, slice(12, 16)  # of [x; c; x - c; x * c], the second half of c
        else:
            layer.key_value.weight[8:] = 0
            layer.key_value.bias[8:] = constant
            into, place = layer.out, slice(0, 8)
    forward = into.forward
    monkeypatch.setattr(into, "forward", lambda x, *more: seen.append(x[:, place]) or forward(x, *more))
    hidden = 3 * torch.randn(sum(lengths), 8)
    module(hidden, Batch.pack([[1] * length for length in lengths]), torch.tensor(sides))
    (context,) = seen
    assert len(context) == sum(lengths[one] + lengths[two] for one, two in sides)
    torch.testing.assert_close(context, constant[-context.shape[1] :].expand_as(context))


def test_like_finds_like() -> None:
    """A new layer sees at once which token the other text lacks: only there x and c are apart."""
    words = torch.randn(9, 64)
    batch = Batch.pack([[1] * 8, [1] * 8])
    first, second = words[:8], words[[7, 3, 8, 1, 0, 5, 6, 4]]  # another order, and 8 for 2
    module = PairAttention(64, heads=2, layers=1, across="cross", pooling="max")
    initialise(module, 0.02)
    seen: list[torch.Tensor] = []
    module.layers[0].inner.register_forward_hook(lambda _, inputs, __: seen.append(inputs[0][:, 128:192]))
    module(torch.cat([first, second]), batch, torch.tensor([[0, 1]]))
    apart = seen[0].norm(dim=1) / 8  # x - c, where x has the norm 8
    alone = torch.zeros(16, dtype=torch.bool)
    alone[[2, 10]] = True
    assert (apart[alone] > 0.9).all()
    assert (apart[~alone] < 0.1).all()


def test_the_two_texts_see_only_each_other() -> None:
    batch = Batch.pack([[1, 1, 1], [1, 1]])
    (mask,) = PairTokens.of(batch, torch.tensor([[0, 1]])).masks("cross")
    expected = [[0, 0, 0, 1, 1]] * 3 + [[1, 1, 1, 0, 0]] * 2
    assert mask[0, 0].int().tolist() == expected


def test_gradients_reach_both_texts() -> None:
    batch = Batch.pack([[1] * 6, [1] * 4, [1] * 2])
    hidden = torch.randn(12, 8, requires_grad=True)
    attention("cross").train()(hidden, batch, torch.tensor([[0, 1], [1, 2]])).square().sum().backward()
    assert (hidden.grad.abs().sum(1) > 0).all()
