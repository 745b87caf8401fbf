"""A vocabulary file to a `tokenizers` pipeline: one builder for each layout."""

import base64
from collections.abc import Callable

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from ambos.errors import InputError
from ambos.text import spm, spm_file
from ambos.text.small_files import read_json_object, read_text
from ambos.text.tokenizer_tokens import ROLES, TokenizerSource, check_id, special_token, usual_names

SPM_FAMILIES = {
    "xlm-roberta": spm.xlm_roberta_vocab,
    "camembert": spm.camembert_vocab,
    "albert": spm.albert_vocab,
}


def _from_tokenizer_json(source: TokenizerSource) -> Tokenizer:
    parsed = read_json_object(source.file)
    for step in _steps(parsed.get("normalizer")):
        if isinstance(charsmap := step.get("precompiled_charsmap"), str):
            spm_file.check_charsmap(base64.b64decode(charsmap))
    backend = Tokenizer.from_str(read_text(source.file))
    added = backend.get_added_tokens_decoder()
    listed = parsed.get("added_tokens")
    for entry in listed if isinstance(listed, list) else []:
        check_id(backend, entry["content"], entry["id"], source.file)
    if not source.family and not source.config:
        source.default_names(usual_names({token.content for token in added.values()}))
        if isinstance(unk := getattr(backend.model, "unk_token", None), str):
            source.default_names({"unk_token": unk})
    # The settings file overrules tokenizer.json where the model's own class lets it; a key that is missing
    # counts with the class's default, because so it did when the model was trained.
    if source.family == "bert" and isinstance(backend.normalizer, normalizers.BertNormalizer):
        backend.normalizer = _bert_normalizer(source, clean_text=backend.normalizer.clean_text)
    if source.family == "roberta" and isinstance(backend.pre_tokenizer, pre_tokenizers.ByteLevel):
        backend.pre_tokenizer.add_prefix_space = source.flag("add_prefix_space", False)
    return backend


def _from_sentencepiece(source: TokenizerSource) -> Tokenizer:
    model = spm_file.read_spm(source.file)
    if source.family is None:
        known = model.texts(spm_file.CONTROL, spm_file.USER_DEFINED)
        source.default_names(usual_names(known) | {"unk_token": model.pieces[model.unk_id].text})
        return spm.bare_tokenizer(model)
    vocab, unk_id = SPM_FAMILIES[source.family](model, {role: source.text(role) for role in ROLES})
    steps: list[normalizers.Normalizer] = []
    if source.family == "albert":
        steps += [normalizers.Replace("``", '"'), normalizers.Replace("''", '"')]
        if not source.flag("keep_accents", False):
            steps += [normalizers.NFKD(), normalizers.StripAccents()]
        if source.flag("do_lower_case", True):
            steps.append(normalizers.Lowercase())
    backend = spm.family_tokenizer(model, vocab, unk_id, steps)
    if source.family == "camembert":
        backend.add_special_tokens(
            [special_token(f"{text}NOTUSED", "", None) for text in ("<s>", "</s>", "<unk>")]
        )
    return backend


def _from_merges(source: TokenizerSource) -> Tokenizer:
    vocab = read_json_object(source.file)
    ids = set(vocab.values()) if all(type(index) is int for index in vocab.values()) else set()
    if not vocab or len(ids) < len(vocab) or min(ids) < 0 or max(ids) >= 2**31:  # type: ignore[type-var, operator]
        raise InputError(
            "not a vocabulary",
            expected="one whole number for each token, none twice",
            found=f"{len(vocab):,} tokens with {len(ids):,} usable numbers",
            fix="fetch vocab.json again",
            file=source.file,
        )
    merges_file = source.file.with_name("merges.txt")
    merges = []
    for number, line in enumerate(read_text(merges_file).split("\n"), 1):
        if not line or (number == 1 and line.startswith("#version")):
            continue
        parts = line.split(" ")
        if len(parts) != 2 or any(part not in vocab for part in (*parts, "".join(parts))):
            raise InputError(
                "not a merge of two tokens into a third",
                expected="two tokens of vocab.json with one space between them, whose join is there too",
                found=line[:80],
                fix="take vocab.json and merges.txt from the same model",
                file=merges_file,
                line=number,
            )
        merges.append((parts[0], parts[1]))
    model = models.BPE(vocab, merges, continuing_subword_prefix="", end_of_word_suffix="")  # type: ignore[arg-type]
    backend = Tokenizer(model)
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=source.flag("add_prefix_space", False))
    backend.decoder = decoders.ByteLevel()
    return backend


def _from_vocab_txt(source: TokenizerSource) -> Tokenizer:
    lines = read_text(source.file).removesuffix("\n").split("\n")
    # As in BERT's own reader, a line that comes twice keeps its last number and a byte order mark is text.
    vocab = {line: number for number, line in enumerate(lines)}
    unk = source.text("unk_token")
    if unk not in vocab:
        raise InputError(
            "no unknown token in the vocabulary",
            expected=f"a line {unk}",
            found=f"{len(vocab):,} other lines",
            fix="check that this is a WordPiece vocabulary, one token a line",
            file=source.file,
        )
    backend = Tokenizer(models.WordPiece(vocab, unk_token=unk))
    backend.normalizer = _bert_normalizer(source, clean_text=True)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece(prefix="##")
    return backend


BUILDERS: dict[str, Callable[[TokenizerSource], Tokenizer]] = {
    "tokenizer.json": _from_tokenizer_json,
    "sentencepiece": _from_sentencepiece,
    "vocab.json+merges.txt": _from_merges,
    "vocab.txt": _from_vocab_txt,
}


def _bert_normalizer(source: TokenizerSource, *, clean_text: bool) -> normalizers.Normalizer:
    accents = source.config.get("strip_accents")
    return normalizers.BertNormalizer(
        clean_text=clean_text,
        handle_chinese_chars=source.flag("tokenize_chinese_chars", True),
        strip_accents=None if accents is None else bool(accents),
        lowercase=source.flag("do_lower_case", True),
    )


def _steps(normalizer: object) -> list[dict[str, object]]:
    """List the steps of a serialised normaliser, nested sequences opened."""
    if not isinstance(normalizer, dict):
        return []
    inner = normalizer.get("normalizers")
    return [step for part in inner for step in _steps(part)] if isinstance(inner, list) else [normalizer]
