"""The command `explain`."""

from __future__ import annotations

import argparse

from ..analysis import explain
from ..errors import GradedError
from ..output.formats import counted
from .arguments import Inputs, add_collection
from .parser import Parser
from .results import add_output, shown


def declare(parser: Parser) -> None:
    """Add the arguments of the command."""
    add_collection(parser)
    parser.usage = "%(prog)s QRELS RUN MEASURE --topic TOPIC [options]"
    parser.add_argument("--topic", required=True, metavar="TOPIC", help="id of the topic")
    parser.add_argument(
        "--depth",
        type=int,
        metavar="RANK",
        help="last rank; default: the cutoff of the measure, else the rank of the last judged document",
    )
    add_output(parser)


def run(arguments: argparse.Namespace) -> list[str]:
    """Show what each document of a ranking adds to a value.

    The table has one row per rank. It shows the document with its score, level and gain, the weight of a gain
    at this rank, the amount that the document adds to the value (contribution), and the value with the cutoff
    at this rank. If the measure divides a sum by the sum of the ideal list, the column sum has the running
    sum. The last columns show the ideal list and its running sum or its value at this rank. Columns that do
    not apply to the measure are omitted. The format text adds the value and the ranks of tied documents.

      ir_measures_graded explain qrels.txt bm25.run "nDCG_JK(b=2)@10" --topic 7
      ir_measures_graded explain qrels.txt bm25.run ERR_G --topic 7 --depth 20 -f csv -p -1
    """
    inputs = Inputs(arguments)
    for what, given in (("run", inputs.runs), ("measure", inputs.measures)):
        if len(given) > 1:
            raise GradedError(f"explain takes one {what}; {counted(len(given), what)} are given")
    ((name, source),) = inputs.runs
    found = explain(inputs.qrels, source, inputs.measures[0], arguments.topic, arguments.depth, name=name)
    lines = shown(found, arguments)
    if arguments.format != "text":
        return lines
    ties = ", ".join(f"{first} to {last}" for first, last in found.tied())
    note = [f"Documents with equal scores are at the ranks {ties}."] if ties else []
    return [*lines, "", f"{found.summary}.", *note]
