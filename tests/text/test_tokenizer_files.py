"""Every layout against `transformers`, and against `sentencepiece` where the behaviour is its own."""

import io
import itertools
import json
import unicodedata
from pathlib import Path
from types import SimpleNamespace

import pytest
import sentencepiece
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from ambos.errors import InputError
from ambos.text import small_files
from ambos.text.tokenizer_files import SpecialTokens, read_tokenizer

PLAIN = [
    "O gato dorme no telhado da casa amarela.",
    "A menina comeu pão com açúcar e tomou café à tarde.",
    "Não há coração que aguente tanta emoção, disse a avó.",
    "Em 2010, 2011 e 2012, a inflação subiu 3,5% ao ano.",
    "Os gatinhos brincavam com novelos de lã no chão da cozinha.",
    "A ciência avança quando alguém faz uma boa pergunta.",
    "The quick brown fox jumps over the lazy dog again.",
    "Running, jumping and swimming are popular in 1999, 2000 and 2001.",
    "She didn't know that the bank of the river was muddy.",
    "The bank raised interest rates twice last year, he said.",
    "Ele foi ao banco sacar dinheiro e sentou-se no banco da praça.",
    "Every token reads both sides of the sentence at once.",
    "Vocês viram o pôr do sol? Que céu! Que mar! Que vento...",
    "Unbelievable results were published by the university press.",
    "Às vezes a gente aprende mais errando do que acertando.",
    "O rato roeu a roupa do rei de Roma; a rainha riu.",
]
ODD = [
    "",
    " ",
    "   \t\n ",
    "a",
    "  dois  espaços   no meio  ",
    "tab\tnova\nlinha\r\nfim",
    "emoji 😀👍🏽 e família 👨‍👩‍👧 aqui",
    "שלום עולם مرحبا بالعالم",
    "漢字 かな カタカナ 한국어 mixed 日本語text",
    "ＦＵＬＬ ｗｉｄｔｈ ﬁm ½ ² ™ …",
    "zero\u200bwidth\u200d joiner \ufeffbom \u00adsoft",
    "nbsp\u00a0aqui\u3000ideográfico\u2003em",
    "controle \x00\x07 fim \x7f",
    "\u0301solto e\u0301\u0323 dois",
    "MAIÚSCULAS ÀÉÎÕÜ Ç İstanbul ẞ",
    "supercalifragilisticexpialidocious" * 8,
    "``aspas'' e 'simples' \"duplas\" «francesas»",
    "▁sublinhado ▁ especial▁",
    "__init__ @user #tag http://x.y/z?a=1&b=2",
    "1,000.50 2010, 3,",
    "!!!???...,,,;;;",
    "Ġ Ċ ġ byte names",
]
TOKENS = ["[CLS]", "[SEP]", "[MASK]", "[UNK]", "[PAD]", "<s>", "</s>", "<mask>", "<unk>", "<pad>", "<extra>"]
SPECIAL = [
    text
    for t in TOKENS
    for text in (t, f"um {t} dois", f"um{t}dois", f"  {t}  fim.", f"x {t}{t} {t.lower()}")
]
TEXTS = [
    *PLAIN,
    *(unicodedata.normalize("NFD", text) for text in PLAIN),
    *(text.upper() for text in PLAIN),
    *(text.replace(" ", "  ") + " " for text in PLAIN),
    *(f" {a[:20]}😀{b[-20:]}" for a, b in zip(PLAIN, PLAIN[3:] + PLAIN[:3], strict=True)),
    *(text[::-1] for text in PLAIN),
    *ODD,
    *SPECIAL,
]
# transformers takes an empty second text for none at all.
PAIRS = [pair for pair in zip(TEXTS, TEXTS[7:] + TEXTS[:7], strict=True) if pair[1]]
CORPUS = PLAIN * 20


@pytest.fixture(scope="module")
def transformers():
    """The oracle, imported once; it is not among the run-time imports of ambos."""
    return pytest.importorskip("transformers")


