"""The pages show only what the commands really give: every `console` block is run and compared."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = ["README.md", "README.pt-BR.md", "docs/cli.md"]
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
    english, portuguese = ((ROOT / page).read_text() for page in PAGES[:2])
    assert commands(PAGES[0]) == commands(PAGES[1])
    for mark in ("\n## ", "\n- ", "\n```", "| `"):
        assert english.count(mark) == portuguese.count(mark), mark
