"""The command `ranges`."""

from __future__ import annotations

import argparse

from ..analysis import ranges
from ..analysis.ranges import DRAWS
from .arguments import Inputs, add_collection, add_seed, bars
from .parser import Parser
from .results import add_output, shown


def declare(parser: Parser) -> None:
    """Add the arguments of the command."""
    add_collection(parser)
    parser.add_argument(
        "--show",
        choices=("values", "differences"),
        default="values",
        help="table to print: the ranges of the values (default), or how many differences stand",
    )
    parser.add_argument(
        "--draws",
        type=int,
        default=DRAWS,
        metavar="N",
        help=f"random judgments for the likely range, 0 for none; default: {DRAWS}",
    )
    add_seed(parser)
    add_output(parser)


def run(arguments: argparse.Namespace) -> list[str]:
    """Show how tied scores and unjudged documents could change values.

    For each run and measure the table has the value, its range over all orders of tied documents, its range
    over all judgments of the unjudged documents within the cutoff, and the share of judged documents there.
    The likely range holds 95 % of the values under random judgments. These have the levels of judged
    documents at similar ranks. A difference between two runs stands if its range excludes 0. The formats tsv,
    csv and jsonl list the ranges of all values, then those of all differences. A cell is empty if the range
    is not known; a note gives the reason.

      ir_measures_graded ranges qrels.txt runs/*.gz nDCG_JK@10 ERR_G@10 -o ranges.svg
      ir_measures_graded ranges qrels.txt runs/*.gz nDCG_JK@10 --show differences --draws 0
    """
    inputs = Inputs(arguments)
    found = ranges(
        inputs.qrels,
        inputs.runs,
        inputs.measures,
        draws=arguments.draws,
        seed=arguments.seed,
        progress=bars(),
    )
    return shown(found, arguments, found.table if arguments.show == "values" else found.table_of_differences)
