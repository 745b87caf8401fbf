"""Named entities from tags: spans, and how many of them are found whole."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ambos.errors import InputError
from ambos.evaluate.bootstrap import Floats, Rows, Tally
from ambos.evaluate.evaluation import ClassEvaluation, check_sentences, macro_of_seen
from ambos.evaluate.ratios import divide, f1
from ambos.suggest import did_you_mean

Scheme = Literal["BIO", "BIOES"]
Span = tuple[str, int, int]

OUTSIDE = "O"
_SAME = {"L": "E", "U": "S"}  # letters of BILOU, and of BIOES


def spans(tags: Sequence[str], strict: Scheme | None = None) -> list[Span]:
    """Return the entities that tags mark, as (type, start, end), where the words are `start` to `end` - 1.

    A tag is `O`, or a letter and a type: B- begins an entity of several words, I- goes on, E- ends it, S- is
    one of a single word; BILOU writes L- for E-, and U- for S-. What models predict seldom keeps to that. By
    default every tag but `O` belongs to an entity, and a new one begins after `O`, at B- or S-, after E- or
    S-, and where the type changes: the rule of conlleval and of seqeval, right for BIO, BIOES and BILOU.

    Parameters
    ----------
    strict
        Take only what is written by the rules: in BIO a B- and the I- of its type that follow; in BIOES an
        S-, or a B- and an E- with nothing but I- of their type between them.

    Examples
    --------
    >>> spans(["B-PER", "I-PER", "O", "I-LOC"])
    [('PER', 0, 2), ('LOC', 3, 4)]
    >>> spans(["B-PER", "L-PER", "U-PER", "U-PER"])
    [('PER', 0, 2), ('PER', 2, 3), ('PER', 3, 4)]
    >>> spans(["B-PER", "I-PER", "O", "I-LOC"], strict="BIO")
    [('PER', 0, 2)]
    """
    found: list[Span] = []
    start, whole = 0, ""  # where the entity begins, and its letters so far
    before = ("", "")
    for place, tag in enumerate([*tags, OUTSIDE]):
        letter, kind = now = _parts(tag, strict)
        if not letter or letter in "BS" or before[0] in ("", "E", "S") or kind != before[1]:
            if whole and _is_entity(whole, strict):
                found.append((before[1], start, place))
            start, whole = place, ""
        whole += letter
        before = now
    return found


def entity_types(tags: Iterable[str]) -> list[str]:
    """Return the types that tags have, sorted.

    >>> entity_types(["O", "B-PER", "I-PER", "B-LOC", "I-LOC"])
    ['LOC', 'PER']
    """
    return sorted({_parts(tag)[1] for tag in tags} - {""})


class Entities(ClassEvaluation):
    """Sentences of tags: an entity counts as found if type, start and end are right (CoNLL 2003).

    A row is what one sentence has: words, words with the right tag, then entities found, predicted and gold
    of each type. Sentences, not words or entities, are what the interval draws again. `macro_f1` is over the
    types that occur.

    Parameters
    ----------
    types
        All types of entities; `entity_types` reads them off the tags of a model.
    strict
        As in `spans`.

    Examples
    --------
    >>> entities = Entities(["LOC", "PER"])
    >>> entities.add([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "O", "B-PER"]])
    >>> {name: value for name, value in entities.values().items() if name != "macro_f1"}
    {'micro_f1': 0.5, 'micro_precision': 0.5, 'micro_recall': 0.5, 'token_accuracy': 0.75}
    """

    def __init__(self, types: Sequence[str], *, strict: Scheme | None = None) -> None:
        super().__init__(types, Tally(2 + 3 * len(types), np.int64))
        self.strict = strict
        self._place = {name: place for place, name in enumerate(self.labels)}

    def rows(self, gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> NDArray[np.int64]:
        """Return n sentences as rows (n, 2 + 3 types), from the tags of their words."""
        check_sentences(gold, predicted)
        found = np.zeros((len(gold), self.tally.width), np.int64)
        for number, (there, said) in enumerate(zip(gold, predicted, strict=True)):
            found[number, :2] = len(there), sum(map(str.__eq__, there, said))
            golden, claimed = set(spans(there, self.strict)), set(spans(said, self.strict))
            parts = np.split(found[number, 2:], 3)
            for part, entities in zip(parts, (golden & claimed, claimed, golden), strict=True):
                for name, count in Counter(kind for kind, _, _ in entities).items():
                    part[self._of(name)] = count
        return found

    def add(self, gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> None:
        """Take in n sentences, each a sequence of tags."""
        self.take(gold, predicted)

    def reordered(self, rows: Rows, labels: Sequence[str]) -> Rows:
        """Return rows that were made with the same types in another order."""
        return np.hstack([rows[:, :2], super().reordered(rows[:, 2:], labels)])

    def count(self, rows: Rows, times: Floats) -> tuple[Floats, Floats, Floats]:
        """Return entities found, predicted and gold, (b, types) each."""
        hits, predicted, gold = np.split(times @ rows[:, 2:].astype(np.float64), 3, axis=1)
        return hits, predicted, gold

    def measure(self, rows: Rows, times: Floats) -> dict[str, Floats]:
        """Return micro F1, precision and recall, macro F1, and the share of words with the right tag."""
        counted = self.count(rows, times)
        hits, predicted, gold = (counts.sum(1) for counts in counted)
        words, right = (times @ rows[:, :2].astype(np.float64)).T
        return {
            "micro_f1": f1(hits, predicted, gold),
            "micro_precision": divide(hits, predicted),
            "micro_recall": divide(hits, gold),
            "macro_f1": macro_of_seen(*counted),
            "token_accuracy": divide(right, words),
        }

    def _of(self, name: str) -> int:
        if name not in self._place:
            raise InputError(
                f"a tag has the unknown type {name}",
                expected=f"one of {', '.join(self.labels)}",
                fix=did_you_mean(name, self.labels),
            )
        return self._place[name]


def _parts(tag: str, strict: Scheme | None = None) -> tuple[str, str]:
    """Return letter and type of a tag, both empty for `O`; a letter alone has the type `_`."""
    letter, dash, kind = tag.partition("-")
    if tag == OUTSIDE:
        return "", ""
    letters = strict.replace(OUTSIDE, "") if strict else "BIESLU"
    if len(letter) != 1 or letter not in letters or (dash and not kind):
        raise InputError(
            "a tag cannot be read",
            expected=f"{OUTSIDE}, or one of {', '.join(letters)} with a type, such as B-PER",
            found=repr(tag),
            fix=None
            if strict
            else "correct it; if these are no entities, let no tag begin with B-, I-, E- or S-",
        )
    return (letter if strict else _SAME.get(letter, letter)), kind or "_"


def _is_entity(letters: str, strict: Scheme | None) -> bool:
    """Tell if the letters of a run of tags, such as `BIE`, are those of an entity."""
    if strict == "BIO":
        return letters[0] == "B"
    if strict == "BIOES":
        return letters == "S" or (letters[0] == "B" and letters[-1] == "E")
    return True
