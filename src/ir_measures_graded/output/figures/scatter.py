"""Points: a value against another, the most remarkable ones named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .sheet import TICKS, Drawing, Margins
from .style import BLUE, GREY, LINE, in_lines, shortened, spread, widest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABEL_SIZE = 8.0
NAME_SIZE = 8.0
SIDE = 2.6
LONGEST = 40
MOST_NAMED = 5


@dataclass(frozen=True)
class Scatter(Drawing):
    """A point for each row at `x` and `y`.

    - `names`: the names of the points; those of `named` (numbers) stand at the right, joined to
      their points
    - `diagonal`: whether equal values are a line, and both axes have one scale
    - `lines_at`: where a vertical and a horizontal line are drawn
    """

    x: np.ndarray
    y: np.ndarray
    names: Sequence[str] = ()
    x_label: str = ""
    y_label: str = ""
    heading: str = ""
    named: Sequence[int] = ()
    diagonal: bool = False
    lines_at: tuple[float, float] | None = None

    @property
    def width(self) -> float:
        """The width in inches, without labels."""
        return SIDE

    @property
    def height(self) -> float:
        """The height in inches, without labels."""
        return SIDE

    def margins(self) -> Margins:
        """The room for both axes and the names at the right."""
        texts = [shortened(self.names[number], LONGEST) for number in self.named]
        right = widest(texts, NAME_SIZE) + 0.4 if texts else 0.2
        lines = len(in_lines(self.x_label, SIDE, LABEL_SIZE))
        left = 0.5 + len(in_lines(self.y_label, SIDE, LABEL_SIZE)) * LABEL_SIZE * LINE
        return Margins(left, right, 0.08, TICKS + lines * LABEL_SIZE * LINE + 0.1)

    def draw(self, axes: Axes) -> None:
        """Draw the points, and join the named ones to their names."""
        size = 18 if len(self.x) <= 200 else 5
        if self.diagonal:
            axes.axline((0, 0), slope=1, color=GREY, linewidth=1.0)
        if self.lines_at is not None:
            axes.axvline(self.lines_at[0], color=GREY, linewidth=1.0)
            axes.axhline(self.lines_at[1], color=GREY, linewidth=1.0)
        axes.scatter(self.x, self.y, s=size, color=BLUE, alpha=0.75, linewidths=0, zorder=3)
        low_x, high_x = _limits(self.x)
        low_y, high_y = _limits(self.y)
        if self.lines_at is not None:
            low_x, high_x = _limits(np.append(self.x, self.lines_at[0]))
            low_y, high_y = _limits(np.append(self.y, self.lines_at[1]))
        if self.diagonal:
            low_x = low_y = min(low_x, low_y)
            high_x = high_y = max(high_x, high_y)
        axes.set_xlim(low_x, high_x)
        axes.set_ylim(low_y, high_y)
        axes.locator_params(nbins=5)
        axes.set_xlabel("\n".join(in_lines(self.x_label, SIDE, LABEL_SIZE)))
        axes.set_ylabel("\n".join(in_lines(self.y_label, SIDE, LABEL_SIZE)))
        inch = (high_y - low_y) / SIDE
        order = sorted(self.named, key=lambda number: float(self.y[number]))
        wanted = [float(self.y[number]) for number in order]
        at = spread(wanted, NAME_SIZE * LINE * inch, low_y, high_y)
        end = high_x + 0.22 * (high_x - low_x) / SIDE
        for number, height in zip(order, at, strict=True):
            text = shortened(self.names[number], LONGEST)
            axes.plot([self.x[number], end], [self.y[number], height], color=GREY, linewidth=0.5,
                      clip_on=False)  # fmt: skip
            beyond = end + 0.05 * (high_x - low_x) / SIDE
            axes.text(beyond, height, text, va="center", ha="left", size=NAME_SIZE)


def _limits(values: np.ndarray) -> tuple[float, float]:
    """The ends of an axis, with some room."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    lowest = float(finite.min())
    highest = float(finite.max())
    room = 0.05 * (highest - lowest) or 0.05 * (abs(highest) or 1.0)
    return lowest - room, highest + room
