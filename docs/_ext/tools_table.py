"""The table of what other tools compute, from the table that `identify` uses."""

from __future__ import annotations

from collections.abc import Mapping

from computed import markdown

from ir_measures_graded.analysis.identify.tools import HERE, TOOLS

COLUMNS = {
    "measure": "measure",
    "gain": "gain",
    "discount": "discount",
    "ideal": "ideal list",
    "nothing": "nothing relevant",
    "order": "ties",
    "precision": "scores",
    "cutoff": "cutoff",
}


def table() -> str:
    """One row per measure of a tool; a version means that the tests run it."""
    others = [tool for tool in TOOLS if tool["known"] != HERE]
    return markdown(["tool", "metric", *COLUMNS.values()], map(_row, others))


def _row(tool: Mapping[str, str]) -> list[str]:
    metric = tool["metric"].replace("{k}", "k")
    facts = [tool[name].replace("|", " or ") for name in COLUMNS]
    name_and_version = f"{tool['tool']} {tool['version']}".strip()
    return [name_and_version, f"`{metric}`", *facts]
