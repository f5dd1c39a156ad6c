"""The command `measures`, which lists measures and plugins."""

from functools import partial
from itertools import groupby
from typing import Any

from ..core.registry import plugins
from ..core.registry.listing import better, facts_of, page, standard
from ..core.registry.notation import parse_measures
from ..errors import GradedError
from ..output.formats import listed
from ..output.result import View
from ..output.tables import Column, Table
from . import PROGRAM
from .parser import Arguments, Option, output
from .results import Answer

USAGE = ("[MEASURE…]",)
OPTIONS = (
    Option("names MEASURE", "measure to describe in full", many=True),
    Option("--plugins", "list the plugins that provide measures, and their status"),
    Option("--all", "also list the standard measures of ir-measures"),
    *output(figure=False),
)


def run(arguments: Arguments) -> Answer:
    """List the graded measures by question, or describe measures in full.

    A description has the formula, the parameters, the undefined case and the source of a measure.

      ir_measures_graded measures
      ir_measures_graded measures nDCG_JK muAP AP
      ir_measures_graded measures --all
      ir_measures_graded measures --plugins
    """
    if arguments.names and (arguments.plugins or arguments.all):
        raise GradedError("--plugins and --all list everything; omit the names of measures")
    if arguments.plugins:
        columns = "distribution", "version", "plugin", Column("measures", kind=listed), "status"
        rows = [
            [
                each.distribution,
                each.version,
                each.name,
                [of.NAME for of in each.measures],
                each.status,
            ]
            for each in plugins.plugins()
        ]
        return Answer(View([Table(columns, rows)]))
    if arguments.names:
        measures = [*parse_measures(arguments.names, uncut=True)]
    else:
        measures = [measure for plugin in plugins.plugins() for measure in plugin.measures]
        measures += standard() if arguments.all else []
    facts = [facts_of(measure) for measure in measures]
    rows = [
        [each["name"], each["aliases"], each["title"], better(each), each["origin"]]
        for each in facts
    ]
    if arguments.names:
        text = "\n\n\n".join("\n".join(page(measure)) for measure in measures).splitlines()
    else:
        text = _by_question(facts, rows)
    full = Table.of(facts[0], facts)
    documents: dict[str, Any] = {form: partial(full.lines, form) for form in ("json", "jsonl")}
    short = Table(["measure", "aliases", "title", "better", "from"], rows)
    return Answer(View([short]), documents=documents | {"text": lambda _: text})


def _by_question(facts: list[dict[str, Any]], rows: list[list[Any]]) -> list[str]:
    """The rows of a table below the questions, which tell where other measures are from.

    One alias each keeps the table narrow.
    """
    narrow = [[name, title, side, aliases[:1]] for name, aliases, title, side, _ in rows]
    head, *body = Table(["measure", "title", "better", "aliases"], narrow).lines("text", 0)
    lines = [head]
    for question, group in groupby(
        zip(facts, body, strict=True), key=lambda pair: pair[0]["question"]
    ):
        lines += ["", question, *(line for _, line in group)]
    return [
        *lines,
        "",
        f"Details: {PROGRAM} measures nDCG_JK. Standard measures: {PROGRAM} measures --all",
    ]
