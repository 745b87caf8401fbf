"""Attention: who sees whom, what the probabilities are, and numbers worked out by hand."""

import math
from collections.abc import Iterator

import pytest
import torch
import torch.nn.functional as F
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from ambos.data.batch import Batch
from ambos.encoder.attention import Attention
from ambos.encoder.config import EncoderConfig
from ambos.encoder.encoder import Encoder
from ambos.encoder.heads import Head
from ambos.encoder.linear import Linear
from ambos.encoder.local import local_attention
from tests.encoder.reference import LENGTHS, SEEDS, base, configs, encode, odd_batch, odd_encoder, pad

MANY = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Tiny tensors gain nothing from threads, and lose much where they wait for a busy core."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


# No sequence knows of another.


def others(batch: Batch, number: int) -> Tensor:
    """True for the tokens that are not of a sequence."""
    outside = torch.ones(batch.tokens, dtype=torch.bool)
    outside[batch.starts[number] :][: batch.lengths[number]] = False
    return outside


@given(config=configs(), lengths=LENGTHS, seed=SEEDS, data=st.data())
@MANY
@torch.no_grad()
def test_other_ids_in_one_sequence_change_no_bit_of_the_others(
    config: EncoderConfig, lengths: list[int], seed: int, data: st.DataObject
) -> None:
    number = data.draw(st.integers(0, len(lengths) - 1))
    read = torch.tensor(data.draw(st.lists(st.integers(0, sum(lengths) - 1), min_size=1, max_size=9)))
    encoder, batch = odd_encoder(config, seed), odd_batch(config, lengths, seed)
    ids = [part.clone() for part in batch.split(batch.ids)]
    ids[number] = (ids[number] + 1) % config.vocab_size
    perturbed = Batch.pack(ids, batch.split(batch.segments))
    outside = others(batch, number)
    before, after = encoder(batch).last, encoder(perturbed).last
    assert torch.equal(before[outside], after[outside])
    assert (before != after)[~outside].any(-1).all()
    outside = outside[read]
    before, after = encoder(batch, read=read).last, encoder(perturbed, read=read).last
    assert torch.equal(before[outside], after[outside])
    assert (before != after)[~outside].any(-1).all()


@given(config=configs(), lengths=LENGTHS, seed=SEEDS, data=st.data())
@MANY
@torch.no_grad()
def test_a_sequence_that_is_not_a_number_harms_no_other(
    config: EncoderConfig, lengths: list[int], seed: int, data: st.DataObject
) -> None:
    number = data.draw(st.integers(0, len(lengths) - 1))
    encoder, batch = odd_encoder(config, seed), odd_batch(config, lengths, seed)
    outside = others(batch, number)
    clean = [encoder(batch).last, encoder(batch, read=torch.arange(batch.tokens)).last]

    def poison(module: nn.Module, inputs: object, x: Tensor) -> Tensor:
        return x.masked_fill(~outside[:, None], torch.nan)

    encoder.embeddings.register_forward_hook(poison)
    found = [encoder(batch).last, encoder(batch, read=torch.arange(batch.tokens)).last]
    for before, after in zip(clean, found, strict=True):
        assert torch.equal(before[outside], after[outside])
        assert after[~outside].isnan().all()


# Who sees whom: whose embedding has a gradient.


