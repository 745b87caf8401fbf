"""The page on pretraining lists every setting of a recipe, with its default and what it does."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from ambos.runs.settings import Phase, PretrainRecipe

PAGE = Path(__file__).parent.parent.parent / "docs" / "pretraining.md"


def lines(schema: type[BaseModel], before: str = "") -> Iterator[str]:
    for key, field in schema.model_fields.items():
        kind = field.annotation
        if key == "phases":
            yield from lines(Phase, "phases[].")
        elif isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from lines(kind, f"{before}{key}.")
        else:
            default = field.get_default(call_default_factory=True)
            shown = list(default) if isinstance(default, tuple) else default
            text = "" if shown is None else str(shown)
            text = text.lower() if isinstance(shown, bool) else text
            yield f"| `{before}{key}` | {text} | {field.description} |"


def test_the_page_lists_every_setting() -> None:
    shown = [line for line in PAGE.read_text().splitlines() if line.startswith("| `") and "." in line]
    missing = [line for line in lines(PretrainRecipe) if line not in shown]
    assert missing == []
