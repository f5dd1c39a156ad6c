"""A slope chart: the rank of each run under several settings, the names at both ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .sheet import TICKS, Drawing, Margins, of_height
from .style import (
    COLOURS,
    DOWNWARDS,
    LIGHT,
    LINE,
    height_of_rows,
    in_lines,
    shortened,
    size_of_names,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEADER = 0.14
"""The distance in inches from a name to its rank."""
GAP = 0.03
"""The distance in inches from a name to the start of the line to its rank."""
LABEL_SIZE = 8.0
WIDEST_COLUMN = 1.15
"""Labels of columns that are wider stand upright."""


@dataclass(frozen=True)
class Slopes(Drawing):
    """The `ranks` (runs × columns) of runs, 1 at the top, joined by lines.

    The runs that move most are in colour, or those of `coloured`, which has the colour by the name
    of a run. Runs that share a rank have their names below each other.
    """

    names: Sequence[str]
    ranks: np.ndarray
    columns: Sequence[str]
    heading: str = ""
    coloured: dict[str, str] | None = None

    @property
    def _size(self) -> float:
        return size_of_names(len(self.names))

    @property
    def _labels(self) -> list[list[str]]:
        return [in_lines(shortened(label, 72), WIDEST_COLUMN, LABEL_SIZE) for label in self.columns]

    @property
    def _is_upright(self) -> bool:
        """Whether the labels of the columns stand upright."""
        return len(self.columns) > 8

    @property
    def width(self) -> float:
        """The width in inches, without labels."""
        gaps = len(self.columns) - 1
        if self._is_upright:
            return max(1.6, gaps * 0.2)
        if gaps == 1:
            return 1.6
        return gaps * (WIDEST_COLUMN + 0.1)

    @property
    def height(self) -> float:
        """The height in inches, without labels."""
        return of_height(len(self.names), height_of_rows(len(self.names)), least=0.5)

    def margins(self) -> Margins:
        """The room for names with their ranks, and for the labels of the columns."""
        first = self._named(0)
        last = self._named(-1)
        half = 0.0
        if self._is_upright:
            below = widest((shortened(label, 72) for label in self.columns), LABEL_SIZE) + 0.12
        else:
            half = widest((line for lines in self._labels for line in lines), LABEL_SIZE) / 2
            below = max(map(len, self._labels)) * LABEL_SIZE * LINE + 0.12
        left = widest(first, self._size) + LEADER + 0.08
        right = widest(last, self._size) + LEADER + 0.08
        return Margins(max(left, half), max(right, half), 0.08, max(TICKS, below))

    def _order(self, column: int) -> list[int]:
        """The runs from the top to the bottom of a column."""
        first = self.ranks[:, 0].tolist()
        ranks = self.ranks[:, column].tolist()
        runs = range(len(self.names))
        return sorted(runs, key=lambda run: (ranks[run], first[run], self.names[run]))

    def _named(self, column: int) -> list[str]:
        """The texts at one end, from the top to the bottom."""
        texts = []
        for run in self._order(column):
            rank = f"{self.ranks[run, column]:g}"
            parts = [rank, shortened(self.names[run])]
            if column == 0:
                parts.reverse()
            texts.append("  ".join(parts))
        return texts

    def _colours(self) -> dict[int, str]:
        """The runs in colour, by their number."""
        coloured = self.coloured
        if coloured is None:
            moved = np.ptp(self.ranks, axis=1).tolist()
            coloured = colours_of_moves(dict(zip(self.names, moved, strict=True)))
        return {run: coloured[name] for run, name in enumerate(self.names) if name in coloured}

    def draw(self, axes: Axes) -> None:
        """Draw the lines and the names."""
        from matplotlib.collections import LineCollection

        colours = self._colours()
        columns = np.arange(len(self.columns))
        last = columns[-1]
        runs = range(len(self.names))
        order = sorted(runs, key=lambda run: run in colours)  # lines in colour are on top
        paths = [np.column_stack([columns, self.ranks[run]]) for run in order]
        shades = [colours.get(run, LIGHT) for run in order]
        paler = len(order) - len(colours)
        widths = [1.0] * paler + [1.8] * len(colours)
        leaders, shades_of_leaders = self._name_ends(axes, colours)
        widths += [0.9] * len(leaders)
        lines = LineCollection(
            paths + leaders,
            colors=shades + shades_of_leaders,
            linewidths=widths,
            clip_on=False,
            zorder=2,
        )
        axes.add_collection(lines, autolim=False)
        x, y = np.concatenate(paths).T
        colours_of_points = np.repeat(np.array(shades), len(columns))
        axes.scatter(x, y, s=11, c=colours_of_points, clip_on=False, zorder=3)
        if self._is_upright:
            labels = [shortened(label, 72) for label in self.columns]
            axes.set_xticks(columns, labels, size=LABEL_SIZE, **DOWNWARDS)
        else:
            axes.set_xticks(columns, ["\n".join(lines) for lines in self._labels], size=LABEL_SIZE)
        axes.set_yticks([])
        axes.tick_params(axis="x", length=0)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        axes.set_xlim(0, last)
        axes.set_ylim(len(self.names) + 0.5, 0.5)

    def _name_ends(self, axes: Axes, colours: dict[int, str]) -> tuple[list[np.ndarray], list[str]]:
        """The names at both ends. Returns the lines to their ranks, and the colours of these."""
        last = len(self.columns) - 1
        lines = []
        shades = []
        for column, end, outwards, align in ((0, 0, -1, "right"), (-1, last, 1, "left")):
            inch = outwards * last / self.width
            place_of_text = end + LEADER * inch
            start_of_line = place_of_text - GAP * inch
            runs = self._order(column)
            for row, (run, text) in enumerate(zip(runs, self._named(column), strict=True), start=1):
                axes.text(place_of_text, row, text, ha=align, va="center", size=self._size)
                lines.append(np.array([[start_of_line, row], [end, self.ranks[run, column]]]))
                shades.append(colours.get(run, LIGHT))
        return lines, shades


def coloured_in_words(moved: Mapping[str, float], run: str = "run", rank: str = "rank") -> str:
    """Which runs have a colour of `colours_of_moves`, as a sentence; empty if none has.

    >>> coloured_in_words({"a": 1.0, "b": 0.0})
    'In colour: the runs whose rank changes.'
    >>> coloured_in_words(dict.fromkeys("abcdefgh", 1.0))
    'In colour: 6 of the 8 runs whose rank changes most.'
    """
    distances = sorted((distance for distance in moved.values() if distance > 0), reverse=True)
    most = len(COLOURS) - 1
    if not distances:
        return ""
    if len(distances) <= most:
        return f"In colour: the {run}s whose {rank} changes."
    as_far = sum(distance >= distances[most - 1] for distance in distances)
    runs = f"the {most} {run}s"
    if as_far > most:
        runs = f"{most} of the {as_far} {run}s"
    return f"In colour: {runs} whose {rank} changes most."


def colours_of_moves(moved: Mapping[str, float]) -> dict[str, str]:
    """The colours of the runs that move most, from how far each one moves; equal ones by name."""
    moving = [name for name, distance in moved.items() if distance > 0]
    most_first = sorted(moving, key=lambda name: (-moved[name], name))
    return dict(zip(most_first, COLOURS[:-1], strict=False))  # the last colour is black
