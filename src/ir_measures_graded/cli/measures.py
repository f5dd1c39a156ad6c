"""The command `measures`, which lists measures and plugins."""

from dataclasses import replace
from itertools import groupby

from ..core.registry import plugins
from ..core.registry.listing import better, facts_of, page, standard
from ..core.registry.notation import parse_measures
from ..errors import GradedError
from ..output.formats import listed
from ..output.result import View
from ..output.tables import Table
from . import PROGRAM
from .parser import Arguments, Option
from .results import Answer, Output, shown

JSON = ("json", "jsonl")
"""The formats with lists and all facts."""


USAGE = "%(prog)s [MEASURE…] [options]"
OUTPUT = Output(figure=False)
OPTIONS = (
    Option("names", "measure to describe in full", heading="MEASURE", many=True),
    Option("--plugins", "list the plugins that provide measures, and their status"),
    Option("--all", "also list the standard measures of ir-measures"),
    *OUTPUT.options,
)


def run(arguments: Arguments) -> Answer | list[str]:
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
        return _plugins()
    if arguments.names:
        measures = [*parse_measures(arguments.names, uncut=True)]
    else:
        measures = [measure for plugin in plugins.plugins() for measure in plugin.measures]
        measures += standard() if arguments.all else []
    all_facts = [facts_of(measure) for measure in measures]

    rows = [
        [facts["name"], ", ".join(facts["aliases"]), facts["title"], better(facts), facts["origin"]]
        for facts in all_facts
    ]
    short = Table(["measure", "aliases", "title", "better", "from"], rows)
    answer = _answer(short, Table.of(all_facts[0], all_facts))
    # The questions tell where other measures are from; one alias each keeps the table narrow.
    named = [[name, title, side, aliases.split(", ")[0]] for name, aliases, title, side, _ in rows]
    narrow = View([Table(["measure", "title", "better", "aliases"], named)])
    answer = replace(answer, instead={**answer.instead, "text": narrow})
    lines = shown(arguments, OUTPUT, answer)
    if OUTPUT.form(arguments) != "text":
        return lines
    if arguments.names:
        return "\n\n\n".join("\n".join(page(measure)) for measure in measures).splitlines()
    head, *body = lines
    grouped = [head]
    for question, group in groupby(zip(all_facts, body), key=lambda pair: pair[0]["question"]):
        grouped += ["", question, *(line for _, line in group)]
    hint = f"Details of a measure: {PROGRAM} measures nDCG_JK. Standard measures too: measures --all"
    return [*grouped, "", hint]


def _answer(short: Table, full: Table) -> Answer:
    """A table, and another one in `JSON`."""
    return Answer(View([short]), instead={form: View([full]) for form in JSON})


def _plugins() -> Answer:
    columns = ["distribution", "version", "plugin", "measures", "status"]
    found = [
        [each.distribution, each.version, each.name, [measure.NAME for measure in each.measures], each.status]
        for each in plugins.plugins()
    ]
    short = [[listed(cell, 6) if isinstance(cell, list) else cell for cell in row] for row in found]
    return _answer(Table(columns, short), Table(columns, found))
