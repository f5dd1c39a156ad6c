"""The command `levels`."""

from ..analysis import levels
from .arguments import qrels
from .parser import Arguments
from .results import Output, shown

USAGE = "%(prog)s QRELS [options]"
OUTPUT = Output()
OPTIONS = (qrels(), *OUTPUT.options)


def run(arguments: Arguments) -> list[str]:
    """Show the relevance levels of qrels, and gains for them.

    The table has the documents and topics of each level, and its definition if ir-datasets has one. The
    format text adds unusual properties of the levels, such as gaps, and gains to paste into measure strings.

      ir_measures_graded levels qrels.txt
      ir_measures_graded levels graded-demo -o levels.svg
    """
    found = levels(arguments.qrels)
    lines = shown(arguments, OUTPUT, found)
    gains = found.pasteable()
    if OUTPUT.form(arguments) != "text" or not gains:
        return lines
    width = max(map(len, gains))
    return [*lines, "", "Gains:", *(f"  {name:{width}}  {text}" for name, text in gains.items())]
