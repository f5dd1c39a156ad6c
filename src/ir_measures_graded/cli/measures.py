"""The command `measures`, which lists measures and plugins."""

from itertools import groupby
from typing import Any

from ..core.registry import plugins
from ..core.registry.listing import better, facts_of, page, standard
from ..core.registry.notation import parse_measures
from ..errors import GradedError
from ..output.formats import Table
from . import PROGRAM
from .parser import Namespace, Parser
from .results import add_output, shown

JSON = ("json", "jsonl")
"""The formats with lists and all facts."""


def declare(parser: Parser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s [MEASURE…] [options]"
    parser.add_argument("names", metavar="MEASURE", nargs="*", help="measure to describe in full")
    parser.option("--plugins", "list the plugins that provide measures, and their status")
    parser.option("--all", "also list the standard measures of ir-measures")
    add_output(parser, figure=False)


def run(arguments: Namespace) -> list[str]:
    """List the graded measures by question, or describe measures in full.

    A description has the formula, the parameters, the undefined case and the source of a measure.

      ir_measures_graded measures
      ir_measures_graded measures nDCG_JK muAP AP
      ir_measures_graded measures --all
      ir_measures_graded measures --plugins
    """
    if arguments.names and (arguments.plugins or arguments.all):
        option, what = ("plugins", "plugins") if arguments.plugins else ("all", "measures")
        raise GradedError(f"--{option} lists all {what}; omit the names of measures")
    if arguments.plugins:
        return shown(arguments, table=_plugins)
    if arguments.names:
        measures = [*parse_measures(arguments.names, uncut=True)]
    else:
        measures = [measure for plugin in plugins.plugins() for measure in plugin.measures]
        measures += standard() if arguments.all else []
    all_facts = [facts_of(measure) for measure in measures]

    def table(form: str) -> Table:
        if form in JSON:
            return list(all_facts[0]), [list(facts.values()) for facts in all_facts]
        return ["measure", "aliases", "title", "better", "from"], [
            [facts["name"], ", ".join(facts["aliases"]), facts["title"], better(facts), facts["origin"]]
            for facts in all_facts
        ]

    lines = shown(arguments, table=table)
    if arguments.format != "text":
        return lines
    if arguments.names:
        return "\n\n\n".join("\n".join(page(measure)) for measure in measures).splitlines()
    head, *rows = lines
    grouped = [head]
    for question, group in groupby(zip(all_facts, rows), key=lambda pair: pair[0]["question"]):
        grouped += ["", question, *(row for _, row in group)]
    hint = f"Details of a measure: {PROGRAM} measures nDCG_JK. Standard measures too: measures --all"
    return [*grouped, "", hint]


def _plugins(form: str) -> Table:
    rows = []
    for plugin in plugins.plugins():
        names: Any = [measure.NAME for measure in plugin.measures]
        if form not in JSON:
            names = ", ".join(names)
        rows.append([plugin.distribution, plugin.version, plugin.name, names, plugin.status])
    return ["distribution", "version", "plugin", "measures", "status"], rows
