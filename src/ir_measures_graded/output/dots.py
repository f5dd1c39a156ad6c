"""A dot plot: a row for each run, with the interval of its value, and one panel per measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import plots
from .cells import INCHES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ACROSS = 4


@plots.styled
def dot_plot(
    runs: Sequence[str],
    measures: Sequence[str],
    values: np.ndarray,
    signs: Sequence[int],
    label: str,
    bounds: np.ndarray | None = None,
    filled: np.ndarray | None = None,
    baseline: str | None = None,
    points: Sequence[np.ndarray] = (),
    spans: Sequence[tuple[np.ndarray, Mapping[str, Any]]] = (),
    rows_of: Sequence[str] | None = None,
) -> Figure:
    """Draw `values` (runs × measures); the runs are sorted from the best by the first measure to the worst.

    `signs` tells for each measure whether larger (1) or smaller (-1) values are better; `label` describes
    the values. `bounds` (2 × runs × measures) are the ends of their intervals. Markers are white if not
    `filled` (runs × measures). With a `baseline`, which has no row, the values are differences from it.
    `points` are further values of each row (any number × measures), drawn as small dots; the baseline then
    has a row too. `spans` are other intervals with the style of their lines, whose labels are in the legend.
    With `rows_of`, the run of each row, `runs` are names of rows, which stay in this order.
    """
    names = INCHES * max(map(len, runs), default=0)
    height = 0.24 * len(runs) + 1.5
    across = plots.across(len(measures), height, ACROSS)
    width = min(4.0, max(2.2, (plots.PAGE[0] - names) / across))
    figure = plots.new_figure(width * across + names, height * -(-len(measures) // across))
    order = np.argsort(-signs[0] * values[:, 0], kind="stable").tolist()
    order = [*range(len(runs))] if rows_of else order
    row_of = rows_of or runs
    order = [run for run in order if len(points) or row_of[run] != baseline]
    styles = plots.run_styles(row_of)
    for panel, axes in enumerate(plots.panels(figure, len(measures), across, sharey=True)):
        for place, run in enumerate(order):
            style = {**styles[row_of[run]], "linestyle": "none"}
            for ends, look in spans:
                axes.plot(ends[:, run, panel], [place, place], solid_capstyle="butt", **look)
            if bounds is not None:
                axes.plot(bounds[:, run, panel], [place, place], color=style["color"])
            if len(points):
                found = points[run][:, panel]
                axes.plot(found, [place] * len(found), ".", color=plots.GREY, markersize=4, zorder=3)
            if filled is not None and not filled[run, panel]:
                style["markerfacecolor"] = "white"
            axes.plot(values[run, panel], place, label=runs[run], **style)
        if baseline is not None:
            axes.axvline(0, color=plots.GREY, linewidth=1.0)
        axes.set_yticks(range(len(order)), [runs[run] for run in order])
        axes.set_ylim(len(order) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.set_title(plots.title(measures[panel], width=30), size=10)
        axes.set_xlabel(label + ("\nsmaller is better" if signs[panel] < 0 else ""))
    if spans:
        lines = {line.get_label(): line for line in axes.lines}
        plots.legend_outside(axes, [lines[look["label"]] for _, look in spans])
    return figure
