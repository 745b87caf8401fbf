"""Learn a vocabulary from text: words are counted once, then each kind of tokenizer learns from the counts.

The same corpus always gives the same files. The trainers of the `tokenizers` library do not give that for
WordPiece (ids of `##` pieces follow the order of a hash map with a random seed) nor for Unigram (sums of
floats in that order), so WordPiece is learnt here as byte-pair merges over an alphabet that tells first
letters from later ones, which is the same algorithm, and Unigram by SentencePiece, its reference
implementation.
"""

import io
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers, processors, trainers
from tokenizers import Tokenizer as Backend

from ambos.errors import InputError, UsageError
from ambos.suggest import did_you_mean
from ambos.text.readers import Document
from ambos.text.tokenizer import Tokenizer
from ambos.text.tokenizer_files import SpecialTokens, TokenizerFiles
from ambos.text.word_counts import LONGEST_WORD, count_pieces
from ambos.write_errors import output_errors

KINDS = ("wordpiece", "unigram", "bpe")

# In the order of their ids in the published models; RoBERTa and XLM-R keep the mask for the end.
_BERT = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
_ROBERTA = {"cls": "<s>", "pad": "<pad>", "sep": "</s>", "unk": "<unk>", "mask": "<mask>"}
_FIRST, _LATER = 0xF0000, 0x100000  # private-use planes: one code point for a letter, by where it stands
_SENTENCEPIECE_THREADS = 4  # fixed: the sums, and so the last digit of a score, depend on it


@dataclass(frozen=True)
class TrainOptions:
    """What to learn.

    Parameters
    ----------
    kind
        `wordpiece` (BERT), `unigram` (XLM-R) or `bpe` (byte-level, RoBERTa).
    vocab_size
        Number of ids, special tokens included.
    uncased, strip_accents
        Fold case; drop accents. Off by default: `cão` is not `cao`, `Rosa` is not `rosa`.
    min_frequency
        A piece must occur this often to enter the vocabulary (`wordpiece` and `bpe`).
    segments
        Of `unigram`: special tokens as BERT's, and a segment for each text of a pair (ALBERT).
    """

    kind: str = "wordpiece"
    vocab_size: int = 30_000
    uncased: bool = False
    strip_accents: bool = False
    min_frequency: int = 2
    segments: bool = False


def train_tokenizer(
    documents: Iterable[Document],
    options: TrainOptions,
    *,
    stage: Callable[[str], None] = lambda _: None,
    left_out: Callable[[str], None] = lambda _: None,
) -> Tokenizer:
    """Learn a tokenizer from documents; `stage` is told what begins, `left_out` what is not learnt from.

    Examples
    --------
    >>> from ambos.text.sources import find_sources
    >>> from ambos.text.readers import read_documents
    >>> documents = read_documents(find_sources(["corpus/"]))  # doctest: +SKIP
    >>> tokenizer = train_tokenizer(documents, TrainOptions("bpe", vocab_size=8000))  # doctest: +SKIP
    """
    if options.kind not in KINDS:
        raise UsageError(
            f"unknown kind of tokenizer {options.kind!r}",
            expected=", ".join(KINDS),
            fix=did_you_mean(options.kind, KINDS),
        )
    if options.segments and options.kind != "unigram":
        raise UsageError(
            f"segments are for unigram, not for {options.kind}",
            expected="unigram, which may have one segment or two; wordpiece has two, bpe one",
            fix="leave segments out",
        )
    stage("counting words")
    backend = _pipeline(options)
    counts = count_pieces(backend, documents, left_out)
    if not counts:
        raise InputError("there is no text to learn from", expected="at least some words")
    stage("learning pieces")
    if options.kind == "wordpiece":
        return _wordpiece(backend, counts, options)
    if options.kind == "bpe":
        return _bpe(backend, counts, options)
    return _unigram(backend, counts, options)


