"""Models with heads, made once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.predict.models import make_model


@pytest.fixture(scope="session")
def task_folder(
    model_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Path]:
    """Folder of a small model for a task, over the tokenizer of a kind."""
    root = tmp_path_factory.mktemp("tasks")

    def folder(task: str, kind: str = "wordpiece") -> Path:
        out = root / f"{task}-{kind}"
        return out if out.exists() else make_model(model_folder(kind), task, out)

    return folder
