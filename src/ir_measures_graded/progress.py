"""The progress of long work: a bar on standard error, or calls of a function.

Work tells its steps by `steps` or `counter`. They cost one look-up unless `followed` sets who
follows the work. A bar appears only after `DELAY` seconds, and tqdm is imported only then.

>>> told = []
>>> with followed(lambda *step: told.append(step)):
...     total = sum(steps([5, 7], "numbers"))
>>> total, told
(12, [('numbers', 1, 2), ('numbers', 2, 2)])
"""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from time import monotonic
from typing import Any, Final, TypeVar

from .arguments import refused
from .errors import needed

T = TypeVar("T")
Told = Callable[[str, int, int | None], object]
Progress = bool | Told | None
"""True for a bar on standard error; or a function, which is called after each step.

The function gets the name of the work, the number of steps done, and of all steps, None if that is
not known. The steps are runs, bytes of a file, random samples and others, as the name says. None
and False leave it to the caller: the work of a command, for example, is followed by the command.
"""

DELAY: Final = 2.0
"""A bar appears after so many seconds of work."""
FORM: Final = "{desc}: {percentage:3.0f} %|{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}]"
"""What a bar of a known number of steps shows."""
BYTES: Final = "B"
"""The unit of steps that are bytes, which a bar shows as kilobytes and so on."""


class Work:
    """Work that nobody follows."""

    def step(self, count: int = 1) -> None:
        """Tell that `count` further steps are done."""

    def end(self) -> None:
        """Tell that the work is done or was given up."""


class _ToldWork(Work):
    """Work whose steps a function is told."""

    def __init__(self, tell: Told, what: str, total: int | None):
        self._tell = tell
        self._what = what
        self._total = total
        self._done = 0

    def step(self, count: int = 1) -> None:
        self._done += count
        self._tell(self._what, self._done, self._total)


