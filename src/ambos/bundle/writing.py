"""The files of a bundle: config.json and weights as `transformers` reads them, ambos.json beside them."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ambos import __version__
from ambos.bundle.keys import Match, match_tensors, name_tensors
from ambos.bundle.manifest import FILE, FORMAT
from ambos.bundle.sentence import write_sentence_settings
from ambos.bundle.weights import write_weights
from ambos.encoder.packed import PackedLinear
from ambos.files import sha256

if TYPE_CHECKING:
    from ambos.bundle.bundle import Bundle

# Keys of config.json that would speak of the file that was read, not of the one that is written.
_NOT_KEPT = frozenset({"torch_dtype", "_name_or_path", "id2label", "label2id", "num_labels", "problem_type"})
_PROBLEMS = {  # what `transformers` computes a loss by
    ("classify", False): "single_label_classification",
    ("classify", True): "multi_label_classification",
    ("score", False): "regression",
}
_IDS: dict[str, Literal["pad", "cls", "sep"]] = {
    "pad_token_id": "pad",
    "bos_token_id": "cls",
    "eos_token_id": "sep",
    "cls_token_id": "cls",
    "sep_token_id": "sep",
}


def write_files(bundle: "Bundle", folder: Path) -> None:
    """Write the files into an existing empty folder."""
    if bundle.tokenizer is not None:
        bundle.tokenizer.save(folder)
    if bundle.sentence is not None:
        write_sentence_settings(folder, bundle.sentence, bundle.config.width)
    if bundle.card:
        (folder / "README.md").write_text(bundle.card, encoding="utf-8")
    bare = not bundle.network.heads or bundle.own is not None
    matches = list(match_tensors(bundle.network, bundle.family, "" if bare else f"{bundle.family.base}."))
    _refuse_loss(bundle, matches)
    tied = _tied(bundle)
    write_weights(folder, name_tensors(bundle.network, matches, tied))
    _write_json(folder / "config.json", _config_json(bundle, tied=bool(tied)))
    manifest = {
        "format": FORMAT,
        "task": bundle.task,
        "labels": list(bundle.labels),
        "pair": bundle.pair,
        "head": bundle.own.as_dict() if bundle.own else None,
        "learnt": bundle.learnt,
        "provenance": {
            **bundle.provenance,
            "written_by": f"ambos {__version__}",
            "written": datetime.now(UTC).isoformat(timespec="seconds"),
        },
        "files": {
            str(file.relative_to(folder)): sha256(file)
            for file in sorted(folder.rglob("*"))
            if file.is_file()
        },
    }
    _write_json(folder / FILE, manifest)


def _refuse_loss(bundle: "Bundle", matches: list[Match]) -> None:
    """Raise ValueError rather than write a folder that would hold less than the network does."""
    if any(isinstance(part, PackedLinear) for part in bundle.network.modules()):
        raise ValueError("these weights are laid out for inference; load the model anew to save it")
    named = {name for match in matches for name in match.ours}
    left = {name for name, _ in bundle.network.named_parameters(remove_duplicate=False)} - named
    if left:
        raise ValueError(f"{bundle.family.model_type} has no name for {', '.join(sorted(left))}")


def _tied(bundle: "Bundle") -> set[str]:
    """Names of parameters that are the token table itself."""
    table = bundle.network.encoder.embeddings.token.weight
    known = bundle.network.named_parameters(remove_duplicate=False)
    return {name for name, weight in known if weight is table and name.startswith("heads.")}


def _config_json(bundle: "Bundle", *, tied: bool) -> dict[str, Any]:
    raw = {key: value for key, value in bundle.raw.items() if key not in _NOT_KEPT}
    raw |= {"architectures": [bundle.class_name], "dtype": "float32"}
    if "mlm" in bundle.network.heads:
        raw["tie_word_embeddings"] = tied
    if bundle.labels:
        raw["id2label"] = {str(number): label for number, label in enumerate(bundle.labels)}
        raw["label2id"] = {label: number for number, label in enumerate(bundle.labels)}
    problem = _PROBLEMS.get((bundle.learnt.get("name", ""), bool(bundle.learnt.get("several"))))
    if problem:
        raw["problem_type"] = problem
    if bundle.tokenizer is not None:
        for key, role in _IDS.items():  # what is left out `transformers` takes from its defaults
            if key == "pad_token_id" or key in bundle.family.defaults:
                raw.setdefault(key, bundle.tokenizer.special_id(role))
    return raw


def _write_json(file: Path, value: object) -> None:
    file.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
