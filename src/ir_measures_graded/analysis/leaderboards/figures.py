"""Figures of leaderboards: the slope chart of two orders, and the effect ratio against ΔRI."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...output import plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .comparison import ComparedOrders
    from .reproduction import Reproduced

MOST_PANELS = 4
ROW_HEIGHT = 0.2  # inches per system
SLOPE_WIDTH = 2.4  # inches between the names on both sides
CHARACTER = 0.85 * plots.INCHES  # of a name in small letters
NAME_WIDTH = 40  # characters of the names at one place
HEADING_WIDTH = 24  # characters of a line above and below the chart


@dataclass(frozen=True)
class Side:
    """The places of systems on one side of a slope chart, and a label for each place."""

    heading: str
    places: np.ndarray
    labels: dict[int, str]

    @classmethod
    def of(cls, heading: str, systems: Sequence[str], places: np.ndarray) -> Side:
        """The side of systems with these places."""
        labels = {}
        for place in np.unique(places).tolist():
            rows = np.flatnonzero(places == place).tolist()
            labels[place] = names_at_one_place(sorted(systems[row] for row in rows))
        return cls(heading, places, labels)

    @property
    def width(self) -> float:
        """The inches that the labels need."""
        return CHARACTER * max(len(label) + 4 for label in self.labels.values())


@plots.styled
def slope_chart(orders: Sequence[ComparedOrders], names: tuple[str, str]) -> Figure:
    """The places of the systems in two leaderboards, joined by lines.

    Systems that tie are at one height. Those that fall or rise most are coloured.
    """
    orders = orders[:MOST_PANELS]
    sides = []
    for compared in orders:
        first, second = compared.places
        left = Side.of(_heading(names[0], compared.first.measure), compared.systems, first)
        right = Side.of(_heading(names[1], compared.second.measure), compared.systems, second)
        sides.append((left, right))
    across = min(len(orders), 2)
    down = math.ceil(len(orders) / across)
    width = SLOPE_WIDTH + max(left.width + right.width for left, right in sides)
    systems = max(len(compared.systems) for compared in orders)
    height = max(2.0, ROW_HEIGHT * systems + 0.8)
    figure = plots.new_figure(width * across, height * down)
    panels = plots.panels(figure, len(orders), across)
    for axes, compared, (left, right) in zip(panels, orders, sides, strict=True):
        draw_slopes(axes, left, right, coloured=_extreme(compared))
    return figure


def draw_slopes(axes: Axes, left: Side, right: Side, coloured: Sequence[int]) -> None:
    """Join the places of each system on both sides by a line."""
    colours = {row: plots.COLOURS[number] for number, row in enumerate(coloured)}
    for row, (place, other) in enumerate(zip(left.places, right.places, strict=True)):
        style: dict[str, Any] = {"color": plots.GREY, "linewidth": 0.9, "zorder": 1}
        if row in colours:
            style = {"color": colours[row], "linewidth": 1.8, "zorder": 2}
        axes.plot([0, 1], [place, other], marker="o", **style)
    for place, label in left.labels.items():
        axes.text(-0.06, place, f"{label} {place}", ha="right", va="center", size=8)
    for place, label in right.labels.items():
        axes.text(1.06, place, f"{place} {label}", ha="left", va="center", size=8)
    axes.set_xlim(-0.03, 1.03)
    axes.set_ylim(len(left.places) + 0.7, 0.3)
    axes.set_xticks([0, 1], [left.heading, right.heading])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(axis="x", length=0)


def _heading(name: str, measure: object) -> str:
    """The name of a leaderboard above its measure."""
    table = shortened(os.path.basename(name) or name, HEADING_WIDTH)
    return f"{table}\n{plots.title(measure, HEADING_WIDTH)}"


def _extreme(compared: ComparedOrders) -> list[int]:
    """The systems that fall most and that rise most, as many as there are colours."""
    _, falling = compared.movers(1)
    _, rising = compared.movers(-1)
    return (falling + rising)[: len(plots.COLOURS)]


def names_at_one_place(tied: Sequence[str]) -> str:
    """The names of systems that tie, as many as there is space for.

    >>> names_at_one_place(["bm25", "splade"]), names_at_one_place(["a" * 30, "b" * 30])
    ('bm25, splade', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa +1')
    """
    first, *others = [shortened(name, NAME_WIDTH) for name in tied]
    names = [first]
    length = len(first)
    for name in others:
        length += len(name) + 2
        if length > NAME_WIDTH:
            break
        names.append(name)
    text = ", ".join(names)
    if len(names) < len(tied):
        text += f" +{len(tied) - len(names)}"
    return text


def shortened(name: str, width: int) -> str:
    """A name that can be drawn, without its middle if it is longer; its end may be a number.

    >>> shortened("a_very_long_name_of_run_17", 12)
    'a_ver…run_17'
    """
    text = plots.drawable(name)
    if len(text) <= width:
        return text
    tail = width // 2
    return f"{text[: width - tail - 1]}…{text[-tail:]}"


@plots.styled
def effects(rows: Sequence[Reproduced]) -> Figure:
    """The effect ratio against ΔRI, a point for each measure; a perfect reproduction is at (1,
    0)."""
    figure = plots.new_figure(6.0, 4.5)
    axes = figure.subplots()
    axes.axvline(1, color=plots.GREY, linewidth=1.0)
    axes.axhline(0, color=plots.GREY, linewidth=1.0)
    for number, row in enumerate(rows):
        if row.ratio is not None and row.relative is not None:
            style = {**plots.line_style(number), "linestyle": "none"}
            axes.plot(row.ratio, row.relative, label=str(row.measure), **style)
    axes.set_xlabel("effect ratio (1: the same effect)")
    axes.set_ylabel("ΔRI (0: the same relative improvement)")
    plots.legend_outside(axes)
    return figure
