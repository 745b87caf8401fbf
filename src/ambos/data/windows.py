"""Texts longer than a model reads: cut, kept at both ends, cut into windows, or refused; and what was cut."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from ambos.errors import InputError

Long = Literal["cut", "ends", "windows", "refuse"]
LONG: tuple[str, ...] = get_args(Long)


@dataclass
class Ledger:
    """What became of texts that were too long; every command that cuts shows it.

    Parameters
    ----------
    texts, tokens
        Seen so far.
    long_texts
        How many were longer than the limit.
    cut_tokens
        How many tokens were left out.
    windows
        How many windows long texts became, where nothing is left out.
    """

    texts: int = 0
    tokens: int = 0
    long_texts: int = 0
    cut_tokens: int = 0
    windows: int = 0

    def summary(self, limit: int) -> str | None:
        """Return one line to show, or None if nothing was too long."""
        if not self.long_texts:
            return None
        share = f"{self.long_texts:,} of {self.texts:,} texts were longer than {limit:,} tokens"
        if self.windows:
            return f"{share} and were read in {self.windows:,} windows"
        return f"{share}: {self.cut_tokens:,} of {self.tokens:,} tokens were left out"


def fit(
    ids: Sequence[int], limit: int, around: tuple[int, int], how: Long, ledger: Ledger
) -> list[list[int]]:
    """Return one sequence of at most `limit` ids, or several if `how` is windows.

    Parameters
    ----------
    ids
        A whole text with its special tokens.
    around
        How many special tokens stand before and after the text; they are kept in every window.
    how
        cut: the beginning; ends: beginning and end; windows: all of it, in windows that overlap by a quarter;
        refuse: `InputError`.
    ledger
        Told what happened.

    Examples
    --------
    >>> fit([1, 5, 6, 7, 8, 2], 4, (1, 1), "ends", Ledger())
    [[1, 5, 8, 2]]
    """
    ledger.texts += 1
    ledger.tokens += len(ids)
    if len(ids) <= limit:
        return [list(ids)]
    ledger.long_texts += 1
    before, after = list(ids[: around[0]]), list(ids[len(ids) - around[1] :])
    body, room = list(ids[around[0] : len(ids) - around[1]]), limit - sum(around)
    if how == "refuse" or room < 1:
        raise InputError(
            "a text is longer than the model can read",
            expected=f"at most {limit:,} tokens",
            found=f"{len(ids):,} tokens",
            fix="shorten it, or let it be read in windows with --long windows",
        )
    if how == "windows":
        stride = max(1, room - room // 4)
        starts = range(0, max(1, len(body) - room // 4), stride)
        ledger.windows += len(starts)
        return [before + body[start : start + room] + after for start in starts]
    ledger.cut_tokens += len(body) - room
    if how == "ends":
        tail = room // 2
        return [before + body[: room - tail] + body[len(body) - tail :] + after]
    return [before + body[:room] + after]
