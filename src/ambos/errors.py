"""The exceptions a user can meet: each says where, what was expected, what was found and how to fix it."""

from pathlib import Path


class AmbosError(Exception):
    """Something the user can put right. Never a bug in ambos.

    Parameters
    ----------
    what
        One line: what went wrong.
    expected, found, fix
        One line each. `fix` is an action, best a command that can be pasted.
    file, line
        Where in the input it happened; `line` counts from 1.

    Examples
    --------
    >>> print(InputError("not valid UTF-8", expected="UTF-8 text", file="a.txt", line=3))
    a.txt, line 3: not valid UTF-8
      expected  UTF-8 text
    """

    exit_code = 1

    def __init__(
        self,
        what: str,
        *,
        expected: str | None = None,
        found: str | None = None,
        fix: str | None = None,
        file: str | Path | None = None,
        line: int | None = None,
    ) -> None:
        self.what = what
        self.expected = expected
        self.found = found
        self.fix = fix
        self.file = None if file is None else str(file)
        self.line = line
        super().__init__(what)

    def __reduce__(self) -> tuple[object, ...]:
        """Cross process borders whole (workers raise these too)."""
        return _rebuild, (type(self), self.as_dict())

    @property
    def where(self) -> str | None:
        """`file, line N`, or as much of it as is known."""
        if self.file is None:
            return None
        return self.file if self.line is None else f"{self.file}, line {self.line}"

    def details(self) -> list[tuple[str, str]]:
        """Return the labelled lines that follow the headline."""
        labelled = (("expected", self.expected), ("found", self.found), ("fix", self.fix))
        return [(label, text) for label, text in labelled if text]

    def as_dict(self) -> dict[str, str | int | None]:
        """Return every field, for `--json`."""
        return {
            "what": self.what,
            "expected": self.expected,
            "found": self.found,
            "fix": self.fix,
            "file": self.file,
            "line": self.line,
        }

    def __str__(self) -> str:
        head = self.what if self.where is None else f"{self.where}: {self.what}"
        return "\n".join([head, *(f"  {label:<9} {text}" for label, text in self.details())])


class UsageError(AmbosError):
    """The command or call was put together wrongly."""

    exit_code = 2


class InputError(AmbosError):
    """A file or text handed to ambos cannot be used."""

    exit_code = 3


class OutputError(AmbosError):
    """A result cannot be written where it was asked for."""

    exit_code = 4


def _rebuild(kind: type[AmbosError], fields: dict[str, str | int | None]) -> AmbosError:
    return kind(**fields)  # type: ignore[arg-type]
