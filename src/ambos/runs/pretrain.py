"""A pretraining run from beginning to end, or from where it was interrupted to its end."""

import hashlib
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from ambos import __version__
from ambos.analysis.run_report import write_report
from ambos.bundle.bundle import Bundle
from ambos.data.parts import Part, divide, whole
from ambos.encoder.table import allow_in_place
from ambos.errors import InputError, UsageError
from ambos.recipe import write_toml
from ambos.runs.assemble import Reader, add_relation_head, build_model, new_bundle, training_feed
from ambos.runs.card import write_card
from ambos.runs.changes import newest_checkpoint
from ambos.runs.choices import chosen_precision
from ambos.runs.description import Description
from ambos.runs.heldout import Heldout
from ambos.runs.log import Quiet, RunLog, Silent, Watcher
from ambos.runs.settings import PretrainRecipe
from ambos.text.store import TokenStore
from ambos.train.average import Average
from ambos.train.checkpoint import Checkpoints
from ambos.train.loop import Loop, State
from ambos.train.machine import keep_memory, matrix_speed
from ambos.train.optim import Optimiser, OptimSettings
from ambos.train.schedule import Budget, Schedule
from ambos.train.signals import Stop, listen
from ambos.train.team import Team
from ambos.write_errors import output_errors

_ENDING = 4.0  # seconds kept for the last checkpoint, the bundle and the report
_GO_ON = "`ambos resume` goes on from the last checkpoint"
_MEASURING = 0.1  # largest share of a run by the clock that is spent on measuring


