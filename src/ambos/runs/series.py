"""Several fine-tuning runs in one folder: over seeds, in cross-validation, or in search of settings."""

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ambos.analysis.evaluation_report import write_finetuning_report
from ambos.analysis.numbers import plain
from ambos.analysis.series_report import write_series_report
from ambos.errors import UsageError
from ambos.files import lock, publish, working_folder, write_file
from ambos.recipe import write_toml
from ambos.runs.changes import refuse_changes
from ambos.runs.choices import choose
from ambos.runs.finetune_folder import fingerprints, new_run, place_for, recipe_of
from ambos.runs.finetune_run import FinetuneJob
from ambos.runs.finetune_settings import FinetuneRecipe, Method
from ambos.runs.folder import RECIPE, RUN, SERIES, begin_folder, read_run, write_run
from ambos.runs.folds import Folds
from ambos.runs.log import Quiet, Watcher
from ambos.runs.members import DIVERGED, Finished, Member, Seeds, Series
from ambos.runs.saved_evaluations import FOLDER
from ambos.runs.search import Search
from ambos.runs.splits import read_splits
from ambos.train.loop import DivergedError
from ambos.train.signals import interruptible
from ambos.train.team import Team
from ambos.write_errors import output_errors

_GO_ON = "`ambos resume` goes on with the run that was interrupted"
_KINDS: dict[Method, type[Series]] = {"seeds": Seeds, "folds": Folds, "search": Search}


def finetune_series(
    out: Path,
    recipe: FinetuneRecipe,
    *,
    force: bool = False,
    watcher: Watcher | None = None,
    stage: Callable[[str], None] = lambda _: None,
) -> bool:
    """Make all runs that a recipe asks for, in the folder `out`; tell whether it was not interrupted.

    `out` holds a run folder for each, `run.json` with their figures and what these say together,
    `report.html`, and the `bundle` and `evaluation` of one of them.

    Examples
    --------
    >>> recipe = load_recipe(
    ...     FinetuneRecipe, [{"task": "tag", "base": "minilm", "folds": 5, "data": {"train": ["ner.conll"]}}]
    ... )  # doctest: +SKIP
    >>> finetune_series(Path("run"), recipe)  # doctest: +SKIP
    True
    """
    with place_for(out, recipe, force=force):
        stage("reading rows")
        series = _series(out, choose(recipe, Team()))
        stage(series.splits.summary)
        with new_run(out, series.recipe, series.splits, kind=SERIES):
            return SeriesJob(out, series, watcher or Quiet(), stage).run()


def resume_series(
    folder: Path, *, overrides: Sequence[str] = (), anyway: bool = False, watcher: Watcher | None = None
) -> bool:
    """Go on with the run that was interrupted, and with those after it; tell whether they came to an end.

    More seeds or trials may be asked for by `overrides`; whatever else changed is refused, unless `anyway`.
    """
    watcher = watcher or Quiet()
    recipe = recipe_of(folder, overrides)
    with lock(folder, stays=True):
        series = _series(folder, recipe)
        before = read_run(folder).get("fingerprints")
        if before is not None:
            refuse_changes(before, _prints(series), folder, watcher, anyway=anyway)
        write_file(folder / RECIPE, write_toml(series.recipe).encode())
        return SeriesJob(folder, series, watcher, watcher.note).run(anyway=anyway)


def _series(folder: Path, recipe: FinetuneRecipe) -> Series:
    if recipe.method is None:
        raise UsageError("this recipe asks for one run", expected="seeds, folds or search.trials")
    splits = read_splits(recipe.data, recipe.task, several=recipe.several)
    return _KINDS[recipe.method](folder, recipe, splits)


def _prints(series: Series) -> dict[str, str]:
    """Return what tells whether a series is still the one that was interrupted; its length may grow."""
    recipe = series.recipe
    search = recipe.search.model_copy(update={"trials": 0})
    return fingerprints(recipe.model_copy(update={"seeds": 0, "search": search}), series.splits)


