"""The families that are loaded and saved, from BERT to ModernBERT."""

from dataclasses import replace

from ambos.bundle.family import Family, HeadShape, Names


def _same(modules: dict[str, str]) -> Names:
    """Pair our names with theirs, one to one."""
    return tuple(((ours,), (theirs,)) for ours, theirs in modules.items())


_SETTINGS = {
    "vocab_size": "vocab_size",
    "width": "hidden_size",
    "depth": "num_hidden_layers",
    "heads": "num_attention_heads",
    "inner_width": "intermediate_size",
    "activation": "hidden_act",
    "dropout": "hidden_dropout_prob",
    "attention_dropout": "attention_probs_dropout_prob",
    "context": "max_position_embeddings",
    "segments": "type_vocab_size",
    "norm_eps": "layer_norm_eps",
    "initial_std": "initializer_range",
}
_DEFAULTS = {
    "vocab_size": 30_522,
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "attention_probs_dropout_prob": 0.1,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "initializer_range": 0.02,
    "pad_token_id": 0,
}
_STEM = _same(
    {
        "embeddings.token": "embeddings.word_embeddings",
        "embeddings.position": "embeddings.position_embeddings",
        "embeddings.segment": "embeddings.token_type_embeddings",
        "embeddings.norm": "embeddings.LayerNorm",
    }
)
_QKV: Names = (
    (("attention.query",), ("attention.self.query",)),
    (("attention.key_value",), ("attention.self.key", "attention.self.value")),
)
_TOKEN_HEADS = {
    "tag": HeadShape("ForTokenClassification", _same({"out": "classifier"}), "token"),
    "answer": HeadShape("ForQuestionAnswering", _same({"out": "qa_outputs"}), "token", outputs=2),
}

BERT = Family(
    model_type="bert",
    class_prefix="Bert",
    base="bert",
    stem=_STEM,
    layer="encoder.layer.{layer}",
    layer_names=_QKV
    + _same(
        {
            "attention.out": "attention.output.dense",
            "attention_norm": "attention.output.LayerNorm",
            "feed_forward.inner": "intermediate.dense",
            "feed_forward.outer": "output.dense",
            "feed_forward_norm": "output.LayerNorm",
        }
    ),
    pooler="pooler.dense",
    heads={
        "mlm": HeadShape(
            "ForMaskedLM",
            _same(
                {
                    "dense": "cls.predictions.transform.dense",
                    "norm": "cls.predictions.transform.LayerNorm",
                    "out": "cls.predictions.decoder",
                }
            ),
            "token",
            activation="config",
            norm=True,
            bias="cls.predictions.bias",
        ),
        "next": HeadShape(
            "ForNextSentencePrediction", _same({"out": "cls.seq_relationship"}), "pooled", outputs=2
        ),
        "classify": HeadShape("ForSequenceClassification", _same({"out": "classifier"}), "pooled"),
        **_TOKEN_HEADS,
    },
    settings=_SETTINGS,
    defaults=_DEFAULTS,
)

_CLASSIFICATION_HEAD = _same({"dense": "classifier.dense", "out": "classifier.out_proj"})
ROBERTA = replace(
    BERT,
    model_type="roberta",
    class_prefix="Roberta",
    base="roberta",
    heads={
        "mlm": HeadShape(
            "ForMaskedLM",
            _same({"dense": "lm_head.dense", "norm": "lm_head.layer_norm", "out": "lm_head.decoder"}),
            "token",
            activation="gelu",
            norm=True,
            bias="lm_head.bias",
        ),
        "classify": HeadShape("ForSequenceClassification", _CLASSIFICATION_HEAD, "first", activation="tanh"),
        **_TOKEN_HEADS,
    },
    defaults={**_DEFAULTS, "vocab_size": 50_265, "pad_token_id": 1},
)
XLM_ROBERTA = replace(
    ROBERTA,
    model_type="xlm-roberta",
    class_prefix="XLMRoberta",
    defaults={**_DEFAULTS, "pad_token_id": 1},
)
CAMEMBERT = replace(XLM_ROBERTA, model_type="camembert", class_prefix="Camembert")

