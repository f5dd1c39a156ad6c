"""The command `curves`, which also shows effort, the horizontal reading of curves."""

from __future__ import annotations

import argparse

from ..analysis import curves, effort
from ..analysis.curves import RESAMPLES
from ..errors import GradedError
from .arguments import Inputs, add_collection, add_resamples, bars, whole_numbers
from .parser import Parser
from .results import add_output, shown


def declare(parser: Parser) -> None:
    """Add the arguments of the command."""
    add_collection(parser)
    parser.add_argument(
        "--depth", type=int, metavar="RANK", help="last rank; default: the measure's cutoff, else 100"
    )
    parser.add_argument(
        "--normalise",
        choices=("topics", "averages"),
        default="topics",
        help="average normalised curves (default), or divide the mean curve by the mean ideal curve",
    )
    parser.add_argument(
        "--ideal",
        action=argparse.BooleanOptionalAction,
        help="add the curve of the ideal list; default: only for CG, DCG_JK and DCG_Burges",
    )
    parser.add_argument(
        "--at",
        type=whole_numbers,
        metavar="RANK,…",
        help="show the rank at which each run reaches the ideal value of each of these ranks",
    )
    parser.add_argument("--baseline", metavar="RUN", help="with --at: use the values of RUN instead")
    parser.add_argument(
        "--confidence", type=float, metavar="C", help="add confidence bands over topics, for example 0.95"
    )
    add_resamples(parser, "topics for the bands", RESAMPLES)
    add_output(parser)


def run(arguments: argparse.Namespace) -> list[str]:
    """Show a measure at every rank, averaged over topics.

    The table has one row per rank and one column per run. Every measure must take a cutoff. A cutoff in the
    measure string sets the depth. With --at, the table has one row per run: the first rank at which its mean
    curve reaches the value that the ideal list, or the baseline, has at each of the given ranks.

      ir_measures_graded curves qrels.txt runs/*.gz "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)" -o nDCG.svg
      ir_measures_graded curves qrels.txt a.run b.run P@20 --confidence 0.95 -o P.png
      ir_measures_graded curves qrels.txt runs/*.gz "CG(gains=0:0,1:1,2:10,3:100)" --at 5,10
    """
    inputs = Inputs(arguments, uncut=True)
    if arguments.at and len(inputs.measures) > 1:
        raise GradedError(f"--at needs one measure; {len(inputs.measures)} are given")
    at_options = {"--confidence": arguments.confidence, "--ideal": arguments.ideal}
    for option, value in (at_options if arguments.at else {"--baseline": arguments.baseline}).items():
        if value is not None:
            raise GradedError(f"{option} {'does not go with' if arguments.at else 'requires'} --at")
    baseline = inputs.run_named(arguments.baseline, "--baseline")
    found = curves(
        inputs.qrels,
        inputs.runs,
        inputs.measures,
        arguments.depth,
        normalise=arguments.normalise,
        ideal=baseline is None if arguments.at else arguments.ideal,
        confidence=arguments.confidence,
        resamples=arguments.resamples,
        seed=arguments.seed,
        progress=bars(),
    )
    only = found.curves[0]
    if arguments.at:
        return shown(effort(only, arguments.at, baseline), arguments)
    return shown(found if len(found.curves) > 1 else only, arguments)
