"""BERT, and the families whose layers are called as its are: RoBERTa, XLM-R, CamemBERT, ELECTRA."""

from dataclasses import replace

from ambos.bundle.family import Family, HeadShape, Names


def same(modules: dict[str, str]) -> Names:
    """Pair our names with theirs, one to one."""
    return tuple(((ours,), (theirs,)) for ours, theirs in modules.items())


SETTINGS = {
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
DEFAULTS = {
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
STEM = same(
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
DROPOUT = ("classifier_dropout", "hidden_dropout_prob")
TOKEN_HEADS = {
    "tag": HeadShape("ForTokenClassification", same({"out": "classifier"}), "token", dropout=DROPOUT),
    "answer": HeadShape("ForQuestionAnswering", same({"out": "qa_outputs"}), "token", outputs=2),
}

BERT = Family(
    model_type="bert",
    class_prefix="Bert",
    base="bert",
    stem=STEM,
    layer="encoder.layer.{layer}",
    layer_names=_QKV
    + same(
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
            same(
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
            "ForNextSentencePrediction", same({"out": "cls.seq_relationship"}), "pooled", outputs=2
        ),
        "classify": HeadShape(
            "ForSequenceClassification", same({"out": "classifier"}), "pooled", dropout=DROPOUT
        ),
        **TOKEN_HEADS,
    },
    settings=SETTINGS,
    defaults=DEFAULTS,
)

_CLASSIFICATION_HEAD = same({"dense": "classifier.dense", "out": "classifier.out_proj"})
ROBERTA = replace(
    BERT,
    model_type="roberta",
    class_prefix="Roberta",
    base="roberta",
    heads={
        "mlm": HeadShape(
            "ForMaskedLM",
            same({"dense": "lm_head.dense", "norm": "lm_head.layer_norm", "out": "lm_head.decoder"}),
            "token",
            activation="gelu",
            norm=True,
            bias="lm_head.bias",
        ),
        "classify": HeadShape(
            "ForSequenceClassification",
            _CLASSIFICATION_HEAD,
            "first",
            activation="tanh",
            dropout=DROPOUT,
            input_dropout=True,
        ),
        **TOKEN_HEADS,
    },
    defaults={**DEFAULTS, "vocab_size": 50_265, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2},
)
XLM_ROBERTA = replace(
    ROBERTA,
    model_type="xlm-roberta",
    class_prefix="XLMRoberta",
    defaults={**DEFAULTS, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2},
)
CAMEMBERT = replace(XLM_ROBERTA, model_type="camembert", class_prefix="Camembert")

ELECTRA = replace(
    BERT,
    model_type="electra",
    class_prefix="Electra",
    base="electra",
    stem=(*STEM, *same({"embeddings.project": "embeddings_project"})),
    pooler=None,
    heads={
        "mlm": HeadShape(
            "ForMaskedLM",
            same(
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
            same(
                {
                    "dense": "discriminator_predictions.dense",
                    "out": "discriminator_predictions.dense_prediction",
                }
            ),
            "token",
            activation="config",
            outputs=1,
        ),
        "classify": HeadShape(
            "ForSequenceClassification",
            _CLASSIFICATION_HEAD,
            "first",
            activation="gelu",
            dropout=DROPOUT,
            input_dropout=True,
        ),
        **TOKEN_HEADS,
    },
    settings={**SETTINGS, "token_width": "embedding_size"},
    defaults={
        **DEFAULTS,
        "embedding_size": 128,
        "hidden_size": 256,
        "num_attention_heads": 4,
        "intermediate_size": 1024,
    },
)
