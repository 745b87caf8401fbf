"""SentencePiece models to `tokenizers` pipelines, bare or as a published family rearranges them."""

import re
from collections.abc import Mapping, Sequence

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

from ambos.text.spm_file import CONTROL, NORMAL, UNUSED, USER_DEFINED, Piece, SpmModel

SPACE = "▁"
_Vocab = list[tuple[str, float]]


# Families: how each published model rearranges the pieces of its file.


def xlm_roberta_vocab(model: SpmModel, names: Mapping[str, str]) -> tuple[_Vocab, int]:
    """Put fairseq's four specials where the file has `<unk> <s> </s>`, and the mask last."""
    head = [names["bos_token"], names["pad_token"], names["eos_token"], names["unk_token"]]
    return [*_zero(head), *_scored(model.pieces[3:]), (names["mask_token"], 0.0)], 3


def camembert_vocab(model: SpmModel, names: Mapping[str, str]) -> tuple[_Vocab, int]:
    """Put the five entries of CamemBERT's fairseq dictionary before the pieces, and the mask last."""
    head = ["<s>NOTUSED", names["pad_token"], "</s>NOTUSED", names["unk_token"]]
    # The second unknown only keeps its place in the numbering, so nothing may ever choose it.
    return [
        *_zero(head),
        ("<unk>NOTUSED", -100.0),
        *_scored(model.pieces[1:]),
        (names["mask_token"], 0.0),
    ], 3


def albert_vocab(model: SpmModel, _names: Mapping[str, str]) -> tuple[_Vocab, int]:
    """Keep the ids, but never join a digit with a comma ("2010," is "2010" and ",")."""
    return [
        (text, score - 100 if len(text) > 1 and text[-1] == "," and text[-2].isdigit() else score)
        for text, score in _scored(model.pieces)
    ], model.unk_id


def family_tokenizer(
    model: SpmModel, vocab: _Vocab, unk_id: int, before: Sequence[normalizers.Normalizer] = ()
) -> Tokenizer:
    """Build the pipeline that XLM-R, CamemBERT and ALBERT share: whitespace split, then `▁` words."""
    tokenizer = Tokenizer(_model(model, vocab, unk_id))
    steps = [*before, *_precompiled(model)]
    if steps:
        tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(SPACE, prepend_scheme="always")]
    )
    tokenizer.decoder = _decoder(model, dummy=True)
    tokenizer.add_tokens([AddedToken(t, normalized=False) for t in model.texts(USER_DEFINED)])
    tokenizer.add_special_tokens([AddedToken(t, normalized=False) for t in model.texts(CONTROL)])
    return tokenizer


def bare_tokenizer(model: SpmModel) -> Tokenizer:
    """Follow the model file alone: its ids and its own white-space rules, as `sentencepiece` does."""
    tokenizer = Tokenizer(_model(model, _scored(model.pieces), model.unk_id))
    space = SPACE if model.escape_spaces else " "
    # Where a letter has an entry of its own (A -> a), `tokenizers` loses a separate accent after it.
    steps = [*([normalizers.NFC()] if model.rule.endswith("_cf") else []), *_precompiled(model)]
    if model.remove_extra_spaces:
        steps += [normalizers.Replace(Regex(r"\A +"), ""), normalizers.Replace(Regex(" {2,}"), " ")]
    if model.escape_spaces:
        steps.append(normalizers.Replace(" ", SPACE))
    if model.remove_extra_spaces:
        steps.append(normalizers.Replace(Regex(rf"{space}+\z"), ""))
    symbols = model.texts(USER_DEFINED)
    if model.add_dummy_prefix and model.space_as_suffix:
        steps.append(normalizers.Replace(Regex(r"(?<=[\s\S])\z"), space))
    elif model.add_dummy_prefix and symbols:
        # `tokenizers` normalises the user's symbols before it looks for them: they must come out unchanged.
        spared = "|".join(map(re.escape, symbols))
        steps.append(normalizers.Replace(Regex(rf"\A(?=[\s\S])(?!(?:{spared})\z)"), space))
    elif model.add_dummy_prefix:
        steps.append(normalizers.Prepend(space))
    if steps:
        tokenizer.normalizer = normalizers.Sequence(steps)
    # Words can be cut apart before the model sees them only if no piece reaches over a space.
    inner = slice(None, -1) if model.space_as_suffix else slice(1, None)
    if not any(space in piece.text[inner] for piece in model.pieces if piece.kind in (NORMAL, UNUSED)):
        behavior = "merged_with_previous" if model.space_as_suffix else "merged_with_next"
        tokenizer.pre_tokenizer = pre_tokenizers.Split(space, behavior)
    tokenizer.decoder = _decoder(model, dummy=model.add_dummy_prefix and not model.space_as_suffix)
    # Looked for after normalisation, so that spaces around a user's symbol stay as sentencepiece has them.
    tokenizer.add_tokens([AddedToken(text, normalized=not model.space_as_suffix) for text in symbols])
    tokenizer.add_special_tokens([AddedToken(t, normalized=False) for t in model.texts(CONTROL)])
    return tokenizer


def _zero(texts: Sequence[str]) -> _Vocab:
    return [(text, 0.0) for text in texts]


def _scored(pieces: Sequence[Piece]) -> _Vocab:
    return [(text, score - 100 if kind == UNUSED else score) for text, score, kind in pieces]


def _model(model: SpmModel, vocab: _Vocab, unk_id: int) -> models.Model:
    if model.algorithm == "unigram":
        return models.Unigram(vocab, unk_id, model.byte_fallback)
    return models.BPE(
        {text: index for index, (text, _) in enumerate(vocab)},
        _merges(model),
        unk_token=vocab[unk_id][0],
        fuse_unk=True,
        byte_fallback=model.byte_fallback,
    )


def _merges(model: SpmModel) -> list[tuple[str, str]]:
    """List every way to join two pieces into a third, best score first.

    SentencePiece joins any neighbours whose concatenation is a piece, so each split of a piece is a rule.
    """
    ids = {piece.text: index for index, piece in enumerate(model.pieces) if piece.kind in (NORMAL, UNUSED)}
    rules = []
    for text, index in ids.items():
        if model.pieces[index].kind == NORMAL:
            for cut in range(1, len(text)):
                left, right = text[:cut], text[cut:]
                if left in ids and right in ids:
                    rules.append((-model.pieces[index].score, -len(left), -len(right), left, right))
    return [(left, right) for *_, left, right in sorted(rules)]


def _precompiled(model: SpmModel) -> list[normalizers.Normalizer]:
    return [normalizers.Precompiled(model.charsmap)] if model.charsmap else []


def _decoder(model: SpmModel, *, dummy: bool) -> decoders.Decoder:
    if not model.byte_fallback:
        return decoders.Metaspace(SPACE, prepend_scheme="always" if dummy else "never")
    steps = [decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
    return decoders.Sequence([*steps, decoders.Strip(" ", 1, 0)] if dummy else steps)
