"""The number of processes that read runs in files; `workers` starts them.

>>> with reading_by(2):
...     jobs()
2
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_JOBS: ContextVar[int] = ContextVar("jobs", default=1)


@contextmanager
def reading_by(processes: int) -> Iterator[None]:
    """Read runs in this block with so many processes."""
    token = _JOBS.set(processes)
    try:
        yield
    finally:
        _JOBS.reset(token)


def jobs() -> int:
    """The number of processes; 1 is this process alone."""
    return _JOBS.get()
