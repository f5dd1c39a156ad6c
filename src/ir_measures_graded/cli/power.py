"""The command `power`."""

from __future__ import annotations

import argparse

from ..analysis import power
from ..analysis.paired import POWER
from ..analysis.power import TESTS, TUKEY
from ..output.formats import Table, rows_of
from .arguments import Inputs, add_alpha, add_collection, add_gains, add_jobs, add_permutations, bars, numbers
from .results import FOR_PEOPLE, add_output, check_files, printed


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_collection(parser)
    add_gains(parser)
    parser.add_argument(
        "--test", choices=TESTS, default=TUKEY, help="test of each pair of runs; default: tukey"
    )
    add_alpha(parser)
    parser.add_argument(
        "--differences",
        type=numbers,
        default=[],
        metavar="D,…",
        help="show how many topics a paired t-test needs to find these differences, as in 0.05,0.1",
    )
    parser.add_argument(
        "--power",
        type=float,
        default=POWER,
        metavar="P",
        help="probability of finding a true difference of two runs; default: 0.8",
    )
    add_permutations(parser)
    parser.add_argument(
        "--show",
        choices=("power", "topics"),
        default="power",
        help="-o draws the share of pairs at each alpha (default), or the detectable difference by topics",
    )
    add_jobs(parser)
    add_output(parser)


def run(arguments: argparse.Namespace) -> list[str]:
    """Show which measure separates the runs best, and how many topics are needed.

    The discriminative power of a measure is the share of pairs of runs with p < alpha. The tests are the
    randomised Tukey HSD (tukey), which corrects for the number of pairs, and the paired t and Wilcoxon tests,
    uncorrected (t, wilcoxon) or with Holm's correction (t-holm, wilcoxon-holm). The detectable difference is
    the smallest true difference that a paired t-test finds on as many topics with probability --power.

      ir_measures_graded power qrels.txt runs/*.gz nDCG_JK@10 muAP AP P@10 --differences 0.05,0.1
      ir_measures_graded power qrels.txt runs/*.gz nDCG_JK@10 muAP --test t-holm -o power.svg
    """
    inputs = Inputs(arguments)
    check_files(arguments, inputs.files)
    found = power(
        inputs.qrels,
        inputs.runs,
        inputs.measures,
        test=arguments.test,
        alpha=arguments.alpha,
        power=arguments.power,
        differences=arguments.differences,
        permutations=arguments.resamples,
        seed=arguments.seed,
        progress=bars(),
        jobs=arguments.jobs,
    )

    def table(form: str) -> Table:
        return found.table() if form in FOR_PEOPLE else rows_of(found.records())

    return printed(table, arguments, found.figure if arguments.show == "power" else found.topic_figure)
