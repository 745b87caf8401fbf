"""`ambos info`: what is said of a model is true of its files."""

import json
import shutil
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

from ambos.bundle.bundle import Bundle
from ambos.data.label_set import LabelSet
from ambos.encoder.combine import Twin
from ambos.encoder.config import EncoderConfig
from ambos.predict.learnt import remember
from ambos.tasks.classify import Classify


def tensors_of(folder: Path) -> int:
    return sum(tensor.numel() for tensor in load_file(folder / "model.safetensors").values())


def test_a_masked_language_model(ambos, model_folder, kind):
    folder = model_folder(kind)
    said = json.loads(ambos("info", folder, "--verify", "--json").out)
    family, prefix = {
        "wordpiece": ("bert", "Bert"),
        "bpe": ("roberta", "Roberta"),
        "unigram": ("xlm-roberta", "XLMRoberta"),
    }[kind]
    assert (said["family"], said["class"], said["task"]) == (family, f"{prefix}ForMaskedLM", "mlm")
    assert said["folder"] == str(folder)
    assert said["shape"]["width"] == 32
    assert said["shape"]["head_width"] == 8
    assert said["parameters"]["total"] == tensors_of(folder)
    assert sum(said["parameters"].values()) == 2 * said["parameters"]["total"]
    assert said["bytes"] == 4 * tensors_of(folder)
    assert said["tokenizer"]["kind"] == kind
    assert said["tokenizer"]["vocabulary"] == said["shape"]["vocab_size"]
    assert said["tokenizer"]["special"]["mask"] == ("[MASK]" if kind == "wordpiece" else "<mask>")
    assert said["tokenizer"]["ids_without_a_vector"] == 0
    assert said["provenance"]["made"] == "for tests"
    assert said["unused_tensors"] == []
    assert said["sentence"] is None
    sizes = {file["path"]: file["bytes"] for file in said["files"]}
    assert sizes == {file.name: file.stat().st_size for file in folder.iterdir()}
    assert said["verified_files"] == len(sizes) - 1  # ambos.json holds the hashes


@pytest.mark.parametrize(
    ("twin", "said"), [(None, "together, in one sequence (joint)"), (Twin("product"), "by itself (product)")]
)
def test_a_model_of_pairs(ambos, model_folder, tmp_path, twin, said):
    bundle = Bundle.load(model_folder("wordpiece"))
    bundle.add_head("classify", ("no", "yes"), twin=twin)
    remember(bundle, Classify(LabelSet(("no", "yes")), pairs=True))
    bundle.save(tmp_path / "bundle")
    assert said in ambos("info", tmp_path / "bundle").out
    assert json.loads(ambos("info", tmp_path / "bundle", "--json").out)["pairs"] is True


def test_for_people(ambos, model_folder):
    ran = ambos("info", model_folder("bpe"))
    assert (ran.code, ran.err) == (0, "")
    for part in (
        "mlm: fills masks",
        "roberta, saved as RobertaForMaskedLM",
        "3 layers, width 32, 4 heads of 8, feed-forward 48",
        "up to 64 tokens, learned positions, 1 segment, 2,000 ids",
        "after (post-norm)",
        "mask <mask>",
        "made: for tests",
        "model.safetensors",
        "mlm head",
    ):
        assert part in ran.out


def test_sentence_transformers(ambos):
    said = json.loads(ambos("info", "minilm", "--json").out)
    assert said["sentence"] == {"pooling": "mean", "normalize": True, "max_length": 256, "folder": ""}
    assert said["parameters"] == {
        "token embeddings": 11_720_448,
        "other embeddings": 198_144,
        "layers": 10_646_784,
        "pooler": 147_840,
        "total": 22_713_216,
    }
    assert "1_Pooling/config.json" in {file["path"] for file in said["files"]}
    shown = ambos("info", "minilm").out
    assert "by mean pooling, scaled to length 1, reading up to 256 tokens" in shown
    ambos("info", "minilm", "--verify").refused(3, "no hashes to compare with")


