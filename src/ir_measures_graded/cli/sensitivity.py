"""The command `sensitivity`."""

from ..analysis import sensitivity
from .arguments import add_collection, add_jobs, inputs, options, whole_numbers
from .parser import Namespace, Parser
from .results import add_output, shown


def declare(parser: Parser) -> None:
    """Add the arguments of the command."""
    add_collection(parser, sessions=True)
    parser.option("--cutoffs K,…", "cutoffs of the measures, as in 10,100", type=whole_numbers, default=[])
    what = "table to print: correlations of the rankings (default), ranks, or means and ranks"
    parser.choice("--show", what, "tau", "ranks", "means")
    add_jobs(parser)
    add_output(parser)


def run(arguments: Namespace) -> list[str]:
    """Show how the ranking of the runs depends on measure, weighting and cutoff.

    The command ranks the runs under every measure × cutoff × weighting and correlates each pair of rankings
    by Kendall's τ, marked below .9 and below .8. The formats tsv, csv and jsonl also list the runs that swap.
    A measure string with gains or a cutoff keeps them.

      ir_measures_graded sensitivity qrels.txt runs/*.gz nDCG_JK --gains w1 --gains w10 --cutoffs 10
      ir_measures_graded sensitivity qrels.txt runs/*.gz P@10 nDCG_JK@10 \\
          --gains flat=1:1,2:1 --gains steep=1:1,2:10 --show ranks -o ranks.svg
    """
    first = inputs(arguments, weighted=True, uncut=True)
    found = sensitivity(*first, **options(arguments, "gains", "cutoffs", "progress", "jobs"))
    if arguments.show == "tau":
        return shown(arguments, found)
    table = found.rank_table() if arguments.show == "ranks" else found.value_table()
    return shown(arguments, table=table, figure=found.rank_changes)
