"""Parses the command line, runs a command and prints its lines.

The module of a command declares its `OPTIONS` and, unless these tell the order of the arguments, a
tuple `USAGE` with its forms. Its function `run` turns the arguments into a result or lines of text;
the docstring of `run` is the help. Output is printed only after everything is computed, so an error
never leaves a partial table.
"""

import codecs
import os
import signal
import sys
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from textwrap import wrap
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from ir_measures_graded_command import end_imports

from .. import __version__
from ..docstrings import docstring_of
from ..errors import BY_NAME, GradedError, InputWarning, Remark, WholeLevelsError, did_you_mean
from ..output.formats import MINUS, clean
from ..output.width import width, width_of_terminal
from ..progress import followed
from . import COMMANDS, COMMANDS_OF_TASKS, COMPLETION, GROUPS, PROGRAM, SIGNALS, TASKS

if TYPE_CHECKING:
    from .parser import Parser

STOPS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""The signals after which a command cleans up and ends."""
UNPRINTABLE = f"{PROGRAM}.unprintable"
"""The name of `_encoded_otherwise` among the ways to treat what a stream cannot encode."""


def run(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status.

    0: success. 1, 3: verdicts of the command `gate`. 2: the user's input cannot be used, and one
    message on standard error gives the reason. 141: the reader of the output closed the pipe.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    if argv is None:  # the process is this command
        for number in STOPS:
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, _interrupt)
    try:
        if sys.stdout is None:
            raise GradedError("cannot write the output: standard output is closed")
        output = _output(words)
        failure = _write(output.lines)
        if failure:
            return failure
        return output.status
    except (GradedError, Warning) as error:  # python -W error raises warnings
        return _fail(str(error))
    except MemoryError:
        return _fail(
            "there is not enough memory; give smaller files, with the rows of each topic together"
        )


def _interrupt(number: int, _: object) -> NoReturn:
    """Raise `KeyboardInterrupt`, and ignore further signals, which would interrupt the clean-up."""
    for stop in STOPS:
        signal.signal(stop, signal.SIG_IGN)
    SIGNALS.append(number)
    raise KeyboardInterrupt(number)


class Output:
    """The lines to print, the exit status, and the remarks that the lines have."""

    def __init__(self, lines: Sequence[str], status: int = 0, remarks: Collection[Remark] = ()):
        self.lines = lines
        self.status = status
        self.remarks = remarks


def _output(words: Sequence[str]) -> Output:
    """The output of the command. Its warnings go to standard error.

    Warnings of the input wait until the command ends. One whose remarks are all among the printed
    lines is not repeated, and the same text is shown once.
    """
    waiting: list[InputWarning] = []
    texts_shown: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        if isinstance(message, InputWarning):
            waiting.append(message)
        elif str(message) not in texts_shown:  # two figures may have the same warning
            texts_shown.add(str(message))
            tell(f"warning: {message}")

    printed: Collection[Remark] = ()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = show
            output = _answered(words)
        printed = output.remarks
        return output
    finally:
        for warning in waiting:
            text = str(warning)
            is_printed = warning.remarks and set(warning.remarks) <= set(printed)
            if not is_printed and text not in texts_shown:
                texts_shown.add(text)
                # How files are read is nothing unusual, and a table for people has it as a note.
                is_note = {remark.kind for remark in warning.remarks} == {BY_NAME}
                kind = "note" if is_note else "warning"
                tell(f"{kind}: {text}")


def _answered(words: Sequence[str]) -> Output:
    """The output of the command that the first word names."""
    if not words or words[0] == "help":
        words = [*words[1:2], "--help"]
    if words[0] in ("-h", "--help"):
        return Output(_overview())
    if words[0] == "--version":
        return Output([f"{PROGRAM} {__version__}"])
    if words[0].partition("=")[0] == COMPLETION:
        return Output(_completion(words))
    # This import takes time.
    from .habits import advice_on, in_our_words, is_short_form, shown_line

    line = in_our_words(words)
    if line[0] not in COMMANDS:
        raise _no_command(words)
    if line != list(words):
        if not is_short_form(words, line):
            tell(f"note: read as {shown_line(line)}{advice_on(words, line)}")
        words = line
    command = import_module(f".{words[0]}", __package__)
    from .parser import QUIET, Parser  # This import and the next ones take time.

    name = f"{PROGRAM} {words[0]}"
    forms = getattr(command, "USAGE", ())
    options = [*command.OPTIONS, QUIET]
    parser = Parser(options, forms, name, docstring_of(command.run))
    if "-h" in words or "--help" in words:
        return Output(parser.format_help().splitlines())
    from ..files.content import limits_lifted
    from .arguments import NO_LIMITS

    # The parser reads files that name others.
    with limits_lifted(f"--{NO_LIMITS.name}" in words):
        try:
            return _of_command(command, parser, words)
        except GradedError as error:
            from .mixed_folders import what_to_name

            hint = what_to_name(words, str(error))
            if not hint:
                raise
            raise GradedError(f"{error}; {hint}") from None


def _of_command(command: ModuleType, parser: "Parser", words: Sequence[str]) -> Output:
    """The output of the command with these words."""
    arguments = parser.arguments(words)
    from ..core.rows.chosen import chosen_names_read, words_as_levels
    from ..evaluation.jobs import reading_by
    from ..output.result import Result
    from .results import Answer, check_files, printed_remarks, stamps, written

    end_imports()
    check_files(arguments)
    before = stamps(arguments)
    levels = words_as_levels(arguments.get("levels"))
    watched = followed(_is_watched() and not arguments.quiet)
    jobs = arguments.get("jobs") or 1
    with levels, watched, reading_by(jobs), chosen_names_read() as names:
        try:
            answer = command.run(arguments)
        except WholeLevelsError as error:
            from .arguments import line_for_any_levels

            line = line_for_any_levels(words, arguments, error.levels)
            if not line:
                raise
            raise GradedError(f"{error.reason}; the same measures take it: {line}") from None
    for path, stamp in stamps(arguments).items():
        if stamp != before.get(path, stamp):
            raise GradedError(f"{path}: the file changed while it was read; run the command again")
    if jobs == 1:  # other processes do not tell what they read
        _note_unread_columns(arguments, names)
    for name, reason in _idle_options(parser, arguments):
        tell(f"note: --{name} has no effect: {reason}")
    if isinstance(answer, Result):
        answer = Answer(answer)
    if isinstance(answer, Answer):
        with words_as_levels(arguments.get("levels")):  # a page has the line that reads them
            lines = written(arguments, answer)
        for note in answer.told:
            tell(f"note: {note}")
        return Output(lines, answer.status, printed_remarks(arguments, answer))
    return Output(list(answer))


def _idle_options(parser: "Parser", arguments: Any) -> Iterator[tuple[str, str]]:
    """The options that are given and have no effect, with the reason."""
    for option in parser.options:
        if option.idle is not None and option.name in arguments.given_options:
            reason = option.idle(arguments)
            if reason:
                yield option.name, reason
    yield from arguments.without_effect.items()


def _note_unread_columns(arguments: Any, read: Collection[tuple[str, str]]) -> None:
    """Note the names of --columns that no file has. `read` has those that one has.

    Beside names that are read, one of levels or scores may be there for other commands.
    """
    from ..core.rows.roles import IDS

    for pairs in arguments.get("columns") or ():
        for ours, theirs in pairs:
            is_for_others = bool(read) and ours not in IDS
            if (ours, theirs) not in read and not is_for_others:
                reason = "no file that is read has this column"
                arguments.without_effect[f"columns {ours}={theirs}"] = reason


def _is_watched() -> bool:
    """Whether somebody may see a bar: standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def _completion(words: Sequence[str]) -> list[str]:
    """The script for tab completion in the shell that is named behind the option or behind =."""
    from .completion import script  # takes time

    _, is_joined, shell = words[0].partition("=")
    others = words[1:]
    if not is_joined and others:
        shell, *others = others
    if not shell or others:
        raise GradedError(f"{COMPLETION} needs the name of one shell, such as bash")
    return script(shell)


