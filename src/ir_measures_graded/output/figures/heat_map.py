"""Cells in colour: values of rows × columns, and the triangle of all pairs of runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .sheet import Drawing, Margins, of_height
from .style import (
    BLUE,
    DARK_TEXT,
    LEAST_SIZE,
    LIGHT_TEXT,
    LINE,
    PAD,
    RULE,
    TINT,
    colour_map,
    colour_of_text,
    height_of_rows,
    in_lines,
    name_columns,
    name_rows,
    shortened,
    size_of_names,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TALLEST = 13.0
"""Cells of more rows become lower than a name."""
WIDEST = 9.4
"""More columns become narrower than their names, of which some are left out."""
KEY = 0.13
"""The width of the key of the colours in inches."""
LABEL_SIZE = 8.0
KEY_LABEL_SIZE = 7.5
LEAST_KEY = 0.9
"""The least height of the key in inches."""
LEAST_SIDE = 1.4
"""The least width of the triangle, which has room for the measure above."""
ORDINALS = {2: "second", 3: "third"}
SIDE = 0.44
"""The side of a cell of the triangle in inches."""


@dataclass(frozen=True)
class HeatMap(Drawing):
    """`cells` (rows × columns) in colour, with a key. NaN leaves a cell empty.

    `texts` (rows × columns) stand in the cells. `row_label` and `column_label` name the axes, and
    `label` the values.
    """

    cells: np.ndarray
    rows: Sequence[str]
    columns: Sequence[str]
    label: str = ""
    heading: str = ""
    row_label: str = ""
    column_label: str = ""
    texts: Sequence[Sequence[str]] = ()
    limits: tuple[float, float] | None = None

    @property
    def _row_size(self) -> float:
        return size_of_names(len(self.rows))

    @property
    def _column_size(self) -> float:
        return size_of_names(len(self.columns))

    @property
    def width(self) -> float:
        """The width in inches, without labels."""
        of_column = height_of_rows(len(self.columns)) * 1.15
        if self.texts:
            of_text = widest(cell for row in self.texts for cell in row) + 0.14
            of_column = max(of_column, of_text)
        return of_height(len(self.columns), of_column, least=0.8, most=WIDEST)

    @property
    def height(self) -> float:
        """The height in inches, without labels."""
        of_row = height_of_rows(len(self.rows))
        if self.texts:
            of_row = max(of_row, 0.28)
        return of_height(len(self.rows), of_row, least=0.5, most=TALLEST)

    @property
    def left_out(self) -> str:  # type: ignore[override]
        """A sentence on the names of rows and columns that have no room."""
        sentences = []
        for label, step in (
            (self.row_label, self._row_step),
            (self.column_label, self._column_step),
        ):
            if step > 1:
                what = label.partition(",")[0] or "row or column"
                sentences.append(f"Every {ORDINALS.get(step, f'{step}th')} {what} is named.")
        return " ".join(sentences)

    @property
    def _row_step(self) -> int:
        return step_of_names(len(self.rows), self.height, self._row_size)

    @property
    def _column_step(self) -> int:
        return step_of_names(len(self.columns), self.width, self._column_size)

    @property
    def names_every_column(self) -> bool:
        """Whether there is room for the name of each column."""
        return self._column_step == 1

    def turned(self) -> HeatMap:
        """The heat map with its columns as rows."""
        return replace(
            self,
            cells=self.cells.T,
            rows=self.columns,
            columns=self.rows,
            row_label=self.column_label,
            column_label=self.row_label,
        )

    @property
    def _key_height(self) -> float:
        return max(min(self.height, 1.6), LEAST_KEY)

    @property
    def _label_lines(self) -> list[str]:
        return in_lines(self.label, self._key_height, KEY_LABEL_SIZE)

    @property
    def _is_upright(self) -> bool:
        """Whether the names of columns are too wide to stand beside each other."""
        names = map(shortened, self.columns)
        return widest(names, self._column_size) > 0.85 * self.width / len(self.columns)

    @property
    def _depth_of_names(self) -> float:
        """How far the names of columns reach below the cells in inches."""
        if self._is_upright:
            return PAD + widest(map(shortened, self.columns), self._column_size)
        return PAD + self._column_size * LINE

    def margins(self) -> Margins:
        """The room for names, labels and the key."""
        left = widest(map(shortened, self.rows), self._row_size) + 0.12
        if self.row_label:
            left += 0.2
        bottom = self._depth_of_names + 0.06
        if self.column_label:
            bottom += 0.08 + LABEL_SIZE * LINE
        if self.label:
            bottom = max(bottom, LEAST_KEY - self.height)
        right = 0.1
        if self.label:
            right = KEY + 0.6 + len(self._label_lines) * KEY_LABEL_SIZE * LINE
        return Margins(left, right, 0.08, bottom)

    def draw(self, axes: Axes) -> None:
        """Draw the cells and the key."""
        from matplotlib.ticker import MaxNLocator

        lowest, highest = self.limits or (None, None)
        masked = np.ma.masked_invalid(self.cells)
        mesh = axes.pcolormesh(
            masked, cmap=colour_map(), vmin=lowest, vmax=highest, rasterized=True,
            edgecolors="none",
        )  # fmt: skip
        axes.set_ylim(len(self.rows), 0)
        axes.set_xlim(0, len(self.columns))
        rows = range(0, len(self.rows), self._row_step)
        columns = range(0, len(self.columns), self._column_step)
        names = [shortened(self.rows[row]) for row in rows]
        name_rows(axes, np.array(rows) + 0.5, names, self._row_size)
        names = [shortened(self.columns[column]) for column in columns]
        name_columns(axes, np.array(columns) + 0.5, names, self._column_size, self._is_upright)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        self._name_axes(axes)
        self._write(axes, mesh)
        if self.label:
            height = self._key_height
            below = 1 - height / self.height
            box = (1 + 0.12 / self.width, below, KEY / self.width, height / self.height)
            key = axes.figure.colorbar(mesh, cax=axes.inset_axes(box))
            key.outline.set_visible(False)
            key.set_label("\n".join(self._label_lines), size=KEY_LABEL_SIZE)
            key.ax.tick_params(labelsize=LEAST_SIZE, length=2)
            values = masked.compressed()
            is_whole = bool((values == np.floor(values)).all())
            key.locator = MaxNLocator(nbins=4, integer=is_whole, min_n_ticks=1)

    def _name_axes(self, axes: Axes) -> None:
        """The labels of the rows, at the left edge, and of the columns, below their names."""
        margins = self.margins()
        place: dict[str, Any] = {"transform": axes.transAxes, "ha": "center", "va": "center"}
        if self.row_label:
            left = (0.1 - margins.left) / self.width
            axes.text(left, 0.5, self.row_label, rotation=90, rotation_mode="anchor",
                      size=LABEL_SIZE, **place)  # fmt: skip
        if self.column_label:
            below = -(self._depth_of_names + 0.08) / self.height
            axes.text(0.5, below, self.column_label, size=LABEL_SIZE, **place | {"va": "top"})

    def _write(self, axes: Axes, mesh: object) -> None:
        """The texts in the cells, in a colour that can be read on the cell."""
        if not self.texts:
            return
        lowest, highest = mesh.get_clim()  # type: ignore[attr-defined]
        for row, texts in enumerate(self.texts):
            for column, text in enumerate(texts):
                share = (self.cells[row, column] - lowest) / ((highest - lowest) or 1.0)
                colour = colour_of_text(float(np.nan_to_num(share)))
                axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=colour)


def step_of_names(count: int, length: float, size: float) -> int:
    """Of how many rows one is named if `count` of them share a length in inches."""
    return max(1, math.ceil(count * size * LINE / length))


@dataclass(frozen=True)
class Triangle(Drawing):
    """The p-value of each pair of runs, which are in the order of their means, the best first.

    `p` (runs × runs) is symmetric, NaN where there is none. A cell is in colour if the run above it
    is better than the run at its left with p < `alpha`, and dark with p < `strong`.
    """

    names: Sequence[str]
    p: np.ndarray
    is_significant: np.ndarray
    strong: float = 0.01
    heading: str = ""

    @property
    def width(self) -> float:
        """The width in inches, without labels."""
        return max(SIDE * (len(self.names) - 1), LEAST_SIDE)

    @property
    def height(self) -> float:
        """The height in inches, without labels."""
        return 0.7 * SIDE * (len(self.names) - 1)

    def margins(self) -> Margins:
        """The room for names: of rows at the left, of columns below."""
        left = widest(map(shortened, self.names[1:]), 8.5) + 0.12
        bottom = widest(map(shortened, self.names[:-1]), 8.5) + 0.12
        return Margins(left, 0.1, 0.08, bottom)

    def draw(self, axes: Axes) -> None:
        """Draw the cells with their p-values."""
        from matplotlib.patches import Rectangle

        count = len(self.names)
        for row in range(1, count):
            for column in range(row):
                p = self.p[row, column]
                face = "none"
                colour = "black"
                if self.is_significant[row, column]:
                    face = TINT
                    colour = DARK_TEXT
                    if p < self.strong:
                        face = BLUE
                        colour = LIGHT_TEXT
                cell = Rectangle((column, row - 1), 1, 1, facecolor=face, edgecolor=RULE)
                axes.add_patch(cell)
                text = p_text(p)
                axes.text(
                    column + 0.5, row - 0.5, text, ha="center", va="center", size=7.5, color=colour
                )
        axes.set_xlim(0, count - 1)
        axes.set_ylim(count - 1, 0)
        middles = np.arange(count - 1) + 0.5
        name_columns(axes, middles, map(shortened, self.names[:-1]), 8.5, upright=True)
        name_rows(axes, middles, map(shortened, self.names[1:]), 8.5)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)


def p_text(p: float) -> str:
    """A p-value in a cell.

    >>> p_text(0.0312), p_text(0.00001), p_text(1.0), p_text(float("nan"))
    ('.031', '<.001', '1', '')
    """
    if np.isnan(p):
        return ""
    if p < 0.001:
        return "<.001"
    if p > 0.9995:
        return "1"
    return f"{p:.3f}".removeprefix("0")
