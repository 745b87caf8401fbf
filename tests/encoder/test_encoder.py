"""The packed encoder is the padded textbook one: hidden states, gradients, parts of them; what it refuses."""

import copy
from collections.abc import Iterator

import pytest
import torch
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from ambos.data.batch import Batch
from ambos.encoder.build import build_encoder, initialise
from ambos.encoder.config import EncoderConfig
from ambos.encoder.encoder import Encoder
from ambos.errors import InputError
from tests.encoder.reference import (
    CONTEXT,
    LENGTHS,
    SEEDS,
    VOCAB,
    base,
    configs,
    encode,
    odd_batch,
    odd_encoder,
    pad,
)

MANY = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
FEW = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
# Lengths around the borders of the blocks in which local layers are computed: 64 tokens, or the window.
LONG = st.lists(st.sampled_from([1, 5, 64, 65, 71, 72, 128, 135, 300]), min_size=1, max_size=4)
MODERN = base(positions="rotary", norm_first=True, gated=True, local_layers=(1,), window=2, norm_bias=False)


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Tiny tensors gain nothing from threads, and lose much where they wait for a busy core."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def padded(encoder: Encoder, batch: Batch, depth: int = -1, filler: int = 7) -> Tensor:
    """The reference's hidden states of a layer, its tokens in packed order, in double precision."""
    ids, mask, segments = pad(batch, filler)
    return encode(copy.deepcopy(encoder).double(), ids, mask, segments).layers[depth][mask]


def one_by_one(encoder: Encoder, batch: Batch) -> Tensor:
    pairs = zip(batch.split(batch.ids), batch.split(batch.segments), strict=True)
    return torch.cat([encoder(Batch.pack([ids], [segments])).last for ids, segments in pairs])


