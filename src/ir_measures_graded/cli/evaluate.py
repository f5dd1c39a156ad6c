"""The command `evaluate`, which prints like the ir_measures command or as a table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import ir_measures

from ..errors import GradedError
from ..evaluation.evaluate import Evaluation, evaluate
from ..output.formats import FORMATS, PLACES
from .arguments import (
    EXAMPLE,
    Command,
    add_collection,
    add_format,
    add_jobs,
    add_places,
    bars,
    files_and_measures,
    runs_of,
)


def _evaluate_arguments(parser: argparse.ArgumentParser) -> None:
    providers = tuple(ir_measures.providers.registry)
    add_collection(parser, "RUN|MEASURE", "run files in TREC format; measures")
    parser.add_argument("-q", "--by_query", action="store_true", help="also print the values of each topic")
    parser.add_argument("-n", "--no_summary", action="store_true", help="with -q: omit the means")
    add_places(parser)
    add_format(parser, "tsv", "jsonl", "markdown")
    add_jobs(parser)
    parser.add_argument(
        "--provider",
        choices=providers,
        metavar="NAME",
        help=f"compute all measures with one provider: {', '.join(providers)}",
    )


def _evaluate(arguments: argparse.Namespace) -> Iterator[str]:
    """Evaluate runs against qrels.

    An argument after QRELS is a run if it is an existing file, or - for standard input, and else a measure.
    One run is printed like the ir_measures command prints it, several runs as a table with one row per run.

      ir_measures_graded evaluate qrels.txt run.txt "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100" nDCG@10 AP
      ir_measures_graded evaluate qrels.txt runs/*.gz nCG@100 muAP -o markdown
      ir_measures_graded evaluate graded-demo --scoreddocs nDCG_JK@10 Q
    """
    form, by_query = arguments.output_format, arguments.by_query
    paths, measures = files_and_measures(arguments.inputs)
    if not measures:
        raise GradedError(f"no measure is given; name one or more, for example {EXAMPLE}")
    if arguments.no_summary and not by_query:
        raise GradedError("--no_summary (-n) requires --by_query (-q)")
    runs = runs_of(arguments, paths)
    if form == "jsonl" and arguments.places != PLACES:
        print("--places is ignored when using --output jsonl", file=sys.stderr)

    found = evaluate(
        arguments.qrels,
        runs,
        measures,
        provider=arguments.provider,
        progress=bars() and len(runs) > 1,
        jobs=arguments.jobs,
    )

    like_ir_measures = len(runs) == 1 and form != "markdown"
    view = _list_of_values if like_ir_measures else _table_of_runs
    columns, rows = view(found, by_query, not arguments.no_summary)
    lines = FORMATS[form](columns, rows, arguments.places)
    if like_ir_measures and form == "tsv":
        next(lines)  # ir-measures prints no header
    return lines


_Table = tuple[list[str], list[Sequence[Any]]]


def _list_of_values(found: Evaluation, by_query: bool, summary: bool) -> _Table:
    """One run as the ir_measures command prints it: one row per value."""
    measures = list(map(str, found.measures))
    rows: list[Sequence[Any]] = []
    for topic, values in _by_topic(found, 0, by_query, summary):
        rows += [(topic, measure, value) for measure, value in zip(measures, values) if value is not None]
    columns = ["query_id", "measure", "value"]
    return (columns, rows) if by_query else (columns[1:], [row[1:] for row in rows])


def _table_of_runs(found: Evaluation, by_query: bool, summary: bool) -> _Table:
    """One row per run, or per run and topic; one column per measure."""
    rows: list[Sequence[Any]] = []
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
    assert found.missing is not None
    if by_query:
        for topic, values, missing in zip(found.topics, found.values[run].T.tolist(), found.missing[run].T):
            yield topic, [None if lacks else value for value, lacks in zip(values, missing)]
    if summary:
        yield "all", found.aggregates[run].tolist()


COMMANDS: dict[str, Command] = {
    "evaluate": (_evaluate_arguments, _evaluate),
}
