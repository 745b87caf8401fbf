"""Random numbers as a pure function of what they are drawn for: no state, so any of them can be had at once.

A number depends on its key (seed, epoch, purpose) and its indices (example, position) and on nothing else:
not on what was drawn before, on the size of batches, or on how many processes share the work.
"""

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

_GOLDEN = 0x9E3779B97F4A7C15


@dataclass(frozen=True)
class Draws:
    """A family of independent uniform numbers, one for every tuple of indices.

    Examples
    --------
    >>> draws = Draws.of(0, "masking", 3)  # seed, purpose, epoch
    >>> draws.below(100, [0, 1, 2, 0]).tolist()
    [48, 39, 68, 48]
    """

    key: int

    @classmethod
    def of(cls, *parts: int | str) -> "Draws":
        """Make the family that belongs to a seed, a purpose, an epoch and so on."""
        named = "\0".join(f"{type(part).__name__}:{part}" for part in parts)
        return cls(int.from_bytes(hashlib.blake2b(named.encode(), digest_size=8).digest(), "little"))

    def bits(self, *indices: ArrayLike) -> NDArray[np.uint64]:
        """Return 64 random bits for every tuple of indices; indices broadcast against each other."""
        found = np.full(1, self.key, np.uint64)
        for given in indices:
            # SplitMix64 (Steele et al. 2014), once per index: the sum is a step of its counter.
            index = np.atleast_1d(np.asarray(given)).astype(np.uint64)
            found = _mix(found + (index + np.uint64(1)) * np.uint64(_GOLDEN))
        return found

    def uniform(self, *indices: ArrayLike) -> NDArray[np.float64]:
        """Return numbers in [0, 1)."""
        return (self.bits(*indices) >> np.uint64(11)) * np.float64(2.0**-53)

    def below(self, limit: ArrayLike, *indices: ArrayLike) -> NDArray[np.int64]:
        """Return whole numbers from 0 to `limit` - 1; limits below 2^40 are met without a bias to notice."""
        return np.floor(self.uniform(*indices) * np.asarray(limit)).astype(np.int64)

    def shuffled(self, places: ArrayLike, count: int) -> NDArray[np.int64]:
        """Return where a permutation of 0 to `count` - 1 takes `places`; nothing of that size is stored.

        A Feistel network over the next power of four, applied again to what falls outside.
        """
        found = np.atleast_1d(np.asarray(places)).astype(np.uint64)
        half = np.uint64(max(1, ((count - 1).bit_length() + 1) // 2))
        low = (np.uint64(1) << half) - np.uint64(1)
        outside = np.ones(found.shape, np.bool_)
        while outside.any():
            left, right = found[outside] >> half, found[outside] & low
            for turn in range(8):  # with four, small permutations come out unevenly
                left, right = right, left ^ (self.bits(turn, right) & low)
            found[outside] = (left << half) | right
            outside = found >= count
        return found.astype(np.int64)


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
