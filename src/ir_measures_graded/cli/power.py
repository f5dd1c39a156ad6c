"""The command `power`."""

from ..analysis import power
from ..analysis.statistics.defaults import ALPHA, POWER
from .arguments import (
    BY,
    OF_RUNS,
    OF_VALUES,
    alpha,
    collection_inputs,
    collection_or_values,
    run_named,
)
from .parser import Arguments, Option, numbers, output, real
from .results import Answer

USAGE = (OF_RUNS, OF_VALUES)
OPTIONS = (
    *collection_or_values(),
    Option("--differences D,…", "topics that find these, as in 0.05,0.1", numbers, default=[]),
    Option("--baseline RUN", "the family of each other run and this one, as in compare"),
    Option("--power P", "probability of finding a difference", real, default=POWER),
    BY,
    alpha(ALPHA),
    *output(),
)


def run(arguments: Arguments) -> Answer:
    """Show which differences the topics find, and how many topics find a difference.

    A sentence for each measure, the one that separates most pairs of runs first, then a table: for
    the pairs of runs whose differences have the lowest, median and highest spread, and for the
    median spread at its upper 80 % limit. Without --differences, the table has the true differences
    that are found with probability --power; with it, the numbers of topics that find these
    differences. The test is that of compare: paired t with Holm's correction for all pairs or, with
    --baseline, for those with it. --by adds rows for each group of topics; numbers are cut at their
    quartiles.

      ir_measures_graded power qrels.txt runs/*.gz nDCG_JK@10 muAP AP P@10 --differences 0.05,0.1
      ir_measures_graded power qrels.txt runs/*.gz nDCG_JK@10 muAP -o power.csv
    """
    first = collection_inputs(arguments)
    settings = arguments.of("power", "differences", "alpha", "by")
    settings["baseline"] = run_named(arguments.baseline, first)
    result = power(*first, **settings)
    facts = {"unit": result.unit, "topics": result.topics}
    return Answer(result, facts=facts)
