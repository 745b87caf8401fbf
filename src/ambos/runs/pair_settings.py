"""The settings of fine-tuning on pairs of texts: how the two are read, and how they meet."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ambos.encoder.combine import Twin
from ambos.recipe import Settings
from ambos.runs.settings import Positive

# What a setting is for, where it is not for all schemes.
_FOR: dict[str, tuple[str, ...]] = {
    "absolute": ("difference", "combined"),
    "across": ("attention",),
    "layers": ("attention",),
    "heads": ("attention",),
    "start": ("joint",),
    "grow_segments": ("joint",),
    "contrast": ("embed",),
    "positive": ("embed",),
    "scale": ("embed",),
}

Scheme = Literal["joint", "concat", "difference", "product", "combined", "attention", "embed"]


class PairSettings(Settings):
    """How the two texts of a pair are read, and how they meet."""

    page: ClassVar[str] = "docs/pairs.md"

    scheme: Scheme = "joint"
    """`joint`: both in one sequence; others read each by itself, and say how they meet (docs/pairs.md)."""
    absolute: bool = False
    """Take |a - b| for a - b: the order of the two does not count there."""
    across: Literal["cross", "self"] = "cross"
    """Of `attention`: each text sees the other, or both see both."""
    layers: Annotated[int, Field(ge=1, le=64)] = 1
    """Of `attention`."""
    heads: Annotated[int, Field(ge=1, le=64)] = 4
    """Of `attention`."""
    start: Literal["new", "nsp"] = "new"
    """Of `joint`: begin with a new head, or with what the base learnt of neighbouring sentences."""
    grow_segments: bool = False
    """Of `joint`, with more texts than the base knows segments: give it more, copies of the second one."""
    contrast: Literal["in-batch", "cosine", "order"] | None = None
    """Of `embed`: other pairs as negatives (for labels), cosines that equal scores, or are in their order."""
    positive: str | None = None
    """Of `embed`: the label of pairs that belong together."""
    scale: Positive = 20.0
    """Of `embed`, by other pairs or by order: factor of cosines before they are compared."""

    @property
    def ignored(self) -> list[str]:
        """What the scheme would make nothing of, each with the schemes that it is for.

        Examples
        --------
        >>> PairSettings(scheme="product", absolute=True).ignored
        ['pair.absolute is for the scheme difference or combined, not for product']
        """
        return [
            f"pair.{name} is for the scheme {' or '.join(schemes)}, not for {self.scheme}"
            for name, schemes in _FOR.items()
            if self.scheme not in schemes and getattr(self, name) != type(self).model_fields[name].default
        ]

    @property
    def twin(self) -> Twin | None:
        """How texts that are read apart meet before a head; None if there is no such head."""
        if self.scheme == "joint" or self.scheme == "embed":  # noqa: PLR1714 (a checker of types sees it so)
            return None
        return Twin(self.scheme, self.absolute, self.across, self.layers, self.heads)
