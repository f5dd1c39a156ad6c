"""The sheet of a figure: drawings side by side, the answer above and a caption below.

A drawing knows its size in inches, so that nothing overlaps or is cut, whatever the number of runs
and the length of their names: the sheet grows with them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, TypeAlias

from .saving import new_figure
from .style import GREY, LINE, SIZE, in_lines, styled

if TYPE_CHECKING:
    import matplotlib.figure
    from matplotlib.axes import Axes

Figure: TypeAlias = "matplotlib.figure.Figure"
"""The type of all figures; Matplotlib is imported when the first one is drawn."""

EDGE: Final = 0.12
"""The empty edge of a sheet in inches."""
LEAST_WIDTH: Final = 4.8
"""A sheet has room for a title in inches."""
WIDEST_SHEET: Final = 10.9
"""Panels stand below each other rather than in a sheet that is wider in inches.

Text is legible then in the width of a page.
"""
TALLEST_SHEET: Final = 16.0
"""Panels whose heights sum to more inches leave out rows in the middle; 100 runs fit."""
LEAST_ROWS: Final = 10
"""So many rows are drawn in any case."""
WORTH_LEAVING_OUT: Final = 0.75
"""If there is room for this share of the rows, all are drawn."""
TITLE_SIZE: Final = 10.0
CAPTION_SIZE: Final = 7.5
TICKS: Final = 0.24
"""The height of the labels of ticks below a panel in inches."""


@dataclass(frozen=True)
class Margins:
    """The room for labels around a panel in inches."""

    left: float = 0.1
    right: float = 0.1
    top: float = 0.08
    bottom: float = 0.1


class Drawing:
    """A panel of a figure.

    A subclass has the data, its `width` and `height` in inches without labels, the `margins` for
    these, and `draw`.
    """

    heading: str = ""
    """A line above the panel, such as the measure."""
    belongs_beside: ClassVar[bool] = False
    """Whether the panel is read together with the one at its left."""
    left_out: str = ""
    """A sentence on the rows that are not drawn."""

    @property
    def width(self) -> float:
        """The width in inches, without labels."""
        return 3.0

    @property
    def height(self) -> float:
        """The height in inches, without labels."""
        return 2.4

    def first_in_row(self) -> Drawing:
        """The drawing as it is at the left edge of a sheet."""
        return self

    def within(self, height: float) -> Drawing:
        """The drawing in about this height in inches, if it can leave out rows."""
        return self

    def margins(self) -> Margins:
        """The room for the labels, without the heading."""
        return Margins()

    def draw(self, axes: Axes) -> None:
        """Draw on axes of this size."""
        raise NotImplementedError


@styled
def picture(
    drawings: Sequence[Drawing], title: object = "", caption: object = "", across: int = 4
) -> Figure:
    """A figure of some drawings, at most `across` side by side, fewer if they are wide.

    The title is the answer, and the caption tells what the reader must know of the drawings. A
    title that begins with the sentence of `said_above` is left out. Drawings that are too high
    together leave out rows. Needs the extra ``plot``.
    """
    drawings = _within_height(drawings, across)
    sentences = [str(caption), *(drawing.left_out for drawing in drawings)]
    caption = " ".join(filter(None, dict.fromkeys(sentences)))
    grid = _grid(drawings, across)
    width = max(grid.width, LEAST_WIDTH)

    room = width - 2 * EDGE
    title_lines = []
    said = _said_above.get()
    is_said = bool(said) and str(title).startswith(said)
    if title and not is_said:
        title_lines = in_lines(title, room, TITLE_SIZE)
    caption_lines = in_lines(caption, room, CAPTION_SIZE) if caption else []
    above = _height_of(title_lines, TITLE_SIZE, 0.12)
    below = _height_of(caption_lines, CAPTION_SIZE, 0.1)
    tops = [max(map(_top, row, grid.widths)) for row in grid.rows]
    heights = [max(map(_height_with_labels, row)) for row in grid.rows]
    height = sum(tops) + sum(heights) + above + below + 2 * EDGE

    figure = new_figure(width, height, layout="none")
    text: dict[str, Any] = {"ha": "left", "va": "top"}
    if title_lines:
        figure.text(
            EDGE / width, 1 - EDGE / height, "\n".join(title_lines), size=TITLE_SIZE,
            linespacing=1.2, **text,
        )  # fmt: skip
    if caption_lines:
        figure.text(
            EDGE / width, (EDGE + below - 0.1) / height, "\n".join(caption_lines),
            size=CAPTION_SIZE, linespacing=1.2, color=GREY, **text,
        )  # fmt: skip
    top = height - EDGE - above
    for number, row in enumerate(grid.rows):
        top -= tops[number]
        left = EDGE
        for place, drawing in enumerate(row):
            left += grid.lefts[place]
            bottom = top - drawing.height
            box = (left, bottom, drawing.width, drawing.height)
            left += grid.widths[place] + grid.rights[place]
            _draw(figure, drawing, box)
        top -= heights[number]
    return figure


_said_above: ContextVar[str] = ContextVar("said_above", default="")


@contextmanager
def said_above(sentence: str) -> Iterator[None]:
    """Figures that are made in this block do not repeat the sentence above them."""
    token = _said_above.set(sentence)
    try:
        yield
    finally:
        _said_above.reset(token)


def _within_height(drawings: Sequence[Drawing], across: int) -> Sequence[Drawing]:
    """The drawings, which leave out rows if they are too high below each other."""
    rows = _grid(drawings, across).rows
    heights = [max(drawing.height for drawing in row) for row in rows]
    if sum(heights) <= TALLEST_SHEET:
        return drawings
    return [drawing.within(TALLEST_SHEET / len(rows)) for drawing in drawings]


GAP: Final = -1
"""The place of rows that are left out."""


def ends_within(count: int, of_row: float, height: float) -> list[int]:
    """The numbers of the first and the last rows that fit into a height, with a `GAP` between them.

    >>> ends_within(100, 0.5, 5.0), ends_within(3, 0.5, 5.0)
    ([0, 1, 2, 3, 4, -1, 95, 96, 97, 98, 99], [0, 1, 2])
    """
    rows = max(int(height / of_row), LEAST_ROWS)
    if rows >= WORTH_LEAVING_OUT * count:
        return list(range(count))
    first = (rows + 1) // 2
    return [*range(first), GAP, *range(count - rows // 2, count)]


class _Grid(NamedTuple):
    """Drawings in rows, and the width of each column with the margins at both sides."""

    rows: list[list[Drawing]]
    lefts: list[float]
    widths: list[float]
    rights: list[float]

    @property
    def width(self) -> float:
        """The width in inches, with the edges of the sheet."""
        return sum(self.lefts) + sum(self.widths) + sum(self.rights) + 2 * EDGE


def side_by_side(drawings: Sequence[Drawing], across: int) -> int:
    """How many drawings stand in the first row of a figure of at most `across` in a row."""
    return len(_grid(drawings, across).rows[0])


def _grid(drawings: Sequence[Drawing], across: int) -> _Grid:
    """The drawings, at most `across` side by side, fewer if the sheet would be too wide."""
    most = max(1, min(len(drawings), across))
    grid = _grid_of(drawings, most)
    if any(drawing.belongs_beside for drawing in drawings):
        return grid
    for fewer in range(most - 1, 0, -1):
        if grid.width <= WIDEST_SHEET:
            break
        rows = math.ceil(len(drawings) / fewer)
        grid = _grid_of(drawings, math.ceil(len(drawings) / rows))
    return grid


def _grid_of(drawings: Sequence[Drawing], across: int) -> _Grid:
    """The drawings, so many side by side."""
    rows = []
    for start in range(0, len(drawings), across):
        first, *others = drawings[start : start + across]
        rows.append([first.first_in_row(), *others])
    columns = [[row[place] for row in rows if place < len(row)] for place in range(across)]
    lefts = [max(drawing.margins().left for drawing in column) for column in columns]
    widths = [max(drawing.width for drawing in column) for column in columns]
    rights = list(map(_right, columns, widths))
    return _Grid(rows, lefts, widths, rights)


def _height_with_labels(drawing: Drawing) -> float:
    """The height of a panel in inches with what stands below it."""
    return drawing.height + drawing.margins().bottom


def _right(column: Sequence[Drawing], width: float) -> float:
    """The right margin of a column, which a wider panel above or below may already give."""
    return max(drawing.margins().right - (width - drawing.width) for drawing in column)


def _height_of(lines: Sequence[str], size: float, gap: float) -> float:
    """The height of lines of text in inches, with a gap to the panels; 0 without any line."""
    return len(lines) * size * LINE + gap if lines else 0.0


def _heading(drawing: Drawing, width: float) -> list[str]:
    if not drawing.heading:
        return []
    margins = drawing.margins()
    return in_lines(drawing.heading, max(width, 1.0) + max(margins.right - 0.1, 0.0), SIZE)


def _top(drawing: Drawing, width: float) -> float:
    """The room above a panel: its own labels and the heading."""
    heading = _heading(drawing, width)
    return drawing.margins().top + _height_of(heading, SIZE, 0.08)


def _draw(figure: Any, drawing: Drawing, box: tuple[float, float, float, float]) -> None:
    """Draw a panel in a box of inches: left, bottom, width, height."""
    width, height = figure.get_size_inches()
    left, bottom, across, down = box
    axes = figure.add_axes((left / width, bottom / height, across / width, down / height))
    drawing.draw(axes)
    lines = _heading(drawing, across)
    if lines:
        offset = drawing.margins().top
        axes.text(
            0, 1 + offset / down, "\n".join(lines), transform=axes.transAxes,
            ha="left", va="bottom", size=SIZE, linespacing=1.2,
        )  # fmt: skip


def of_height(count: int, size: float, least: float = 0.0, most: float = math.inf) -> float:
    """The size in inches of so many cells of a size, within bounds."""
    return min(max(count * size, least), most)
