"""Folders as they are published, in all their layouts; and what a bundle keeps."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from ambos.bundle.bundle import Bundle
from ambos.bundle.configs import read_config, write_config
from ambos.bundle.manifest import verify
from ambos.data.batch import Batch
from ambos.encoder.config import EncoderConfig
from ambos.encoder.presets import PRESETS
from ambos.errors import InputError
from ambos.predict.model import Model
from ambos.text.tokenizer import Tokenizer
from tests.bundle.test_parity import make_model

BATCH = Batch.pack([[5, 6, 7, 8], [9, 10]], [[0, 0, 1, 1], [0, 0]])


def hidden(bundle: Bundle) -> torch.Tensor:
    with torch.no_grad():
        return bundle.network.encoder(BATCH).last


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """A BERT with MLM and NSP heads, as `transformers` saves it."""
    make_model("bert", "ForPreTraining").save_pretrained(tmp_path / "published")
    return tmp_path / "published"


def rewrite(folder: Path, rename) -> None:
    """Give the tensors of a folder other names; a name turned to None is left out."""
    file = folder / "model.safetensors"
    tensors = {rename(name): tensor for name, tensor in load_file(file).items()}
    save_file({name: tensor for name, tensor in tensors.items() if name}, file, {"format": "pt"})


def reconfigure(folder: Path, **changes: object) -> None:
    file = folder / "config.json"
    config = json.loads(file.read_text()) | changes
    file.write_text(json.dumps({key: value for key, value in config.items() if value is not ...}))


@pytest.mark.parametrize(
    "rename",
    [
        lambda name: name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ),
        lambda name: f"module.{name}",
        lambda name: f"model.{name}",
    ],
    ids=["gamma and beta", "wrapped for parallel training", "wrapped by a trainer"],
)
def test_old_and_wrapped_names_load_the_same(published: Path, rename) -> None:
    before = Bundle.load(published)
    rewrite(published, rename)
    after = Bundle.load(published)
    assert torch.equal(hidden(before), hidden(after))
    assert set(after.network.heads) == {"mlm", "next"}
    assert after.unused == ()


def test_an_encoder_without_prefix_loads_as_with_it(published: Path) -> None:
    before = hidden(Bundle.load(published))
    rewrite(published, lambda name: name.removeprefix("bert.") if name.startswith("bert.") else None)
    reconfigure(published, architectures=["BertModel"])
    bundle = Bundle.load(published)
    assert bundle.task == "embed"
    assert torch.equal(hidden(bundle), before)


def test_sharded_weights_load(tmp_path: Path) -> None:
    model = make_model("bert", "ForMaskedLM")
    model.save_pretrained(tmp_path / "whole")
    model.save_pretrained(tmp_path / "sharded", max_shard_size="20KB")
    assert (tmp_path / "sharded" / "model.safetensors.index.json").exists()
    assert not (tmp_path / "sharded" / "model.safetensors").exists()
    assert torch.equal(hidden(Bundle.load(tmp_path / "sharded")), hidden(Bundle.load(tmp_path / "whole")))


@pytest.mark.parametrize(
    ("head", "task"),
    [
        ("ForMaskedLM", "mlm"),
        ("ForQuestionAnswering", "answer"),
        ("Model", "embed"),
        ("ForPreTraining", "mlm"),
    ],
)
def test_a_config_without_architectures_is_understood_from_the_weights(
    head: str, task: str, tmp_path: Path
) -> None:
    make_model("bert", head).save_pretrained(tmp_path)
    reconfigure(tmp_path, architectures=...)
    assert Bundle.load(tmp_path).task == task


def test_an_ambiguous_head_is_not_guessed(tmp_path: Path) -> None:
    make_model("bert", "ForTokenClassification").save_pretrained(tmp_path)
    reconfigure(tmp_path, architectures=...)
    with pytest.raises(InputError, match="does not say what the head"):
        Bundle.load(tmp_path)


def test_half_precision_weights_are_read_as_float32(tmp_path: Path) -> None:
    model = make_model("bert", "Model").half()
    model.save_pretrained(tmp_path)
    bundle = Bundle.load(tmp_path)
    assert {weight.dtype for weight in bundle.network.parameters()} == {torch.float32}
    table = model.get_input_embeddings().weight.float()
    assert torch.equal(bundle.network.encoder.embeddings.token.weight, table)


def test_untied_output_embeddings_stay_untied(tmp_path: Path) -> None:
    config = transformers.ModernBertConfig(
        vocab_size=50, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=6,
        pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2,
        tie_word_embeddings=False,
    )  # fmt: skip
    model = transformers.ModernBertForMaskedLM(config).eval()
    model.save_pretrained(tmp_path / "theirs")
    bundle = Bundle.load(tmp_path / "theirs")
    bundle.save(tmp_path / "ours")
    again = transformers.ModernBertForMaskedLM.from_pretrained(tmp_path / "ours")
    assert torch.equal(again.decoder.weight, model.decoder.weight)
    assert not torch.equal(again.decoder.weight, again.model.embeddings.tok_embeddings.weight)
    ids = torch.tensor([[5, 6, 7]])
    with torch.no_grad():
        found = bundle.network(Batch.pack([[5, 6, 7]]), "mlm")
        assert torch.allclose(found, model(ids).logits[0], atol=1e-5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"architectures": ["BertForMultipleChoice"]}, "not a class that ambos builds"),
        ({"model_type": "gpt2"}, "family of this model"),
        ({"model_type": "brt"}, "family of this model"),
        ({"position_embedding_type": "relative_key"}, "not built here"),
        ({"hidden_act": "mish"}, "activation 'mish'"),
        ({"hidden_size": 25}, "cannot be built"),
        ({"hidden_size": 32}, "do not fit the configuration"),
        ({"num_hidden_layers": 7}, "do not fit the configuration"),
        ({"vocab_size": 1000}, "do not fit the configuration"),
        ({"quantization_config": {"bits": 4}}, "not built here"),
        ({"auto_map": {"AutoModel": "evil.Model"}}, "asks to run code"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict, message: str, published: Path) -> None:
    reconfigure(published, **change)
    with pytest.raises(InputError, match=message):
        Bundle.load(published)


def test_missing_tensors_are_named(published: Path) -> None:
    rewrite(published, lambda name: None if "layer.1.output.dense" in name else name)
    with pytest.raises(InputError) as caught:
        Bundle.load(published)
    assert "encoder.layer.1.output.dense.weight" in str(caught.value)


def test_a_missing_head_is_an_error_and_never_invented(tmp_path: Path) -> None:
    make_model("bert", "Model").save_pretrained(tmp_path)
    reconfigure(tmp_path, architectures=["BertForSequenceClassification"])
    with pytest.raises(InputError, match="no head of the kind"):
        Bundle.load(tmp_path)
    reconfigure(tmp_path, architectures=["BertModel"])
    bundle = Bundle.load(tmp_path)
    with pytest.raises(InputError, match="no classify head"):
        bundle.require("classify")
    bundle.add_head("classify", ("good", "bad"))
    bundle.require("classify")
    bundle.save(tmp_path / "new")
    assert Bundle.load(tmp_path / "new").labels == ("good", "bad")


@pytest.mark.parametrize("kind", ["mlm", "next", "classify", "tag", "answer", "replaced"])
@pytest.mark.parametrize("family", ["bert", "roberta", "albert", "distilbert", "electra", "modernbert"])
def test_new_heads_open_in_transformers(family: str, kind: str, tmp_path: Path) -> None:
    make_model(family, "Model").save_pretrained(tmp_path / "bare")
    bundle = Bundle.load(tmp_path / "bare")
    labels = ("a", "b", "c") if kind in {"classify", "tag"} else ()
    if kind not in bundle.family.heads:
        with pytest.raises(InputError, match=f"have no {kind} head"):
            bundle.add_head(kind, labels)
        return
    if (family, kind) == ("albert", "next"):  # `transformers` has no class with this head alone
        with pytest.raises(InputError, match="only together with the mlm head"):
            bundle.add_head(kind)
        bundle.add_head("mlm")
    bundle.add_head(kind, labels, seed=3)
    bundle.save(tmp_path / "ours")
    loader = getattr(transformers, bundle.class_name)
    _, report = loader.from_pretrained(tmp_path / "ours", output_loading_info=True)
    assert not report["missing_keys"]
    again = Bundle.load(tmp_path / "ours")
    assert again.task == kind
    batch = Batch.pack([[5, 6, 7, 8], [9, 10]])
    with torch.no_grad():
        assert torch.equal(again.network(batch, kind), bundle.network(batch, kind))


def test_the_same_seed_gives_the_same_head(published: Path) -> None:
    first, second, other = (Bundle.load(published) for _ in range(3))
    first.add_head("tag", ("x", "y"), seed=1)
    second.add_head("tag", ("x", "y"), seed=1)
    other.add_head("tag", ("x", "y"), seed=2)
    weights = [bundle.network.heads["tag"].out.weight for bundle in (first, second, other)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_labels_keep_their_order_and_must_fit(tmp_path: Path) -> None:
    model = make_model("bert", "ForSequenceClassification")
    model.config.id2label = {3: "d", 1: "b", 0: "a", 2: "c", 4: "e"}
    model.config.label2id = {"a": 0, "b": 1, "c": 2, "d": 3, "e": 4}
    model.save_pretrained(tmp_path)
    assert Bundle.load(tmp_path).labels == ("a", "b", "c", "d", "e")
    reconfigure(tmp_path, id2label={"0": "a", "1": "b"})
    with pytest.raises(InputError, match=r"labels in config\.json do not fit"):
        Bundle.load(tmp_path)


def test_a_bundle_carries_tokenizer_provenance_and_hashes(
    published: Path, tokenizer_folder, tmp_path: Path
) -> None:
    bundle = Bundle.load(published)
    bundle.tokenizer = Tokenizer.load(tokenizer_folder("wordpiece"))
    bundle.provenance = {"trained_on": "sample"}
    bundle.save(tmp_path / "ours")
    manifest = json.loads((tmp_path / "ours" / "ambos.json").read_text())
    assert manifest["format"] == 1
    assert manifest["task"] == "mlm"
    assert manifest["pair"] == "joint"
    assert manifest["provenance"]["trained_on"] == "sample"
    assert set(manifest["files"]) == {
        file.name for file in (tmp_path / "ours").iterdir() if file.name != "ambos.json"
    }
    assert verify(tmp_path / "ours") == len(manifest["files"])
    text = "O gatinho dorme."
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path / "ours")(text)["input_ids"]
    assert Bundle.load(tmp_path / "ours").tokenizer.encode(text).ids == theirs

    config = tmp_path / "ours" / "config.json"
    config.write_text(config.read_text() + " ")
    with pytest.raises(InputError, match=r"config\.json is not the file that was written"):
        verify(tmp_path / "ours")


def test_a_bundle_of_a_later_format_is_refused(published: Path, tmp_path: Path) -> None:
    Bundle.load(published).save(tmp_path / "ours")
    file = tmp_path / "ours" / "ambos.json"
    file.write_text(file.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(InputError, match="another format"):
        Bundle.load(tmp_path / "ours")


def test_saving_replaces_nothing_unasked(published: Path, tmp_path: Path) -> None:
    bundle = Bundle.load(published)
    bundle.save(tmp_path / "ours")
    with pytest.raises(Exception, match="already there"):
        bundle.save(tmp_path / "ours")
    bundle.save(tmp_path / "ours", force=True)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_has_a_config_that_reads_back(name: str) -> None:
    config = PRESETS[name].encoder
    assert read_config(write_config(config)) == config


def test_an_encoder_that_no_config_can_describe_is_not_saved_as_another() -> None:
    config = replace(PRESETS["bert-tiny"].encoder, norm_first=True)
    with pytest.raises(ValueError, match="cannot say what this encoder is"):
        write_config(config)


def test_a_new_model_opens_in_transformers(tmp_path: Path) -> None:
    config = EncoderConfig("roberta", 60, 8, 2, 2, 12, 20, segments=1, position_offset=2)
    bundle = Bundle.new(config, seed=5)
    bundle.add_head("mlm")
    bundle.save(tmp_path / "ours")
    model = transformers.AutoModelForMaskedLM.from_pretrained(tmp_path / "ours").eval()
    ids = np.array([5, 6, 7, 8])
    with torch.no_grad():
        theirs = model(torch.from_numpy(ids)[None]).logits[0]
        assert torch.allclose(bundle.network(Batch.pack([ids]), "mlm"), theirs, atol=1e-5)


@pytest.mark.parametrize("family", ["modernbert-base", "roberta-base", "albert-base", "bert-tiny"])
def test_special_ids_are_those_of_the_tokenizer_and_not_of_the_family(
    family: str, tokenizer_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    tokenizer = Tokenizer.load(tokenizer_folder("wordpiece"))
    config = replace(
        PRESETS[family].encoder, vocab_size=tokenizer.vocab_size, width=12, heads=2, inner_width=20
    )
    Bundle.new(config, tokenizer).save(tmp_path / "ours")
    theirs = transformers.AutoConfig.from_pretrained(tmp_path / "ours")
    for name, role in (("bos", "cls"), ("eos", "sep"), ("cls", "cls"), ("sep", "sep")):
        assert getattr(theirs, f"{name}_token_id", None) in {None, tokenizer.special_id(role)}


def test_a_new_head_takes_the_place_of_others_that_its_class_cannot_hold(
    published: Path, tmp_path: Path
) -> None:
    bundle = Bundle.load(published)
    bundle.add_head("classify", ("a", "b"))
    bundle.add_head("tag", ("x", "y", "z"))
    assert set(bundle.network.heads) == {"tag"}
    bundle.save(tmp_path / "ours")
    again = Bundle.load(tmp_path / "ours")
    assert again.labels == ("x", "y", "z")
    assert again.unused == ()
    with torch.no_grad():
        assert torch.equal(again.network(BATCH, "tag"), bundle.network(BATCH, "tag"))


@pytest.mark.parametrize("labels", [(), ("a", "a")])
def test_labels_of_a_new_head_must_be_there_and_differ(labels: tuple[str, ...], published: Path) -> None:
    with pytest.raises(InputError, match="labels of a classify head"):
        Bundle.load(published).add_head("classify", labels)


def test_a_classifier_of_modernbert_reads_what_its_config_says(tmp_path: Path) -> None:
    make_model("modernbert, biases, mean", "Model").save_pretrained(tmp_path / "bare")
    bundle = Bundle.load(tmp_path / "bare")
    bundle.add_head("classify", ("a", "b"))
    bundle.save(tmp_path / "ours")
    again = Bundle.load(tmp_path / "ours")
    assert again.network.reads == bundle.network.reads == {"classify": "mean"}
    reconfigure(tmp_path / "ours", classifier_pooling="median")
    with pytest.raises(InputError, match="classifier_pooling"):
        Bundle.load(tmp_path / "ours")


def test_a_model_laid_out_for_inference_is_not_saved_in_part(published: Path, tmp_path: Path) -> None:
    bundle = Bundle.load(published)
    Model(bundle, "cpu")
    with pytest.raises(ValueError, match="laid out for inference"):
        bundle.save(tmp_path / "ours")
    assert not (tmp_path / "ours").exists()


def test_pretraining_needs_both_of_its_heads(published: Path) -> None:
    rewrite(published, lambda name: None if "seq_relationship" in name else name)
    with pytest.raises(InputError, match="seq_relationship"):
        Bundle.load(published)


def test_layers_that_the_config_leaves_out_are_an_error(published: Path) -> None:
    reconfigure(published, num_hidden_layers=2)
    with pytest.raises(InputError, match=r"a layer bert\.encoder\.layer\.2 too"):
        Bundle.load(published)


def test_weights_of_whole_numbers_are_refused(published: Path) -> None:
    file = published / "model.safetensors"
    tensors = load_file(file)
    name = "bert.encoder.layer.0.output.dense.weight"
    save_file({**tensors, name: tensors[name].to(torch.int8)}, file, {"format": "pt"})
    with pytest.raises(InputError, match="I8, not floats"):
        Bundle.load(published)


def test_labels_that_were_reordered_are_an_error(published: Path, tmp_path: Path) -> None:
    bundle = Bundle.load(published)
    bundle.add_head("classify", ("good", "bad"))
    bundle.save(tmp_path / "ours")
    reconfigure(tmp_path / "ours", id2label={"0": "bad", "1": "good"})
    with pytest.raises(InputError, match=r"labels in ambos\.json and config\.json differ"):
        Bundle.load(tmp_path / "ours")


def test_building_draws_nothing_from_the_callers_random_numbers(published: Path) -> None:
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    Bundle.new(PRESETS["bert-tiny"].encoder)
    Bundle.load(published).add_head("classify", ("a", "b"))
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize("dropout", ["x", 1.0, -0.1])
def test_an_impossible_dropout_of_a_head_is_refused(dropout: object, tmp_path: Path) -> None:
    make_model("bert", "ForSequenceClassification").save_pretrained(tmp_path)
    reconfigure(tmp_path, classifier_dropout=dropout)
    with pytest.raises(InputError, match="dropout of the head"):
        Bundle.load(tmp_path)
