"""Bytes to lines: numbers, ends and marks must be right wherever the blocks happen to be cut."""

import codecs
import gzip
import os
import random
import subprocess
import zlib
from collections import deque
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ambos.errors import InputError, UsageError
from ambos.text import stream
from ambos.text.sources import find_sources
from ambos.text.stream import Limits, ReadOptions, check_encoding, read_lines
from ambos.text.unpack import MEBIBYTE, open_bytes

BLOCK = MEBIBYTE


def source(path: Path):
    return find_sources([str(path)])[0]


def write(path: Path, data: bytes) -> Path:
    """Write data, packed as the name's ending says."""
    if path.suffix == ".gz":
        data = gzip.compress(data)
    elif path.suffix == ".zst":
        data = pa.Codec("zstd").compress(data, asbytes=True)
    path.write_bytes(data)
    return path


def lines(path: Path, **options) -> list[tuple[int, str]]:
    return list(read_lines(source(path), ReadOptions(**options)))


def error_of(path: Path, **options) -> InputError:
    with pytest.raises(InputError) as caught:
        deque(read_lines(source(path), ReadOptions(**options)), maxlen=0)
    assert caught.value.file == str(path)
    assert caught.value.expected
    assert caught.value.fix
    return caught.value


class TestLines:
    @pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
    @pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
    @pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
    @pytest.mark.parametrize("last_end", [True, False])
    def test_the_same_lines_however_the_file_is_written(self, tmp_path, ending, line_end, mark, last_end):
        expected = ["um", "", "três ção", " \t", "cinco"]
        data = mark + line_end.join(line.encode() for line in expected) + (line_end if last_end else b"")
        path = write(tmp_path / f"a.txt{ending}", data)
        assert lines(path) == list(enumerate(expected, 1))

    def test_empty_file_and_file_with_only_a_mark(self, tmp_path):
        assert lines(write(tmp_path / "a.txt", b"")) == []
        assert lines(write(tmp_path / "b.txt", codecs.BOM_UTF8)) == []

    def test_only_the_first_mark_is_dropped(self, tmp_path):
        path = write(tmp_path / "a.txt", codecs.BOM_UTF8 * 2 + b"a\n" + codecs.BOM_UTF8 + b"b")
        assert lines(path) == [(1, "\ufeffa"), (2, "\ufeffb")]

    def test_a_carriage_return_alone_ends_no_line(self, tmp_path):
        assert lines(write(tmp_path / "a.txt", b"a\rb\r\r\nc\r")) == [(1, "a\rb\r"), (2, "c\r")]

    def test_other_line_separators_end_no_line(self, tmp_path):
        text = "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g"
        assert lines(write(tmp_path / "a.txt", text.encode())) == [(1, text)]

    @pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
    @pytest.mark.parametrize("around", range(-3, 4))
    def test_line_ends_and_letters_split_over_a_block_border(self, tmp_path, ending, around):
        first = "x" * (BLOCK + around)
        text = f"{first}\r\nção\r\n\r\nfim"
        path = write(tmp_path / f"a.txt{ending}", text.encode())
        assert lines(path) == [(1, first), (2, "ção"), (3, ""), (4, "fim")]

    def test_numbers_over_many_blocks(self, tmp_path):
        rng = random.Random(0)
        expected = ["é" * rng.choice([0, 1, 50, 3000, 400_000]) for _ in range(60)] + ["fim"]
        path = write(tmp_path / "a.txt", "\n".join(expected).encode())
        assert path.stat().st_size > 3 * BLOCK
        assert lines(path) == list(enumerate(expected, 1))

    @settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(
        texts=st.lists(st.text(st.sampled_from("aç漢😀\r \t"), max_size=6), min_size=1, max_size=12),
        size=st.integers(1, 9),
        crlf=st.booleans(),
    )
    def test_any_text_with_blocks_of_any_size(self, tmp_path, texts, size, crlf):
        texts = [text.rstrip("\r") for text in texts]  # before a line end it would belong to it
        data = ("\r\n" if crlf else "\n").join(texts).encode()
        path = write(tmp_path / "a.txt", data)
        expected = texts[:-1] if texts[-1] == "" else texts
        old, stream.CHUNK = stream.CHUNK, size
        try:
            assert lines(path) == list(enumerate(expected, 1))
        finally:
            stream.CHUNK = old

    def test_several_packed_parts_in_one_file(self, tmp_path):
        path = tmp_path / "a.txt.gz"
        path.write_bytes(gzip.compress(b"a\nb") + gzip.compress(b"c\nd\n"))
        assert lines(path) == [(1, "a"), (2, "bc"), (3, "d")]

    def test_zstd_file_that_begins_with_a_skippable_frame(self, tmp_path):
        frame = pa.Codec("zstd").compress(b"a\nb\n", asbytes=True)
        (tmp_path / "a.txt.zst").write_bytes(b"\x50\x2a\x4d\x18\x04\0\0\0abcd" + frame)
        assert lines(tmp_path / "a.txt.zst") == [(1, "a"), (2, "b")]

    @pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
    def test_advance_is_told_of_every_byte_on_disk(self, tmp_path, ending):
        path = write(tmp_path / f"a.txt{ending}", os.urandom(3 * BLOCK).hex().encode() + b"\n")
        told: list[int] = []
        assert len(list(read_lines(source(path), advance=told.append))) == 1
        assert sum(told) == path.stat().st_size
        assert len(told) > 1

    def test_reads_no_further_than_it_is_asked(self, tmp_path):
        path = write(tmp_path / "a.txt", b"line\n" * (4 * BLOCK))
        told: list[int] = []
        reading = read_lines(source(path), advance=told.append)
        assert next(reading) == (1, "line")
        assert sum(told) <= 2 * BLOCK
        reading.close()  # and the file with it: an open one would be a warning, which is an error here


