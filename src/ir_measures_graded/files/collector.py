"""Lets Python's garbage collector wait while a reader makes many objects, all of which it keeps."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_waits = 0
_was_enabled = False


@contextmanager
def waiting_collector() -> Iterator[None]:
    """Let the garbage collector wait in this block, also if several threads are in one.

    It would search the objects again and again, which takes as long as parsing nested JSON.

    >>> with waiting_collector():
    ...     gc.isenabled()
    False
    """
    global _waits, _was_enabled
    with _lock:
        if not _waits:
            _was_enabled = gc.isenabled()
            gc.disable()
        _waits += 1
    try:
        yield
    finally:
        with _lock:
            _waits -= 1
            if not _waits and _was_enabled:
                gc.enable()
