"""Runs in files, of which a thread begins to read the next one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from ..files.files import RunFile
from .named import Run


class RunsAhead(AbstractContextManager["RunsAhead"]):
    """Runs, of which a thread begins to read the next one while one is evaluated.

    The first one begins at once, while the qrels are read. The context ends what has begun, also
    after an error.
    """

    def __init__(self, runs: Sequence[Run]):
        self._left = iter(runs)
        self._current: Run | None = None
        self._next: Run | None = None
        self._begin_next()

    def __iter__(self) -> Iterator[Run]:
        while self._next is not None:
            self._current = self._next
            self._begin_next()
            yield self._current
            _close(self._current)  # another thread may have read a kept run meanwhile

    def __exit__(self, *error: object) -> None:
        _close(self._current)  # an error may come before it is read
        _close(self._next)

    def _begin_next(self) -> None:
        self._next = next(self._left, None)
        if self._next is not None:
            self._next = self._begun(self._next)

    @staticmethod
    def _begun(run: Run) -> Run:
        file = _file_to_read(run)
        if file is None:
            return run
        begun = file.begun()
        if run.kept_for is None:
            return replace(run, source=begun)
        run.source = begun  # of the run itself, which keeps what is read
        return run


def _file_to_read(run: Run) -> RunFile | None:
    """The file that the run reads when it is evaluated; None if it is in memory or was read."""
    was_read = run.is_read or run.parent is not None or run.received is not None
    if was_read or not isinstance(run.source, RunFile):
        return None
    return run.source


def _close(run: Run | None) -> None:
    """End the reading of a run that has begun, if nobody has read it."""
    if run is not None and isinstance(run.source, RunFile):
        run.source.close()
