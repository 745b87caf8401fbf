"""Packed batches: where every token lies, what is read of them, and what is refused."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from ambos.data.batch import Batch, Reading
from ambos.errors import InputError

SEQUENCES = st.lists(st.lists(st.integers(0, 60_000), min_size=1, max_size=6), min_size=1, max_size=12)
ANY_TIME = settings(deadline=None)


def flat(sequences: list[list[int]]) -> list[int]:
    return [index for sequence in sequences for index in sequence]


@given(sequences=SEQUENCES)
@ANY_TIME
def test_tokens_lie_end_to_end(sequences: list[list[int]]) -> None:
    batch = Batch.pack(sequences)
    assert batch.ids.tolist() == flat(sequences)
    assert batch.lengths == tuple(len(sequence) for sequence in sequences)
    assert batch.positions.tolist() == flat([list(range(len(sequence))) for sequence in sequences])
    assert batch.segments.tolist() == [0] * batch.tokens
    assert (batch.largest_id, batch.largest_segment) == (max(flat(sequences)), 0)
    assert {part.dtype for part in (batch.ids, batch.segments, batch.positions)} == {torch.int64}


@given(sequences=SEQUENCES, data=st.data())
@ANY_TIME
def test_segments_lie_beside_their_tokens(sequences: list[list[int]], data: st.DataObject) -> None:
    segments = [
        data.draw(st.lists(st.integers(0, 3), min_size=len(sequence), max_size=len(sequence)))
        for sequence in sequences
    ]
    batch = Batch.pack(sequences, segments)
    assert batch.segments.tolist() == flat(segments)
    assert batch.largest_segment == max(flat(segments))


@given(sequences=SEQUENCES)
@ANY_TIME
def test_starts_and_splits_find_the_sequences_again(sequences: list[list[int]]) -> None:
    batch = Batch.pack(sequences)
    assert [
        batch.ids[start : start + length].tolist()
        for start, length in zip(batch.starts, batch.lengths, strict=True)
    ] == sequences
    assert [part.tolist() for part in batch.split(batch.ids)] == sequences
    assert batch.ids[batch.first_tokens()].tolist() == [sequence[0] for sequence in sequences]
    wide = torch.arange(batch.tokens * 3).view(-1, 3)
    assert torch.equal(torch.cat(batch.split(wide)), wide)


@given(sequences=SEQUENCES)
@ANY_TIME
def test_groups_cover_every_token_once_in_order(sequences: list[list[int]]) -> None:
    batch = Batch.pack(sequences)
    end, found = 0, []
    for group in batch.groups:
        assert group.tokens.start == group.start == end
        end = group.tokens.stop
        rows = batch.ids[group.tokens].view(group.count, group.length)
        found.extend(rows.tolist())
    assert end == batch.tokens
    assert found == sequences
    lengths = [group.length for group in batch.groups]
    assert all(before != after for before, after in pairwise(lengths))


@given(sequences=SEQUENCES, kind=st.sampled_from([np.uint16, np.int32, np.int64]))
@ANY_TIME
def test_arrays_and_lists_pack_alike_and_are_copied(sequences: list[list[int]], kind: type) -> None:
    arrays = [np.array(sequence, dtype=kind) for sequence in sequences]
    batch = Batch.pack(arrays)
    assert batch.ids.tolist() == flat(sequences)
    batch.ids.fill_(7)
    assert [array.tolist() for array in arrays] == sequences


def test_a_batch_goes_to_another_device_whole() -> None:
    batch = Batch.pack([[5, 6], [7]], [[0, 1], [1]])
    moved = batch.to("meta")
    assert moved.ids.is_meta
    assert moved.segments.is_meta
    assert moved.positions.is_meta
    assert (moved.lengths, moved.largest_id, moved.largest_segment) == ((2, 1), 7, 1)
    assert Batch.pack([[5]], device="meta").ids.is_meta


# Reading a part.


@given(sequences=SEQUENCES, data=st.data())
@ANY_TIME
def test_a_reading_gathers_every_place_once_from_its_own_sequence(
    sequences: list[list[int]], data: st.DataObject
) -> None:
    batch = Batch.pack(sequences)
    places = data.draw(st.lists(st.integers(0, batch.tokens - 1), min_size=1, max_size=30))
    reading = batch.reading(torch.tensor(places))
    assert reading.read.tolist() == places
    gathered: list[int] = []
    for part in reading.groups:
        group = part.group
        sequences_read = list(range(group.count)) if part.sequences is None else part.sequences.tolist()
        for sequence, queries, inside in zip(
            sequences_read, part.queries.tolist(), part.places.tolist(), strict=True
        ):
            start = group.start + sequence * group.length
            assert [places[row] - start for row in queries] == inside
            assert all(0 <= place < group.length for place in inside)
        gathered.extend(part.queries.flatten()[part.keep].tolist())
    assert sorted(gathered) == list(range(len(places)))


def test_a_reading_leaves_out_what_is_not_read() -> None:
    batch = Batch.pack([[1, 2], [3, 4], [5, 6], [7]])
    (part,) = batch.reading(torch.tensor([5, 0, 1])).groups
    assert part.sequences.tolist() == [0, 2]
    assert part.queries.tolist() == [[1, 2], [0, 0]]
    assert part.places.tolist() == [[0, 1], [1, 1]]
    assert part.keep.tolist() == [0, 1, 2]


@pytest.mark.parametrize("places", [[-1], [3], [0, 1, 2, 3], [], [[0], [1]]])
def test_places_that_are_not_there_are_refused(places: list[int]) -> None:
    batch = Batch.pack([[1, 2], [3]])
    with pytest.raises(ValueError, match="places to read"):
        Reading.of(batch, torch.tensor(places, dtype=torch.int64))


# What is refused.


@pytest.mark.parametrize(
    ("sequences", "found"),
    [([], "no sequence"), ([[]], "sequence 0 is empty"), ([[1], [2, 3], [], [4]], "sequence 2 is empty")],
)
def test_an_input_without_tokens_is_refused(sequences: list[list[int]], found: str) -> None:
    with pytest.raises(InputError) as caught:
        Batch.pack(sequences)
    assert caught.value.found == found


@pytest.mark.parametrize("empty", [np.array([], dtype=np.int64), ()])
def test_an_empty_array_is_refused_too(empty: np.ndarray) -> None:
    with pytest.raises(InputError, match="no tokens"):
        Batch.pack([np.array([1]), empty])


@pytest.mark.parametrize(
    ("sequences", "segments"), [([[1, -1], [2]], None), ([[-(2**62)]], None), ([[1, 2], [3]], [[0, 0], [-1]])]
)
def test_negative_numbers_are_refused(sequences: list[list[int]], segments: list[list[int]] | None) -> None:
    with pytest.raises(InputError, match="negative"):
        Batch.pack(sequences, segments)


@pytest.mark.parametrize("segments", [[], [[0, 0]], [[0, 0], [0, 0]], [[0, 0], [0], [0]], [[0], [0, 0]]])
def test_segments_of_other_lengths_are_refused(segments: list[list[int]]) -> None:
    """Also where only the sum is right: each sequence has its own."""
    with pytest.raises(ValueError):  # noqa: PT011 - numpy words the one for an empty list
        Batch.pack([[1, 2], [3]], segments)


@pytest.mark.parametrize("sequence", [[2**70], [1.5], [[1, 2], [3, 4]]], ids=str)
def test_what_is_not_a_row_of_ids_is_refused(sequence: list) -> None:
    with pytest.raises((InputError, ValueError, TypeError)):
        Batch.pack([sequence])
