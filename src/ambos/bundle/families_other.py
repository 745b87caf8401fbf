"""The families with layers of their own: ALBERT, DistilBERT, ModernBERT."""

from dataclasses import replace

from ambos.bundle.families_bert import DEFAULTS, SETTINGS, STEM, TOKEN_HEADS, same
from ambos.bundle.family import Family, HeadInput, HeadShape

_ALBERT_DROPOUT = ("classifier_dropout_prob",)

ALBERT = Family(
    model_type="albert",
    class_prefix="Albert",
    base="albert",
    stem=(*STEM, *same({"embeddings.project": "encoder.embedding_hidden_mapping_in"})),
    layer="encoder.albert_layer_groups.{group}.albert_layers.{inner}",
    layer_names=(
        (("attention.query",), ("attention.query",)),
        (("attention.key_value",), ("attention.key", "attention.value")),
        *same(
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
            same(
                {"dense": "predictions.dense", "norm": "predictions.LayerNorm", "out": "predictions.decoder"}
            ),
            "token",
            activation="config",
            norm=True,
            bias="predictions.bias",
        ),
        "next": HeadShape(
            "ForPreTraining",
            same({"out": "sop_classifier.classifier"}),
            "pooled",
            outputs=2,
            dropout=_ALBERT_DROPOUT,
        ),
        "classify": HeadShape(
            "ForSequenceClassification", same({"out": "classifier"}), "pooled", dropout=_ALBERT_DROPOUT
        ),
        "tag": replace(TOKEN_HEADS["tag"], dropout=_ALBERT_DROPOUT),
        "answer": TOKEN_HEADS["answer"],
    },
    settings={**SETTINGS, "token_width": "embedding_size"},
    defaults={
        **DEFAULTS,
        "bos_token_id": 2,
        "eos_token_id": 3,
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
        "classifier_dropout_prob": 0.1,
    },
)

DISTILBERT = Family(
    model_type="distilbert",
    class_prefix="DistilBert",
    base="distilbert",
    stem=tuple(names for names in STEM if names[0] != ("embeddings.segment",)),
    layer="transformer.layer.{layer}",
    layer_names=(
        (("attention.query",), ("attention.q_lin",)),
        (("attention.key_value",), ("attention.k_lin", "attention.v_lin")),
        *same(
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
            same({"dense": "vocab_transform", "norm": "vocab_layer_norm", "out": "vocab_projector"}),
            "token",
            activation="config",
            norm=True,
        ),
        "classify": HeadShape(
            "ForSequenceClassification",
            same({"dense": "pre_classifier", "out": "classifier"}),
            "first",
            activation="relu",
            dropout=("seq_classif_dropout",),
        ),
        "tag": replace(TOKEN_HEADS["tag"], dropout=("dropout",)),
        "answer": replace(TOKEN_HEADS["answer"], dropout=("qa_dropout",)),
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
        "seq_classif_dropout": 0.2,
        "qa_dropout": 0.1,
    },
)


def _modern(
    suffix: str, out: str, *, reads: HeadInput = "token", outputs: int | None = None, dropout: bool = True
) -> HeadShape:
    return HeadShape(
        suffix,
        same({"dense": "head.dense", "norm": "head.norm", "out": out}),
        reads,
        activation="classifier",
        norm=True,
        outputs=outputs,
        dropout=("classifier_dropout",) if dropout else (),
    )


MODERNBERT = Family(
    model_type="modernbert",
    class_prefix="ModernBert",
    base="model",
    stem=same(
        {
            "embeddings.token": "embeddings.tok_embeddings",
            "embeddings.norm": "embeddings.norm",
            "norm": "final_norm",
        }
    ),
    layer="layers.{layer}",
    layer_names=(
        (("attention.query", "attention.key_value"), ("attn.Wqkv",)),
        *same(
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
        "mlm": _modern("ForMaskedLM", "decoder", dropout=False),
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
        "bos_token_id": 50_281,
        "eos_token_id": 50_282,
        "cls_token_id": 50_281,
        "sep_token_id": 50_282,
    },
)
