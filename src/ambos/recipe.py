"""Recipes: TOML files and dotted overrides to typed settings; every mistake is reported, all at once."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ambos.errors import InputError, UsageError
from ambos.suggest import did_you_mean


class Settings(BaseModel):
    """A group of settings: typed, unchangeable, and with no names but its own."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True, allow_inf_nan=False)

    page: ClassVar[str] = ""
    """Page of the documentation that explains them; that of the group around them, if empty."""


class MisfitError(ValueError):
    """Raised by checks of settings together: what does not fit, and the group whose page explains it."""

    def __init__(self, what: str, group: str) -> None:
        super().__init__(what)
        self.group = group


S = TypeVar("S", bound=Settings)


def read_toml(path: Path) -> dict[str, Any]:
    """Read a recipe file as it is."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(
            "not a recipe", expected="a TOML file in UTF-8", found=str(error), file=path
        ) from error
    except OSError as error:
        raise InputError("cannot read the recipe", found=error.strerror or str(error), file=path) from error


def merge(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with `changes` over it, group by group.

    Examples
    --------
    >>> merge({"optim": {"lr": 1, "clip": 1}}, {"optim": {"lr": 2}})
    {'optim': {'lr': 2, 'clip': 1}}
    """
    result = dict(base)
    for key, value in changes.items():
        old = result.get(key)
        result[key] = merge(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return result


def stated(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return only what was given, group by group: all that is not None.

    Examples
    --------
    >>> stated({"epochs": None, "optim": {"lr": 0, "clip": None}})
    {'optim': {'lr': 0}}
    """
    kept = {name: stated(value) if isinstance(value, Mapping) else value for name, value in values.items()}
    return {name: value for name, value in kept.items() if value is not None}


def parse_override(text: str) -> dict[str, Any]:
    """Turn `optim.lr=3e-4` into nested values; what is no TOML value is taken as text.

    Examples
    --------
    >>> parse_override("optim.lr=3e-4"), parse_override("corruption.unit=word")
    ({'optim': {'lr': 0.0003}}, {'corruption': {'unit': 'word'}})
    """
    name, equals, value = text.partition("=")
    path = [part.strip() for part in name.split(".")]
    if not equals or not all(path):
        raise UsageError(
            f"--set {text!r} is not understood",
            expected="--set NAME=VALUE",
            fix="give its value: --set " + (f"{'.'.join(path)}=VALUE" if all(path) else "seed=1"),
        )
    try:
        parsed = tomllib.loads(f"value = {value}")
    except tomllib.TOMLDecodeError:
        parsed = {}
    found: Any = parsed["value"] if parsed.keys() == {"value"} else value.strip()
    for part in reversed(path):
        found = {part: found}
    return dict(found)


def with_overrides(values: Mapping[str, Any], overrides: Iterable[str]) -> dict[str, Any]:
    """Return values with changes such as `optim.lr=3e-4` over them, later ones on top.

    Examples
    --------
    >>> with_overrides({"seed": 1}, ["seed=2", "optim.lr=3e-4"])
    {'seed': 2, 'optim': {'lr': 0.0003}}
    """
    found = dict(values)
    for override in overrides:
        found = merge(found, parse_override(override))
    return found


def build(
    schema: type[S],
    values: Mapping[str, Any],
    *,
    file: Path | None = None,
    context: Mapping[str, Any] | None = None,
) -> S:
    """Check values against a schema; raise one `UsageError` that lists all that is wrong.

    `context` is what the checks of the schema may ask for beside the values.
    """
    try:
        return schema.model_validate(values, context=context)
    except ValidationError as error:
        details = error.errors()
        problems = [_problem(schema, detail) for detail in details]
        pages = dict.fromkeys(filter(None, [*(_page(schema, one) for one in details), schema.page]))
        raise UsageError(
            f"{len(problems)} settings are wrong" if len(problems) > 1 else "a setting is wrong",
            found="; ".join(problems),
            fix=f"see {' and '.join(pages)} for all settings" if pages else None,
            file=file,
        ) from error


def _problem(schema: type[BaseModel], detail: Any) -> str:  # noqa: ANN401 (pydantic's own)
    name = ".".join(str(part) for part in detail["loc"])
    if detail["type"] != "extra_forbidden":
        found = detail.get("input")
        shown = f" (found {found!r})" if not isinstance(found, Mapping) else ""
        said = detail["msg"].removeprefix("Value error, ")  # of several settings together: no name
        return f"{name}: {said}{shown}" if name else said
    known = names(schema)
    if name in known:  # one key with dots in it
        group, _, own = name.rpartition(".")
        return f"{name} is no name: {own} stands in the group {group}"
    ends = ending(schema, name)
    near = f"did you mean {' or '.join(ends)}?" if ends else did_you_mean(name, known)
    return f"there is no setting {name}" + (f", {near}" if near else "")


def _page(schema: type[Settings], detail: Any) -> str:  # noqa: ANN401 (pydantic's own)
    """Return the page of the innermost group that a problem lies in."""
    place, page = list(detail["loc"]), schema.page
    cause = detail.get("ctx", {}).get("error")
    if isinstance(cause, MisfitError):
        place.append(cause.group)
    inner: Any = schema
    for part in place:
        inner = inner.model_fields[part].annotation if part in inner.model_fields else None
        if not (isinstance(inner, type) and issubclass(inner, Settings)):
            break
        page = inner.page or page
    return page


def names(schema: type[BaseModel], before: str = "") -> list[str]:
    """Return the dotted names of all settings of a schema."""
    found = []
    for key, field in schema.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            found += names(inner, f"{before}{key}.")
        else:
            found.append(before + key)
    return found


def ending(schema: type[BaseModel], name: str) -> list[str]:
    """Return the settings of a schema that a name without their group may mean: `lr`, and `learning.lr`."""
    return [one for one in names(schema) if one == name or one.endswith(f".{name}")]


def write_toml(settings: Settings) -> str:
    """Return settings as TOML; what is None is left out, as TOML has no word for it."""
    import tomli_w  # noqa: PLC0415

    return tomli_w.dumps(settings.model_dump(mode="json", exclude_none=True))


def load_recipe(
    schema: type[S],
    sources: Sequence[Mapping[str, Any]],
    *,
    file: Path | None = None,
    context: Mapping[str, Any] | None = None,
) -> S:
    """Lay sources of settings over each other, later ones on top, and check the result as `build` does."""
    values: dict[str, Any] = {}
    for source in sources:
        values = merge(values, source)
    return build(schema, values, file=file, context=context)
