"""The threads that read a file in advance and parse what they have read."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Lock, Thread, get_ident
from typing import Any, TypeVar

from ..progress import HeldSteps

AHEAD = 8  # blocks read in advance; an evaluated block of text consists of several
PATIENCE = 1.0  # seconds after which a file is closed although a thread still reads

Block = TypeVar("Block")
Parsed = TypeVar("Parsed")


def results_of(
    parts: Iterator[Block], parsed: Callable[[Block], Parsed], threads: int
) -> Generator[Parsed]:
    """What `parsed` makes of each of the parts that so many threads read, in their order.

    The context variables of the caller, such as the levels of words, hold for the threads, too.
    Each thread reads the next part as soon as no other one reads, and then parses it.

    In the end no thread reads, so the file can be closed. The threads end soon after. They are not
    joined: the garbage collector may close this generator anywhere, even in one of its threads or
    while another thread starts, and joining would then never end. For the same reason, only the
    caller submits work: a thread that submits holds locks which the end needs.

    Caller and threads share no lock that is taken by Python code, such as those of futures and
    semaphores: a signal can end such code after it took the lock, and the thread that waits for the
    lock would keep the process from ending.
    """
    context = copy_context()
    pool = ThreadPoolExecutor(threads)
    pool._idle_semaphore = _IdleThreads()  # type: ignore[assignment]
    readings = _Readings(parts, parsed)
    results: deque[SimpleQueue[Any]] = deque()
    try:
        while True:
            while len(results) < AHEAD:
                results.append(readings.next_result())
                pool.submit(context.copy().run, readings.read)
            result, error = results.popleft().get()
            if error is not None:
                raise error
            if result is None:
                break
            yield result
    finally:
        error = None  # it refers to this frame
        readings.are_over = True
        pool.shutdown(wait=False)  # what is submitted ends at once
        readings.wait()


class BegunParts:
    """The parts of a file, of which a thread reads the first one at once.

    The context variables of the caller hold for the thread. The progress of its reading is told
    when the parts are asked for. `parts` has them all, once; whoever does not need them calls
    `close`. Raises `RuntimeError` if no thread can start.
    """

    def __init__(self, parts: Generator[Any]):
        self._parts = parts
        self._first: SimpleQueue[Any] = SimpleQueue()
        self._end_of_first: SimpleQueue[None] = SimpleQueue()  # which `parts` does not take
        self._steps = HeldSteps()
        context = copy_context()
        context.run(self._steps.hold)
        Thread(target=context.run, args=(self._read_first,)).start()

    def _read_first(self) -> None:
        try:
            self._first.put((next(self._parts, None), None))
        except BaseException as error:
            self._first.put((None, error))
        self._end_of_first.put(None)

    def parts(self) -> Generator[Any]:
        """All parts. Raises the error of a file that cannot be read."""
        try:
            self._steps.release()
            first, error = self._first.get()
        except BaseException:  # Ctrl-C, or the error of a function that is told
            self.close()
            raise
        with closing(self._parts):
            try:
                if error is not None:
                    raise error
            finally:
                error = None  # it refers to this frame
            if first is not None:
                yield first
                first = None  # its memory becomes free
                yield from self._parts

    def close(self) -> None:
        """Close the file. If a thread reads for longer than `PATIENCE`, it is closed after that.

        Its progress is told no more.
        """
        self._steps.drop()
        with suppress(Empty):
            self._end_of_first.get(timeout=PATIENCE)
            self._parts.close()
            self._first = SimpleQueue()  # an error in it refers to this object and to the file


class _IdleThreads(SimpleQueue[None]):
    """The idle threads of a pool, counted without a lock that is taken by Python code."""

    def acquire(self, timeout: float) -> bool:
        """Whether there was an idle thread. The pool passes 0 and so does not wait."""
        try:
            self.get_nowait()
        except Empty:
            return False
        return True

    def release(self) -> None:
        """Count one more idle thread."""
        self.put(None)


class _Readings:
    """The parts of a content that threads read in turns, and parse side by side."""

    def __init__(self, parts: Iterator[Any], parsed: Callable[[Any], Any]):
        self.are_over = False
        self._parts = parts
        self._parsed = parsed
        self._awaited: deque[SimpleQueue[Any]] = deque()
        self._turn = Lock()
        self._reader = 0

    def next_result(self) -> SimpleQueue[Any]:
        """A queue for what is made of the next part, None at the end, and for the error if it
        cannot be made.
        """
        result: SimpleQueue[Any] = SimpleQueue()
        self._awaited.append(result)
        return result

    def read(self) -> None:
        """Read and parse the next part."""
        with self._turn:
            self._reader = get_ident()
            result = self._awaited.popleft()
            try:
                part = self._next()
            except BaseException as error:
                result.put((None, error))
                return
        try:
            if part is not None:
                part = self._parsed(part)
            result.put((part, None))
        except BaseException as error:
            result.put((None, error))

    def _next(self) -> Any:
        """The next part; None at the end."""
        if self.are_over:
            return None
        return next(self._parts, None)

    def wait(self) -> None:
        """Wait until no other thread reads. After `PATIENCE`, closing the file ends the reading."""
        is_own_turn = self._reader == get_ident() and self._turn.locked()
        if not is_own_turn and self._turn.acquire(timeout=PATIENCE):
            self._turn.release()