class _ShownWork(Work):
    """Work that a bar shows as soon as it has taken `DELAY` seconds."""

    def __init__(self, what: str, total: int | None, unit: str, works: "set[_ShownWork]"):
        self._what = what
        self._total = total
        self._unit = unit
        self._works = works
        self._done = 0
        self._began = monotonic()
        self._bar: Any = None
        self._lacks_tqdm = False

    def step(self, count: int = 1) -> None:
        self._done += count
        if self._bar is not None:
            self._bar.update(count)
        elif not self._lacks_tqdm and monotonic() - self._began >= DELAY:
            self._bar = self._opened()
            self._lacks_tqdm = self._bar is None  # a module that lacks is looked for only once
            self._works.add(self)

    def _opened(self) -> Any:
        """The bar, which counts from the beginning of the work; None without tqdm."""
        try:
            from tqdm import tqdm  # takes time
        except ImportError:
            return None
        form = None
        if self._total is not None:
            form = FORM
        bar = tqdm(
            desc=self._what,
            total=self._total,
            unit=self._unit,
            unit_scale=self._unit == BYTES,
            file=sys.stderr,
            leave=False,
            dynamic_ncols=True,
            bar_format=form,
            smoothing=0,  # the time left is that of the mean speed
            delay=1e-9,  # so that tqdm does not print a bar of 0 steps first
        )
        bar.start_t -= monotonic() - self._began
        bar.update(self._done)
        bar.refresh()
        return bar

    def end(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
            self._works.discard(self)


_Begin = Callable[[str, int | None, str], Work]
_NOBODY: Final = Work()
_begin: ContextVar[_Begin | None] = ContextVar("progress", default=None)
"""Begins work for whoever follows it; None if nobody does."""


class HeldSteps:
    """The steps of work that a thread does in advance, which are told when somebody waits for it.

    They would otherwise be told among those of the work that is awaited before, and a bar would
    count the time in which the thread did nothing.

    >>> told = []
    >>> with followed(lambda *step: told.append(step)):
    ...     held = HeldSteps()
    ...     held.hold()
    ...     total = sum(steps([5, 7], "numbers"))
    ...     number_told = len(told)
    ...     held.release()
    >>> number_told, told
    (0, [('numbers', 1, 2), ('numbers', 2, 2)])
    """

    def __init__(self) -> None:
        self.are_held = True
        self._begin = _begin.get()
        self._works: deque[_HeldWork] = deque()

    def hold(self) -> None:
        """Hold the steps of the work that begins in this context from now on."""
        if self._begin is not None:
            _begin.set(self._held_work)

    def _held_work(self, what: str, total: int | None, unit: str) -> Work:
        assert self._begin is not None
        work = _HeldWork(self, self._begin, (what, total, unit))
        self._works.append(work)
        return work

    def release(self) -> None:
        """Tell all steps so far, and further ones when they are done."""
        self.are_held = False
        for work in list(self._works):
            work.tell()

    def drop(self) -> None:
        """Tell no further steps, also not those that wait."""
        self.are_held = True


class _HeldWork(Work):
    """Work whose steps wait until they may be told, in their order."""

    def __init__(self, held: HeldSteps, begin: _Begin, about: tuple[str, int | None, str]):
        self._held = held
        self._begin_work = begin
        self._about = about
        self._work: Work | None = None
        self._steps: deque[int | None] = deque()  # None is the end
        self._telling = Lock()

    def step(self, count: int = 1) -> None:
        self._steps.append(count)
        self.tell()

    def end(self) -> None:
        self._steps.append(None)
        self.tell()

    def tell(self) -> None:
        """Tell the steps that wait, unless another thread does so.

        No thread waits for the lock, which a signal could leave taken.
        """
        while self._steps and not self._held.are_held and self._telling.acquire(blocking=False):
            try:
                self._tell_next()
            finally:
                self._telling.release()

    def _tell_next(self) -> None:
        if not self._steps:  # another thread has just told the last one
            return
        count = self._steps.popleft()
        if self._work is None:
            self._work = self._begin_work(*self._about)
        if count is None:
            self._work.end()
        else:
            self._work.step(count)


def checked_progress(name: str, value: Any) -> Progress:
    """The value of the parameter of a function. A bar needs the extra ``terminal``.

    >>> checked_progress("progress", "yes")
    Traceback (most recent call last):
    ir_measures_graded.errors.GradedError: progress='yes' is not allowed; progress is True, False \
or a function
    """
    if value is None or value is False:
        return None
    if value is True:
        needed("tqdm", "a progress bar", "terminal")
        return True
    if callable(value):
        return value
    raise refused(name, value, "True, False or a function")


@contextmanager
def followed(progress: Progress) -> Iterator[None]:
    """Show the work in this block as a bar (True), or call a function after each step.

    Without tqdm no bar is shown. Bars are removed at the end of the block, also after an error.
    """
    if progress is None or progress is False:
        yield
        return
    works: set[_ShownWork] = set()

    def begin(what: str, total: int | None, unit: str) -> Work:
        if callable(progress):
            return _ToldWork(progress, what, total)
        return _ShownWork(what, total, unit, works)

    token = _begin.set(begin)
    try:
        yield
    finally:
        _begin.reset(token)
        for work in list(works):
            work.end()


@contextmanager
def untold() -> Iterator[None]:
    """Tell nobody about the work that begins in this block."""
    token = _begin.set(None)
    try:
        yield
    finally:
        _begin.reset(token)


def counter(what: str, total: int | None = None, unit: str = "it") -> Work:
    """Work that counts its own steps, by `Work.step`, and tells its `Work.end`."""
    begin = _begin.get()
    if begin is None:
        return _NOBODY
    return begin(what, total, unit)


def steps(things: Iterable[T], what: str, total: int | None = None) -> Iterable[T]:
    """The same things, each of them a step of the work. `what` names them in the plural.

    By default the number of steps is that of the things, if it is known.
    """
    if _begin.get() is None:
        return things
    if total is None and isinstance(things, Sized):
        total = len(things)
    return _counted(things, counter(what, total))


def _counted(things: Iterable[T], work: Work) -> Iterator[T]:
    """The things; each one is a step that is done when the next one is asked for."""
    try:
        for thing in things:
            yield thing
            work.step()
    finally:
        work.end()
