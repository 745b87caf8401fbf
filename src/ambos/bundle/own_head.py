"""Heads that a family's classes in `transformers` do not have: other poolings, a hidden layer, twin encoders.

Such a model is saved as the family's bare encoder, which `transformers` opens, with the head's tensors beside
the encoder's under names of their own, and what the head is in ambos.json.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from dataclasses import fields as fields_of
from pathlib import Path
from typing import Any, Literal, get_args

from ambos.bundle.family import Family, HeadInput
from ambos.encoder.combine import TWIN_SCHEMES, Across, Twin
from ambos.encoder.pooling import Pooling
from ambos.errors import InputError

_READS: dict[Pooling, HeadInput] = {"cls": "first", "mean": "mean", "max": "max"}
_MOST = 64  # layers, and heads, of attention over pairs
_PAIR_LAYER: dict[Across, tuple[str, ...]] = {
    "cross": ("attention_norm", "query", "inner", "outer", "feed_forward_norm"),
    "self": ("query", "key_value", "out", "attention_norm", "inner", "outer", "feed_forward_norm"),
}


@dataclass(frozen=True)
class OwnHead:
    """What a head of our own looks like.

    Parameters
    ----------
    kind
        classify, tag or answer.
    pooling
        How a head of texts sums up their tokens.
    hidden
        Whether a linear layer with ReLU comes before the last one.
    twin
        Of pairs whose texts are read apart: how they meet.
    """

    kind: Literal["classify", "tag", "answer"]
    pooling: Pooling = "cls"
    hidden: bool = False
    twin: Twin | None = None

    @classmethod
    def read(cls, values: Any, file: Path) -> "OwnHead":  # noqa: ANN401 (from JSON)
        """Take what ambos.json says, or raise `InputError`."""
        fields = dict(values) if isinstance(values, dict) else {}
        twin = fields.pop("twin", None)
        good = (
            fields.keys() == {"kind", "pooling", "hidden"}
            and fields["kind"] in {"classify", "tag", "answer"}
            and fields["pooling"] in get_args(Pooling)
            and isinstance(fields["hidden"], bool)
            and (twin is None or _is_twin(twin))
        )
        if not good:
            raise InputError(
                "ambos.json describes a head that there is not", found=str(values)[:80], file=file
            )
        return cls(**fields, twin=None if twin is None else Twin(**twin))

    def as_dict(self) -> dict[str, Any]:
        """Return what goes into ambos.json."""
        return asdict(self)


def _is_twin(values: Any) -> bool:  # noqa: ANN401 (from JSON)
    return (
        isinstance(values, dict)
        and values.keys() == {field.name for field in fields_of(Twin)}
        and values["scheme"] in TWIN_SCHEMES
        and isinstance(values["absolute"], bool)
        and values["across"] in get_args(Across)
        and all(type(values[name]) is int and 1 <= values[name] <= _MOST for name in ("layers", "heads"))
    )


def own_head(
    family: Family, kind: str, pooling: Pooling | None, hidden: bool, twin: Twin | None = None
) -> OwnHead | None:
    """Return the head of our own that these wishes need; None if the family's own head is what is wished."""
    if twin is not None:
        return OwnHead("classify", pooling or twin.pooling, hidden, twin)
    if not hidden and (pooling is None or kind != "classify" or pooling == "cls"):
        return None
    if not hidden and pooling == "mean" and "classifier_pooling" in family.defaults:
        return None  # a setting of the family's own head
    return OwnHead(kind, pooling or "cls", hidden)  # type: ignore[arg-type]


def with_own_head(family: Family, head: OwnHead | None) -> Family:
    """Return the family with one head exchanged for one of our own."""
    if head is None:
        return family
    shape = replace(
        family.heads[head.kind],
        suffix="Model",
        names=tuple(((name,), (f"ambos_head.{name}",)) for name in _modules(head)),
        reads=_reads(head),
        activation="relu" if head.hidden else None,
        norm=False,
        bias=None,
        input_dropout=False,
        twin=head.twin,
        pooling=head.pooling,
    )
    heads: Mapping[str, Any] = {**family.heads, head.kind: shape}
    # ModernBERT's config.json would decide what its own head reads.
    defaults = {key: value for key, value in family.defaults.items() if key != "classifier_pooling"}
    return replace(family, heads=heads, defaults=defaults)


def _reads(head: OwnHead) -> HeadInput:
    attends = head.twin is not None and head.twin.scheme == "attention"
    return "token" if attends or head.kind != "classify" else _READS[head.pooling]


def _modules(head: OwnHead) -> list[str]:
    """Return the names of its modules, the last one last."""
    attention = []
    if head.twin is not None and head.twin.scheme == "attention":
        names = _PAIR_LAYER[head.twin.across]
        attention = [
            f"attention.layers.{layer}.{name}" for layer in range(head.twin.layers) for name in names
        ]
    return [*attention, *(["dense"] if head.hidden else []), "out"]