ELECTRA = replace(
    BERT,
    model_type="electra",
    class_prefix="Electra",
    base="electra",
    stem=(*_STEM, *_same({"embeddings.project": "embeddings_project"})),
    pooler=None,
    heads={
        "mlm": HeadShape(
            "ForMaskedLM",
            _same(
                {
                    "dense": "generator_predictions.dense",
                    "norm": "generator_predictions.LayerNorm",
                    "out": "generator_lm_head",
                }
            ),
            "token",
            activation="gelu",
            norm=True,
        ),
        "replaced": HeadShape(
            "ForPreTraining",
            _same(
                {
                    "dense": "discriminator_predictions.dense",
                    "out": "discriminator_predictions.dense_prediction",
                }
            ),
            "token",
            activation="config",
            outputs=1,
        ),
        "classify": HeadShape("ForSequenceClassification", _CLASSIFICATION_HEAD, "first", activation="gelu"),
        **_TOKEN_HEADS,
    },
    settings={**_SETTINGS, "token_width": "embedding_size"},
    defaults={
        **_DEFAULTS,
        "embedding_size": 128,
        "hidden_size": 256,
        "num_attention_heads": 4,
        "intermediate_size": 1024,
    },
)

ALBERT = Family(
    model_type="albert",
    class_prefix="Albert",
    base="albert",
    stem=(*_STEM, *_same({"embeddings.project": "encoder.embedding_hidden_mapping_in"})),
    layer="encoder.albert_layer_groups.{group}.albert_layers.{inner}",
    layer_names=(
        (("attention.query",), ("attention.query",)),
        (("attention.key_value",), ("attention.key", "attention.value")),
        *_same(
            {
                "attention.out": "attention.dense",
                "attention_norm": "attention.LayerNorm",
                "feed_forward.inner": "ffn",
                "feed_forward.outer": "ffn_output",
                "feed_forward_norm": "full_layer_layer_norm",
            }
        ),
    ),
    pooler="pooler",
    heads={
        "mlm": HeadShape(
            "ForMaskedLM",
            _same(
                {"dense": "predictions.dense", "norm": "predictions.LayerNorm", "out": "predictions.decoder"}
            ),
            "token",
            activation="config",
            norm=True,
            bias="predictions.bias",
        ),
        "next": HeadShape("ForPreTraining", _same({"out": "sop_classifier.classifier"}), "pooled", outputs=2),
        "classify": HeadShape("ForSequenceClassification", _same({"out": "classifier"}), "pooled"),
        **_TOKEN_HEADS,
    },
    settings={**_SETTINGS, "token_width": "embedding_size"},
    defaults={
        **_DEFAULTS,
        "vocab_size": 30_000,
        "embedding_size": 128,
        "hidden_size": 4096,
        "num_attention_heads": 64,
        "intermediate_size": 16_384,
        "hidden_act": "gelu_new",
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "num_hidden_groups": 1,
        "inner_group_num": 1,
    },
)

DISTILBERT = Family(
    model_type="distilbert",
    class_prefix="DistilBert",
    base="distilbert",
    stem=tuple(names for names in _STEM if names[0] != ("embeddings.segment",)),
    layer="transformer.layer.{layer}",
    layer_names=(
        (("attention.query",), ("attention.q_lin",)),
        (("attention.key_value",), ("attention.k_lin", "attention.v_lin")),
        *_same(
            {
                "attention.out": "attention.out_lin",
                "attention_norm": "sa_layer_norm",
                "feed_forward.inner": "ffn.lin1",
                "feed_forward.outer": "ffn.lin2",
                "feed_forward_norm": "output_layer_norm",
            }
        ),
    ),
    pooler=None,
    heads={
        "mlm": HeadShape(
            "ForMaskedLM",
            _same({"dense": "vocab_transform", "norm": "vocab_layer_norm", "out": "vocab_projector"}),
            "token",
            activation="config",
            norm=True,
        ),
        "classify": HeadShape(
            "ForSequenceClassification",
            _same({"dense": "pre_classifier", "out": "classifier"}),
            "first",
            activation="relu",
        ),
        **_TOKEN_HEADS,
    },
    settings={
        "vocab_size": "vocab_size",
        "width": "dim",
        "depth": "n_layers",
        "heads": "n_heads",
        "inner_width": "hidden_dim",
        "activation": "activation",
        "dropout": "dropout",
        "attention_dropout": "attention_dropout",
        "context": "max_position_embeddings",
        "initial_std": "initializer_range",
    },
    defaults={
        "vocab_size": 30_522,
        "dim": 768,
        "n_layers": 6,
        "n_heads": 12,
        "hidden_dim": 3072,
        "activation": "gelu",
        "dropout": 0.1,
        "attention_dropout": 0.1,
        "max_position_embeddings": 512,
        "initializer_range": 0.02,
        "pad_token_id": 0,
    },
)


