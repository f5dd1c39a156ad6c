"""Lines in the words of other tools, and our line that means the same.

`in_our_words` changes only what the command would refuse, and only if one meaning is possible. The
user is told the line that is run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING

from ..errors import GradedError, quoted, shown
from ..files.content import is_pattern, matching
from ..files.sources import is_file, is_named_file, named_path
from . import COMMANDS, PROGRAM
from .parser import QUIET, Option, expanded, files_of_folder, form_named

if TYPE_CHECKING:
    from ir_measures import Measure

MOST_SHOWN = 8
"""The files that a note shows of a line."""
COMMANDS_OF_HABIT: Mapping[str, tuple[str, ...]] = {
    "kappa": ("judges",),
    "agreement": ("judges",),
    "hardest": ("evaluate", "--show", "topics"),
    "topics": ("evaluate", "--show", "topics"),
    "estimate": ("judges", "--show", "estimates"),
    "leaderboard": ("evaluate", "--sort"),
    "bibtex": ("measures", "--bibtex"),
    "cite": ("measures", "--bibtex"),
    "method": ("measures", "--sentence"),
    "significance": ("compare",),
    "test": ("compare",),
    "ttest": ("compare",),
    "t-test": ("compare",),
    "what-if": ("sensitivity", "-o", "what-if.html"),
    "whatif": ("sensitivity", "-o", "what-if.html"),
}
"""Words of a task, and the command with its options."""
BATCH = ("--budget", "--count", "--limit", "--number", "--size", "--top", "-k", "-n")
MARGIN = ("--loss", "--max_drop", "--max_loss", "--tolerance")
BY_QUERY = ("--by_topic", "--per_query", "--per_topic")
TOPIC = ("--qid", "--query", "--query_id", "--topic_id", "-q", "-t")
EFFECT = ("--delta", "--effect")
TESTS = ("anova", "conover", "tukey", "wilcoxon")
OF_TOPICS = dict.fromkeys((*BY_QUERY, "--by_query", "--hardest", "-q"), "--show=topics")
FLAGS: Mapping[str, Mapping[str, str]] = {
    "compare": {
        **{f"--{test}": f"--tests={test}" for test in TESTS},
        **OF_TOPICS,
    },
    "curves": dict.fromkeys(TOPIC, "--topic"),
    "evaluate": dict.fromkeys(BY_QUERY, "--by_query")
    | {
        "--hardest": "--show=topics",
        **dict.fromkeys(("--order_by", "--rank_by", "--sort_by"), "--sort"),
    },
    "explain": dict.fromkeys(TOPIC, "--topic"),
    "gate": dict.fromkeys(MARGIN, "--margin"),
    "holes": dict.fromkeys(BATCH, "--batch"),
    "identify": dict.fromkeys(("--number", "--reported", "--score", "--value"), "--mean"),
    "judges": {"--confusion": "--show=levels", **OF_TOPICS},
    "power": dict.fromkeys(EFFECT, "--differences"),
}
"""For each command, flags of habit and ours."""
WORDS_OF_TOPICS = (
    "by_query", "by_topic", "disagreement", "hardest", "queries", "query", "worst",
)  # fmt: skip
TABLES_OF_HABIT = {
    **dict.fromkeys(WORDS_OF_TOPICS, "topics"),
    "confusion": "levels",
}
"""Words behind --show, and the table that they mean."""
OF_LEVELS = ("--grades", "--labels", "--level_map", "--relevance_map")
"""Flags of other tools for --levels."""
OF_RUNS = ("--run", "--runs")
OF_MEASURES = ("-m", "--measure", "--measures", "--metric", "--metrics")
"""Flags of arguments that have none here: the words behind them are enough."""
METHOD = {
    "method": "--sentence",
    "methods": "--sentence",
    "sentence": "--sentence",
    "bibtex": "--bibtex",
    "cite": "--bibtex",
    "citation": "--bibtex",
}
"""Options and formats that ask for the text about the measures, and the option of `measures`."""
CHANGES_OF_MEASURES = (
    *("--gains", "--ties", "--unjudged", "--no_relevant", "--weights", "--sessions"),
    *("--passages", "--passages_pattern", "--passages_column", "--ignore_identical_ids"),
    "--ascending",
)
"""Options by which a value is another one than the text about its measure tells."""
OPTIONS_WITH_PLAIN_CHOICES = ("-f", "--correction", "--show")
"""The options whose choices tools also have as flags, such as --latex, --holm and --means."""
FORMATS_WITH_BOLD = ("latex", "tex", "markdown", "md", "html")
MEASURE = "-m"
"""The option of measures of trec_eval, which leaves out topics that the run lacks unless it has -c.
"""
ALWAYS_ON = "-c"
"""trec_eval's option by which topics that the run lacks count as 0, as they always do here."""
SINGLE_LETTERS = {"c", "n", "q"}
"""Options of trec_eval that may follow one hyphen together."""
LEVEL = "-l"
"""trec_eval's option of the lowest relevant level, which stands on the measures here."""
WITHOUT_LEVEL = ("nDCG", "NumRet", "NumQ", "Judged", "trec_unj")
"""Measures that have the same value with each lowest relevant level."""
PAIRS_OF = {
    "--gains": r"\d+(?:\.\d+)?[:=]\d+(?:\.\d+)?,?",
    "--levels": r"[^\s:=,]+[:=]-?\d+(?:\.\d+)?,?",
}
"""A level with its gain, or a word with its level, behind these options."""
DECIMAL = r"[-+]?\d*\.\d+|0|1"


