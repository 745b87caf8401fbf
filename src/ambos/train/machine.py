"""What this machine can do: its matrix products, and memory that is kept instead of given back."""

import ctypes
import sys
import time
from contextlib import suppress
from typing import Literal

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


Precision = Literal["fp32", "bf16"]
TYPES: dict[Precision, torch.dtype] = {"fp32": torch.float32, "bf16": torch.bfloat16}
_WORTH = 1.3  # how many times as fast bf16 must be: casts take some of it back


def best_precision() -> Precision:
    """Return bf16 where this machine multiplies such matrices faster than float32, else fp32."""
    return "bf16" if matrix_speed(0.1, "bf16") > _WORTH * matrix_speed(0.1) else "fp32"


def matrix_speed(seconds: float = 0.3, precision: Precision = "fp32") -> float:
    """Return how many floating point operations a second matrix products reach on all cores."""
    a, b, out = (torch.ones(1024, 1024, dtype=TYPES[precision]) for _ in range(3))
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        torch.mm(a, b, out=out)
        best = min(best, time.perf_counter() - start)
    return 2 * 1024**3 / best
