"""Tab completion: the script that a shell reads, which shtab makes of the options of all
commands."""

from __future__ import annotations

import argparse
import re
from importlib import import_module
from typing import Any

from ..core.registry.names import registry
from ..docstrings import docstring_of
from ..errors import GradedError, did_you_mean, needed
from . import COMMANDS, COMPLETION, PROGRAM
from .parser import QUIET, Option

WORDS = f"_{PROGRAM}_file_or_measure"
"""The function of a shell that completes files and names of measures.

shtab escapes what bash completes as it does files if the name has ``_file``.
"""


REPEATED_IN_ZSH = re.compile(r'^  "\(\*\)::?')
OPTION_IN_ZSH = re.compile(r'^  ["{]\*?"?\{?-')
LONG_FLAG = re.compile(r"--[\w-]+")
NOTHING_IN_TCSH = "'p/*/()/'"
FILES_IN_TCSH = "'p/*/f/'"


def script(shell: str) -> list[str]:
    """The lines of the script for a shell.

    Raises `GradedError` for a shell that shtab does not know, and if shtab is not installed.
    """
    shtab = needed("shtab", "tab completion", "terminal")
    shells = shtab.SUPPORTED_SHELLS
    if shell not in shells:
        hint = did_you_mean(shell, shells)
        raise GradedError(
            f"{shell!r} is not a shell with completion; the shells are {', '.join(shells)}{hint}"
        )
    root = argparse.ArgumentParser(prog=PROGRAM)
    root.add_argument("--version", action="store_true", help="print the version")
    printing = root.add_argument(
        COMPLETION, help="print the script for tab completion in this shell"
    )
    printing.choices = shells
    commands = root.add_subparsers()
    for name in COMMANDS:
        command = import_module(f".{name}", __package__)
        summary = docstring_of(command.run).splitlines()[0]
        parser = commands.add_parser(name, help=summary, description=summary)
        for option in [*command.OPTIONS, QUIET]:
            action = _add(parser, option, shtab.FILE)
            if shell == "zsh" and action.metavar is not None:  # : ends the name of a value
                action.metavar = action.metavar.replace(":", r"\:")
    lines = str(shtab.complete(root, shell)).splitlines()
    if shell == "zsh":
        return list(map(_mended_in_zsh, lines))
    if shell == "tcsh":
        return [line.replace(NOTHING_IN_TCSH, FILES_IN_TCSH) for line in lines]
    return lines


def _mended_in_zsh(line: str) -> str:
    """A line of a script for zsh, in which an argument that repeats is not one argument, and the
    value of an option may follow ``=``.

    >>> _mended_in_zsh('  "(*)::run files:_files"')
    '  "*:run files:_files"'
    >>> _mended_in_zsh('  {-f,--format}"[format]:fmt:(csv tsv)"')
    '  {-f,--format=}"[format]:fmt:(csv tsv)"'
    >>> _mended_in_zsh('  "--quiet[no bars]"')
    '  "--quiet[no bars]"'
    """
    line = REPEATED_IN_ZSH.sub('  "*:', line)
    flags, bracket, rest = line.partition("[")
    has_value = bracket and not rest.endswith(']"')
    if has_value and OPTION_IN_ZSH.match(flags):
        flags = LONG_FLAG.sub(r"\g<0>=", flags)
    return flags + bracket + rest


def _add(parser: argparse.ArgumentParser, option: Option, files: dict[str, str]) -> Any:
    """Add an option or an argument, and what completes its value. Returns its action."""
    action: Any = parser.add_argument(*(option.flags or [option.name]), **option.settings())
    is_argument = not option.flags
    if option.optional and not is_argument:
        action.nargs = 0  # a value follows = in the same word
    # Measures may take the place of qrels that may be left out.
    takes_measures = "MEASURE" in option.spelling or (option.optional and is_argument)
    takes_files = is_argument or option.reads is not None or option.writes is not None
    if takes_measures:
        action.complete = _files_and_measures(files)
    elif takes_files:
        action.complete = files
    return action


def _files_and_measures(files: dict[str, str]) -> dict[str, Any]:
    """What completes files and names of measures in each shell; files alone in the others."""
    measures = " ".join(sorted(registry()))
    in_bash = f'{WORDS}() {{\n  compgen -f -- "$1"\n  compgen -W "{measures}" -- "$1"\n}}'
    in_zsh = f"{WORDS}() {{ _alternative 'files:file:_files' 'measures:measure:({measures})' }}"
    return {
        **files,
        "bash": WORDS,
        "zsh": WORDS,
        "fish": f"{files['fish']} {measures}",
        "preamble": {"bash": in_bash, "zsh": in_zsh},
    }