class TestRefusals:
    @pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
    @pytest.mark.parametrize("block", [0, 1, 3])
    def test_invalid_utf8_names_the_line_and_byte(self, tmp_path, ending, block):
        before = b"linha boa\n" * (block * BLOCK // 10 + 7)
        path = write(tmp_path / f"a.txt{ending}", before + b"caf\xe9 ruim\n" + b"boa\n" * 1000)
        error = error_of(path)
        assert error.what == "not valid UTF-8"
        assert error.line == before.count(b"\n") + 1
        assert error.found == "byte 0xE9 at byte 4 of the line"
        assert "--encoding latin-1" in error.fix

    def test_a_letter_cut_off_by_the_end_of_the_file(self, tmp_path):
        error = error_of(write(tmp_path / "a.txt", "um\ndois ç".encode()[:-1]))
        assert (error.what, error.line) == ("not valid UTF-8", 2)

    @pytest.mark.parametrize("data", [b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80"])
    def test_surrogates_overlong_forms_and_what_is_beyond_unicode(self, tmp_path, data):
        assert error_of(write(tmp_path / "a.txt", b"a\n" + data)).line == 2

    def test_other_encodings(self, tmp_path):
        path = write(tmp_path / "a.txt", "coração\r\nmaçã\x85x".encode("latin-1"))
        assert lines(path, encoding="iso8859-1") == [(1, "coração"), (2, "maçã\x85x")]
        assert error_of(write(tmp_path / "b.txt", b"a\nb\x81"), encoding="cp1252").line == 2

    @pytest.mark.parametrize(
        ("codec", "name"),
        [
            ("utf-16", "UTF-16"),
            ("utf-16-le", "UTF-16LE"),
            ("utf-16-be", "UTF-16BE"),
            ("utf-32", "UTF-32"),
        ],
    )
    @pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
    def test_wide_encodings_come_with_a_command_that_works(self, tmp_path, monkeypatch, codec, name, ending):
        monkeypatch.chdir(tmp_path)
        text = "O coração não dorme.\nThe heart does not sleep.\n"
        path = write(Path(f"it's mine.txt{ending}"), text.encode(codec))
        error = error_of(path)
        assert (error.what, error.line) == (f"the text is {name}", 1)
        subprocess.run(error.fix, shell=True, check=True, capture_output=True)
        assert lines(Path("it's mine.utf8.txt")) == list(enumerate(text.splitlines(), 1))

    @pytest.mark.parametrize("block", [0, 2])
    def test_nul_bytes_are_binary(self, tmp_path, block):
        before = b"linha boa\n" * (block * BLOCK // 10 + 7)
        error = error_of(write(tmp_path / "a.txt", before + b"a\0b\n" + b"boa\n" * 100))
        assert (error.what, error.line) == ("a binary file, not text", before.count(b"\n") + 1)

    def test_nul_bytes_without_any_line_end_are_binary_and_not_a_long_line(self, tmp_path):
        assert error_of(write(tmp_path / "a.txt", bytes(20 * BLOCK))).what == "a binary file, not text"

    @pytest.mark.parametrize(
        ("start", "found"),
        [
            (gzip.compress(b"text"), "a gzip file"),
            (b"\x28\xb5\x2f\xfd", "a zstd file"),
            (b"PAR1", "a Parquet file"),
            (b"%PDF-1.7", "a PDF"),
            (b"PK\x03\x04", "a ZIP archive (also .docx, .xlsx, .epub)"),
            (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
            (b"\xff\xd8\xff\xe0", "a JPEG picture"),
            (b"\x7fELF", "a program"),
        ],
    )
    @pytest.mark.parametrize("ending", ["", ".gz"])
    def test_files_of_other_kinds_are_told_by_their_first_bytes(self, tmp_path, start, found, ending):
        error = error_of(write(tmp_path / f"a.txt{ending}", start + b"..."))
        assert (error.what, error.found) == ("not a text file", found)

    @pytest.mark.parametrize("limit", [1, 2, 16])
    def test_the_longest_line_is_exact(self, tmp_path, limit):
        for before in (0, 1, 700_000):
            head = b"y" * before + b"\n"
            path = write(tmp_path / "a.txt", head + b"x" * (limit * MEBIBYTE) + b"\nfim")
            assert [len(line) for _, line in lines(path, limits=Limits(line_mb=limit))] == [
                before,
                limit * MEBIBYTE,
                3,
            ]
            path = write(tmp_path / "a.txt", head + b"x" * (limit * MEBIBYTE + 1) + b"\nfim")
            error = error_of(path, limits=Limits(line_mb=limit))
            assert (error.what, error.line) == (f"a line of more than {limit} MiB", 2)
            assert "--max-line-mb" in error.fix

    @pytest.mark.parametrize("ending", [".gz", ".zst"])
    def test_truncated_files_name_the_line_where_they_end(self, tmp_path, ending):
        rng = random.Random(0)
        data = b"".join(b"%d linha\n" % rng.getrandbits(200) for _ in range(60_000))
        whole = write(tmp_path / f"whole.txt{ending}", data).read_bytes()
        path = tmp_path / f"a.txt{ending}"
        path.write_bytes(whole[: len(whole) // 2])
        error = error_of(path)
        assert error.what.startswith("damaged or truncated")
        if ending == ".gz":  # what zlib can still read
            readable = zlib.decompressobj(31).decompress(whole[: len(whole) // 2])
            assert error.line == readable.count(b"\n") + 1
        assert data.count(b"\n") / 3 < error.line < data.count(b"\n") * 2 / 3

    def test_damage_in_the_middle(self, tmp_path):
        whole = bytearray(gzip.compress(random.Random(0).randbytes(100_000).hex().encode()))
        whole[len(whole) // 2] ^= 0xFF
        (tmp_path / "a.txt.gz").write_bytes(whole)
        assert error_of(tmp_path / "a.txt.gz").what == "damaged or truncated gzip file"

    @pytest.mark.parametrize(
        ("name", "data", "found"),
        [
            ("a.txt.gz", b"plain text", "other bytes, perhaps plain text"),
            ("a.txt.zst", b"plain text", "other bytes, perhaps plain text"),
            ("a.txt.gz", b"", "an empty file"),
            ("a.txt.zst", b"", "an empty file"),
            ("a.txt.zst", gzip.compress(b"text"), "a gzip file"),
            ("a.txt.gz", b"\x28\xb5\x2f\xfd...", "a zstd file"),
        ],
    )
    def test_not_packed_as_the_name_says(self, tmp_path, name, data, found):
        (tmp_path / name).write_bytes(data)
        error = error_of(tmp_path / name)
        assert error.what.startswith("not a ")
        assert error.found == found
        assert "rename it to a.txt" in error.fix

    @pytest.mark.parametrize("ending", [".gz", ".zst"])
    def test_bombs(self, tmp_path, ending):
        part = write(tmp_path / f"part.txt{ending}", b"uma linha\n" * 100_000).read_bytes()
        path = tmp_path / f"a.txt{ending}"
        path.write_bytes(part * 20)
        error = error_of(path)
        assert "compression bomb" in error.what
        assert error.line == 17 * BLOCK // len("uma linha\n") + 1  # stopped at the first block beyond 16 MiB

    def test_repetitive_logs_are_no_bomb(self, tmp_path):
        numbers = random.Random(0).choices(range(10), k=30_000)
        log = b"".join(b"2026-01-01 12:00:0%d INFO GET /index.html HTTP/1.1 200 OK\n" % n for n in numbers)
        part = write(tmp_path / "part.txt.gz", log).read_bytes()
        assert 20 * len(part) < len(log)
        path = tmp_path / "a.txt.gz"
        path.write_bytes(part * 12)
        assert 12 * len(log) > 16 * MEBIBYTE
        assert sum(1 for _ in read_lines(source(path))) == 12 * 30_000


class TestChangingFiles:
    def test_vanished_before_it_is_opened(self, tmp_path):
        found = source(write(tmp_path / "a.txt", b"text"))
        found.path.unlink()
        with pytest.raises(InputError, match="cannot read this") as caught:
            list(read_lines(found))
        assert caught.value.found == "No such file or directory"

    def test_replaced_by_a_folder(self, tmp_path):
        found = source(write(tmp_path / "a.txt", b"text"))
        found.path.unlink()
        found.path.mkdir()
        with pytest.raises(InputError, match="cannot read this") as caught:
            open_bytes(found)
        assert caught.value.found == "Is a directory"

    def test_deleted_while_it_is_read_is_read_to_its_end(self, tmp_path):
        path = write(tmp_path / "a.txt", b"linha\n" * BLOCK)
        reading = read_lines(source(path))
        next(reading)
        path.unlink()
        assert sum(1 for _ in reading) == BLOCK - 1

    @pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
    def test_shortened_while_it_is_read(self, tmp_path, ending):
        path = write(
            tmp_path / f"a.txt{ending}",
            random.Random(0).randbytes(5 * BLOCK).hex(" ", 20).replace(" ", "\n").encode(),
        )
        reading = read_lines(source(path))
        next(reading)
        size = path.stat().st_size
        os.truncate(path, size // 2)
        with pytest.raises(InputError, match="became shorter while it was read") as caught:
            list(reading)
        assert caught.value.expected == f"{size:,} bytes, as there were at first"

    def test_lengthened_while_it_is_read(self, tmp_path):
        path = write(tmp_path / "a.txt", b"linha\n" * BLOCK)
        reading = read_lines(source(path))
        next(reading)
        with path.open("ab") as file:
            file.write(b"fim\n")
        assert list(reading)[-1] == (BLOCK + 1, "fim")


class TestEncodings:
    @pytest.mark.parametrize(
        ("given", "name"),
        [
            ("utf-8", "utf-8"),
            ("UTF8", "utf-8"),
            ("utf-8-sig", "utf-8"),
            ("latin-1", "iso8859-1"),
            ("Windows-1252", "cp1252"),
            ("shift_jis", "shift_jis"),
            ("gb18030", "gb18030"),
        ],
    )
    def test_accepted(self, given, name):
        assert check_encoding(given) == name

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "cp037", "utf-7", "undefined"])
    def test_not_by_single_bytes(self, encoding):
        with pytest.raises(UsageError, match="cannot be read directly") as caught:
            check_encoding(encoding)
        assert "iconv -f" in caught.value.fix

    @pytest.mark.parametrize("encoding", ["klingon", "", "hex", "rot13", "../x"])
    def test_unknown(self, encoding):
        with pytest.raises(UsageError, match="unknown encoding"):
            check_encoding(encoding)
