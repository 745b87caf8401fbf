"""Recipes: overrides, merging, and that all mistakes are reported at once, with what could be meant."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, model_validator

from ambos.errors import InputError, UsageError
from ambos.recipe import (
    MisfitError,
    Settings,
    build,
    load_recipe,
    merge,
    names,
    parse_override,
    read_toml,
    write_toml,
)
from ambos.runs.finetune_settings import FinetuneRecipe
from ambos.runs.named import NAMES, recipe_values
from ambos.runs.settings import PretrainRecipe


class Inner(Settings):
    rate: Annotated[float, Field(gt=0, lt=1)] = 0.5
    words: tuple[str, ...] = ()


class Outer(Settings):
    name: str
    inner: Inner = Inner()
    count: int | None = None


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("optim.lr=3e-4", {"optim": {"lr": 3e-4}}),
        (" optim . lr =3", {"optim": {"lr": 3}}),
        ("seed=7", {"seed": 7}),
        ("seed = 7 ", {"seed": 7}),
        ("a.b.c=true", {"a": {"b": {"c": True}}}),
        ("corruption.unit=word", {"corruption": {"unit": "word"}}),
        ('name="3"', {"name": "3"}),
        ("name=a=b", {"name": "a=b"}),
        ("name=", {"name": ""}),
        ("phases=[{length=64, sequences=2}]", {"phases": [{"length": 64, "sequences": 2}]}),
        ("name=ção", {"name": "ção"}),
        ("name=2024-01-02x", {"name": "2024-01-02x"}),
    ],
)
def test_overrides(text: str, values: dict) -> None:
    assert parse_override(text) == values


@pytest.mark.parametrize("text", ["", "optim.lr", "=3", "optim.=3", ".lr=3", "a..b=3"])
def test_what_is_no_override(text: str) -> None:
    with pytest.raises(UsageError, match="is not understood") as caught:
        parse_override(text)
    assert caught.value.expected == "--set NAME=VALUE"
    assert ("optim.lr=VALUE" in str(caught.value.fix)) is (text == "optim.lr")


@given(st.text())
def test_any_text_is_an_override_or_an_error(text: str) -> None:
    with suppress(UsageError):
        assert parse_override(text)


def test_a_value_cannot_bring_other_settings_along() -> None:
    assert parse_override("name=1\nseed = 2") == {"name": "1\nseed = 2"}


def test_merge_goes_group_by_group() -> None:
    base = {"a": 1, "group": {"x": 1, "y": {"z": 1}}, "list": [1, 2]}
    changes = {"group": {"y": {"w": 2}}, "list": [3], "new": {"k": 0}}
    merged = merge(base, changes)
    assert merged == {"a": 1, "group": {"x": 1, "y": {"z": 1, "w": 2}}, "list": [3], "new": {"k": 0}}
    assert base == {"a": 1, "group": {"x": 1, "y": {"z": 1}}, "list": [1, 2]}
    assert merge({"a": {"b": 1}}, {"a": 2}) == {"a": 2}
    assert merge({"a": 2}, {"a": {"b": 1}}) == {"a": {"b": 1}}


def test_later_sources_lie_on_top() -> None:
    found = load_recipe(
        Outer, [{"name": "one", "inner": {"rate": 0.1}}, {"inner": {"words": ["a"]}}, {"name": "two"}]
    )
    assert found == Outer(name="two", inner=Inner(rate=0.1, words=("a",)))


def test_all_mistakes_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        build(Outer, {"inner": {"rat": 1, "rate": 2, "words": 3}, "count": "x"}, file=Path("my.toml"))
    assert caught.value.what == "5 settings are wrong"
    assert caught.value.file == "my.toml"
    found = caught.value.found or ""
    assert "there is no setting inner.rat, did you mean inner.rate" in found
    assert "inner.rate: Input should be less than 1 (found 2)" in found
    assert "inner.words" in found
    assert "count" in found
    assert "name: Field required" in found


def test_one_mistake() -> None:
    with pytest.raises(UsageError, match="a setting is wrong") as caught:
        build(Outer, {"name": "x", "qwertz": 1})
    assert caught.value.found == "there is no setting qwertz"


def test_a_setting_without_its_group_is_told_which() -> None:
    with pytest.raises(UsageError) as caught:
        build(Outer, {"name": "x", "rate": 1})
    assert caught.value.found == "there is no setting rate, did you mean inner.rate?"


class Paged(Settings):
    page: ClassVar[str] = "inner.md"
    rate: float = 0.5


class Whole(Settings):
    page: ClassVar[str] = "whole.md"
    name: str = ""
    inner: Inner = Inner()
    paged: Paged = Paged()

    @model_validator(mode="after")
    def _together(self) -> "Whole":
        if self.name == "misfit":
            raise MisfitError("it does not fit the rate", group="paged")
        return self


@pytest.mark.parametrize(
    ("values", "pages"),
    [
        ({"name": 3}, "whole.md"),
        ({"inner": {"rate": 7}}, "whole.md"),
        ({"paged": {"rate": "x"}}, "inner.md and whole.md"),
        ({"paged": {"rat": 1}, "nam": 1}, "inner.md and whole.md"),
        ({"name": "misfit"}, "inner.md and whole.md"),
    ],
)
def test_the_pages_to_look_at_are_those_of_the_groups(values: dict, pages: str) -> None:
    with pytest.raises(UsageError) as caught:
        build(Whole, values)
    assert caught.value.fix == f"see {pages} for all settings"


def test_settings_without_a_page_name_none() -> None:
    with pytest.raises(UsageError) as caught:
        build(Outer, {})
    assert caught.value.fix is None


@pytest.mark.parametrize(
    ("recipe", "values", "pages"),
    [
        (PretrainRecipe, {"data": {"scheme": "x"}}, "docs/pretraining.md"),
        (
            PretrainRecipe,
            {"objectives": {"mlm": 1, "next": 1}, "data": {"scheme": "blocks"}},
            "docs/pretraining.md",
        ),
        (FinetuneRecipe, {"epochs": 0}, "docs/finetuning.md"),
        (FinetuneRecipe, {"pair": {"scheme": "x"}}, "docs/pairs.md and docs/finetuning.md"),
        (FinetuneRecipe, {"pair": {"layers": 3}}, "docs/pairs.md and docs/finetuning.md"),
        (FinetuneRecipe, {"several": True, "task": "tag"}, "docs/finetuning.md"),
    ],
)
def test_the_pages_of_recipes(recipe: type[Settings], values: dict, pages: str) -> None:
    given = values if recipe is PretrainRecipe else {"task": "classify", **values}
    with pytest.raises(UsageError) as caught:
        build(recipe, given)
    assert caught.value.fix == f"see {pages} for all settings"


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Inner().rate = 0.1


def test_dotted_names() -> None:
    assert names(Outer) == ["name", "inner.rate", "inner.words", "count"]
    assert {"optim.lr", "corruption.rate_end", "phases", "saving.keep"} <= set(names(PretrainRecipe))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_read(name: str, tmp_path: Path) -> None:
    recipe = load_recipe(PretrainRecipe, [recipe_values(name), {"budget": {"minutes": 1.5}}])
    file = tmp_path / "recipe.toml"
    file.write_text(write_toml(recipe))
    assert build(PretrainRecipe, read_toml(file)) == recipe
    assert recipe.name == name


def test_odd_text_survives_writing(tmp_path: Path) -> None:
    outer = Outer(name='quotes " and \\ and\nlines', inner=Inner(words=["ção", "'"]))
    (tmp_path / "a.toml").write_text(write_toml(outer), encoding="utf-8")
    assert build(Outer, read_toml(tmp_path / "a.toml")) == outer


@pytest.mark.parametrize(
    ("data", "found"), [(b"a = ", "Invalid value"), (b"a = 1\na = 2", "Cannot overwrite"), (b"\xff", "utf-8")]
)
def test_what_is_no_toml(tmp_path: Path, data: bytes, found: str) -> None:
    (tmp_path / "a.toml").write_bytes(data)
    with pytest.raises(InputError, match="not a recipe") as caught:
        read_toml(tmp_path / "a.toml")
    assert found in (caught.value.found or "")
    assert caught.value.file == str(tmp_path / "a.toml")


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read the recipe"):
        read_toml(tmp_path / "a.toml")
    with pytest.raises(InputError, match="cannot read the recipe"):
        read_toml(tmp_path)


def test_unknown_recipe() -> None:
    with pytest.raises(UsageError, match="there is no recipe 'robreta'") as caught:
        recipe_values("robreta")
    assert caught.value.fix == "did you mean roberta?"
    for name in NAMES:
        assert name in (caught.value.expected or "")


WRONG = {
    "the objectives lack mlm": {"objectives": {"next": 1.0}},
    "next and order exclude each other": {"objectives": {"mlm": 1, "next": 1, "order": 1}},
    "the objective next needs data.scheme = pairs": {
        "objectives": {"mlm": 1, "next": 1},
        "data": {"scheme": "blocks"},
    },
    "the objective span_boundary needs corruption.unit = span": {
        "objectives": {"mlm": 1, "span_boundary": 1}
    },
    "the shares of the phases do not add up to 1": {"phases": [{"share": 0.5}]},
    "mask and random together are more than 1": {"corruption": {"mask": 0.9, "random": 0.2}},
    "minutes, steps and tokens exclude each other": {"budget": {"minutes": 1, "steps": 1}},
    "phases.0.length": {"phases": [{"length": 7}]},
    "phases: List should have at least 1 item": {"phases": []},
    "saving.keep": {"saving": {"keep": 1}},
    "optim.lr": {"optim": {"lr": 0}},
    "optim.average": {"optim": {"average": 1.0}},
    "corruption.rate": {"corruption": {"rate": 0}},
    "objectives.mml": {"objectives": {"mml": 1}},
    "model.dropout": {"model": {"dropout": 1.5}},
    "did you mean optim.weight_decay": {"optim": {"weigth_decay": 0.1}},
    "there is no setting phases.0.lenght": {"phases": [{"lenght": 9}]},
}


@pytest.mark.parametrize("message", WRONG)
def test_settings_that_do_not_go_together(message: str) -> None:
    with pytest.raises(UsageError) as caught:
        build(PretrainRecipe, WRONG[message])
    assert message in (caught.value.found or "")
