"""Read the tokenizer files that published encoders ship, in any layout, into one `tokenizers` pipeline."""

import base64
import json
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from ambos.errors import InputError
from ambos.text import spm

MAX_JSON_BYTES = 200_000_000
_SPM_NAMES = ("sentencepiece.bpe.model", "spiece.model", "spm.model", "tokenizer.model")
# In the order in which missing specials get new ids.
_ROLES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_USUAL = {
    "unk_token": ("[UNK]", "<unk>"),
    "cls_token": ("[CLS]", "<cls>", "<s>"),
    "sep_token": ("[SEP]", "<sep>", "</s>"),
    "pad_token": ("[PAD]", "<pad>"),
    "mask_token": ("[MASK]", "<mask>"),
}
_BERT = {role: names[0] for role, names in _USUAL.items()}
_ROBERTA = {role: names[-1] for role, names in _USUAL.items()} | {"bos_token": "<s>", "eos_token": "</s>"}
_ALBERT = _BERT | {"unk_token": "<unk>", "pad_token": "<pad>", "bos_token": "[CLS]", "eos_token": "[SEP]"}
_DEFAULTS = {
    "bert": _BERT,
    "roberta": _ROBERTA,
    "xlm-roberta": _ROBERTA,
    "camembert": _ROBERTA,
    "albert": _ALBERT,
}
_CLASSES = {
    "BertTokenizer": "bert",
    "DistilBertTokenizer": "bert",
    "ElectraTokenizer": "bert",
    "RobertaTokenizer": "roberta",
    "XLMRobertaTokenizer": "xlm-roberta",
    "CamembertTokenizer": "camembert",
    "AlbertTokenizer": "albert",
}
_MODEL_TYPES = {"distilbert": "bert", "electra": "bert", **{family: family for family in _DEFAULTS}}
_SPM_VOCABS = {
    "xlm-roberta": spm.xlm_roberta_vocab,
    "camembert": spm.camembert_vocab,
    "albert": spm.albert_vocab,
}


@dataclass(frozen=True)
class SpecialTokens:
    """The special tokens an encoder may have; None where it has none."""

    unk: str | None = None
    cls: str | None = None
    sep: str | None = None
    pad: str | None = None
    mask: str | None = None


@dataclass(frozen=True)
class TokenizerFiles:
    """What was read: the pipeline, its special tokens, the length limit, the layout and the settings file."""

    backend: Tokenizer = field(repr=False)
    specials: SpecialTokens
    max_length: int | None
    layout: str
    config: dict[str, object] = field(repr=False)


@dataclass
class _Source:
    """A vocabulary file with everything the files beside it say about it."""

    file: Path
    layout: str
    config: dict[str, object]
    family: str | None
    names: dict[str, AddedToken]  # by role

    def flag(self, key: str, default: bool) -> bool:
        value = self.config.get(key)
        return default if value is None else bool(value)

    def text(self, role: str) -> str:
        return self.names[role].content

    def default_names(self, names: Mapping[str, str]) -> None:
        for role, text in names.items():
            self.names.setdefault(role, _special(text, role, self.family))


def read_tokenizer(path: Path) -> TokenizerFiles:
    """Read a tokenizer with the ids, types and offsets of the published model.

    Parameters
    ----------
    path
        A folder, or one vocabulary file in it: `tokenizer.json`, a SentencePiece model (`*.model`, `*.spm`),
        `vocab.json` (with `merges.txt`) or `vocab.txt`. The settings files beside it count either way.

    Raises
    ------
    InputError
        If there is no vocabulary, or a file is not what it should be. Weights and code are never opened.
    """
    file, layout = _choose(Path(path))
    config = _json_object(file.with_name("tokenizer_config.json"))
    family = _family(config, _json_object(file.with_name("config.json")), layout)
    source = _Source(file, layout, config, family, {})
    try:
        declared, extra = _side_tokens(source)
        backend = _BUILDERS[layout](source)
        _add_tokens(backend, source, declared, extra)
        _set_template(backend, source)
    except InputError:
        raise
    except Exception as error:  # the library raises bare Exception for whatever it cannot use
        raise InputError(
            "not a tokenizer that can be used",
            expected="the files of one published tokenizer, unchanged",
            found=str(error),
            fix="fetch the files again",
            file=file,
        ) from error
    backend.no_truncation()
    backend.no_padding()
    backend.encode_special_tokens = source.flag("split_special_tokens", False)
    specials = {role.removesuffix("_token"): token.content for role, token in source.names.items()}
    return TokenizerFiles(
        backend,
        SpecialTokens(**{role: specials.get(role) for role in ("unk", "cls", "sep", "pad", "mask")}),
        _max_length(config),
        layout,
        config,
    )


