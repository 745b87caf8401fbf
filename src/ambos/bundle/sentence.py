"""What sentence-transformers keeps beside a model: how token vectors become one vector of the text."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ambos.bundle.safe_files import is_plain_name, parse_object, read_whole, short
from ambos.errors import InputError

MODULES = "modules.json"
_MAX_BYTES = 1_000_000
_POOLING = "1_Pooling"
_NORMALIZE = "2_Normalize"
ENTRIES = frozenset({MODULES, _POOLING, _NORMALIZE, "sentence_bert_config.json"})
_MODES = {
    "cls": "pooling_mode_cls_token",
    "mean": "pooling_mode_mean_tokens",
    "max": "pooling_mode_max_tokens",
}
_OTHER_MODES = (
    "pooling_mode_mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens",
    "pooling_mode_lasttoken",
)


@dataclass(frozen=True)
class SentenceSettings:
    """How a model makes embeddings of texts.

    Parameters
    ----------
    pooling
        cls, mean or max.
    normalize
        Whether embeddings are scaled to length 1.
    max_length
        Longer texts are cut to this many tokens, as the model was trained; None if it says nothing.
    folder
        Where in the model's folder the encoder lies: mostly the folder itself.
    """

    pooling: str = "mean"
    normalize: bool = False
    max_length: int | None = None
    folder: str = ""

    @property
    def reads(self) -> str:
        """What a network reads of a text for its vector; see `family.HeadInput`."""
        return "first" if self.pooling == "cls" else self.pooling


def read_sentence_settings(folder: Path) -> SentenceSettings | None:
    """Read modules.json and what it names; None if the folder is not of sentence-transformers."""
    file = folder / MODULES
    if not file.exists():
        return None
    modules = _modules(file)
    where, poolings, normalize = "", [], False
    for place, module in enumerate(modules):
        kind = str(module.get("type", "")).rpartition(".")[2]
        path = module.get("path", "")
        if not isinstance(path, str) or (path and not is_plain_name(path)):
            raise InputError(
                "a part of the model would lie outside its folder",
                expected="plain names of folders",
                found=short(path),
                fix="do not use this model",
                file=file,
            )
        if place == 0 and kind == "Transformer":
            where = path
        elif kind == "Pooling":
            poolings.append(_pooling(folder / path / "config.json"))
        elif kind == "Normalize":
            normalize = True
        else:
            raise InputError(
                f"a {kind[:60]} step of sentence-transformers is not built here",
                expected="Transformer, Pooling, and perhaps Normalize",
                found=short([str(module.get("type", "?")) for module in modules]),
                fix="choose a model without it",
                file=file,
            )
    if len(poolings) != 1:
        raise _not_built("other than one pooling", f"{len(poolings)} Pooling steps", file)
    _refuse_prompts(folder / "config_sentence_transformers.json")
    longest = _longest(folder / where / "sentence_bert_config.json")
    return SentenceSettings(poolings[0], normalize, longest, where)


def _not_built(what: str, found: str, file: Path) -> InputError:
    return InputError(
        f"{what} is not built here",
        expected="texts encoded as they are, and one pooling",
        found=found,
        fix="choose a model without it",
        file=file,
    )


def _refuse_prompts(file: Path) -> None:
    """Refuse a model that puts words before every text: its vectors would be others."""
    settings = _settings(file)
    if settings.get("default_prompt_name") is not None:
        raise _not_built("a default prompt", short(settings["default_prompt_name"]), file)


def _settings(file: Path) -> dict[str, object]:
    """Read a settings file; one that is not there is empty."""
    if not file.exists():
        return {}
    return parse_object(read_whole(file, _MAX_BYTES), file, part="the settings")


def _longest(file: Path) -> int | None:
    """Return how many tokens the model was trained to read, if a file says so."""
    settings = _settings(file)
    if settings.get("do_lower_case"):
        raise _not_built("folding case before the tokenizer", "do_lower_case", file)
    found = settings.get("max_seq_length")
    if found is not None and (type(found) is not int or found < 1):
        raise InputError(
            f"max_seq_length is {short(found)}",
            expected="a whole number, 1 or more",
            fix="fetch the file again",
            file=file,
        )
    return found


def _modules(file: Path) -> list[dict[str, Any]]:
    try:
        modules = json.loads(read_whole(file, _MAX_BYTES).decode())
    except (ValueError, RecursionError) as error:
        raise InputError(
            "not valid JSON",
            expected="[{...}, ...]",
            found=str(error)[:200],
            fix="fetch the file again",
            file=file,
        ) from error
    if not isinstance(modules, list) or not all(isinstance(module, dict) for module in modules):
        raise InputError(
            "not a list of modules", expected="[{...}, ...]", fix="fetch the file again", file=file
        )
    return modules


def _pooling(file: Path) -> str:
    settings = parse_object(read_whole(file, _MAX_BYTES), file, part="the pooling settings")
    named = settings.get("pooling_mode")
    modes = [named] if isinstance(named, str) else [mode for mode, key in _MODES.items() if settings.get(key)]
    modes += [key for key in _OTHER_MODES if settings.get(key)]
    if len(modes) != 1 or modes[0] not in _MODES:
        raise InputError(
            "this kind of pooling is not built here",
            expected="one of cls, mean, max",
            found=short(modes),
            fix="choose a model with one of these",
            file=file,
        )
    return str(modes[0])


def write_sentence_settings(folder: Path, settings: SentenceSettings, width: int) -> None:
    """Write what sentence-transformers needs to open the folder."""
    steps = [("Transformer", ""), ("Pooling", _POOLING)]
    steps += [("Normalize", _NORMALIZE)] if settings.normalize else []
    modules = [
        {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for number, (kind, path) in enumerate(steps)
    ]
    pooling = {"word_embedding_dimension": width}
    pooling |= {key: mode == settings.pooling for mode, key in _MODES.items()}
    (folder / _POOLING).mkdir()
    if settings.normalize:
        (folder / _NORMALIZE).mkdir()
    _write(folder / MODULES, modules)
    _write(folder / _POOLING / "config.json", pooling)
    if settings.max_length is not None:
        limits = {"max_seq_length": settings.max_length, "do_lower_case": False}
        _write(folder / "sentence_bert_config.json", limits)


def _write(file: Path, value: object) -> None:
    file.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
