"""The figures of a comparison: which runs beat which, or the differences from the baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...core.registry.facts import sign_of
from ...output import plots
from ..statistics.corrections import correction_of
from ..statistics.defaults import STARS
from .paper import letters

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .result import Comparison

LARGEST_CELL: Final = 0.3
SMALLEST_CELL: Final = 0.1
"""The side of a cell of the figure of all pairs in inches."""
LEAST_SIDE: Final = 2.5
"""The side of the whole square has room for the title."""
MOST_LETTERS_ACROSS: Final = 26
"""More runs have two letters, which are written upwards."""


def all_pairs(comparison: Comparison) -> Figure:
    """Draw the runs that each run beats, the best run first, one panel per measure."""
    from matplotlib.colors import ListedColormap

    count = len(comparison.runs)
    names = plots.INCHES * (max(map(len, comparison.runs)) + 5)
    side = count * min(max(plots.PAGE[0] / count, SMALLEST_CELL), LARGEST_CELL)
    height = (max(side, LEAST_SIDE) + 1) * len(comparison.measures)
    figure = plots.new_figure(max(side, LEAST_SIDE) + names, height)
    figure.set_layout_engine("compressed")  # keeps the cells square
    colours = ListedColormap(plots.SHADES)
    strongest = STARS[0][0]
    all_axes = plots.panels(figure, len(comparison.measures), 1)
    for axes, measure in zip(all_axes, comparison.measures, strict=True):
        order = comparison.best_first(measure)
        marks = np.zeros((count, count))
        number_of = {run: number for number, run in enumerate(order)}
        for (winner, loser), p in comparison.wins(measure).items():
            shade = 2 if p < strongest else 1
            marks[number_of[winner], number_of[loser]] = shade
        axes.pcolormesh(
            marks,
            cmap=colours,
            vmin=0,
            vmax=2,
            edgecolors=plots.GREY,
            linewidth=0.2,
            rasterized=True,
        )
        columns = [letters(comparison.runs.index(run)) for run in order]
        size = min(9.0, 55 * side / count)
        rotation = 90 if count > MOST_LETTERS_ACROSS else 0
        middles = np.arange(count) + 0.5
        axes.set_xticks(middles, columns, size=size, rotation=rotation)
        rows = [f"{run}  {letter:>2}" for run, letter in zip(order, columns, strict=True)]
        axes.set_yticks(middles, rows, size=size)
        axes.set(aspect="equal", ylim=(count, 0))
        axes.grid(visible=False)
        axes.set_title(plots.title(measure, width=36), loc="right", size=10)
        text = f"row better than column\ndark: p < {min(strongest, comparison.alpha):g}"
        axes.set_xlabel(f"{text}, light: p < {comparison.alpha:g}", loc="right")
    return figure


def differences(comparison: Comparison) -> Figure:
    """Draw the differences from the baseline with their confidence intervals.

    There is one panel per measure. The best runs by the first measure are on top, or the groups of
    topics in their order. The marker of a difference is filled if it is significant.
    """
    measures = comparison.measures
    rows: list[list[list[Any]]] = []
    runs: list[str] = []
    labels: list[str] = []
    for part in (comparison, *comparison.groups.values()):
        name = part.name or f"all {comparison.unit}s"
        group = f"{name} ({part.topics})"
        of_measures = [part.find(measure) for measure in measures]
        for tests in zip(*of_measures, strict=True):
            run = str(tests[0].run)
            label = run
            if comparison.groups:
                label = f"{group}: {run}" if len(comparison.runs) > 2 else group
            runs.append(run)
            labels.append(label)
            rows.append(
                [[test.difference, test.lower, test.upper, test.significant] for test in tests]
            )
    values, lower, upper, filled = np.moveaxis(np.array(rows, dtype=float), -1, 0)
    figure = plots.dot_plot(
        labels,
        [str(measure) for measure in measures],
        values,
        [sign_of(measure) for measure in measures],
        f"Difference from {comparison.baseline}",
        np.stack([lower, upper]),
        filled,
        rows_of=runs if comparison.groups else None,
    )
    together = ""
    if comparison.family > 1 or comparison.groups:
        together = "simultaneous "
    correction = ""
    if comparison.family > 1:
        correction = f" with {correction_of(comparison.correction).name}"
    text = f"Mean differences and {together}{100 * (1 - comparison.alpha):g} % intervals\n"
    legend = f"{text}filled: p < {comparison.alpha:g}{correction}"
    figure.suptitle(legend, x=0.01, ha="left", size=9)
    return figure
