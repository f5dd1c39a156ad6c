"""Bars: sorted differences by topic, and the parts of each topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .sheet import TICKS, Drawing, Margins
from .style import (
    BLUE,
    DOWNWARDS,
    GREY,
    LEAST_SIZE,
    LINE,
    ORANGE,
    in_lines,
    legend_names,
    shortened,
    spread,
    text_width,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABEL_SIZE = 8.0
NAME_SIZE = 7.5
HEIGHT = 1.9
"""The height of sorted bars in inches."""
WIDEST_GROUPS = 4.2
HEIGHT_OF_GROUPS = 2.6
"""The height of groups of bars in inches."""
HANDLE = 0.4
"""The width of the sample of a colour in the legend in inches."""
NARROWEST = 0.05
WIDEST_BAR = 0.24
"""The width of a bar in inches is between these, without regard to very many."""
LONGEST = 24
"""A longer name of a topic loses characters in the middle."""
MOST_SEPARATE = 150
"""More bars stand without gaps, as one area."""
LEADER = 0.16
"""The height in inches of the lines from bars to their names."""


def _width(count: int) -> float:
    return max(1.4, min(count * WIDEST_BAR, max(count * NARROWEST, 4.2), 7.0))


def difference_label(run: str, other: str) -> str:
    """The label of differences of two runs: their names if they fit beside the bars.

    >>> difference_label("new", "old"), difference_label("new" * 20, "old")
    ('new − old', 'difference')
    """
    label = f"{run} − {other}"
    return label if text_width(label, LABEL_SIZE) <= HEIGHT else "difference"


@dataclass(frozen=True)
class GroupedBars(Drawing):
    """A bar for each name beside one another at every place `x`, each name in its colour, and a
    legend.
    """

    x: np.ndarray
    values: Mapping[str, np.ndarray]
    colours: Mapping[str, str]
    x_label: str = ""
    label: str = ""
    heading: str = ""

    @property
    def width(self) -> float:
        """The width in inches, without labels."""
        return min(max(2.4, _width(self.x.size * len(self.values))), WIDEST_GROUPS)

    @property
    def height(self) -> float:
        """The height in inches, without labels."""
        return HEIGHT_OF_GROUPS

    @property
    def _names(self) -> list[str]:
        return [shortened(name) for name in self.values]

    def margins(self) -> Margins:
        """The room for both axes and the legend."""
        right = widest(self._names, LABEL_SIZE) + HANDLE + 0.3
        lines = in_lines(self.label, self.height, LABEL_SIZE)
        bottom = TICKS + LABEL_SIZE * LINE + 0.1
        return Margins(0.52 + len(lines) * LABEL_SIZE * LINE, right, 0.08, bottom)

    def draw(self, axes: Axes) -> None:
        """Draw the bars, both axes and the legend."""
        from matplotlib.ticker import MaxNLocator

        share = 0.8 / len(self.values)
        begin = -0.4 + share / 2
        handles = []
        for place, (name, values) in enumerate(self.values.items()):
            colour = self.colours[name]
            handles.append(axes.bar(self.x + begin + place * share, values, share, color=colour))
        axes.axhline(0, color=GREY, linewidth=0.9)
        axes.grid(visible=False, axis="x")
        axes.set_xlim(self.x[0] - 0.6, self.x[-1] + 0.6)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axes.set_xlabel(self.x_label)
        axes.set_ylabel("\n".join(in_lines(self.label, self.height, LABEL_SIZE)))
        axes.legend(
            handles, legend_names(self._names), loc="upper left", borderaxespad=0.0,
            fontsize=LABEL_SIZE, bbox_to_anchor=(1 + 0.08 / self.width, 1.0), labelspacing=0.35,
        )  # fmt: skip


@dataclass(frozen=True)
class SortedBars(Drawing):
    """A bar for each value, the highest first; those above 0 are blue, those below orange.

    `named` tells how many of the values that differ most from 0 have their name below the bars, or
    `at_low` of the lowest ones only. Few bars all have their names.
    """

    values: np.ndarray
    names: Sequence[str]
    label: str = ""
    heading: str = ""
    named: int = 5
    at_low: bool = False
    unit: str = "topic"

    @property
    def width(self) -> float:
        """The width in inches, without labels."""
        return _width(len(self.values))

    @property
    def height(self) -> float:
        """The height in inches, without labels."""
        return HEIGHT

    @property
    def _order(self) -> np.ndarray:
        return np.argsort(-self.values, kind="stable")

    @property
    def has_every_name(self) -> bool:
        """Whether the bars are few, so that each has its name."""
        return len(self._places_named) == len(self.values)

    @property
    def _places_named(self) -> list[int]:
        """The bars that have a name, from left to right."""
        values = self.values[self._order]
        gap = NAME_SIZE * LINE * 1.1
        if len(values) * gap <= self.width:
            return list(range(len(values)))
        size = -values if self.at_low else np.abs(values)
        most = np.argsort(-size, kind="stable")[: self.named]
        return sorted(place for place in most.tolist() if size[place] > 0)

    def _texts(self) -> list[str]:
        order = self._order
        return [shortened(self.names[order[place]], LONGEST) for place in self._places_named]

    def margins(self) -> Margins:
        """The room for the axis and the names of bars."""
        bottom = widest(self._texts(), NAME_SIZE) + LEADER + 0.1 + LABEL_SIZE * LINE
        lines = in_lines(self.label, self.height, LABEL_SIZE)
        return Margins(0.5 + len(lines) * LABEL_SIZE * LINE, 0.2, 0.08, bottom)

    def draw(self, axes: Axes) -> None:
        """Draw the bars and the names."""
        values = self.values[self._order]
        places = np.arange(len(values))
        colours = np.where(values >= 0, BLUE, ORANGE)
        if len(values) <= MOST_SEPARATE:
            axes.bar(places, values, width=0.85, color=colours)
        else:
            axes.fill_between(places, values, where=values >= 0, step="mid", color=BLUE)
            axes.fill_between(places, values, where=values <= 0, step="mid", color=ORANGE)
        axes.axhline(0, color=GREY, linewidth=1.0)
        axes.set_xlim(-0.7, len(values) - 0.3)
        axes.set_xticks([])
        axes.grid(visible=False, axis="x")
        axes.spines["bottom"].set_visible(False)
        axes.set_ylabel("\n".join(in_lines(self.label, self.height, LABEL_SIZE)))
        named = self._places_named
        inch = len(values) / self.width
        gap = NAME_SIZE * LINE * 1.05 * inch
        below = -LEADER / self.height
        wanted = [float(place) for place in named]
        at = spread(wanted, gap, -0.3, len(values) - 0.7)
        transform = axes.get_xaxis_transform()
        for place, x, text in zip(named, at, self._texts(), strict=True):
            axes.plot([place, x], [0, below * 0.85], color=GREY, linewidth=0.6, clip_on=False,
                      transform=transform)  # fmt: skip
            axes.text(x, below, text, size=NAME_SIZE, transform=transform, **DOWNWARDS)
        depth = widest(self._texts(), NAME_SIZE) + LEADER + 0.06
        text = f"{len(values)} {self.unit}s, sorted by difference"
        if len(values) == 1:
            text = f"1 {self.unit}"
        axes.text(0, -depth / self.height, text, ha="left", va="top", size=NAME_SIZE, color=GREY,
                  transform=axes.transAxes)  # fmt: skip


@dataclass(frozen=True)
class StackedBars(Drawing):
    """A bar for each row of `counts` (rows × parts), with its parts one above the other.

    `parts` names them, from below, and `colours` has their colours. Rows are in the given order.
    """

    counts: np.ndarray
    names: Sequence[str]
    parts: Sequence[str]
    colours: Sequence[Any]
    label: str = ""
    row_label: str = ""
    heading: str = ""
    legend_title: str = ""

    @property
    def width(self) -> float:
        """The width in inches, without labels."""
        return max(2.4, _width(len(self.names)))

    @property
    def height(self) -> float:
        """The height in inches, without labels."""
        return 2.3

    @property
    def _has_names(self) -> bool:
        return len(self.names) * LEAST_SIZE * LINE * 1.05 <= self.width

    @property
    def _texts(self) -> list[str]:
        return [shortened(name, LONGEST) for name in self.names]

    @property
    def _is_turned(self) -> bool:
        """Whether the names are too wide to stand beside each other."""
        return widest(self._texts, LEAST_SIZE) > 0.85 * self.width / len(self.names)

    def margins(self) -> Margins:
        """The room for names, labels and the legend."""
        bottom = 0.12 + LABEL_SIZE * LINE
        if self._has_names:
            depth = widest(self._texts, LEAST_SIZE) if self._is_turned else LEAST_SIZE * LINE
            bottom += depth + 0.06
        legend = [*self.parts, self.legend_title]
        return Margins(0.75, widest(legend, LABEL_SIZE) + 0.5, 0.08, bottom)

    def draw(self, axes: Axes) -> None:
        """Draw the bars and the legend."""
        from matplotlib.patches import Patch

        places = np.arange(len(self.names))
        below = np.zeros(len(self.names))
        for counts, colour in zip(self.counts.T, self.colours, strict=True):
            if len(places) <= MOST_SEPARATE:
                axes.bar(places, counts, bottom=below, width=0.85, color=colour, edgecolor=GREY,
                         linewidth=0.2)  # fmt: skip
            else:
                axes.fill_between(places, below, below + counts, step="mid", color=colour, lw=0)
            below = below + counts
        axes.set_xlim(-0.7, len(places) - 0.3)
        axes.set_ylim(bottom=0)
        axes.set_xticks([])
        if self._has_names:
            turned = DOWNWARDS if self._is_turned else {}
            axes.set_xticks(places, self._texts, size=LEAST_SIZE, **turned)
            axes.tick_params(axis="x", length=0)
        axes.grid(visible=False, axis="x")
        axes.set_xlabel(self.row_label, loc="left", labelpad=4)
        axes.set_ylabel(self.label)
        handles = [
            Patch(facecolor=colour, edgecolor=GREY, linewidth=0.4, label=name)
            for name, colour in zip(self.parts, self.colours, strict=True)
        ]
        axes.legend(
            handles=handles[::-1], loc="upper left", bbox_to_anchor=(1.0, 1.0), handlelength=1.0,
            title=self.legend_title, fontsize=LABEL_SIZE, title_fontsize=LABEL_SIZE,
            alignment="left", borderaxespad=0.0,
        )  # fmt: skip
