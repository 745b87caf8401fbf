"""How often each word of a corpus occurs, as a tokenizer's normalisation and splitting see it."""

from collections import Counter
from collections.abc import Callable, Iterable

from tokenizers import Tokenizer as Backend

from ambos.text.readers import Document
from ambos.text.tokenizer import replace_surrogates

LONGEST_WORD = 100  # characters; BERT's own limit, beyond which a "word" is rarely one
_MAX_WORDS = 4_000_000  # distinct words held while counting; beyond, the rarest are let go
_MAX_CHARACTERS = 2_000  # distinct characters kept, the most frequent first


def count_pieces(
    backend: Backend, documents: Iterable[Document], left_out: Callable[[str], None]
) -> dict[str, int]:
    """Count what the model will see: normalised and split words. Each distinct word is split once."""
    inner, first, rare = _count_words(documents)
    pieces: Counter[str] = Counter()
    for words, prefix in ((inner, " "), (first, "")):
        for word, count in words.items():
            text = backend.normalizer.normalize_str(prefix + replace_surrogates(word))
            for piece, _ in backend.pre_tokenizer.pre_tokenize_str(text):
                pieces[piece] += count
    kept = {piece: pieces[piece] for piece in sorted(pieces) if len(piece) <= LONGEST_WORD}
    if rare:
        left_out(f"{rare:,} occurrences of rare words, beyond {_MAX_WORDS:,} different ones")
    if len(kept) < len(pieces):
        left_out(f"{len(pieces) - len(kept):,} words of more than {LONGEST_WORD} characters")
    return _common_characters(kept, left_out)


def _count_words(documents: Iterable[Document]) -> tuple[Counter[str], Counter[str], int]:
    """Count words inside paragraphs and words that begin one (byte-level tokenizers tell them apart)."""
    inner: Counter[str] = Counter()
    first: Counter[str] = Counter()
    total = 0
    for document in documents:
        for paragraph in document.text.split("\n"):
            words = paragraph.split()
            if words:
                first[words[0]] += 1
                inner.update(words[1:])
                total += len(words)
        inner, first = _without_rare(inner), _without_rare(first)
    return inner, first, total - inner.total() - first.total()


def _without_rare(words: Counter[str]) -> Counter[str]:
    """Let go of the rarest half when there are more words than memory should hold."""
    return words if len(words) <= _MAX_WORDS else Counter(dict(words.most_common(_MAX_WORDS // 2)))


def _common_characters(counts: dict[str, int], left_out: Callable[[str], None]) -> dict[str, int]:
    """Return the words spelled with the most frequent characters only."""
    characters: Counter[str] = Counter()
    for word, count in counts.items():
        for character in word:
            characters[character] += count
    if len(characters) <= _MAX_CHARACTERS:
        return counts
    ranked = sorted(characters, key=lambda character: (-characters[character], character))
    common = set(ranked[:_MAX_CHARACTERS])
    kept = {word: count for word, count in counts.items() if common >= set(word)}
    left_out(
        f"{len(counts) - len(kept):,} words with characters beyond the {_MAX_CHARACTERS:,} most frequent "
        f"(of {len(characters):,})"
    )
    return kept
