"""Threads that read a file in advance and parse what they have read."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, TypeVar

from .content import Content, is_lasting

if TYPE_CHECKING:
    from concurrent.futures import Future

AHEAD = 8  # blocks read in advance; an evaluated block of text consists of several
PARSERS = 2  # threads that parse, beside the one that reads

Block = TypeVar("Block")
Parsed = TypeVar("Parsed")


def parsed_ahead(
    blocks: Iterator[Block], parsed: Callable[[Block], Parsed], content: Content
) -> Generator[Parsed]:
    """What `parsed` makes of each block of a content, in their order.

    If the content is that of a file, a thread reads some blocks in advance, and other threads parse
    them. So `parsed` must not depend on the blocks before.
    """
    if not _can_read_ahead(content):
        yield from map(parsed, blocks)
        return
    from concurrent.futures import ThreadPoolExecutor  # This import takes time.

    parsers = ThreadPoolExecutor(PARSERS)
    jobs = (parsers.submit(parsed, block) for block in blocks)
    with closing(read_ahead(jobs, content)) as read_jobs:
        try:
            for job in read_jobs:
                yield job.result()
        finally:
            parsers.shutdown(wait=False, cancel_futures=True)


def read_ahead(parts: Iterator[Block], content: Content) -> Generator[Block]:
    """The same parts of a content. If it is that of a file, a thread reads some in advance.

    The context variables of the caller, such as the levels of words, hold for that thread, too.

    In the end no thread reads, so the file can be closed. The thread ends soon after. It is not
    joined: the garbage collector may close this generator while another thread starts, and joining
    would then never end.
    """
    if not _can_read_ahead(content):
        yield from parts
        return
    from concurrent.futures import ThreadPoolExecutor, wait  # This import takes time.

    context = copy_context()
    reader = ThreadPoolExecutor(1)
    readings: deque[Future[Any]] = deque()
    try:
        while True:
            while len(readings) < AHEAD:
                readings.append(reader.submit(context.run, _next, parts))
            part = readings.popleft().result()
            if part is None:
                break
            yield part
    finally:
        reader.shutdown(wait=False, cancel_futures=True)
        wait([reading for reading in readings if not reading.cancelled()])


def _can_read_ahead(content: Content) -> bool:
    """Whether the content is that of a file. Reading ahead in a stream could block forever. The
    start of a small file is all of it.
    """
    return not content.stream.is_whole and is_lasting(content.file)


def _next(parts: Iterator[Block]) -> Block | None:
    """The next part; None at the end."""
    return next(parts, None)