@dataclass
class SeriesJob:
    """The runs of a series, one after the other.

    Parameters
    ----------
    folder
        That holds them, with the recipe in it.
    series
        Which runs, and what they say together.
    watcher, stage
        Who looks on, and who is told what begins.
    """

    folder: Path
    series: Series
    watcher: Watcher
    stage: Callable[[str], None]
    finished: list[Finished] = field(default_factory=list)

    def run(self, *, anyway: bool = False) -> bool:
        """Make what is left to be made; tell whether all came to an end (and not to a wish to stop)."""
        with output_errors(self.folder, instead=_GO_ON), interruptible():
            self._describe("running", fingerprints=_prints(self.series))
            try:
                done = self._train_all(anyway=anyway)
            except KeyboardInterrupt:  # outside of training; within it, the run saves and ends by itself
                done = False
            if not done:
                self._describe("stopped")
        return done

    def _train_all(self, *, anyway: bool) -> bool:
        names = self.series.names
        for number, name in enumerate(names):
            run = self.folder / name
            if Finished.read(run) is None:
                member = self.series.member(number, self.finished)
                self.stage(f"{name} ({number + 1} of {len(names)}){_settings(member.changed)}")
                if not self._train(run, member, anyway=anyway):
                    return False
            self._take(run)
        self.stage("summing up")
        said = self.series.conclude(self.finished)
        self.finished = [one for name in names if (one := Finished.read(self.folder / name))]
        self._ship(self.series.chosen(self.finished), said)
        return True

    def _train(self, run: Path, member: Member, *, anyway: bool) -> bool:
        """Make one run, or go on with it; tell whether it came to its end."""
        if not (run / RUN).is_file():
            run.mkdir(exist_ok=True)
            files = [Path(name) for name in member.splits.files]
            about = {"name": member.name, "changed": member.changed}
            begin_folder(run, member.recipe, member.recipe.base, files, kind="finetune", member=about)
        job = FinetuneJob(
            *(run, member.recipe, member.splits, self.watcher, time.perf_counter(), self.stage, member.labels)
        )
        try:
            return job.run(resume=True, anyway=anyway)
        except DivergedError as error:
            if not self.series.forgiving:
                raise
            self.watcher.note(f"{member.name}: {error.what}")
            write_run(run, {**read_run(run), "status": DIVERGED})
            return True

    def _take(self, run: Path) -> None:
        """Take a run that came to its end into account."""
        one = Finished.read(run)
        if one is None:
            raise RuntimeError(f"{run} has come to its end, but does not say so")
        if one.figures and not (run / "report.html").is_file():  # killed in the last moment
            write_finetuning_report(run)
        self.finished.append(one)
        self.series.tidy(self.finished)
        self._describe("running")

    def _ship(self, chosen: Finished, said: dict[str, Any]) -> None:
        """Put the model and its evaluations where those of any run are, and write the report."""
        run, bundle = self.folder / chosen.name, self.folder / "bundle"
        work = working_folder(bundle)
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(run / "bundle", work)
        publish(work, bundle)
        (self.folder / FOLDER).mkdir(exist_ok=True)
        for file in sorted((run / FOLDER).glob("*")):  # none, if there were no rows to measure with
            write_file(self.folder / FOLDER / file.name, file.read_bytes())
        about = {"evaluation": chosen.figures, "notes": read_run(run).get("notes", [])}
        self._describe("finished", chosen=chosen.name, **about, **said)
        write_series_report(self.folder)

    def _describe(self, status: str, **more: Any) -> None:  # noqa: ANN401 (any plain value)
        """Write run.json."""
        series, splits = self.series, self.series.splits
        now = datetime.now(UTC).isoformat(timespec="seconds")
        write_run(
            self.folder,
            {
                **read_run(self.folder),
                "status": status,
                "finished": now if status == "finished" else None,
                "seconds": round(sum(one.seconds for one in self.finished), 1),
                "method": series.recipe.method,
                "task": series.recipe.task,
                "metric": series.metric,
                "less_is_better": series.less_is_better,
                "rows": {name: len(getattr(splits, name).rows) for name in ("train", "dev", "test")},
                "kept_back": splits.kept_back,
                "left_out": splits.left_out,
                "columns": splits.train.columns.chosen,
                "columns_of": splits.columns,
                "runs": len(series.names),
                "members": [one.as_dict() for one in self.finished],
                **more,
            },
        )


def _settings(changed: dict[str, Any]) -> str:
    """Return settings in words.

    >>> _settings({"batch": 32, "learning.lr": 0.000234567})
    ': batch 32, learning.lr 0.0002346'
    """
    shown = [f"{name} {plain(value)}" for name, value in changed.items()]
    return f": {', '.join(shown)}" if shown else ""