# Which file, and what the folder says about it.


def _choose(path: Path) -> tuple[Path, str]:
    """Find the vocabulary file and name its layout."""
    if path.is_dir():
        present = sorted(entry.name for entry in path.iterdir() if entry.is_file())
        loose = [name for name in present if name.endswith((".model", ".spm"))]
        wanted = ["tokenizer.json", *_SPM_NAMES, *(loose if len(loose) == 1 else [])]
        # vocab.json alone comes last: only to say that its merges are missing.
        wanted += [*(["vocab.json"] if "merges.txt" in present else []), "vocab.txt", "vocab.json"]
        name = next((name for name in wanted if name in present), None)
        if name is None:
            raise InputError(
                "no tokenizer in this folder",
                expected=f"tokenizer.json, {', '.join(_SPM_NAMES)}, vocab.json + merges.txt, or vocab.txt",
                found=", ".join(present[:12]) or "no files",
                fix="pass the file to use"
                if loose
                else "copy the tokenizer files of the model into the folder",
                file=path,
            )
        path = path / name
    elif not path.is_file():
        raise InputError("no such file or folder", fix="check the path", file=path)
    if path.suffix in (".model", ".spm"):
        return path, "sentencepiece"
    if path.name == "vocab.json":
        return path, "vocab.json+merges.txt"
    if path.suffix not in (".json", ".txt") or path.name == "merges.txt":
        raise InputError(
            "not a tokenizer file",
            expected="tokenizer.json, vocab.txt, vocab.json, *.model or *.spm",
            found=path.name,
            fix="pass the vocabulary file, or the folder it is in",
            file=path,
        )
    return path, "tokenizer.json" if path.suffix == ".json" else "vocab.txt"


def _family(config: dict[str, object], model: dict[str, object], layout: str) -> str | None:
    """Name the published family whose conventions hold, or None."""
    if layout == "vocab.txt":
        return "bert"
    if layout == "vocab.json+merges.txt":
        return "roberta"
    declared = config.get("tokenizer_class") or model.get("tokenizer_class")
    family = _CLASSES.get(str(declared).removesuffix("Fast"))
    # A class of its own beside a complete tokenizer.json needs no conventions.
    if family is None and not (declared and layout == "tokenizer.json"):
        family = _MODEL_TYPES.get(str(model.get("model_type")))
    return family if layout == "tokenizer.json" or family in _SPM_VOCABS else None


def _max_length(config: dict[str, object]) -> int | None:
    value = config.get("model_max_length", config.get("max_len"))
    # Files without a limit say 1e30.
    return int(value) if isinstance(value, int | float) and value is not True and 1 <= value < 1e9 else None


def _side_tokens(source: _Source) -> tuple[dict[int, AddedToken], list[AddedToken]]:
    """Fill in the specials by role; return the tokens added after training, by id, and the other specials."""
    file = source.file.with_name("tokenizer_config.json")
    complete = source.config.get("added_tokens_decoder")
    settings = source.config
    if complete is None:  # older folders spread the same over two more files
        settings = settings | _json_object(file.with_name("special_tokens_map.json"))
    for role in _ROLES:
        if settings.get(role) is not None:
            source.names[role] = _special(settings[role], role, source.family, file)
    if source.family:
        source.default_names(_DEFAULTS[source.family])
    listed = settings.get("extra_special_tokens") or settings.get("additional_special_tokens") or []
    if not isinstance(listed, list | dict):
        raise _bad_token(listed, file)
    extra = [_special(v, "", None, file) for v in (listed.values() if isinstance(listed, dict) else listed)]
    declared: dict[int, AddedToken] = {}
    if complete is None:
        special = {token.content for token in (*source.names.values(), *extra)}
        file = file.with_name("added_tokens.json")
        for text, index in _json_object(file).items():
            if type(index) is not int:
                raise _bad_token({text: index}, file)
            declared[index] = AddedToken(text, normalized=text not in special, special=text in special)
    elif not isinstance(complete, dict) or not all(key.isdecimal() for key in complete):
        raise _bad_token(complete, file)
    else:
        declared = {int(key): _token(value, file) for key, value in complete.items()}
    return declared, extra


