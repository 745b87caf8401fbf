"""Settings of runs: the pages list every one, with its default and what it does; parts can be left out."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from ambos.errors import UsageError
from ambos.recipe import load_recipe, parse_override
from ambos.runs.finetune_settings import FinetuneRecipe
from ambos.runs.settings import Phase, PretrainRecipe

DOCS = Path(__file__).parent.parent.parent / "docs"


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
            text = "" if shown is None or field.is_required() else str(shown).replace("|", r"\|")
            text = text.lower() if isinstance(shown, bool) else text
            what = str(field.description).replace("|", r"\|")
            yield f"| `{before}{key}` | {text} | {what} |"


@pytest.mark.parametrize(
    ("page", "schema"), [("pretraining.md", PretrainRecipe), ("finetuning.md", FinetuneRecipe)]
)
def test_the_page_lists_every_setting(page: str, schema: type[BaseModel]) -> None:
    shown = [line for line in (DOCS / page).read_text().splitlines() if line.startswith("| `")]
    missing = [line for line in lines(schema) if line not in shown]
    assert missing == []


def test_a_weight_of_0_leaves_an_objective_of_the_recipe_out() -> None:
    bert = {"objectives": {"mlm": 1.0, "next": 1.0}, "data": {"scheme": "pairs"}}
    alone = load_recipe(PretrainRecipe, [bert, parse_override("objectives.next=0")])
    assert (alone.objectives, alone.relation) == ({"mlm": 1.0}, "none")
    changes = [parse_override("objectives.next=0"), parse_override("objectives.order=0.5")]
    other = load_recipe(PretrainRecipe, [bert, *changes])
    assert (other.objectives, other.relation) == ({"mlm": 1.0, "order": 0.5}, "order")
    with pytest.raises(UsageError, match="lack mlm"):
        load_recipe(PretrainRecipe, [bert, parse_override("objectives.mlm=0")])
    with pytest.raises(UsageError, match="greater than 0"):
        load_recipe(PretrainRecipe, [bert, parse_override("objectives.mlm=-1")])


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("epochs=inf", "epochs: Input should be a finite number"),
        ("minutes=inf", "minutes: Input should be a finite number"),
        ("data.separator=", "data.separator: String should have at least 1 character"),
        ("learning.lr=nan", "learning.lr: Input should be a finite number"),
        ("learning.lr=inf", "learning.lr: Input should be a finite number"),
        ("learning.clip=inf", "learning.clip: Input should be a finite number"),
        ("learning.dropout=1.0", "learning.dropout: Input should be less than 1"),
        ("seed=99999999999999999999999", "seed: Input should be less than"),
        ('learning.class_weights="some"', "learning.class_weights: should be none, balanced, or a positive"),
        ("learning.class_weights=[1.0, 0.0]", "learning.class_weights: should be none, balanced, or a posi"),
        ("learning.class_weights=[1.0, inf]", "learning.class_weights: should be none, balanced, or a posi"),
    ],
)
def test_what_cannot_be_trained_with_is_refused_in_a_sentence(setting: str, expected: str) -> None:
    given = {"task": "classify", "base": "minilm"}
    with pytest.raises(UsageError, match="a setting is wrong") as refused:
        load_recipe(FinetuneRecipe, [given, parse_override(setting)])
    assert expected in str(refused.value.found)


def test_seeds_as_far_as_numbers_of_64_bits_go() -> None:
    for seed in (-(2**63), 2**63 - 1):
        values = {"task": "classify", "base": "minilm", "seed": seed}
        assert load_recipe(FinetuneRecipe, [values]).seed == seed
