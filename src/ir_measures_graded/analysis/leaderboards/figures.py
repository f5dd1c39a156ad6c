"""Figures of leaderboards: the slope chart of two orders, and the effect ratio against ΔRI."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...output import figures
from ...output.figures import coloured_in_words, colours_of_moves

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .comparison import ComparedOrders
    from .reproduction import Reproduced

MOST_PANELS = 4
MOST_ROWS = 120
"""Panels of more systems together would be higher than a page."""


def slope_chart(orders: Sequence[ComparedOrders], names: tuple[str, str], title: str) -> Figure:
    """The places of the systems in two leaderboards, joined by lines.

    Systems that tie are at one height. Those that fall or rise most in all panels together are
    coloured, each in one colour.
    """
    most_panels = min(max(1, MOST_ROWS // len(orders[0].systems)), MOST_PANELS)
    first_orders = orders[:most_panels]
    moved = _moved(first_orders)
    coloured = colours_of_moves(moved)
    panels = []
    for compared in first_orders:
        sides = compared.sides(names)
        columns = list(sides)
        if sides == names:
            columns = [f"{names[0]} {compared.first.measure}"]
            columns.append(f"{names[1]} {compared.second.measure}")
        places = np.stack(compared.places, axis=1).astype(float)
        panels.append(figures.Slopes(compared.systems, places, columns, coloured=coloured))
    in_colour = coloured_in_words(moved, "system", "place")
    if len(panels) > 1:
        in_colour = in_colour.replace("changes most.", "changes most in all panels together.")
    sentences = ["Places of the systems, 1 the best.", in_colour]
    if len(orders) > most_panels:
        are_drawn = "are" if most_panels > 1 else "is"
        first = f"first {most_panels}" if most_panels > 1 else "first"
        sentences.append(f"The {first} of {len(orders)} pairs of measures {are_drawn} drawn.")
    return figures.picture(panels, title, " ".join(filter(None, sentences)), across=2)


def _moved(orders: Sequence[ComparedOrders]) -> dict[str, float]:
    """How far the place of each system changes, summed over the pairs of measures."""
    moved: dict[str, float] = defaultdict(float)
    for compared in orders:
        distances = np.ptp(np.stack(compared.places, axis=1), axis=1).tolist()
        for system, distance in zip(compared.systems, distances, strict=True):
            moved[system] += distance
    return moved


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
    return figures.picture([panel], title, "A dot for each measure.")


def means_of_baselines(rows: Sequence[Reproduced], title: str) -> Figure:
    """The mean of the baseline in the second experiment against that in the first, a dot for each
    measure."""
    panel = figures.Scatter(
        np.array([row.baseline.mean for row in rows]),
        np.array([row.baseline.again for row in rows]),
        [str(row.measure) for row in rows],
        x_label="mean in the first experiment",
        y_label="mean in the second experiment",
        named=range(len(rows)),
        diagonal=True,
    )
    name = rows[0].baseline.name
    caption = f"A dot for each measure, on the line if the mean of {name} is the same."
    return figures.picture([panel], title, caption)
