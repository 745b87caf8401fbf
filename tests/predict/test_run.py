"""Batches on several cores: in order, errors pass, and the number of threads is what it was."""

import threading
import time

import pytest
import torch

from ambos.errors import UsageError
from ambos.predict.run import choose_device, run_all

CPU = torch.device("cpu")


@pytest.fixture(params=[1, 2, 4], autouse=True)
def threads(request):
    """Each test with several numbers of threads, whatever the machine has."""
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    assert torch.get_num_threads() == request.param
    torch.set_num_threads(before)


@pytest.mark.parametrize("count", [0, 1, 2, 50])
@pytest.mark.parametrize("workers", [None, 1, 2])
def test_results_come_in_order(count, workers) -> None:
    def slow_first(number: int) -> int:
        time.sleep(0.002 if number % 3 == 0 else 0)
        return number * number

    assert list(run_all(slow_first, range(count), CPU, workers)) == [n * n for n in range(count)]


def test_on_several_threads_without_gradients(threads) -> None:
    names = set()

    def look(number: int) -> bool:
        names.add(threading.current_thread().name)
        time.sleep(0.002)
        return torch.is_inference_mode_enabled()

    assert all(run_all(look, range(40), CPU))
    assert 1 <= len(names) <= threads
    assert (len(names) > 1) == (threads > 1)
    assert not torch.is_inference_mode_enabled()


@pytest.mark.parametrize("bad", [0, 1, 7, 29])
def test_errors_pass(bad, threads) -> None:
    def fail(number: int) -> int:
        if number == bad:
            raise KeyError(number)
        return number

    found = []
    with pytest.raises(KeyError, match=str(bad)):
        found.extend(run_all(fail, range(30), CPU))
    assert found == list(range(len(found)))
    assert torch.get_num_threads() == threads


def test_errors_of_the_items_pass(threads) -> None:
    def items():
        yield from range(10)
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        list(run_all(lambda number: number, items(), CPU))
    assert torch.get_num_threads() == threads


def test_abandoned_half_way(threads) -> None:
    """Nothing goes on behind one's back, and items that were not begun are not."""
    begun = []

    def work(number: int) -> int:
        begun.append(number)
        return number

    results = run_all(work, range(10_000), CPU)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    results.close()
    assert torch.get_num_threads() == threads
    after = len(begun)
    assert after < 100
    time.sleep(0.01)
    assert len(begun) == after


def test_items_are_taken_as_they_are_needed() -> None:
    taken = 0

    def items():
        nonlocal taken
        for number in range(10_000):
            taken += 1
            yield number

    results = run_all(lambda number: number, items(), CPU)
    next(results)
    assert taken < 100
    results.close()


def test_devices() -> None:
    assert choose_device("cpu") == choose_device("cpu:0") or choose_device("cpu:0").index == 0
    assert choose_device(None).type in {"cpu", "cuda", "mps"}
    for name in ("tpu", "", "cpu:", "cpu:1", "cpu:x", "cuda:99", ":0", "cpu:-1"):
        with pytest.raises(UsageError, match="there is no device") as caught:
            choose_device(name)
        assert "cpu" in caught.value.expected
        assert caught.value.fix