def in_our_words(words: Sequence[str]) -> list[str]:
    """The words of a command line, with those of other tools in ours.

    >>> in_our_words(["holes", "qrels", "--budget", "100"])
    ['holes', 'qrels', '--batch', '100']
    >>> in_our_words(["kappa", "human.txt", "llm.txt"])
    ['judges', 'human.txt', 'llm.txt']
    """
    line = _with_command(words)
    if not line or line[0] not in COMMANDS or "-h" in line or "--help" in line:
        return line
    line, level = _without_options_of_trec_eval(line)
    line = _with_joined_pairs(_with_our_flags(line))
    if level:
        line = _with_level(line, int(level))
    line = _about_measures(line)
    change = CHANGES.get(line[0])
    if change is not None:
        line = change(line)
    return line


def shown_line(words: Sequence[str]) -> str:
    """A command line for a shell; of many files, it has the first ones and ….

    >>> shown_line(["evaluate", "qrels.txt", "AP"])
    'ir_measures_graded evaluate qrels.txt AP'
    """
    kept: list[str] = []
    file_count = 0
    for word in words:
        file_count += is_named_file(word)
        if is_named_file(word) and file_count > MOST_SHOWN:
            if kept[-1] != "…":
                kept.append("…")
        else:
            kept.append(quoted(word))
    return " ".join([PROGRAM, *kept])


def _with_command(words: Sequence[str]) -> list[str]:
    """The words behind a command: the one that a word of a task means, else `evaluate` if the first
    word is a file or one of its options.
    """
    first, *others = words
    if first in COMMANDS:
        return list(words)
    task = first.lower().lstrip("-").replace("_", "-")
    if task in COMMANDS_OF_HABIT and not os.path.exists(first):
        command, *options = COMMANDS_OF_HABIT[task]
        if "-o" in options and ("-o" in others or os.path.exists(options[-1])):
            options = []
        return [command, *others, *options]
    is_line_of_evaluate = first.startswith("-") and any(map(os.path.isfile, others))
    if os.path.exists(first) or is_line_of_evaluate:
        return ["evaluate", *words]
    return list(words)


def _options(command: str) -> list[Option]:
    options = import_module(f".{command}", __package__).OPTIONS
    return [*options, QUIET, Option("-h --help")]


def _flag(word: str) -> str:
    """The flag of a word, with ``_`` for each ``-`` inside."""
    flag = word.partition("=")[0]
    name = flag.lstrip("-")
    return flag[: len(flag) - len(name)] + name.replace("-", "_")


