"""From checked weights to a network: which heads a folder holds, and what its labels are called."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from ambos.bundle.families import FAMILIES
from ambos.bundle.family import Family
from ambos.bundle.keys import find_prefix, has_head, layer_name, load_tensors, match_tensors
from ambos.bundle.network import Network, build_head, build_network, head_input, tie
from ambos.bundle.safe_files import short
from ambos.bundle.weights import Weights
from ambos.encoder.config import EncoderConfig
from ambos.errors import InputError

# Copies and constants that published files carry beside the weights.
_HARMLESS = ("position_ids", "token_type_ids", "rotary_emb.inv_freq")
_PRETRAINING = ("mlm", "next")


@dataclass(frozen=True)
class Loaded:
    """A network in evaluation mode, what it is for, its labels, and tensors that nothing took."""

    network: Network
    task: str
    labels: tuple[str, ...]
    unused: tuple[str, ...]


def load_network(
    weights: Weights,
    raw: Mapping[str, Any],
    config: EncoderConfig,
    family: Family,
    folder: Path,
    own: str | None = None,
) -> Loaded:
    """Build what config.json describes and fill it; `own` is the kind of a head of our own, if any."""
    source = str(folder)
    prefix = find_prefix(weights, family, source)
    _compare_layers(weights, config, family, prefix, source)
    head_prefix = prefix.removesuffix(f"{family.base}.")
    kinds = [own] if own else _kinds(weights, raw, family, head_prefix, folder)
    pooler = family.pooler is not None and f"{prefix}{family.pooler}.weight" in weights
    labels: tuple[str, ...] = ()
    with torch.device("meta"):
        network = build_network(config, pooler=pooler)
        for kind in kinds:
            shape = family.heads[kind]
            last = f"{head_prefix}{shape.names[-1][1][0]}.weight"
            outputs = config.vocab_size if kind == "mlm" else shape.outputs
            if outputs is None:
                outputs = _rows(weights, last, source)
                labels = _labels(raw, outputs, folder)
            settings = {**family.defaults, **raw}
            head = build_head(shape, config, outputs=outputs, settings=settings)
            network.add_head(kind, head, head_input(family, kind, settings))
    if any(network.reads[kind] == "pooled" for kind in kinds) and not pooler:
        raise InputError(
            "the head of this model reads a pooler, and there is none",
            expected=f"{prefix}{family.pooler}.weight in the weights",
            fix="check that config.json and the weights belong together",
            file=source,
        )
    matches = list(match_tensors(network, family, prefix, head_prefix))
    tied = "mlm" in kinds and raw.get("tie_word_embeddings", True)
    if tied:
        matches = [match for match in matches if match.ours != ("heads.mlm.out.weight",)]
    used = load_tensors(network, matches, weights, source)
    if tied:
        tie(network)
        used |= {name for name in weights if _is_copy(name, family)}
    unused = tuple(name for name in weights if name not in used and not name.endswith(_HARMLESS))
    task = kinds[0] if kinds else "embed"
    return Loaded(network.eval(), task, labels, unused)


def _compare_layers(
    weights: Weights, config: EncoderConfig, family: Family, prefix: str, source: str
) -> None:
    """Raise `InputError` if there are fewer or more layers than config.json says, before they are built."""
    last, beyond = (
        f"{prefix}{layer_name(family, config, number)}."
        for number in (config.stored_layers - 1, config.stored_layers)
    )
    missing = not any(name.startswith(last) for name in weights)
    if missing or any(name.startswith(beyond) for name in weights):
        raise InputError(
            "the weights do not fit the configuration",
            expected=f"{config.stored_layers:,} layers, the last one named {last[:-1]}",
            found=f"{len(weights):,} tensors, none of that layer"
            if missing
            else f"a layer {beyond[:-1]} too",
            fix="check that config.json and the weights belong together",
            file=source,
        )


def _kinds(
    weights: Weights, raw: Mapping[str, Any], family: Family, head_prefix: str, folder: Path
) -> list[str]:
    """Return the heads to load, the one the model is for first."""
    present = [kind for kind, shape in family.heads.items() if has_head(weights, shape, head_prefix)]
    named = raw.get("architectures")
    architecture = named[0] if isinstance(named, list) and named and isinstance(named[0], str) else None
    if architecture is None:
        kinds = [kind for kind in _PRETRAINING if kind in present] or present
        if len(kinds) > 1 and kinds != list(_PRETRAINING):
            raise InputError(
                "config.json does not say what the head of this model is for",
                expected=f"architectures to name a class, like {family.class_prefix}ForTokenClassification",
                found=f"weights that may be of {' or '.join(kinds)}",
                fix='add "architectures" to config.json',
                file=folder / "config.json",
            )
        return kinds
    kinds = list(_kinds_of_class(architecture, family, folder))
    if kinds in (["mlm"], ["next"]):  # published masked-LM files often hold the other head of pretraining too
        kinds += [kind for kind in _PRETRAINING if kind in present and kind not in kinds]
    return kinds


def _kinds_of_class(architecture: str, family: Family, folder: Path) -> tuple[str, ...]:
    """Return the heads of a class of `transformers`; none for a bare model."""
    prefixes = sorted((other.class_prefix for other in FAMILIES.values()), key=len, reverse=True)
    prefix = next((one for one in prefixes if architecture.startswith(one)), "")
    suffix = architecture.removeprefix(prefix)
    if suffix == "Model":
        return ()
    if suffix == "ForPreTraining" and "next" in family.heads:
        return _PRETRAINING
    if suffix in {"ForPreTraining", "LMHeadModel"} and "replaced" not in family.heads:
        return ("mlm",)
    for kind, shape in family.heads.items():
        if suffix == shape.suffix:
            return (kind,)
    known = ["Model", *dict.fromkeys(shape.suffix for shape in family.heads.values())]
    raise InputError(
        f"{short(architecture)} is not a class that ambos builds",
        expected=", ".join(family.class_prefix + suffix for suffix in known),
        fix="choose another model, or save only its encoder",
        file=folder / "config.json",
    )


def _is_copy(name: str, family: Family) -> bool:
    """Tell whether a tensor is the second copy of a tied one: the decoder's weight or bias."""
    last = family.heads["mlm"].names[-1][1][0]
    return name.endswith((f"{last}.weight", f"{last}.bias"))


def _rows(weights: Weights, name: str, source: str) -> int:
    # A tensor without numbers may have any side: its rows are no labels.
    if name not in weights or not all(weights.shape(name)) or not weights.shape(name):
        raise InputError(
            "this checkpoint has no head of the kind its config.json names",
            expected=f"{name} in the weights",
            found=f"{len(weights)} tensors without it",
            fix="choose a checkpoint with the head, or load the encoder alone and ask for a new head",
            file=source,
        )
    return weights.shape(name)[0]


def _labels(raw: Mapping[str, Any], outputs: int, folder: Path) -> tuple[str, ...]:
    """Return the names of a head's outputs, in order."""
    names = raw.get("id2label")
    if names is None:
        return tuple(f"LABEL_{number}" for number in range(outputs))
    try:
        labels = {int(number): str(name) for number, name in names.items()}
    except (AttributeError, TypeError, ValueError):
        labels = {}
    if sorted(labels) != list(range(outputs)):
        raise InputError(
            "the labels in config.json do not fit the head",
            expected=f"id2label to name outputs 0 to {outputs - 1}",
            found=f"{len(labels)} labels",
            fix="check that config.json and the weights belong together",
            file=folder / "config.json",
        )
    return tuple(labels[number] for number in range(outputs))
