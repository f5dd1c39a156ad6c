"""The command `ranges`."""

from ..analysis import Ranges, ranges
from .arguments import COLLECTION, NO_RELEVANT, WEIGHTS, inputs
from .parser import Arguments, output

OPTIONS = (*COLLECTION, NO_RELEVANT, WEIGHTS, *output())


def run(arguments: Arguments) -> Ranges:
    """Show how tied scores and unjudged documents could change values.

    For each run and measure the table has the value, its range over all orders of tied documents,
    its range over all judgments of the unjudged documents within the cutoff, and the share of
    judged documents there. The formats tsv, csv and jsonl list the ranges of all values, then those
    of all differences: a difference between two runs stands if its range excludes 0. A cell is
    empty if the range is not known; a note gives the reason.

      ir_measures_graded ranges qrels.txt runs/*.gz nDCG_JK@10 ERR_G@10
    """
    return ranges(*inputs(arguments))
