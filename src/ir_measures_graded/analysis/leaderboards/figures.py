"""Figures of leaderboards: the slope chart of two orders, and the effect ratio against ΔRI."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...output import figures
from ...output.figures.slopes import colours_of_moves

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .comparison import ComparedOrders
    from .reproduction import Reproduced

MOST_PANELS = 4


def slope_chart(orders: Sequence[ComparedOrders], names: tuple[str, str], title: str) -> Figure:
    """The places of the systems in two leaderboards, joined by lines.

    Systems that tie are at one height. Those that fall or rise most in all panels together are
    coloured, each in one colour.
    """
    first_orders = orders[:MOST_PANELS]
    coloured = _colours(first_orders)
    panels = []
    for compared in first_orders:
        columns = [f"{names[0]} {compared.first.measure}", f"{names[1]} {compared.second.measure}"]
        places = np.stack(compared.places, axis=1).astype(float)
        panels.append(figures.Slopes(compared.systems, places, columns, coloured=coloured))
    caption = "Places of the systems, 1 the best."
    if coloured:
        caption += " In colour: the systems whose place changes most."
    if len(orders) > MOST_PANELS:
        caption += f" The first {MOST_PANELS} of {len(orders)} pairs of measures are drawn."
    return figures.picture(panels, title, caption, across=2)


def _colours(orders: Sequence[ComparedOrders]) -> dict[str, str]:
    """The colours of the systems whose places change most, summed over the pairs of measures."""
    moved: dict[str, float] = defaultdict(float)
    for compared in orders:
        distances = np.ptp(np.stack(compared.places, axis=1), axis=1).tolist()
        for system, distance in zip(compared.systems, distances, strict=True):
            moved[system] += distance
    return colours_of_moves(moved)


def effects(rows: Sequence[Reproduced], title: str) -> Figure:
    """The effect ratio against ΔRI, a point for each measure; a perfect reproduction is at (1,
    0)."""
    defined = [row for row in rows if row.ratio is not None and row.relative is not None]
    ratios = np.array([row.ratio for row in defined], dtype=float)
    relatives = np.array([row.relative for row in defined], dtype=float)
    panel = figures.Scatter(
        ratios,
        relatives,
        [str(row.measure) for row in defined],
        x_label="effect ratio (1: the same effect)",
        y_label="ΔRI (0: the same relative improvement)",
        named=range(len(defined)),
        lines_at=(1.0, 0.0),
    )
    return figures.picture([panel], title)
