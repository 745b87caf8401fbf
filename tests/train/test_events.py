"""Event files are what TensorBoard reads, byte for byte where the format has a published example."""

import math
import struct
import warnings
from pathlib import Path

import pytest

from ambos.train.events import EventWriter, _crc32c, _record, _varint


def read(path: Path) -> dict[str, list[tuple[float, int, float]]]:
    """Return what TensorBoard itself finds: (wall time, step, value) by tag."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of TensorBoard's own imports
        accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
        events = accumulator.EventAccumulator(str(path), size_guidance={"scalars": 0})
        events.Reload()
        assert events.file_version == 2.0
        return {
            tag: [(one.wall_time, one.step, one.value) for one in events.Scalars(tag)]
            for tag in events.Tags()["scalars"]
        }


def test_tensorboard_reads_every_scalar(tmp_path):
    path = tmp_path / "events.out.tfevents.1"
    with EventWriter(path) as events:
        events.scalars(0, {"train/loss": 10.5}, wall_time=1_700_000_000.25)
        events.scalars(300, {"train/loss": 7.25, "heldout/acurácia": 0.5}, wall_time=1_700_000_001.0)
        events.scalars(2**40, {"train/loss": -0.125}, wall_time=1_700_000_002.0)
    assert read(path) == {
        "train/loss": [
            (1_700_000_000.25, 0, 10.5),
            (1_700_000_001.0, 300, 7.25),
            (1_700_000_002.0, 2**40, -0.125),
        ],
        "heldout/acurácia": [(1_700_000_001.0, 300, 0.5)],
    }


def test_many_records_and_long_tags_are_framed_right(tmp_path):
    path = tmp_path / "events.out.tfevents.1"
    tag = "x" * 1000  # lengths beyond one byte
    with EventWriter(path) as events:
        for step in range(500):
            events.scalars(step, {tag: step / 4}, wall_time=float(step))
    assert [(step, value) for _, step, value in read(path)[tag]] == [(n, n / 4) for n in range(500)]


def test_what_is_not_finite_or_not_a_32_bit_float_is_still_read(tmp_path):
    path = tmp_path / "events.out.tfevents.1"
    with EventWriter(path) as events:
        for step, value in enumerate([math.nan, math.inf, -1e300]):
            events.scalars(step, {"loss": value}, wall_time=0.0)
    values = [value for _, _, value in read(path)["loss"]]
    assert math.isnan(values[0])
    assert values[1:] == [math.inf, -math.inf]


def test_a_call_is_in_the_file_at_once_and_a_damaged_record_is_noticed(tmp_path):
    path = tmp_path / "events.out.tfevents.1"
    with EventWriter(path) as events:
        events.scalars(1, {"loss": 1.0}, wall_time=0.0)
        first = path.stat().st_size
        assert [step for _, step, _ in read(path)["loss"]] == [1]
        events.scalars(2, {"loss": 2.0}, wall_time=0.0)
    data = bytearray(path.read_bytes())
    data[first + 15] ^= 1
    path.write_bytes(data)
    assert [step for _, step, _ in read(path)["loss"]] == [1]


def test_a_new_writer_replaces_the_file_and_closing_twice_is_fine(tmp_path):
    path = tmp_path / "events.out.tfevents.1"
    for step in (1, 2):
        events = EventWriter(path)
        events.scalars(step, {"loss": 0.0}, wall_time=0.0)
        events.close()
        events.close()
    assert [step for _, step, _ in read(path)["loss"]] == [2]


@pytest.mark.parametrize(
    ("data", "crc"),
    [  # RFC 3720, appendix B.4
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (b"", 0),
    ],
)
def test_the_checksum_is_crc_32c(data, crc):
    assert _crc32c(data) == crc


def test_numbers_and_frames_by_hand():
    assert [_varint(n).hex() for n in (0, 1, 127, 128, 300, -1)] == [
        "00", "01", "7f", "8001", "ac02", "ffffffffffffffffff01",
    ]  # fmt: skip
    frame = _record(b"abc")
    assert len(frame) == 8 + 4 + 3 + 4
    assert struct.unpack("<Q", frame[:8]) == (3,)
    assert frame[12:15] == b"abc"
