"""A bag-of-words naive Bayes: what a set gives away through single words."""

import math
import re
from collections import Counter, defaultdict


def words(text):
    return set(re.findall(r"\w+", text.lower()))


def accuracy(train, test):
    """Train on (features, label) pairs and return the share of `test` guessed right."""
    labels = Counter(label for _, label in train)
    counts = defaultdict(Counter)
    for features, label in train:
        counts[label].update(features)
    vocabulary = {feature for counter in counts.values() for feature in counter}

    def guess(features):
        def score(label):
            present = sum(
                math.log((counts[label][feature] + 1) / (labels[label] + 2))
                for feature in features
                if feature in vocabulary
            )
            return math.log(labels[label]) + present

        return max(sorted(labels), key=score)

    return sum(guess(features) == label for features, label in test) / len(test)
