"""The tokenizer as the rest of ambos sees it: ids, segments, words and exact character offsets."""

import hashlib
import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import tokenizers

from ambos.text.tokenizer_files import SpecialTokens, TokenizerFiles, read_tokenizer

Kind = Literal["wordpiece", "unigram", "bpe", "wordlevel"]

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# What `Tokenizer.save` writes; the last three, for older tools, as the kind has them.
FILES = frozenset(
    {
        "tokenizer.json",
        "tokenizer_config.json",
        "special_tokens_map.json",
        "vocab.txt",
        "vocab.json",
        "merges.txt",
    }
)
_MARKER = "▁"  # what SentencePiece writes for the space before a word
_ROLES = ("unk", "cls", "sep", "pad", "mask")
_AT_ONCE = 128  # texts of any number of them: enough for all cores


@dataclass(frozen=True)
class Encoded:
    """One text, or a pair of texts, as a model reads it. All lists have one entry per token.

    Parameters
    ----------
    tokens, ids
        The pieces and their numbers in the vocabulary.
    segments
        What the model adds as segment embedding: 0 for A and 1 for B in BERT, 0 everywhere in RoBERTa.
    sides
        Which text the token comes from: 0, 1, or None for special tokens, whatever the family.
    words
        Number of the word within its text, counted as the tokenizer splits words; None for special tokens.
    offsets
        (start, end) such that `text[start:end]` is what the token stands for; (0, 0) for special tokens.
        A piece that stands for no character of its own (a lone word marker) has an empty slice.
    """

    tokens: list[str]
    ids: list[int]
    segments: list[int]
    sides: list[int | None]
    words: list[int | None]
    offsets: list[tuple[int, int]]

    def __len__(self) -> int:
        return len(self.ids)


class Tokenizer:
    """A subword tokenizer of any kind, with the special tokens of its family.

    Examples
    --------
    >>> tokenizer = Tokenizer.load("my-tokenizer")  # doctest: +SKIP
    >>> encoded = tokenizer.encode("O gatinho dorme.", "Ele ronca.")  # doctest: +SKIP
    >>> encoded.tokens[:4]  # doctest: +SKIP
    ['[CLS]', 'O', 'gat', '##inho']
    """

    def __init__(self, files: TokenizerFiles) -> None:
        self.backend: tokenizers.Tokenizer = files.backend
        self.specials: SpecialTokens = files.specials
        self.max_length = files.max_length

    @classmethod
    def load(cls, path: str | Path) -> "Tokenizer":
        """Read a tokenizer folder (or file) in any of the layouts of `ambos.text.tokenizer_files`."""
        return cls(read_tokenizer(Path(path)))

    @property
    def kind(self) -> Kind:
        """The algorithm that splits words into pieces."""
        return type(self.backend.model).__name__.lower()  # type: ignore[return-value]

    @property
    def vocab_size(self) -> int:
        """How many ids there are, special and added tokens included."""
        return max(self.backend.get_vocab(with_added_tokens=True).values()) + 1

    def special_id(self, role: Literal["unk", "cls", "sep", "pad", "mask"]) -> int | None:
        """Return the id of a special token by its role, or None if this tokenizer has none."""
        token: str | None = getattr(self.specials, role)
        return None if token is None else self.backend.token_to_id(token)

    def token(self, index: int) -> str:
        """Return the piece that an id stands for, as the vocabulary spells it; empty for an id of none."""
        return self.backend.id_to_token(index) or ""

    @property
    def special_ids(self) -> list[int]:
        """The ids that stand for no text: never masked, never drawn as a replacement."""
        named = {self.special_id(role) for role in _ROLES}  # type: ignore[arg-type]
        marked = {index for index, token in self.backend.get_added_tokens_decoder().items() if token.special}
        return sorted(marked | {index for index in named if index is not None})

    def encode(self, text: str, pair: str | None = None) -> Encoded:
        """Encode one text, or a pair, with the family's special tokens around."""
        return self.encode_batch([text] if pair is None else [(text, pair)])[0]

    def encode_batch(self, inputs: Sequence[str | tuple[str, str]]) -> list[Encoded]:
        """Encode many texts or pairs in parallel."""
        clean = [_clean_input(item) for item in inputs]
        encodings = self.backend.encode_batch(clean, add_special_tokens=True)
        return [_encoded(encoding, item) for encoding, item in zip(encodings, inputs, strict=True)]

    def ids_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Return only the ids of many texts, several times faster than `encode_batch`."""
        clean = [replace_surrogates(text) for text in texts]
        encodings = self.backend.encode_batch_fast(clean, add_special_tokens=True)
        return [encoding.ids for encoding in encodings]

    def encode_each(self, texts: Iterable[str]) -> Iterator[Encoded]:
        """Yield any number of texts as `encode_batch` gives them, of which few are held at a time."""
        texts = iter(texts)
        while some := list(islice(texts, _AT_ONCE)):
            yield from self.encode_batch(some)

    def ids_each(self, texts: Iterable[str]) -> Iterator[list[int]]:
        """Yield the ids of any number of texts as `ids_batch` gives them, of which few are held at a time."""
        texts = iter(texts)
        while some := list(islice(texts, _AT_ONCE)):
            yield from self.ids_batch(some)

    @cached_property
    def around(self) -> tuple[int, int]:
        """How many special tokens the family puts before and after a single text."""
        sides = self.encode("a").sides
        before = next(place for place, side in enumerate(sides) if side is not None)
        after = next(place for place, side in enumerate(reversed(sides)) if side is not None)
        return before, after

    def decode(self, ids: Iterable[int]) -> str:
        """Turn ids back into text, special tokens left out."""
        return self.backend.decode([int(index) for index in ids], skip_special_tokens=True)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of everything that decides the ids of a text."""
        return hashlib.sha256(self.backend.to_str().encode()).hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "backend": self.backend.to_str()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, backend=tokenizers.Tokenizer.from_str(state["backend"]))

    def save(self, folder: Path) -> None:
        """Write the standard files into an existing folder, which `transformers.AutoTokenizer` opens."""
        self.backend.save(str(folder / "tokenizer.json"), pretty=True)
        config = {
            "tokenizer_class": "PreTrainedTokenizerFast",
            **{f"{role}_token": getattr(self.specials, role) for role in _ROLES},
            "model_input_names": list(self._input_names()),
            "clean_up_tokenization_spaces": False,
            **_bert_settings(self.backend),
            **({"model_max_length": self.max_length} if self.max_length else {}),
        }
        names = {key: value for key, value in config.items() if key.endswith("_token") and value}
        config = {key: value for key, value in config.items() if value is not None}
        _write_json(folder / "tokenizer_config.json", config)
        _write_json(folder / "special_tokens_map.json", names)
        if self.kind in ("wordpiece", "bpe"):  # vocab.txt, or vocab.json and merges.txt, for older tools
            self.backend.model.save(str(folder))

    def _input_names(self) -> Iterable[str]:
        yield "input_ids"
        if 1 in self.encode("a", "b").segments:
            yield "token_type_ids"
        yield "attention_mask"


