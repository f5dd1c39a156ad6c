"""Reads a file in advance, in threads, and parses what is read."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import TypeVar

from .content import Content, is_lasting

PARSERS = 2  # threads that read in turns and parse side by side

Block = TypeVar("Block")
Parsed = TypeVar("Parsed")


def read_ahead(parts: Iterator[Block], content: Content) -> Generator[Block]:
    """The same parts of a content. If it is that of a file, a thread reads some in advance."""
    return _ahead(parts, _unchanged, content, threads=1)


def parsed_ahead(
    blocks: Iterator[Block], parsed: Callable[[Block], Parsed], content: Content
) -> Generator[Parsed]:
    """What `parsed` makes of each block of a content, in their order.

    If the content is that of a file, threads read some blocks in advance and parse them. So
    `parsed` must not depend on the blocks before.
    """
    return _ahead(blocks, parsed, content, PARSERS)


def _ahead(
    parts: Iterator[Block], parsed: Callable[[Block], Parsed], content: Content, threads: int
) -> Generator[Parsed]:
    if not _can_read_ahead(content):
        yield from map(parsed, parts)
        return
    from .reading_threads import results_of  # This import takes time.

    yield from results_of(parts, parsed, threads)


def _can_read_ahead(content: Content) -> bool:
    """Whether the content is that of a file. Reading ahead in a stream could block forever. The
    start of a small file is all of it.
    """
    return not content.stream.is_whole and is_lasting(content.file)


def _unchanged(part: Block) -> Block:
    return part
