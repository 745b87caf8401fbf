"""Ctrl-C at the right moment: held back while something must not be left half done."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interrupts_later() -> Iterator[None]:
    """Hold Ctrl-C back until the block is left; processes started in it never see one.

    It is sent to a whole group of processes. One that is still importing cannot ignore it, and ends with a
    traceback; so does one whose parent was interrupted while handing it its work. Blocked signals are
    inherited, but another thread of this process may still receive one: hence the handler.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    asked: list[int] = []
    here = threading.current_thread() is threading.main_thread()  # only there handlers are set and run
    handler = signal.signal(signal.SIGINT, lambda number, _: asked.append(number)) if here else None
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        if here:
            signal.signal(signal.SIGINT, signal.SIG_DFL if handler is None else handler)
    if asked:
        signal.raise_signal(signal.SIGINT)
