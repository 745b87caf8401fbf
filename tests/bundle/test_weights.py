"""Weights against the safetensors library, and against every file that is not what it says."""

import copy
import json
import os
import pickle
import socket
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.torch import load_file, save, save_file

from ambos.bundle import safe_files, weights_check
from ambos.bundle.safe_files import open_regular, read_exactly
from ambos.bundle.weights import INDEX, SINGLE, Weights, write_weights
from ambos.errors import InputError, OutputError

FLOATS = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
WHOLE = {"I64": torch.int64, "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8}
WHOLE |= {"U64": torch.uint64, "U32": torch.uint32, "U16": torch.uint16, "BOOL": torch.bool}
DTYPES = FLOATS | WHOLE
SMALL = {
    "embeddings.weight": torch.arange(12.0).reshape(4, 3),
    "bias": torch.tensor([1.5, -2.5], dtype=torch.float16),
    "step": torch.tensor(7),
    "none": torch.empty(0, 5),
}


@st.composite
def tensor_dicts(draw: st.DrawFn) -> dict[str, torch.Tensor]:
    tensors = {}
    names = st.text(st.characters(codec="utf-8"), max_size=20).filter(lambda name: name != "__metadata__")
    for name in draw(st.lists(names, max_size=5, unique=True)):
        dtype = DTYPES[draw(st.sampled_from(sorted(DTYPES)))]
        shape = draw(st.lists(st.integers(0, 4), max_size=4))
        count = int(np.prod(shape, dtype=int)) * dtype.itemsize
        raw = np.frombuffer(draw(st.binary(min_size=count, max_size=count)), dtype=np.uint8).copy()
        tensors[name] = torch.empty(shape, dtype=dtype)
        if count:
            flat = torch.from_numpy(raw % 2 if dtype == torch.bool else raw).view(dtype)
            tensors[name].copy_(flat.reshape(shape))
    return tensors


def assert_same(read: torch.Tensor, expected: torch.Tensor) -> None:
    assert read.shape == expected.shape
    wanted = expected.float() if expected.dtype in FLOATS.values() else expected
    assert read.dtype == wanted.dtype
    assert read.is_contiguous()
    np.testing.assert_array_equal(read.numpy(), wanted.numpy())


def file_of(header: object, data: bytes = b"", *, length: int | None = None) -> bytes:
    """A safetensors file with any header, bytes or what can be JSON."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def entry(dtype: object = "F32", shape: object = (2,), span: object = (0, 8)) -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": span}


def folder_with(folder: Path, **files: bytes) -> Path:
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def refused(folder: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        Weights.open(folder)
    error = caught.value
    assert error.file is not None
    assert error.file.startswith(str(folder))
    assert error.expected
    assert error.found
    assert error.fix
    assert "\x1b" not in str(error)
    assert len(str(error)) < 1000
    return error


def refused_file(folder: Path, data: bytes) -> InputError:
    (folder / SINGLE).write_bytes(data)
    error = refused(folder)
    assert error.file == str(folder / SINGLE)
    return error


@given(tensor_dicts())
@settings(max_examples=60, deadline=None)
def test_reads_what_the_library_writes(tensors: dict[str, torch.Tensor]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save_file(tensors, folder / SINGLE)
        weights = Weights.open(folder)
        assert weights.names == tuple(sorted(tensors)) == tuple(weights)
        assert len(weights) == len(tensors)
        for key, tensor in tensors.items():
            assert key in weights
            assert weights.shape(key) == tuple(tensor.shape)
            assert DTYPES[weights.dtype(key)] == tensor.dtype
            assert_same(weights.read(key), tensor)


@given(tensor_dicts())
@settings(max_examples=60, deadline=None)
def test_writes_what_the_library_reads(tensors: dict[str, torch.Tensor]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_weights(folder, tensors)
        assert list(folder.iterdir()) == [folder / SINGLE]
        again = load_file(folder / SINGLE)
        assert set(again) == set(tensors)
        for key, tensor in tensors.items():
            assert again[key].dtype == tensor.dtype
            assert again[key].shape == tensor.shape
            assert torch.equal(again[key].reshape(-1).view(torch.uint8), tensor.reshape(-1).view(torch.uint8))
        with safe_open(folder / SINGLE, framework="pt") as file:
            assert file.metadata() == {"format": "pt"}


def test_a_tensor_owns_its_memory(tmp_path: Path) -> None:
    write_weights(tmp_path, SMALL)
    weights = Weights.open(tmp_path)
    tensor = weights.read("embeddings.weight")
    assert str(tmp_path / SINGLE) not in Path("/proc/self/maps").read_text()
    (tmp_path / SINGLE).write_bytes(bytes(1000))
    assert_same(tensor, SMALL["embeddings.weight"])
    tensor += 1
    assert weights.files == (tmp_path / SINGLE,)
    assert "4 tensors" in repr(weights)
    assert "other" not in weights
    with pytest.raises(KeyError):
        weights.read("other")


def test_any_byte_but_zero_is_true(tmp_path: Path) -> None:
    folder_with(tmp_path, **{SINGLE: file_of({"x": entry("BOOL", [4], [0, 4])}, b"\x00\x01\x07\xff")})
    read = Weights.open(tmp_path).read("x")
    assert read.view(torch.uint8).tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("length", [0x0080, 0x0280, 0x0480, 0x8B1F])
def test_a_header_whose_length_looks_like_another_kind_is_read(tmp_path: Path, length: int) -> None:
    header = json.dumps({"x": entry()}).encode().ljust(length)
    folder_with(tmp_path, **{SINGLE: file_of(header, bytes(8))})
    assert Weights.open(tmp_path).read("x").tolist() == [0, 0]


def test_weights_of_a_cache_of_links_are_read(tmp_path: Path) -> None:
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshots" / "main"
    blobs.mkdir()
    snapshot.mkdir(parents=True)
    (blobs / "abc").write_bytes(save(SMALL))
    (snapshot / SINGLE).symlink_to("../../blobs/abc")
    assert_same(Weights.open(snapshot).read("bias"), SMALL["bias"])
    (blobs / "abc").unlink()
    assert "link" in refused(snapshot).what


# Which files are taken


def test_the_whole_file_wins_over_the_index(tmp_path: Path) -> None:
    folder_with(tmp_path, **{SINGLE: save(SMALL), INDEX: b"nonsense", "other.safetensors": b"nonsense"})
    assert Weights.open(tmp_path).files == (tmp_path / SINGLE,)


def test_one_file_of_another_name_is_taken(tmp_path: Path) -> None:
    folder_with(tmp_path, **{"encoder.safetensors": save(SMALL), "._encoder.safetensors": b"", "x.bin": b""})
    assert Weights.open(tmp_path).files == (tmp_path / "encoder.safetensors",)


def test_several_files_without_an_index_are_refused(tmp_path: Path) -> None:
    folder_with(tmp_path, **{"a.safetensors": save(SMALL), "b.safetensors": save(SMALL)})
    error = refused(tmp_path)
    assert "'a.safetensors', 'b.safetensors'" in error.found
    assert INDEX in error.fix


@pytest.mark.parametrize(
    "name",
    [
        *(
            "pytorch_model.bin",
            "model.pt",
            "model.pth",
            "model.ckpt",
            "model.pkl",
            "a.pickle",
            "w.bin",
            "W.BIN",
        ),
        "pytorch_model.bin.index.json",
    ],
)
def test_pickled_weights_are_refused_by_name(tmp_path: Path, name: str) -> None:
    folder_with(tmp_path, **{name: b"", "config.json": b"{}", "tf_model.h5": b""})
    error = refused(tmp_path)
    assert "pickled weights" in error.what
    assert "can run code" in error.what
    assert error.found == repr(name)
    assert "save_pretrained" in error.fix


@pytest.mark.parametrize("name", ["tf_model.h5", "flax_model.msgpack", "bert_model.ckpt.index", "a.onnx"])
def test_weights_of_other_frameworks_are_refused_by_name(tmp_path: Path, name: str) -> None:
    folder_with(tmp_path, **{name: b"", "config.json": b"{}"})
    error = refused(tmp_path)
    assert "another framework" in error.what
    assert "save_pretrained" in error.fix


def test_folders_without_weights_are_refused(tmp_path: Path) -> None:
    assert refused(tmp_path).found == "an empty folder"
    file = tmp_path / "config.json"
    file.write_text("{}")
    assert "config.json" in refused(tmp_path).found
    for folder in (file, tmp_path / "missing", tmp_path / "nul\0"):
        assert "folder" in refused(folder).what


# Files that are not files, and bytes that are not safetensors


def as_folder(path: Path) -> None:
    path.mkdir()


def as_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(path))  # such a path has to be short


def as_endless_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [as_folder, os.mkfifo, as_socket, as_endless_device])
@pytest.mark.parametrize("name", [SINGLE, INDEX])
def test_only_regular_files_are_opened(
    tmp_path: Path, make: Callable[[Path], None], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path / name)
    monkeypatch.setattr(os, "open", None)
    assert refused(tmp_path).what == "is not a file"


def test_a_pipe_that_takes_the_place_of_a_file_does_not_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / SINGLE)
    regular = Path(__file__).stat()
    monkeypatch.setattr(Path, "stat", lambda path, **_: regular)
    assert refused(tmp_path).what == "is not a file"


@pytest.mark.parametrize(
    "error", [PermissionError(13, "Permission denied"), OSError(5, "Input/output error")]
)
def test_files_that_cannot_be_opened_are_refused(
    tmp_path: Path, error: OSError, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise error

    folder_with(tmp_path, **{SINGLE: save(SMALL)})
    monkeypatch.setattr(os, "open", fail)
    assert refused(tmp_path).found == error.strerror


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_without_permission_are_refused(tmp_path: Path) -> None:
    folder_with(tmp_path, **{SINGLE: save(SMALL)})
    (tmp_path / SINGLE).chmod(0)
    assert "readable" in refused(tmp_path).fix


class Hostile:
    """Makes a folder when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.marker),)


