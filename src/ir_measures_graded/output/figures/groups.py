"""Runs that do not differ, joined by bars: the compact letter display, drawn.

H.-P. Piepho: An algorithm for a letter-based representation of all-pairwise comparisons. Journal of
Computational and Graphical Statistics 13(2), 2004. The groups here are grown greedily.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from .sheet import GAP, TICKS, Drawing, Margins, ends_within, of_height
from .style import BLUE, RULE, height_of_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAR = 0.11
"""The width in inches of the column of a group."""


def groups_of(is_alike: np.ndarray) -> list[np.ndarray]:
    """Groups such that two runs share one if and only if they are alike (runs × runs).

    Each group is as large as possible, and starts from the first pair that none has yet.

    >>> alike = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool)
    >>> [group.tolist() for group in groups_of(alike)]
    [[0, 1], [1, 2]]
    """
    count = len(is_alike)
    is_open = np.triu(is_alike, 1)
    groups = []
    for first in range(count):
        while is_open[first].any():
            second = int(np.flatnonzero(is_open[first])[-1])
            members = [first, second]
            candidates = is_alike[first] & is_alike[second]
            candidates[members] = False
            # Runs between the two come first: the bar has fewer gaps.
            between = list(range(first + 1, second))
            others = [*range(second + 1, count), *range(first)]
            for run in between + others:
                if candidates[run]:
                    members.append(run)
                    candidates &= is_alike[run]
            members.sort()
            is_open[np.ix_(members, members)] = False
            groups.append(np.array(members))
    return groups


@dataclass(frozen=True)
class Groups(Drawing):
    """A column for each group of runs that do not differ, beside a `Forest` of the same rows.

    `is_alike` (runs × runs) tells in the order of the rows which runs do not differ.
    """

    is_alike: np.ndarray
    heading: str = ""
    belongs_beside: ClassVar[bool] = True

    @property
    def _groups(self) -> list[np.ndarray]:
        return groups_of(self.is_alike)

    @property
    def width(self) -> float:
        """The width in inches."""
        return max(0.3, BAR * len(self._groups))

    @property
    def height(self) -> float:
        """The height in inches, as that of a forest."""
        count = len(self.is_alike)
        return of_height(count, height_of_rows(count), least=0.45)

    def within(self, height: float) -> Groups:
        """The groups of the rows that a forest of this height has."""
        count = len(self.is_alike)
        rows = ends_within(count, height_of_rows(count), height)
        if GAP not in rows:
            return self
        is_alike = self.is_alike[np.ix_(rows, rows)]
        gap = rows.index(GAP)
        is_alike[gap] = False
        is_alike[:, gap] = False
        return replace(self, is_alike=is_alike)

    def margins(self) -> Margins:
        """The room of a forest without names."""
        return Margins(0.05, 0.15, 0.08, TICKS)

    def draw(self, axes: Axes) -> None:
        """Draw the columns."""
        groups = self._groups
        count = len(self.is_alike)
        whole = []
        parts = []
        points = []
        for column, members in enumerate(groups):
            whole.append([column, members[0], members[-1]])
            breaks = np.flatnonzero(np.diff(members) > 1) + 1
            for neighbours in np.split(members, breaks):
                parts.append([column, neighbours[0] - 0.3, neighbours[-1] + 0.3])
            points += [[column, member] for member in members.tolist()]
        if groups:
            x, start, end = np.transpose(whole)
            axes.vlines(x, start, end, colors=BLUE, linewidth=0.8, alpha=0.35)
            x, start, end = np.transpose(parts)
            axes.vlines(x, start, end, colors=BLUE, linewidth=2.6)
            x, rows = np.transpose(points)
            axes.scatter(x, rows, s=5, color=BLUE, zorder=3)
        axes.set_xlim(-0.8, max(len(groups), 1) - 0.2)
        axes.set_ylim(count - 0.4, -0.6)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.hlines(range(count), -0.8, max(len(groups), 1) - 0.2, colors=RULE, linewidth=0.5)
        axes.spines[:].set_visible(False)
        axes.grid(visible=False)