def influence(encoder: Encoder, batch: Batch, read: Tensor | None = None) -> Tensor:
    """(R, T), True where an output depends on an input vector: where its gradient is not exactly 0."""
    inputs = []
    hook = encoder.embeddings.register_forward_hook(lambda module, arguments, x: inputs.append(x))
    found = encoder.double()(batch, read=read).last
    hook.remove()
    weigh = torch.randn(found.shape[1], generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    rows = [torch.autograd.grad(row @ weigh, inputs[0], retain_graph=True)[0] for row in found]
    return torch.stack(rows).ne(0).any(-1)


def seen(config: EncoderConfig, batch: Batch) -> Tensor:
    """(T, T), True where a token may see another through all layers."""
    sequence = torch.repeat_interleave(torch.arange(len(batch.lengths)), torch.tensor(batch.lengths))
    place = torch.arange(batch.tokens)
    distance = place[:, None] - place
    together = sequence[:, None] == sequence
    if config.causal:
        together &= distance >= 0
    if len(config.local_layers) == config.depth:
        together &= distance.abs() <= config.window * config.depth
    return together


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"depth": 1},
        {"norm_first": True},
        {"positions": "rotary"},
        {"local_layers": (1,), "window": 1},
        {"local_layers": (0,), "window": 1, "norm_first": True},
        {"causal": True},
        {"causal": True, "norm_first": True},
        {"depth": 1, "local_layers": (0,), "window": 0},
        {"depth": 1, "local_layers": (0,), "window": 2},
        {"depth": 1, "local_layers": (0,), "window": 2, "causal": True},
        {"depth": 2, "local_layers": (0, 1), "window": 1},
        {"depth": 2, "local_layers": (0, 1), "window": 2, "causal": True, "norm_first": True},
        {"depth": 3, "layers": (0, 0, 0), "causal": True},
    ],
    ids=str,
)
def test_tokens_depend_on_exactly_those_they_see(changes: dict[str, object]) -> None:
    """On every token of their sequence if nothing forbids it, and never on a token of another."""
    config = base(**changes)
    encoder, batch = odd_encoder(config, 0), odd_batch(config, [7, 3, 3, 3, 1, 8], 0)
    expected = seen(config, batch)
    assert torch.equal(influence(encoder, batch), expected)
    for read in (torch.randperm(batch.tokens), torch.tensor([0, 12, 12, 8, 10]), batch.first_tokens()):
        assert torch.equal(influence(encoder, batch, read), expected[read])


@pytest.mark.parametrize("window", [0, 3, 70])
def test_the_window_ends_where_it_says_in_long_texts_too(window: int) -> None:
    config = base(depth=1, context=200, local_layers=(0,), window=window)
    encoder, batch = odd_encoder(config, 0), odd_batch(config, [5, 150], 0)
    assert torch.equal(influence(encoder, batch), seen(config, batch))


@given(
    length=st.integers(1, 300),
    window=st.integers(0, 7) | st.integers(60, 80),
    count=st.integers(1, 3),
    seed=SEEDS,
)
@MANY
def test_local_attention_is_attention_under_a_mask(length: int, window: int, count: int, seed: int) -> None:
    q, k, v = torch.randn(3, count, 2, length, 5, generator=torch.Generator().manual_seed(seed)).double()
    place = torch.arange(length)
    scores = q @ k.transpose(-1, -2) / math.sqrt(5)
    scores = scores.masked_fill((place[:, None] - place).abs() > window, -math.inf)
    torch.testing.assert_close(local_attention(q, k, v, window), scores.softmax(-1) @ v, rtol=0, atol=1e-12)


# Probabilities.


@given(config=configs(), lengths=LENGTHS, seed=SEEDS)
@MANY
@torch.no_grad()
def test_probabilities_are_those_of_the_definition(
    config: EncoderConfig, lengths: list[int], seed: int
) -> None:
    encoder, batch = odd_encoder(config, seed), odd_batch(config, lengths, seed)
    found = encoder(batch, attention=True)
    torch.testing.assert_close(found.last, encoder(batch).last, rtol=0, atol=1e-5)
    assert len(found.attention) == config.depth
    expected = encode(encoder, *pad(batch)).attention
    for layer, padded in zip(found.attention, expected, strict=True):
        assert len(layer) == len(lengths)
        for number, (weights, length) in enumerate(zip(layer, lengths, strict=True)):
            assert weights.shape == (config.heads, length, length)
            torch.testing.assert_close(weights.sum(-1), torch.ones(config.heads, length), rtol=0, atol=1e-6)
            torch.testing.assert_close(weights, padded[number, :, :length, :length], rtol=0, atol=1e-5)
            if config.causal:
                assert not weights.triu(1).any()


