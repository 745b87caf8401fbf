"""What a model says most often, and how often that would be right: one that collapsed says little else."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Commonest:
    """The commonest prediction.

    Parameters
    ----------
    what
        Its name: a label, a tag, "an answer".
    said, gold
        For how many examples it was said, and for how many it is right.
    examples
        How many there are: texts, words, questions.
    """

    what: str
    said: int
    gold: int
    examples: int


class Sayings:
    """Counts what is said and what should be said.

    Examples
    --------
    >>> sayings = Sayings()
    >>> sayings.add([("yes", "yes"), ("no", "yes"), ("yes", "yes")])  # gold, said
    >>> sayings.commonest
    Commonest(what='yes', said=3, gold=2, examples=3)
    """

    def __init__(self) -> None:
        self._gold: Counter[str] = Counter()
        self._said: Counter[str] = Counter()

    def add(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Take in what is right and what was said, of some examples."""
        for gold, said in pairs:
            self._gold[gold] += 1
            self._said[said] += 1

    @property
    def commonest(self) -> Commonest | None:
        """The commonest prediction; None if there is none."""
        if not self._said:
            return None
        ((what, times),) = self._said.most_common(1)
        return Commonest(what, times, self._gold[what], self._said.total())
