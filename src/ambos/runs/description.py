"""What run.json says of a run: how far it is, on what machine, of which text and model."""

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import torch

from ambos.bundle.bundle import Bundle, parameters
from ambos.data.parts import Part
from ambos.runs.folder import read_run, write_run
from ambos.runs.heldout import Heldout
from ambos.runs.settings import PretrainRecipe
from ambos.train.loop import State
from ambos.train.team import Team


@dataclass(frozen=True)
class Description:
    """All that run.json is written from; calling it writes the file.

    Parameters
    ----------
    folder, recipe, bundle, train, measured, team
        The parts of the run.
    speed
        Floating point operations a second of matrix products on this machine.
    prepared
        Seconds before training began.
    """

    folder: Path
    recipe: PretrainRecipe
    bundle: Bundle
    train: Part
    measured: Heldout
    team: Team
    speed: float
    prepared: float

    def __call__(self, status: Literal["running", "finished", "stopped"], state: State) -> None:
        """Write run.json: what it said before, and what is so now."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        write_run(
            self.folder,
            {
                **(about := read_run(self.folder)),
                "status": status,
                "finished": now if status == "finished" else None,
                "seconds": round(state.seconds, 1),
                "steps": state.step,
                "tokens": state.tokens,
                "prepared": round(self.prepared, 3),
                "processes": self.team.size,
                "threads": torch.get_num_threads(),
                "precision": self.recipe.precision,
                "machine": {"cores": os.cpu_count(), "gflops": round(self.speed / 1e9, 1)},
                "corpus": self._corpus(),
                "heldout": self._heldout(),
                "model": self._model(about.get("base")),
                "recipe": self.recipe.name,
            },
        )

    def _corpus(self) -> dict[str, Any]:
        store = self.train.store
        counts = {name: store.manifest["counts"][name] for name in ("documents", "sentences", "tokens")}
        sources = [source["file"] for source in store.manifest["sources"]]
        return {**counts, "languages": store.languages, "sources": sources}

    def _heldout(self) -> dict[str, Any]:
        part = self.measured.part
        if (self.folder / "heldout").exists():
            how = "other text, given by the user"
        else:
            how = "whole documents, drawn at random" if len(part.kept_back) else "the end of the corpus"
        return {"documents": part.count, "tokens": part.tokens, "how": how}

    def _model(self, base: str | None) -> dict[str, Any]:
        config = self.bundle.config
        sizes = ("family", "vocab_size", "width", "depth", "heads", "context")
        return {
            "preset": base or self.recipe.model.preset,
            "parameters": parameters(self.bundle.network),
            **{name: getattr(config, name) for name in sizes},
        }
