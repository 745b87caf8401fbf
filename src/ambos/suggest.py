"""`Did you mean`: the nearest of the names there are."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Return a question naming the closest known names, or None if nothing is close.

    Examples
    --------
    >>> did_you_mean("wordpeice", ["bpe", "unigram", "wordpiece"])
    'did you mean wordpiece?'
    """
    near = nearest(name, known)
    return f"did you mean {' or '.join(near)}?" if near else None


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three names that are close, the closest first; those that differ in case alone are.

    Examples
    --------
    >>> nearest("POSITIVE", ["negative", "positive"])
    ['positive']
    """
    names = list(known)
    alike = [one for one in names if one != name and one.casefold() == name.casefold()]
    return alike[:3] or get_close_matches(name, names)
