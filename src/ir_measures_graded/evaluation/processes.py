"""Work that several processes share, each item by one of them, results in order."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, TypeVar

from ..errors import GradedError

Item = TypeVar("Item")
Work = Callable[[Item], Any]
_Outcome = tuple[Any, Exception | None, list[Warning]]
"""What comes of an item, or what went wrong, and the warnings on the way."""

_work: list[Work[Any]] = []  # of a worker process: the one thing that it does


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def shared(work: Work[Item], items: Sequence[Item], distant: Sequence[Item], jobs: int) -> Iterator[Any]:
    """`work` of each item, in order.

    Those in `distant` are computed by `jobs` other processes, to which `work` is sent once, the others
    here, and all of them if there is nothing to share. What goes wrong with an item is raised at its
    turn. Whatever ends the iteration, an interrupt among it, ends the processes.
    """
    jobs = min(jobs, len(distant))
    sent = _pickled(work) if jobs > 1 else None
    if sent is None:
        yield from map(work, items)
        return
    with _workers(sent, jobs) as workers:
        with _uninterrupted():  # so that the processes, which inherit it, are deaf to Ctrl-C
            futures = {id(item): workers.submit(_do, item) for item in distant}
        for item in items:
            yield _result(futures[id(item)]) if id(item) in futures else work(item)


def _pickled(work: Work[Any]) -> bytes | None:
    """`work` as it is sent, or None where it cannot be: measures that were made by hand, for example."""
    try:
        return pickle.dumps(work)
    except Exception:
        return None


@contextmanager
def _workers(work: bytes, jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that are started anew, because a copy of this one would lack the threads of pyarrow.

    They hold on to a pipe, and end at once when this process closes it or ends itself, however.
    """
    context = multiprocessing.get_context("spawn")
    theirs, ours = context.Pipe(duplex=False)
    with theirs, ProcessPoolExecutor(jobs, context, _start, (work, theirs)) as workers:
        try:
            yield workers
        except BaseException:
            ours.close()
            workers.shutdown(cancel_futures=True)
            raise
        finally:
            if not ours.closed:
                workers.shutdown()
                ours.close()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C waits until this is over."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _result(future: Future[_Outcome]) -> Any:
    try:
        result, error, told = future.result()
    except BrokenProcessPool:
        raise GradedError(
            "a process that evaluated runs was ended, perhaps for want of memory; try --jobs 1"
        ) from None
    for warning in told:
        warnings.warn(warning, stacklevel=2)
    if error is not None:
        raise error
    return result


# --------------------------------------------------------------------------- in such a process


def _start(work: bytes, parent: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(parent,), daemon=True).start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is to say of plugins has been said
        try:
            _work.append(pickle.loads(work))
        except Exception as error:  # raised here it would be printed, and the reason lost
            _work.append(partial(_fail, f"{type(error).__name__}: {error}"))


def _end_with(parent: Connection) -> None:
    with suppress(EOFError, OSError):
        parent.recv()
    os._exit(1)


def _fail(reason: str, item: Any) -> Any:
    raise GradedError(f"another process cannot evaluate runs ({reason}); try --jobs 1")


def _do(item: Any) -> _Outcome:
    result = error = None
    with warnings.catch_warnings(record=True) as told:
        try:
            result = _work[0](item)
        except Exception as caught:
            error = caught
    return result, error, [each.message for each in told if isinstance(each.message, Warning)]