@pytest.fixture
def marker(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "marker"
    pickle.loads(pickle.dumps(Hostile(path)))
    assert path.exists(), "the payload has to work for its absence to mean anything"
    path.rmdir()
    yield path
    assert not path.exists()


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("inside", ["bare", "dict", "list"])
def test_pickles_are_named_and_never_opened(tmp_path: Path, marker: Path, protocol: int, inside: str) -> None:
    payload = {"bare": Hostile(marker), "dict": {"weight": Hostile(marker)}, "list": [Hostile(marker)]}[
        inside
    ]
    error = refused_file(tmp_path, pickle.dumps(payload, protocol))
    assert error.what == "is a pickle, and opening a pickle can run code"
    assert "save_pretrained" in error.fix


@pytest.mark.parametrize("zipped", [True, False])
def test_what_torch_saves_is_named_and_never_opened(tmp_path: Path, marker: Path, zipped: bool) -> None:
    torch.save(
        {"weight": torch.ones(3), "x": Hostile(marker)},
        tmp_path / SINGLE,
        _use_new_zipfile_serialization=zipped,
    )
    error = refused(tmp_path)
    assert error.what == (
        "is a zip archive, such as torch.save writes"
        if zipped
        else "is a pickle, such as older torch.save writes"
    )
    (tmp_path / SINGLE).rename(tmp_path / "pytorch_model.bin")
    assert "pickled" in refused(tmp_path).what


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21\nsize 440473133\n"
WHOLE_FILE = save(SMALL)
TWO = bytes(8)
FILES = {
    "empty": (b"", "is empty"),
    "a few bytes": (b"abc", "cut short"),
    "eight bytes": (bytes(8), "cut short"),
    "hdf5": (b"\x89HDF\r\n\x1a\n" + bytes(100), "HDF5"),
    "gzip": (b"\x1f\x8b\x08\x00" + bytes(100), "gzip"),
    "gguf": (b"GGUF\x03\x00\x00\x00" + bytes(100), "GGUF"),
    "git-lfs": (LFS, "git-lfs pointer, not the file itself"),
    "web page": (b"<!DOCTYPE html><html>Sign in</html>", "web page"),
    "text": (b"These are not the weights you look for.", "not a safetensors file"),
    "zeros": (bytes(100), "not a safetensors file"),
    "cut in the header": (WHOLE_FILE[:100], "cut short"),
    "cut in the tensors": (WHOLE_FILE[:-1], "cut short"),
    "a byte too many": (WHOLE_FILE + b"\0", "after the last tensor"),
    "length 1": (file_of(b"{", length=1), "cut short"),
    "length 1, more bytes": (file_of(b"{  }", length=1), "not a safetensors file"),
    "length of 2**64 - 1": (file_of(b"{}", length=2**64 - 1), "not a safetensors file"),
    "length above the limit": (file_of(b"{}", length=100_000_001), "not a safetensors file"),
    "header in utf-16": (file_of("{}".encode("utf-16-le")), "not valid JSON"),
    "header not utf-8": (file_of(b'{"\xff": 1}'), "not valid JSON"),
    "header with a space first": (file_of(b" {}"), "not a safetensors file"),
    "header a list": (file_of([]), "not a safetensors file"),
    "header with more behind": (file_of(b"{}{}"), "not valid JSON"),
    "half a surrogate pair": (file_of(rb'{"\ud800": {}}'), "not valid JSON"),
    "nan": (file_of(b'{"x": NaN}'), "not valid JSON"),
    "endless number": (file_of(b'{"x": ' + b"9" * 5000 + b"}"), "not valid JSON"),
    "deep": (file_of(b'{"x": ' + b"[" * 1_000_000), "not valid JSON"),
    "same name twice": (file_of(b'{"x": {}, "x": {}}'), "not valid JSON"),
    "same key twice": (file_of(b'{"x": {"dtype": "F32", "dtype": "F32"}}'), "not valid JSON"),
    "metadata a list": (file_of({"__metadata__": []}), "__metadata__"),
    "metadata of numbers": (file_of({"__metadata__": {"format": 1}}), "__metadata__"),
    "tensor a list": (file_of({"x": []}), "malformed"),
    "tensor without fields": (file_of({"x": {}}), "kind that is not read"),
    "control characters in a name": (file_of({"\x1b[31m": 1}), r"\x1b[31m"),
    "no such dtype": (file_of({"x": entry("F31")}, TWO), "kind that is not read"),
    "dtype below a byte": (file_of({"x": entry("F4", [16])}, TWO), "kind that is not read"),
    "dtype a list": (file_of({"x": entry(["F32"])}, TWO), "kind that is not read"),
    "shape a number": (file_of({"x": entry(shape=2)}, TWO), "malformed shape"),
    "shape negative": (file_of({"x": entry(shape=[-1, -2])}, TWO), "malformed shape"),
    "shape true": (file_of({"x": entry(shape=[2, True])}, TWO), "malformed shape"),
    "shape a fraction": (file_of({"x": entry(shape=[2.0])}, TWO), "malformed shape"),
    "shape a text": (file_of({"x": entry(shape="2")}, TWO), "malformed shape"),
    "shape of nine": (file_of({"x": entry(shape=[2] + [1] * 8)}, TWO), "malformed shape"),
    "shape huge": (file_of({"x": entry(shape=[2**48, 0], span=[0, 0])}), "malformed shape"),
    "shape that wraps around": (file_of({"x": entry(shape=[2**32, 2**32, 2])}, TWO), "does not fit"),
    "shape of zero and huge": (file_of({"x": entry(shape=[0] + [2**47] * 7, span=[0, 0])}), "does not fit"),
    "offsets of three": (file_of({"x": entry(span=[0, 8, 8])}, TWO), "data_offsets"),
    "offsets true": (file_of({"x": entry(span=[False, 8])}, TWO), "data_offsets"),
    "offsets negative": (file_of({"x": entry(span=[-8, 0])}, TWO), "data_offsets"),
    "offsets backwards": (file_of({"x": entry(span=[8, 0])}, TWO), "does not fit"),
    "too few bytes": (file_of({"x": entry(span=[0, 7])}, TWO), "does not fit"),
    "gap at the start": (file_of({"x": entry(span=[8, 16])}, TWO * 2), "gap"),
    "gap": (file_of({"x": entry(), "y": entry(span=[9, 17])}, TWO * 3), "gap"),
    "overlap": (file_of({"x": entry(), "y": entry(span=[4, 12])}, TWO * 2), "overlaps"),
    "one stretch twice": (file_of({"x": entry(), "y": entry()}, TWO), "overlaps"),
    "offsets beyond the file": (file_of({"x": entry("U8", [2**47], [0, 2**47])}, TWO), "cut short"),
}


@pytest.mark.parametrize("kind", FILES)
def test_files_that_are_not_whole_safetensors_are_refused(tmp_path: Path, kind: str) -> None:
    data, what = FILES[kind]
    assert what in refused_file(tmp_path, data).what


def test_a_pointer_of_git_lfs_says_what_to_do(tmp_path: Path) -> None:
    assert "git lfs pull" in refused_file(tmp_path, LFS).fix


def test_the_number_of_tensors_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header = file_of({str(number): entry("U8", [0], [0, 0]) for number in range(4)})
    monkeypatch.setattr(weights_check, "MAX_TENSORS", 3)
    assert "too many" in refused_file(tmp_path, header).what
    monkeypatch.setattr(weights_check, "MAX_TENSORS", 4)
    assert len(Weights.open(tmp_path)) == 4


def frugally(folder: Path, megabytes: float) -> str:
    """What a folder is refused for, given little time and memory."""
    tracemalloc.start()
    begin = time.perf_counter()
    try:
        error = refused(folder)
        assert time.perf_counter() - begin < 1
        assert tracemalloc.get_traced_memory()[1] < megabytes * 1e6
    finally:
        tracemalloc.stop()
    return error.what


@pytest.mark.parametrize(
    ("start", "what"),
    [
        (b"", "not a safetensors"),
        (b"\x80\x04\x95", "pickle"),
        (file_of(b"{}", length=10**8 + 1), "not a safetensors"),
        (file_of({"x": entry()}), "after the last tensor"),
        (file_of({"x": entry("U8", [2**47], [0, 2**47])}), "cut short"),
    ],
)
def test_a_huge_file_is_refused_by_its_header(tmp_path: Path, start: bytes, what: str) -> None:
    with (tmp_path / SINGLE).open("wb") as file:
        file.write(start)
        file.truncate(50 * 10**9)
    assert what in frugally(tmp_path, megabytes=0.5)


def test_a_huge_index_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / INDEX).open("wb") as file:
        file.truncate(50_000_001)
    assert frugally(tmp_path, megabytes=0.5) == "is too large"


