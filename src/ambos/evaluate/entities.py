"""Named entities from tags: spans, and how many of them are found whole."""

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from ambos.errors import InputError
from ambos.evaluate.bootstrap import Floats, Tally
from ambos.evaluate.evaluation import ClassEvaluation, Counts, check_sentences, macro_of_seen
from ambos.evaluate.ratios import divide, f1
from ambos.evaluate.sparse_rows import Rows, sparse_counts
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
    of each type; it is sparse. Sentences, not words or entities, are what the interval draws again.
    `macro_f1` is over the types that occur.

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

    before = 2

    def __init__(self, types: Sequence[str], *, strict: Scheme | None = None) -> None:
        super().__init__(types, Tally(2 + 3 * len(types), np.int64, sparse=True))
        self.strict = strict
        self._place = {name: place for place, name in enumerate(self.labels)}

    def rows(self, gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> csr_array:
        """Return n sentences as sparse rows (n, 2 + 3 types), from the tags of their words."""
        check_sentences(gold, predicted)
        places: list[int] = []
        ends = [0]
        for there, said in zip(gold, predicted, strict=True):
            places += [0] * len(there) + [1] * sum(map(str.__eq__, there, said))
            golden, claimed = set(spans(there, self.strict)), set(spans(said, self.strict))
            for part, entities in enumerate((golden & claimed, claimed, golden)):
                first = 2 + part * len(self.labels)
                places += [first + self._of(kind) for kind, _, _ in entities]
            ends.append(len(places))
        owners = np.repeat(np.arange(len(gold)), np.diff(ends))
        return sparse_counts(owners, np.array(places, np.intp), (len(gold), self.tally.width))

    def add(self, gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> None:
        """Take in n sentences, each a sequence of tags."""
        self.take(gold, predicted)

    def count(self, rows: Rows, times: Floats) -> Counts:
        """Return entities found, predicted and gold, (b, types) each."""
        hits, predicted, gold = np.split(times @ rows[:, 2:].astype(np.float64), 3, axis=1)
        return hits, predicted, gold

    def summary(self, counts: Counts, rows: Rows, times: Floats) -> dict[str, Floats]:
        """Return micro F1, precision and recall, macro F1, and the share of words with the right tag."""
        hits, predicted, gold = (one.sum(1) for one in counts)
        words, right = (times @ rows[:, :2].astype(np.float64)).T
        return {
            "micro_f1": f1(hits, predicted, gold),
            "micro_precision": divide(hits, predicted),
            "micro_recall": divide(hits, gold),
            "macro_f1": macro_of_seen(*counts),
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