@torch.no_grad()
def test_attention_reaches_exactly_as_far_as_the_window() -> None:
    encoder = odd_encoder(base(depth=2, local_layers=(1,), window=3), 0)
    wide, narrow = encoder(odd_batch(encoder.config, [9], 0), attention=True).attention
    place = torch.arange(9)
    assert (wide[0] > 0).all()
    assert torch.equal(narrow[0] > 0, ((place[:, None] - place).abs() <= 3).expand(2, 9, 9))


# Numbers worked out by hand.


def identity(width: int) -> Attention:
    """One head whose queries, keys and values are its inputs."""
    attention = Attention(width, 1).eval()
    with torch.no_grad():
        for part in (attention.query, attention.out):
            part.weight.copy_(torch.eye(width))
        attention.key_value.weight.copy_(torch.eye(width).repeat(2, 1))
        for part in (attention.query, attention.key_value, attention.out):
            part.bias.zero_()
    return attention


def attend(attention: Attention, x: Tensor, *, explain: bool = True) -> tuple[Tensor, Tensor | None]:
    probabilities: list[Tensor] | None = [] if explain else None
    with torch.no_grad():
        found = attention(x, torch.zeros_like(x), Batch.pack([range(len(x))]), None, probabilities)
    return found, probabilities[0][0] if probabilities else None


def rounded(x: Tensor, digits: int = 4) -> list:
    return x.double().round(decimals=digits).tolist()


def test_scores_are_divided_by_the_root_of_the_head_width() -> None:
    """Unit vectors: each token scores 1 / sqrt(3) with itself and 0 with the others."""
    found, weights = attend(identity(3), torch.eye(3))
    assert rounded(weights) == [[0.4711, 0.2645, 0.2645], [0.2645, 0.4711, 0.2645], [0.2645, 0.2645, 0.4711]]
    assert rounded(found) == rounded(weights)  # its values are unit vectors too


def test_attention_of_two_tokens() -> None:
    found, weights = attend(identity(2), torch.eye(2))
    assert rounded(weights) == [[0.6698, 0.3302], [0.3302, 0.6698]]
    assert rounded(found) == rounded(weights)