def test_labels_local_layers_and_unused_tensors(ambos, tmp_path):
    config = EncoderConfig(
        family="modernbert",
        vocab_size=40,
        width=16,
        depth=4,
        heads=2,
        inner_width=12,
        context=32,
        positions="rotary",
        norm_first=True,
        gated=True,
        local_layers=(1, 2),
        window=4,
        dropout=0.0,
    )
    bundle = Bundle.new(config)
    bundle.add_head("classify", tuple(f"label {number} [red]" for number in range(30)))
    bundle.save(tmp_path / "model")
    weights = load_file(tmp_path / "model" / "model.safetensors")
    name = "x" * 5000
    save_file(
        {**weights, name: weights["head.norm.weight"].clone()}, tmp_path / "model" / "model.safetensors"
    )
    ran = ambos("info", tmp_path / "model")
    assert ran.code == 0
    assert "classifies texts" in ran.out
    assert "2 of 4 layers see 4 tokens each way" in ran.out
    assert "before (pre-norm)" in ran.out
    assert "label 0 [red]" in ran.out
    assert "and 18 more" in ran.out
    assert "none in the folder" in ran.out
    assert ran.out.replace("\n", "").replace(" ", "").count("xx") < 200
    said = json.loads(ambos("info", tmp_path / "model", "--json").out)
    assert said["unused_tensors"] == [name]
    assert len(said["labels"]) == 30
    assert said["tokenizer"] is None
    changed = ambos("info", tmp_path / "model", "--verify").refused(3, "model.safetensors is not the file")
    assert changed["fix"]


def test_shared_layers(ambos, tmp_path):
    sizes = {"vocab_size": 40, "width": 16, "depth": 6, "heads": 2, "inner_width": 12, "context": 32}
    Bundle.new(EncoderConfig(family="albert", segments=2, token_width=8, layers=(0,) * 6, **sizes)).save(
        tmp_path / "model"
    )
    assert "6 layers share the weights of 1" in ambos("info", tmp_path / "model").out


def test_a_tokenizer_with_more_ids_than_the_model(ambos, model_folder, tokenizer_folder, tmp_path):
    sizes = {"vocab_size": 1500, "width": 16, "depth": 1, "heads": 2, "inner_width": 12, "context": 32}
    folder = tmp_path / "model"
    Bundle.new(EncoderConfig(family="bert", segments=2, **sizes)).save(folder)
    for file in tokenizer_folder("wordpiece").iterdir():
        shutil.copy(file, folder)
    ran = ambos("info", folder)
    assert ran.code == 0
    assert "the tokenizer has 500 more ids than the model has vectors" in ran.err
    assert json.loads(ambos("info", folder, "--json").out)["tokenizer"]["ids_without_a_vector"] == 500
    ran = ambos("info", folder, "--quiet")
    assert (ran.out, ran.err) == ("", "")


def test_files_that_are_links_as_in_the_cache_of_the_hub(ambos, model_folder, tmp_path):
    folder = tmp_path / "snapshot"
    folder.mkdir()
    for file in model_folder("wordpiece").iterdir():
        (folder / file.name).symlink_to(file)
    said = json.loads(ambos("info", folder, "--verify", "--json").out)
    assert said["verified_files"] == len(said["files"]) - 1
    assert all(file["bytes"] > 10 for file in said["files"])


@pytest.mark.parametrize(
    ("name", "what", "fix"),
    [
        ("minlm", "there is no model 'minlm'", "did you mean minilm?"),
        ("./nowhere", "there is no model './nowhere'", "check the path"),
        ("nowhere/at/all", "there is no model", "check the path"),
        ("", "", None),
    ],
)
def test_missing_models(ambos, tmp_path, monkeypatch, name, what, fix):
    monkeypatch.chdir(tmp_path)
    labelled = ambos("info", name).refused(3, what)
    assert labelled["expected"]
    assert fix is None or labelled["fix"] == fix


def test_a_neighbour_is_suggested(ambos, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bertimbau").mkdir()
    assert "bertimbau" in ambos("info", "bertinbau").refused(3, "there is no model")["fix"]


def test_a_file_instead_of_a_folder(ambos, model_folder):
    folder = model_folder("wordpiece")
    labelled = ambos("info", folder / "config.json").refused(3, "a model is a folder, not a file")
    assert labelled["fix"] == f"pass {folder}"


def test_an_error_as_json(ambos):
    ran = ambos("info", "minlm", "--json")
    assert (ran.code, ran.out) == (3, "")
    assert json.loads(ran.err)["error"]["fix"] == "did you mean minilm?"
