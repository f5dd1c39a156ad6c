"""The command `judges`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any
from warnings import catch_warnings, simplefilter

from ..errors import GradedError, InputWarning
from ..judging.agreement import agreement
from ..judging.estimate import HUMAN_FIRST, estimate
from ..output.formats import FOR_PEOPLE, FORMATS, Table, rows_of
from ..output.result import Result
from .arguments import Inputs, add_jobs, add_qrels, add_runs, bars
from .parser import Parser
from .results import add_output, check_files, printed

AGREEMENT, LEVELS, TOPICS, ORDERS, ESTIMATES = "agreement", "levels", "topics", "orders", "estimates"


def declare(parser: Parser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s HUMAN_QRELS MACHINE_QRELS [RUN… MEASURE…] [options]"
    add_qrels(parser, "qrels", "HUMAN_QRELS")
    add_qrels(parser, "machine", "MACHINE_QRELS")
    add_runs(parser)
    parser.add_argument(
        "--machine_levels",
        metavar="LEVEL:LEVEL,…",
        help="map from the machine's levels to the human's; with 0:0,5:1,10:3, levels from 5 become 1, "
        "from 10 become 3",
    )
    parser.add_argument("--baseline", metavar="RUN", help="also estimate the difference of each run from RUN")
    parser.add_argument(
        "--confidence", type=float, default=0.95, metavar="C", help="level of the intervals; default: 0.95"
    )
    parser.add_argument(
        "--merge",
        choices=[HUMAN_FIRST],
        help="complete the human's topics with the machine's judgments; the human's take precedence",
    )
    parser.add_argument(
        "--show",
        choices=(AGREEMENT, LEVELS, TOPICS, ORDERS, ESTIMATES),
        help="table to print; default: all except topics in the format text, else estimates (without runs: "
        "agreement)",
    )
    add_jobs(parser)
    add_output(parser)


def run(arguments: argparse.Namespace) -> list[str]:
    """Compare two judges, such as human and machine, and combine their judgments.

    The command compares the levels of the documents that both judged. It prints the confusion matrix, Cohen's
    kappa, plain and weighted, and the bias of the machine. With runs and measures, it adds the orders of the
    runs under either judge, and the means by the human alone, by the machine alone, and combined. The
    combined mean corrects the machine's mean over all its topics by its bias on the human's topics
    (prediction-powered inference). lambda is the weight of the machine, and worth is the number of human
    topics that would give an equally precise mean.

      ir_measures_graded judges human.txt machine.txt
      ir_measures_graded judges human.txt machine.txt runs/*.gz nDCG_JK@10 --baseline bm25
      ir_measures_graded judges human.txt llm.txt a.run b.run P@5 --machine_levels 0:0,5:1,10:3 -f csv
    """
    if not arguments.inputs and (arguments.baseline or arguments.merge or arguments.gains):
        raise GradedError("--baseline, --merge and --gains require runs and measures")
    if not arguments.inputs and arguments.show in (ORDERS, ESTIMATES):
        raise GradedError(f"--show {arguments.show} requires runs and measures")
    arguments.scoreddocs = False
    inputs = Inputs(arguments) if arguments.inputs else None
    check_files(arguments)
    human = inputs.qrels if inputs else arguments.qrels
    common: dict[str, Any] = {
        "machine_levels": arguments.machine_levels,
        "progress": bars(),
        "jobs": arguments.jobs,
    }
    several = inputs if inputs and len(inputs.runs) > 1 else None
    compared = (several.runs, several.measures) if several else ()
    with catch_warnings():
        if inputs:  # the estimates warn of the same runs
            simplefilter("ignore", InputWarning)
        agreed = agreement(human, arguments.machine, *compared, **common)
    result: Result = agreed
    tables: dict[str, Callable[[], Table]] = {AGREEMENT: agreed.table, LEVELS: agreed.confusion_table}
    notes = []
    if several:
        tables[ORDERS] = agreed.order_table
    if inputs:
        options: dict[str, Any] = {"merge": arguments.merge, "confidence": arguments.confidence}
        baseline = inputs.run_named(arguments.baseline, "--baseline")
        estimated = estimate(
            human, arguments.machine, inputs.runs, inputs.measures, baseline=baseline, **options, **common
        )
        tables[ESTIMATES], notes = estimated.table, ["", estimated.summary]
        result = estimated if arguments.show in (None, ESTIMATES) else agreed
    if arguments.show == ORDERS and not several:
        raise GradedError("--show orders requires at least 2 runs")
    sections = list(tables.values())
    tables[TOPICS] = agreed.topic_table
    choice = arguments.show or (ESTIMATES if inputs else AGREEMENT)

    def table(form: str) -> Table:
        is_result = choice in (AGREEMENT, ESTIMATES)
        return rows_of(result.records()) if is_result and form not in FOR_PEOPLE else tables[choice]()

    lines = printed(table, arguments, result.figure)
    if arguments.format != "text" or arguments.show:
        return lines
    texts = [["", *FORMATS["text"](*section(), arguments.places)] for section in sections]
    return [line for text in texts for line in text][1:] + notes
