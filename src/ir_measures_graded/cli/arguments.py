"""Arguments that several commands share: qrels, runs, measures and common options."""

import argparse
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from ir_measures import Measure

from ..core.ranking.gains import named_weightings, weighting
from ..core.registry.names import registry
from ..core.registry.notation import parse_measure, parse_measures
from ..core.rows.columns import chosen_columns
from ..errors import GradedError, UnknownMeasureError, did_you_mean
from ..evaluation.evaluate import Evaluation
from ..evaluation.groups import is_column
from ..evaluation.named import Judgments, read_judgments, run_names, short_names
from ..evaluation.sessions import in_sessions
from ..evaluation.values import WORDS, column_of, read_sessions
from ..files.files import RunFile
from ..files.sources import is_file, scoreddocs_of
from ..output.formats import listed
from .parser import Namespace, Parser, typed

EXAMPLE = "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100"
SCOREDDOCS = "scoreddocs"
"""The name of the run that comes with an ir-datasets collection."""
LISTED = 5
"""The number of names that a message lists."""


def add_qrels(parser: Parser, name: str = "qrels", metavar: str = "QRELS", optional: bool = False) -> None:
    """Add an argument that names qrels."""
    parser.add_argument(
        name,
        metavar=metavar,
        nargs="?" if optional else None,
        help="qrels file (TREC, CSV, Parquet, Arrow or JSON; may be compressed) or ir-datasets id",
    )


def add_runs(parser: Parser, collection: bool = False) -> None:
    """Add the arguments that name runs and measures; `inputs` reads them.

    A `collection` of ir-datasets may have a run of its own.
    """
    parser.set_defaults(values=[], smaller=[], scoreddocs=False, sessions=None, progress=bars())
    parser.add_argument(
        "inputs",
        metavar="RUN… MEASURE…",
        nargs="*",
        help="run files (TREC, CSV, Parquet, Arrow or JSON; may be compressed) and measures; - is stdin",
    )
    weightings = "weighting: NAME=LEVEL:GAIN,…, exp, linear or w10"
    parser.option("--gains GAINS", weightings, shared=True, repeated=True)
    if collection:
        parser.option("--scoreddocs", "add the run that comes with the ir-datasets id", shared=True)
    add_form(parser)


def add_form(parser: Parser) -> None:
    """Add the options that tell how to read a run."""
    parser.option("--run_column NAME", "column that names the run of a row; default: run", shared=True)
    parser.option("--columns NAMES", "columns, as in topic=NAME,document=NAME,score=NAME", shared=True)
    kept = "row of a repeated document to keep: first or best"
    parser.option("--duplicates ROW", kept, shared=True, choices=("first", "best"))


def add_collection(parser: Parser, values: str = "", sessions: bool = False) -> None:
    """Add the arguments that name qrels, runs and measures; `inputs` reads them.

    `values` is the help of the option --values, which replaces qrels and runs. Without it, the option is
    refused. `sessions` tells whether the command has values of sessions.
    """
    parser.usage = "%(prog)s QRELS RUN… MEASURE… [options]"
    if values:
        parser.usage += "\n       %(prog)s --values FILE [RUN…] [MEASURE…] [options]"
        parser.option("--values FILE", values, repeated=True)
        smaller = "with --values: smaller values of this measure are better; repeatable"
        parser.option("--smaller MEASURE", smaller, repeated=True)
        parser.option(
            "--by FILE:COLUMN",
            "also for each group of topics: a table with a column topic and this one, or, with "
            "--values, a COLUMN of the values; numbers are cut at their quartiles",
        )
    else:
        parser.option("--values", None, type=_without_rankings)
    add_qrels(parser, optional=bool(values))
    add_runs(parser, collection=True)
    turns = "topics are turns of sessions, as 31_1, =PATTERN or =FILE"
    parser.option("--sessions =HOW", turns if sessions else None, nargs="?")
    parser.set_defaults(has_sessions=sessions)


def _without_rankings(text: str) -> str:
    raise argparse.ArgumentTypeError("this command needs rankings, which values lack; give QRELS and RUN")


def values_by_collection(arguments: Namespace, apart: bool = True) -> dict[str, Evaluation]:
    """The values of --values by collection; empty without this option.

    They are of one collection without a name, unless `apart` and a column ``collection`` names several.
    """
    if not arguments.values:
        if arguments.smaller:
            raise GradedError("--smaller requires --values")
        return {}
    file, _, column = (arguments.by or "").rpartition(":")
    arguments.by = column if file in arguments.values else arguments.by
    columns = chosen_columns(arguments.columns or {}, {word: word for word in WORDS})
    if arguments.run_column and columns.setdefault("run", arguments.run_column) != arguments.run_column:
        raise GradedError("--run_column and --columns name different columns for the run; give one of them")
    given: dict[str, Any] = {"smaller": arguments.smaller, "columns": columns}
    repeats = getattr(arguments, "repeats", None)
    if apart and arguments.by is None and repeats is None:
        return Evaluation.by_collection(arguments.values, **given)
    attributes = [arguments.by] if is_column(arguments.by) else []
    found = Evaluation.from_values(
        arguments.values, attributes=attributes, repeats=column_of(repeats), **given
    )
    return {"": found}


