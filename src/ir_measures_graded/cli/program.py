"""Parses the command line, runs a command and prints its lines.

The module of a command declares its `USAGE`, its `OPTIONS` and, if it prints a result, its `OUTPUT`. Its
function `run` turns the arguments into lines of text; the docstring of `run` is the help. Output is printed
only after everything is computed, so an error never leaves a partial table.
"""

import argparse
import gc
import inspect
import io
import os
import signal
import sys
import warnings
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout, suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NoReturn

from .. import __version__
from ..errors import GradedError, did_you_mean
from ..output.formats import clean
from . import COMMANDS, PROGRAM, PURPOSES
from .completion import Completion
from .parser import Arguments, Parser

LONGEST_WORD = 100
STOPS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""The signals after which a command cleans up and ends."""
LONGEST_MESSAGE = 1000


def run(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status.

    0: success. 1, 3: verdicts of the command `gate`. 2: the user's input cannot be used, and one message on
    standard error gives the reason. 141: the reader of the output closed the pipe.
    """
    words = sys.argv[1:] if argv is None else [*argv]
    if argv is None:  # the process is this command
        gc.freeze()  # imported modules live until its end: the collector need not search them
        for number in STOPS:
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, _interrupt)
    try:
        if sys.stdout is None:
            raise GradedError("cannot write the output: standard output is closed")
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: tell(
                f"warning: {_escaped(_capped(str(message), words))}"
            )
            lines, status = _lines(words)
        return _write(lines) or status
    except (GradedError, Warning) as error:  # python -W error raises warnings
        return _fail(_capped(str(error), words))


def _interrupt(number: int, _: object) -> NoReturn:
    """Raise `KeyboardInterrupt`, and ignore further signals, which would interrupt the clean-up."""
    for stop in STOPS:
        signal.signal(stop, signal.SIG_IGN)
    raise KeyboardInterrupt(number)


def _lines(words: Sequence[str]) -> tuple[list[str], int]:
    """All output lines of the command, and its exit status."""
    help_or_version = io.StringIO()
    try:
        with redirect_stdout(help_or_version):
            command, arguments = _parsed(words)
    except SystemExit:
        return help_or_version.getvalue().splitlines(), 0
    from ..output.result import Result  # takes time
    from .results import Answer, check_files, shown, stamps

    if hasattr(command, "OUTPUT"):
        command.OUTPUT.check(arguments)
    check_files(arguments)
    before = stamps(arguments)
    found = command.run(arguments)
    for path, stamp in stamps(arguments).items():
        if stamp != before.get(path, stamp):
            raise GradedError(f"{path}: the file changed while it was read; run the command again")
    answer = Answer(found) if isinstance(found, Result) else found
    if isinstance(answer, Answer):
        return shown(arguments, command.OUTPUT, answer), answer.status
    return list(found), 0


def _parsed(words: Sequence[str]) -> tuple[Any, Arguments]:
    """The module of the command, and its arguments."""
    if not words or words[0] == "help":
        words = [*words[1:2], "--help"]
    if words[0] not in COMMANDS:
        _overview().parse_args(words[: 2 if words[:1] == ["--completion"] else 1])
        hint = did_you_mean(words[0], COMMANDS)
        raise GradedError(f"{words[0]!r} is not a command; the commands are {', '.join(COMMANDS)}{hint}")
    command = import_module(f".{words[0]}", __package__)
    text, name = inspect.getdoc(command.run), f"{PROGRAM} {words[0]}"
    parser = Parser(command.OPTIONS, prog=name, usage=command.USAGE, description=text)
    return command, parser.arguments(words[1:], words=words, progress=_bars())


def _bars() -> bool:
    """Whether to show progress bars: stderr is a terminal and tqdm is installed."""
    return sys.stderr is not None and sys.stderr.isatty() and find_spec("tqdm") is not None


def _write(lines: Iterable[str]) -> int:
    """Print the lines; returns the exit status."""
    try:
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(errors="backslashreplace")  # some terminals cannot print Σ
        if sys.stdout.isatty():  # names in CSV have their control characters, which must not act here
            lines = ("\t".join(map(clean, line.split("\t"))) for line in lines)
        for line in lines:
            print(line)
        sys.stdout.flush()
    except OSError as error:
        with suppress(OSError, ValueError):  # standard output may not be a real file
            # Otherwise the interpreter would fail on buffered output again at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 141
        return _fail(f"cannot write the output: {error.strerror or error}")
    return 0


def _fail(message: str) -> int:
    tell(f"error: {message}")
    return 2


def tell(message: str) -> None:
    """Print a message on standard error, if it is open."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(f"{PROGRAM}: {message}", file=sys.stderr)


def _escaped(text: str) -> str:
    """The text in one line; control characters, such as those in the name of a run, are escaped."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def _capped(message: str, words: Iterable[str]) -> str:
    """The message with arguments in one line, and these and the message cut to a readable length."""
    for word in words:
        message = message.replace(word, _escaped(word))
        if len(word) > LONGEST_WORD:
            for spelling in (word, repr(word)[1:-1], word.strip()):
                message = message.replace(spelling, f"{spelling[:LONGEST_WORD]}…")
    return message if len(message) <= LONGEST_MESSAGE else f"{message[:LONGEST_MESSAGE]}…"


# ---------------------------------------------------------------------------------- arguments


def _overview() -> argparse.ArgumentParser:
    lines = ["Evaluate runs with graded relevance measures and the measures of ir-measures."]
    width = max(map(len, COMMANDS))
    for purpose, commands in PURPOSES.items():
        lines += ["", f"{purpose}:", *(f"  {name:{width}}  {text}" for name, text in commands.items())]
    parser = Parser(
        prog=PROGRAM,
        usage="%(prog)s COMMAND …",
        description="\n".join(lines),
        epilog=f"Options of a command: {PROGRAM} COMMAND --help. Try it: {PROGRAM} demo",
    )
    text = f"{PROGRAM} {__version__}"
    parser.add_argument("--version", action="version", version=text, help="show the version")
    text = "print a script for tab completion in bash, zsh, …"
    parser.add_argument("--completion", metavar="SHELL", action=Completion, help=text)
    parser.add_argument("command", metavar="COMMAND", help=argparse.SUPPRESS)
    return parser
