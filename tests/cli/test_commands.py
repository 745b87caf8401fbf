"""The commands as a user runs them: real processes, tables and JSON, exit codes, hints."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ambos.files import working_folder


def ambos(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ambos.cli.app", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_from_text_to_store(sample: Path, tmp_path: Path) -> None:
    trained = ambos(
        "tokenizer", "train", sample / "corpus", "--vocab-size", "1500", "--out", tmp_path / "tok", "--json"
    )
    assert trained.returncode == 0
    assert json.loads(trained.stdout)["vocab_size"] == 1500
    shown = ambos("tokenizer", "show", tmp_path / "tok", "O gato dorme.", "Ele ronca.", "--json")
    tokens = json.loads(shown.stdout)["tokens"]
    assert tokens[0]["token"] == "[CLS]"
    assert [row["segment"] for row in tokens if row["token"] == "[SEP]"] == [0, 1]
    assert {row["side"] for row in tokens} == {0, 1, None}
    report = ambos("tokenizer", "report", tmp_path / "tok", f"pt={sample / 'corpus' / 'pt.txt'}", "--json")
    figures = json.loads(report.stdout)["languages"]["pt"]
    assert 1 <= figures["fertility"] < 2
    assert figures["unknown"] == 0
    built = ambos(
        "corpus", "build", sample / "corpus", "-t", tmp_path / "tok", "-o", tmp_path / "store", "--json"
    )
    counts = json.loads(built.stdout)["counts"]
    opened = ambos("corpus", "show", tmp_path / "store", "--document", "0", "--verify", "--json")
    value = json.loads(opened.stdout)
    assert value["counts"] == counts
    assert value["verified"] is True
    assert value["document"]["sentences"]


def test_tables_for_people(sample: Path, tokenizer_folder: Callable[[str], Path], tmp_path: Path) -> None:
    folder = tokenizer_folder("wordpiece")
    shown = ambos("tokenizer", "show", folder, "Não [bold]é[/] \x1b[31mum\x1b[0m \ud7ff teste")
    assert shown.returncode == 0
    assert "position  token" in shown.stdout
    assert "\x1b" not in shown.stdout
    report = ambos("tokenizer", "report", folder, sample / "corpus")
    assert "Longest documents" in report.stdout
    assert "fertility" in report.stdout
    ambos("corpus", "build", sample / "corpus", "-t", folder, "-o", tmp_path / "store")
    opened = ambos("corpus", "show", tmp_path / "store", "--seed", "1")
    assert "Document" in opened.stdout
    assert opened.stdout == ambos("corpus", "show", tmp_path / "store", "--seed", "1").stdout


def test_quiet_says_nothing(sample: Path, tmp_path: Path) -> None:
    done = ambos(
        "tokenizer", "train", sample / "corpus", "--vocab-size", "1500", "-o", tmp_path / "tok", "--quiet"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_sample_command(tmp_path: Path) -> None:
    done = ambos("sample", "--out", tmp_path / "s", "--seed", "5", "--corpus-mb", "0.3", "--json")
    files = json.loads(done.stdout)["files"]
    assert all((tmp_path / "s" / file["path"]).stat().st_size == file["bytes"] for file in files)
    again = ambos("sample", "--out", tmp_path / "s")
    assert again.returncode == 4
    assert "--force" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["tokenzer"], "Did you mean 'tokenizer'"),
        (["corpus", "bild"], "Did you mean 'build'"),
        (["corpus", "build", "--tokeniser", "x"], "did you mean --tokenizer?"),
        (["tokenizer", "train", "x", "--vocab-siz", "3"], "did you mean --vocab-size?"),
        (["sample", "--sed", "3"], "did you mean --seed?"),
        (["corpus", "build"], "see ambos corpus build --help"),
        (["tokenizer", "train", "x", "--vocab-size", "many", "--out", "y"], "--vocab-size"),
        (
            ["tokenizer", "train", "x", "--vocab-size", "many", "--out", "y"],
            "expected a valid integer\n  found    'many'",
        ),
        (["fill", "minilm", "x", "--top", "0"], "found    '0'"),
        (["finetune", "clasify"], "expected one of 'classify', 'score', 'tag', 'answer', 'pair'"),
        (["finetune", "clasify"], "did you mean classify?"),
        (["tokenizer", "train", "x", "--language", "portuguese please", "--out", "y"], "pt, en or pt-BR"),
    ],
)
def test_wrong_command_lines_are_helped(arguments: list[str], hint: str) -> None:
    done = ambos(*arguments)
    assert done.returncode == 2
    assert hint in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_unknown_kind(sample: Path, tmp_path: Path) -> None:
    done = ambos("tokenizer", "train", sample / "corpus", "--kind", "unigran", "--out", tmp_path / "t")
    assert done.returncode == 2
    assert "did you mean unigram?" in done.stderr
    assert not (tmp_path / "t").exists()


def test_help_teaches() -> None:
    for arguments in ([], ["sample"], ["tokenizer", "train"], ["tokenizer", "show"], ["corpus", "build"]):
        done = ambos(*arguments, "--help")
        assert done.returncode == 0
        assert "Example" in done.stdout or "Begin with" in done.stdout
    assert "Exit codes" in ambos("--help").stdout
    assert ambos("--version").stdout.startswith("ambos ")


def test_the_terminal_breaks_the_lines_of_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert "name them where that fails. The folder can be used" in ambos("finetune", "--help").stdout
    assert "interrupted (to go on: ambos resume for a run" in " ".join(ambos("--help").stdout.split())


def test_output_into_a_closed_pipe(tokenizer_folder: Callable[[str], Path]) -> None:
    show = f"{sys.executable} -m ambos.cli.app tokenizer show {tokenizer_folder('bpe')} '{'palavra ' * 600}'"
    done = subprocess.run(["sh", "-c", f"{show} | head -1"], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


def build_command(tokenizer: Path, sample: Path, tmp_path: Path) -> list[str]:
    """Return the start of a command that builds a store of a file that takes a while."""
    big = tmp_path / "big.txt"
    text = (sample / "corpus" / "pt.txt").read_text()
    big.write_text("\n\n".join(f"Cópia {number}.\n{text}" for number in range(60)))
    return [sys.executable, "-m", "ambos.cli.app", "corpus", "build", str(big), "-t", str(tokenizer)]


def test_interrupted_build_goes_on(
    tokenizer_folder: Callable[[str], Path], sample: Path, tmp_path: Path
) -> None:
    """Ctrl-C leaves the work so that the same command goes on, and says so."""
    out = tmp_path / "store"
    command = build_command(tokenizer_folder("bpe"), sample, tmp_path)
    options = ["-o", str(out), "--keep-duplicates", "--workers", "2"]
    process = subprocess.Popen(
        [*command, *options], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    tokens = working_folder(out) / "tokens.npy"
    until = time.monotonic() + 30
    while time.monotonic() < until and not (tokens.exists() and tokens.stat().st_size > 1000):
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "run the same command again" in said
    assert "Traceback" not in said
    assert not out.exists()
    assert (working_folder(out) / "journal.json").exists()
    subprocess.run([*command, *options, "--quiet"], check=True)
    whole = [*command, "-o", str(tmp_path / "whole"), "--keep-duplicates", "--quiet"]
    subprocess.run(whole, check=True)
    assert (out / "tokens.npy").read_bytes() == (tmp_path / "whole" / "tokens.npy").read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_interrupt_while_workers_start(
    tokenizer_folder: Callable[[str], Path], sample: Path, tmp_path: Path
) -> None:
    """A worker that is still importing when Ctrl-C reaches the group leaves no traceback."""
    command = build_command(tokenizer_folder("bpe"), sample, tmp_path)
    options = ["-o", str(tmp_path / "store"), "--keep-duplicates", "--workers", "2"]
    process = subprocess.Popen(
        [*command, *options], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    until = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until and not is_spawning(process.pid):
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said


def is_spawning(parent: int) -> bool:
    """Tell whether a process has a child that Python's multiprocessing spawned."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    try:
        return any(b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes() for child in children)
    except OSError:  # it ended meanwhile
        return False
