"""Does a tokenizer treat words one by one? Read off its parts, before any text is seen."""

import json
from typing import Any

from ambos.text.tokenizer import Tokenizer

_LOCAL_NORMALIZERS = {
    "BertNormalizer",
    "Lowercase",
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "Nmt",
    "Precompiled",
    "StripAccents",
}
_LOCAL_SPLITTERS = {"BertPreTokenizer", "ByteLevel", "Digits", "Metaspace", "Punctuation", "WhitespaceSplit"}
_FIRST_SPLITTERS = {"BertPreTokenizer", "ByteLevel", "Metaspace", "WhitespaceSplit"}


def is_word_local(tokenizer: Tokenizer) -> bool:
    """Tell whether ids of a paragraph are the ids of its words one after the other."""
    parts = json.loads(tokenizer.backend.to_str())
    normalizers = _flatten(parts["normalizer"], "normalizers")
    splitters = _flatten(parts["pre_tokenizer"], "pretokenizers")
    return (
        all(_is_local_normalizer(part) for part in normalizers)
        and all(_is_local_splitter(part) for part in splitters)
        and any(part["type"] in _FIRST_SPLITTERS for part in splitters)
        and all(token["special"] for token in parts["added_tokens"])
        and not parts["model"].get("dropout")
    )


def _flatten(part: dict[str, Any] | None, inside: str) -> list[dict[str, Any]]:
    if part is None:
        return []
    if part["type"] == "Sequence":
        return [leaf for inner in part[inside] for leaf in _flatten(inner, inside)]
    return [part]


def _is_local_normalizer(part: dict[str, Any]) -> bool:
    if part["type"] == "Replace":
        # Folding runs of spaces changes nothing in text whose spaces are single already; what has no space in
        # its pattern cannot reach over one.
        pattern = part["pattern"].get("Regex", "")
        literal = part["pattern"].get("String", "")
        return pattern == " {2,}" or (bool(literal) and " " not in literal)
    if part["type"] == "Strip":
        return not part["strip_left"]  # the space before a word tells it from the first of a paragraph
    return part["type"] in _LOCAL_NORMALIZERS


def _is_local_splitter(part: dict[str, Any]) -> bool:
    if part["type"] == "ByteLevel":
        return bool(part.get("use_regex", True))
    if part["type"] == "Metaspace":
        return bool(part.get("split", True))
    return part["type"] in _LOCAL_SPLITTERS
