"""Figures of leaderboards: the slope chart of two orders, and the effect ratio against ΔRI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...output import plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .comparison import ComparedOrders
    from .reproduction import Reproduced

MOST_PANELS = 4
ROW_HEIGHT = 0.2  # inches per system
PANEL_WIDTH = 4.5
NAME_WIDTH = 28  # characters of a name beside the chart
MOST_NAMED = 2  # systems that tie


@plots.styled
def slope_chart(orders: Sequence[ComparedOrders], names: tuple[str, str]) -> Figure:
    """The places of the systems in two leaderboards, joined by lines.

    Systems that tie are at one height. Those that fall or rise most are coloured.
    """
    orders = orders[:MOST_PANELS]
    systems = max(len(compared.systems) for compared in orders)
    height = max(2.5, ROW_HEIGHT * systems + 1)
    across = min(len(orders), 2)
    figure = plots.new_figure(PANEL_WIDTH * across, height * -(-len(orders) // across))
    for axes, compared in zip(plots.panels(figure, len(orders), across), orders, strict=True):
        _draw_slopes(axes, compared)
        left = f"{names[0]}\n{compared.first.measure}"
        right = f"{names[1]}\n{compared.second.measure}"
        axes.set_xticks([0, 1], [plots.title(left, 24), plots.title(right, 24)])
    return figure


def _draw_slopes(axes: Axes, compared: ComparedOrders) -> None:
    first, second = compared.places
    movers = {row: plots.COLOURS[number] for number, row in enumerate(_extreme(compared))}
    for row in range(len(compared.systems)):
        colour = movers.get(row, plots.GREY)
        width = 1.8 if row in movers else 0.9
        axes.plot([0, 1], [first[row], second[row]], color=colour, linewidth=width, marker="o")
    for side, places, align in ((-0.04, first, "right"), (1.04, second, "left")):
        for place in np.unique(places).tolist():
            tied = [compared.systems[row] for row in np.flatnonzero(places == place)]
            text = f"{place} {_names(tied)}" if side > 0 else f"{_names(tied)} {place}"
            axes.text(side, place, text, ha=align, va="center", size=8)
    axes.set_xlim(-0.9, 1.9)
    axes.set_ylim(len(compared.systems) + 0.7, 0.3)
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(axis="x", length=0)


def _extreme(compared: ComparedOrders) -> list[int]:
    """The systems that fall most and that rise most, as many as there are colours."""
    rows = [*compared.movers(1)[1], *compared.movers(-1)[1]]
    return rows[: len(plots.COLOURS)]


def _names(tied: Sequence[str]) -> str:
    """The names of systems that tie."""
    texts = [plots.drawable(name)[:NAME_WIDTH] for name in tied[:MOST_NAMED]]
    if len(tied) > MOST_NAMED:
        texts.append(f"+{len(tied) - MOST_NAMED}")
    return ", ".join(texts)


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
