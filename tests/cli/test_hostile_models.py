"""Models made to harm: refused at once with one message, nothing of them is run, nothing large is made."""

import json
import os
import pickle
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from ambos.bundle.bundle import Bundle
from ambos.encoder.config import EncoderConfig
from ambos.errors import AmbosError

MARKER = "payload-was-run"
SIZES = {"vocab_size": 60, "width": 16, "depth": 2, "heads": 2, "inner_width": 24, "context": 20}
WEIGHTS = "model.safetensors"


class Payload:
    """A pickle that leaves a mark where it is opened."""

    def __init__(self, folder: Path) -> None:
        self.command = f"touch {folder / MARKER}"

    def __reduce__(self) -> tuple[object, ...]:
        return os.system, (self.command,)


def change(folder: Path, **values: object) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **values}))


def change_weights(folder: Path, **tensors: torch.Tensor) -> None:
    save_file({**load_file(folder / WEIGHTS), **tensors}, folder / WEIGHTS)


def pickled(name: str, protocol: int = 2) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / WEIGHTS).unlink()
        (folder / name).write_bytes(pickle.dumps(Payload(folder), protocol=protocol))

    return write


def zipped(folder: Path) -> None:
    with zipfile.ZipFile(folder / WEIGHTS, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(Payload(folder)))


def code_beside(folder: Path) -> None:
    change(folder, auto_map={"AutoModel": "modeling_evil.EvilModel"})
    (folder / "modeling_evil.py").write_text(f"open({str(folder / MARKER)!r}, 'w')\n")


def index_that_leaves(folder: Path) -> None:
    (folder / WEIGHTS).rename(folder.parent / WEIGHTS)
    names = load_file(folder.parent / WEIGHTS)
    index = {"weight_map": dict.fromkeys(names, f"../{WEIGHTS}")}
    (folder / f"{WEIGHTS}.index.json").write_text(json.dumps(index))


def header(text: bytes, data: bytes = b"", length: int | None = None) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        size = len(text) if length is None else length
        (folder / WEIGHTS).write_bytes(size.to_bytes(8, "little") + text + data)

    return write


