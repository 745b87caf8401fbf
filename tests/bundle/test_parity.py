"""Every family and head gives what `transformers` gives, loaded from it and saved for it."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from ambos.bundle.bundle import Bundle
from ambos.data.batch import Batch

TOLERANCE = 1e-5
VOCAB = 90

_BASE = {
    "vocab_size": VOCAB,
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 40,
    "max_position_embeddings": 40,
    "hidden_dropout_prob": 0.1,
}
_ROBERTA = {**_BASE, "type_vocab_size": 1, "pad_token_id": 1, "max_position_embeddings": 42}
_ALBERT = {**_BASE, "embedding_size": 10}
_DISTILBERT = {
    "vocab_size": VOCAB,
    "dim": 24,
    "n_layers": 3,
    "n_heads": 4,
    "hidden_dim": 40,
    "max_position_embeddings": 40,
}
_MODERN = {
    "vocab_size": VOCAB,
    "hidden_size": 24,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "intermediate_size": 20,
    "max_position_embeddings": 40,
    "local_attention": 6,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "cls_token_id": 1,
    "eos_token_id": 2,
    "sep_token_id": 2,
}

CONFIGS = {
    "bert": ("Bert", _BASE),
    "bert, one layer, odd heads": (
        "Bert",
        {**_BASE, "num_hidden_layers": 1, "hidden_size": 21, "num_attention_heads": 3},
    ),
    "bert, five segments, relu": (
        "Bert",
        {**_BASE, "type_vocab_size": 5, "hidden_act": "relu", "layer_norm_eps": 1e-3},
    ),
    "bert, one head, gelu_new": ("Bert", {**_BASE, "num_attention_heads": 1, "hidden_act": "gelu_new"}),
    "bert, causal": ("Bert", {**_BASE, "is_decoder": True}),
    "roberta": ("Roberta", _ROBERTA),
    "roberta, other padding, segments": (
        "Roberta",
        {**_ROBERTA, "pad_token_id": 3, "type_vocab_size": 3, "layer_norm_eps": 1e-5, "hidden_act": "silu"},
    ),
    "xlm-roberta": ("XLMRoberta", {**_ROBERTA, "num_hidden_layers": 1}),
    "camembert": ("Camembert", {**_ROBERTA, "hidden_size": 15, "num_attention_heads": 3}),
    "albert": ("Albert", {**_ALBERT, "hidden_act": "gelu_new"}),
    "albert, two groups of two": (
        "Albert",
        {**_ALBERT, "num_hidden_layers": 4, "num_hidden_groups": 2, "inner_group_num": 2},
    ),
    "albert, same widths": ("Albert", {**_ALBERT, "embedding_size": 24, "num_hidden_groups": 3}),
    "distilbert": ("DistilBert", _DISTILBERT),
    "distilbert, sinusoidal, one layer": (
        "DistilBert",
        {**_DISTILBERT, "n_layers": 1, "sinusoidal_pos_embds": True, "activation": "relu"},
    ),
    "electra": ("Electra", {**_BASE, "embedding_size": 10}),
    "electra, same widths": ("Electra", {**_BASE, "embedding_size": 24, "layer_norm_eps": 1e-6}),
    "modernbert": ("ModernBert", _MODERN),
    "modernbert, biases, mean": (
        "ModernBert",
        {
            **_MODERN,
            "norm_bias": True,
            "attention_bias": True,
            "mlp_bias": True,
            "classifier_bias": True,
            "decoder_bias": False,
            "classifier_pooling": "mean",
            "norm_eps": 1e-3,
            "global_attn_every_n_layers": 2,
        },
    ),
    "modernbert, one layer, wide window": (
        "ModernBert",
        {**_MODERN, "num_hidden_layers": 1, "local_attention": 64},
    ),
}
HEADS = [
    "Model",
    "ForMaskedLM",
    "ForPreTraining",
    "ForSequenceClassification",
    "ForTokenClassification",
    "ForQuestionAnswering",
]
CASES = [
    (name, head)
    for name, (prefix, _) in CONFIGS.items()
    for head in HEADS
    if hasattr(transformers, prefix + head)
]


def make_model(name: str, head: str, seed: int = 0) -> transformers.PreTrainedModel:
    prefix, settings = CONFIGS[name]
    torch.manual_seed(seed)
    labels = {} if head == "ForQuestionAnswering" else {"num_labels": 2 if head == "ForPreTraining" else 5}
    config = getattr(transformers, f"{prefix}Config")(**settings, **labels)
    config._attn_implementation = "eager"  # the one that gives probabilities
    model = getattr(transformers, prefix + head)(config).eval()
    with torch.no_grad():  # biases and norms are 0 and 1 at first, which would hide a swap
        for weight in model.parameters():
            weight.copy_(torch.randn_like(weight) * 0.3)
    return model


def ragged(config: transformers.PreTrainedConfig, seed: int = 0) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Sequences of several lengths, some of them pairs."""
    rng = np.random.default_rng(seed)
    segments = max(getattr(config, "type_vocab_size", 1), 1)
    lengths = [7, 38, 1, 12, 12, 38, 3]
    ids = [rng.integers(5, VOCAB, length) for length in lengths]
    return ids, [np.sort(rng.integers(0, segments, length)) for length in lengths]