def _known_flags(command: str) -> dict[str, Option]:
    """The options of a command by their flags, as `_flag` writes them."""
    options: dict[str, Option] = {}
    for option in _options(command):
        for flag in option.flags:
            options[_flag(flag)] = option
    return options


def _with_our_flags(words: Sequence[str]) -> list[str]:
    """The line with our flags in place of those that the command lacks."""
    command, *others = words
    option_of = _known_flags(command)
    ours = FLAGS.get(command, {})
    line = [command]
    measure_places: list[int] = []
    for word, following in pairwise([*others, ""]):
        option = option_of.get(_flag(line[-1]))
        if option is not None and option.choices and word not in option.choices:
            # A table in the singular, as in --show estimate.
            ours_of_table = TABLES_OF_HABIT.get(word.lower(), f"{word}s")
            if ours_of_table in option.choices:
                word = ours_of_table
            line.append(word)
            continue
        flag = _flag(word)
        _, equals, value = word.partition("=")
        if not flag.startswith("-") or flag in option_of or flag == "-":
            line.append(word)
        elif flag in ours and _flag(ours[flag]) in option_of:
            line.append(ours[flag] + equals + value)
        elif flag in OF_LEVELS and "--levels" in option_of:
            line.append(f"--levels{equals}{value}")
        elif _in_other_number(flag) in option_of:
            line.append(_in_other_number(flag) + equals + value)
        elif flag in (*OF_RUNS, *OF_MEASURES):
            if equals:
                line.append(value)
            elif flag in OF_MEASURES:
                measure_places.append(len(line))
        elif flag == "--qrels" and equals:
            line[1:1] = [value]
        else:
            choice = _choice(flag, option_of.values())
            if choice and _is_other_value(following):
                choice = []
            line += choice or [word]
    # trec_eval has -m before the qrels.
    measures = [line[place] for place in measure_places if place < len(line)]
    rest = [word for place, word in enumerate(line) if place not in measure_places]
    return _with_qrels_first([*rest, *measures], option_of)


def _without_options_of_trec_eval(words: Sequence[str]) -> tuple[list[str], str]:
    """A line of `evaluate` without -c and -l, and the lowest relevant level; empty if it has none.

    >>> _without_options_of_trec_eval(["evaluate", "-c", "-l", "2", "qrels", "run", "AP"])
    (['evaluate', 'qrels', 'run', 'AP'], '2')
    """
    if words[0] != "evaluate":
        return list(words), ""
    words = _with_single_letters(words)
    line: list[str] = []
    level = ""
    is_level = False
    for word, following in zip(words, [*words[1:], ""], strict=True):
        joined = word.startswith(LEVEL) and re.fullmatch(f"{LEVEL}([0-9]+)", word)
        if is_level:
            level = word
            is_level = False
        elif joined:
            level = joined[1]
        elif word == LEVEL and re.fullmatch("[0-9]+", following):
            is_level = True
        elif word != ALWAYS_ON:
            line.append(word)
    return line, level


def _with_single_letters(words: Sequence[str]) -> list[str]:
    """The line with -q -c for -qc, as trec_eval takes it."""
    line: list[str] = []
    for word in words:
        letters = word.removeprefix("-")
        has_several = len(word) > len(letters) > 1
        if has_several and SINGLE_LETTERS.issuperset(letters):
            line += [f"-{letter}" for letter in letters]
        else:
            line.append(word)
    return line


def _with_level(words: Sequence[str], level: int) -> list[str]:
    """The line whose measures count documents from this level on as relevant, as -l of trec_eval.

    Raises `GradedError` without measures, and for one whose value trec_eval would change and that
    has no parameter rel.
    """
    from ..core.registry.names import OFFICIAL  # This import and the next one take time.
    from ..core.registry.notation import parse_measures

    written_so = f"-l {level} is written on the measures, as in 'AP(rel={level})'"
    measures = _measures_of(words)
    if not measures:
        raise GradedError(written_so)
    line: list[str] = []
    for word in words:
        parsed: list[Measure] = []
        if word == OFFICIAL:
            raise GradedError(f"{written_so}; name them in place of {OFFICIAL}")
        if word in measures and "rel=" not in word:
            try:
                parsed = list(parse_measures(word))
            except GradedError:
                reason = f"and {shown(word)} is neither a file nor one measure"
                raise GradedError(f"{written_so}, {reason}") from None
        strings = [_measure_with_level(measure, level) for measure in parsed]
        if strings == list(map(str, parsed)):
            line.append(word)
        else:
            line += strings
    return line


