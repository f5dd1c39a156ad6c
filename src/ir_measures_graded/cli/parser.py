"""Options as data, the parser of a command that they make, and the record of its arguments."""

import argparse
import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

from ..errors import GradedError, did_you_mean
from ..files.sources import is_file

ELSEWHERE = {
    "--values": "this command needs rankings, which values lack; give QRELS and RUN, to identify also VALUES",
    "--sessions": "this command shows single topics and takes no --sessions; evaluate, compare, power, gate, "
    "report and sensitivity do",
    "--tests": "only compare takes --tests; this command uses paired t-tests with Holm's correction",
    "--baseline": "this command has no baseline; gate takes OLD, then NEW",
    **dict.fromkeys(("--latex", "--markdown", "--csv", "--json"), "-f chooses the format, as in -f latex"),
    **dict.fromkeys(
        ("--qrels", "--run", "--runs", "--measure", "--measures", "--metrics", "-m"),
        "qrels, runs and measures are given without an option, as QRELS RUN… MEASURE…",
    ),
}
"""What to do without an option that a command lacks."""

Files = Callable[[Any], Iterable[str]]


def each(value: str | Sequence[str] | None) -> Sequence[str]:
    """The files that a value names if it is a file or a list of files."""
    return [value] if isinstance(value, str) else value or ()


@dataclass(frozen=True)
class Option:
    """An option or an argument of a command.

    - `spelling`: the flags and the name of the value, as ``-o --output FILE``, or the name of an argument.
    - `help`: what the option does, for --help.
    - `read`: makes the value of a text, as `typed` does, or refuses it.
    - `choices`: the allowed values. `default`: the value without the option.
    - `many`: takes one or more values, or for arguments any number. `repeated`: may be given again. The value
      is then a list. `optional`: may do without a value. An option that is neither is an error if it is
      given twice.
    - `negated`: has a second spelling ``--no-…``, which means False.
    - `reads`, `writes`: give the names of the files that the command reads or writes for a value.
    - `shared`: the help lists the option last. `heading`: the name of an argument in the help. `dest`: the
      name of the value, by default that of the last flag.
    """

    spelling: str
    help: str = ""
    read: Callable[[str], Any] | None = None
    choices: Sequence[str] | None = None
    default: Any = None
    many: bool = False
    repeated: bool = False
    optional: bool = False
    negated: bool = False
    reads: Files | None = None
    writes: Files | None = None
    shared: bool = False
    heading: str = ""
    dest: str = ""

    @property
    def flags(self) -> list[str]:
        """The flags; none for an argument."""
        flags = [word for word in self.spelling.split() if word.startswith("-")]
        return [*flags, *(f"--no-{flag.removeprefix('--')}" for flag in flags if self.negated)]

    @property
    def name(self) -> str:
        """The name of the value in `Arguments`."""
        last = self.flags[-1 - self.negated] if self.flags else self.spelling
        return self.dest or last.strip("-").replace("-", "_")

    def settings(self) -> dict[str, Any]:
        """The arguments of `add_argument`."""
        value = self.spelling.split()[-1]
        found: dict[str, Any] = {"default": self.default, "help": self.help}
        if not self.flags:
            nargs = {"nargs": "*" if self.many else "?"} if self.many or self.optional else {}
            return found | nargs | {"metavar": self.heading or self.name.upper()}
        found |= {"dest": self.name, "action": "append" if self.repeated else _Once}
        if self.repeated or self.many:
            found["default"] = []
        if value.startswith("-") and not self.choices:
            return found | {"nargs": 0, "default": self.default if self.negated else False}
        nargs = {"nargs": "+" if self.many else "?"} if self.many or self.optional else {}
        metavar = {} if value.startswith("-") else {"metavar": value}
        return found | nargs | metavar | {"type": self.read, "choices": self.choices}


def choice(flag: str, text: str, *choices: str) -> Option:
    """An option with these choices. The first one is the default."""
    return Option(flag, text, choices=choices, default=choices[0])


