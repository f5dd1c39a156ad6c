"""Runs in files that several processes read at once.

Each process gets the qrels and the measures once, then the files one by one. It returns the values
of a run, which are small, or the reduction of a kept run. Values, remarks, errors and their order
are those of one process. Processes are started anew (`spawn`), since threads read the files.
"""

from __future__ import annotations

import pickle
import signal
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ..core.ranking.judged import Judged
from ..core.rows.passages import PassageRun
from ..errors import GradedError
from ..files.files import RunFile
from .jobs import jobs
from .named import ReadRun, Run
from .run_evaluator import RunEvaluator, RunValues

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

_QRELS = "qrels"
"""What stands for the judged documents in a pickled run, since every process has them."""
_evaluator: RunEvaluator
"""The evaluator of a worker process."""


def values_of(evaluator: RunEvaluator, runs: Sequence[Run]) -> Iterator[RunValues]:
    """The values of each run, in their order.

    Runs in memory and in streams are evaluated in this process. Raises `GradedError` for the first
    run that cannot be evaluated.
    """
    shared_count = sum(map(_is_shared, runs))
    processes = min(jobs(), shared_count)
    if processes < 2:
        yield from map(evaluator, runs)
        return
    with _pool(processes, evaluator) as pool:
        futures = []
        for run in runs:
            future = _submitted(pool, run) if _is_shared(run) else None
            futures.append(future)
        for run, future in zip(runs, futures, strict=True):
            if future is None:
                yield evaluator(run)
                continue
            result, messages = _result_of(future)
            for message in messages:
                warnings.warn(message, stacklevel=2)
            if isinstance(result, bytes):
                run.received = _unpacked(result, evaluator.judgments.documents)
                result = evaluator(run)
            yield result


def _is_shared(run: Run) -> bool:
    """Whether another process can read the run: it is in a file and has not been read."""
    source = run.source
    if isinstance(source, PassageRun):
        source = source.source
    is_file = isinstance(source, RunFile) and source.is_in_file
    return is_file and not run.is_read


@contextmanager
def _pool(processes: int, evaluator: RunEvaluator) -> Iterator[ProcessPoolExecutor]:
    """Worker processes, which end with the block, also after an error."""
    from concurrent.futures import ProcessPoolExecutor  # takes time, as the next import
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(
        processes, mp_context=get_context("spawn"), initializer=_begin, initargs=(evaluator,)
    )
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _submitted(pool: ProcessPoolExecutor, run: Run) -> Future[Any]:
    """The work on a run, in a process that Ctrl-C ends without a word."""
    is_kept = run.kept_for is not None
    with _without_interrupts():
        return pool.submit(_work, replace(run, kept_for=None, parent=None), is_kept)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Let processes that start in this block ignore Ctrl-C until they are ready."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _result_of(future: Future[Any]) -> tuple[Any, list[Warning]]:
    from concurrent.futures.process import BrokenProcessPool

    try:
        result: tuple[Any, list[Warning]] = future.result()
    except BrokenProcessPool:
        raise GradedError(
            "a process that read a run was ended from outside, perhaps for lack of memory; use "
            "fewer --jobs"
        ) from None
    return result


# ---------------------------------------------------------------------- in the worker processes


def _begin(evaluator: RunEvaluator) -> None:
    global _evaluator
    _evaluator = evaluator
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _work(run: Run, is_kept: bool) -> tuple[RunValues | bytes, list[Warning]]:
    """The values of a run, or its packed reduction if it is kept, and the warnings of both."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if is_kept:
            judgments = _evaluator.judgments
            result: RunValues | bytes = _packed(run.kept(judgments).read(), judgments.documents)
        else:
            result = _evaluator(run)
    messages = [warning.message for warning in caught if isinstance(warning.message, Warning)]
    return result, messages


class _Packer(pickle.Pickler):
    """Pickles a reduction without the judged documents."""

    def __init__(self, buffer: BytesIO, judged: Judged):
        super().__init__(buffer, pickle.HIGHEST_PROTOCOL)
        self._judged = judged

    def persistent_id(self, obj: Any) -> str | None:
        return _QRELS if obj is self._judged else None


class _Unpacker(pickle.Unpickler):
    """Unpickles a reduction to these judged documents."""

    def __init__(self, buffer: BytesIO, judged: Judged):
        super().__init__(buffer)
        self._judged = judged

    def persistent_load(self, pid: str) -> Judged:
        assert pid == _QRELS
        return self._judged


def _packed(read: ReadRun, judged: Judged) -> bytes:
    buffer = BytesIO()
    _Packer(buffer, judged).dump(read)
    return buffer.getvalue()


def _unpacked(packed: bytes, judged: Judged) -> ReadRun:
    read: ReadRun = _Unpacker(BytesIO(packed), judged).load()
    return read
