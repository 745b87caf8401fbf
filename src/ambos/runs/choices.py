"""What a recipe leaves to be chosen when a run begins: the precision that this machine is fastest in."""

from typing import TypeVar

from ambos.runs.finetune_settings import FinetuneRecipe
from ambos.runs.settings import PretrainRecipe
from ambos.train.machine import Precision, best_precision
from ambos.train.team import Team

Recipe = TypeVar("Recipe", PretrainRecipe, FinetuneRecipe)


def choose(recipe: Recipe, team: Team) -> Recipe:
    """Return the recipe with everything settled, as it is written into the run folder; the leader decides.

    Pretraining by steps or tokens is computed in float32: whoever counts them wants the same result of any
    number of processes and threads, and in bfloat16 the order of a sum shows.

    Examples
    --------
    >>> choose(PretrainRecipe(precision="auto", budget={"steps": 50}), Team()).precision
    'fp32'
    """
    if recipe.precision != "auto":
        return recipe
    exact = isinstance(recipe, PretrainRecipe) and recipe.budget.minutes is None
    faster = not exact and team.same(float(best_precision() == "bf16"))
    return recipe.model_copy(update={"precision": "bf16" if faster else "fp32"})


def chosen_precision(recipe: PretrainRecipe | FinetuneRecipe) -> Precision:
    """Return the precision of a recipe that is settled."""
    if recipe.precision == "auto":
        raise ValueError("the precision is not chosen yet")
    return recipe.precision
