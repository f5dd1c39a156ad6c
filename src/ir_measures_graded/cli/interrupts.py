"""Ctrl-C ends the command quietly with exit status 130: while it imports, works and cleans up.

The package imports this module first. Importing it has an effect only in the process of the command. The
module imports nothing that Python has not loaded at its start, because Ctrl-C during its own imports would
print a traceback. `signal` would import `enum`, and a future statement `__future__`. Ctrl-C while Python
itself starts cannot be handled.
"""

import _signal as signal  # type: ignore[import-not-found]
import os
import sys

PROGRAM = "ir_measures_graded"
STATUS = 130
"""The exit status that shells report for an interrupted command."""


class Once:
    """A context that raises `KeyboardInterrupt` at the first Ctrl-C and ignores others.

    Further ones would interrupt the clean-up. The process of the command also ignores them when it ends.
    """

    def __enter__(self) -> None:
        self._before = signal.getsignal(signal.SIGINT)
        self._changed = self._before not in (signal.SIG_IGN, None) and _handle(_raise)

    def __exit__(self, *_: object) -> None:
        if self._changed:
            signal.signal(signal.SIGINT, signal.SIG_IGN if self._before is _end else self._before)


def _end(*_: object) -> None:
    os._exit(STATUS)


def _raise(*_: object) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _handle(handler: object) -> bool:
    """Set the handler of Ctrl-C; only the main thread can."""
    try:
        signal.signal(signal.SIGINT, handler)
    except ValueError:
        return False
    return True


def _is_command() -> bool:
    """Whether this is the process of the command, and not another program that imports the package."""
    words = sys.orig_argv
    if sys.argv[:1] == ["-m"]:  # `python -m` imports the package before it replaces this word
        return "-m" in words and words[words.index("-m") + 1 :][:1] == [PROGRAM]
    return os.path.splitext(os.path.basename("".join(sys.argv[:1])))[0] == PROGRAM


if _is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    _handle(_end)