class _Once(argparse.Action):
    """Stores the value of an option that is given once."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        if self.dest in parser.given:
            parser.error(f"{option_string} is given twice")
        parser.given.add(self.dest)
        if self.nargs == 0:
            values = not str(option_string).startswith("--no-")
        setattr(namespace, self.dest, values)


class Arguments:
    """The values of the options of a command by name. They cannot be changed.

    `words` are the words of the command line.
    """

    words: Sequence[str]

    def __init__(self, options: Sequence[Option], values: dict[str, Any]):
        self.__dict__.update(values, _options=options)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"{name}: arguments cannot be changed")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"this command has no option {name}")

    def get(self, name: str, default: Any = None) -> Any:
        """The value of an option, or the default if the command does not have it."""
        return self.__dict__.get(name, default)

    def of(self, *names: str) -> dict[str, Any]:
        """The values of options for the parameters of an analysis that have these names."""
        return {name: getattr(self, name) for name in names}

    def files(self, kind: str) -> Iterator[str]:
        """The files that the command ``reads`` or ``writes``."""
        for option in self.__dict__["_options"]:
            if named := getattr(option, kind):
                yield from named(self.get(option.name))


class Parser(argparse.ArgumentParser):
    """A parser that raises `GradedError`. The help lists shared options last, one line an option."""

    def __init__(self, options: Sequence[Option] = (), **settings: Any):
        formatter = partial(argparse.RawDescriptionHelpFormatter, max_help_position=26)
        super().__init__(**settings, formatter_class=formatter, add_help=False, allow_abbrev=False)
        self.options, self.given = options, set[str]()
        self.add_argument("-h", "--help", action="help", help="show this help")
        shared = self.add_argument_group("shared options")
        for option in options:
            names = option.flags or [option.name]
            (shared if option.shared else self).add_argument(*names, **option.settings())

    def arguments(self, argv: Sequence[str], **others: Any) -> Arguments:
        """The values of all options, with patterns such as ``runs/*`` replaced by the matching files."""
        values = vars(self.parse_intermixed_args(self.joined([*map(self.spelled, argv)])))
        for option in self.options:
            if option.reads and isinstance(found := values[option.name], list):
                values[option.name] = [path for word in found for path in matching(word)]
        return Arguments(self.options, values | others)

    def joined(self, argv: Iterable[str]) -> list[str]:
        """The words, with commas between numbers behind an option that takes several."""
        found: list[str] = []
        for word in argv:
            action = self._option_string_actions.get(found[-2]) if len(found) > 1 else None
            is_list = action is not None and action.type in (numbers, whole_numbers)
            if is_list and re.fullmatch(r"[\d.,]+", word) and not is_file(word):
                found[-1] += f",{word}"
            else:
                found.append(word)
        return found

    def spelled(self, word: str) -> str:
        """The word with the hyphens and underscores that its option has."""
        name, sign, value = word.partition("=")
        spellings = {known.replace("_", "-"): known for known in self._option_string_actions}
        known = spellings.get(name.replace("_", "-"))
        if known is None:
            if name in ELSEWHERE:
                raise GradedError(ELSEWHERE[name])
            return word
        if self._option_string_actions[known].nargs == "?" and not sign:
            sign = "="  # the next word is no value of an option that may do without
        return known + sign + value

    def error(self, message: str) -> NoReturn:
        unknown = re.match(r"unrecognized arguments: ([^\s=]*)", message)
        hint = did_you_mean(unknown[1], self._option_string_actions, cutoff=0.75) if unknown else ""
        raise GradedError(f"{message}{hint} (see {self.prog} --help)")


def words(text: str) -> list[str]:
    """The words between commas."""
    return text.split(",")


def matching(word: str) -> list[str]:
    """The files that a pattern matches, which the shell did not replace; the word if there is none.

    A file of this very name is no pattern.
    """
    if is_file(word) or not glob.has_magic(word):
        return [word]
    return sorted(path for path in glob.glob(word) if not os.path.isdir(path)) or [word]


def typed(pattern: str, read: Callable[[str], Any], wanted: str) -> Callable[[str], Any]:
    """The check of an option: a text of this pattern, which `read` turns into a value.

    The message about another text says what is `wanted`.
    """

    def value(text: str) -> Any:
        with suppress(ValueError):
            if re.fullmatch(pattern, text):
                return read(text)
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed; give {wanted}")

    return value


real = typed(r"[-+.\w]+", float, "a number")
whole_number = typed(r"-?\d{1,18}", int, "a whole number")
workers = typed(r"-1|[1-9]\d{0,17}", int, "a whole number ≥ 1, or -1 for all cores")
at_least_1 = typed(r"[1-9]\d{0,17}", int, "a whole number ≥ 1")
whole_numbers = typed(
    r"\d{1,18}(,\d{1,18})*",
    lambda text: [int(number) for number in text.split(",")],
    "whole numbers separated by commas, as in 5,10,20",
)
numbers = typed(
    ".*",
    lambda text: [float(number) for number in text.split(",")],
    "numbers separated by commas, as in 0.05,0.1",
)