def _measure_with_level(measure: Measure, level: int) -> str:
    """A measure with the lowest relevant level, unless it needs none.

    NumRelRet is NumRet with rel=1.
    """
    name = str(measure.NAME)
    needs_none = name in WITHOUT_LEVEL and "rel" not in measure.params
    if needs_none or level == 1:
        return str(measure)
    if "rel" not in measure.SUPPORTED_PARAMS or name == "NumRel":
        raise GradedError(
            f"-l {level} is written on the measures, as in 'AP(rel={level})', and {measure} takes "
            "no rel; leave out one of them"
        )
    return str(measure(rel=level))


def is_short_form(words: Sequence[str], line: Sequence[str]) -> bool:
    """Whether the words are a short form of the line that the help of the command has."""
    return words[0] == "identify" and _identified(words) == list(line)


def advice_on(words: Sequence[str], line: Sequence[str]) -> str:
    """What the note on a line that is read as another one says of it, after the latter."""
    advice = ""
    if line[0] == "evaluate" and words[0] not in (*COMMANDS, *COMMANDS_OF_HABIT):
        advice = "; write evaluate first"
    is_of_trec_eval = line[0] == "evaluate" and not {ALWAYS_ON, MEASURE}.isdisjoint(words)
    if is_of_trec_eval and ALWAYS_ON not in line:
        advice += f"; {ALWAYS_ON} is always on"
    return advice


def _in_other_number(flag: str) -> str:
    """A long flag in the singular if it is in the plural, and the other way round."""
    if not flag.startswith("--"):
        return ""
    return flag.removesuffix("s") if flag.endswith("s") else f"{flag}s"


def _with_joined_pairs(words: Sequence[str]) -> list[str]:
    """The line with commas between the pairs of --gains or --levels, which are words of their own.

    >>> _with_joined_pairs(["evaluate", "--gains", "0:0", "1:1", "2:10", "AP"])
    ['evaluate', '--gains', '0:0,1:1,2:10', 'AP']
    """
    line: list[str] = []
    for word in words:
        pair = PAIRS_OF.get("".join(line[-2:-1]), "")
        is_next = bool(pair) and re.search(f"{pair}$", line[-1]) and re.fullmatch(pair, word)
        if is_next and not os.path.exists(word):
            line[-1] = f"{line[-1].rstrip(',')},{word.rstrip(',')}"
        else:
            line.append(word)
    return line


def _choice(flag: str, options: Iterable[Option]) -> list[str]:
    """Our option and the choice that a flag is, as -f latex for --latex; none if it is no choice.

    A choice of another option changes values, as --mean would if it were --ties mean.
    """
    name = form_named(flag.lstrip("-"))
    if not flag.startswith("--") or flag in TOPIC or flag == "--topic":
        return []
    for option in options:
        first = option.flags[0]
        choices = option.choices or ()
        if first not in OPTIONS_WITH_PLAIN_CHOICES:
            continue
        for choice in (name, f"{name}s"):
            if choice in choices:
                return [first, choice]
    return []


def _is_other_value(word: str) -> bool:
    """Whether a word can only be the value of the flag before it: no flag, file or measure."""
    if not word or word.startswith("-") or _names_files(word):
        return False
    from ..core.registry.notation import is_measure  # takes time

    return not is_measure(word)


def _with_qrels_first(words: Sequence[str], option_of: Mapping[str, Option]) -> list[str]:
    """The line with the value of --qrels as its first argument, if the command lacks the option."""
    line = list(words)
    if "--qrels" in option_of or "--qrels" not in line[:-1]:
        return line
    place = line.index("--qrels")
    qrels = line[place + 1]
    return [line[0], qrels, *line[1:place], *line[place + 2 :]]


