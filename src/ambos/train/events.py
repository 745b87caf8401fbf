"""TensorBoard event files, written without TensorBoard: scalars by step, in records with checksums.

A file is a row of TFRecords; the data of each is one `Event` message of protocol buffers:

    length (uint64) | masked CRC-32C of the length (uint32) | data | masked CRC-32C of the data (uint32)

    Event    1: wall_time (double)  2: step (int64)  3: file_version (string)  5: summary (Summary)
    Summary  1: value (Value, repeated)              Value  1: tag (string)  2: simple_value (float)

All numbers are little-endian. Formats: tensorflow/core/lib/io/record_writer.h and core/util/event.proto.
"""

import math
import struct
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # wire types of protocol buffers


class EventWriter:
    """Writes scalars to one event file; after each call they are in the file for TensorBoard to read.

    Parameters
    ----------
    path
        The file; one that is there is replaced. TensorBoard reads files with `tfevents` in their name.

    Examples
    --------
    >>> with EventWriter(Path("run/events.out.tfevents.0")) as events:  # doctest: +SKIP
    ...     events.scalars(10, {"train/loss": 7.9}, wall_time=1_700_000_000.0)
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self._write(_field(3, b"brain.Event:2"), time.time())

    def scalars(self, step: int, values: Mapping[str, float], *, wall_time: float) -> None:
        """Write what was measured at a step; `wall_time` is in seconds since 1970."""
        summary = b"".join(
            _field(1, _field(1, tag.encode()) + _key(2, _FIXED32) + _float32(value))
            for tag, value in values.items()
        )
        self._write(_key(2, _VARINT) + _varint(step) + _field(5, summary), wall_time)

    def close(self) -> None:
        """Close the file; doing it twice does no harm."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, fields: bytes, wall_time: float) -> None:
        self._file.write(_record(_key(1, _FIXED64) + struct.pack("<d", wall_time) + fields))
        self._file.flush()


def _record(data: bytes) -> bytes:
    """Return data in the frame of a TFRecord."""
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", _masked_crc(length)) + data + struct.pack("<I", _masked_crc(data))


def _field(number: int, data: bytes) -> bytes:
    """Return a field of bytes: a string, or a message within a message."""
    return _key(number, _BYTES) + _varint(len(data)) + data


def _key(number: int, wire_type: int) -> bytes:
    return _varint(number << 3 | wire_type)


def _varint(value: int) -> bytes:
    """Return an integer seven bits a byte, the lowest first; negative ones as 64 bits of two's complement.

    >>> _varint(300).hex()
    'ac02'
    """
    value &= (1 << 64) - 1
    result = bytearray()
    while value > 0x7F:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    result.append(value)
    return bytes(result)


def _float32(value: float) -> bytes:
    try:
        return struct.pack("<f", value)
    except OverflowError:  # finite, but beyond 32 bits: what a cast would give
        return struct.pack("<f", math.copysign(math.inf, value))


def _crc_table() -> tuple[int, ...]:
    """Return the CRC-32C (Castagnoli) of every byte; the polynomial is 0x1EDC6F41 with its bits reversed."""
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x82F63B78 if crc & 1 else crc >> 1
        table.append(crc)
    return tuple(table)


_TABLE = _crc_table()


def _crc32c(data: bytes) -> int:
    """Return the CRC-32C of some bytes.

    >>> hex(_crc32c(b"123456789"))
    '0xe3069283'
    """
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def _masked_crc(data: bytes) -> int:
    """Return the CRC turned and shifted, as TFRecord has it: data may hold CRCs itself."""
    crc = _crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
