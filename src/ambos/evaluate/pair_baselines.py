"""What pairs of texts give away without an encoder: commonest answer, one side, shared words, TF-IDF."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pairs = Sequence[tuple[str, str]]
COMMONEST, SECOND_ALONE, OVERLAP, TFIDF = "commonest answer", "second text alone", "shared words", "TF-IDF"
BOTH = "shared words, TF-IDF"
BASELINES: Mapping[str, str] = {
    COMMONEST: "the commonest label of the training pairs, or their mean score",
    SECOND_ALONE: "TF-IDF of the second text only (hypothesis only), linear: what needs no first text",
    OVERLAP: "six figures of shared words and lengths, linear",
    TFIDF: "TF-IDF of both texts, their difference and product, linear",
    BOTH: "the figures of shared words and TF-IDF together, linear",
}
_WORD = re.compile(r"\w+")


def predict_baselines(
    train: Pairs, targets: NDArray[Any], test: Pairs, *, scores: bool
) -> dict[str, NDArray[Any]]:
    """Return what each baseline says of the test pairs.

    Parameters
    ----------
    targets
        (train,) numbers of labels, or scores.
    scores
        Which of the two: ridge regression for scores, logistic regression for labels.

    Examples
    --------
    >>> train = [("a b", "a b"), ("a b", "c d"), ("e f", "e f"), ("e f", "g h")] * 5
    >>> test = [("x y", "x y"), ("x y", "z w")]
    >>> found = predict_baselines(train, np.array([1, 0, 1, 0] * 5), test, scores=False)
    >>> found["shared words"].tolist()
    [1, 0]
    """
    fit = _ridge if scores else _logistic
    commonest = targets.mean() if scores else np.bincount(targets).argmax()
    found = {COMMONEST: np.full(len(test), commonest)}
    from scipy.sparse import hstack  # noqa: PLC0415 (slow to import)

    features = {
        SECOND_ALONE: _second(train, test),
        OVERLAP: _overlap(train, test),
        TFIDF: _tfidf(train, test),
    }
    features[BOTH] = tuple(map(hstack, zip(features[OVERLAP], features[TFIDF], strict=True)))
    for name, (learnt, measured) in features.items():
        if learnt.shape[1]:
            found[name] = fit(learnt, targets, measured)
        else:  # texts without a word tell nothing
            found[name] = found[COMMONEST]
    return found


def hold_out_baselines(
    pairs: Pairs, targets: NDArray[Any], fold_of: NDArray[np.int64], *, scores: bool
) -> dict[str, NDArray[Any]]:
    """Return what each baseline says of every pair when it has learnt from the other folds.

    Parameters
    ----------
    fold_of
        (pairs,) the fold of each: those of whatever the baselines stand beside.
    """
    found: dict[str, NDArray[Any]] = {}
    for number in np.unique(fold_of).tolist():
        out = np.flatnonzero(fold_of == number)
        kept = np.flatnonzero(fold_of != number)
        some, others = ([pairs[place] for place in places.tolist()] for places in (kept, out))
        for name, said in predict_baselines(some, targets[kept], others, scores=scores).items():
            found.setdefault(name, np.zeros(len(pairs), said.dtype))[out] = said
    return found


def _logistic(train: Any, targets: NDArray[Any], test: Any) -> NDArray[Any]:  # noqa: ANN401 (matrices)
    from sklearn.linear_model import (  # type: ignore[import-untyped]  # noqa: PLC0415 (slow to import)
        LogisticRegression,
    )

    if len(np.unique(targets)) < 2:
        return np.full(test.shape[0], targets[0])
    model = LogisticRegression(C=10.0, max_iter=1000)
    return np.asarray(model.fit(train, targets).predict(test))


def _ridge(train: Any, targets: NDArray[Any], test: Any) -> NDArray[Any]:  # noqa: ANN401
    from sklearn.linear_model import Ridge  # noqa: PLC0415

    found = Ridge(alpha=1.0).fit(train, targets).predict(test)
    return np.asarray(found).reshape(-1)  # of one sparse row it is a bare number


def _second(train: Pairs, test: Pairs) -> tuple[Any, Any]:
    return _vectors([second for _, second in train], [second for _, second in test])


def _vectors(train: list[str], *others: list[str]) -> tuple[Any, ...]:
    from scipy.sparse import csr_array  # noqa: PLC0415
    from sklearn.feature_extraction.text import (  # type: ignore[import-untyped]  # noqa: PLC0415
        TfidfVectorizer,
    )

    if not any(_WORD.search(text) for text in train):
        return tuple(csr_array((len(texts), 0)) for texts in (train, *others))
    words = TfidfVectorizer(
        token_pattern=_WORD.pattern,
        ngram_range=(1, 2),
        sublinear_tf=True,
        max_features=50_000,
    )
    return words.fit_transform(train), *(words.transform(other) for other in others)


def _tfidf(train: Pairs, test: Pairs) -> tuple[Any, Any]:
    from scipy.sparse import hstack  # noqa: PLC0415

    count, whole = len(train), [*train, *test]
    sides = [[pair[side] for pair in whole] for side in (0, 1)]
    _, a, b = _vectors([*sides[0][:count], *sides[1][:count]], *sides)
    features = hstack([a, b, abs(a - b), a.multiply(b)]).tocsr()
    return features[:count], features[count:]


def _overlap(train: Pairs, test: Pairs) -> tuple[Any, Any]:
    learnt, measured = (np.array([overlap(*pair) for pair in pairs]) for pairs in (train, test))
    mean, deviation = learnt.mean(0), learnt.std(0)
    deviation[deviation == 0] = 1.0
    return (learnt - mean) / deviation, (measured - mean) / deviation


def overlap(first: str, second: str) -> list[float]:
    """Return figures of what two texts share.

    Words in both divided by words in any; shares of the first's words in the second, and of the second's in
    the first; shared threes of characters divided by all; lengths, their logarithms' difference; and how
    much longer the first is, in words.

    >>> [round(one, 2) for one in overlap("o gato dorme", "o gato come")]
    [0.5, 0.67, 0.67, 0.36, 0.0, 0.0]
    """
    a, b = (set(_WORD.findall(text.casefold())) for text in (first, second))
    threes_a, threes_b = (
        {text[place : place + 3] for place in range(max(1, len(text) - 2))}
        for text in (first.casefold(), second.casefold())
    )
    both = len(a & b)
    return [
        both / max(1, len(a | b)),
        both / max(1, len(a)),
        both / max(1, len(b)),
        len(threes_a & threes_b) / max(1, len(threes_a | threes_b)),
        float(np.log((1 + len(a)) / (1 + len(b)))),
        float(len(a) - len(b)),
    ]
