"""The commands `measures` and `plugins`, which list what is installed."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from ..output.formats import FORMATS
from ..registry import plugins
from ..registry.listing import better, facts_of, page
from ..registry.notation import parse_measure
from .arguments import PROGRAM, Command, add_format


def _measures_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="*", help="measure to describe in full")
    add_format(parser, "text", "tsv", "jsonl", "markdown")


def _measures(arguments: argparse.Namespace) -> Iterable[str]:
    """List the graded measures or describe measures in full.

    ir_measures_graded measures
    ir_measures_graded measures nDCG_JK muAP AP
    """
    form = arguments.output_format
    if arguments.names:
        measures = [parse_measure(name) for name in arguments.names]
    else:
        measures = [measure for plugin in plugins.plugins() for measure in plugin.measures]
    if form == "text" and arguments.names:
        return "\n\n\n".join("\n".join(page(measure)) for measure in measures).splitlines()
    all_facts = [facts_of(measure) for measure in measures]
    if form == "jsonl":
        return FORMATS["jsonl"](list(all_facts[0]), [list(facts.values()) for facts in all_facts])
    columns = ["measure", "aliases", "title", "better", "from"]
    rows = [
        (facts["name"], ", ".join(facts["aliases"]), facts["title"], better(facts), facts["origin"])
        for facts in all_facts
    ]
    hint = ["", f"Details of a measure: {PROGRAM} measures nDCG_JK"] if form == "text" else []
    return chain(FORMATS[form](columns, rows), hint)


def _plugins_arguments(parser: argparse.ArgumentParser) -> None:
    add_format(parser, "text", "tsv", "jsonl", "markdown")


def _plugins(arguments: argparse.Namespace) -> Iterator[str]:
    """List the plugins that provide measures, and whether each was loaded."""
    columns = ["distribution", "version", "plugin", "measures", "status"]
    rows = []
    for plugin in plugins.plugins():
        names: Any = [measure.NAME for measure in plugin.measures]
        if arguments.output_format != "jsonl":
            names = ", ".join(names)
        rows.append((plugin.distribution, plugin.version, plugin.name, names, plugin.status))
    return FORMATS[arguments.output_format](columns, rows)


COMMANDS: dict[str, Command] = {
    "measures": (_measures_arguments, _measures),
    "plugins": (_plugins_arguments, _plugins),
}