def _pipeline(options: TrainOptions) -> Backend:
    """Return normalisation and word splitting of the kind, around a model that is still empty.

    All kinds compose accents first (NFC or NFKC), so that `ã` is one thing, typed as one code point or two.
    """
    accents = (
        [normalizers.NFD(), normalizers.StripAccents(), normalizers.NFC()] if options.strip_accents else []
    )
    lower = [normalizers.Lowercase()] if options.uncased else []
    if options.kind == "wordpiece":
        backend = Backend(models.WordPiece())
        bert = normalizers.BertNormalizer(
            clean_text=True,
            handle_chinese_chars=True,
            strip_accents=options.strip_accents,
            lowercase=options.uncased,
        )
        backend.normalizer = normalizers.Sequence([normalizers.NFC(), bert])
        backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    elif options.kind == "bpe":
        backend = Backend(models.BPE())
        backend.normalizer = normalizers.Sequence([normalizers.NFC(), *lower, *accents])
        backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    else:
        backend = Backend(models.Unigram())
        backend.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), *lower, *accents])
        backend.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
        )
    return backend


def _wordpiece(backend: Backend, counts: dict[str, int], options: TrainOptions) -> Tokenizer:
    alphabet = _alphabet(counts)
    specials = list(_BERT.values())
    basic = [*alphabet, *(f"##{character}" for character in alphabet)]
    room = _room(options, len(specials), len(basic))
    # Both planes are in the order of the alphabet: ties between merges fall the same way on every run.
    first = {character: chr(_FIRST + index) for index, character in enumerate(alphabet)}
    later = {character: chr(_LATER + index) for index, character in enumerate(alphabet)}
    marked = {
        first[word[0]] + "".join(later[character] for character in word[1:]): count
        for word, count in counts.items()
    }
    learnt, _ = _learn_merges(
        marked, [*first.values(), *later.values()], room + len(basic), options.min_frequency
    )
    plain = {mark: character for marks in (first, later) for character, mark in marks.items()}
    pieces = [
        ("##" if token[0] >= chr(_LATER) else "") + "".join(plain[mark] for mark in token)
        for token in learnt
        if len(token) > 1
    ]
    vocab = {token: index for index, token in enumerate([*specials, *basic, *pieces])}
    backend.model = models.WordPiece(vocab, unk_token=_BERT["unk"], max_input_chars_per_word=LONGEST_WORD)
    backend.decoder = decoders.WordPiece(prefix="##", cleanup=True)
    return _finish(backend, _BERT)


def _bpe(backend: Backend, counts: dict[str, int], options: TrainOptions) -> Tokenizer:
    *first, mask = _ROBERTA.values()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    room = _room(options, len(first) + 1, len(alphabet))
    learnt, merges = _learn_merges(counts, alphabet, room + len(alphabet), options.min_frequency)
    tokens = [*first, *learnt, mask]
    vocab = {token: index for index, token in enumerate(tokens)}
    backend.model = models.BPE(vocab, merges, unk_token=None)
    backend.decoder = decoders.ByteLevel()
    return _finish(backend, _ROBERTA)


def _unigram(backend: Backend, counts: dict[str, int], options: TrainOptions) -> Tokenizer:
    names = _BERT if options.segments else _ROBERTA
    *first, mask = names.values()
    _room(options, len(first) + 1, len(_alphabet(counts)))
    pieces = _learn_unigram(counts, options.vocab_size - len(first) - 1)
    scored = [*((token, 0.0) for token in first), *pieces, (mask, 0.0)]
    backend.model = models.Unigram(scored, unk_id=first.index(names["unk"]), byte_fallback=False)
    backend.decoder = decoders.Metaspace()
    return _finish(backend, names)


def _alphabet(counts: dict[str, int]) -> list[str]:
    return sorted({character for word in counts for character in word})


def _room(options: TrainOptions, specials: int, alphabet: int) -> int:
    """Return how many learnt pieces fit beside the special tokens and the single characters."""
    room = options.vocab_size - specials - alphabet
    if room < 0:
        raise UsageError(
            f"a vocabulary of {options.vocab_size} is too small for this text",
            expected=f"at least {specials + alphabet}: {specials} special, {alphabet} single characters",
            fix=f"--vocab-size {max(1000, 2 * (specials + alphabet))}",
        )
    return room


