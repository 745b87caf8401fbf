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


def test_what_is_no_store_is_said(ambos: Callable[..., Ran], tmp_path: Path, sample: Path) -> None:
    store = tmp_path / "run" / "store"
    built = ambos("corpus", "build", sample / "heldout", "--tokenizer", "minilm", "--out", store, "-q")
    assert built.code == 0, built.err
    (tmp_path / "run" / "run.json").write_text("{}")
    of_run = ambos("corpus", "show", tmp_path / "run").refused(3, "not a token store")
    assert (of_run["found"], of_run["fix"]) == ("run.json, store", f"pass {store}")
    (tmp_path / "empty").mkdir()
    empty = ambos("corpus", "show", tmp_path / "empty").refused(3, "not a token store")
    assert empty["found"] == "an empty folder"
    file = ambos("corpus", "show", tmp_path / "run" / "run.json").refused(3, "not a token store")
    assert file["found"] == "a file"
