"""Read the tokenizer files that published encoders ship, in any layout, into one `tokenizers` pipeline."""

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tokenizers import Tokenizer

from ambos.errors import InputError
from ambos.text.small_files import read_json_object
from ambos.text.tokenizer_layouts import BUILDERS, SPM_FAMILIES
from ambos.text.tokenizer_tokens import FAMILY_NAMES, TokenizerSource, add_tokens, set_template, side_tokens

_SPM_NAMES = ("sentencepiece.bpe.model", "spiece.model", "spm.model", "tokenizer.model")
_CLASSES = {
    "BertTokenizer": "bert",
    "DistilBertTokenizer": "bert",
    "ElectraTokenizer": "bert",
    "RobertaTokenizer": "roberta",
    "XLMRobertaTokenizer": "xlm-roberta",
    "CamembertTokenizer": "camembert",
    "AlbertTokenizer": "albert",
}
_MODEL_TYPES = {"distilbert": "bert", "electra": "bert", **{family: family for family in FAMILY_NAMES}}


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
    config = read_json_object(file.with_name("tokenizer_config.json"))
    family = _family(config, read_json_object(file.with_name("config.json")), layout)
    source = TokenizerSource(file, layout, config, family, {})
    try:
        declared, extra = side_tokens(source)
        backend = BUILDERS[layout](source)
        add_tokens(backend, source, declared, extra)
        set_template(backend, source)
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


def has_tokenizer(folder: Path) -> bool:
    """Tell whether a folder holds the vocabulary of a tokenizer."""
    return _vocabulary([entry.name for entry in folder.iterdir() if entry.is_file()]) is not None


def _vocabulary(present: list[str]) -> str | None:
    """Return which of the files of a folder is the tokenizer's."""
    loose = [name for name in present if name.endswith((".model", ".spm"))]
    wanted = ["tokenizer.json", *_SPM_NAMES, *(loose if len(loose) == 1 else [])]
    # vocab.json alone comes last: only to say that its merges are missing.
    wanted += [*(["vocab.json"] if "merges.txt" in present else []), "vocab.txt", "vocab.json"]
    return next((name for name in wanted if name in present), None)


def _below(folder: Path) -> Path | None:
    """Return a folder in this one that holds a tokenizer: of a run its bundle, of a store its tokenizer."""
    for entry in sorted(folder.iterdir()):
        with suppress(OSError):  # it may not be for us to read
            if entry.is_dir() and has_tokenizer(entry):
                return entry
    return None


def _choose(path: Path) -> tuple[Path, str]:
    """Find the vocabulary file and name its layout."""
    if path.is_dir():
        present = sorted(entry.name for entry in path.iterdir() if entry.is_file())
        name = _vocabulary(present)
        if name is None:
            loose = any(name.endswith((".model", ".spm")) for name in present)
            inside = _below(path)
            raise InputError(
                "no tokenizer in this folder",
                expected=f"tokenizer.json, {', '.join(_SPM_NAMES)}, vocab.json + merges.txt, or vocab.txt",
                found=", ".join(present[:12]) or "no files",
                fix="pass the file to use"
                if loose
                else f"pass {inside}"
                if inside
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
    return family if layout == "tokenizer.json" or family in SPM_FAMILIES else None


def _max_length(config: dict[str, object]) -> int | None:
    value = config.get("model_max_length", config.get("max_len"))
    # Files without a limit say 1e30.
    return int(value) if isinstance(value, int | float) and value is not True and 1 <= value < 1e9 else None
