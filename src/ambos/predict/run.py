"""Batches through a network, on all cores: one batch per core at a time, results in order."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain, islice
from typing import TypeVar

import numpy as np
import torch

from ambos.data.examples import Examples, Labelled
from ambos.errors import UsageError

Item = TypeVar("Item")
Result = TypeVar("Result")

# Tokens of a batch: on a CPU its activations should fit the caches of one core, elsewhere fill the device.
CPU_BUDGET = 1024
DEVICE_BUDGET = 16_384
_MAX_WORKERS = 8  # beyond, the interpreter's lock would begin to show
# Calls from several threads at once: the first has the pool, the others work in the thread they were made in.
_ONE_POOL = threading.Lock()


def choose_device(name: str | None = None) -> torch.device:
    """Return the device asked for, or the best there is: cuda, mps, cpu.

    Only the CPU is exercised by the tests; cuda and mps run the same code without packed weights.
    """
    available = ["cpu"]
    if torch.cuda.is_available():
        available.insert(0, "cuda")
    if torch.backends.mps.is_available():
        available.insert(0, "mps")
    if name is None:
        return torch.device(available[0])
    kind, numbered, number = name.partition(":")
    several = torch.cuda.device_count() if kind == "cuda" else 1
    if kind not in available or (numbered and number not in map(str, range(several))):
        raise UsageError(
            f"there is no device {name!r} here",
            expected=f"one of {', '.join(available)}",
            fix="leave --device out to take the best there is",
        )
    return torch.device(name)


def count_workers(device: torch.device) -> int:
    """Return how many batches are worked on at once on a device."""
    return min(torch.get_num_threads(), _MAX_WORKERS) if device.type == "cpu" else 1


def budget_of(device: torch.device) -> int:
    """Return how many tokens a batch has on a device."""
    return CPU_BUDGET if device.type == "cpu" else DEVICE_BUDGET


def run_examples(
    examples: Examples, function: Callable[[Labelled], Result], device: torch.device
) -> Iterator[tuple[Labelled, Result]]:
    """Yield examples in batches of like lengths, each with `function(batch)`; see `run_all`.

    What is found of a batch belongs to the examples with its `numbers`.
    """
    whole = np.arange(len(examples))
    parts = list(examples.parts(whole, budget_of(device), device, workers=count_workers(device)))
    yield from zip(parts, run_all(function, parts, device), strict=True)


def run_all(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    device: torch.device,
    workers: int | None = None,
) -> Iterator[Result]:
    """Yield `function(item)` for every item, in order, computed without gradients on all cores.

    On a CPU, each core takes whole batches of its own: the work of one batch is too small to share, and cores
    that wait for each other at every operation lose about a tenth of their time.
    """
    items = iter(items)
    ahead = list(islice(items, 2))
    wanted = min(workers or _MAX_WORKERS, count_workers(device))
    alone = wanted == 1 or len(ahead) < 2
    if alone or not _ONE_POOL.acquire(blocking=False):
        for item in chain(ahead, items):
            yield _without_gradients(function, item)
        return
    with _pool(wanted, torch.get_num_threads()) as pool:
        pending: deque[Future[Result]] = deque()
        for item in chain(ahead, items):
            pending.append(pool.submit(_without_gradients, function, item))
            if len(pending) > 4 * wanted:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


def _without_gradients(function: Callable[[Item], Result], item: Item) -> Result:
    with torch.inference_mode():
        return function(item)


@contextmanager
def _pool(workers: int, cores: int) -> Iterator[ThreadPoolExecutor]:
    """Give a pool whose threads share the cores; each uses its part inside an operation."""
    parts = [cores // workers + (number < cores % workers) for number in range(workers)]
    pool = ThreadPoolExecutor(workers, "ambos", initializer=lambda: torch.set_num_threads(parts.pop()))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(cores)  # threads made later take what was set last, anywhere
        _ONE_POOL.release()
