"""Tokens beside a vocabulary: specials by role, tokens added later, and the template around a text."""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, processors

from ambos.errors import InputError
from ambos.text.small_files import read_json_object

# In the order in which missing specials get new ids.
ROLES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
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
FAMILY_NAMES = {
    "bert": _BERT,
    "roberta": _ROBERTA,
    "xlm-roberta": _ROBERTA,
    "camembert": _ROBERTA,
    "albert": _ALBERT,
}


@dataclass
class TokenizerSource:
    """A vocabulary file with everything the files beside it say about it."""

    file: Path
    layout: str
    config: dict[str, object]
    family: str | None
    names: dict[str, AddedToken]  # by role

    def flag(self, key: str, default: bool) -> bool:
        """Return a yes-or-no setting, or the default where it is missing or null."""
        value = self.config.get(key)
        return default if value is None else bool(value)

    def text(self, role: str) -> str:
        """Return how the special token of a role is spelled."""
        return self.names[role].content

    def default_names(self, names: Mapping[str, str]) -> None:
        """Name the specials that no file named."""
        for role, text in names.items():
            self.names.setdefault(role, special_token(text, role, self.family))


def side_tokens(source: TokenizerSource) -> tuple[dict[int, AddedToken], list[AddedToken]]:
    """Fill in the specials by role; return the tokens added after training, by id, and the other specials."""
    file = source.file.with_name("tokenizer_config.json")
    complete = source.config.get("added_tokens_decoder")
    settings = source.config
    if complete is None:  # older folders spread the same over two more files
        settings = settings | read_json_object(file.with_name("special_tokens_map.json"))
    for role in ROLES:
        if settings.get(role) is not None:
            source.names[role] = special_token(settings[role], role, source.family, file)
    if source.family:
        source.default_names(FAMILY_NAMES[source.family])
    listed = settings.get("extra_special_tokens") or settings.get("additional_special_tokens") or []
    if not isinstance(listed, list | dict):
        raise _bad_token(listed, file)
    extra = [
        special_token(v, "", None, file) for v in (listed.values() if isinstance(listed, dict) else listed)
    ]
    declared: dict[int, AddedToken] = {}
    if complete is None:
        special = {token.content for token in (*source.names.values(), *extra)}
        file = file.with_name("added_tokens.json")
        for text, index in read_json_object(file).items():
            if type(index) is not int:
                raise _bad_token({text: index}, file)
            declared[index] = AddedToken(text, normalized=text not in special, special=text in special)
    elif not isinstance(complete, dict) or not all(key.isdecimal() for key in complete):
        raise _bad_token(complete, file)
    else:
        declared = {int(key): _token(value, file) for key, value in complete.items()}
    return declared, extra


def usual_names(known: Container[str]) -> dict[str, str]:
    """Find the specials, by role, among tokens with the usual names."""
    found = {role: [name for name in names if name in known] for role, names in _USUAL.items()}
    return {role: names[0] for role, names in found.items() if names}


def _token(value: object, file: Path) -> AddedToken:
    if not isinstance(value, dict) or not isinstance(value.get("content"), str) or not value["content"]:
        raise _bad_token(value, file)
    flags = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return AddedToken(value["content"], **{flag: bool(value[flag]) for flag in flags if flag in value})


def special_token(value: object, role: str, family: str | None, file: Path = Path()) -> AddedToken:
    """Return a special token as a settings file writes it: a string, or an object with flags."""
    if isinstance(value, dict):
        return _token({**value, "special": True}, file)
    if not isinstance(value, str) or not value:
        raise _bad_token(value, file)
    # Every family but BERT's lets the mask swallow the space before it.
    lstrip = role == "mask_token" and family not in (None, "bert")
    return AddedToken(value, lstrip=lstrip, normalized=False, special=True)


def add_tokens(
    backend: Tokenizer, source: TokenizerSource, declared: dict[int, AddedToken], extra: list[AddedToken]
) -> None:
    """Add what the vocabulary lacks, and mark as special what must never be split."""
    known = {token.content for token in backend.get_added_tokens_decoder().values()}
    complete = "added_tokens_decoder" in source.config
    tokens = {t.content: t for _, t in sorted(declared.items()) if complete or t.content not in known}
    for token in (*(source.names[role] for role in ROLES if role in source.names), *extra):
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
        check_id(backend, token.content, index, source.file.with_name(name))


def check_id(backend: Tokenizer, text: str, index: int, file: Path) -> None:
    """Raise `InputError` if the vocabulary gives a token another id than a file says."""
    if backend.token_to_id(text) != index:
        raise InputError(
            "an added token with an id that the vocabulary does not give it",
            expected=f"{text} = {backend.token_to_id(text)}",
            found=f"{text} = {index}",
            fix="take all tokenizer files from the same model",
            file=file,
        )


def set_template(backend: Tokenizer, source: TokenizerSource) -> None:
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