def write(folder: Path, **files: object) -> Path:
    """Write JSON files: `name_json={...}`."""
    folder.mkdir(exist_ok=True, parents=True)
    for name, value in files.items():
        (folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    return folder


def agree(backend: Tokenizer, oracle, texts=TEXTS, pairs=PAIRS) -> None:
    """Same ids, types, offsets and special tokens for single texts and pairs."""
    for text in [*((text, None) for text in texts), *pairs]:
        theirs = oracle(
            *text,
            return_token_type_ids=True,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
            verbose=False,
        )
        ours = backend.encode(*text)
        assert ours.ids == theirs["input_ids"], (
            text,
            ours.tokens,
            oracle.convert_ids_to_tokens(theirs["input_ids"]),
        )
        assert ours.type_ids == theirs["token_type_ids"], text
        assert ours.offsets == theirs["offset_mapping"], (text, ours.tokens)
        assert ours.special_tokens_mask == theirs["special_tokens_mask"], text


def names(oracle) -> SpecialTokens:
    return SpecialTokens(
        oracle.unk_token, oracle.cls_token, oracle.sep_token, oracle.pad_token, oracle.mask_token
    )


def spm_bytes(**options) -> bytes:
    writer = io.BytesIO()
    options = {"model_type": "unigram", "vocab_size": 300, "hard_vocab_limit": False, **options}
    if options["model_type"] == "bpe":
        options["hard_vocab_limit"] = True
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS), model_writer=writer, minloglevel=2, num_threads=1, **options
    )
    return writer.getvalue()


@pytest.fixture(scope="module")
def wordpiece_vocab() -> list[str]:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    lower = [text.lower() for text in CORPUS] + [unicodedata.normalize("NFD", t.lower()) for t in CORPUS]
    tokenizer.train_from_iterator(
        CORPUS + lower, trainers.WordPieceTrainer(vocab_size=600, special_tokens=specials)
    )
    vocab = tokenizer.get_vocab()
    return sorted(vocab, key=vocab.__getitem__)


@pytest.fixture(scope="module")
def byte_bpe() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


@pytest.fixture(scope="module")
def unigram() -> bytes:
    """As XLM-R's and CamemBERT's files begin: `<unk> <s> </s>`."""
    return spm_bytes()


@pytest.fixture(scope="module")
def albert() -> bytes:
    """As ALBERT's file begins: `<pad> <unk> [CLS] [SEP] [MASK]`."""
    return spm_bytes(
        pad_id=0, unk_id=1, bos_id=-1, eos_id=-1, control_symbols=["[CLS]", "[SEP]", "[MASK]"], vocab_size=400
    )


# vocab.txt

CONFIGS = {
    "none": {},
    "cased": {"do_lower_case": False, "model_max_length": 512},
    "uncased": {"do_lower_case": True, "tokenize_chinese_chars": True, "tokenizer_class": "BertTokenizer"},
    "accents": {"do_lower_case": True, "strip_accents": False, "tokenize_chinese_chars": False},
    "stripped": {"do_lower_case": False, "strip_accents": True, "tokenizer_class": "ElectraTokenizer"},
    "decoder": {
        "added_tokens_decoder": {
            str(i): {"content": t, "lstrip": t == "[MASK]", "normalized": False, "special": True}
            for i, t in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
        },
        "mask_token": "[MASK]",
        "tokenizer_class": "DistilBertTokenizerFast",
        "model_max_length": 1000000000000000019884624838656,
    },
}


