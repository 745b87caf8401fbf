"""What `transformers` computes from the same folder, the plain way: padded, one thing at a time."""

from functools import cache
from pathlib import Path

import numpy as np
import torch
import transformers


@cache
def tokenizer_of(folder: Path) -> transformers.PreTrainedTokenizerBase:
    return transformers.AutoTokenizer.from_pretrained(folder)


@cache
def masked_model_of(folder: Path) -> transformers.PreTrainedModel:
    return transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()


def inputs_of(folder: Path, texts: list[str]) -> transformers.BatchEncoding:
    """Padded inputs, longer ones cut."""
    return tokenizer_of(folder)(texts, padding=True, truncation=True, max_length=64, return_tensors="pt")


def hidden_states(folder: Path, texts: list[str]) -> tuple[list[np.ndarray], np.ndarray]:
    """Output of every layer (n, longest, width), from the embeddings on, and the mask of real tokens."""
    inputs = inputs_of(folder, texts)
    model = masked_model_of(folder).base_model
    with torch.no_grad():
        found = model(**inputs, output_hidden_states=True).hidden_states
    return [layer.numpy() for layer in found], inputs["attention_mask"].numpy().astype(bool)


def pooled(hidden: np.ndarray, mask: np.ndarray, how: str) -> np.ndarray:
    if how == "cls":
        return hidden[:, 0]
    rows = [one[real] for one, real in zip(hidden, mask, strict=True)]
    return np.stack([row.mean(0) if how == "mean" else row.max(0) for row in rows])


def log_probabilities(folder: Path, ids: list[int]) -> torch.Tensor:
    """Logarithms of the probabilities of all tokens at all places, (length, vocabulary)."""
    with torch.no_grad():
        return masked_model_of(folder)(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
