"""Positions: the tables and rotations are those of the formulas, and every sequence begins at 0."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from ambos.encoder.positions import LearnedPositions, Rotary, SinusoidalPositions
from tests.encoder.reference import base, odd_batch, odd_encoder, rotate

ANY_TIME = settings(deadline=None)


@given(place=st.integers(0, 8191), width=st.integers(1, 33))
@ANY_TIME
def test_sinusoids_are_those_of_the_formula(place: int, width: int) -> None:
    found = SinusoidalPositions(width)(torch.tensor([0, place]))
    assert found.shape == (2, width)
    for column in range(width):
        angle = place / 10_000 ** (2 * (column // 2) / width)
        expected = math.cos(angle) if column % 2 else math.sin(angle)
        # The angle is rounded twice to single precision: the power and the quotient.
        assert float(found[1, column]) == pytest.approx(expected, abs=1e-6 + 4e-7 * angle)
    assert found[0].tolist() == [float(column % 2) for column in range(width)]


def test_a_sinusoid_known_by_heart() -> None:
    found = SinusoidalPositions(4)(torch.tensor([1])).round(decimals=4)
    assert found[0].tolist() == pytest.approx([0.8415, 0.5403, 0.01, 1.0], abs=1e-6)  # 1 and 1 / 100


@pytest.mark.parametrize("width", [2, 4, 10])
def test_rotation_turns_each_pair_by_its_angle(width: int) -> None:
    rotary = Rotary(width, base=100.0)
    places = torch.tensor([5, 0, 1, 5, 40])
    x = torch.randn(5, 3, width)
    found = rotary(x, rotary.turns(places))
    for row, place in enumerate(places.tolist()):
        for pair in range(width // 2):
            turn = complex(
                math.cos(place / 100 ** (2 * pair / width)), math.sin(place / 100 ** (2 * pair / width))
            )
            for head in range(3):
                before = complex(x[row, head, pair], x[row, head, pair + width // 2]) * turn
                after = complex(found[row, head, pair], found[row, head, pair + width // 2])
                assert abs(after - before) < 2e-5


def test_a_quarter_turn() -> None:
    rotary = Rotary(2, base=10_000.0)
    quarter = torch.zeros(1, 1, 1), torch.ones(1, 1, 1)  # cosine and sine of 90 degrees
    assert rotary(torch.tensor([[[1.0, 0.0]]]), quarter).tolist() == [[[0.0, 1.0]]]
    assert rotary(torch.tensor([[[0.0, 1.0]]]), quarter).tolist() == [[[-1.0, 0.0]]]


def test_rotation_is_the_reference_one() -> None:
    rotary = Rotary(6, base=50.0)
    x = torch.randn(9, 2, 6)
    expected = rotate(x.transpose(0, 1)[None], 50.0)[0].transpose(0, 1)
    torch.testing.assert_close(rotary(x, rotary.turns(torch.arange(9))), expected, rtol=0, atol=1e-6)


@given(first=st.integers(0, 300), second=st.integers(0, 300), shift=st.integers(0, 300))
@ANY_TIME
def test_rotated_products_know_only_the_distance(first: int, second: int, shift: int) -> None:
    """And lengths do not change: that is what makes it a position."""
    rotary = Rotary(8, base=10_000.0)
    q, k = torch.randn(2, 8, generator=torch.Generator().manual_seed(first))

    def at(x: Tensor, place: int) -> Tensor:
        return rotary(x[None, None], rotary.turns(torch.tensor([place])))[0, 0]

    assert float(at(q, first).norm()) == pytest.approx(float(q.norm()), abs=1e-5)
    here = float(at(q, first) @ at(k, second))
    there = float(at(q, first + shift) @ at(k, second + shift))
    # An angle of 600 is known to about 600 * 2^-23, and there are four.
    assert there == pytest.approx(here, abs=3e-4 * float(q.norm() * k.norm()))
    assert torch.equal(at(q, 0), q)


def test_learned_positions_are_rows_of_the_table_after_the_offset() -> None:
    learned = LearnedPositions(4, 3, offset=2)
    assert learned.weight.shape == (6, 3)
    with torch.no_grad():
        learned.weight.copy_(torch.arange(6.0)[:, None].expand(6, 3))
    assert learned(torch.tensor([0, 1, 0, 3]))[:, 0].tolist() == [2.0, 3.0, 2.0, 5.0]


@pytest.mark.parametrize("positions", ["learned", "sinusoidal", "rotary"])
@torch.no_grad()
def test_positions_tell_the_same_tokens_apart(positions: str) -> None:
    """Swapping two tokens changes what a third sees, whatever says where they stand."""
    encoder = odd_encoder(base(positions=positions, depth=1), 0)
    here, there = odd_batch(encoder.config, [3], 0), odd_batch(encoder.config, [3], 0)
    there.ids[:2] = here.ids[:2].flip(0)
    assert here.ids[0] != here.ids[1]
    assert (encoder(here).last[2] - encoder(there).last[2]).abs().max() > 1e-3


@pytest.mark.parametrize("positions", ["learned", "sinusoidal", "rotary"])
@torch.no_grad()
def test_every_sequence_begins_at_position_0(positions: str) -> None:
    encoder = odd_encoder(base(positions=positions), 0)
    batch = odd_batch(encoder.config, [5, 5, 5], 0)
    batch.ids[5:10] = batch.ids[:5]
    batch.ids[10:] = batch.ids[:5]
    first, second, third = batch.split(encoder(batch).last)
    torch.testing.assert_close(second, first, rtol=0, atol=1e-6)
    torch.testing.assert_close(third, first, rtol=0, atol=1e-6)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16], ids=str)
def test_rotated_vectors_keep_their_precision(dtype: torch.dtype) -> None:
    rotary = Rotary(4, base=100.0)
    x = torch.randn(3, 2, 4).to(dtype)
    assert rotary(x, rotary.turns(torch.arange(3))).dtype == dtype
