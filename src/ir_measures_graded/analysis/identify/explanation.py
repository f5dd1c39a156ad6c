"""What the search says about somebody's values: settled and open dimensions, tools, our measure, and
causes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...output import plots
from ...output.formats import Table
from ...output.result import Result
from .definitions import LABELS, Definition

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETTLED, OPEN, UNREACHED = "settled", "open", "not exercised"
TOOLS, HERE, NEAREST, AGREES, CAUSE = "computed so by", "here", "nearest", "agrees", "perhaps because"
POSSIBLE, WEAK = "possible", "weak"
Dimensions = dict[str, tuple[str, tuple[str, ...]]]
"""The state and the values of each dimension."""


@dataclass(frozen=True)
class Finding:
    """One line of the answer: what it is about, and what was found."""

    about: str
    text: str


@dataclass(frozen=True, eq=False, repr=False)
class Identification(Result):
    """Which definitions give the values, and what tells them apart.

    - `topics`, `given` and `computed`: the topics of the first run with a value, the values given and those
      of `definition`; empty for a mean.
    - `decimals`, `tried`: the decimals compared, and the number of definitions tried.
    - `definitions`: those that give every value; the first is the plainest. `classes`: the number of these
      that differ on these runs, in decimals that the values do not show.
    - `nearest`: the nearest definition if none gives every value, else None.
    - `dimensions`: for each dimension its state (``settled``, ``open`` or ``not exercised``) and its values.
    - `tools`: the tools known to compute one of the definitions, with the version that was probed.
    - `here`: what this package or ir-measures computes that is equal or nearest, in words; `measure`: its
      string.
    - `findings`: the answer, line by line.
    """

    topics: tuple[str, ...]
    given: np.ndarray
    computed: np.ndarray
    decimals: int
    tried: int
    definitions: tuple[Definition, ...]
    classes: int
    nearest: Definition | None
    dimensions: Dimensions
    tools: tuple[str, ...]
    measure: str
    equal: bool
    findings: tuple[Finding, ...]
    headline: str

    @property
    def definition(self) -> Definition | None:
        """The plainest definition that gives every value, else the nearest."""
        return self.definitions[0] if self.definitions else self.nearest

    @property
    def summary(self) -> str:
        """The number of values, definitions tried, and definitions that give every value, in one line."""
        return self.headline

    def table(self) -> Table:
        """Column names and rows: one row per finding."""
        return ["finding", "what"], [[finding.about, finding.text] for finding in self.findings]

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per dimension and value, per tool, and for the measure of this package."""
        rows = [
            {"finding": state, "dimension": LABELS[name], "value": value}
            for name, (state, values) in self.dimensions.items()
            for value in values
        ]
        rows += [{"finding": "computed so by", "dimension": "tool", "value": tool} for tool in self.tools]
        if self.measure:
            about = "equal here" if self.equal else "nearest here"
            rows.append({"finding": about, "dimension": "measure string", "value": self.measure})
        return rows

    def topic_table(self) -> Table:
        """One row per topic of the first run: the value given, the computed one, and their difference."""
        rows = [
            [topic, given, computed, computed - given]
            for topic, given, computed in zip(self.topics, self.given.tolist(), self.computed.tolist())
        ]
        return ["topic", "given", "computed", "difference"], rows

    @plots.styled
    def figure(self) -> Figure:
        """Draw the given values against the computed ones, one dot per topic. Needs the extra ``plot``."""
        figure = plots.new_figure(5.0, 5.0)
        axes = figure.subplots()
        axes.axline((0, 0), slope=1, color=plots.GREY, linewidth=0.8)
        axes.plot(self.computed, self.given, "o", color=plots.COLOURS[0])
        axes.set_xlabel("computed")
        axes.set_ylabel("given")
        axes.set_title(
            plots.title(described(self.definition) if self.definition else "no definition", width=60)
        )
        return figure


def described(definition: Definition, names: Sequence[str] = ()) -> str:
    """The dimensions of a definition in words; `names` are those to describe, by default all that apply."""
    parts = [
        f"{LABELS[name]} {value}" if name != "measure" else value
        for name, value in definition._asdict().items()
        if value and (not names or name in names)
    ]
    return ", ".join(parts)
