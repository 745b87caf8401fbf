"""The files of a training run, read for a report; some may be missing or torn by a killed process."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ambos.errors import InputError

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Run:
    """What a run left behind.

    Parameters
    ----------
    name
        Of its folder.
    metrics, speed
        Records in the order of their steps.
    about
        `run.json`; any key may be missing.
    recipe
        `recipe.toml` as text; empty if there is none.
    """

    name: str
    metrics: tuple[Record, ...]
    speed: tuple[Record, ...]
    about: Record
    recipe: str

    def of(self, kind: str) -> list[Record]:
        """Return the metrics of one kind: `train`, `heldout` or `fill`."""
        return [record for record in self.metrics if record.get("kind") == kind]

    def get(self, *keys: str) -> Any:  # noqa: ANN401 (any plain value)
        """Return what `run.json` has under a key within a key, or None."""
        value: Any = self.about
        for key in keys:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    def number(self, *keys: str) -> float | None:
        """Return a finite number out of `run.json`, or None."""
        return finite(self.get(*keys))


def finite(value: Any) -> float | None:  # noqa: ANN401 (whatever a file holds)
    """Return a value as a float, None if it is not a finite number.

    >>> finite(3), finite(float("nan")), finite(None)
    (3.0, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def read_run(folder: Path) -> Run:
    """Read a run's folder; only `metrics.jsonl` must be there."""
    if not (folder / "metrics.jsonl").is_file():
        raise InputError(
            "not the folder of a training run",
            expected="metrics.jsonl in it",
            found="no such file" if folder.is_dir() else "no such folder",
            fix="name the folder that `ambos pretrain` wrote",
            file=folder,
        )
    recipe = folder / "recipe.toml"
    return Run(
        name=folder.resolve().name,
        metrics=_read_records(folder / "metrics.jsonl"),
        speed=_read_records(folder / "speed.jsonl"),
        about=_read_object(folder / "run.json"),
        recipe=recipe.read_text(encoding="utf-8", errors="replace") if recipe.is_file() else "",
    )


def _read_records(file: Path) -> tuple[Record, ...]:
    """Read one JSON object a line, and put them in the order of their steps.

    A run that went on from a checkpoint may have written some steps twice: the later record of a kind and
    step counts. A last line that a killed process left torn is passed over.
    """
    lines = file.read_bytes().splitlines() if file.is_file() else []
    records: dict[tuple[object, int], Record] = {}
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
            key = record.get("kind"), int(record["step"])
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            if number == len(lines):
                break
            raise InputError(
                "not a record of a run",
                expected='a JSON object with "step" in it',
                found=line[:80].decode(errors="replace"),
                fix="remove the line; the others can be used",
                file=file,
                line=number,
            ) from error
        records[key] = record
    return tuple(sorted(records.values(), key=lambda record: int(record["step"])))


def _read_object(file: Path) -> Record:
    if not file.is_file():
        return {}
    try:
        value = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise InputError(
            "not valid JSON", found=str(error), fix="remove it; the report comes without it", file=file
        ) from error
    return value if isinstance(value, dict) else {}
