"""What this machine can do: its matrix products, and memory that is kept instead of given back."""

import ctypes
import sys
import time
from contextlib import suppress

import torch

_TRIM, _TOP_PAD, _MMAP = -1, -2, -3  # names of glibc's mallopt(3)
_LARGEST_KEPT = 32 << 20  # glibc takes no larger threshold


def keep_memory() -> None:
    """Ask the C library to keep freed memory: new pages for every step cost about 4 % of its time.

    Only glibc understands; elsewhere nothing happens.
    """
    if not sys.platform.startswith("linux"):
        return
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP, _LARGEST_KEPT)
        library.mallopt(_TRIM, 2**31 - 1)
        library.mallopt(_TOP_PAD, 64 << 20)


def matrix_speed(seconds: float = 0.3) -> float:
    """Return how many floating point operations a second float32 matrix products reach on all cores."""
    a, b = torch.ones(1024, 1024), torch.ones(1024, 1024)
    out = torch.empty(1024, 1024)
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        torch.mm(a, b, out=out)
        best = min(best, time.perf_counter() - start)
    return 2 * 1024**3 / best