@dataclass
class Job:
    """What one process does for a run.

    Parameters
    ----------
    folder
        The run folder; its `store/`, and `heldout/` where other text is held out, are there already.
    recipe
        All settings.
    base
        A model to begin with, or None for new weights.
    team
        The processes that train together.
    watcher
        Who looks on.
    spent
        Seconds of a budget by the clock that preparation took.
    """

    folder: Path
    recipe: PretrainRecipe
    base: str | None = None
    team: Team = field(default_factory=Team)
    watcher: Watcher = field(default_factory=Quiet)
    spent: float = 0.0

    def run(self, *, resume: bool = False, anyway: bool = False) -> bool:
        """Train; tell whether the run came to its end (and not to a wish to stop)."""
        keep_memory()
        store, (train, heldout) = self._corpus()
        bundle = self._bundle(store)
        model = build_model(bundle, self.recipe)
        measured = Heldout(
            heldout,
            store.tokenizer,
            relation=self.recipe.relation,
            sequences=self.recipe.evaluation.sequences,
            context=bundle.config.context,
        )
        speed = matrix_speed(precision=chosen_precision(self.recipe)) if self.team.leads else 1.0
        describe = Description(
            self.folder, self.recipe, bundle, train, measured, self.team, speed, self.spent
        )
        prints = self._fingerprints(store)
        with ExitStack() as stack:
            stack.enter_context(output_errors(self.folder, instead=_GO_ON))
            log = None
            if self.team.leads:
                log = stack.enter_context(
                    RunLog(self.folder, self.watcher, speed * self.team.size, self._budget())
                )
            loop = self._loop(bundle, model, train, measured, log, prints)
            checkpoint = None
            if resume:
                run = loop.checkpoints, prints, self.recipe, self.folder, self.watcher
                checkpoint = newest_checkpoint(*run, anyway=anyway, leads=self.team.leads)
            state = loop.restore(checkpoint) if checkpoint else State()
            if not loop.is_done(state):
                loop.read(
                    state, loop.share(state)
                )  # what is wrong with the data comes before anything is written
            if log is not None:
                log.begin(checkpoint.state["metrics"] if checkpoint else None, state)
                describe("running", state)
            with listen() as stop:
                state = loop.run(state, stop)
            done = loop.is_done(state)
            with loop.averaged(), self.team.gathered(model):
                if self.team.leads:
                    self._ship(bundle, done)
            if self.team.leads:
                describe("finished" if done else "stopped", state)
                write_report(self.folder)
            self.team.wait()
        return done

    def _corpus(self) -> tuple[TokenStore, tuple[Part, Part]]:
        store = TokenStore(self.folder / "store")
        given = self.folder / "heldout"
        if given.exists():
            return store, (whole(store, measuring=False), whole(TokenStore(given), measuring=True))
        parts = divide(store)
        store.release()
        return store, parts

    def _bundle(self, store: TokenStore) -> Bundle:
        if self.base is None:
            return new_bundle(self.recipe, store)
        bundle = Bundle.load(self.base)
        if bundle.tokenizer is None or bundle.tokenizer.fingerprint != store.tokenizer.fingerprint:
            raise InputError(
                "the text was tokenised by another tokenizer than the base's",
                fix="start again with another --out",
            )
        if "mlm" not in bundle.network.heads:
            self.watcher.note(
                f"{self.base} has no masked-LM head: a new one is trained, tied to its token table"
            )
            bundle.add_head("mlm", seed=self.recipe.seed + 1)
        if add_relation_head(bundle, self.recipe):
            self.watcher.note(
                f"{self.base} has no head for the objective {self.recipe.relation}: a new one is trained"
            )
        bundle.sentence = None  # how its vectors are made belongs to the old weights
        bundle.task = "mlm"
        return bundle

    def _loop(
        self,
        bundle: Bundle,
        model: torch.nn.Module,
        train: Part,
        measured: Heldout,
        log: RunLog | None,
        prints: dict[str, str],
    ) -> Loop:
        recipe = self.recipe
        how = recipe.optim
        if how.name == "muon" and recipe.parallel == "fsdp" and self.team.size > 1:
            raise UsageError(
                "Muon needs whole matrices, which FSDP takes apart",
                fix="--set optim.name=adamw, or parallel=ddp",
            )
        if self.team.size == 1:
            allow_in_place(model)
        wrapped = self.team.wrap(model, recipe.parallel, list(bundle.network.encoder.layers))
        optimiser = Optimiser(
            model,
            OptimSettings(how.name, how.lr, how.matrix_lr, how.betas, how.eps, how.weight_decay, how.clip),
        )
        names = [str(one.name) for one in model.objectives]  # type: ignore[union-attr]
        loop = Loop(
            model=model,
            names=names,
            read=Reader(training_feed(train, train.store.tokenizer, recipe), recipe, bundle, self.team),
            optimiser=optimiser,
            schedule=Schedule(**recipe.schedule.model_dump()),
            budget=self._budget(),
            evaluate=lambda state, stop: self._measure(model, measured, state, stop, loop),
            listener=log or Silent(),
            checkpoints=Checkpoints(self.folder / "checkpoints", keep=recipe.saving.keep),
            save_seconds=recipe.saving.minutes * 60,
            save_steps=recipe.saving.steps,
            evaluations=recipe.evaluation.times,
            average=Average(model, how.average) if how.average else None,
            seed=recipe.seed,
            precision=chosen_precision(self.recipe),
            team=self.team,
            wrapped=wrapped,
            extra={"fingerprints": prints},
            log_state=log.mark if log else dict,
        )
        return loop

    def _budget(self) -> Budget:
        how = self.recipe.budget
        if how.minutes is None:
            return Budget(steps=how.steps, tokens=how.tokens)
        whole_time = how.minutes * 60
        return Budget(seconds=max(whole_time / 2, whole_time - self.spent - _ENDING))

    def _measure(
        self,
        model: Any,  # noqa: ANN401 (its methods are torch's for mypy)
        measured: Heldout,
        state: State,
        stop: Stop,
        loop: Loop,
    ) -> list[dict[str, Any]] | None:
        """Return the records of an evaluation: held-out figures, and sample sentences filled in."""
        begin = time.perf_counter()
        alone = self.team.size == 1  # several must agree when to stop, between steps
        found, samples = self.team.inside(
            model, lambda: (measured.measure(model, lambda: alone and stop.asked), measured.fill(model))
        )
        if found is None:
            return None
        head = {"step": state.step, "epoch": state.place.get("epoch", 0), "tokens": state.tokens}
        record: dict[str, Any] = {"kind": "heldout", **head}
        for name, sums in found.items():
            unit = "tokens" if name == "mlm" else "pairs"
            record[f"{name}_loss"] = sums.loss / sums.count
            record[f"{name}_accuracy"] = sums.right / sums.count
            record[f"{name}_{unit}"] = sums.count
        fills = {"kind": "fill", "step": state.step, "samples": samples}
        if self.recipe.budget.minutes is not None and state.step == 0 and loop.budget.seconds:
            took = self.team.same(time.perf_counter() - begin)
            loop.evaluations = max(3, min(loop.evaluations, int(_MEASURING * loop.budget.seconds / took)))
        return [record, fills]

    def _fingerprints(self, store: TokenStore) -> dict[str, str]:
        """Return what tells whether a run is still the one that was interrupted."""
        hashes = {**store.manifest["sha256"]}
        if (self.folder / "heldout").exists():
            heldout = TokenStore(self.folder / "heldout").manifest["sha256"]
            hashes |= {f"heldout/{name}": digest for name, digest in heldout.items()}
        data = "".join(f"{name} {digest}\n" for name, digest in sorted(hashes.items()))
        return {
            "recipe": hashlib.sha256(write_toml(self.recipe).encode()).hexdigest(),
            "data": hashlib.sha256(data.encode()).hexdigest(),
            "tokenizer": store.tokenizer.fingerprint,
        }

    def _ship(self, bundle: Bundle, done: bool) -> None:
        """Write the bundle."""
        bundle.provenance = {
            "pretrained_by": f"ambos {__version__}",
            "recipe": self.recipe.name,
            "base": self.base,
            "finished": done,
        }
        bundle.card = write_card(self.folder, bundle)
        bundle.save(self.folder / "bundle", force=True)
