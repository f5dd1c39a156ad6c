"""The command `levels`."""

from __future__ import annotations

import argparse

from ..analysis import levels
from .arguments import add_qrels
from .parser import Parser
from .results import add_output, check_files, shown


def declare(parser: Parser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s QRELS [options]"
    add_qrels(parser)
    add_output(parser)


def run(arguments: argparse.Namespace) -> list[str]:
    """Show the relevance levels of qrels, and gains for them.

    The table has the documents and topics of each level, and its definition if ir-datasets has one. The
    format text adds unusual properties of the levels, such as gaps, and gains to paste into measure strings.

      ir_measures_graded levels qrels.txt
      ir_measures_graded levels graded-demo -o levels.svg
    """
    check_files(arguments)
    found = levels(arguments.qrels)
    lines = shown(found, arguments)
    if arguments.format != "text":
        return lines
    pasteable = found.pasteable()
    width = max(map(len, pasteable))
    gains = [f"  {name:{width}}  {text}" for name, text in pasteable.items()]
    return [*lines, "", "Gains:", *gains]
