"""The command `levels`."""

from ..analysis import levels
from .arguments import add_qrels
from .parser import Namespace, Parser
from .results import add_output, shown


def declare(parser: Parser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s QRELS [options]"
    add_qrels(parser)
    add_output(parser)


def run(arguments: Namespace) -> list[str]:
    """Show the relevance levels of qrels, and gains for them.

    The table has the documents and topics of each level, and its definition if ir-datasets has one. The
    format text adds unusual properties of the levels, such as gaps, and gains to paste into measure strings.

      ir_measures_graded levels qrels.txt
      ir_measures_graded levels graded-demo -o levels.svg
    """
    found = levels(arguments.qrels)
    lines = shown(arguments, found)
    if arguments.format != "text":
        return lines
    gains = found.pasteable()
    width = max(map(len, gains))
    return [*lines, "", "Gains:", *(f"  {name:{width}}  {text}" for name, text in gains.items())]