@pytest.mark.parametrize(
    ("model_type", "kind"),
    [
        *(("bert", kind) for kind in CONFIGS),
        *itertools.product(["distilbert", "electra"], ["none", "decoder"]),
    ],
)
def test_vocab_txt(tmp_path, transformers, wordpiece_vocab, kind, model_type):
    (tmp_path / "vocab.txt").write_text("\n".join(wordpiece_vocab) + "\n", encoding="utf-8")
    files = {"tokenizer_config": CONFIGS[kind]} if CONFIGS[kind] else {}
    write(tmp_path, config={"model_type": model_type}, **files)
    ours = read_tokenizer(tmp_path)
    oracle = transformers.AutoTokenizer.from_pretrained(tmp_path)
    agree(ours.backend, oracle)
    assert ours.specials == names(oracle) == SpecialTokens("[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]")
    assert (ours.layout, ours.config) == ("vocab.txt", CONFIGS[kind])
    assert ours.max_length == (512 if kind == "cased" else None)
    assert read_tokenizer(tmp_path / "vocab.txt").backend.to_str() == ours.backend.to_str()


def test_vocab_txt_with_added_tokens_in_the_older_files(tmp_path, transformers, wordpiece_vocab):
    (tmp_path / "vocab.txt").write_text("\n".join(wordpiece_vocab), encoding="utf-8")
    size = len(wordpiece_vocab)
    write(
        tmp_path,
        config={"model_type": "bert"},
        tokenizer_config={"do_lower_case": False},
        added_tokens={"<extra>": size, "Quixote": size + 1, "[NEW]": size + 2},
        special_tokens_map={
            "additional_special_tokens": ["[NEW]"],
            "mask_token": {
                "content": "[MASK]",
                "lstrip": True,
                "rstrip": False,
                "normalized": False,
                "single_word": False,
            },
        },
    )
    ours = read_tokenizer(tmp_path)
    agree(
        ours.backend,
        transformers.AutoTokenizer.from_pretrained(tmp_path),
        [*TEXTS, "a[NEW] quixote Quixotes <EXTRA>"],
    )
    assert ours.backend.token_to_id("[NEW]") == size + 2
    assert ours.backend.encode("a [MASK]").offsets[-2] == (1, 8)


def test_vocab_txt_with_repeated_lines_and_windows_line_ends(tmp_path, transformers, wordpiece_vocab):
    lines = [*wordpiece_vocab, wordpiece_vocab[50], wordpiece_vocab[60]]
    (tmp_path / "vocab.txt").write_bytes("\r\n".join(lines).encode())
    write(tmp_path, config={"model_type": "bert"})
    ours = read_tokenizer(tmp_path).backend
    assert ours.token_to_id(wordpiece_vocab[50]) == len(wordpiece_vocab)
    agree(ours, transformers.AutoTokenizer.from_pretrained(tmp_path))


def test_vocab_txt_with_a_byte_order_mark_and_without_a_mask(tmp_path, transformers, wordpiece_vocab):
    lines = [line for line in wordpiece_vocab if line != "[MASK]"]
    (tmp_path / "vocab.txt").write_text("\ufeff" + "\n".join(lines), encoding="utf-8")
    write(tmp_path, config={"model_type": "bert"})
    ours = read_tokenizer(tmp_path).backend
    agree(ours, transformers.AutoTokenizer.from_pretrained(tmp_path))
    assert [ours.token_to_id("[PAD]"), ours.token_to_id("[MASK]")] == [len(lines), len(lines) + 1]


def test_a_vocabulary_line_keeps_its_trailing_ideographic_space(tmp_path):
    """As in BERT's own reader; `transformers` 5 trims it, and `foo` would get the number of another line."""
    lines = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "foo", "foo\u3000"]
    (tmp_path / "vocab.txt").write_text("\n".join(lines), encoding="utf-8")
    assert read_tokenizer(tmp_path).backend.encode("foo").ids == [2, 5, 3]


# vocab.json + merges.txt

LSTRIP = {"content": "<mask>", "lstrip": True, "rstrip": False, "normalized": False, "single_word": False}


