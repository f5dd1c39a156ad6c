"""Ctrl-C ends the command quietly with exit status 130: while it imports, works and cleans up.

The package imports this module first. Importing it has an effect only in the process of the command.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PROGRAM = "ir_measures_graded"
STATUS = 130
"""The exit status that shells report for an interrupted command."""


def _quiet_from_the_start() -> None:
    """Let Ctrl-C end the process at once, if it is the process of the command."""
    if _is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler and _in_main_thread():
        signal.signal(signal.SIGINT, lambda *_: os._exit(STATUS))


@contextmanager
def only_once() -> Iterator[None]:
    """Raise `KeyboardInterrupt` at the first Ctrl-C and ignore others, which would interrupt the clean-up."""
    before = signal.getsignal(signal.SIGINT)
    if before in (signal.SIG_IGN, None) or not _in_main_thread():
        yield
        return
    signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupt(*_: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _is_command() -> bool:
    words = sys.orig_argv
    if sys.argv[:1] == ["-m"]:  # `python -m` imports the package before it replaces this word
        return words[words.index("-m") + 1 :][:1] == [PROGRAM] if "-m" in words else False
    return os.path.splitext(os.path.basename("".join(sys.argv[:1])))[0] == PROGRAM


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


_quiet_from_the_start()
