"""The command `levels`."""

from ..analysis import Levels, levels
from .arguments import COLUMNS, LEVELS, NO_LIMITS, given_columns, qrels, with_columns
from .parser import Arguments, output

OPTIONS = (qrels(), COLUMNS, LEVELS, NO_LIMITS, *output())


def run(arguments: Arguments) -> Levels:
    """Show the relevance levels of qrels, and gains for them.

    The table has the documents and topics of each level, and its definition if ir-datasets has one.
    Tables for people add gains to paste into measure strings, and unusual properties of the levels.

      ir_measures_graded levels qrels.txt
      ir_measures_graded levels graded-demo -o levels.csv
    """
    return levels(with_columns(arguments.qrels, given_columns(arguments)))
