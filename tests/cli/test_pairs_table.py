"""The table of the pair lab: what it says, and that a terminal of 120 columns holds it."""

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from ambos.cli.pairs import _show


def candidate(name: str, value: float, swapped: dict[str, float], seeds: int) -> dict[str, Any]:
    mean = {"value": value - 0.01, "low": value - 0.0224, "high": value + 0.0024}
    return {
        "name": name,
        "runs": max(1, seeds),
        "metrics": {"accuracy": {"value": value, "low": value - 0.02, "high": value + 0.02}},
        "spread": {"accuracy": {"sd": 0.001}} if seeds else None,
        "figure": mean if seeds else {"value": value},
        "train_seconds": 4323.0,
        "parameters": 22_713_216,
        "costs": {"latency": 0.0123, "pairs_per_second": 1234.0, "grid_per_second": 1_052_345.0},
        "swapped": swapped,
        "notes": [],
        "against_best": {"difference": {"value": -0.032}, "p": 0.0123, "better": "joint"},
    }


def shown(
    swapped: dict[str, float],
    *,
    seeds: int = 0,
    task: str = "classify",
    width: int | None = 120,
    split: str = "test",
) -> list[str]:
    schemes = [
        candidate("joint", 0.812, swapped, seeds),
        candidate("difference", 0.78, swapped, seeds),
    ]
    schemes[0]["against_best"] = None
    baseline = {
        key: value
        for key, value in candidate("shared words, TF-IDF", 0.7, {}, 0).items()
        if key in {"name", "metrics", "figure", "against_best"}
    }
    result = {
        "task": task,
        "metric": "accuracy",
        "less_is_better": False,
        "split": split,
        "rows": {"train": 20_000},
        "best": "joint",
        "candidates": schemes,
        "baselines": [baseline],
        "recommendation": "Take joint.",
    }
    file = io.StringIO()
    console = Console(file=file, width=width or 100, force_terminal=width is not None, color_system=None)
    _show(console, result, Path("lab"))
    return file.getvalue().splitlines()


@pytest.mark.parametrize("seeds", [0, 3])
def test_a_row_is_one_line_of_a_terminal(seeds: int) -> None:
    lines = shown({"changed": 0.125, "low": 0.1, "high": 0.2}, seeds=seeds)
    (row,) = [line for line in lines if line.startswith("difference")]
    mean = "0.770 ±0.012 " if seeds else ""
    assert " ".join(row.split()) == (
        f"difference 0.780 [0.760, 0.800] {mean}-0.032 0.012 worse 1:12:03 12.3 1,234 1.1 M 22.7 M 12.5 %"
    )
    assert any(line.startswith("shared words, TF-IDF 0.700 [0.680, 0.720]") for line in lines)


def test_scores_are_correlated() -> None:
    lines = shown({"correlation": 0.9876, "mean_difference": 0.1}, task="score")
    assert [line.split()[-2:] for line in lines if line.startswith("joint")] == [["r", "0.988"]]
    assert any("correlation of scores with the two texts exchanged" in line for line in lines)


def test_a_file_has_lines_as_long_as_they_need_be() -> None:
    lines = shown({"changed": 0.125, "low": 0.1, "high": 0.2}, seeds=3, width=None)
    assert sum("0.812 [0.792, 0.832]" in line and "12.5 %" in line for line in lines) == 1


@pytest.mark.parametrize(("split", "rows"), [("test", "test"), ("folds", "held-out")])
def test_the_rows_have_a_name(split: str, rows: str) -> None:
    lines = shown({"changed": 0.125, "low": 0.1, "high": 0.2}, split=split)
    assert lines[0] == f"accuracy on {rows} rows; 20,000 pairs to learn from"
    assert f"the best was chosen by these {rows} rows, which flatters it" in lines
