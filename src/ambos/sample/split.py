"""Fills the train, dev and test parts of a labelled set with distinct items, balanced and disjoint."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from ambos.sample.lexicon import Tongue, tongues

SPLITS = ("train", "dev", "test")
_TRIES_PER_ITEM = 4000

Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Item:
    """A row of a set, its text (which may occur once in all splits), and how much it counts."""

    row: Row
    identity: str
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Part:
    """One split of a set under a seed."""

    name: str
    seed: int

    def keeps(self, combination: str) -> bool:
        """Whether a held-out combination belongs here: one in ten is kept for test, one in ten for dev."""
        bucket = zlib.crc32(f"{self.seed}/{combination}".encode()) % 10
        return self.name == ("test" if bucket == 0 else "dev" if bucket == 1 else "train")


Make = Callable[[Tongue, Part, str, Random], Item | None]  # the last but one is the label


@dataclass(frozen=True)
class LabelledSet:
    """How to make one labelled set.

    Attributes
    ----------
    name
        The folder it is written to.
    sizes
        Rows in train, dev, test.
    labels
        The labels of a language; each gets the same share.
    make
        Returns one item, or None when the draw came to nothing.
    """

    name: str
    sizes: tuple[int, int, int]
    labels: Callable[[Tongue], Sequence[str]]
    make: Make


def _share(total: int, parts: int, index: int) -> int:
    return total // parts + (index < total % parts)


def fill(labelled: LabelledSet, seed: int) -> dict[str, list[Row]]:
    """Draw items until every split has its rows of every language and label."""
    seen: set[str] = set()
    cells = [(tongue, label) for tongue in tongues() for label in labelled.labels(tongue)]
    per_language = {tongue.code: len(labelled.labels(tongue)) for tongue in tongues()}
    result: dict[str, list[Row]] = {}
    for split, size in zip(SPLITS, labelled.sizes, strict=True):
        rng = Random(f"{seed}/{labelled.name}/{split}")  # noqa: S311 - not for secrets
        part = Part(split, seed)
        rows: list[Row] = []
        for index, (tongue, label) in enumerate(cells):
            labels = per_language[tongue.code]
            # Languages share a set evenly, whatever the number of their labels.
            half = _share(size, len(per_language), 0 if tongue is tongues()[0] else 1)
            rows.extend(_draw(labelled, tongue, label, part, _share(half, labels, index % labels), seen, rng))
        rng.shuffle(rows)
        result[split] = rows
    return result


def _draw(
    labelled: LabelledSet, tongue: Tongue, label: str, part: Part, wanted: int, seen: set[str], rng: Random
) -> list[Row]:
    rows: list[Row] = []
    have = 0
    for _ in range(_TRIES_PER_ITEM * max(wanted, 1)):
        if have >= wanted:
            return rows
        item = labelled.make(tongue, part, label, rng)
        if item is None or item.identity in seen:
            continue
        seen.add(item.identity)
        rows.append(item.row)
        have += item.weight
    raise RuntimeError(
        f"{labelled.name}/{part.name}: only {have} of {wanted} rows for {tongue.code} {label!r}"
    )
