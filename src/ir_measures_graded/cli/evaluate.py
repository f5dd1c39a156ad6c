"""The command `evaluate`, which prints like the ir_measures command or as a table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

import ir_measures

from ..errors import GradedError
from ..evaluation.evaluate import Evaluation, evaluate
from ..output.formats import Table
from .arguments import Inputs, add_collection, add_jobs, bars
from .parser import Parser
from .results import add_output, printed, shown

IR_MEASURES_FORMATS = ("tsv", "jsonl", "markdown")


def declare(parser: Parser) -> None:
    """Add the arguments of the command."""
    providers = tuple(ir_measures.providers.registry)
    add_collection(parser, sessions=True)
    parser.add_argument("-q", "--by_query", action="store_true", help="also print the values of each topic")
    parser.add_argument("-n", "--no_summary", action="store_true", help="with -q: omit the means")
    parser.add_argument(
        "--confidence",
        type=float,
        metavar="C",
        help="add the bounds of the confidence interval of each value over the topics, as in 0.95",
    )
    parser.add_argument(
        "--interval",
        choices=("t", "bca", "bootstrap"),
        help="with --confidence: Student's t (default) or, from 25 topics on, BCa bootstrap (bca, bootstrap)",
    )
    add_output(parser, default=None)
    parser.add_argument(
        "--output_format",
        dest="format",
        choices=IR_MEASURES_FORMATS,
        metavar="FORMAT",
        help="same as --format; like -o tsv, -o jsonl and -o markdown, for users of the ir_measures command",
    )
    add_jobs(parser)
    parser.add_argument(
        "--provider",
        choices=providers,
        metavar="NAME",
        help=f"compute all measures with one provider: {', '.join(providers)}",
    )


def run(arguments: argparse.Namespace) -> list[str]:
    """Evaluate runs against qrels.

    An argument after QRELS is a run if it is an existing file or - (standard input), and otherwise a measure.
    On a terminal the command prints an aligned table. Into a pipe or a file it prints tsv: for one run the
    lines of the ir_measures command, without a header, and for several runs one row per run.

      ir_measures_graded evaluate qrels.txt run.txt "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100" nDCG@10 AP
      ir_measures_graded evaluate qrels.txt runs/*.gz nCG@100 muAP -f markdown -o values.csv
      ir_measures_graded evaluate graded-demo --scoreddocs nDCG_JK@10 Q
      ir_measures_graded evaluate qrels.txt runs/*.gz muAP --confidence 0.95
    """
    _take_formats_of_ir_measures(arguments)
    inputs = Inputs(arguments)
    by_query, summary = arguments.by_query, not arguments.no_summary
    if not by_query and not summary:
        raise GradedError("--no_summary (-n) requires --by_query (-q)")
    if arguments.interval and arguments.confidence is None:
        raise GradedError("--interval requires --confidence")
    if by_query and arguments.confidence is not None:
        raise GradedError("--confidence is about means; omit --by_query (-q)")
    if arguments.confidence is not None:
        from ..analysis import intervals  # takes time: imports all analyses
        from ..statistics.intervals import STUDENT, check
        from ..statistics.libraries import need_statistics

        method = check(arguments.confidence, arguments.interval or STUDENT)
        need_statistics("scipy")
    found = evaluate(
        inputs.qrels,
        inputs.runs,
        inputs.measures,
        provider=arguments.provider,
        progress=bars(),
        jobs=arguments.jobs,
    )
    if arguments.confidence is not None:
        return shown(intervals(found, confidence=arguments.confidence, method=method), arguments)
    single = len(found.runs) == 1

    def table(form: str) -> Table:
        if single and form in ("text", "tsv", "json", "jsonl"):
            return _list_of_values(found, by_query, summary)
        return _table_of_runs(found, by_query, summary)

    headless = ("tsv",) if single else ()  # the ir_measures command prints no header
    return printed(table, arguments, found.figure, headless)


def _take_formats_of_ir_measures(arguments: argparse.Namespace) -> None:
    """Read -o tsv, -o jsonl and -o markdown as formats, and choose the default format."""
    given = [word for word in arguments.output if word in IR_MEASURES_FORMATS]
    arguments.output = [path for path in arguments.output if path not in given]
    default = "text" if sys.stdout.isatty() else "tsv"
    arguments.format = arguments.format or next(reversed(given), default)


def _list_of_values(found: Evaluation, by_query: bool, summary: bool) -> Table:
    """One run as the ir_measures command prints it: one row per value."""
    measures = list(map(str, found.measures))
    rows: list[list[Any]] = []
    for topic, values in _by_topic(found, 0, by_query, summary):
        rows += [[topic, measure, value] for measure, value in zip(measures, values) if value is not None]
    columns = ["query_id", "measure", "value"]
    return (columns, rows) if by_query else (columns[1:], [row[1:] for row in rows])


def _table_of_runs(found: Evaluation, by_query: bool, summary: bool) -> Table:
    """One row per run, or per run and topic; one column per measure."""
    rows: list[list[Any]] = []
    for number, run in enumerate(found.runs):
        for topic, values in _by_topic(found, number, by_query, summary):
            rows.append([run, topic, *values] if by_query else [run, *values])
    return ["run", *(["query_id"] if by_query else []), *map(str, found.measures)], rows


def _by_topic(
    found: Evaluation, run: int, by_query: bool, summary: bool
) -> Iterator[tuple[str, list[float | None]]]:
    """The values of a run for each topic if `by_query`, then over all topics if `summary`.

    None marks a value that a provider of ir-measures does not report.
    """
    assert found.aggregates is not None
    assert found.unreported is not None
    if by_query:
        for topic, values, lacks in zip(found.topics, found.values[run].T.tolist(), found.unreported[run].T):
            yield topic, [None if unreported else value for value, unreported in zip(values, lacks)]
    if summary:
        yield "all", found.aggregates[run].tolist()
