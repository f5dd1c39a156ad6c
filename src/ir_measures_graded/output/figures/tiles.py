"""Tiles: a ranking beside its ideal list, each document a tile in the colour of its level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .forest import few_ticks
from .sheet import TICKS, Drawing, Margins, of_height
from .style import (
    BLUE,
    GREY,
    LIGHT,
    LINE,
    LONGEST_NAME,
    ORANGE,
    colour_of_text,
    height_of_rows,
    in_lines,
    level_colours,
    name_rows,
    shares_of_levels,
    shortened,
    size_of_names,
    text_width,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABEL_SIZE = 8.0
TILE = 0.42
"""The width of a tile in inches."""
BETWEEN = 1.0
"""The distance between both columns in inches."""
WIDEST_HEAD = TILE + BETWEEN - 0.1
"""A wider head of a column in inches loses characters in the middle."""
FACTORS = 0.6
"""The width of the column of numbers by rank in inches."""
BARS = 1.6
"""The width of the bars in inches."""


@dataclass(frozen=True)
class Tiles(Drawing):
    """A ranking and an ideal list as two columns of tiles, rank 1 at the top.

    - `names`: the documents of the ranking
    - `levels`, `ideal`: the level at each rank, NaN for an unjudged document
    - `joined`: the pairs of positions (ranking, ideal list) that a line joins
    - `added`: what each document adds to the value, drawn as bars at the right, or None
    - `heads`: what stands above both columns
    - `factors`: a number for each rank, as its weight, NaN for none, at the right of both columns,
      or None; `factor_head` stands above
    """

    names: Sequence[str]
    levels: np.ndarray
    ideal: np.ndarray
    joined: Sequence[tuple[int, int]] = ()
    added: np.ndarray | None = None
    label: str = ""
    heads: tuple[str, str] = ("ranking", "ideal")
    heading: str = ""
    factors: np.ndarray | None = None
    factor_head: str = ""

    @property
    def _room_of_factors(self) -> float:
        return 0.0 if self.factors is None else FACTORS

    @property
    def _rows(self) -> int:
        return max(len(self.levels), len(self.ideal), 1)

    @property
    def _size(self) -> float:
        return size_of_names(self._rows)

    @property
    def width(self) -> float:
        """The width in inches, without labels."""
        return 2 * TILE + BETWEEN

    @property
    def height(self) -> float:
        """The height in inches, without labels."""
        return of_height(self._rows, height_of_rows(self._rows), least=0.4)

    def margins(self) -> Margins:
        """The room for the documents at the left and the bars at the right."""
        beyond = [(text_width(head, LABEL_SIZE) - TILE) / 2 for head in self._heads()]
        left = max(widest(self._texts(), self._size) + 0.12, beyond[0])
        right = max(0.15, beyond[1] + 0.05)
        if self.factors is not None:
            right = max(right, FACTORS + 0.1)
        bottom = 0.1
        if self.added is not None:
            right = max(right, self._room_of_factors + 0.15) + BARS + 0.35
            lines = in_lines(self.label, BARS, LABEL_SIZE)
            bottom = TICKS + len(lines) * LABEL_SIZE * LINE + 0.1
        return Margins(left, right, 0.1 + LABEL_SIZE * LINE, bottom)

    def _heads(self) -> list[str]:
        """What stands above both columns, short enough to stand side by side."""
        heads = []
        for head in self.heads:
            longest = LONGEST_NAME
            while text_width(shortened(head, longest), LABEL_SIZE) > WIDEST_HEAD:
                longest -= 1
            heads.append(shortened(head, longest))
        return heads

    def _texts(self) -> list[str]:
        return [f"{shortened(name)}  {rank}" for rank, name in enumerate(self.names, start=1)]

    def draw(self, axes: Axes) -> None:
        """Draw both columns, the lines between them, and the bars."""
        levels = np.concatenate([self.levels, self.ideal])
        colours = level_colours(np.unique(levels[~np.isnan(levels)]).tolist())
        self._column(axes, 0.0, self.levels, colours)
        self._column(axes, TILE + BETWEEN, self.ideal, colours)
        for place, other in self.joined:
            axes.plot(
                [TILE, TILE + BETWEEN], [place, other], color=GREY, linewidth=0.8, alpha=0.8,
                clip_on=False,
            )  # fmt: skip
        texts = self._texts()
        name_rows(axes, range(len(texts)), texts, self._size)
        axes.set_ylim(self._rows - 0.5, -0.5)
        axes.set_xlim(0, self.width)
        axes.set_xticks([])
        axes.tick_params(length=0, pad=3)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        for x, head in zip((TILE / 2, 1.5 * TILE + BETWEEN), self._heads(), strict=True):
            axes.text(x, 1.0, head, ha="center", va="bottom", size=LABEL_SIZE, color=GREY,
                      transform=axes.get_xaxis_transform())  # fmt: skip
        if self.factors is not None:
            self._factors(axes, self.factors)
        if self.added is not None:
            self._bars(axes, self.added)

    def _factors(self, axes: Axes, factors: np.ndarray) -> None:
        """The number of each rank, right-aligned below its head."""
        x = self.width + FACTORS
        axes.text(x, 1.0, self.factor_head, ha="right", va="bottom", size=LABEL_SIZE, color=GREY,
                  transform=axes.get_xaxis_transform())  # fmt: skip
        for place, factor in enumerate(factors.tolist()):
            if not np.isnan(factor):
                text = f"{factor:.3f}"
                axes.text(x, place, text, ha="right", va="center", size=self._size, clip_on=False)

    def _column(
        self, axes: Axes, left: float, levels: np.ndarray, colours: dict[float, object]
    ) -> None:
        """A tile for each rank; that of an unjudged document is empty."""
        from matplotlib.patches import Rectangle

        shares = shares_of_levels(list(colours))
        for rank, level in enumerate(levels.tolist()):
            face: object = "none"
            text = "?"
            colour = GREY
            if not np.isnan(level):
                face = colours[level]
                text = f"{level:g}"
                colour = colour_of_text(shares[level])
            box = Rectangle((left, rank - 0.42), TILE, 0.84, facecolor=face, edgecolor=LIGHT,
                            linewidth=0.6, clip_on=False)  # fmt: skip
            axes.add_patch(box)
            size = self._size
            if size > 7.5:
                size -= 0.5
            middle = left + TILE / 2
            axes.text(middle, rank, text, ha="center", va="center", color=colour, size=size)

    def _bars(self, axes: Axes, added: np.ndarray) -> None:
        """The bars of what each document adds."""
        left = self._room_of_factors + 0.3
        box = (1 + left / self.width, 0.0, BARS / self.width, 1.0)
        bars = axes.inset_axes(box)
        values = np.nan_to_num(added)
        colours = np.where(values >= 0, BLUE, ORANGE)
        bars.barh(np.arange(len(values)), values, height=0.7, color=colours)
        bars.set_ylim(self._rows - 0.5, -0.5)
        bars.set_yticks([])
        bars.grid(visible=False, axis="y")
        if (values < 0).any():
            bars.axvline(0, color=GREY, linewidth=1.0)
        few_ticks(bars, BARS)
        # The axis ends at ticks, so that the longest bar lies between two labels.
        ends = min(values.min(), 0.0), max(values.max(), 0.0)
        ticks = bars.xaxis.get_major_locator().tick_values(*ends)
        bars.set_xlim(ticks[0], ticks[-1])
        bars.set_xlabel("\n".join(in_lines(self.label, BARS, LABEL_SIZE)), loc="left")
