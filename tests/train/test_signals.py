"""Ctrl-C and SIGTERM become a wish to stop, once."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from ambos.train.signals import listen


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_is_a_wish(number: int) -> None:
    before = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
    with listen() as stop:
        assert not stop.asked
        os.kill(os.getpid(), number)
        time.sleep(0.01)
        assert stop.asked
    assert [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)] == before


def test_handlers_come_back_after_an_error() -> None:
    before = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
    with pytest.raises(ZeroDivisionError), listen():
        raise ZeroDivisionError
    assert [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)] == before


def test_a_second_ctrl_c_is_as_ever() -> None:
    with listen() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        assert stop.asked
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_a_second_sigterm_ends_the_process() -> None:
    script = """
import os, signal, time
from ambos.train.signals import listen
with listen() as stop:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.05)
    print(stop.asked, flush=True)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(5)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (-signal.SIGTERM, "True\n")


def test_other_threads_are_left_alone() -> None:
    """Only the main thread may set handlers; elsewhere nothing is heard, and nothing breaks."""
    heard = []

    def work() -> None:
        with listen() as stop:
            heard.append(stop.asked)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert heard == [False]
