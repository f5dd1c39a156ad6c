"""The command `evaluate`, which prints like the ir_measures command or as a table."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import ir_measures

from ..evaluation.evaluate import Evaluation, evaluate
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
    topic = ["query_id"] if arguments.by_query else []
    names = [*map(str, found.measures)]
    rows = [*_rows(found, arguments)]
    wide = Table(["run", "query_id", *names], rows).select("run", *topic, *names)
    answer = Answer(View([wide], found.figure), facts=facts, default=default)
    if len(found.runs) > 1:
        return answer
    cells = [
        (id_, name, value)
        for _, id_, *values in rows
        for name, value in zip(names, values, strict=True)
    ]
    reported = [cell for cell in cells if cell[-1] is not None]
    long = Table(["query_id", "measure", "value"], reported).select(*topic, "measure", "value")
    headless = replace(long, head=False)  # the ir_measures command prints no header
    documents: dict[str, Any] = {
        form: partial(long.lines, form) for form in ("text", "jsonl", "json")
    }
    return replace(answer, documents=documents | {"tsv": partial(headless.lines, "tsv")})


def _rows(found: Evaluation, arguments: Arguments) -> Iterator[list[Any]]:
    """Run, topic and a value for each measure: for each topic if --by_query, then over all topics.

    None marks a value that a provider of ir-measures does not report.
    """
    reported, means = found.reported, [known(of_run) for of_run in found.means()]
    for number, run in enumerate(found.runs):
        if arguments.by_query:
            for topic, values in zip(found.topics, reported[number].T.tolist(), strict=True):
                yield [run, topic, *values]
        if not arguments.no_summary:
            yield [run, "all", *means[number]]
