"""The command `identify`."""

from typing import Any

from ..analysis import identify
from ..errors import GradedError
from ..evaluation.named import NamedSource
from ..files.files import RunFile
from ..files.sources import named_path
from ..output.result import Result, View
from .arguments import COLUMNS, LEVELS, NO_LIMITS, given_columns, qrels, with_columns
from .parser import Arguments, Option, as_list, choice, output, whole_number

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
    choice("--show", "the answer (default), or each topic with both values", "answer", "topics"),
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
    definitions; values by topic tell them apart.

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
    if not runs:
        raise GradedError("no run is given; pass a run file and the values of its topics")
    if len(runs) != len(values_of_runs):
        counts = f"the numbers of runs ({len(runs)}) and of their values ({len(values_of_runs)})"
        hint = "give each run its values or --mean; --measure names a measure"
        raise GradedError(f"{counts} differ; {hint}")
    columns = given_columns(arguments)
    files = [_run_of(word, columns) for word in runs]
    settings = arguments.of("measure", "name", "any_cutoff", "decimals")
    settings["columns"] = columns
    settings[kind_of_values] = values_of_runs[0]
    settings["also"] = list(zip(files[1:], values_of_runs[1:], strict=True))
    identification = identify(with_columns(arguments.qrels, columns), files[0], **settings)
    if arguments.show == "topics":
        return View(
            [identification.topic_table(rounded=True)],
            identification.figure,
            read=identification.topic_table(),
            above=identification.answer(),
        )
    return identification


def _run_of(word: str, columns: tuple[tuple[str, str], ...]) -> RunFile | NamedSource:
    """The run file that a word names, with its name in NAME=path."""
    name, path = named_path(word)
    file = RunFile(path, columns=columns)
    return NamedSource(name, file) if name else file
