"""Parses the command line, runs a command and prints its lines.

A command consists of two functions: one declares the arguments, the other turns them into lines of text.
The docstring of the second function is the help. `COMMANDS` names them. Output is printed only after
everything is computed, so that an error never leaves half a table behind.
"""

from __future__ import annotations

import argparse
import inspect
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from .. import __version__
from ..errors import GradedError
from . import analyses, comparisons, demo, evaluate, measures
from .arguments import PROGRAM, Command

COMMANDS: dict[str, Command] = {
    **evaluate.COMMANDS,
    **measures.COMMANDS,
    **analyses.COMMANDS,
    **comparisons.COMMANDS,
    **demo.COMMANDS,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status.

    0: success. 2: the user's input cannot be used, and one message on standard error gives the reason.
    130: interrupted. 141: the reader of the output closed the pipe.
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            lines = _lines(argv)
        return _write(lines)
    except (GradedError, Warning) as error:  # python -W error raises warnings
        return _fail(str(error))
    except KeyboardInterrupt:
        return 130


def _lines(argv: Sequence[str] | None) -> list[str]:
    """All output lines of the command."""
    try:
        arguments = _parse(argv)
    except SystemExit:  # --help and --version have printed their text
        return []
    return list(arguments.run(arguments))


def _write(lines: Iterable[str]) -> int:
    """Print the lines; returns the exit status."""
    try:
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(errors="backslashreplace")  # some terminals cannot print Σ
        for line in lines:
            print(line)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _abandon_output()
        return 141
    except OSError as error:
        _abandon_output()
        return _fail(f"cannot write the output: {error.strerror or error}")
    return 0


def _fail(message: str) -> int:
    print(f"{PROGRAM}: error: {message}", file=sys.stderr)
    return 2


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"{PROGRAM}: warning: {message}", file=sys.stderr)


def _abandon_output() -> None:
    """Discard buffered output; otherwise the interpreter would fail on it again at exit."""
    with suppress(OSError, ValueError):  # standard output may not be a real file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# ---------------------------------------------------------------------------------- arguments


class _Parser(argparse.ArgumentParser):
    """An argument parser that raises `GradedError`."""

    def error(self, message: str) -> NoReturn:
        raise GradedError(f"{message} (see {self.prog} --help)")


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = _Parser(
        prog=PROGRAM,
        description="Evaluate runs with graded relevance measures and the measures of ir-measures.",
        epilog=f"Try it: {PROGRAM} demo",
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, (declare, run) in COMMANDS.items():
        about = inspect.getdoc(run) or ""
        command = commands.add_parser(
            name,
            help=about.partition("\n")[0],
            description=about,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        declare(command)
        command.set_defaults(run=run, parser=command)
    arguments, rest = parser.parse_known_args(argv)
    # argparse consumes one group of positional arguments and leaves those that follow an option.
    if any(word.startswith("-") and word != "-" for word in rest) or (rest and "inputs" not in arguments):
        arguments.parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if rest:
        arguments.inputs += rest
    return arguments