@pytest.mark.parametrize("explain", [False, True])
def test_the_output_is_the_weighted_sum_of_the_values(explain: bool) -> None:
    """Each token asks for the other one; the values are (1, 1) and (1, -1)."""
    attention = identity(2)
    with torch.no_grad():
        attention.query.weight.copy_(torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
        attention.key_value.weight[2:] = torch.tensor([[1.0, 1.0], [1.0, -1.0]])
    found, weights = attend(attention, torch.eye(2), explain=explain)
    assert rounded(found) == [[1.0, -0.3395], [1.0, 0.3395]]
    if explain:
        assert rounded(weights) == [[0.3302, 0.6698], [0.6698, 0.3302]]


def test_the_residual_is_added() -> None:
    x = torch.eye(2)
    found = identity(2)(x, torch.full((2, 2), 10.0), Batch.pack([[0, 0]])).detach()
    assert rounded(found) == [[10.6698, 10.3302], [10.3302, 10.6698]]


def head(width: int, *, activation: str | None = None) -> Head:
    """A head that hands its inputs on, through an activation if it has one."""

    def plain(activation: str | None = None) -> Linear:
        part = Linear(width, width, activation=activation)
        with torch.no_grad():
            part.weight.copy_(torch.eye(width))
            part.bias.zero_()
        return part

    return Head(plain(), dense=plain(activation) if activation else None).eval()


@torch.no_grad()
def test_a_hidden_layer_with_relu_then_softmax() -> None:
    logits = head(2, activation="relu")(torch.tensor([[-0.15, 0.25]]))
    assert rounded(logits) == [[0.0, 0.25]]
    assert rounded(logits.softmax(-1)) == [[0.4378, 0.5622]]


@torch.no_grad()
def test_cross_entropy_of_known_probabilities() -> None:
    logits = head(2)(torch.tensor([[0.3, 0.7]]).log())
    assert rounded(logits.softmax(-1)) == [[0.3, 0.7]]
    assert rounded(F.cross_entropy(logits, torch.tensor([1]))) == 0.3567


@pytest.mark.parametrize(
    ("scores", "probabilities", "digits", "label", "loss"),
    [
        ([0.1, 0.9], [0.310, 0.690], 3, 1, 0.3711),
        ([0.8, 0.2], [0.6457, 0.3543], 4, 0, 0.4375),
    ],
)
@torch.no_grad()
def test_softmax_and_loss_of_known_logits(
    scores: list[float], probabilities: list[float], digits: int, label: int, loss: float
) -> None:
    logits = head(2)(torch.tensor([scores]))
    assert rounded(logits.softmax(-1), digits) == [probabilities]
    assert rounded(F.cross_entropy(logits, torch.tensor([label]))) == loss


# Dropout keeps the expectation: what is left is divided by 1 - p.


def mean_is(found: Tensor, expected: float) -> None:
    """Within five standard errors, so that chance alone fails about once in a million runs."""
    error = float(found.std()) / found.numel() ** 0.5
    assert 1e-4 < error < 0.05  # chance is at work
    assert abs(float(found.mean()) - expected) < 5 * error


@pytest.mark.parametrize("chance", [0.1, 0.5, 0.9])
@torch.no_grad()
def test_dropout_of_a_linear_layer_keeps_the_mean(chance: float) -> None:
    torch.manual_seed(0)
    linear = Linear(4, 10, dropout=chance)
    linear.weight.fill_(0.5)
    linear.bias.fill_(1.0)
    x = torch.ones(5000, 4)
    found = linear(x)
    mean_is(found, 3.0)
    mean_is((found == 0).float(), chance)
    assert torch.allclose(found[found != 0], torch.tensor(3.0 / (1 - chance)))
    assert (linear.eval()(x) == 3).all()


@torch.no_grad()
def test_dropout_leaves_the_residual_alone() -> None:
    torch.manual_seed(0)
    linear = Linear(4, 10, dropout=0.5)
    found = linear(torch.zeros(2000, 4), torch.full((2000, 10), 7.0)) - linear.bias.new_tensor(7.0)
    outputs = linear.bias.detach() * 2
    assert torch.isclose(
        found[found.abs() > 1e-6], outputs.expand(2000, 10)[found.abs() > 1e-6], atol=1e-5
    ).all()
    mean_is((found.abs() < 1e-6).float(), 0.5)


@pytest.mark.parametrize("window", [None, 2])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("way", ["all", "read", "explain"])
@torch.no_grad()
def test_dropout_of_probabilities_keeps_the_mean(way: str, causal: bool, window: int | None) -> None:
    """All values are 1, so a context is the sum of the probabilities that were kept."""
    torch.manual_seed(0)
    attention = Attention(4, 2, window=window, causal=causal, probability_dropout=0.3).train()
    attention.key_value.weight[4:] = 0.0
    attention.key_value.bias[4:] = 1.0
    attention.out.weight.copy_(torch.eye(4))
    attention.out.bias.zero_()
    batch = Batch.pack([[0] * 12] * 150 + [[0] * 90] * 10)
    x = torch.randn(batch.tokens, 4)
    reading = batch.reading(torch.arange(batch.tokens)) if way == "read" else None
    kept: list[Tensor] | None = [] if way == "explain" else None
    found = attention(x, torch.zeros_like(x), batch, reading, kept)[:, ::2]
    for group in batch.groups:  # short texts and long ones are computed in different ways
        mean_is(found[group.tokens], 1.0)
    attention.eval()
    found = attention(x, torch.zeros_like(x), batch, reading, kept)
    torch.testing.assert_close(found, torch.ones_like(found))
