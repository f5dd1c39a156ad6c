"""Worker processes that share items of work and return the results in order.

`ProcessPoolExecutor` by itself leaves its workers running when this process is killed, and finishes their
current items after Ctrl-C. joblib (loky) leaves its workers running too. The pipe below ends the workers
in both cases.
"""

import multiprocessing
import os
import pickle
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, TypeVar

from ..errors import GradedError

Item = TypeVar("Item")
Work = Callable[[Item], Any]
_work: list[Work[Any]] = []  # A worker process keeps its function here.


def cores() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def shared(work: Work[Item], items: Sequence[Item], distant: Sequence[Item], jobs: int) -> Iterator[Any]:
    """Yield `work` of each item, in order.

    `jobs` worker processes compute the items in `distant`; `work` is sent to each of them once. This
    process computes the other items, and all items if `work` cannot be sent or one worker would do. The
    error of an item is raised at its turn. The workers end with the iteration, even if an error ends it.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):  # a worker that imports the script
        raise GradedError("a script with jobs needs the guard if __name__ == '__main__'")
    jobs, sent = min(jobs, len(distant)), b""
    with suppress(Exception):  # a measure that is defined in a notebook cannot be pickled
        sent = pickle.dumps(work) if jobs > 1 else b""
    if not sent:
        yield from map(work, items)
        return
    try:
        with _workers(sent, jobs) as workers:
            with _uninterrupted():  # workers inherit the blocked SIGINT; Ctrl-C is for this process alone
                futures = {id(item): workers.submit(_do, item) for item in distant}
            for item in items:
                if id(item) not in futures:
                    yield work(item)
                    continue
                result, issued = futures[id(item)].result()
                for warning in issued:
                    warnings.warn(warning, stacklevel=2)
                yield result
    except BrokenProcessPool:
        raise GradedError(
            "a worker process ended, perhaps because memory ran out or a script lacks the guard "
            "if __name__ == '__main__'; try --jobs 1"
        ) from None


@contextmanager
def _workers(work: bytes, jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Workers that end at once when this process closes the pipe or dies.

    They are spawned, because a forked worker would lack the threads of pyarrow.
    """
    context = multiprocessing.get_context("spawn")
    theirs, ours = context.Pipe(duplex=False)
    with theirs, ours, TemporaryDirectory() as folder:
        # If a worker ended before it read a large argument, this process would wait forever to write it.
        file = Path(folder, "work")
        file.write_bytes(work)
        with ProcessPoolExecutor(jobs, context, _start, (file, theirs)) as workers:
            try:
                yield workers
            except BaseException:
                with _uninterrupted():  # a second Ctrl-C must not stop the shutdown
                    ours.close()
                    workers.shutdown(cancel_futures=True)
                raise


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C until the end of the block."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# --------------------------------------------------------------------------- in a worker process


def _start(work: Path, parent: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where SIGINT cannot be blocked
    Thread(target=_end_with, args=(parent,), daemon=True).start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the parent process already warned about plugins
        try:
            _work.append(pickle.loads(work.read_bytes()))
        except Exception as error:  # an initializer's error is printed without its reason
            _work.append(partial(_fail, f"{type(error).__name__}: {error}"))


def _end_with(parent: Connection) -> None:
    with suppress(EOFError, OSError):
        parent.recv()
    os._exit(1)


def _fail(reason: str, item: Any) -> Any:
    raise GradedError(f"a worker process cannot evaluate runs ({reason}); try --jobs 1")


def _do(item: Any) -> tuple[Any, list[Warning]]:
    """The result of an item, and the warnings that were issued."""
    with warnings.catch_warnings(record=True) as issued:
        result = _work[0](item)
    return result, [each.message for each in issued if isinstance(each.message, Warning)]