def test_a_header_of_a_great_many_parts_is_not_parsed(tmp_path: Path) -> None:
    for parts in (b"[],", b"{},", b"1,", b'"":'):
        folder_with(tmp_path, **{SINGLE: file_of(b'{"x":[' + parts * 2_300_000 + b"[]]}")})
        assert frugally(tmp_path, megabytes=20) == "the header is too large"


def test_as_many_tensors_as_are_allowed_are_parsed(tmp_path: Path) -> None:
    count, shape = weights_check.MAX_TENSORS // 10, [1, 1, 1, 1]
    header = {f"layer.{i}": entry("U8", shape, [i, i + 1]) for i in range(count)}
    text = json.dumps(header).encode()
    for signs, most in weights_check._MAX_SIGNS.items():
        assert sum(map(text.count, signs)) * 10 < most
    folder_with(tmp_path, **{SINGLE: file_of(header, bytes(count))})
    assert len(Weights.open(tmp_path)) == count


# Indexes


def shards(folder: Path, *parts: dict[str, torch.Tensor], **promised: str) -> Path:
    """Write shards 1, 2, ... and an index that promises what they hold, and more."""
    weight_map = {}
    for number, part in enumerate(parts, start=1):
        save_file(part, folder / f"{number}.safetensors")
        weight_map |= dict.fromkeys(part, f"{number}.safetensors")
    (folder / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": weight_map | promised}))
    return folder


def test_shards_are_read(tmp_path: Path) -> None:
    parts = [{name: SMALL[name]} for name in SMALL]
    weights = Weights.open(shards(tmp_path, *parts))
    assert weights.names == tuple(sorted(SMALL))
    assert weights.files == tuple(tmp_path / f"{number}.safetensors" for number in (1, 2, 3, 4))
    for name, tensor in SMALL.items():
        assert_same(weights.read(name), tensor)


OUTSIDE = ["../x.safetensors", "/x.safetensors", "a/x.safetensors", "..\\x.safetensors", "a\\x.safetensors"]
OUTSIDE += [
    "\\\\host\\share\\x.safetensors",
    "C:x.safetensors",
    "C:\\x.safetensors",
    "x\0.safetensors",
    "..",
    "",
]
OUTSIDE += ["./x.safetensors", "x.safetensors/", "x.safetensors/..", "\x1b[31m.safetensors", 1, None, ["x"]]


@pytest.mark.parametrize("name", OUTSIDE)
def test_an_index_cannot_lead_out_of_the_folder(tmp_path: Path, name: object) -> None:
    (tmp_path / "x.safetensors").write_bytes(save(SMALL))
    inside = tmp_path / "inside"
    inside.mkdir()
    error = refused(shards(inside, {"a": torch.ones(1)}, b=name))
    assert error.file == str(inside / INDEX)
    assert "leaves the folder" in error.what


def test_an_index_of_pickles_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.bin").touch()
    error = refused(shards(tmp_path, b="x.bin"))
    assert "is not safetensors" in error.what
    assert "save_pretrained" in error.fix


def test_an_index_that_disagrees_with_its_shards_is_refused(tmp_path: Path) -> None:
    one, two = {"a": torch.ones(1)}, {"b": torch.ones(1)}
    error = refused(shards(tmp_path, one, b="2.safetensors"))
    assert "missing" in error.what
    assert error.found == "no 2.safetensors"
    error = refused(shards(tmp_path, one, two, c="2.safetensors"))
    assert error.what == "tensor 'c' is missing"
    assert error.file == str(tmp_path / "2.safetensors")
    error = refused(shards(tmp_path, one | {"c": torch.ones(1)}, two, a="2.safetensors"))
    assert error.found == "it is in 1.safetensors"
    error = refused(shards(tmp_path, one | {"c": torch.ones(1)}, one | two))
    assert error.what == "tensor 'a' is in two files"


INDEXES = {
    "empty": (b"", "not valid JSON"),
    "list": (b"[]", "not a JSON object"),
    "text": (b'"weight_map"', "not a JSON object"),
    "not JSON": (b"{", "not valid JSON"),
    "not UTF-8": (b'{"weight_map": "\xff"}', "not valid JSON"),
    "deep": (b"[" * 100_000, "not valid JSON"),
    "no map": (b"{}", "no weight_map"),
    "map a list": (b'{"weight_map": ["1.safetensors"]}', "no weight_map"),
    "map empty": (b'{"weight_map": {}}', "no weight_map"),
    "name twice": (b'{"weight_map": {"a": "1.safetensors", "a": "2.safetensors"}}', "not valid JSON"),
    "git-lfs": (LFS, "git-lfs pointer"),
    "too many names": (b'{"weight_map": [' + b"1," * 400_000 + b"1]}", "too large"),
}


@pytest.mark.parametrize("kind", INDEXES)
def test_malformed_indexes_are_refused(tmp_path: Path, kind: str) -> None:
    data, what = INDEXES[kind]
    folder_with(tmp_path, **{INDEX: data})
    error = refused(tmp_path)
    assert what in error.what
    assert error.file == str(tmp_path / INDEX)


# Files that change while they are used


@pytest.mark.parametrize("change", ["shrink", "grow", "replace", "rewrite", "remove", "pipe"])
def test_a_file_that_changed_since_is_refused(tmp_path: Path, change: str) -> None:
    file = tmp_path / SINGLE
    write_weights(tmp_path, SMALL)
    weights = Weights.open(tmp_path)
    if change in {"shrink", "grow"}:
        os.truncate(file, file.stat().st_size + (10 if change == "grow" else -10))
    if change == "replace":
        write_weights(tmp_path, SMALL)
    if change == "rewrite":
        time.sleep(0.02)  # the clock of file times ticks slowly
        file.write_bytes(file.read_bytes())
    if change in {"remove", "pipe"}:
        file.unlink()
    if change == "pipe":
        os.mkfifo(file)
    with pytest.raises(InputError) as caught:
        weights.read("bias")
    assert caught.value.file == str(file)


def test_a_file_that_shrinks_while_it_is_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / SINGLE
    file.write_bytes(bytes(10))
    with open_regular(file) as stream, pytest.raises(InputError, match="has changed"):
        read_exactly(stream, memoryview(bytearray(11)), file)


def test_a_file_written_to_while_it_is_read_is_refused(tmp_path: Path) -> None:
    write_weights(tmp_path, SMALL)
    checked = weights_check.check_file(tmp_path / SINGLE)
    with pytest.raises(InputError, match="has changed"), checked.reopen():
        os.truncate(tmp_path / SINGLE, 10)


def test_a_tensor_beyond_the_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory")

    write_weights(tmp_path, SMALL)
    weights = Weights.open(tmp_path)
    monkeypatch.setattr(torch, "empty", fail)
    with pytest.raises(InputError, match="does not fit the memory"):
        weights.read("bias")


# Hostile bytes in general


def try_to_read(data: bytes) -> bool:
    """Whether a file is taken; if so, it is what its header and the safetensors library say."""
    with tempfile.TemporaryDirectory() as name:
        folder = folder_with(Path(name), **{SINGLE: data})
        try:
            weights = Weights.open(folder)
        except InputError:
            return False
        length = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + length])
        header.pop("__metadata__", None)
        assert set(weights) == set(header)
        library = load_file(folder / SINGLE)
        for key, said in header.items():
            assert list(weights.read(key).shape) == said["shape"]
            assert_same(weights.read(key), library[key])
        return True


