"""Heads that a family's classes in `transformers` do not have: other poolings, a hidden ReLU layer.

Such a model is saved as the family's bare encoder, which `transformers` opens, with the head's tensors beside
the encoder's under names of their own, and what the head is in ambos.json.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from ambos.bundle.family import Family, HeadInput
from ambos.encoder.pooling import Pooling
from ambos.errors import InputError

_READS: dict[Pooling, HeadInput] = {"cls": "first", "mean": "mean", "max": "max"}
_NAMES = ((("dense",), ("ambos_head.dense",)), (("out",), ("ambos_head.out",)))


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
    """

    kind: Literal["classify", "tag", "answer"]
    pooling: Pooling = "cls"
    hidden: bool = False

    @classmethod
    def read(cls, values: Any, file: Path) -> "OwnHead":  # noqa: ANN401 (from JSON)
        """Take what ambos.json says, or raise `InputError`."""
        fields = {name: values.get(name) for name in ("kind", "pooling", "hidden")} if values else {}
        good = (
            fields.get("kind") in {"classify", "tag", "answer"}
            and fields.get("pooling") in get_args(Pooling)
            and isinstance(fields.get("hidden"), bool)
        )
        if not good:
            raise InputError(
                "ambos.json describes a head that there is not", found=str(values)[:80], file=file
            )
        return cls(**fields)

    def as_dict(self) -> dict[str, Any]:
        """Return what goes into ambos.json."""
        return asdict(self)


def own_head(family: Family, kind: str, pooling: Pooling | None, hidden: bool) -> OwnHead | None:
    """Return the head of our own that these wishes need; None if the family's own head is what is wished."""
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
        names=_NAMES if head.hidden else _NAMES[1:],
        reads=_READS[head.pooling] if head.kind == "classify" else "token",
        activation="relu" if head.hidden else None,
        norm=False,
        bias=None,
        input_dropout=False,
    )
    heads: Mapping[str, Any] = {**family.heads, head.kind: shape}
    # ModernBERT's config.json would decide what its own head reads.
    defaults = {key: value for key, value in family.defaults.items() if key != "classifier_pooling"}
    return replace(family, heads=heads, defaults=defaults)
