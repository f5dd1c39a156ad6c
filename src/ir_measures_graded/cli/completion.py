"""Tab completion: the script that a shell reads, which shtab makes of the options of all
commands."""

from __future__ import annotations

import argparse
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
            _add(parser, option, shtab.FILE)
    return str(shtab.complete(root, shell)).splitlines()


def _add(parser: argparse.ArgumentParser, option: Option, files: dict[str, str]) -> None:
    """Add an option or an argument, and what completes its value."""
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
