"""The parser of a command: its own options first, then those that many commands share."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any, NoReturn

from ..errors import GradedError


class Parser(argparse.ArgumentParser):
    """An argument parser that raises `GradedError`.

    `shared` is the group of the options that many commands have. The help lists it last, one line an option.
    """

    def __init__(self, **options: Any):
        formatter = partial(argparse.RawDescriptionHelpFormatter, max_help_position=26)
        super().__init__(**options, formatter_class=formatter, add_help=False, allow_abbrev=False)
        self.add_argument("-h", "--help", action="help", help="show this help")
        self.shared = self.add_argument_group("shared options")

    def spelled(self, word: str) -> str:
        """The word with the hyphens and underscores that its option has."""
        name, sign, value = word.partition("=")
        spellings = {known.replace("_", "-"): known for known in self._option_string_actions}
        known = spellings.get(name.replace("_", "-"))
        if known is None:
            return word
        if self._option_string_actions[known].nargs == "?" and not sign:
            sign = "="  # the next word is no value of an option that may do without
        return known + sign + value

    def error(self, message: str) -> NoReturn:
        raise GradedError(f"{message} (see {self.prog} --help)")
