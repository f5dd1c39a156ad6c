"""The command `power`."""

from ..analysis import power
from ..analysis.power import PRIMARY, TESTS
from ..analysis.statistics.paired import POWER
from .arguments import TESTED, VALUES, add_collection, add_tests, given, numbers, options
from .parser import Namespace, Parser
from .results import add_output, shown


def declare(parser: Parser) -> None:
    """Add the arguments of the command."""
    add_collection(parser, VALUES, sessions=True)
    parser.option("--test", "test of each pair of runs; default: t-holm", choices=TESTS, default=PRIMARY)
    what = "show how many topics a paired t-test needs to find these differences, as in 0.05,0.1"
    parser.option("--differences D,…", what, type=numbers, default=[])
    what = "probability of finding a true difference of two runs; default: 0.8"
    parser.option("--power P", what, type=float, default=POWER)
    add_tests(parser, "the randomised Tukey HSD test")
    what = "draw the share of pairs at each alpha (default), or the detectable difference by topics"
    parser.choice("--figure", what, "power", "topics")
    parser.option("--show", None, dest="figure", choices=("power", "topics"))
    add_output(parser)


def run(arguments: Namespace) -> list[str]:
    """Show which differences the topics find, and how many topics find a difference.

    A sentence for each measure, the one that separates most pairs of runs first, then a table: for the pairs
    of runs whose differences have the lowest, median and highest spread, and for the median spread at its
    upper 80 % limit. Without --differences, the table has the true differences that are found with
    probability --power; with it, the numbers of topics that find these differences. The default test is that
    of compare: paired t with Holm's correction (t-holm).

      ir_measures_graded power qrels.txt runs/*.gz nDCG_JK@10 muAP AP P@10 --differences 0.05,0.1
      ir_measures_graded power qrels.txt runs/*.gz nDCG_JK@10 muAP --test t-holm -o power.svg
    """
    names = ("test", "power", "differences", "by")
    found = power(*given(arguments), **options(arguments, *names, *TESTED))
    return shown(arguments, found, figure=found.figure if arguments.figure == "power" else found.topic_figure)
