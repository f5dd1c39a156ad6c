"""The parser of a command: its own options first, then those that many commands share."""

import argparse
import re
from argparse import Namespace as Namespace
from collections.abc import Callable
from contextlib import suppress
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

    def option(
        self,
        spelling: str,
        text: str | None,
        *,
        shared: bool = False,
        repeated: bool = False,
        **settings: Any,
    ) -> None:
        """Add an option with `text` as its help, which hides an option without one.

        `spelling` has its flags and the name of its value, as ``-o --output FILE``. An option without a value
        and without `settings`, those of `add_argument`, is a switch. `repeated` collects values in a list.
        """
        words = spelling.split()
        flags = [word for word in words if word.startswith("-")]
        if repeated:
            settings |= {"action": "append", "default": []}
        if len(words) > len(flags):
            settings["metavar"] = words[-1]
        elif not settings:
            settings["action"] = "store_true"
        (self.shared if shared else self).add_argument(*flags, help=text or argparse.SUPPRESS, **settings)

    def choice(self, flag: str, text: str, *choices: str) -> None:
        """Add an option with these choices. The first one is the default."""
        self.option(flag, text, choices=choices, default=choices[0])

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


def typed(pattern: str, read: Callable[[str], Any], wanted: str) -> Callable[[str], Any]:
    """The type of an option: a text of this pattern, which `read` turns into a value.

    The message about another text says what is `wanted`.
    """

    def value(text: str) -> Any:
        with suppress(ValueError):
            if re.fullmatch(pattern, text):
                return read(text)
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed; give {wanted}")

    return value
