"""The length that texts of a pair were learnt with is the one they are read with: by every way to ask."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ambos.bundle.bundle import Bundle
from ambos.bundle.sentence import SentenceSettings
from ambos.data.rows import PairRow
from ambos.predict.model import Model, load
from ambos.recipe import load_recipe
from ambos.runs.finetune import Finetuning
from ambos.runs.finetune_settings import FinetuneRecipe

SAME = "que com uma por " * 10  # longer than every limit here


@pytest.fixture(scope="module")
def base(model_folder: Callable[[str], Path]) -> Path:
    """No sentence model; it reads 64 tokens."""
    return model_folder("wordpiece")


def tuned(base: Path, out: Path, scheme: str, **values: object) -> Model:
    rows = [PairRow("que", "com", ("a",), 0.1, out, 1), PairRow("uma", "uma", ("b",), 0.9, out, 2)]
    given = {"task": "embed" if scheme == "embed" else "classify", "pair": {"scheme": scheme}}
    work = Finetuning(Bundle.load(base), rows, [], load_recipe(FinetuneRecipe, [given, values]))
    work.finish()
    work.bundle.save(out)
    return load(out, "cpu")


def said(folder: Path) -> tuple[int, int]:
    """Return what ambos.json and what the settings of sentence-transformers say."""
    learnt = json.loads((folder / "ambos.json").read_text())["learnt"]
    return learnt["max_length"], json.loads((folder / "sentence_bert_config.json").read_text())[
        "max_seq_length"
    ]


@pytest.mark.parametrize(
    ("of_base", "wanted", "found"),
    [(None, None, 64), (None, 12, 12), (20, None, 20), (20, 12, 12), (20, 30, 30)],
)
def test_vectors_have_one_length(
    base: Path, tmp_path: Path, of_base: int | None, wanted: int | None, found: int
) -> None:
    if of_base is not None:
        bundle = Bundle.load(base)
        bundle.bare()
        bundle.sentence = SentenceSettings(max_length=of_base)
        base = bundle.save(tmp_path / "base")
    model = tuned(base, tmp_path / "out", "embed", max_length=wanted)
    assert said(tmp_path / "out") == (found, found)
    assert (model.max_length, model.reading().limit, model.embed_options().limit) == (found, found, found)


def test_what_comes_after_the_limit_does_not_count(base: Path, tmp_path: Path) -> None:
    model = tuned(base, tmp_path / "out", "embed", max_length=12)
    first, second = f"{SAME} casa", f"{SAME} por por"
    one, other = model.embed([first, second])
    assert one @ other == pytest.approx(1.0, abs=1e-6)
    assert model.predict([(first, second)]) == pytest.approx([1.0], abs=1e-6)
    assert model.grid([first], [second])[0, 0] == pytest.approx(1.0, abs=1e-6)
    assert model.embed(SAME) == pytest.approx(model.embed(SAME, max_length=12), abs=1e-6)
    assert model.embed(SAME) != pytest.approx(model.embed(SAME, max_length=64), abs=1e-4)
    library = pytest.importorskip("sentence_transformers")
    theirs = library.SentenceTransformer(str(tmp_path / "out"), device="cpu")
    assert theirs.max_seq_length == 12
    assert theirs.encode([SAME])[0] == pytest.approx(model.embed(SAME), abs=1e-5)


def test_twins_are_embedded_with_the_length_they_learnt(base: Path, tmp_path: Path) -> None:
    model = tuned(base, tmp_path / "out", "combined", max_length=12)
    assert (model.max_length, model.reading().limit, model.embed_options().limit) == (12, 12, 12)
    assert model.embed(SAME) == pytest.approx(model.embed(SAME, max_length=12), abs=1e-6)
    assert model.embed(SAME) != pytest.approx(model.embed(SAME, max_length=64), abs=1e-4)
