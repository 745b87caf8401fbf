"""Advice in the words of Python: parameters, where errors name options of the command line."""

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from ambos.errors import AmbosError

# An option, and its value, where that ends a clause: "--long cut", but not "leave --device out to ...".
_OPTION = re.compile(r"--([a-z][a-z-]*)(?: ([^\s,;()]+)(?=$|[,;)]))?")
_NAMES = {"out": "folder"}  # of parameters that are not called like their options
_FLAGS = frozenset({"force"})
_ELSE = ", or "


@contextmanager
def advice_in_python(parameters: Collection[str]) -> Iterator[None]:
    """Let errors of the block speak of these parameters instead of options."""
    try:
        yield
    except AmbosError as error:
        error.what = in_python(error.what, parameters) or error.what
        error.fix = in_python(error.fix or "", parameters)
        raise


def in_python(advice: str, parameters: Collection[str]) -> str | None:
    """Return advice with parameters for options; what has none is left out, None if nothing remains.

    Examples
    --------
    >>> in_python("shorten it, or --long cut", {"long"})
    'shorten it, or long="cut"'
    >>> in_python("--set schedule.warmup=0.2", {"settings"})
    'settings={"schedule": {"warmup": 0.2}}'
    >>> in_python("add rows, or name the column with --score COLUMN", {"long"})
    'add rows'
    """
    ways = (_translated(way, parameters) for way in advice.split(_ELSE))
    return _ELSE.join(way for way in ways if way) or None


def _translated(way: str, parameters: Collection[str]) -> str | None:
    """Return one way out with parameters for options; None if one of them is no parameter."""
    found = {name: _NAMES.get(name, name.replace("-", "_")) for name, _ in _OPTION.findall(way)}
    if not {"settings" if name == "set" else own for name, own in found.items()} <= set(parameters):
        return None

    def parameter(match: re.Match[str]) -> str:
        name, value = match.groups()
        if name == "set":
            return _setting(value)
        if value is None:
            return f"{found[name]}=True" if name in _FLAGS else found[name]
        return f"{found[name]}={_literal(value)}"

    return _OPTION.sub(parameter, way)


def _setting(override: str) -> str:
    """Return `group.name=value` as the parameter `settings` has it."""
    name, _, value = override.partition("=")
    said = _literal(value)
    for part in reversed(name.split(".")):
        said = f'{{"{part}": {said}}}'
    return f"settings={said}"


def _literal(value: str) -> str:
    """Return a value as Python spells it: numbers and placeholders such as N as they are, else a string."""
    try:
        float(value)
    except ValueError:
        return value if value.isupper() else f'"{value}"'
    return value
