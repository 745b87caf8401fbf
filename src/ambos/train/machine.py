"""What this machine can do: its matrix products; memory that is kept, and objects that are left alone."""

import ctypes
import gc
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Literal

import torch

from ambos.products import product

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


@contextmanager
def settled_objects() -> Iterator[None]:
    """Let Python's garbage collector pass over what is there already, for the time of the block.

    Imported modules are hundreds of thousands of objects; looking at them again and again took about
    3 % of a step of MiniLM.
    """
    if gc.get_freeze_count():  # somebody did so already, and it is theirs to undo
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


Precision = Literal["fp32", "bf16"]
TYPES: dict[Precision, torch.dtype] = {"fp32": torch.float32, "bf16": torch.bfloat16}
_WORTH = 1.3  # how many times as fast bf16 must be: casts take some of it back
_SIDE, _SMALL_SIDE = 1024, 128  # of the matrices that are multiplied
_TRIES = 5  # small products of each precision: the first one has to be prepared
_HOPELESS = 6  # how many times as long as in float32 a small product takes where bf16 is emulated


def best_precision() -> Precision:
    """Return bf16 where this machine multiplies such matrices faster than float32, else fp32.

    Of x86 processors their instructions tell: a clock may say something else the next time, and the same
    seed would then give other weights. Elsewhere products are timed. Emulated, bf16 can be a hundred times
    slower, and one large product take seconds. So small ones are tried first; only where these are not
    hopeless, large ones decide.
    """
    able = torch.cpu.get_capabilities()
    if able.get("architecture") == "x86_64":
        return "bf16" if able.get("avx512_bf16") or able.get("amx_bf16") else "fp32"
    small, small_bf16 = (min(islice(_times(_SMALL_SIDE, one), _TRIES)) for one in ("fp32", "bf16"))
    if small_bf16 > _HOPELESS * small:
        return "fp32"
    return "bf16" if matrix_speed(0.1, "bf16") > _WORTH * matrix_speed(0.1) else "fp32"


def matrix_speed(seconds: float = 0.3, precision: Precision = "fp32") -> float:
    """Return how many floating point operations a second matrix products reach on all cores."""
    best, end = float("inf"), time.perf_counter() + seconds
    for took in _times(_SIDE, precision):
        best = min(best, took)
        if time.perf_counter() >= end:
            break
    return 2 * _SIDE**3 / best


def _times(side: int, precision: Precision) -> Iterator[float]:
    """Yield how many seconds one product of two square matrices takes, again and again."""
    a, b = (torch.ones(side, side, dtype=TYPES[precision]) for _ in range(2))
    while True:
        start = time.perf_counter()
        product(a, b)
        yield time.perf_counter() - start
