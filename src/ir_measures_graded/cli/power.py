"""The command `power`."""

from ..analysis import power, power_collections
from ..analysis.statistics.defaults import ALPHA, POWER
from .arguments import (
    BY,
    JOBS,
    OF_RANKINGS,
    OF_RUNS,
    OF_VALUES,
    alpha,
    attribute_of_topics,
    collection_inputs,
    collection_or_values,
    run_named,
)
from .collections import (
    COLLECTIONS,
    OF_COLLECTIONS,
    are_several,
    inputs_of_collections,
    refuse_options,
    stored_collections,
)
from .parser import Arguments, Option, numbers, output, real
from .results import Answer

FOR_ONE = ("by", *OF_RANKINGS)
"""Options for a single collection."""
USAGE = (OF_RUNS, OF_VALUES, OF_COLLECTIONS)
OPTIONS = (
    *collection_or_values(),
    JOBS,
    COLLECTIONS,
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
    differences. The test is that of compare: paired t, corrected for all pairs or, with
    --baseline, for those with it. With --collections, as in compare, or a column collection of
    --values, the numbers are those of collections: Student's t over the mean differences, in which
    each collection counts once. --by adds rows for each group of topics; numbers are cut at their
    quartiles.

      ir_measures_graded power qrels.txt runs/*.gz nDCG_JK@10 muAP AP P@10 --differences 0.05,0.1
      ir_measures_graded power qrels.txt runs/*.gz nDCG_JK@10 muAP -o power.csv
    """
    settings = arguments.of("power", "differences", "alpha")
    stored = stored_collections(arguments)
    if are_several(arguments, stored):
        refuse_options(arguments, FOR_ONE)
        collections, measures = inputs_of_collections(arguments, stored)
        result = power_collections(collections, measures, baseline=arguments.baseline, **settings)
    else:
        first = collection_inputs(arguments, stored.get(""))
        baseline = run_named(arguments.baseline, first)
        by = attribute_of_topics(arguments, "by")
        result = power(*first, by=by, baseline=baseline, **settings)
    facts = {"unit": result.unit, "topics": result.topics}
    return Answer(result, facts=facts)