def _no_command(words: Sequence[str]) -> GradedError:
    """The message that the first word is not a command."""
    task = words[0].lower().replace("_", "-")
    if task in COMMANDS_OF_TASKS:
        return GradedError(f"{words[0]!r} is not a command; {COMMANDS_OF_TASKS[task]}")
    commands = ", ".join(COMMANDS)
    hint = did_you_mean(words[0], COMMANDS)
    return GradedError(f"{words[0]!r} is not a command; the commands are {commands}{hint}")


def _overview() -> list[str]:
    """The help of the program."""
    longest = max(map(len, COMMANDS))
    lines = [
        f"usage: {PROGRAM} COMMAND …",
        "",
        "Evaluate runs with graded relevance measures and the measures of ir-measures.",
    ]
    for group, names in GROUPS.items():
        lines += ["", group]
        for name in names:
            command = import_module(f".{name}", __package__)
            summary = docstring_of(command.run).splitlines()[0]
            label = name
            for line in wrap(summary, width() - longest - 4):
                lines.append(f"  {label:{longest}}  {line}")
                label = ""
    lines += ["", "By task"]
    longest = max(map(len, TASKS))
    for task, line in TASKS.items():
        label = f"  {task:{longest}}  "
        lines += wrap(line, width(), initial_indent=label, subsequent_indent=" " * 6)
    lines += [
        "",
        f"Options of a command: {PROGRAM} COMMAND --help",
        f"Try it: {PROGRAM} demo",
        f"Tab completion: {PROGRAM} {COMPLETION} SHELL",
        f"Version: {PROGRAM} --version",
    ]
    return lines


def _encoded_otherwise(error: UnicodeError) -> tuple[str | bytes, int]:
    """A minus sign as a hyphen, other characters that a stream cannot encode as escapes.

    >>> codecs.register_error(UNPRINTABLE, _encoded_otherwise)
    >>> print("−0.5 of Σ".encode("ascii", UNPRINTABLE).decode())
    -0.5 of \\u03a3
    """
    if isinstance(error, UnicodeEncodeError) and error.object[error.start] == MINUS:
        return "-", error.start + 1
    return codecs.backslashreplace_errors(error)


def _write(lines: Iterable[str]) -> int:
    """Print the lines; returns the exit status."""
    try:
        if hasattr(sys.stdout, "reconfigure"):
            codecs.register_error(UNPRINTABLE, _encoded_otherwise)
            sys.stdout.reconfigure(errors=UNPRINTABLE)
        if sys.stdout.isatty():
            # Names in CSV keep their control characters, which must not act on a terminal.
            lines = ["\t".join(map(clean, line.split("\t"))) for line in lines]
        sys.stdout.writelines(f"{line}\n" for line in lines)
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
    """Print a message on standard error, if it is open: in one line, which a terminal gets folded.

    It is folded at blanks alone, never within a path or a measure.
    """
    text = f"{PROGRAM}: {''.join(map(_printable, message))}"
    if sys.stderr is None:
        return
    lines = [text]
    if _is_watched():
        lines = wrap(text, width_of_terminal(), break_long_words=False, break_on_hyphens=False)
    with suppress(OSError):
        print("\n".join(lines), file=sys.stderr)


def _printable(sign: str) -> str:
    """A character, escaped if it cannot be printed."""
    return sign if sign.isprintable() else repr(sign)[1:-1]