def roberta_files(folder: Path, tokenizer: Tokenizer, mask: object = LSTRIP, **config: object) -> Path:
    model = json.loads(tokenizer.to_str())["model"]
    write(folder, config={"model_type": "roberta"}, vocab=model["vocab"], tokenizer_config=config)
    write(folder, special_tokens_map={"mask_token": mask} if mask else {})
    merges = "\n".join(" ".join(merge) for merge in model["merges"])
    (folder / "merges.txt").write_text(f"#version: 0.2\n{merges}\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "config", [{"model_max_length": 512}, {"add_prefix_space": True}, {"trim_offsets": False}]
)
def test_vocab_json_and_merges(tmp_path, transformers, byte_bpe, config):
    ours = read_tokenizer(roberta_files(tmp_path, byte_bpe, **config))
    oracle = transformers.AutoTokenizer.from_pretrained(tmp_path)
    agree(ours.backend, oracle)
    assert ours.specials == names(oracle) == SpecialTokens("<unk>", "<s>", "</s>", "<pad>", "<mask>")
    assert (ours.layout, ours.max_length) == ("vocab.json+merges.txt", config.get("model_max_length"))
    assert read_tokenizer(tmp_path / "vocab.json").backend.to_str() == ours.backend.to_str()


def test_roberta_mask_takes_the_space_before_it_even_if_no_file_says_so(tmp_path, byte_bpe):
    """The published models do; `transformers` 5 leaves an extra `Ġ` when it builds from these two files."""
    ours = read_tokenizer(roberta_files(tmp_path, byte_bpe, mask=None)).backend.encode("a <mask>")
    assert ours.ids == [byte_bpe.token_to_id(token) for token in ("<s>", "a", "<mask>", "</s>")]
    assert ours.offsets[2] == (2, 8)


# SentencePiece


