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
    near = get_close_matches(name, list(known), n=3, cutoff=0.6)
    return f"did you mean {' or '.join(near)}?" if near else None
