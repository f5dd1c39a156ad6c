"""The width of lines of text: that of the terminal, or a fixed one."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

WIDTH: Final = 100
"""The width of what is not printed on a terminal, so that files and pipes are always the same."""
NARROWEST: Final = 60
"""Text is not folded for narrower terminals."""
WIDEST: Final = 120
"""Text in longer lines is hard to read."""

_fixed: ContextVar[int | None] = ContextVar("width", default=None)


def width() -> int:
    """The number of columns of text in a line: those of the terminal, or `WIDTH` without one."""
    fixed = _fixed.get()
    if fixed is not None:
        return fixed
    if sys.stdout is None or not sys.stdout.isatty():
        return WIDTH
    return width_of_terminal()


def width_of_terminal() -> int:
    """The columns of the terminal, within bounds; 80 if standard output is none."""
    return min(max(shutil.get_terminal_size().columns, NARROWEST), WIDEST)


@contextmanager
def of_width(columns: int = WIDTH) -> Iterator[None]:
    """Lines that are made in this block have this width, as those of files do."""
    token = _fixed.set(columns)
    try:
        yield
    finally:
        _fixed.reset(token)
