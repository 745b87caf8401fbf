"""What becomes of a command that is interrupted."""

import pytest

from ambos.cli import app


def test_an_interrupt_inside_a_call_from_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python says SystemError then, with the interrupt as its cause (seen in `np.fromfile`)."""

    def command(**_: object) -> None:
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    monkeypatch.setattr(app, "app", command)
    with pytest.raises(SystemExit) as ended:
        app.main()
    assert ended.value.code == 130


def test_other_system_errors_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def command(**_: object) -> None:
        raise SystemError("bad argument to internal function")

    monkeypatch.setattr(app, "app", command)
    with pytest.raises(SystemError, match="bad argument"):
        app.main()