def spm_files(folder: Path, data: bytes, name: str, model_type: str, mask: str, **config: object) -> Path:
    write(folder, config={"model_type": model_type})
    write(
        folder, tokenizer_config={"mask_token": {"__type": "AddedToken", **LSTRIP, "content": mask}, **config}
    )
    (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize("model_type", ["xlm-roberta", "camembert"])
def test_fairseq_models(tmp_path, transformers, unigram, model_type):
    spm_files(tmp_path, unigram, "sentencepiece.bpe.model", model_type, "<mask>", model_max_length=512)
    ours = read_tokenizer(tmp_path)
    oracle = transformers.AutoTokenizer.from_pretrained(tmp_path)
    agree(ours.backend, oracle)
    assert ours.specials == names(oracle) == SpecialTokens("<unk>", "<s>", "</s>", "<pad>", "<mask>")
    assert (ours.layout, ours.max_length) == ("sentencepiece", 512)
    processor = sentencepiece.SentencePieceProcessor(model_proto=unigram)
    offset, unk = (1, 3) if model_type == "xlm-roberta" else (4, 3)
    ids = [i + offset if i else unk for i in processor.encode(PLAIN[2])]
    assert ours.backend.encode(PLAIN[2], add_special_tokens=False).ids == ids
    assert ours.backend.token_to_id("<mask>") == processor.get_piece_size() + offset
    assert ours.backend.decode(ours.backend.encode(PLAIN[1]).ids) == PLAIN[1]


def test_camembert_numbers(tmp_path, unigram):
    ours = read_tokenizer(
        spm_files(tmp_path, unigram, "sentencepiece.bpe.model", "camembert", "<mask>")
    ).backend
    tokens = ["<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED", "<s>", "</s>"]
    assert [ours.token_to_id(token) for token in tokens] == list(range(7))
    assert ours.encode("a", "b").ids[0] == 5


@pytest.mark.parametrize(
    "config", [{}, {"keep_accents": True}, {"do_lower_case": False, "keep_accents": True}]
)
def test_albert(tmp_path, transformers, albert, config):
    spm_files(tmp_path, albert, "spiece.model", "albert", "[MASK]", **config)
    ours = read_tokenizer(tmp_path)
    oracle = transformers.AutoTokenizer.from_pretrained(tmp_path)
    joins = {piece for piece in ours.backend.get_vocab() if piece[-1:] == "," and piece[-2:-1].isdigit()}
    plain = [text for text in TEXTS if not joins & set(oracle.tokenize(text))]
    assert len(TEXTS) - 20 < len(plain)
    agree(ours.backend, oracle, plain, [(a, b) for a, b in itertools.pairwise(plain) if b])
    assert ours.specials == names(oracle) == SpecialTokens("<unk>", "[CLS]", "[SEP]", "<pad>", "[MASK]")


def test_albert_parts_a_number_from_its_comma(tmp_path, albert):
    """As ALBERT's own tokenizer and version 4's converter (still there) do; `transformers` 5 joins them."""
    from transformers.convert_slow_tokenizer import AlbertConverter  # noqa: PLC0415

    data = albert.replace(b"\xe2\x96\x81de", b"2010,")  # same length: a piece that joins what must be parted
    assert data != albert
    spm_files(tmp_path, data, "spiece.model", "albert", "[MASK]")
    ours = read_tokenizer(tmp_path).backend
    slow = SimpleNamespace(
        vocab_file=str(tmp_path / "spiece.model"),
        keep_accents=False,
        do_lower_case=True,
        convert_tokens_to_ids=ours.token_to_id,
    )
    oracle = AlbertConverter(slow).converted()
    assert "2010," not in ours.encode("em 2010, ou").tokens
    for text in [*PLAIN, "em 2010, ou", "2010,"]:
        assert ours.encode(text, "b 2010,").ids == oracle.encode(text, "b 2010,").ids


@pytest.mark.parametrize("options", [{"model_type": "bpe"}, {"byte_fallback": True, "vocab_size": 600}])
@pytest.mark.parametrize("model_type", ["xlm-roberta", "camembert"])
def test_fairseq_models_of_other_kinds_cut_as_sentencepiece_does(tmp_path, options, model_type):
    """`transformers` 5 reads BPE files as Unigram and leaves out the byte pieces."""
    data = spm_bytes(**options)
    spm_files(tmp_path, data, "sentencepiece.bpe.model", model_type, "<mask>")
    processor = sentencepiece.SentencePieceProcessor(model_proto=data)
    ours = read_tokenizer(tmp_path).backend
    offset = 1 if model_type == "xlm-roberta" else 4
    for text in [*PLAIN, *ODD]:
        # `tokenizers`, and so every published tokenizer.json, loses the second mark on one letter, and it
        # breaks ties the other way (". .." or ".. .").
        if "\u0301\u0323" not in text and "!!!" not in text:
            ids = [i + offset if i else 3 for i in processor.encode(text)]
            assert ours.encode(text, add_special_tokens=False).ids == ids, text


def test_albert_unknown_is_where_the_file_has_it(tmp_path):
    """`transformers` 5 takes id 1, whatever is there."""
    data = spm_bytes(user_defined_symbols=["[CLS]", "[SEP]", "[MASK]", "<pad>"])
    ours = read_tokenizer(spm_files(tmp_path, data, "spiece.model", "albert", "[MASK]")).backend
    assert ours.encode("漢", add_special_tokens=False).ids[-1] == ours.token_to_id("<unk>") == 0


def test_version_4_converters_agree(tmp_path, unigram):
    from transformers.convert_slow_tokenizer import CamembertConverter, XLMRobertaConverter  # noqa: PLC0415

    for kind, converter in (("xlm-roberta", XLMRobertaConverter), ("camembert", CamembertConverter)):
        ours = read_tokenizer(spm_files(tmp_path, unigram, "sentencepiece.bpe.model", kind, "<mask>")).backend
        slow = SimpleNamespace(
            vocab_file=str(tmp_path / "sentencepiece.bpe.model"), convert_tokens_to_ids=ours.token_to_id
        )
        oracle = converter(slow).converted()
        for text in [text for text in TEXTS if "<" not in text]:
            assert ours.encode(text).ids == oracle.encode(text).ids, text


@pytest.mark.parametrize("name", ["m.model", "pieces.spm", "tokenizer.model"])
def test_bare_model_with_bert_specials(tmp_path, albert, name):
    (tmp_path / name).write_bytes(albert)
    for path in (tmp_path, tmp_path / name):
        ours = read_tokenizer(path)
        assert ours.specials == SpecialTokens("<unk>", "[CLS]", "[SEP]", "<pad>", "[MASK]")
        pair = ours.backend.encode("O gato", "A casa [MASK]")
        assert pair.ids[0] == 2
        assert pair.ids[-1] == 3
        assert (
            pair.type_ids.count(1) == len(ours.backend.encode("A casa [MASK]", add_special_tokens=False)) + 1
        )


def test_bare_model_with_sentence_marks_and_without_any(tmp_path, unigram):
    (tmp_path / "m.model").write_bytes(unigram)
    ours = read_tokenizer(tmp_path)
    assert ours.specials == SpecialTokens(unk="<unk>", cls="<s>", sep="</s>")
    assert ours.backend.encode("", "").tokens == ["<s>", "</s>", "</s>", "</s>"]
    (tmp_path / "m.model").write_bytes(spm_bytes(bos_id=-1, eos_id=-1))
    ours = read_tokenizer(tmp_path)
    assert ours.specials == SpecialTokens(unk="<unk>")
    assert ours.backend.post_processor is None


# tokenizer.json


def test_bert_tokenizer_json(tmp_path, transformers, wordpiece_vocab):
    (tmp_path / "vocab.txt").write_text("\n".join(wordpiece_vocab), encoding="utf-8")
    write(tmp_path, config={"model_type": "bert"}, tokenizer_config={"do_lower_case": False})
    backend = read_tokenizer(tmp_path).backend
    backend.enable_truncation(5)
    backend.enable_padding(length=9)
    backend.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "vocab.txt").unlink()
    for config in CONFIGS.values():
        write(tmp_path, tokenizer_config=config)
        ours = read_tokenizer(tmp_path)
        oracle = transformers.AutoTokenizer.from_pretrained(tmp_path)
        oracle.backend_tokenizer.no_truncation()
        oracle.backend_tokenizer.no_padding()
        agree(ours.backend, oracle)
        assert (ours.layout, ours.backend.truncation, ours.backend.padding) == ("tokenizer.json", None, None)
        assert ours.specials == names(oracle)
    write(tmp_path, tokenizer_config={"do_lower_case": True})
    backend.normalizer = (
        normalizers.NFC()
    )  # not BERT's: version 4 keeps it, version 5 puts BERT's in its place
    backend.save(str(tmp_path / "tokenizer.json"))
    assert isinstance(read_tokenizer(tmp_path).backend.normalizer, normalizers.NFC)
    (tmp_path / "tokenizer_config.json").unlink()
    (tmp_path / "config.json").unlink()
    alone = read_tokenizer(tmp_path)
    assert alone.specials == SpecialTokens("[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]")
    assert (
        alone.backend.encode("GATO").ids == backend.encode("GATO").ids[:-5] or alone.backend.encode("a").ids
    )


