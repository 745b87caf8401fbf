"""`ambos tokenizer` and `ambos corpus`, asked for what is not one: a model, a run, another folder."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Ran


def test_a_tokenizer_may_be_that_of_a_model(
    ambos: Callable[..., Ran], sample: Path, model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    shown = json.loads(ambos("tokenizer", "show", "minilm", "A cat.", "--json").out)
    assert [one["token"] for one in shown["tokens"]] == ["[CLS]", "a", "cat", ".", "[SEP]"]
    run, text = tmp_path / "run", sample / "heldout"
    shutil.copytree(model_folder("wordpiece"), run / "bundle")
    report = ambos("tokenizer", "report", run, text, "--json")
    assert report.code == 0, report.err
    assert report.out == ambos("tokenizer", "report", model_folder("wordpiece"), text, "--json").out
    built = ambos("corpus", "build", text, "--tokenizer", "minilm", "--out", tmp_path / "store", "-q")
    assert built.code == 0, built.err
    assert (tmp_path / "store" / "tokenizer" / "tokenizer.json").is_file()
    for command in (["tokenizer", "show", "minlm", "x"], ["doctor", text, "--tokenizer", "minlm"]):
        refused = ambos(*command).refused(3, "there is no tokenizer or model 'minlm'")
        assert refused["fix"] == "did you mean minilm?"