def _takes_value(option: Option) -> bool:
    """Whether the next word is a value of the option."""
    is_switch = option.spelling.split()[-1].startswith("-") and not option.choices
    return not is_switch and not option.optional


def _arguments_of(line: Sequence[str]) -> list[int]:
    """The places of the words that are neither options nor their values, behind the command."""
    option_of = _known_flags(line[0])
    places: list[int] = []
    is_value = False
    takes_many = False
    for place, word in enumerate(line[1:], 1):
        option = option_of.get(_flag(word))
        if option is not None or (word.startswith("-") and word != "-"):
            is_value = option is not None and "=" not in word and _takes_value(option)
            takes_many = is_value and option is not None and option.many
        elif is_value:
            is_value = takes_many
        else:
            places.append(place)
    return places


def _names_files(word: str) -> bool:
    """Whether a word is a file, a folder of files or a pattern of some."""
    if is_pattern(word) and matching(word) != [word]:
        return True
    return is_named_file(word) or bool(files_of_folder(word))


def _measures_of(line: Sequence[str]) -> list[str]:
    """The arguments behind the qrels that are no files."""
    words = [line[place] for place in _arguments_of(line)[1:]]
    return [word for word in words if not _names_files(word)]


def _about_measures(words: Sequence[str]) -> list[str]:
    """The line of `measures` for a line that asks for the text about its measures.

    A line with `CHANGES_OF_MEASURES` stays, as the text would be that of other values.
    """
    line = list(words)
    option_of = _known_flags(line[0])
    asked = ""
    for place, word in enumerate(line):
        flag = _flag(word)
        if flag.startswith("--") and flag not in option_of:
            asked = asked or METHOD.get(flag.lstrip("-"), "")
        elif place and line[place - 1] in ("-f", "--format"):
            asked = asked or METHOD.get(word, "")
    flags = {_flag(word) for word in line}
    if line[0] == "measures" or not asked or not flags.isdisjoint(CHANGES_OF_MEASURES):
        return line
    measures = _measures_of(line)
    if not measures:
        return line
    return ["measures", *measures, asked]


def _compared(words: Sequence[str]) -> list[str]:
    """A line of `compare` without --bold and --best, which its tables for papers need not, and
    with commas between several baselines.
    """
    line = list(words)
    if "--baseline" in line:
        line = _with_joined_baselines(line)
    forms = [line[place + 1] for place, word in enumerate(line[:-1]) if word in ("-f", "--format")]
    endings = [word.rpartition(".")[2] for word in line]
    if not set(FORMATS_WITH_BOLD).intersection(forms + endings):
        return line
    kept: list[str] = []
    for word in line:
        is_of_best = bool(kept) and word == "bold" and line[line.index(word) - 1] == "--best"
        if word not in ("--bold", "--best") and not is_of_best:
            kept.append(word)
    return kept


def _with_joined_baselines(words: Sequence[str]) -> list[str]:
    """The line with commas between the names of runs behind --baseline.

    Files and measures of the same name stay arguments.
    """
    from ..core.registry.notation import is_measure  # This import and the next one take time.
    from ..evaluation.named import run_names

    places = _arguments_of(words)
    files = [words[place] for place in places[1:] if _names_files(words[place])]
    paths = [named_path(file) for file in expanded(files, None)]
    names = {path.name for path in paths} | set(run_names([path.path for path in paths]))
    line: list[str] = []
    for word in words:
        is_behind_baseline = len(line) > 1 and line[-2] == "--baseline"
        may_be_an_argument = is_named_file(word) or is_measure(word)
        if is_behind_baseline and word in names and not may_be_an_argument:
            joined = f"{line[-1]},{word}"
            if joined in names:  # a run of this very name
                line += ["--baseline", word]
            else:
                line[-1] = joined
        else:
            line.append(word)
    return line


