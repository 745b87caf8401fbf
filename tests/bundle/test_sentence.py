"""Folders of sentence-transformers: read with their pooling, written so that it opens them."""

import json
from pathlib import Path

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

import ambos
from ambos.bundle.bundle import Bundle
from ambos.bundle.sentence import SentenceSettings, read_sentence_settings
from ambos.errors import InputError

TEXTS = ["A man is playing a guitar.", "Um homem toca violão.", "", "Nothing alike " * 200]


def test_minilm_says_how_it_embeds() -> None:
    settings = Bundle.load("minilm").sentence
    assert settings == SentenceSettings("mean", normalize=True, max_length=256)


def test_a_saved_sentence_model_opens_in_sentence_transformers(tmp_path: Path) -> None:
    Bundle.load("minilm").save(tmp_path / "ours")
    theirs = SentenceTransformer(str(tmp_path / "ours"), device="cpu")
    assert theirs.max_seq_length == 256
    found = ambos.load(tmp_path / "ours", "cpu").embed(TEXTS)
    assert np.abs(theirs.encode(TEXTS) - found).max() <= 1e-5


@pytest.mark.parametrize("mode", ["cls", "mean", "max"])
def test_poolings_are_read_in_both_spellings(mode: str, tmp_path: Path) -> None:
    modules = [
        {"idx": 0, "name": "0", "path": "0_Transformer", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    ]
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    (tmp_path / "1_Pooling").mkdir()
    config = tmp_path / "1_Pooling" / "config.json"
    names = {
        "cls": "pooling_mode_cls_token",
        "mean": "pooling_mode_mean_tokens",
        "max": "pooling_mode_max_tokens",
    }
    for spelling in ({names[mode]: True}, {"pooling_mode": mode}):
        config.write_text(json.dumps(spelling))
        assert read_sentence_settings(tmp_path) == SentenceSettings(mode, folder="0_Transformer")


@pytest.mark.parametrize(
    ("modules", "message"),
    [
        ([{"path": "../other", "type": "x.Transformer"}], "outside its folder"),
        ([{"path": "/etc", "type": "x.Transformer"}], "outside its folder"),
        ([{"path": "", "type": "x.Transformer"}, {"path": "2_Dense", "type": "x.Dense"}], "Dense step"),
        ({"path": ""}, "not a list of modules"),
    ],
)
def test_other_modules_are_refused(modules: object, message: str, tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(InputError, match=message):
        read_sentence_settings(tmp_path)


def test_several_poolings_at_once_are_refused(tmp_path: Path) -> None:
    modules = [{"path": "", "type": "x.Transformer"}, {"path": "1_Pooling", "type": "x.Pooling"}]
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    (tmp_path / "1_Pooling").mkdir()
    both = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}
    (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps(both))
    with pytest.raises(InputError, match="kind of pooling"):
        read_sentence_settings(tmp_path)
