"""Tab completion: the script that a shell reads, made by shtab from the arguments of all commands."""

import argparse
from importlib import import_module
from typing import Any

from ..errors import GradedError, needed
from . import PROGRAM, PURPOSES
from .parser import Parser


class Completion(argparse.Action):
    """The option that prints the script and ends the program."""

    def __call__(self, parser: argparse.ArgumentParser, _: Any, shell: Any, __: Any = None) -> None:
        print(script(shell))
        parser.exit()


def script(shell: str) -> str:
    """The script for a shell. Raises `GradedError` for an unknown shell, or if shtab is not installed."""
    shtab = needed("shtab", "tab completion", "completion")
    if shell not in shtab.SUPPORTED_SHELLS:
        raise GradedError(f"{shell!r} is not a shell with completion: {', '.join(shtab.SUPPORTED_SHELLS)}")
    parser = Parser(prog=PROGRAM)
    commands = parser.add_subparsers()
    for name, purpose in (each for group in PURPOSES.values() for each in group.items()):
        options = import_module(f".{name}", __package__).OPTIONS
        command = commands.add_parser(name, help=purpose, options=options)
        for action in command._actions:
            if not action.option_strings or action.metavar == "FILE":
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    return str(shtab.complete(parser, shell))
