"""What becomes of a command that is interrupted, or has an option that it does not know."""

from collections.abc import Callable
from typing import Any

import pytest
import typer

from ambos.cli import app
from tests.cli.conftest import Ran


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


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        (["finetune", "classify", "--precision", "fp16"], "--set precision=VALUE"),
        (["finetune", "classify", "--head-lr", "2"], "--set learning.head_lr=VALUE"),
        (["finetune", "classify", "--epoch", "2"], "--epochs"),
        (["pairs", "compare", "--batch", "8"], "--set batch=VALUE"),
        (["pretrain", "a.txt", "--lr", "1e-3"], "--set optim.lr=VALUE"),
        (["resume", "run", "--lr", "1e-3"], "--set learning.lr=VALUE or --set optim.lr=VALUE"),
        (["compare", "a", "b", "--metrc", "f1"], "--metric"),
    ],
)
def test_an_option_that_is_a_setting(ambos: Callable[..., Ran], command: list[str], meant: str) -> None:
    assert ambos(*command).refused(2, "No such option")["fix"] == f"did you mean {meant}?"


def test_every_command_with_settings_is_known() -> None:
    """Of all commands: those that have --set, and no others."""

    def with_settings(command: Any, path: str) -> set[str]:
        inner = getattr(command, "commands", {})
        here = {path} if any("--set" in option.opts for option in command.params) else set()
        return here.union(*(with_settings(one, f"{path} {name}") for name, one in inner.items()))

    assert with_settings(typer.main.get_command(app.app), "ambos") == app._WITH_SETTINGS.keys()
