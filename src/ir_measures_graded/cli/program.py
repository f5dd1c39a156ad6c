"""The command line: arguments in, calls to the rest of the package, lines of text out.

A command is two functions: one declares its arguments, the other, whose docstring is its help, turns
them into lines. `COMMANDS` names them. Nothing is printed before everything is computed, so that a
mistake never leaves half a table behind.
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

    0: all is well. 2: what the user gave cannot be used, as one message on standard error says. 130
    and 141, as shells report them: interrupted, and the reader of the output is gone.
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            lines = _lines(argv)
        return _write(lines)
    except (GradedError, Warning) as error:  # a warning: under python -W error
        return _fail(str(error))
    except KeyboardInterrupt:
        return 130


def _lines(argv: Sequence[str] | None) -> list[str]:
    """All that the command has to say."""
    try:
        arguments = _parse(argv)
    except SystemExit:  # --help and --version, which have said it
        return []
    return list(arguments.run(arguments))


def _write(lines: Iterable[str]) -> int:
    """Print; returns the exit status."""
    try:
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(errors="backslashreplace")  # where a terminal has no Σ
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
    """Send what is still buffered nowhere; the interpreter would fail on it again when it ends."""
    with suppress(OSError, ValueError):  # where standard output is no real file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# ---------------------------------------------------------------------------------- arguments


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are the package's."""

    def error(self, message: str) -> NoReturn:
        raise GradedError(f"{message} (see {self.prog} --help)")


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = _Parser(
        prog=PROGRAM,
        description="Graded relevance measures beside those of ir-measures.",
        epilog=f"To see it at work: {PROGRAM} demo",
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
    # argparse takes positional arguments in one piece and leaves over those that follow an option.
    if any(word.startswith("-") and word != "-" for word in rest) or (rest and "inputs" not in arguments):
        arguments.parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if rest:
        arguments.inputs += rest
    return arguments