def _learn_merges(
    counts: dict[str, int], alphabet: list[str], size: int, min_frequency: int
) -> tuple[list[str], list[tuple[str, str]]]:
    """Return `vocab` (single characters, then in order of learning) and `merges` of byte-pair encoding."""
    backend = Backend(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(
        vocab_size=size, min_frequency=min_frequency, initial_alphabet=alphabet, show_progress=False
    )
    backend.train_from_iterator(_repeat(counts), trainer)
    model = json.loads(backend.to_str())["model"]
    vocab: dict[str, int] = model["vocab"]
    return sorted(vocab, key=vocab.__getitem__), [(left, right) for left, right in model["merges"]]


def _repeat(counts: dict[str, int], longest: int = 1 << 16) -> Iterator[str]:
    """Spell the counts out, as the trainer takes text: every word as often as it was seen."""
    for word, count in counts.items():
        at_once = max(1, longest // (len(word) + 1))
        for done in range(0, count, at_once):
            yield f"{word} " * min(at_once, count - done)


def _learn_unigram(counts: dict[str, int], size: int) -> list[tuple[str, float]]:
    """Return the pieces and log-probabilities of a Unigram language model."""
    import sentencepiece  # noqa: PLC0415 (only this kind needs it)

    model = io.BytesIO()
    full = output_errors(Path(tempfile.gettempdir()), instead="set TMPDIR to a folder with more room")
    with full, tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "words.tsv"
        table.write_text("".join(f"{word}\t{count}\n" for word, count in counts.items()), encoding="utf-8")
        try:
            sentencepiece.SentencePieceTrainer.train(
                input=str(table),
                input_format="tsv",
                model_writer=model,
                model_type="unigram",
                vocab_size=size + 1,
                hard_vocab_limit=False,
                character_coverage=1.0,
                normalization_rule_name="identity",
                add_dummy_prefix=False,
                remove_extra_whitespaces=False,
                num_threads=_SENTENCEPIECE_THREADS,
                unk_id=0,
                bos_id=-1,
                eos_id=-1,
                pad_id=-1,
                minloglevel=2,
            )
        except RuntimeError as error:
            raise InputError(
                "too little text, or too small a vocabulary, to learn a unigram model from",
                found=str(error).strip().splitlines()[-1],
                fix="give more text, or another --vocab-size",
            ) from error
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    # Six decimals: as many as single precision has, and few enough to come back from JSON as they went.
    return [
        (processor.id_to_piece(index), round(processor.get_score(index), 6))
        for index in range(1, processor.vocab_size())
    ]


def _finish(backend: Backend, names: dict[str, str]) -> Tokenizer:
    """Add special tokens and the family's templates."""
    bert = names is _BERT
    for role, token in names.items():
        # Where spaces are parts of tokens, the mask takes the one before it, as the word would that it hides.
        takes_space = role == "mask" and not isinstance(backend.model, models.WordPiece)
        backend.add_special_tokens([AddedToken(token, special=True, normalized=False, lstrip=takes_space)])
    cls, sep = names["cls"], names["sep"]
    vocab = backend.get_vocab()
    if isinstance(backend.model, models.BPE):
        backend.post_processor = processors.RobertaProcessing(
            (sep, vocab[sep]), (cls, vocab[cls]), trim_offsets=True, add_prefix_space=False
        )
    else:
        both = f"{cls}:0 $A:0 {sep}:0 $B:1 {sep}:1" if bert else f"{cls}:0 $A:0 {sep}:0 {sep}:0 $B:0 {sep}:0"
        backend.post_processor = processors.TemplateProcessing(
            single=f"{cls}:0 $A:0 {sep}:0",
            pair=both,
            special_tokens=[(cls, vocab[cls]), (sep, vocab[sep])],
        )
    specials = SpecialTokens(**names)
    return Tokenizer(TokenizerFiles(backend, specials, max_length=None, layout="tokenizer.json", config={}))