def given(arguments: Namespace, default: Sequence[str] = (), stored: Evaluation | None = None) -> list[Any]:
    """The first arguments of an analysis.

    They are qrels, runs and measures (or those of `default`), or the values of --values, which may be
    `stored` already.
    """
    stored = stored or values_by_collection(arguments, apart=False).get("")
    return [*inputs(arguments, default=default)] if stored is None else [chosen(arguments, stored)]


def words_of(arguments: Namespace) -> list[str]:
    """The arguments of a command that are no options."""
    return [word for word in (arguments.qrels, *arguments.inputs) if word is not None]


def chosen(arguments: Namespace, stored: Evaluation, words: Sequence[str] | None = None) -> Evaluation:
    """The values of the runs and measures that `words`, or the arguments, name; of all if none is named.

    Raises `GradedError` for a word that is neither a run nor a measure of the table, and for options that
    need rankings.
    """
    for option in ("sessions", "gains", "scoreddocs", "duplicates"):
        if getattr(arguments, option) not in (None, False, []):
            raise GradedError(f"--{option} needs QRELS and runs: the values of a table stay as they are")
    words = words_of(arguments) if words is None else words
    systems = {run: stored.systems.get(run, run) for run in stored.runs}
    runs = [run for word in words for run, system in systems.items() if word in (run, system)]
    try:
        words = [word for word in words if word not in (*systems, *systems.values())]
        named = {str(measure): [measure] for measure in stored.measures}
        measures = [found for word in words for found in named.get(word) or measures_in(word)]
    except GradedError as error:
        raise GradedError(f"{error}; the runs of the table are {listed(systems.values(), LISTED)}") from None
    return stored.part(runs or stored.runs, measures or stored.measures)


VALUES = (
    "table of values in place of QRELS and RUN, with the columns run, topic, measure and value, or as "
    "evaluate -q -f csv or trec_eval -q writes it; repeatable"
)
"""The help of --values."""


def add_alpha(parser: Parser) -> None:
    """Add the option for the significance level of tests."""
    parser.option("--alpha P", "significance level; default: 0.05", type=float, default=0.05)


def add_resamples(parser: Parser, what: str, default: int) -> None:
    """Add the options for the number of random samples and their seed."""
    text = f"random samples of {what}; default: {default}"
    parser.option("--resamples N", text, type=at_least_1, default=default)
    add_seed(parser)


def add_seed(parser: Parser) -> None:
    """Add the option for the seed of random numbers."""
    parser.option("--seed N", "random seed; default: 0", type=int, default=0)


TESTED = ("alpha", "resamples", "seed", "jobs", "progress")
"""The options of `add_tests`."""


def add_tests(parser: Parser, what: str) -> None:
    """Add the options of commands that test runs, `what` by random samples."""
    add_alpha(parser)
    add_resamples(parser, what, 10_000)
    add_jobs(parser)


def add_jobs(parser: Parser) -> None:
    """Add the option for the number of worker processes."""
    text = "worker processes; default: 1; -1: all cores"
    parser.option("--jobs N", text, shared=True, type=workers, default=1)


def options(arguments: Namespace, *names: str) -> dict[str, Any]:
    """The values of options for the parameters of an analysis that have these names."""
    return {name: getattr(arguments, name) for name in names}


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


def bars() -> bool:
    """Whether to show progress bars: stderr is a terminal and tqdm is installed."""
    return sys.stderr is not None and sys.stderr.isatty() and find_spec("tqdm") is not None


