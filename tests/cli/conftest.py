"""The command line inside the test's own process: torch is imported once, not for every command."""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from ambos.cli.app import main


@dataclass(frozen=True)
class Ran:
    """What a command left: exit code, stdout, stderr."""

    code: int
    out: str
    err: str

    def refused(self, code: int, what: str) -> dict[str, str]:
        """Check that it ended with one message of the agreed form; return the labelled lines."""
        assert "Traceback" not in self.err
        assert self.code == code, self.err
        assert self.out == ""
        lines = self.err.splitlines()
        errors = [number for number, line in enumerate(lines) if line.startswith("error ")]
        assert len(errors) == 1, self.err
        assert what in lines[errors[0]], self.err
        assert len(self.err) < 3000
        labelled = {line[:10].strip(): line[10:].strip() for line in lines[errors[0] + 1 :]}
        assert labelled.keys() <= {"expected", "found", "fix"}
        return labelled


@pytest.fixture
def ambos(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run a command line as the shell would, but here."""

    def run(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["ambos", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return Ran(int(ended.value.code or 0), printed.out, printed.err)

    return run