# One builder for each layout.


def _from_tokenizer_json(source: _Source) -> Tokenizer:
    parsed = _json_object(source.file)
    for step in _steps(parsed.get("normalizer")):
        if isinstance(charsmap := step.get("precompiled_charsmap"), str):
            spm.check_charsmap(base64.b64decode(charsmap))
    backend = Tokenizer.from_str(_text(source.file))
    added = backend.get_added_tokens_decoder()
    listed = parsed.get("added_tokens")
    for entry in listed if isinstance(listed, list) else []:
        _check_id(backend, entry["content"], entry["id"], source.file)
    if not source.family and not source.config:
        source.default_names(_usual_names({token.content for token in added.values()}))
        if isinstance(unk := getattr(backend.model, "unk_token", None), str):
            source.default_names({"unk_token": unk})
    # The settings file overrules tokenizer.json where the model's own class lets it; a key that is missing
    # counts with the class's default, because so it did when the model was trained.
    if source.family == "bert" and isinstance(backend.normalizer, normalizers.BertNormalizer):
        backend.normalizer = _bert_normalizer(source, clean_text=backend.normalizer.clean_text)
    if source.family == "roberta" and isinstance(backend.pre_tokenizer, pre_tokenizers.ByteLevel):
        backend.pre_tokenizer.add_prefix_space = source.flag("add_prefix_space", False)
    return backend


def _from_sentencepiece(source: _Source) -> Tokenizer:
    model = spm.read_spm(source.file)
    if source.family is None:
        known = model.texts(spm.CONTROL, spm.USER_DEFINED)
        source.default_names(_usual_names(known) | {"unk_token": model.pieces[model.unk_id].text})
        return spm.bare_tokenizer(model)
    vocab, unk_id = _SPM_VOCABS[source.family](model, {role: source.text(role) for role in _ROLES})
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
            [_special(f"{text}NOTUSED", "", None) for text in ("<s>", "</s>", "<unk>")]
        )
    return backend


def _from_merges(source: _Source) -> Tokenizer:
    vocab = _json_object(source.file)
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
    for number, line in enumerate(_text(merges_file).split("\n"), 1):
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


def _from_vocab_txt(source: _Source) -> Tokenizer:
    lines = _text(source.file).removesuffix("\n").split("\n")
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


_BUILDERS: dict[str, Callable[[_Source], Tokenizer]] = {
    "tokenizer.json": _from_tokenizer_json,
    "sentencepiece": _from_sentencepiece,
    "vocab.json+merges.txt": _from_merges,
    "vocab.txt": _from_vocab_txt,
}


def _bert_normalizer(source: _Source, *, clean_text: bool) -> normalizers.Normalizer:
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


# Tokens beside the vocabulary, and the template around a text.


def _usual_names(known: Container[str]) -> dict[str, str]:
    found = {role: [name for name in names if name in known] for role, names in _USUAL.items()}
    return {role: names[0] for role, names in found.items() if names}


def _token(value: object, file: Path) -> AddedToken:
    if not isinstance(value, dict) or not isinstance(value.get("content"), str) or not value["content"]:
        raise _bad_token(value, file)
    flags = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return AddedToken(value["content"], **{flag: bool(value[flag]) for flag in flags if flag in value})


def _special(value: object, role: str, family: str | None, file: Path = Path()) -> AddedToken:
    if isinstance(value, dict):
        return _token({**value, "special": True}, file)
    if not isinstance(value, str) or not value:
        raise _bad_token(value, file)
    # Every family but BERT's lets the mask swallow the space before it.
    lstrip = role == "mask_token" and family not in (None, "bert")
    return AddedToken(value, lstrip=lstrip, normalized=False, special=True)