def close(found: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(found.double(), expected.double(), rtol=0, atol=1e-5)


# Packed = padded = one by one.


@given(config=configs(), lengths=LENGTHS, seed=SEEDS)
@example(config=base(), lengths=[CONTEXT, 1, 1, 3, 3, 3, CONTEXT, 1], seed=0)
@example(config=MODERN, lengths=[1], seed=0)
@MANY
@torch.no_grad()
def test_packed_equals_padded_equals_one_by_one(config: EncoderConfig, lengths: list[int], seed: int) -> None:
    encoder, batch = odd_encoder(config, seed), odd_batch(config, lengths, seed)
    found = encoder(batch).last
    assert found.dtype == torch.float32
    close(found, padded(encoder, batch))
    close(found, one_by_one(encoder, batch))


@given(
    config=configs(depth=1, context=300, local_layers=(0,)),
    window=st.integers(0, 7) | st.just(70),
    lengths=LONG,
    seed=SEEDS,
)
@example(
    config=base(depth=1, context=300, local_layers=(0,), window=0), window=7, lengths=[300, 72, 72], seed=0
)
@FEW
@torch.no_grad()
def test_packed_equals_padded_far_beyond_the_window(
    config: EncoderConfig, window: int, lengths: list[int], seed: int
) -> None:
    config = changed(config, window=window)
    encoder, batch = odd_encoder(config, seed), odd_batch(config, lengths, seed)
    found = encoder(batch).last
    close(found, padded(encoder, batch))
    close(found, one_by_one(encoder, batch))


@torch.no_grad()
def test_the_reference_does_not_see_its_padding() -> None:
    for config in (base(segments=2), MODERN):
        encoder, batch = odd_encoder(config, 0), odd_batch(config, [3, 9, 1], 0)
        assert torch.equal(padded(encoder, batch, filler=7), padded(encoder, batch, filler=8))


def test_every_weight_matters() -> None:
    """Or else the comparisons above would not notice a part that is left out."""
    for config in (base(segments=2, position_offset=2, token_width=7), MODERN):
        encoder, batch = odd_encoder(config, 0), odd_batch(config, [3, 9, 1], 0)
        gradients = loss_gradients(encoder, encoder(batch).last)
        assert {name for name, gradient in gradients.items() if gradient.abs().max() < 1e-4} == set()


@pytest.mark.parametrize("attention", [False, True])
@pytest.mark.parametrize("feed_forward", [False, True])
@pytest.mark.parametrize("norm", [False, True])
def test_biases_are_where_they_are_asked_for(norm: bool, feed_forward: bool, attention: bool) -> None:
    config = base(attention_bias=attention, feed_forward_bias=feed_forward, norm_bias=norm, token_width=7)
    biases = {name for name, _ in odd_encoder(config, 0).named_parameters() if name.endswith("bias")}
    inside = {
        "attention.query": attention,
        "attention.key_value": attention,
        "attention.out": attention,
        "feed_forward.inner": feed_forward,
        "feed_forward.outer": feed_forward,
        "attention_norm": norm,
        "feed_forward_norm": norm,
    }
    expected = {f"layers.{layer}.{part}.bias" for layer in (0, 1) for part, has in inside.items() if has}
    expected |= {"embeddings.project.bias"} | ({"embeddings.norm.bias"} if norm else set())
    assert biases == expected


def changed(config: EncoderConfig, **changes: object) -> EncoderConfig:
    return EncoderConfig(**(vars(config) | changes))  # type: ignore[arg-type]


# Reading a part of the tokens.


@st.composite
def reads(draw: st.DrawFn, lengths: list[int]) -> list[int]:
    """Places to read: any, repeated and in any order; all; the first tokens; of one sequence only."""
    total = sum(lengths)
    starts = [sum(lengths[:number]) for number in range(len(lengths))]
    anywhere = st.lists(st.integers(0, total - 1), min_size=1, max_size=2 * total)
    alone = st.integers(0, len(lengths) - 1).flatmap(
        lambda number: st.lists(
            st.integers(starts[number], starts[number] + lengths[number] - 1), min_size=1, max_size=5
        )
    )
    return draw(anywhere | st.permutations(range(total)) | st.just(starts) | alone)


LENGTHS_AND_READ = LENGTHS.flatmap(lambda lengths: st.tuples(st.just(lengths), reads(lengths)))


@given(config=configs(), lengths_and_read=LENGTHS_AND_READ, seed=SEEDS)
@MANY
@torch.no_grad()
def test_reading_some_equals_computing_all(
    config: EncoderConfig, lengths_and_read: tuple[list[int], list[int]], seed: int
) -> None:
    lengths, places = lengths_and_read
    encoder, batch = odd_encoder(config, seed), odd_batch(config, lengths, seed)
    read = torch.tensor(places)
    close(encoder(batch, read=read).last, encoder(batch).last[read])
    for depth in range(config.depth + 1):
        close(encoder(batch, read=read, depth=depth).last, encoder(batch, depth=depth).last[read])


@given(config=configs(depth=1, context=300, local_layers=(0,)), lengths=LONG, chosen=st.data(), seed=SEEDS)
@FEW
@torch.no_grad()
def test_reading_some_equals_computing_all_far_beyond_the_window(
    config: EncoderConfig, lengths: list[int], chosen: st.DataObject, seed: int
) -> None:
    encoder, batch = odd_encoder(config, seed), odd_batch(config, lengths, seed)
    read = torch.tensor(chosen.draw(st.lists(st.integers(0, sum(lengths) - 1), min_size=1, max_size=20)))
    close(encoder(batch, read=read).last, padded(encoder, batch)[read])


@torch.no_grad()
def test_what_is_kept_besides_is_whole_when_some_is_read() -> None:
    for config in (base(), MODERN):
        encoder, batch = odd_encoder(config, 0), odd_batch(config, [4, 4, 2], 0)
        read = torch.tensor([9, 0])
        found = encoder(batch, read=read, layers=(0, 1, 2))
        whole = encoder(batch, layers=(0, 1, 2))
        assert torch.equal(found.layers[0], whole.layers[0])
        assert torch.equal(found.layers[1], whole.layers[1])
        assert torch.equal(found.layers[2], found.last)
        assert found.last.shape == (2, 12)


@pytest.mark.parametrize("places", [[-1], [6], [0, 7], [], [[0, 1]]])
def test_places_that_are_not_there_are_refused(places: list[int]) -> None:
    config = base()
    with pytest.raises(ValueError, match="places to read"):
        odd_encoder(config, 0)(odd_batch(config, [4, 2], 0), read=torch.tensor(places, dtype=torch.int64))


def test_attention_of_a_part_is_refused() -> None:
    config = base()
    with pytest.raises(ValueError, match="all tokens"):
        odd_encoder(config, 0)(odd_batch(config, [4], 0), read=torch.tensor([0]), attention=True)


# Gradients.


def loss_gradients(encoder: Encoder, hidden: Tensor) -> dict[str, Tensor]:
    """The gradient of a random weighing of hidden vectors with respect to every parameter."""
    weigh = torch.randn(hidden.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    parameters = dict(encoder.named_parameters())
    loss = (hidden * weigh.to(hidden.dtype)).sum()
    found = torch.autograd.grad(loss, list(parameters.values()), allow_unused=True, materialize_grads=True)
    return dict(zip(parameters, found, strict=True))


def same_gradients(encoder: Encoder, batch: Batch, read: list[int] | None) -> None:
    """Hold packed gradients, of all or of a part, against padded ones, in double precision."""
    encoder = encoder.double()
    chosen = None if read is None else torch.tensor(read)
    ids, mask, segments = pad(batch)
    full = encode(encoder, ids, mask, segments).layers[-1][mask]
    expected = loss_gradients(encoder, full if chosen is None else full[chosen])
    found = loss_gradients(encoder, encoder(batch, read=chosen).last)
    scale = max(float(gradient.abs().max()) for gradient in expected.values())
    assert scale > 0
    for name, gradient in expected.items():
        torch.testing.assert_close(
            found[name],
            gradient,
            rtol=1e-9,
            atol=1e-11 * scale,
            msg=lambda text, name=name: f"{name}: {text}",
        )


@given(config=configs(), lengths_and_read=LENGTHS_AND_READ, seed=SEEDS)
@MANY
def test_gradients_of_what_is_read_equal_those_of_the_padded_whole(
    config: EncoderConfig, lengths_and_read: tuple[list[int], list[int]], seed: int
) -> None:
    lengths, places = lengths_and_read
    same_gradients(odd_encoder(config, seed), odd_batch(config, lengths, seed), places)


@given(config=configs(), lengths=LENGTHS, seed=SEEDS)
@MANY
def test_gradients_of_all_equal_those_of_the_padded_whole(
    config: EncoderConfig, lengths: list[int], seed: int
) -> None:
    same_gradients(odd_encoder(config, seed), odd_batch(config, lengths, seed), None)


@pytest.mark.parametrize("window", [0, 7, 70])
def test_gradients_far_beyond_the_window(window: int) -> None:
    config = base(depth=1, context=300, positions="rotary", local_layers=(0,), window=window)
    batch = odd_batch(config, [200, 200, 71, 1], 0)
    same_gradients(odd_encoder(config, 0), batch, None)
    same_gradients(odd_encoder(config, 0), batch, [471, 400, 0, 0, 399])


def test_gradients_reach_the_embedding_rows_that_were_used_and_no_others() -> None:
    config = base(segments=5, position_offset=2)
    encoder = odd_encoder(config, 0)
    batch = Batch.pack([[3, 4, 3], [9]], [[0, 0, 2], [2]])
    gradients = loss_gradients(encoder, encoder(batch).last)
    used = {
        name: gradients[f"embeddings.{name}.weight"].abs().sum(-1).nonzero().flatten().tolist()
        for name in ("token", "position", "segment")
    }
    assert used == {"token": [3, 4, 9], "position": [2, 3, 4], "segment": [0, 2]}


# Layers and depth.


@given(config=configs(), lengths=LENGTHS, seed=SEEDS)
@FEW
@torch.no_grad()
def test_outputs_of_layers_are_those_of_shallower_encoders(
    config: EncoderConfig, lengths: list[int], seed: int
) -> None:
    encoder, batch = odd_encoder(config, seed), odd_batch(config, lengths, seed)
    full = encoder(batch, layers=range(config.depth + 1))
    assert list(full.layers) == list(range(config.depth + 1))
    assert torch.equal(full.layers[config.depth], full.last)
    for depth in range(config.depth + 1):
        close(full.layers[depth], padded(encoder, batch, depth))
        shallow = encoder(batch, depth=depth, layers=(-1,))
        assert torch.equal(shallow.last, full.layers[depth])
        assert list(shallow.layers) == [depth]
        assert torch.equal(shallow.layers[depth], shallow.last)


@torch.no_grad()
def test_layers_are_counted_from_both_ends() -> None:
    config = base(depth=3)
    encoder, batch = odd_encoder(config, 0), odd_batch(config, [4, 2], 0)
    found = encoder(batch, layers=(-1, -2, 0))
    assert sorted(found.layers) == [0, 2, 3]
    assert encoder(batch).layers == {}
    assert encoder(batch).attention == []


@pytest.mark.parametrize("asked", [{"layers": (3,)}, {"layers": (-4,)}, {"depth": 3}, {"depth": -1}])
def test_layers_that_are_not_there_are_refused(asked: dict[str, object]) -> None:
    config = base(depth=2)
    encoder, batch = odd_encoder(config, 0), odd_batch(config, [4, 2], 0)
    with pytest.raises((ValueError, InputError)):
        encoder(batch, **asked)


# Training and evaluation.


def test_dropout_acts_in_training_only() -> None:
    config = base(dropout=0.5)
    encoder, batch = odd_encoder(config, 0), odd_batch(config, [4, 2], 0)
    assert torch.equal(encoder(batch).last, encoder(batch).last)
    encoder.train()
    assert not torch.equal(encoder(batch).last, encoder(batch).last)


def test_without_dropout_training_computes_what_evaluation_does() -> None:
    config = base(dropout=0.0, attention_dropout=0.0, embedding_dropout=0.0)
    encoder, batch = odd_encoder(config, 0), odd_batch(config, [4, 2], 0)
    expected = encoder(batch).last
    assert torch.equal(encoder.train()(batch).last, expected)


def test_new_weights_are_drawn_as_bert_draws_them() -> None:
    encoder = build_encoder(base(width=32, inner_width=64, segments=2, vocab_size=500))
    with torch.no_grad():
        for weight in encoder.parameters():
            weight.fill_(torch.nan)
    torch.manual_seed(0)
    initialise(encoder, std=0.02)
    for part in encoder.modules():
        for name, parameter in part.named_parameters(recurse=False):
            weight = parameter.detach()
            if name == "bias":
                assert not weight.any()
            elif isinstance(part, nn.LayerNorm):
                assert (weight == 1).all()
            else:
                assert abs(float(weight.mean())) < 0.02 * 5 / weight.numel() ** 0.5
                assert float(weight.std()) == pytest.approx(0.02, rel=5 / (2 * weight.numel()) ** 0.5)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("positions", ["learned", "sinusoidal", "rotary"])
@torch.no_grad()
def test_an_encoder_of_another_precision_computes_in_it(positions: str, dtype: torch.dtype) -> None:
    config = base(positions=positions, local_layers=(1,), window=2)
    encoder, batch = odd_encoder(config, 0), odd_batch(config, [9, 3, 3], 0)
    expected = encoder(batch).last
    encoder = encoder.to(dtype)
    for read in (None, torch.tensor([0, 4, 14])):
        found = encoder(batch, read=read).last
        assert found.dtype == dtype
        # A dozen roundings, in two layers, of vectors of order 1.
        torch.testing.assert_close(
            found.float(),
            expected if read is None else expected[read],
            rtol=0,
            atol=max(1e-5, 12 * torch.finfo(dtype).eps),
        )


# What an encoder's tables do not hold.


def refusal(config: EncoderConfig, ids: list[list[int]], segments: list[list[int]] | None = None) -> str:
    with pytest.raises(InputError) as caught:
        odd_encoder(config, 0)(Batch.pack(ids, segments))
    return str(caught.value)


def test_too_long_a_text_is_refused() -> None:
    for positions in ("learned", "sinusoidal", "rotary"):
        message = refusal(base(positions=positions, context=1000), [[1], [2] * 1001, [3]])
        assert "at most 1,000 tokens" in message
        assert "1,001 tokens" in message


def test_an_id_beyond_the_vocabulary_is_refused() -> None:
    message = refusal(base(vocab_size=1500), [[1, 2], [1500]])
    assert "0 to 1,499" in message
    assert "found     1,500" in message


def test_a_segment_beyond_the_table_is_refused() -> None:
    message = refusal(base(segments=2), [[1, 2], [3]], [[0, 1], [2]])
    assert "0 to 1" in message
    assert "found     2" in message


def test_an_encoder_without_segments_does_not_mind_them() -> None:
    encoder = odd_encoder(base(), 0)
    ids = [[1, 2], [3]]
    assert torch.equal(encoder(Batch.pack(ids, [[0, 1], [7]])).last, encoder(Batch.pack(ids)).last)


@given(
    config=configs(),
    lengths=st.lists(st.integers(1, CONTEXT + 2), min_size=1, max_size=4),
    largest=st.integers(VOCAB - 2, VOCAB + 1),
    segment=st.integers(0, 6),
)
@MANY
@torch.no_grad()
def test_a_batch_is_encoded_or_refused(
    config: EncoderConfig, lengths: list[int], largest: int, segment: int
) -> None:
    """At the limits themselves and one beyond, with every kind of table."""
    batch = Batch.pack([[largest] * length for length in lengths], [[segment] * length for length in lengths])
    fits = (
        max(lengths) <= config.context
        and largest < config.vocab_size
        and (config.segments == 0 or segment < config.segments)
    )
    encoder = odd_encoder(config, 0)
    if fits:
        assert encoder(batch).last.isfinite().all()
    else:
        with pytest.raises(InputError):
            encoder(batch)
