"""Options as data, the parser of a command that they make, and the record of its arguments.

`output` has the options of all commands that print a result.
"""

import argparse
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import partial
from importlib import import_module
from textwrap import wrap
from typing import Any, NamedTuple, NoReturn

from ..errors import GradedError, did_you_mean, needed, quoted, similar_names
from ..files.content import is_pattern, matching
from ..files.sources import is_file, named_path
from ..output import figures
from ..output.files import checked_ending, ending_of
from ..output.formats import EXCEL, EXCEL_NEEDS, FORMATS, PLACES, TABLES
from ..output.width import width
from . import COMMANDS

Files = Callable[[Any], Iterable[str]]
READING = "reading qrels and runs"
OUTPUT = "output"
GROUPS = (READING, OUTPUT)
"""The titles in the help of the options that several commands share."""
HARDEST = (
    "evaluate … --show topics has the hardest topics first, compare … --show topics those in which "
    "two runs differ most"
)
HINTS = {
    "--best": "-f latex, markdown and html set the best values in bold",
    "--bold": "-f latex, markdown and html set the best values in bold",
    "--judged_only": "it is a parameter of measures, as in 'nDCG(judged_only=True)@10'",
    "-J": "it is a parameter of measures, as in 'nDCG(judged_only=True)@10'",
    "-M": "the depth is the cutoff of each measure, as in AP@100",
    **dict.fromkeys(
        ("-l", "--level", "--min_rel", "--rel", "--relevance", "--relevance_level", "--threshold"),
        "the level is a parameter of measures, as in 'AP(rel=2)'",
    ),
    "--hardest": HARDEST,
    "--ci": "--confidence 0.95 adds intervals",
    "--halves": "for random halves of the topics see docs/leaderboards.md",
}
"""What to do in place of options that no command has."""
ONE_TOPIC = "explain QRELS {} MEASURE --topic ID shows one topic, --show topics lists all"
HINTS_OF_COMMANDS = {
    ("measures", "--gains"): "write the gains in the measure, as in 'nDCG(gains=0:0,1:1,2:3)@10'",
    **dict.fromkeys([("compare", "--topic"), ("compare", "--topics")], ONE_TOPIC.format("RUN RUN")),
    **dict.fromkeys([("evaluate", "--topic"), ("evaluate", "--topics")], ONE_TOPIC.format("RUN")),
}
"""What to do in place of options that other commands have."""
REQUIRED = "the following arguments are required: "
"""The start of argparse's message on missing arguments."""
WITHOUT_VALUE = r"argument (?:\S+/)?(\S+): expected .*argument"
"""argparse's message on an option without its value."""


def as_list(value: str | Sequence[str] | None) -> Sequence[str]:
    """The files that a value names if it is a file or a list of files."""
    if isinstance(value, str):
        return [value]
    return value or ()


class Option(NamedTuple):
    """An option or an argument of a command.

    - `spelling`: the flags and the name of the value, as ``-o --output FILE``, or the name of an
      argument and its heading in the help, as ``source IN``.
    - `help`: what the option does, for --help.
    - `read`: makes the value of a text, as `typed` does, or refuses it.
    - `choices`: the allowed values. `default`: the value without the option, which the help shows.
    - `many`: takes one or more values, or for arguments any number. `repeated`: may be given again.
      The value is then a list. `optional`: may do without a value. An option that is neither is an
      error if it is given twice.
    - `requires`, `excludes`: the name of an option that must, or must not, be given with this one.
      The help begins with the one that must.
    - `idle`: tells why the option has no effect with these arguments; empty if it has one. A note
      then says so.
    - `reads`, `writes`: give the names of the files that the command reads or writes for a value.
    - `endings`: of a file to write, by each ending the arguments of `needed` for the library that
      it needs.
    - `group`: the title below which the help lists an option that several commands share.
    """

    spelling: str
    help: str = ""
    read: Callable[[str], Any] | None = None
    choices: Sequence[str] | None = None
    default: Any = None
    many: bool = False
    repeated: bool = False
    optional: bool = False
    requires: str = ""
    excludes: str = ""
    idle: Callable[["Arguments"], str] | None = None
    reads: Files | None = None
    writes: Files | None = None
    endings: Mapping[str, Sequence[str]] | None = None
    group: str = ""

    @property
    def flags(self) -> list[str]:
        """The flags; none for an argument."""
        if not self.spelling.startswith("-"):
            return []
        return [word for word in self.spelling.split() if word.startswith("-")]

    @property
    def name(self) -> str:
        """The name of the value in `Arguments`."""
        first, *others = self.spelling.split()
        flags = [word for word in others if word.startswith("-")]
        word = flags[-1] if flags else first
        return word.strip("-").replace("-", "_")

    @property
    def heading(self) -> str:
        """The name of an argument in the help."""
        return self.spelling.partition(" ")[2]

    def settings(self) -> dict[str, Any]:
        """The arguments of `add_argument`."""
        settings: dict[str, Any] = {"nargs": None}
        if self.optional:
            settings["nargs"] = "?"
        if not self.spelling.startswith("-"):
            if self.many:
                settings["nargs"] = "*"
            return settings | {"help": self.help, "metavar": self.heading}
        text = self.help
        if self.requires:
            text = f"with --{self.requires}: {text}"
        if self.default not in (None, []) and not self.choices:
            text += f"; default: {self.default}"
        value = self.spelling.split()[-1]
        is_flag = value.startswith("-")
        if is_flag and not self.choices:
            return {"help": text, "dest": self.name, "action": "store_true", "default": False}
        if self.many:
            settings["nargs"] = "+"
        settings |= {"help": text, "dest": self.name, "type": self.read, "choices": self.choices}
        settings["action"] = "append" if self.repeated else _Once
        settings["metavar"] = None if is_flag else value
        return settings


