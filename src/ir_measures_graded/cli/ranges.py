"""The command `ranges`."""

from ..analysis import ranges
from ..output.result import Result, View
from .arguments import COLLECTION, inputs
from .parser import Arguments, choice, output

OPTIONS = (
    *COLLECTION,
    choice("--show", "ranges, or the differences that stand", "values", "differences"),
    *output(figure=False),
)


def run(arguments: Arguments) -> Result:
    """Show how tied scores and unjudged documents could change values.

    For each run and measure the table has the value, its range over all orders of tied documents, its range
    over all judgments of the unjudged documents within the cutoff, and the share of judged documents there.
    A difference between two runs stands if its range excludes 0. The formats tsv, csv and jsonl list the
    ranges of all values, then those of all differences. A cell is empty if the range is not known; a note
    gives the reason.

      ir_measures_graded ranges qrels.txt runs/*.gz nDCG_JK@10 ERR_G@10
      ir_measures_graded ranges qrels.txt runs/*.gz nDCG_JK@10 --show differences
    """
    found = ranges(*inputs(arguments))
    if arguments.show == "values":
        return found
    return View([found.table_of_differences()], read=found.data(), noted=found.notes())
