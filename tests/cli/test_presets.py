"""`ambos presets`: every published shape, with exact counts in JSON."""

import json

import pytest

from ambos.encoder.presets import PRESETS


def test_lists_every_preset(ambos):
    ran = ambos("presets")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    names = {line.split()[0] for line in lines if line.startswith("  ")}
    assert PRESETS.keys() <= names
    base = next(line for line in lines if line.startswith("  bert-base "))
    assert base.split() == ["bert-base", "12", "768", "12", "30,522", "512", "109.5", "M", "110.1", "M"]
    assert any("Souza et al. 2020" in line and "wordpiece" in line for line in lines)
    assert max(map(len, lines)) <= 100


def test_json_has_exact_figures(ambos):
    rows = {row["name"]: row for row in json.loads(ambos("presets", "--json").out)["presets"]}
    assert rows.keys() == PRESETS.keys()
    assert rows["bertimbau-base"] == {
        "name": "bertimbau-base",
        "family": "bert",
        "layers": 12,
        "width": 768,
        "heads": 12,
        "vocabulary": 29_794,
        "context": 512,
        "encoder": 108_923_136,
        "pretrained": 109_546_596,
        "objective": "mlm+next",
        "tokenizer": "wordpiece",
        "about": "Souza et al. 2020, Portuguese, cased",
    }


def test_quiet_says_nothing(ambos):
    ran = ambos("presets", "--quiet")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


@pytest.mark.parametrize("command", ["presets", "info", "fill", "score", "embed"])
def test_help_of_the_commands_for_models_teaches(ambos, command):
    ran = ambos(command, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert f"Example  ambos {command} " in ran.out
    assert "--json" in ran.out
    assert "--quiet" in ran.out
