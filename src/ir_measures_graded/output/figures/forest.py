"""A forest: a dot for each row with its intervals, the rows named at the left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .sheet import TICKS, Drawing, Margins, of_height
from .style import (
    BLUE,
    GREY,
    LINE,
    height_of_rows,
    in_lines,
    name_rows,
    shortened,
    size_of_names,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABEL_SIZE = 8.0
BAR_WIDTHS = (1.3, 3.6)
"""The widths in points of the longest and of the shorter interval."""


@dataclass(frozen=True)
class Forest(Drawing):
    """A dot for each of `names` at its value, the first at the top.

    - `bars`: intervals (2 × rows each), the widest first, which is drawn thinnest
    - `label`: what the values are
    - `zero`: where a line is drawn, for differences
    - `filled`: which dots are filled; by default all
    - `colours`: one for each row; by default all are blue
    - `texts`: what stands at the right of each row, below `texts_heading`
    - `shows_names`: whether names stand at the left; they do in the first panel of a row, whose
      names the others may share
    """

    names: Sequence[str]
    values: np.ndarray
    bars: Sequence[np.ndarray] = ()
    label: str = ""
    heading: str = ""
    zero: float | None = None
    filled: np.ndarray | None = None
    colours: Sequence[str] | None = None
    texts: Sequence[str] = ()
    texts_heading: str = ""
    shows_names: bool = True
    inner_width: float = 2.6

    @property
    def width(self) -> float:
        """The width in inches, without labels."""
        return self.inner_width

    @property
    def height(self) -> float:
        """The height in inches, without labels."""
        return of_height(len(self.names), height_of_rows(len(self.names)), least=0.45)

    def first_in_row(self) -> Forest:
        """The forest with the names at its left."""
        return replace(self, shows_names=True)

    @property
    def _size(self) -> float:
        return size_of_names(len(self.names))

    def margins(self) -> Margins:
        """The room for names, texts and the label."""
        left = 0.1
        if self.shows_names:
            left = widest(map(shortened, self.names), self._size) + 0.12
        right = widest([*self.texts, self.texts_heading], self._size) + 0.2
        lines = in_lines(self.label, self.width, LABEL_SIZE)
        top = 0.08
        if self.texts_heading:
            top += self._size * LINE
        return Margins(left, right, top, TICKS + len(lines) * LABEL_SIZE * LINE + 0.1)

    def draw(self, axes: Axes) -> None:
        """Draw the dots with their intervals."""
        rows = np.arange(len(self.names))
        colours = self.colours or [BLUE] * len(rows)
        if self.zero is not None:
            axes.axvline(self.zero, color=GREY, linewidth=1.0)
        widths = BAR_WIDTHS[: len(self.bars)]
        for ends, width in zip(self.bars, widths, strict=True):
            axes.hlines(rows, ends[0], ends[1], colors=list(colours), linewidth=width)
        faces = list(colours)
        if self.filled is not None:
            for row in np.flatnonzero(~self.filled).tolist():
                faces[row] = "white"
        size: Any = 22 if len(rows) <= 60 else 14
        axes.scatter(self.values, rows, s=size, c=faces, edgecolors=list(colours), zorder=3)
        axes.set_yticks([])
        if self.shows_names:
            name_rows(axes, rows, map(shortened, self.names), self._size)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.grid(visible=False, axis="y")
        axes.margins(x=0.06)
        few_ticks(axes, self.width)
        axes.set_xlabel("\n".join(in_lines(self.label, self.width, LABEL_SIZE)), loc="left")
        for row, text in enumerate(self.texts):
            beside(axes, 1 + 0.08 / self.width, row, text, self._size)
        if self.texts_heading:
            beside(axes, 1 + 0.08 / self.width, -1.0, self.texts_heading, self._size)


def beside(axes: Axes, x: float, row: float, text: str, size: float) -> None:
    """A text in the height of a row, at a share of the width of the axes."""
    axes.text(
        x, row, text, size=size, va="center", ha="left", color=GREY,
        transform=axes.get_yaxis_transform(),
    )  # fmt: skip


def few_ticks(axes: Axes, width: float) -> None:
    """So many ticks on the horizontal axis that their labels stand apart."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(max(2, int(width / 0.65)), min_n_ticks=2))
