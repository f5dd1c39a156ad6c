"""The command `sensitivity`."""

from ..analysis import sensitivity
from ..output.result import Result, View
from .arguments import COLLECTION, SESSIONS, inputs
from .parser import Arguments, Option, choice, output, whole_numbers

OPTIONS = (
    *COLLECTION,
    SESSIONS,
    Option("--cutoffs K,…", "cutoffs of the measures, as in 10,100", whole_numbers, default=[]),
    choice("--show", "table to print; default: correlations of the orders", "tau", "ranks"),
    *output(),
)


def run(arguments: Arguments) -> Result:
    """Show how the ranking of the runs depends on measure, weighting and cutoff.

    The command ranks the runs under every measure × cutoff × weighting and correlates each pair of
    rankings by Kendall's τ. A measure string with gains or a cutoff keeps them. A single measure
    without --gains and --cutoffs has the weightings that the command levels shows.

      ir_measures_graded sensitivity qrels.txt runs/*.gz nDCG_JK --gains w1 --gains w10 --cutoffs 10
      ir_measures_graded sensitivity qrels.txt runs/*.gz P@10 nDCG_JK@10 \\
          --gains flat=1:1,2:1 --gains steep=1:1,2:10 --show ranks -o ranks.svg
    """
    first = inputs(arguments, weighted=True, uncut=True)
    result = sensitivity(*first, **arguments.of("gains", "cutoffs"))
    if arguments.show == "tau":
        return result
    return View([result.rank_table()], result.figure)