HEADER_END = 8 + int.from_bytes(WHOLE_FILE[:8], "little")
EDITS = st.lists(
    st.tuples(st.integers(0, HEADER_END + 10), st.integers(0, 2), st.binary(min_size=1, max_size=3)),
    min_size=1,
    max_size=4,
)


@given(EDITS, st.none() | st.integers(0, len(WHOLE_FILE)))
@example([(0, 0, WHOLE_FILE[:1])], None)
@settings(max_examples=250, deadline=None)
def test_bytes_changed_anywhere_do_no_harm(edits: list[tuple[int, int, bytes]], end: int | None) -> None:
    data = WHOLE_FILE
    for place, gone, come in edits:
        data = data[:place] + come + data[place + gone :]
    try_to_read(data[:end])


NUMBERS = st.one_of(st.integers(0, 60), st.integers(-(2**70), 2**70), st.floats(), st.booleans(), st.none())
VALUES = st.one_of(NUMBERS, st.sampled_from(sorted(DTYPES)), st.lists(NUMBERS, max_size=3))


@given(st.data())
@settings(max_examples=250, deadline=None)
def test_values_changed_anywhere_do_no_harm(data: st.DataObject) -> None:
    header = copy.deepcopy(json.loads(WHOLE_FILE[8:HEADER_END]))
    for _ in range(data.draw(st.integers(1, 3))):
        fields = header[data.draw(st.sampled_from(sorted(header)))]
        key = data.draw(st.sampled_from(["dtype", "shape", "data_offsets", "more"]))
        old = fields.get(key)
        if isinstance(old, list) and old:
            old[data.draw(st.integers(0, len(old) - 1))] = data.draw(NUMBERS)
        else:
            fields[key] = data.draw(VALUES)
    try_to_read(file_of(header, WHOLE_FILE[HEADER_END:]))


