"""Lines over an axis of ranks or numbers of topics, with bands and marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .sheet import TICKS, Drawing, Margins
from .style import GREY, LINE, in_lines, legend_names, shortened, spread, widest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABEL_SIZE = 8.0
WIDTH = 5.0
HEIGHT = 3.2
LEGEND_LINE = 0.17
"""The height of a line of the legend in inches."""
HANDLE = 0.5
"""The width of the sample of a line in the legend in inches."""


@dataclass(frozen=True)
class Line:
    """A line: its name in the legend (none if empty), its values, its style and its band.

    The style has the arguments of Matplotlib's `plot`. `group` is the id of the line in SVG.
    """

    name: str
    y: np.ndarray
    style: Mapping[str, Any] = field(default_factory=dict)
    band: np.ndarray | None = None
    group: str = ""


@dataclass(frozen=True)
class Lines(Drawing):
    """Lines over `x`, in the order of the legend.

    - `marks`: names of values on the horizontal axis at which a dashed line stands
    - `levels`: names of values on the vertical axis at which one stands
    - `grey_from`: values of x above this one are shaded
    - `is_log`, `is_log_y`: whether the horizontal and the vertical axis are logarithmic
    - `whole_x`, `whole_y`: whether ticks of the horizontal and the vertical axis are whole numbers
    - `from_zero`: whether the vertical axis begins at 0
    - `shows_legend`: whether the names stand at the right
    - `y_range`: the ends of the vertical axis, if several panels have the same
    - `also_named`: lines of other panels, which the legend has as well
    """

    x: np.ndarray
    lines: Sequence[Line]
    x_label: str = ""
    y_label: str = ""
    heading: str = ""
    marks: Mapping[str, float] = field(default_factory=dict)
    levels: Mapping[str, float] = field(default_factory=dict)
    grey_from: float | None = None
    is_log: bool = False
    is_log_y: bool = False
    whole_x: bool = False
    whole_y: bool = False
    from_zero: bool = False
    shows_legend: bool = True
    y_range: tuple[float, float] | None = None
    also_named: Sequence[Line] = ()
    size: tuple[float, float] = (WIDTH, HEIGHT)

    @property
    def _names(self) -> list[str]:
        if not self.shows_legend:
            return []
        lines = [*self.lines, *self.also_named]
        return [shortened(line.name) for line in lines if line.name]

    @property
    def _width_of_levels(self) -> float:
        """The width of the names of levels in inches, with a gap; 0 without any."""
        return widest(self.levels, LABEL_SIZE) + 0.1 if self.levels else 0.0

    @property
    def width(self) -> float:
        """The width in inches, without labels."""
        return self.size[0]

    @property
    def height(self) -> float:
        """The height in inches, without labels."""
        return max(self.size[1], LEGEND_LINE * len(self._names) + 0.1)

    def margins(self) -> Margins:
        """The room for both axes and the legend."""
        right = 0.25
        if self.levels:
            right = self._width_of_levels + 0.1
        if self._names:
            right = self._width_of_levels + widest(self._names, LABEL_SIZE) + HANDLE + 0.3
        x_lines = in_lines(self.x_label, self.width, LABEL_SIZE)
        y_lines = in_lines(self.y_label, self.height, LABEL_SIZE)
        bottom = TICKS + len(x_lines) * LABEL_SIZE * LINE + 0.1
        top = 0.08
        if self.marks:
            top += LABEL_SIZE * LINE
        return Margins(0.52 + len(y_lines) * LABEL_SIZE * LINE, right, top, bottom)

    def draw(self, axes: Axes) -> None:
        """Draw the lines, their bands, the marks and the legend."""
        from matplotlib.lines import Line2D

        handles = []
        for line in self.lines:
            if line.band is not None:
                axes.fill_between(self.x, line.band[0], line.band[1], alpha=0.15, linewidth=0,
                                  color=line.style.get("color", GREY))  # fmt: skip
            (handle,) = axes.plot(self.x, line.y, label=shortened(line.name), **line.style)
            if line.group:
                handle.set_gid(line.group)
            if line.name:
                handles.append(handle)
        handles += [Line2D([], [], **line.style) for line in self.also_named]
        self._scale(axes)
        self._mark(axes)
        self._name_levels(axes)
        axes.set_xlabel("\n".join(in_lines(self.x_label, self.width, LABEL_SIZE)))
        axes.set_ylabel("\n".join(in_lines(self.y_label, self.height, LABEL_SIZE)))
        if self._names:
            names = legend_names(self._names)
            beside = 0.08 + self._width_of_levels
            axes.legend(
                handles, names, loc="upper left", borderaxespad=0.0, fontsize=LABEL_SIZE,
                bbox_to_anchor=(1 + beside / self.width, 1.0), handlelength=3.2, labelspacing=0.35,
            )  # fmt: skip

    def _mark(self, axes: Axes) -> None:
        """The dashed lines with their names."""
        ordered = sorted(self.marks.items(), key=lambda mark: mark[1])
        wanted = []
        for _, place in ordered:
            axes.axvline(place, color=GREY, linewidth=0.9, linestyle=(0, (2, 2)))
            wanted.append(self._inches_from_left(axes, place))
        width = widest(self.marks, LABEL_SIZE)
        at = spread(wanted, width + 0.08, width / 2, self.width - width / 2)
        for (name, _), inches in zip(ordered, at, strict=True):
            axes.text(inches / self.width, 1.01, name, transform=axes.transAxes, va="bottom",
                      ha="center", size=LABEL_SIZE, color=GREY)  # fmt: skip
        if self.grey_from is not None and self.grey_from < self.x[-1]:
            axes.axvspan(self.grey_from, self.x[-1], color=GREY, alpha=0.12, linewidth=0)

    def _name_levels(self, axes: Axes) -> None:
        """The dashed horizontal lines with their names at the right."""
        ordered = sorted(self.levels.items(), key=lambda level: level[1])
        heights = []
        for _, level in ordered:
            axes.axhline(level, color=GREY, linewidth=0.9, linestyle=(0, (2, 2)))
            heights.append(self._share_of_height(axes, level))
        gap = LABEL_SIZE * LINE / self.height
        for (name, _), at in zip(ordered, spread(heights, gap, 0.0, 1.0), strict=True):
            axes.text(1 + 0.06 / self.width, at, name, transform=axes.transAxes, va="center",
                      ha="left", size=LABEL_SIZE, color=GREY)  # fmt: skip

    @staticmethod
    def _share_of_height(axes: Axes, level: float) -> float:
        """The place of a value on the vertical axis, from 0 to 1."""
        point = axes.transData.transform((axes.get_xlim()[0], level))
        return float(axes.transAxes.inverted().transform(point)[1])

    def _inches_from_left(self, axes: Axes, place: float) -> float:
        """The place of a value on the horizontal axis in inches from its left end."""
        point = axes.transData.transform((place, axes.get_ylim()[0]))
        return float(axes.transAxes.inverted().transform(point)[0]) * self.width

    def _scale(self, axes: Axes) -> None:
        """The ends and ticks of both axes."""
        from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, ScalarFormatter

        if self.is_log:
            axes.set_xscale("log")
            axes.set_xlim(self.x[0], self.x[-1])
            axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axes.xaxis.set_major_formatter(ScalarFormatter())
            axes.xaxis.set_minor_formatter(NullFormatter())
        elif len(self.x) > 1:
            room = 0.5 if self.whole_x else 0.0
            axes.set_xlim(self.x[0] - room, self.x[-1] + room)
        if self.whole_x and not self.is_log:
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        if self.is_log_y:
            axes.set_yscale("log")
            axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axes.yaxis.set_major_formatter(ScalarFormatter())
            axes.yaxis.set_minor_formatter(NullFormatter())
        elif self.y_range is not None:
            axes.set_ylim(*self.y_range)
        elif self.from_zero:
            axes.set_ylim(bottom=0)
        if self.whole_y:
            axes.yaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
