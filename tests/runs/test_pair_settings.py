"""Settings that a scheme makes nothing of are refused, all at once; where schemes are tried, left aside."""

from pathlib import Path
from typing import Any, get_args

import pytest

from ambos.errors import UsageError
from ambos.estimators.pair_classifier import PairClassifier
from ambos.recipe import load_recipe, write_toml
from ambos.runs.finetune_folder import recipe_of
from ambos.runs.finetune_settings import TRIED, FinetuneRecipe
from ambos.runs.pair_runs import lab_recipes, refuse_no_pairs
from ambos.runs.pair_settings import Scheme
from ambos.runs.search import with_settings

SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
OTHER: dict[str, tuple[Any, set[str]]] = {  # a value that is not the default, and who makes something of it
    "absolute": (True, {"difference", "combined"}),
    "across": ("self", {"attention"}),
    "layers": (2, {"attention"}),
    "heads": (2, {"attention"}),
    "start": ("nsp", {"joint"}),
    "grow_segments": (True, {"joint"}),
    "contrast": ("cosine", {"embed"}),
    "positive": ("yes", {"embed"}),
    "scale": (10.0, {"embed"}),
}


def recipe(scheme: str, more: dict[str, Any], *, tried: bool = False) -> FinetuneRecipe:
    given = {"task": "embed" if scheme == "embed" else "classify", "pair": {"scheme": scheme}}
    return load_recipe(FinetuneRecipe, [given, more], context=TRIED if tried else None)


@pytest.mark.parametrize("name", OTHER)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_each_setting_with_each_scheme(scheme: str, name: str) -> None:
    value, schemes = OTHER[name]
    more = {"pair": {name: value}}
    assert getattr(recipe(scheme, more, tried=True).pair, name) == value
    if scheme in schemes:
        assert getattr(recipe(scheme, more).pair, name) == value
        return
    with pytest.raises(UsageError) as error:
        recipe(scheme, more)
    assert f"pair.{name} is for the scheme" in str(error.value.found)
    assert str(error.value.found).endswith(f"not for {scheme}")


@pytest.mark.parametrize(("group", "name", "value"), [("head", "hidden", True), ("learning", "head_lr", 5.0)])
def test_what_a_head_is_like_needs_a_head(group: str, name: str, value: object) -> None:
    more = {group: {name: value}}
    with pytest.raises(UsageError) as error:
        recipe("embed", more)
    assert error.value.found == f"{group}.{name} is for schemes with a head, and embed has none"
    for found in (recipe("combined", more), recipe("embed", more, tried=True)):
        assert getattr(getattr(found, group), name) == value


@pytest.mark.parametrize("task", ["embed", "score", "answer"])
def test_smoothing_needs_labels(task: str) -> None:
    given = {"task": task, "pair": {"scheme": "embed" if task == "embed" else "joint"}}
    given |= {"learning": {"smoothing": 0.1}}
    with pytest.raises(UsageError) as error:
        load_recipe(FinetuneRecipe, [given])
    assert error.value.found == f"learning.smoothing is for labels, and {task} has none to smooth"
    assert load_recipe(FinetuneRecipe, [given], context=TRIED).learning.smoothing == 0.1
    assert recipe("combined", {"learning": {"smoothing": 0.1}}).learning.smoothing == 0.1


@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
@pytest.mark.parametrize("task", ["tag", "answer"])
def test_pooling_is_for_whole_texts(task: str, pooling: str) -> None:
    given = {"task": task, "head": {"pooling": pooling}}
    with pytest.raises(UsageError) as error:
        load_recipe(FinetuneRecipe, [given])
    assert error.value.found == (
        f"head.pooling is for heads that read a text as a whole, and {task} reads tokens"
    )
    assert load_recipe(FinetuneRecipe, [given], context=TRIED).head.pooling == pooling


