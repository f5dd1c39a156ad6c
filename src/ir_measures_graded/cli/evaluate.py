"""The command `evaluate`, which prints like the ir_measures command or as a table."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import ir_measures

from ..evaluation.evaluate import Evaluation, evaluate
from ..evaluation.values import AGGREGATE, ALL
from ..output.formats import known
from ..output.result import View
from ..output.tables import Table
from .arguments import COLLECTION, SESSIONS, inputs
from .parser import Arguments, Option, choice, output, real
from .results import Answer

PROVIDERS = tuple(ir_measures.providers.registry)
OPTIONS = (
    *COLLECTION,
    SESSIONS,
    Option("--ties", "value over all orders of tied documents", choices=("mean", "min", "max")),
    Option("--unjudged", "value over all judgments of unjudged documents", choices=("min", "max")),
    Option("-q --by_query", "also print the values of each topic", excludes="confidence"),
    Option("-n --no_summary", "omit the means", requires="by_query"),
    Option(
        "--confidence C", "add the confidence interval of each mean over topics, as in 0.95", real
    ),
    choice(
        "--interval", "Student's t (default) or BCa bootstrap", "t", "bca", requires="confidence"
    ),
    *output(
        form="-f --output_format --format FORM"
    ),  # the ir_measures command says --output_format
    Option("--provider NAME", f"use one provider: {', '.join(PROVIDERS)}", choices=PROVIDERS),
)


def run(arguments: Arguments) -> Answer:
    """Evaluate runs against qrels.

    An argument after QRELS is a run if it is an existing file or - (standard input), and otherwise a measure.
    On a terminal the command prints an aligned table. Into a pipe or a file it prints tsv: for one run the
    lines of the ir_measures command, without a header, and for several runs one row per run. -f json has the
    values beside the number of topics, the kind and seed of the intervals, the versions of the packages and
    the SHA-256 of the files.

      ir_measures_graded evaluate qrels.txt run.txt "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)@100" nDCG@10 AP
      ir_measures_graded evaluate qrels.txt runs/*.gz nCG@100 muAP -f markdown -o values.csv
      ir_measures_graded evaluate graded-demo --scoreddocs nDCG_JK@10 Q
      ir_measures_graded evaluate qrels.txt run.txt nDCG@10 AP --ties mean
      ir_measures_graded evaluate qrels.txt runs/*.gz muAP --confidence 0.95
    """
    default = "text" if sys.stdout.isatty() else "tsv"
    found = evaluate(*inputs(arguments), **arguments.of("ties", "unjudged", "provider"))
    facts = {"unit": found.unit, "topics": len(found.topics), "interval": None}
    facts |= arguments.of("ignore_identical_ids")
    if arguments.confidence is not None:
        from ..analysis import intervals  # takes time: imports all analyses

        settings = {"confidence": arguments.confidence, "method": arguments.interval}
        facts |= {"interval": settings, "seed": 0 if arguments.interval == "bca" else None}
        return Answer(intervals(found, **settings), facts=facts, default=default)
    topic: list[str] = []
    marks: list[str] = []
    if arguments.by_query:
        topic = ["query_id"]
        if ALL in found.topics:
            marks = [AGGREGATE]
    names = [*map(str, found.measures)]
    rows = [*_rows(found, arguments)]
    wide = Table(["run", "query_id", AGGREGATE, *names], rows).select("run", *topic, *marks, *names)
    view = View([wide], found.figure, noted=found.notes(), remarks=found.remarks)
    answer = Answer(view, facts=facts, default=default)
    if len(found.runs) > 1:
        return answer
    cells = [
        (name_of_topic, name, value, mark)
        for _, name_of_topic, mark, *values in rows
        for name, value in zip(names, values, strict=True)
        if value is not None
    ]
    every = Table(["query_id", "measure", "value", AGGREGATE], cells)
    long = every.select(*topic, "measure", "value", *marks)
    plain = every.select(*topic, "measure", "value")
    headless = replace(plain, head=False)  # the ir_measures command prints no header
    documents: dict[str, Any] = {
        form: partial(long.lines, form) for form in ("text", "jsonl", "json")
    }
    return replace(answer, documents=documents | {"tsv": partial(headless.lines, "tsv")})


def _rows(found: Evaluation, arguments: Arguments) -> Iterator[list[Any]]:
    """Run, topic, mark and a value for each measure: for each topic if --by_query, then over all topics.

    The mark tells the row over all topics from that of a topic that is named ``all``. None stands for a
    value that a provider of ir-measures does not report.
    """
    means = [known(of_run) for of_run in found.means()]
    for number, run in enumerate(found.runs):
        if arguments.by_query:
            by_topic = found.reported[number].T.tolist()
            for topic, values in zip(found.topics, by_topic, strict=True):
                yield [run, topic, "", *values]
        if not arguments.no_summary:
            yield [run, ALL, "mean", *means[number]]
