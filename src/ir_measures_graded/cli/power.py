"""The command `power`."""

from ..analysis import power
from ..analysis.power import PRIMARY, TESTS
from ..analysis.statistics.paired import POWER
from ..output.result import Result
from .arguments import OF_RUNS, OF_VALUES, TESTED, collection_or_values, for_tests, given
from .parser import Arguments, Option, numbers, real
from .results import Output

USAGE = f"{OF_RUNS}\n       {OF_VALUES}"
OUTPUT = Output(figure=False)
OPTIONS = (
    *collection_or_values(),
    Option(
        "--tests --test", "one test of all pairs of runs; default: t-holm", choices=[*TESTS], default=PRIMARY
    ),
    Option("--differences D,…", "topics that find these, as in 0.05,0.1", numbers, default=[]),
    Option("--power P", "probability of finding a difference; default: 0.8", real, default=POWER),
    *for_tests("the randomised Tukey HSD test"),
    *OUTPUT.options,
)


def run(arguments: Arguments) -> Result:
    """Show which differences the topics find, and how many topics find a difference.

    A sentence for each measure, the one that separates most pairs of runs first, then a table: for the pairs
    of runs whose differences have the lowest, median and highest spread, and for the median spread at its
    upper 80 % limit. Without --differences, the table has the true differences that are found with
    probability --power; with it, the numbers of topics that find these differences. The default test is that
    of compare: paired t with Holm's correction (t-holm).

      ir_measures_graded power qrels.txt runs/*.gz nDCG_JK@10 muAP AP P@10 --differences 0.05,0.1
      ir_measures_graded power qrels.txt runs/*.gz nDCG_JK@10 muAP --test t-holm -o power.csv
    """
    settings = arguments.of("test", "power", "differences", *TESTED)
    return power(*given(arguments), **settings)