def entries(*spans: tuple[int, int]) -> bytes:
    names = ("bert.embeddings.word_embeddings.weight", "b", "c")
    return json.dumps(
        {
            name: {"dtype": "F32", "shape": [(end - start) // 4], "data_offsets": [start, end]}
            for name, (start, end) in zip(names, spans, strict=False)
        }
    ).encode()


def written(name: str, text: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_text(text) and None


def modules(path: str, kind: str = "Transformer") -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        parts = [{"path": "", "type": "x.Transformer"}] if kind != "Transformer" else []
        parts.append({"path": path or "1_Pooling", "type": f"sentence_transformers.models.{kind}"})
        (folder / "modules.json").write_text(json.dumps(parts))

    return write


def config(**values: object) -> Callable[[Path], None]:
    return lambda folder: change(folder, **values)


def without_its_head(folder: Path) -> None:
    change(folder, architectures=["BertForTokenClassification"])


def labels_without_numbers(folder: Path) -> None:
    """A classifier of 2**40 labels takes no bytes if it reads vectors of width 0."""
    change(folder, architectures=["BertForTokenClassification"])
    names = load_file(folder / WEIGHTS)
    data = (folder / WEIGHTS).read_bytes()
    length = int.from_bytes(data[:8], "little")
    fields = json.loads(data[8 : 8 + length])
    end = max(field["data_offsets"][1] for name, field in fields.items() if name in names)
    fields["classifier.weight"] = {"dtype": "F32", "shape": [2**40, 0], "data_offsets": [end, end]}
    text = json.dumps(fields).encode()
    (folder / WEIGHTS).write_bytes(len(text).to_bytes(8, "little") + text + data[8 + length :])


def many_tables(folder: Path) -> None:
    change_weights(
        folder,
        **{f"{'x' * 400}{n}.embeddings.word_embeddings.weight": torch.zeros(1) for n in range(2000)},
    )


def deep_json(folder: Path) -> None:
    (folder / "config.json").write_text("[" * 100_000)


def pipe(name: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)

    return write


CASES: dict[str, tuple[Callable[[Path], None], str]] = {
    "pickle": (pickled("pytorch_model.bin"), "only pickled weights"),
    "old pickle": (pickled("pytorch_model.bin", 0), "only pickled weights"),
    "pickle in parts": (pickled("pytorch_model-00001-of-00002.bin"), "only pickled weights"),
    "checkpoint": (pickled("model.ckpt"), "only pickled weights"),
    "pickle named safetensors": (pickled(WEIGHTS), "is a pickle"),
    "old pickle named safetensors": (pickled(WEIGHTS, 0), "is a pickle"),
    "new pickle named safetensors": (pickled(WEIGHTS, 5), "is a pickle"),
    "pickle as the only safetensors": (pickled("weights.safetensors"), "is a pickle"),
    "zip named safetensors": (zipped, "is a zip archive"),
    "code of its own": (code_beside, "asks to run code"),
    "trust asked for": (config(trust_remote_code=True), "asks to run code"),
    "index that leaves": (index_that_leaves, "leaves the folder"),
    "module that leaves": (modules("../elsewhere"), "outside its folder"),
    "absolute module": (modules("/etc"), "outside its folder"),
    "overlapping tensors": (header(entries((0, 8), (4, 12)), bytes(12)), "overlaps another"),
    "tensors past the end": (header(entries((0, 8), (8, 2**40)), bytes(16)), "is cut short"),
    "header past the end": (header(b"{}", length=2**40), "not a safetensors file"),
    "header of 99 MB, cut": (header(b"{}", length=99_000_000), "is cut short"),
    "header that is no JSON": (header(b"{" * 5000), "is not valid JSON"),
    "many tables": (many_tables, "not the weights of one bert encoder"),
    "configuration of brackets": (deep_json, "not valid JSON"),
    "configuration that is a pipe": (pipe("config.json"), "is not a file"),
    "weights that are a pipe": (pipe(WEIGHTS), "is not a file"),
    "modules that are a pipe": (pipe("modules.json"), "is not a file"),
    "modules of brackets": (written("modules.json", "[" * 100_000), "not valid JSON"),
    "modules that are no list": (written("modules.json", "{}"), "not a list of modules"),
    "step of its own": (written("modules.json", '[{"type": "evil.Step"}]'), "a Step step"),
    "pooling that is missing": (modules("", "Pooling"), "cannot be read"),
    "no head": (without_its_head, "no head of the kind its config.json names"),
    "labels without numbers": (labels_without_numbers, "no head of the kind its config.json names"),
    "unknown family": (config(model_type="x" * 10_000_000), "family"),
    "unknown class": (config(architectures=["Bert" + "x" * 10_000_000]), "is not a class"),
    **{
        f"{key} {str(value)[:20]}": (config(**{key: value}), what)
        for key, value, what in [
            ("hidden_size", 10**9, "cannot be built"),
            ("hidden_size", 65_536, "do not fit"),
            ("hidden_size", -16, "cannot be built"),
            ("hidden_size", "wide", "cannot be built"),
            ("hidden_size", "x" * 1_000_000, "cannot be built"),
            ("hidden_size", 1e300, "cannot be built"),
            ("num_hidden_layers", 10**9, "cannot be built"),
            ("num_hidden_layers", 1000, "do not fit"),
            ("num_hidden_layers", 0, "cannot be built"),
            ("num_hidden_layers", True, "cannot be built"),
            ("vocab_size", 10**12, "cannot be built"),
            ("vocab_size", 10**7, "do not fit"),
            ("vocab_size", -1, "cannot be built"),
            ("num_attention_heads", 0, "cannot be built"),
            ("num_attention_heads", 3, "cannot be built"),
            ("max_position_embeddings", 2**24, "do not fit"),
            ("max_position_embeddings", 2**62, "cannot be built"),
            ("intermediate_size", [1, 2], "cannot be built"),
            ("hidden_act", "__import__('os')", "is not built here"),
            ("hidden_dropout_prob", 7, "cannot be built"),
            ("layer_norm_eps", "tiny", "not a number"),
            ("position_embedding_type", "relative_key", "is not built here"),
            ("model_type", "gpt2", "family"),
            ("model_type", ["bert"], "family"),
        ]
    },
}


@pytest.fixture
def model(tmp_path) -> Path:
    """A good model, to be spoilt."""
    folder = tmp_path / "model"
    bundle = Bundle.new(EncoderConfig(family="bert", segments=2, **SIZES))
    bundle.add_head("mlm")
    bundle.save(folder)
    (folder / "ambos.json").unlink()  # a stranger's
    return folder


def test_the_model_that_is_spoilt_is_good(ambos, model):
    assert ambos("info", model).code == 0


@pytest.mark.parametrize("case", CASES)
def test_refused(ambos, model, case):
    spoil, what = CASES[case]
    spoil(model)
    began = time.process_time()
    with pytest.raises(AmbosError) as caught:
        Bundle.load(model)
    assert time.process_time() - began < 1
    assert what in caught.value.what
    labelled = ambos("info", model).refused(3, what)
    assert labelled["expected"]
    assert labelled["fix"]
    ambos("fill", model, "O [MASK].").refused(3, what)
    assert not list(model.parent.rglob(MARKER))


@pytest.mark.parametrize(
    ("family", "values"),
    [
        ("albert", {"embedding_size": 1.5}),
        ("albert", {"embedding_size": True}),
        ("albert", {"num_hidden_groups": 1.5}),
        ("albert", {"num_hidden_groups": 10**9}),
        ("albert", {"num_hidden_layers": 10**9}),
        ("albert", {"inner_group_num": 10**9}),
        ("electra", {"embedding_size": "x"}),
        ("roberta", {"pad_token_id": -5}),
        ("roberta", {"pad_token_id": 1.5}),
        ("roberta", {"pad_token_id": 10**9}),
        ("modernbert", {"rope_parameters": [1]}),
        ("modernbert", {"rope_parameters": {"full_attention": 1}}),
        ("modernbert", {"rope_parameters": {"full_attention": {"rope_type": "yarn"}}}),
        ("modernbert", {"layer_types": [[]]}),
        ("modernbert", {"layer_types": None, "global_attn_every_n_layers": 0, "num_hidden_layers": 2}),
        ("modernbert", {"num_hidden_layers": 10**9, "layer_types": None}),
        ("modernbert", {"local_attention": "x"}),
        ("modernbert", {"classifier_activation": ["gelu"]}),
    ],
)
def test_settings_of_other_families(tmp_path, family, values):
    peculiar = {
        "albert": {"segments": 2, "token_width": 8, "layers": (0, 0)},
        "electra": {"segments": 2, "token_width": 8},
        "roberta": {"segments": 1, "position_offset": 2},
        "modernbert": {
            "positions": "rotary",
            "norm_first": True,
            "gated": True,
            "dropout": 0.0,
            "local_layers": (1,),
            "window": 4,
        },
    }[family]
    bundle = Bundle.new(EncoderConfig(family=family, **SIZES, **peculiar))
    bundle.add_head("mlm")
    bundle.save(tmp_path / "model")
    Bundle.load(tmp_path / "model")
    change(tmp_path / "model", **values)
    began = time.process_time()
    with pytest.raises(AmbosError):
        Bundle.load(tmp_path / "model")
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    "files",
    [{"../x": "0"}, {"/etc/passwd": "0"}, {"a\0b": "0"}, {"config.json": 7}, {"": "0"}, {"x" * 5000: "0"}],
    ids=["above", "absolute", "NUL", "number", "empty", "long"],
)
def test_hostile_hashes(ambos, model, files):
    manifest = {"format": 1, "task": "mlm", "labels": [], "pair": "joint", "provenance": {}, "files": files}
    (model / "ambos.json").write_text(json.dumps(manifest))
    (model.parent / "x").write_text("")
    assert ambos("info", model).code == 0
    ambos("info", model, "--verify").refused(3, "is not the file that was written")


def test_texts_out_of_a_model_cannot_move_the_cursor(ambos, model):
    provenance = {"by": "\x1b[2J\x07[red]evil[/]", "nested": {"a": ["\x1b"]}, "long": "x" * 100_000}
    manifest = {
        "format": 1,
        "task": "mlm",
        "labels": [],
        "pair": "joint",
        "provenance": provenance,
        "files": {},
    }
    (model / "ambos.json").write_text(json.dumps(manifest))
    ran = ambos("info", model)
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "\x07" not in ran.out
    assert "[red]evil[/]" in ran.out
    assert len(ran.out) < 5000
    assert json.loads(ambos("info", model, "--json").out)["provenance"] == provenance


@pytest.mark.parametrize("command", [["info"], ["fill", "O [MASK]."], ["embed", "a.txt", "--out", "v.npy"]])
def test_by_real_processes(model, command):
    pickled("pytorch_model.bin")(model)
    (model.parent / "a.txt").write_text("texto\n")
    name, *more = command
    done = subprocess.run(
        [sys.executable, "-m", "ambos.cli.app", name, "model", *more],
        capture_output=True,
        text=True,
        check=False,
        cwd=model.parent,
    )
    assert done.returncode == 3
    assert "only pickled weights, which are never opened" in done.stderr
    assert "Traceback" not in done.stderr
    assert {entry.name for entry in model.parent.iterdir()} == {"model", "a.txt"}
    assert not list(model.parent.rglob(MARKER))