def _bert_settings(backend: tokenizers.Tokenizer) -> dict[str, bool]:
    """Return what a BERT tokenizer class would otherwise assume, such as lower case, and then impose."""
    normalizer = json.loads(backend.to_str())["normalizer"] or {}
    for part in normalizer.get("normalizers", [normalizer]):
        if part.get("type") == "BertNormalizer":
            return {
                "do_lower_case": part["lowercase"],
                "strip_accents": part["strip_accents"],
                "tokenize_chinese_chars": part["handle_chinese_chars"],
            }
    return {}


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which no encoding can carry, one for one: offsets keep their meaning."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)


def _clean_input(item: str | tuple[str, str]) -> str | tuple[str, str]:
    if isinstance(item, str):
        return replace_surrogates(item)
    return replace_surrogates(item[0]), replace_surrogates(item[1])


def _encoded(encoding: tokenizers.Encoding, item: str | tuple[str, str]) -> Encoded:
    texts = (item,) if isinstance(item, str) else item
    sides = encoding.sequence_ids
    recomposed = [_recomposed(text) for text in texts]
    return Encoded(
        tokens=encoding.tokens,
        ids=encoding.ids,
        segments=encoding.type_ids,
        sides=sides,
        words=[None if side is None else word for side, word in zip(sides, encoding.word_ids, strict=True)],
        offsets=[
            (0, 0) if side is None else _exact(token, texts[side], span, recomposed[side])
            for side, token, span in zip(sides, encoding.tokens, encoding.offsets, strict=True)
        ],
    )


def _exact(
    token: str, text: str, span: tuple[int, int], recomposed: list[tuple[int, int]]
) -> tuple[int, int]:
    """Make a span what its token stands for: letters with all their accents, no white space before them.

    Word markers of some kinds cover the space before a word, or, on their own, the letter after it; and of a
    letter and accents that were composed into one character, or put into another order, the library's span
    covers only a part.
    """
    start, end = span
    if not text[start:end].isspace():
        while start < end and text[start].isspace():
            start += 1
    place = bisect_right(recomposed, start, key=lambda letter: letter[1])
    while place < len(recomposed) and recomposed[place][0] < end:
        start, end = min(start, recomposed[place][0]), max(end, recomposed[place][1])
        place += 1
    stands_for_nothing = token == _MARKER and text[start:end].strip() != _MARKER
    return start, start if stands_for_nothing else end


def _recomposed(text: str) -> list[tuple[int, int]]:
    """Return the spans of letters with marks of their own code points that normalisation would rewrite."""
    spans: list[tuple[int, int]] = []
    for place, character in enumerate(text):
        if character > "\u02ff" and _joins(character):
            if spans and spans[-1][1] == place:
                spans[-1] = (spans[-1][0], place + 1)
            else:  # a mark after white space has no letter to melt into
                alone = place == 0 or text[place - 1].isspace()
                spans.append((place if alone else place - 1, place + 1))
    return [span for span in spans if not unicodedata.is_normalized("NFKC", text[slice(*span)])]


@lru_cache(maxsize=4096)
def _joins(character: str) -> bool:
    """Tell whether a character can melt into the one before: a mark, or a Korean vowel or final letter."""
    if unicodedata.category(character).startswith("M") or "\u1160" <= character <= "\u11ff":
        return True
    return unicodedata.combining(unicodedata.normalize("NFKD", character)[0]) > 0


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