def _modern(suffix: str, out: str, *, reads: str = "token", outputs: int | None = None) -> HeadShape:
    names = _same({"dense": "head.dense", "norm": "head.norm", "out": out})
    return HeadShape(suffix, names, reads, activation="classifier", norm=True, outputs=outputs)  # type: ignore[arg-type]


MODERNBERT = Family(
    model_type="modernbert",
    class_prefix="ModernBert",
    base="model",
    stem=_same(
        {
            "embeddings.token": "embeddings.tok_embeddings",
            "embeddings.norm": "embeddings.norm",
            "norm": "final_norm",
        }
    ),
    layer="layers.{layer}",
    layer_names=(
        (("attention.query", "attention.key_value"), ("attn.Wqkv",)),
        *_same(
            {
                "attention.out": "attn.Wo",
                "attention_norm": "attn_norm",
                "feed_forward.inner": "mlp.Wi",
                "feed_forward.outer": "mlp.Wo",
                "feed_forward_norm": "mlp_norm",
            }
        ),
    ),
    pooler=None,
    heads={
        "mlm": _modern("ForMaskedLM", "decoder"),
        "classify": _modern("ForSequenceClassification", "classifier", reads="first"),
        "tag": _modern("ForTokenClassification", "classifier"),
        "answer": _modern("ForQuestionAnswering", "classifier", outputs=2),
    },
    settings={
        "vocab_size": "vocab_size",
        "width": "hidden_size",
        "depth": "num_hidden_layers",
        "heads": "num_attention_heads",
        "inner_width": "intermediate_size",
        "activation": "hidden_activation",
        "context": "max_position_embeddings",
        "norm_eps": "norm_eps",
        "norm_bias": "norm_bias",
        "attention_bias": "attention_bias",
        "feed_forward_bias": "mlp_bias",
        "attention_dropout": "attention_dropout",
        "embedding_dropout": "embedding_dropout",
        "inner_dropout": "mlp_dropout",
        "initial_std": "initializer_range",
    },
    defaults={
        "vocab_size": 50_368,
        "hidden_size": 768,
        "num_hidden_layers": 22,
        "num_attention_heads": 12,
        "intermediate_size": 1152,
        "hidden_activation": "gelu",
        "max_position_embeddings": 8192,
        "norm_eps": 1e-5,
        "norm_bias": False,
        "attention_bias": False,
        "mlp_bias": False,
        "attention_dropout": 0.0,
        "embedding_dropout": 0.0,
        "mlp_dropout": 0.0,
        "initializer_range": 0.02,
        "local_attention": 128,
        "global_attn_every_n_layers": 3,
        "global_rope_theta": 160_000.0,
        "local_rope_theta": 10_000.0,
        "classifier_pooling": "cls",
        "classifier_activation": "gelu",
        "classifier_bias": False,
        "classifier_dropout": 0.0,
        "decoder_bias": True,
        "pad_token_id": 50_283,
    },
)

FAMILIES: dict[str, Family] = {
    family.model_type: family
    for family in (BERT, ROBERTA, XLM_ROBERTA, CAMEMBERT, ALBERT, DISTILBERT, ELECTRA, MODERNBERT)
}