def test_the_fuzzed_file_itself_is_taken() -> None:
    assert try_to_read(WHOLE_FILE)


# Writing


def test_tensors_are_packed(tmp_path: Path) -> None:
    base = torch.arange(12.0).reshape(3, 4)
    tensors = {
        "turned": base.T,
        "part": torch.arange(100.0)[3:5],
        "spread": torch.ones(1).expand(3),
        "learnt": torch.nn.Parameter(torch.ones(2)),
    }
    write_weights(tmp_path, tensors)
    weights = Weights.open(tmp_path)
    for name, tensor in tensors.items():
        assert_same(weights.read(name), tensor.detach())
    assert (tmp_path / SINGLE).stat().st_size < 500


def test_parts_of_one_memory_that_do_not_overlap_are_written(tmp_path: Path) -> None:
    query, key = torch.arange(8.0).chunk(2)
    write_weights(tmp_path, {"query": query, "key": key})
    assert_same(Weights.open(tmp_path).read("key"), key)


@pytest.mark.parametrize("part", [slice(None), slice(0, 1), slice(3, 4), slice(1, 3)])
def test_tensors_that_share_memory_are_not_written(tmp_path: Path, part: slice) -> None:
    whole = torch.ones(4)
    with pytest.raises(ValueError, match="share memory"):
        write_weights(tmp_path, {"a": whole, "other": torch.ones(4), "b": whole[part]})
    assert not any(tmp_path.iterdir())


def test_what_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="complex64"):
        write_weights(tmp_path, {"a": torch.ones(1, dtype=torch.complex64)})
    with pytest.raises(ValueError, match="__metadata__"):
        write_weights(tmp_path, {"__metadata__": torch.ones(1)})


def test_writing_replaces_a_link_and_not_what_it_leads_to(tmp_path: Path) -> None:
    target = tmp_path / "blob"
    target.write_bytes(b"precious")
    (tmp_path / SINGLE).symlink_to("blob")
    write_weights(tmp_path, SMALL)
    assert target.read_bytes() == b"precious"
    assert len(Weights.open(tmp_path)) == len(SMALL)


def test_weights_may_be_read_by_whom_other_new_files_may(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.touch()
    write_weights(tmp_path, SMALL)
    assert (tmp_path / SINGLE).stat().st_mode == other.stat().st_mode


def test_writing_where_it_cannot_be_done_says_so(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot write here"):
        write_weights(tmp_path / "missing", SMALL)


def test_errors_never_carry_more_than_a_line_of_a_file() -> None:
    assert len(safe_files.short("x" * 10**6)) < 200
    assert len(safe_files.short([{"a": 1}] * 10**6)) < 200
