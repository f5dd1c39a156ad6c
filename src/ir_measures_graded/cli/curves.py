"""The command `curves`, which also shows effort, the horizontal reading of curves."""

import argparse

from ..analysis import curves, effort
from ..analysis.curves import RESAMPLES
from ..errors import GradedError
from .arguments import add_collection, add_resamples, inputs, options, whole_numbers
from .parser import Namespace, Parser
from .results import add_output, shown


def declare(parser: Parser) -> None:
    """Add the arguments of the command."""
    add_collection(parser)
    parser.option("--depth RANK", "last rank; default: the measure's cutoff, else 100", type=int)
    what = "average normalised curves (default), or divide the mean curve by the mean ideal curve"
    parser.choice("--normalise", what, "topics", "averages")
    what = "add the curve of the ideal list; default: only for CG, DCG_JK and DCG_Burges"
    parser.option("--ideal", what, action=argparse.BooleanOptionalAction)
    what = "show the rank at which each run reaches the ideal value of each of these ranks"
    parser.option("--at RANK,…", what, type=whole_numbers)
    parser.option("--baseline RUN", "with --at: use the values of RUN instead")
    parser.option("--confidence C", "add confidence bands over topics, for example 0.95", type=float)
    add_resamples(parser, "topics for the bands", RESAMPLES)
    add_output(parser)


def run(arguments: Namespace) -> list[str]:
    """Show a measure at every rank, averaged over topics.

    The table has one row per rank and one column per run. Every measure must take a cutoff. A cutoff in the
    measure string sets the depth. With --at, the table has one row per run: the first rank at which its mean
    curve reaches the value that the ideal list, or the baseline, has at each of the given ranks.

      ir_measures_graded curves qrels.txt runs/*.gz "nDCG_JK(b=2,gains=0:0,1:1,2:10,3:100)" -o nDCG.svg
      ir_measures_graded curves qrels.txt a.run b.run P@20 --confidence 0.95 -o P.png
      ir_measures_graded curves qrels.txt runs/*.gz "CG(gains=0:0,1:1,2:10,3:100)" --at 5,10
    """
    qrels, runs, measures = inputs(arguments, uncut=True)
    if arguments.at and len(measures) > 1:
        raise GradedError(f"--at needs one measure; {len(measures)} are given")
    at_options = {"--confidence": arguments.confidence, "--ideal": arguments.ideal}
    for option, value in (at_options if arguments.at else {"--baseline": arguments.baseline}).items():
        if value is not None:
            raise GradedError(f"{option} {'does not go with' if arguments.at else 'requires'} --at")
    if arguments.at:
        arguments.ideal = arguments.baseline is None
    names = ("depth", "normalise", "ideal", "confidence", "resamples", "seed", "progress")
    found = curves(qrels, runs, measures, **options(arguments, *names))
    only = found.curves[0]
    if arguments.at:
        return shown(arguments, effort(only, arguments.at, arguments.baseline))
    return shown(arguments, found if len(found.curves) > 1 else only)