def test_roberta_tokenizer_json(tmp_path, transformers, byte_bpe):
    roberta_files(tmp_path, byte_bpe)
    read_tokenizer(tmp_path).backend.save(str(tmp_path / "tokenizer.json"))
    for name in ("vocab.json", "merges.txt", "special_tokens_map.json"):
        (tmp_path / name).unlink()
    for config in (
        {},
        {"add_prefix_space": True, "trim_offsets": False},
        {"tokenizer_class": "RobertaTokenizerFast"},
    ):
        write(tmp_path, tokenizer_config=config)
        agree(read_tokenizer(tmp_path).backend, transformers.AutoTokenizer.from_pretrained(tmp_path))
    (tmp_path / "config.json").unlink()
    (tmp_path / "tokenizer_config.json").unlink()
    assert read_tokenizer(tmp_path).specials == SpecialTokens("<unk>", "<s>", "</s>", "<pad>", "<mask>")


@pytest.mark.parametrize("model_type", ["xlm-roberta", "camembert", "albert"])
def test_sentencepiece_tokenizer_json(tmp_path, transformers, unigram, albert, model_type):
    mask, data = ("[MASK]", albert) if model_type == "albert" else ("<mask>", unigram)
    spm_files(tmp_path, data, "tokenizer.model", model_type, mask)
    read_tokenizer(tmp_path).backend.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer.model").unlink()
    write(tmp_path, tokenizer_config={})
    ours = read_tokenizer(tmp_path)
    assert ours.layout == "tokenizer.json"
    assert ours.max_length is None
    agree(ours.backend, transformers.AutoTokenizer.from_pretrained(tmp_path))


