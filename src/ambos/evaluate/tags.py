"""A tag for every word of a sentence, such as its part of speech: accuracy, F1, Matthews, confusions."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ambos.errors import InputError
from ambos.evaluate.bootstrap import Floats, Tally
from ambos.evaluate.classification import metrics_of
from ambos.evaluate.evaluation import ClassEvaluation, Counts, check_sentences
from ambos.evaluate.sparse_rows import Rows, sparse_counts
from ambos.suggest import did_you_mean

Sentences = Sequence[Sequence[str]]


class Tags(ClassEvaluation):
    """Sentences of tags. The metrics are those of `Confusion` over all words.

    A row is what one sentence has: of each label the words that are right, predicted and gold; it is sparse,
    since a sentence has few of the labels. Words of one
    sentence are alike (a genre, a topic, a slip that brings another), so the interval draws sentences, not
    words: drawing words would make it too narrow.

    Parameters
    ----------
    labels
        All tags.

    Examples
    --------
    >>> tags = Tags(["NOUN", "VERB"])
    >>> tags.add([["NOUN", "VERB"], ["NOUN"]], [["NOUN", "NOUN"], ["NOUN"]])  # gold, predicted
    >>> tags.matrix.tolist(), round(tags.values()["accuracy"], 3)
    ([[2, 0], [1, 0]], 0.667)
    """

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__(labels, Tally(3 * len(labels), np.int32, sparse=True))
        self._place = {name: place for place, name in enumerate(self.labels)}
        self._matrix = np.zeros((len(self.labels), len(self.labels)), np.int64)

    def rows(self, gold: Sentences, predicted: Sentences) -> csr_array:
        """Return n sentences as sparse rows (n, 3 L), from the tags of their words."""
        check_sentences(gold, predicted)
        owner = np.repeat(np.arange(len(gold)), [len(tags) for tags in gold])
        there, said = self._ids(gold), self._ids(predicted)
        size = len(self.labels)
        right = there == said
        owners = np.concatenate([owner[right], owner, owner])
        places = np.concatenate([there[right], size + said, 2 * size + there])
        return sparse_counts(owners, places, (len(gold), 3 * size))

    def take(self, gold: Sentences, predicted: Sentences) -> Rows:
        """Take in n sentences, each a sequence of tags; return their rows."""
        rows = super().take(gold, predicted)
        np.add.at(self._matrix, (self._ids(gold), self._ids(predicted)), 1)
        return rows

    @property
    def matrix(self) -> NDArray[np.int64]:
        """Words by gold (rows) and predicted (columns) tag, (L, L)."""
        return self._matrix

    def count(self, rows: Rows, times: Floats) -> Counts:
        """Return hits, predicted and gold, (b, L) each."""
        hits, predicted, gold = np.split(times @ rows.astype(np.float64), 3, axis=1)
        return hits, predicted, gold

    def summary(self, counts: Counts, rows: Rows, times: Floats) -> dict[str, Floats]:  # noqa: ARG002
        """Return accuracy, macro and micro F1, and the Matthews correlation, over words."""
        return metrics_of(*counts)

    def _ids(self, sentences: Sentences) -> NDArray[np.intp]:
        try:
            return np.array([self._place[tag] for tags in sentences for tag in tags], np.intp)
        except KeyError as error:
            name = str(error.args[0])
            raise InputError(
                f"there is no tag {name[:60]!r} among those that are known",
                expected=f"one of {', '.join(self.labels)}",
                fix=did_you_mean(name, self.labels),
            ) from error