def inputs(
    arguments: Namespace,
    weighted: bool = False,
    uncut: bool = False,
    default: Sequence[str] = (),
    needed: bool = True,
) -> tuple[Any, list[tuple[str, Any]], list[Measure]]:
    """The qrels, runs and measures of a command.

    The runs are pairs of a name and a `RunFile`, or the run that comes with the collection. With the option
    --gains, each measure that names no gains becomes one measure per weighting, unless the command does this
    itself (`weighted`). If `uncut`, measures may lack a required cutoff. `default` has the measures to use if
    none is named. Replaces a path in --baseline by its run.

    Raises `GradedError` for an argument that is neither a file nor a measure, and if there is no run or no
    measure although they are `needed`.
    """
    qrels: Any = arguments.qrels
    if qrels is None:
        raise GradedError(
            "no qrels are given; pass a qrels file or an ir-datasets id, then runs and measures"
        )
    paths = [word for word in arguments.inputs if is_file(word)]
    words = (word.strip() for word in arguments.inputs if not is_file(word))
    named = dict.fromkeys(measure for word in words for measure in measures_in(word, uncut))
    measures = [*named] or [parse_measure(text) for text in default]
    if needed and not paths and not arguments.scoreddocs:
        raise GradedError("no run is given; pass one or more run files, or - for standard input")
    if needed and not measures:
        raise GradedError(f"no measure is given; name one or more, for example {EXAMPLE}")
    names = run_names([*paths, *[SCOREDDOCS] * arguments.scoreddocs])
    runs: list[tuple[str, Any]] = []
    for name, path in zip(names, paths):
        run = RunFile(path, **options(arguments, "run_column", "columns", "duplicates"))
        runs += run.runs().items() or [(name, run)]
    if arguments.scoreddocs:
        runs.append((names[-1], scoreddocs_of(qrels)))
    sessions = arguments.sessions
    if sessions is not None:
        if not arguments.has_sessions:
            raise GradedError(
                "this command shows single topics and takes no --sessions; evaluate, compare, power, "
                "gate, report and sensitivity do"
            )
        qrels = in_sessions(qrels, read_sessions(sessions) if is_file(sessions) else sessions or True)
    arguments.gains = named_weightings(arguments.gains)
    if arguments.gains and not weighted:
        qrels = read_judgments(qrels)
        measures = under_weightings(measures, arguments.gains, qrels)
    if getattr(arguments, "baseline", None) and not getattr(arguments, "repeats", None):
        arguments.baseline = _run_named(arguments.baseline, [name for name, _ in runs], zip(names, paths))
    return qrels, runs, measures


def _run_named(text: str, names: list[str], files: Iterable[tuple[str, str]]) -> str:
    """The run that --baseline names by its name, or by its file name or path, among `files`.

    Raises `GradedError` if there is no such run, or if several have this file name.
    """
    fitting = [name for name, path in files if name in names and text in (path, *short_names(path))]
    if text in names or len(fitting) == 1:
        return text if text in names else fitting[0]
    hint = did_you_mean(short_names(text)[0], names)
    raise GradedError(f"--baseline {text!r} is not among the runs {listed(names, LISTED)}{hint}")


def under_weightings(
    measures: Sequence[Measure], gains: Mapping[str, Mapping[Any, Any] | str], judgments: Judgments
) -> list[Measure]:
    """The measures, with each one that takes gains and names none under each weighting.

    Raises `GradedError` for an invalid weighting, and if there is no such measure.
    """
    levels = set(judgments.table.values.tolist())
    maps = [weighting(name, given, levels) for name, given in gains.items()]
    found: list[Measure] = []
    for measure in measures:
        names_no_gains = "gains" in measure.SUPPORTED_PARAMS and "gains" not in measure.params
        found += [measure(gains=each) for each in maps] if names_no_gains else [measure]
    if found == list(measures):
        raise GradedError(f"--gains applies to no measure: {listed(measures, LISTED)}")
    return list(dict.fromkeys(found))


def measures_in(text: str, uncut: bool = False) -> list[Measure]:
    """The measures in an argument, separated by blanks. If `uncut`, they may lack a required cutoff."""
    try:
        return [*parse_measures(text, uncut)]
    except GradedError as error:
        words = re.findall(r"(?:[^\s(]|\([^)]*\)?)+", text)  # blanks in parentheses do not separate measures
        if len(words) < 2:
            raise _neither_file_nor_measure(text, error) from None
        return [measure for word in words for measure in measures_in(word, uncut)]


def _neither_file_nor_measure(text: str, error: GradedError) -> GradedError:
    """The message about an argument that is not a file and, because of `error`, not a measure."""
    name = re.match(r"\w*", text)
    if os.path.isdir(text):
        return GradedError(f"{text!r} is a directory; pass run files, for example {os.path.join(text, '*')}")
    if "(" not in text and re.search(r"[/\\]|\.[A-Za-z]\w*$", text):
        return GradedError(f"file not found: {text!r}{_close_files(text)}")
    if isinstance(error, UnknownMeasureError) or not name or name[0] not in registry():
        told = str(error)
        return GradedError(f"{told}{'' if told.endswith('?') else ';'} there is no such file either")
    return error


def _close_files(path: str) -> str:
    """A hint that names similar files in the same directory; empty if there is none."""
    folder = os.path.dirname(path)
    try:
        return did_you_mean(path, [os.path.join(folder, each) for each in os.listdir(folder or ".")], most=3)
    except (OSError, ValueError):  # a name with a null byte
        return ""
