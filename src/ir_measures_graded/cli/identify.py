"""The command `identify`."""

import re
from collections.abc import Sequence
from typing import Any, NoReturn

from ..analysis import identify
from ..core.registry.notation import is_measure, parse_measures
from ..errors import GradedError
from ..evaluation.named import NamedSource
from ..files.content import is_pattern
from ..files.files import RunFile
from ..files.sources import is_file, named_path
from ..output.formats import counted, listed
from ..output.result import Result, View
from .arguments import COLUMNS, LEVELS, NO_LIMITS, given_columns, qrels, with_columns
from .parser import Arguments, Option, as_list, choice, output, whole_number

EXAMPLES = "as in qrels.txt a.run nDCG@10 0.1782, or qrels.txt a.run values.csv"
FILE = re.compile(r"[/\\]|\.[A-Za-z]\w*$")
"""How a word looks that names a file."""
NUMBER = re.compile(r"([0-9]*,[0-9]+|[0-9]*\.?[0-9]+(?=\s*%))\s*%?")
"""A mean with a decimal comma or in percent."""
NAMES_OF_TOOLS = {"sklearn", "llamaindex", "pyterrier", "ir-measures", "treceval", "ragas"}
"""Tools under other names than those of the answer."""
USAGE = (
    "QRELS RUN VALUES [RUN VALUES]…",
    "QRELS RUN [MEASURE] M",
    "QRELS RUN --mean M [RUN --mean M]…",
)
OPTIONS = (
    qrels(),
    Option(
        "inputs RUN [VALUES]…",
        "a run file and a file with its values by topic, or a mean M; more runs narrow the answer",
        many=True,
        reads=as_list,
    ),
    Option("--mean M", "mean of the run's values; one for each run", repeated=True),
    Option("--measure MEASURE", "the measure, if known, as nDCG, nDCG@10, DCG or AP"),
    Option(
        "--name NAME",
        "measure or run to take from files with several; default: MEASURE; once, or for each run",
        repeated=True,
    ),
    COLUMNS,
    LEVELS,
    NO_LIMITS,
    Option("--any_cutoff", "try all cutoffs, not only the usual ones"),
    Option("--decimals N", "decimals of the values; default: those that they show", whole_number),
    choice(
        "--show",
        "the answer (default), each topic with both values, or all definitions that fit",
        "answer",
        "topics",
        "definitions",
    ),
    *output(),
)


def run(arguments: Arguments) -> Result:
    """Find which definition of a measure gives somebody's values.

    The values of a run are lines 'TOPIC VALUE', the output of trec_eval -q or of NTCIREVAL, CSV or
    JSON. Of a table of several runs, those with the name of the run file are taken. The command
    tries nDCG and DCG with every combination of gain, discount, ideal list, cutoff, order of ties
    and other conventions, and the other measures at usual parameters. A dimension is settled if the
    others of its values would give other values here, open if several fit, and not exercised if the
    data never reach it. The answer names the tools that compute so, and the equal or nearest
    measure string. If nothing fits, it shows the nearest definition. A mean alone fits many
    definitions; values by topic tell them apart. Usual definitions are those of tools and of
    founding papers, and measures at their defaults; --show definitions also lists the rarer ones.

      ir_measures_graded identify qrels.txt bm25.run values.csv
      ir_measures_graded identify qrels.txt bm25.run nDCG@10 0.1782
    """
    values_of_runs: list[Any]
    if arguments.mean:
        kind_of_values = "mean"
        runs = arguments.inputs
        values_of_runs = arguments.mean
    else:
        # Runs and files with their values alternate.
        kind_of_values = "values"
        runs = arguments.inputs[::2]
        values_of_runs = arguments.inputs[1::2]
    for word in arguments.inputs:
        _refuse_stray(word, arguments)
    if not runs:
        raise GradedError(
            f"no run is given after the qrels {arguments.qrels!r}; pass QRELS, a run file and its "
            f"values, {EXAMPLES}"
        )
    if len(runs) != len(values_of_runs):
        _refuse_counts(runs, values_of_runs, bool(arguments.mean))
    columns = given_columns(arguments)
    files = [_run_of(word, columns) for word in runs]
    settings = arguments.of("measure", "name", "any_cutoff", "decimals")
    settings["columns"] = columns
    settings[kind_of_values] = values_of_runs[0]
    settings["also"] = list(zip(files[1:], values_of_runs[1:], strict=True))
    identification = identify(with_columns(arguments.qrels, columns), files[0], **settings)
    if arguments.show == "answer":
        return identification
    if arguments.show == "topics":
        table = identification.topic_table(rounded=True)
        whole_table = identification.topic_table()
    else:
        table = identification.definition_table(in_lines=True)
        whole_table = identification.definition_table()
    above = identification.answer()
    return View([table], identification.figure, read=whole_table, above=above)


def _refuse_counts(runs: Sequence[str], values: Sequence[str], has_means: bool) -> NoReturn:
    """Raise `GradedError` for more or fewer values than runs."""
    if has_means:
        counts = f"{counted(len(runs), 'run')} and {counted(len(values), 'mean')} are given"
        raise GradedError(f"{counts}; give each run one mean, in the order of the runs")
    raise GradedError(
        f"the run {runs[-1]!r} has no values; each run is followed by its own, {EXAMPLES}"
    )


def _refuse_stray(word: str, arguments: Arguments) -> None:
    """Raise `GradedError` for a word that is no file, and does not look like one: a number that is
    not written as one, a cutoff, the name of a tool, or a further measure."""
    path = named_path(word).path
    if path == "-" or is_file(path) or is_pattern(path) or FILE.search(path):
        return
    number = NUMBER.fullmatch(word)
    if number:
        point = number[1].replace(",", ".")
        raise GradedError(f"{word!r} is no file; write a mean as a plain number: {point}")
    if re.fullmatch(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?|nan", word, re.I):
        if not arguments.mean:
            return  # The message on a number in place of a file names --mean.
        raise GradedError(f"{word!r} is no file; a cutoff is part of its measure, {EXAMPLES}")
    name = re.split("[ :=]", word)[0]
    if name and name.lower() in _names_of_tools():
        raise GradedError(
            f"{name!r} is a tool: identify finds the tools that compute the values; leave it out, "
            f"{EXAMPLES}"
        )
    if name != word and is_measure(name):
        raise GradedError(f"write {word!r} as a measure and a mean, {EXAMPLES}")
    measures = list(filter(is_measure, arguments.inputs))
    if arguments.measure:
        measures.append(arguments.measure)
    if word in measures and len(measures) > 1:
        named = listed(measures, len(measures))
        raise GradedError(f"identify takes one measure; {named} are named")
    parse_measures([word])


def _names_of_tools() -> set[str]:
    """The names of tools in lower case, those of the answer and usual others."""
    from ..analysis.identify.tools import TOOLS  # takes time

    return {tool.lower() for row in TOOLS for tool in row["tool"].split(", ")} | NAMES_OF_TOOLS


def _run_of(word: str, columns: tuple[tuple[str, str], ...]) -> RunFile | NamedSource:
    """The run file that a word names, with its name in NAME=path."""
    name, path = named_path(word)
    file = RunFile(path, columns=columns)
    return NamedSource(name, file) if name else file