def _add_tokens(
    backend: Tokenizer, source: _Source, declared: dict[int, AddedToken], extra: list[AddedToken]
) -> None:
    """Add what the vocabulary lacks, and mark as special what must never be split."""
    known = {token.content for token in backend.get_added_tokens_decoder().values()}
    complete = "added_tokens_decoder" in source.config
    tokens = {t.content: t for _, t in sorted(declared.items()) if complete or t.content not in known}
    for token in (*(source.names[role] for role in _ROLES if role in source.names), *extra):
        if token.content not in known:
            tokens.setdefault(token.content, token)
    new = [text for text in tokens if backend.token_to_id(text) is None]
    taken = set(backend.get_vocab().values()) if new else set()
    backend.add_tokens(list(tokens.values()))
    for text in new:
        if backend.token_to_id(text) in taken:
            raise InputError(
                "no free id for a token outside the vocabulary",
                expected=f"{text} in the vocabulary, or ids without gaps and repetitions",
                found=f"{len(taken):,} ids up to {max(taken):,}",
                fix="repair the vocabulary file, or fetch it again",
                file=source.file,
            )
    name = "tokenizer_config.json" if complete else "added_tokens.json"
    for index, token in declared.items():
        _check_id(backend, token.content, index, source.file.with_name(name))


def _check_id(backend: Tokenizer, text: str, index: int, file: Path) -> None:
    if backend.token_to_id(text) != index:
        raise InputError(
            "an added token with an id that the vocabulary does not give it",
            expected=f"{text} = {backend.token_to_id(text)}",
            found=f"{text} = {index}",
            fix="take all tokenizer files from the same model",
            file=file,
        )


def _set_template(backend: Tokenizer, source: _Source) -> None:
    """Put the family's special tokens around texts and pairs, unless tokenizer.json has done so."""
    roberta = source.family == "roberta"
    replaceable = (processors.ByteLevel, processors.RobertaProcessing) if roberta else ()
    if backend.post_processor is not None and not isinstance(backend.post_processor, replaceable):
        return
    if (
        not (source.family or source.layout == "sentencepiece")
        or not {"cls_token", "sep_token"} <= source.names.keys()
    ):
        return
    cls, sep = source.text("cls_token"), source.text("sep_token")
    ids = [(text, backend.token_to_id(text) or 0) for text in (cls, sep)]
    if roberta:
        trim, prefix = source.flag("trim_offsets", True), source.flag("add_prefix_space", False)
        backend.post_processor = processors.RobertaProcessing(ids[1], ids[0], trim, prefix)
        return
    one_segment = source.family in ("xlm-roberta", "camembert") or (source.family is None and cls == "<s>")
    second = f"{sep}:0 $B:0 {sep}:0" if one_segment else f"$B:1 {sep}:1"
    single = f"{cls}:0 $A:0 {sep}:0"
    backend.post_processor = processors.TemplateProcessing(
        single=single, pair=f"{single} {second}", special_tokens=sorted(set(ids))
    )


def _bad_token(found: object, file: Path) -> InputError:
    return InputError(
        "not a token",
        expected='a string, or {"content": ...} with its flags; ids are whole numbers',
        found=repr(found)[:80],
        fix="fetch the file again, or remove the entry",
        file=file,
    )


# Files.


def _text(file: Path) -> str:
    """Read a text file with any line ends, within the size limit."""
    try:
        if file.stat().st_size > MAX_JSON_BYTES:
            found = f"{file.stat().st_size:,} bytes"
            raise InputError(
                "too large", expected=f"at most {MAX_JSON_BYTES:,} bytes", found=found, file=file
            )
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            "not valid UTF-8", found=f"byte {error.start}: {error.reason}", fix="save it as UTF-8", file=file
        ) from error
    except OSError as error:
        raise InputError(
            "cannot be read",
            expected=f"{file.name} in the folder",
            found=error.strerror,
            fix="copy the file of the model there",
            file=file,
        ) from error


def _json_object(file: Path) -> dict[str, object]:
    """Read a JSON object; a settings file that is not there is empty."""
    if not file.exists():
        return {}
    try:
        value = json.loads(_text(file))
    except (ValueError, RecursionError) as error:
        raise InputError("not valid JSON", found=str(error), fix="fetch the file again", file=file) from error
    if not isinstance(value, dict):
        raise InputError(
            "not a JSON object",
            expected="{...}",
            found=type(value).__name__,
            fix="fetch the file again",
            file=file,
        )
    return value
