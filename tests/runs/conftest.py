"""Runs in processes of their own, that tests may kill; a small corpus, and the settings of a small model."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent
AMBOS = Path(sys.executable).parent / "ambos"
ONE_THREAD = {
    **os.environ,
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


def settings(*, length: int = 32, sequences: int = 6, **others: object) -> list[str]:
    """Options of a small run; `a__b=1` becomes `--set a.b=1`."""
    values = {
        "phases": f"[{{share=1.0, length={length}, sequences={sequences}}}]",
        "evaluation.times": 3,
        "evaluation.sequences": 12,
        "saving.steps": 3,
        **{name.replace("__", "."): value for name, value in others.items()},
    }
    return [part for name, value in values.items() for part in ("--set", f"{name}={value}")]


@dataclass(frozen=True)
class Ended:
    """How a process ended: its exit code (negative: the signal that ended it), and what it wrote.

    `seconds` it took in all, `stopping` of them after the signal.
    """

    code: int
    out: str
    err: str
    seconds: float
    stopping: float


class Forge:
    """Starts commands as forks of a process that has imported torch."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process: subprocess.Popen[str] | None = None
        self._count = 0

    def _driver(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, HERE / "driver.py"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=ONE_THREAD,
                cwd=self.folder,
            )
        return self._process

    def __call__(
        self,
        *arguments: object,
        fault: tuple[str, int] | None = None,
        after: float | None = None,
        when: Callable[[str], bool] | None = None,
        send: int = signal.SIGKILL,
        limit: int | None = None,
    ) -> Ended:
        """Run a command to its end.

        Parameters
        ----------
        fault
            Point of a save, and which time that it is come to, at which the process kills itself.
        after
            Seconds after which to send it a signal.
        when
            What must be true of its stderr so far for the signal to be sent.
        send
            The signal.
        limit
            Bytes of the largest file that it may write.
        """
        driver = self._driver()
        self._count += 1
        out, err = (self.folder / f"{self._count}.{name}" for name in ("out", "err"))
        out.touch()
        err.touch()
        order = {
            "arguments": [str(argument) for argument in arguments],
            "out": str(out),
            "err": str(err),
            "fault": fault,
            "limit": limit,
        }
        assert driver.stdin is not None
        assert driver.stdout is not None
        driver.stdin.write(json.dumps(order) + "\n")
        driver.stdin.flush()
        pid = json.loads(driver.stdout.readline())["pid"]
        begin = sent = time.monotonic()
        ended = threading.Event()

        def disturb() -> None:
            nonlocal sent
            if when is not None:
                while not when(err.read_text()) and not ended.wait(0.005):
                    pass
            if not ended.wait(after or 0.0):
                sent = time.monotonic()
                os.kill(pid, send)

        thread = None
        if after is not None or when is not None:
            thread = threading.Thread(target=disturb)
            thread.start()
        code = json.loads(driver.stdout.readline())["code"]
        end = time.monotonic()
        ended.set()
        if thread is not None:
            thread.join()
        return Ended(code, out.read_text(), err.read_text(), end - begin, end - sent)

    def close(self) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.close()
            self._process.wait(timeout=60)
            self._process.stdout.close()


@pytest.fixture(scope="session")
def forge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forge]:
    made = Forge(tmp_path_factory.mktemp("forge"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def texts(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Some text in two languages: enough for a few epochs of a few steps."""
    folder = tmp_path_factory.mktemp("texts")
    found = []
    for language in ("pt", "en"):
        documents = (sample / "corpus" / f"{language}.txt").read_text().split("\n\n")
        file = folder / f"{language}.txt"
        file.write_text("\n\n".join(documents[:60]) + "\n")
        found.append(f"{language}={file}")
    return found


def checkpoint_files(run: Path) -> dict[str, bytes]:
    """The weights and the optimiser's state of the last checkpoint, byte for byte."""
    last = max((run / "checkpoints").glob("step-*"))
    return {f"{last.name}/{file.name}": file.read_bytes() for file in sorted(last.glob("*.safetensors"))}


def same_result(run: Path, other: Path) -> bool:
    """Tell whether two finished runs have the same weights, optimiser state, log and model."""
    return (
        checkpoint_files(run) == checkpoint_files(other)
        and (run / "metrics.jsonl").read_bytes() == (other / "metrics.jsonl").read_bytes()
        and (run / "bundle" / "model.safetensors").read_bytes()
        == (other / "bundle" / "model.safetensors").read_bytes()
    )