def run_padded(model: transformers.PreTrainedModel, ids: list[np.ndarray], segments: list[np.ndarray]):
    longest = max(map(len, ids))
    pad = model.config.pad_token_id or 0
    table = torch.full((len(ids), longest), pad)
    mask, types = torch.zeros_like(table), torch.zeros_like(table)
    for row, (one, parts) in enumerate(zip(ids, segments, strict=True)):
        table[row, : len(one)] = torch.from_numpy(one)
        types[row, : len(one)] = torch.from_numpy(parts)
        mask[row, : len(one)] = 1
    extra = {"token_type_ids": types} if getattr(model.config, "type_vocab_size", 0) else {}
    with torch.no_grad():
        return model(
            input_ids=table, attention_mask=mask, output_hidden_states=True, output_attentions=True, **extra
        )


def rows(padded: torch.Tensor, ids: list[np.ndarray]) -> torch.Tensor:
    return torch.cat([padded[row, : len(one)] for row, one in enumerate(ids)])


def assert_same(bundle: Bundle, model: transformers.PreTrainedModel, head: str) -> None:
    ids, segments = ragged(model.config)
    expected = run_padded(model, ids, segments)
    batch = Batch.pack(ids, segments)
    depth = bundle.config.depth
    with torch.no_grad():
        found = bundle.network.encoder(batch, layers=range(depth + 1), attention=True)
    assert len(expected.hidden_states) == depth + 1
    for layer, hidden in enumerate(expected.hidden_states):
        if layer == depth and bundle.config.norm_first:
            continue  # kept there before the last norm; `last` is compared below
        close(found.layers[layer], rows(hidden, ids))
    for layer, probabilities in enumerate(expected.attentions):
        for row, one in enumerate(ids):
            close(found.attention[layer][row], probabilities[row, :, : len(one), : len(one)])
    if head == "Model":
        close(found.last, rows(expected.last_hidden_state, ids))
        if bundle.network.pooler is not None:
            with torch.no_grad():
                close(bundle.network.pooled(batch, "pooled"), expected.pooler_output)
    with torch.no_grad():
        logits = {kind: bundle.network(batch, kind) for kind in bundle.network.heads}
    wanted = expected_logits(expected, head, ids)
    assert logits.keys() == wanted.keys()
    for kind, values in wanted.items():
        close(logits[kind], values)


def expected_logits(output, head: str, ids: list[np.ndarray]) -> dict[str, torch.Tensor]:
    """What the heads of a class gave, by our names: a row per token or per sequence."""
    match head:
        case "Model":
            return {}
        case "ForQuestionAnswering":
            ends = (output.start_logits, output.end_logits)
            return {"answer": torch.stack([rows(end, ids) for end in ends], dim=1)}
        case "ForPreTraining" if hasattr(output, "prediction_logits"):
            order = "sop_logits" if hasattr(output, "sop_logits") else "seq_relationship_logits"
            return {"mlm": rows(output.prediction_logits, ids), "next": getattr(output, order)}
        case "ForPreTraining":
            return {"replaced": rows(output.logits, ids)[:, None]}
        case "ForSequenceClassification":
            return {"classify": output.logits}
        case _:
            return {"mlm" if head == "ForMaskedLM" else "tag": rows(output.logits, ids)}


def close(found: torch.Tensor, expected: torch.Tensor) -> None:
    assert found.shape == expected.shape
    assert float((found - expected).abs().max()) <= TOLERANCE


@pytest.mark.parametrize(("name", "head"), CASES, ids=lambda value: value)
def test_loaded_and_saved_models_are_those_of_transformers(name: str, head: str, tmp_path: Path) -> None:
    model = make_model(name, head)
    model.save_pretrained(tmp_path / "theirs")
    bundle = Bundle.load(tmp_path / "theirs")
    assert bundle.unused == ()
    assert_same(bundle, model, head)

    bundle.save(tmp_path / "ours")
    again, report = type(model).from_pretrained(
        tmp_path / "ours", output_loading_info=True, attn_implementation="eager"
    )
    assert not report["missing_keys"], report
    assert not report["unexpected_keys"], report
    assert json.loads((tmp_path / "ours" / "config.json").read_text())["architectures"] == [
        type(model).__name__
    ]
    for (key, theirs), (other, ours) in zip(
        model.state_dict().items(), again.state_dict().items(), strict=True
    ):
        assert key == other
        assert torch.equal(theirs, ours), key
    assert_same(Bundle.load(tmp_path / "ours"), again.eval(), head)