def test_a_space_is_for_a_search() -> None:
    space = {"search": {"space": {"epochs": [2, 4]}}}
    with pytest.raises(UsageError) as error:
        recipe("joint", space)
    assert error.value.found == "search.space is for a search, and search.trials asks for none"
    assert recipe("joint", {"search": {**space["search"], "trials": 2}}).search.space == {"epochs": [2, 4]}
    assert recipe("joint", {"search": {"space": {}}}).method is None
    with pytest.raises(UsageError, match="a space to search, and no search"):
        refuse_no_pairs(recipe("joint", space, tried=True))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_labels_or_scores(scheme: str) -> None:
    with pytest.raises(UsageError) as error:
        recipe(scheme, {"data": {"columns": {"label": "entails", "score": "alike"}}})
    assert "one of them is learnt in a run, not both" in str(error.value.found)
    assert recipe(scheme, {"data": {"columns": {"score": "alike"}}}).data.columns == {"score": "alike"}


def test_where_settings_of_pairs_are_explained() -> None:
    for more in ({"absolute": True}, {"scheme": "prodct"}, {"layer": 2}, {"layers": 0}):
        with pytest.raises(UsageError) as error:
            recipe("product", {"pair": more})
        assert "docs/pairs.md" in str(error.value.fix)
    with pytest.raises(UsageError) as error:
        recipe("joint", {"epochs": 0})
    assert "docs/pairs.md" not in str(error.value.fix)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_third_text_is_for_joint(scheme: str) -> None:
    more = {"data": {"columns": {"text_c": "rest"}}}
    if scheme == "joint":
        assert recipe(scheme, more).data.columns == {"text_c": "rest"}
        return
    with pytest.raises(UsageError) as error:
        recipe(scheme, more)
    assert str(error.value.found).startswith("data.columns.text_c: more than two texts are for")


def test_all_at_once() -> None:
    more = {"pair": {"absolute": True, "positive": "yes"}, "seeds": 1}
    with pytest.raises(UsageError) as error:
        recipe("product", more)
    for part in ("pair.absolute", "pair.positive", "seeds must be 2 or more"):
        assert part in str(error.value.found)


def test_a_lab_leaves_aside_what_its_rows_make_nothing_of(tmp_path: Path) -> None:
    """Two texts, and embed with scores alone."""
    more = {"task": "score", "pair": {"positive": "yes", "grow_segments": True}, "precision": "fp32"}
    found = lab_recipes(tmp_path, recipe("joint", more, tried=True), ["joint", "embed"], force=False)
    assert {(one.pair.positive, one.pair.grow_segments) for one in found.values()} == {(None, False)}
    for contrast, scale in ((None, 20.0), ("cosine", 20.0), ("order", 5.0)):
        more = {"task": "score", "pair": {"contrast": contrast, "scale": 5.0}, "precision": "fp32"}
        found = lab_recipes(tmp_path, recipe("joint", more, tried=True), ["embed"], force=False)
        assert found["embed"].pair.scale == scale
    both = {"data": {"columns": {"label": "entails", "score": "alike"}}}
    with pytest.raises(UsageError, match="a label and a score are named"):
        refuse_no_pairs(recipe("joint", both, tried=True))


def test_a_run_that_has_begun_and_a_search_go_on(tmp_path: Path) -> None:
    """A lab leaves in the recipe of every scheme what only some of them make something of."""
    lab = recipe("joint", {"pair": {"absolute": True}}, tried=True)
    (tmp_path / "recipe.toml").write_text(write_toml(lab))
    assert recipe_of(tmp_path) == lab
    found = with_settings(recipe("difference", {"pair": {"absolute": True}}), {"pair.scheme": "product"})
    assert (found.pair.scheme, found.pair.absolute) == ("product", True)


def test_estimators_refuse_it_too() -> None:
    with pytest.raises(ValueError, match="a parameter of PairClassifier is wrong") as error:
        PairClassifier("nowhere", scheme="product", absolute=True).fit([("a", "b"), ("c", "d")], ["x", "y"])
    assert "pair.absolute is for the scheme difference or combined" in str(error.value)