def test_modernbert_tokenizer_json(tmp_path, transformers, byte_bpe):
    """Byte-level BPE with BERT's specials after the vocabulary, and a class that adds nothing."""
    backend = Tokenizer.from_str(byte_bpe.to_str())
    backend.normalizer = normalizers.NFC()
    specials = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
    backend.add_special_tokens([AddedToken(t, lstrip=t == "[MASK]", normalized=False) for t in specials])
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:0 [SEP]:0",
        special_tokens=[(t, backend.token_to_id(t)) for t in ("[CLS]", "[SEP]")],
    )
    backend.save(str(tmp_path / "tokenizer.json"))
    decoder = {
        i: {
            "content": t.content,
            "lstrip": t.lstrip,
            "special": t.special,
            "normalized": False,
            "rstrip": False,
            "single_word": False,
        }
        for i, t in backend.get_added_tokens_decoder().items()
    }
    config = {f"{t[1:-1].lower()}_token": t for t in specials}
    config |= {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 8192}
    write(
        tmp_path,
        config={"model_type": "modernbert"},
        tokenizer_config={**config, "added_tokens_decoder": decoder},
    )
    ours = read_tokenizer(tmp_path)
    oracle = transformers.AutoTokenizer.from_pretrained(tmp_path)
    agree(ours.backend, oracle)
    assert ours.specials == names(oracle) == SpecialTokens(*specials)
    assert ours.max_length == 8192


# What cannot be used


def refused(path: Path, *words: str) -> InputError:
    with pytest.raises(InputError) as caught:
        read_tokenizer(path)
    for word in words:
        assert word in str(caught.value)
    return caught.value


def test_a_folder_without_a_vocabulary(tmp_path):
    for name in ("pytorch_model.bin", "weights.pt", "tokenizer.pkl", "tokenization_x.py"):
        (tmp_path / name).write_bytes(b"\x80\x04never opened")
    write(
        tmp_path, tokenizer_config={"auto_map": {"AutoTokenizer": ["x.X", None]}, "vocab_file": "/etc/passwd"}
    )
    error = refused(tmp_path, "vocab.txt", "tokenizer.pkl")
    assert error.fix == "copy the tokenizer files of the model into the folder"
    (tmp_path / "bundle").mkdir()  # the folder is a run: its model has them
    (tmp_path / "bundle" / "vocab.txt").write_text("[UNK]\n")
    assert refused(tmp_path).fix == f"pass {tmp_path / 'bundle'}"
    refused(tmp_path / "tokenizer.pkl", "not a tokenizer file")
    refused(tmp_path / "missing", "no such file")
    for name in ("a.model", "b.model"):
        (tmp_path / name).write_bytes(b"")
    refused(tmp_path, "pass the file to use")


@pytest.mark.parametrize("text", ["[1, 2]", "{", "[" * 100_000, "\xff", '"a"'])
@pytest.mark.parametrize(
    "name", ["tokenizer_config", "config", "special_tokens_map", "added_tokens", "tokenizer"]
)
def test_bad_json(tmp_path, wordpiece_vocab, name, text):
    (tmp_path / "vocab.txt").write_text("\n".join(wordpiece_vocab), encoding="utf-8")
    (tmp_path / f"{name}.json").write_bytes(text.encode("latin-1"))
    assert refused(tmp_path).file.endswith(f"{name}.json")


