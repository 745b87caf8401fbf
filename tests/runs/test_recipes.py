"""Every recipe that comes with ambos runs, and what it makes opens in transformers with the same logits."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import transformers

from ambos.bundle.bundle import Bundle
from ambos.bundle.configs import read_config, write_config
from ambos.data.batch import Batch
from ambos.encoder.presets import PRESETS
from ambos.recipe import load_recipe
from ambos.runs.named import NAMES, recipe_values
from ambos.runs.settings import ModelSettings, PretrainRecipe
from ambos.runs.shape import encoder_shape
from tests.runs.conftest import Forge, settings

FAMILIES = {
    "fast": "modernbert",
    "bert": "bert",
    "roberta": "roberta",
    "xlm-r": "xlm-roberta",
    "spanbert": "bert",
    "albert": "albert",
    "modernbert": "modernbert",
    "adapt": "bert",
}
BOTH = {"bert": "BertForPreTraining", "albert": "AlbertForPreTraining"}


@pytest.mark.parametrize("dropout", [None, 0.0, 0.2])
@pytest.mark.parametrize("family", PRESETS)
def test_every_family_in_every_size(family: str, dropout: float | None) -> None:
    """Whatever the parts and the size, config.json can say what it is."""
    for size in ("bert-tiny", "bert-base", family):
        shape = encoder_shape(ModelSettings(preset=size, family=family, dropout=dropout), 1000)
        assert read_config(write_config(shape)) == shape
        assert (shape.width, shape.depth) == (PRESETS[size].encoder.width, PRESETS[size].encoder.depth)
        if dropout is not None:
            assert shape.attention_dropout == shape.embedding_dropout == dropout
            assert dropout in (shape.dropout, shape.inner_dropout)


@pytest.fixture(scope="module")
def made(
    forge: Forge,
    texts: list[str],
    tokenizer_folder: Callable[[str], Path],
    model_folder: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str], Path]:
    """The run folder of a recipe, two steps long; `adapt` goes on with a small model. Once for each."""
    root = tmp_path_factory.mktemp("recipes")

    def run(name: str) -> Path:
        out = root / name
        if not out.exists():
            kind = load_recipe(PretrainRecipe, [recipe_values(name)]).tokenizer.kind
            start = ["--preset", "bert-tiny", "--tokenizer", tokenizer_folder(kind)]
            if name == "adapt":
                start = ["--base", model_folder("wordpiece")]
            sizes = settings(sequences=4, evaluation__times=1, saving__steps=0)
            ended = forge("pretrain", *texts, "--recipe", name, *start, "--steps", 2, *sizes, "--out", out)
            assert ended.code == 0, ended.err
            assert "Traceback" not in ended.err
        return out

    return run


def test_all_are_here() -> None:
    assert set(FAMILIES) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_it_runs(made: Callable[[str], Path], name: str) -> None:
    run = made(name)
    about = json.loads((run / "run.json").read_text())
    assert (about["status"], about["steps"], about["recipe"]) == ("finished", 2, name)
    assert about["model"]["family"] == FAMILIES[name]
    records = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert [(record["kind"], record["step"]) for record in records] == [
        ("heldout", 0),
        ("fill", 0),
        ("train", 1),
        ("train", 2),
        ("heldout", 2),
        ("fill", 2),
    ]
    recipe = load_recipe(PretrainRecipe, [recipe_values(name)])
    for objective in recipe.objectives:
        assert records[2][f"{objective}_loss"] > 0
    if name not in ("adapt", "fast"):  # these do not begin knowing nothing
        assert records[0]["mlm_loss"] == pytest.approx(7.6, abs=0.4)  # about ln 2,000
    if recipe.relation != "none":
        assert 0.3 < records[2][f"{recipe.relation}_loss"] < 1.5
        assert 0 <= records[0][f"{recipe.relation}_accuracy"] <= 1


@pytest.mark.parametrize("name", NAMES)
def test_transformers_opens_it(made: Callable[[str], Path], name: str) -> None:
    folder = made(name) / "bundle"
    bundle = Bundle.load(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    class_ = getattr(transformers, BOTH.get(name, "AutoModelForMaskedLM"))
    model, loaded = class_.from_pretrained(folder, output_loading_info=True)
    assert not any(loaded[key] for key in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    model.eval()
    for text in ("O gato dorme no tapete.", "A menina leu o livro que o pai comprou."):
        read = tokenizer(text, return_tensors="pt")
        ids = read["input_ids"][0]
        assert bundle.tokenizer is not None
        assert bundle.tokenizer.encode(text).ids == ids.tolist()
        with torch.no_grad():
            theirs = model(**read)
            hidden = bundle.network.encoder(Batch.pack([ids.tolist()])).last
            ours = bundle.network.heads["mlm"](hidden)
        logits = theirs.prediction_logits if name in BOTH else theirs.logits
        torch.testing.assert_close(ours, logits[0], atol=2e-5, rtol=1e-4)
        if name in BOTH:
            relation = theirs.seq_relationship_logits if name == "bert" else theirs.sop_logits
            assert bundle.network.pooler is not None
            with torch.no_grad():
                ours = bundle.network.heads["next"](bundle.network.pooler(hidden[:1]))
            torch.testing.assert_close(ours, relation, atol=2e-5, rtol=1e-4)


def test_the_vocabulary_that_albert_learns_has_two_segments(
    forge: Forge, texts: list[str], tmp_path: Path
) -> None:
    sizes = settings(sequences=4, evaluation__times=1, tokenizer__vocab_size=900)
    out = tmp_path / "run"
    small = ("--recipe", "albert", "--preset", "bert-tiny", "--steps", 1)
    ended = forge("pretrain", *texts, *small, *sizes, "--out", out)
    assert ended.code == 0, ended.err
    tokenizer = transformers.AutoTokenizer.from_pretrained(out / "bundle")
    read = tokenizer("O gato dorme.", "Ele mia.")
    assert tokenizer.convert_ids_to_tokens(read["input_ids"])[0] == "[CLS]"
    assert set(read["token_type_ids"]) == {0, 1}


def test_a_base_is_gone_on_with(made: Callable[[str], Path], model_folder: Callable[[str], Path]) -> None:
    """Two careful steps: the weights moved, a little; and the tokenizer is the base's."""
    before, after = Bundle.load(model_folder("wordpiece")), Bundle.load(made("adapt"))
    one, two = dict(before.network.named_parameters()), dict(after.network.named_parameters())
    assert one.keys() == two.keys()
    moved = torch.stack([(one[name] - two[name]).abs().max() for name in one])
    assert 0 < moved.max() < 1e-3
    assert before.tokenizer is not None
    assert after.tokenizer is not None
    assert before.tokenizer.fingerprint == after.tokenizer.fingerprint


@pytest.mark.slow
def test_a_base_without_the_heads(forge: Forge, texts: list[str], tmp_path: Path) -> None:
    """New heads are trained, and said to be new."""
    out = tmp_path / "run"
    sizes = settings(sequences=4, evaluation__times=1)
    both = ["--set", "data.scheme=pairs", "--set", "objectives={mlm=1.0, next=1.0}"]
    ended = forge("pretrain", *texts, "--base", "minilm", *both, "--steps", 2, *sizes, "--out", out)
    assert ended.code == 0, ended.err
    notes = " ".join(ended.err.split())
    assert "minilm has no masked-LM head: a new one is trained, tied to its token table" in notes
    assert "minilm has no head for the objective next: a new one is trained" in notes
    model = transformers.BertForPreTraining.from_pretrained(out / "bundle")
    assert model.cls.predictions.decoder.weight.shape == (30522, 384)
    assert not (out / "bundle" / "1_Pooling").exists()  # how it made vectors belongs to the old weights
    ended = forge("resume", out)
    assert ended.code == 0, ended.err
