"""The definitions that tools compute, as a table (`tools.csv`).

There is one row per measure of a tool, with the values of its dimensions. An empty
dimension is not known, or may have any value. `k` as the cutoff is any cutoff. `known` tells
whether the version was run, as the tests do, or its source was read.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .definitions import ALL_RANKS, MEAN, OF_UNJUDGED, Definition

FILE = Path(__file__).with_name("tools.csv")
ANY: dict[str, Callable[[str], bool]] = {
    "k": lambda cutoff: cutoff not in ("", ALL_RANKS),
    "any table": lambda gain: gain not in OF_UNJUDGED,
    "1 from level": lambda gain: gain.startswith("1 from level"),
}
"""The names in the table that stand for several values of a dimension."""
UNKNOWN = ("precision", "averaged", "shown")
"""Dimensions that may not apply to a definition."""


class Tool(NamedTuple):
    """A measure of a tool: `name` and `version` of the tool, the `metric`, and the dimensions that are
    known."""

    name: str
    version: str
    metric: str
    known: str
    dimensions: dict[str, str]

    def computes(self, definition: Definition) -> bool:
        """Whether the tool computes a definition."""
        if definition.order == MEAN and "order" not in self.dimensions:
            return False  # whatever order a sort leaves is one order
        return definition.cumulates == ("discount" in self.dimensions) and all(
            ANY.get(value, value.__eq__)(given) or (given == "" and name in UNKNOWN)
            for name, value in self.dimensions.items()
            for given in (getattr(definition, name),)
        )

    def called(self, cutoff: str) -> str:
        """The tool, its metric with the cutoff, and its version."""
        version = f" ({self.version})" if self.version else ""
        return f"{self.name} {self.metric.replace('{k}', cutoff)}{version}"


@cache
def tools() -> tuple[Tool, ...]:
    """All rows of the table."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = [{name: value for name, value in row.items() if value} for row in csv.DictReader(file)]
    heads = [(row.pop("tool"), row.pop("version", ""), row.pop("metric"), row.pop("known")) for row in rows]
    return tuple(Tool(*head, row) for head, row in zip(heads, rows))


def computed_by(definitions: Iterable[Definition]) -> tuple[str, ...]:
    """The tools that compute one of the definitions, in the order of the table."""
    found = [*definitions]
    names = (tool.called(each.cutoff) for tool in tools() for each in found if tool.computes(each))
    return tuple(dict.fromkeys(names))