def test_too_large(tmp_path, monkeypatch, wordpiece_vocab):
    monkeypatch.setattr(small_files, "MAX_BYTES", 100)
    (tmp_path / "vocab.txt").write_text("\n".join(wordpiece_vocab), encoding="utf-8")
    refused(tmp_path, "too large")


@pytest.mark.parametrize(
    "config",
    [
        {"mask_token": 3},
        {"mask_token": ""},
        {"mask_token": {"lstrip": True}},
        {"added_tokens_decoder": []},
        {"added_tokens_decoder": {"x": {"content": "a"}}},
        {"added_tokens_decoder": {"3": "a"}},
        {"added_tokens_decoder": {"999999": {"content": "<far>"}}},
        {"added_tokens_decoder": {"7": {"content": "[PAD]"}}},
        {"extra_special_tokens": 3},
        {"cls_token": "$A:9x $"},
    ],
)
def test_bad_tokens_in_the_settings(tmp_path, wordpiece_vocab, config):
    (tmp_path / "vocab.txt").write_text("\n".join(wordpiece_vocab), encoding="utf-8")
    write(tmp_path, tokenizer_config=config)
    refused(tmp_path)


def test_added_token_beyond_the_vocabulary(tmp_path, wordpiece_vocab):
    (tmp_path / "vocab.txt").write_text("\n".join(wordpiece_vocab), encoding="utf-8")
    write(tmp_path, added_tokens={"<far>": 5000})
    assert refused(tmp_path, "<far> = 5000").file.endswith("added_tokens.json")
    write(tmp_path, added_tokens={"<far>": "5"})
    refused(tmp_path)


def test_no_id_is_given_twice(tmp_path, wordpiece_vocab):
    lines = [*(line for line in wordpiece_vocab if line != "[MASK]"), wordpiece_vocab[50]]
    (tmp_path / "vocab.txt").write_text("\n".join(lines), encoding="utf-8")
    refused(tmp_path, "[MASK]", "no free id")
    (tmp_path / "vocab.txt").write_text("just\nwords\n", encoding="utf-8")
    refused(tmp_path, "[UNK]")


def test_bad_merges(tmp_path, byte_bpe):
    roberta_files(tmp_path, byte_bpe)
    (tmp_path / "merges.txt").write_text("#version: 0.2\na b c\n", encoding="utf-8")
    assert refused(tmp_path, "a b c").line == 2
    (tmp_path / "merges.txt").write_text("#version: 0.2\n\nZ Q\n", encoding="utf-8")
    assert refused(tmp_path).line == 3
    (tmp_path / "merges.txt").unlink()
    assert refused(tmp_path).file.endswith("merges.txt")
    for vocab in ({"a": 0, "b": 0}, {"a": "0"}, {}, {"a": -1}, {"a": True}, {"a": 2**40}):
        write(tmp_path, vocab=vocab)
        (tmp_path / "merges.txt").write_text("", encoding="utf-8")
        assert refused(tmp_path).file.endswith("vocab.json")


def test_tokenizer_json_that_the_library_cannot_read(tmp_path, byte_bpe):
    write(tmp_path, tokenizer={"model": {"type": "Nothing"}})
    assert refused(tmp_path).file.endswith("tokenizer.json")
    state = json.loads(byte_bpe.to_str())
    state["added_tokens"][0]["id"] = 77
    write(tmp_path, tokenizer=state)
    refused(tmp_path, "= 77")
    state["normalizer"] = {
        "type": "Sequence",
        "normalizers": [{"type": "Precompiled", "precompiled_charsmap": "BAAAAP////8="}],
    }
    write(tmp_path, tokenizer=state)
    refused(tmp_path, "normalisation map")
