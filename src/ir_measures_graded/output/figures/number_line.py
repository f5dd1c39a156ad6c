"""A number line: a difference with its bounds beside the zone that a margin excludes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..formats import short
from .forest import few_ticks
from .sheet import TICKS, Drawing, Margins
from .style import BLUE, GREY, LINE, ORANGE, in_lines, spread, widest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABEL_SIZE = 8.0


@dataclass(frozen=True)
class NumberLine(Drawing):
    """A `difference` with its `bounds`, and the `excluded` zones (low, high) shaded.

    An end of a zone or a bound may be infinite. `colour` is that of the dot. `limits` are the ends
    of the axis, by default `own_limits`.
    """

    difference: float
    bounds: tuple[float, float]
    excluded: tuple[tuple[float, float], ...]
    label: str = ""
    heading: str = ""
    colour: str = BLUE
    limits: tuple[float, float] | None = None
    inner_width: float = 4.4

    @property
    def width(self) -> float:
        """The width in inches, without labels."""
        return self.inner_width

    @property
    def height(self) -> float:
        """The height in inches, without labels."""
        return 0.42

    def margins(self) -> Margins:
        """The room for the axis."""
        lines = in_lines(self.label, self.width, LABEL_SIZE)
        return Margins(0.3, 0.3, 0.22, TICKS + len(lines) * LABEL_SIZE * LINE + 0.1)

    @property
    def own_limits(self) -> tuple[float, float]:
        """The ends of an axis that has all points, with some room."""
        ends = [end for zone in self.excluded for end in zone]
        points = np.array([self.difference, *self.bounds, *ends, 0.0])
        points = points[np.isfinite(points)]
        room = 0.15 * (float(np.ptp(points)) or 0.1)
        return float(points.min()) - room, float(points.max()) + room

    def draw(self, axes: Axes) -> None:
        """Draw the zones, the line at 0, and the difference."""
        low, high = self.limits or self.own_limits
        edges = sorted(end for zone in self.excluded for end in zone if np.isfinite(end))
        texts = [short(edge, "+.3g") for edge in edges]
        gap = (widest(texts, LABEL_SIZE) + 0.06) * (high - low) / self.width
        for edge, at, text in zip(edges, spread(edges, gap, low, high), texts, strict=True):
            axes.axvline(edge, color=ORANGE, linewidth=1.2)
            axes.text(at, 1.05, text, ha="center", va="bottom", size=LABEL_SIZE, color=ORANGE,
                      transform=axes.get_xaxis_transform())  # fmt: skip
        for start, end in self.excluded:
            axes.axvspan(max(start, low), min(end, high), color=ORANGE, alpha=0.22, linewidth=0)
        axes.axvline(0, color=GREY, linewidth=1.0)
        start, end = np.clip(self.bounds, low, high)
        axes.hlines(0, start, end, colors=self.colour, linewidth=3.0)
        axes.scatter([self.difference], [0], s=42, color=self.colour, zorder=3)
        axes.set_xlim(low, high)
        axes.set_ylim(-1, 1)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.grid(visible=False, axis="y")
        few_ticks(axes, self.width)
        axes.set_xlabel("\n".join(in_lines(self.label, self.width, LABEL_SIZE)), loc="left")
