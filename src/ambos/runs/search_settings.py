"""What a search looks for: how many trials, and between which values of which settings."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from ambos.recipe import Settings

Value = bool | int | float | str


class Range(Settings):
    """Numbers from `low` to `high`, whole ones if both are; with `log`, evenly in their logarithm."""

    low: int | float
    """The least."""
    high: int | float
    """The most."""
    log: bool = False
    """Whether a tenth and ten times as much are equally far away."""

    @model_validator(mode="after")
    def _is_one(self) -> "Range":
        if not self.low < self.high:
            raise ValueError(f"low must be below high, found {self.low} and {self.high}")
        if self.log and self.low <= 0:
            raise ValueError(f"with log, low must be above 0, found {self.low}")
        return self

    @property
    def whole(self) -> bool:
        """Whether its numbers are whole ones."""
        return isinstance(self.low, int) and isinstance(self.high, int)


Choices = Annotated[list[Value], Field(min_length=1)]


def _form(value: object) -> Literal["range", "list"]:
    return "range" if isinstance(value, Mapping | Range) else "list"


Dimension = Annotated[
    Annotated[Range, Tag("range")] | Annotated[Choices, Tag("list")],
    Discriminator(_form),
]
Space = dict[str, Dimension]


class SearchSettings(Settings):
    """A search for settings that do well on the dev rows.

    Examples
    --------
    >>> lr = {"low": 1e-5, "high": 1e-3, "log": True}
    >>> list(SearchSettings(trials=9, space={"epochs": [2, 4], "learning": {"lr": lr}}).space)
    ['epochs', 'learning.lr']
    """

    trials: Annotated[int, Field(ge=0)] = 0
    """Settings to try; 0, no search."""
    space: Space = Field(default_factory=dict)
    """Setting -> `{low, high, log}` or a list of values; by default rate, epochs, batch and layer decay."""

    @field_validator("space", mode="before")
    @classmethod
    def _flat(cls, space: Any) -> Any:  # noqa: ANN401 (whatever a recipe holds)
        return _flattened(space) if isinstance(space, Mapping) else space


def _flattened(space: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Return groups of settings as dotted names, so that a space can be written as a recipe is.

    >>> _flattened({"learning": {"lr": {"low": 1, "high": 2}}})
    {'learning.lr': {'low': 1, 'high': 2}}
    """
    found: dict[str, Any] = {}
    for name, value in space.items():
        if isinstance(value, Mapping) and not value.keys() & Range.model_fields.keys():
            found |= _flattened(value, f"{before}{name}.")
        else:
            found[before + name] = value
    return found
