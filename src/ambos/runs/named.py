"""The recipes that come with ambos, by name."""

from importlib import resources
from pathlib import Path
from typing import Any

from ambos.errors import UsageError
from ambos.recipe import read_toml
from ambos.suggest import did_you_mean

NAMES = ("fast", "bert", "roberta", "xlm-r", "spanbert", "albert", "modernbert", "adapt")


def recipe_values(name: str) -> dict[str, Any]:
    """Return the settings of a recipe that comes with ambos, or of a TOML file."""
    if name.endswith(".toml"):
        return read_toml(Path(name))
    if name not in NAMES:
        raise UsageError(
            f"there is no recipe {name!r}",
            expected=f"one of {', '.join(NAMES)}, or a file that ends in .toml",
            fix=did_you_mean(name, NAMES),
        )
    with resources.as_file(resources.files("ambos.runs") / "recipes" / f"{name}.toml") as path:
        return read_toml(path)
