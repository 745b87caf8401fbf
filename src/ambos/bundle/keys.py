"""The tensors of a network under a family's own names, both ways."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ambos.bundle.family import Family, HeadShape
from ambos.bundle.network import Network
from ambos.bundle.safe_files import short
from ambos.bundle.weights import Weights
from ambos.encoder.config import EncoderConfig
from ambos.errors import InputError

_SUFFIXES = ("weight", "bias")
# Names that BERT's first release gave to a LayerNorm's weight and bias.
_OLD_SUFFIXES = {"weight": "gamma", "bias": "beta"}


@dataclass(frozen=True)
class Match:
    """Tensors of ours that, joined by rows, equal tensors of theirs joined by rows."""

    ours: tuple[str, ...]
    theirs: tuple[str, ...]


def match_tensors(network: Network, family: Family, prefix: str, head_prefix: str = "") -> Iterator[Match]:
    """Yield how the parameters of a network are called by its family.

    Parameters
    ----------
    prefix, head_prefix
        What stands before the names of the encoder's tensors (such as `bert.`), and before those of heads.
    """
    known = dict(network.named_parameters(remove_duplicate=False))
    names = [
        (tuple(f"encoder.{one}" for one in ours), tuple(prefix + one for one in theirs))
        for ours, theirs in family.stem
    ]
    for number in range(network.encoder.config.stored_layers):
        layer = prefix + layer_name(family, network.encoder.config, number)
        names += [
            (
                tuple(f"encoder.layers.{number}.{one}" for one in ours),
                tuple(f"{layer}.{one}" for one in theirs),
            )
            for ours, theirs in family.layer_names
        ]
    if family.pooler is not None:
        names.append((("pooler",), (prefix + family.pooler,)))
    for kind in network.heads:
        shape = family.heads[kind]
        names += [
            (tuple(f"heads.{kind}.{one}" for one in ours), tuple(head_prefix + one for one in theirs))
            for ours, theirs in shape.names
        ]
    moved = {f"heads.{kind}.out.bias": family.heads[kind].bias for kind in network.heads}
    for ours, theirs in names:
        for suffix in _SUFFIXES:
            tensors = tuple(f"{one}.{suffix}" for one in ours)
            if all(one in known for one in tensors):
                bias = moved.get(tensors[0])
                yield Match(
                    tensors,
                    (head_prefix + bias,) if bias else tuple(f"{one}.{suffix}" for one in theirs),
                )


def layer_name(family: Family, config: EncoderConfig, number: int) -> str:
    """Return the name of a stored layer; ALBERT's are groups of one, or of several, layers."""
    inner = config.layers_per_group
    return family.layer.format(layer=number, group=number // inner, inner=number % inner)


def find_prefix(weights: Weights, family: Family, source: str) -> str:
    """Return what stands before the encoder's names in a file: nothing, `bert.`, or what a wrapper added."""
    table = f"{family.stem[0][1][0]}.weight"
    found = [name for name in weights if name == table or name.endswith(f".{table}")]
    if len(found) != 1:
        raise InputError(
            f"these are not the weights of one {family.model_type} encoder",
            expected=f"one tensor whose name ends in {table}",
            found=", ".join(_some([short(name) for name in found])) or f"none among {len(weights)} tensors",
            fix="check that config.json and the weights belong together",
            file=source,
        )
    return found[0].removesuffix(table)


def has_head(weights: Weights, shape: HeadShape, head_prefix: str) -> bool:
    """Tell whether a file holds a head (its last layer may be the token table, so its hidden one decides)."""
    _, theirs = shape.names[0]
    return any(f"{head_prefix}{name}.weight" in weights for name in theirs)


def load_tensors(network: Network, matches: list[Match], weights: Weights, source: str) -> set[str]:
    """Fill a network (built on the meta device) from a file; return the names that were used.

    Every shape is compared with the file's header first: nothing is allocated for a file that does not fit.
    """
    plan, missing, wrong = [], [], []
    parameters = dict(network.named_parameters(remove_duplicate=False))
    for match in matches:
        names = [_stored_name(name, weights) for name in match.theirs]
        if any(name is None for name in names):
            missing += [name for name in match.theirs if _stored_name(name, weights) is None]
            continue
        stored = [name for name in names if name is not None]
        expected = [tuple(parameters[name].shape) for name in match.ours]
        found = [weights.shape(name) for name in stored]
        if _joined(expected) != _joined(found):
            wrong.append(f"{stored[0]} is {_joined(found)}, not {_joined(expected)}")
        wrong += [
            f"{name} is {weights.dtype(name)}, not floats" for name in stored if not _floats(name, weights)
        ]
        plan.append((match, stored, [shape[0] for shape in expected]))
    if missing or wrong:
        raise InputError(
            "the weights do not fit the configuration",
            expected=f"the {len(plan) + len(missing)} tensors that config.json describes",
            found="; ".join(_some(wrong) + ([f"missing: {', '.join(_some(missing))}"] if missing else [])),
            fix="check that config.json and the weights belong together",
            file=source,
        )
    for match, stored, rows in plan:
        tensors = [weights.read(name) for name in stored]
        joined = tensors[0] if len(tensors) == 1 else torch.cat(tensors)
        parts = [joined] if len(rows) == 1 else [part.clone() for part in joined.split(rows)]
        for name, part in zip(match.ours, parts, strict=True):
            set_parameter(network, name, part)
    return {name for _, stored, _ in plan for name in stored}


def _floats(name: str, weights: Weights) -> bool:
    return weights.dtype(name) in {"F64", "F32", "F16", "BF16"}


def _stored_name(name: str, weights: Weights) -> str | None:
    stem, _, suffix = name.rpartition(".")
    beside = f"{stem}.decoder.{suffix}"  # tied biases: either copy may be the one that was kept
    for candidate in (name, f"{stem}.{_OLD_SUFFIXES.get(suffix, suffix)}", beside):
        if candidate in weights:
            return candidate
    return None


def _joined(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    if any(shape[1:] != shapes[0][1:] or not shape for shape in shapes):
        return ()
    return (sum(shape[0] for shape in shapes), *shapes[0][1:])


def _some(names: list[str], limit: int = 4) -> list[str]:
    return names if len(names) <= limit else [*names[:limit], f"and {len(names) - limit} more"]


def set_parameter(network: nn.Module, name: str, tensor: Tensor) -> None:
    """Put a tensor where a parameter was."""
    place, _, last = name.rpartition(".")
    setattr(network.get_submodule(place), last, nn.Parameter(tensor))


def name_tensors(network: Network, matches: list[Match], tied: set[str]) -> dict[str, Tensor]:
    """Return a network's tensors under the family's names; those in `tied` are copies and left out."""
    known = dict(network.named_parameters(remove_duplicate=False))
    named: dict[str, Tensor] = {}
    for match in matches:
        if match.ours[0] in tied:
            continue
        tensors = [known[name].detach().float().cpu() for name in match.ours]
        joined = tensors[0] if len(tensors) == 1 else torch.cat(tensors)
        rows = len(joined) // len(match.theirs)
        parts = [joined] if len(match.theirs) == 1 else joined.split(rows)
        twice = named.keys() & set(match.theirs)
        if twice:
            raise ValueError(f"two tensors would be called {min(twice)}")
        named |= {name: part.clone() for name, part in zip(match.theirs, parts, strict=True)}
    return named