def _evaluated(words: Sequence[str]) -> list[str]:
    """A line of `evaluate` whose --sort has a measure: its first one if it has none."""
    line = list(words)
    if "--sort" not in line:
        return line
    measures = _measures_of(line)
    place = line.index("--sort")
    following = line[place + 1 : place + 2]
    has_measure = bool(following) and not following[0].startswith("-")
    if has_measure and not _names_files(following[0]):
        return line
    if has_measure:
        # The words behind --sort are arguments.
        measures = _measures_of([*line[:place], *line[place + 1 :]])
    if not measures:
        return line
    return [*line[: place + 1], measures[0], *line[place + 1 :]]


def _ordered(words: Sequence[str]) -> list[str]:
    """A line of `leaderboards` with qrels, runs and measures, as one of `evaluate`."""
    arguments = [words[place] for place in _arguments_of(words)]
    files = [word for word in arguments if _names_files(word)]
    measures = [word for word in arguments if word not in files]
    of_tables = {"--first", "--second", "--qrels", "--means"}
    has_runs = len(files) > 2 or bool(files and not is_named_file(files[-1]))
    is_of_runs = has_runs and bool(measures) and arguments[: len(files)] == files
    if not is_of_runs or not of_tables.isdisjoint(words):
        return list(words)
    return ["evaluate", *words[1:], "--sort", measures[0]]


def _identified(words: Sequence[str]) -> list[str]:
    """A line of `identify` with --mean before numbers and --measure before a measure."""
    from ..core.registry.notation import is_measure  # takes time

    line = list(words)
    for place in _arguments_of(line)[1:]:
        name, _, mean = line[place].partition("=")
        if re.fullmatch(DECIMAL, mean) and is_measure(name):
            line[place : place + 1] = [name, mean]
            break
    places = _arguments_of(line)[1:]
    others = [place for place in places if not is_file(named_path(line[place]).path)]
    means = [line[place] for place in others if re.fullmatch(DECIMAL, line[place])]
    measures = [line[place] for place in others if is_measure(line[place])]
    has_measure = any(word.startswith("--measure") for word in line)
    if len(measures) != 1 or has_measure:
        measures = []
    moved = [*means, *measures]
    kept = [word for place, word in enumerate(line) if place not in others or word not in moved]
    for mean in means:
        kept += ["--mean", mean]
    for measure in measures:
        kept += ["--measure", measure]
    return kept


NUMBERS = {
    "explain": ("--topic", r"[0-9]+"),
    "gate": ("--margin", r"[0-9.]+%"),
    "holes": ("--batch", r"[0-9]+"),
    "power": ("--differences", r"0?\.[0-9]+"),
}
"""The option of each command whose value a number among the arguments is, and its form."""


def _with_option_of_number(words: Sequence[str]) -> list[str]:
    """A line of a command of `NUMBERS` with its option before a number among the arguments."""
    line = list(words)
    option, form = NUMBERS[line[0]]
    if any(word.startswith(option) for word in line):
        return line
    for place in _arguments_of(line)[1:]:
        word = line[place]
        if re.fullmatch(form, word) and not is_file(word):
            return [*line[:place], *line[place + 1 :], option, word]
    return line


def _gated(words: Sequence[str]) -> list[str]:
    """A line of `gate` with the runs of --baseline or --old and of --new in their order."""
    line = list(words)
    runs: list[str] = []
    for flags in (("--baseline", "--old"), ("--new", "--candidate")):
        for flag in flags:
            if flag in line[:-1]:
                place = line.index(flag)
                run = line[place + 1]
                line = line[:place] + line[place + 2 :]
                line = [word for word in line if word != run]
                runs.append(run)
                break
    places = _arguments_of(line)
    if not runs or not places:
        return _with_option_of_number(words)
    first_place = places[0] + 1
    return _with_option_of_number([*line[:first_place], *runs, *line[first_place:]])


CHANGES: Mapping[str, Callable[[Sequence[str]], list[str]]] = {
    "compare": _compared,
    "evaluate": _evaluated,
    "explain": _with_option_of_number,
    "gate": _gated,
    "holes": _with_option_of_number,
    "identify": _identified,
    "leaderboards": _ordered,
    "power": _with_option_of_number,
}
"""What else is changed in the lines of these commands."""
