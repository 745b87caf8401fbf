"""What a recipe leaves open is settled when a run begins, and written down."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from ambos.errors import UsageError
from ambos.recipe import load_recipe
from ambos.runs.assemble import check_fit
from ambos.runs.choices import choose, chosen_precision
from ambos.runs.named import recipe_values
from ambos.runs.settings import BudgetSettings, ModelSettings, PretrainRecipe
from ambos.runs.shape import encoder_shape
from ambos.train.machine import best_precision, matrix_speed
from ambos.train.team import Team
from tests.runs.conftest import Forge, settings


def test_the_precision_is_the_faster_one() -> None:
    assert best_precision() in {"fp32", "bf16"}
    assert matrix_speed(0.05) > 1e8
    by_the_clock = PretrainRecipe(precision="auto", budget=BudgetSettings(minutes=1))
    assert choose(by_the_clock, Team()).precision == best_precision()
    with pytest.raises(ValueError, match="not chosen"):
        chosen_precision(PretrainRecipe(precision="auto"))


@pytest.mark.parametrize("budget", [{"steps": 50}, {"tokens": 1000}])
def test_what_is_counted_is_exact(budget: dict[str, int]) -> None:
    """The result of so many steps must not depend on processes and threads; who wants bf16 can say so."""
    settings = BudgetSettings(**budget)
    assert choose(PretrainRecipe(precision="auto", budget=settings), Team()).precision == "fp32"
    assert choose(PretrainRecipe(precision="bf16", budget=settings), Team()).precision == "bf16"


def test_the_folder_says_what_was_chosen(
    forge: Forge, texts: list[str], tokenizer_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    out = tmp_path / "run"
    arguments = ["--tokenizer", tokenizer_folder("wordpiece"), "--steps", 3, *settings(sequences=4)]
    ended = forge("pretrain", *texts, *arguments, "--out", out)
    assert ended.code == 0, ended.err
    assert recipe_values("fast")["precision"] == "auto"
    assert tomllib.loads((out / "recipe.toml").read_text())["precision"] == "fp32"


def test_sizes_of_ones_own() -> None:
    shape = encoder_shape(
        ModelSettings(preset="bert-tiny", width=192, depth=3, head_width=32, family="modernbert-base"), 800
    )
    assert (shape.width, shape.depth, shape.heads, shape.inner_width) == (192, 3, 6, 288)
    assert shape.family == "modernbert"
    with pytest.raises(UsageError, match="fill the hidden size"):
        encoder_shape(ModelSettings(preset="bert-tiny", head_width=48), 800)
    plain = encoder_shape(ModelSettings(preset="bert-mini", depth=2), 800)
    assert (plain.width, plain.depth, plain.heads, plain.inner_width) == (256, 2, 4, 1024)
    shared = encoder_shape(ModelSettings(preset="albert-base", depth=3), 800)
    assert (shared.depth, shared.layers) == (3, (0, 0, 0))


def test_neighbours_need_rotary_positions() -> None:
    recipe = load_recipe(PretrainRecipe, [recipe_values("bert"), {"model": {"neighbours": True}}])
    with pytest.raises(UsageError, match="rotary"):
        check_fit(recipe, encoder_shape(recipe.model, 800))


def test_bf16_learns_as_fp32_does(
    forge: Forge, texts: list[str], tokenizer_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """The same run in both precisions: losses that differ little, weights that are not the same."""
    losses = {}
    for precision in ("fp32", "bf16"):
        out = tmp_path / precision
        arguments = [
            "--tokenizer",
            tokenizer_folder("wordpiece"),
            "--steps",
            30,
            *settings(precision=precision, model__unigram_bias="false"),
        ]
        ended = forge("pretrain", *texts, *arguments, "--out", out)
        assert ended.code == 0, ended.err
        records = (out / "metrics.jsonl").read_text().splitlines()
        losses[precision] = [line for line in map(_heldout, records) if line is not None]
    assert losses["fp32"] != losses["bf16"]
    assert torch.allclose(torch.tensor(losses["fp32"]), torch.tensor(losses["bf16"]), atol=0.05)
    assert losses["bf16"][-1] < losses["bf16"][0] - 0.1


def _heldout(line: str) -> float | None:
    record = json.loads(line)
    return record["mlm_loss"] if record["kind"] == "heldout" else None
