"""A forest: a dot for each row with its intervals, the rows named at the left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .sheet import GAP, TICKS, Drawing, Margins, ends_within, of_height
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
ROOM = 0.06
"""The empty room at both ends of an axis, as a share of its length."""
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
    - `limits`: the ends of the axis; by default those of the data
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
    limits: tuple[float, float] | None = None
    left_out: str = ""

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

    def within(self, height: float) -> Forest:
        """The first and the last rows that fit into a height, with a gap for the others."""
        count = len(self.names)
        rows = ends_within(count, height_of_rows(count), height)
        if GAP not in rows:
            return self
        gap = rows.index(GAP)
        first = gap
        last = len(rows) - 1 - gap
        colours = self.colours or [BLUE] * count
        filled = self.filled
        if filled is None:
            filled = np.ones(count, dtype=bool)

        def taken(cells: Sequence[str], in_gap: str) -> list[str]:
            some = [cells[row] for row in rows]
            some[gap] = in_gap
            return some

        texts: Sequence[str] = ()
        if self.texts:
            texts = taken(self.texts, "")
        return replace(
            self,
            names=taken(self.names, f"… {count - first - last} more"),
            values=_with_gap(self.values, rows),
            bars=[_with_gap(bar, rows) for bar in self.bars],
            filled=filled[rows],
            colours=taken(colours, GREY),
            texts=texts,
            left_out=f"Of {count} rows, the first {first} and the last {last} are drawn.",
        )

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
        axes.margins(x=ROOM)
        if self.limits:
            axes.set_xlim(self.limits)
        few_ticks(axes, self.width)
        axes.set_xlabel("\n".join(in_lines(self.label, self.width, LABEL_SIZE)), loc="left")
        for row, text in enumerate(self.texts):
            beside(axes, 1 + 0.08 / self.width, row, text, self._size)
        if self.texts_heading:
            beside(axes, 1 + 0.08 / self.width, -1.0, self.texts_heading, self._size)


def _with_gap(numbers: np.ndarray, rows: Sequence[int]) -> np.ndarray:
    """The numbers of some rows; NaN for the `GAP`."""
    return np.where(np.array(rows) == GAP, np.nan, numbers[..., list(rows)])


def on_one_scale(forests: Sequence[Forest]) -> list[Forest]:
    """The forests with the same limits, which are those of all their data."""
    arrays = [array for forest in forests for array in (forest.values, *forest.bars)]
    numbers = [np.ravel(array) for array in arrays]
    zeros = [forest.zero for forest in forests if forest.zero is not None]
    finite = np.concatenate([*numbers, zeros])
    finite = finite[np.isfinite(finite)]
    if not finite.size:
        return list(forests)
    room = ROOM * float(np.ptp(finite)) or 0.05
    limits = (float(finite.min()) - room, float(finite.max()) + room)
    return [replace(forest, limits=limits) for forest in forests]


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
