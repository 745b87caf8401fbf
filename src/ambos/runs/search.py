"""A search for good settings: a space of them, proposals by Optuna's TPE, and the series of trials."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ambos.analysis.evaluation_report import write_finetuning_report
from ambos.bundle.bundle import Bundle
from ambos.data.draws import Draws
from ambos.errors import InputError, UsageError
from ambos.predict.model import load
from ambos.recipe import load_recipe, merge
from ambos.runs.evaluation import evaluate_rows
from ambos.runs.finetune_settings import (
    TRIED,
    DataFiles,
    FinetuneRecipe,
    Learning,
    head_factor,
    learning_rate,
)
from ambos.runs.folder import read_run, write_run
from ambos.runs.members import Finished, Member, Series
from ambos.runs.saved_evaluations import FOLDER, save_evaluation
from ambos.runs.search_settings import Range, Space, Value
from ambos.runs.splits import Split, Splits

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

Point = dict[str, Any]  # a value for each setting of a space
_LR = "learning.lr"
_HEAD_LR = "learning.head_lr"
# What a trial may not change: what is learnt from what, and by which figure trials are compared.
_FIXED = frozenset(
    {"task", "base", "several", "seed", "seeds", "folds", "search"}
    | {"data", "saving", "checks", "precision", "selection.metric"}
)


def settled(recipe: FinetuneRecipe, width: int) -> FinetuneRecipe:
    """Return a recipe with a space that can be searched; what the recipe states stays as it is by default.

    Raises
    ------
    UsageError
        If the space names what is no setting or may not change, or has values that a setting cannot take.
    """
    space = recipe.search.space or default_space(recipe, width)
    if not space:
        raise UsageError(
            "there is nothing to search for: every setting of the default space was given",
            expected="at least one setting that may change",
            fix="declare a space, such as --set search.space.learning.dropout=[0.0,0.1,0.2]",
        )
    for name, dimension in space.items():
        if name in _FIXED or name.split(".")[0] in _FIXED:
            raise UsageError(
                f"{name} cannot be searched for",
                expected="a setting that changes how is learnt, such as learning.lr",
                fix=f"take it out of search.space, or set it: --set {name}=...",
            )
        for value in (dimension.low, dimension.high) if isinstance(dimension, Range) else dimension:
            with_settings(recipe, {name: value})
    return recipe.model_copy(update={"search": recipe.search.model_copy(update={"space": space})})


def default_space(recipe: FinetuneRecipe, width: int) -> Space:
    """Return where good settings of most tasks lie, without the settings that a recipe states itself."""
    rate = learning_rate(Learning(), width)
    stated = recipe.model_fields_set | {f"learning.{name}" for name in recipe.learning.model_fields_set}
    if recipe.minutes is not None:
        stated |= {"epochs"}  # the clock decides
    space: Space = {
        _LR: Range(low=rate / 4, high=rate * 4, log=True),
        "epochs": [2, 4, 6],
        "batch": [16, 32, 64],
        "learning.layer_decay": Range(low=0.8, high=1.0),
    }
    return {name: dimension for name, dimension in space.items() if name not in stated}


def with_settings(recipe: FinetuneRecipe, point: Mapping[str, Value]) -> FinetuneRecipe:
    """Return a recipe with other values for some settings, checked as any recipe."""
    values: dict[str, Any] = recipe.model_dump()
    for name, value in point.items():
        nested: Any = value
        for part in reversed(name.split(".")):
            nested = {part: nested}
        values = merge(values, nested)
    return load_recipe(FinetuneRecipe, [values], context=TRIED)


def own_point(recipe: FinetuneRecipe, width: int) -> Point | None:
    """Return the values that a recipe has itself, if they all lie in its space."""
    point: Point = {}
    for name, dimension in recipe.search.space.items():
        value: Any = recipe
        for part in name.split("."):
            value = getattr(value, part)
        if name == _LR:
            value = learning_rate(recipe.learning, width)
        if name == _HEAD_LR:
            value = head_factor(recipe.learning, recipe.pair)
        if isinstance(dimension, list):
            value = dimension[dimension.index(value)] if value in dimension else value  # 3 for 3.0, say
        elif dimension.whole and isinstance(value, float) and value.is_integer():
            value = int(value)
        point[name] = value
    return point if _lies_in(point, recipe.search.space) else None


def _lies_in(point: Point, space: Space) -> bool:
    return point.keys() == space.keys() and all(
        isinstance(point[name], int if one.whole else int | float) and one.low <= point[name] <= one.high
        if isinstance(one, Range)
        else point[name] in one
        for name, one in space.items()
    )


def propose(
    space: Space, tried: Sequence[tuple[Point, float | None]], *, seed: int, less_is_better: bool = False
) -> Point:
    """Return the next point to try: a pure function of the seed and of what was tried before, in its order.

    The first ten are drawn at random, the others by the tree-structured Parzen estimator (Bergstra et al.
    2011): where good trials are dense and others are not. Nothing has to be saved for a search to go on.

    Parameters
    ----------
    tried
        Points with the figure that each gave; None if it gave none.

    Examples
    --------
    >>> space = {"learning.lr": Range(low=1e-5, high=1e-3, log=True), "batch": [16, 32]}
    >>> propose(space, [], seed=0)  # doctest: +SKIP
    {'batch': 32, 'learning.lr': 0.000315...}
    """
    optuna = _optuna()
    spread = {name: _distribution(optuna, space[name]) for name in sorted(space)}
    draw = Draws.of(seed, "search", len(tried)).below(2**31, 0)[0]
    sampler = optuna.samplers.TPESampler(seed=int(draw))
    study = optuna.create_study(sampler=sampler, direction="minimize" if less_is_better else "maximize")
    for point, figure in tried:
        if _lies_in(point, space):  # of a search that went on in another space, some may not
            state = optuna.trial.TrialState.FAIL if figure is None else optuna.trial.TrialState.COMPLETE
            study.add_trial(
                optuna.trial.create_trial(params=point, distributions=spread, value=figure, state=state)
            )
    return dict(study.ask(spread).params)


def _distribution(optuna: Any, dimension: Range | list[Value]) -> "BaseDistribution":  # noqa: ANN401
    kinds = optuna.distributions
    if not isinstance(dimension, Range):
        return kinds.CategoricalDistribution(dimension)
    kind = kinds.IntDistribution if dimension.whole else kinds.FloatDistribution
    return kind(dimension.low, dimension.high, log=dimension.log)


def _optuna() -> Any:  # noqa: ANN401 (a module)
    try:
        import optuna  # noqa: PLC0415 (an extra)
    except ImportError as error:
        raise UsageError(
            "a search needs Optuna, which is not installed",
            expected="the extra that searches",
            fix="pip install 'ambos[search]'",
        ) from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


class Search(Series):
    """Runs with other settings on the same rows; the best on the dev rows is measured with the test rows.

    The first trial has the recipe's own settings, if they lie in the space.
    """

    forgiving = True

    def __init__(self, folder: Path, recipe: FinetuneRecipe, splits: Splits) -> None:
        _optuna()
        self.width = Bundle.load(recipe.base).config.width
        super().__init__(folder, settled(recipe, self.width), splits.with_dev())

    @property
    def names(self) -> list[str]:
        """`trial-0001`, `trial-0002`, ..."""
        return [f"trial-{number + 1:04}" for number in range(self.recipe.search.trials)]

    def member(self, number: int, before: Sequence[Finished]) -> Member:
        """Return a trial."""
        own = own_point(self.recipe, self.width) if number == 0 else None
        point = own or propose(
            self.recipe.search.space,
            [(one.changed, one.value(self.metric)) for one in before],
            seed=self.recipe.seed,
            less_is_better=self.less_is_better,
        )
        data = DataFiles(**{**self.shared.data.model_dump(), "test": []})
        recipe = with_settings(self.shared.model_copy(update={"data": data}), point)
        splits = Splits(self.splits.train, self.splits.dev, Split(), self.splits.kept_back)
        return Member(self.names[number], recipe, splits, changed=point)

    def tidy(self, finished: Sequence[Finished]) -> None:
        """Keep the weights of the best trial alone."""
        super().tidy(finished)
        best = self.best(finished)
        for one in finished:
            if one.name != best.name:
                shutil.rmtree(self.folder / one.name / "bundle", ignore_errors=True)

    def conclude(self, finished: Sequence[Finished]) -> dict[str, Any]:
        """Measure the best trial with the test rows, for the first time."""
        best = self.best(finished)
        if best.value(self.metric) is None:
            raise InputError(
                "no trial came to its end: the loss of each became no number",
                fix="search among lower learning rates: --set search.space.learning.lr={low=...,high=...}",
                file=self.folder,
            )
        run, test = self.folder / best.name, self.splits.test
        if test.rows and "test" not in best.figures:
            found = evaluate_rows(
                load(run / "bundle", "cpu"),
                test.rows,
                name=best.name,
                files=test.files,
                left_out=test.left_out,
            )
            save_evaluation(run / FOLDER, "test", found)
            write_finetuning_report(run)
            about = read_run(run)
            about["evaluation"]["test"] = {name: one.as_dict() for name, one in found.metrics.items()}
            write_run(run, about)
        return {"best": best.changed}