def unless_drawn(arguments: "Arguments") -> str:
    """Why an option of figures has no effect: no file of -o has a figure."""
    endings = {path.rpartition(".")[2].lower() for path in arguments.output}
    if endings.isdisjoint((*figures.FORMATS, *PAGE)):
        return "nothing is drawn without a file that has a figure, as -o x.png"
    return ""


def choice(flag: str, text: str, *choices: str, requires: str = "") -> Option:
    """An option with these choices. The first one is the default."""
    return Option(flag, text, choices=choices, default=choices[0], requires=requires)


class _Once(argparse.Action):
    """Stores the value of an option that is given once."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: Any = None) -> None:
        if self.dest in namespace:
            parser.error(f"{option_string} is given twice")
        setattr(namespace, self.dest, values)


class Arguments:
    """The `words` of a command line, the value of each option, and the files that they name.

    ``arguments.depth`` is the value of --depth. `given_options` has the names of the options that
    are given. A command adds to `without_effect` why options have none, as its result shows.
    """

    def __init__(
        self,
        words: Sequence[str],
        by_option: Mapping[str, Any],
        given_options: Set[str],
        reads: Sequence[str],
        writes: Sequence[str],
    ):
        self.words = words
        self.by_option = by_option
        self.given_options = given_options
        self.reads = reads
        self.writes = writes
        self.without_effect: dict[str, str] = {}

    def __getattr__(self, name: str) -> Any:
        return self.by_option[name]

    def get(self, name: str) -> Any:
        """The value of an option, None if the command does not have it."""
        return self.by_option.get(name)

    def of(self, *names: str) -> dict[str, Any]:
        """The values of options for the parameters of an analysis that have these names."""
        return {name: self.by_option[name] for name in names}


class Parser(argparse.ArgumentParser):
    """A parser that raises `GradedError`.

    The help fits the terminal. It lists the options that several commands share last, in groups.
    """

    def __init__(self, options: Sequence[Option], forms: Sequence[str], prog: str, text: str):
        formatter = partial(
            argparse.RawDescriptionHelpFormatter, max_help_position=26, width=width()
        )
        # `format_help` sets the usage; without any, argparse would make one.
        super().__init__(
            prog,
            usage="",
            formatter_class=formatter,
            argument_default=argparse.SUPPRESS,
            add_help=False,
            allow_abbrev=False,
        )
        self.color = False  # Python 3.14 would print colours
        self.options = options
        self.forms = forms
        self.text = text
        self.add_argument("-h", "--help", action="help", help="show this help")
        self._positionals.title = "arguments"
        groups: dict[str, Any] = {"": self}
        for title in GROUPS:
            groups[title] = self.add_argument_group(title)
        for option in options:
            flags = option.flags
            names = flags or [option.name]
            group = groups[option.group]
            action = group.add_argument(*names, **option.settings())
            # A flag with underscores may also be written with hyphens.
            for flag in flags:
                self._option_string_actions[flag.replace("_", "-")] = action

    def format_help(self) -> str:
        """The help, which is folded only when it is shown."""
        headings = [option.heading for option in self.options if not option.flags]
        lines = []
        for form in self.forms or [" ".join(headings)]:
            lines += usage_lines(f"{self.prog} {form} [options]")
        self.usage = "\n       ".join(lines)
        self.description = "\n".join(help_lines(self.text))
        return super().format_help()

    def arguments(self, words: Sequence[str]) -> Arguments:
        """The arguments of the command.

        The matching files other than the qrels replace patterns such as ``runs/*``.
        """
        values: dict[str, Any] = {}
        self.words = words
        parsed = vars(self.parse_intermixed_args(self.joined(words[1:])))
        given_options = {name for name, value in parsed.items() if value is not False}
        reads: list[str] = []
        writes: list[str] = []
        for option in self.options:
            name = option.name
            if name in given_options and option.requires and option.requires not in given_options:
                raise GradedError(f"--{name} requires --{option.requires}")
            if name in given_options and option.excludes in given_options:
                raise GradedError(f"--{name} and --{option.excludes} exclude each other")
            default = [] if option.many or option.repeated else option.default
            value = parsed.get(name, default)
            if option.reads and isinstance(value, list):
                value = expanded(value, values.get("qrels"))
            values[name] = value
            if option.reads and value is not None:
                reads += [named_path(word).path for word in option.reads(value)]
            if option.writes and value is not None:
                writes += option.writes(value)
            if option.endings:
                check_endings(as_list(value), option.endings)
        return Arguments(words, values, given_options, reads, writes)

    def joined(self, words: Iterable[str]) -> list[str]:
        """The words, with commas between numbers behind an option that takes several.

        An option that may do without a value gets =, so that the next word is not its value.
        """
        joined_words: list[str] = []
        for word in words:
            option = self._option_string_actions.get(word)
            before = None
            if len(joined_words) > 1:
                before = self._option_string_actions.get(joined_words[-2])
            takes_several = before is not None and before.type in (numbers, whole_numbers)
            if takes_several and re.fullmatch(r"[\d.,]+", word) and not is_file(word):
                joined_words[-1] += f",{word}"
            elif option is not None and option.nargs == "?":
                joined_words.append(f"{word}=")
            else:
                joined_words.append(word)
        return joined_words

    def error(self, message: str) -> NoReturn:
        if message.startswith(REQUIRED):
            message = self._of_missing(message)
        without_value = re.fullmatch(WITHOUT_VALUE, message)
        if without_value:
            message = self._of_value(without_value[1])
        unknown = re.match(r"unrecognized arguments: ([^\s=]*)", message)
        refused = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
        hint = ""
        if refused:
            hint = did_you_mean(refused[1], re.findall(r"[\w-]+", refused[2]))
        if unknown:
            others = commands_with(unknown[1])
            hint = did_you_mean(unknown[1], self._option_string_actions, cutoff=0.75)
            if not hint:
                hint = self._choice_like(unknown[1])
            if others:
                hint = f"; {unknown[1]} is an option of {', '.join(others)}"
            flag = unknown[1]
            if re.fullmatch("-[a-zA-Z][0-9]+", flag):
                flag = flag[:2]
            command = self.prog.rpartition(" ")[2]
            if (command, flag) in HINTS_OF_COMMANDS:
                hint = f"; {HINTS_OF_COMMANDS[command, flag]}"
            elif flag in HINTS and not others:
                hint = f"; {HINTS[flag]}"
        raise GradedError(f"{message}{hint} (see {self.prog} --help)")

    def _of_missing(self, message: str) -> str:
        """The message that arguments are missing, or else the one on an unknown option.

        Arguments that take several words may have none, which argparse does not know.
        """
        for word in self.words:
            flag = word.partition("=")[0]
            if flag.startswith("--") and flag not in self._option_string_actions:
                return f"unrecognized arguments: {flag}"
        names = message.removeprefix(REQUIRED).split(", ")
        optional = {option.heading for option in self.options if option.many}
        return REQUIRED + ", ".join(name for name in names if name not in optional)

    def _of_value(self, flag: str) -> str:
        """The message that the value of an option is missing, with what the value is."""
        action = self._option_string_actions[flag]
        typed = next((word for word in self.words if word in action.option_strings), flag)
        if action.choices:
            return f"{typed} needs one of {', '.join(action.choices)}"
        help_text = str(action.help).replace("%%", "%")
        return f"{typed} needs {action.metavar}: {help_text}"

    def _choice_like(self, flag: str) -> str:
        """The end of a message that suggests an option with the choice that the flag is like."""
        flags: dict[str, str] = {}
        for option in self.options:
            if option.flags and option.choices:
                flags |= dict.fromkeys(option.choices, option.flags[0])
        similar = similar_names(flag.lstrip("-"), flags, cutoff=0.75)
        if not similar:
            return ""
        choice = similar[0]
        return f"; did you mean {flags[choice]} {choice}?"


def usage_lines(form: str) -> list[str]:
    """A form of a command, folded to the width of the terminal beside the word usage.

    An option stays beside its value, and brackets stay whole.
    """
    whole = re.sub(r"\[[^]]*\]|--\w+ \S+", lambda match: match[0].replace(" ", "\xa0"), form)
    room = width() - len("usage: ")
    lines = wrap(whole, room, subsequent_indent="    ", break_on_hyphens=False)
    return [line.replace("\xa0", " ") for line in lines]


def commands_with(flag: str) -> list[str]:
    """The commands that have an option.

    >>> commands_with("--looks")
    ['gate']
    """
    commands = []
    for name in COMMANDS:
        options = import_module(f".{name}", __package__).OPTIONS
        if any(flag.replace("-", "_") in flags_of(option) for option in options):
            commands.append(name)
    return commands


def flags_of(option: Option) -> list[str]:
    """The flags of an option, with ``_`` for each ``-``, which mean the same."""
    return [flag.replace("-", "_") for flag in option.flags]


def help_lines(text: str) -> Iterator[str]:
    """The lines of a description, folded to the width of the terminal.

    Indented lines are commands, which go on in the next line behind a backslash.

    >>> list(help_lines("One sentence\\nin two lines.\\n\\n  command --option value"))
    ['One sentence in two lines.', '', '  command --option value']
    """
    for number, paragraph in enumerate(text.split("\n\n")):
        if number:
            yield ""
        if not paragraph.startswith(" "):
            yield from wrap(" ".join(paragraph.split()), width(), break_on_hyphens=False)
            continue
        for line in paragraph.split("\n"):
            yield from _folded_command(line)


OUTSIDE_QUOTES = r' (?=[^"]*(?:"[^"]*"[^"]*)*$)'
"""A blank with an even number of quotation marks behind it."""


def _folded_command(line: str) -> Iterator[str]:
    """A command in lines that end with a backslash, but for the last one."""
    rest = line
    while len(rest) > width():
        places = [match.start() for match in re.finditer(OUTSIDE_QUOTES, rest)]
        fitting = [place for place in places if 6 < place <= width() - 2]
        if not fitting:
            break
        last = fitting[-1]
        yield f"{rest[:last]} \\"
        rest = " " * 6 + rest[last + 1 :]
    yield rest


def check_endings(paths: Iterable[str], endings: Mapping[str, Sequence[str]]) -> None:
    """Raise `GradedError` for a path of another ending, or whose library is not installed."""
    for path in paths:
        hint = ""
        if path in endings:
            hint = f" (for the format, use -f {path})"
        elif not ending_of(path):
            # GITHUB_STEP_SUMMARY is such a file.
            hint = f"; -f markdown >> {quoted(path)} adds to a file without an ending"
        ending = checked_ending(path, endings, hint)
        if endings[ending]:
            needed(*endings[ending])


def expanded(words: Iterable[str], qrels: str | None) -> list[str]:
    """The words, with patterns replaced by the matching files other than the qrels."""
    paths: list[str] = []
    for word in words:
        paths_of_word = files_of(word) or files_of_folder(word) or named_files_of(word)
        for path in paths_of_word or [word]:
            if path == word or not _is_same(path, qrels):
                paths.append(path)
    return paths


def _is_same(path: str, qrels: str | None) -> bool:
    """Whether a path is that of the qrels, perhaps in other words, as ``./qrels``."""
    return qrels is not None and os.path.normpath(path) == os.path.normpath(qrels)


def files_of_folder(word: str) -> list[str]:
    """The files of a folder of runs, without hidden ones; none for a measure of this name and any
    other word.
    """
    if not os.path.isdir(word) or is_file(word):  # a folder of Parquet files is one table
        return []
    if not re.search(r"[/\\.]", word):
        from ..core.registry.notation import is_measure  # takes time

        if is_measure(word):
            return []
    paths: list[str] = []
    for name in sorted(os.listdir(word)):
        path = os.path.join(word, name)
        is_hidden = name.startswith((".", "_"))
        is_page = name.rpartition(".")[2].lower() in ENDINGS_OF_PAGES
        if os.path.isfile(path) and not is_hidden and not is_page:
            paths.append(path)
    return paths


def named_files_of(word: str) -> list[str]:
    """The files of a pattern with a name, as in ``BM25=runs/bm25.*``; none for any other word.

    If there are several, the name comes before that of each file.
    """
    name, _, pattern = word.partition("=")
    if not name or "(" in name or not is_pattern(pattern):
        return []
    from ..evaluation.named import run_names  # takes time

    paths = files_of(pattern)
    if len(paths) == 1:
        return [f"{name}={paths[0]}"]
    names = run_names(paths)
    return [f"{name}/{own}={path}" for own, path in zip(names, paths, strict=True)]


def files_of(word: str) -> list[str]:
    """The files that a pattern matches, which the shell did not replace; none if there is none.

    A file of this very name is no pattern, and a pattern of Parquet files is one table.
    """
    if is_file(word):
        return [word]
    return [path for path in matching(word) if os.path.exists(path) and not os.path.isdir(path)]


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


def several(kind: Callable[[str], Any]) -> Callable[[str], Any]:
    """Reads what commas separate."""
    return lambda text: [kind(word) for word in text.split(",")]


def _share(text: str) -> float:
    """A number, also in percent."""
    if text.endswith("%"):
        return float(text.rstrip(" %")) / 100
    return float(text)


QUIET = Option("--quiet", "show no progress of long work on a terminal", group=OUTPUT)
"""The option of all commands."""

real = typed(r"[-+.\w]+", float, "a number")
share = typed(r"[-+.\w]+|\d+(\.\d+)?\s*%", _share, "a number, as 0.95 or 95%")
whole_number = typed(r"-?\d{1,18}", int, "a whole number")
at_least_1 = typed(r"[1-9]\d{0,17}", int, "a whole number ≥ 1")
at_least_2 = typed(r"[2-9]|[1-9]\d{1,17}", int, "a whole number ≥ 2")
whole_numbers = typed(r"\d{1,18}(,\d{1,18})*", several(int), "whole numbers, as in 5,10,20")
numbers = typed(
    ".*",
    several(float),
    "numbers separated by commas, as in 0.05,0.1, where 5 % of a mean of 0.4 is 0.02",
)


def form_named(text: str) -> str:
    """The format of a name or of the ending of its files.

    >>> form_named("md"), form_named("csv"), form_named("junit")
    ('markdown', 'csv', 'xml')
    """
    if text == "junit":
        return "xml"
    return TABLES.get(text, text)


ENDINGS_OF_PAGES = (*figures.FORMATS, "htm", "html", "md", "tex", EXCEL)
"""The endings of files that commands write beside runs, and that are no runs."""
PAGE = dict.fromkeys(("html", "htm"), ("jinja2", "an HTML page", "report"))
"""The endings of a file with a page, which shows the figure and the tables, and what it needs."""


def output(
    figure: bool = True, documents: Sequence[str] = (), form: str = "-f --format FORM"
) -> tuple[Option, ...]:
    """The options for format, files and decimal places of a command that prints a result.

    `figure` tells whether the result has one. `documents` are further formats. `form` is the
    spelling of the option that selects one.
    """
    formats = list(dict.fromkeys([*FORMATS, *documents]))
    endings: dict[str, Sequence[str]] = {}
    if figure:
        endings |= dict.fromkeys(figures.FORMATS, figures.NEEDS)
        text = "also write the figure, table or page of this ending"
    else:
        text = "also write the table or page of this ending"
    endings |= dict.fromkeys([*TABLES, *documents], ())
    endings[EXCEL] = EXCEL_NEEDS
    endings |= PAGE
    places = typed(r"-1|\d{1,2}", int, "0 to 99, or -1 for all")
    decimals = f"decimal places, -1 for all; default: {PLACES}; files: all"
    return (
        Option(form, ", ".join(formats), form_named, choices=formats, group=OUTPUT),
        Option("-o --output FILE", text, repeated=True, group=OUTPUT, writes=list, endings=endings),
        Option("-p --places N", decimals, places, group=OUTPUT),
    )
